// A worker that throws copies of moving bodies with the engine in WebAssembly, while the film runs. It imports nothing,
// as a page on disk can begin no module.

/** What throws the copies of a kit: `throw(look, from, count)` gives the number of each one's outcome; the last is none. */
async function copier(code, { stack, image, end, words, memory, look: place, from, count: many, poses, classes, outcomes }) {
  const room = new WebAssembly.Memory({ initial: Math.ceil(end / 65536) });
  const env = {
    __linear_memory: room,
    __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, stack),
    __indirect_function_table: new WebAssembly.Table({ element: "anyfunc", initial: 0 }),
  };
  const { throw_copies: throwCopies } = (await WebAssembly.instantiate(code, { env })).exports;
  new Uint8Array(room.buffer, image).set(memory);
  const given = words.map(([type, value]) => (type === "i64" ? BigInt(value) : value));
  return (look, first, count) => {
    new Float64Array(room.buffer, place.at, place.size).set(look);
    given[from.word] = from.at + from.step * first;
    given[many] = BigInt(count);
    if (throwCopies(...given) !== 0) throw new Error("the engine failed");
    return Array.from(new BigInt64Array(room.buffer, poses, count), (pose) => classes[Number(pose)] ?? outcomes.length);
  };
}

/** Throw batches of copies of each look at each body, and post after each batch how many have ended how so far. */
onmessage = async ({ data: { code, kits, dice, batches } }) => {
  const copiers = await Promise.all(kits.map((kit) => copier(code, kit)));
  const found = dice.map(({ kit, looks }) => {
    const { outcomes, look: { size } } = kits[kit];
    const rows = Array.from({ length: looks.length / size }, (_, k) => looks.subarray(size * k, size * (k + 1)));
    // The first copy is not displaced: from the last look it ends as the throw does.
    const [outcome] = copiers[kit](rows.at(-1), 0, 1);
    const none = () => new Array(outcomes.length + 1).fill(0);
    return { kit, outcomes, outcome, looks: rows.map((row) => ({ row, time: row[0], bounces: row[1], bounced: row[2] > 0, counts: none() })) };
  });
  for (const [first, end] of batches) {
    for (const { kit, looks } of found) {
      for (const { row, counts } of looks) for (const outcome of copiers[kit](row, first, end - first)) counts[outcome] += 1;
    }
    postMessage({ copies: end - 1, found });
  }
};
