// A table without a board of Piggles, as the server describes it: it is drawn, pressed and dragged here. It knows no game.

import { byId, el } from "./dom.js";
import { die } from "./art.js";
import { layBoard } from "./board.js";
import { layCards } from "./cards.js";
import { Scene } from "./scene.js";

const DRAGGED = 6; // pixels after which a press is a drag

let scene = null;
let shown = null;
const lights = new Map(); // ids that are lit, by manner

/** Points, and the dice of the turn: in lines, above dice that lie in 3D or alone. */
function layPoints(parts) {
  const share = (number, high) => `${Math.min(100, (100 * number) / high)}%`;
  return parts.map((part) => {
    if (part.kind === "scale") {
      const { name, value, gain, high, seat, moves, id } = part;
      return el("div", { class: `scale ${seat ?? ""}${moves ? " moves" : ""}`, "data-id": id || null, title: `${name}: ${value} of ${high}` },
        el("span", {}, name), el("b", {}, gain ? `${value} + ${gain}` : String(value)),
        el("div", {}, el("i", { style: `width: ${share(value, high)}` }), el("i", { class: "gain", style: `width: ${share(Math.min(gain, high - value), high)}` })));
    }
    if (part.kind === "dice") {
      const gain = parts.find((each) => each.gain)?.gain;
      const rolls = part.rolls.length ? part.rolls : [[0, 0]];
      return el("div", { class: `tray ${part.seat ?? ""}`, "data-id": part.id }, rolls.flatMap((faces, k) => [k ? el("b", {}, "+") : null, el("span", {}, faces.map(die))]), gain ? el("b", {}, `= ${gain}`) : null);
    }
    return el("p", { class: "said" }, part.strong ? el("b", {}, part.strong) : null, ` ${part.text}`);
  });
}

/** Lay the parts out in the room that there is. */
function lay(still) {
  const felt = byId("felt");
  const { parts, viewer } = shown;
  const kinds = new Set(parts.map(({ kind }) => kind));
  const flows = !["squares", "cards", "piles"].some((kind) => kinds.has(kind)) && (kinds.has("dice") || !kinds.has("scale"));
  felt.classList.toggle("flows", flows);
  if (flows) {
    scene.clear();
    felt.querySelector(".ground").replaceChildren(...layPoints(parts));
    relight();
    return false;
  }
  const dice = parts.find((part) => part.kind === "dice");
  const size = { wide: felt.clientWidth, high: felt.clientHeight, viewer };
  const laid = kinds.has("squares") ? layBoard(parts, size) : layCards(parts, size);
  felt.querySelector(".ground").replaceChildren(...laid.ground, ...(dice ? [el("div", { class: `tray corner ${dice.seat ?? ""}`, "data-id": dice.id }, dice.rolls.map((faces) => el("span", {}, faces.map(die))))] : []),
    el("div", { class: "foot", style: `top: ${laid.high}px` }));
  const before = shown.anchors ?? {};
  const now = (shown.anchors = laid.anchors ?? {});
  const grown = Object.keys(now).find((key) => key.startsWith("pile") && now[key].count > (before[key]?.count ?? 0));
  const actor = now[shown.mover];
  const first = now["pile 0"];
  const moved = scene.show(laid.things, {
    still: still || !shown.before,
    pace: shown.pace,
    from: (thing) => (laid.bank && thing.shape === "flat" ? laid.bank : thing.at.startsWith("hand") || thing.at.startsWith("table") ? first : actor) ?? null,
    to: (thing) => (thing.loose ? (grown ? now[grown] : actor) : null) ?? null,
  });
  relight();
  return moved;
}

/**
 * Show a table; null hides it. `pick` hears of the piece or square that is pressed, by its id, and `rest` of the one under
 * the pointer; `viewer` is whose cards are near, `mover` who has moved. Returns whether something has moved.
 */
export function showFelt(parts, { pick = () => {}, rest = () => {}, viewer = null, mover = null, still = true, pace = 1 } = {}) {
  const felt = byId("felt");
  felt.hidden = !parts;
  lights.clear();
  menu(null);
  if (!parts) {
    scene?.clear();
    shown = null;
    return false;
  }
  if (!scene) begin(felt);
  shown = { parts, pick, rest, viewer, mover, pace, before: Boolean(shown), anchors: shown?.anchors };
  return lay(still);
}

function begin(felt) {
  felt.replaceChildren(el("div", { class: "ground" }), el("div", { class: "scene" }));
  scene = new Scene(felt.lastChild);
  new ResizeObserver(() => {
    if (shown && !felt.hidden) lay(true);
  }).observe(felt);
  const idOf = (event) => event.target.closest?.("[data-id]")?.dataset.id;
  let held = null;
  felt.addEventListener("pointerdown", (event) => {
    const id = idOf(event);
    held = id && event.button === 0 && event.isPrimary ? { id, x: event.clientX, y: event.clientY, node: event.target.closest("[data-id]") } : null;
  });
  felt.addEventListener("pointermove", (event) => {
    if (!held || !held.node.matches(".open, .near, .lit")) return;
    const [x, y] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.moved && Math.hypot(x, y) > DRAGGED) {
      held.moved = scene.things.filter((thing) => (thing.at === held.id && thing.z >= 10) || thing.node === held.node);
      felt.setPointerCapture(event.pointerId);
      felt.classList.add("drags");
      shown.pick(held.id, true);
    }
    for (const thing of held.moved ?? []) scene.put(thing, { ...thing, x: thing.x + x, y: thing.y + y, z: 600, angle: 0 });
  });
  const drop = (event) => {
    const was = held;
    held = null;
    felt.classList.remove("drags");
    if (!was?.moved) return;
    for (const thing of was.moved) scene.put(thing, thing);
    const below = document.elementsFromPoint(event.clientX, event.clientY).find((node) => node.closest("#felt [data-id]") && node.closest("[data-id]") !== was.node);
    const id = event.type === "pointerup" && below?.closest("[data-id]").dataset.id;
    if (id && id !== was.id) shown.pick(id);
  };
  for (const kind of ["pointerup", "pointercancel"]) felt.addEventListener(kind, drop);
  felt.addEventListener("click", (event) => idOf(event) && shown?.pick(idOf(event)));
  felt.addEventListener("pointerover", (event) => !held && event.pointerType !== "touch" && shown?.rest(idOf(event) ?? null));
  felt.addEventListener("pointerleave", () => shown?.rest(null));
}

/** Light what was lit before the elements were made anew. */
const relight = () => lights.forEach((ids, manner) => light(ids, manner));

/** Light pieces and squares by their ids, as many of equal ones as are named, in place of those lit in this manner. */
export function light(ids, manner = "lit") {
  lights.set(manner, ids);
  const left = new Map();
  for (const id of ids) left.set(id, (left.get(id) ?? 0) + 1);
  for (const node of byId("felt").querySelectorAll("[data-id]")) {
    const { id } = node.dataset;
    const on = manner === "open" ? left.has(id) : left.get(id) > 0;
    if (on && manner !== "open" && node.matches(".card, .square")) left.set(id, left.get(id) - 1);
    node.classList.toggle(manner, on);
  }
}

/** Ask which of some deeds is meant, next to a piece or square; without any, ask no longer. */
export function menu(id, deeds = []) {
  document.querySelector(".menu")?.remove();
  if (!deeds.length) return;
  const felt = byId("felt");
  const at = [...felt.querySelectorAll("[data-id]")].find((node) => node.dataset.id === id)?.getBoundingClientRect();
  const room = felt.parentElement.getBoundingClientRect();
  const box = el("div", { class: "menu", role: "group", "aria-label": "Which?" }, deeds.map(({ text, act }) => el("button", { type: "button", onclick: () => { menu(null); act(); } }, text)));
  felt.parentElement.append(box);
  if (!at) return;
  const x = Math.min(Math.max(at.left + at.width / 2 - room.left, box.offsetWidth / 2 + 6), room.width - box.offsetWidth / 2 - 6);
  const above = at.top - room.top - box.offsetHeight - 6;
  box.style.left = `${x}px`;
  box.style.top = `${above > 4 ? above : Math.min(at.bottom - room.top + 6, room.height - box.offsetHeight - 6)}px`;
}
