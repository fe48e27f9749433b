// The series as small plots, with a cursor at the time that is shown.

import { valueAt } from "./block.js";
import { formatNumber, withUnit } from "./format.js";

const FAVOURITES = ["kinetic", "coordination", "fastest", "height", "contacts"];
const PLOTS = 3;
const EDGE = { left: 4, right: 4, top: 16, bottom: 16 };

export class Plots {
  #plots = [];
  #time = 0;

  // `chosen` is called with a time when somebody points at one.
  constructor(place, chosen) {
    this.place = place;
    this.chosen = chosen;
    new ResizeObserver(() => this.draw()).observe(place);
  }

  setSeries(block) {
    if (!block.arrays.has("time")) return;
    this.block = block;
    this.times = block.arrays.get("time");
    if (!this.#plots.length) this.#make([...block.arrays.keys()].filter((name) => name !== "time" && name !== "step"));
    this.draw();
  }

  setTime(time) {
    this.#time = time;
    this.draw();
  }

  #make(names) {
    const flows = names.filter((name) => name.endsWith("_mass"));
    const first = [...flows, ...FAVOURITES.filter((name) => names.includes(name)), ...names];
    for (const name of [...new Set(first)].slice(0, PLOTS)) {
      const figure = document.createElement("figure");
      const select = document.createElement("select");
      select.setAttribute("aria-label", "Column of the series");
      for (const option of names) select.add(new Option(option.replaceAll("_", " "), option, false, option === name));
      const canvas = document.createElement("canvas");
      canvas.setAttribute("role", "img");
      const plot = { select, canvas };
      select.addEventListener("change", () => this.#draw(plot));
      canvas.addEventListener("click", (event) => this.#point(plot, event));
      figure.append(select, canvas);
      this.place.append(figure);
      this.#plots.push(plot);
    }
  }

  #point({ canvas }, event) {
    const box = canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - EDGE.left) / (box.width - EDGE.left - EDGE.right);
    const [first, last] = this.#span();
    this.chosen(first + Math.min(1, Math.max(0, share)) * (last - first));
  }

  #span() {
    return [this.times.data[0] ?? 0, this.times.data.at(-1) ?? 1];
  }

  draw() {
    if (this.block) this.#plots.forEach((plot) => this.#draw(plot));
  }

  #draw({ select, canvas }) {
    const column = this.block.arrays.get(select.value);
    const unit = this.block.facts.units[select.value] ?? "";
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const finite = column.data.filter(Number.isFinite);
    if (!width || !finite.length) return;
    let low = finite[0], high = finite[0];
    for (const value of finite) [low, high] = [Math.min(low, value), Math.max(high, value)];
    const scale = devicePixelRatio;
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    const pen = canvas.getContext("2d");
    pen.scale(scale, scale);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name);
    const [first, last] = this.#span();
    const x = (t) => EDGE.left + ((width - EDGE.left - EDGE.right) * (t - first)) / (last - first || 1);
    const y = (v) => height - EDGE.bottom - ((height - EDGE.top - EDGE.bottom) * (v - low)) / (high - low || 1);
    pen.strokeStyle = colour("--rule");
    pen.strokeRect(EDGE.left, EDGE.top, width - EDGE.left - EDGE.right, height - EDGE.top - EDGE.bottom);
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = 1.5;
    pen.beginPath();
    column.data.forEach((value, k) => Number.isFinite(value) && pen.lineTo(x(this.times.data[k]), y(value)));
    pen.stroke();
    const row = this.#rowAt(this.#time);
    const now = valueAt(column, row);
    pen.fillStyle = pen.strokeStyle = colour("--ink");
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(x(this.#time), EDGE.top);
    pen.lineTo(x(this.#time), height - EDGE.bottom);
    pen.stroke();
    if (now !== null) {
      pen.beginPath();
      pen.arc(x(this.times.data[row]), y(now), 3.5, 0, 2 * Math.PI);
      pen.fill();
    }
    pen.font = "11px system-ui, sans-serif";
    pen.fillText(withUnit(formatNumber(now), unit), EDGE.left, 11);
    pen.fillStyle = colour("--quiet");
    pen.fillText(`from ${formatNumber(low)} to ${withUnit(formatNumber(high), unit)}`, EDGE.left, height - 4);
    canvas.setAttribute("aria-label", `${select.value}: ${withUnit(formatNumber(now), unit)} now, ` +
      `from ${formatNumber(low)} to ${withUnit(formatNumber(high), unit)} over the run`);
  }

  // The last row that is not later than a time.
  #rowAt(time) {
    const { data } = this.times;
    let low = 0, high = data.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (data[middle] <= time * (1 + 1e-6)) low = middle;
      else high = middle;
    }
    return low;
  }
}
