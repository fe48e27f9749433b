// Mouse, pen and fingers on the canvas: turn, move, zoom, choose.

const CLICK = 5; // pixels that a click may move
const TURN = 2.6; // radians for the height of the canvas

export function followPointer(canvas, { orbit, pan, zoom, pick }) {
  const down = new Map();
  let moved = 0;

  const spread = () => {
    const [a, b] = [...down.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (down.size === 0) moved = 0;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });

  canvas.addEventListener("pointermove", (event) => {
    const last = down.get(event.pointerId);
    if (!last) return;
    const before = down.size === 2 ? spread() : last;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    moved += Math.abs(dx) + Math.abs(dy);
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const size = canvas.clientHeight;
    if (down.size === 2) {
      const after = spread();
      pan((after.x - before.x) / size, (after.y - before.y) / size);
      zoom(before.apart / Math.max(after.apart, 1));
    } else if (event.shiftKey || event.buttons & 6) {
      pan(dx / size, dy / size);
    } else {
      orbit((TURN * dx) / size, (TURN * dy) / size);
    }
  });

  const end = (event) => {
    if (!down.delete(event.pointerId)) return;
    if (event.type === "pointerup" && moved < CLICK && down.size === 0 && event.button === 0) {
      const box = canvas.getBoundingClientRect();
      pick((event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height);
    }
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(0.0012 * event.deltaY));
  }, { passive: false });
}
