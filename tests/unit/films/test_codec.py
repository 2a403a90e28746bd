"""Films as bytes: small, near, whole; and whatever else the bytes are, one clear line."""

import json
import os
import resource
import struct
import time
import zlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.errors import RecordError, SpecError
from pigglesim.films import codec
from pigglesim.films.codec import (
    FilmFolder,
    decode,
    encode,
    film_folder,
    read_film,
    write_film,
)
from tests.unit.films.rolls import (
    angles_between,
    made_up_films,
    pours,
    small_film,
    standing_after,
)

PREFIX = struct.Struct("<7sBIII")
CONTENT = encode(small_film((0.0, 0.002, 0.004), xs=(0.0, 0.1, 0.3), angles=(0, 1, 2), cups=1))


def assert_near(film, again):
    """Assert that one film is the other but for rounding, at every frame."""
    was, now = film.frames, again.frames
    assert now.times == pytest.approx(was.times, abs=0.6e-9)
    for name, bound in (("positions", 5e-5), ("cup_positions", 5e-5)):
        apart = np.linalg.norm(getattr(was, name) - getattr(now, name), axis=-1)
        assert np.array_equal(np.isnan(getattr(was, name)), np.isnan(getattr(now, name)))
        assert np.max(np.nan_to_num(apart), initial=0.0) < bound
    for name in ("rotations", "cup_rotations"):
        angles = np.degrees(angles_between(getattr(was, name), getattr(now, name)))
        assert np.max(np.nan_to_num(angles), initial=0.0) < 0.1
    for name in ("scene", "actors", "readings", "knocks", "impacts", "origin"):
        assert getattr(again, name) == getattr(film, name)


@given(made_up_films())
@settings(max_examples=100)
def test_what_is_written_is_read_to_a_twentieth_of_a_millimetre_and_a_tenth_of_a_degree(film):
    assert_near(film, decode(encode(film)))


@pytest.mark.parametrize("engine", ["bullet", "impulse"])
def test_a_whole_pour_is_small_and_near(engine):
    films = pours(engine)
    for film, bodies in zip(films, (6, 6 + standing_after(films[0])), strict=True):
        content = encode(film)
        assert len(film.actors) == bodies
        assert film.frames.count > 500
        # A third of what is asked: nothing shall grow unseen.
        assert len(content) < 24_000 < 60_000
        assert_near(film, decode(content))


def test_the_stated_bounds_hold_and_can_be_reached():
    rng = np.random.default_rng(1)
    turns = rng.standard_normal((20_000, 1, 4))
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    film = small_film(np.arange(20_000.0))
    places = rng.uniform(-1.0, 1.0, (20_000, 1, 3))
    frames = replace(film.frames, positions=places, rotations=turns)
    again = decode(encode(replace(film, frames=frames))).frames
    apart = np.max(np.linalg.norm(again.positions - frames.positions, axis=-1))
    assert 0.9 * codec.POSITION_ERROR < apart <= codec.POSITION_ERROR * (1 + 1e-9) < 5e-5
    turned = np.max(angles_between(again.rotations, frames.rotations))
    assert 0.7 * codec.ANGLE_ERROR < turned <= codec.ANGLE_ERROR < np.radians(0.1)


@pytest.mark.parametrize(
    "film",
    [
        {"times": (0.0, 1e-10)}, {"times": (0.0, 1e6)}, {"times": np.arange(70_000.0)},
        {"xs": (0.0, np.nan, 0.0)}, {"xs": (0.0, 1e4, 0.0)}, {"angles": (0.0, np.nan, 0.0)},
        {"origin": {"x": float("inf")}}, {"origin": {"x": "\ud800"}},
        {"origin": {"x": "y" * 2**20}},
    ],
)  # fmt: skip
def test_what_is_no_roll_is_not_written(film):
    with pytest.raises(SpecError):
        encode(small_film(**film))


def refused(content):
    with pytest.raises(RecordError) as caught:
        decode(content)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400
    return str(caught.value)


def packed(header, poses, *, plain=None):
    """A file of this header and these poses, whatever they say."""
    header = (
        header
        if isinstance(header, bytes)
        else json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    )
    parts = zlib.compress(header), zlib.compress(poses)
    size = len(header) if plain is None else plain
    return PREFIX.pack(b"PIGFILM", 2, len(parts[0]), size, len(parts[1])) + b"".join(parts)


def parts_of(content):
    _, _, size, _, _ = PREFIX.unpack_from(content)
    header = json.loads(zlib.decompress(content[PREFIX.size : PREFIX.size + size]))
    return header, zlib.decompress(content[PREFIX.size + size :])


@pytest.mark.parametrize("end", range(0, len(CONTENT), 29))
def test_a_film_cut_anywhere_is_reported(end):
    assert "use an untouched copy" in refused(CONTENT[:end])


@given(st.integers(0, 8 * len(CONTENT) - 1))
def test_a_bit_that_flipped_is_reported_or_changes_nothing_but_numbers(bit):
    changed = bytearray(CONTENT)
    changed[bit // 8] ^= 1 << bit % 8
    try:
        film = decode(bytes(changed))
    except RecordError as error:
        assert "\n" not in str(error)
    else:
        # Two bits of zlib's own header say how hard it tried, and nothing of the content.
        assert_near(decode(CONTENT), film)


@given(st.binary(max_size=200))
def test_junk_is_reported(junk):
    refused(junk)
    refused(CONTENT + junk + b"\0")
    refused(PREFIX.pack(b"PIGFILM", 2, len(junk), 50, 0) + junk)


def broken(**changes):
    header, poses = parts_of(CONTENT)
    return packed({**header, **changes}, poses)


@pytest.mark.parametrize(
    "content",
    [
        broken(frames=2),
        broken(frames=0),
        broken(frames=10**30),
        broken(frames=3.0),
        broken(actors=[]),
        broken(actors=[{"name": "A1", "model": "d6", "owner": "Z", "standing": False}]),
        broken(readings=[["A1", {"orientation": "up", "zone": "moon"}]]),
        broken(impacts=[{"time": 0.0, "struck": "A9", "by": "A1"}]),
        broken(impacts=[{"time": 0.0, "struck": "A\n\x1b[2J" * 99, "by": "A1"}]),
        broken(scene=["x" * 10_000]),
        broken(impacts=[{"time": 10**400, "struck": "A1", "by": "A1"}]),
        broken(origin=None),
        packed(b"{}", b"x"),
        packed(b'{"frames":NaN}', b"x"),
        packed(b'{"frames":' + b"9" * 5000 + b"}", b"x"),
        packed(b'{"scene":"\\ud800"}', b"x"),
        packed(b"[" * 100_000, b"x"),
        packed(b"\xff\xfe", b"x"),
        packed(parts_of(CONTENT)[0], parts_of(CONTENT)[1] + b"\0"),
        packed({**parts_of(CONTENT)[0]}, parts_of(CONTENT)[1], plain=2**31),
    ],
)
def test_a_header_of_another_kind_is_reported(content):
    refused(content)


@given(st.binary(min_size=195, max_size=195))
def test_poses_of_any_bytes_are_reported_or_finite(poses):
    content = packed(parts_of(CONTENT)[0], poses)
    try:
        film = decode(content)
    except RecordError as error:
        assert "\n" not in str(error)
    else:
        assert np.all(np.isfinite(film.frames.positions))


def test_a_bomb_is_refused_before_it_takes_memory_or_time():
    # A third of a gigabyte of zeros, said to be small or said to be what it is.
    pump = zlib.compressobj(1)
    bomb = b"".join(pump.compress(bytes(2**24)) for _ in range(20)) + pump.flush()
    header = zlib.compress(json.dumps(parts_of(CONTENT)[0], separators=(",", ":")).encode())
    size = len(zlib.decompress(header))
    big = json.dumps({**parts_of(CONTENT)[0], "frames": 2**16}, separators=(",", ":")).encode()
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    refused(PREFIX.pack(b"PIGFILM", 2, len(header), size, len(bomb)) + header + bomb)
    refused(PREFIX.pack(b"PIGFILM", 2, len(bomb), 2**20, 0) + bomb)
    refused(PREFIX.pack(b"PIGFILM", 2, len(bomb), 2**32 - 1, 0) + bomb)
    header = zlib.compress(big)
    refused(PREFIX.pack(b"PIGFILM", 2, len(header), len(big), len(bomb)) + header + bomb)
    assert time.process_time() - began < 5.0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_film_is_written_whole_and_read_again(tmp_path):
    film, path = small_film(cups=2), tmp_path / "roll.film"
    path.write_text("another")
    assert write_film(film, path) == path.stat().st_size
    assert_near(film, read_film(path))
    assert names_in(tmp_path) == ["roll.film"]


def test_what_cannot_be_read_or_written_is_reported(tmp_path):
    (tmp_path / "junk.film").write_bytes(b"junk")
    os.mkfifo(tmp_path / "pipe.film")
    for name in ("none.film", "pipe.film", "junk.film", ".", "\0"):
        with pytest.raises(RecordError, match="film"):
            read_film(tmp_path / name)
    with pytest.raises(RecordError, match="use an untouched copy"):
        read_film(tmp_path / "junk.film")
    with pytest.raises(SpecError, match="no folder"):
        write_film(small_film(), tmp_path / "no folder" / "x.film")
    assert names_in(tmp_path) == ["junk.film", "pipe.film"]


def test_the_films_of_a_match_are_beside_its_record(tmp_path):
    folder = film_folder(tmp_path / "match.jsonl")
    assert folder.path == tmp_path / "match.jsonl.films"
    assert film_folder(tmp_path / "many.jsonl", number=3).path.name == "many.jsonl.3.films"
    assert not folder.has(4)
    with pytest.raises(RecordError, match="no such file"):
        folder.read(4)
    film = small_film()
    folder.write(4, film)
    assert folder.has(4)
    assert_near(film, folder.read(4))
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="not writable"):
        FilmFolder(path=tmp_path / "file").write(0, film)
