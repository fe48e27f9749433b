// Vectors of three numbers, and matrices of sixteen, column by column.

export const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const addScaled = (a, b, s) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

export function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      out[4 * c + r] = sum;
    }
  }
  return out;
}

// From a turn (9 numbers, row by row) and a shift (3 numbers).
export function fromPose(p) {
  return new Float32Array([p[0], p[3], p[6], 0, p[1], p[4], p[7], 0, p[2], p[5], p[8], 0, p[9], p[10], p[11], 1]);
}

export const IDENTITY = fromPose([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
