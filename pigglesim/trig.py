"""Sine, cosine and arc tangent, with the same bits on every machine.

The C library's functions differ in the last bit from one library to another. These use only
additions, multiplications, divisions and square roots, which IEEE 754 rounds correctly. Method and
coefficients are those of fdlibm (Sun Microsystems, 1993). Each function calls no other, so that
compiled code can use it too.
"""


def sin_cos(x: float) -> tuple[float, float]:
    """Return the sine and the cosine of an angle [rad], within 1 ulp up to 10^5 rad."""
    # The nearest multiple of pi / 2, which is subtracted in three parts: the first product is
    # exact, and `tail` is what rounding took from the difference.
    n = int(x * 6.36619772367581382433e-01 + (0.5 if x >= 0.0 else -0.5))
    first = x - n * 1.57079632673412561417e00
    product = n * 6.07710050630396597660e-11
    rest = first - product
    product = n * 2.02226624879595063154e-21 - ((first - rest) - product)
    y = rest - product
    tail = (rest - y) - product
    z = y * y
    r = 1.58969099521155010221e-10 * z - 2.50507602534068634195e-08
    r = (r * z + 2.75573137070700676789e-06) * z - 1.98412698298579493134e-04
    r = r * z + 8.33333333332248946124e-03
    cube = z * y
    s = y - ((z * (0.5 * tail - cube * r) - tail) + cube * 1.66666666666666324348e-01)
    r = 2.08757232129817482790e-09 - 1.13596475577881948265e-11 * z
    r = (r * z - 2.75573143513906633035e-07) * z + 2.48015872894767294178e-05
    r = ((r * z - 1.38888888888741095749e-03) * z + 4.16666666666666019037e-02) * z
    half = 0.5 * z
    most = 1.0 - half
    c = most + (((1.0 - most) - half) + (z * r - y * tail))
    quadrant = n & 3
    if quadrant == 0:
        return s, c
    if quadrant == 1:
        return c, -s
    if quadrant == 2:
        return -s, -c
    return -c, s


def atan2(y: float, x: float) -> float:
    """Return the angle of the point (x, y) [rad], from -pi to pi, within 1 ulp; 0 at the origin."""
    ay, ax = abs(y), abs(x)
    if ay == 0.0 and ax == 0.0:
        return 0.0
    # The angle of a point of the table, and the tangent of the rest, as over / (more + less).
    if ay < 0.4375 * ax:
        over, more, less, high, low = ay, ax, 0.0, 0.0, 0.0
    elif ay < 0.6875 * ax:
        over, more, less = 2.0 * ay - ax, 2.0 * ax, ay
        high, low = 4.63647609000806116e-01, 2.2698777452961687e-17
    elif ay < 1.1875 * ax:
        over, more, less = ay - ax, max(ax, ay), min(ax, ay)
        high, low = 7.85398163397448310e-01, 3.061616997868383e-17
    elif ay < 4.0 * ax:
        over, more, less = ay - 2.0 * ax, 2.0 * ay, ax
        high, low = 1.10714871779409050e00, 9.40447137356638e-17
    else:
        over, more, less = -ax, ay, 0.0
        high, low = 1.57079632679489662e00, 6.123233995736766e-17
    under = more + less
    t = over / under
    # What division and sum rounded off; products of halves of the digits are exact (Dekker 1971).
    t_high, under_high = 134217729.0 * t, 134217729.0 * under
    t_high, under_high = t_high - (t_high - t), under_high - (under_high - under)
    t_low, under_low = t - t_high, under - under_high
    product = t * under
    missed = t_low * under_low - (
        ((product - t_high * under_high) - t_low * under_high) - t_high * under_low
    )
    missed += t * (less - (under - more))
    z = t * t
    low += ((over - product) - missed) / (under * (1.0 + z))
    w = z * z
    even = 1.62858201153657823623e-02 * w + 4.97687799461593236017e-02
    even = (even * w + 6.66107313738753120669e-02) * w + 9.09088713343650656196e-02
    even = (even * w + 1.42857142725034663711e-01) * w + 3.33333333333329318027e-01
    odd = -3.65315727442169155270e-02 * w - 5.83357013379057348645e-02
    odd = (odd * w - 7.69187620504482999495e-02) * w - 1.11111104054623557880e-01
    odd = odd * w - 1.99999999998764832476e-01
    less = t * (z * even + w * odd) - low
    if x < 0.0:
        pi = 3.14159265358979311600e00
        most = pi - high
        angle = most - (t - (less + (((pi - most) - high) + 1.2246467991473532e-16)))
    else:
        angle = high - (less - t)
    return -angle if y < 0.0 else angle
