// Numbers as a person reads them.

const TIME_UNITS = [[1, "s"], [1e3, "ms"], [1e6, "µs"]];

// Four digits; powers of ten only where plain digits would be many.
export function formatNumber(value) {
  if (value === null || !Number.isFinite(value)) return "unknown";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (Number.isInteger(value) && size < 1e9) return String(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(4)));
  return value.toExponential(2).replace("e+", "e");
}

export function withUnit(text, unit) {
  return unit ? `${text} ${unit}` : text;
}

// A time in the largest unit in which the last time of the run is at least 0.1.
export function formatTime(time, last) {
  const [scale, unit] = TIME_UNITS.find(([s]) => Math.abs(last) * s >= 0.1) ?? TIME_UNITS[0];
  return `${(time * scale).toFixed(Math.abs(last) * scale >= 100 ? 1 : 3)} ${unit}`;
}
