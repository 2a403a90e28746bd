// Sound of contacts, from how suddenly bodies change their velocity in the film. Off until asked for.

import { byId, memory } from "./dom.js";

const QUIETEST = 0.12; // change of velocity that is heard [m/s]
const LOUDEST = 1.5;
const APART = 0.02; // between two sounds of one body [s]

/** Times and strengths of the contacts of a film: [seconds since its start, 0 to 1]. */
export function contacts(film) {
  const found = [];
  const count = film.count - 1; // the last body is the cup
  for (let body = 0; body < count; body += 1) {
    let [before, last] = [null, -1];
    for (let k = 1; k < film.times.length; k += 1) {
      const span = film.times[k] - film.times[k - 1];
      if (span <= 0) continue;
      const [a, b] = [film.frame(k - 1, body).position, film.frame(k, body).position];
      const velocity = b.map((value, axis) => (value - a[axis]) / span);
      if (before) {
        const change = Math.hypot(...velocity.map((value, axis) => value - before[axis] - (axis === 2 ? -9.81 * span : 0)));
        if (change > QUIETEST && film.times[k] - last > APART) {
          found.push([film.times[k], Math.min(change / LOUDEST, 1)]);
          last = film.times[k];
        }
      }
      before = velocity;
    }
  }
  return found.sort((one, other) => one[0] - other[0]);
}

export class Sound {
  constructor(button) {
    this.on = false;
    const volume = byId("volume");
    volume.value = String(memory.volume ?? 70);
    volume.addEventListener("input", () => { memory.volume = Number(volume.value); });
    button.addEventListener("click", () => {
      this.on = !this.on;
      button.setAttribute("aria-pressed", String(this.on));
      button.textContent = this.on ? "Sound on" : "Sound off";
      if (this.on) this.begin();
    });
  }

  begin() {
    this.context ??= new AudioContext();
    this.context.resume();
    const length = Math.round(0.05 * this.context.sampleRate);
    this.click = this.context.createBuffer(1, length, this.context.sampleRate);
    const samples = this.click.getChannelData(0);
    for (let k = 0; k < length; k += 1) samples[k] = (2 * Math.random() - 1) * Math.exp(-k / (0.12 * length));
  }

  /** Play the contacts between two times of a film. */
  between(list, from, to) {
    if (!this.on || !this.context || to <= from || to - from > 0.5) return;
    for (const [time, strength] of list) if (time > from && time <= to) this.play(strength);
  }

  /** Let a change of velocity be heard, or felt [m/s], if it is strong enough. */
  hit(change) {
    if (change <= QUIETEST) return;
    const strength = Math.min(change / LOUDEST, 1);
    this.feel?.(strength);
    if (this.on && this.context) this.play(strength);
  }

  play(strength) {
    const source = this.context.createBufferSource();
    const gain = this.context.createGain();
    const tone = this.context.createBiquadFilter();
    tone.type = "bandpass";
    tone.frequency.value = 1400 + 1800 * strength;
    gain.gain.value = (0.5 / 70) * (memory.volume ?? 70) * strength ** 1.5;
    source.buffer = this.click;
    source.connect(tone).connect(gain).connect(this.context.destination);
    source.start();
  }
}
