// Everything can be done from the keyboard. Keys do nothing special where one writes or chooses; a
// slider takes its own keys only.

const TAKES_KEYS = "select, input[type=number], dialog";
const OF_SLIDERS = /^(Arrow|Home$|End$|Page)/;

// `actions` is a list of [keys, what they do, act]; the list of keys is made from it, too.
export function followKeys(actions) {
  const byKey = new Map();
  for (const [keys, , act] of actions) keys.forEach((key) => byKey.set(key, act));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest(TAKES_KEYS)) return;
    if (OF_SLIDERS.test(event.key) && event.target.closest("input[type=range]")) return;
    if (event.key === " " && event.target.closest("button, summary, [type=checkbox]")) return;
    const act = byKey.get(event.shiftKey && event.key.startsWith("Arrow") ? `Shift ${event.key}` : event.key);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

const SHORT = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", "Shift ArrowLeft": "Shift ←", "Shift ArrowRight": "Shift →", "Shift ArrowUp": "Shift ↑", "Shift ArrowDown": "Shift ↓" };

export function listKeys(place, actions) {
  for (const [keys, meaning] of actions) {
    const term = document.createElement("dt");
    term.textContent = keys.map((key) => SHORT[key] ?? key).join("  ");
    const told = document.createElement("dd");
    told.textContent = meaning;
    place.append(term, told);
  }
}
