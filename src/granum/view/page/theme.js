// Light and dark: as the system wants it, until somebody chooses.

const THEMES = {
  light: { above: [0.975, 0.98, 0.985], below: [0.86, 0.875, 0.89], wall: [0.16, 0.27, 0.38], cell: [0.75, 0.1, 0.1], edge: [0.05, 0.2, 0.65] },
  dark: { above: [0.09, 0.105, 0.125], below: [0.045, 0.05, 0.06], wall: [0.72, 0.82, 0.92], cell: [1, 0.5, 0.4], edge: [0.5, 0.75, 1] },
};

export class Theme {
  constructor(button, changed) {
    this.button = button;
    this.changed = changed;
    const wantsDark = matchMedia("(prefers-color-scheme: dark)");
    wantsDark.addEventListener("change", () => this.#set(wantsDark.matches ? "dark" : "light"));
    button.addEventListener("click", () => this.toggle());
    this.#set(wantsDark.matches ? "dark" : "light");
  }

  get colours() {
    return THEMES[this.name];
  }

  toggle() {
    this.#set(this.name === "dark" ? "light" : "dark");
  }

  #set(name) {
    this.name = name;
    document.documentElement.dataset.theme = name;
    this.button.textContent = name === "dark" ? "Light" : "Dark";
    this.changed();
  }
}
