"""Many pours of a full cup, counted: who lies how and where, and who is knocked.

A pour is a pure function of its setting and its number, and results come in the order of the
numbers: how many processes share the work changes nothing but the time.
"""

import signal
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum, auto, unique
from itertools import islice
from multiprocessing import get_context
from threading import current_thread, main_thread

from pigglesim.chance.physical import PhysicalChance
from pigglesim.games.piggles.scoring import ZONE_POINTS
from pigglesim.physics.engines import make_engine
from pigglesim.rolls import (
    Landing,
    Orientation,
    RollRequest,
    RollResult,
    Seat,
    SettleStatus,
    Zone,
)
from pigglesim.scene.scene import Scene
from pigglesim.seeding import MAX_SEED, generator
from pigglesim.shapes.load import load_model

__all__ = [
    "Kind",
    "KnockTally",
    "Layout",
    "PourTally",
    "Setting",
    "count_pour",
    "pour_all",
    "standing_layout",
]

_LAYOUT_TRIES = 1000
"""Pours looked at for a layout with no Piggle off the board: about one in nine has one off."""

Layout = tuple[tuple[str, Landing], ...]
"""Who stands where before a pour, by id."""


@unique
class Kind(Enum):
    """What is poured onto."""

    CLEARED = auto()
    """An empty board."""
    STANDING = auto()
    """The other seat's Piggles, as a layout has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Everything that pours of one side of a comparison have in common."""

    label: str
    """What this side is called in a table."""
    scene: Scene
    engine: str
    seed: int
    model: str | None = None
    """The model of every Piggle; None for the scene's own teams."""

    def chance(self) -> PhysicalChance:
        """Return the physics of this setting."""
        teams = {
            seat: [self.model] * len(own) if self.model else list(own)
            for seat, own in self.scene.teams.items()
        }
        bodies = {name: load_model(name) for own in teams.values() for name in own}
        return PhysicalChance(
            scene=self.scene,
            models={
                f"{seat}{number}": bodies[name]
                for seat, own in teams.items()
                for number, name in enumerate(own, start=1)
            },
            engine=make_engine(self.engine),
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PourTally:
    """What one pour onto a cleared board came to."""

    poses: tuple[int, ...]
    """Piggles on the board by pose, in the order of `Orientation`."""
    zones: tuple[int, ...]
    """Piggles poured by zone, in the order of `Zone`."""
    leaning: int
    """Piggles on the board that lean or lie on another."""
    points: int
    """What the Snout-Up ones score (R3)."""
    settled: bool
    """Whether every Piggle came to rest in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnockTally:
    """What one pour onto a layout came to."""

    standing: int
    """Piggles that stood there."""
    knocked: int
    """Those of them that were knocked (P18)."""


def standing_layout(setting: Setting) -> Layout:
    """Return how seat B's whole team lies after its first pour that leaves none off the board.

    Should there be none in a thousand, what lies on the board after the last stands for it.
    """
    chance = replace(setting.chance(), seed=_sub_seed(setting.seed, "layout"))
    request = RollRequest(thrower=Seat.B, piggles=_team(chance, Seat.B))
    layout: Layout = ()
    for index in range(_LAYOUT_TRIES):
        landings = chance.roll(request, index=index).landings
        layout = tuple((name, at) for name, at in landings if at.zone is not Zone.OFF)
        if len(layout) == len(landings):
            break
    return layout


def pour_all(
    settings: Sequence[Setting],
    *,
    pours: int,
    knock_pours: int = 0,
    layout: Layout = (),
    workers: int = 1,
) -> Generator[tuple[int, PourTally | KnockTally], None, None]:
    """Pour for every setting in turn, and yield each result with the number of its setting.

    All settings advance together: stop at any time, and each has the same first pours done.

    Args:
        settings: The sides of a comparison.
        pours: Of each setting onto a cleared board.
        knock_pours: Of each setting onto the layout, at most `pours`.
        layout: What stands there then.
        workers: Processes; with one all is done in this process.
    """
    jobs = _jobs(len(settings), pours, knock_pours)
    if workers == 1:
        table = _Table(tuple(settings), layout)
        for job in jobs:
            yield job[0], table.pour(*job)
        return
    pool = ProcessPoolExecutor(
        workers,
        # A fork would share the engine's connection; a spawned worker opens its own.
        mp_context=get_context("spawn"),
        initializer=_start,
        initargs=(tuple(settings), layout),
    )
    waiting: deque[tuple[int, Future[PourTally | KnockTally]]] = deque()
    try:
        with _deaf_to_interrupts():
            # Enough ahead that none is idle while the oldest is awaited.
            for job in islice(jobs, 4 * workers):
                waiting.append((job[0], pool.submit(_work, *job)))
        while waiting:
            number, oldest = waiting.popleft()
            result = oldest.result()
            for job in islice(jobs, 1):
                waiting.append((job[0], pool.submit(_work, *job)))
            yield number, result
    finally:
        pool.shutdown(cancel_futures=True)


def _jobs(sides: int, pours: int, knock_pours: int) -> Iterator[tuple[int, Kind, int]]:
    """Yield setting, kind and number of each pour, those that knock spread evenly over the rest."""
    for index in range(pours):
        for side in range(sides):
            yield side, Kind.CLEARED, index
        knock = index * knock_pours // pours
        if (index + 1) * knock_pours // pours > knock:
            for side in range(sides):
                yield side, Kind.STANDING, knock


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: it goes to the whole group.

    The parent alone answers it, and a worker ends its pour. What a process ignores when it starts
    another, the other ignores from its first moment.
    """
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Table:
    """Settings made ready to pour, in one process.

    Args:
        settings: The sides of a comparison.
        layout: What stands on the board for the pours that knock.
    """

    def __init__(self, settings: tuple[Setting, ...], layout: Layout) -> None:
        self._chances = [setting.chance() for setting in settings]
        self._layout = layout

    def pour(self, number: int, kind: Kind, index: int) -> PourTally | KnockTally:
        """Return what pour `index` of a setting came to."""
        chance = self._chances[number]
        team = _team(chance, Seat.A)
        if kind is Kind.CLEARED:
            return count_pour(chance.roll(RollRequest(thrower=Seat.A, piggles=team), index=index))
        # Numbers of their own: a knock shall not be the same throw as a pour already counted.
        chance = replace(chance, seed=_sub_seed(chance.seed, "knocks"))
        request = RollRequest(thrower=Seat.A, piggles=team, standing=self._layout)
        knocks = chance.roll(request, index=index).knocks
        return KnockTally(standing=len(self._layout), knocked=len(knocks))


def count_pour(result: RollResult) -> PourTally:
    """Return the counts of one roll onto a cleared board."""
    landings = [at for _, at in result.landings]
    return PourTally(
        poses=tuple(sum(at.orientation is pose for at in landings) for pose in Orientation),
        zones=tuple(sum(at.zone is zone for at in landings) for zone in Zone),
        leaning=sum(at.leaning or at.stacked for at in landings if at.zone is not Zone.OFF),
        points=sum(
            ZONE_POINTS[at.zone] for at in landings if at.orientation is Orientation.SNOUT_UP
        ),
        settled=result.settle is None or result.settle.status is SettleStatus.SETTLED,
    )


def _team(chance: PhysicalChance, seat: Seat) -> tuple[str, ...]:
    return tuple(name for name in chance.models if name.startswith(seat.value))


def _sub_seed(seed: int, purpose: str) -> int:
    return int(generator(seed, "tally", purpose).integers(MAX_SEED))


_tables: list[_Table] = []
"""The one table of a worker process, set up when the process starts."""


def _start(settings: tuple[Setting, ...], layout: Layout) -> None:
    _tables.append(_Table(settings, layout))


def _work(number: int, kind: Kind, index: int) -> PourTally | KnockTally:
    return _tables[0].pour(number, kind, index)
