"""Chance by physics: throws of Piggles and dice, placements, tosses and films."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.load import load_models
from pigglesim.chance.free_spots import landing_in_free_spot
from pigglesim.chance_types import (
    ChanceOutcome,
    ChanceRequest,
    CockedDice,
    DiceRequest,
    DiceResult,
    ShuffleRequest,
)
from pigglesim.errors import SpecError, unknown_name
from pigglesim.films.film import Film, FilmActor, Recorder
from pigglesim.games.game import JSON, Game, HasLandings
from pigglesim.hand_throw import HandThrow
from pigglesim.knocks import read_knocks
from pigglesim.landing import (
    Cocked,
    Landing,
    RestPlace,
    RollRequest,
    RollResult,
    Seat,
    SetDown,
    Zone,
)
from pigglesim.landing_reading import (
    face_up,
    ground_contact,
    read_landing,
    tilt,
    turned,
)
from pigglesim.markings import split_livery
from pigglesim.physics.engine import Engine
from pigglesim.physics.engines import make_engine
from pigglesim.physics.pour import Moment, PourOutcome, Watch, nudge, simulate
from pigglesim.pose_reading import HOME_ANGLE
from pigglesim.rng import generator, seed_json
from pigglesim.rotations import length
from pigglesim.scene.scene import Board, Scene
from pigglesim.throws import Pour, Throw
from pigglesim.version import __version__

_TOUCH = 0.0005
"""Maximum distance from the board of a touching corner [m], as for Piggles (P10)."""
_MAX_THROWS = 50
"""Maximum throws until no die is cocked; then dice are read by the nearest face. About one throw of
two dice in twenty has a cocked die."""


def is_cocked(die: Body, place: RestPlace, board: Board) -> bool:
    """Return whether a die is tilted, on another die, or off the board."""
    ground = ground_contact(die, place, board, tolerance=_TOUCH)
    beside = ground.table or place.position[2] < 0.0
    return beside or not len(ground.board) or tilt(die, place) > HOME_ANGLE


_NUDGE_TRIES = 3
"""Maximum nudges of leaning Piggles; after them, Piggles are read as they rest."""
_NUDGE_SPEED = 0.25
"""Speed of a nudge [m/s], that of a fingertip, for a hop of 3 mm."""
_TOSS_SPEED = 1.0
"""Upward speed of a toss in place [m/s], for 2 inches, the minimum height of a throw (R9)."""
_TOSS_SPREAD = 0.05
"""Standard deviation of each other component of its velocity [m/s]."""
_TOSS_SPIN = 25.0
"""Standard deviation of each component of its angular velocity [rad/s], about a turn in the air."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalChance:
    """A source of chance by simulation; the same request and index give the same bits."""

    scene: Scene
    models: dict[str, Body]
    """Body of each Piggle, by id."""
    engine: Engine
    seed: int
    watch: Watch | None = None
    """Observer of each moment of a roll, rolled bodies first; a nudge restarts time at 0."""
    die: Body | None = None
    """Body of each numbered die; None for a table without dice."""
    start: str | None = None
    """Start of every pour of Piggles, as `Pour.started` reads it; None to draw it."""

    def with_seed(self, seed: int) -> "PhysicalChance":
        """Return the same chance under another seed."""
        return replace(self, seed=seed)

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Simulate a roll, throw dice or shuffle cards, as answer `index` of this seed.

        Raises:
            SpecError: As `roll` and `dice`.
        """
        match request:
            case RollRequest():
                return self.roll(request, index=index)
            case ShuffleRequest():
                from pigglesim.chance.tabular import fair_draw  # noqa: PLC0415 (loads odds)

                return fair_draw(request, rng=generator(self.seed, "shuffle", index))
            case DiceRequest():
                return self.dice(request, index=index)

    def dice(self, request: DiceRequest, *, index: int) -> DiceResult:
        """Simulate a throw of dice as answer number `index` of this seed.

        Raises:
            SpecError: If this table has no such dice, or they do not fit into the cup.
        """
        die = self.die
        if die is None:
            raise SpecError("the scene has no dice", fix="use --chance fair")
        if request.sides != len(die.poses):
            raise SpecError(
                f"the dice of the scene have {len(die.poses)} faces",
                expected=str(request.sides),
                fix="use --chance fair",
            )
        rng, bodies = generator(self.seed, "dice", index), (die,) * request.count
        for throws in count(1):
            throw = Pour(scene=self.scene, seat=request.thrower).sample(bodies, rng=rng)
            places = simulate(
                self.scene, throw, bodies, engine=self.engine, watch=self.watch
            ).rolled
            cocked = any(is_cocked(die, place, self.scene.board) for place in places)
            if not cocked or request.cocked is CockedDice.NEAREST or throws == _MAX_THROWS:
                break
        faces = tuple(face_up(die, place) for place in places)
        return DiceResult(faces=faces, places=places, throws=throws)

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
        throw = self._throw(request, bodies, rng)
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

    def _throw(
        self, request: RollRequest, bodies: tuple[Body, ...], rng: np.random.Generator
    ) -> Throw:
        """Return the start of a pour: of a person's hand, given, or drawn."""
        hold = request.hold
        if isinstance(hold, HandThrow):
            return Pour(scene=self.scene, seat=request.thrower).by_hand(bodies, hold)
        pour = Pour(scene=self.scene, seat=request.thrower, hold=hold)
        return (
            pour.sample(bodies, rng=rng) if self.start is None else pour.started(bodies, self.start)
        )

    def provenance(self) -> dict[str, Any]:
        """Return everything on which the bits depend: engine, scene and digests of models."""
        bodies = (*self.models.values(), *((self.die,) if self.die else ()))
        return {
            "source": "physical",
            "engine": self.engine.name,
            "engine_version": self.engine.version,
            "numpy_version": np.__version__,
            "scene": self.scene.id,
            "scene_sha256": self.scene.sha256,
            "models": {body.model: body.sha256 for body in bodies},
            **({} if self.start is None else {"start": self.start}),
        }

    def _body(self, name: str) -> Body:
        if name not in self.models:
            raise unknown_name("Piggle", name, self.models)
        return self.models[name]

    def _set_down(self, request: RollRequest, set_down: SetDown) -> RollResult:
        """Return the landing of a Piggle in a free spot, off the board if there is none."""
        (name,) = request.piggles
        if set_down.near is not None:
            _place(name, set_down.near)
        landing = landing_in_free_spot(
            self._body(name),
            set_down,
            resting=[(self._body(other), _place(other, at)) for other, at in request.standing],
            board=self.scene.board,
            reading=request.reading,
        )
        off_board = Landing(orientation=None, zone=Zone.OFF)
        return RollResult(landings=((name, landing or off_board),))

    def _tossed(self, request: RollRequest, start: Landing, rng: np.random.Generator) -> RollResult:
        """Return the result of a toss of one Piggle straight up from where it rests (M10)."""
        (name,) = request.piggles
        around = (*request.standing, (name, start))
        lying = tuple((self._body(other), _place(other, landing)) for other, landing in around)
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
        # The tossed body comes first, as rolled ones do.
        order = (number, *range(number))
        tossed = replace(
            outcome,
            rolled=(outcome.standing[number],),
            standing=outcome.standing[:number],
            touches=tuple(outcome.touches[k] for k in order),
            readings=[outcome.readings[k] for k in order],
            strikers=_struck_by_tossed(outcome.strikers),
        )
        return self._read(request, tossed)

    def _read(self, request: RollRequest, outcome: PourOutcome) -> RollResult:
        # What nothing struck has the landing that it had before.
        strikers = {
            name: request.piggles[by]
            for (name, _), by in zip(request.standing, outcome.strikers, strict=True)
            if by is not None
        }
        before = {name: at for name, at in request.standing if name not in strikers}
        landings = {
            name: before.get(name)
            or read_landing(
                self._body(name),
                place,
                touches,
                board=self.scene.board,
                rules=request.reading,
                reading=reading,
            )
            for name, place, touches, reading in zip(
                (*request.piggles, *(name for name, _ in request.standing)),
                (*outcome.rolled, *outcome.standing),
                outcome.touches,
                outcome.readings,
                strict=True,
            )
        }
        return RollResult(
            landings=tuple(landings.items()),
            knocks=read_knocks(
                request.standing, landings, strikers, request.reading, angle_between=turned
            ),
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
                    reading=outcome.readings[index],
                )
        by_roll = {knock.struck: knock.by for knock in result.knocks}
        # A body moved only by the nudge counts as moved by the roll that made the nudge necessary.
        strikers = {
            name: by_roll.get(name, request.piggles[0])
            for name, before in request.standing
            if landings[name] is not before
        }
        return replace(
            result,
            landings=tuple(landings.items()),
            knocks=read_knocks(
                request.standing, landings, strikers, request.reading, angle_between=turned
            ),
            settle=outcome.settle,
        )


def _struck_by_tossed(strikers: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """Return strikers of a toss with the rolled body numbered first; in the toss it is the last."""
    return tuple(None if striker is None else 0 for striker in strikers[:-1])


def _rolled_first(watch: Watch) -> Watch:
    """Return an observer of a toss, which moves the last body, the rolled one, to the front."""

    def show(moment: Moment) -> None:
        *standing, tossed = moment.places
        strikers = _struck_by_tossed(moment.strikers)
        watch(replace(moment, places=(tossed, *standing), strikers=strikers))

    return show


def expect_places(source: object, game: Game[Any, Any], state: object) -> None:
    """Raise `SpecError` if physics rolls onto a state whose Piggles on the board have no places."""
    if isinstance(source, PhysicalChance | FilmedChance) and isinstance(game, HasLandings):
        for name, landing in game.landings(state):
            _place(name, landing)


def _place(name: str, landing: Landing) -> RestPlace:
    if landing.place is None:
        raise SpecError(
            f"standing Piggle {name} has no place, which physics needs",
            fix="use --chance tabular, or a position of a record of physical rolls",
        )
    return landing.place


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmedChance:
    """A source of chance with the same bits as the physics, which films every request."""

    source: PhysicalChance
    show: Callable[[int, Film], None] = lambda _index, _film: None
    """Function called with the number of each roll and its film."""
    command: str | None = None
    """Command that repeats the roll, stored in the film."""

    def with_seed(self, seed: int) -> "FilmedChance":
        """Return the same chance under another seed."""
        return replace(self, source=self.source.with_seed(seed))

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return answer number `index`, and show the film of a roll or a throw.

        Raises:
            SpecError: As `PhysicalChance.answer`.
        """
        if isinstance(request, ShuffleRequest):
            return self.source.answer(request, index=index)
        answer, film = self.filmed(request, index=index)
        self.show(index, film)
        return answer

    def filmed(
        self, request: RollRequest | DiceRequest, *, index: int
    ) -> tuple[RollResult | DiceResult, Film]:
        """Return answer number `index`, and its film.

        Repeated throws of dice follow in the same film; its origin holds the faces.

        Raises:
            SpecError: As `PhysicalChance.answer`.
        """
        recorder, scene = Recorder(), self.source.scene.id
        source, origin = self._watched(recorder), self._origin(index)
        if isinstance(request, DiceRequest):
            dice = source.dice(request, index=index)
            assert source.die is not None
            actors = [
                FilmActor(name=f"die {n}", model=source.die.model, owner=request.thrower)
                for n in range(1, request.count + 1)
            ]
            origin["faces"] = list(dice.faces)
            return dice, recorder.film(actors, dice.places, scene=scene, origin=origin)
        result = source.roll(request, index=index)
        # The result of a Piggle that is set down omits the others, which did not move.
        readings = dict(result.landings)
        readings |= {name: at for name, at in request.standing if name not in readings}
        places = {name: at.place for name, at in readings.items() if at.place is not None}
        return result, recorder.film(
            [self._actor(name, request) for name in places],
            list(places.values()),
            scene=scene,
            readings=tuple(readings.items()),
            knocks=result.knocks,
            origin=origin,
        )

    def provenance(self) -> dict[str, Any]:
        """Return everything on which the bits depend; filming changes none."""
        return self.source.provenance()

    def _watched(self, recorder: Recorder) -> PhysicalChance:
        """Return the physics with a recorder, which gets each moment before any other observer."""
        observer = self.source.watch
        if observer is None:
            return replace(self.source, watch=recorder)

        def watch(moment: Moment) -> None:
            recorder(moment)
            if observer is not None:
                observer(moment)

        return replace(self.source, watch=watch)

    def _actor(self, name: str, request: RollRequest) -> FilmActor:
        model, worn = split_livery(self.source.models[name].model)
        return FilmActor(
            name=name,
            model=model,
            owner=next((seat for seat in Seat if name.startswith(seat)), None),
            color=str(worn.colour) if worn else None,
            rune=str(worn.rune) if worn and worn.rune else None,
            standing=name not in request.piggles,
        )

    def _origin(self, index: int) -> dict[str, JSON]:
        origin: dict[str, JSON] = {
            "pigglesim": __version__,
            "seed": seed_json(self.source.seed),
            "roll": index,
            **self.source.provenance(),
        }
        return origin if self.command is None else {**origin, "command": self.command}


def physical_chance(
    scene: Scene, models: Mapping[str, str], *, engine: str | None, seed: int
) -> PhysicalChance:
    """Return physics as a source of chance.

    `models` is the model of each Piggle by id. Without an engine, the default one is used.

    Raises:
        SpecError: If a name is unknown or a file is invalid.
    """
    dice = scene.dice
    bodies = load_models(sorted({*models.values(), *([dice.model] if dice else [])}))
    return PhysicalChance(
        scene=scene,
        models={piggle: bodies[name] for piggle, name in models.items()},
        engine=make_engine(engine),
        seed=seed,
        die=bodies[dice.model] if dice else None,
    )


def expect_pigs(models: Iterable[str]) -> None:
    """Raise `SpecError` if a model is not a pig: the rules need its orientation (R14)."""
    for name, body in load_models(dict.fromkeys(models)).items():
        if not body.pig:
            classes = ", ".join(dict.fromkeys(pose.label for pose in body.poses))
            raise SpecError(
                f"{name} is not a pig: its classes are {classes}",
                fix=f"use pigglesim roll 2 --model {name}, or pigglesim study --kind pour "
                f"--model {name}",
            )
