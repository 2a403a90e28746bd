"""Chance without physics: fair dice and shuffles, and rolls of Piggles by measured odds."""

from bisect import bisect_right
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from itertools import accumulate
from types import MappingProxyType
from typing import Any

from pigglesim.chance.odds import Odds, Place, load_odds
from pigglesim.chance_types import (
    ChanceOutcome,
    ChanceRequest,
    DiceRequest,
    DiceResult,
    ShuffleRequest,
    ShuffleResult,
)
from pigglesim.data_files import odds_names
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON, Game
from pigglesim.games.switches import Switches
from pigglesim.landing import Knock, Landing, RollRequest, RollResult, Seat, Zone, half_turned
from pigglesim.markings import split_livery
from pigglesim.rng import Generator, generator, numpy_version, seed_json


class FairChance:
    """A source of fair dice and shuffles; rolls of Piggles need physics or odds.

    Args:
        seed: Root seed; answer i has its own stream.
    """

    def __init__(self, *, seed: int) -> None:
        self._seed = seed

    def with_seed(self, seed: int) -> "FairChance":
        """Return the same chance under another seed."""
        return FairChance(seed=seed)

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return answer `index`, drawn from its own stream.

        Raises:
            SpecError: If the request is a roll of Piggles.
        """
        return self.draw(request, rng=generator(self._seed, "fair", index))

    def draw(self, request: ChanceRequest, *, rng: Generator) -> ChanceOutcome:
        """Return an answer drawn from `rng`, for agents that think ahead.

        Raises:
            SpecError: If the request is a roll of Piggles.
        """
        if isinstance(request, DiceRequest | ShuffleRequest):
            return fair_draw(request, rng=rng)
        raise SpecError(
            "fair chance cannot roll Piggles", fix="use --chance physical or --chance tabular"
        )

    def provenance(self) -> dict[str, JSON]:
        """Return the source of the outcomes, for a record."""
        return {"source": "fair", "numpy_version": numpy_version()}


def fair_draw(
    request: DiceRequest | ShuffleRequest, *, rng: Generator
) -> DiceResult | ShuffleResult:
    """Return dice with equally likely faces, or cards in a uniformly random order."""
    if isinstance(request, DiceRequest):
        faces = rng.integers(1, request.sides + 1, size=request.count)
        return DiceResult(faces=tuple(faces.tolist()))
    order = rng.permutation(len(request.cards))
    return ShuffleResult(cards=tuple(request.cards[at] for at in order.tolist()))


_DRAWS_OF_A_KNOCK = 5
"""Random numbers per standing Piggle: knocked or not, landing, striker, distance, angle."""


class _LandingSampler:
    """A sampler of landings by weight, given those of seat A."""

    def __init__(self, weights: Mapping[Landing, float]) -> None:
        total = sum(weights.values())
        possible = {landing: weight for landing, weight in weights.items() if weight > 0.0}
        steps = [step / total for step in accumulate(possible.values())]
        # The last step is 1 apart from rounding, so no draw exceeds it.
        self._steps = steps[:-1]
        self._landings = {
            Seat.A: tuple(possible),
            Seat.B: tuple(replace(at, zone=half_turned(at.zone)) for at in possible),
        }

    def land(self, draw: float, seat: Seat) -> Landing:
        """Return the landing of a random number from 0 to 1."""
        return self._landings[seat][bisect_right(self._steps, draw)]


class _OddsSampler:
    """Odds of one model, with samplers made on first use."""

    def __init__(self, odds: Odds) -> None:
        self.odds = odds
        self._thrown: dict[tuple[int, bool], _LandingSampler] = {}
        self._rates: dict[tuple[int, int, Place], float] = {}
        self._after: dict[Place, _LandingSampler] = {}

    def thrown(self, number: int, *, leaning: bool) -> _LandingSampler:
        """Return the sampler of landings for a number of thrown Piggles."""
        if (number, leaning) not in self._thrown:
            odds = self.odds.of_throw(number)
            weights = dict(odds.landings()) if leaning else _without_leaning(odds.shares)
            self._thrown[number, leaning] = _LandingSampler(weights)
        return self._thrown[number, leaning]

    def after_knock(self, landing: Landing, seat: Seat) -> _LandingSampler:
        """Return the sampler of landings of a Piggle that a throw of `seat` knocks."""
        place = _place_seen_by(landing, seat)
        if place not in self._after:
            after = self.odds.knocks.standing[place].after
            self._after[place] = _LandingSampler(_without_leaning(after))
        return self._after[place]

    def knock_rate(self, thrown: int, standing: int, landing: Landing, seat: Seat) -> float:
        """Return the share of Piggles in this place that a throw of `seat` knocks."""
        key = (thrown, standing, _place_seen_by(landing, seat))
        if key not in self._rates:
            self._rates[key] = self.odds.knock_rate(*key)
        return self._rates[key]


class TabularChance:
    """A source of rolls by odds.

    Args:
        seed: Root seed; roll i has its own stream.
        odds: Table of odds.
        of_piggles: Tables of Piggles of other models, by id. A standing one is knocked as if all
            thrown Piggles were of its model.
    """

    def __init__(
        self, *, seed: int, odds: Odds, of_piggles: Mapping[str, Odds] = MappingProxyType({})
    ) -> None:
        self.odds = odds
        """Table of odds, except for Piggles of another model."""
        self.of_piggles = dict(of_piggles)
        """Tables of Piggles of other models, by id."""
        self._seed = seed
        self._common = _OddsSampler(odds)
        others = {table.model: _OddsSampler(table) for table in of_piggles.values()}
        self._of_piggles = {name: others[table.model] for name, table in of_piggles.items()}
        # This is computed once, because every record contains it.
        self._provenance: dict[str, JSON] = {
            "source": "tabular",
            "seed": seed_json(seed),
            "model": odds.model,
            "odds_sha256": odds.sha256,
            "odds_source": dict(odds.source),
        }
        if others:
            self._provenance["others"] = {
                model: {
                    "piggles": [name for name, table in of_piggles.items() if table.model == model],
                    "odds_sha256": sampler.odds.sha256,
                }
                for model, sampler in others.items()
            }

    def with_seed(self, seed: int) -> "TabularChance":
        """Return the same odds under another seed, sharing their samplers."""
        again = copy(self)
        again._seed = seed
        again._provenance = self._provenance | {"seed": seed_json(seed)}
        return again

    def roll(self, request: RollRequest, *, index: int) -> RollResult:
        """Return roll `index`, drawn from its own stream; a Piggle set down lands as requested."""
        return self._rolled(request, generator(self._seed, "tabular", index))

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return answer `index`: a roll by the odds, fair dice, or shuffled cards."""
        return self.draw(request, rng=generator(self._seed, "tabular", index))

    def draw(self, request: ChanceRequest, *, rng: Generator) -> ChanceOutcome:
        """Return an answer drawn from `rng`, for agents that think ahead."""
        if isinstance(request, RollRequest):
            return self._rolled(request, rng)
        return fair_draw(request, rng=rng)

    def _rolled(self, request: RollRequest, rng: Generator) -> RollResult:
        if request.set_down is not None:
            spot = request.set_down
            landing = Landing(orientation=spot.orientation, zone=spot.zone)
            return RollResult(landings=((request.piggles[0], landing),))
        rolled, standing = request.piggles, request.standing
        draws = rng.random(len(rolled) + _DRAWS_OF_A_KNOCK * len(standing)).tolist()
        # A single Piggle cannot lean on another.
        leaning = len(rolled) + len(standing) > 1
        thrower = request.thrower
        landings = [
            (piggle, self._sampler(piggle).thrown(len(rolled), leaning=leaning).land(draw, thrower))
            for piggle, draw in zip(rolled, draws, strict=False)
        ]
        if request.toss is not None:
            # A toss in place changes the orientation, but not the zone unless the Piggle is lost.
            zone = request.toss.zone
            landings = [
                (piggle, at if at.zone is Zone.OFF else replace(at, zone=zone))
                for piggle, at in landings
            ]
        knocks = []
        for at, (piggle, before) in enumerate(standing):
            first = len(rolled) + _DRAWS_OF_A_KNOCK * at
            after = before
            sampler = self._sampler(piggle)
            if draws[first] < sampler.knock_rate(len(rolled), len(standing), before, thrower):
                after = sampler.after_knock(before, thrower).land(draws[first + 1], thrower)
                striker, distance, angle = draws[first + 2 : first + _DRAWS_OF_A_KNOCK]
                knocks.append(
                    Knock(
                        struck=piggle,
                        by=rolled[int(striker * len(rolled))],
                        distance=0.003 + 0.097 * distance,
                        angle=0.1 + 2.9 * angle,
                        flipped=after.orientation is not before.orientation,
                        zone_changed=after.zone is not before.zone,
                        off_board=after.zone is Zone.OFF,
                    )
                )
            landings.append((piggle, after))
        return RollResult(landings=tuple(landings), knocks=tuple(knocks))

    def provenance(self) -> dict[str, JSON]:
        """Return the source of the outcomes, for a record."""
        return dict(self._provenance)

    def _sampler(self, piggle: str) -> _OddsSampler:
        return self._of_piggles.get(piggle, self._common)


def check_odds_support(game: Game[Any, Any]) -> None:
    """Raise `SpecError` under house rules that only physics supports; it names the first."""
    rules = getattr(game, "rules", None)
    unsupported = rules.not_by_odds() if isinstance(rules, Switches) else ()
    if unsupported:
        raise SpecError(
            f"odds do not support the house rule {unsupported[0]}", fix="use --chance physical"
        )


def _without_leaning(shares: Mapping[Place, float]) -> dict[Landing, float]:
    """Return weights of landings none of which leans."""
    return {Landing(orientation=at, zone=zone): weight for (at, zone), weight in shares.items()}


def _place_seen_by(landing: Landing, seat: Seat) -> Place:
    """Return the place as seen by seat A when it throws."""
    zone = landing.zone if seat is Seat.A else half_turned(landing.zone)
    return landing.orientation, zone


_PLAIN = "piggle"


def _odds_of_models(
    models: Mapping[str, str], odds: str | None
) -> tuple[Odds, dict[str, Odds], set[str]]:
    """Return the common table, the tables of Piggles of other models, and models without odds."""
    plain = {piggle: split_livery(name)[0] for piggle, name in models.items()}
    supplied = [model for model in dict.fromkeys(plain.values()) if model in odds_names()]
    common = _PLAIN if _PLAIN in supplied or not supplied else supplied[0]
    table = load_odds(odds or common)
    others = {model: load_odds(model) for model in supplied if model != table.model}
    of_piggles = {piggle: others[model] for piggle, model in plain.items() if model in others}
    return table, of_piggles, set(plain.values()) - {table.model, *others}


def tabular_chance(models: Mapping[str, str], *, odds: str | None, seed: int) -> TabularChance:
    """Return measured odds as a source of chance: each Piggle rolls by the odds of its model.

    `models` is the model of each Piggle by id. `odds` is a file, or a model with supplied odds;
    Piggles of other models roll by supplied odds, as all do for None.

    Raises:
        SpecError: If there are no such odds, the file is invalid, they are of no Piggle's model, or
            a model has no odds.
    """
    table, of_piggles, uncovered = _odds_of_models(models, odds)
    if uncovered or (models and len(of_piggles) == len(models)):
        from pigglesim.bodies.load import load_model  # noqa: PLC0415 (needs numpy)

        missing = uncovered or {each.model for each in of_piggles.values()}
        for model in sorted(missing):
            load_model(model)  # An unknown model is another error.
        raise SpecError(
            f"the odds of {table.model} do not cover {', '.join(sorted(missing))}",
            fix="use --chance physical, or --odds with a file that was measured on them",
        )
    return TabularChance(seed=seed, odds=table, of_piggles=of_piggles)


def believed_chance(
    odds: str | None = None, models: Mapping[str, str] = MappingProxyType({})
) -> TabularChance:
    """Return the chance model of agents that search, for any source of rolls.

    Each Piggle is believed to roll by the supplied odds of its model. One whose model has none is
    believed to roll by the common table: that of `odds`, a file or a model, or else the plain one.

    Args:
        odds: File of odds, or a model with supplied odds; None for piggle.
        models: Model of each Piggle by id; empty if all are of the model of `odds`.

    Raises:
        SpecError: If there are no such odds, or the file is invalid.
    """
    table, of_piggles, _ = _odds_of_models(models, odds)
    return TabularChance(seed=0, odds=table, of_piggles=of_piggles)
