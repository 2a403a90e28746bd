"""Throws of a study in a window: one of each shard, as the shards are made."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pigglesim.cli import completions
from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from pigglesim.studies.identity import Plan
    from pigglesim.studies.study import Study
    from pigglesim.viewer.shows import Take

__all__ = ["WATCH_HELP", "open_beside", "refuse_drops", "watch_throws"]

WATCH_HELP = """Watch throws of a study in a window.

The first throw of each shard is simulated again, bit for bit, as shards are finished. The study may
be running; nothing is changed.

Examples:

  pigglesim study watch pours

  pigglesim study watch pours --camera top --viewer null
"""


def watch_throws(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a study.")],
    camera: Annotated[
        str,
        typer.Option(
            autocompletion=completions.views,
            metavar="VIEW",
            help="Camera: table, top, south, north, east, west or low; or "
            "azimuth,elevation,distance. [deg, deg, m]",
        ),
    ] = "table",
    viewer: Annotated[
        str, typer.Option(metavar="VIEWER", help="Viewer: window, or null for none.")
    ] = "window",
) -> None:
    """Watch throws of a study."""
    from pigglesim.cli.watching import watch
    from pigglesim.studies.identity import Plan
    from pigglesim.studies.store import stored_study
    from pigglesim.viewer.shows import Films

    study = stored_study(folder)
    refuse_drops(study)
    instead = f"--viewer null, or pigglesim study report {folder}"
    plan = Plan.read(study)
    takes = Films(_takes(folder, plan), words="Waiting for a shard")
    seen = watch(
        takes, plan.base.scene, title=f"{folder}", instead=instead, camera=camera, viewer=viewer
    )
    print("\n".join(seen), end="\n" if seen else "")


def refuse_drops(study: "Study") -> None:
    """Refuse a study in whose throws there is no table to look at.

    Raises:
        SpecError: If it is one of drops.
    """
    from pigglesim.studies.study import ThrowKind

    if study.kind is ThrowKind.DROP:
        raise SpecError(
            "a study of pours or knocks, which happen at a table",
            got="one of drops",
            remedy="--kind pour; poses of a drop: pigglesim poses MODEL",
        )


def open_beside(folder: Path) -> "subprocess.Popen[bytes]":
    """Open the window in a process of its own, which may outlive the study and be closed before.

    Args:
        folder: Of the study.
    """
    command = [sys.executable, "-P", "-m", "pigglesim", "study", "watch", str(folder)]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL)


def _takes(folder: Path, plan: "Plan") -> "Iterator[Take | None]":
    """Yield the first throw of each shard, in the order in which they are found; None to wait."""
    from pigglesim.chance.physical import FilmedChance
    from pigglesim.studies.shard import Thrower
    from pigglesim.studies.store import shard_numbers
    from pigglesim.viewer.shows import Take

    study, thrower, seen = plan.study, Thrower(plan), set[int]()
    cells = study.cells()
    while len(seen) < study.shard_count:
        found = (number for number in shard_numbers(folder) if number < study.shard_count)
        number = next((number for number in found if number not in seen), None)
        if number is None:
            yield None
            continue
        seen.add(number)
        shard = study.shard(number)
        trial = shard.trials.start
        chance, request = thrower.pour(shard.cell, trial)
        _, film = FilmedChance(source=chance).filmed(request, index=trial)
        levels = ", ".join(f"{name} {level}" for name, level in cells[shard.cell].items())
        yield Take(
            film=film,
            title=f"Throw {shard.first_throw}{f': {levels}' if levels else ''}",
            story=(f"trial {trial} of seed {study.seed}, shard {number} of {study.shard_count}",),
        )
