"""A throw by a person's hand: the sampled path of the cup, and the places of the bodies in it.

The path is a quadratic B-spline. Its pose between three samples is a weighted mean of them, so no
pose lies outside the samples, and no speed is above their differences.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from struct import pack, unpack_from

from pigglesim.errors import SpecError, cut

RATE = 64
"""Samples of the path per second."""
LENGTH_UNIT = 2.0**-13
"""Unit of a position in a sample [m]; powers of two are exact everywhere."""
ANGLE_UNIT = 2.0**-10
"""Unit of a tilt in a sample [rad]."""
MAX_TIME = 10.0
"""Longest path [s]."""
MAX_SAMPLES = int(MAX_TIME * RATE)
PREFIX = "hand."
"""Beginning of a throw as text, which no other start has."""
_FASTEST = 5.0
"""Maximum speed of a hand along an axis [m/s]."""
_FASTEST_TURN = 25.0
"""Maximum angular speed about an axis [rad/s]."""
_FARTHEST = 1.0
"""Maximum distance from the centre of the board along an axis [m]."""
_MOST_TILT = 4.0
"""Maximum tilt about an axis [rad]: beyond a half turn."""
_LENGTHS, _ANGLES = 3, 2
_NUMBERS = _LENGTHS + _ANGLES
_MOST_BODIES = 24
_PLACE = 7
_TAG = 4

Sample = tuple[int, int, int, int, int]
"""Position of the cup's centre in units of length, and its tilt about x and y in units of angle: a
rotation vector in the plane of the board. World axes."""


@dataclass(frozen=True, kw_only=True)
class HandThrow:
    """A throw by a person's hand, from the moment the bodies are in the cup."""

    tag: str
    """First hexadecimal digits of a digest of engine, scene and models that it was made with."""
    places: tuple[tuple[float, ...], ...]
    """Position [m] and quaternion of each body at time 0, world axes."""
    samples: tuple[Sample, ...]
    """The path, `RATE` samples per second; after the last one the cup stays."""

    def __post_init__(self) -> None:
        if not 2 <= len(self.samples) <= MAX_SAMPLES:
            raise _invalid(
                f"the path of the cup takes {len(self.samples) / RATE:.1f} s",
                f"let go within {MAX_TIME:g} s",
            )
        limits = (_FARTHEST / LENGTH_UNIT,) * _LENGTHS + (_MOST_TILT / ANGLE_UNIT,) * _ANGLES
        steps = (_FASTEST / RATE / LENGTH_UNIT,) * _LENGTHS
        steps += (_FASTEST_TURN / RATE / ANGLE_UNIT,) * _ANGLES
        before = self.samples[0]
        for sample in self.samples:
            if any(abs(number) > most for number, most in zip(sample, limits, strict=True)):
                raise _invalid("the path of the cup leaves the table", "throw again")
            jumps = zip(sample, before, steps, strict=True)
            if any(abs(number - was) > most for number, was, most in jumps):
                raise _invalid(
                    f"the path of the cup jumps, faster than {_FASTEST:g} m/s or "
                    f"{_FASTEST_TURN:g} rad/s",
                    "throw again",
                )
            before = sample
        if not all(isfinite(number) for place in self.places for number in place):
            raise _invalid("a place in the cup is not a number", "throw again")

    @cached_property
    def path(self) -> tuple[tuple[float, ...], ...]:
        """The samples in metres and radians."""
        units = (LENGTH_UNIT,) * _LENGTHS + (ANGLE_UNIT,) * _ANGLES
        return tuple(
            tuple(number * unit for number, unit in zip(sample, units, strict=True))
            for sample in self.samples
        )

    @cached_property
    def text(self) -> str:
        """The throw as text, which `read` reads again."""
        head = bytes([len(self.places)]) + bytes.fromhex(self.tag)
        places = [number for place in self.places for number in place]
        data = head + pack(f"<{len(places)}f", *places) + bytes(_varints(self._differences()))
        return PREFIX + urlsafe_b64encode(data).decode().rstrip("=")

    def _differences(self) -> Iterator[int]:
        """Yield the number of samples, of those at rest, the first, and second differences."""
        first = self.samples[0]
        rest = next((k for k, at in enumerate(self.samples) if at != first), len(self.samples))
        yield from (len(self.samples), rest)
        yield from first
        was, speed = first, (0,) * _NUMBERS
        for sample in self.samples[rest:]:
            moved = tuple(a - b for a, b in zip(sample, was, strict=True))
            yield from (a - b for a, b in zip(moved, speed, strict=True))
            was, speed = sample, moved

    @classmethod
    def read(cls, text: str) -> "HandThrow":
        """Return a throw from its text.

        Raises:
            SpecError: If it is not one, or no hand could have made it.
        """
        try:
            throw = cls._decoded(text.removeprefix(PREFIX))
        except (ValueError, IndexError):
            throw = None
        # Every throw has one text.
        if throw is None or throw.text != text:
            raise _invalid(f"{cut(repr(text))}: it is cut or changed", "copy all of it")
        return throw

    @classmethod
    def _decoded(cls, code: str) -> "HandThrow":
        if len(code) > 20_000:
            raise ValueError
        data = urlsafe_b64decode(code + "=" * (-len(code) % 4))
        count = data[0]
        if not 1 <= count <= _MOST_BODIES:
            raise ValueError
        start = 1 + _TAG
        end = start + 4 * _PLACE * count
        if len(data) < end:
            raise ValueError
        numbers = unpack_from(f"<{_PLACE * count}f", data, start)
        places = tuple(numbers[k : k + _PLACE] for k in range(0, len(numbers), _PLACE))
        size, rest, *values = _integers(data[end:])
        if not 1 <= rest <= size <= MAX_SAMPLES or len(values) != _NUMBERS * (size - rest + 1):
            raise ValueError
        was, speed = tuple(values[:_NUMBERS]), (0,) * _NUMBERS
        samples = [was] * rest
        for k in range(_NUMBERS, len(values), _NUMBERS):
            speed = tuple(v + a for v, a in zip(speed, values[k : k + _NUMBERS], strict=True))
            was = tuple(p + v for p, v in zip(was, speed, strict=True))
            samples.append(was)
        return cls(tag=data[1:start].hex(), places=places, samples=tuple(samples))  # type: ignore[arg-type]


def _invalid(problem: str, fix: str) -> SpecError:
    return SpecError(f"invalid throw by hand: {problem}", fix=fix)


def _varints(numbers: Iterable[int]) -> Iterator[int]:
    """Yield the bytes of whole numbers: seven bits each, the lowest first; signs are folded."""
    for number in numbers:
        left = 2 * number if number >= 0 else -2 * number - 1
        while left > 127:
            yield left & 127 | 128
            left >>= 7
        yield left


def _integers(data: bytes) -> list[int]:
    """Return the whole numbers that `_varints` has written."""
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value >> 1 if value % 2 == 0 else -(value + 1 >> 1))
            value = shift = 0
        elif shift > 35:
            raise ValueError
    if shift:
        raise ValueError
    return numbers
