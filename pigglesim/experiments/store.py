"""Folders of studies: the definition, shards, checksums, files put aside, and questions in SQL.

A question is answered in a process that can do nothing else.
"""

import hashlib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing import connection, get_context
from pathlib import Path
from shlex import quote
from time import monotonic
from typing import Annotated, Any

import duckdb
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pigglesim.durable_io import AppendFile, make_folder, replacing, write_atomically
from pigglesim.errors import PigglesimError, RecordError, SpecError, cut
from pigglesim.experiments.estimates import Counts, sql_text
from pigglesim.experiments.folder import LOCK, Folder, expect_definition, lock_folder, unwritable
from pigglesim.experiments.shard import (
    COLUMNS,
    SCHEMA,
    StudyPlan,
    check_shard,
    columns_of,
    read_counts,
    read_metadata,
    torn,
)
from pigglesim.experiments.study import Study
from pigglesim.experiments.worker_pool import leave_with_parent, start_process
from pigglesim.files import FileKind, read_json

_VERB, _SHARDS, _TORN, _SUMS = "study", "shards", "torn", "sums"
_DEFINITION = f"{_VERB}.json"
_KIND = FileKind(name="study definition", max_bytes=4 * 1024**2, values=200_000)
_SUFFIX = ".parquet"
_NAME = re.compile(r"([0-9]{6,15})\.parquet")
_SUM = re.compile(r"([0-9]{6,15}) ([0-9a-f]{64})")
_UNLISTED = f"not in {_SUMS}"
_ENTRIES = {_DEFINITION, f"{_DEFINITION}.tmp", _SHARDS, _TORN, _SUMS, f"{_SUMS}.tmp", LOCK}


class _MadeOf(BaseModel):
    model_config = ConfigDict(strict=True)

    schema_: Annotated[int, Field(alias="schema", le=SCHEMA)]
    models: dict[str, Any]


class _Definition(BaseModel):
    model_config = ConfigDict(strict=True)

    study: dict[str, Any]
    digest: str
    made_of: _MadeOf


def read_definition(folder: Path) -> dict[str, Any]:
    """Return the content of `study.json` in a folder.

    Raises:
        RecordError: If it is not the folder of a study, or one of a newer version.
    """
    path = expect_definition(folder, _VERB, _ENTRIES)
    try:
        definition: dict[str, Any] = read_json(path, _KIND)
        _Definition.model_validate(definition)
    except SpecError as fault:
        raise fault.converted(RecordError, fix="use another --out") from None
    except ValidationError as faults:
        first = faults.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        newer = key == "made_of.schema" and first["type"] == "less_than_equal"
        raise RecordError(
            cut(f"invalid {key} in {path}: {first['msg']}"),
            fix="install a newer pigglesim" if newer else "use another --out",
        ) from None
    return definition


def stored_study(folder: Path) -> Study:
    """Return the study of a folder.

    Raises:
        RecordError: If it is not the folder of a study.
    """
    table = read_definition(folder)[_VERB]
    try:
        return Study.from_definition(table, source=_DEFINITION)
    except SpecError as fault:
        raise fault.converted(
            RecordError, where=str(folder / _DEFINITION), fix="use another --out"
        ) from None


def shard_numbers(folder: Path) -> list[int]:
    """Return the numbers of all shards that have a checksum and a file, in order."""
    sums = _parsed_sums(folder)[0]
    return sorted(number for number in sums if _shard_path(folder, number).is_file())


def whole_shards(folder: Path) -> dict[int, Path]:
    """Return the file of each finished shard, by number, after comparing its checksum.

    Raises:
        RecordError: If it is not the folder of a study, or any other file is among its shards.
    """
    count = stored_study(folder).shard_count
    # In this order: a running study writes a checksum before it names the shard.
    files = _shard_files(folder)
    judged = list(_checked_files(files, _parsed_sums(folder)[0], count))
    faults = [f"{path.name} is {fault}" for path, _, fault in judged if fault]
    if faults:
        others = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise RecordError(
            f"{faults[0]}{others}",
            fix=f"run pigglesim study repair {quote(str(folder))}, which puts such files aside",
        )
    return {number: path for path, number, _ in judged}


def put_aside(folder: Path) -> list[str]:
    """Put aside all files that are not shards of their study; return a line for each.

    A shard that has lost its checksum gets it again.

    Raises:
        RecordError: If it is not the folder of a study, or in use.
        StoreError: If it cannot be written.
    """
    digest, count = str(read_definition(folder)["digest"]), stored_study(folder).shard_count
    try:
        with lock_folder(folder, _VERB), closing(_Sums(folder)) as sums:
            return _sort_shards(folder, sums, digest=digest, count=count)[1]
    except OSError as fault:
        raise unwritable(folder, fault) from None


def _shard_path(folder: Path, number: int) -> Path:
    return folder / _SHARDS / f"{number:06d}{_SUFFIX}"


def _shard_files(folder: Path) -> list[Path]:
    """Return all files named like shards, in any case of letters, in order."""
    place = folder / _SHARDS
    files = place.iterdir() if place.is_dir() else ()
    return sorted(path for path in files if path.name.lower().endswith(_SUFFIX))


def _checked_files(
    files: Iterable[Path], sums: Mapping[int, str], count: int
) -> Iterator[tuple[Path, int, str]]:
    """Yield each file, its number, and why it is not a shard; empty if it is one."""
    for path in files:
        match = _NAME.fullmatch(path.name)
        number = int(match[1]) if match else -1
        if path.is_symlink() or not path.is_file():
            fault = "a link or not a file"
        elif not 0 <= number < count or path.name != f"{number:06d}{_SUFFIX}":
            fault = "not a shard of this study"
        elif number not in sums:
            fault = _UNLISTED
        else:
            fault = "" if _sha256(path) == sums[number] else "torn"
        yield path, number, fault


def _sort_shards(
    folder: Path, sums: "_Sums", *, digest: str, count: int
) -> tuple[set[int], list[str]]:
    """Return the numbers of all whole shards, and a line for each file that was put aside."""
    numbers, notes = set[int](), list[str]()
    for path, number, fault_found in _checked_files(_shard_files(folder), sums.known, count):
        fault = fault_found
        if fault == _UNLISTED:
            try:
                metadata = read_metadata(path)
                own = (metadata.digest, metadata.number) == (digest, number)
                fault = "" if own else "of another study"
            except RecordError:
                fault = "torn"
            if not fault:
                sums.add(number, _sha256(path))
        if not fault:
            numbers.add(number)
            continue
        torn_folder = folder / _TORN
        make_folder(torn_folder)
        path.rename(_unused(torn_folder, path))
        again = " and is made again" if fault in {"torn", "of another study"} else ""
        notes.append(f"{path.name} is {fault}: it is put aside in {_TORN}/{again}")
    return numbers, notes


def _unused(aside: Path, path: Path) -> Path:
    """Return an unused name for a file, so that no file that was put aside is replaced."""
    names = (f"{path.stem}-{again}{path.suffix}" for again in range(2, 1_000_000))
    return next(aside / name for name in (path.name, *names) if not (aside / name).exists())


class Store(Folder):
    """The folder of one study, held by one process that adds shards to it."""

    def __init__(self, path: Path, plan: StudyPlan) -> None:
        self.plan = plan
        whole = {
            "made_of": plan.made_of,
            "digest": plan.digest,
            _VERB: plan.study.definition(),
            "columns": columns_of(plan.study),
        }
        super().__init__(path, verb=_VERB, own=_ENTRIES, whole=whole, beside=_SHARDS)

    def shard_file(self, number: int) -> Path:
        """Return the file of a shard."""
        return _shard_path(self.path, number)

    def counts(self, numbers: Iterable[int]) -> dict[int, Counts]:
        """Return the counts of finished shards, by number."""
        numbers = list(numbers)
        counts = read_counts([self.shard_file(number) for number in numbers])
        return dict(zip(numbers, counts, strict=True))

    def add(self, number: int, parquet: object) -> Counts:
        """Save a finished shard and return its counts.

        Args:
            number: Number of the shard.
            parquet: Bytes of its file, which a worker may have got wrong.

        Raises:
            RecordError: If they are not that shard; nothing of it stays.
            StoreError: If it cannot be written; nothing of it stays, and all others do.
        """
        path = self.shard_file(number)
        if not isinstance(parquet, bytes):
            raise torn(path, "not the bytes of a file")
        try:
            with replacing(path) as part:
                part.write_bytes(parquet)
                counts = check_shard(part, number, self.plan)
                self._sums.add(number, hashlib.sha256(parquet).hexdigest())
        except OSError as fault:
            raise unwritable(self.path, fault) from None
        self.finished.add(number)
        return counts

    def _read(self) -> dict[str, Any]:
        return read_definition(self.path)

    def _resume(self) -> None:
        for leftover in (self.path / _SHARDS).glob("*.tmp"):
            leftover.unlink()
            name = leftover.name.removesuffix(".tmp")
            self.notes.append(f"{name} was cut off while it was written: it is made again")
        self._sums = _Sums(self.path)
        self._file = self._sums.file
        self.finished, notes = _sort_shards(
            self.path, self._sums, digest=self.digest, count=self.plan.study.shard_count
        )
        """Numbers of the finished shards."""
        self.notes += notes


class _Sums:
    """The file of the checksums of a study's shards, to which the holder of the lock adds."""

    def __init__(self, folder: Path) -> None:
        self.known, whole, text = _parsed_sums(folder)
        """Checksums by the number of the shard."""
        if whole != text:
            # Its last line was cut off, and belongs to no file yet.
            write_atomically(folder / _SUMS, whole.encode())
        self.file = AppendFile(folder / _SUMS)
        self.close = self.file.close

    def add(self, number: int, digest: str) -> None:
        """Save a checksum on the disk; nothing of it stays if that raises OSError."""
        if self.known.get(number) != digest:
            self.file.add(f"{number:06d} {digest}\n".encode())
            self.file.sync()
            self.known[number] = digest


def _parsed_sums(folder: Path) -> tuple[dict[int, str], str, str]:
    """Return the checksums by shard, the text of whole lines, and all of the file."""
    path = folder / _SUMS
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    complete = text[: text.rfind("\n") + 1]
    rows = (_SUM.fullmatch(line) for line in complete.splitlines())
    return {int(row[1]): row[2] for row in rows if row}, complete, text


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def torn_fault(folder: Path, fault: object) -> RecordError:
    """Return the error for a shard of a folder that cannot be read."""
    why = " ".join(str(fault).split())[:200] or type(fault).__name__
    return RecordError(
        f"torn shard in {folder}: {why}", fix="run the study again, which remakes torn shards"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Columns and rows of an answer."""

    columns: tuple[str, ...]
    """Names, each once."""
    rows: Iterator[tuple[Any, ...]]
    """Values of JSON, read as they are needed."""


_MEMORY = "400MB"
_SPECIAL = "*?[]"
"""Characters that a folder name may not have, as DuckDB would take it for a pattern."""


def open_throws(folder: Path, *others: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection whose view `throws` holds every row of a study's finished shards.

    It reads no other file, loads no extension, and its settings are locked. Close it when done.

    Args:
        folder: Folder of the study.
        others: Folders of more studies, whose throws are appended: numbers of cells and throws
            continue, and the columns of factors are left out.

    Raises:
        RecordError: If it is not the folder of a study.
        SpecError: If DuckDB would misread its name.
    """
    folders = [folder, *others]
    shards = [_paths_of_shards(each) for each in folders]
    sources = [_source(each, f"shards_{k}", shards[k]) for k, each in enumerate(folders)]
    source = sources[0]
    if others:
        names = ", ".join(f'"{name}"' for name in COLUMNS if name not in {"cell", "throw"})
        cells, throws, parts = 0, 0, []
        for each, rows in zip(folders, sources, strict=True):
            study = stored_study(each)
            parts.append(
                f'SELECT cell + {cells} AS cell, "throw" + {throws} AS "throw", {names} '
                f"FROM ({rows})"
            )
            cells += study.cell_count
            throws += study.most_throws * study.cell_count
        source = " UNION ALL ".join(parts)
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": _MEMORY,
            "temp_directory": "",
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            # Variables of this program must not become tables.
            "python_enable_replacements": False,
        },
    )
    try:
        # Only results go to standard output. DuckDB refuses this in a notebook without widgets,
        # where it has no bar.
        with suppress(duckdb.InvalidInputException):
            connection.execute("SET enable_progress_bar = false")
        places = ", ".join(sql_text(f"{_shards_folder(each)}/") for each in folders)
        connection.execute(f"SET allowed_directories = [{places}]")
        connection.execute("SET enable_external_access = false")
        for k, files in enumerate(shards):
            connection.execute(f"SET VARIABLE shards_{k} = ?", [files])
        connection.execute(f"CREATE VIEW throws AS {source}")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as fault:
        connection.close()
        raise _refused(fault) from None
    return connection


def _shards_folder(folder: Path) -> Path:
    return folder.resolve() / "shards"


def _paths_of_shards(folder: Path) -> list[str]:
    """Return the paths of all finished shards."""
    place = _shards_folder(folder)
    if any(letter in str(place) for letter in _SPECIAL):
        raise SpecError(
            f"the folder {place} has one of {' '.join(_SPECIAL)} in its name", fix="rename it"
        )
    return [f"{place}/{path.name}" for path in whole_shards(folder).values()]


def _source(folder: Path, variable: str, files: Sequence[str]) -> str:
    """Return SQL of the rows of a folder; the variable holds the paths of its shards.

    With the paths in its text, the view of 100,000 shards would take 0.6 GB.
    """
    types = columns_of(stored_study(folder))
    if files:
        # With these types, no matter what the files hold.
        row = ", ".join(f'"{name}"::{kind} AS "{name}"' for name, kind in types.items())
        return f"SELECT {row} FROM read_parquet(getvariable('{variable}'))"
    row = ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in types.items())
    return f"SELECT {row} WHERE false"


def run_query(connection: duckdb.DuckDBPyConnection, question: str) -> Answer:
    """Return the answer to one SELECT.

    Raises:
        SpecError: If it is not one SELECT, or wrong, or not allowed.
    """
    try:
        _check_question(connection, question)
        # DuckDB's own text has no comment or semicolon, so it may stand in brackets.
        tree = "json_deserialize_sql(json_serialize_sql(?::VARCHAR))"
        row = connection.execute(f"SELECT {tree}", [question]).fetchone()
        text = str(row and row[0])
        columns = connection.execute(f"SELECT * FROM ({text}) LIMIT 0").description or []
        names = ", ".join(f"column{number}" for number in range(len(columns)))
        cursor = connection.execute(f"SELECT to_json(answer) FROM ({text}) AS answer({names})")
    except duckdb.Error as fault:
        raise _refused(fault) from None
    return Answer(columns=tuple(column[0] for column in columns), rows=_rows(cursor))


def _rows(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[Any, ...]]:
    try:
        while rows := cursor.fetchmany(1000):
            for (text,) in rows:
                # JSON has no NaN and no infinity.
                yield tuple(json.loads(text, parse_constant=lambda _: None).values())
    except duckdb.Error as fault:
        raise _refused(fault) from None


def _refused(fault: duckdb.Error) -> SpecError:
    text = " ".join(str(fault).partition("LINE ")[0].split())
    fix = "use the columns that `DESCRIBE throws` shows"
    if isinstance(fault, duckdb.OutOfMemoryException):
        fix = _FEWER
    elif isinstance(fault, duckdb.IOException | duckdb.InvalidInputException):
        fix = "correct the question, or run the study again to remake torn shards"
    return SpecError(f"DuckDB cannot answer: {text[:300]}", fix=fix)


_READING = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
"""Kinds of queries that only read; others, such as COPY and INSERT, may be nested in a SELECT."""
_TABLES = frozenset(
    {"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}
)
"""Functions that make rows from their arguments alone."""
_EXAMPLE = "use SELECT orientation, count(*) FROM throws GROUP BY ALL"
_FEWER = "ask for counts or for fewer rows"
_NAME_LETTERS = frozenset("_ -")
"""Characters of a table's name beside letters and digits; a file's name has a dot or a slash."""


def _check_question(connection: duckdb.DuckDBPyConnection, question: str) -> None:
    """Raise SpecError unless a question is one SELECT that only reads throws."""
    try:
        question.encode()
    except UnicodeEncodeError:
        # A terminal may pass bytes that are not UTF-8.
        raise _not_select("bytes that are not UTF-8") from None
    statements = connection.extract_statements(question)
    # Only the syntax tree shows a COPY within a SELECT, and files in the place of tables.
    row = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [question]).fetchone()
    assert row is not None
    try:
        tree = json.loads(row[0])
    except RecursionError:
        raise _not_select("a question that nests too deeply") from None
    selects = [statement.type == duckdb.StatementType.SELECT for statement in statements] == [True]
    if not selects or tree["error"]:
        raise _not_select(", ".join(statement.type.name for statement in statements) or "nothing")
    waiting = [tree["statements"]]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            _check_node(node)
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _check_node(node: dict[str, Any]) -> None:
    """Raise where a part of a question does more than read throws."""
    kind, name = str(node.get("type")), ""
    if kind.endswith("_NODE") and kind not in _READING:
        raise _not_select(f"a question with {kind.partition('_')[0]} in it")
    if kind == "TABLE_FUNCTION":
        called = str(node["function"]["function_name"])
        name = f"{called}()" if called.lower() not in _TABLES else ""
    if kind == "BASE_TABLE":
        table = str(node["table_name"])
        plain = all(letter.isalnum() or letter in _NAME_LETTERS for letter in table)
        name = "" if plain else table
    if name:
        raise SpecError(f"{name[:80]!r} is not the view `throws`", fix=_EXAMPLE)


def _not_select(question: str) -> SpecError:
    return SpecError(f"{question} is not one SELECT", fix=_EXAMPLE)


LONGEST = 300.0
"""Default limit on the time of an answer [s]."""
_MEMORY_ROOM = 900 << 20
"""Bytes that an answer may take, beyond those that the process has at its start."""
_ROWS = 200
"""Rows that are sent together."""

_Message = list[tuple[Any, ...]] | PigglesimError


@contextmanager
def query_study(folder: Path, question: str, *, seconds: float = LONGEST) -> Iterator[Answer]:
    """Answer one SELECT about the throws of a study, in a process that ends with the block.

    It may take `seconds` in all, including the time in which its rows are read.

    Raises:
        RecordError: If it is not the folder of a study.
        SpecError: If the question is wrong or not allowed, or takes too much time or memory.
    """
    receiver, sender = get_context("spawn").Pipe(duplex=False)
    process = start_process(_serve, (sender, folder, question))
    sender.close()
    try:
        messages = _messages(receiver, process, seconds)
        columns = next(messages)
        yield Answer(columns=columns, rows=messages)
    finally:
        receiver.close()
        # It holds nothing that must be cleaned up.
        process.kill()
        process.join()
        process.close()


def _messages(
    pipe: "connection.Connection[Any, _Message]",
    process: Any,  # noqa: ANN401 (a SpawnProcess)
    seconds: float,
) -> Iterator[Any]:
    """Yield the names of the columns, then the rows.

    Messages are lists of these; an empty one ends them, and an error is raised here.
    """
    end = monotonic() + seconds
    while True:
        remaining = end - monotonic()
        if remaining <= 0.0 or not pipe.poll(remaining):
            raise SpecError(
                f"the answer takes more than {seconds:g} s",
                fix="ask for less, or use a larger --time-limit",
            )
        try:
            message = pipe.recv()
        except (EOFError, OSError):
            process.join()
            status = process.exitcode or 0
            ending = f"signal {-status}" if status < 0 else f"status {status}"
            raise SpecError(
                f"DuckDB ended with {ending} over the question",
                fix="ask for less, or check the folder with pigglesim study show",
            ) from None
        if isinstance(message, PigglesimError):
            raise message
        if not message:
            return
        for row in message:
            if monotonic() > end:
                break
            yield row


def _serve(pipe: "connection.Connection[_Message, Any]", folder: Path, question: str) -> None:
    """Answer in a process of its own."""
    leave_with_parent()
    with suppress(BrokenPipeError), closing(pipe):
        try:
            with open_throws(folder) as throws:
                _limit_memory()
                answer = run_query(throws, question)
                pipe.send([answer.columns])
                while rows := list(islice(answer.rows, _ROWS)):
                    pipe.send(rows)
                pipe.send([])
        except PigglesimError as fault:
            pipe.send(fault)
        except MemoryError:
            pipe.send(SpecError(f"the answer takes more than {_MEMORY_ROOM >> 20} MB", fix=_FEWER))


def _limit_memory() -> None:
    """Limit the memory of this process, where the system allows it."""
    status = Path("/proc/self/statm")
    if sys.platform == "win32" or not status.exists():
        return
    import resource  # noqa: PLC0415 (not on Windows)

    now = int(status.read_text().split()[5]) * resource.getpagesize()
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    limit = now + _MEMORY_ROOM
    resource.setrlimit(
        resource.RLIMIT_DATA,
        (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard),
    )
