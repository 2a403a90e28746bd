// Throw: hold the cup, aim, let go; or a button. No rules, no turns.

import { byId, el, field, say, seedField, select, slider } from "./dom.js";
import { Hand } from "./hand.js";

const INCH = 0.0254;
const LEAD = 0.25; // of the shake that is shown before the cup tips, when a hand has shaken it [s]

export class ThrowView {
  constructor(app) {
    this.app = app;
    this.hand = null;
    this.wishes = { model: "piggle", count: 6, scene: "piggles_classic", seat: "A", engine: "" };
    this.thrown = [];
  }

  enter() {
    const { app } = this;
    byId("table").hidden = false;
    const { models, teams, scenes, engines } = app.welcome;
    const relay = () => {
      Object.assign(this.wishes, {
        model: this.model.value, count: Number(this.count.value), scene: this.scene.value, seat: this.seat.value,
      });
      this.lay();
    };
    this.model = select([...models, ...teams], this.wishes.model, [...models, ...teams.map((name) => `team ${name}`)]);
    this.count = select(["1", "2", "3", "4", "5", "6"], String(this.wishes.count));
    this.scene = select(scenes, this.wishes.scene);
    this.seat = select(["A", "B"], this.wishes.seat, ["A (South)", "B (North)"]);
    this.engine = select(["", ...engines], this.wishes.engine, ["fastest", ...engines]);
    for (const each of [this.model, this.count, this.scene, this.seat]) each.addEventListener("change", relay);
    this.seed = seedField();
    this.height = slider("height", { low: 2, high: 9.5, step: 0.1, value: 2.8, unit: " in", onchange: (value) => this.hand?.lift(value * INCH) });
    this.throwButton = el("button", { type: "button", class: "main", onclick: () => this.throw(null) }, "Throw");
    this.onto = el("button", { type: "button", disabled: true, onclick: () => this.throw(null, true) }, "Throw onto them");
    this.clear = el("button", { type: "button", disabled: true, onclick: () => this.lay() }, "Fill the cup");
    this.result = el("div", { class: "result" });
    byId("panel").replaceChildren(
      el("h2", {}, "Throw"),
      el("p", { class: "remark" }, "Take the cup with the mouse or a finger, shake it, and let go while it moves: how it moves is the throw. Or press Throw."),
      el("div", { class: "row" }, this.throwButton, this.onto, this.clear),
      this.height.node,
      el("div", { class: "fields" },
        field("Piggles", this.count), field("model", this.model), field("side", this.seat),
        field("scene", this.scene), field("engine", this.engine), field("seed", this.seed.input, "The same seed throws the same again")),
      this.result,
    );
    this.lay();
  }

  leave() {
    this.hand?.close();
    this.hand = null;
  }

  lay() {
    this.leave();
    const { model, count, scene, seat } = this.wishes;
    this.app.send({ do: "lay", model, count, scene, seat });
  }

  async hear(message) {
    if (message.is === "board") {
      await this.app.table.board(message.chapter);
      this.app.table.seat(message.seat);
      this.take(message.seat, message.load.length);
    } else if (message.is === "thrown") {
      await this.show(message);
    } else if (message.is === "fault") {
      this.throwButton.disabled = false;
    }
  }

  take(seat, count) {
    this.throwButton.disabled = false;
    this.clear.disabled = true;
    if (!this.app.table.player) return;
    this.hand = new Hand(this.app.table, seat, (hold) => this.throw(hold));
    this.height.value = this.hand.hold.height / INCH;
    this.hand.fill([...Array(count).keys()]);
  }

  throw(hold, onto = false) {
    const seed = this.seed.read(this.app);
    if (seed === undefined) return;
    this.throwButton.disabled = true;
    this.released = hold !== null;
    const own = hold ?? (this.hand?.touched ? this.hand.hold : null);
    this.app.send({ do: "throw", engine: this.engine.value || null, seed, hold: own, onto });
  }

  async show(message) {
    this.leave();
    this.result.replaceChildren();
    this.onto.disabled = this.clear.disabled = true;
    // A hand that has shaken the cup need not watch it being shaken again.
    const from = this.released ? Math.max(0, message.tip * 0.8 - LEAD) : 0;
    await this.app.table.play(message.chapter, from);
    this.throwButton.disabled = this.onto.disabled = this.clear.disabled = false;
    const { actors } = message.chapter;
    const total = actors.reduce((sum, { points }) => sum + points, 0);
    say(`Landed: ${actors.map(({ name, reading, points }) => `${name} ${reading}${points ? `, ${points}` : ""}`).join("; ")}`);
    this.result.replaceChildren(
      el("table", {},
        el("caption", {}, `${total} points lie Snout-Up${message.knocks ? `, ${message.knocks} knocked` : ""}`),
        el("tbody", {}, actors.map(({ name, mark, reading, points }) => el("tr", {},
          el("th", { class: name[0] }, name), el("td", {}, `${mark} ${reading}`), el("td", { class: "number" }, points ? String(points) : ""))))),
      el("p", { class: "remark" }, `seed ${message.seed}, engine ${message.engine}`),
      message.command ? el("p", {}, el("code", {}, message.command)) : null,
      el("p", { class: "row" }, ...["html", "png", "gif", "mp4", "glb"].map((kind) =>
        el("a", { class: "chip", href: `/page/${this.app.welcome.page}/throw.${kind}`, download: "" }, { html: "page", png: "picture", gif: "GIF", mp4: "video", glb: "3D" }[kind]))),
    );
  }
}
