// What a pixel shows of a convex body that the line of sight enters and leaves: its surface, or the
// face of a cut through it; for the shaders of all that belongs to grains.

import { LIGHT } from "./light.js";

export const SURFACE = `
uniform mat4 toClip;
uniform vec4 cut;      // plane in view: what is behind it is cut away
uniform bool isCut, isPicking, isGlass;
uniform vec3 glass;    // colour of its rims
flat in vec3 colour;
flat in int row;
flat in float isPicked;
out vec4 pixel;
${LIGHT}
void show(vec3 ray, float enter, float leave, vec3 normal) {
  vec3 hit = enter * ray;
  bool isFace = false;
  if (isCut && dot(cut.xyz, hit) + cut.w < 0.0) {
    if (dot(cut.xyz, leave * ray) + cut.w < 0.0) discard;
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
  float slant = 1.0 - abs(dot(normal, ray));  // glass is clear where one looks straight through it
  float cover = isGlass ? (isPicked > 0.5 ? 0.6 : 0.1 + 0.4 * slant * slant * slant) : 1.0;
  vec3 shown = isGlass ? mix(encodeLight(light), glass, slant) : encodeLight(light);
  pixel = vec4(shown * cover, cover);
}
`;
