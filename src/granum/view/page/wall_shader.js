// Walls: like thin glass, clearer where one looks straight through it.

export const WALL_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 position;
uniform mat4 pose, toView, toClip;
out vec3 place;

void main() {
  place = (toView * pose * vec4(position, 1.0)).xyz;
  gl_Position = toClip * vec4(place, 1.0);
}`;

export const WALL_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 tint;
uniform bool isLine;
uniform float lineCover;
in vec3 place;
out vec4 pixel;

void main() {
  vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
  float slant = 1.0 - abs(dot(normal, normalize(place)));
  float cover = isLine ? lineCover : 0.05 + 0.13 * slant * slant;
  pixel = vec4(tint * cover, cover);
}`;
