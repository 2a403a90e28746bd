// Study: throw many times; shares with intervals narrow while throws arrive.

import { die, pig } from "./art.js";
import { byId, el, field, percent, say, select, slider } from "./dom.js";
import { download, picture } from "./net.js";

/** Questions that one press asks: `set` changes the usual study, a drop of one Piggle onto the measured floor. */
const QUESTIONS = [
  { asks: "How does a Piggle land?", detail: "one, dropped thousands of times", draw: pig },
  { asks: "And six from the cup?", detail: "they meet, lean and push", draw: () => [pig(), pig(), pig()], set: { kind: "pour", precision: "0.02" } },
  { asks: "A pig of brass?", detail: "the Premium model in brass", draw: pig, look: "brass", set: { model: "premium_brass" } },
  { asks: "From as high as a table?", detail: "0.75 m above the floor", draw: pig, look: "high", set: { height: 0.75 } },
  { asks: "On ice?", detail: "friction 0.05", draw: pig, look: "ice", set: { friction: 0.05 } },
  { asks: "Is this die fair?", detail: "a cube with six faces", draw: () => die(5), set: { model: "d6" } },
];

/** A table of shares with their intervals. */
function table(caption, shares) {
  return el("table", { class: "wide-table" }, el("caption", {}, caption), el("tbody", {}, shares.map(([name, value, low, high]) => el("tr", {},
    el("th", {}, name), el("td", { class: "number" }, percent(value)),
    el("td", { class: "number" }, `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`),
    el("td", { class: "bars" }, el("div", { class: "bar-back" },
      el("div", { class: "bar-value", style: `width:${100 * value}%` }),
      el("div", { class: "bar-interval", style: `left:${100 * low}%;width:${100 * (high - low)}%` })))))));
}

export class StudyView {
  constructor(app) {
    this.app = app;
  }

  enter() {
    byId("table").hidden = true;
    const { models } = this.app.welcome;
    this.kind = select(["drop", "pour"], "drop", ["drops of one", "pours of six"]);
    this.model = select(models, "piggle");
    this.height = slider("height", { low: 0.02, high: 1, step: 0.01, value: 0.15, unit: " m" });
    this.friction = slider("friction", { low: 0, high: 1, step: 0.01, value: 0.4 });
    this.restitution = slider("restitution", { low: 0, high: 0.9, step: 0.01, value: 0.4 });
    this.own = el("input", { type: "checkbox" });
    this.precision = select(["0.02", "0.01", "0.005", "0.003"], "0.01", ["± 2 %", "± 1 %", "± 0.5 %", "± 0.3 %"]);
    this.begin = el("button", { type: "button", class: "main", onclick: () => this.start() }, "Throw");
    this.stop = el("button", { type: "button", disabled: true, onclick: () => { this.stop.disabled = true; this.app.send({ do: "stop" }); } }, "Stop");
    // Until something is thrown, what has been measured.
    this.result = el("div", { class: "result", role: "status" }, el("h2", {}, "Measured already"),
      el("div", { class: "measured" }, this.app.welcome.measured.map(({ model, throws, shares }) =>
        table(`${model.replaceAll("_", " ")}: ${throws.toLocaleString("en")} poured from the cup, 95 % intervals`, shares))));
    const cards = QUESTIONS.filter(({ set }) => models.includes(set?.model ?? "piggle")).map((each) =>
      el("button", { type: "button", class: "card", onclick: () => this.ask(each) },
        el("div", { class: `drawing ${each.look ?? ""}` }, each.draw()), el("b", {}, each.asks), el("span", {}, each.detail)));
    this.more = el("details", {}, el("summary", {}, "Another floor or height"),
      el("label", { class: "field" }, this.own, el("span", {}, "use these instead of the measured ones")),
      this.height.node, this.friction.node, this.restitution.node);
    byId("panel").replaceChildren(
      el("div", { class: "lobby" },
        el("section", {}, el("h2", {}, "Ask how they land"), el("div", { class: "cards", role: "group", "aria-label": "Questions" }, cards)),
        el("section", { class: "begin", "aria-label": "Your own study" },
          el("h2", {}, "Study"),
          el("p", { class: "remark" }, "Every throw is simulated. It stops when all 95 % intervals are as narrow as you wish."),
          el("div", { class: "fields" }, field("throws", this.kind), field("model", this.model), field("precision", this.precision)),
          this.more,
          el("div", { class: "row" }, this.begin, this.stop))),
      this.result,
    );
  }

  /** Begin the study of a question; what it does not set is as measured. */
  ask({ asks, set = {} }) {
    const { kind, model, precision, ...floor } = { kind: "drop", model: "piggle", precision: "0.01", ...set };
    this.kind.value = kind;
    this.model.value = model;
    this.precision.value = precision;
    this.own.checked = false;
    this.request(floor, asks);
  }

  leave() {
    this.app.send({ do: "stop" });
  }

  start() {
    const floor = { friction: this.friction.value, restitution: this.restitution.value, ...(this.kind.value === "drop" ? { height: this.height.value } : {}) };
    this.request(this.own.checked ? floor : {}, "Study");
  }

  request(floor, title) {
    this.title = title;
    this.begin.disabled = true;
    this.stop.disabled = false;
    this.result.replaceChildren(el("h2", {}, title), el("p", {}, "Throwing ..."));
    this.result.scrollIntoView({ block: "nearest" });
    this.app.send({ do: "study", kind: this.kind.value, model: this.model.value, half_width: Number(this.precision.value), ...floor });
  }

  hear(message) {
    if (message.is === "study") this.show(message);
    else if (message.is === "studied") {
      const file = (name) => `/page/${this.app.welcome.page}/${name}`;
      this.result.append(...message.maps.map((name) => picture(this.app, file(name), { class: "map", alt: name.startsWith("landings") ? "Map of where they landed" : "Sphere of what pointed down" })),
        el("p", {}, download(this.app, file("report.html"), "the whole report")));
    }
    if (["studied", "stopped", "fault"].includes(message.is)) {
      this.begin.disabled = false;
      this.stop.disabled = true;
    }
    if (message.is === "stopped") this.result.append(el("p", {}, "Stopped."));
  }

  show(message) {
    this.result.replaceChildren(
      el("h2", {}, this.title),
      table(`${message.throws.toLocaleString("en")} throws${message.done ? "" : " so far"}, 95 % intervals`, message.shares),
      el("p", { class: "remark" }, "The same in a terminal:"), el("p", {}, el("code", {}, message.command)),
    );
    if (message.done) say(`${message.throws} throws: ${message.shares.map(([name, value]) => `${name} ${percent(value)}`).join(", ")}`);
  }
}
