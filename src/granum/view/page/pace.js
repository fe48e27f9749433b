// How finely to draw while things move: as the graphics card manages, so that large scenes stay fluent.

const SLOW = 40, QUICK = 20; // milliseconds from one picture to the next chance to draw
const COARSEST = 0.5; // share of the pixels along each side
const STEADY = 10; // quick ones in a row, after which pictures may be finer again

export class Pace {
  share = 1;
  #slow = 0;
  #quick = 0;

  // Told after each picture how long it held up the next [ms]. One that is slow may be an accident.
  tick(milliseconds) {
    this.#slow = milliseconds > SLOW ? this.#slow + 1 : 0;
    this.#quick = milliseconds < QUICK ? this.#quick + 1 : 0;
    if (this.#slow >= 2) this.share = Math.max(COARSEST, 0.8 * this.share);
    if (this.#quick >= STEADY) {
      this.share = Math.min(1, 1.15 * this.share);
      this.#quick = 0;
    }
  }
}
