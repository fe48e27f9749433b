// Grains: a square for each, turned towards the eye, on which every pixel finds its own place on the
// sphere. So spheres are round at any distance, and cost four corners each.

import { COLOUR } from "./colour_shader.js";
import { SURFACE } from "./surface_shader.js";

export const GRAIN_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 position;
layout(location = 2) in float radius;
layout(location = 3) in float value;
uniform mat4 toView, toClip;
uniform vec3 positionLow, positionSpan;
uniform vec2 radiusGrid;             // low, span
uniform float shrink;
uniform ivec2 picked;                // first and last row of the chosen grain
out vec3 onSquare;
flat out vec3 centre;
flat out float reach;
flat out vec3 colour;
flat out int row;
flat out float isPicked;
${COLOUR}
void main() {
  centre = (toView * vec4(positionLow + positionSpan * position, 1.0)).xyz;
  reach = shrink * (radiusGrid.x + radiusGrid.y * radius);
  row = gl_InstanceID;
  isPicked = float(row >= picked.x && row <= picked.y);
  colour = colourOf(value);
  float far = length(centre);
  vec3 ahead = centre / far;
  vec3 across = normalize(cross(ahead, abs(ahead.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
  vec3 along = cross(across, ahead);
  // the cone around the sphere is this wide where it passes its centre
  float width = far > 1.01 * reach ? reach * far / sqrt((far - reach) * (far + reach)) : 0.0;
  onSquare = centre + width * (corner.x * across + corner.y * along);
  gl_Position = toClip * vec4(onSquare, 1.0);
}`;

export const GRAIN_FRAGMENT = `#version 300 es
precision highp float;
in vec3 onSquare;
flat in vec3 centre;
flat in float reach;
${SURFACE}
void main() {
  vec3 ray = normalize(onSquare);
  float middle = dot(ray, centre);
  vec3 beside = centre - middle * ray;
  float inside = reach * reach - dot(beside, beside);
  if (inside <= 0.0) discard;
  float half_chord = sqrt(inside);
  float enter = middle - half_chord;
  show(ray, enter, middle + half_chord, (enter * ray - centre) / reach);
}`;
