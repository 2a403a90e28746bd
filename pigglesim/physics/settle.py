"""When a throw is over: still for long enough, eased into place, still again; or out of time."""

from enum import Enum, auto, unique

from pigglesim.physics.engine import World
from pigglesim.rolls import SettleReport, SettleStatus
from pigglesim.scene.scene import Stepping

__all__ = ["Settling"]

_EASE_STAGES = 10
"""Rolling resistance fades in this many equal steps."""


@unique
class _Phase(Enum):
    ROLLING = auto()
    EASING = auto()
    SINKING = auto()
    OVER = auto()


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

    def watch(self, world: World, awake: list[int], time: float) -> list[int]:
        """Look at the world after a step; return who has been still for long enough."""
        self._time = time
        if time >= self._stepping.time_limit:
            self._status, self._phase = SettleStatus.TIMED_OUT, _Phase.OVER
            return []
        if not awake:
            self._phase = _Phase.OVER
            return []
        if self._phase is _Phase.EASING:
            self._fade(world, time)
        for number in awake:
            if not self._still(world, number):
                self._moved_at[number] = time
        quiet = [
            number
            for number in awake
            if time - max(self._moved_at.get(number, self._since), self._since)
            >= self._stepping.rest_time - 1e-9
        ]
        if len(quiet) == len(awake) and self._phase is not _Phase.EASING:
            self._next(time)
        return quiet

    def sink_on(self) -> None:
        """Wait until all lie still once more: something has been helped on its way."""
        if self._status is SettleStatus.SETTLED and self._stepping.ease_time > 0.0:
            self._phase, self._since = _Phase.SINKING, self._time

    def report(self) -> SettleReport:
        """Return how it ended."""
        return SettleReport(status=self._status, time=self._time)

    def _still(self, world: World, number: int) -> bool:
        speed, spin = world.speeds(number)
        slow = speed < self._stepping.rest_speed and spin < self._stepping.rest_spin
        return slow and world.supported(number)

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
