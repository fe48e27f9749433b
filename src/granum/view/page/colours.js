// From numbers to colours that look as different as the numbers are.
//
// A map is a path through OKLab (B. Ottosson, "A perceptual color space for image processing", 2020)
// in steps of equal length, so that equal differences look equal. Lightness only rises, so that maps
// also read in grey and for colour-blind eyes; "two sides" falls to both ends from the middle.

export const TABLE_SIZE = 256;
const GOLDEN = (Math.sqrt(5) - 1) / 2;

// Stations of lightness, chroma and hue [degree].
const STATIONS = {
  "lagoon": [[0.345, 0.125, 292], [0.47, 0.11, 252], [0.615, 0.098, 198], [0.765, 0.155, 146], [0.915, 0.165, 104]],
  "ember": [[0.27, 0.09, 300], [0.42, 0.15, 350], [0.58, 0.18, 25], [0.75, 0.15, 60], [0.93, 0.1, 98]],
  "ice": [[0.3, 0.1, 268], [0.46, 0.12, 256], [0.63, 0.11, 238], [0.79, 0.08, 215], [0.94, 0.03, 190]],
  "grey": [[0.32, 0, 0], [0.95, 0, 0]],
  "two sides": [[0.42, 0.15, 258], [0.68, 0.11, 250], [0.95, 0.01, 100], [0.7, 0.13, 45], [0.44, 0.16, 28]],
};
export const MAP_NAMES = Object.keys(STATIONS);

// Of rods, from weak to strong: between grains, and at walls.
const ROD_STATIONS = [[[0.66, 0.07, 262], [0.48, 0.2, 264]], [[0.7, 0.08, 45], [0.58, 0.21, 28]]];

function toLab([lightness, chroma, hue]) {
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

function encodeLight(x) {
  const light = Math.min(1, Math.max(0, x));
  return light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055;
}

function labToBytes([l, a, b]) {
  const p = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const q = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const r = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * p - 3.3077115913 * q + 0.2309699292 * r,
    -1.2684380046 * p + 2.6097574011 * q - 0.3413193965 * r,
    -0.0041960863 * p - 0.7034186147 * q + 1.707614701 * r,
  ].map((light) => Math.round(255 * encodeLight(light)));
}

// A smooth path through the stations: a cubic between two of them that leaves each along the line
// from the one before to the one behind.
function alongPath(stations, place) {
  const k = Math.min(Math.floor(place), stations.length - 2);
  const s = place - k;
  const at = (n) => stations[Math.min(Math.max(n, 0), stations.length - 1)];
  return [0, 1, 2].map((c) => {
    const x = at(k)[c], y = at(k + 1)[c];
    const m = k > 0 ? (y - at(k - 1)[c]) / 2 : y - x;
    const n = k < stations.length - 2 ? (at(k + 2)[c] - x) / 2 : y - x;
    const d = y - x;
    return x + s * (m + s * (3 * d - 2 * m - n + s * (m + n - 2 * d)));
  });
}

function evenSteps(path) {
  const length = [0];
  for (let k = 1; k < path.length; k++) {
    length.push(length[k - 1] + Math.hypot(...path[k].map((x, c) => x - path[k - 1][c])));
  }
  const even = [];
  let k = 0;
  for (let step = 0; step < TABLE_SIZE; step++) {
    const wanted = (length.at(-1) * step) / (TABLE_SIZE - 1);
    while (k < path.length - 2 && length[k + 1] < wanted) k++;
    const s = (wanted - length[k]) / (length[k + 1] - length[k] || 1);
    even.push(path[k].map((x, c) => x + s * (path[k + 1][c] - x)));
  }
  return even;
}

function packTable(colours) {
  const table = new Uint8Array(4 * TABLE_SIZE);
  colours.forEach((colour, k) => table.set([...colour, 255], 4 * k));
  return table;
}

function tableAlong(given) {
  const stations = given.map(toLab);
  const fine = Array.from({ length: 1024 }, (_, k) => alongPath(stations, (k / 1023) * (stations.length - 1)));
  return packTable(evenSteps(fine).map(labToBytes));
}

// The colours of a map from its first to its last, red green blue alpha.
export const mapTable = (name) => tableAlong(STATIONS[name]);

// Those of rods: a table between grains, and one at walls.
export const rodTables = () => ROD_STATIONS.map(tableAlong);

// Colours for names: steps of the golden section keep neighbours apart, however many there are.
export function categoryTable() {
  return packTable(Array.from({ length: TABLE_SIZE }, (_, k) =>
    labToBytes(toLab([k % 2 ? 0.78 : 0.6, 0.14, (250 + 360 * k * GOLDEN) % 360]))));
}
