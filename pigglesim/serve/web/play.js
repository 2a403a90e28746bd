// Play: begin a match, go on with one, watch a record again.

import { byId, el, field, memory, paces, seedField, select } from "./dom.js";

/** A text in which code stands between backticks. */
const marked = (text) => text.split("`").map((part, k) => (k % 2 ? el("code", {}, part) : part));

/** A control for a house rule; `value()` gives its setting. */
function ruleField(rule) {
  const { name, meaning, settings, least, most } = rule;
  const flag = rule.default === true || rule.default === false;
  const words = flag ? ["on", "off"] : settings;
  const plain = (value) => (value === true ? "on" : value === false ? "off" : String(value));
  const input = words ? select(words, plain(rule.default), flag ? words : rule.words) : el("input", { type: "number", min: String(least), max: String(most), step: "any", value: String(rule.default) });
  const value = () => (words ? input.value : Number(input.value));
  const node = el("label", { class: "rule" }, el("span", {}, name.replaceAll("_", " ")), input, el("small", {}, ...marked(meaning)));
  return { name, node, value, get changed() { return String(value()) !== plain(rule.default); } };
}

/** The address of a picture; a page in one file has all in it. */
const picture = (path) => window.pigglesimPictures?.[path] ?? path;

export class PlayView {
  constructor(app) {
    this.app = app;
  }

  enter() {
    byId("table").hidden = true;
    const { games } = this.app.welcome;
    this.game ??= games[0].name;
    this.form = el("section", { class: "begin", "aria-label": "Begin a match" });
    this.list = el("div");
    const cards = el("div", { class: "cards", role: "group", "aria-label": "Game" }, games.map((game) =>
      el("button", { type: "button", class: "card", "aria-pressed": String(game.name === this.game), onclick: () => this.choose(game.name) },
        el("img", { src: picture(`web/${game.name}.svg`), alt: "", width: "96", height: "72" }),
        el("b", {}, game.title), el("span", {}, `Players: ${game.players}`))));
    const file = el("input", { type: "file", accept: ".jsonl,.txt,.json", hidden: true, onchange: () => file.files[0] && this.app.openRecord(file.files[0]) });
    byId("panel").replaceChildren(
      memory.begun ? "" : el("section", { id: "first" },
        el("img", { src: picture(`web/${games[0].name}.svg`), alt: "", width: "192", height: "144" }),
        el("div", {}, el("h1", {}, "Shake the cup, throw the pigs"),
          el("p", {}, "Throw with your own hand, against a weak computer. Five short notes explain the game as you go."),
          el("button", { type: "button", class: "main", id: "begin-first", onclick: () => this.beginFirst() }, "Play your first match"))),
      el("div", { class: "lobby" },
        el("section", {}, el("h2", {}, "Six games"), cards,
          this.app.can("puzzles") ? el("a", { href: "#/puzzle", id: "daily" }, el("span", { class: "token" }, "?"), el("span", {}, el("b", {}, "Puzzle of the day"), "Find the best action of one decision.")) : ""),
        this.form),
      el("h2", {}, "Your matches"),
      this.list,
      this.app.can("records") ? el("button", { type: "button", class: "drop", onclick: () => file.click() }, "Drop a record here, or press to choose a file") : "", file,
    );
    this.cards = [...cards.children];
    this.show();
    this.app.send({ do: "matches" });
  }

  hear(message) {
    if (message.is === "matches") this.matches(message);
  }

  matches({ matches, results }) {
    const rows = matches.map((each) => el("button", { type: "button", class: "saved", onclick: () => { location.hash = `#/match/${each.table}`; } },
      el("b", {}, each.title), el("span", {}, each.players ?? ""), el("span", { class: each.result ? "" : "turn" }, each.result || "goes on"),
      el("time", {}, new Date(1000 * each.seconds).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }))));
    const kinds = ["won", "drawn", "lost"];
    const counted = Object.entries(results);
    this.list.replaceChildren(
      counted.length ? el("p", { class: "remark" }, "Your results, counted from these matches: alone against the computer, or under your name. Practice does not count.") : "",
      counted.length ? el("table", { class: "results" },
        el("thead", {}, el("tr", {}, el("th"), kinds.map((kind) => el("th", {}, kind)))),
        el("tbody", {}, counted.map(([title, counts]) => el("tr", {}, el("th", {}, title), kinds.map((kind) => el("td", {}, String(counts[kind] ?? 0))))))) : "",
      rows.length ? el("div", { class: "choices" }, rows) : el("p", { class: "remark" }, this.app.can("records") ? "None yet. They are saved here after every decision." : "None yet."));
  }

  choose(name) {
    if (name === this.game) return;
    this.game = name;
    this.app.welcome.games.forEach((game, k) => this.cards[k].setAttribute("aria-pressed", String(game.name === name)));
    this.show();
    this.form.scrollIntoView({ block: "nearest" });
  }

  /** Who may sit at a seat: a person, the computer by its levels, or, if wished or chosen, an agent by its name. */
  seat(game, chosen) {
    const { agents, levels } = game;
    const option = (value, text) => el("option", { value, selected: value === chosen }, text);
    const named = !levels.length || this.named.checked;
    return el("select", {}, option("human", "a person"),
      levels.length ? el("optgroup", { label: "the computer" }, levels.map((each) => option(each.agent, each.level))) : "",
      agents.filter((agent) => !levels.some((each) => each.agent === agent) && (named || agent === chosen)).map((agent) => option(agent, agent)));
  }

  show() {
    const game = this.app.welcome.games.find((each) => each.name === this.game);
    const { teams, engines } = this.app.welcome;
    const { levels, min_players: least, max_players: most } = game;
    const usual = (memory.begun ? levels[1] : levels[0])?.agent ?? game.agents[0];
    const seats = (count) => [...Array(count).keys()].map((k) => this.seat(game, k === 0 ? "human" : usual));
    const players = el("div", { class: "fields" });
    const people = el("p", { class: "remark" });
    const list = () => {
      players.replaceChildren(...this.players.map((each, k) => field(`${game.seat_names[k] ?? `player ${"ABCDEFGH"[k]}`}${each.value === "human" ? "" : ": computer"}`, each)));
      const many = this.players.filter((each) => each.value === "human").length > 1;
      people.textContent = many && !this.app.can("invite") ? "You share this screen." : many ? "You get a link and a QR code for each of the others, or you share this screen." : "";
    };
    players.addEventListener("change", list);
    this.named = el("input", { type: "checkbox", onchange: () => {
      this.players = this.players.map((each) => this.seat(game, each.value));
      list();
    } });
    this.players = seats(game.seats);
    list();
    const count = select([...Array(most - least + 1).keys()].map((k) => String(least + k)), String(game.seats));
    count.addEventListener("change", () => {
      this.players = seats(Number(count.value));
      list();
    });
    this.teams = [select(["", ...teams], "", ["standard", ...teams]), select(["", ...teams], "", ["standard", ...teams])];
    const chances = { physical: "physics: every roll is simulated", tabular: "measured odds", fair: "fair dice and cards" };
    this.chance = select(game.chances, game.chances[0], game.chances.map((each) => chances[each]));
    this.engine = select(["", ...engines], "", ["fastest", ...engines]);
    this.practice = el("input", { type: "checkbox" });
    this.pace = paces(1);
    this.seed = seedField();
    this.rules = game.rules.map(ruleField);
    const summary = el("summary", {}, "House rules");
    const rules = el("div", { class: "rules" }, this.rules.map((each) => each.node));
    rules.addEventListener("input", () => {
      const changed = this.rules.filter((each) => each.changed).length;
      summary.textContent = changed ? `House rules (${changed} changed)` : "House rules";
    });
    this.form.replaceChildren(
      el("h2", {}, game.title), el("p", { class: "brief" }, `${game.brief}.`), players, people,
      el("div", { class: "row" },
        el("button", { type: "button", class: "main", onclick: () => this.begin() }, "Begin"),
        el("button", { type: "button", onclick: () => this.watch() }, "Watch agents")),
      game.by_link ? this.app.byLink.offer((seat) => this.beginByLink(seat)) : "",
      el("details", {}, el("summary", {}, "More choices"),
        el("div", { class: "fields" },
          least < most ? field("number of players", count) : null,
          game.chances.length > 1 ? field("rolls", this.chance) : null,
          game.chances.includes("physical") ? field("engine", this.engine) : null,
          game.teams ? field("team of A", this.teams[0]) : null, game.teams ? field("team of B", this.teams[1]) : null,
          field("pace of agents", this.pace), field("seed", this.seed.input)),
        el("label", { class: "field" }, this.practice, el("span", {}, "practice: decisions can be taken back"))),
      levels.length ? el("details", {}, el("summary", {}, "Who the computer is"),
        el("p", { class: "remark" }, "Each level is an agent. Elo ratings were measured in matches among agents of this game; their mean is 0. Brackets are 95 % intervals."),
        el("ul", {}, levels.map((each) => el("li", {}, `${each.level}: ${each.detail}`))),
        el("label", { class: "field" }, this.named, el("span", {}, "offer all agents, by name"))) : "",
      this.rules.length ? el("details", {}, summary, rules) : "",
    );
  }

  beginByLink(seat) {
    memory.begun = true;
    this.app.byLink.begin({ game: this.game, seat, chance: this.chance.value, rules: this.changedRules() });
  }

  changedRules() {
    return Object.fromEntries(this.rules.filter((each) => each.changed).map((each) => [each.name, each.value()]));
  }

  watch() {
    const game = this.app.welcome.games.find((each) => each.name === this.game);
    for (const player of this.players) if (player.value === "human") player.value = game.levels.at(-1)?.agent ?? game.agents[0];
    this.begin();
  }

  /** Begin the first match: it is that of the first game, against its weakest opponent. */
  beginFirst() {
    const [game] = this.app.welcome.games;
    memory.notes = [];
    this.send({ game: game.name, players: ["human", game.levels[0].agent] });
  }

  begin() {
    const seed = this.seed.read(this.app);
    if (seed === undefined) return;
    const players = this.players.map((each) => each.value);
    this.app.people.inviting = this.app.can("invite") && players.filter((each) => each === "human").length > 1;
    this.send({
      game: this.game, players, seed,
      team_a: this.teams[0].value || null, team_b: this.teams[1].value || null,
      chance: this.chance.value, engine: this.engine.value || null,
      practice: this.practice.checked, pace: Number(this.pace.value),
      rules: this.changedRules(),
    });
  }

  send(wish) {
    memory.begun = true;
    this.app.send({ do: "new", ...wish });
  }
}
