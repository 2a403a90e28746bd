// A table without a board of Piggles: squares, cards and scales as the server describes them. It knows no game.

import { byId, el } from "./dom.js";

const named = (piece) => [piece.words || piece.label, piece.note].filter(Boolean).join(", ");

/** A unit, a card or a token; `shape` is its class. */
function piece(each, shape) {
  const classes = [shape, each.seat ?? "", each.face_down ? "down" : "", each.marked ? "marked" : ""];
  return el("span", { class: classes.filter(Boolean).join(" "), title: named(each), "data-id": each.id || null, style: each.colour ? `--kind: ${each.colour}` : null },
    each.label);
}

const draw = {
  squares({ rows, columns, squares }) {
    const line = (name, cells) => [el("b", {}, name), ...cells];
    return el("div", { class: "squares", style: `--columns: ${columns.length}` },
      rows.flatMap((name, k) => line(name, squares[k].map((square) => el("span", {
        class: `square${square.marked ? " marked" : ""}`, "data-id": square.id, title: [square.id, ...square.pieces.map(named)].join(": "),
        style: square.colour ? `--kind: ${square.colour}` : null,
      }, square.pieces.toReversed().map((each) => piece(each, each.seat ? "stack" : "token")))))),
      line("", columns.map((name) => el("b", {}, name))));
  },

  cards({ name, cards, seat, more, note, columns }) {
    if (columns.length) {
      return el("div", { class: "wide" }, el("table", { class: "hand" },
        el("thead", {}, el("tr", {}, el("th", { class: seat }, name), columns.map((each) => el("th", {}, each)), el("th"))),
        el("tbody", {}, cards.map((card) => el("tr", { "data-id": card.id, class: card.marked ? "marked" : null },
          el("th", {}, piece({ ...card, id: "" }, "playing")), card.numbers.map((number) => el("td", {}, number)),
          el("td", { class: "name" }, card.words, card.note ? el("small", {}, ` ${card.note}`) : null))))));
    }
    return el("div", { class: "pile" }, el("b", {}, name), more ? el("small", {}, `${more} more`) : null,
      cards.map((card) => piece(card, card.label.length > 2 ? "token long" : "playing")), el("small", {}, note));
  },

  scale({ name, value, high, gain, seat, moves }) {
    const share = (number) => `${Math.min(100, (100 * number) / high)}%`;
    return el("div", { class: `scale ${seat ?? ""}${moves ? " moves" : ""}`, title: `${name}: ${value} of ${high}` },
      el("span", {}, name), el("b", {}, gain ? `${value} + ${gain}` : String(value)),
      el("div", {}, el("i", { style: `width: ${share(value)}` }), el("i", { class: "gain", style: `width: ${share(Math.min(gain, high - value))}` })));
  },

  note({ strong, text, seat, moves }) {
    return el("p", { class: `${seat ?? ""}${moves ? " moves" : ""}` }, el("b", {}, strong), el("small", {}, ` ${text}`));
  },

  dice({ faces }) {
    return el("p", { class: "dice", title: `dice: ${faces.join(", ")}` }, faces.map((face) => String.fromCodePoint(0x267f + face)).join(" "));
  },
};

/** Show a table; null hides it. `pick` hears of the piece or square that is pressed, by its id. */
export function showFelt(parts, pick = () => {}) {
  const felt = byId("felt");
  felt.hidden = !parts;
  felt.replaceChildren(...(parts ?? []).map((part) => draw[part.kind](part)));
  felt.onclick = (event) => {
    const at = event.target.closest("[data-id]");
    if (at) pick(at.dataset.id);
  };
}

/** Light pieces and squares by their ids, in place of those that were lit in this manner. */
export function light(ids, manner = "lit") {
  for (const node of byId("felt").querySelectorAll("[data-id]")) node.classList.toggle(manner, ids.includes(node.dataset.id));
}
