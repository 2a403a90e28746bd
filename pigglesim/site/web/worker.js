// The table of a page without a server: the rules in Python and the engine, both in WebAssembly.
// It answers the same messages that the server does.

import { loadPyodide } from "../pyodide/pyodide.mjs";
import { Engine, still } from "./kits.js";

const here = new URL("..", import.meta.url).href;
const get = async (name, kind = "arrayBuffer") => {
  const answer = await fetch(here + name);
  if (!answer.ok) throw new Error(`${name} is missing`);
  return answer[kind]();
};
const welcome = get("table/welcome.json", "json");
const stages = {};
const stage = (name) => (stages[name] ??= get(`table/${name}.json`, "json"));

const compiled = Engine.of(get);

/** Start Python, and give it the engine. */
async function started() {
  const [py, rules, engine] = await Promise.all([
    loadPyodide({ indexURL: `${here}pyodide/`, stdLibURL: `${here}table/std.zip` }), get("table/rules.zip"), compiled]);
  py.FS.writeFile("/rules.zip", new Uint8Array(rules));
  py.registerJsModule("page", { engine: (text) => engine.answer(text) });
  const table = py.runPython(`
import sys
sys.path.insert(0, "/rules.zip")
import page
from page_data import DATA
from pigglesim.site.table import PageTable
PageTable(DATA, page.engine)
`);
  return { engine, table };
}

/** Add what Python does not have: meshes, motion, and the memory of a throw. */
async function completed(message, engine) {
  if (message.is === "table") {
    const { index, packed, hand } = await stage(message.stage);
    Object.assign(message, { index, packed, hand, code: engine.code });
  }
  for (const chapter of [message.chapter, message.board]) {
    if (!chapter) continue;
    const { film, number, rests, supports } = chapter.rows ? { film: still(chapter.rows) } : engine.films.shift();
    chapter.throw = number;
    const { times, unit, positions, rotations, count, cupFrames } = film;
    chapter.raw = { times, unit, positions, rotations, count, cupFrames };
    chapter.film = { times: { rows: times.length } };
    if (rests) chapter.actors.forEach((actor, k) => Object.assign(actor, { rest: rests[k], support: supports[k] }));
    delete chapter.rows;
  }
  if (message.is === "prepared" && message.kit) {
    const { seat, rolled, standing, names } = message.kit;
    const { again, image } = engine.kit(seat, rolled, standing);
    Object.assign(message, { kit: { ...again, names }, image });
  }
  return message;
}

const CALM = 500; // time without a message, after which the engine is warmed [ms]
const pause = () => new Promise((resolve) => setTimeout(resolve));
const analyses = self.name === "analyst"; // its work ends where another message comes
const running = started();
let stepping = false;
let heard = 0;

async function answer(text, number) {
  const { engine, table } = await running;
  const send = async (messages) => {
    for (const message of JSON.parse(messages)) postMessage(await completed(message, engine));
    return messages !== "[]" && !messages.includes('"is": "fault"');
  };
  if (text.startsWith('{"do":"decided"')) postMessage(engine.decided(JSON.parse(text).throw));
  else await send(table.hear(text));
  if (stepping) return;
  stepping = true;
  while (!(analyses && heard > number) && await send(table.step())) await pause();
  stepping = false;
  if (!analyses) setTimeout(() => heard === number && table.warm(), CALM);
}

/** Send what is offered and the usual table at once, while the rules still load. */
async function greet() {
  try {
    const offered = await welcome;
    postMessage(offered);
    if (!analyses) postMessage(await completed({ is: "table", stage: offered.throw.scene }, await compiled));
    await running;
    postMessage({ is: "ready" });
  } catch (error) {
    postMessage({ is: "failed", text: error.message });
  }
}

let queue = null;
onmessage = ({ data }) => {
  const number = (heard += 1);
  queue = (queue ?? greet()).then(() => answer(data, number));
};
