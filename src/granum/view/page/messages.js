// What a person must know, told once. Texts of a run may be anything, so they are only ever text.

const MOST_MESSAGES = 6;

export function showMessage(text, isTrouble = false) {
  const place = document.getElementById("messages");
  const known = [...place.children].map((child) => child.firstChild.textContent);
  if (known.includes(text) || known.length >= MOST_MESSAGES) return;
  const line = document.createElement("p");
  line.textContent = text;
  line.classList.toggle("trouble", isTrouble);
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = "×";
  close.setAttribute("aria-label", "Close this message");
  close.addEventListener("click", () => line.remove());
  line.append(close);
  place.append(line);
}

export function showError(error) {
  showMessage(error instanceof Error ? error.message : String(error), true);
}
