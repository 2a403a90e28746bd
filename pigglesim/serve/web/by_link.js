// A match by messages: the link to send, the friend's answer, and what this browser remembers of each match.

import { byId, el, memory } from "./dom.js";
import { code, copier } from "./people.js";

/** The link in a fragment or in what was pasted; undefined if there is none. */
export const linkIn = (text) => /(?:^|#)\s*match=([\w-]{1,4096})\s*$/.exec(text)?.[1];

export const NO_LINK = "That is not the link of a match: copy all of it.";

const base = () => location.href.split("#")[0];

export class ByLink {
  constructor(app) {
    this.app = app;
    this.known = {}; // memory of each match, as it was when its link was opened
    this.node = el("div");
  }

  /** Begin a match whose links are sent by message. */
  begin(wish) {
    this.app.send({ do: "new_by_link", base: base(), ...wish });
  }

  /** Open a link: what plays asks first for the memory of its match. */
  open(text) {
    this.app.send({ do: "link", text });
  }

  hear({ is, match, text }) {
    const name = `link-${match}`;
    if (is === "recall") {
      this.known[match] = memory[name];
      this.app.send({ do: "link", text, memory: memory[name] ?? "", base: base() });
      return;
    }
    // Another tab may have answered since; an answer that is not remembered must not be sent.
    const other = memory[name] !== this.known[match];
    if (!other) memory[name] = text;
    this.lost = other ? "This match was answered in another tab. Reload this page and open the last link again."
      : memory[name] !== text ? "This browser does not store anything, so it cannot play by links." : "";
    this.known[match] = text;
  }

  /** Show the link to send, and a place for the friend's. */
  show(state) {
    const { answer = "", friend, problem, awaits, accepted, thrown } = state?.by_link ?? {};
    const who = friend || "your friend";
    const wrong = problem || this.lost;
    const parts = [];
    if (wrong) parts.push(el("p", { class: "turn", role: "alert" }, `${wrong[0].toUpperCase()}${wrong.slice(1)}${problem ? ". What was right is shown." : ""}`));
    else if (answer) {
      const link = `${base()}#match=${answer}`;
      const picture = state.by_link.qr ? code(state.by_link.qr) : null;
      if (accepted) parts.push(el("p", {}, `You play with ${who} by message: a link goes to and fro.`));
      if (thrown) parts.push(el("p", {}, `The throw is made with ${who}, who sees it first. You see it with the next link.`));
      parts.push(el("div", { class: "invitation" }, picture,
        el("div", {}, el("b", {}, `Send this link to ${who}`), el("code", { id: "link" }, link), el("div", { class: "row" }, copier(link)))));
    }
    if (awaits) parts.push(this.asked(`Paste the link of ${who}`));
    this.node.replaceChildren(...parts);
    if (answer) this.node.scrollIntoView({ block: "nearest" });
  }

  /** A field for a friend's link. */
  asked(words) {
    const input = el("input", { type: "text", id: "paste", autocomplete: "off", spellcheck: "false", style: "width: 100%", placeholder: words, "aria-label": words });
    input.addEventListener("change", () => {
      const text = linkIn(input.value.trim());
      if (text) this.open(text);
      else this.app.fault(NO_LINK);
    });
    return input;
  }

  /** What begins a match with a friend, in the list of games. */
  offer(begin) {
    return el("details", { id: "by-link" }, el("summary", {}, "Play a friend by message"),
      el("p", { class: "remark" }, "A link holds the whole match, and you send it to and fro by any message. Both of you make each throw, so nobody can choose it. No server is needed."),
      el("div", { class: "row" }, el("button", { type: "button", onclick: () => begin("A") }, "I begin"), el("button", { type: "button", onclick: () => begin("B") }, "My friend begins")),
      this.asked("Paste a friend's link"));
  }

  leave() {
    this.lost = "";
    byId("panel").scrollTop = 0;
  }
}
