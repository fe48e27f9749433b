// The numbers of one grain.

import { formatNumber, withUnit } from "./format.js";

const UNITS = { position: "m", radius: "m", velocity: "m/s", spin: "rad/s", force: "N", speed: "m/s", "size (radius)": "m" };

// `species` are the names of materials, as far as they are known.
export function showCard(place, id, fields, species, close) {
  const heading = document.createElement("h2");
  heading.append(`Grain ${id}`);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "×";
  button.setAttribute("aria-label", "Close");
  button.addEventListener("click", close);
  heading.append(button);
  const table = document.createElement("table");
  for (const [name, numbers] of fields) {
    if (name === "id") continue;
    const row = table.insertRow();
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = name.replaceAll("_", " ");
    const cell = document.createElement("td");
    const unit = Object.hasOwn(UNITS, name) ? UNITS[name] : "";
    const told = (name === "material" && species[numbers[0]]) || numbers.map(formatNumber).join(", ");
    const isVector = numbers.length === 3 && name !== "position";
    cell.textContent = isVector ? `${withUnit(formatNumber(Math.hypot(...numbers)), unit)} (${told})` : withUnit(told, unit);
    row.append(head, cell);
  }
  place.replaceChildren(heading, table);
  place.hidden = false;
}
