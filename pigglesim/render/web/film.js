// A film as the page holds it: times, and poses of every body and of the cup.

import { clamp, slerp, unit } from "./vectors.js";

/** Bytes that were deflated and written in base64. */
export async function inflated(base64) {
  const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** Whole numbers in rows, from differences of differences; or their differences, or those of them. */
export function undelta(buffer, { offset, rows, columns }, sums = 0) {
  const count = rows * columns;
  const bytes = new Uint8Array(buffer, offset, 4 * count);
  const found = new Int32Array(count);
  for (let column = 0; column < columns; column += 1) {
    let step = 0;
    let value = 0;
    for (let row = 0; row < rows; row += 1) {
      const k = column * rows + row;
      const low = bytes[k] | (bytes[count + k] << 8);
      const folded = low | (bytes[2 * count + k] << 16) | (bytes[3 * count + k] << 24);
      const second = (folded >>> 1) ^ -(folded & 1);
      step += second;
      value += step;
      found[row * columns + column] = [value, step, second][sums];
    }
  }
  return found;
}

export class Film {
  constructor(buffer, index) {
    this.times = new Float32Array(buffer.slice(index.times.offset, index.times.offset + 4 * index.times.rows));
    this.start = this.times[0];
    this.end = this.times[this.times.length - 1];
    this.unit = index.unit;
    this.positions = undelta(buffer, index.positions);
    this.rotations = undelta(buffer, index.rotations);
    this.count = index.positions.columns / 3;
    // Frames that show the cup, from the first on; the cup is the last of the bodies.
    this.cupFrames = index.cup_frames;
  }

  /** A film of times, positions and rotations that are numbers already. */
  static of(fields) {
    const film = Object.assign(Object.create(Film.prototype), fields);
    film.start = film.times[0];
    film.end = film.times[film.times.length - 1];
    return film;
  }

  /** Number of the last frame that has come, and the share of the way to the next. */
  frameAt(time) {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    const next = Math.min(low + 1, this.times.length - 1);
    const span = this.times[next] - this.times[low];
    return { frame: low, next, share: span > 0 ? clamp((time - this.times[low]) / span, 0, 1) : 0 };
  }

  /** Whether the cup is there at a time: never between its last frame and the next. */
  hasCup(time) {
    const { frame, share } = this.frameAt(time);
    return frame < this.cupFrames - (share > 0 ? 1 : 0);
  }

  /** Where a body is at a time, and how it is turned. */
  poseAt(time, body) {
    const { frame, next, share } = this.frameAt(time);
    const from = this.frame(frame, body);
    const to = this.frame(next, body);
    return {
      position: from.position.map((value, k) => value + share * (to.position[k] - value)),
      rotation: slerp(from.rotation, to.rotation, share),
    };
  }

  /** Whether a body has the numbers of the next frame: most bodies stand, and most of the time. */
  isStill(frame, body) {
    const { positions, rotations, count } = this;
    const at = frame * count + body;
    const same = (values, size) => {
      for (let k = size * at; k < size * (at + 1); k += 1) if (values[k] !== values[k + size * count]) return false;
      return true;
    };
    return same(positions, 3) && same(rotations, 4);
  }

  frame(frame, body) {
    const at = frame * this.count + body;
    return {
      position: Array.from(this.positions.subarray(3 * at, 3 * at + 3), (value) => value * this.unit),
      rotation: unit(Array.from(this.rotations.subarray(4 * at, 4 * at + 4))),
    };
  }
}
