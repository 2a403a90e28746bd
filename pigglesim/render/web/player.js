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
const SLOW = 0.06; // for one frame [s]
const STILL = 12; // pictures alike after which one is drawn as fine as it can be
const BIG = 0.011; // half of a Piggle, roughly [m]
const FADE_IN = 0.3; // of the ring under a body that has come to rest [s]
const BESIDE = 0.02; // between the board and the parked cup [m]
const LAYER = 0.024; // height of the bodies that lie beside each other in a cup [m]
const OFF = 0.018; // of their middles from its axis [m]
const WARNING = [0.85, 0.33, 0];
const SPOT = { radius: 0, width: 0.012, soft: 0.012, reach: 0.025 }; // where a body would land [m]

const [DUSK, DARK] = [0.6, 0.3]; // shares of their colour that things, and the table under them, have on a dark page

/** A palette on a dark page; roughness is unchanged. */
const dimmed = (palette, share) => palette.map((value, k) => (k % 4 === 3 ? value : share * value));

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
    this.dusk = this.palettes.map((palette, k) => dimmed(palette, k === index.table.palette ? DARK : DUSK));
    this.camera = new Camera(index.board);
    this.clock = new Clock();
    this.labels = new Labels(page.labels, (number) => this.follow(number));
    this.followed = null;
    this.stillness = matchMedia("(prefers-reduced-motion: reduce)");
    // The cup in a person's hand, or parked: position, which is null once it is gone, rotation, depth,
    // numbers of bodies in it, and where an engine runs along poses of bodies by number, and spots where
    // they would land; it warns where the cup may not be let go.
    this.held = null;
    this.seat = 0; // beside whose side of the board the cup is parked: 1 for South, -1 for North, 0 for none
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

  /** Whether nothing may move that need not. */
  get calm() {
    return this.stillness.matches;
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
    this.camera.watch(this.bounds());
    this.labels.load(chapter.actors);
    this.followed = null;
    this.dirty = true;
  }

  /** Park the cup with these bodies, by number, at the right hand of a seat: 1 for South, -1 for North. */
  park(seat, numbers) {
    if (this.seat !== seat) {
      this.seat = seat;
      this.camera.watch(this.bounds());
    }
    this.held = { ...this.parked, parked: true, numbers, depth: 2 * this.index.cup.half };
    this.dirty = true;
  }

  /** Where the cup is parked: beside the board, or in front of it in an upright picture. */
  get parked() {
    const { board, thickness, cup } = this.index;
    const [along, off] = [board / 2 - cup.radius, board / 2 + cup.radius + BESIDE];
    const [x, y] = this.camera.aspect < 1 ? [along, -off] : [off, -along];
    return { position: [this.seat * x, this.seat * y, cup.half - thickness], rotation: [0, 0, 0, 1] };
  }

  /** Points around the board and around what lies or stands beside it at the end [m]. */
  bounds() {
    const { film, index } = this;
    // Dice are small on a board without a print: at the end the eye comes nearer to them.
    const near = this.seat || index.framed === index.board || !this.chapter.actors.length ? 0 : clamp(1 - (film.end - this.clock.time) / index.nearing, 0, 1);
    const half = (index.board + near * (index.framed - index.board)) / 2;
    const most = 0.8 * index.board;
    const reach = ([x, y, z]) => [clamp(x, -most, most), clamp(y, -most, most), z];
    const ends = this.chapter.actors.map((_, k) => reach(film.frame(film.times.length - 1, k).position));
    const [left, back] = [0, 1].map((axis) => near * ends.reduce((sum, at) => sum + at[axis] / ends.length, 0));
    const board = [[half, half], [-half, half], [-half, -half], [half, -half]].map(([x, y]) => [left + x, back + y, 0]);
    // What lies at the edge, or in the Pen of the seat, does not move the eye.
    if (this.seat) ends.push(...[-1, 1].flatMap((a) => [[a * half, 0, 0], [a * half, -this.seat * index.pen, -index.thickness], [0, this.seat * half, 0]]));
    const [{ position: [x, y, z] }, { radius, half: tall }] = [this.parked, index.cup];
    const cup = this.seat ? [-1, 1].flatMap((a) => [-1, 1].flatMap((b) => [-1, 1].map((c) => [x + a * radius, y + b * radius, z + c * tall]))) : [];
    return [...board, ...cup, ...ends.flatMap((at) => [[0, 0, 0.02], [BIG, 0, 0], [-BIG, 0, 0], [0, BIG, 0], [0, -BIG, 0]].map((by) => add(at, by)))];
  }

  /** Look from a named place. */
  see(name) {
    this.followed = null;
    this.camera.see(name);
    this.dirty = true;
  }

  /** Let the points of the actors that fit fly to an element of the page; resolves when they have arrived. */
  async fly(goal, fits = () => true) {
    if (!this.calm) await this.labels.fly(goal, fits);
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
    if (!clientWidth || !clientHeight) {
      // The table is hidden; it is drawn once it has a size.
      Object.assign(this, { changed: false, alike: STILL });
      return;
    }
    const size = `${clientWidth} ${clientHeight}`;
    if (size !== this.size) {
      this.size = size;
      this.camera.resize(clientWidth / clientHeight, (this.page.covered ?? 0) / clientHeight);
      if (this.seat) this.camera.watch(this.bounds());
      if (this.held?.parked) Object.assign(this.held, this.parked);
      this.page.grip?.repark();
      this.dirty = true;
    }
    const moves = this.dirty || this.clock.playing;
    this.alike = moves ? 0 : this.alike + 1;
    if (!moves && this.alike !== STILL) return;
    this.dirty = false;
    const { time } = this.clock;
    if (this.index.framed < this.index.board) this.camera.watch(this.bounds());
    const poses = this.chapter.actors.map((_, k) => this.film.poseAt(time, k));
    if (this.held) this.fillCup(poses);
    if (this.followed !== null) this.camera.target = poses[this.followed].position;
    this.renderer.draw(this.things(time, poses), this.camera, moves);
    const cupped = (k) => this.held?.numbers.includes(k);
    this.anchors = poses.map((pose) => this.anchor(pose));
    this.labels.draw(this.anchors.map((at, k) => (cupped(k) ? null : at)), time, this.followed, !this.calm);
  }

  /** Put the bodies that a person has chosen into the cup in the hand, three beside each other. */
  fillCup(poses) {
    const { position, rotation, numbers, depth, poses: simulated } = this.held;
    if (simulated) {
      for (const [number, pose] of simulated) poses[number] = pose;
      return;
    }
    const place = placed(position, rotation);
    numbers.forEach((number, k) => {
      const [turn, layer] = [2.1 * k, Math.floor(k / 3)];
      const off = numbers.length > 1 ? OFF : 0;
      const [x, y, z] = [off * Math.cos(turn), off * Math.sin(turn), 0.016 + LAYER * layer - depth / 2];
      const at = [0, 1, 2].map((row) => place[row] * x + place[4 + row] * y + place[8 + row] * z + place[12 + row]);
      poses[number] = { position: at, rotation: [0.5 * Math.cos(turn), 0.5 * Math.sin(turn), 0.5, 0.5] };
    });
  }

  things(time, poses) {
    const { index, page } = this;
    const palettes = page.dark ? this.dusk : this.palettes;
    const things = [];
    const solid = (part, place) => ({ ...part, kind: "solid", palette: palettes[part.palette], place, shadow: true });
    this.chapter.actors.forEach((actor, k) => {
      const place = placed(poses[k].position, poses[k].rotation);
      for (const part of actor.solids) things.push(solid(part, place));
    });
    const cup = this.cupAt(time);
    const standing = cup && placed(cup.position, cup.rotation);
    if (cup) for (const part of index.cup.fittings) things.push(solid(part, standing));
    // Large surfaces come last, so that their hidden pixels are not shaded.
    things.push({ ...solid(index.ground, IDENTITY), kind: "flat", print: "print" });
    things.push({ ...index.table, kind: "flat", print: "wood", palette: palettes[index.table.palette], place: IDENTITY, fade: index.table.reach });
    const marks = this.chapter.actors.map((actor, k) => this.mark(actor, poses[k], time, k));
    if (cup) {
      // One shadow for the cup and all that is in it.
      const { radius, half } = index.cup;
      const [x, y, z] = cup.position;
      for (const mark of marks) if (Math.hypot(mark.at[0] - x, mark.at[1] - y) < radius) mark.disc = 0;
      marks.push({ ...this.onFloor(cup.position), height: Math.max(z - half, 0), disc: radius });
    }
    things.push({ kind: "marks", marks: [...this.foreseen(), ...marks] });
    if (cup) things.push({ ...solid(index.cup, standing), kind: "glass", shadow: false });
    return things;
  }

  /** Where the cup is: in a hand, as the film has it, or parked; null if there is none. */
  cupAt(time) {
    if (this.held?.position) return this.held;
    return this.film.hasCup(time) ? this.film.poseAt(time, this.film.count - 1) : this.seat && this.parked;
  }

  /** Where something is on the floor under it, board or table, and half the width of that floor. */
  onFloor([x, y]) {
    const half = this.index.board / 2;
    const on = Math.max(Math.abs(x), Math.abs(y)) <= half;
    return { at: [x, y, on ? 0 : -this.index.thickness], half: on ? half : 10 };
  }

  /** What a body leaves on the floor under it: its owner's ring once it rests, and its dark. */
  mark(actor, { position }, time, number) {
    const floor = this.onFloor(position);
    const always = actor.rest <= this.film.start || this.clock.ended;
    const grown = always || this.calm ? Number(always || time >= actor.rest) : clamp((time - actor.rest) / FADE_IN, 0, 1);
    const ringed = actor.ring !== null && !this.held?.numbers.includes(number);
    const { ring, gaps } = actor;
    return { ...floor, height: position[2] - floor.at[2], ring, gaps, strength: ringed ? 0.9 * grown : 0, grown: 0.7 + 0.3 * grown };
  }

  /** Where what is in the cup would land, softly, or a ring under a cup that may not be let go. */
  foreseen() {
    const { held, chapter: { actors }, index: { cup } } = this;
    const mark = (at, ring, spot, strength, gaps = false) => ({ ...this.onFloor(at), ring, spot, strength, gaps, disc: 0 });
    const owner = actors[held?.numbers[0]]?.ring ?? [0, 0, 0];
    const marks = (held?.spots ?? []).map(({ at, weight }) => mark(at, this.onFloor(at).half < 1 ? owner : WARNING, SPOT, 1.2 * weight));
    const under = { radius: cup.radius, width: 0.0015, soft: 0, reach: cup.radius + 0.003 };
    return held?.warns && held.position ? [...marks, mark(held.position, WARNING, under, 1, true)] : marks;
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
