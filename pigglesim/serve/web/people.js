// People: their names, who is here, invitations, a rematch, and the notes of a first match.

import { byId, el, memory, say } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const QUIET = 4; // modules around a QR code without which readers miss it

/** A QR code, from the path that the server made. */
export function code(path, size = 33) {
  const picture = document.createElementNS(SVG, "svg");
  const square = document.createElementNS(SVG, "path");
  square.setAttribute("d", path);
  for (const [, x] of path.matchAll(/M(\d+)/g)) size = Math.max(size, Number(x) + 1);
  picture.setAttribute("viewBox", `${-QUIET} ${-QUIET} ${size + 2 * QUIET} ${size + 2 * QUIET}`);
  picture.setAttribute("class", "qr");
  picture.append(square);
  return picture;
}

/** A button that copies a text, and says so. */
export function copier(text) {
  const button = el("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Mark the link and copy it"; // without https there is no clipboard beyond this machine
    }
    say(button.textContent);
    setTimeout(() => { button.textContent = "Copy"; }, 3000);
  });
  return button;
}

export class People {
  constructor(app) {
    this.app = app;
    this.node = el("div", { class: "people" });
    this.parts = { present: el("p", { class: "present" }), again: el("div", { role: "status" }), note: el("div"), links: el("div") };
    const input = byId("name");
    input.value = memory.name ?? "";
    input.addEventListener("change", () => this.send(input.value.trim().replace(/\s+/g, " ")));
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") byId("menu").open = false; });
    this.called(input.value);
  }

  send(name) {
    this.app.send({ do: "name", name });
  }

  /** The server has taken the name. */
  called(name) {
    memory.name = name;
    byId("called").textContent = name || "Your name";
  }

  /** Begin with an empty place at another table. */
  enter() {
    byId("panel").scrollTop = 0;
    for (const part of Object.values(this.parts)) part.replaceChildren();
    this.node.replaceChildren(...Object.values(this.parts));
    this.lessons = [];
    this.lesson = null;
    this.invited = null;
  }

  hear(message) {
    if (message.is === "state") this.state(message);
    else if (message.is === "links") this.links(message);
    else this.show(message);
  }

  show({ table, players, watching, asked, rematch, waits }) {
    const people = players.filter((each) => each.person);
    const shown = people.length > 1 || watching > 0;
    this.parts.present.replaceChildren(...(shown ? players.map((each) => el("span", { class: `${each.seat} ${each.here ? "here" : "away"}`, title: each.detail }, each.here ? each.name : `${each.name}, away`)) : []),
      watching ? el("span", { class: "here" }, watching === 1 ? "one watches" : `${watching} watch`) : "");
    const button = el("button", { type: "button", class: "main", id: "rematch", onclick: () => this.app.send({ do: "ask", table, at: 0, word: "rematch" }) }, "Rematch");
    const others = asked.length ? el("p", {}, `${asked.join(" and ")} ${asked.length > 1 ? "ask" : "asks"} for a rematch.`) : "";
    if (rematch && !byId("rematch")) byId("panel").scrollTop = 0; // the result stands there
    this.parts.again.replaceChildren(waits ? el("p", {}, "You ask for a rematch; the others have to accept it.") : others, rematch ? el("div", { class: "row" }, button) : "");
    if (this.inviting && people.length > 1) this.app.send({ do: "ask", table, at: 0, word: "links" });
    this.inviting = false;
    if (this.invited?.every((name) => people.some((each) => each.guest && each.seat === name))) this.closeLinks();
  }

  /** A note that was there while the person decided has been read. */
  state({ at, yours, lessons }) {
    const read = this.lesson && this.decided !== undefined && at > this.decided;
    if (read) memory.notes = [...(memory.notes ?? []), this.lesson.number];
    this.decided = undefined;
    this.note(lessons);
    if (yours && this.lesson) this.decided = at;
  }

  /** Show the first note whose moment has come and that this browser has not shown. */
  note(lessons = this.lessons) {
    this.lessons = lessons;
    const seen = memory.notes ?? [];
    const due = lessons.find((each) => !seen.includes(each.number));
    const close = (...numbers) => {
      memory.notes = [...seen, ...numbers];
      this.note();
    };
    const all = due && [...Array(due.of).keys()].map((k) => k + 1);
    this.parts.note.replaceChildren(due ? el("aside", { class: "note", "aria-label": "Note" },
      el("p", {}, el("b", {}, `${due.number} of ${due.of} `), due.text),
      el("div", { class: "row" },
        el("button", { type: "button", onclick: () => close(due.number) }, "Got it"),
        due.number < due.of ? el("button", { type: "button", class: "quiet", onclick: () => close(...all) }, "No more notes") : null)) : "");
    if (due && due.number !== this.lesson?.number) say(due.text);
    this.lesson = due;
  }

  closeLinks() {
    this.invited = null;
    this.parts.links.replaceChildren();
    byId("panel").scrollTop = 0;
  }

  links({ seats, watch, watch_qr: watchCode }) {
    const invitation = (text, link, path) => el("div", { class: "invitation" }, code(path),
      el("div", {}, el("b", {}, text), el("code", {}, link), el("div", { class: "row" }, copier(link))));
    const own = seats.find((each) => each.own);
    this.invited = seats.filter((each) => !each.own).map((each) => each.seat);
    this.parts.links.replaceChildren(el("h3", {}, "Invitations"),
      ...seats.filter((each) => !each.own).map((each) => invitation(`plays ${each.name}`, each.link, each.qr)),
      invitation("watches", watch, watchCode),
      own ? el("details", {}, el("summary", {}, "Give your own seat away"), invitation(`plays ${own.name}`, own.link, own.qr)) : "",
      location.hostname === "127.0.0.1" ? el("p", { class: "remark" }, "These links work on this machine. For friends in your network begin with pigglesim serve --host and this machine's address.") : "",
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => this.closeLinks() }, "Close the invitations")));
    this.parts.links.scrollIntoView({ block: "nearest" });
  }
}
