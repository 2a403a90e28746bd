// Readings beside the Piggles once they rest, one after the other; no label covers another.

import { clamp } from "./vectors.js";

const MODES = ["readings", "names", "none"];
const SVG = "http://www.w3.org/2000/svg";
const SOON = 1e-4; // times are kept to so much [s]
const [POP, NEXT, FLIGHT] = [300, 70, 600]; // of a label that appears, until the next one, of points [ms]

const square = ({ x, y }, half) => ({ left: x - half, right: x + half, top: y - half, bottom: y + half });

/** The area that two boxes share. */
function shared(one, other) {
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return Math.max(wide, 0) * Math.max(high, 0);
}

/** Let some points fly from one element of the page to another after a delay; resolves when they are there. */
export function flyPoints(from, goal, { points, colour }, delay = 0) {
  const sign = document.body.appendChild(document.createElement("b"));
  sign.className = "points";
  sign.textContent = `+${points}`;
  sign.style.setProperty("--owner", colour);
  const [start, end] = [from, goal].map((each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    return `translate(${left + width / 2}px, ${top + height / 2}px) translate(-50%, -50%)`;
  });
  const flight = sign.animate([{ transform: start, opacity: 1 }, { transform: end, opacity: 1, offset: 0.9 }, { transform: end, opacity: 0 }],
    { duration: FLIGHT, delay, easing: "cubic-bezier(.5, -.2, .6, 1)", fill: "both" });
  return flight.finished.finally(() => sign.remove());
}

export class Labels {
  /** Called with the number of an actor whose label was pressed. */
  constructor(place, onPress) {
    this.place = place;
    this.onPress = onPress;
    this.mode = MODES[0];
    this.stems = place.appendChild(document.createElementNS(SVG, "svg"));
    this.items = [];
  }

  load(actors) {
    for (const { box, stem } of this.items) for (const old of [box, stem]) old.remove();
    this.items = actors.map((actor, number) => {
      const box = document.createElement("button");
      box.type = "button";
      box.style.setProperty("--owner", actor.colour);
      box.title = `Follow ${actor.name}, or let it go`;
      const name = box.appendChild(document.createElement("b"));
      const reading = box.appendChild(document.createElement("span"));
      box.addEventListener("click", () => this.onPress(number));
      this.place.appendChild(box);
      const stem = this.stems.appendChild(document.createElementNS(SVG, "line"));
      return { actor, box, name, reading, stem, settled: null, hidden: true };
    });
  }

  cycle() {
    this.mode = MODES[(MODES.indexOf(this.mode) + 1) % MODES.length];
  }

  /**
   * Show labels at points of the picture [pixels], or null if hidden: readings of what rests, or all
   * names. If `lively`, those that appear do so one after the other.
   */
  draw(anchors, time, followed, lively = false) {
    let appeared = 0;
    this.items.forEach((item, k) => {
      const rests = time >= item.actor.rest - SOON;
      const shown = anchors[k] && (this.mode === "names" || (this.mode === "readings" && (rests || k === followed)));
      item.box.hidden = !shown;
      item.stem.toggleAttribute("hidden", !shown);
      item.box.classList.toggle("followed", k === followed);
      this.update(item, this.mode === "readings" && rests);
      if (shown && item.hidden && lively) {
        const timing = { duration: POP, delay: NEXT * appeared, easing: "cubic-bezier(.2, 1.6, .4, 1)", fill: "backwards" };
        item.box.animate([{ opacity: 0, scale: 0.4 }, { opacity: 1, scale: 1 }], timing);
        appeared += 1;
      }
      item.hidden = !shown;
    });
    if (this.mode === "none") return;
    // Bodies near the eye first: they get their preferred spots.
    const order = this.items.map((_, k) => k).filter((k) => !this.items[k].hidden).sort((a, b) => anchors[b].y - anchors[a].y);
    const things = anchors.filter(Boolean).map((at) => square(at, at.size));
    const taken = [];
    for (const k of order) {
      const { box, stem } = this.items[k];
      const spot = this.spot(anchors[k], box.offsetWidth, box.offsetHeight, [...things, ...taken]);
      taken.push(spot);
      box.style.transform = `translate(${spot.left.toFixed(1)}px, ${spot.top.toFixed(1)}px)`;
      const ends = { x1: anchors[k].x, y1: anchors[k].y, x2: (spot.left + spot.right) / 2, y2: (spot.top + spot.bottom) / 2 };
      for (const [end, value] of Object.entries(ends)) stem.setAttribute(end, value.toFixed(1));
    }
  }

  /** Let the points of the actors that fit fly to an element of the page, one after the other; resolves when they are there. */
  async fly(goal, fits) {
    const paid = this.items.filter(({ actor, hidden }) => actor.points && !hidden && fits(actor));
    await Promise.all(paid.map(({ actor, box }, k) => flyPoints(box, goal, actor, NEXT * k)));
  }

  /** The spot around a body where a label covers the least; above it if possible. */
  spot({ x, y, size }, wide, high, others) {
    const [across, up] = [size + wide / 2 + 4, size + high / 2 + 4];
    const middles = [[0, -up], [across, 0], [-across, 0], [0, up], [across, -up], [-across, -up], [across, up], [-across, up]];
    const far = middles.map(([dx, dy]) => [1.9 * dx, 1.9 * dy]);
    const [right, bottom] = [this.place.clientWidth - wide - 2, this.place.clientHeight - high - 2];
    let best = null;
    [...middles, ...far].forEach(([dx, dy], k) => {
      const left = clamp(x + dx - wide / 2, 2, Math.max(2, right));
      const top = clamp(y + dy - high / 2, 2, Math.max(2, bottom));
      const box = { left, top, right: left + wide, bottom: top + high };
      const cost = others.reduce((sum, other) => sum + shared(box, other), 0) + 6 * k;
      if (best === null || cost < best.cost) best = { ...box, cost };
    });
    return best;
  }

  /** Rewrite a label whose text has changed. */
  update(item, settled) {
    if (item.settled === settled) return;
    item.settled = settled;
    const { actor } = item;
    const points = actor.points ? ` \u00b7 ${actor.points}` : "";
    item.name.textContent = settled ? actor.face ?? `${actor.mark} ${actor.name}${points}`.trim() : actor.name;
    item.reading.textContent = settled ? actor.reading : "";
  }
}
