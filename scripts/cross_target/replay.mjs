// Replays recorded calls of the kernels in WebAssembly; the same file serves node and browsers.

/** Return the exports of a module, with its memory. */
export async function instantiate(bytes, freeFrom) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const provided = {
    __linear_memory: memory,
    __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, freeFrom),
    __indirect_function_table: new WebAssembly.Table({ element: "anyfunc", initial: 0 }),
  };
  const { instance } = await WebAssembly.instantiate(bytes, { env: provided });
  return { memory, kernels: instance.exports };
}

/** Make one call; return the memory after it, and how long the kernel took [ms]. */
export function replay(module, call) {
  const before = fromBase64(call.image);
  const missing = call.start + before.length - module.memory.buffer.byteLength;
  if (missing > 0) module.memory.grow(Math.ceil(missing / 65536));
  new Uint8Array(module.memory.buffer, call.start).set(before);
  const words = call.words.map(([type, text]) => (type === "i64" ? BigInt(text) : Number(text)));
  const begin = performance.now();
  const status = module.kernels[call.kernel](...words);
  const time = performance.now() - begin;
  if (status !== 0) throw new Error(`${call.kernel} failed with status ${status}`);
  return { after: new Uint8Array(module.memory.buffer, call.start, before.length), time };
}

/** Return how many bytes differ from those of native code, and the time of all calls [ms]. */
export async function replayAll(recorded) {
  const module = await instantiate(fromBase64(recorded.module), recorded.free_from);
  const found = { calls: 0, differing: 0, time: 0 };
  for (const call of recorded.calls) {
    const { after, time } = replay(module, call);
    const expected = fromBase64(call.after);
    for (let k = 0; k < expected.length; k++) found.differing += Number(after[k] !== expected[k]);
    found.calls += 1;
    found.time += time;
  }
  return found;
}

function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

if (typeof process !== "undefined" && process.argv[2]) {
  const { readFile } = await import("node:fs/promises");
  const recorded = JSON.parse(await readFile(process.argv[2], "utf8"));
  console.log(JSON.stringify(await replayAll(recorded)));
}
