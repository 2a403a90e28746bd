// Study: throw many times; shares with intervals narrow while throws arrive.

import { byId, el, field, percent, say, select, slider } from "./dom.js";
import { download, picture } from "./net.js";

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
    this.stop = el("button", { type: "button", disabled: true, onclick: () => this.app.send({ do: "stop" }) }, "Stop");
    this.result = el("div", { class: "result", role: "status" });
    byId("panel").replaceChildren(
      el("h2", {}, "Study"),
      el("p", { class: "remark" }, "Every throw is simulated. It stops when all 95 % intervals are as narrow as you wish."),
      el("div", { class: "fields" }, field("throws", this.kind), field("model", this.model), field("precision", this.precision)),
      el("details", {}, el("summary", {}, "Another floor or height"),
        el("label", { class: "field" }, this.own, el("span", {}, "use these instead of the measured ones")),
        this.height.node, this.friction.node, this.restitution.node),
      el("div", { class: "row" }, this.begin, this.stop),
      this.result,
    );
  }

  leave() {
    this.app.send({ do: "stop" });
  }

  start() {
    const own = this.own.checked;
    const drop = this.kind.value === "drop";
    this.begin.disabled = true;
    this.stop.disabled = false;
    this.result.replaceChildren(el("p", {}, "Throwing ..."));
    this.app.send({
      do: "study", kind: this.kind.value, model: this.model.value, half_width: Number(this.precision.value),
      height: own && drop ? this.height.value : null,
      friction: own ? this.friction.value : null,
      restitution: own ? this.restitution.value : null,
    });
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
    const rows = message.shares.map(([name, value, low, high]) => el("tr", {},
      el("th", {}, name), el("td", { class: "number" }, percent(value)),
      el("td", { class: "number" }, `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`),
      el("td", { class: "bars" }, el("div", { class: "bar-back" },
        el("div", { class: "bar-value", style: `width:${100 * value}%` }),
        el("div", { class: "bar-interval", style: `left:${100 * low}%;width:${100 * (high - low)}%` })))));
    this.result.replaceChildren(
      el("table", { class: "wide-table" }, el("caption", {}, `${message.throws.toLocaleString("en")} throws${message.done ? "" : " so far"}, 95 % intervals`), el("tbody", {}, rows)),
      el("p", { class: "remark" }, "The same in a terminal:"), el("p", {}, el("code", {}, message.command)),
    );
    if (message.done) say(`${message.throws} throws: ${message.shares.map(([name, value]) => `${name} ${percent(value)}`).join(", ")}`);
  }
}
