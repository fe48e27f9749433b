// Swept shapes: tubes along edges, plates over faces, and what closed faces hold, which is seen where
// it is cut. Each is drawn as a block around it, on which every pixel finds where its line of sight
// enters and leaves. The balls at the vertices are drawn as grains are; tubes end inside them.

import { COLOUR } from "./colour_shader.js";
import { SURFACE } from "./surface_shader.js";

const HEAD = `#version 300 es
precision highp float;
layout(location = 0) in vec3 first;
layout(location = 1) in vec3 second;
layout(location = 2) in vec3 third;
layout(location = 3) in vec3 facts;  // radius, value, row
layout(location = 4) in vec3 apex;
uniform mat4 toView, toClip;
uniform float shrink;
uniform ivec2 picked;                // first and last row of the chosen grain
out vec3 place;
flat out vec3 colour;
flat out int row;
flat out float isPicked;
${COLOUR}
vec3 seen(vec3 point) {
  return (toView * vec4(point, 1.0)).xyz;
}

void tell() {
  colour = colourOf(facts.y);
  row = int(facts.z);
  isPicked = float(row >= picked.x && row <= picked.y);
  gl_Position = toClip * vec4(place, 1.0);
}
`;

export const TUBE_CORNERS = 14; // of a strip around a block

export const TUBE_VERTEX = `${HEAD}
flat out vec3 begin, axis;
flat out float size, reach;

void main() {
  begin = seen(first);
  vec3 way = seen(second) - begin;
  size = length(way);
  axis = size > 0.0 ? way / size : vec3(0, 0, 1);
  reach = shrink * facts.x;
  vec3 across = normalize(cross(axis, abs(axis.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  int bit = 1 << gl_VertexID;
  vec3 corner = vec3((0x287a & bit) != 0, (0x02af & bit) != 0, (0x31e3 & bit) != 0);
  vec2 aside = reach * (2.0 * corner.xy - 1.0);
  place = begin + corner.z * way + aside.x * across + aside.y * cross(axis, across);
  tell();
}`;

export const TUBE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place;
flat in vec3 begin, axis;
flat in float size, reach;
${SURFACE}
void main() {
  vec3 ray = normalize(place);
  float slope = dot(ray, axis), before = -dot(begin, axis);
  vec3 over = ray - slope * axis, from = -begin - before * axis;
  float square = dot(over, over);
  if (square < 1e-12) discard;
  float middle = -dot(from, over) / square;
  vec3 beside = from + middle * over;
  float inside = reach * reach - dot(beside, beside);
  if (inside <= 0.0) discard;
  float half_chord = sqrt(inside / square);
  float enter = middle - half_chord, leave = middle + half_chord;
  if (abs(slope) > 1e-6) {
    float one = -before / slope, other = (size - before) / slope;
    enter = max(enter, min(one, other));
    leave = min(leave, max(one, other));
  } else if (before < 0.0 || before > size) discard;
  if (enter > leave || leave < 0.0) discard;
  show(ray, enter, leave, (from + enter * over) / reach);
}`;

export const PLATE_CORNERS = 24;

export const PLATE_VERTEX = `${HEAD}
flat out vec3 a, b, c, up;
flat out float reach;

void main() {
  const int CORNER[24] = int[24](0, 1, 2, 0, 2, 1, 0, 0, 1, 1, 0, 1, 1, 1, 2, 2, 1, 2, 2, 2, 0, 0, 2, 0);
  const int ABOVE[24] = int[24](1, 1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0);
  a = seen(first);
  b = seen(second);
  c = seen(third);
  vec3 area = cross(b - a, c - a);
  up = dot(area, area) > 0.0 ? normalize(area) : vec3(0.0);
  reach = shrink * facts.x;
  int corner = CORNER[gl_VertexID];
  place = (corner == 0 ? a : corner == 1 ? b : c) + float(2 * ABOVE[gl_VertexID] - 1) * reach * up;
  tell();
}`;

// Between planes: a line of sight is inside of all of them from where it enters the last one to where
// it leaves the first one.
const BETWEEN = `
float enter = -1e30, leave = 1e30;

void keepBelow(vec3 ray, vec3 normal, float height) {  // dot(normal, x) <= height
  float rise = dot(normal, ray);
  if (abs(rise) < 1e-9) {
    if (height < 0.0) leave = -1e30;
    return;
  }
  if (rise > 0.0) leave = min(leave, height / rise);
  else enter = max(enter, height / rise);
}
`;

export const PLATE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place;
flat in vec3 a, b, c, up;
flat in float reach;
${SURFACE}${BETWEEN}
void keepBeside(vec3 ray, vec3 from, vec3 to) {
  vec3 aside = normalize(cross(to - from, up));
  keepBelow(ray, aside, dot(aside, from) + 1e-3 * reach);  // two plates side by side leave no gap
}

void main() {
  if (up == vec3(0.0)) discard;
  vec3 ray = normalize(place);
  float height = dot(up, a);
  keepBelow(ray, up, height + reach);
  keepBelow(ray, -up, reach - height);
  keepBeside(ray, a, b);
  keepBeside(ray, b, c);
  keepBeside(ray, c, a);
  if (enter > leave || leave < 0.0) discard;
  show(ray, enter, leave, dot(up, ray) < 0.0 ? up : -up);  // its sides are inside tubes
}`;

// What closed faces hold: a tetrahedron for each, from the middle of the grain.
export const INSIDE_CORNERS = 12;

export const INSIDE_VERTEX = `${HEAD}
flat out vec3 a, b, c, d;

void main() {
  const int CORNER[12] = int[12](0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0);
  a = seen(first);
  b = seen(second);
  c = seen(third);
  d = seen(apex);
  int corner = CORNER[gl_VertexID];
  place = corner == 0 ? a : corner == 1 ? b : corner == 2 ? c : d;
  tell();
}`;

export const INSIDE_FRAGMENT = `#version 300 es
precision highp float;
in vec3 place;
flat in vec3 a, b, c, d;
${SURFACE}${BETWEEN}
void keepFrom(vec3 ray, vec3 p, vec3 q, vec3 r, vec3 inner) {  // on the side of p, q, r where inner is
  vec3 normal = cross(q - p, r - p);
  if (dot(normal, inner - p) > 0.0) normal = -normal;
  normal = normalize(normal);
  keepBelow(ray, normal, dot(normal, p) + 1e-4 * length(q - p));
}

void main() {
  vec3 ray = normalize(place);
  keepFrom(ray, a, b, c, d);
  keepFrom(ray, a, b, d, c);
  keepFrom(ray, b, c, d, a);
  keepFrom(ray, c, a, d, b);
  if (enter > leave || leave < 0.0) discard;
  show(ray, enter, leave, -ray);  // only where it is cut
}`;
