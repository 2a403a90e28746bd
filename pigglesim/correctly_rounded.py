"""Functions with correctly rounded values: a throw starts with the same bits on every machine.

C libraries differ in the last bit of about one value in a thousand, and such a start is another
throw. Numbers are integers in units of 2**-160, and each function is its Taylor series.
"""

_BITS = 160
"""Digits after the point: the error of 40 terms stays below 2**-150."""
_ONE = 1 << _BITS


def _scaled(value: float) -> int:
    numerator, denominator = value.as_integer_ratio()
    return (numerator << _BITS) // denominator


def _series(value: int, factors: int, *, first: int = 0) -> int:
    """Return the sum of value**k / k! with signs, from k = `first` in steps of `factors`."""
    total, term, k = 0, value if first else _ONE, first
    while term:
        total += term
        for _ in range(factors):
            k += 1
            term = (term * value >> _BITS) // k
        if factors == 2:
            term = -term
    return total


def exp(value: float) -> float:
    """Return the exponential of a number between -30 and 30.

    Examples:
        >>> from pigglesim.correctly_rounded import exp
        >>> exp(0.1)
        1.1051709180756477
    """
    return _series(_scaled(value), 1) / _ONE


def cos(angle: float) -> float:
    """Return the cosine of an angle between -pi and pi [rad]."""
    return _series(_scaled(angle), 2) / _ONE


def tan(angle: float) -> float:
    """Return the tangent of an angle between -pi / 2 and pi / 2 [rad]."""
    scaled = _scaled(angle)
    return _series(scaled, 2, first=1) / _series(scaled, 2)
