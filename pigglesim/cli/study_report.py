"""What the folder of a study says: its answers, its report, and how far it has come."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from pigglesim.cli.options import result_console
from pigglesim.errors import PigglesimError, RecordError, SpecError

__all__ = [
    "IntervalOption",
    "LevelOption",
    "Said",
    "ask_folder",
    "chosen_level",
    "chosen_method",
    "make_report",
    "refuse_torn",
]

IntervalOption = Annotated[
    str, typer.Option("--interval", help="Form of the intervals of shares: wilson or jeffreys.")
]
LevelOption = Annotated[
    float | None, typer.Option("--level", help="Of all intervals; .95 if absent.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a folder says."""

    folder: Path
    study: Any
    """A `Study`."""
    answers: Any
    """`StudyAnswers`; None where no throw is there."""
    throws: int
    finished: bool

    @property
    def how_far(self) -> str:
        """How much of the study is there."""
        if self.finished:
            return f"{self.throws:,} throws, finished"
        most = f"{self.study.most_throws * self.study.cell_count:,}"
        most = f"at most {most}" if self.study.precision else most
        return f"{self.throws:,} of {most} throws, unfinished"

    def document(self) -> dict[str, Any]:
        """Return it as plain values."""
        from pigglesim.cli.study_table import answers_document

        return {
            "folder": str(self.folder),
            "study": self.study.definition(),
            "throws": self.throws,
            "finished": self.finished,
            "answers": answers_document(self.answers) if self.answers else None,
        }

    def show(self, console: Console | None = None) -> None:
        """Print it as tables."""
        from pigglesim.cli.study_table import show_answers

        if self.answers:
            show_answers(console or result_console(), self.answers)


def chosen_level(level: float | None, study: Any) -> float:  # noqa: ANN401 (a Study)
    """Return the level of the intervals: the one given, or that of the study's precision."""
    if level is None:
        return float(study.precision.level) if study.precision else 0.95
    if not 0.5 <= level < 1.0:
        raise SpecError("a level of 0.5 to less than 1", got=f"{level:g}", remedy="--level .95")
    return level


def ask_folder(folder: Path, *, level: float | None, interval: str) -> Said:
    """Return what the folder of a study says, as far as it has come.

    Args:
        folder: Of the study.
        level: Of all intervals; None for that of its precision, or .95.
        interval: Form of the intervals of shares.

    Raises:
        RecordError: If it is no folder of a study, or a shard of it is torn.
        SpecError: If the level or the form is none.
    """
    import duckdb

    from pigglesim.studies.answers import answer
    from pigglesim.studies.query import open_throws
    from pigglesim.studies.store import stored_study

    study = stored_study(folder)
    method, level = chosen_method(interval), chosen_level(level, study)
    throws, finished = _how_far(folder, study)
    answers = None
    if throws:
        factors = [found.column for found in study.varied()]
        try:
            with open_throws(folder) as connection:
                answers = answer(
                    connection, kind=str(study.kind), factors=factors, level=level, method=method
                )
        except duckdb.Error as fault:
            raise _torn(folder, fault) from None
    return Said(folder=folder, study=study, answers=answers, throws=throws, finished=finished)


def chosen_method(interval: str) -> Any:  # noqa: ANN401 (a Method)
    """Return the form of interval of that name."""
    from pigglesim.errors import unknown_name
    from pigglesim.studies.estimate import Method

    if interval not in set(Method):
        raise unknown_name("interval", interval, map(str, Method))
    return Method(interval)


def _how_far(folder: Path, study: Any) -> tuple[int, bool]:  # noqa: ANN401 (a Study)
    """Return how many throws are there, and whether they are all that the study wants."""
    import duckdb

    from pigglesim.studies.made import read_counts
    from pigglesim.studies.run import target_of
    from pigglesim.studies.running_counts import Counts
    from pigglesim.studies.store import shard_files, shard_number

    files = {
        path: number for path in shard_files(folder) if (number := shard_number(path)) is not None
    }
    try:
        found = read_counts(list(files))
    except (KeyError, ValueError, duckdb.Error) as fault:
        raise _torn(folder, fault) from None
    cells: dict[int, Counts] = defaultdict(Counts)
    for number, counts in zip(files.values(), found, strict=True):
        cells[number % study.cell_count] += counts
    throws = sum(counts.throws for counts in cells.values())
    if throws == study.most_throws * study.cell_count:
        return throws, True
    target = target_of(study)
    even = len({counts.throws for counts in cells.values()}) == 1
    whole = even and len(cells) == study.cell_count
    return throws, bool(target and whole and target.reached(list(cells.values())))


def make_report(said: Said) -> tuple[list[Path], list[str]]:
    """Write the report of a study into its folder.

    Returns:
        What was written, the page first; and what it lacks, a line each.

    Raises:
        RecordError: If a shard is torn.
        SpecError: If the folder cannot be written, or there is nothing to tell of.
    """
    import duckdb

    from pigglesim.pictures.study_report import write_report
    from pigglesim.studies.query import open_throws
    from pigglesim.studies.store import read_definition

    if not said.answers:
        raise SpecError(
            "throws to report", got=f"none in {said.folder}", remedy="run the study first"
        )
    known = read_definition(said.folder)
    bodies, cell_bodies, board, notes = _pieces(said.study, known["made_of"])
    metadata = {"title": _title(said), "how far": said.how_far, **known}
    try:
        with open_throws(said.folder) as connection:
            files = write_report(
                said.folder,
                answers=said.answers,
                metadata=metadata,
                connection=connection,
                bodies=bodies,
                cell_bodies=cell_bodies,
                board=board,
            )
    except duckdb.Error as fault:
        raise _torn(said.folder, fault) from None
    return files, notes


def _title(said: Said) -> str:
    study = said.study
    models = ", ".join(Path(name).stem if "/" in name else name for name in study.models)
    onto = {"drop": "Drops of {} on {}", "pour": "Pours of {} onto {}"}
    words = onto.get(str(study.kind), "Pours of {} onto a team that stands on {}")
    title = words.format(models, Path(study.scene).stem)
    return title if said.finished else f"{title} (unfinished)"


def _pieces(study: Any, made_of: dict[str, Any]) -> tuple[Any, Any, Any, list[str]]:  # noqa: ANN401 (late imports)
    """Return the dice by model and by cell, the board, and what is no longer as it was thrown."""
    from pigglesim.scene.scene import Scene
    from pigglesim.studies.identity import Plan, body_name

    try:
        plan = Plan.read(study)
        found = plan.bodies
    except PigglesimError as fault:
        return {}, {}, None, [f"no spheres, maps or exact shares in the report: {fault}"]
    notes = []
    by_model: dict[str, list[Any]] = defaultdict(list)
    known = {}
    for (name, grams), body in found.items():
        called = body_name(name, grams)
        if made_of["models"].get(called) == body.sha256:
            known[name, grams] = body
            by_model[body.model].append(body)
        else:
            notes.append(f"{called} is no longer what was thrown: no sphere of it in the report")
    # Of several ballasts a model's name stands for no one body.
    bodies = {model: own[0] for model, own in by_model.items() if len(own) == 1}
    cell_bodies = {}
    for cell, setup in enumerate(plan.setups):
        own = {known.get((name, setup.ballast_g)) for name in setup.models}
        if len(own) == 1 and None not in own:
            (cell_bodies[cell],) = own
    board = plan.base.place.board if isinstance(plan.base.place, Scene) else None
    if plan.base.place.sha256 != made_of["scene_sha256"]:
        notes.append(f"{study.scene} is no longer what was thrown on: no maps in the report")
        board = None
    return bodies, cell_bodies, board, notes


def refuse_torn(folder: Path) -> None:
    """Raise if a shard is not what was written.

    Raises:
        RecordError: If so, or if it is no folder of a study.
    """
    from pigglesim.studies.store import read_definition, torn_shards

    read_definition(folder)
    if torn := torn_shards(folder):
        raise _torn(folder, ", ".join(path.name for path in torn))


def _torn(folder: Path, fault: object) -> RecordError:
    return RecordError(
        f"whole shards in {folder}",
        got=" ".join(str(fault).split())[:200] or type(fault).__name__,
        remedy="run the study again: it makes torn shards anew",
    )
