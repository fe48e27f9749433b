// The page of a run: brings its parts together.

import { Cache } from "./cache.js";
import { Camera } from "./camera.js";
import { showCard } from "./card.js";
import { MAP_NAMES, categoryTable, mapTable, rodTables } from "./colours.js";
import { formatTime } from "./format.js";
import { followKeys, listKeys } from "./keys.js";
import { showLegend, showRodLegend } from "./legend.js";
import { showError, showMessage } from "./messages.js";
import { Pace } from "./pace.js";
import { Player } from "./player.js";
import { Plots } from "./plots.js";
import { followPointer } from "./pointer.js";
import { Renderer } from "./renderer.js";
import { findRun } from "./source.js";
import { halfEdge, rowsOf } from "./swept.js";
import { Theme } from "./theme.js";

const CACHE_SIZE = 400e6; // bytes
const AHEAD = 4; // frames asked for in advance
const POLL = 2000; // milliseconds between two looks for new frames
const REST = 180; // milliseconds without a change, after which the picture is drawn finely
const FINEST = 2; // pixels of a picture for one of the page, along each side
const GLASS = "glass", SOLID = "1"; // choices of how grains look
const NOBODY = [-1, -1]; // rows of the chosen grain, if there is none

const find = (id) => document.getElementById(id);
const source = findRun();
const cache = new Cache(CACHE_SIZE);
const camera = new Camera();
const pace = new Pace();
const look = {
  camera, scale: 1, shrink: 1, isGlass: false, limits: [0, 1], isCategory: false, picked: NOBODY, cut: null, showWalls: true,
  thickness: 0, ball: 1, theme: null,
};
let run, renderer, player, plots, theme;
let shown = null; // the frame that is drawn
let pickedId = null;
let wanted = null, resting = 0;
let legendKey = "";
let cutSide = 1;
const limitsKnown = new Map();
const rodColours = rodTables();

// ---- drawing -------------------------------------------------------------------------------------

function draw() {
  if (!renderer || wanted !== null) return;
  wanted = requestAnimationFrame((now) => {
    wanted = null;
    drawNow(devicePixelRatio * pace.share);
    clearTimeout(resting);
    if (renderer.isSoftware) return;
    requestAnimationFrame((later) => pace.tick(later - now));
    resting = setTimeout(drawFinely, REST);
  });
}

function drawFinely() {
  if (!player.isPlaying) drawNow(Math.max(FINEST, devicePixelRatio));
}

function drawNow(scale) {
  look.scale = scale;
  look.theme = theme.colours;
  look.isGlass = find("grains").value === GLASS;
  look.shrink = look.isGlass ? 1 : Number(find("grains").value);
  look.showWalls = find("walls").checked;
  look.cut = cutPlane();
  renderer.draw(look);
}

function cutPlane() {
  if (find("cut-axis").value === "") return null;
  const axis = Number(find("cut-axis").value);
  const place = run.low[axis] + Number(find("cut-place").value) * (run.high[axis] - run.low[axis]);
  const side = find("cut-flip").checked ? -cutSide : cutSide;
  const plane = [0, 0, 0, side * place];
  plane[axis] = -side;
  return plane;
}

// What is inside grains can be seen through them only; grains are solid again when it is gone.
function lookInside() {
  const isInside = find("network").checked || find("edges").checked;
  const grains = find("grains");
  if (grains.value === (isInside ? SOLID : GLASS)) grains.value = isInside ? GLASS : SOLID;
}

// A new cut takes away what is closer to the viewer.
function chooseCut() {
  const axis = Number(find("cut-axis").value);
  cutSide = camera.axes().back[axis] >= 0 ? 1 : -1;
  draw();
}

function fit() {
  const { clientWidth, clientHeight } = renderer.canvas;
  const head = Math.min(find("heading").offsetHeight / clientHeight, 0.25);
  camera.fit(run.low, run.high, clientWidth / clientHeight, head);
  draw();
}

function setPreset(name) {
  camera.preset(name);
  fit();
}

// ---- frames --------------------------------------------------------------------------------------

const quantityNumber = () => Number(find("quantity").value);
const frameOf = (number) => cache.get(`frame ${number}`, () => source.frame(number));
const valuesOf = (number, quantity) => cache.get(`values ${number} ${quantity}`, () => source.values(number, quantity));
const rodsOf = (number) => cache.get(`rods ${number}`, () => source.network(number));
const edgesOf = (number) => cache.get(`edges ${number}`, () => source.triangulation(number));
const ifChecked = (id, ask, number) => (find(id).checked ? ask(number) : null);

async function show(number) {
  try {
    const quantity = quantityNumber();
    const [frame, values, rods, edges] = await Promise.all([
      frameOf(number), valuesOf(number, quantity), ifChecked("network", rodsOf, number), ifChecked("edges", edgesOf, number)]);
    shown = { number, frame, values };
    renderer.setFrame(frame, values.arrays.get("value"));
    renderer.setRods(rods);
    if (rods?.facts.note) showMessage(rods.facts.note);
    renderer.setEdges(edges);
    showRodLegend(find("rod-legend"), rods, rodColours);
    await setLimits();
    followPicked();
    tellTime();
    plots?.setTime(frame.facts.time);
    draw();
    Object.assign(document.body.dataset, { frame: number, edges: edges?.arrays.get("edges").rows ?? 0 });
  } catch (error) {
    showError(error);
    if (player.isPlaying) player.toggle();
  }
  for (let k = number + 1; k <= number + AHEAD && k < player.count; k++) {
    frameOf(k).catch(() => {}); // told when the frame is to be shown
    valuesOf(k, quantityNumber()).catch(() => {});
  }
}

function tellTime() {
  const last = run.times.at(-1);
  find("clock").textContent = `${formatTime(run.times[shown.number], last)} of ${formatTime(last, last)}`;
  player.slider.setAttribute("aria-valuetext", `frame ${shown.number + 1} of ${run.times.length}, ${formatTime(run.times[shown.number], last)}`);
  const { grains } = shown.frame.facts;
  const thinned = run.all_frames > run.times.length ? ` of ${run.all_frames}` : "";
  const state = source.isServed && run.state !== "finished" ? ` · ${run.state}` : "";
  find("subtitle").textContent = `${grains.toLocaleString("en")} grains · ${run.times.length}${thinned} frames${state}`;
}

// ---- colours -------------------------------------------------------------------------------------

// Limits over the whole run are asked for once, and again when it has more frames.
function limitsOf(quantity) {
  const key = `${quantity} ${run.times.length}`;
  if (!limitsKnown.has(key)) limitsKnown.set(key, source.limits(quantity));
  return limitsKnown.get(key);
}

async function setLimits() {
  const quantity = quantityNumber();
  const range = find("range").value;
  if (range === "run") look.limits = await limitsOf(quantity);
  else if (range === "frame" && shown) look.limits = shown.values.facts.limits;
  else if (range === "fixed") look.limits = [Number(find("low").value), Number(find("high").value)];
  if (range !== "fixed") look.limits.forEach((value, k) => { find(k ? "high" : "low").value = String(Number(value.toPrecision(4))); });
  look.isCategory = run.quantities[quantity].kind === "category";
  for (const id of ["map", "range", "low", "high"]) find(id).disabled = look.isCategory; // names have no scale
  const key = [quantity, find("map").value, ...look.limits].join(" ");
  if (key === legendKey) return;
  legendKey = key;
  const table = look.isCategory ? categoryTable() : mapTable(find("map").value);
  renderer.setTable(table);
  showLegend(find("legend"), run.quantities[quantity], look.limits, table);
}

function nextQuantity() {
  const select = find("quantity");
  select.selectedIndex = (select.selectedIndex + 1) % select.length;
  select.dispatchEvent(new Event("change"));
}

// ---- one grain -----------------------------------------------------------------------------------

async function pick(x, y) {
  const row = renderer.pick(x, y, look);
  if (row < 0) {
    unpick();
    return;
  }
  pickedId = shown.frame.arrays.get("id").data[row];
  followPicked();
  draw();
}

function unpick() {
  pickedId = null;
  look.picked = NOBODY;
  renderer.setCell(null);
  find("card").hidden = true;
  draw();
}

// Finds the chosen grain in the frame that is shown.
function followPicked() {
  if (pickedId === null) return;
  const ids = shown.frame.arrays.get("id").data;
  const row = ids.indexOf(pickedId);
  const { number } = shown;
  look.picked = row < 0 ? NOBODY : rowsOf(ids, row);
  renderer.setCell(null);
  if (row < 0) return;
  if (find("cell").checked) showCell(number, row);
  const species = run.quantities.find(({ label }) => label === "species")?.labels ?? [];
  source.grain(number, row).then((fields) => {
    if (shown.number === number && pickedId !== null) showCard(find("card"), pickedId, fields, species, unpick);
  }, showError);
}

function showCell(number, row) {
  source.cell(number, row).then((cell) => {
    if (shown.number !== number || look.picked[0] !== row || !find("cell").checked) return;
    renderer.setCell(cell);
    document.body.dataset.cell = `${number} ${cell.neighbours.join(" ")}`;
    draw();
  }, showError);
}

// ---- following a run that goes on ----------------------------------------------------------------

async function poll() {
  const before = run.times.length;
  const wasAtEnd = player.isAtEnd;
  try {
    const news = await source.run();
    if (news.times.length < before) cache.clear();
    if (news.times.length !== before || news.state !== run.state) await takeNews(news, before, wasAtEnd);
  } catch {
    showMessage("the server does not answer any more");
    return;
  }
  if (run.state !== "finished") setTimeout(poll, POLL);
  find("follow-row").hidden = run.state === "finished";
}

async function takeNews(news, before, wasAtEnd) {
  run = news;
  player.setCount(run.times.length);
  if (before === 0 && run.times.length) await begin();
  else if (run.times.length) await player.go(find("follow").checked && wasAtEnd && !player.isPlaying ? run.times.length - 1 : player.number);
  plots.setSeries(await source.series());
}

// ---- the start -----------------------------------------------------------------------------------

function screenshot() {
  drawNow(FINEST * devicePixelRatio);
  renderer.canvas.toBlob((picture) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(picture);
    link.download = `granum-frame-${shown ? shown.number : 0}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}

// By a key; an exported page is without some of the choices.
function toggle(id) {
  if (find(id).closest("[hidden]")) showMessage("an exported page does not hold this: 'granum view' shows it");
  else find(id).click();
}

const cycle = (id) => {
  find(id).selectedIndex = (find(id).selectedIndex + 1) % find(id).length;
  find(id).dispatchEvent(new Event("change"));
};
const redraw = (change) => () => { change(); draw(); };

const ACTIONS = [
  [[" "], "play or pause", () => player.toggle()],
  [["ArrowLeft", "ArrowRight"], "one frame back or on", null],
  [["ArrowLeft"], "", () => player.go(player.number - 1)],
  [["ArrowRight"], "", () => player.go(player.number + 1)],
  [["Home", "End"], "first or last frame", null],
  [["Home"], "", () => player.go(0)],
  [["End"], "", () => player.go(player.count - 1)],
  [["[", "]"], "slower or faster", null],
  [["["], "", () => player.faster(-1)],
  [["]"], "", () => player.faster(1)],
  [["1", "2", "3", "4"], "see from the front, the side, the top, a corner", null],
  [["1"], "", () => setPreset("front")],
  [["2"], "", () => setPreset("side")],
  [["3"], "", () => setPreset("top")],
  [["4"], "", () => setPreset("isometric")],
  [["Shift ArrowLeft", "Shift ArrowRight", "Shift ArrowUp", "Shift ArrowDown"], "turn the camera", null],
  [["Shift ArrowLeft"], "", redraw(() => camera.orbit(0.08, 0))],
  [["Shift ArrowRight"], "", redraw(() => camera.orbit(-0.08, 0))],
  [["Shift ArrowUp"], "", redraw(() => camera.orbit(0, 0.08))],
  [["Shift ArrowDown"], "", redraw(() => camera.orbit(0, -0.08))],
  [["+", "-"], "closer or further", null],
  [["+"], "", redraw(() => camera.zoom(0.85))],
  [["-"], "", redraw(() => camera.zoom(1 / 0.85))],
  [["0"], "the whole scene", () => fit()],
  [["c"], "colour by the next quantity", nextQuantity],
  [["m"], "next colour map", () => cycle("map")],
  [["g"], "grains as they are, translucent, small, hidden", () => cycle("grains")],
  [["w"], "walls", () => toggle("walls")],
  [["n"], "contacts as rods", () => toggle("network")],
  [["t"], "triangulation", () => toggle("edges")],
  [["v"], "power cell of the chosen grain", () => toggle("cell")],
  [["x"], "cut across x, y, z, or none", () => cycle("cut-axis")],
  [["p"], "screenshot", screenshot],
  [["d"], "light or dark", () => theme.toggle()],
  [["b"], "panel", () => toggle("fold")],
  [["Escape"], "let go of the chosen grain", unpick],
  [["?"], "this list", () => find("keys").showModal()],
];

function bind() {
  const on = (id, act, kind = "change") => find(id).addEventListener(kind, act);
  const again = () => player.go(player.number);
  for (const id of ["quantity", "map", "range"]) on(id, again);
  for (const id of ["network", "edges"]) on(id, () => { lookInside(); again(); });
  for (const id of ["low", "high"]) on(id, () => { find("range").value = "fixed"; again(); });
  for (const id of ["walls", "grains", "cut-flip"]) on(id, draw);
  on("cell", () => { followPicked(); draw(); });
  on("cut-axis", chooseCut);
  on("cut-place", draw, "input");
  on("screenshot", screenshot, "click");
  on("help", () => find("keys").showModal(), "click");
  on("fold", () => {
    const folded = document.body.classList.toggle("folded");
    find("fold").setAttribute("aria-expanded", String(!folded));
    draw();
  }, "click");
  for (const button of document.querySelectorAll("[data-preset]")) {
    button.addEventListener("click", () => setPreset(button.dataset.preset));
  }
  followPointer(find("scene"), {
    orbit: (dx, dy) => { camera.orbit(dx, dy); draw(); },
    pan: (dx, dy) => { camera.pan(dx, dy); draw(); },
    zoom: (factor) => { camera.zoom(factor); draw(); },
    pick,
  });
  followKeys(ACTIONS.filter(([, , act]) => act));
  listKeys(find("key-list"), ACTIONS.filter(([, meaning]) => meaning));
  new ResizeObserver(draw).observe(find("stage"));
}

// Once there are frames: what can be seen, and the first of them.
async function begin() {
  run.quantities.forEach((quantity, k) => find("quantity").add(new Option(quantity.label, String(k))));
  const favourite = run.quantities.findIndex((quantity) => quantity.label === "cluster");
  find("quantity").value = String(Math.max(favourite, 0));
  if (run.dimension === 2) camera.preset("top");
  fit();
  await player.go(0);
  sizeRods();
  await source.walls().then((walls) => { renderer.setWalls(walls); draw(); }).catch(showError);
}

// Rods and the light between grains are sized after a middling grain.
function sizeRods() {
  const radius = shown?.frame.arrays.get("radius");
  if (!radius?.rows) return;
  const ball = radius.low ? (radius.low[0] + radius.high[0]) / 2 : radius.data[radius.rows >> 1];
  const typical = ball + halfEdge(shown.frame);
  look.thickness = 0.33 * typical;
  look.ball = 1.6 * typical;
  draw();
}

async function start() {
  theme = new Theme(find("theme"), () => { draw(); plots?.draw(); });
  for (const name of MAP_NAMES) find("map").add(new Option(name, name));
  player = new Player({ slider: find("time"), button: find("play"), speed: find("speed") }, show);
  run = await source.run();
  find("title").textContent = run.title;
  document.title = `${run.title} – granum`;
  run.notes.forEach((note) => showMessage(note, !run.times.length));
  for (const id of ["edges-row", "cell-row"]) find(id).hidden = !source.isServed;
  find("network-row").hidden = !source.isServed && !run.contacts;
  find("cut").hidden = run.dimension === 2;
  renderer = new Renderer(find("scene"));
  renderer.setRodTables(rodColours);
  look.theme = theme.colours;
  plots = new Plots(find("plots"), (time) => player.go(nearestFrame(time)));
  bind();
  player.setCount(run.times.length);
  if (run.times.length && run.quantities.length) await begin();
  source.series().then((series) => plots.setSeries(series)).catch(showError);
  document.body.dataset.ready = "yes";
  if (source.isServed && run.state !== "finished") {
    find("follow-row").hidden = false;
    setTimeout(poll, POLL);
  }
}

function nearestFrame(time) {
  let best = 0;
  run.times.forEach((t, k) => { if (Math.abs(t - time) < Math.abs(run.times[best] - time)) best = k; });
  return best;
}

start().catch(showError);
