// What drawing with WebGL 2 needs again and again.

// Compiles a program; its uniforms are found by name.
export function makeProgram(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  const uniforms = {};
  for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
    const { name } = gl.getActiveUniform(program, k);
    uniforms[name] = gl.getUniformLocation(program, name);
  }
  return { program, uniforms };
}

// Puts numbers of a block into a buffer and lets an attribute read one row for each instance.
export function feedInstances(gl, location, buffer, array, first = 0, width = array.width) {
  const type = { f4: gl.FLOAT, u2: gl.UNSIGNED_SHORT, u1: gl.UNSIGNED_BYTE }[array.type];
  const size = { f4: 4, u2: 2, u1: 1 }[array.type];
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  if (first === 0) gl.bufferData(gl.ARRAY_BUFFER, array.data, gl.STREAM_DRAW);
  gl.enableVertexAttribArray(location);
  gl.vertexAttribPointer(location, width, type, array.type !== "f4", size * array.width, size * first);
  gl.vertexAttribDivisor(location, 1);
}

export function makeTexture(gl, filter) {
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  return texture;
}

// A place to draw into that can be read afterwards: colour and depth.
export class Target {
  constructor(gl) {
    this.gl = gl;
    this.frame = gl.createFramebuffer();
    this.colour = makeTexture(gl, gl.NEAREST);
    this.depth = makeTexture(gl, gl.NEAREST);
    this.width = this.height = 0;
  }

  resize(width, height) {
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.frame);
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [width, height];
    gl.bindTexture(gl.TEXTURE_2D, this.colour);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindTexture(gl.TEXTURE_2D, this.depth);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT24, width, height, 0, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT, null);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.colour, 0);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth, 0);
  }
}
