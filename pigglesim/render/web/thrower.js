// Throws the cup again in this page, with the engine's own code in WebAssembly. A start is drawn like
// a pour's in Python and rounded to floats of 4 bytes; from it on every bit is that of Python.

import { clamp } from "./vectors.js";
import { Film } from "./film.js";
import { asText, fromText, handText, readHandText } from "./hand_throw.js";

const PATH = 4; // numbers of the cup's path, before those of the bodies
const PLACE = 7; // numbers of a place: position and quaternion
const AT_REST = 4e-4; // how far a body at rest is at most from where it ends [m]
const AT_REST_TURN = 0.01; // and how far it is turned [rad]
const TOLERANCE = 1e-6; // of a start [m], [rad]
const OVERRUN = 3; // steps by which a call may run on
const SUPPORT = ["", "leans", "stacked"];

const uniform = () => crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
const clipped = () => clamp(normal(), -2, 2);

function shuffled(count) {
  const order = Array.from({ length: count }, (_, k) => k);
  for (let k = count - 1; k > 0; k -= 1) {
    const other = Math.floor(uniform() * (k + 1));
    [order[k], order[other]] = [order[other], order[k]];
  }
  return order;
}

/** A start as text for an address. */
export const toText = (start) => start.text ?? asText(new Uint8Array(start.buffer));

/** Numbers of some bytes each, of which all first bytes are stored first. */
function unplaned(buffer, { offset, rows }, width) {
  const planes = new Uint8Array(buffer, offset, width * rows);
  return planes.map((_, k) => planes[(k % width) * rows + Math.floor(k / width)]).buffer;
}

/** The memory of a kit before a throw, from the bytes that have it. */
export function unpacked({ memory: { words, numbers } }, buffer) {
  let word = 0n;
  const known = new BigUint64Array(unplaned(buffer, words, 8)).map((step) => (word += step));
  const image = BigUint64Array.from(new Uint32Array(unplaned(buffer, numbers, 4)), (number) => known[number]);
  return new Uint8Array(image.buffer);
}

/** Fill in the positions of neighbours in a kit's memory, which does without them. */
function lookedUp({ image: start, near }, image) {
  const words = new BigInt64Array(image.buffer, image.byteOffset, image.length >> 3);
  const at = (name, row = 0) => (near[name] - start) / 8 + row;
  const number = (name, row) => Number(words[at(name, row)]);
  for (let shape = 0; shape < near.shapes; shape += 1) {
    const [first, next] = [shape, shape + 1].map((each) => number("first_vertex", each));
    for (let k = number("neighbour_start", first); k < number("neighbour_start", next); k += 1) {
      const vertex = at("vertices", 3 * (first + number("neighbours", k)));
      words.copyWithin(at("neighbour_positions", 3 * k), vertex, vertex + 3);
    }
  }
  return image;
}

export class Thrower {
  /** The thrower of a page; null where there is none, or the browser cannot. */
  static async of(index, buffer) {
    if (!index.again || typeof WebAssembly === "undefined") return null;
    const { module } = index.again;
    const code = await WebAssembly.compile(new Uint8Array(buffer, module.offset, module.size));
    return new Thrower(index.again, index.chapters[0].actors, unpacked(index.again, buffer)).start(code);
  }

  /** `again` is the index of a kit, `actors` are those of its bodies, and `image` is its memory. */
  constructor(again, actors, image) {
    Object.assign(this, { again, actors, image: lookedUp(again, image) });
  }

  /** Make the memory and the kernels, from the compiled module. */
  async start(code) {
    this.code = code;
    this.kernels = (await WebAssembly.instantiate(code, this.surroundings())).exports;
    return this;
  }

  /** What the module is given: a memory, a stack, and no functions. */
  surroundings(memory = new WebAssembly.Memory({ initial: Math.ceil(this.again.end / 65536) })) {
    this.memory = memory;
    const env = {
      __linear_memory: memory,
      __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, this.again.stack),
      __indirect_function_table: new WebAssembly.Table({ element: "anyfunc", initial: 0 }),
    };
    return { env };
  }

  /** Another engine for the same throw, with a memory of its own. */
  twin() {
    return Object.assign(Object.create(Thrower.prototype), this).start(this.code);
  }

  /** Go on from where another engine of this kit is; what it has recorded so far stays there. */
  follow({ memory: { buffer }, samples }) {
    const { image, at } = this.again;
    new Uint8Array(this.memory.buffer, image).set(new Uint8Array(buffer, image, at.places - image));
    this.samples = [...samples];
    this.over = false;
  }

  /** Draw the start of a throw: path of the cup, then the place of each body in the world. */
  draw() {
    const { hand, cup } = this.again;
    const across = clamp(hand.aim + clipped() * hand.across_spread, -hand.half, hand.half);
    const path = [across, clipped() * hand.heading_spread, Math.exp(clipped() * hand.tempo_spread), 2 * Math.PI * uniform()];
    const at = [cup.sign * (across - cup.slip), -cup.sign * cup.back, cup.height + cup.depth / 2];
    return Float32Array.from([...path, ...this.drawPlaces(at)]);
  }

  /** Draw the places of the bodies in a cup that stands upright with its centre here. */
  drawPlaces([x, y, z]) {
    const { cup } = this.again;
    const places = new Array(this.count);
    let azimuth = 0;
    shuffled(this.count).forEach((body, slot) => {
      const side = slot % cup.layer_size;
      azimuth = side === 0 ? 2 * Math.PI * uniform() : azimuth + Math.PI;
      const layer = Math.floor(slot / cup.layer_size);
      const turn = [normal(), normal(), normal(), normal()];
      const size = Math.hypot(...turn);
      places[body] = [
        x + cup.off_axis * Math.cos(azimuth),
        y + cup.off_axis * Math.sin(azimuth),
        z - cup.depth / 2 + cup.radius * (1 + 2 * layer),
        ...turn.map((part) => part / size),
      ];
    });
    return Float32Array.from(places.flat());
  }

  /** Number of the bodies in the cup. */
  get count() {
    return this.again.rolled;
  }

  /** The start in a text; null if it is none of this page. */
  fromText(text) {
    try {
      const { own } = this.again;
      if (text.startsWith(own.prefix)) return { text, ...readHandText(own, text, this.count) };
      const bytes = fromText(text);
      if (bytes.length !== 4 * (PATH + PLACE * this.count)) return null;
      const start = new Float32Array(bytes.buffer);
      return this.possible(start) ? start : null;
    } catch {
      return null;
    }
  }

  /** Whether the hand and the cup of the page can start so; Python throws no other start either. */
  possible(start) {
    const { hand, cup } = this.again;
    const [across, heading, tempo, phase] = start;
    const bodies = Array.from({ length: this.count }, (_, k) => start.subarray(PATH + PLACE * k, PATH + PLACE * (k + 1)));
    const within = (value, most) => Math.abs(value) <= most + TOLERANCE; // never for NaN
    return within(across - hand.aim, 2 * hand.across_spread) && within(across, hand.half)
      && within(heading, 2 * hand.heading_spread) && within(Math.log(tempo), 2 * hand.tempo_spread)
      && within(phase - Math.PI, Math.PI)
      && bodies.every(([x, y, z, ...turn], k) => {
        const layer = (z - cup.height) / cup.radius;
        return within(Math.hypot(...turn) - 1, 0)
          && within(Math.hypot(x - cup.sign * (across - cup.slip), y + cup.sign * cup.back), cup.off_axis)
          && layer >= 1 - 1e-4 && layer <= 2 * this.count - 1 + 1e-4
          && bodies.slice(0, k).every((other) => Math.hypot(x - other[0], y - other[1], z - other[2]) >= 2 * cup.radius - TOLERANCE);
      });
  }

  /** Throw, and return the film, the actors with their readings, and where each rests. */
  throw(start) {
    if (start.samples) {
      this.begin(start.places);
      for (const sample of start.samples) this.add(sample);
      this.advance(Infinity, true);
      return this.result();
    }
    this.fill(start.subarray(PATH));
    this.run(this.words(start));
    return this.result();
  }

  /** Throw along a path of these numbers, from places that Python has drawn. */
  along(motion, places) {
    const { path, time_limit: limit } = this.again;
    this.fill([]);
    new Float64Array(this.memory.buffer, this.again.at.place, PLACE * places.length).set(places.flat());
    const given = this.given(0, limit.hand);
    for (const [name, word] of Object.entries(path)) given[word] = motion[name];
    this.run(given);
    return this.result();
  }

  /** Set the memory to that before a throw, with the bodies at these places in the cup. */
  fill(floats) {
    const { again, memory: { buffer } } = this;
    new Uint8Array(buffer, again.image).fill(0);
    new Uint8Array(buffer, again.image).set(this.image);
    const places = new Float64Array(buffer, again.at.place, PLACE * this.count);
    places.set(floats);
    for (let k = 0; k < places.length; k += PLACE) {
      const [x, y, z, w] = places.subarray(k + 3, k + PLACE);
      const size = Math.sqrt(x * x + y * y + z * z + w * w);
      for (let part = 3; part < PLACE; part += 1) places[k + part] /= size;
    }
  }

  /** What a throw that is over has come to. */
  result() {
    const { again, memory: { buffer } } = this;
    const count = this.actors.length;
    const film = this.film(this.steps + 1);
    const landed = new BigInt64Array(buffer, again.at.landed, 3 * count);
    const actors = this.actors.map((actor, k) => {
      const [orientation, zone, support] = landed.subarray(3 * k, 3 * k + 3);
      const reading = again.readings[Math.max(Number(orientation), 0)][Number(zone)];
      return { ...actor, ...reading, rest: restTime(film, k), support: SUPPORT[support] };
    });
    return { film, actors, places: Array.from(new Float64Array(buffer, again.at.place, PLACE * count)) };
  }

  /** Steps made so far. */
  get steps() {
    return Number(new BigInt64Array(this.memory.buffer, this.again.at.steps, 1)[0]);
  }

  // A person's own hand: the path of the cup grows while the throw is simulated.

  /** Begin with the cup standing still at a sample's place. */
  take(sample) {
    const { own } = this.again;
    this.begin(this.drawPlaces(sample.slice(0, 3).map((number) => number * own.length)));
    this.add(sample);
    this.add(sample);
  }

  /** Begin with the bodies at these places, and no path yet. */
  begin(places) {
    this.samples = [];
    this.over = false;
    this.places = places;
    this.fill(places);
  }

  /** Add a sample of the path, in whole units. */
  add(sample) {
    const { own, at } = this.again;
    const row = new Float64Array(this.memory.buffer, at.samples + 8 * sample.length * this.samples.length, sample.length);
    row.set(sample.map((number, k) => number * (k < 3 ? own.length : own.angle)));
    this.samples.push(sample);
  }

  /** Simulate as far as the path is known, to a time at most [s]; `ended` if no sample will follow. */
  advance(until, ended) {
    const { own, time_step: step, words, time_limit: limit } = this.again;
    // A pose needs the sample after the nearest, and a call may run on by a few steps.
    const known = ended ? Infinity : (this.samples.length - 1.5) / own.rate - OVERRUN * step;
    const steps = Math.min(Math.floor((Math.min(until, known) - this.steps * step) / step), words.at(-1)[1]);
    if (this.over || steps < 1) return;
    const given = this.given(this.samples.length, limit.own);
    given[given.length - 1] = BigInt(steps);
    this.run(given);
    this.over = new DataView(this.memory.buffer).getUint8(this.again.stack) !== 0;
  }

  /** Position and rotation of the bodies and of the cup, which is null once it is gone, as simulated so far. */
  get now() {
    const { again: { at }, memory: { buffer }, steps } = this;
    const count = this.actors.length;
    const pose = (from) => {
      const place = new Float64Array(buffer, from, PLACE);
      return { position: [...place.subarray(0, 3)], rotation: [...place.subarray(3)] };
    };
    const cup = new BigInt64Array(buffer, at.has_cup + 8 * steps, 1)[0] ? pose(at.cup + 8 * PLACE * steps) : null;
    return { cup, bodies: this.actors.map((_, k) => pose(at.places + 8 * PLACE * (steps * count + k))) };
  }

  /** Time simulated so far [s]. */
  get time() {
    return this.steps * this.again.time_step;
  }

  get text() {
    return handText(this.again.own, this.places, this.samples);
  }

  /** Arguments of the kernel for so many samples of the cup's path; without any, it moves by the numbers of the scene's hand. */
  given(count, limit) {
    const { samples, time_limit: { word }, words } = this.again;
    const given = words.map(([type, value]) => (type === "i64" ? BigInt(value) : value));
    [given[samples + 2], given[samples + 5], given[word]] = [BigInt(5 * count), BigInt(count), limit];
    return given;
  }

  run(given) {
    if (this.kernels.run_throw(...given) !== 0) throw new Error("the engine failed");
  }

  /** Arguments of the kernel for the path of the cup in a start. */
  words([across, heading, tempo, phase]) {
    const { hand, path, time_limit: limit } = this.again;
    const given = this.given(0, limit.hand);
    const tipStart = hand.shake_time * tempo;
    const tipEnd = tipStart + hand.tip_time * tempo;
    given[path.across] = across;
    given[path.heading] = heading - hand.heading + hand.half_turn;
    given[path.angular_frequency] = hand.angle / tempo;
    given[path.phase] = phase;
    given[path.tip_start] = tipStart;
    given[path.tip_end] = tipEnd;
    given[path.patience_end] = tipEnd + hand.patience;
    return given;
  }

  /** The film of the throw in memory; the cup is the last of its bodies. */
  film(rows) {
    const { again: { at, time_step: step }, memory: { buffer } } = this;
    const count = this.actors.length;
    const moved = new Float64Array(buffer, at.places, PLACE * count * rows);
    const cups = new Float64Array(buffer, at.cup, PLACE * rows);
    const hasCup = new BigInt64Array(buffer, at.has_cup, rows);
    // At the end bodies are where they are read.
    moved.set(new Float64Array(buffer, at.place, PLACE * count), PLACE * count * (rows - 1));
    const [positions, rotations] = [3, 4].map((size) => new Float32Array(size * (count + 1) * rows));
    for (let row = 0; row < rows; row += 1) {
      for (let body = 0; body <= count; body += 1) {
        const [places, from] = body < count ? [moved, PLACE * (row * count + body)] : [cups, PLACE * row];
        const to = row * (count + 1) + body;
        for (let k = 0; k < 3; k += 1) positions[3 * to + k] = places[from + k];
        for (let k = 0; k < 4; k += 1) rotations[4 * to + k] = places[from + 3 + k];
      }
    }
    const times = Float32Array.from({ length: rows }, (_, row) => row * step);
    const gone = hasCup.indexOf(0n);
    return Film.of({ times, unit: 1, positions, rotations, count: count + 1, cupFrames: gone < 0 ? rows : gone });
  }
}

/** When a body visibly rests as at the end [s]; without objects, as it looks at thousands of rows. */
function restTime(film, body) {
  const { positions, rotations, count, unit } = film;
  let row = film.times.length - 1;
  const end = row * count + body;
  while (row > 0) {
    if (!film.isStill(row - 1, body)) {
      const at = end - (film.times.length - row) * count;
      let [far, dot, size, other] = [0, 0, 0, 0];
      for (let k = 0; k < 3; k += 1) far += (positions[3 * at + k] - positions[3 * end + k]) ** 2;
      for (let k = 0; k < 4; k += 1) {
        const [now, last] = [rotations[4 * at + k], rotations[4 * end + k]];
        dot += now * last;
        size += now * now;
        other += last * last;
      }
      if (unit * Math.sqrt(far) > AT_REST || Math.abs(dot) < Math.cos(AT_REST_TURN / 2) * Math.sqrt(size * other)) break;
    }
    row -= 1;
  }
  return film.times[row];
}
