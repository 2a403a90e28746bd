// A person's hand: it takes the cup, moves and shakes it, and lets go; how it moved is the throw.

import { add, clamp, scaled } from "./vectors.js";

const RECENT = 90; // time whose motion counts at the release [ms]
const SLOW = 0.25; // slower hands just tip the cup [m/s]
const NEAR = 90; // of the cup on the screen within which a press takes it [pixels]
const WIDEST = Math.PI / 3;
const FASTEST = 2;
const LOWEST = 0.0508;
const HIGHEST = 0.25;

export class Hand {
  /** `onRelease` is called once the cup was let go, with its motion in `hold`; the table must have a player. */
  constructor(table, seat, onRelease) {
    this.table = table;
    this.sign = seat === "B" ? -1 : 1;
    this.onRelease = onRelease;
    const { hand } = table;
    this.hold = { across: hand.across, back: hand.back, height: hand.height };
    this.touched = false;
    this.path = [];
    this.numbers = [];
    const { canvas } = table;
    this.listeners = {
      pointerdown: (event) => this.take(event),
      pointermove: (event) => this.move(event),
      pointerup: (event) => this.release(event),
      pointercancel: () => this.drop(),
    };
    for (const [kind, listener] of Object.entries(this.listeners)) canvas.addEventListener(kind, listener, true);
    this.canvas = canvas;
    this.place();
  }

  /** Let the cup be: its listeners and its picture go. */
  close() {
    for (const [kind, listener] of Object.entries(this.listeners)) this.canvas.removeEventListener(kind, listener, true);
    if (this.table.player) this.table.player.held = null;
    this.table.touch();
  }

  /** Put these actors, by number, into the cup. */
  fill(numbers) {
    this.numbers = numbers;
    this.place();
  }

  get travel() {
    return this.table.hand.start - this.table.hand.back;
  }

  /** Where the cup is in the world [m]. */
  get position() {
    const { across, back, height } = this.hold;
    const { hand } = this.table;
    return [this.sign * across, -this.sign * (back + this.travel), hand.centre + height - hand.height];
  }

  place() {
    const { player } = this.table;
    if (!player) return;
    // Until it is taken, the cup stands beside the board, which can so be read.
    if (this.touched || this.pointer !== undefined) player.held = { position: this.position, rotation: [0, 0, 0, 1], numbers: this.numbers, depth: this.table.cup.depth };
    else player.park(this.sign, this.numbers);
    player.dirty = true;
  }

  /** Point of the plane at the cup's height under the pointer. */
  point(event) {
    const { camera } = this.table.player;
    const box = this.canvas.getBoundingClientRect();
    const x = (2 * (event.clientX - box.left)) / box.width - 1;
    const y = 1 - (2 * (event.clientY - box.top)) / box.height;
    const ray = camera.ray(x, y);
    const { eye } = camera;
    if (ray[2] > -1e-3) return null;
    return add(eye, scaled(ray, (this.position[2] - eye[2]) / ray[2]));
  }

  take(event) {
    const { player } = this.table;
    if (!player || !player.held || event.button > 0 || this.pointer !== undefined) return;
    const at = player.anchor(player.held);
    const box = this.canvas.getBoundingClientRect();
    if (!at || Math.hypot(event.clientX - box.left - at.x, event.clientY - box.top - at.y) > NEAR) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.canvas.setPointerCapture(event.pointerId);
    this.pointer = event.pointerId;
    this.path = [];
    const point = this.touched && this.point(event); // a parked cup comes under the pointer
    this.offset = point ? [this.position[0] - point[0], this.position[1] - point[1]] : [0, 0];
  }

  move(event) {
    if (event.pointerId !== this.pointer) return;
    event.stopImmediatePropagation();
    const point = this.point(event);
    if (!point) return;
    const half = this.table.player.index.board / 2;
    const x = point[0] + this.offset[0];
    const y = point[1] + this.offset[1];
    this.path.push([event.timeStamp, x, y]);
    this.hold = {
      ...this.hold,
      across: clamp(this.sign * x, -half, half),
      back: clamp(-this.sign * y - this.travel, 0, half),
    };
    this.touched = true;
    this.place();
  }

  release(event) {
    if (event.pointerId !== this.pointer) return;
    event.stopImmediatePropagation();
    this.pointer = undefined;
    if (this.path.length < 2) return;
    const [now, x, y] = this.path[this.path.length - 1];
    const first = this.path.find(([time]) => now - time <= RECENT);
    const seconds = Math.max((now - first[0]) / 1000, 1e-3);
    const across = (this.sign * (x - first[1])) / seconds;
    const ahead = (this.sign * (y - first[2])) / seconds;
    const speed = event.timeStamp - now > RECENT ? 0 : Math.hypot(across, ahead);
    if (speed > SLOW && ahead > 0) {
      this.hold.heading = clamp(Math.atan2(across, ahead), -WIDEST, WIDEST);
      this.hold.swing = Math.min(speed, FASTEST);
    }
    this.onRelease();
  }

  drop() {
    this.pointer = undefined;
    this.place();
  }

  /** Turn the throw by some angle [rad], and swing the cup harder [m/s]. */
  steer(turn, harder) {
    const { heading = 0, swing = this.table.hand.swing } = this.hold;
    this.hold = { ...this.hold, heading: clamp(heading + turn, -WIDEST, WIDEST), swing: clamp(swing + harder, 0, FASTEST) };
    this.touched = true;
    const [degrees, speed] = [Math.round((180 * this.hold.heading) / Math.PI), this.hold.swing.toFixed(1)];
    return `The cup is swung at ${speed} m/s, ${degrees ? `${Math.abs(degrees)}° to the ${degrees > 0 ? "right" : "left"}` : "straight ahead"}.`;
  }

  lift(height) {
    this.hold = { ...this.hold, height: clamp(height, LOWEST, HIGHEST) };
    this.touched = true;
    this.place();
  }
}

