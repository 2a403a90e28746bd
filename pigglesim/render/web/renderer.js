// Draws one moment of a film: first how the lamp sees it, for shadows, then how the eye does.
// Without a graphics card motion is drawn quickly: over a picture of the empty table, with fewer
// triangles, samples and pixels, and with discs as shadows.

import { undelta } from "./film.js";
import { lookingAt, multiplied, orthographic, scaled } from "./vectors.js";
import { CONTACT_FRAGMENT, COPY_FRAGMENT, MARK_VERTEX, RING_FRAGMENT, SCREEN_VERTEX, WOOD_FRAGMENT } from "./shaders.js";
import { SHADOW_FRAGMENT, SHADOW_VERTEX, SOLID_FRAGMENT, SOLID_VERTEX } from "./shaders.js";

const SAMPLES = 4; // per pixel of a fine picture
const STRIPS = 8; // in which the picture of the empty table is drawn: at once, motion would begin with a jerk
const PRINT = 2048; // side of the texture of the board [pixels]
const WOOD = 1024; // side of that of the table
const MARK = 0.03; // radius of the dark under a body [m]
const DISC = 0.012; // radius of a quick shadow [m]
const LIFT = 0.0003; // of marks above the floor [m]
const RING = [0.0165, 0.0008]; // radius of an owner's ring, and half its width [m]
const FINE = 0.025; // longest time for a small fine picture on a graphics card [s]

export class Renderer {
  constructor(canvas, buffer, index) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: false, alpha: true, premultipliedAlpha: true });
    if (!this.gl) throw new Error("no WebGL 2");
    this.gl.enable(this.gl.DEPTH_TEST);
    this.gl.enable(this.gl.CULL_FACE);
    this.share = 0.7; // of the pixels each way, in quick pictures
    this.software = null; // whether fine pictures take too long; unknown before the first
    this.quick = false; // whether motion is drawn quickly
    this.shadow = this.program(SHADOW_VERTEX, SHADOW_FRAGMENT);
    this.ring = this.program(MARK_VERTEX, RING_FRAGMENT);
    this.contact = this.program(MARK_VERTEX, CONTACT_FRAGMENT);
    this.copy = this.program(SCREEN_VERTEX, COPY_FRAGMENT);
    this.qualities = { fine: this.quality(""), quick: this.quality("#define QUICK\n") };
    this.depth = this.shadowMap(1280);
    this.empty = { view: "", texture: null, strips: 0, samples: this.multisampled() }; // picture of the table without bodies, for quick ones
    this.meshes = index.meshes.map((mesh) => this.upload(buffer, mesh));
    this.square = this.corners([-1, -1, 1, -1, 1, 1, -1, 1]);
    this.print = { texture: this.painted(index), cover: 1 / index.board };
    this.wood = { texture: this.planks(), cover: 1 / index.table.wood };
    this.samples = this.multisampled();
    this.sun = index.sun;
    this.board = index.board;
    const lamp = lookingAt(scaled(index.sun, 0.8), [0, 0, 0], [0, 1, 0]);
    this.lamp = multiplied(orthographic(index.board * 0.85, 0.3, 1.4), lamp);
  }

  quality(define) {
    const shader = (more) => this.program(SOLID_VERTEX, SOLID_FRAGMENT.replace("\n", `\n${define}${more}`));
    return { solid: shader(""), flat: shader("#define FLAT\n"), glass: shader("#define GLASS\n") };
  }

  /** The print of the board as a texture, North first. */
  painted({ board, print }) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = PRINT;
    const brush = canvas.getContext("2d");
    const scale = PRINT / (1000 * board);
    brush.setTransform(scale, 0, 0, scale, PRINT / 2, PRINT / 2);
    brush.lineCap = brush.lineJoin = "round";
    for (const [colour, width, path] of print) {
      brush.fillStyle = brush.strokeStyle = colour;
      brush.lineWidth = width;
      if (width) brush.stroke(new Path2D(path));
      else brush.fill(new Path2D(path));
    }
    const { gl } = this;
    const texture = this.texture(gl.LINEAR_MIPMAP_LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, canvas);
    canvas.width = canvas.height = 0; // it has 17 MB until garbage is collected
    gl.generateMipmap(gl.TEXTURE_2D);
    return texture;
  }

  /** A square of wood as a texture. */
  planks() {
    const { gl } = this;
    const texture = this.texture(gl.LINEAR_MIPMAP_LINEAR);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, WOOD, WOOD, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.viewport(0, 0, WOOD, WOOD);
    gl.useProgram(this.program(SCREEN_VERTEX, WOOD_FRAGMENT).program);
    gl.bindVertexArray(this.square);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.bindVertexArray(null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(frame);
    gl.generateMipmap(gl.TEXTURE_2D);
    return texture;
  }

  texture(smaller) {
    const { gl } = this;
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, smaller);
    return texture;
  }

  corners(values) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
    return array;
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
    const attribute = (number, size, type, normal, values) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(number);
      gl.vertexAttribPointer(number, size, type, normal, 0, 0);
    };
    attribute(0, 4, gl.SHORT, false, Int16Array.from(undelta(buffer, mesh.corners, 1)));
    attribute(1, 3, gl.BYTE, true, Int8Array.from(undelta(buffer, mesh.normals, 1)));
    let next = 0; // a corner comes first as the next number, and later by how far back it is
    const indices = undelta(buffer, mesh.indices, 2).map((back) => (back ? next - back : next++));
    const coarse = mesh.coarse ? undelta(buffer, mesh.coarse, 1) : [];
    const all = new Uint32Array(indices.length + coarse.length);
    all.set(indices);
    all.set(coarse, indices.length);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    const fine = [indices.length, 0];
    return { array, fine, quick: coarse.length ? [coarse.length, 4 * indices.length] : fine, unit: mesh.unit };
  }

  shadowMap(size) {
    const { gl } = this;
    const texture = this.texture(gl.LINEAR);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, frame, size };
  }

  /** A framebuffer with several samples per pixel, as the canvas has only one. */
  multisampled() {
    const { gl } = this;
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    const parts = [[gl.COLOR_ATTACHMENT0, gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24]].map(([place, format]) => {
      const part = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, part);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, part);
      return [part, format];
    });
    let now = "";
    const fit = (size) => {
      if (now === `${size}`) return;
      now = `${size}`;
      for (const [part, format] of parts) {
        gl.bindRenderbuffer(gl.RENDERBUFFER, part);
        gl.renderbufferStorageMultisample(gl.RENDERBUFFER, SAMPLES, format, ...size);
      }
    };
    return { frame, fit };
  }

  /** Draw this motion more quickly: fewer triangles and samples, then fewer pixels, down to a third each way. */
  coarser() {
    if (this.empty.strips % STRIPS) return; // such pictures take longer than those to come
    if (this.quick) this.share = Math.max(0.35, this.share * 0.75);
    this.quick = true;
  }

  /** Give the drawing as many pixels as its place on the page has, or fewer. */
  resize(share) {
    const { canvas } = this;
    const fine = share * Math.min(window.devicePixelRatio || 1, 2);
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight].map((size) => Math.max(1, Math.round(size * fine)));
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    }
  }

  /**
   * Draw things: {kind, mesh, palette, place, opacity?, fade?, shadow?, print?}, in that order, what
   * one sees through last; `marks` are {at, half, height, ring?, gaps?, strength?, spot?} on the floor.
   * Without motion the picture is always fine.
   */
  draw(things, camera, moves = false) {
    // The first picture comes at once; what the card can do is tried with the second.
    if (this.software === null && this.begun) this.software = this.quick = this.gauge(things, camera);
    const quick = moves && (this.quick || !this.begun);
    this.begun = true;
    this.resize(quick ? this.share : 1);
    if (quick) this.drawQuick(things, camera);
    else this.drawFine(things, camera);
    if (!moves) this.quick = this.software;
  }

  /** Return whether fine pictures take too long for motion, from small ones once all is compiled. */
  gauge(things, camera) {
    const { gl } = this;
    this.resize(0.25);
    const seconds = () => {
      const began = performance.now();
      this.drawFine(things, camera);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits for the picture
      return (performance.now() - began) / 1000;
    };
    return Math.min(seconds(), seconds()) > FINE;
  }

  drawFine(things, camera) {
    const { samples, canvas: { width, height } } = this;
    samples.fit([width, height]);
    this.castShadows(things);
    this.render(things, camera, "fine", samples.frame);
    this.resolve(samples.frame);
  }

  /** Put a picture with several samples per pixel on the canvas. */
  resolve(frame) {
    const { gl, canvas: { width, height } } = this;
    const size = [0, 0, width, height];
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, frame);
    gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, null);
    gl.blitFramebuffer(...size, ...size, gl.COLOR_BUFFER_BIT, gl.NEAREST);
  }

  /** Draw quickly: once nobody turns the table, over a picture of it without bodies. */
  drawQuick(things, camera) {
    const { empty, canvas: { width, height } } = this;
    const flat = ({ kind }) => kind === "flat";
    const flats = things.filter(flat);
    const view = `${[width, height, ...camera.matrix, ...flats.map(({ palette }) => palette[0])]}`;
    const whole = this.layEmpty(flats, camera, view);
    this.render(whole ? things.filter((thing) => !flat(thing)) : things, camera, "quick", null, whole ? empty.texture : null);
  }

  /** Go on with the fine picture of the table without bodies, a strip in each picture; true once it is whole. */
  layEmpty(flats, camera, view) {
    const { gl, empty, canvas: { width, height } } = this;
    if (view !== empty.view) {
      gl.deleteTexture(empty.texture);
      Object.assign(empty, { view, texture: null, strips: 0 });
      return false;
    }
    if (empty.texture) return true;
    empty.samples.fit([width, height]);
    if (empty.strips === 0) this.castShadows(flats);
    const [from, to] = [0, 1].map((more) => Math.round((height * (empty.strips + more)) / STRIPS));
    gl.enable(gl.SCISSOR_TEST);
    gl.scissor(0, from, width, to - from);
    this.render(flats, camera, "fine", empty.samples.frame);
    gl.disable(gl.SCISSOR_TEST);
    empty.strips += 1;
    if (empty.strips < STRIPS) return false;
    this.resolve(empty.samples.frame);
    empty.texture = this.texture(gl.NEAREST);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, null);
    gl.copyTexImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 0, 0, width, height, 0);
    return true;
  }

  castShadows(things) {
    const { gl, depth } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, depth.frame);
    gl.viewport(0, 0, depth.size, depth.size);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.shadow.program);
    gl.uniformMatrix4fv(this.shadow.u_lamp, false, this.lamp);
    for (const thing of things) if (thing.shadow) this.put(this.shadow, thing, "fine");
  }

  /** Draw things into a framebuffer, null for the canvas, over a picture if there is one. */
  render(things, camera, quality, target, picture = null) {
    const programs = this.qualities[quality];
    const { gl } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, target);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (picture) {
      gl.disable(gl.DEPTH_TEST);
      gl.useProgram(this.copy.program);
      gl.bindTexture(gl.TEXTURE_2D, picture);
      gl.bindVertexArray(this.square);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      gl.enable(gl.DEPTH_TEST);
    }
    gl.bindTexture(gl.TEXTURE_2D, this.depth.texture);
    let current = null;
    for (const thing of things) {
      const program = programs[thing.kind];
      if (!program) {
        this.putMarks(thing, camera, quality);
        current = null;
        continue;
      }
      if (program !== current) {
        current = program;
        gl.useProgram(program.program);
        gl.uniformMatrix4fv(program.u_seen, false, camera.matrix);
        gl.uniformMatrix4fv(program.u_lamp, false, this.lamp);
        gl.uniform3fv(program.u_eye, camera.eye);
        gl.uniform3fv(program.u_sun, this.sun);
        gl.uniform1i(program.u_print, 1);
        gl.uniform1f(program.u_board, this.board);
      }
      if (thing.print) {
        const { texture, cover } = this[thing.print];
        gl.activeTexture(gl.TEXTURE1);
        gl.bindTexture(gl.TEXTURE_2D, texture);
        gl.activeTexture(gl.TEXTURE0);
        gl.uniform1f(program.u_cover, cover);
      }
      gl.uniform4fv(program.u_palette, thing.palette);
      gl.uniform1f(program.u_opacity, thing.opacity ?? 1);
      gl.uniform1f(program.u_fade, thing.fade ?? 0);
      if (thing.kind === "glass") this.putGlass(program, thing, quality);
      else this.put(program, thing, quality);
    }
    gl.bindVertexArray(null);
  }

  /** Draw the owners' rings, and over them the dark of each body's nearness. */
  putMarks({ marks }, camera, quality) {
    const { gl, sun } = this;
    const discs = quality === "quick" ? marks.filter(({ disc }) => disc !== 0).map(({ at: [x, y, z], half, height, disc = DISC }) => (
      { at: [x - (sun[0] / sun[2]) * height, y - (sun[1] / sun[2]) * height, z], half, height, disc })) : [];
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    gl.bindVertexArray(this.square);
    for (const [program, ...factors] of [[this.ring, gl.ONE, gl.ONE_MINUS_SRC_ALPHA], [this.contact, gl.ZERO, gl.SRC_COLOR]]) {
      gl.useProgram(program.program);
      gl.uniformMatrix4fv(program.u_seen, false, camera.matrix);
      gl.blendFunc(...factors);
      for (const { at: [x, y, z], half, height, ring, gaps, strength, grown, disc, spot } of [...marks.filter(({ disc }) => !disc), ...discs]) {
        if (program === this.ring ? !strength : spot) continue;
        const { radius, width, soft, reach } = spot ?? { radius: RING[0] * grown, width: RING[1], soft: 0, reach: disc ? 1.2 * disc : MARK };
        gl.uniform3f(program.u_middle, x, y, z + LIFT);
        gl.uniform1f(program.u_half, half);
        gl.uniform1f(program.u_reach, reach);
        if (program === this.ring) {
          gl.uniform3f(program.u_ring, radius, width, strength);
          gl.uniform1f(program.u_soft, soft);
          gl.uniform3fv(program.u_owner, ring);
          gl.uniform1f(program.u_gaps, gaps ? 1 : 0);
        } else {
          gl.uniform1f(program.u_height, height);
          gl.uniform1f(program.u_disc, disc ?? 0);
        }
        gl.drawArrays(gl.TRIANGLE_FAN, 0, 4);
      }
    }
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  /** Draw the far side of something clear before its near side. */
  putGlass(program, thing, quality) {
    const { gl } = this;
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const side of [gl.FRONT, gl.BACK]) {
      gl.cullFace(side);
      this.put(program, thing, quality);
    }
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  put(program, { mesh, place, middle }, quality) {
    const { gl } = this;
    const { array, unit: size, [quality]: [count, first] } = this.meshes[mesh];
    gl.uniformMatrix4fv(program.u_place, false, place);
    gl.uniform1f(program.u_unit, size);
    gl.uniform3fv(program.u_middle, middle);
    gl.bindVertexArray(array);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, first);
  }
}
