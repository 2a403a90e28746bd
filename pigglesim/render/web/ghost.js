// Where the bodies would land if the cup were let go now. A second engine goes on from where that of
// the hand is, a little in each picture, so the throw is not changed and no picture waits.

const BUDGET = 2; // of one picture [ms]
const SLICE = 0.004; // simulated between two looks at the clock [s]
const LATEST = 3; // throws that are seen
const FADE = 250; // of the newest and of the oldest [ms]
// Each throw tips a little otherwise: a hand is no machine, and the ghost shows a spread, not the result.
const VEER = 0.12; // [rad]
const HASTE = 0.15; // share of the swing

export class Ghost {
  /** `thrower` is the engine of a hand. */
  constructor(thrower) {
    this.thrower = thrower;
    this.throws = []; // the latest, where each body would land beside the cup [m]
    // Without the memory for a second engine there is no ghost.
    thrower.twin().then((twin) => { this.twin = twin; }, () => {});
  }

  /** Forget what was seen. */
  clear() {
    this.throws = [];
    this.from = null;
  }

  /** Go on for one picture; `tip` returns the samples of a cup that tips now, turned and hurried by two numbers. */
  advance([x, y], tip) {
    const { twin, thrower } = this;
    if (!twin) return;
    const began = performance.now();
    if (!this.from) {
      this.from = [x, y];
      twin.follow(thrower);
      for (const sample of tip(VEER * (2 * Math.random() - 1), HASTE * (2 * Math.random() - 1))) twin.add(sample);
    }
    while (!twin.over && performance.now() - began < BUDGET) twin.advance(twin.time + SLICE, true);
    if (!twin.over) return;
    const spots = twin.now.bodies.slice(0, twin.count).map(({ position }) => [position[0] - this.from[0], position[1] - this.from[1]]);
    this.throws = [{ spots, since: performance.now() }, ...this.throws].slice(0, LATEST + 1);
    this.from = null;
  }

  /** Where bodies would land from a cup that is here [m], and how strongly each is seen, from 0 to 1. */
  spots([x, y]) {
    const [newest] = this.throws;
    if (!newest) return [];
    const shown = Math.min((performance.now() - newest.since) / FADE, 1);
    const weight = (k) => (k === 0 ? shown : k === LATEST ? 1 - shown : 1);
    return this.throws.flatMap(({ spots }, k) => spots.map(([dx, dy]) => ({ at: [x + dx, y + dy], weight: weight(k) / LATEST })));
  }
}
