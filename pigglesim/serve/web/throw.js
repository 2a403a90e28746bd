// Throw: hold the cup, aim, let go; or a button. No rules, no turns.

import { byId, el, field, say, seedField, select } from "./dom.js";
import { download } from "./net.js";

export class ThrowView {
  constructor(app) {
    this.app = app;
  }

  enter() {
    const { app } = this;
    byId("table").hidden = false;
    const { models, sets, teams, scenes, engines } = app.welcome;
    this.wishes ??= { ...app.welcome.throw, engine: "" };
    const relay = () => {
      Object.assign(this.wishes, {
        model: this.model.value, count: Number(this.count.value), scene: this.scene.value, seat: this.seat.value,
      });
      this.lay();
    };
    const titles = [...models, ...sets.map((name) => name.replaceAll(",", " ")), ...teams.map((name) => `team ${name}`)];
    this.model = select([...models, ...sets, ...teams], this.wishes.model, titles);
    this.count = select(["1", "2", "3", "4", "5", "6"], String(this.wishes.count));
    this.scene = select(scenes, this.wishes.scene);
    this.seat = select(["A", "B"], this.wishes.seat, ["A (South)", "B (North)"]);
    this.engine = select(["", ...engines], this.wishes.engine, ["fastest", ...engines]);
    for (const each of [this.model, this.count, this.scene, this.seat]) each.addEventListener("change", relay);
    this.seed = seedField();
    this.throwButton = el("button", { type: "button", class: "main", onclick: () => this.throw() }, "Throw");
    this.onto = el("button", { type: "button", disabled: true, onclick: () => this.throw(true) }, "Throw onto them");
    this.clear = el("button", { type: "button", disabled: true, onclick: () => this.refill() }, "Fill the cup");
    this.result = el("div", { class: "result" });
    byId("panel").replaceChildren(
      el("h2", {}, "Throw"),
      el("p", { class: "remark" }, "Take the cup with the mouse or a finger, shake it, and let go while it moves: how it moves is the throw. Or press Throw."),
      el("div", { class: "row" }, this.throwButton, this.onto, this.clear),
      app.table.height.node, app.table.phone.node,
      el("div", { class: "fields" },
        field("Piggles", this.count), field("model", this.model), field("side", this.seat),
        field("scene", this.scene), field("engine", this.engine), field("seed", this.seed.input, "The same seed throws the same again")),
      this.result,
    );
    this.lay();
  }

  /** Put the cup with these Piggles beside the board. */
  give(seat, names) {
    const { table } = this.app;
    table.give(seat, {
      prepare: () => this.app.send({ do: "prepare", onto: false }),
      onThrow: (own) => this.throw(false, own),
    });
    table.fill(names);
  }

  refill() {
    this.throwButton.focus(); // the pressed button is about to be disabled
    this.lay();
  }

  lay() {
    this.app.table.takeBack();
    const { model, count, scene, seat } = this.wishes;
    this.app.send({ do: "set_table", model, count, scene, seat });
  }

  async hear(message) {
    if (message.is === "board") {
      await this.app.table.board(message.chapter);
      this.app.table.seat(message.seat);
      this.throwButton.disabled = false;
      this.onto.disabled = this.clear.disabled = true;
      this.result.replaceChildren();
      this.give(message.seat, message.load);
    } else if (message.is === "prepared") {
      await this.app.table.prepared(message);
    } else if (message.is === "thrown") {
      await this.show(message);
    } else if (message.is === "fault") {
      this.throwButton.disabled = false;
      if (this.app.table.grip?.thrown) this.lay();
    }
  }

  throw(onto = false, own = null) {
    const seed = this.seed.read(this.app);
    if (seed === undefined) return;
    this.throwButton.disabled = true;
    this.app.send({ do: "throw", engine: this.engine.value || null, seed, hold: own ? null : this.app.table.hold, own, onto });
  }

  async show(message) {
    this.result.replaceChildren();
    this.onto.disabled = this.clear.disabled = true;
    await this.app.table.play(message.chapter);
    this.throwButton.disabled = this.onto.disabled = this.clear.disabled = false;
    if (document.activeElement === document.body) this.throwButton.focus(); // lost it when it was disabled
    const { actors } = message.chapter;
    const total = actors.reduce((sum, { points }) => sum + points, 0);
    // Dice that are not pigs have no points.
    const scored = actors.some(({ points }) => points !== null);
    const notes = [scored && `${total} points lie Snout-Up`, message.knocks && `${message.knocks} knocked`].filter(Boolean);
    say(`Landed: ${actors.map(({ name, reading, points }) => `${name} ${reading}${points ? `, ${points}` : ""}`).join("; ")}`);
    this.result.replaceChildren(
      el("table", {},
        el("caption", {}, notes.join(", ")),
        el("tbody", {}, actors.map(({ name, mark, reading, points }) => el("tr", {},
          el("th", { class: name[0] }, name), el("td", {}, `${mark} ${reading}`), el("td", { class: "number" }, points ? String(points) : ""))))),
      el("p", { class: "remark" }, message.own ? "thrown by your own hand" : `seed ${message.seed}, engine ${message.engine}`),
      ...(message.command ? [el("p", {}, el("code", {}, message.command))] : []),
      el("p", { class: "row" }, ...(!this.app.can("files") ? [] : ["html", "png", "gif", "mp4", "glb"].map((kind) =>
        download(this.app, `/page/${this.app.welcome.page}/throw.${kind}`, { html: "page", png: "picture", gif: "GIF", mp4: "video", glb: "3D" }[kind])))),
    );
  }
}
