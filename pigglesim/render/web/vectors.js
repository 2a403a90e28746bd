// Vectors, quaternions (x, y, z, w) and matrices of 16 numbers, column after column.

export const add = (a, b) => a.map((value, k) => value + b[k]);
export const scaled = (a, factor) => a.map((value) => value * factor);
const minus = (a, b) => a.map((value, k) => value - b[k]);
export const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
export const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x];
export const unit = (a) => scaled(a, 1 / Math.hypot(...a));
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/** The matrix that applies `b` and then `a`. */
export function multiplied(a, b) {
  const found = new Float32Array(16);
  for (let column = 0; column < 4; column += 1) {
    for (let row = 0; row < 4; row += 1) {
      for (let k = 0; k < 4; k += 1) found[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    }
  }
  return found;
}

/** The matrix that turns by a unit quaternion, grows by `size` and then moves. */
export function placed([px, py, pz], [x, y, z, w], size = 1) {
  return new Float32Array([
    size * (1 - 2 * (y * y + z * z)), size * 2 * (x * y + z * w), size * 2 * (x * z - y * w), 0,
    size * 2 * (x * y - z * w), size * (1 - 2 * (x * x + z * z)), size * 2 * (y * z + x * w), 0,
    size * 2 * (x * z + y * w), size * 2 * (y * z - x * w), size * (1 - 2 * (x * x + y * y)), 0,
    px, py, pz, 1,
  ]);
}

/** The matrix of an eye that looks from one point at another. */
export function lookingAt(eye, target, up) {
  const back = unit(minus(eye, target));
  const right = unit(cross(up, back));
  const top = cross(back, right);
  return new Float32Array([
    right[0], top[0], back[0], 0, right[1], top[1], back[1], 0, right[2], top[2], back[2], 0,
    -dot(right, eye), -dot(top, eye), -dot(back, eye), 1,
  ]);
}

export function perspective(height, aspect, near, far) {
  const [f, deep] = [1 / Math.tan(height / 2), near - far];
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / deep, -1, 0, 0, (2 * far * near) / deep, 0]);
}

export function orthographic(half, near, far) {
  return new Float32Array([1 / half, 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1]);
}

/** A point seen through a matrix: across and up from -1 to 1, how far, and whether it is ahead. */
export function seenThrough(matrix, [x, y, z]) {
  const at = [0, 1, 2, 3].map((row) => matrix[row] * x + matrix[4 + row] * y + matrix[8 + row] * z + matrix[12 + row]);
  return { x: at[0] / at[3], y: at[1] / at[3], far: at[3], ahead: at[3] > 0 };
}

/** Part of the shorter way from one unit quaternion to another, evenly turned. */
export function slerp(first, second, share) {
  let cosine = dot(first, second);
  const sign = cosine < 0 ? -1 : 1;
  cosine = Math.min(cosine * sign, 1);
  const angle = Math.acos(cosine);
  if (angle < 1e-4) return unit(first.map((value, k) => value + share * (sign * second[k] - value)));
  const left = Math.sin((1 - share) * angle) / Math.sin(angle);
  const right = (sign * Math.sin(share * angle)) / Math.sin(angle);
  return first.map((value, k) => left * value + right * second[k]);
}
