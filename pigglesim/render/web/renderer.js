// Draws one moment of a film: first how the lamp sees it, for shadows, then how the eye does.

import { lookingAt, multiplied, orthographic, scaled, unit } from "./vectors.js";
import { SHADOW_FRAGMENT, SHADOW_VERTEX, SOLID_FRAGMENT, SOLID_VERTEX } from "./shaders.js";

const SUN = unit([-0.42, -0.35, 0.84]);
const SHADOW_SIZE = 1024;

export class Renderer {
  constructor(canvas, buffer, index) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (!this.gl) throw new Error("no WebGL 2");
    this.share = 1;
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT);
    this.shadow = this.program(SHADOW_VERTEX, SHADOW_FRAGMENT);
    this.meshes = index.meshes.map((mesh) => this.upload(buffer, mesh));
    this.depth = this.shadowMap();
    const lamp = lookingAt(scaled(SUN, 0.8), [0, 0, 0], [0, 1, 0]);
    this.lamp = multiplied(orthographic(index.board * 0.85, 0.3, 1.4), lamp);
  }

  program(vertex, fragment) {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    return new Proxy({ program }, {
      get: (held, name) => {
        if (!(name in held)) held[name] = gl.getUniformLocation(program, name);
        return held[name];
      },
    });
  }

  /** Corners (x, y, z and material) and normals of a mesh, on the card. */
  upload(buffer, mesh) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    const attribute = (number, size, type, normal, bytes, offset) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(buffer, offset, bytes), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(number);
      gl.vertexAttribPointer(number, size, type, normal, 0, 0);
    };
    attribute(0, 4, gl.SHORT, false, 8 * mesh.vertices, mesh.corners);
    attribute(1, 4, gl.BYTE, true, 4 * mesh.vertices, mesh.normals);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint8Array(buffer, mesh.indices, (mesh.wide ? 4 : 2) * mesh.count), gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    return { array, count: mesh.count, unit: mesh.unit, type: mesh.wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT };
  }

  shadowMap() {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, frame };
  }

  /** Draw fewer pixels from now on, down to a third each way. */
  coarser() {
    this.share = Math.max(0.35, this.share * 0.75);
  }

  /** Give the drawing as many pixels as its place on the page has, or fewer while it moves. */
  resize(moves) {
    const { canvas } = this;
    const fine = (moves ? this.share : 1) * Math.min(window.devicePixelRatio || 1, 2);
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.max(1, Math.round(size * fine)));
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    }
  }

  /**
   * Draw things: {mesh, palette, place, opacity?, fade?, shadow?}, in that order, what one sees
   * through last.
   */
  draw(things, camera) {
    const { gl } = this;
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.disable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.depth.frame);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.shadow.program);
    gl.uniformMatrix4fv(this.shadow.u_lamp, false, this.lamp);
    for (const thing of things) {
      if (!thing.shadow) continue;
      gl.uniform1f(this.shadow.u_opacity, thing.opacity ?? 1);
      this.put(this.shadow, thing);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.solid.program);
    gl.bindTexture(gl.TEXTURE_2D, this.depth.texture);
    gl.uniformMatrix4fv(this.solid.u_seen, false, camera.matrix);
    gl.uniformMatrix4fv(this.solid.u_lamp, false, this.lamp);
    gl.uniform3fv(this.solid.u_eye, camera.eye);
    gl.uniform3fv(this.solid.u_sun, SUN);
    for (const thing of things) {
      gl.uniform4fv(this.solid.u_palette, thing.palette);
      gl.uniform1f(this.solid.u_opacity, thing.opacity ?? 1);
      gl.uniform1f(this.solid.u_fade, thing.fade ?? 0);
      if ((thing.opacity ?? 1) < 1) this.putGlass(thing);
      else this.put(this.solid, thing);
    }
    gl.bindVertexArray(null);
  }

  /** Draw the far side of something clear before its near side. */
  putGlass(thing) {
    const { gl } = this;
    gl.depthMask(false);
    for (const side of [gl.FRONT, gl.BACK]) {
      gl.cullFace(side);
      this.put(this.solid, thing);
    }
    gl.depthMask(true);
  }

  put(program, { mesh, place }) {
    const { gl } = this;
    const { array, count, unit: size, type } = this.meshes[mesh];
    gl.uniformMatrix4fv(program.u_place, false, place);
    gl.uniform1f(program.u_unit, size);
    gl.bindVertexArray(array);
    gl.drawElements(gl.TRIANGLES, count, type, 0);
  }
}
