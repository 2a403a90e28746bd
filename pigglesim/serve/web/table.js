// The table in 3D on the page: films, boards at rest, and the cup in a person's hand.

import { Film, inflated } from "./film.js";
import { Hand } from "./hand.js";
import { listenToBar, listenToPointers, listenToShaking, writeBar } from "./controls.js";
import { Phone } from "./phone.js";
import { Player } from "./player.js";
import { Thrower, unpacked } from "./thrower.js";
import { contacts } from "./sound.js";
import { byId, el, slider } from "./dom.js";

const INCH = 0.0254;
const ROOMY = 450; // height of a picture [pixels]

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
    listenToBar(this);
    listenToShaking(this);
    this.phone = new Phone(this);
    this.height = slider("height", { low: 2, high: 9.5, step: 0.1, value: 2.8, unit: " in", onchange: (value) => this.grip?.lift(value * INCH) });
  }

  /**
   * Put the cup of a person beside the board. `prepare` asks the server for what simulates the throw
   * of these actors, by name; `onThrow` is called when they let the cup go, with their throw or null.
   */
  give(seat, { prepare, onThrow }) {
    this.takeBack();
    if (!this.player) return;
    this.prepare = prepare;
    this.grip = new Hand(this, seat, onThrow);
    this.height.value = this.grip.hold.height / INCH;
  }

  /** Put these actors, by name, into the cup. */
  fill(names) {
    if (!this.grip || this.grip.thrown) return;
    const { actors } = this.player.chapter;
    this.grip.fill(actors.flatMap(({ name }, k) => (names.includes(name) ? [k] : [])));
    if (names.length) this.prepare(names);
  }

  /** Take what simulates the throw of the cup in hand. */
  async prepared({ kit, packed, image }) {
    const { grip } = this;
    if (!kit || !grip || grip.thrown) return;
    const actors = kit.names.map((name) => this.player.chapter.actors.findIndex((actor) => actor.name === name));
    const rolled = actors.slice(0, kit.rolled).sort().join();
    // The answer to an earlier choice is of no use.
    if (actors.includes(-1) || rolled !== [...grip.numbers].sort().join()) return;
    const thrower = await new Thrower(kit, kit.names, image ?? unpacked(kit, await inflated(packed))).start(await this.engine);
    if (grip === this.grip && !grip.closed && rolled === [...grip.numbers].sort().join()) grip.simulate(thrower, actors);
  }

  /** The engine in WebAssembly, compiled. */
  get engine() {
    return (this.code ??= WebAssembly.compileStreaming(fetch("engine.wasm")));
  }

  /** The hold that the person has chosen; null for that of the scene's hand. */
  get hold() {
    return this.grip?.touched ? this.grip.hold : null;
  }

  /** Let a key mean something to the cup; true if it does. */
  key(key) {
    return !this.running && (this.grip?.key(key) ?? false);
  }

  /** Take the cup away; one that was thrown is seen until it has come to rest. */
  takeBack(thrown = true) {
    if (!thrown && this.grip?.thrown) return;
    this.grip?.close();
    this.grip = null;
  }

  /** Say something below the picture. */
  say(text) {
    byId("caption").textContent = text;
  }

  /** Height that the bar and the caption may cover of the picture, below [pixels]; they are lower in a small one. */
  get covered() {
    return (this.canvas.clientHeight > ROOMY ? 5.6 : 4.5) * parseFloat(getComputedStyle(document.documentElement).fontSize);
  }

  /** What the player asks of the page that it stands on. */
  get dark() {
    return this.night.matches;
  }

  /** Take the meshes of a table; a page without WebGL 2 says so. */
  async lay(message) {
    this.takeBack();
    this.player?.clock.pause();
    if (this.player && message.stage && message.stage === this.stage) return;
    this.stage = message.stage;
    const buffer = await inflated(message.packed);
    this.canvas = el("canvas", { id: "stage", tabindex: "0", "aria-label": "The table in 3D: drag, or arrow keys, turn it; + and - zoom" });
    byId("canvas").replaceChildren(this.canvas);
    this.labels.replaceChildren();
    this.hand = message.hand;
    this.code ??= message.code;
    const view = this.player?.camera.view;
    try {
      this.player = new Player(this, message.index, buffer);
    } catch {
      this.player = null;
      byId("caption").textContent = "This browser has no WebGL 2, so the table is described in words.";
      return;
    }
    if (view) this.player.camera.view = view;
    listenToPointers(this.canvas, this.player);
    this.canvas.addEventListener("webglcontextlost", () => location.reload());
    this.canvas.addEventListener("keydown", (event) => this.turn(event));
    for (const kind of ["pointermove", "wheel"]) this.canvas.addEventListener(kind, () => this.touch());
  }

  /** Arrow keys turn the table, with Shift they move it; + and - zoom. */
  turn(event) {
    if (this.grip?.keyed) return;
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
    if (this.grip?.thrown) return; // what was thrown is seen first
    await this.show(chapter);
    this.player?.clock.seek(Infinity);
    byId("film").hidden = true;
    this.touch();
  }

  async show(chapter) {
    this.takeBack();
    if (!this.player) return;
    const film = chapter.raw ? Film.of(chapter.raw) : new Film(await inflated(chapter.packed), chapter.film);
    this.player.show(chapter, film);
    this.moments.clear();
    this.contacts = null;
  }

  /** Play a film at a multiple of the chosen speed; resolves when it has been seen, or skipped. */
  async play(chapter, pace = 1) {
    if (this.grip?.thrown) {
      // The page has simulated it already, and shows the same.
      if (document.hidden) this.grip.skip();
      await this.grip.ended;
      this.takeBack();
      await this.board(chapter);
      byId("film").hidden = false;
      return;
    }
    await this.show(chapter);
    if (!this.player || chapter.film.times.rows < 2) {
      this.touch();
      return;
    }
    byId("film").hidden = false;
    const { clock } = this.player;
    clock.speed = pace * Number(byId("speed").value);
    clock.seek(this.calm.matches || document.hidden ? Infinity : 0);
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
    this.grip?.skip();
    this.player.clock.seek(Infinity);
    this.player.clock.pause();
    this.touch();
  }

  get running() {
    return this.waiting !== null || Boolean(this.grip?.thrown);
  }

  /** Draw anew. */
  touch() {
    if (this.player) this.player.dirty = true;
  }

  /** The player has drawn; `before` is the time of its last picture. */
  drawn(before) {
    const { clock, film } = this.player;
    if (this.sound.on) {
      this.contacts ??= contacts(film);
      this.sound.between(this.contacts, before, clock.time);
    }
    writeBar(this.player);
    this.moments.tell(clock.time);
    this.onDrawn?.();
    if (this.waiting && clock.ended) {
      const done = this.waiting;
      this.waiting = null;
      done();
    }
  }

  /** See the table from a player's side; what a person chooses after that stays. */
  seat(seat) {
    const view = seat === "B" ? "north" : "south";
    if (!this.player || view === this.seated) return;
    this.seated = view;
    if (this.player.camera.free) return;
    byId("view").value = view;
    this.player.see(view);
  }
}
