// A page in one file: its modules and its worker are made of parts that stand in it. Modules cannot be
// imported from a file on disk, nor can a worker begin as a module.
const url = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const made = {};
const named = (name) => (made[name] ??= url(modules[name].replace(/from "\.\/([a-z_]+)\.js"/g, (_, other) => `from "${named(other)}"`)));
const began = `self.importScripts = () => { throw new TypeError("a module"); };
onmessage = async ({ data: parts }) => {
  const early = [];
  onmessage = (event) => early.push(event);
  const bytes = async (text) => new Response(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const files = {};
  await Promise.all(Object.keys(parts).map(async (name) => { files[name] = await bytes(parts[name]); }));
  const text = (name) => new TextDecoder().decode(files[name]);
  const url = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  self.fetch = async (address) => {
    const name = new URL(address.url ?? address).pathname.slice(1);
    if (!files[name]) throw new Error(name + " is missing");
    return new Response(files[name], { headers: { "content-type": name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream" } });
  };
  self.createPyodide = (await import(url(text("pyodide/pyodide.asm.mjs")))).default;
  const module = (name) => url(text("web/" + name + ".js").replace(/from "\\.\\/([a-z_]+)\\.js"/g, (_, other) => 'from "' + module(other) + '"'));
  await import(url(text("web/worker.js").replace("../pyodide/pyodide.mjs", url(text("pyodide/pyodide.mjs"))).replace("./kits.js", module("kits"))
    .replace('new URL("..", import.meta.url).href', '"http://page.invalid/"').replace("loadPyodide({", "loadPyodide({ createPyodideModule: self.createPyodide,")));
  for (const event of early) self.onmessage(event);
};`;
window.pigglesimWorker = (name) => {
  const worker = new Worker(url(began), { name });
  worker.postMessage(parts);
  return worker;
};
window.pigglesimScript = named;
window.pigglesimPictures = pictures;
import(named("app"));
