// An eye that goes round a point: orbit, pan, zoom, and a few named places.

const HEIGHT = 0.6; // of the field of view [rad]
const MIDDLE = [0, 0, 0.03]; // of board and cup [m]
const VIEWS = {
  south: { azimuth: -Math.PI / 2 - 0.2, elevation: 0.66, share: 1 },
  north: { azimuth: Math.PI / 2 - 0.2, elevation: 0.66, share: 1 },
  low: { azimuth: -Math.PI / 2 + 0.35, elevation: 0.3, share: 0.75 },
  top: { azimuth: -Math.PI / 2, elevation: Math.PI / 2, share: 0.78 },
};

class Camera {
  constructor(boardSize) {
    this.board = boardSize;
    this.aspect = 1;
    this.see("south");
  }

  /** Go to a named place, from where the whole board is seen. */
  see(name) {
    const { azimuth, elevation, share } = VIEWS[name];
    this.azimuth = azimuth;
    this.elevation = elevation;
    this.share = share;
    this.free = false;
    this.near(0);
  }

  /**
   * Come nearer by a share of the way, once there is no cup to be seen; not where a hand has
   * moved the eye.
   */
  near(way) {
    if (this.free) return;
    this.target = scaled(MIDDLE, 1 - way);
    this.distance = this.share * this.fitting * (1 - (this.aspect < 1 ? 0.06 : 0.3) * way);
  }

  /** From how far board and cup fit, however narrow the picture is [m]. */
  get fitting() {
    const half = Math.tan(HEIGHT / 2) * Math.min(1, this.aspect * 0.95);
    return (this.board * 0.8) / half;
  }

  resize(aspect) {
    const share = this.distance / this.fitting;
    this.aspect = aspect;
    this.distance = share * this.fitting;
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
    this.distance = clamp(this.distance * factor, 0.05, 3);
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

  get matrix() {
    const view = lookingAt(this.eye, this.target, this.axes.top);
    return multiplied(perspective(HEIGHT, this.aspect, this.distance / 30, this.distance * 4 + 2), view);
  }
}
