// Piggles on the table in 3D as targets: they are pressed, lit, and explained in words.

import { svg } from "./art.js";
import { byId, el } from "./dom.js";

export const STILL = 6; // pixels within which a press is no drag
const LONG = 450; // press of a finger that asks for words [ms]
const REACH = 1.5; // radii of a body within which it is meant

export class Targets {
  /** `pick` hears of a Piggle that is pressed, and says whether that means anything; `rest` returns the words for one, or hears null. */
  constructor(table, { pick, rest }) {
    Object.assign(this, { table, pick, rest, lights: new Map(), shown: null });
    this.rings = svg("svg", { id: "rings", "aria-hidden": "true" });
    this.tip = el("p", { class: "tip", role: "tooltip", hidden: true });
    byId("canvas").after(this.rings, this.tip);
    table.onDrawn = () => this.place();
    const place = byId("canvas");
    place.addEventListener("pointermove", (event) => event.pointerType !== "touch" && this.show(event.buttons ? null : this.near(event)));
    place.addEventListener("pointerleave", (event) => event.pointerType !== "touch" && this.show(null)); // words for a finger stay
    place.addEventListener("pointerdown", (event) => {
      this.down = event;
      clearTimeout(this.long);
      this.show(null);
      if (event.pointerType === "touch") this.long = setTimeout(() => this.show(this.near(event)), LONG);
    });
    place.addEventListener("pointerup", (event) => {
      clearTimeout(this.long);
      const { down } = this;
      this.down = null;
      if (!down || Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > STILL || event.timeStamp - down.timeStamp > LONG) return;
      const name = this.near(event);
      if (name) this.pick(name);
    });
    const labelled = (event) => this.actors[[...table.labels.querySelectorAll("button")].indexOf(event.target.closest("button"))]?.name ?? null;
    table.labels.addEventListener("pointerover", (event) => this.show(labelled(event)));
    table.labels.addEventListener("pointerout", () => this.show(null));
    table.labels.addEventListener("click", (event) => {
      if (this.live && this.pick(labelled(event))) event.stopPropagation();
    }, true);
  }

  get actors() {
    return this.table.player?.chapter?.actors ?? [];
  }

  /** Whether the table shows Piggles at rest. */
  get live() {
    return !this.table.running && !this.table.grip?.held && byId("felt").hidden;
  }

  has(name) {
    return this.live && this.actors.some((actor) => actor.name === name);
  }

  /** The name of the Piggle under a pointer. */
  near({ clientX, clientY }) {
    if (!this.live) return null;
    const box = byId("canvas").getBoundingClientRect();
    let best = null;
    (this.table.player?.anchors ?? []).forEach((at, k) => {
      const far = at ? Math.hypot(clientX - box.left - at.x, clientY - box.top - at.y) / Math.max(at.size * REACH, 12) : Infinity;
      if (far < 1 && (best === null || far < best.far)) best = { far, name: this.actors[k]?.name };
    });
    return best?.name ?? null;
  }

  light(names, manner = "lit") {
    this.lights.set(manner, new Set(names));
    this.place();
  }

  clear() {
    this.lights.clear();
    this.show(null);
    this.place();
  }

  close() {
    this.clear();
    this.shown = null;
  }

  /** Say what a Piggle is; null says nothing. */
  show(name) {
    if (name === this.shown) return;
    this.shown = name;
    const words = this.rest(name);
    const actor = this.actors.find((each) => each.name === name);
    const points = actor?.points ? `${actor.points} ${actor.points === 1 ? "point" : "points"}` : "";
    this.tip.hidden = !actor;
    if (actor) this.tip.replaceChildren(el("b", {}, [name, `${actor.mark} ${actor.reading}`.trim(), points].filter(Boolean).join(" \u00b7 ")), ...words.map((text) => el("span", {}, text)));
    this.place();
  }

  /** Put rings and words where the Piggles are in the picture. */
  place() {
    const anchors = this.live ? this.table.player?.anchors ?? [] : [];
    const rings = [];
    anchors.forEach((at, k) => {
      const { name } = this.actors[k] ?? {};
      const manners = [...this.lights].filter(([, names]) => names.has(name)).map(([manner]) => manner);
      if (at && name === this.shown) manners.push("near");
      if (at && manners.length) rings.push(svg("circle", { class: manners.join(" "), cx: at.x.toFixed(1), cy: at.y.toFixed(1), r: (at.size * 1.45).toFixed(1) }));
    });
    this.rings.replaceChildren(...rings);
    const at = anchors[this.actors.findIndex((actor) => actor.name === this.shown)];
    if (!at) this.tip.hidden = true;
    if (!at || this.tip.hidden) return;
    const [wide, high] = [this.tip.offsetWidth, this.tip.offsetHeight];
    const room = byId("canvas");
    this.tip.style.left = `${Math.min(Math.max(at.x - wide / 2, 4), room.clientWidth - wide - 4)}px`;
    this.tip.style.top = `${at.y - at.size * 1.8 - high > 4 ? at.y - at.size * 1.8 - high : at.y + at.size * 1.8}px`;
  }
}
