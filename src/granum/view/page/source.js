// Where the run comes from: the server, or elements of this very page.

import { readBlock, valueAt } from "./block.js";

async function ask(path) {
  const answer = await fetch(`api/${path}`);
  if (!answer.ok) {
    const said = await answer.json().catch(() => ({ error: answer.statusText }));
    throw new Error(said.error);
  }
  return answer;
}

// A run that granum serves, maybe still under way.
class ServedRun {
  isServed = true;
  run = async () => (await ask("run")).json();
  walls = async () => (await ask("walls")).json();
  series = () => this.#block("series");
  frame = (k) => this.#block(`frame/${k}`);
  values = (k, quantity) => this.#block(`values/${k}/${quantity}`);
  limits = async (quantity) => (await ask(`limits/${quantity}`)).json();
  network = (k) => this.#block(`network/${k}`);
  triangulation = (k) => this.#block(`triangulation/${k}`);
  cell = async (k, row) => (await ask(`cell/${k}/${row}`)).json();
  grain = async (k, row) => (await (await ask(`grain/${k}/${row}`)).json()).fields;

  async #block(path) {
    return readBlock(await (await ask(path)).arrayBuffer());
  }
}

// A run that stands in the page itself, its frames thinned and their numbers quantised.
class EmbeddedRun {
  isServed = false;
  #described = this.#json("run");
  #shared = this.#block("shared");
  #last = { number: -1, block: null };

  run = async () => this.#described;
  walls = async () => this.#json("walls");
  limits = async (quantity) => this.#described.limits[quantity];

  async series() {
    if (!document.getElementById("data-series")) throw new Error(this.#json("series-error").error);
    return this.#block("series");
  }

  async frame(k) {
    return this.#frame(k);
  }

  async values(k, quantity) {
    const block = this.#frame(k);
    const value = block.arrays.get(`value ${quantity}`);
    return { arrays: new Map([["value", value]]), facts: { limits: block.facts.limits[quantity] }, bytes: 0 };
  }

  async network(k) {
    const { arrays, facts } = this.#frame(k);
    const [ends, strength, atWall] = ["rod ends", "rod strength", "rod at wall"].map((name) => arrays.get(name));
    const data = new Float32Array(8 * ends.rows);
    for (let row = 0; row < ends.rows; row++) {
      for (let axis = 0; axis < 6; axis++) data[8 * row + axis] = valueAt(ends, row, axis);
      data[8 * row + 6] = valueAt(strength, row);
      data[8 * row + 7] = valueAt(atWall, row);
    }
    return { arrays: new Map([["rods", { data, type: "f4", width: 8, rows: ends.rows }]]), facts: facts.rods, bytes: data.byteLength };
  }

  async grain(k, row) {
    const { arrays } = await this.frame(k);
    const position = [0, 1, 2].map((axis) => valueAt(arrays.get("position"), row, axis) + this.#described.origin[axis]);
    const values = this.#described.quantities.map((quantity, n) => [
      quantity.label, [valueAt(arrays.get(`value ${n}`), row)]]);
    return [["position", position], ["id", [valueAt(arrays.get("id"), row)]],
      ...values.filter(([label]) => label !== "id")];
  }

  #frame(k) {
    if (this.#last.number !== k) {
      const block = this.#block(`frame-${k}`);
      block.arrays = new Map([...this.#shared.arrays, ...block.arrays]);
      this.#last = { number: k, block };
    }
    return this.#last.block;
  }

  #json(name) {
    return JSON.parse(document.getElementById(`data-${name}`).textContent);
  }

  #block(name) {
    const text = atob(document.getElementById(`data-${name}`).textContent);
    const bytes = new Uint8Array(text.length);
    for (let k = 0; k < text.length; k++) bytes[k] = text.charCodeAt(k);
    return readBlock(bytes.buffer);
  }
}

export function findRun() {
  return document.getElementById("data-run") ? new EmbeddedRun() : new ServedRun();
}
