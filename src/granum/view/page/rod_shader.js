// Contacts: a prism for each, its cross-section in proportion to its strength; of one colour between
// grains and of another at walls.

import { LIGHT } from "./light.js";

export const ROD_SIDES = 8;

export const ROD_VERTEX = `#version 300 es
precision highp float;
layout(location = 1) in vec3 begin;
layout(location = 2) in vec3 end;
layout(location = 3) in float strength;
layout(location = 4) in float atWall;
uniform mat4 toView, toClip;
uniform float strongest, thickness;
uniform sampler2D table;
out vec3 place;
out vec3 normal;
flat out vec3 colour;

void main() {
  vec3 from = (toView * vec4(begin, 1.0)).xyz;
  vec3 to = (toView * vec4(end, 1.0)).xyz;
  vec3 way = to - from;
  float length2 = dot(way, way);
  vec3 axis = length2 > 0.0 ? way * inversesqrt(length2) : vec3(0, 0, 1);
  vec3 across = normalize(cross(axis, abs(axis.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
  float share = strongest > 0.0 ? clamp(strength / strongest, 0.0, 1.0) : 0.0;
  float angle = float(gl_VertexID / 2) * ${((2 * Math.PI) / ROD_SIDES).toFixed(9)};
  normal = cos(angle) * across + sin(angle) * cross(axis, across);
  place = (gl_VertexID % 2 == 0 ? from : to) + thickness * (0.12 + 0.88 * sqrt(share)) * normal;
  colour = textureLod(table, vec2((0.5 + 255.0 * share) / 256.0, atWall > 0.5 ? 0.75 : 0.25), 0.0).rgb;
  gl_Position = toClip * vec4(place, 1.0);
}`;

export const ROD_FRAGMENT = `#version 300 es
precision highp float;
uniform vec4 cut;
uniform bool isCut;
in vec3 place;
in vec3 normal;
flat in vec3 colour;
out vec4 pixel;
${LIGHT}
void main() {
  if (isCut && dot(cut.xyz, place) + cut.w < 0.0) discard;
  pixel = vec4(encodeLight(lit(decodeLight(colour), normalize(normal), normalize(-place), 0.1)), 1.0);
}`;
