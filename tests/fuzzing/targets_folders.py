"""Films, and what lies in the folders of studies, tournaments and balance studies."""

import json
import struct
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from tests.fuzzing.target import Feed, Form, Target, scratch_file

_PREFIX = struct.Struct("<7sBIII")


@cache
def _film() -> tuple[bytes, bytes]:
    """Return the header and the poses of a small film, unpacked."""
    from pigglesim.films.codec import encode
    from pigglesim.films.film import Film, FilmActor, Frames, Impact
    from pigglesim.landing import Knock, Landing, Orientation, Seat, Zone

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
    _, _, length, _, _ = _PREFIX.unpack_from(data)
    middle = _PREFIX.size + length
    return zlib.decompress(data[_PREFIX.size : middle]), zlib.decompress(data[middle:])


def _packed(header: bytes, poses: bytes) -> bytes:
    parts = zlib.compress(header, 1), zlib.compress(poses, 1)
    return _PREFIX.pack(b"PIGFILM", 2, len(parts[0]), len(header), len(parts[1])) + b"".join(parts)


def _watch(folder: Path) -> Feed:
    from pigglesim.cli.film import film_document, film_line
    from pigglesim.films.codec import decode, encode
    from pigglesim.films.store import read_film

    def read(path: Path) -> object:
        film = read_film(path)
        for time in (film.start, film.end, 0.01):
            film.at(time)
        json.dumps(film_document(film, size=1), allow_nan=False)
        film_line(film, index=0, size=1)
        again = encode(film)
        assert encode(decode(again)) == again
        return film

    return scratch_file(folder, "it.film", read)


def _watch_header(folder: Path) -> Feed:
    feed = _watch(folder)

    def changed(data: bytes) -> object:
        # What is no JSON is fed as it is.
        with suppress(ValueError, RecursionError):
            data = json.dumps(
                json.loads(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False
            ).encode()
        return feed(_packed(data, _film()[1]))

    return changed


def _watch_poses(folder: Path) -> Feed:
    feed = _watch(folder)
    return lambda data: feed(_packed(_film()[0], data))


@cache
def _study() -> tuple[bytes, bytes]:
    """Return `study.json` and one shard of a small study."""
    import tempfile

    from pigglesim.experiments.shard import Job, StudyPlan, make_shard
    from pigglesim.experiments.store import Store
    from tests.small_studies import low_floor, small_study

    with tempfile.TemporaryDirectory(prefix="pigglesim-seed-") as place:
        plan = StudyPlan.of(small_study(low_floor(Path(place)), throws=250, factors={}))
        folder = Path(place) / "study"
        with Store(folder, plan) as store:
            store.add(0, make_shard(Job.of(plan), 0))
        return (folder / "study.json").read_bytes(), store.shard_file(0).read_bytes()


def _ask_definition(folder: Path) -> Feed:
    from pigglesim.experiments.store import read_definition, shard_numbers, stored_study

    (folder / "shards").mkdir()
    (folder / "shards" / "000000.parquet").write_bytes(_study()[1])

    def read(path: Path) -> object:
        known, study = read_definition(path.parent), stored_study(path.parent)
        json.dumps(study.definition(), allow_nan=False)
        assert study.cell_count == len(study.cells())
        return known, [study.shard(number) for number in shard_numbers(folder) if study.shard_count]

    return scratch_file(folder, "study.json", read)


def _ask_shard(folder: Path) -> Feed:
    from pigglesim.experiments.query import open_throws, run_query
    from pigglesim.experiments.shard import read_metadata
    from pigglesim.experiments.store import whole_shards

    (folder / "study.json").write_bytes(_study()[0])
    (folder / "shards").mkdir()

    def read(path: Path) -> object:
        # A digest that lies: it is that of whatever stands there.
        (folder / "sums").write_text(f"000000 {sha256(path.read_bytes()).hexdigest()}\n")
        assert len(whole_shards(folder)) == 1
        with open_throws(folder) as connection:
            rows = list(run_query(connection, "SELECT min(columns(*)), count(*) FROM throws").rows)
        read_metadata(path)
        return rows

    return scratch_file(folder / "shards", "000000.parquet", read)


def _series_lines() -> Sequence[bytes]:
    from pigglesim.experiments.tournament import Tournament

    tournament = Tournament(agents=("greedy", "uniform"), seed=1)

    def pair(number: int) -> dict[str, object]:
        match = {"points": 1.0, "reason": "points", "scores": [21, 4], "decisions": 30}
        seed = tournament.meeting(number).seed
        pair = {"index": number, "first": 0, "second": 1, "seed": seed}
        return {**pair, "matches": [match, match]}

    lines = [json.dumps(pair(number), separators=(",", ":")) for number in range(3)]
    return ["\n".join(lines).encode()]


def _standings(folder: Path) -> Feed:
    from pigglesim.experiments.folder import sealed_line
    from pigglesim.experiments.standings import standings
    from pigglesim.experiments.tournament import Tournament, open_folder

    tournament = Tournament(agents=("greedy", "uniform"), seed=1)
    open_folder(folder, tournament, {}, pairs=3).close()

    def read(path: Path) -> object:
        seal, lines = "", []
        for line in path.read_bytes().split(b"\n"):
            whole, seal = sealed_line(line, seal)
            lines.append(whole)
        path.write_bytes(b"".join(lines))
        with open_folder(folder, tournament, {}, pairs=3) as held:
            return standings(tournament, held.items) if held.items else None

    return scratch_file(folder, "pairs.jsonl", read)


_FILMS = ("pigglesim.files", "pigglesim.films", "pigglesim.json_codec", "pigglesim.landing")
_STUDIES = ("pigglesim.files", "pigglesim.experiments")
TARGETS = (
    Target(
        name="film", form=Form.BINARY, prepare=_watch, seeds=lambda: [_packed(*_film())],
        readers=_FILMS,
    ),
    Target(
        name="film-header", form=Form.JSON, prepare=_watch_header, seeds=lambda: [_film()[0]],
        readers=_FILMS,
    ),
    Target(
        name="film-poses", form=Form.BINARY, prepare=_watch_poses, seeds=lambda: [_film()[1]],
        readers=_FILMS,
    ),
    Target(
        name="study-definition", form=Form.JSON, prepare=_ask_definition,
        seeds=lambda: [_study()[0]], readers=_STUDIES,
    ),
    Target(
        name="shard", form=Form.BINARY, prepare=_ask_shard, seeds=lambda: [_study()[1]],
        readers=_STUDIES, most_bytes=16_384, inputs=20_000,
    ),
    Target(
        name="pairs", form=Form.LINES, prepare=_standings, seeds=_series_lines,
        readers=(
            "pigglesim.files", "pigglesim.experiments.folder", "pigglesim.experiments.tournament"
        ),
    ),
)  # fmt: skip
