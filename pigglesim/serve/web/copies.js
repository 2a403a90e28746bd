// A worker that throws copies of moving bodies with the engine in WebAssembly, while the film runs. It imports nothing,
// as a page on disk can begin no module.

/** What throws copies with a kit: `(look, first, count)` gives the number of each one's outcome; the last is none. */
async function copier(code, { stack, image, end, words, memory: bytes, look: place, from, count: many, poses, classes, outcomes }) {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(end / 65536) });
  const [top, table] = [new WebAssembly.Global({ value: "i32", mutable: true }, stack), new WebAssembly.Table({ element: "anyfunc", initial: 0 })];
  const { exports } = await WebAssembly.instantiate(code, { env: { __linear_memory: memory, __stack_pointer: top, __indirect_function_table: table } });
  new Uint8Array(memory.buffer, image).set(bytes);
  const given = words.map(([type, value]) => (type === "i64" ? BigInt(value) : value));
  return (look, first, count) => {
    new Float64Array(memory.buffer, place.at, place.size).set(look);
    [given[from.word], given[many]] = [from.at + from.step * first, BigInt(count)];
    if (exports.throw_copies(...given) !== 0) throw new Error("the engine failed");
    return Array.from(new BigInt64Array(memory.buffer, poses, count), (pose) => classes[Number(pose)] ?? outcomes.length);
  };
}

/** Throw batches of copies of each look at each body, and post after each batch how many have ended how so far. */
async function throwAll({ code, kits, dice, batches }) {
  const copiers = await Promise.all(kits.map((kit) => copier(code, kit)));
  const found = dice.map(({ kit, looks }) => {
    const { outcomes, look: { size } } = kits[kit];
    const rows = Array.from({ length: looks.length / size }, (_, k) => looks.subarray(size * k, size * (k + 1)));
    // The first copy is not displaced: from the last look it ends as the throw does.
    const [outcome] = copiers[kit](rows.at(-1), 0, 1);
    return { kit, outcomes, outcome, looks: rows.map((row) => ({ row, time: row[0], bounces: row[1], bounced: row[2] > 0, counts: [...outcomes.map(() => 0), 0] })) };
  });
  for (const [first, end] of batches) {
    for (const { kit, looks } of found) for (const { row, counts } of looks) for (const outcome of copiers[kit](row, first, end - first)) counts[outcome] += 1;
    postMessage({ copies: end - 1, found });
  }
}

// The page hears of errors outside promises alone.
onmessage = ({ data }) => throwAll(data).catch((error) => setTimeout(() => { throw error; }));
