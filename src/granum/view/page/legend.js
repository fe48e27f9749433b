// What the colours mean.

import { TABLE_SIZE } from "./colours.js";
import { formatNumber, withUnit } from "./format.js";

const MOST_NAMES = 12;

function stripe(table, first, last) {
  const canvas = document.createElement("canvas");
  const count = last - first + 1;
  [canvas.width, canvas.height] = [count, 1];
  const pixels = new Uint8ClampedArray(table.subarray(4 * first, 4 * (last + 1)));
  canvas.getContext("2d").putImageData(new ImageData(pixels, count, 1), 0, 0);
  return canvas;
}

function element(kind, name, text = "") {
  const made = document.createElement(kind);
  made.className = name;
  made.textContent = text;
  return made;
}

function namesOf(quantity, [low, high]) {
  const count = Math.max(quantity.labels.length, high + 1);
  if (low < 0 || count > MOST_NAMES || !Number.isInteger(high)) return [];
  return Array.from({ length: count }, (_, k) => quantity.labels[k] ?? String(k));
}

// What the thickness and colour of rods mean; walls are told only where forces are known.
export function showRodLegend(place, rods, tables) {
  place.hidden = !rods;
  if (!rods) return;
  const { what, unit, high } = rods.facts;
  const name = element("p", "name", withUnit(`contacts: ${what}`, unit && `[${unit}]`));
  const kinds = what === "force" ? ["between grains", "at walls"] : ["between grains"];
  const stripes = kinds.flatMap((kind, k) => [element("span", "kind", kind), stripe(tables[k], 0, TABLE_SIZE - 1)]);
  const scale = element("div", "scale");
  for (const value of [0, high]) scale.append(element("span", "", formatNumber(value)));
  place.replaceChildren(name, ...stripes, scale);
}

export function showLegend(place, quantity, limits, table) {
  const name = element("p", "name", withUnit(quantity.label, quantity.unit && `[${quantity.unit}]`));
  if (quantity.kind === "category") {
    const names = element("div", "names");
    for (const [k, label] of namesOf(quantity, limits).entries()) {
      const entry = document.createElement("span");
      entry.append(stripe(table, k % TABLE_SIZE, k % TABLE_SIZE), label);
      names.append(entry);
    }
    place.replaceChildren(name, names);
    place.setAttribute("aria-label", `Colours tell ${quantity.label}.`);
    return;
  }
  const scale = element("div", "scale");
  const middle = (limits[0] + limits[1]) / 2;
  for (const value of [limits[0], middle, limits[1]]) scale.append(element("span", "", formatNumber(value)));
  place.replaceChildren(name, stripe(table, 0, TABLE_SIZE - 1), scale);
  const ends = limits.map((value) => withUnit(formatNumber(value), quantity.unit));
  place.setAttribute("aria-label", `Colours tell ${quantity.label}, from ${ends[0]} to ${ends[1]}.`);
}
