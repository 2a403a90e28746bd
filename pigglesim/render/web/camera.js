// An eye that goes round a point: orbit, pan, zoom, and a few named places.

import { add, clamp, cross, dot, lookingAt, multiplied, perspective, scaled, unit } from "./vectors.js";

export const HEIGHT = 0.6; // of the field of view [rad]
export const MIDDLE = [0, 0, 0]; // of the board [m]
const MARGIN = 0.93; // of the picture that is filled
const VIEWS = {
  south: { azimuth: -Math.PI / 2 - 0.2, elevation: 0.72, upright: 0.98, share: 1 },
  north: { azimuth: Math.PI / 2 - 0.2, elevation: 0.72, upright: 0.98, share: 1 },
  low: { azimuth: -Math.PI / 2 + 0.35, elevation: 0.3, share: 0.75 },
  top: { azimuth: -Math.PI / 2, elevation: Math.PI / 2, share: 1 },
};

export class Camera {
  constructor(boardSize) {
    this.board = boardSize;
    this.aspect = 1;
    const half = boardSize / 2;
    const corners = [[half, half, 0], [-half, half, 0], [-half, -half, 0], [half, -half, 0]];
    this.points = { first: corners, last: corners };
    this.see("south");
  }

  /** Take the points [m] that must be seen at first, while there is a cup, and at last. */
  watch(first, last) {
    this.points = { first, last };
    this.frame();
  }

  /** Go to a named place, from where everything is seen. */
  see(name) {
    this.name = name;
    this.view = VIEWS[name];
    this.free = false;
    this.frame();
  }

  /** Find from where both sets of points fill the picture, and go to the first. */
  frame() {
    if (!this.free) {
      // In an upright picture the board fills more of it if seen from higher.
      const { azimuth, elevation, upright, share } = this.view;
      Object.assign(this, { azimuth, elevation: this.aspect < 1 ? upright ?? elevation : elevation, share });
    }
    this.first = this.filling(this.points.first);
    this.last = this.filling(this.points.last);
    this.near(0);
  }

  /**
   * Come nearer by a share of the way, once there is no cup to be seen; not where a hand has
   * moved the eye.
   */
  near(way) {
    if (this.free) return;
    const { first, last } = this;
    this.target = first.target.map((value, k) => value + way * (last.target[k] - value));
    this.distance = this.share * (first.distance + way * (last.distance - first.distance));
  }

  /** The nearest place, in the direction of the eye, from where all points are in the picture. */
  filling(points) {
    const { right, top } = this.axes;
    const { outward } = this;
    const fit = (axis, reach) => {
      // A point at height z over the target's plane is seen if |x - c| <= (d - z) * reach.
      const sides = [1, -1].map((side) => Math.max(...points.map((point) => (side * dot(axis, point)) / reach + dot(outward, point))));
      return { far: (sides[0] + sides[1]) / 2, middle: (reach * (sides[0] - sides[1])) / 2 };
    };
    const reach = Math.tan(HEIGHT / 2) * MARGIN;
    const [across, up] = [fit(right, reach * this.aspect), fit(top, reach)];
    return { target: add(scaled(right, across.middle), scaled(top, up.middle)), distance: Math.max(across.far, up.far) };
  }

  resize(aspect) {
    const was = this.first.distance;
    this.aspect = aspect;
    const { target, distance } = this;
    this.frame();
    if (this.free) Object.assign(this, { target, distance: distance * (this.first.distance / was) });
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
    this.distance = clamp(this.distance * factor, 0.25 * this.board, 2 * this.first.distance);
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
