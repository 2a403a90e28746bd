// Runs a program of Python as a page without a server runs it: node in_page.mjs FOLDER FILES, where
// the folder is the page, and FILES has program.py and the modules and data that it uses.

import { readdir, readFile } from "node:fs/promises";

const [folder, files] = process.argv.slice(2);
const { loadPyodide } = await import(`${folder}/pyodide/pyodide.mjs`);
const { Engine } = await import(`${folder}/web/kits.js`);
const py = await loadPyodide({ indexURL: `${folder}/pyodide/`, stdLibURL: `${folder}/table/std.zip` });
const engine = await Engine.of(async (name) => new Uint8Array(await readFile(`${folder}/${name}`)).buffer);
py.registerJsModule("page", { engine: (text) => engine.answer(text) });
py.FS.writeFile("/rules.zip", await readFile(`${folder}/table/rules.zip`));
for (const name of await readdir(files)) py.FS.writeFile(`/${name}`, await readFile(`${files}/${name}`));
py.runPython('import sys; sys.path[:0] = ["/rules.zip", "/"]');
console.log(py.runPython(await readFile(`${files}/program.py`, "utf8")));
