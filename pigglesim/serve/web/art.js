// Drawings of the table: pigs, signs, dice and the backs and faces of cards. All are SVG, in the colours of the page.

import { el } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const PLAIN = {
  chevrons: "M12 3l8 8-2.500 2.500L12 8l-5.500 5.500L4 11zM12 11l8 8-2.500 2.500L12 16l-5.500 5.500L4 19z",
  flame: "M13 2c1 4-4 6-4 9 0-1-1-2-1-3-2 2-3 4-3 6.500a7 7 0 0 0 14 0C19 9 14 8 13 2zm-1 18.500a3 3 0 0 1-3-3c0-2 2-3 3-5 1 2 3 3 3 5a3 3 0 0 1-3 3z",
  clover: "M12 11.500C9.500 10.500 7 9 7 6.200A2.900 2.900 0 0 1 12 4a2.900 2.900 0 0 1 5 2.200c0 2.800-2.500 4.300-5 5.300zM11.200 12.200C10.200 14.700 8.700 17 6 17a2.900 2.900 0 0 1-2.200-5A2.900 2.900 0 0 1 6 7.200c2.700 0 4.200 2.500 5.200 5zM12.800 12.200c1-2.500 2.500-5 5.200-5a2.900 2.900 0 0 1 2.200 4.800A2.900 2.900 0 0 1 18 17c-2.700 0-4.200-2.300-5.200-4.800zM11.300 13h1.600c.2 3 1 6 3.100 8.500h-2.400C12 19 11.200 16 11.300 13z",
  swirl: "M12 4a8 8 0 0 1 7.700 5.800l2-.800-1.600 5.200-4.900-2 2-.800A5.500 5.500 0 0 0 7 9L4.800 7.600A8 8 0 0 1 12 4zM12 20a8 8 0 0 1-7.700-5.800l-2 .800 1.600-5.200 4.900 2-2 .800A5.500 5.500 0 0 0 17 15l2.200 1.400A8 8 0 0 1 12 20z",
  star: "M12 2l3 6.600 7.200.7-5.400 4.800 1.600 7.100L12 17.500l-6.400 3.700 1.600-7.100L1.800 9.300 9 8.600z",
  bath: "M3 12h18v2a6 6 0 0 1-4 5.600V21h-2v-1.200H9V21H7v-1.400A6 6 0 0 1 3 14zM5 8a2 2 0 1 0 4 0 2 2 0 1 0-4 0M9.800 5.500a2.600 2.600 0 1 0 5.200 0 2.600 2.600 0 1 0-5.200 0M16 8.500a1.600 1.600 0 1 0 3.200 0 1.600 1.600 0 1 0-3.200 0",
  turn: "M6 21V9a5.500 5.500 0 0 1 11 0v4.500h3.500L15.200 20 10 13.500h3.500V9a2 2 0 0 0-4 0v12z",
  sash: "M7 2h3.500L12 6l1.500-4H17l-2.600 7.600a6.300 6.300 0 1 1-4.800 0zM12 11.800l-1.200 2.500-2.700.300 2 1.800-.500 2.700 2.400-1.300 2.400 1.300-.500-2.700 2-1.800-2.700-.300z",
  coins: "M3 6c0-1.700 3-3 7-3s7 1.300 7 3-3 3-7 3-7-1.300-7-3zm0 2.500C4.200 10 7 10.800 10 10.800s5.800-.8 7-2.300V11c0 1.700-3 3-7 3s-7-1.300-7-3zm0 5c1.200 1.500 4 2.300 7 2.300.7 0 1.400 0 2-.1V21c-.6.1-1.300.1-2 .1-4 0-7-1.300-7-3zM13.500 17a4 4 0 1 1 8 0 4 4 0 1 1-8 0zm3.300-2v4h1.400v-4z",
  factory: "M2.500 21V10.500L9 14v-3.500l6.500 3.500V3H20v18zM6 16.500V19h2.500v-2.500zm5 0V19h2.500v-2.500zm5 0V19h2.500v-2.500z",
  bolt: "M13.500 2L5 14h5.500L9 22l9.500-12.500H13z",
  head: "M3.500 4.500l4.700 1.300a9 9 0 0 1 7.600 0l4.700-1.300-.800 5.300a8.600 8.600 0 1 1-15.400 0zM8.300 15.200a3.700 2.700 0 1 0 7.400 0 3.700 2.700 0 1 0-7.400 0zM7.800 10a1 1 0 1 0 2 0 1 1 0 1 0-2 0zM14.200 10a1 1 0 1 0 2 0 1 1 0 1 0-2 0z",
};
const DRAWN = { rope: ["M5 8.500a7 5 0 1 0 14 0 7 5 0 1 0-14 0", "M8.500 12.500c-.500 3.500 7 4.500 7.500 9", "M15.500 12.500c.500 3-4 3.500-5 6"] };

/** A sign in the colour of its text. */
export function sign(name) {
  const lines = (DRAWN[name] ?? []).map((d) => svg("path", { d, fill: "none", stroke: "currentColor", "stroke-width": 2.4, "stroke-linecap": "round" }));
  const shape = PLAIN[name] ? [svg("path", { d: PLAIN[name], fill: "currentColor", "fill-rule": "evenodd" })] : [];
  return svg("svg", { viewBox: "0 0 24 24", class: "sign", "aria-hidden": "true" }, ...shape, ...lines);
}

/** A pig seen from its side, in the colour of its seat. */
export function pig() {
  const legs = [27, 39, 58, 69].map((x) => svg("rect", { class: "shade", x, y: 50, width: 9, height: 18, rx: 4 }));
  return svg("svg", { viewBox: "0 0 104 72", class: "pig", "aria-hidden": "true" },
    svg("path", { class: "tail", d: "M18 33c-9 0-12-7-8-11 4-3 8 2 4 5-4 2-8 0-9-4" }), ...legs,
    svg("path", { class: "body", d: "M16 36C16 20 32 11 51 12c8-1 12-3 19-1 17 3 24 12 24 22 0 14-12 19-23 20-6 4-14 5-21 5-20 0-34-8-34-22z" }),
    svg("path", { class: "shine", d: "M26 26c6-8 18-10 30-9-12 1-22 4-30 9z" }),
    svg("path", { class: "shade", d: "M62 17c0-8 2-13 5-15 5 3 9 7 10 13-4 4-10 5-15 2z" }),
    svg("ellipse", { class: "snout", cx: 93, cy: 34, rx: 7.5, ry: 9.5 }),
    svg("path", { class: "dark", d: "M91 31v4M95.500 31v4" }), svg("circle", { class: "eye", cx: 81, cy: 25, r: 2.6 }));
}

const PIPS = { 1: [4], 2: [2, 6], 3: [2, 4, 6], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };

export function die(face) {
  const spot = (k) => svg("circle", { cx: 26 + 24 * (k % 3), cy: 26 + 24 * Math.floor(k / 3), r: 8.500 });
  return svg("svg", { viewBox: "0 0 100 100", class: "die", role: "img", "aria-label": face ? String(face) : "a die" },
    svg("rect", { x: 4, y: 4, width: 92, height: 92, rx: 20 }), ...(PIPS[face] ?? []).map(spot));
}

/** Back of a card; `text` stands on it if its face is known. */
export const back = (text = "") => el("div", { class: "face back" }, sign("head"), text ? el("b", {}, text) : null);

/** Face of a card with a sign in its middle, or as many heads as it counts. */
function plain({ label, words, art }) {
  const count = Number(label);
  const heads = art || !count ? [] : [...Array(Math.min(count, 15)).keys()].map(() => sign("head"));
  return el("div", { class: "face" }, el("b", { class: "corner" }, label), el("b", { class: "corner end" }, label),
    art ? el("div", { class: "emblem" }, sign(art), el("small", {}, words)) : el("div", { class: `heads${heads.length > 9 ? " most" : heads.length > 6 ? " many" : ""}` }, heads));
}

/** Face of a card with numbers: what it changes, and the votes that it needs. */
function printed({ label, words, art, needs, numbers, seat }, { columns, seats, spread }, viewer) {
  const cells = columns.slice(0, seats.length + 1).map((name, k) =>
    el("span", { class: `${seats[k] ?? "all"}${seats[k] && seats[k] === viewer ? " own" : ""}` }, el("small", {}, name), el("b", {}, numbers[k].replace("-", "\u2212"))));
  const [first, more] = numbers.slice(cells.length);
  return el("div", { class: `face print ${seat ?? ""}` },
    el("header", {}, el("b", {}, label.replace(".", " \u00b7 ")), sign(art)), el("p", {}, words),
    el("div", { class: "effects" }, cells),
    el("footer", {}, el("b", {}, spread === "row" ? `${first.replace("/", " of ")} ${columns[cells.length]}` : `needs ${needs} ${needs === 1 ? "vote" : "votes"}`), more ? el("em", {}, `or ${more}`) : null));
}

/** Face or back of a card of a group. */
export function card(each, group, viewer) {
  if (each.face_down || each.label === "?") return back(each.label === "?" ? "" : each.label);
  return group.columns?.length ? printed(each, group, viewer) : plain(each);
}
