// A board of squares, with stacks and tokens on it and a bank beside it.

import { el } from "./dom.js";
import { pig, sign } from "./art.js";

const TALLEST = 5; // pigs of a stack that are drawn; the number on it is exact
const WORDS = (piece) => [piece.words || piece.label, piece.note].filter(Boolean).join(", ");

const at = (x, y, wide, high, extra = "") => `left: ${x}px; top: ${y}px; width: ${wide}px; height: ${high}px;${extra}`;

/** Draw a pig with the number of its stack. */
function unit(count, size, turned) {
  return el("div", { class: `unit${turned ? " turned" : ""}`, style: `width: ${size}px` }, pig(), count > 1 ? el("b", {}, String(count)) : null);
}

const token = (piece, size) => el("div", { class: "token", style: `width: ${size}px; height: ${size}px; --kind: ${piece.colour}` }, sign(piece.art));

export function layBoard(parts, { wide, high }) {
  const board = parts.find((part) => part.kind === "squares");
  const bank = parts.find((part) => part.kind === "cards");
  const beside = wide > high;
  const type = Math.min(20, Math.max(13, 0.02 * Math.min(wide, high))); // size of the bank's letters
  const bankRoom = bank ? (beside ? 10 * type : 54) : 0;
  const most = Math.max(200, Math.min(beside ? high - 12 : high - bankRoom - 14, beside ? wide - bankRoom - 24 : wide - 8));
  const rim = Math.round(Math.max(14, 0.042 * most));
  const count = Math.max(board.columns.length, board.rows.length);
  const cell = Math.floor((most - 2 * rim) / count); // whole pixels, or gaps show between squares
  const room = cell * count + 2 * rim;
  const left = Math.floor(Math.max(4, (wide - room - (beside ? bankRoom + 12 : 0)) / 2));
  const top = beside ? Math.floor(Math.max(6, (high - room) / 2)) : 6;
  const ground = [el("div", { class: "plank", style: at(left, top, room, room) })];
  const things = [];
  const name = (text, x, y) => ground.push(el("b", { class: "rim", style: at(x, y, cell, rim) }, text));
  board.columns.forEach((text, k) => name(text, left + rim + k * cell, top + room - rim));
  board.rows.forEach((text, row) => {
    ground.push(el("b", { class: "rim", style: at(left, top + rim + row * cell, rim, cell) }, text));
    board.squares[row].forEach((square, column) => {
      const [x, y] = [left + rim + column * cell, top + rim + row * cell];
      ground.push(el("div", {
        class: ["square", (row + column) % 2 ? "odd" : "", square.marked ? "marked" : "", square.last ? "last" : "", square.colour ? "home" : "", square.pieces.some(({ seat }) => seat) ? "taken" : ""].filter(Boolean).join(" "),
        "data-id": square.id, title: [square.id, ...square.pieces.map(WORDS)].join(": "),
        style: at(x, y, cell, cell, square.colour ? ` --kind: ${square.colour};` : ""),
      }));
      things.push(...pieces(square, x + cell / 2, y + cell / 2, cell, row));
    });
  });
  if (bank) {
    const box = beside ? { x: left + room + 14, y: top, wide: bankRoom - 14, high: 0 } : { x: left, y: top + room + 6, wide: room, high: bankRoom - 10 };
    ground.push(el("div", { class: `bank${beside ? "" : " along"}`, style: `left: ${box.x}px; top: ${box.y}px; width: ${box.wide}px; font-size: ${type}px` }, el("b", {}, bank.name), bank.cards.length ? null : el("small", {}, bank.note),
      bank.cards.map((piece) => el("span", { title: WORDS(piece) }, token(piece, Math.round(1.9 * type)), el("small", {}, piece.label)))));
  }
  return { ground, things, high: beside ? high : top + room + bankRoom, bank: bank && beside ? { x: left + room + 60, y: top + 60 } : { x: wide / 2, y: high } };
}

/** Stacks and tokens of a square. */
function* pieces(square, x, y, cell, row) {
  for (const piece of square.pieces) {
    if (!piece.seat) {
      const below = square.pieces.length > 1;
      const size = cell * 0.5;
      yield { kind: `token ${piece.key}`, at: square.id, shape: "flat", x: below ? x + cell * 0.27 : x, y: below ? y - cell * 0.27 : y, z: 1, scale: below ? 0.6 : 1, look: `${piece.key} ${size}`, draw: () => token(piece, size) };
      continue;
    }
    const drawn = Math.min(piece.count, TALLEST);
    const size = cell * (drawn > 3 ? 0.66 : 0.78);
    const step = drawn > 1 ? Math.min(0.2 * cell, (cell * 0.52) / (drawn - 1)) : 0;
    const low = y + (step * (drawn - 1)) / 2 - (piece.holds.length ? cell * 0.08 : 0);
    for (let k = 0; k < drawn; k += 1) {
      const number = k === drawn - 1 ? piece.count : 1;
      yield { kind: `pig ${piece.seat}`, at: square.id, shape: `flat ${piece.seat}`, x, y: low - k * step, z: 10 + 10 * row + k, look: `${number} ${size}`, draw: () => unit(number, size, piece.seat !== "A") };
    }
    const held = Math.min(cell * 0.34, (cell * 0.92) / Math.max(piece.holds.length, 1));
    for (const [k, each] of piece.holds.entries()) {
      yield { kind: `token ${each.key}`, at: square.id, shape: "flat", x: x + (k - (piece.holds.length - 1) / 2) * held, y: y + cell * 0.31, z: 18 + 10 * row, scale: (held * 0.94) / (cell * 0.5), look: `${each.key} ${cell * 0.5}`, draw: () => token(each, cell * 0.5) };
    }
  }
}
