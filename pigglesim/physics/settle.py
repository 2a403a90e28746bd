"""End of a throw: bodies still, resistance faded, still again; or the time limit."""

from dataclasses import dataclass
from enum import Enum, auto, unique

from pigglesim.landing import SettleReport, SettleStatus
from pigglesim.physics.engine import World
from pigglesim.scene.scene import GRAVITY, Stepping

SLOW_ENERGY_HEIGHT = 2e-5
"""Kinetic energy, as a height, below which a body is slow [m]: before it rests, it slides at most
some hundredths of a millimetre."""

_SLOW, _SLOW_SPIN = (GRAVITY * SLOW_ENERGY_HEIGHT) ** 0.5, 1.0
"""Bounds of a slow body's speed [m/s] and angular speed [rad/s]: half of that energy in motion, and
less than half in the rotation of a Piggle."""
_FADE_STAGES = 10
"""Number of equal steps in which rolling resistance fades."""


@unique
class _Phase(Enum):
    ROLLING = auto()
    FADING = auto()
    SETTLING = auto()
    OVER = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """Numbers of the bodies that move little."""

    quiet: list[int]
    """Bodies that have been still for long enough."""
    slow: list[int]
    """Other bodies that move too slowly to go far."""


class Settling:
    """Detection of the end of a throw, after the cup is empty.

    A body is still when its speed and angular speed have stayed below their bounds, with something
    touching it, for `rest_time`. Once all are, rolling resistance fades out over `ease_time`: a
    body that resistance holds halfway over an edge (a lever is a crude model of it at rest)
    descends into the pose of its basin. Then all must be still again. Sleeping bodies do not
    count.
    """

    def __init__(self, stepping: Stepping, start: float) -> None:
        self._stepping = stepping
        self._phase = _Phase.ROLLING
        self._since = start
        self._moved_at: dict[int, float] = {}
        self._fade_start = start
        self._stage = 0
        self._status = SettleStatus.SETTLED
        self._time = start

    def ended(self) -> bool:
        """Return whether the throw has ended, at rest or by the time limit."""
        return self._phase is _Phase.OVER

    def watch(self, world: World, awake: list[int], time: float) -> Watched:
        """Inspect the world; return the bodies that are still, and those that are slow."""
        self._time = time
        if time >= self._stepping.time_limit:
            self._status, self._phase = SettleStatus.TIMED_OUT, _Phase.OVER
            return Watched(quiet=[], slow=[])
        if not awake:
            self._phase = _Phase.OVER
            return Watched(quiet=[], slow=[])
        if self._phase is _Phase.FADING:
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
        if len(quiet) == len(awake) and self._phase is not _Phase.FADING:
            self._next(time)
        return Watched(quiet=quiet, slow=[number for number in slow if number not in quiet])

    def settle_again(self) -> None:
        """Wait until all are still again, because a body was pushed."""
        if self._status is SettleStatus.SETTLED and self._stepping.ease_time > 0.0:
            self._phase, self._since = _Phase.SETTLING, self._time

    def report(self) -> SettleReport:
        """Return the status and time of the end."""
        return SettleReport(status=self._status, time=self._time)

    def _next(self, time: float) -> None:
        if self._phase is _Phase.ROLLING and self._stepping.ease_time > 0.0:
            self._phase, self._fade_start = _Phase.FADING, time
        else:
            self._phase = _Phase.OVER

    def _fade(self, world: World, time: float) -> None:
        share = (time - self._fade_start) / self._stepping.ease_time
        stage = min(int(share * _FADE_STAGES) + 1, _FADE_STAGES)
        if stage != self._stage:
            self._stage = stage
            world.fade_resistance(1.0 - stage / _FADE_STAGES)
        if share >= 1.0:
            self._phase, self._since = _Phase.SETTLING, time
