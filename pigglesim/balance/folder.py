"""The folder of a balance study: its trials in the order in which they were played."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from pigglesim.balance.study import BalanceStudy
from pigglesim.balance.table import Table
from pigglesim.balance.trial import Trial
from pigglesim.errors import RecordError
from pigglesim.series import run as series
from pigglesim.series.folder import Folder, Kind, stored_definition, stored_items

__all__ = ["open_folder", "run", "stored_study", "stored_trials"]

_KIND = Kind(
    series="balance",
    items="trials",
    read=Trial.from_json,
    made=frozenset({"report.html", "pictures"}),
)


def stored_study(path: Path) -> tuple[BalanceStudy, int]:
    """Return the study of a folder, and how many trials were last asked for.

    Raises:
        RecordError: If it is no folder of a balance study.
    """
    plain, trials = stored_definition(path, _KIND)
    try:
        return BalanceStudy.from_definition(plain), trials
    except (TypeError, ValueError, KeyError) as fault:
        raise RecordError(
            f"a {_KIND.definition} that can be read",
            got=f"that of {path}: {fault}",
            remedy="another folder",
        ) from None


def stored_trials(path: Path) -> list[Trial]:
    """Return all whole trials of a folder; nothing of it is changed."""
    return stored_items(path, _KIND)


def open_folder(path: Path, study: BalanceStudy, *, trials: int) -> Folder[Trial]:
    """Return the folder of a study, made if there is none, for one process to add trials to.

    Args:
        path: Where it is.
        study: What is played.
        trials: How many are asked for.

    Raises:
        RecordError: If the folder is of another study or in use.
        FolderError: If it cannot be written.
    """
    return Folder(path, _KIND, study.definition(), Table(study).made_of(), wanted=trials)


def run(
    folder: Folder[Trial],
    study: BalanceStudy,
    *,
    trials: int,
    workers: int = 1,
    watch: Callable[[Folder[Trial]], None] = lambda folder: None,
) -> None:
    """Play every trial that is missing, in order; how many workers there are changes no bit.

    Args:
        folder: Of the study.
        study: What is played.
        trials: How many there shall be.
        workers: Processes; with one all is done in this process.
        watch: Called after each trial.
    """
    series.run(folder, partial(Table, study), wanted=trials, workers=workers, watch=watch)
