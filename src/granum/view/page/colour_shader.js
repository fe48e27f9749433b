// The colour of a grain, from its value: for the shaders of all that belongs to grains.

export const COLOUR = `
uniform vec2 valueGrid;              // low, span
uniform float unknownPlace;          // stored values from here on are not known
uniform vec2 limits;                 // values of the first and the last colour
uniform bool isCategory;
uniform sampler2D table;

bool isUnknown(float stored) {
  return stored > unknownPlace && unknownPlace < 1.5 || (floatBitsToUint(stored) & 0x7fffffffu) > 0x7f800000u;
}

vec3 colourOf(float stored) {
  float number = valueGrid.x + valueGrid.y * stored;
  float span = limits.y - limits.x;
  float place = isCategory ? (mod(number, 256.0) + 0.5) / 256.0
    : (0.5 + 255.0 * (span > 0.0 ? clamp((number - limits.x) / span, 0.0, 1.0) : 0.5)) / 256.0;
  bool grey = isUnknown(stored) || (isCategory && number < 0.0);
  return grey ? vec3(0.62) : textureLod(table, vec2(place, 0.5), 0.0).rgb;
}
`;
