// How surfaces are lit, for all shaders; everything is seen from the viewer, in linear light.

export const LIGHT = `
uniform vec3 sky;  // upwards in space

vec3 decodeLight(vec3 c) {
  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}

vec3 encodeLight(vec3 c) {
  return mix(12.92 * c, 1.055 * pow(max(c, 0.0), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

vec3 lit(vec3 colour, vec3 normal, vec3 towardsEye, float gloss) {
  vec3 key = normalize(vec3(-0.45, 0.65, 0.72));
  vec3 fill = normalize(vec3(0.8, 0.1, 0.5));
  float around = 0.42 + 0.18 * dot(normal, sky);
  float direct = 0.76 * max(dot(normal, key), 0.0) + 0.16 * max(dot(normal, fill), 0.0);
  float shine = pow(max(dot(normal, normalize(key + towardsEye)), 0.0), 48.0);
  return colour * (around + direct) + gloss * shine;
}
`;
