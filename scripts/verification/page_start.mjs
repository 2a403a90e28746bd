// Processor time of a page without a server, in node: page_start.mjs FOLDER prints JSON, in seconds. It starts,
// plays a match, and reviews it in a second thread, as the page does in a second worker.

import { readFile } from "node:fs/promises";
import { Worker, isMainThread, workerData } from "node:worker_threads";

const folder = workerData?.folder ?? process.argv[2];
const found = {};
let last = process.cpuUsage();
const mark = (name) => {
  const { user, system } = process.cpuUsage(last);
  found[name] = (user + system) / 1e6;
  last = process.cpuUsage();
};
const { loadPyodide } = await import(`${folder}/pyodide/pyodide.mjs`);
const { Engine } = await import(`${folder}/web/kits.js`);
const py = await loadPyodide({ indexURL: `${folder}/pyodide/`, stdLibURL: `${folder}/table/std.zip` });
mark("Python");
const engine = await Engine.of(async (name) => new Uint8Array(await readFile(`${folder}/${name}`)).buffer);
py.registerJsModule("page", { engine: (text) => engine.answer(text) });
py.FS.writeFile("/rules.zip", await readFile(`${folder}/table/rules.zip`));
py.runPython(`
import sys
sys.path.insert(0, "/rules.zip")
import json, page, time
from page_data import DATA
from pigglesim.site.table import PageTable
table = PageTable(DATA, page.engine)
`);
mark("rules");
if (!isMainThread) {
  py.globals.set("wish", workerData.wish);
  py.runPython(`
table.hear(wish)
while json.loads(table.step())[0]["is"] == "progress":
    pass
`);
  process.exit();
}
py.runPython("table.warm(), table.warm()");
mark("throws that nobody sees");
const [say, step, wish, review] = py.runPython(`
states = [{}]
def kept(answers):
    states.extend(each for each in answers if each["is"] == "state")
    return len(answers)
def wish():
    state = states[-1]
    if state["over"]:
        return ""
    free = [each["name"] for each in state.get("load") or [] if each["free"]]
    deed = {"do": "load", "piggles": free} if free else {"do": "ask", "word": "skip"}
    return json.dumps({"table": state["table"], "at": state["at"], **deed})
def review():
    (message,) = json.loads(table.hear(json.dumps({"do": "review", "table": states[-1]["table"]})))
    return json.dumps(message["wish"])
(lambda text: kept(json.loads(table.hear(text))), lambda: kept(json.loads(table.step())), wish, review)
`);
say(JSON.stringify({ do: "new", game: "piggles_classic", players: ["human", "greedy"], seed: 1 }));
mark("a match begins");
say(wish());
mark("first load");
step();
mark("first throw");
const moves = [];
let slowest = 0;
for (let text = "-"; text; text = wish()) {
  if (text !== "-") say(text);
  for (let began = performance.now(); step(); began = performance.now()) {
    slowest = Math.max(slowest, performance.now() - began);
    mark("move");
    moves.push(found.move);
  }
}
moves.sort((one, other) => one - other);
found.move = moves[Math.floor(moves.length / 2)];
found["slowest move"] = moves.at(-1);
found["slowest move, by the clock"] = slowest / 1000;
mark("-");
await new Promise((resolve) => {
  const analyst = new Worker(new URL(import.meta.url), { workerData: { folder, wish: review() } });
  analyst.on("exit", resolve);
});
mark("review");
delete found["-"];
console.log(JSON.stringify(found));
