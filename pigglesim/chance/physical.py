"""Chance as physics: the cup is shaken, tipped, and what lies on the board is read."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pigglesim.asking import ChanceOutcome, ChanceRequest, DiceRequest, DiceResult, ShuffleRequest
from pigglesim.chance.dice_throws import throw_dice
from pigglesim.chance.fair import fair_draw
from pigglesim.chance.setting_down import free_landing
from pigglesim.errors import SpecError
from pigglesim.physics.engine import Engine
from pigglesim.physics.simulate import Moment, Outcome, Watch, nudge, simulate
from pigglesim.reading.read_roll import read_knocks, read_landing
from pigglesim.rolls import Cocked, Landing, RestPlace, RollRequest, RollResult, SetDown, Zone
from pigglesim.scene.scene import Scene
from pigglesim.seeding import generator
from pigglesim.shapes.body import Body
from pigglesim.spatial import length
from pigglesim.throws.pour import Pour

__all__ = ["PhysicalChance"]

_NUDGE_TRIES = 3
"""How often Piggles that lean on others are nudged before they are read as they lie."""
_NUDGE_SPEED = 0.25
"""Speed of a nudge [m/s]: about what a fingertip gives, a hop of 3 mm."""
_TOSS_SPEED = 1.0
"""Upward speed of a toss in place [m/s]: 2 inches, the least height of a throw (R9)."""
_TOSS_SPREAD = 0.05
"""Standard deviation of each other component of its velocity [m/s]."""
_TOSS_SPIN = 25.0
"""Standard deviation of each component of its spin [rad/s]: about a turn in the air."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalChance:
    """Answers a roll request by simulation; the same request and index give the same bits."""

    scene: Scene
    models: dict[str, Body]
    """Body of each Piggle, by id."""
    engine: Engine
    seed: int
    watch: Watch | None = None
    """Shown every roll as it happens, what is rolled first; a nudge begins again at time 0."""
    die: Body | None = None
    """The body of each numbered die; None at a table without any."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Simulate a roll, throw dice or shuffle cards well, as answer `index` of this seed.

        Raises:
            SpecError: As `roll` and `dice`.
        """
        match request:
            case RollRequest():
                return self.roll(request, index=index)
            case ShuffleRequest():
                return fair_draw(request, rng=generator(self.seed, "shuffle", index))
            case DiceRequest():
                return self.dice(request, index=index)

    def dice(self, request: DiceRequest, *, index: int) -> DiceResult:
        """Simulate a throw of dice as answer number `index` of this seed.

        Raises:
            SpecError: If this table has no such dice.
        """
        if self.die is None:
            raise SpecError("Piggles or cards at this table", got="dice", remedy="--chance fair")
        return throw_dice(
            request,
            die=self.die,
            scene=self.scene,
            engine=self.engine,
            rng=generator(self.seed, "dice", index),
            watch=self.watch,
        )

    def roll(self, request: RollRequest, *, index: int) -> RollResult:
        """Simulate the request as roll number `index` of this seed.

        Raises:
            SpecError: If the cup is held against the rules, or a Piggle has no body or no place.
        """
        if request.set_down is not None:
            return self._set_down(request, request.set_down)
        if request.toss is not None:
            return self._tossed(request, request.toss, generator(self.seed, "roll", index))
        rng = generator(self.seed, "roll", index)
        bodies = tuple(self._body(name) for name in request.piggles)
        standing = tuple((self._body(name), _place(name, at)) for name, at in request.standing)
        throw = Pour(scene=self.scene, seat=request.thrower, hold=request.hold).sample(
            bodies, rng=rng
        )
        outcome = simulate(
            self.scene, throw, bodies, standing=standing, engine=self.engine, watch=self.watch
        )
        result = self._read(request, outcome)
        if request.reading.cocked is Cocked.NUDGE:
            for _ in range(_NUDGE_TRIES):
                leaning = [name for name, at in result.landings if at.leaning or at.stacked]
                if not leaning:
                    break
                result = self._nudged(request, result, leaning, rng)
        return result

    def provenance(self) -> dict[str, Any]:
        """Return what the bits depend on: engine, scene and model hashes."""
        bodies = (*self.models.values(), *((self.die,) if self.die else ()))
        return {
            "source": "physical",
            "engine": self.engine.name,
            "engine_version": self.engine.version,
            "numpy_version": np.__version__,
            "scene": self.scene.id,
            "scene_sha256": self.scene.sha256,
            "models": {body.model: body.sha256 for body in bodies},
        }

    def _body(self, name: str) -> Body:
        if name not in self.models:
            raise SpecError(
                "a Piggle of this table",
                got=repr(name),
                remedy=f"one of {', '.join(sorted(self.models))}",
            )
        return self.models[name]

    def _set_down(self, request: RollRequest, asked: SetDown) -> RollResult:
        """Return how a Piggle lies in a free spot, off the board where there is none."""
        (name,) = request.piggles
        if asked.near is not None:
            _place(name, asked.near)
        landing = free_landing(
            self._body(name),
            asked,
            others=[(self._body(other), _place(other, at)) for other, at in request.standing],
            board=self.scene.board,
            reading=request.reading,
        )
        none = Landing(orientation=None, zone=Zone.OFF)
        return RollResult(landings=((name, landing or none),))

    def _tossed(self, request: RollRequest, lies: Landing, rng: np.random.Generator) -> RollResult:
        """Return the result of a toss of one Piggle straight up from where it lies (M10)."""
        (name,) = request.piggles
        around = (*request.standing, (name, lies))
        lying = tuple((self._body(other), _place(other, at)) for other, at in around)
        push = rng.standard_normal(3) * _TOSS_SPREAD
        push[2] = _TOSS_SPEED
        spin = rng.standard_normal(3) * _TOSS_SPIN
        number = len(request.standing)
        outcome = nudge(
            self.scene,
            lying,
            {number: (push, spin)},
            engine=self.engine,
            watch=_rolled_first(self.watch) if self.watch is not None else None,
        )
        # The one tossed comes first, as one rolled does.
        order = (number, *range(number))
        tossed = replace(
            outcome,
            rolled=(outcome.standing[number],),
            standing=outcome.standing[:number],
            touches=tuple(outcome.touches[k] for k in order),
            strikers=_by_the_tossed(outcome.strikers),
        )
        return self._read(request, tossed)

    def _read(self, request: RollRequest, outcome: Outcome) -> RollResult:
        names = (*request.piggles, *(name for name, _ in request.standing))
        places = (*outcome.rolled, *outcome.standing)
        landings = {
            name: read_landing(
                self._body(name), place, touches, board=self.scene.board, rules=request.reading
            )
            for name, place, touches in zip(names, places, outcome.touches, strict=True)
        }
        strikers = {}
        for (name, before), striker in zip(request.standing, outcome.strikers, strict=True):
            if striker is None:
                # Nothing struck it: it lies, and is read, as it was.
                landings[name] = before
            else:
                strikers[name] = request.piggles[striker]
        return RollResult(
            landings=tuple(landings.items()),
            knocks=read_knocks(request.standing, landings, strikers, request.reading),
            settle=outcome.settle,
        )

    def _nudged(
        self,
        request: RollRequest,
        result: RollResult,
        leaning: list[str],
        rng: np.random.Generator,
    ) -> RollResult:
        """Return the result after a push to each Piggle that leans (house rule `cocked`, P12)."""
        names = [name for name, _ in result.landings]
        kicks = {}
        for name in leaning:
            push = rng.standard_normal(3)
            push[2] = abs(push[2])
            spin = rng.standard_normal(3) * 5.0
            kicks[names.index(name)] = (push / length(push) * _NUDGE_SPEED, spin)
        lying = tuple((self._body(name), _place(name, at)) for name, at in result.landings)
        outcome = nudge(self.scene, lying, kicks, engine=self.engine, watch=self.watch)
        landings = dict(result.landings)
        for index, name in enumerate(names):
            if outcome.strikers[index] is not None:
                landings[name] = read_landing(
                    self._body(name),
                    outcome.standing[index],
                    outcome.touches[index],
                    board=self.scene.board,
                    rules=request.reading,
                )
        by_roll = {knock.struck: knock.by for knock in result.knocks}
        # What only the nudge has moved is put down to the roll that made the nudge needed.
        strikers = {
            name: by_roll.get(name, request.piggles[0])
            for name, before in request.standing
            if landings[name] is not before
        }
        return replace(
            result,
            landings=tuple(landings.items()),
            knocks=read_knocks(request.standing, landings, strikers, request.reading),
            settle=outcome.settle,
        )


def _by_the_tossed(strikers: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """Return who was struck in a toss, now that the last body is called the first one rolled."""
    return tuple(None if by is None else 0 for by in strikers[:-1])


def _rolled_first(watch: Watch) -> Watch:
    """Return what shows a toss, whose last body is the one that is rolled, to a watcher."""

    def show(moment: Moment) -> None:
        *standing, tossed = moment.places
        watch(replace(moment, places=(tossed, *standing), strikers=_by_the_tossed(moment.strikers)))

    return show


def _place(name: str, landing: Landing) -> RestPlace:
    if landing.place is None:
        raise SpecError(
            "standing Piggles with a place on the board",
            got=f"{name} with a pose and zone alone",
            remedy="use a scripted chance source, or start from a record of physical rolls",
        )
    return landing.place
