// An eye that goes round a point: orbit, pan, zoom, and a few named places.

import { add, clamp, cross, dot, lookingAt, multiplied, perspective, scaled, unit } from "./vectors.js";

export const HEIGHT = 0.42; // of the field of view [rad]: narrow, so that what is near is not much larger
export const MIDDLE = [0, 0, 0]; // of the board [m]
const WIDE = 1.5; // width of a wide picture over its height
const MARGIN = 0.93; // of the picture that is filled
const VIEWS = {
  south: { azimuth: -Math.PI / 2, elevation: 0.92, upright: 1.08, share: 1 },
  north: { azimuth: Math.PI / 2, elevation: 0.92, upright: 1.08, share: 1 },
  low: { azimuth: -Math.PI / 2 + 0.35, elevation: 0.3, share: 0.75 },
  top: { azimuth: -Math.PI / 2, elevation: Math.PI / 2, share: 1 },
};

export class Camera {
  constructor(boardSize) {
    this.board = boardSize;
    this.aspect = 1;
    this.covered = 0; // share of the picture, at its lower edge, that something else covers
    const half = boardSize / 2;
    this.points = [[half, half, 0], [-half, half, 0], [-half, -half, 0], [half, -half, 0]];
    this.see("south");
  }

  /** Take the points [m] that must be seen. */
  watch(points) {
    this.points = points;
    this.frame();
  }

  /** Go to a named place, from where everything is seen. */
  see(name) {
    this.name = name;
    this.view = VIEWS[name];
    this.free = false;
    this.frame();
  }

  /** Find from where all points fill the picture, and go there, unless a hand has moved the eye. */
  frame() {
    if (this.free) return;
    // In a picture that is not wide the board fills more of it if seen from higher.
    const { azimuth, elevation, upright, share } = this.view;
    Object.assign(this, { azimuth, elevation: this.aspect < WIDE ? upright ?? elevation : elevation });
    const { target, distance } = this.filling();
    Object.assign(this, { target, distance: share * distance, first: distance });
  }

  /** The nearest place, in the direction of the eye, from where all points are in the picture. */
  filling() {
    const { right, top } = this.axes;
    const { outward, points } = this;
    const fit = (axis, reach) => {
      // A point at height z over the target's plane is seen if |x - c| <= (d - z) * reach.
      const sides = [1, -1].map((side) => Math.max(...points.map((point) => (side * dot(axis, point)) / reach + dot(outward, point))));
      return { far: (sides[0] + sides[1]) / 2, middle: (reach * (sides[0] - sides[1])) / 2 };
    };
    const reach = Math.tan(HEIGHT / 2) * MARGIN;
    const [across, up] = [fit(right, reach * this.aspect), fit(top, reach * (1 - this.covered))];
    const distance = Math.max(across.far, up.far);
    const lower = this.covered * reach * distance; // the points go to the middle of what is not covered
    return { target: add(scaled(right, across.middle), scaled(top, up.middle - lower)), distance };
  }

  resize(aspect, covered = 0) {
    Object.assign(this, { aspect, covered });
    this.frame();
  }

  orbit(across, up) {
    this.free = true;
    this.azimuth -= across;
    this.elevation = clamp(this.elevation + up, 0.05, Math.PI / 2);
  }

  /** Move sideways by shares of the picture's height. */
  pan(across, up) {
    this.free = true;
    const reach = 2 * this.distance * Math.tan(HEIGHT / 2);
    const { right, top } = this.axes;
    const moved = add(this.target, add(scaled(right, -across * reach), scaled(top, up * reach)));
    this.target = moved.map((value, k) => clamp(value, k === 2 ? -0.02 : -this.board, k === 2 ? 0.2 : this.board));
  }

  zoom(factor) {
    this.free = true;
    this.distance = clamp(this.distance * factor, 0.25 * this.board, 2 * this.first);
  }

  get outward() {
    const flat = Math.cos(this.elevation);
    return [flat * Math.cos(this.azimuth), flat * Math.sin(this.azimuth), Math.sin(this.elevation)];
  }

  get axes() {
    const right = [-Math.sin(this.azimuth), Math.cos(this.azimuth), 0];
    return { right, top: cross(this.outward, right) };
  }

  get eye() {
    return add(this.target, scaled(this.outward, this.distance));
  }

  /** Direction from the eye through a point of the picture, -1 to 1 across and up. */
  ray(x, y) {
    const reach = Math.tan(HEIGHT / 2);
    const { right, top } = this.axes;
    const ahead = scaled(this.outward, -1);
    return unit(add(ahead, add(scaled(right, x * reach * this.aspect), scaled(top, y * reach))));
  }

  get matrix() {
    const view = lookingAt(this.eye, this.target, this.axes.top);
    return multiplied(perspective(HEIGHT, this.aspect, this.distance / 30, this.distance * 4 + 2), view);
  }
}
