// The engine of a page without a server: kits of throws with any number of Piggles, and the throws.

import { Thrower } from "./thrower.js";

const KEPT = 100; // throws whose looks are stored
const PLACE = 7; // numbers of a place: position and quaternion

/** An object with the changes of another; changes of the words of a call are given by their numbers. */
function changed(base, changes) {
  if (Array.isArray(base) && !Array.isArray(changes)) return base.map((word, k) => (k in changes ? [word[0], changes[k]] : word));
  if (base === null || typeof base !== "object" || Array.isArray(base)) return changes;
  return Object.fromEntries(Object.entries(base).map(([key, value]) => [key, key in changes ? changed(value, changes[key]) : value]));
}

export class Engine {
  /** The engine of a folder, of which the function reads a file. */
  static async of(read) {
    const [code, kits, copies, image, patches] = await Promise.all(["engine.wasm", "kits.json", "copies.json", "memory.bin", "patches.bin"].map((name) => read(`table/${name}`)));
    const json = (bytes) => JSON.parse(new TextDecoder().decode(bytes));
    return Object.assign(new Engine(await WebAssembly.compile(code), json(kits), new Uint8Array(image), patches), { copies: json(copies) });
  }

  /** `kits` has the index of a kit and what differs in others; the patches of their memory are in `patches`. */
  constructor(code, kits, image, patches) {
    Object.assign(this, { code, kits, image, patches });
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(kits.most / 65536) });
    this.films = [];
    this.looks = []; // at each of the last throws, by its number
  }

  /** What simulates a throw of so many Piggles onto those that stand at these places. */
  kit(seat, rolled, standing) {
    const { index, seats, counts, stand } = this.kits;
    const { patch: [offset, count], changes } = counts[`${rolled},${standing.length}`];
    const image = this.image.slice();
    const words = new BigUint64Array(image.buffer);
    const at = new Uint32Array(this.patches, offset, count);
    const values = new BigUint64Array(this.patches, offset + 8 * Math.ceil(count / 2), count);
    at.forEach((word, k) => { words[word] = values[k]; });
    standing.forEach((place, k) => put(image.buffer, stand, rolled + k, place));
    return { again: changed(changed(index, seats[seat]), changes), image };
  }

  /** The message with which the page finds when a throw was decided. */
  decided(number) {
    if (!this.looks[number]) return { is: "fault", text: "This throw is not here any more. Throw again." };
    return { is: "decided", throw: number, ...this.copies, dice: this.looks[number].map((looks) => ({ kit: 0, looks })) };
  }

  /** Throw as Python asks for it, in JSON. */
  answer(text) {
    return signed(this.throw(JSON.parse(text)));
  }

  /** Throw, and return where all comes to rest; the film of it is kept for the page, unless the throw is quiet. */
  throw({ seat, rolled, standing, motion, places, own, quiet }) {
    const { again, image } = this.kit(seat, rolled, standing);
    const count = rolled + standing.length;
    const thrower = new Thrower(again, Array.from({ length: count }, () => ({})), image);
    thrower.kernels = new WebAssembly.Instance(this.code, thrower.surroundings(this.memory)).exports;
    const { film, actors, places: rest } = own ? thrower.throw(thrower.fromText(own)) : thrower.along(motion, places);
    if (!quiet) {
      this.films.push({ film, number: this.looks.length, rests: actors.map((actor) => actor.rest), supports: actors.map((actor) => actor.support) });
      delete this.looks[this.looks.push(looksAt(thrower, this.copies.kits[0].look)) - 1 - KEPT];
    }
    const { buffer } = this.memory;
    const whole = (name, size) => Array.from(new BigInt64Array(buffer, again.at[name], size), Number);
    const landed = whole("landed", 3 * count);
    return {
      places: actors.map((_, k) => rest.slice(PLACE * k, PLACE * (k + 1))),
      landed: actors.map((_, k) => landed.slice(3 * k, 3 * k + 3)),
      strikers: whole("striker", count),
      time: new Float64Array(buffer, again.at.time, 1)[0],
      timed_out: whole("timed_out", 1)[0] !== 0,
    };
  }
}

/** The looks at each body that was rolled, of the throw in memory; what they need lies behind it there. */
function looksAt({ again: { at, end, rolled, stack, time_step: step }, actors, memory, kernels, steps }, { size, most, params }) {
  const [rows, count, times] = [steps + 1, actors.length, 8 * Math.ceil(end / 8)];
  const looks = times + 8 * rows;
  const counts = looks + 8 * size * most;
  memory.grow(Math.max(0, Math.ceil((counts + 8 * count - memory.buffer.byteLength) / 65536)));
  new Float64Array(memory.buffer, times, rows).set(Array.from({ length: rows }, (_, row) => row * step));
  // An array as compiled code takes it; see webassembly.py.
  const array = (address, ...shape) => {
    const strides = shape.map((_, k) => shape.slice(k + 1).reduce((product, length) => product * length, 8));
    return [0, 0, BigInt(shape[0] * strides[0]) / 8n, 8n, address, ...[...shape, ...strides].map(BigInt)];
  };
  const recorded = [array(at.places, rows, count, PLACE), array(at.cup, rows, PLACE), array(at.has_cup, rows), array(times, rows)].flat();
  return Array.from({ length: rolled }, (_, body) => {
    if (kernels.find_looks(stack, stack + 16, ...recorded, BigInt(body), ...params, ...array(looks, most, size), ...array(counts, count)) !== 0) throw new Error("the engine failed");
    return new Float64Array(memory.buffer, looks, size * Number(new BigInt64Array(memory.buffer, counts, count)[body])).slice();
  });
}

/** JSON with the sign of zero, which JSON.stringify drops and the state of a match has. */
export const signed = (value) => JSON.stringify(value, (_, part) => (Object.is(part, -0) ? "-0.0" : part)).replaceAll('"-0.0"', "-0.0");

/** Put a body that stands into the memory of a kit, as the engine does. */
function put(buffer, { image, states, size, x, turn, position, matrix, place, frame }, body, row) {
  const [px, py, pz, ax, ay, az, aw] = row;
  const [bx, by, bz, bw] = frame;
  const q = [
    aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz,
  ];
  const [qx, qy, qz, qw] = q;
  const write = (address, numbers) => new Float64Array(buffer, address - image, numbers.length).set(numbers);
  write(place + 8 * PLACE * body, row);
  write(states + 8 * (size * body + x), [px, py, pz]);
  write(states + 8 * (size * body + turn), q);
  write(position + 24 * body, [px, py, pz]);
  write(matrix + 72 * body, [
    1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy - qz * qw), 2 * (qx * qz + qy * qw),
    2 * (qx * qy + qz * qw), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz - qx * qw),
    2 * (qx * qz - qy * qw), 2 * (qy * qz + qx * qw), 1 - 2 * (qx * qx + qy * qy),
  ]);
}

/** A board at rest, as a film of one row. */
export function still(rows) {
  const [positions, rotations] = [3, 4].map((size) => new Float32Array(size * (rows.length + 1)).fill(0.5));
  rows.forEach((row, k) => {
    positions.set(row.slice(0, 3), 3 * k);
    rotations.set(row.slice(3), 4 * k);
  });
  return { times: new Float32Array(1), unit: 1, positions, rotations, count: rows.length + 1, cupFrames: 0 };
}
