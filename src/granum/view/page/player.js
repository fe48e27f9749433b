// Goes through the frames: one by one, by the slider, or by itself.

const SPEEDS = [1, 2, 5, 10, 15, 25, 40, 60];
const DEFAULT_SPEED = 15;

export class Player {
  number = 0;
  count = 0;
  isPlaying = false;
  #due = 0;
  #busy = false;
  #wishes = 0;

  // `show(number)` draws a frame and resolves when it is there.
  constructor({ slider, button, speed }, show) {
    Object.assign(this, { slider, button, speed, show });
    for (const rate of SPEEDS) speed.add(new Option(String(rate), String(rate), false, rate === DEFAULT_SPEED));
    slider.addEventListener("input", () => this.go(Number(slider.value)));
    button.addEventListener("click", () => this.toggle());
  }

  setCount(count) {
    this.count = count;
    this.slider.max = String(Math.max(count - 1, 0));
    this.slider.disabled = this.button.disabled = count < 2;
  }

  get isAtEnd() {
    return this.number >= this.count - 1;
  }

  // Goes to a frame, or shows it anew; while one is on its way, only the last wish counts.
  async go(number) {
    this.number = Math.min(Math.max(number, 0), Math.max(this.count - 1, 0));
    this.slider.value = String(this.number);
    this.#wishes += 1;
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let wish = -1; wish !== this.#wishes;) {
        wish = this.#wishes;
        await this.show(this.number);
      }
    } finally {
      this.#busy = false;
    }
  }

  toggle() {
    this.isPlaying = !this.isPlaying;
    if (this.isPlaying && this.isAtEnd) this.number = -1;
    this.button.textContent = this.isPlaying ? "❚❚" : "▶";
    this.button.setAttribute("aria-label", this.isPlaying ? "Pause" : "Play");
    this.#due = performance.now();
    if (this.isPlaying) requestAnimationFrame((now) => this.#tick(now));
  }

  faster(steps) {
    const { speed } = this;
    speed.selectedIndex = Math.min(Math.max(speed.selectedIndex + steps, 0), SPEEDS.length - 1);
  }

  #tick(now) {
    if (!this.isPlaying) return;
    if (this.isAtEnd) {
      this.toggle();
      return;
    }
    if (now >= this.#due && !this.#busy) {
      this.#due = Math.max(this.#due + 1000 / Number(this.speed.value), now - 100);
      this.go(this.number + 1);
    }
    requestAnimationFrame((later) => this.#tick(later));
  }
}
