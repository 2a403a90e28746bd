// The time that is shown: played, paused, sped up, moved; it never drifts.

import { clamp } from "./vectors.js";

const SPEEDS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8];

export class Clock {
  constructor() {
    this.start = 0;
    this.end = 0;
    this.time = 0;
    this.speed = 1;
    this.playing = false;
  }

  /** Begin anew with a film. */
  load(start, end) {
    this.start = start;
    this.end = end;
    this.time = start;
  }

  get ended() {
    return this.time >= this.end;
  }

  play() {
    if (this.ended) this.time = this.start;
    this.playing = true;
  }

  pause() {
    this.playing = false;
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Play from the start. */
  again() {
    this.seek(this.start);
    this.play();
  }

  seek(time) {
    this.time = clamp(time, this.start, this.end);
  }

  faster(steps) {
    this.speed = SPEEDS[clamp(SPEEDS.indexOf(this.speed) + steps, 0, SPEEDS.length - 1)];
  }

  /** Let real seconds go by. */
  advance(seconds) {
    if (!this.playing) return;
    this.seek(this.time + seconds * this.speed);
    if (this.ended) this.playing = false;
  }
}
