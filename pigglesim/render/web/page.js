// Adds the player to the page. Without scripts or WebGL 2 the page keeps its static content: drawings,
// readings and story, with a sentence that says so.

import { inflated } from "./film.js";
import { Hand } from "./hand.js";
import { Thrower, toText } from "./thrower.js";
import { Player } from "./player.js";
import { byId, keyTable, listenToBar, listenToKeys, listenToPointers, writeBar } from "./controls.js";

class Page {
  constructor(index, buffer, thrower) {
    this.thrower = thrower;
    this.sound = { hit() {} }; // a page on disk is silent
    this.grip = null; // a person's hand, from when the cup stands beside the board until the throw has come to rest
    this.canvas = byId("stage");
    this.labels = byId("labels");
    this.index = index;
    this.chapters = [...document.querySelectorAll(".chapter")];
    this.player = new Player(this, index, buffer);
    const table = keyTable(this.player, this);
    this.writeHelp(table);
    listenToKeys(this.player, table, this);
    listenToPointers(this.canvas, this.player);
    this.listenToBar();
    new ResizeObserver(() => { this.player.dirty = true; }).observe(this.canvas);
    const night = matchMedia("(prefers-color-scheme: dark)");
    this.dark = night.matches;
    night.addEventListener("change", () => {
      this.dark = night.matches;
      this.player.dirty = true;
    });
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    window.addEventListener("hashchange", () => this.follow());
  }

  /** Show what the address names: a roll, or a start to throw here. */
  follow() {
    const text = location.hash.match(/^#start=(.*)$/)?.[1];
    const start = text && this.thrower?.fromText(text);
    if (byId("bad")) byId("bad").hidden = text === undefined || Boolean(start);
    // A throw of the hand on this page has been seen already.
    if (start && toText(start) === this.seen) return;
    this.seen = null;
    if (start) this.throw(start);
    else this.turnTo(this.named());
  }

  /** Whether a key turns to another roll now, and so aims no cup. */
  turnsBy(key) {
    return "[]".includes(key) && this.chapters.length > 1 && !this.grip?.held;
  }

  /** Number of the roll in the address; the first if there is none. */
  named() {
    const number = this.chapters.findIndex((chapter) => `#${chapter.id}` === location.hash);
    return Math.max(number, 0);
  }

  listenToBar() {
    listenToBar(this, [
      ["full", "click", () => this.full()],
      ["back", "click", (player) => player.jump(false)],
      ["next", "click", (player) => player.jump(true)],
      ["keys", "click", () => this.help()],
      ["before", "click", (player) => this.turnTo(player.number - 1)],
      ["after", "click", (player) => this.turnTo(player.number + 1)],
      ["roll", "change", (_, roll) => this.turnTo(Number(roll.value))],
      ["throw", "click", () => { location.hash = `start=${toText(this.thrower.draw())}`; }],
      ["take", "click", () => this.give()],
    ]);
    byId("full").hidden = !document.fullscreenEnabled;
    for (const id of this.thrower ? ["throw", "take"] : []) byId(id).hidden = false;
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.sayPlain("The graphics card was taken away from this page.");
    });
    this.canvas.addEventListener("webglcontextrestored", () => location.reload());
  }

  /** Toggle full screen. */
  full() {
    if (document.fullscreenElement) document.exitFullscreen();
    else if (document.fullscreenEnabled) byId("player").requestFullscreen();
  }

  help() {
    const help = byId("help");
    if (help.open) help.close();
    else help.showModal();
  }

  writeHelp(table) {
    for (const [, name, words] of table) {
      const row = byId("help-keys").appendChild(document.createElement("div"));
      row.appendChild(document.createElement("dt")).textContent = name;
      row.appendChild(document.createElement("dd")).textContent = words;
    }
  }

  /** Show one roll in the player, and only its story below it. */
  turnTo(number) {
    if (!(number >= 0 && number < this.chapters.length)) return;
    this.takeBack();
    this.chapters.forEach((chapter, k) => { chapter.hidden = k !== number; });
    this.markThrown(false);
    this.player.load(number);
    if (byId("roll")) {
      byId("roll").value = String(number);
      byId("before").disabled = number === 0;
      byId("after").disabled = number === this.chapters.length - 1;
    }
    this.begin();
  }

  /** Throw from a start, and show that in place of the recorded roll. */
  throw(start) {
    this.takeBack();
    this.report(toText(start), this.thrower.throw(start));
    this.canvas.scrollIntoView({ block: "nearest" }); // the button may be in sight where the picture is not
    this.begin();
  }

  /** Stand the cup beside the board, with what was thrown first, for a person's own hand. */
  give() {
    if (this.grip?.held || this.grip?.thrown) return;
    this.turnTo(0);
    const { player, thrower } = this;
    const { cup: { sign }, own } = thrower.again;
    this.hand = own.hold;
    player.clock.pause();
    player.clock.seek(player.clock.end);
    const numbers = player.chapter.actors.map((_, k) => k);
    this.grip = new Hand(this, sign < 0 ? "B" : "A", (text) => this.watch(text));
    this.grip.fill(numbers);
    this.grip.simulate(thrower, numbers);
    this.say("Take the cup, shake it, and let it go over your own half of the board.");
    this.canvas.scrollIntoView({ block: "nearest" });
  }

  /** Show what a person's own hand has thrown, once it has come to rest. */
  async watch(text) {
    const { grip, player } = this;
    await grip.ended;
    if (grip !== this.grip) return;
    this.takeBack();
    this.report(text, this.thrower.result());
    player.clock.seek(player.clock.end);
    this.seen = text;
    location.hash = `start=${text}`;
  }

  /** Take the cup away from beside the board. */
  takeBack() {
    this.grip?.close();
    this.grip = null;
    this.player.seat = 0;
    this.say("");
  }

  /** Say something below the picture. */
  say(text) {
    if (byId("caption")) byId("caption").textContent = text;
  }

  touch() {
    this.player.dirty = true;
  }

  /** Show what was thrown in this page from a start in place of the recorded roll. */
  report(text, thrown) {
    this.thrown = thrown;
    const { film, actors } = thrown;
    for (const chapter of this.chapters) chapter.hidden = true;
    this.markThrown(true);
    const rows = byId("landed");
    rows.replaceChildren(...actors.map(({ name, mark, reading, points, support }) => {
      const row = document.createElement("tr");
      [name, `${mark} ${reading}`, points || "", support].forEach((text, k) => {
        row.appendChild(document.createElement(k ? "td" : "th")).textContent = text;
      });
      return row;
    }));
    byId("sum").textContent = String(actors.reduce((sum, { points }) => sum + points, 0));
    byId("repeat").textContent = this.index.again.repeat.join(text);
    byId("whose").textContent = text.startsWith(this.index.again.own.prefix) ? "what a person's own hand has done" : "a start that it drew at random";
    this.player.show({ actors, beats: [] }, film);
  }

  markThrown(thrown) {
    for (const id of ["thrown", "here"]) if (byId(id)) byId(id).hidden = !thrown;
    byId("subtitle").style.visibility = thrown ? "hidden" : ""; // it names the seed of the recorded roll
  }

  /** Play what is loaded. */
  begin() {
    // With reduced motion the result is shown, and the film plays on request.
    if (this.calm) this.player.clock.seek(this.player.clock.end);
    else this.player.clock.play();
  }

  /** Report why there is no 3D, and keep the rest of the page. */
  sayPlain(why) {
    byId("player").hidden = true;
    const plain = byId("plain");
    plain.hidden = false;
    plain.textContent = `${why} The drawings below show how everything came to lie.`;
    for (const chapter of this.chapters) chapter.hidden = false;
  }

  /** Show the player and its first roll. */
  start() {
    byId("player").hidden = false;
    byId("plain").hidden = true;
    this.follow();
  }

  /** The player has drawn, and was playing before that, or not. */
  drawn(_, played) {
    const { player } = this;
    const { clock } = player;
    if (played && !clock.playing && byId("on")?.checked) this.turnTo(player.number + 1);
    writeBar(player);
    const text = `${(clock.time - clock.start).toFixed(2)} / ${(clock.end - clock.start).toFixed(2)} s`;
    if (byId("time").textContent !== text) byId("time").textContent = text;
    byId("speed").value = String(clock.speed);
  }
}

/** Interface for scripts and tests: the state of the page, and controls. */
function handle(page) {
  const { player } = page;
  return {
    get time() { return player.clock.time; },
    get playing() { return player.clock.playing; },
    get roll() { return player.number; },
    get still() { return player.still; },
    play: () => { player.clock.play(); player.dirty = true; },
    pause: () => { player.clock.pause(); player.dirty = true; },
    seek: (time) => { player.clock.seek(time); player.dirty = true; },
    turnTo: (number) => page.turnTo(number),
    /** A start as a click on the button draws one, and the throw from it. */
    draw: () => toText(page.thrower.draw()),
    throw: (start) => page.throw(page.thrower.fromText(start)),
    get thrown() { return page.thrown; },
    get hand() { return page.grip; },
    poseOf: (number) => player.film.poseAt(player.clock.time, number),
  };
}

async function begin() {
  const probe = document.createElement("canvas").getContext("webgl2");
  if (!probe || typeof DecompressionStream === "undefined") {
    const missing = probe ? "This browser cannot unpack the roll" : "This browser shows no WebGL 2";
    byId("plain").textContent = `${missing}, which the roll in 3D needs. The drawings below show how everything came to lie.`;
    return;
  }
  const index = JSON.parse(byId("index").textContent);
  const buffer = await inflated(byId("packed").textContent);
  // A browser that cannot throw still replays.
  const page = new Page(index, buffer, await Thrower.of(index, buffer).catch(() => null));
  page.start();
  window.pigglesim = handle(page);
}

begin().catch((fault) => {
  byId("player").hidden = true;
  byId("plain").hidden = false;
  byId("plain").textContent = `The roll in 3D cannot be shown here (${fault.message}). The drawings below show how everything came to lie.`;
});
