// Play: begin a match, go on with one, watch a record again.

import { byId, el, field, paces, seedField, select } from "./dom.js";

export class PlayView {
  constructor(app) {
    this.app = app;
  }

  enter() {
    byId("table").hidden = true;
    const { games } = this.app.welcome;
    this.game ??= games[0].name;
    this.form = el("div");
    const cards = el("div", { class: "cards", role: "group", "aria-label": "Game" }, games.map((game) =>
      el("button", { type: "button", class: "card", "aria-pressed": String(game.name === this.game), onclick: () => this.choose(game.name) },
        el("b", {}, game.title), el("span", {}, `${game.brief}. Players: ${game.players}.`))));
    const file = el("input", { type: "file", accept: ".jsonl,.txt,.json", hidden: true, onchange: () => file.files[0] && this.app.openRecord(file.files[0]) });
    byId("panel").replaceChildren(
      el("h2", {}, "Play"), cards, this.form,
      el("h2", {}, "Matches"),
      ...this.matches(),
      el("button", { type: "button", class: "drop", onclick: () => file.click() }, "Drop a record here, or press to choose a file"), file,
    );
    this.cards = [...cards.children];
    this.show();
  }

  matches() {
    const { matches, files } = this.app.welcome;
    const row = ({ table }, text) => el("button", { type: "button", onclick: () => { location.hash = `#/match/${table}`; } }, text);
    const rows = [
      ...matches.map((each) => row(each, `${each.title}: ${each.players}${each.over ? ", over" : ", going on"}`)),
      ...files.map((each) => row(each, `${each.title}, ${new Date(1000 * each.seconds).toLocaleString()}`)),
    ];
    return rows.length ? [el("div", { class: "choices" }, rows)] : [el("p", { class: "remark" }, "None yet. They are saved here after every decision.")];
  }

  choose(name) {
    if (name === this.game) return;
    this.game = name;
    this.app.welcome.games.forEach((game, k) => this.cards[k].setAttribute("aria-pressed", String(game.name === name)));
    this.show();
  }

  show() {
    const game = this.app.welcome.games.find((each) => each.name === this.game);
    const { teams, engines } = this.app.welcome;
    const { agents, min_players: least, max_players: most } = game;
    const seats = (count) => [...Array(count).keys()].map((k) => select(["human", ...agents], k === 0 ? "human" : agents[0],
      ["a person", ...agents]));
    this.players = seats(game.seats);
    const players = el("div", { class: "fields" });
    const list = () => players.replaceChildren(...this.players.map((each, k) => field(`player ${"ABCDEFGH"[k]}`, each)));
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
    this.form.replaceChildren(
      players,
      el("div", { class: "row" },
        el("button", { type: "button", class: "main", onclick: () => this.begin() }, "Begin"),
        el("button", { type: "button", onclick: () => this.watch() }, "Watch agents")),
      el("details", {}, el("summary", {}, "More choices"),
        el("div", { class: "fields" },
          least < most ? field("number of players", count) : null,
          game.chances.length > 1 ? field("rolls", this.chance) : null,
          game.chances.includes("physical") ? field("engine", this.engine) : null,
          game.teams ? field("team of A", this.teams[0]) : null, game.teams ? field("team of B", this.teams[1]) : null,
          field("pace of agents", this.pace), field("seed", this.seed.input)),
        el("label", { class: "field" }, this.practice, el("span", {}, "practice: decisions can be taken back"))),
    );
  }

  watch() {
    const { agents } = this.app.welcome.games.find((each) => each.name === this.game);
    for (const player of this.players) if (player.value === "human") [player.value] = agents;
    this.begin();
  }

  begin() {
    const seed = this.seed.read(this.app);
    if (seed === undefined) return;
    this.app.send({
      do: "new", game: this.game, players: this.players.map((each) => each.value),
      team_a: this.teams[0].value || null, team_b: this.teams[1].value || null,
      chance: this.chance.value, engine: this.engine.value || null, seed,
      practice: this.practice.checked, pace: Number(this.pace.value),
    });
  }
}
