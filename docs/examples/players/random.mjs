// A player of any game in another process: a random legal action, the same for the same seed.

import { createInterface } from "node:readline";

const send = (type, values = {}) => console.log(JSON.stringify({ type, ...values }));

/** Return a number from 0 to 1 for a seed (mulberry32). */
function uniform(seed) {
  let a = seed % 2 ** 32 | 0;
  a = (a + 0x6d2b79f5) | 0;
  let t = Math.imul(a ^ (a >>> 15), 1 | a);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

let legal = [];
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  switch (message.type) {
    case "newgame":
      send("ready");
      break;
    case "position":
      legal = message.legal_actions;
      break;
    case "go":
      send("bestaction", { id: message.id, action: legal[Math.floor(uniform(message.seed) * legal.length)] });
      break;
    case "quit":
      process.exit(0);
  }
}
