"""Shards of a study: their columns and files, everything that decides the bits, and the throws.

The throws of a shard are a pure function of the study and the number of the shard.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import duckdb
import numpy as np
from pydantic import TypeAdapter

from pigglesim.bodies.body import Body, pose_at, support_for
from pigglesim.bodies.load import load_ballasted, load_model, load_models
from pigglesim.chance.physical import PhysicalChance, physical_chance
from pigglesim.errors import PigglesimError, RecordError, SpecError
from pigglesim.experiments.estimates import DRAWN_FLOOR, Counts, sql_text
from pigglesim.experiments.factors import Setup, ThrowKind, applied, floor_for
from pigglesim.experiments.floor_posterior import Floors
from pigglesim.experiments.folder import EXACT
from pigglesim.experiments.study import Shard, Study
from pigglesim.landing import (
    ZONE_POINTS,
    Landing,
    Orientation,
    RollRequest,
    RollResult,
    Seat,
    SettleStatus,
    Zone,
)
from pigglesim.physics.drop import DropEnding, Dropper, expect_known_laws, expect_known_throw
from pigglesim.physics.engine import DropResults
from pigglesim.physics.engines import engine_version, make_engine
from pigglesim.physics.quasistatic import is_settled
from pigglesim.rng import generator, sub_seed
from pigglesim.rotations import Indices, to_matrix
from pigglesim.scene.load import load_floor, load_scene, team_models
from pigglesim.scene.scene import Scene
from pigglesim.signals import interrupts_in_libraries
from pigglesim.throws import Pour, sample_drops
from pigglesim.version import __version__

COLUMNS: Mapping[str, str] = {
    "throw": "BIGINT",  # numbers the throws of the study from 0
    "cell": "INTEGER",  # combination of factor levels, from 0
    "trial": "BIGINT",  # number of the throw within its cell: the same randomness in every cell
    "die": "SMALLINT",  # number of the die in the throw, from 0
    "model": "VARCHAR",
    "standing": "BOOLEAN",  # stood on the board before the throw, and was not in the cup
    "orientation": "VARCHAR",  # class by the rules, such as Snout-Up; of a d6, its number.
    # NULL off the board, and where a die still moved when time was up
    "pose": "VARCHAR",  # stable pose as its model names it; NULL if none was reached
    "ending": "VARCHAR",  # of a single die: decided, descended or timed out; of a pour: settled
    # or timed-out
    "time_s": "FLOAT",
    "down_x": "FLOAT",  # unit vector of the body's own axes that pointed down at the end
    "down_y": "FLOAT",
    "down_z": "FLOAT",
    "zone": "VARCHAR",  # this and all below: NULL for a single die on an endless floor
    "x_mm": "FLOAT",  # centre of mass on the board, east of its middle
    "y_mm": "FLOAT",  # north of its middle
    "leaning": "BOOLEAN",
    "stacked": "BOOLEAN",
    "points": "TINYINT",  # its points where it rests (R3)
    "orientation_before": "VARCHAR",  # of standing dice alone, as all below: class by the rules
    "zone_before": "VARCHAR",
    "knocked": "BOOLEAN",  # by this throw (P18)
    "moved_mm": "FLOAT",
}
"""Name and DuckDB type of each column, in order. A study adds one per varied factor."""

SCHEMA = 1
"""Version of the store's layout, raised when older readers could not read it."""


@dataclass(frozen=True, kw_only=True)
class StudyPlan:
    """A study with the scenes and models that it names, read from their files.

    Raises:
        SpecError: If it asks for something that does not exist or cannot be thrown.
    """

    study: Study
    base: Setup
    """Before any factor is applied."""
    setups: tuple[Setup, ...]
    """Set-up of each cell, on the one floor or table."""
    floors: Floors | None = None
    """Floors of a fit, of which each throw draws one."""

    @classmethod
    def of(cls, study: Study) -> "StudyPlan":
        """Read everything that a study names, and try one throw of every cell."""
        plan = cls.read(study)
        for engine in plan.engines:
            engine_version(engine)  # raises if it is not installed
        for cell, setup in enumerate(plan.setups):
            bodies = plan.cell_bodies(cell)
            if isinstance(setup.place, Scene):
                rng = generator(study.seed, "try")
                Pour(scene=setup.scene, seat=Seat.A).sample(bodies, rng=rng)
            else:
                expect_known_laws(setup.engine, setup.surface)
                fall, (body,), trial = setup.floor.fall, bodies, range(1)
                expect_known_throw(
                    setup.engine,
                    sample_drops(fall, body, trials=trial, seed=study.seed, purpose=("try",)),
                )
            if unknown := [body.model for body in bodies if not body.poses]:
                raise SpecError(
                    f"{unknown[0]} lists no stable poses",
                    fix="remove the table [derived] from its file, to have it made again",
                )
        return plan

    @classmethod
    def read(cls, study: Study) -> "StudyPlan":
        """Read everything that a study names, to report its throws."""
        kind, name = study.kind, study.scene
        place = floor_for(kind, name) if kind.single else load_scene(name)
        start = Setup(models=(), place=place, engine=study.engine)
        floors = Floors.of(study.floors) if study.floors else None
        if floors and floors.known is None:
            raise SpecError(
                f"{study.floors} is one floor, not a fit", fix=f"use --scene {study.floors}"
            )
        if floors and kind.single:
            floors.expect_kind(kind)
        if floors and kind.single and floors.ground.id != place.id:
            raise SpecError(
                f"the fit is on the floor {floors.ground.id}, the scene is {place.id}",
                fix="leave --scene out",
            )
        return cls(
            study=study,
            base=start,
            setups=_setups(study, start),
            floors=floors,
        )

    @property
    def engines(self) -> tuple[str, ...]:
        """Engines of the cells."""
        return tuple(dict.fromkeys(setup.engine for setup in self.setups))

    @cached_property
    def setups_on(self) -> list[tuple[Setup, ...]]:
        """Set-up of each cell on each floor; on the only one where no fit was given.

        A factor sets its number on every floor.
        """
        if self.floors is None:
            return [self.setups]
        return [
            _setups(self.study, replace(self.base, place=place))
            for place in self.floors.places(self.base.place)
        ]

    def drawn(self, trials: range) -> Indices:
        """Return the number of the floor of each trial, the same in every cell."""
        if self.floors is None:
            return np.zeros(len(trials), dtype=np.int64)
        return self.floors.drawn(trials, seed=self.study.seed)

    @cached_property
    def bodies(self) -> dict[tuple[str, float | None], Body]:
        """Body of each model, by its name and the mass of its ballast [g]."""
        keys = {(name, setup.ballast_g): None for setup in self.setups for name in setup.models}
        return {
            (name, grams): load_model(name) if grams is None else load_ballasted(name, grams)
            for name, grams in keys
        }

    def cell_bodies(self, cell: int) -> tuple[Body, ...]:
        """Return the body of each die that a cell throws."""
        setup = self.setups[cell]
        return tuple(self.bodies[name, setup.ballast_g] for name in setup.models)

    @cached_property
    def made_of(self) -> dict[str, Any]:
        """Everything that decides the bits besides the definition."""
        models = {
            body_name(name, grams): body.sha256 for (name, grams), body in self.bodies.items()
        }
        if self.study.kind is ThrowKind.KNOCK:
            standing = load_models(dict.fromkeys(self.base.scene.teams[Seat.B]))
            models |= {f"standing {name}": body.sha256 for name, body in standing.items()}
        return {
            "schema": SCHEMA,
            "pigglesim": __version__,
            "engine": self.study.engine,
            "engine_version": engine_version(self.study.engine),
            "numpy": np.__version__,
            "scene_sha256": self.base.place.sha256,
            "models": models,
            **(
                {"engines": {name: engine_version(name) for name in self.engines}}
                if "engine" in self.study.factors
                else {}
            ),
            **({"scenes": self._places} if self.study.places else {}),
            **({"floors": self._fit} if self.floors else {}),
        }

    @property
    def _fit(self) -> dict[str, Any]:
        """Digest of the floors of the fit, and the throws that its law is worth."""
        assert self.floors is not None and self.floors.known is not None
        known = self.floors.known
        return {
            "sha256": self.floors.sha256,
            "fitted_to": list(known.fitted_to),
            "model_throws": known.model_throws,
        }

    @cached_property
    def _places(self) -> dict[str, str]:
        """Digest of the file of each level of the factor `scene` or `floor`."""
        load = load_floor if self.study.kind.single else load_scene
        return {name: load(name).sha256 for name in self.study.places}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that decides the bits."""
        # As text: the order of the factors is that of the cells.
        deciding = {"study": self.study.to_json(), "made_of": self.made_of}
        return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()


def _setups(study: Study, start: Setup) -> tuple[Setup, ...]:
    """Return the set-up of each cell: one with the levels of the cell."""
    levels = [{"model": study.models[0], **cell} for cell in study.cells()]
    return tuple(applied(study.kind, start, cell) for cell in levels)


def columns_of(study: Study) -> dict[str, str]:
    """Return name and DuckDB type of each column of the store of a study."""
    return {
        **COLUMNS,
        **({DRAWN_FLOOR: "SMALLINT"} if study.floors else {}),
        **{factor.column: factor.column_type for factor in study.varied()},
    }


def body_name(model: str, ballast_g: float | None) -> str:
    """Return the name of a body in `study.json`."""
    return model if ballast_g is None else f"{model}, ballast {ballast_g:g} g"


_LAYOUTS = 1024
"""Layouts held in memory."""
_LAYOUT_TRIES = 50
"""Maximum pours for a layout with no Piggle off the board; about one in nine has one off."""
Layout = tuple[tuple[str, Landing], ...]
"""Piggles on the board before a pour, by id."""
Columns = dict[str, Any]
"""NumPy arrays by column; NULL is masked, or None in an array of objects."""

_NUMPY = {
    "BIGINT": np.int64,
    "INTEGER": np.int32,
    "SMALLINT": np.int16,
    "TINYINT": np.int8,
    "FLOAT": np.float32,
    "DOUBLE": np.float64,
    "BOOLEAN": np.bool_,
    "VARCHAR": object,
}


class Thrower:
    """A study ready to throw in this process."""

    def __init__(self, plan: StudyPlan) -> None:
        self.plan = plan
        self._study = plan.study
        self._cells = plan.study.cells()
        self._chances: dict[tuple[int, int], PhysicalChance] = {}
        # A trial meets the same team in every cell, and a worker alternates between cells.
        self._standing = lru_cache(_LAYOUTS)(self._poured_team)

    def throw(self, number: int) -> Columns:
        """Return the rows of one shard, column by column."""
        shard = self._study.shard(number)
        make = self._drops if self._study.kind.single else self._pours
        columns: Columns = make(shard) | {"cell": shard.cell}
        if self.plan.floors:
            order = np.asarray(columns["trial"]) - shard.trials.start
            columns[DRAWN_FLOOR] = self.plan.drawn(shard.trials)[order]
        levels = self._cells[shard.cell]
        columns |= {factor.column: levels[factor.name] for factor in self._study.varied()}
        rows = len(columns["throw"])
        return {
            name: _column(kind, columns.get(name), rows)
            for name, kind in columns_of(self._study).items()
        }

    def _drops(self, shard: Shard) -> Columns:
        (body,), drawn = self.plan.cell_bodies(shard.cell), self.plan.drawn(shard.trials)
        engine, parts = make_engine(self.plan.setups[shard.cell].engine), list[DropResults]()
        for number in np.unique(drawn).tolist():
            setup = self.plan.setups_on[number][shard.cell]
            dropper = Dropper(
                body,
                support_for(body),
                # Every pose is a class of its own, as each is reported beside its orientation.
                range(len(body.poses)),
                surface=setup.surface,
                stepping=setup.floor.stepping,
                engine=engine,
            )
            drops = sample_drops(
                setup.floor.fall,
                body,
                trials=shard.trials,
                seed=self._study.seed,
                purpose=(f"study {self._study.kind}",),
            )
            parts.append(dropper.drop_all(drops.at(np.flatnonzero(drawn == number))))
        # Back into the order of the trials.
        order = np.argsort(np.argsort(drawn, kind="stable"))
        ends = DropResults(
            **{
                each.name: np.concatenate([getattr(part, each.name) for part in parts])[order]
                for each in fields(DropResults)
            }
        )
        # The last entry is for those that have no pose: index -1.
        names = np.array([pose.name for pose in body.poses] + [None], dtype=object)
        classes = np.array([pose.label for pose in body.poses] + [None], dtype=object)
        endings = np.array([ending.value for ending in DropEnding], dtype=object)
        return {
            "throw": shard.first_throw + np.arange(len(drawn)),
            "trial": np.array(shard.trials),
            "die": 0,
            "model": body.model,
            "standing": False,
            "orientation": classes[ends.poses],
            "pose": names[ends.poses],
            "ending": endings[ends.endings],
            "time_s": ends.times,
            **{f"down_{axis}": down for axis, down in zip("xyz", ends.downs.T, strict=True)},
        }

    def _pours(self, shard: Shard) -> Columns:
        rows: list[dict[str, Any]] = []
        for count, trial in enumerate(shard.trials):
            chance, request = self.pour(shard.cell, trial)
            result = chance.roll(request, index=trial)
            rows += [
                {"throw": shard.first_throw + count, "trial": trial, "die": die, **row}
                for die, row in enumerate(_rows(chance, request, result))
            ]
        return {name: [row.get(name) for row in rows] for name in COLUMNS}

    def pour(self, cell: int, trial: int) -> tuple[PhysicalChance, RollRequest]:
        """Return the chance and the request of a pour or a knock, whose index is the trial."""
        chance = self._chance(cell, int(self.plan.drawn(range(trial, trial + 1))[0]))
        cup = tuple(name for name in chance.models if name.startswith(Seat.A.value))
        standing = self._standing(trial)[: self.plan.setups[cell].standing]
        return chance, RollRequest(thrower=Seat.A, piggles=cup, standing=standing)

    def _chance(self, cell: int, floor: int) -> PhysicalChance:
        """Return the physics of a cell on a floor, with all dice that may be on the board."""
        if (cell, floor) not in self._chances:
            bodies = self.plan.cell_bodies(cell)
            models = {f"{Seat.A}{number}": body for number, body in enumerate(bodies, start=1)}
            if self._study.kind is ThrowKind.KNOCK:
                models |= self._other_team.models
            self._chances[cell, floor] = PhysicalChance(
                scene=self.plan.setups_on[floor][cell].scene,
                models=models,
                engine=make_engine(self.plan.setups[cell].engine),
                seed=sub_seed(self._study.seed, "study", f"study {self._study.kind}"),
            )
        return self._chances[cell, floor]

    @cached_property
    def _other_team(self) -> PhysicalChance:
        """Physics of the standing team, in the scene before any factor is applied."""
        scene, study = self.plan.base.scene, self._study
        team = {name: model for name, model in team_models(scene).items() if name[0] == Seat.B}
        return physical_chance(scene, team, engine=study.engine, seed=study.seed)

    def _poured_team(self, trial: int) -> Layout:
        """Return the dice on the board before a trial, the same in every cell."""
        if self._study.kind is not ThrowKind.KNOCK:
            return ()
        return standing_team(self._other_team, sub_seed(self._study.seed, "study", "layout", trial))


def standing_team(chance: PhysicalChance, seed: int) -> Layout:
    """Return the layout of seat B's whole team after its first pour with none off the board.

    Raises:
        SpecError: If many pours in a row leave one off.
    """
    chance = chance.with_seed(seed)
    team = tuple(name for name in chance.models if name.startswith(Seat.B.value))
    request = RollRequest(thrower=Seat.B, piggles=team)
    best_count = 0
    for index in range(_LAYOUT_TRIES):
        landings = chance.roll(request, index=index).landings
        layout = tuple((name, at) for name, at in landings if at.zone is not Zone.OFF)
        if len(layout) == len(landings):
            return layout
        best_count = max(best_count, len(layout))
    raise SpecError(
        f"at most {best_count} of {len(team)} Piggles stayed on the board in {_LAYOUT_TRIES} pours",
        fix="use a smaller lip_height_in or heading_spread_deg in [hand], or a larger board",
    )


def _rows(chance: PhysicalChance, request: RollRequest, result: RollResult) -> list[dict[str, Any]]:
    """Return a row for each die on the board after a pour, the rolled ones first."""
    before = dict(request.standing)
    knocked = {knock.struck for knock in result.knocks}
    assert result.settle is not None
    ending, time = result.settle.status, result.settle.time
    rows = []
    for name, landing in result.landings:
        body, place = chance.models[name], landing.place
        assert place is not None
        x, y, _ = place.position
        down = -to_matrix(np.array(place.rotation))[2]
        pose = pose_at(body, down)
        supported = landing.leaning or landing.stacked
        # When time was up, a die that neither rests in a pose nor leans was still moving.
        moving = ending is SettleStatus.TIMED_OUT and not supported and not is_settled(body, place)
        row: dict[str, Any] = {
            "model": body.model,
            "standing": name in before,
            "orientation": None if moving else landing.label,
            "pose": None if moving or supported else pose.name,
            "ending": ending.value,
            "time_s": time,
            "zone": landing.zone.value,
            "x_mm": x * 1e3,
            "y_mm": y * 1e3,
            "leaning": landing.leaning,
            "stacked": landing.stacked,
            "points": (landing.orientation is Orientation.SNOUT_UP) * ZONE_POINTS[landing.zone]
            if body.pig
            else None,
        }
        row["down_x"], row["down_y"], row["down_z"] = down.tolist()
        if name in before:
            landing_before = before[name]
            assert landing_before.place is not None
            x_before, y_before, _ = landing_before.place.position
            row |= {
                "orientation_before": landing_before.label,
                "zone_before": landing_before.zone.value,
                "knocked": name in knocked,
                "moved_mm": 1e3 * float(np.hypot(x - x_before, y - y_before)),
            }
        rows.append(row)
    return rows


def _column(kind: str, values: object, rows: int) -> Any:  # noqa: ANN401 (an array of any kind)
    """Return values as an array, None masked; a single value is repeated."""
    if isinstance(values, np.ndarray):
        return values.astype(_NUMPY[kind])
    values = values if isinstance(values, list) else [values] * rows
    if kind == "VARCHAR":
        return np.array(values, dtype=object)
    missing = [value is None for value in values]
    filled = [0 if value is None else value for value in values]
    array: Any = np.array(filled, dtype=_NUMPY[kind])
    return np.ma.masked_array(array, mask=missing) if any(missing) else array


_BATCH = 500
"""Files read together: a connection for each would take a hundred times as long."""
_databases: dict[int, duckdb.DuckDBPyConnection] = {}
"""Databases by process: making one takes longer than writing and checking a shard. A forked
process does not use its parent's, which would wait for threads that only the parent has."""
_lock = Lock()
"""Engines hold one world per process, and some clusters run jobs as threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Everything that a worker needs to make any shard of a study."""

    study: Study = field(compare=False)
    digest: str
    """Digest of everything that decides the bits, as the parent has it."""

    @classmethod
    def of(cls, plan: StudyPlan) -> "Job":
        """Return the job of a study."""
        return cls(study=plan.study, digest=plan.digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardMetadata:
    """Metadata in a shard's file."""

    __pydantic_config__ = EXACT

    digest: str
    number: int
    rows: int
    counts: Counts


_METADATA, _KEY = TypeAdapter(ShardMetadata), "pigglesim"


def make_shard(job: Job, number: int) -> bytes:
    """Return the Parquet file of a shard of a study, made in this process."""
    with interrupts_in_libraries(), _lock:
        thrower = _thrower(job)
        columns = thrower.throw(number)
        note = ShardMetadata(
            digest=job.digest,
            number=number,
            rows=len(columns["throw"]),
            counts=Counts.of(columns),
        )
        return parquet_bytes(columns, columns_of(thrower.plan.study), note)


def plan_of(job: Job) -> StudyPlan:
    """Return the plan of a job in this process.

    Raises:
        RecordError: If this process would make other bits.
    """
    return _thrower(job).plan


def ready(job: Job) -> str:
    """Return the fault that keeps this process from making shards; empty if there is none."""
    try:
        with _lock:
            _thrower(job)
    except PigglesimError as fault:
        return str(fault)
    return ""


@lru_cache(maxsize=4)
def _thrower(job: Job) -> Thrower:
    plan = StudyPlan.of(job.study)
    if plan.digest != job.digest:
        raise RecordError(
            "this worker has another version of pigglesim, the engine, a model or the scene",
            fix="install the same versions everywhere, and start again after edits",
        )
    return Thrower(plan)


def parquet_bytes(columns: Columns, types: dict[str, str], note: ShardMetadata) -> bytes:
    """Return a shard as a Parquet file, the same bytes for the same shard.

    `types` are the DuckDB types of the columns.
    """
    chosen = ", ".join(f'"{name}"::{kind} AS "{name}"' for name, kind in types.items())
    metadata = sql_text(_METADATA.dump_json(note).decode())
    # With one thread, rows and pages keep their order and bytes are the same everywhere.
    with (
        tempfile.TemporaryDirectory(prefix="pigglesim-") as folder,
        _connection() as connection,
    ):
        path = Path(folder) / "shard.parquet"
        connection.register("rows", columns)
        connection.execute(
            f"COPY (SELECT {chosen} FROM rows) TO {sql_text(str(path))} "
            f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{_KEY}: {metadata}}})"
        )
        return path.read_bytes()


@contextmanager
def _connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection to a database of this process's own."""
    process = os.getpid()
    if process not in _databases:
        # Nothing of the files is cached: torn ones are made again.
        _databases[process] = duckdb.connect(
            ":memory:", config={"threads": 1, "enable_external_file_cache": "false"}
        )
    connection = _databases[process].cursor()
    try:
        yield connection
    except duckdb.Error:
        # A fault inside DuckDB leaves the whole database useless: the next has a new one.
        _databases.pop(process, None)
        raise
    finally:
        connection.close()


def read_metadata(path: Path) -> ShardMetadata:
    """Return the metadata of a shard's file, after reading every value in it.

    Raises:
        RecordError: If it is not such a file, or not whole.
    """
    name = sql_text(str(path))
    try:
        with _connection() as connection:
            row = connection.execute(
                f"SELECT decode(value) FROM parquet_kv_metadata({name}) WHERE key::VARCHAR = ?",
                [_KEY],
            ).fetchone()
            note = _METADATA.validate_json(row[0] if row else "")
            row = connection.execute(
                f"SELECT count(*), count(COLUMNS(*)) FROM read_parquet({name})"
            ).fetchone()
    except (duckdb.Error, ValueError) as fault:
        raise torn(path, f"{type(fault).__name__}") from None
    if row is None or row[0] != note.rows:
        raise torn(path, f"{row[0] if row else 0} rows of {note.rows}")
    return note


def check_shard(path: Path, number: int, plan: StudyPlan) -> Counts:
    """Return the counts of a shard's file, after checking that it is the shard of that number.

    Only a second simulation could check the results of the throws; all else is checked.

    Raises:
        RecordError: If its study, columns, throws or counts are not those of that shard.
    """
    note = read_metadata(path)
    if (note.digest, note.number) != (plan.digest, number):
        raise torn(path, "of another study or shard")
    shard, name = plan.study.shard(number), sql_text(str(path))
    with _connection() as connection:
        described = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({name})").fetchall()
        if {row[0]: row[1] for row in described} != columns_of(plan.study):
            raise torn(path, "other columns")
        columns = connection.execute(
            f"SELECT throw, trial, cell, standing, orientation FROM read_parquet({name})"
        ).fetchnumpy()
    throws = columns["throw"]
    expected = shard.first_throw + np.arange(len(shard.trials))
    if not np.array_equal(np.unique(throws), expected) or np.any(np.diff(throws) < 0):
        raise torn(path, f"throws other than {expected[0]} to {expected[-1]}")
    trials = throws - shard.first_throw + shard.trials.start
    if np.any(columns["trial"] != trials) or np.any(columns["cell"] != shard.cell):
        raise torn(path, "trials or cells of another shard")
    # A die off the board shows None, which a masked array would fill with a word.
    orientations = np.array(np.ma.asarray(columns["orientation"]).tolist(), dtype=object)
    if Counts.of({**columns, "orientation": orientations}) != note.counts:
        raise torn(path, "counts that are not those of its throws")
    return note.counts


def read_counts(paths: Sequence[Path]) -> list[Counts]:
    """Return the counts in the metadata of whole shards' files, in the order of the paths.

    Raises:
        duckdb.Error: If a file cannot be read.
        KeyError: If it has no metadata.
        ValueError: If its metadata are invalid.
    """
    metadata: dict[str, str] = {}
    with _connection() as connection:
        for start in range(0, len(paths), _BATCH):
            names = ", ".join(sql_text(str(path)) for path in paths[start : start + _BATCH])
            metadata.update(
                connection.execute(
                    "SELECT parse_filename(file_name), decode(value) "
                    f"FROM parquet_kv_metadata([{names}]) WHERE key::VARCHAR = '{_KEY}'"
                ).fetchall()
            )
    return [_METADATA.validate_json(metadata[path.name]).counts for path in paths]


def torn(path: Path, why: str) -> RecordError:
    """Return the error for a shard's file that is not whole, or not what its name says."""
    return RecordError(f"{path.name} is torn ({why})", fix="run the study again to remake it")
