// A throw of a person's own hand as text, as `hand_throw.py` reads it: the places in the cup, and the
// path of the cup in whole units, as second differences of seven bits each.

/** Bytes as text for an address. */
export const asText = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

function* differences(samples) {
  const [first] = samples;
  const moved = samples.findIndex((sample) => sample.some((number, k) => number !== first[k]));
  const rest = moved < 0 ? samples.length : moved;
  yield* [samples.length, rest, ...first];
  let was = first;
  let speed = first.map(() => 0);
  for (const sample of samples.slice(rest)) {
    const step = sample.map((number, k) => number - was[k]);
    yield* step.map((number, k) => number - speed[k]);
    [was, speed] = [sample, step];
  }
}

function* varints(numbers) {
  for (const number of numbers) {
    let left = number >= 0 ? 2 * number : -2 * number - 1;
    for (; left > 127; left = Math.floor(left / 128)) yield (left % 128) + 128;
    yield left;
  }
}

/** Bytes of such a text. */
export const fromText = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));

/** The text of a throw: `own` has the prefix and the tag, `places` are floats of 4 bytes. */
export function handText({ prefix, tag }, places, samples) {
  const head = [places.length / 7, ...tag.match(/../g).map((digits) => parseInt(digits, 16))];
  const floats = new Uint8Array(places.buffer, places.byteOffset, places.byteLength);
  return prefix + asText([...head, ...floats, ...varints(differences(samples))]);
}

/** Places and samples of a throw of this kit; an error if the text is cut, or of another table. */
export function readHandText(own, text, count) {
  const bytes = fromText(text.slice(own.prefix.length));
  const from = 1 + own.tag.length / 2;
  const places = new Float32Array(bytes.slice(from, from + 28 * count).buffer);
  const numbers = [];
  let [value, weight] = [0, 1];
  for (const byte of bytes.slice(from + 28 * count)) {
    value += (byte % 128) * weight;
    weight *= 128;
    if (byte > 127) continue;
    numbers.push(value % 2 ? -(value + 1) / 2 : value / 2);
    [value, weight] = [0, 1];
  }
  const [size, rest] = numbers;
  const samples = [];
  let at = numbers.slice(2, 7);
  let speed = [0, 0, 0, 0, 0];
  for (let k = 0; k < size && k < own.most; k += 1) {
    if (k >= rest) {
      const row = numbers.slice(7 + 5 * (k - rest), 12 + 5 * (k - rest));
      speed = speed.map((number, axis) => number + row[axis]);
      at = at.map((number, axis) => number + speed[axis]);
    }
    samples.push(at);
  }
  if (handText(own, places, samples) !== text) throw new Error("it is cut, or of another table");
  return { places, samples };
}
