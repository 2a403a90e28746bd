// The table in 3D on the page: films, boards at rest, and the cup in a person's hand.

import { Film, inflated } from "./film.js";
import { listenToPointers } from "./hands.js";
import { Player } from "./player.js";
import { contacts } from "./sound.js";
import { byId, el } from "./dom.js";

const MOST = 0.25; // of film time that one frame may take [s]

export class Table {
  constructor(sound) {
    this.sound = sound;
    this.player = null;
    this.labels = byId("labels");
    this.night = matchMedia("(prefers-color-scheme: dark)");
    this.calm = matchMedia("(prefers-reduced-motion: reduce)");
    this.night.addEventListener("change", () => this.touch());
    this.waiting = null;
    this.contacts = null;
    new ResizeObserver(() => this.touch()).observe(byId("canvas"));
    this.listen();
  }

  /** What the player asks of the page that it stands on. */
  get dark() {
    return this.night.matches;
  }

  /** Take the meshes of a table; a page without WebGL 2 is told so. */
  async lay(message) {
    const buffer = await inflated(message.packed);
    this.canvas = el("canvas", { id: "stage", tabindex: "0", "aria-label": "The table in 3D: drag, or arrow keys, turn it; + and - zoom" });
    byId("canvas").replaceChildren(this.canvas);
    this.labels.replaceChildren();
    this.hand = message.hand;
    this.cup = message.cup;
    const view = this.player?.camera.view;
    try {
      this.player = new Player(this, message.index, buffer);
    } catch {
      this.player = null;
      byId("caption").textContent = "This browser shows no WebGL 2, so the table is told in words.";
      return;
    }
    if (view) this.player.camera.view = view;
    listenToPointers(this.canvas, this.player);
    this.canvas.addEventListener("webglcontextlost", () => location.reload());
    this.canvas.addEventListener("keydown", (event) => this.turn(event));
    for (const kind of ["pointermove", "wheel"]) this.canvas.addEventListener(kind, () => this.touch());
    this.onLaid?.();
  }

  /** Arrow keys turn the table, with Shift they move it; + and - zoom. */
  turn(event) {
    const { camera } = this.player;
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] }[event.key];
    const zoom = { "+": 0.88, "=": 0.88, "-": 1 / 0.88 }[event.key];
    if (zoom) camera.zoom(zoom);
    else if (step && event.shiftKey) camera.pan(...step);
    else if (step) camera.orbit(...step);
    else return;
    event.preventDefault();
    this.touch();
  }

  /** Show a chapter at rest. */
  async board(chapter) {
    await this.show(chapter);
    this.player?.clock.seek(Infinity);
    byId("film").hidden = true;
    this.touch();
  }

  async show(chapter) {
    if (!this.player) return;
    const buffer = await inflated(chapter.packed);
    this.player.show(chapter, new Film(buffer, chapter.film));
    this.contacts = null;
  }

  /** Play a film from a time [s], at a multiple of the chosen speed; resolves when it has been seen, or skipped. */
  async play(chapter, from = 0, pace = 1) {
    await this.show(chapter);
    if (!this.player || chapter.film.times.rows < 2) {
      this.touch();
      return;
    }
    byId("film").hidden = false;
    const { clock } = this.player;
    clock.speed = pace * Number(byId("speed").value);
    clock.seek(this.calm.matches || document.hidden ? Infinity : from);
    clock.play();
    if (this.calm.matches || document.hidden) clock.seek(Infinity);
    this.touch();
    await new Promise((resolve) => {
      this.waiting = resolve;
      // A page that nobody sees draws nothing, and must not wait for it.
      document.addEventListener("visibilitychange", () => document.hidden && this.skip(), { once: true });
    });
  }

  /** Go to the end of the film. */
  skip() {
    if (!this.player) return;
    this.player.clock.seek(Infinity);
    this.player.clock.pause();
    this.touch();
  }

  get running() {
    return this.waiting !== null;
  }

  /** Draw anew. */
  touch() {
    if (this.player) this.player.dirty = true;
  }

  /** Draw until nothing moves any more; the player calls it when something has changed. */
  wake() {
    if (this.frame || !this.player) return;
    this.last = null;
    const tick = (now) => {
      const { player } = this;
      const seconds = this.last === null ? 0 : Math.min((now - this.last) / 1000, MOST);
      this.last = now;
      const before = player.clock.time;
      player.clock.advance(seconds);
      if (this.sound.on && player.clock.playing) {
        this.contacts ??= contacts(player.film);
        this.sound.between(this.contacts, before, player.clock.time);
      }
      player.keepUp(seconds);
      player.draw();
      this.writeBar();
      if (this.waiting && player.clock.ended) {
        const done = this.waiting;
        this.waiting = null;
        done();
      }
      this.frame = player.still ? null : requestAnimationFrame(tick);
    };
    this.frame = requestAnimationFrame(tick);
  }

  writeBar() {
    const { clock } = this.player;
    byId("scrub").value = String(1000 * ((clock.time - clock.start) / (clock.end - clock.start || 1)));
    byId("play").classList.toggle("playing", clock.playing);
  }

  listen() {
    const on = (id, kind, deed) => byId(id).addEventListener(kind, () => {
      if (!this.player) return;
      deed(this.player, byId(id));
      this.touch();
    });
    on("again", "click", ({ clock }) => {
      clock.seek(clock.start);
      clock.play();
    });
    on("play", "click", ({ clock }) => (clock.playing ? clock.pause() : clock.play()));
    on("scrub", "input", ({ clock }, { value }) => {
      clock.pause();
      clock.seek(clock.start + (clock.end - clock.start) * (value / 1000));
    });
    on("speed", "change", ({ clock }, { value }) => { clock.speed = Number(value); });
    on("show", "change", ({ labels }, { value }) => { labels.mode = value; });
    on("view", "change", (player, { value }) => {
      player.followed = null;
      player.camera.see(value);
    });
  }

  /** See the table from a player's side, unless a person has chosen otherwise. */
  seat(seat) {
    if (!this.player || this.player.camera.free || byId("view").dataset.chosen) return;
    const view = seat === "B" ? "north" : "south";
    byId("view").value = view;
    this.player.camera.see(view);
    this.touch();
  }
}
