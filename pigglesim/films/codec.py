"""Film files: the binary format, single files, and the films of a match next to its record."""

import re
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.durable_io import FILM, make_folder, write_target
from pigglesim.errors import RecordError, SpecError, cut
from pigglesim.films.film import Film, FilmActor, Frames, Impact
from pigglesim.json_codec import from_json, to_json
from pigglesim.landing import ClassLanding, Knock, Landing
from pigglesim.rotations import Array, continuous

Whole = NDArray[np.int64]
"""Integer array with time as its first axis."""


def to_planes(values: Whole, *, width: int) -> bytes:
    """Return a series, time first, as the bytes of its second differences, all first bytes first.

    Bodies at rest or in uniform motion have zero differences. Other motion has small ones, with
    only the first byte not zero. A difference has `width` bytes: 4 or 8.
    """
    second = np.diff(np.diff(values, axis=0, prepend=0), axis=0, prepend=0)
    folded = (second << 1) ^ (second >> 63)
    series = np.ascontiguousarray(folded.reshape(len(values), -1).T).astype(f"<u{width}")
    return series.view(np.uint8).reshape(-1, width).T.tobytes()


def from_planes(planes: bytes, shape: tuple[int, ...], *, width: int) -> Whole:
    """Return the series of a shape that `to_planes` encoded in exactly as many bytes."""
    series = np.frombuffer(planes, dtype=np.uint8).reshape(width, -1).T
    folded: NDArray[Any] = np.ascontiguousarray(series).view(f"<u{width}").astype(np.uint64)
    second = (folded >> np.uint64(1)).astype(np.int64) ^ -(folded & np.uint64(1)).astype(np.int64)
    columns = second.reshape(-1, shape[0])
    values: Whole = np.cumsum(np.cumsum(columns, axis=1), axis=1).T.reshape(shape)
    return values


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmHeader:
    """A film without its frames."""

    frames: int
    """Number of frames."""
    scene: str
    actors: tuple[FilmActor, ...]
    readings: tuple[tuple[str, Landing | ClassLanding], ...]
    knocks: tuple[Knock, ...]
    impacts: tuple[Impact, ...]
    origin: Mapping[str, Any]


VERSION = 2
"""Version of the film format: the only one that this program writes or reads."""
MAX_BYTES = 1 << 25
"""Maximum bytes of a film."""

_MAGIC = b"PIGFILM"
_PREFIX = struct.Struct("<7sBIII")
"""Magic, version; bytes of the header, packed and unpacked; bytes of the transforms."""
_TICKS = 1e9
"""Units of time per second."""
_LENGTH_UNIT = 2e-5
"""Unit of length [m]."""
_QUATERNION_UNIT = 1.0 / 3000.0
"""Unit of each component of a quaternion."""
POSITION_ERROR = _LENGTH_UNIT * 3.0**0.5 / 2.0
"""Maximum error of a centre of mass [m]: each coordinate is rounded."""
ANGLE_ERROR = 2.0 * float(np.arcsin(_QUATERNION_UNIT))
"""Maximum error of a rotation [rad]: each of four components is rounded."""

_MAX_HEADER = 1 << 20
_MAX_FRAMES = 1 << 16
"""Maximum frames: two minutes of 2 ms steps; no roll takes ten seconds."""
_MAX_BODIES = 256
_MAX_POSES = 1 << 19
"""Maximum transforms of all bodies: unpacking them takes about 120 MB."""
_MAX_TIME = 1e5
"""Maximum time of a frame, far beyond any roll [s]."""
_MAX_COORDINATE = 1e3
"""Maximum coordinate, far beyond any fall [m]."""


def encode(film: Film) -> bytes:
    """Return a film as the content of its file; the same film gives the same bytes.

    Raises:
        SpecError: If it is longer or wider than any roll, or has an invalid transform.
    """
    frames = film.frames
    _check_size(frames.count, len(film.actors))
    parts = {part.name: getattr(film, part.name) for part in fields(FilmHeader)}
    try:
        header = to_json(FilmHeader(**{**parts, "frames": frames.count})).encode()
    except ValueError as error:
        raise SpecError(f"invalid facts of a film: {error}", fix="correct its origin") from None
    if len(header) > _MAX_HEADER:
        raise SpecError(
            f"the facts of a film have {len(header)} bytes",
            expected=f"at most {_MAX_HEADER}",
            fix="shorten its origin",
        )
    cup_positions, cup_rotations = frames.cup_poses()
    poses = b"".join(
        (
            to_planes(_times(frames.times), width=8),
            frames.has_cup.astype(np.uint8).tobytes(),
            to_planes(_places(frames.positions), width=4),
            to_planes(_turns(frames.rotations), width=4),
            to_planes(_places(cup_positions), width=4),
            to_planes(_turns(cup_rotations), width=4),
        )
    )
    packed = zlib.compress(header, 9), zlib.compress(poses, 9)
    prefix = _PREFIX.pack(_MAGIC, VERSION, len(packed[0]), len(header), len(packed[1]))
    return prefix + packed[0] + packed[1]


def decode(content: bytes) -> Film:
    """Return the film in the content of a file.

    Any input takes at most one second and 120 MB.

    Raises:
        RecordError: If it is not a film, or of a newer version, cut, edited or followed by more.
    """
    if len(content) < _PREFIX.size or not content.startswith(_MAGIC):
        raise _fault("not a film" if content else "an empty file", "PIGFILM at its start")
    _, version, packed, plain, poses = _PREFIX.unpack_from(content)
    if version != VERSION:
        raise RecordError(
            f"a film of version {version}",
            expected=f"version {VERSION}",
            fix="use the pigglesim that wrote it",
        )
    begins = _PREFIX.size + packed
    if len(content) != begins + poses:
        raise _fault(f"a film of {len(content)} bytes", f"{begins + poses}")
    if not 0 < plain <= _MAX_HEADER:
        raise _fault(f"a header of {plain} bytes", f"at most {_MAX_HEADER}")
    try:
        header = from_json(FilmHeader, _unpacked(content[_PREFIX.size : begins], plain).decode())
        frames = _frames(content[begins:], header.frames, len(header.actors))
        parts = {part.name: getattr(header, part.name) for part in fields(FilmHeader)}
        return Film(**{**parts, "frames": frames})
    except UnicodeDecodeError:
        raise _fault("a header that is not UTF-8") from None
    except (RecordError, SpecError) as error:
        # File content may be quoted, but neither at length nor over many lines.
        raise _fault(cut(error.problem), cut(error.expected)) from None


def _fault(problem: str, expected: str = "") -> RecordError:
    fix = "use an untouched copy of the film, or simulate the roll again"
    return RecordError(problem, expected=expected, fix=fix)


def _unpacked(packed: bytes, size: int) -> bytes:
    """Return decompressed bytes, which must have exactly that size: no more is ever unpacked."""
    stream = zlib.decompressobj()
    try:
        plain = stream.decompress(packed, size + 1)
    except zlib.error as error:
        raise _fault(f"damaged compressed data: {error}") from None
    if len(plain) != size or not stream.eof or stream.unused_data:
        raise _fault("a wrong amount of compressed data", f"{size} bytes unpacked")
    return plain


def _check_size(frames: int, bodies: int) -> None:
    valid = 1 <= frames <= _MAX_FRAMES and bodies <= _MAX_BODIES
    if not valid or frames * bodies > _MAX_POSES:
        raise SpecError(
            f"the film has {frames} frames of {bodies} bodies",
            expected=f"at most {_MAX_FRAMES}, {_MAX_BODIES} and {_MAX_POSES} transforms in all",
            fix="leave out frames",
        )


def _whole(values: Array, unit: float, limit: float, name: str) -> Whole:
    """Return values as integer multiples of a unit."""
    # The check also rejects NaN.
    if not np.all(np.abs(values) <= limit):
        raise SpecError(
            f"invalid {name}", expected=f"-{limit:g} to {limit:g}", fix="simulate the roll again"
        )
    return np.rint(values / unit).astype(np.int64)


def _times(times: Array) -> Whole:
    whole = _whole(times, 1.0 / _TICKS, _MAX_TIME, "times [s]")
    if np.any(np.diff(whole) <= 0):
        raise SpecError("frames less than a nanosecond apart", fix="leave out frames")
    return whole


def _places(positions: Array) -> Whole:
    return _whole(positions, _LENGTH_UNIT, _MAX_COORDINATE, "positions [m]")


def _turns(rotations: Array) -> Whole:
    """Return quaternions as integers, each with the sign that is closer to its predecessor."""
    if not np.all(np.abs(np.linalg.norm(rotations, axis=-1) - 1.0) < 1e-3):
        raise SpecError("rotations that are not unit quaternions", fix="simulate the roll again")
    return _whole(continuous(rotations), _QUATERNION_UNIT, 2.0, "quaternions")


def _frames(packed: bytes, count: int, bodies: int) -> Frames:
    """Return the decompressed frames."""
    _check_size(count, bodies)
    shapes = (count, bodies, 3), (count, bodies, 4), (count, 3), (count, 4)
    sizes = [8 * count, count, *(4 * int(np.prod(shape)) for shape in shapes)]
    plain, ends = _unpacked(packed, sum(sizes)), accumulate(sizes, initial=0)
    parts = [plain[begin:end] for begin, end in pairwise(ends)]
    times: Array = from_planes(parts[0], (count,), width=8) / _TICKS
    has_cup = np.frombuffer(parts[1], dtype=np.uint8)
    if np.any(has_cup > 1) or not np.all(np.abs(times) <= _MAX_TIME):
        raise _fault("invalid times or marks of the cup")
    series = (
        from_planes(part, shape, width=4) for part, shape in zip(parts[2:], shapes, strict=True)
    )
    positions, rotations, cup_positions, cup_rotations = series
    cup_rotations[has_cup == 0] = (0, 0, 0, round(1.0 / _QUATERNION_UNIT))
    cup = _metres(cup_positions), _units(cup_rotations)
    for part in cup:
        part[has_cup == 0] = np.nan
    return Frames(
        times=times,
        positions=_metres(positions),
        rotations=_units(rotations),
        cup_positions=cup[0],
        cup_rotations=cup[1],
    )


def _metres(values: Whole) -> Array:
    positions = (_LENGTH_UNIT * values).astype(np.float64)
    if not np.all(np.abs(positions) <= _MAX_COORDINATE + _LENGTH_UNIT):
        raise _fault("a position out of reach")
    return positions


def _units(values: Whole) -> Array:
    rotations = _QUATERNION_UNIT * values
    lengths = np.linalg.norm(rotations, axis=-1, keepdims=True)
    if not np.all(np.abs(lengths - 1.0) < 3e-3):
        raise _fault("rotations that are not unit quaternions")
    unit: Array = rotations / lengths
    return unit


SUFFIX = FILM

_ROLL = re.compile(rf"roll-(\d{{4,9}}){re.escape(SUFFIX)}")


def write_film(film: Film, path: Path) -> int:
    """Write a film to a file, replacing an existing one atomically, and return its size in bytes.

    Raises:
        SpecError: If the file cannot be written, or the film is longer or wider than any roll.
    """
    content = encode(film)
    write_target(path, content)
    return len(content)


def read_film(path: Path) -> Film:
    """Return the film in a file.

    Raises:
        RecordError: If it cannot be read, or is not a complete and unchanged film.
    """
    try:
        # Special files, such as a pipe, may have no end.
        if not path.is_file():
            raise FileNotFoundError(0, "no such file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RecordError(
            f"{str(path)!r} is not readable: {reason}", fix="write one by pigglesim roll --film"
        ) from None
    if len(content) > MAX_BYTES:
        raise RecordError(
            f"{str(path)!r} has more than {MAX_BYTES} bytes, too many for a film",
            fix="check the path",
        )
    try:
        return decode(content)
    except RecordError as error:
        raise error.converted(RecordError, where=str(path)) from None


def film_folder(record: Path, *, number: int = 1) -> "FilmFolder":
    """Return the folder of the films of a match, by the file and number (from 1) of its record."""
    middle = "" if number == 1 else f".{number}"
    return FilmFolder(path=record.with_name(f"{record.name}{middle}.films"))


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmFolder:
    """The films of one match, by the number of the roll."""

    path: Path
    """Path of the folder, which need not exist."""

    def file(self, index: int) -> Path:
        """Return the path for the film of a roll; the file need not exist."""
        return self.path / f"roll-{index:04}{SUFFIX}"

    def rolls(self) -> tuple[int, ...]:
        """Return the numbers of the rolls with a saved film, in order."""
        names = (_ROLL.fullmatch(path.name) for path in self.path.glob(f"*{SUFFIX}"))
        return tuple(sorted(int(name[1]) for name in names if name))

    def has(self, index: int) -> bool:
        """Return True if the film of a roll is saved."""
        return self.file(index).is_file()

    def read(self, index: int) -> Film:
        """Return the film of a roll.

        Raises:
            RecordError: If it is not saved, or is not a complete and unchanged film.
        """
        return read_film(self.file(index))

    def clear(self) -> None:
        """Remove the films of all rolls.

        Raises:
            RecordError: If they cannot be removed.
        """
        try:
            for index in self.rolls():
                self.file(index).unlink()
        except OSError as error:
            raise self._unwritable(error) from None

    def write(self, index: int, film: Film) -> int:
        """Save the film of a roll and return its size in bytes; the first one creates the folder.

        Raises:
            PigglesimError: If it cannot be written.
        """
        try:
            make_folder(self.path)
        except OSError as error:
            raise self._unwritable(error) from None
        return write_film(film, self.file(index))

    def _unwritable(self, fault: OSError) -> RecordError:
        problem = f"the folder of films {str(self.path)!r} is not writable: {fault.strerror}"
        return RecordError(problem, fix="use another --out")
