// Compiles what a page without a server imports, for the Python of Pyodide: node compile.mjs FOLDER
// It plays each game to its end, and writes the modules that were used as two zips of .pyc files.

import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder] = process.argv.slice(2);
const at = (name) => `${folder}/${name}`;
const from = (name) => import(pathToFileURL(at(name)).href);
const { loadPyodide } = await from("pyodide/pyodide.mjs");
const { Engine } = await from("web/kits.js");
const py = await loadPyodide({ indexURL: at("pyodide/"), args: ["-X", "no_debug_ranges"] });
const engine = await Engine.of(async (name) => new Uint8Array(await readFile(at(name))).buffer);
py.registerJsModule("page", { engine: (text) => engine.answer(text) });
py.FS.writeFile("/rules.zip", await readFile(at("table/rules.zip")));
py.FS.writeFile("/compiling.py", await readFile(new URL("compiling.py", import.meta.url)));
py.runPython(`
import sys
sys.dont_write_bytecode = True
sys.path[:0] = ["/rules.zip", "/"]
import compiling, page
compiling.run(page.engine, "/rules.zip", "/std.zip", "/used.zip")
`);
await writeFile(at("table/std.zip"), py.FS.readFile("/std.zip"));
await writeFile(at("table/rules.zip"), py.FS.readFile("/used.zip"));
