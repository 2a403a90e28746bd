// A review: the curve of the win probability, every decision, what was lost, and what if.

import { svg } from "./art.js";
import { byId, el, percent, say } from "./dom.js";
import { showFelt } from "./felt.js";

const [WIDE, HIGH, LEFT, LOW] = [440, 170, 42, 18];
const APART = 22; // of two numbers below the curve
const COLOURS = { A: "#b3325b", B: "#2b5fa8", C: "#4a7530", D: "#8a5c17", E: "#7b4fa6", F: "#23706b", G: "#8c4a3c", H: "#61661b" };

/** A share with its interval. */
const within = ({ value, low, high, method }) => (method === "exact" ? percent(value, 2) : `${percent(value)} [${percent(low)}, ${percent(high)}]`).replaceAll(" ", "\u00a0");

/** A share with half of its interval, for tables. */
const about = ({ value, low, high, method }) => (method === "exact" ? (100 * value).toFixed(2) : `${(100 * value).toFixed(1)} \u00b1 ${(50 * (high - low)).toFixed(1)}`).replace("-", "\u2212");

export class Review {
  /** `score` shows the points of a position that is looked at; `begun` is called when the review begins, and when it looks back. */
  constructor(app, id, place, { score, begun }) {
    Object.assign(this, { app, id, place, score, begun });
    this.begin = el("button", { type: "button", class: "main", onclick: () => this.start() }, "Review the match");
    place.replaceChildren(el("div", { class: "row" }, this.begin));
  }

  start() {
    this.begin.remove();
    this.begun();
    this.bar = el("progress", { max: "1" });
    this.place.replaceChildren(el("p", {}, "Every decision is played on many times ... "),
      el("div", { class: "row" }, this.bar, el("button", { type: "button", onclick: () => this.app.send({ do: "stop" }) }, "Stop")));
    // A record that is still watched is shown to its end at once.
    this.app.send({ do: "pace", table: this.id, pace: 0 });
    this.app.table.skip();
    this.app.send({ do: "review", table: this.id });
  }

  hear(message) {
    if (message.is === "progress" && this.bar) this.bar.value = message.done / message.total;
    if (message.is === "review") this.show(message);
    if (message.is === "visited") this.visit(message);
    if (message.is === "tried") this.tried(message);
    if (message.is === "split") this.split(message);
    if (message.is === "stopped" && this.found) this.what?.replaceChildren();
    if (message.is === "stopped" && !this.found) this.place.replaceChildren(el("div", { class: "row" }, this.begin));
  }

  show(found) {
    this.found = found;
    this.detail = el("div", { role: "status" });
    const verdicts = found.verdicts.map((text) => el("p", {}, `${text}.`));
    const worst = found.worst.map((number) => found.decisions.find((each) => each.decision === number));
    this.place.replaceChildren(
      el("h3", {}, "Win probability"), ...this.curve(), this.detail,
      ...verdicts.slice(0, 1),
      el("div", { class: "choices" }, worst.map((each, k) => el("button", { type: "button", onclick: () => this.look(each.decision) },
        el("span", { class: "lost" }, `${k + 1}. \u2212${about(each.loss)} % `), `${each.name}; better: ${each.better}`))),
      worst.length ? "" : el("p", {}, "No decision lost more than its noise."),
      ...verdicts.slice(1),
      found.luckiest === null ? "" : el("div", { class: "row" }, el("button", { type: "button", onclick: () => this.look(found.luckiest) }, "See that moment")),
      el("details", {}, el("summary", {}, "How this adds up"), found.sums.map((text) => el("p", {}, text))),
      el("details", {}, el("summary", {}, "Every decision"), el("div", { class: "wide", tabindex: "0" }, this.list())),
      el("p", { class: "remark" }, found.source),
    );
    say(worst.length ? `The costliest decision: ${worst[0].name}; ${worst[0].advice}` : "No decision lost more than its noise");
  }

  list() {
    return el("table", {}, el("thead", {}, el("tr", {}, ["decision", "better", "wins %", "loss %", "luck %"].map((name) => el("th", {}, name)))),
      el("tbody", {}, this.found.decisions.map((each) => el("tr", {},
        el("td", {}, el("button", { type: "button", class: each.seat, onclick: () => this.look(each.decision) }, each.name)),
        el("td", {}, each.clear ? each.better : ""),
        el("td", {}, about(each.after[each.seat])),
        el("td", {}, each.clear ? about(each.loss) : ""),
        el("td", {}, each.luck[each.seat] ? about(each.luck[each.seat]) : "")))));
  }

  curve() {
    const { decisions, worst } = this.found;
    const x = (k) => LEFT + ((WIDE - LEFT - 8) * k) / Math.max(decisions.length - 1, 1);
    const y = (value) => 6 + (HIGH - LOW - 6) * (1 - value);
    const seats = Object.keys(decisions[0]?.after ?? {});
    const drawn = seats.length === 2 ? seats.slice(0, 1) : seats;
    const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "curve", role: "img", "aria-label": `Win probability of ${drawn.join(", ")} after each decision` });
    for (const value of [0, 0.5, 1]) {
      picture.append(svg("line", { class: "grid", x1: LEFT, x2: WIDE - 8, y1: y(value), y2: y(value) }));
      picture.append(svg("text", { x: 2, y: y(value) + 4 }, `${100 * value} %`));
    }
    const times = decisions.map(({ when }) => when.match(/\d+/g));
    const counted = times.every(([first]) => first === times[0][0]) ? -1 : 0; // turns of a single round
    let free = 0; // numbers of rounds or turns that fit
    times.forEach((time, k) => {
      if (x(k) < free || x(k) > WIDE - APART || time.at(counted) === times[k - 1]?.at(counted)) return;
      free = x(k) + APART;
      picture.append(svg("text", { x: x(k), y: HIGH - 4 }, time.at(counted)));
    });
    for (const seat of drawn) {
      const all = decisions.map((each) => each.after[seat] ?? { value: 0.5, low: 0.5, high: 0.5 });
      const upper = all.map(({ high }, k) => `${x(k)},${y(high)}`);
      const lower = all.map(({ low }, k) => `${x(k)},${y(low)}`).reverse();
      picture.append(svg("polygon", { class: "band", fill: COLOURS[seat], points: [...upper, ...lower].join(" ") }));
      picture.append(svg("polyline", { class: "line", stroke: COLOURS[seat], points: all.map(({ value }, k) => `${x(k)},${y(value)}`).join(" ") }));
    }
    worst.forEach((number, rank) => {
      const k = decisions.findIndex((each) => each.decision === number);
      const seat = drawn.length === 1 ? drawn[0] : decisions[k].seat;
      const value = decisions[k].after[seat]?.value ?? 0.5;
      const mark = svg("circle", { class: "worst", cx: x(k), cy: y(value), r: 7, fill: COLOURS[decisions[k].seat] });
      mark.append(svg("title", {}, `${rank + 1}: ${decisions[k].action}`));
      picture.append(mark);
    });
    this.cursor = svg("line", { class: "here", x1: -9, x2: -9, y1: 6, y2: HIGH - LOW });
    picture.append(this.cursor);
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * WIDE;
      const k = Math.round(((at - LEFT) / (WIDE - LEFT - 8)) * (decisions.length - 1));
      if (decisions[k]) this.look(decisions[k].decision);
    });
    this.x = x;
    const names = drawn.map((seat, k) => [k ? ", " : "", el("b", { class: seat }, this.found.names[seat])]);
    return [el("p", {}, "of ", names.flat()), picture];
  }

  look(decision) {
    this.app.send({ do: "visit", table: this.id, decision });
  }

  async visit(message) {
    this.begun();
    const k = this.found.decisions.findIndex((each) => each.decision === message.decision);
    this.at = k;
    const each = this.found.decisions[k];
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.x(k));
    const what = el("div");
    this.what = what;
    this.detail.replaceChildren(
      el("p", { class: "turn" }, each.name),
      el("p", {}, `It wins ${within(each.after[each.seat])}; ${each.clear ? each.advice : "nothing clearly better was found"}.`),
      el("div", { class: "row" },
        el("button", { type: "button", disabled: k < 1, onclick: () => this.step(-1) }, "\u2039 before"),
        el("button", { type: "button", disabled: k + 1 >= this.found.decisions.length, onclick: () => this.step(1) }, "next \u203a"),
        el("button", { type: "button", onclick: () => this.leave() }, "the end"),
        el("button", { type: "button", onclick: () => this.ask(message.decision) }, "What if?"),
        this.found.held.includes(message.decision)
          ? el("button", { type: "button", onclick: () => this.work("split", message.decision, "Throwing again, by your hand and by the usual one ... ") }, "My hand, or luck?") : ""),
      what);
    if (message.chapter) await this.app.table.board(message.chapter);
    showFelt(message.felt, { viewer: message.viewer });
    this.score(message);
    byId("caption").textContent = `Before ${each.name}`;
  }

  /** Look at the decision some places further on; at the first or the last one if none is looked at. */
  step(by) {
    const last = this.found.decisions.length - 1;
    const to = this.at === undefined ? (by > 0 ? 0 : last) : this.at + by;
    if (this.found.decisions[to]) this.look(this.found.decisions[to].decision);
  }

  /** Arrows go through the match; true if the key was one. */
  key({ key, target }) {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!by || !this.found || target.closest("canvas, [role=slider]")) return false;
    this.step(by);
    return true;
  }

  /** Show the match as it is now. */
  leave() {
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, -9);
    this.detail.replaceChildren();
    this.at = undefined;
    byId("caption").textContent = "";
    this.app.send({ do: "visit", table: this.id });
  }

  ask(decision) {
    this.work("what_if", decision, "Playing on with every action ... ");
  }

  work(what, decision, words) {
    this.bar = el("progress", { max: "1" });
    this.what.replaceChildren(el("p", {}, words),
      el("div", { class: "row" }, this.bar, el("button", { type: "button", onclick: () => this.app.send({ do: "stop" }) }, "Stop")));
    this.app.send({ do: what, table: this.id, decision });
  }

  split({ sentence, throws }) {
    this.what.replaceChildren(el("p", {}, `In win probability, ${sentence}.`),
      el("p", { class: "remark" }, `${throws} throws onto this board with this hold and ${throws} with the usual one, with other places in the cup.`));
  }

  tried({ seat, actions, best, recorded, source }) {
    const note = (each) => [each.action === recorded ? "played" : "", each.action === best ? "best" : each.clear ? "" : "no clear difference"].filter(Boolean).join(", ");
    this.what.replaceChildren(el("div", { class: "wide", tabindex: "0" }, el("table", {},
      el("caption", {}, `Share of the win of ${seat}; a draw is half of one`),
      el("tbody", {}, actions.filter((each, k) => k < 20 || each.action === recorded || each.action === best).map((each) => el("tr", {}, el("th", {}, each.played), el("td", {}, within(each.values[seat])), el("td", {}, note(each))))))),
      el("p", { class: "remark" }, source));
  }
}
