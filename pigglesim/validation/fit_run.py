"""The drops of a fit, floor by floor, kept in a file as they come."""

import json
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from pathlib import Path

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.lasting import Growing, take
from pigglesim.scene.floor import Floor
from pigglesim.spatial import Array
from pigglesim.studies.drops import DropTally, DropTask
from pigglesim.validation.counted import CountedDie
from pigglesim.validation.fit import Emulator, at_point, design
from pigglesim.validation.validate import JudgedDie, drop_dice, drop_task, judge

__all__ = ["FitRun"]

Row = list[list[int]]
"""Drops by outcome of every die on one floor."""


@dataclass(kw_only=True)
class FitRun:
    """Drops of some dice on floors all over the plausible range.

    Each line of the file is one floor, written when it is whole: stopped at any moment, a run
    goes on with the next floor.

    Raises:
        SpecError: If the file holds another fit.
    """

    path: Path
    dice: tuple[CountedDie, ...]
    ground: Floor
    engine: str
    drops: int
    seed: int
    _rows: list[Row] = field(init=False)

    def __post_init__(self) -> None:
        self._rows = self._kept()

    @property
    def done(self) -> int:
        """How many floors have been tried."""
        return len(self._rows)

    def go_on(self, points: int, *, workers: int) -> Generator[int, None, None]:
        """Try floors until there are `points`; yield how many drops have been added.

        Args:
            points: Floors in all.
            workers: Processes.

        Raises:
            SpecError: If the file cannot be written, or another process writes to it.
        """
        where = design(points, seed=self.seed)
        tasks = [
            self._task(where[number], die, name=f"{die.name}, floor {number}")
            for number in range(self.done, points)
            for die in self.dice
        ]
        tallies: dict[int, DropTally] = {}
        with closing(self._taken()) as file:
            for number, tally in drop_dice(tasks, drops=self.drops, workers=workers):
                tallies[number] = tallies[number] + tally if number in tallies else tally
                whole = tallies[number].drops == self.drops
                if whole and number % len(self.dice) == len(self.dice) - 1:
                    row = [list(tallies.pop(k).counts[:-1]) for k in sorted(tallies)]
                    try:
                        file.add(f"{json.dumps(row)}\n".encode())
                    except OSError as fault:
                        raise self._unwritable(fault) from None
                    self._rows.append(row)
                yield tally.drops

    def emulators(self) -> list[Emulator]:
        """Return what the drops teach of each die."""
        where = design(self.done, seed=self.seed)
        return [
            Emulator(where, np.array([row[k] for row in self._rows], dtype=float))
            for k in range(len(self.dice))
        ]

    def score_at(self, point: Array, die: CountedDie, *, throws: int, workers: int) -> JudgedDie:
        """Return how well drops on the floor of a point foretell a die's counts."""
        tasks = [self._task(point, die, name=die.name)]
        tallies = [tally for _, tally in drop_dice(tasks, drops=throws, workers=workers)]
        return judge(die, reduce(add, tallies), seed=self.seed)

    def _task(self, point: Array, die: CountedDie, *, name: str) -> DropTask:
        fall, surface = at_point(self.ground, point, die.material)
        task = drop_task(die, self.ground, engine=self.engine, seed=self.seed)
        return replace(task, name=name, fall=fall, surface=surface)

    def _head(self) -> dict[str, object]:
        dice = [die.name for die in self.dice]
        return {"seed": self.seed, "drops": self.drops, "engine": self.engine, "dice": dice}

    def _taken(self) -> Growing:
        """Return the file, in this process's hands, cut to its whole lines."""
        try:
            file = Growing(self.path)
            if take(file.file) and self._kept() == self._rows:
                whole = self._whole()
                file.file.truncate(len(whole))
                if not whole:
                    file.add(f"{json.dumps(self._head())}\n".encode())
                return file
            file.close()
        except OSError as fault:
            raise self._unwritable(fault) from None
        raise SpecError(
            f"a file that nobody else writes to, {self.path}",
            got="another fit at work there",
            remedy="wait for it, or another --out",
        )

    def _unwritable(self, fault: OSError) -> SpecError:
        return SpecError(
            f"a file {self.path} that can be written",
            got=fault.strerror or str(fault),
            remedy="make room or give another --out, then run the same command: it goes on",
        )

    def _whole(self) -> bytes:
        """Return all whole lines of the file; one that was cut short counts as not written."""
        data = self.path.read_bytes() if self.path.exists() else b""
        return data[: data.rfind(b"\n") + 1]

    def _kept(self) -> list[Row]:
        """Return the rows of a file begun before."""
        try:
            whole = self._whole()
        except OSError as fault:
            raise self._unwritable(fault) from None
        if not whole:
            return []
        try:
            head, *rows = [json.loads(line) for line in whole.splitlines()]
        except ValueError as fault:
            raise SpecError(
                "a file that pigglesim fit wrote", got=str(fault), remedy="another --out"
            ) from None
        if head != self._head():
            raise SpecError(
                f"drops of the same fit, {self._head()}",
                got=f"{head}",
                remedy="the same flags, or another --out",
            )
        kept: list[Row] = rows
        return kept
