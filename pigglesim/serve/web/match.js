// A match: the table, the turn, the score, the log; a review once it is over.

import { byId, el, field, paces, say } from "./dom.js";
import { Ending } from "./ending.js";
import { light, menu, showFelt } from "./felt.js";
import { flyPoints } from "./labels.js";
import { download } from "./net.js";
import { Review } from "./review.js";
import { STILL, Targets } from "./targets.js";

const PAUSE = 500; // after a roll has been seen [ms]
const BEAT = 750; // in which a move of another is seen [ms]
const TYPING = 1500; // at most between two digits of one number [ms]
const FAST = 2; // pace above which nothing flies
const PLAIN = ["scale", "dice", "note"]; // parts of a table of points alone
const PRESS = ["pointerdown", "click"];
const MENU = 6; // at most so many deeds are asked for at a piece

const paused = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** What is left of a list without the first of each that is taken from it. */
function rest(list, taken) {
  const left = [...list];
  for (const each of taken) if (left.includes(each)) left.splice(left.indexOf(each), 1);
  return left;
}

/** The key of a choice, and its text. */
const numbered = (number, text) => [el("kbd", {}, String(number + 1)), " ", ...text];

export class MatchView {
  constructor(app) {
    this.app = app;
    // One for all views of matches: they share the table.
    app.targets ??= new Targets(app.table, { pick: (name) => app.view.press?.(name) ?? false, rest: (name) => app.view.explain?.(name) ?? [] });
    this.targets = app.targets;
  }

  /** True if there is one decision to find: without hints, and nothing to look back at. */
  get alone() { return false; }

  leave() {
    this.state = null;
    this.targets.close();
    this.ending.close();
    menu(null);
    this.goOn?.();
  }

  enter(id, opened) {
    this.id = id;
    this.review = null;
    this.chosen = new Set();
    this.state = null;
    this.shown = null; // seat whose cards are open, where several people share this page
    byId("table").hidden = false;
    this.parts = {
      heading: el("h2"), stage: el("p", { class: "turn" }), guide: el("p", { class: "guide" }),
      choices: el("div", { tabindex: "-1" }), why: el("p", { class: "why", "aria-live": "polite" }), hint: el("div", { role: "status" }),
      score: el("div", { class: "wide", tabindex: "0" }), areas: el("div", { class: "wide", tabindex: "0" }),
      log: el("ol", { class: "log", tabindex: "0", "aria-label": "Log" }), tools: el("div", { class: "row" }), review: el("div"),
      rules: el("details"), brief: el("p", { class: "points-now", "aria-hidden": "true" }),
    };
    const { heading, stage, guide, choices, why, hint, score, areas, log, tools, review, rules, brief } = this.parts;
    this.app.people.enter();
    this.app.byLink.show(null);
    byId("panel").replaceChildren(heading, brief, stage, guide, this.app.byLink.node, this.app.people.node, choices, why, hint, tools, review, score, areas, rules, el("h3", {}, "Log"), log);
    this.ending = new Ending(el("div", { class: "deeds" }), guide);
    if (!opened) this.app.send({ do: "open", table: id });
  }

  async hear(message) {
    const { table } = this.app;
    switch (message.is) {
      case "log":
        this.parts.log.replaceChildren();
        this.tell(message.lines, message.lines.slice(-1)); // the past is not read out again
        this.parts.rules.replaceChildren(el("summary", {}, "Rules"));
        this.parts.rules.insertAdjacentHTML("beforeend", message.rules); // made by the server from the game's own text
        break;
      case "board":
        await table.board(message.chapter);
        break;
      case "event":
        await this.event(message);
        break;
      case "state":
        await this.show(message);
        break;
      case "prepared":
        if (message.at === this.state?.at) await this.app.table.prepared(message);
        break;
      case "hint":
        if (message.at === this.state.at) this.advise(message.lines);
        break;
      case "fault":
        if (this.state) this.show(this.state);
        this.review?.hear({ is: "stopped" });
        break;
      default:
        this.review?.hear(message);
    }
  }

  async event({ lines, chapter, board, gains }) {
    this.app.table.takeBack(false);
    this.busy(true);
    if (chapter) {
      // Dice roll in 3D where a board or cards are drawn otherwise.
      byId("felt").hidden ||= chapter.film.times.rows > 1 && !byId("felt").classList.contains("flows");
      menu(null);
      this.targets.clear();
      const pace = this.state?.pace ?? 1;
      if (pace) await this.app.table.play(chapter, pace);
      else await this.app.table.board(chapter);
      if (this.state) this.parts.stage.textContent = this.state.stage; // the cup is shaken no longer
      this.parts.guide.textContent = ""; // of the throw to come
      this.tell(lines);
      const own = this.state?.players.some((each) => each.yours && lines.some((line) => line.tone === "roll" && line.seat === each.seat));
      if (board && pace) await (own ? this.seen() : this.app.table.calm.matches ? null : paused(PAUSE));
    } else {
      this.tell(lines);
    }
    await this.pay(gains);
    if (board && !chapter) await this.app.table.board(board);
    this.next = chapter ? board : null; // what lies there once the roll has been seen
  }

  /** An own roll stays on show until the person goes on, by a key, the button or a press on the table. */
  async seen() {
    const { choices } = this.parts;
    const button = el("button", { type: "button", class: "main", id: "go-on", onclick: () => this.goOn() }, "Go on");
    const key = (event) => ["Enter", " ", "Escape"].includes(event.key) && this.goOn();
    const place = byId("canvas");
    let down = null; // a release of the hand, or a turn of the table, is no press
    const press = (event) => {
      if (event.type === "pointerdown") down = event;
      else if (down && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < STILL) this.goOn();
    };
    choices.replaceChildren(button);
    await new Promise((resolve) => {
      this.goOn = resolve;
      document.addEventListener("keydown", key);
      for (const kind of PRESS) place.addEventListener(kind, press);
    });
    this.goOn = null;
    document.removeEventListener("keydown", key);
    for (const kind of PRESS) place.removeEventListener(kind, press);
    button.remove();
  }

  /** Let what players have gained fly to their points. */
  async pay(gains) {
    const { state, app } = this;
    if (!state?.pace || state.pace > FAST || document.hidden || app.table.calm.matches) return;
    await Promise.all(state.players.filter(({ seat }) => gains[seat] > 0).map(async ({ seat, colour }) => {
      const goal = [...document.querySelectorAll(`#panel [data-points="${seat}"]`)].find((each) => each.checkVisibility());
      const from = byId("felt").querySelector(`:is(.scale, .plate, .tray).${seat}`);
      if (byId("felt").hidden) await app.table.player?.fly(goal, (actor) => actor.colour === colour);
      else if (from) await flyPoints(from, goal, { points: gains[seat], colour });
      goal.animate([{ scale: 1.5 }, { scale: 1 }], 300);
    }));
  }

  tell(lines, said = lines) {
    const { log } = this.parts;
    for (const line of lines) log.append(el("li", { class: `${line.tone} ${line.seat ?? ""}` }, line.text));
    log.scrollTop = log.scrollHeight;
    byId("caption").textContent = lines.filter((line) => line.tone !== "move").at(-1)?.text ?? "";
    if (said.length) say(said.map((line) => line.text.replace(/\.?$/, ".")).join(" "));
  }

  busy(on) {
    const { choices } = this.parts;
    if (on && choices.contains(document.activeElement)) this.focused = true;
    for (const button of choices.querySelectorAll("button")) button.disabled = on;
  }

  async show(state) {
    const { parts, app } = this;
    const mover = this.state?.players.find((each) => each.moves)?.seat;
    const fresh = this.state?.at !== state.at;
    const ends = this.state && !this.state.over && state.ending;
    this.state = state;
    parts.heading.textContent = state.heading;
    parts.stage.textContent = state.working ? `${state.stage} \u00b7 ${state.working}` : state.stage;
    const awaited = state.players.find((each) => each.seat === state.awaited);
    const others = awaited ? `${awaited.name} is to move.` : state.guide;
    parts.guide.textContent = state.over ? parts.log.lastChild?.textContent ?? "" : state.yours ? state.guide : others;
    parts.guide.classList.toggle("turn", state.over);
    this.covered = state.curtain && state.viewer !== this.shown;
    const covered = [{ kind: "note", strong: "The cards are covered.", text: "" }];
    const still = !state.pace || app.table.calm.matches || document.hidden;
    const moved = showFelt(this.covered ? covered : state.felt, {
      pick: (id, anew) => this.pick(id, anew), rest: (id) => this.rest(id), viewer: state.viewer, mover, still, pace: state.pace,
    });
    byId("film").hidden ||= Boolean(state.felt);
    this.score(state);
    parts.hint.replaceChildren();
    parts.why.textContent = this.legend;
    parts.why.hidden = state.over;
    app.byLink.show(state);
    this.offer(state);
    if (fresh && state.yours) byId("panel").scrollTop = 0; // a choice far down has been taken
    if (this.focused && state.yours) {
      // Keys go on from the choices; none of them is focused, or a late key would take it.
      parts.choices.focus({ preventScroll: true });
      this.focused = false;
    }
    this.tools(state);
    const whole = !this.alone && (state.over || app.recorded);
    if (whole && !this.review && app.can("review")) {
      this.review = new Review(app, this.id, parts.review, { score: (then) => this.score(then), begun: () => this.ending.close() });
    } else if (!whole) {
      this.review = null;
      parts.review.replaceChildren();
    }
    if (app.table.player) app.table.seat(state.players.find((each) => each.yours)?.seat ?? "A");
    this.close(state, ends);
    const seen = fresh && state.felt && !state.yours && !state.over && state.pace && !document.hidden && (moved || still);
    if (seen) await paused(BEAT / state.pace);
  }

  /** At the end what comes next stands together, on a card if the end was seen; undone, it goes back. */
  close(state, ends) {
    const { parts, app, ending, review } = this;
    const { again } = app.people.parts;
    if (!state.over) {
      parts.hint.after(parts.tools);
      app.people.parts.present.after(again);
      ending.deeds.replaceChildren();
      ending.close();
    } else if (again.parentElement !== ending.deeds) {
      ending.deeds.append(again, parts.tools);
      ending.close();
    }
    if (state.over && review?.begin.isConnected) parts.tools.before(review.begin);
    if (ends && !review?.bar) ending.show(state, parts.heading.textContent);
  }

  score({ columns, players, areas, felt }) {
    // What the table shows whole is only read out.
    const whole = felt?.some(({ kind }) => kind === "squares") || felt?.every(({ kind }) => PLAIN.includes(kind));
    this.parts.areas.classList.toggle("unseen", Boolean(whole));
    this.parts.brief.replaceChildren(...(players.length > 4 ? [] : players.map((each) => el("b", { class: each.seat, "data-points": each.seat, title: each.name }, String(each.now)))));
    this.parts.score.replaceChildren(el("table", { class: "score" },
      el("thead", {}, el("tr", {}, el("th", {}, "score"), columns.map((name) => el("th", {}, name)), el("th", {}, "now"))),
      el("tbody", {}, players.map((each) => el("tr", { class: each.moves ? "moves" : "" },
        el("th", { class: each.seat }, `${each.name}${each.yours ? " (you)" : ""} `, el("span", { class: "remark" }, each.player)),
        each.rounds.map((cell) => el("td", {}, cell)), el("td", {}, el("b", { "data-points": each.seat }, String(each.now))))))));
    this.parts.areas.replaceChildren(areas.length ? el("table", {},
      el("thead", {}, el("tr", {}, el("th"), players.map((each) => el("th", { class: each.seat }, each.name)))),
      el("tbody", {}, areas.map((area) => el("tr", {}, el("th", {}, area.name), area.cells.map((cell) => el("td", {}, cell)))))) : "");
  }

  /** What the marks mean, where a board does not draw them. */
  get legend() {
    return this.state?.yours && !this.state.felt?.some((part) => part.kind === "squares") ? this.state.legend : "";
  }

  /** Offer the decision: a cup to load, or a list. */
  offer(state) {
    const { choices } = this.parts;
    this.typed = { number: 0, at: 0 };
    this.picked = [];
    if (!state.yours) {
      choices.replaceChildren();
      if (this.next && !state.over) this.app.table.board(this.next);
      this.next = null;
      return;
    }
    if (this.covered) {
      const { name } = state.players.find((each) => each.seat === state.viewer);
      const uncover = () => { this.shown = state.viewer; this.show(state); };
      choices.replaceChildren(el("p", {}, `Hand over to ${name}.`), el("button", { type: "button", class: "main", id: "uncover", onclick: uncover }, "Show my cards"));
      return;
    }
    const laid = this.next ? this.app.table.board(this.next) : null;
    this.next = null;
    const act = (word, text, hint) => el("button", { type: "button", title: hint, onclick: () => this.ask(word) }, text);
    const row = el("div", { class: "row" },
      state.load ? el("button", { type: "button", class: "main", id: "pour", onclick: () => this.throw() }, "Throw") : null,
      state.load ? el("button", { type: "button", onclick: () => this.all() }, "All or none") : null,
      state.skip ? act("skip", "Skip", "Pass without a roll") : null,
      state.done ? act("done", "Done", "End this turn") : null,
      this.alone ? null : el("button", { type: "button", title: "What an agent would do, and why", onclick: () => this.hint() }, "Hint"));
    if (state.load) {
      this.chosen = new Set(state.load.filter((each) => each.free).map((each) => each.name));
      choices.replaceChildren(el("div", { class: "chips", role: "group", "aria-label": "Piggles for the cup" }, state.load.map((each, k) => this.chip(each, k))), row, this.app.table.height.node, this.app.table.phone.node);
      // The cup is filled from what lies there now.
      if (laid) laid.then(() => this.take(state));
      else this.take(state);
      return;
    }
    const list = el("div", { class: "choices", role: "group", "aria-label": "Choices" });
    let group = list;
    (state.choices ?? []).forEach(({ text, heading, involved }, k, all) => {
      if (heading !== all[k - 1]?.heading) group = heading ? list.appendChild(el("div", { class: "group" }, el("p", {}, heading))) : list;
      group.append(this.lighting(involved, this.explained(el("button", { type: "button", "aria-label": heading && text, onclick: () => this.decide(k) }, ...numbered(k, this.coloured(text.slice(heading.length).trim()))),
        involved.map((name) => state.effects[name]).find(Boolean) ?? "")));
    });
    this.open();
    choices.replaceChildren(...(list.querySelectorAll("button").length > 9 ? [row, list] : [list, row])); // a long list hides no button
  }

  chip(each, number) {
    const button = el("button", { type: "button", "aria-pressed": String(this.chosen.has(each.name)), "aria-disabled": String(!each.free) }, ...numbered(number, this.coloured(each.name)));
    button.addEventListener("click", () => {
      if (!each.free) {
        this.parts.why.textContent = each.why;
        return;
      }
      if (!this.chosen.delete(each.name)) this.chosen.add(each.name);
      button.setAttribute("aria-pressed", String(this.chosen.has(each.name)));
      this.fill();
    });
    return this.explained(button, each.why);
  }

  /** A text in which a Piggle's name stands with its colour and sign, in place of two letters. */
  coloured(text) {
    const [name] = /^\w+/.exec(text) ?? [];
    const { worn, words, skin } = this.state.marks[name] ?? {};
    const rest = text.slice(name?.length).replace(` ${worn}`, "");
    return skin ? [name, " ", el("span", { class: "worn", style: `--kind: ${skin}`, role: "img", "aria-label": words }, worn.slice(1)), rest] : [text];
  }

  /** Explain a button where a pointer or the focus rests on it, or a finger presses long. */
  explained(button, why) {
    const tell = () => { this.parts.why.textContent = why || this.legend; };
    for (const kind of ["mouseenter", "focus", "contextmenu"]) button.addEventListener(kind, tell);
    if (why) button.title = why;
    return button;
  }

  /** Light what a choice touches where a pointer or the focus rests on its button. */
  lighting(involved, button) {
    for (const kind of ["mouseenter", "focus"]) button.addEventListener(kind, () => this.light(involved));
    for (const kind of ["mouseleave", "blur"]) button.addEventListener(kind, () => this.light(this.picked));
    return button;
  }

  light(ids, manner) {
    light(ids, manner);
    this.targets.light(ids, manner);
  }

  /** Choices that touch what is pressed so far, by number in the list: first those that begin so, then those that touch it in any order. */
  fitting(picked) {
    const choices = this.state.choices ?? [];
    const some = [...choices.keys()].filter((k) => choices[k].involved.length);
    const begin = some.filter((k) => picked.every((id, at) => choices[k].involved[at] === id));
    if (this.state.ordered && begin.length) return begin;
    return some.filter((k) => rest(choices[k].involved, picked).length === choices[k].involved.length - picked.length);
  }

  /** What can be pressed next in some choices. */
  further(fits, picked) {
    return fits.flatMap((k) => {
      const left = rest(this.state.choices[k].involved, picked);
      return this.state.ordered ? left.slice(0, 1) : left;
    });
  }

  /** Show what can be pressed next. */
  open() {
    const { choices } = this.parts;
    const fits = this.fitting(this.picked);
    this.light(this.picked);
    this.light(this.further(fits, this.picked), "open");
    const list = choices.querySelector(".choices");
    list?.classList.toggle("picking", this.picked.length > 0);
    [...(list?.querySelectorAll("button") ?? [])].forEach((button, k) => button.classList.toggle("fits", this.picked.length > 0 && fits.includes(k)));
  }

  /** Press a piece or a square, as the first one if `anew`: a decision that touches no more than what was pressed is taken. */
  pick(id, anew = false) {
    if (!this.state?.yours || this.covered || !this.state.choices) return;
    menu(null);
    const again = this.picked.at(-1) === id && this.fitting([...this.picked, id]).length === 0; // a second press lays it down again
    this.picked = [...(anew ? [] : [[...this.picked, id]]), ...(again ? [] : [[id]]), []].find((each) => each.length === 0 || this.fitting(each).length);
    const fits = this.picked.length ? this.fitting(this.picked) : [];
    const whole = fits.filter((k) => this.state.choices[k].involved.length === this.picked.length);
    if (fits.length === 1 && whole.length === 1) {
      this.decide(whole[0]);
      return;
    }
    this.open();
    // What cannot be pressed on the table is asked in words.
    const unseen = fits.filter((k) => !whole.includes(k) && this.further([k], this.picked).every((each) => !this.onTable(each)));
    menu(id, [...whole, ...unseen].slice(0, MENU).map((k) => ({ text: this.state.choices[k].text, act: () => this.decide(k) })));
  }

  /** Lay down what was picked; without any, close what lies over the table. */
  layDown() {
    if (this.picked?.length) {
      this.picked = [];
      menu(null);
      this.open();
    } else {
      this.ending.close();
      this.app.people.closeLinks();
    }
  }

  onTable(id) {
    return this.targets.has(id) || byId("felt").querySelector(`[data-id="${CSS.escape(id)}"]`) !== null;
  }

  /** Where the pointer rests on a piece before any is pressed, show what it can do. */
  rest(id) {
    if (!this.state?.yours || this.covered || !this.state.choices || this.picked.length) return;
    const fits = id ? this.fitting([id]) : [];
    if (!fits.length || !this.state.ordered) this.open();
    else this.light(this.further(fits, [id]), "open");
    this.light(fits.length ? [id] : [], "near");
  }

  /** A Piggle on the table was pressed: load it, or choose it. */
  press(name) {
    const number = this.state?.load?.findIndex((each) => each.name === name) ?? -1;
    if (!this.state?.yours || (number < 0 && !this.state.choices)) return false;
    if (this.state.choices) this.pick(name);
    else this.parts.choices.querySelectorAll(".chips button")[number].click();
    return true;
  }

  /** What a Piggle on the table is, in words. */
  explain(name) {
    if (this.state?.choices && this.state.yours && !this.picked.length) {
      const fits = name ? this.fitting([name]) : [];
      this.light(this.further(fits, name ? [name] : []), "open");
      if (!name || !fits.length) this.open();
    }
    return [this.state?.marks[name]?.words, this.state?.effects[name]?.split(": ").slice(1).join(": ")].filter(Boolean);
  }

  /** Put the cup into the hand. */
  take(state) {
    if (!state.load || this.state !== state) return;
    this.app.table.give(state.yours, {
      prepare: (piggles) => this.app.send({ do: "prepare_load", table: this.id, at: state.at, piggles }),
      onThrow: (own) => this.throw(own),
    });
    this.fill();
  }

  fill() {
    this.app.table.fill([...this.chosen]);
    const roll = byId("pour");
    if (roll) {
      roll.disabled = this.chosen.size === 0;
      roll.textContent = this.chosen.size ? `Throw ${this.chosen.size}` : "Throw";
    }
    this.targets.light((this.state.load ?? []).filter((each) => each.free && !this.chosen.has(each.name)).map((each) => each.name), "open");
  }

  all() {
    const free = this.state.load.filter((each) => each.free);
    this.chosen = new Set(this.chosen.size === free.length ? [] : free.map((each) => each.name));
    [...this.parts.choices.querySelectorAll(".chips button")].forEach((button, k) => button.setAttribute("aria-pressed", String(this.chosen.has(this.state.load[k].name))));
    this.fill();
  }

  throw(own = null) {
    if (!this.chosen.size || !this.state.load) return;
    this.busy(true);
    const piggles = this.state.load.map((each) => each.name).filter((name) => this.chosen.has(name));
    this.app.send({ do: "load", table: this.id, at: this.state.at, piggles, hold: own ? null : this.app.table.hold, own });
  }

  decide(choice) {
    this.busy(true);
    byId("table").scrollIntoView({ block: "nearest" }); // on a phone the list may have hidden it
    this.app.send({ do: "decide", table: this.id, at: this.state.at, choice });
  }

  hint() {
    this.advise([{ text: "Thinking ..." }]);
    this.ask("hint");
  }

  advise(lines) {
    this.parts.hint.replaceChildren(...lines.map((line) => el("p", { class: "remark" }, line.text)));
  }

  ask(word) {
    this.app.send({ do: "ask", table: this.id, at: this.state.at, word });
  }

  tools(state) {
    const file = (kind, text) => download(this.app, `/match/${this.id}/match.${kind}`, text);
    const people = !this.app.recorded && state.players.some((each) => each.person);
    const agents = this.app.recorded || state.players.some((each) => !each.person);
    const pace = paces(state.pace);
    pace.addEventListener("change", () => {
      state.pace = Number(pace.value);
      this.app.send({ do: "pace", table: this.id, pace: state.pace });
    });
    this.parts.tools.replaceChildren(...[
      state.undoable ? el("button", { type: "button", onclick: () => this.ask("undo") }, "Take back") : null,
      state.yours && state.concede ? el("button", { type: "button", onclick: (event) => this.concede(event.target) }, "Concede") : null,
      state.owner && people && !state.over && this.app.can("invite") ? el("button", { type: "button", onclick: () => this.ask("links") }, "Invite") : null,
      state.owner && agents && !state.over ? field("pace", pace) : null,
      state.over ? file(this.app.can("records") ? "jsonl" : "txt", "Record") : null,
      ...(state.over && state.has_page && this.app.can("files") ? [file("html", "Share page"), file("png", "Picture"), file("gif", "GIF")] : []),
    ].filter(Boolean));
  }

  concede(button) {
    if (button.dataset.sure) this.ask("concede");
    button.dataset.sure = "yes";
    button.textContent = "Really concede?";
  }

  key(event) {
    if (event.key === "Escape") this.layDown();
    if (this.review?.key(event)) return;
    if (!this.state?.yours || this.covered || this.app.table.running) return;
    const number = Number(event.key) - 1;
    if (this.state.load) {
      if (number >= 0) this.parts.choices.querySelectorAll(".chips button")[number]?.click();
      else if (event.key === "a") this.all();
      else if (event.key === "Enter" && !event.target.closest("button, a")) byId("pour")?.click();
      else if (event.key === "s" && this.state.skip) this.ask("skip");
    } else if (/^[0-9]$/.test(event.key)) {
      this.type(event);
    }
    if (event.key === "d" && this.state.done) this.ask("done");
    if (event.key === "h" && !this.alone) this.hint();
    if (event.key === "u" && this.state.undoable) this.ask("undo");
  }

  /** Take the choice of a digit; of ten and more focus it, since a second digit may follow: Enter takes it. */
  type({ key, timeStamp }) {
    const list = this.parts.choices.querySelectorAll(".choices button");
    const { number, at } = this.typed;
    const longer = Number(key) + (timeStamp - at < TYPING ? 10 * number : 0);
    this.typed = { number: list[longer - 1] ? longer : Number(key), at: timeStamp };
    const choice = list[this.typed.number - 1];
    if (list.length > 9) choice?.focus();
    else choice?.click();
  }
}
