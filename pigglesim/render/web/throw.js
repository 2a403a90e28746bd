// Throws the cup again in this page, with the engine's own code in WebAssembly. A start is drawn like
// a pour's in Python and rounded to floats of 4 bytes; from it on every bit is that of Python.

import { clamp } from "./vectors.js";
import { Film } from "./film.js";

const PATH = 4; // numbers of the cup's path, before those of the bodies
const PLACE = 7; // numbers of a place: position and quaternion
const AT_REST = 4e-4; // how far a body at rest is at most from where it ends [m]
const AT_REST_TURN = 0.01; // and how far it is turned [rad]
const TOLERANCE = 1e-6; // of a start [m], [rad]
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
export function toText(start) {
  return btoa(String.fromCharCode(...new Uint8Array(start.buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Numbers of some bytes each, of which all first bytes are stored first. */
function unplaned(buffer, { offset, rows }, width) {
  const planes = new Uint8Array(buffer, offset, width * rows);
  return planes.map((_, k) => planes[(k % width) * rows + Math.floor(k / width)]).buffer;
}

export class Thrower {
  /** Compile the module of a page; null where there is none, or the browser cannot. */
  static async of(index, buffer) {
    if (!index.again || typeof WebAssembly === "undefined") return null;
    const thrower = new Thrower(index, buffer);
    const { module, stack } = thrower.again;
    const pages = Math.ceil(thrower.again.end / 65536);
    thrower.memory = new WebAssembly.Memory({ initial: pages });
    const env = {
      __linear_memory: thrower.memory,
      __stack_pointer: new WebAssembly.Global({ value: "i32", mutable: true }, stack),
      __indirect_function_table: new WebAssembly.Table({ element: "anyfunc", initial: 0 }),
    };
    const code = new Uint8Array(buffer, module.offset, module.size);
    thrower.kernels = (await WebAssembly.instantiate(code, { env })).instance.exports;
    return thrower;
  }

  constructor(index, buffer) {
    this.again = index.again;
    this.actors = index.chapters[0].actors;
    const { words, numbers } = this.again.memory;
    let word = 0n;
    const known = new BigUint64Array(unplaned(buffer, words, 8)).map((step) => (word += step));
    const image = BigUint64Array.from(new Uint32Array(unplaned(buffer, numbers, 4)), (number) => known[number]);
    this.image = new Uint8Array(image.buffer);
  }

  /** Draw the start of a throw: path of the cup, then the place of each body in the world. */
  draw() {
    const { hand, cup } = this.again;
    const { count } = this;
    const across = clamp(hand.aim + clipped() * hand.across_spread, -hand.half, hand.half);
    const path = [across, clipped() * hand.heading_spread, Math.exp(clipped() * hand.tempo_spread), 2 * Math.PI * uniform()];
    const places = new Array(count);
    let azimuth = 0;
    shuffled(count).forEach((body, slot) => {
      const side = slot % cup.layer_size;
      azimuth = side === 0 ? 2 * Math.PI * uniform() : azimuth + Math.PI;
      const layer = Math.floor(slot / cup.layer_size);
      const turn = [normal(), normal(), normal(), normal()];
      const size = Math.hypot(...turn);
      places[body] = [
        cup.sign * (across - cup.slip) + cup.off_axis * Math.cos(azimuth),
        -cup.sign * cup.back + cup.off_axis * Math.sin(azimuth),
        cup.height + cup.radius * (1 + 2 * layer),
        ...turn.map((part) => part / size),
      ];
    });
    return Float32Array.from([...path, ...places.flat()]);
  }

  get count() {
    return this.actors.length;
  }

  /** The start in a text; null if it is none of this page. */
  fromText(text) {
    try {
      const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
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
    const { again, memory, count } = this;
    const { buffer } = memory;
    const { at } = again;
    new Uint8Array(buffer, again.image).fill(0);
    new Uint8Array(buffer, again.image).set(this.image);
    const places = new Float64Array(buffer, at.place, PLACE * count);
    places.set(start.subarray(PATH));
    for (let k = 0; k < places.length; k += PLACE) {
      const [x, y, z, w] = places.subarray(k + 3, k + PLACE);
      const size = Math.sqrt(x * x + y * y + z * z + w * w);
      for (let part = 3; part < PLACE; part += 1) places[k + part] /= size;
    }
    if (this.kernels.run_throw(...this.words(start)) !== 0) throw new Error("the engine failed");
    const rows = Number(new BigInt64Array(buffer, at.steps, 1)[0]) + 1;
    const film = this.film(rows);
    const landed = new BigInt64Array(buffer, at.landed, 3 * count);
    const actors = this.actors.map((actor, k) => {
      const [orientation, zone, support] = landed.subarray(3 * k, 3 * k + 3);
      const reading = again.readings[Math.max(Number(orientation), 0)][Number(zone)];
      return { ...actor, ...reading, rest: restTime(film, k), support: SUPPORT[support] };
    });
    return { film, actors, places: Array.from(places) };
  }

  /** Arguments of the kernel: those of the page, with another path of the cup. */
  words(start) {
    const { hand, path, words } = this.again;
    const [across, heading, tempo, phase] = start;
    const given = words.map(([type, value]) => (type === "i64" ? BigInt(value) : value));
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
    const { again: { at, time_step: step }, memory: { buffer }, count } = this;
    const moved = new Float64Array(buffer, at.places, PLACE * count * rows);
    const cups = new Float64Array(buffer, at.cup, PLACE * rows);
    const hasCup = new BigInt64Array(buffer, at.has_cup, rows);
    // At the end bodies are where they are read.
    moved.set(new Float64Array(buffer, at.place, PLACE * count), PLACE * count * (rows - 1));
    const positions = new Float32Array(3 * (count + 1) * rows);
    const rotations = new Float32Array(4 * (count + 1) * rows);
    for (let row = 0; row < rows; row += 1) {
      for (let body = 0; body <= count; body += 1) {
        const from = PLACE * (body < count ? row * count + body : row);
        const place = (body < count ? moved : cups).subarray(from, from + PLACE);
        positions.set(place.subarray(0, 3), 3 * (row * (count + 1) + body));
        rotations.set(place.subarray(3), 4 * (row * (count + 1) + body));
      }
    }
    const times = Float32Array.from({ length: rows }, (_, row) => row * step);
    const gone = hasCup.indexOf(0n);
    return Film.of({ times, unit: 1, positions, rotations, count: count + 1, cupFrames: gone < 0 ? rows : gone });
  }
}

/** When a body visibly rests as at the end [s]. */
function restTime(film, body) {
  let row = film.times.length - 1;
  const end = film.frame(row, body);
  const far = (at) => Math.hypot(...at.position.map((value, k) => value - end.position[k]));
  const turned = (at) => Math.acos(Math.min(1, Math.abs(at.rotation.reduce((sum, value, k) => sum + value * end.rotation[k], 0))));
  while (row > 0) {
    const at = film.frame(row - 1, body);
    if (far(at) > AT_REST || 2 * turned(at) > AT_REST_TURN) break;
    row -= 1;
  }
  return film.times[row];
}
