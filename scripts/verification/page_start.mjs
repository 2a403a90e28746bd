// Processor time of the start of a page without a server, in node: page_start.mjs FOLDER prints JSON, in seconds and MB.

import { readFile } from "node:fs/promises";

const [folder] = process.argv.slice(2);
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
const [say, step, wish] = py.runPython(`
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
(lambda text: kept(json.loads(table.hear(text))), lambda: kept(json.loads(table.step())), wish)
`);
say(JSON.stringify({ do: "new", game: "piggles_classic", players: ["human", "greedy"], seed: 1 }));
mark("a match begins");
say(wish());
mark("first load");
step();
mark("first throw");
const moves = [];
for (let text = "-"; text; text = wish()) {
  if (text !== "-") say(text);
  while (step()) {
    mark("move");
    moves.push(found.move);
  }
}
moves.sort((one, other) => one - other);
found.move = moves[Math.floor(moves.length / 2)];
found["slowest move"] = moves.at(-1);
found["memory of Python"] = py._module.HEAPU8.length / 1e6;
found["memory of node"] = process.memoryUsage().rss / 1e6;
console.log(JSON.stringify(found));
