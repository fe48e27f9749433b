// The edges and faces of swept grains: their numbers for the graphics card, and their drawing.

import { valueAt } from "./block.js";
import { makeProgram } from "./gl.js";
import {
  INSIDE_CORNERS, INSIDE_FRAGMENT, INSIDE_VERTEX, PLATE_CORNERS, PLATE_FRAGMENT, PLATE_VERTEX, TUBE_CORNERS,
  TUBE_FRAGMENT, TUBE_VERTEX,
} from "./swept_shader.js";

// Of one kind of body: where each attribute begins in a row of numbers, by its place in the shaders.
const KINDS = {
  tube: { shaders: [TUBE_VERTEX, TUBE_FRAGMENT], corners: TUBE_CORNERS, width: 9, attributes: { 0: 0, 1: 3, 3: 6 }, mode: "TRIANGLE_STRIP" },
  plate: { shaders: [PLATE_VERTEX, PLATE_FRAGMENT], corners: PLATE_CORNERS, width: 12, attributes: { 0: 0, 1: 3, 2: 6, 3: 9 }, mode: "TRIANGLES" },
  inside: { shaders: [INSIDE_VERTEX, INSIDE_FRAGMENT], corners: INSIDE_CORNERS, width: 15, attributes: { 0: 0, 1: 3, 2: 6, 3: 9, 4: 12 }, mode: "TRIANGLES", isInside: true },
};

export class Swept {
  constructor(gl) {
    this.gl = gl;
    this.kinds = Object.values(KINDS).map((kind) => ({
      ...kind, ...makeProgram(gl, ...kind.shaders), count: 0, buffer: gl.createBuffer(), array: gl.createVertexArray(),
    }));
  }

  setFrame(block, values) {
    const { edges, faces, insides } = expanded(block, values);
    [edges, faces, insides].forEach((numbers, k) => this.#feed(this.kinds[k], numbers));
  }

  #feed(kind, numbers) {
    const { gl } = this;
    kind.count = numbers.length / kind.width;
    if (!kind.count) return;
    gl.bindVertexArray(kind.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, kind.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STREAM_DRAW);
    for (const [location, first] of Object.entries(kind.attributes)) {
      gl.enableVertexAttribArray(Number(location));
      gl.vertexAttribPointer(Number(location), 3, gl.FLOAT, false, 4 * kind.width, 4 * first);
      gl.vertexAttribDivisor(Number(location), 1);
    }
    gl.bindVertexArray(null);
  }

  // Draws all kinds of bodies; `use` makes a program the one to draw with, and tells its uniforms.
  draw(look, use) {
    const { gl } = this;
    for (const kind of this.kinds) {
      if (!kind.count || (kind.isInside && (!look.cut || look.shrink < 1))) continue;
      const u = use(kind);
      gl.uniform2f(u.valueGrid, 0, 1);
      gl.uniform1f(u.unknownPlace, 2);
      gl.bindVertexArray(kind.array);
      gl.drawArraysInstanced(gl[kind.mode], 0, kind.corners, kind.count);
    }
  }
}

// Rows of numbers for all edges, faces and insides of a frame.
function expanded(block, values) {
  const { arrays } = block;
  const [edges, faces] = ["edges", "faces"].map((name) => arrays.get(name) ?? { rows: 0, data: [] });
  const numbers = {
    edges: new Float32Array(edges.rows * KINDS.tube.width), faces: new Float32Array(faces.rows * KINDS.plate.width),
    insides: new Float32Array(0),
  };
  if (!edges.rows && !faces.rows) return numbers;
  const position = arrays.get("position"), radius = arrays.get("radius");
  const point = (row) => [0, 1, 2].map((axis) => valueAt(position, row, axis) ?? NaN);
  const facts = (row) => [valueAt(radius, row) ?? 0, valueAt(values, row) ?? NaN, row];
  for (const [rows, width, made] of [[edges, 2, numbers.edges], [faces, 3, numbers.faces]]) {
    for (let k = 0; k < rows.rows; k++) {
      const corners = Array.from(rows.data.subarray(width * k, width * (k + 1)));
      made.set([...corners.flatMap(point), ...facts(corners[0])], k * 3 * (width + 1));
    }
  }
  numbers.insides = expandedInsides(arrays, faces, numbers.faces, point);
  return numbers;
}

// Faces that hold something inside, each with the middle of its grain.
function expandedInsides(arrays, faces, made, point) {
  const holds = arrays.get("holds")?.data ?? [];
  const ids = arrays.get("id").data;
  const middles = new Map();
  const middleOf = (row) => {
    const id = ids[row];
    if (!middles.has(id)) {
      const [first, last] = rowsOf(ids, row);
      const sum = [0, 0, 0];
      for (let k = first; k <= last; k++) point(k).forEach((x, axis) => { sum[axis] += x / (last - first + 1); });
      middles.set(id, sum);
    }
    return middles.get(id);
  };
  const found = [];
  for (let k = 0; k < faces.rows; k++) {
    if (holds[k]) found.push(...made.subarray(12 * k, 12 * (k + 1)), ...middleOf(faces.data[3 * k]));
  }
  return new Float32Array(found);
}

// Half the length of a middling edge; 0 if there are none.
export function halfEdge({ arrays }) {
  const edges = arrays.get("edges");
  if (!edges?.rows) return 0;
  const [a, b] = edges.data.subarray(2 * (edges.rows >> 1));
  const position = arrays.get("position");
  return Math.hypot(...[0, 1, 2].map((axis) => valueAt(position, a, axis) - valueAt(position, b, axis))) / 2;
}

// First and last row of the grain to which a row belongs: its balls stand one after the other.
export function rowsOf(ids, row) {
  let [first, last] = [row, row];
  while (first > 0 && ids[first - 1] === ids[row]) first--;
  while (last < ids.length - 1 && ids[last + 1] === ids[row]) last++;
  return [first, last];
}
