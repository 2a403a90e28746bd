// The end of a match: a card on the table with the result, and what can be done next.

import { byId, el } from "./dom.js";

export class Ending {
  /** `deeds` is the element with the buttons for what comes next; without the card it stands in the panel, after `place`. */
  constructor(deeds, place) {
    Object.assign(this, { deeds, place, card: null });
  }

  /** Show the result of a match that has just ended; `title` is the name of its game. */
  show({ ending, players, stage }, title) {
    this.close();
    const { winners, headline, why } = ending;
    const own = players.filter((each) => each.yours);
    const won = own.length === 1 && winners.length === 1 && winners[0] === own[0].seat;
    const ranked = [...players].sort((one, other) => winners.includes(other.seat) - winners.includes(one.seat));
    const close = el("button", { type: "button", class: "quiet", id: "see-table", "aria-label": "Close, and see the table", onclick: () => this.close() }, "\u00d7");
    this.card = el("section", { id: "ending", class: winners.length === 1 ? winners[0] : null, "aria-label": "Result" }, close,
      el("h2", { class: winners.length === 1 ? winners[0] : null }, won ? "You win" : headline),
      el("p", {}, [winners.length ? why : "", `${title}, ${stage.split(" \u00b7 ")[0].toLowerCase()}`].filter(Boolean).join(" \u00b7 ")),
      el("ul", { class: players.length > 4 ? "many" : "" }, ranked.map((each) => el("li", { class: `${each.seat}${winners.includes(each.seat) ? " won" : ""}` },
        el("b", {}, String(each.now)), el("span", {}, each.name)))),
      this.deeds);
    byId("caption").before(this.card);
    byId("table").scrollIntoView({ block: "nearest" });
  }

  close() {
    this.card?.remove();
    this.card = null;
    this.place.after(this.deeds);
  }
}
