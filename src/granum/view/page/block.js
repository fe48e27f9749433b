// Blocks of numbers as they come from granum; the format is told in granum/view/block.py.

const ARRAY_TYPES = { f4: Float32Array, u4: Uint32Array, u2: Uint16Array, u1: Uint8Array };
const MAGIC = 0x564e5247; // "GRNV"

// Returns the arrays by name, each { data, type, width, rows, low, high }, and the other facts.
export function readBlock(buffer) {
  const words = new DataView(buffer);
  if (buffer.byteLength < 8 || words.getUint32(0, true) !== MAGIC) throw new Error("these are no numbers of granum");
  const length = words.getUint32(4, true);
  const facts = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
  const arrays = new Map();
  for (const entry of facts.arrays) {
    const data = new ARRAY_TYPES[entry.type](buffer, 8 + length + entry.first, entry.rows * entry.width);
    arrays.set(entry.name, { ...entry, data });
  }
  return { arrays, facts, bytes: buffer.byteLength };
}

// How a stored number, read as 0 to 1 if it is quantised, becomes a value: low + span * stored.
export function gridOf(array) {
  if (!array.low) return { low: new Array(array.width).fill(0), span: new Array(array.width).fill(1), unknown: 2 };
  const most = array.type === "u2" ? 65535 : 255;
  return {
    low: array.low,
    span: array.low.map((low, k) => ((array.high[k] - low) * most) / (most - 1)),
    unknown: (most - 0.5) / most,
  };
}

// One number of an array as a value; null if it is not known.
export function valueAt(array, row, component = 0) {
  const stored = array.data[row * array.width + component];
  if (!array.low) return Number.isFinite(stored) ? stored : null;
  const most = array.type === "u2" ? 65535 : 255;
  if (stored === most) return null;
  return array.low[component] + ((array.high[component] - array.low[component]) * stored) / (most - 1);
}
