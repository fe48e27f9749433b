// Grains: a square for each, turned towards the eye, on which every pixel finds its own place on the
// sphere. So spheres are round at any distance, and cost four corners each.

import { LIGHT } from "./light.js";

export const GRAIN_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 position;
layout(location = 2) in float radius;
layout(location = 3) in float value;
uniform mat4 toView, toClip;
uniform vec3 positionLow, positionSpan;
uniform vec2 radiusGrid, valueGrid;  // low, span
uniform float unknownPlace;          // stored values from here on are not known
uniform vec2 limits;                 // values of the first and the last colour
uniform bool isCategory;
uniform float shrink;
uniform int picked;
uniform sampler2D table;
out vec3 onSquare;
flat out vec3 centre;
flat out float reach;
flat out vec3 colour;
flat out int row;
flat out float isPicked;

bool isUnknown(float stored) {
  return stored > unknownPlace && unknownPlace < 1.5 || (floatBitsToUint(stored) & 0x7fffffffu) > 0x7f800000u;
}

void main() {
  centre = (toView * vec4(positionLow + positionSpan * position, 1.0)).xyz;
  reach = shrink * (radiusGrid.x + radiusGrid.y * radius);
  row = gl_InstanceID;
  isPicked = float(row == picked);
  float number = valueGrid.x + valueGrid.y * value;
  float span = limits.y - limits.x;
  float place = isCategory ? (mod(number, 256.0) + 0.5) / 256.0
    : (0.5 + 255.0 * (span > 0.0 ? clamp((number - limits.x) / span, 0.0, 1.0) : 0.5)) / 256.0;
  bool grey = isUnknown(value) || (isCategory && number < 0.0);
  colour = grey ? vec3(0.62) : textureLod(table, vec2(place, 0.5), 0.0).rgb;
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
uniform mat4 toClip;
uniform vec4 cut;      // plane in view: what is behind it is cut away
uniform bool isCut, isPicking;
in vec3 onSquare;
flat in vec3 centre;
flat in float reach;
flat in vec3 colour;
flat in int row;
flat in float isPicked;
out vec4 pixel;
${LIGHT}
void main() {
  vec3 ray = normalize(onSquare);
  float middle = dot(ray, centre);
  vec3 beside = centre - middle * ray;
  float inside = reach * reach - dot(beside, beside);
  if (inside <= 0.0) discard;
  float half_chord = sqrt(inside);
  vec3 hit = (middle - half_chord) * ray;
  vec3 normal = (hit - centre) / reach;
  bool isFace = false;
  if (isCut && dot(cut.xyz, hit) + cut.w < 0.0) {
    vec3 back = (middle + half_chord) * ray;
    if (dot(cut.xyz, back) + cut.w < 0.0) discard;
    hit = -cut.w / dot(cut.xyz, ray) * ray;
    normal = -cut.xyz;
    isFace = true;
  }
  vec4 place = toClip * vec4(hit, 1.0);
  gl_FragDepth = 0.5 + 0.5 * place.z / place.w;
  if (isPicking) {
    int number = row + 1;
    pixel = vec4(ivec4(number, number >> 8, number >> 16, number >> 24) & 255) / 255.0;
    return;
  }
  vec3 light = lit(decodeLight(colour) * (isFace ? 0.8 : 1.0), normal, -ray, isFace ? 0.0 : 0.16);
  if (isPicked > 0.5) light = lit(vec3(1.0, 0.04, 0.25), normal, -ray, 0.3) + 0.15;
  pixel = vec4(encodeLight(light), 1.0);
}`;
