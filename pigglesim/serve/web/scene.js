// Things on the table: each keeps its element, and goes from where it was to where it is.

import { el } from "./dom.js";

const FLIGHT = 420; // at pace 1 [ms]

export class Scene {
  constructor(place) {
    this.place = place;
    this.things = [];
    this.flight = FLIGHT;
  }

  clear() {
    for (const { node } of this.things) node.remove();
    this.things = [];
  }

  /**
   * Show things: `kind` is what one is ("" if unknown), `at` the place where it lies, `x`, `y`, `angle`, `scale` how,
   * `look` how it is drawn now, by `draw`. One that is new comes from `from(thing)`, one that is gone leaves to `to(thing)`.
   * Returns whether anything has moved.
   */
  show(things, { still, pace, from, to }) {
    this.flight = FLIGHT / Math.max(pace, 0.5);
    const before = this.pair(things);
    let moved = false;
    for (const thing of things) {
      const old = thing.old;
      const start = old ?? (still ? null : from(thing));
      thing.node = old?.node ?? el("div", { class: "thing" });
      if (thing.look !== old?.look) {
        thing.node.replaceChildren(thing.draw());
        if (old && !still && old.turn !== thing.turn) thing.node.firstChild.animate([{ transform: "rotateY(90deg)" }, { transform: "none" }], this.flight / 2);
      }
      thing.node.className = `thing ${thing.shape}`;
      if (thing.id) thing.node.dataset.id = thing.id;
      else delete thing.node.dataset.id;
      thing.node.title = thing.text ?? "";
      if (!old) this.place.append(thing.node);
      const far = start ? Math.hypot(start.x - thing.x, start.y - thing.y) : 0;
      this.put(thing, thing);
      if (!still && far > 2) {
        moved ||= start.at !== thing.at || !old;
        this.fly(thing.node, start, thing, start.at !== thing.at);
      } else if (!still && !old) {
        thing.node.animate([{ opacity: 0 }, { opacity: 1 }], this.flight / 2);
      }
    }
    for (const old of before) {
      const end = still ? null : to(old);
      if (still) old.node.remove();
      else {
        moved = true;
        this.fly(old.node, old, end ?? old, true, !end).finished.then(() => old.node.remove(), () => old.node.remove());
        delete old.node.dataset.id;
      }
    }
    this.things = things;
    return moved;
  }

  put({ node }, { x, y, z, angle = 0, scale = 1 }) {
    node.style.zIndex = String(z ?? 0);
    node.style.transform = this.transform({ x, y, angle, scale });
  }

  transform({ x, y, angle = 0, scale = 1 }) {
    return `translate(${x}px, ${y}px) translate(-50%, -50%) rotate(${angle}deg) scale(${scale})`;
  }

  fly(node, start, end, above, fades = false) {
    const frames = [start, end].map((each, k) => ({ transform: this.transform(each), opacity: fades && k ? 0 : 1, ...(above ? { zIndex: 500 } : {}) }));
    return node.animate(frames, { duration: this.flight, easing: "cubic-bezier(.3, .8, .3, 1)" });
  }

  /** Give each thing the one that it was, in `old`; return those that are gone. */
  pair(things) {
    const left = new Set(this.things);
    const same = [
      (one, other) => one.kind && one.kind === other.kind && one.at === other.at,
      (one, other) => one.kind && one.kind === other.kind,
      (one, other) => !one.kind && one.at === other.at && !other.kind,
      (one, other) => one.shape === other.shape && one.at === other.at && (!one.kind || !other.kind),
      (one, other) => one.loose && other.loose && (!one.kind || !other.kind),
    ];
    for (const fits of same) {
      for (const thing of things) {
        if (thing.old) continue;
        let best = null;
        for (const other of left) {
          const far = Math.hypot(thing.x - other.x, thing.y - other.y);
          if (fits(thing, other) && (best === null || far < best.far)) best = { other, far };
        }
        if (!best) continue;
        left.delete(best.other);
        thing.old = best.other;
        best.other.old = null; // or the whole past would stay in memory
      }
    }
    return left;
  }
}
