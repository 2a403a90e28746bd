// A person's hand on the cup. It takes the cup from beside the board, moves and shakes it, and lets go:
// by mouse, finger or keys.
// The engine runs along with the hand: what is seen in the cup and after the release is the throw.

import { Ghost } from "./ghost.js";
import { add, clamp, scaled } from "./vectors.js";

const GENTLE = 0.25; // hands that let go slower just tip the cup [m/s]
const SWING = 0.15; // of those [m/s]
const HARDEST = 0.9; // of the others [m/s]: more would throw most of them off the board
const NEAR = 90; // of the cup on the screen within which a press takes it [pixels]
const WIDEST = Math.PI / 3;
const FASTEST = 2;
const LOWEST = 0.0508;
const HIGHEST = 0.25;
const CLEAR = 0.002; // by which the cup keeps clear of what it may not touch [m]
const EDGE = 0.005; // that the cup's centre stays within the own half [m]
const REACH = 0.05; // beside the board where a hand still means the board [m]
const UNDER = 0.08; // after which a hand that took the cup has it under its pointer [m]
const STIFF = 28; // of the arm: the cup follows the pointer within a thirtieth of a second [1/s]
const PULL = 70; // of it at most [m/s2]
const SPEED = 2.8; // of the cup at most [m/s]
const LEAN = 0.14; // of the cup into its motion [rad s/m]
const MOST_LEAN = 0.3;
const SETTLE = 0.8; // until the bodies lie still in a cup that stands [s]
const UNMOVED = 0.004; // below which a cup is still [m/s]
const TIP = 20; // samples of the tip
const LONGEST = 0.5; // that goes by between two pictures or moves [s]: a page that was hidden goes on where it was
const EVEN = 120; // between two moves of a pointer during which it goes evenly [ms]: before, it rested
const OVER = 0.03; // the centre line where a hand still means the edge of the own half [m]
const STEER = Math.PI / 36; // by which a key turns the throw
const HURRY = 0.1; // by which a key changes the swing of the cup [m/s]
const MOVE = 0.02; // by which a key moves the cup in hand [m]
const KEYS = "keys"; // in place of a pointer's number
export const PHONE = "phone"; // in place of a pointer's number
const SWAY = 0.05; // of a cup that a key shakes [m]
const BEAT = 4; // shakes by a key per second
const WARNED = 2; // before the end of a path [s]
const IDLE = [0, 0, 0, 1];

const BY_KEYS = "x shakes the cup, arrows move it, Enter pours, Esc puts it back.";
const ASIDE = "A cup is let go over your own half of the board.";
const ACROSS = "The cup stays on your own half of the board.";

const smooth = (u) => u * u * u * (10 - 15 * u + 6 * u * u);

export class Hand {
  /** `onRelease` is called with the text of the throw, or null, once the cup was let go; the table must have a player. */
  constructor(table, seat, onRelease) {
    this.table = table;
    this.sign = seat === "B" ? -1 : 1;
    this.onRelease = onRelease;
    const { hand } = table;
    this.hold = { across: hand.across, back: hand.back, height: hand.height };
    this.touched = false;
    this.numbers = [];
    this.thrower = null;
    this.ghost = null; // where the bodies would land if the cup were let go now
    this.warning = ""; // why it cannot be let go now
    this.thrown = false;
    this.ended = new Promise((resolve) => { this.finish = resolve; }); // when the throw has come to rest
    const { canvas, player } = table;
    this.listeners = {
      pointerdown: (event) => this.take(event),
      pointermove: (event) => this.move(event),
      pointerup: (event) => this.release(event),
      pointercancel: ({ pointerId }) => pointerId === this.pointer && this.putBack(),
    };
    for (const [kind, listener] of Object.entries(this.listeners)) canvas.addEventListener(kind, listener, true);
    this.canvas = canvas;
    this.half = player.index.board / 2;
    player.park(this.sign, []);
    // Times since the bodies are in the cup, while anything moves, since it has moved, and of the next sample [s].
    Object.assign(this, { at: this.parked, speed: [0, 0, 0], elapsed: 0, calm: 0, due: 0 });
    this.show();
  }

  /** Let the cup be: its listeners and its picture go. */
  close() {
    for (const [kind, listener] of Object.entries(this.listeners)) this.canvas.removeEventListener(kind, listener, true);
    this.closed = true;
    if (this.table.player) this.table.player.held = null;
    this.table.touch();
  }

  /** Whether somebody has the cup in hand. */
  get held() {
    return this.pointer !== undefined;
  }

  /** Whether it is held by keys. */
  get keyed() {
    return this.pointer === KEYS;
  }

  /** Whether there is something in it to be thrown. */
  get free() {
    return !this.thrown && this.numbers.length > 0;
  }

  /** Where the cup stands beside the board [m]. */
  get parked() {
    return [...this.table.player.parked.position];
  }

  /** Height of the centre of a cup in the hand [m]. */
  get lifted() {
    const { hand } = this.table;
    return hand.centre + this.hold.height - hand.height;
  }

  /** Put these actors, by number, into the cup; the engine comes with `simulate`. */
  fill(numbers) {
    this.numbers = numbers;
    this.thrower = this.ghost = null;
    this.show();
  }

  /** Run this engine along with the hand; `actors` are the numbers of its bodies. */
  simulate(thrower, actors) {
    this.thrower = thrower;
    this.actors = actors;
    this.ghost = new Ghost(thrower);
    this.begin();
  }

  /** Let the bodies fall into the cup that stands beside the board. */
  begin() {
    // The beat is the share of a shake by a key that is done.
    Object.assign(this, { at: this.parked, speed: [0, 0, 0], heard: null, elapsed: 0, calm: 0, due: 0, beat: 0 });
    this.thrower?.take(this.sample(this.at, [0, 0]));
    this.run();
  }

  /** Where a cup is and how it tilts, in whole units. */
  sample(at, [x, y]) {
    const { length, angle } = this.thrower.again.own;
    return [...at.map((value) => Math.round(value / length)), Math.round(x / angle), Math.round(y / angle)];
  }

  /** Point of the plane at the height of a cup in the hand under the pointer. */
  point(event) {
    const { camera } = this.table.player;
    const box = this.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const ray = camera.ray(x, y);
    const { eye } = camera;
    if (ray[2] > -1e-3) return null;
    return add(eye, scaled(ray, (this.lifted - eye[2]) / ray[2]));
  }

  take(event) {
    const { player } = this.table;
    if (!player || !player.held || event.button > 0 || (this.held && !this.keyed) || !this.free) return;
    const at = player.anchor({ position: this.at });
    const box = this.canvas.getBoundingClientRect();
    if (!at || Math.hypot(event.clientX - box.left - at.x, event.clientY - box.top - at.y) > NEAR) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer = event.pointerId;
    this.from = this.point(event);
    this.taken = this.at;
    this.target = this.at.slice(0, 2);
    this.moves = [{ time: event.timeStamp, at: this.target }, { time: event.timeStamp, at: this.target }];
    this.run();
  }

  move(event) {
    if (event.pointerId !== this.pointer) return;
    event.stopImmediatePropagation();
    const moves = event.getCoalescedEvents?.() ?? [];
    for (const each of moves.length ? moves : [event]) this.follows(this.point(each), each.timeStamp);
  }

  /** Move the cup to where the pointer is at a time [ms]; one that rests where it took the cup lifts it straight up. */
  follows(point, time) {
    if (!point || !this.held) return;
    const { from, taken, moves: [, last] } = this;
    this.moveTo(last.time);
    if (!this.held) return; // the path has ended by itself
    const rests = from ? Math.max(0, 1 - Math.hypot(point[0] - from[0], point[1] - from[1]) / UNDER) : 0;
    const at = [0, 1].map((axis) => point[axis] + (rests && rests * (taken[axis] - from[axis])));
    this.moves = [{ time: Math.max(last.time, time - EVEN), at: last.at }, { time, at }];
  }

  /** Where the pointer was at a time [ms]: between two moves it went evenly, however few come. */
  pointed(time) {
    const [before, after] = this.moves;
    const share = after.time > before.time ? clamp((time - before.time) / (after.time - before.time), 0, 1) : 1;
    return [0, 1].map((axis) => before.at[axis] + share * (after.at[axis] - before.at[axis]));
  }

  /** How far the cup stays behind a pointer that moves [ms]: where it goes is known at its next move. */
  get behind() {
    return this.moves ? this.moves[1].time - this.moves[0].time : 0;
  }

  /** Let a key aim, take, shake, move or pour the cup; true if it means one of these. */
  key(key) {
    const by = !this.table.turnsBy?.(key) && { "[": [-STEER, 0], "]": [STEER, 0], ",": [0, -HURRY], ".": [0, HURRY] }[key];
    const move = { ArrowLeft: [-MOVE, 0], ArrowRight: [MOVE, 0], ArrowUp: [0, MOVE], ArrowDown: [0, -MOVE] }[key];
    if (by) this.steer(...by);
    else if (key.toLowerCase() === "x") this.shake(true);
    else if (!this.keyed) return false;
    else if (move) this.shift(...move);
    else if (key === "Enter") this.letGo();
    else if (key === "Escape") this.putBack();
    else return false;
    return true;
  }

  /** Take the cup by keys if nobody has it; a key begins to shake it, or ends that with the whole shake. */
  shake(on) {
    if (on && !this.held && this.free) {
      const { sign, hold: { across, back } } = this;
      this.pointer = KEYS;
      this.target = [sign * across, -sign * back];
      this.run();
    }
    this.shaking = on && this.keyed;
    if (this.shaking) this.beat ||= Number.EPSILON;
  }

  /** Let the motion of a phone take and move the cup, from where it is usually held to the right and ahead [m], at a time [ms]. */
  swing(across, ahead, now) {
    if (this.held ? this.pointer !== PHONE : !this.free) return;
    const { sign, hold } = this;
    if (this.held) {
      this.moveTo(now);
      if (!this.held) return; // the path has ended by itself
    }
    this.pointer = PHONE;
    this.target = [sign * (hold.across + across), sign * (ahead - hold.back)];
    this.run();
  }

  /** Move the cup in a hand by keys, to the right and ahead as seen from the seat [m]. */
  shift(across, ahead) {
    const { sign, target: [x, y], half } = this;
    this.target = [clamp(x + sign * across, -half, half), sign * clamp(sign * y + ahead, -half, 0)];
  }

  /** Whether the cup is over the own half, where it may be let go. */
  get lawful() {
    const [x, y] = this.at;
    return Math.max(Math.abs(x), Math.abs(y)) <= this.half && this.sign * y < 0;
  }

  release(event) {
    if (event.pointerId !== this.pointer) return;
    event.stopImmediatePropagation();
    this.moveTo(event.timeStamp);
    if (!this.held) return; // the path has ended by itself
    this.letGo();
  }

  /** Tip the cup into its motion; what follows is physics alone. */
  letGo() {
    const { heading, swing } = this.throwing;
    this.pointer = this.moves = undefined;
    if (!this.lawful) {
      this.putBack(ASIDE);
      return;
    }
    if (!this.thrower) {
      const { sign, at: [x, y] } = this;
      this.hold = { ...this.hold, across: sign * x, back: Math.max(-sign * y, 0), heading, swing };
      this.touched = true;
      this.onRelease(null);
      return;
    }
    for (const sample of this.tipped(heading, swing)) this.thrower.add(sample);
    this.thrown = true;
    this.onRelease(this.thrower.text);
  }

  /** The direction in which the moving cup throws, to the right of straight ahead [rad], and its swing [m/s]. */
  get throwing() {
    const { sign, speed: [vx, vy] } = this;
    if (this.keyed) return { heading: this.hold.heading ?? 0, swing: this.hold.swing ?? this.table.hand.swing };
    const [across, ahead] = [sign * vx, sign * vy];
    if (Math.hypot(across, ahead) < GENTLE || ahead <= 0) return { heading: 0, swing: SWING };
    return { heading: clamp(Math.atan2(across, ahead), -WIDEST, WIDEST), swing: Math.min(Math.hypot(across, ahead), HARDEST) };
  }

  /** The samples of a cup that tips while it slows down. */
  tipped(heading, swing) {
    const { own, hand } = this.thrower.again;
    const [dx, dy] = [this.sign * Math.sin(heading), this.sign * Math.cos(heading)];
    const [tx, ty] = this.tilt;
    let { at } = this;
    return Array.from({ length: TIP }, (_, k) => {
      const share = (k + 1) / TIP;
      const way = smooth(share);
      const pace = (swing * (1 - share) ** 2) / own.rate;
      const [x, y, z] = at;
      at = this.kept([x + pace * dx, y + pace * dy, z + clamp(this.lifted - z, -0.02, 0.02)]);
      const turn = hand.tip_angle * way;
      return this.sample(at, [(1 - way) * tx - turn * dy, (1 - way) * ty + turn * dx]);
    });
  }

  /** The nearest place where a hand in this seat may hold the cup. */
  kept([x, y, z]) {
    const { half, sign, at: was } = this;
    const { cup } = this.table.player.index;
    const over = half + cup.radius + CLEAR;
    const place = [clamp(x, -0.6, 0.6), sign * clamp(sign * y, -0.6, -CLEAR), z];
    if (z < this.lifted - CLEAR && Math.max(Math.abs(place[0]), Math.abs(place[1])) <= over) {
      // Nothing low comes over the board: it stays on the side where it was.
      const side = Math.abs(was[0]) > Math.abs(was[1]) ? 0 : 1;
      place[side] = Math.sign(was[side]) * (over + CLEAR);
    }
    return place;
  }

  get tilt() {
    const [vx, vy] = this.speed;
    const lean = Math.min(LEAN, MOST_LEAN / Math.max(Math.hypot(vx, vy), 1e-9));
    return [-lean * vy, lean * vx];
  }

  /** Stand where the cup is parked in a picture of another shape. */
  repark() {
    const [x, y] = this.parked;
    const there = Math.hypot(x - this.at[0], y - this.at[1]) < 1e-6;
    if (there || this.held || this.thrown || !this.thrower) return;
    this.begin();
    this.show();
  }

  /** Stand the cup beside the board again, unless it has thrown. */
  putBack(why) {
    if (this.thrown) return;
    this.pointer = this.moves = undefined;
    if (why) this.table.say(why);
    this.begin();
    this.show();
  }

  /** Where the cup goes in a hand that points there: over the own half, unless it is far beside the board. */
  get goal() {
    const { half, sign, target: [x, y], lifted } = this;
    const within = half - EDGE;
    const over = (value) => (Math.abs(value) < half + REACH ? clamp(value, -within, within) : value);
    return [over(x), sign * Math.min(over(sign * y), -EDGE), lifted];
  }

  /** Move the cup for one sample's time. */
  follow(step) {
    const { at, speed } = this;
    const goal = this.held ? this.goal : this.parked;
    if (this.keyed) {
      goal[0] += SWAY * Math.sin(2 * Math.PI * this.beat);
      if (this.beat) this.beat += step * BEAT;
      if (this.beat >= 1) this.beat = this.shaking ? this.beat - 1 : 0;
    }
    const pull = goal.map((value, k) => STIFF * STIFF * (value - at[k]) - 2 * STIFF * speed[k]);
    const strength = Math.min(1, PULL / Math.max(Math.hypot(...pull), 1e-9));
    const wished = speed.map((value, k) => value + step * strength * pull[k]);
    const limit = Math.min(1, SPEED / Math.max(Math.hypot(...wished), 1e-9));
    const next = this.kept(at.map((value, k) => value + step * limit * wished[k]));
    this.speed = next.map((value, k) => (value - at[k]) / step);
    this.at = next;
  }

  /** Go on with the hand and the engine, picture after picture, until nothing moves. */
  run() {
    if (this.running) return;
    this.running = true;
    this.clock = performance.now();
    const frame = (now) => {
      if (this.closed) return;
      this.goOn(now);
      this.running = !this.atRest;
      if (this.running) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  get atRest() {
    if (this.thrown) return this.thrower.over;
    return !this.held && (!this.thrower || this.calm >= SETTLE);
  }

  /** Move the hand up to a time [ms], whether pictures keep up or not; the path is the same. */
  moveTo(now) {
    const { thrower } = this;
    const step = 1 / (thrower?.again.own.rate ?? 64);
    const seconds = clamp((now - this.clock) / 1000, 0, LONGEST);
    this.clock = Math.max(this.clock, now);
    if (this.thrown) {
      this.elapsed += seconds;
      return;
    }
    this.due += seconds;
    for (; this.due >= step; this.due -= step) {
      if (this.moves) this.target = this.pointed(this.clock - 1000 * (this.due - step));
      this.follow(step);
      this.calm = Math.hypot(...this.speed) < UNMOVED ? this.calm + step : 0;
      // While nothing moves, no time goes by for the path.
      if (this.calm > SETTLE) continue;
      this.elapsed += step;
      thrower?.add(this.sample(this.at, this.tilt));
      const left = thrower ? thrower.again.own.most - TIP - 1 - thrower.samples.length : Infinity;
      if (left * step === WARNED) this.table.say(`In ${WARNED} seconds the cup lets go by itself.`);
      if (left <= 0) {
        this.letGo();
        return;
      }
    }
  }

  /** Simulate what the hand has done, and draw it. */
  goOn(now) {
    const { thrower } = this;
    this.moveTo(now - this.behind);
    thrower?.advance(this.elapsed, this.thrown);
    if (thrower?.over) this.finish();
    this.foresee();
    this.show();
  }

  /** Show before the release what would come of it, or why it may not be. */
  foresee() {
    const { held } = this;
    const warning = !held ? "" : !this.lawful ? ASIDE : this.sign * this.target[1] > OVER ? ACROSS : "";
    if (warning !== this.warning && (held || this.thrown)) this.table.say(warning || (this.keyed ? BY_KEYS : ""));
    this.warning = warning;
    const { heading, swing } = this.throwing;
    if (held && this.lawful) this.ghost?.advance(this.at, (turn, hurry) => this.tipped(heading + turn, swing * (1 + hurry)));
    else this.ghost?.clear();
  }

  /** Simulate the rest of a throw at once. */
  skip() {
    if (!this.thrown) return;
    this.thrower.advance(Infinity, true);
    this.show();
    this.finish();
  }

  /** Draw the cup and what is in it. */
  show() {
    const { player, sound } = this.table;
    if (!player) return;
    if (!this.thrower?.steps) {
      if (!this.held) player.park(this.sign, this.numbers);
      else player.held = { position: this.at, rotation: IDLE, numbers: this.numbers, depth: 2 * player.index.cup.half, warns: this.warning !== "" };
    } else {
      const { cup: at, bodies } = this.thrower.now;
      const poses = new Map(bodies.map((pose, k) => [this.actors[k], pose]));
      player.held = { position: at?.position ?? null, rotation: at?.rotation ?? IDLE, numbers: this.numbers, poses, spots: this.ghost.spots(this.at), warns: this.warning !== "" };
      this.listen(bodies, sound);
    }
    player.dirty = true;
  }

  /** Let it be heard how suddenly bodies change their velocity. */
  listen(bodies, sound) {
    const { time } = this.thrower;
    const before = this.heard;
    const span = time - (before?.time ?? 0);
    if (before && span <= 0) return;
    const velocity = bodies.map(({ position }, k) => (before ? position.map((value, axis) => (value - before.at[k][axis]) / span) : [0, 0, 0]));
    if (before?.velocity && span < 0.1) {
      velocity.forEach((now, k) => sound.hit(Math.hypot(...now.map((value, axis) => value - before.velocity[k][axis] + (axis === 2 ? 9.81 * span : 0)))));
    }
    this.heard = { time, at: bodies.map(({ position }) => position), velocity: before ? velocity : null };
  }

  /** Turn the throw of the button by some angle [rad], and swing the cup harder [m/s]. */
  steer(turn, harder) {
    const { heading = 0, swing = this.table.hand.swing } = this.hold;
    this.hold = { ...this.hold, heading: clamp(heading + turn, -WIDEST, WIDEST), swing: clamp(swing + harder, 0, FASTEST) };
    this.touched = true;
    const [degrees, speed] = [Math.round((180 * this.hold.heading) / Math.PI), this.hold.swing.toFixed(1)];
    this.table.say(`The cup is swung at ${speed} m/s, ${degrees ? `${Math.abs(degrees)}° to the ${degrees > 0 ? "right" : "left"}` : "straight ahead"}.`);
  }

  lift(height) {
    this.hold = { ...this.hold, height: clamp(height, LOWEST, HIGHEST) };
    this.touched = true;
    this.show();
  }
}
