// The stage on the page: a film, its clock, a camera, labels, and their drawing.

import { add, clamp, placed, seenThrough } from "./vectors.js";
import { Film } from "./film.js";
import { Clock } from "./clock.js";
import { Camera, HEIGHT, MIDDLE } from "./camera.js";
import { Renderer } from "./renderer.js";
import { Labels } from "./labels.js";

const MOST = 0.25; // that goes by between two frames [s]: a page that was hidden goes on where it was
const IDENTITY = placed([0, 0, 0], [0, 0, 0, 1]);
const PICTURE = 0.02; // how far a step goes [s]
const COMING = 0.6; // until the eye is near once the cup is gone, if there is so much left [s]
const SLOW = 0.06; // for one frame [s]
const STILL = 12; // pictures alike after which one is drawn as fine as it can be
const BIG = 0.011; // half of a Piggle, roughly [m]
const FADE_IN = 0.15; // of the ring under a body that has come to rest [s]

/** Palette of the table on a dark page; roughness is unchanged. */
const palettesDimmed = (palette) => palette.map((value, k) => (k % 4 === 3 ? value : 0.3 * value));

export class Player {
  constructor(page, index, buffer) {
    this.page = page;
    this.index = index;
    this.buffer = buffer;
    this.renderer = new Renderer(page.canvas, buffer, index);
    this.palettes = index.palettes.map((colours) => {
      const flat = new Float32Array(4 * 64);
      flat.set(colours.flat());
      return flat;
    });
    this.dusk = palettesDimmed(this.palettes[index.table.palette]);
    this.camera = new Camera(index.board);
    this.clock = new Clock();
    this.labels = new Labels(page.labels, (number) => this.follow(number));
    this.followed = null;
    // The cup in a person's hand: position, which is null once it is gone, rotation, depth, numbers of
    // the bodies in it; and poses of bodies by number, where an engine runs along.
    this.held = null;
    this.dirty = true;
    this.alike = 0;
    this.slow = 0;
  }

  /** Whether something has changed that the picture does not show yet; it is then drawn again. */
  get dirty() {
    return this.changed;
  }

  set dirty(changed) {
    this.changed = changed;
    if (changed) this.wake();
  }

  /** Draw picture after picture until the last is final; a still page costs nothing. */
  wake() {
    if (this.awake) return;
    this.awake = true;
    let last = null;
    const frame = (now) => {
      const { clock } = this;
      const [seconds, before, played] = [last === null ? 0 : (now - last) / 1000, clock.time, clock.playing];
      last = now;
      this.keepUp(seconds);
      clock.advance(Math.min(seconds, MOST));
      this.changed ||= clock.time !== before;
      this.draw();
      if (this.film) this.page.drawn(before, played);
      this.awake = !this.still;
      if (this.awake) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** Whether the picture is final, at full resolution. */
  get still() {
    return !this.film || (!this.dirty && !this.clock.playing && this.alike >= STILL);
  }

  load(number) {
    const chapter = this.index.chapters[number];
    this.number = number;
    this.show(chapter, new Film(this.buffer, chapter.film));
  }

  /** Begin a film. */
  show(chapter, film) {
    this.chapter = chapter;
    this.film = film;
    this.clock.load(this.film.start, this.film.end);
    this.camera.watch(...this.bounds());
    this.labels.load(chapter.actors);
    this.followed = null;
    this.dirty = true;
  }

  /** Points around everything visible while the cup is present, and around everything at the end [m]. */
  bounds() {
    const { film, index } = this;
    const [half, { radius, half: tall }] = [index.board / 2, index.cup];
    const board = [[half, half, 0], [-half, half, 0], [-half, -half, 0], [half, -half, 0]];
    const ends = this.chapter.actors.map((_, k) => film.frame(film.times.length - 1, k).position);
    const reach = ([x, y, z]) => [clamp(x, -1.6 * half, 1.6 * half), clamp(y, -1.6 * half, 1.6 * half), z];
    const last = [...board, ...ends.flatMap((at) => [[0, 0, 0.02], [BIG, 0, 0], [-BIG, 0, 0], [0, BIG, 0], [0, -BIG, 0]].map((by) => add(reach(at), by)))];
    const cups = [];
    const places = this.held?.position ? [this.held] : [];
    for (let k = 0; k < film.cupFrames; k += Math.max(1, film.cupFrames >> 3)) places.push(film.frame(k, film.count - 1));
    for (const { position, rotation } of places) {
      const place = placed(position, rotation);
      for (const z of [-tall, tall]) for (const x of [-radius, radius]) for (const y of [-radius, radius]) {
        cups.push([0, 1, 2].map((row) => place[row] * x + place[4 + row] * y + place[8 + row] * z + place[12 + row]));
      }
    }
    return [[...last, ...cups], last];
  }

  /** Look from a named place. */
  see(name) {
    this.followed = null;
    this.camera.see(name);
    this.dirty = true;
  }

  follow(number) {
    this.followed = this.followed === number ? null : number;
    if (this.followed === null && this.camera.free) this.camera.target = MIDDLE;
    this.dirty = true;
  }

  /** Go to the next time at which something is struck, or the one before. */
  jump(forward) {
    const { start, end, time } = this.clock;
    const beats = [start, ...this.chapter.beats, end];
    const found = forward ? beats.find((beat) => beat > time + 1e-3) : beats.findLast((beat) => beat < time - 1e-3);
    if (found !== undefined) this.clock.seek(found);
    this.dirty = true;
  }

  /** Step one picture forwards or backwards, and pause. */
  step(pictures) {
    this.clock.pause();
    this.clock.seek(this.clock.time + pictures * PICTURE);
    this.dirty = true;
  }

  /** Draw motion quickly from its first slow frame, and with fewer pixels if that is too slow as well. */
  keepUp(seconds) {
    const moves = this.clock.playing || this.held;
    this.slow = moves && seconds > SLOW && seconds < 2 ? this.slow + 1 : 0;
    if (this.slow < (this.renderer.quick ? 4 : 1)) return;
    this.slow = 0;
    this.renderer.coarser();
  }

  /** Draw, if anything has changed since the last time. */
  draw() {
    if (!this.film) return;
    const { clientWidth, clientHeight } = this.page.canvas;
    const size = `${clientWidth} ${clientHeight}`;
    if (size !== this.size) {
      this.size = size;
      this.camera.resize(clientWidth / Math.max(clientHeight, 1));
      this.dirty = true;
    }
    const moves = this.dirty || this.clock.playing;
    this.alike = moves ? 0 : this.alike + 1;
    if (!moves && this.alike !== STILL) return;
    this.dirty = false;
    const { time } = this.clock;
    const poses = this.chapter.actors.map((_, k) => this.film.poseAt(time, k));
    if (this.held) this.fillCup(poses);
    const coming = Math.min(COMING, this.film.end - this.film.cupEnd);
    this.camera.near(this.held ? 0 : clamp((time - this.film.cupEnd) / (coming || 1), 0, 1) ** 2);
    if (this.followed !== null) this.camera.target = poses[this.followed].position;
    this.renderer.draw(this.things(time, poses), this.camera, moves);
    // What is in a hand has no label: it would cover the cup.
    const named = (pose, k) => (this.held?.numbers.includes(k) ? null : this.anchor(pose));
    this.labels.draw(poses.map(named), time, this.followed);
  }

  /** Put the bodies that a person has chosen into the cup in the hand. */
  fillCup(poses) {
    const { position, numbers, depth, poses: simulated } = this.held;
    if (simulated) {
      for (const [number, pose] of simulated) poses[number] = pose;
      return;
    }
    const [x, y, z] = position;
    const off = numbers.length > 1 ? 0.014 : 0;
    numbers.forEach((number, k) => {
      const turn = k * Math.PI + (k >> 1);
      const up = 0.014 + 0.024 * (k >> 1) - depth / 2;
      poses[number].position = [x + off * Math.cos(turn), y + off * Math.sin(turn), z + up];
    });
  }

  things(time, poses) {
    const { index, palettes } = this;
    const things = [];
    this.chapter.actors.forEach((actor, k) => {
      const place = placed(poses[k].position, poses[k].rotation);
      for (const solid of actor.solids) things.push({ ...solid, palette: palettes[solid.palette], place, shadow: true });
    });
    // Large surfaces come last, so that their hidden pixels are not shaded.
    things.push(
      { ...index.ground, palette: palettes[index.ground.palette], place: IDENTITY, shadow: true, matte: true },
      { ...index.table, palette: this.page.dark ? this.dusk : palettes[index.table.palette], place: IDENTITY, matte: true, fade: index.table.reach },
    );
    this.chapter.actors.forEach((actor, k) => {
      const always = actor.rest <= this.film.start || this.clock.ended;
      const shown = always ? 1 : clamp((time - actor.rest) / FADE_IN, 0, 1);
      if (!shown || actor.ring === null || this.held?.numbers.includes(k)) return;
      const [x, y] = poses[k].position;
      const place = placed([x, y, actor.floor + 0.0004], [0, 0, 0, 1], index.ring.radius * (0.6 + 0.4 * shown));
      things.push({ ...index.ring, palette: palettes[actor.ring], place, matte: true });
    });
    if (this.held ? this.held.position : this.film.hasCup(time)) {
      const { position, rotation } = this.held ?? this.film.poseAt(time, this.film.count - 1);
      things.push({ ...index.cup, palette: palettes[index.cup.palette], place: placed(position, rotation), shadow: true });
    }
    return things;
  }

  /** Position and radius of a body in the picture [pixels], or null if it is not visible. */
  anchor({ position: [x, y, z] }) {
    const at = seenThrough(this.camera.matrix, [x, y, z]);
    const { clientWidth, clientHeight } = this.page.canvas;
    if (!at.ahead || Math.abs(at.x) > 1 || Math.abs(at.y) > 1) return null;
    const size = (0.5 * clientHeight * BIG) / (at.far * Math.tan(HEIGHT / 2));
    return { x: ((at.x + 1) / 2) * clientWidth, y: ((1 - at.y) / 2) * clientHeight, size };
  }
}
