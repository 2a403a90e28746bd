"""Films, and the files in folders of studies and tournaments."""

import json
import struct
import tempfile
import zlib
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from pigglesim.cli.film import film_document, film_line
from pigglesim.experiments.folder import sealed_line
from pigglesim.experiments.shard import Job, StudyPlan, make_shard, read_metadata
from pigglesim.experiments.sql_sandbox import open_throws, run_query
from pigglesim.experiments.store import (
    Store,
    read_definition,
    shard_numbers,
    stored_study,
    whole_shards,
)
from pigglesim.experiments.tournament import Tournament, open_folder, standings
from pigglesim.films.codec import decode, encode, read_film
from pigglesim.films.film import Film, FilmActor, Frames, Impact
from pigglesim.landing import Knock, Landing, Orientation, Seat, Zone
from scripts.trust.fuzzing.target import Form, target
from tests.support.small_studies import low_floor, small_study

_PREFIX = struct.Struct("<7sBIII")


@cache
def _film():
    """Return the header and the poses of a small film, unpacked."""
    n, names = 4, ("A1", "B1")
    cup = np.full((n, 3), np.nan)
    cup[0] = (0.0, 0.0, 0.1)
    turned = np.full((n, 4), np.nan)
    turned[0] = (0.0, 0.0, 0.0, 1.0)
    film = Film(
        scene="piggles_classic",
        actors=tuple(
            FilmActor(name=name, model="piggle", owner=Seat(name[0]), color="red", rune="split")
            for name in names
        ),
        frames=Frames(
            times=np.arange(n) / 50.0,
            positions=np.linspace(0.0, 0.1, n * 6).reshape(n, 2, 3),
            rotations=np.tile((0.0, 0.0, 0.6, 0.8), (n, 2, 1)),
            cup_positions=cup,
            cup_rotations=turned,
        ),
        readings=tuple(
            (name, Landing(orientation=Orientation.SNOUT_UP, zone=next(iter(Zone))))
            for name in names
        ),
        knocks=(
            Knock(
                struck="B1", by="A1", distance=0.02, angle=0.3,
                flipped=False, zone_changed=False, off_board=False,
            ),
        ),
        impacts=(Impact(time=0.02, struck="B1", by="A1"),),
        origin={"seed": 1, "roll": 0, "engine": "bullet", "command": "pigglesim roll"},
    )  # fmt: skip
    data = encode(film)
    middle = _PREFIX.size + _PREFIX.unpack_from(data)[2]
    return zlib.decompress(data[_PREFIX.size : middle]), zlib.decompress(data[middle:])


def _packed(header, poses):
    parts = zlib.compress(header, 1), zlib.compress(poses, 1)
    return _PREFIX.pack(b"PIGFILM", 2, len(parts[0]), len(header), len(parts[1])) + b"".join(parts)


def _with_header(data):
    with suppress(ValueError, RecursionError):
        data = _compact(json.loads(data), allow_nan=False).encode()
    return _packed(data, _film()[1])


def _compact(table, **more):
    return json.dumps(table, ensure_ascii=False, separators=(",", ":"), **more)


def _watch(path):
    film = read_film(path)
    for time in (film.start, film.end, 0.01):
        film.at(time)
    json.dumps(film_document(film, size=1), allow_nan=False)
    film_line(film, index=0, size=1)
    again = encode(film)
    assert encode(decode(again)) == again


for _name, _form, _seed, _wrap in (
    ("film", Form.BINARY, lambda: _packed(*_film()), bytes),
    ("film-header", Form.JSON, lambda: _film()[0], _with_header),
    ("film-poses", Form.BINARY, lambda: _film()[1], lambda data: _packed(_film()[0], data)),
):
    target(_name, _form, lambda seed=_seed: [seed()], file="it.film", wrap=_wrap)(_watch)


@cache
def _study():
    """Return `study.json` and one shard of a small study."""
    with tempfile.TemporaryDirectory(prefix="pigglesim-seed-") as place:
        plan = StudyPlan.of(small_study(low_floor(Path(place)), throws=250, factors={}))
        folder = Path(place) / "study"
        with Store(folder, plan) as store:
            store.add(0, make_shard(Job.of(plan), 0))
        return (folder / "study.json").read_bytes(), store.shard_file(0).read_bytes()


def _shard_beside(folder):
    (folder / "shards").mkdir()
    (folder / "shards" / "000000.parquet").write_bytes(_study()[1])


@target(
    "study-definition", Form.JSON, lambda: [_study()[0]], file="study.json", beside=_shard_beside
)
def _study_definition(path):
    read_definition(path.parent)
    study = stored_study(path.parent)
    json.dumps(study.definition(), allow_nan=False)
    assert study.cell_count == len(study.cells())
    for number in shard_numbers(path.parent) if study.shard_count else ():
        study.shard(number)


@target(
    "shard",
    Form.BINARY,
    lambda: [_study()[1]],
    file="shards/000000.parquet",
    beside=lambda folder: (folder / "study.json").write_bytes(_study()[0]),
    most_bytes=16_384,
    inputs=20_000,
)
def _shard(path):
    folder = path.parent.parent
    # A digest that lies: it is that of the hostile file.
    (folder / "sums").write_text(f"000000 {sha256(path.read_bytes()).hexdigest()}\n")
    assert len(whole_shards(folder, stored_study(folder))) == 1
    with open_throws(folder) as connection:
        list(run_query(connection, "SELECT min(columns(*)), count(*) FROM throws").rows)
    read_metadata(path)


_TOURNAMENT = Tournament(agents=("greedy", "uniform"), seed=1)


def _pairs():
    match = {"points": 1.0, "reason": "points", "scores": [21, 4], "decisions": 30}
    pair = {"first": 0, "second": 1, "matches": [match, match]}
    rows = ({**pair, "index": n, "seed": _TOURNAMENT.meeting(n).seed} for n in range(3))
    return ["\n".join(map(_compact, rows)).encode()]


@target(
    "pairs",
    Form.LINES,
    _pairs,
    file="pairs.jsonl",
    beside=lambda folder: open_folder(folder, _TOURNAMENT, {}, pairs=3).close(),
)
def _standings(path):
    seal, lines = "", []
    for line in path.read_bytes().split(b"\n"):
        whole, seal = sealed_line(line, seal)
        lines.append(whole)
    path.write_bytes(b"".join(lines))
    with open_folder(path.parent, _TOURNAMENT, {}, pairs=3) as held:
        if held.items:
            standings(_TOURNAMENT, held.items)
