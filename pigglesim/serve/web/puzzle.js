// A puzzle: one decision of a match with one best action, its answer, and how many days in a row were right.

import { el, memory, say } from "./dom.js";
import { MatchView } from "./match.js";

export class PuzzleView extends MatchView {
  get alone() { return true; }

  /** The table of a puzzle is the one that was opened last. */
  get id() { return this.app.expected; }

  set id(_) { /* The server chooses it. */ }

  enter(number, opened) {
    super.enter(null, true);
    if (!opened) this.wish(number ? Number(number) : null);
  }

  wish(number) {
    this.app.send({ do: "puzzle", number });
  }

  async show(state) {
    const { puzzle } = state;
    const decided = puzzle.answer && this.state?.puzzle.answer === null;
    await super.show(state);
    const { guide, review } = this.parts;
    const known = this.known(state);
    if (known !== null && !puzzle.answer) this.decide(known);
    guide.textContent = (known === null ? "" : "You have answered it today. ") + (puzzle.answer?.verdict ?? puzzle.question);
    if (decided && puzzle.number === puzzle.today) this.count(puzzle);
    review.replaceChildren(...(puzzle.answer ? this.reasons(puzzle) : []));
    if (decided) say(puzzle.answer.verdict);
  }

  decide(choice) {
    this.choice = choice;
    super.decide(choice);
  }

  /** The choice by which this browser has answered the puzzle of today, or null; what is stored may have been changed. */
  known({ puzzle, choices }) {
    const { last, of, choice } = memory.solved ?? {};
    const same = puzzle.number === puzzle.today && last === puzzle.day && of === puzzle.of;
    return same && Number.isInteger(choice) && (choices ?? puzzle.answer.rows)[choice] ? choice : null;
  }

  tools({ puzzle, over }) {
    const { number, of, today } = puzzle;
    this.parts.tools.replaceChildren(
      el("button", { type: "button", class: over ? "main" : null, id: "next-puzzle", onclick: () => this.wish((number % of) + 1) }, "Next puzzle"),
      number === today ? "" : el("button", { type: "button", onclick: () => this.wish(null) }, "Puzzle of the day"));
  }

  /** Count days in a row whose puzzle was solved at the first attempt. */
  count({ day, of, answer }) {
    const { last = 0, days = 0 } = memory.solved ?? {};
    if (last !== day) memory.solved = { last: day, days: answer.right ? (last === day - 1 ? days : 0) + 1 : 0, of, choice: this.choice };
  }

  /** The answer: its reason, the value of each action, and how hard it was. */
  reasons(puzzle) {
    const { why, rows, source } = puzzle.answer;
    const days = puzzle.number === puzzle.today ? memory.solved?.days ?? 0 : 0;
    return [
      why ? el("p", {}, `${why[0].toUpperCase()}${why.slice(1)}.`) : "",
      el("div", { class: "wide", tabindex: "0" }, el("table", { class: "answer" },
        el("caption", {}, "How often each action wins"),
        el("tbody", {}, rows.map(([text, wins, note]) => el("tr", { class: note.startsWith("best") ? "best" : null }, el("th", {}, text), el("td", {}, wins), el("td", {}, note)))))),
      el("p", { class: "remark" }, source),
      days > 1 ? el("p", {}, `${days} days in a row.`) : "",
    ].filter(Boolean);
  }
}
