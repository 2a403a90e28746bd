"""When a throw is over: still for long enough, eased into place, still again; or out of time."""

from dataclasses import dataclass
from enum import Enum, auto, unique

from pigglesim.physics.engine import World
from pigglesim.rolls import SettleReport, SettleStatus
from pigglesim.scene.scene import GRAVITY, Stepping

__all__ = ["SLOW_CLIMB", "Settling", "Watched"]

SLOW_CLIMB = 2e-5
"""A body is slow whose motion could lift it by no more [m]: on its way to rest it slides no farther
than that by its friction, some hundredths of a millimetre."""

_SLOW, _SLOW_SPIN = (GRAVITY * SLOW_CLIMB) ** 0.5, 1.0
"""Bounds of a slow body's speed [m/s] and spin [rad/s]: half of that energy, and less than half in
the spin of a Piggle."""
_EASE_STAGES = 10
"""Rolling resistance fades in this many equal steps."""


@unique
class _Phase(Enum):
    ROLLING = auto()
    EASING = auto()
    SINKING = auto()
    OVER = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """Who was seen to move little."""

    quiet: list[int]
    """Those that have been still for long enough."""
    slow: list[int]
    """Others that move too little to go far."""


class Settling:
    """Watches a world after the cup is empty.

    A body lies still when its speed and spin have stayed below their bounds, with something
    touching it, for `rest_time`. Once all do, rolling resistance fades out over `ease_time`: a
    body that resistance holds half way over an edge (a lever is a crude model of it at rest)
    sinks into the pose whose basin it is in. Then all must lie still once more. Bodies that were
    put to sleep take no part.

    Args:
        stepping: The scene's bounds.
        start: Time at which the watch begins [s].
    """

    def __init__(self, stepping: Stepping, start: float) -> None:
        self._stepping = stepping
        self._phase = _Phase.ROLLING
        self._since = start
        self._moved_at: dict[int, float] = {}
        self._ease_start = start
        self._stage = 0
        self._status = SettleStatus.SETTLED
        self._time = start

    def ended(self) -> bool:
        """Whether the throw has ended, one way or the other."""
        return self._phase is _Phase.OVER

    def watch(self, world: World, awake: list[int], time: float) -> Watched:
        """Look at the world; return who has been still for long enough, and who moves little."""
        self._time = time
        if time >= self._stepping.time_limit:
            self._status, self._phase = SettleStatus.TIMED_OUT, _Phase.OVER
            return Watched(quiet=[], slow=[])
        if not awake:
            self._phase = _Phase.OVER
            return Watched(quiet=[], slow=[])
        if self._phase is _Phase.EASING:
            self._fade(world, time)
        slow = []
        for number in awake:
            speed, spin = world.speeds(number)
            if speed < _SLOW and spin < _SLOW_SPIN and world.supported(number):
                slow.append(number)
                if speed < self._stepping.rest_speed and spin < self._stepping.rest_spin:
                    continue
            self._moved_at[number] = time
        quiet = [
            number
            for number in awake
            if time - max(self._moved_at.get(number, self._since), self._since)
            >= self._stepping.rest_time - 1e-9
        ]
        if len(quiet) == len(awake) and self._phase is not _Phase.EASING:
            self._next(time)
        return Watched(quiet=quiet, slow=[number for number in slow if number not in quiet])

    def sink_on(self) -> None:
        """Wait until all lie still once more: something has been helped on its way."""
        if self._status is SettleStatus.SETTLED and self._stepping.ease_time > 0.0:
            self._phase, self._since = _Phase.SINKING, self._time

    def report(self) -> SettleReport:
        """Return how it ended."""
        return SettleReport(status=self._status, time=self._time)

    def _next(self, time: float) -> None:
        if self._phase is _Phase.ROLLING and self._stepping.ease_time > 0.0:
            self._phase, self._ease_start = _Phase.EASING, time
        else:
            self._phase = _Phase.OVER

    def _fade(self, world: World, time: float) -> None:
        share = (time - self._ease_start) / self._stepping.ease_time
        stage = min(int(share * _EASE_STAGES) + 1, _EASE_STAGES)
        if stage != self._stage:
            self._stage = stage
            world.ease(1.0 - stage / _EASE_STAGES)
        if share >= 1.0:
            self._phase, self._since = _Phase.SINKING, time
