"""Throws of a page without a server, by the engine in WebAssembly: the bits are those of Python."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pigglesim.chance.tabular import fair_draw
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.cup_motion import CupMotion
from pigglesim.cup_path import (
    CupPath,
    HandPath,
    drawn_path,
    expect_legal,
    expect_legal_hand,
    loaded,
    with_hold,
)
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON
from pigglesim.hand_throw import HandThrow
from pigglesim.knocks import Rotation, read_knocks
from pigglesim.landing import (
    Landing,
    ReadingRules,
    RestPlace,
    RollRequest,
    RollResult,
    SettleReport,
    SettleStatus,
)
from pigglesim.pose_reading import ORIENTATIONS, ZONES
from pigglesim.rng import Generator, generator
from pigglesim.scene.scene import Scene
from pigglesim.trig import atan2

Row = list[float]
"""Position [m] and quaternion of a body."""


class PageEngine(Protocol):
    """The engine of the page."""

    def __call__(self, throw: str, /) -> str:
        """Simulate a throw, and return where it ends; both are JSON."""


@dataclass(frozen=True, kw_only=True)
class ThrownFilm:
    """Film of a throw that the engine has in its memory."""

    throw: RollRequest
    result: RollResult
    seconds: float


@dataclass(frozen=True, kw_only=True)
class PageChance:
    """A source of rolls by the engine of a page, with all Piggles of one model.

    Args:
        radius: Distance from the centre of a Piggle to its farthest point [m].
        origin: What a record says of rolls by physics.
        engine: The engine.
        show: Function called with each throw.
    """

    scene: Scene
    seed: int
    radius: float
    origin: Mapping[str, JSON]
    engine: PageEngine
    show: Callable[[ThrownFilm], None]
    filmed: bool = True
    """Whether the engine stores a film of each throw, which has to be shown."""

    def with_seed(self, seed: int) -> "PageChance":
        """Return the same chance under another seed."""
        return replace(self, seed=seed)

    def provenance(self) -> dict[str, JSON]:
        """Return everything on which the bits depend."""
        return dict(self.origin)

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Simulate a roll, or shuffle cards, as answer `index` of this seed.

        Raises:
            SpecError: If this page cannot, or the cup is held against the rules.
        """
        if not isinstance(request, RollRequest):
            return fair_draw(request, rng=generator(self.seed, "shuffle", index))
        if request.toss or request.set_down or request.reading != ReadingRules():
            raise SpecError("this page cannot throw so", fix="use pigglesim play")
        rng = generator(self.seed, "roll", index)
        standing = [_row(name, at) for name, at in request.standing]
        throw = {"seat": request.thrower, "rolled": len(request.piggles), "standing": standing}
        throw["quiet"] = not self.filmed
        end = json.loads(self.engine(json.dumps({**throw, **self._start(request, rng)})))
        result = self._read(request, end)
        if self.filmed:
            self.show(ThrownFilm(throw=request, result=result, seconds=end["time"]))
        return result

    def _start(self, request: RollRequest, rng: Generator) -> dict[str, Any]:
        """Return the start of a throw: of a person's hand, or drawn as a pour is."""
        hold, scene = request.hold, self.scene
        if isinstance(hold, HandThrow):
            hand = HandPath(cup=scene.cup, hand=scene.hand, seat=request.thrower, throw=hold)
            expect_legal_hand(hand, board=scene.board)
            return {"own": hold.text}
        path = drawn_path(scene, with_hold(scene.hand, hold), request.thrower, rng)
        expect_legal(path, half=scene.board.half)
        centres = loaded(scene.cup, len(request.piggles), self.radius, rng)
        turns = [_drawn_turn(rng) for _ in centres]
        return {"motion": _numbers(path), "places": _placed(path, centres, turns)}

    def _read(self, request: RollRequest, end: Mapping[str, Any]) -> RollResult:
        names = (*request.piggles, *(name for name, _ in request.standing))
        before = dict(request.standing)
        landings, strikers = {}, {}
        for name, row, landed, striker in zip(
            names, end["places"], end["landed"], end["strikers"], strict=True
        ):
            if name in before and striker < 0:
                # What nothing struck has the landing that it had before.
                landings[name] = before[name]
                continue
            orientation, zone, support = landed
            # The engine writes 1.0 as 1.
            x, y, z, qx, qy, qz, qw = map(float, row)
            landings[name] = Landing(
                orientation=None if orientation < 0 else ORIENTATIONS[orientation],
                zone=ZONES[zone],
                leaning=support == 1,
                stacked=support == 2,
                place=RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw)),
            )
            if name in before:
                strikers[name] = request.piggles[striker]
        seconds = float(end["time"])
        status = SettleStatus.TIMED_OUT if end["timed_out"] else SettleStatus.SETTLED
        return RollResult(
            landings=tuple(landings.items()),
            knocks=read_knocks(
                request.standing,
                landings,
                strikers,
                request.reading,
                angle_between=angle_between,
            ),
            settle=SettleReport(status=status, time=seconds),
        )


def _row(name: str, at: Landing) -> Row:
    if at.place is None:
        raise SpecError(f"standing Piggle {name} has no place", fix="begin the match again")
    return [*at.place.position, *at.place.rotation]


def _numbers(path: CupPath) -> dict[str, float]:
    motion = path.motion._asdict()
    return {name: motion[name] for name in CupMotion._fields if name != "samples"}


def _drawn_turn(rng: Generator) -> Row:
    """Return a rotation drawn uniformly over all rotations."""
    turn = rng.standard_normal(4).tolist()
    size = math.sqrt(math.fsum(part * part for part in turn))
    return [part / size for part in turn]


def _placed(path: CupPath, centres: list[tuple[float, ...]], turns: list[Row]) -> list[Row]:
    """Return the places of bodies in the world, from their centres in the frame of the cup."""
    (px, py, pz), (x, y, z, w) = path.pose(0.0)
    rows = (
        (px, 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (py, 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (pz, 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    )
    return [
        [
            *(at + (cx * first + cy * second + cz * third) for at, first, second, third in rows),
            *turn,
        ]
        for (cx, cy, cz), turn in zip(centres, turns, strict=True)
    ]


def angle_between(first: Rotation, second: Rotation) -> float:
    """Return the angle of the rotation that takes one rotation to the other [rad]."""
    ax, ay, az, aw = first
    bx, by, bz, bw = -second[0], -second[1], -second[2], second[3]
    turn = (
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )
    size = math.sqrt(math.fsum(part * part for part in turn))
    return 2.0 * atan2(size, abs(aw * bw - ax * bx - ay * by - az * bz))
