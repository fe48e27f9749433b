// Draws the scene: grains and contacts first, then the light between them, then what is translucent:
// lines of the triangulation, grains if they are of glass, and walls.

import { gridOf } from "./block.js";
import { TABLE_SIZE } from "./colours.js";
import { FINISH_FRAGMENT, FINISH_VERTEX } from "./finish_shader.js";
import { Target, feedInstances, makeProgram, makeTexture } from "./gl.js";
import { GRAIN_FRAGMENT, GRAIN_VERTEX } from "./grain_shader.js";
import { IDENTITY, fromPose, multiply } from "./matrix.js";
import { ROD_FRAGMENT, ROD_SIDES, ROD_VERTEX } from "./rod_shader.js";
import { Swept } from "./swept.js";
import { WALL_FRAGMENT, WALL_VERTEX } from "./wall_shader.js";

const SQUARE = new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]);

export class Renderer {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser cannot draw in three dimensions: WebGL 2 is missing or switched off");
    this.gl = gl;
    this.canvas = canvas;
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    this.isSoftware = /swiftshader|llvmpipe|software/i.test(info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "");
    this.grainProgram = makeProgram(gl, GRAIN_VERTEX, GRAIN_FRAGMENT);
    this.rodProgram = makeProgram(gl, ROD_VERTEX, ROD_FRAGMENT);
    this.wallProgram = makeProgram(gl, WALL_VERTEX, WALL_FRAGMENT);
    this.finishProgram = makeProgram(gl, FINISH_VERTEX, FINISH_FRAGMENT);
    this.swept = new Swept(gl);
    this.target = new Target(gl);
    this.probe = new Target(gl);
    this.grainTable = makeTexture(gl, gl.NEAREST);
    this.rodTable = makeTexture(gl, gl.NEAREST);
    this.buffers = { position: gl.createBuffer(), radius: gl.createBuffer(), value: gl.createBuffer(), rods: gl.createBuffer() };
    this.square = this.#squareArray();
    this.grains = this.#squareArray();
    this.rods = gl.createVertexArray();
    this.edges = gl.createVertexArray();
    this.edgeRows = gl.createBuffer();
    this.walls = [];
    this.cell = null;
    this.count = this.rodCount = this.edgeCount = 0;
  }

  #squareArray() {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, SQUARE, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    return array;
  }

  // ---- what is to be seen ------------------------------------------------------------------------

  setTable(colours) {
    this.#fillTable(this.grainTable, [colours]);
  }

  setRodTables(tables) {
    this.#fillTable(this.rodTable, tables);
  }

  #fillTable(texture, tables) {
    const { gl } = this;
    const texels = new Uint8Array(tables.flatMap((table) => [...table]));
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, TABLE_SIZE, tables.length, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
  }

  setFrame(block, values) {
    const { gl } = this;
    const position = block.arrays.get("position"), radius = block.arrays.get("radius");
    gl.bindVertexArray(this.grains);
    feedInstances(gl, 1, this.buffers.position, position);
    feedInstances(gl, 2, this.buffers.radius, radius);
    feedInstances(gl, 3, this.buffers.value, values);
    this.swept.setFrame(block, values);
    this.count = position.rows;
    this.grids = { position: gridOf(position), radius: gridOf(radius), value: gridOf(values) };
    this.poses = block.facts.poses.map(fromPose);
    this.time = block.facts.time;
  }

  setRods(block) {
    const { gl } = this;
    const rods = block?.arrays.get("rods");
    this.rodCount = rods?.rows ?? 0;
    if (!this.rodCount) return;
    this.strongest = block.facts.high;
    gl.bindVertexArray(this.rods);
    feedInstances(gl, 1, this.buffers.rods, rods, 0, 3);
    feedInstances(gl, 2, this.buffers.rods, rods, 3, 3);
    feedInstances(gl, 3, this.buffers.rods, rods, 6, 1);
    feedInstances(gl, 4, this.buffers.rods, rods, 7, 1);
  }

  // The edges of the triangulation, by rows of the frame; null for none.
  setEdges(block) {
    const { gl } = this;
    const edges = block?.arrays.get("edges");
    this.edgeCount = 2 * (edges?.rows ?? 0);
    if (!this.edgeCount) return;
    gl.bindVertexArray(this.edges);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.position);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.edgeRows);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, edges.data, gl.STREAM_DRAW);
    gl.bindVertexArray(null);
  }

  setWalls(walls) {
    for (const wall of walls) {
      for (const surface of wall.surfaces) this.#addWall(wall.body, surface.vertices, surface.triangles, surface.until);
      const vertices = wall.lines.flat(2);
      const pairs = [];
      let first = 0;
      for (const line of wall.lines) {
        for (let k = 1; k < line.length; k++) pairs.push(first + k - 1, first + k);
        first += line.length;
      }
      if (pairs.length) this.#addWall(wall.body, vertices, pairs, null, true);
    }
  }

  // The power cell of a grain: its faces, and edges to its neighbours; null for none.
  setCell(cell) {
    this.cell = cell && { faces: this.#lines(cell.faces.map((face) => [...face, face[0]])), edges: this.#lines(cell.edges) };
  }

  #lines(polylines) {
    const { gl } = this;
    const ends = polylines.flatMap((line) => line.slice(1).flatMap((point, k) => [line[k], point])).flat();
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(ends), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    return { array, count: ends.length / 3 };
  }

  #addWall(body, vertices, indices, until, isLine = false) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(vertices), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(indices), gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    this.walls.push({ array, body, count: indices.length, until: until ?? Infinity, isLine });
  }

  // ---- drawing -----------------------------------------------------------------------------------

  // The look is { camera, scale, shrink, isGlass, limits, isCategory, picked, cut, showWalls, thickness, ball, theme }.
  draw(look) {
    const { gl, canvas } = this;
    const width = Math.max(1, Math.round(canvas.clientWidth * look.scale));
    const height = Math.max(1, Math.round(canvas.clientHeight * look.scale));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const seen = look.camera.matrices(width / height);
    this.target.resize(width, height);
    this.#clear(width, height);
    if (!look.isGlass) this.#drawGrains(look, seen, seen.toClip, false);
    this.#drawRods(look, seen);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    this.#finish(look, seen, width / height);
    if (this.edgeCount) this.#drawEdges(look, seen);
    if (look.isGlass) this.#drawGlass(look, seen);
    if (look.showWalls) this.#drawWalls(look, seen);
    if (this.cell) this.#drawCell(look, seen);
  }

  // The row of the grain at a place of the canvas (0 to 1 from its lower left corner); -1 for none.
  pick(x, y, look) {
    const { gl, canvas } = this;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    const seen = look.camera.matrices(w / h);
    // one pixel fills the whole picture
    const closeUp = new Float32Array([w, 0, 0, 0, 0, h, 0, 0, 0, 0, 1, 0, -w * (2 * x - 1), -h * (2 * y - 1), 0, 1]);
    this.probe.resize(1, 1);
    this.#clear(1, 1);
    this.#drawGrains(look, seen, multiply(closeUp, seen.toClip), true);
    const bytes = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return new DataView(bytes.buffer).getUint32(0, true) - 1;
  }

  #clear(width, height) {
    const { gl } = this;
    gl.viewport(0, 0, width, height);
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  }

  #use({ program, uniforms }, look, seen, toClip) {
    const { gl } = this;
    gl.useProgram(program);
    gl.uniformMatrix4fv(uniforms.toView, false, seen.toView);
    gl.uniformMatrix4fv(uniforms.toClip, false, toClip);
    gl.uniform3fv(uniforms.sky, seen.sky);
    gl.uniform1i(uniforms.isCut, look.cut ? 1 : 0);
    if (look.cut) gl.uniform4fv(uniforms.cut, planeInView(look.cut, seen.toView));
    return uniforms;
  }

  #drawGrains(look, seen, toClip, isPicking) {
    if (!this.count || look.shrink === 0) return;
    const { gl, grids } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.grainTable);
    const use = (program) => this.#useForGrains(program, look, seen, toClip, isPicking);
    const u = use(this.grainProgram);
    gl.uniform3fv(u.positionLow, grids.position.low);
    gl.uniform3fv(u.positionSpan, grids.position.span);
    gl.uniform2f(u.radiusGrid, grids.radius.low[0], grids.radius.span[0]);
    gl.uniform2f(u.valueGrid, grids.value.low[0], grids.value.span[0]);
    gl.uniform1f(u.unknownPlace, grids.value.unknown);
    gl.bindVertexArray(this.grains);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count);
    this.swept.draw(look, use);
  }

  // What the shaders of balls, edges and faces have in common.
  #useForGrains(program, look, seen, toClip, isPicking) {
    const { gl } = this;
    const u = this.#use(program, look, seen, toClip);
    gl.uniform2fv(u.limits, look.limits);
    gl.uniform1i(u.isCategory, look.isCategory ? 1 : 0);
    gl.uniform1f(u.shrink, look.shrink);
    gl.uniform2iv(u.picked, look.picked);
    gl.uniform1i(u.isPicking, isPicking ? 1 : 0);
    gl.uniform1i(u.isGlass, look.isGlass ? 1 : 0);
    gl.uniform3fv(u.glass, look.theme.wall);
    return u;
  }

  #drawRods(look, seen) {
    if (!this.rodCount) return;
    const { gl } = this;
    const u = this.#use(this.rodProgram, look, seen, seen.toClip);
    gl.uniform1f(u.strongest, this.strongest);
    gl.uniform1f(u.thickness, look.thickness);
    gl.bindTexture(gl.TEXTURE_2D, this.rodTable);
    gl.bindVertexArray(this.rods);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 2 * (ROD_SIDES + 1), this.rodCount);
  }

  #finish(look, seen, aspect) {
    const { gl } = this;
    const { program, uniforms: u } = this.finishProgram;
    gl.useProgram(program);
    gl.depthFunc(gl.ALWAYS);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.target.depth);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.target.colour);
    gl.uniform1i(u.colours, 0);
    gl.uniform1i(u.depths, 1);
    gl.uniform2f(u.depthTerms, seen.toClip[10], seen.toClip[14]);
    gl.uniform1f(u.opening, seen.opening);
    gl.uniform1f(u.aspect, aspect);
    gl.uniform1f(u.ball, look.ball);
    gl.uniform3fv(u.above, look.theme.above);
    gl.uniform3fv(u.below, look.theme.below);
    gl.bindVertexArray(this.square);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  // What is drawn now lets through what is behind it, and hides nothing that comes later.
  #beginClear(depthFunc) {
    const { gl } = this;
    gl.depthFunc(depthFunc);
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  #endClear() {
    const { gl } = this;
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  // Of grains of glass only those in front are seen, so that a deep heap stays clear: their depth
  // comes first, then the colour of what has just this depth.
  #drawGlass(look, seen) {
    const { gl } = this;
    gl.depthFunc(gl.LESS);
    gl.colorMask(false, false, false, false);
    this.#drawGrains(look, seen, seen.toClip, false);
    gl.colorMask(true, true, true, true);
    this.#beginClear(gl.EQUAL);
    this.#drawGrains(look, seen, seen.toClip, false);
    this.#endClear();
  }

  #drawEdges(look, seen) {
    const { gl } = this;
    const u = this.#use(this.wallProgram, look, seen, seen.toClip);
    this.#beginClear(gl.LEQUAL);
    gl.uniform3fv(u.tint, look.theme.edge);
    gl.uniform1i(u.isLine, 1);
    gl.uniform1f(u.lineCover, 0.25); // there are many
    gl.uniformMatrix4fv(u.pose, false, IDENTITY);
    gl.bindVertexArray(this.edges);
    gl.drawElements(gl.LINES, this.edgeCount, gl.UNSIGNED_INT, 0);
    this.#endClear();
  }

  #drawWalls(look, seen) {
    const { gl } = this;
    const u = this.#use(this.wallProgram, look, seen, seen.toClip);
    this.#beginClear(gl.LEQUAL);
    gl.uniform3fv(u.tint, look.theme.wall);
    gl.uniform1f(u.lineCover, 0.5);
    for (const wall of this.walls) {
      if (this.time >= wall.until) continue;
      gl.uniform1i(u.isLine, wall.isLine ? 1 : 0);
      gl.uniformMatrix4fv(u.pose, false, this.poses?.[wall.body] ?? IDENTITY);
      gl.bindVertexArray(wall.array);
      gl.drawElements(wall.isLine ? gl.LINES : gl.TRIANGLES, wall.count, gl.UNSIGNED_INT, 0);
    }
    this.#endClear();
  }

  // In front of everything, since a cell lies among grains.
  #drawCell(look, seen) {
    const { gl } = this;
    const u = this.#use(this.wallProgram, look, seen, seen.toClip);
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform1i(u.isLine, 1);
    gl.uniform1f(u.lineCover, 0.75);
    gl.uniformMatrix4fv(u.pose, false, IDENTITY);
    for (const [lines, tint] of [[this.cell.edges, look.theme.edge], [this.cell.faces, look.theme.cell]]) {
      gl.uniform3fv(u.tint, tint);
      gl.bindVertexArray(lines.array);
      gl.drawArrays(gl.LINES, 0, lines.count);
    }
    gl.disable(gl.BLEND);
    gl.enable(gl.DEPTH_TEST);
  }
}

// A plane (n, w) of space, n . x + w = 0, as the camera sees it.
function planeInView([x, y, z, w], m) {
  const n = [0, 1, 2].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z);
  return [...n, w - (n[0] * m[12] + n[1] * m[13] + n[2] * m[14])];
}
