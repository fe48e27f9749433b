// A camera that looks at a point from some way off, and is turned about it.

import { addScaled, cross, dot, subtract } from "./matrix.js";

const DEGREE = Math.PI / 180;
const STEEPEST = 89.5 * DEGREE;
const OPENING = Math.tan(15 * DEGREE); // half the height of the picture at distance 1
const MARGIN = 1.1;

// Azimuth and elevation of the viewer [degree].
const PRESETS = { front: [-90, 0], side: [0, 0], top: [-90, 90], isometric: [-55, 24] };

export class Camera {
  target = [0, 0, 0];
  distance = 1;
  azimuth = PRESETS.isometric[0] * DEGREE;
  elevation = PRESETS.isometric[1] * DEGREE;
  size = 1; // of the scene
  head = 0; // share of the height that is kept free above the scene

  preset(name) {
    [this.azimuth, this.elevation] = PRESETS[name].map((angle) => angle * DEGREE);
  }

  // The unit vectors right, up and towards the viewer.
  axes() {
    const ca = Math.cos(this.azimuth), sa = Math.sin(this.azimuth);
    const ce = Math.cos(this.elevation), se = Math.sin(this.elevation);
    const back = [ce * ca, ce * sa, se];
    const right = [-sa, ca, 0];
    return { right, up: cross(back, right), back };
  }

  // Moves away until the box is in the picture, below what is kept free.
  fit(low, high, aspect, head) {
    this.head = head;
    this.target = low.map((x, k) => (x + high[k]) / 2);
    this.size = Math.max(Math.hypot(...subtract(high, low)), 1e-9);
    const { right, up, back } = this.axes();
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const point = subtract([0, 1, 2].map((k) => (corner & (1 << k) ? high[k] : low[k])), this.target);
      const across = Math.abs(dot(point, right)) / (OPENING * aspect);
      const along = Math.abs(dot(point, up)) / (OPENING * (1 - head));
      distance = Math.max(distance, MARGIN * Math.max(across, along) + dot(point, back));
    }
    this.distance = distance;
  }

  orbit(right, up) {
    this.azimuth -= right;
    this.elevation = Math.min(STEEPEST, Math.max(-STEEPEST, this.elevation + up));
  }

  // By shares of the height of the picture.
  pan(across, along) {
    const { right, up } = this.axes();
    const height = 2 * OPENING * this.distance;
    this.target = addScaled(addScaled(this.target, right, -across * height), up, along * height);
  }

  zoom(factor) {
    this.distance = Math.min(50 * this.size, Math.max(1e-3 * this.size, this.distance * factor));
  }

  matrices(aspect) {
    const { right, up, back } = this.axes();
    const eye = addScaled(this.target, back, this.distance);
    const toView = new Float32Array([
      right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
      -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
    const near = Math.max(this.distance - 2 * this.size, 0.01 * this.distance);
    const far = this.distance + 3 * this.size;
    const toClip = new Float32Array([
      1 / (OPENING * aspect), 0, 0, 0, 0, 1 / OPENING, 0, 0,
      0, this.head, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
    return { toView, toClip, opening: OPENING, sky: [right[2], up[2], back[2]] };
  }
}
