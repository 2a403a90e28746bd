// The phone as the cup: its motion moves the cup, tipping it pours, and impacts are felt.

import { PHONE } from "./hand.js";
import { clamp } from "./vectors.js";
import { el } from "./dom.js";

const SHAKE = 3; // acceleration that takes the cup [m/s2]
const TIPPED = Math.PI / 3; // by which the phone is turned when it pours [rad]
const FADE = 0.3; // in which a motion is forgotten, since errors of the sensors add up [s]
const REACH = 0.12; // of the cup from where it is usually held [m]
const PATIENCE = 1500; // for the first motion [ms]
const PULSE = [5, 25]; // of the softest and the hardest impact [ms]
const OFF = "The phone is the cup";
const ON = "Lay the phone down";
const HOW = "Shake the phone to shake the cup, swing it and tip it to pour.";
const REFUSED = "The browser refuses the motion of this phone. Allow motion sensors in its settings, then reload this page.";
const INSECURE = "A browser gives the motion of the phone to pages over https only.";
const NONE = "No motion arrives: this device has no sensor for it, or the browser holds it back. A finger moves the cup, too.";

const axes = ({ x, y, z }) => [x, y, z].map(Number);

function angleBetween(a, b) {
  const dot = a.reduce((sum, value, k) => sum + value * b[k], 0);
  return Math.acos(clamp(dot / Math.max(Math.hypot(...a) * Math.hypot(...b), 1e-9), -1, 1));
}

export class Phone {
  constructor(table) {
    this.table = table;
    this.node = el("button", { type: "button", id: "phone", hidden: !navigator.maxTouchPoints, onclick: () => (this.on ? this.end() : this.begin()) }, OFF);
    this.listener = (event) => this.move(event);
  }

  /** Ask for the sensors, as some browsers let a page do at a press of a button alone. */
  async begin() {
    const kind = window.DeviceMotionEvent;
    const answer = isSecureContext && kind?.requestPermission ? await kind.requestPermission().catch(() => "denied") : "granted";
    if (!isSecureContext || !kind || answer !== "granted") {
      this.table.say(!isSecureContext ? INSECURE : kind ? REFUSED : NONE);
      return;
    }
    Object.assign(this, { on: true, seen: false, sign: 0, time: performance.now(), speed: [0, 0], at: [0, 0] });
    addEventListener("devicemotion", this.listener);
    this.table.sound.feel = (strength) => navigator.vibrate?.(Math.round(PULSE[0] + (PULSE[1] - PULSE[0]) * strength));
    this.show(HOW);
    setTimeout(() => this.on && !this.seen && this.end(NONE), PATIENCE);
  }

  end(why = "") {
    this.on = false;
    removeEventListener("devicemotion", this.listener);
    this.table.sound.feel = null;
    if (this.table.grip?.pointer === PHONE) this.table.grip.putBack();
    this.show(why);
  }

  show(text) {
    this.node.textContent = this.on ? ON : OFF;
    this.node.setAttribute("aria-pressed", String(this.on));
    this.table.say(text);
  }

  /** Follow a motion of the phone: sideways and, away from the person, ahead. */
  move({ acceleration, accelerationIncludingGravity: whole, timeStamp }) {
    const { grip } = this.table;
    if (typeof acceleration?.x !== "number" || typeof whole?.x !== "number") return;
    this.seen = true;
    const step = clamp((timeStamp - this.time) / 1000, 0.001, 0.1); // some browsers give their interval in seconds
    this.time = timeStamp;
    const turn = ((screen.orientation?.angle ?? 0) * Math.PI) / 180;
    const seen = ([x, y]) => [x * Math.cos(turn) - y * Math.sin(turn), x * Math.sin(turn) + y * Math.cos(turn)];
    const [felt, moved] = [axes(whole), axes(acceleration)];
    const up = felt.map((value, k) => value - moved[k]);
    // Some browsers turn every sign round. Who has just pressed the button looks at the screen: its face or its upper edge is up.
    this.sign ||= Math.sign(seen(up)[1] + up[2]);
    const push = seen(moved).map((value) => this.sign * value);
    const fade = Math.exp(-step / FADE);
    this.speed = this.speed.map((value, k) => fade * (value + step * push[k]));
    this.at = this.at.map((value, k) => clamp(fade * (value + step * this.speed[k]), -REACH, REACH));
    if (!grip?.free) return;
    if (grip.pointer !== PHONE) this.level = up;
    if (grip.pointer === PHONE || Math.hypot(...push) > SHAKE) grip.swing(...this.at, timeStamp);
    if (grip.pointer === PHONE && grip.lawful && angleBetween(up, this.level) > TIPPED) grip.letGo();
  }
}
