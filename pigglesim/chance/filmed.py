"""Physics as a source of chance whose every roll is filmed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pigglesim.asking import ChanceOutcome, ChanceRequest, DiceRequest, DiceResult, ShuffleRequest
from pigglesim.chance.physical import PhysicalChance
from pigglesim.films.film import Actor, Film
from pigglesim.films.recorder import Recorder
from pigglesim.games.game import JSON
from pigglesim.physics.simulate import Moment
from pigglesim.rolls import RollRequest, RollResult, Seat
from pigglesim.shapes.livery import split_livery
from pigglesim.version import __version__

__all__ = ["FilmedChance"]


def _nobody(index: int, film: Film) -> None:
    """Show a film to nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmedChance:
    """Answers every request with the same bits as the physics it films."""

    source: PhysicalChance
    show: Callable[[int, Film], None] = _nobody
    """Given the number of each roll and its film, once it is read."""
    command: str | None = None
    """What a person can type to have such a roll again, for the film."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return answer number `index`; of a roll or a throw the film is shown.

        Raises:
            SpecError: If the cup is held against the rules, a Piggle has no body or no place, or
                this table has no such dice.
        """
        answer: ChanceOutcome
        match request:
            case RollRequest():
                answer, film = self.filmed(request, index=index)
            case DiceRequest():
                answer, film = self.filmed_dice(request, index=index)
            case ShuffleRequest():
                return self.source.answer(request, index=index)
        self.show(index, film)
        return answer

    def filmed(self, request: RollRequest, *, index: int) -> tuple[RollResult, Film]:
        """Simulate the request as roll number `index`, and return its film too.

        Raises:
            SpecError: If the cup is held against the rules, or a Piggle has no body or no place.
        """
        recorder = Recorder()
        result = self._watched(recorder).roll(request, index=index)
        # A Piggle set down by hand is answered for alone: the others lie as they lay.
        readings = dict(result.landings)
        readings |= {name: at for name, at in request.standing if name not in readings}
        there = {name: at.place for name, at in readings.items() if at.place is not None}
        return result, recorder.film(
            [self._actor(name, request) for name in there],
            list(there.values()),
            scene=self.source.scene.id,
            readings=tuple(readings.items()),
            knocks=result.knocks,
            origin=self._origin(index),
        )

    def filmed_dice(self, request: DiceRequest, *, index: int) -> tuple[DiceResult, Film]:
        """Simulate a throw of dice as answer number `index`, and return its film too.

        Dice that were thrown again follow in the same film; its origin tells the faces.

        Raises:
            SpecError: If this table has no such dice.
        """
        recorder = Recorder()
        result = self._watched(recorder).dice(request, index=index)
        assert self.source.die is not None
        model = self.source.die.model
        numbers = range(1, request.count + 1)
        return result, recorder.film(
            [Actor(name=f"die {n}", model=model, owner=request.thrower) for n in numbers],
            result.places,
            scene=self.source.scene.id,
            origin={**self._origin(index), "faces": list(result.faces)},
        )

    def provenance(self) -> dict[str, Any]:
        """Return what the bits depend on; the film changes none."""
        return self.source.provenance()

    def _watched(self, recorder: Recorder) -> PhysicalChance:
        """Return the physics, seen by a recorder and by whoever looks on already."""
        onlooker = self.source.watch

        def watch(moment: Moment) -> None:
            recorder.keep(moment)
            if onlooker is not None:
                onlooker(moment)

        return replace(self.source, watch=watch)

    def _actor(self, name: str, request: RollRequest) -> Actor:
        model, worn = split_livery(self.source.models[name].model)
        return Actor(
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
            "seed": self.source.seed,
            "roll": index,
            **self.source.provenance(),
        }
        return origin if self.command is None else {**origin, "command": self.command}
