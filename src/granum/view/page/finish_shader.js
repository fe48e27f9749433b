// The last touch: grains darken each other where they lie close, and get a background.
//
// Of a small ball around each point that is seen, the share is found that lies behind what is seen
// around it (volumetric obscurance, B. Loos and P.-P. Sloan, I3D 2010): half of it on a plane, more in
// a gap. That needs the depth of the picture only.

export const FINISH_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec2 corner;
out vec2 place;

void main() {
  place = 0.5 + 0.5 * corner;
  gl_Position = vec4(corner, 0.0, 1.0);
}`;

export const FINISH_FRAGMENT = `#version 300 es
precision highp float;
const int SAMPLES = 14;
uniform sampler2D colours, depths;
uniform vec2 depthTerms;  // of the matrix to clip space
uniform float opening, aspect, ball;
uniform vec3 above, below;
in vec2 place;
out vec4 pixel;

float viewDepth(float depth) {
  return -depthTerms.y / (2.0 * depth - 1.0 + depthTerms.x);
}

void main() {
  float depth = textureLod(depths, place, 0.0).r;
  gl_FragDepth = depth;
  if (depth == 1.0) {
    pixel = vec4(mix(below, above, smoothstep(0.0, 1.0, place.y)), 1.0);
    return;
  }
  float z = viewDepth(depth);
  vec2 size = vec2(1.0 / aspect, 1.0) * ball / (2.0 * opening * -z);
  float turn = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float hidden = 0.0;
  for (int k = 0; k < SAMPLES; k++) {
    float out2 = (float(k) + 0.5) / float(SAMPLES);
    float angle = turn + 2.3999632 * float(k);
    vec2 there = place + size * sqrt(out2) * vec2(cos(angle), sin(angle));
    float half_chord = sqrt(1.0 - out2);
    float before = (viewDepth(textureLod(depths, there, 0.0).r) - z) / ball;
    float share = clamp(0.5 + 0.5 * before / half_chord, 0.0, 1.0);
    hidden += mix(share, 0.5, smoothstep(2.0, 4.0, before));
  }
  float open = clamp(2.0 - 2.0 * hidden / float(SAMPLES), 0.0, 1.0);
  vec4 colour = textureLod(colours, place, 0.0);
  pixel = vec4(colour.rgb * mix(0.3, 1.0, open), 1.0);
}`;
