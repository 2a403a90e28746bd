"""What is told to whoever waits."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import duckdb

from pigglesim.bodies.body import Body
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.pictures.study_report import write_report
from pigglesim.scene.board import Board
from pigglesim.scene.scene import Scene
from pigglesim.studies.estimates import StudyAnswers
from pigglesim.studies.identity import StudyPlan, body_name
from pigglesim.studies.query import open_throws
from pigglesim.studies.store import (
    read_definition,
    torn_fault,
)
from pigglesim.studies.study import Study


def make_report(
    folder: Path, study: Study, answers: StudyAnswers | None, *, how_far: str, finished: bool
) -> tuple[list[Path], list[str]]:
    """Write the report of a study into its folder.

    Args:
        folder: The folder of the study.
        study: What is thrown.
        answers: What the throws say; None where there are none.
        how_far: How much of the study is done, in words.
        finished: Whether all of it is.

    Returns:
        What was written, the page first; and what it lacks, a line each.

    Raises:
        RecordError: If a shard is torn.
        SpecError: If the folder cannot be written, or there is nothing to tell of.
    """
    if not answers:
        raise SpecError("throws to report", got=f"none in {folder}", remedy="run the study first")
    known = read_definition(folder)
    bodies, cell_bodies, board, notes = _pieces(study, known["made_of"])
    metadata = {"title": _title(study, finished=finished), "how far": how_far, **known}
    try:
        with open_throws(folder) as connection:
            files = write_report(
                folder,
                answers=answers,
                metadata=metadata,
                connection=connection,
                bodies=bodies,
                cell_bodies=cell_bodies,
                board=board,
            )
    except duckdb.Error as fault:
        raise torn_fault(folder, fault) from None
    return files, notes


def _title(study: Study, *, finished: bool) -> str:
    models = ", ".join(Path(name).stem if "/" in name else name for name in study.models)
    onto = {"drop": "Drops of {} on {}", "pour": "Pours of {} onto {}"}
    words = onto.get(str(study.kind), "Pours of {} onto a team that stands on {}")
    title = words.format(models, Path(study.scene).stem)
    return title if finished else f"{title} (unfinished)"


def _pieces(
    study: Study, made_of: dict[str, Any]
) -> tuple[dict[str, Body], dict[int, Body], Board | None, list[str]]:
    """Return the dice by model and by cell, the board, and what is no longer as it was thrown."""
    try:
        plan = StudyPlan.read(study)
        found = plan.bodies
    except PigglesimError as fault:
        return {}, {}, None, [f"no spheres, maps or exact shares in the report: {fault}"]
    notes = []
    by_model: dict[str, list[Body]] = defaultdict(list)
    known: dict[tuple[str, float | None], Body] = {}
    for (name, grams), body in found.items():
        called = body_name(name, grams)
        if made_of["models"].get(called) == body.sha256:
            known[name, grams] = body
            by_model[body.model].append(body)
        else:
            notes.append(f"{called} is no longer what was thrown: no sphere of it in the report")
    # Of several ballasts a model's name stands for no one body.
    bodies = {model: own[0] for model, own in by_model.items() if len(own) == 1}
    cell_bodies: dict[int, Body] = {}
    for cell, setup in enumerate(plan.setups):
        thrown = {known.get((name, setup.ballast_g)) for name in setup.models}
        if len(thrown) == 1 and (only := thrown.pop()) is not None:
            cell_bodies[cell] = only
    board = plan.base.place.board if isinstance(plan.base.place, Scene) else None
    if plan.base.place.sha256 != made_of["scene_sha256"]:
        notes.append(f"{study.scene} is no longer what was thrown on: no maps in the report")
        board = None
    return bodies, cell_bodies, board, notes
