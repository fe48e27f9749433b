// What a person must know, told once. Texts of a run may be anything, so they are only ever text.

const MOST_MESSAGES = 6;

export function showMessage(text) {
  const place = document.getElementById("messages");
  const known = [...place.children].map((child) => child.textContent);
  if (known.includes(text) || known.length >= MOST_MESSAGES) return;
  const line = document.createElement("p");
  line.textContent = text;
  place.append(line);
}

export function showError(error) {
  showMessage(error instanceof Error ? error.message : String(error));
}
