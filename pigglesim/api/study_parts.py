"""Studies made in parts: make one, merge them, and throw some shards again to check them."""

import hashlib
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from os import PathLike
from pathlib import Path
from typing import Any

from pigglesim.api.study import StudyResult, Watching, results_of, run_study
from pigglesim.arguments import JsonResult, checked, plain
from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.parts import (
    PART_SUFFIX,
    Part,
    PartFile,
    merge,
    missing_parts,
    part_files,
    write_part,
)
from pigglesim.experiments.shard import Job, StudyPlan, make_shard
from pigglesim.experiments.statistics import Share, binomial
from pigglesim.experiments.store import (
    Store,
    read_definition,
    shard_seals,
    stored_study,
    whole_shards,
)
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.rng import Seed, generator, root_seed


def part_file(plan: StudyPlan, part: Part, place: Path) -> PartFile | None:
    """Return the file of a part if it is finished; None if it is not.

    A folder that a kill left beside the finished file goes: the file holds all of it.

    Raises:
        RecordError: If the file is of another study, or torn.
    """
    path = place / f"{part}{PART_SUFFIX}"
    if not path.exists():
        return None
    found = PartFile.read(path)
    found.expect_made_here(plan)
    shutil.rmtree(place / str(part), ignore_errors=True)
    return found


def run_part(
    plan: StudyPlan,
    part: Part,
    place: Path,
    *,
    workers: int = 1,
    watching: Watching,
    settle: Callable[[], None] = lambda: None,
) -> tuple[StudyResult, PartFile | None]:
    """Make the missing shards of a part in a folder of its own, and then its file.

    Returns:
        The results of the part, and its file; None if it is not finished.
    """
    folder = place / str(part)
    shards = part.shards(plan.study)
    result = run_study(plan, folder, workers=workers, part=shards, watching=watching, settle=settle)
    if result.stopped or result.failed:
        return result, None
    with Store(folder, plan) as store:
        written = write_part(store, part, place / f"{part}{PART_SUFFIX}")
    shutil.rmtree(folder)
    return result, written


@checked
def merge_study(
    parts: Sequence[str | PathLike[str]],
    out: str | PathLike[str],
    *,
    partial: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> StudyResult:
    """Merge the parts of a study into its folder, after checking every shard.

    Args:
        parts: Files of parts, or folders with them.
        out: Folder of the study; shards that it has already stay.
        partial: Whether to merge although parts are missing; the study is then unfinished.
        progress: Function called after each shard with the numbers of shards done and wanted.

    Returns:
        The results of the study.

    Raises:
        PigglesimError: If a part is missing, there twice, torn, or of another study or version.

    Examples:
        >>> import pigglesim
        >>> pigglesim.merge_study(["parts"], "pours").shares["Snout-Up"]
    """
    found = part_files(map(Path, parts))
    missing = missing_parts(found)
    if missing and not partial:
        shown = ", ".join(map(str, missing[:10])) + (", ..." if len(missing) > 10 else "")
        raise RecordError(
            f"{len(missing):,} of {found[0].part.of:,} parts are missing: {shown}",
            fix="make them, or add --partial",
        )
    folder, plan = Path(out), StudyPlan.of(found[0].study)
    found[0].expect_made_here(plan)
    wanted = sum(len(each.sums) for each in found)
    with Store(folder, plan) as store:
        merge(found, store, watch=lambda done: progress and progress(done, wanted))
        return results_of(folder, plan.study, whole_shards(folder, plan.study))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyAudit(JsonResult):
    """Shards of a study that were thrown again."""

    folder: Path
    shards: int
    """Number of shards in the folder."""
    again: tuple[int, ...]
    """Shards thrown again."""
    different: tuple[int, ...]
    """Those whose throws were not the same to the bit."""

    @property
    def share(self) -> Share:
        """Share of all shards that differ, with its 95 % interval."""
        return binomial(len(self.different), len(self.again))

    def document(self) -> dict[str, Any]:
        """Return the audit as JSON values."""
        return {
            "folder": str(self.folder),
            "shards": self.shards,
            "again": list(self.again),
            "different": list(self.different),
            "share": plain(self.share),
        }


@checked
def audit_study(
    folder: str | PathLike[str],
    *,
    share: float = 0.01,
    seed: Seed = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> StudyAudit:
    """Throw some shards of a study again, drawn at random, and compare every bit.

    Args:
        folder: Folder of a study, made here or elsewhere by the same versions.
        share: Share of the shards to throw again; at least one is.
        seed: Seed of the draw, or a stream to draw it from. Default: random, so that the makers of
            the study could not know it.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        progress: Function called after each shard with the numbers of shards done and wanted.

    Returns:
        The shards thrown again and those that differ.

    Raises:
        PigglesimError: If it is not the folder of a study, has been changed, or other versions
            made it.

    Examples:
        >>> import pigglesim
        >>> assert not pigglesim.audit_study("pours", share=0.1).different
    """
    if not 0.0 < share <= 1.0:
        raise SpecError(f"invalid share {share:g}", expected="above 0, at most 1", fix="use 0.01")
    path = Path(folder)
    stored = stored_study(path)
    numbers = list(whole_shards(path, stored))
    if not numbers:
        raise RecordError(f"no throws in {path}", fix="run the study first")
    plan = StudyPlan.of(stored)
    if plan.digest != read_definition(path)["digest"]:
        # Raises, and says what differs.
        Store(path, plan).close()
    draw = generator(root_seed(seed), "audit")
    count = ceil(share * len(numbers))
    again = sorted(int(each) for each in draw.choice(numbers, count, replace=False))
    seals, different = shard_seals(path), list[int]()
    prepare = partial(partial, make_shard, Job.of(plan))
    made = map_in_order(prepare, again, workers=min(workers, count))
    for done, (number, data) in enumerate(zip(again, made, strict=True), start=1):
        if hashlib.sha256(data).hexdigest() != seals[number]:
            different.append(number)
        if progress is not None:
            progress(done, count)
    return StudyAudit(
        folder=path, shards=len(numbers), again=tuple(again), different=tuple(different)
    )
