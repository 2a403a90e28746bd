"""A shard made into the bytes of its file, in whatever process: the one job of every worker."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock

import duckdb
import numpy as np

from pigglesim.errors import PigglesimError, RecordError
from pigglesim.studies.identity import Plan
from pigglesim.studies.running_counts import Counts
from pigglesim.studies.shard import Columns, Thrower
from pigglesim.studies.stops import stops_are_heard
from pigglesim.studies.study import Study

__all__ = [
    "Job",
    "Made",
    "ShardNote",
    "attempt",
    "check_made",
    "parquet_bytes",
    "read_counts",
    "read_note",
    "ready",
    "sql_text",
]

_BATCH = 500
"""Files looked at together: a connection for each would take a hundred times as long."""
_databases: dict[int, duckdb.DuckDBPyConnection] = {}
"""By process: to make one takes longer than to write and to check a shard. That of a parent is left
alone after a fork, for it would wait for threads that only the parent has."""
_lock = Lock()
"""Engines know one world a process, and some clusters run jobs as threads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a worker needs to know to make any shard of a study."""

    definition: str
    """Of the study, as one line."""
    digest: str
    """Of everything that decides the bits, as the parent has it."""

    @classmethod
    def of(cls, plan: Plan) -> "Job":
        """Return the job of a study."""
        return cls(definition=plan.study.to_json(), digest=plan.digest)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardNote:
    """What a shard's file says of itself."""

    digest: str
    number: int
    rows: int
    counts: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A shard, finished."""

    number: int
    parquet: bytes
    counts: Counts


def attempt(job: Job, number: int) -> Made | str:
    """Return a shard made in this process, or what went wrong, in one line.

    Args:
        job: The study.
        number: Of the shard.
    """
    try:
        with stops_are_heard(), _lock:
            thrower = _thrower(job)
            columns = thrower.throw(number)
            counts = Counts.of(columns)
            note = ShardNote(
                digest=job.digest, number=number, rows=len(columns["throw"]), counts=counts
            )
            data = parquet_bytes(columns, thrower.plan.columns(), note)
            return Made(number=number, parquet=data, counts=counts)
    except PigglesimError as fault:
        return str(fault)
    except Exception as fault:
        return f"{type(fault).__name__}: {fault}".splitlines()[0]


def ready(job: Job) -> str:
    """Return what keeps this process from making shards of a study; empty if nothing does."""
    try:
        with _lock:
            _thrower(job)
    except PigglesimError as fault:
        return str(fault)
    return ""


@lru_cache(maxsize=4)
def _thrower(job: Job) -> Thrower:
    plan = Plan.of(Study.from_json(job.definition))
    if plan.digest != job.digest:
        raise RecordError(
            "workers with the same pigglesim, engine, models and scenes as the parent",
            got="others",
            remedy="install the same versions everywhere, and start again after edits",
        )
    return Thrower(plan)


def parquet_bytes(columns: Columns, types: dict[str, str], note: ShardNote) -> bytes:
    """Return a shard as the bytes of a Parquet file, the same for the same shard.

    Args:
        columns: The rows, column by column.
        types: DuckDB type of each column.
        note: What the file shall say of itself.
    """
    chosen = ", ".join(f'"{name}"::{kind} AS "{name}"' for name, kind in types.items())
    words = {
        "digest": note.digest,
        "shard": str(note.number),
        "rows": str(note.rows),
        "counts": note.counts.to_json(),
    }
    told = ", ".join(f"{key}: {sql_text(word)}" for key, word in words.items())
    # One thread: rows and pages keep their order, and bytes are the same everywhere.
    with (
        tempfile.TemporaryDirectory(prefix="pigglesim-") as folder,
        _connection() as connection,
    ):
        path = Path(folder) / "shard.parquet"
        connection.register("rows", columns)
        connection.execute(
            f"COPY (SELECT {chosen} FROM rows) TO {sql_text(str(path))} "
            f"(FORMAT parquet, COMPRESSION zstd, KV_METADATA {{{told}}})"
        )
        return path.read_bytes()


@contextmanager
def _connection() -> Iterator[duckdb.DuckDBPyConnection]:
    """Open a connection to a database of this process's own."""
    process = os.getpid()
    if process not in _databases:
        # It keeps nothing of the files that it reads: they may be torn, and made again.
        _databases[process] = duckdb.connect(
            ":memory:", config={"threads": 1, "enable_external_file_cache": "false"}
        )
    connection = _databases[process].cursor()
    try:
        yield connection
    except duckdb.Error:
        # A fault inside DuckDB leaves the whole database of no use: the next has a new one.
        _databases.pop(process, None)
        raise
    finally:
        connection.close()


def read_note(path: Path, *, scan: bool = False) -> ShardNote:
    """Return what a shard's file says of itself.

    Args:
        path: The file.
        scan: Whether to read every value of it, to see that all can be.

    Raises:
        RecordError: If it is no such file, or not whole.
    """
    name = sql_text(str(path))
    try:
        with _connection() as connection:
            pairs = connection.execute(
                f"SELECT key::VARCHAR, decode(value) FROM parquet_kv_metadata({name})"
            ).fetchall()
            words = dict(pairs)
            note = ShardNote(
                digest=words["digest"],
                number=int(words["shard"]),
                rows=int(words["rows"]),
                counts=Counts.from_json(words["counts"]),
            )
            source = f"read_parquet({name})" if scan else f"parquet_file_metadata({name})"
            told = "count(*), count(COLUMNS(*))" if scan else "sum(num_rows)"
            row = connection.execute(f"SELECT {told} FROM {source}").fetchone()
    except (duckdb.Error, KeyError, ValueError, TypeError) as fault:
        raise _torn(path, f"{type(fault).__name__}") from None
    if row is None or row[0] != note.rows:
        raise _torn(path, f"{row[0] if row else 0} rows of {note.rows}")
    return note


def check_made(made: Made, path: Path, plan: Plan) -> None:
    """Refuse a shard that is not what it says it is, however it came about.

    What throws came to cannot be checked but by throwing them again; all else is.

    Args:
        made: As it came from whoever made it.
        path: A file that holds its bytes.
        plan: The study.

    Raises:
        RecordError: If its file, columns, throws or counts are not those of that shard.
    """
    note = read_note(path, scan=True)
    if (note.digest, note.number, note.counts) != (plan.digest, made.number, made.counts):
        raise _torn(path, "of another study, shard or counts")
    shard, name = plan.study.shard(made.number), sql_text(str(path))
    with _connection() as connection:
        told = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({name})").fetchall()
        if {row[0]: row[1] for row in told} != plan.columns():
            raise _torn(path, "other columns")
        columns = connection.execute(
            f"SELECT throw, trial, cell, standing, orientation FROM read_parquet({name})"
        ).fetchnumpy()
    throws = columns["throw"]
    wanted = shard.first_throw + np.arange(len(shard.trials))
    if not np.array_equal(np.unique(throws), wanted) or np.any(np.diff(throws) < 0):
        raise _torn(path, f"throws other than {wanted[0]} to {wanted[-1]}")
    trials = throws - shard.first_throw + shard.trials.start
    if np.any(columns["trial"] != trials) or np.any(columns["cell"] != shard.cell):
        raise _torn(path, "trials or cells of another shard")
    # A die off the board shows nothing: None, which a masked array would fill with a word.
    seen = np.array(np.ma.asarray(columns["orientation"]).tolist(), dtype=object)
    if Counts.of({**columns, "orientation": seen}) != note.counts:
        raise _torn(path, "counts that are not those of its throws")


def read_counts(paths: Sequence[Path]) -> list[Counts]:
    """Return the counts that whole shards' files tell, in the order of the paths.

    Raises:
        duckdb.Error: If a file cannot be read.
        KeyError: If it does not tell its counts; or ValueError.
    """
    found: dict[str, str] = {}
    with _connection() as connection:
        for start in range(0, len(paths), _BATCH):
            names = ", ".join(sql_text(str(path)) for path in paths[start : start + _BATCH])
            found.update(
                connection.execute(
                    "SELECT parse_filename(file_name), decode(value) "
                    f"FROM parquet_kv_metadata([{names}]) WHERE key::VARCHAR = 'counts'"
                ).fetchall()
            )
    return [Counts.from_json(found[path.name]) for path in paths]


def _torn(path: Path, what: str) -> RecordError:
    return RecordError(
        "a whole shard", got=f"{path.name}, which is torn ({what})", remedy="make it again"
    )


def sql_text(text: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"
