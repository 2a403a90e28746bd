// When a throw was decided: marks on the bar of time, from copies that a worker throws while the film runs.

import { inflated } from "./film.js";
import { unpacked } from "./thrower.js";
import { byId, el, percent, say } from "./dom.js";

/** Bits that counts of outcomes leave open, of which the last is none; as `entropy_of` in statistics.py. */
function bitsOf(counts) {
  const seen = counts.slice(0, -1).filter(Boolean);
  const trials = seen.reduce((total, count) => total + count, 0);
  const plain = seen.reduce((bits, count) => bits - (count / trials) * Math.log2(count / trials), 0);
  return trials ? Math.min(Math.log2(counts.length - 1), plain + (seen.length - 1) / (2 * Math.LN2 * trials)) : 0;
}

/** A share of trials with its interval of 95 %, by Wilson; as `binomial` in statistics.py. */
function within(share, trials) {
  const square = 1.959963984540054 ** 2 / trials;
  const arm = Math.sqrt(square * (share * (1 - share) + square / 4));
  const [low, high] = [-arm, arm].map((by) => (share + square / 2 + by) / (1 + square));
  return `${percent(share, 0)} (${(100 * low).toFixed(0)} to ${percent(high, 0)})`;
}

const lookAt = (looks, time) => looks.findLast((look) => look.time <= time + 1e-6);
const lossOf = ({ lost }) => (lost < -0.005 ? `opened ${(-lost).toFixed(2)} bits again` : `decided ${Math.abs(lost).toFixed(2)} bits`);

export class Moments {
  constructor(app) {
    Object.assign(this, { app, dice: [], button: byId("when") });
    this.button.addEventListener("click", () => {
      const shown = this.dice.length;
      this.clear(!shown);
      if (shown) return;
      this.asked = app.table.player.chapter; // numbers of throws begin anew with each table
      app.send({ do: "decided", throw: this.number, table: app.view === app.views.throw ? null : app.expected });
    });
  }

  /** Take the marks away, as for another film; `busy` if others will come. */
  clear(busy = false) {
    this.worker?.terminate();
    [this.dice, this.asked] = [[], null];
    Object.assign(this.button, { disabled: busy, hidden: this.number === undefined });
    this.button.textContent = busy ? "Throwing copies ..." : "When decided?";
    byId("moments").hidden = byId("explained").hidden = true;
  }

  /** The number of the throw that is shown; undefined for none. */
  get number() {
    return this.app.table.player?.chapter?.throw;
  }

  /** Take looks at the throw, unless another is shown by now, and let a worker throw their copies. */
  async hear({ throw: number, dice, kits, levels, batches, packed }) {
    const { asked, app: { table } } = this;
    const [code, buffer] = await Promise.all([table.engine, inflated(packed)]);
    if (number !== this.number || !asked || asked !== this.asked) return; // another was asked for before
    this.clear(true);
    const looksOf = ({ kit, looks }) => (looks.rows ? new Float64Array(buffer.slice(looks.offset, looks.offset + 8 * looks.rows * kits[kit].look.size)) : looks);
    this.worker = new Worker(window.pigglesimScript?.("copies") ?? "web/copies.js");
    this.worker.addEventListener("message", ({ data }) => this.show(data, levels));
    this.worker.addEventListener("error", ({ message }) => this.failed(message ?? "a file is missing"));
    this.worker.postMessage({ code, batches, kits: kits.map((kit) => ({ ...kit, memory: unpacked(kit, buffer) })), dice: dice.map((each) => ({ ...each, looks: looksOf(each) })) });
  }

  /** A fault may be the answer to what was asked; marks that are shown stay. */
  refused() {
    if (this.asked) this.clear();
  }

  failed(why) {
    this.clear();
    this.app.fault(`The copies were not thrown: ${why}. Please report it.`);
  }

  show({ copies, found }, levels) {
    const { clock, chapter } = this.app.table.player;
    this.dice = found.map(({ looks, outcome, outcomes }, k) => {
      looks.forEach((look, at) => {
        Object.assign(look, { bits: bitsOf(look.counts), share: look.counts[outcome] / copies });
        look.lost = at && looks[at - 1].bits - look.bits;
      });
      // From the look after the last one that was less certain.
      const times = levels.map((level) => (looks[looks.findLastIndex(({ share }) => share < level) + 1] ?? looks.at(-1)).time);
      return { name: chapter.actors[k].name, outcome: outcomes[outcome] ?? "unsettled", looks, times, copies };
    });
    this.button.disabled = false;
    this.button.textContent = "Hide marks";
    const words = levels.map((level) => percent(level, 0));
    // No smaller than half the interval of 95 % at any shares, by the variance of their logarithms.
    const known = Math.max(...found.map(({ outcomes }) => (1 + Math.log2(outcomes.length)) / Math.sqrt(copies)));
    byId("moments").replaceChildren(...this.dice.map((die) => this.lane(die, words, clock)));
    byId("explained").replaceChildren(
      el("p", { role: "status" }), "How certain it was by then how each would land: ", ...["less", ...words].map((text, k) => el("span", {}, el("i", { class: `certain-${k}` }), `${text}\u00a0 `)),
      "certain. A stroke is a bounce: the longer, the more it decided.",
      el("details", {}, el("summary", {}, "How is that known?"), `Each moment was thrown on ${copies} times by the engine, each time from a start that differs as a hand errs, and with each die alone on an endless board. The share that lands as the die did is how certain it was. 1 bit is as open as the toss of a coin; bits are known to about ${known.toFixed(1)}. Press a bar, or its arrow keys, to see a moment.`));
    byId("moments").hidden = byId("explained").hidden = false;
    this.tell(clock.time);
    say(this.dice.map(({ name, times }) => `${name} was ${words[1]} certain at ${times[1].toFixed(2)} seconds`).join("; "));
  }

  /** The time of one body as a bar, with its bounces; a press goes to that moment. */
  lane({ name, outcome, looks, times, copies }, words, clock) {
    const share = (time) => `${(100 * (time - clock.start)) / (clock.end - clock.start || 1)}%`;
    const starts = [looks[0].time, ...times, looks.at(-1).time];
    const bounces = looks.filter(({ bounced }, k) => bounced && k);
    const told = bounces.map((look) => `bounce at ${look.time.toFixed(2)} s ${lossOf(look)}, ${look.bits.toFixed(2)} left`);
    const certain = times.map((time, k) => `${words[k]} certain from ${time.toFixed(2)} s`);
    const go = (time) => {
      clock.pause();
      clock.seek(time);
      this.app.table.touch();
      const now = lookAt(looks, clock.time);
      byId("explained").firstChild.textContent = !now ? `${name} is in the cup.`
        : `${name} at ${now.time.toFixed(2)} s: ${within(now.share, copies)} of its copies land ${outcome}, as it does alone. ${now.bits.toFixed(2)} bits are open.${now.bounced ? ` The bounce before ${lossOf(now)}.` : ""}`;
    };
    const press = ({ clientX, currentTarget }) => {
      const { left, width } = currentTarget.getBoundingClientRect();
      go(clock.start + ((clock.end - clock.start) * (clientX - left)) / width);
    };
    const key = (event) => {
      const { key } = event;
      if (!["ArrowLeft", "ArrowRight"].includes(key)) return;
      event.preventDefault();
      event.stopPropagation();
      const look = key === "ArrowLeft" ? looks.findLast(({ time }) => time < clock.time - 1e-6) : looks.find(({ time }) => time > clock.time + 1e-6);
      if (look) go(look.time);
    };
    return el("div", { class: "lane", role: "group", tabindex: "0", "aria-label": [`${name}, ${outcome}`, ...certain, ...told, "arrows go through its moments"].join("; "), title: certain.join("\n"), onclick: press, onkeydown: key },
      el("b", { class: name[0] }, name, " ", el("output", {})),
      starts.slice(0, -1).map((from, k) => el("i", { class: `certain-${k}`, style: `left:${share(from)};right:calc(100% - ${share(starts[k + 1])})` })),
      bounces.map((look, k) => el("u", { title: told[k], style: `left:${share(look.time)};height:${Math.min(100, 35 + 65 * Math.max(0, look.lost))}%` })));
  }

  /** Write how certain each is at a time. */
  tell(time) {
    this.dice.forEach(({ looks }, k) => {
      const now = lookAt(looks, time);
      byId("moments").children[k].querySelector("output").textContent = now ? percent(now.share, 0) : "";
    });
  }
}
