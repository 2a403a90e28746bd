"""Pours of a full cup."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from pigglesim.benchmarks.timing import Spread, in_turns, ratio, spread
from pigglesim.chance.physical import PhysicalChance
from pigglesim.landing import RollRequest, Seat
from pigglesim.scene.scene import Scene
from pigglesim.studies.tally import OddsSetting

_OURS, _PLAIN = 10, 2
"""Pours a measurement: about a second each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PourFigures:
    """How fast a full cup is poured onto an empty board and read."""

    piggles: int
    per_second: Spread
    vs_plain: Spread | None
    """Against the plain way; None where PyBullet is not installed."""


def time_pours(
    scene: Scene, engine: str, *, repeats: int, tell: Callable[[], None] | None = None
) -> PourFigures:
    """Return how fast a full cup is poured, in turns with the plain way.

    Args:
        scene: The table.
        engine: What pours.
        repeats: How often each way is timed.
        tell: Called after each measurement.
    """
    chance = _chance(scene, engine)
    ways = {"ours": _pouring(chance, _OURS)}
    if find_spec("pybullet") is not None and engine != "plain":
        ways["plain"] = _pouring(_chance(scene, "plain"), _PLAIN)
    rates = in_turns(ways, repeats=repeats, tell=tell)
    return PourFigures(
        piggles=len(_team(chance)),
        per_second=spread(rates["ours"]),
        vs_plain=ratio(rates, "ours", "plain") if "plain" in rates else None,
    )


def _chance(scene: Scene, engine: str) -> PhysicalChance:
    return OddsSetting(label=engine, scene=scene, engine=engine, seed=1).chance()


def _team(chance: PhysicalChance) -> tuple[str, ...]:
    return tuple(name for name in chance.models if name.startswith(Seat.A.value))


def _pouring(chance: PhysicalChance, count: int) -> Callable[[int], int]:
    request = RollRequest(thrower=Seat.A, piggles=_team(chance))

    def pour(repeat: int) -> int:
        for k in range(count):
            chance.roll(request, index=repeat * count + k)
        return count

    return pour
