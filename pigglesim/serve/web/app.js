// The page of `pigglesim serve`: which view is shown, and what the server says to it.

import { ByLink, NO_LINK, linkIn } from "./by_link.js";
import { connect, takeSecret } from "./net.js";
import { MatchView } from "./match.js";
import { Moments } from "./moments.js";
import { People } from "./people.js";
import { PlayView } from "./play.js";
import { PuzzleView } from "./puzzle.js";
import { Sound } from "./sound.js";
import { StudyView } from "./study.js";
import { Table } from "./table.js";
import { ThrowView } from "./throw.js";
import { byId, el, memory } from "./dom.js";

const KEYS = [
  ["1 to 9", "choose; of a longer list, Enter takes the marked one"], ["Enter", "throw"], ["a", "all Piggles or none"],
  ["[ ] , .", "turn the throw, swing less or more"], ["x", "take the cup and shake it; then arrows move it, Enter pours, Esc puts it back"], ["s  d", "skip; end a turn of several actions"], ["h  u", "hint; take back, in practice"],
  ["Space", "skip a film"], ["Esc", "lay down what was picked; close what lies on the table"], ["\u2190 \u2192", "through the decisions of a review"], ["f  ?", "full screen; this sheet"], ["arrows + -", "turn and zoom the table, where it has the focus"],
];

class App {
  constructor() {
    takeSecret();
    this.sound = new Sound(byId("sound"));
    this.table = new Table(this.sound);
    this.people = new People(this);
    this.byLink = new ByLink(this);
    this.menu();
    this.views = { throw: new ThrowView(this), play: new PlayView(this), study: new StudyView(this), match: new MatchView(this), puzzle: new PuzzleView(this) };
    this.table.moments = new Moments(this);
    this.queue = Promise.resolve();
    addEventListener("hashchange", () => {
      if (takeSecret()) location.reload();
      else if (this.welcome) this.route();
    });
    this.connection = connect((message) => this.hear(message), (welcome) => {
      this.welcome = welcome;
      if (memory.name) this.people.send(memory.name);
      byId("tabs").hidden = !welcome.owner;
      document.querySelector('#tabs a[href="#/study"]').hidden = !this.can("study");
      // A guest has one match; after a rematch the address may still name the match before.
      if (!welcome.owner) history.replaceState(null, "", `#/match/${welcome.table}`);
      this.route();
    });
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => this.drop(event));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  send(message) {
    this.connection.send(message);
  }

  /** Whether what plays can do something besides throwing and playing. */
  can(ability) {
    return this.welcome.can?.includes(ability) ?? true;
  }

  /** Show the view that the address names. */
  route(opened = false) {
    const sent = location.hash.startsWith("#match=") && this.welcome.games?.some((game) => game.by_link);
    const link = sent && linkIn(location.hash);
    if (sent) history.replaceState(null, "", "#/play");
    if (link) this.byLink.open(link);
    const [, name = "play", id] = location.hash.split("/");
    const needed = { study: "study", puzzle: "puzzles" }[name];
    const view = (needed && !this.can(needed) ? null : this.views[name]) ?? this.views.play;
    document.querySelector(".fault")?.remove();
    if (sent && !link) this.fault(NO_LINK);
    if (!this.welcome.owner && view !== this.views.match) {
      this.fault("This link is for one match; open it again.");
      return;
    }
    this.view?.leave?.();
    this.table.takeBack();
    this.view = view;
    for (const link of document.querySelectorAll("#tabs a")) {
      const here = link.hash === `#/${name}` || (["match", "puzzle"].includes(name) && link.hash === "#/play");
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    byId("caption").textContent = "";
    byId("felt").hidden = true;
    view.enter(id, opened);
  }

  /** Handle messages in order: a film is seen to its end before what follows it. */
  hear(message) {
    if (message.is === "fault") {
      this.fault(message.text);
      this.table.moments.refused();
      this.view?.hear?.(message);
      return;
    }
    if (["recall", "remember"].includes(message.is)) {
      this.byLink.hear(message);
      return;
    }
    if (message.is === "opened") {
      this.expected = message.table;
      this.recorded = message.recorded;
      this.queue = Promise.resolve();
      this.table.waiting = null;
      const place = message.puzzle ? `#/puzzle/${message.puzzle}` : `#/match/${message.table}`;
      if (location.hash !== place) {
        // A record that is watched again has an address of its own each time; Back leads to the list.
        history[/^#\/(match\/|puzzle)/.test(location.hash) ? "replaceState" : "pushState"](null, "", place);
        this.route(true);
      }
    }
    if (message.is === "named") this.people.called(message.name);
    if (message.table !== undefined && message.table !== this.expected) return;
    if (message.is === "links") this.people.hear(message);
    if (message.is === "decided") {
      this.table.moments.hear(message).catch((error) => this.table.moments.failed(error.message)); // the film runs on
      return;
    }
    if (["progress", "hint"].includes(message.is)) {
      this.view?.hear?.(message);
      return;
    }
    this.queue = this.queue.then(async () => {
      if (message.table !== undefined && message.table !== this.expected) return;
      if (message.is === "table") await this.table.lay(message);
      else await this.view?.hear?.(message);
      if (["state", "people"].includes(message.is)) this.people.hear(message);
    }).catch((error) => this.fault(`This page has failed: ${error.message}. Reload it.`));
  }

  fault(text) {
    document.querySelector(".fault")?.remove();
    const note = el("p", { class: "fault", role: "alert" }, text);
    byId("room").before(note);
    setTimeout(() => note.remove(), 8000);
  }

  async drop(event) {
    event.preventDefault();
    const [file] = event.dataTransfer?.files ?? [];
    if (file) this.openRecord(file);
  }

  async openRecord(file) {
    if (file.size > 1_900_000) this.fault("That file is too large for a record.");
    else this.send({ do: "record", text: await file.text() });
  }

  /** The sheet behind the name: sound, full screen, keys. */
  menu() {
    const sheet = byId("menu");
    const full = byId("full");
    full.hidden = !document.fullscreenEnabled;
    full.addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()));
    byId("keys").append(...KEYS.flatMap(([keys, what]) => [el("dt", {}, keys), el("dd", {}, what)]));
    document.addEventListener("pointerdown", (event) => { if (!sheet.contains(event.target)) sheet.open = false; });
  }

  /** Space skips a film or throws; digits choose. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
    if (event.key === "?") {
      byId("menu").open = !byId("menu").open;
      return;
    }
    if (event.key === "Escape" && byId("menu").open) {
      byId("menu").open = false;
      return;
    }
    if (event.key === "f") byId("full").click();
    if (this.table.key(event.key)) {
      event.preventDefault();
      return;
    }
    if (event.key === " " && event.target.closest("button, a, summary")) return;
    if ([" ", "Escape"].includes(event.key) && this.table.running) {
      event.preventDefault();
      this.table.skip();
    } else if (event.key !== " ") {
      this.view?.key?.(event);
    }
  }
}

window.pigglesim = new App();
