// A table of cards: hands fanned, piles with their counts, cards on show with their votes, and scales.

import { el } from "./dom.js";
import { back, card, pig } from "./art.js";

const TALL = 1.4; // of a card, by its width
const BASE = 100; // width at which a card is drawn; those with numbers are drawn wider [pixels]
const PRINTED = 150;
const [SMALL, MIDDLE] = [0.46, 0.66]; // sizes of the cards of others, and of a player's cards on the table
const LEAST = 0.3; // of a card in the hand that is seen beside the next
const VOTED = 1.75; // height of a card on show with its votes, by its width
const ON_SHOW = 6; // uppermost cards of a pile that are spread

/** How a hand lies in some room: the cards of a row, of which too many lie in two, their distance, and the height by that of a card. */
function fan(count, size, room, printed) {
  const fits = (some) => (room - 24 - size * (printed ? 1 : 1.35)) / Math.max(some - 1, 1);
  const row = fits(count) < size * LEAST ? Math.ceil(count / 2) : count;
  return { row, step: Math.min(size * (printed ? 1.06 : 0.98), fits(row)), high: row < count ? 1.6 : 1.2 };
}

const box = (x, y, wide, high) => `left: ${x}px; top: ${y}px; width: ${wide}px;${high ? ` height: ${high}px;` : ""}`;

export function layCards(parts, { wide, high, viewer }) {
  const groups = parts.filter((part) => part.kind === "cards");
  const table = { ground: [], things: [], anchors: {}, wide, viewer, printed: groups.some((group) => group.columns.length) };
  const scales = parts.filter((part) => part.kind === "scale");
  const notes = parts.filter((part) => part.kind === "note" && !part.seat);
  const seats = [...new Set(parts.filter((part) => part.seat && part.kind !== "scale").map((part) => part.seat))];
  const of = (seat) => parts.filter((part) => part.seat === seat && part.kind !== "scale");
  const others = seats.filter((seat) => seat !== viewer && of(seat).some((part) => part.kind === "cards"));
  const written = seats.filter((seat) => seat !== viewer && !others.includes(seat)).flatMap(of);
  const own = viewer ? of(viewer) : [];
  const shown = groups.filter((group) => !group.seat && group.spread === "row");
  const piled = parts.filter((part) => (part.kind === "cards" && part.spread === "pile") || part.kind === "piles");
  const lines = [...notes, ...written];

  // How wide a card can be, so that all has room one above the other.
  const rows = Math.ceil(others.length / Math.max(1, Math.floor(wide / (wide > 640 ? 150 : 116))));
  const perRow = Math.ceil(others.length / Math.max(rows, 1));
  table.few = rows > 1; // so many opponents show their cards on the table, and the number of those in the hand
  const tracks = wide > (high < 400 ? 440 : 640) ? 2 : 1;
  const long = (line) => Math.ceil((7 * (line.strong.length + line.text.length + 1)) / wide);
  const beside = wide > 1.2 * high; // a player's cards on the table then lie beside the hand
  const hand = own.find((part) => part.spread === "hand")?.cards.length ?? 0;
  const laid = shown[0] ? shown[0].cards.length / (shown[0].cards.length + hand) : piled.length ? 0.42 : 0;
  const aside = beside && high < 400 && hand ? wide * laid : 0; // cards on show, or piles, then lie beside it too
  const fixed = 10 + 25 * Math.ceil(scales.length / tracks) + 22 * lines.reduce((sum, line) => sum + long(line), 0) + rows * 30 + (piled.length ? 48 : 0) + (own.length && !(aside && piled.length) ? 30 : 0) + (shown.length ? 14 : 0);
  const shares = (inHand) => rows * SMALL * (table.few ? 1.3 : 1.74) + (piled.length && !aside ? 1.06 : 0) + (shown.length ? (aside ? 0.1 : 1.32) : 0)
    + own.filter((part) => part.kind === "cards").reduce((sum, part) => sum + (part.spread === "hand" ? inHand : beside ? 0 : MIDDLE * 1.1), 0);
  const least = table.printed ? (wide > 640 ? 106 : aside ? 78 : 88) : 46;
  const size = (inHand) => Math.max(least, Math.min((high - fixed) / (TALL * Math.max(shares(inHand), 1)), table.printed ? Math.min(210, wide / 4.7) : aside ? aside / 4 : 150));
  const inHand = fan(hand, size(1.2), wide - aside, table.printed).high;
  table.card = size(inHand);
  const unit = TALL * table.card;

  const tall = 30 + unit * SMALL * (table.few ? 1.3 : 1.74); // of an opponent
  let y = 6;
  scales.forEach((scale, k) => track(table, scale, (k % tracks) * (wide / tracks), y + 25 * Math.floor(k / tracks), wide / tracks));
  y += 25 * Math.ceil(scales.length / tracks);
  others.forEach((seat, k) => {
    const [row, column] = [Math.floor(k / perRow), k % perRow];
    const inRow = Math.min(perRow, others.length - row * perRow);
    opponent(table, of(seat), seat, (wide / inRow) * (column + 0.5), y + row * tall, wide / inRow);
  });
  y += rows * tall;
  for (const line of lines) {
    table.ground.push(el("p", { class: `said ${line.seat ?? ""}`, style: box(8, y, wide - 16) }, line.strong ? el("b", {}, line.strong) : null, ` ${line.text}`));
    y += 22 * long(line);
  }
  const spare = Math.max(0, high - (fixed + shares(inHand) * unit)) / 2;
  y += spare;
  if (piled.length) {
    piles(table, piled, y + unit * 0.53, [0, aside || wide]);
    if (!aside) y += unit * 1.06 + 48;
  }
  for (const group of shown) {
    show(table, group, y + 8 + unit / 2, [0, aside || wide], aside ? 0 : unit * 1.2 + 2 * spare);
    if (!aside) y += unit * 1.32 + 14;
  }
  if (!aside) y += spare;
  if (own.length) y = mine(table, own, y, beside, aside);
  return { ...table, high: y };
}

/** A card in the middle of (x, y). */
function put(table, group, each, where, more) {
  const base = group.columns?.length ? PRINTED : BASE;
  const kind = each.label === "?" || (each.face_down && !each.key) ? "" : each.key || each.label;
  table.things.push({
    kind, loose: true, shape: `card ${base === PRINTED ? "large" : ""} ${each.seat ?? ""} ${each.marked ? "marked" : ""}`.trim(), id: each.id, turn: each.face_down,
    text: [each.words || each.label, each.note].filter(Boolean).join(", "), look: JSON.stringify([each.label, each.face_down, each.numbers, each.seat, each.colour, each.words]),
    draw: () => {
      const face = card(each, group, table.viewer);
      if (each.colour) face.style.setProperty("--kind", each.colour);
      return face;
    },
    ...where, scale: where.size / base, ...more,
  });
}

const plate = (table, part, x, y, wide) => table.ground.push(el("p", { class: `plate ${part.seat}${part.moves ? " moves" : ""}${wide < 150 ? " narrow" : ""}`, style: box(x - wide / 2, y, wide) }, el("b", {}, part.strong), el("small", {}, part.text)));

/** Cards face up on cards face down, side by side. */
function onTable(table, group, x, y, size, place) {
  const [down, up] = [group.cards.filter((each) => each.face_down), group.cards.filter((each) => !each.face_down)];
  const step = size * 1.1;
  const wide = Math.max(down.length, up.length);
  const lay = (cards, lift, z) => cards.forEach((each, k) => put(table, group, each, { at: place, x: x + (k - (wide - 1) / 2) * step, y: y - lift, size, z: z + k }));
  lay(down, 0, 20);
  lay(up, size * 0.12, 30);
}

function opponent(table, parts, seat, x, y, wide) {
  const size = table.card * SMALL;
  table.anchors[seat] = { x, y: y + 30 + size * 0.5, scale: 0.4, at: seat };
  for (const part of parts) {
    if (part.kind === "note") {
      const held = parts.find((each) => each.spread === "hand")?.cards.length ?? 0;
      const text = !table.few ? part.text : wide < 190 ? `holds ${held}` : `${part.text}, holds ${held}`;
      if (part.strong) plate(table, { ...part, text }, x, y, Math.min(wide - 6, 230));
    } else if (table.few) {
      if (part.spread !== "hand") onTable(table, part, x, y + 29 + size * TALL * 0.62, Math.min(size * 1.1, (wide * 0.9) / 3.3), `table ${seat}`);
    } else if (part.spread === "hand") {
      const step = Math.min(size * 0.5, (wide * 0.86 - size) / Math.max(part.cards.length - 1, 1));
      part.cards.forEach((each, k) => put(table, part, each, { at: `hand ${seat}`, x: x + (k - (part.cards.length - 1) / 2) * step, y: y + 29 + size * TALL * 0.5, size, z: k }));
    } else {
      onTable(table, part, x, y + 29 + size * TALL * (0.62 + 0.58), Math.min(size, (wide * 0.9) / 3.3), `table ${seat}`);
    }
  }
}

/** Piles in the middle: one on show, those face down at its sides. */
function piles(table, parts, y, [left, right]) {
  const middle = (left + right) / 2;
  const hidden = parts.filter((part) => part.kind === "piles").flatMap((part) => part.counts);
  const far = Math.min((right - left) * 0.34, table.card * 3.4);
  const size = Math.min(table.card, far / 1.3);
  const named = Math.min(140, 0.94 * far);
  const small = named < 100 ? " narrow" : "";
  hidden.forEach(([name, count], k) => {
    const x = middle + (k % 2 ? far : -far);
    table.anchors[`pile ${k}`] = { x, y, count, scale: size / BASE, at: `pile ${k}` };
    table.ground.push(el("div", { class: "slot", style: box(x - size / 2, y - (size * TALL) / 2, size, size * TALL) }));
    for (let n = 0; n < Math.min(3, Math.ceil(count / 8)); n += 1) put(table, {}, { label: "?", face_down: true }, { at: `pile ${k}`, x: x - 2 * n, y: y - 2 * n, size, z: n }, { loose: false, shape: "card" });
    table.ground.push(el("p", { class: `count${small}`, style: box(Math.max(2, Math.min(x - named / 2, right - named - 2)), y + (size * TALL) / 2 + 3, named) }, name, el("b", {}, String(count))));
  });
  for (const group of parts.filter((part) => part.kind === "cards")) {
    const some = group.cards.length;
    const step = Math.min(size * 0.36, (far - size * 1.3) / (ON_SHOW - 1));
    const lean = (k) => ((7 * k * k + 3 * k) % 9) - 4;
    table.ground.push(el("div", { class: "slot", "data-id": some ? null : group.cards[0]?.id, style: box(middle - size / 2, y - (size * TALL) / 2, size, size * TALL) }));
    group.cards.forEach((each, k) => {
      const below = Math.min(some - 1 - k, ON_SHOW - 1);
      put(table, group, each, { at: group.name, x: middle - below * Math.max(step, 4), y, size, z: 40 + k, angle: some - 1 - k ? lean(k + group.more) : 0 });
    });
    table.anchors.shown = { x: middle, y, at: group.name };
    table.ground.push(el("p", { class: `count${small}`, style: box(middle - 100, y + (size * TALL) / 2 + 3, 200) }, group.name, el("b", {}, String(some + group.more))));
  }
  const empty = table.wide > 640 && parts.find((part) => part.kind === "cards" && !part.cards.length)?.note;
  const text = [empty, parts.find((part) => part.text)?.text].filter(Boolean).join(" \u00b7 ");
  if (text) table.ground.push(el("p", { class: `said middle${small}`, style: box(left + 8, y + (size * TALL) / 2 + 22, right - left - 16) }, text));
}

/** Cards on show, each with the votes on it, between two edges: in the rows in which they are largest. */
function show(table, group, middle, [left, right], high) {
  const room = right - left - 16;
  const inRow = (rows) => Math.max(1, Math.ceil(group.cards.length / rows));
  const sized = (rows) => Math.min(table.card, room / inRow(rows) - 8, rows === 1 ? Infinity : high / rows / VOTED);
  const rows = [1, 2, 3].reduce((best, each) => (sized(each) > sized(best) ? each : best));
  const [count, size] = [inRow(rows), sized(rows)];
  const step = Math.min(size * 1.16, room / count);
  group.cards.forEach((each, k) => {
    const x = (left + right) / 2 + ((k % count) - (count - 1) / 2) * step;
    const y = middle + (Math.floor(k / count) - (rows - 1) / 2) * size * VOTED;
    put(table, group, each, { at: group.name, x, y, size, z: 10 });
    const slots = Math.max(each.needs, each.holds.length);
    const small = Math.min(size * 0.25, (size * 0.94) / Math.max(slots, 1) - 3);
    const low = y + (size * TALL) / 2 + small * 0.35;
    for (let n = 0; n < slots; n += 1) {
      const at = x + (n - (slots - 1) / 2) * (small + 4);
      table.ground.push(el("div", { class: "slot vote", style: `${box(at - small / 2, low - (small * TALL) / 2, small, small * TALL)} z-index: 12;` }));
      if (each.holds[n]) put(table, {}, { ...each.holds[n], id: each.id }, { at: `vote ${each.id}`, x: at, y: low, size: small, z: 14 + n });
    }
  });
}

/** The cards of the person who looks, at the near side. */
function mine(table, parts, y, beside, left = 0) {
  const laid = parts.find((part) => part.kind === "cards" && part.spread !== "hand");
  const room = beside && laid ? Math.min((table.wide - left) * 0.34, 3.6 * table.card * MIDDLE) : 0;
  const aside = left + room;
  const middle = (table.wide + aside) / 2;
  const name = parts.find((part) => part.kind === "note" && part.strong);
  if (name) {
    plate(table, name, middle, y, Math.min(240, table.wide - aside - 20));
    y += 30;
  }
  for (const group of parts.filter((part) => part.kind === "cards").toSorted((one, other) => (one.spread === "hand") - (other.spread === "hand"))) {
    const size = group.spread === "hand" ? table.card : table.card * MIDDLE;
    const tall = size * TALL;
    const count = group.cards.length;
    if (group.spread === "hand") {
      const { row, step, high } = fan(count, size, table.wide - aside, group.columns.length);
      const turn = group.columns.length || row < count ? 0 : Math.min(4, 20 / Math.max(count, 1));
      group.cards.forEach((each, k) => {
        const off = (k % row) - (row - 1) / 2;
        const low = Math.floor(k / row) * tall * 0.5;
        put(table, group, { ...each, seat: each.seat ?? group.seat }, { at: `hand ${group.seat}`, x: middle + off * step, y: y + low + tall / 2 + 4 + turn * off * off * 0.28, angle: turn * off, size, z: 60 + k }, { shape: `card mine ${group.columns.length ? "large" : ""} ${group.seat}`.trim() });
      });
      table.anchors[group.seat] = { x: middle, y: y + tall / 2, at: group.seat };
      y += tall * high;
    } else {
      onTable(table, group, room ? left + room / 2 + 8 : middle, y + tall / 2 + (room ? table.card * TALL * 0.2 : 6), Math.min(size, room ? room / 3.5 : size), `table ${group.seat}`);
      if (!room) y += tall * 1.1;
    }
  }
  return y;
}

/** A scale from zero with a pig on it. */
function track(table, { name, note, value, high, seat, moves }, x, y, wide) {
  const short = wide < 300;
  const named = short ? 98 : Math.min(220, wide * 0.5);
  const step = (wide - named - 24) / (high + 1);
  table.ground.push(el("div", { class: `track ${seat ?? ""}${moves ? " moves" : ""}${short ? " short" : ""}`, title: `${name}, ${note}: ${value} of ${high}`, style: box(x + 8, y, wide - 16, 23) },
    el("span", { style: `width: ${named}px` }, el("b", {}, name), short ? "" : ` ${note}`),
    [...Array(high + 1).keys()].map((k) => el("i", { class: k === value ? "here" : null }, String(k)))));
  table.things.push({ kind: `pawn ${seat ?? ""}`, at: name, shape: `flat ${seat ?? ""}`, x: x + 8 + named + (value + 0.5) * step, y: y + 11, z: 5, look: "pawn", draw: () => el("div", { class: "unit pawn" }, pig()) });
}

