"""Matches of environments: games with their chance, played by action numbers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pigglesim.chance.physical import PhysicalChance, expect_pigs, physical_chance
from pigglesim.chance.tabular import FairChance, TabularChance, check_by_odds, tabular_chance
from pigglesim.envs.encoding import Encoder, Floats
from pigglesim.envs.lord_of_the_pigs import LordEncoder
from pigglesim.envs.pig_pile import PigPileEncoder
from pigglesim.envs.piggles import PigglesEncoder
from pigglesim.envs.piggy_six import PiggySixEncoder, PiggySixPainter
from pigglesim.envs.piggyback import PiggybackEncoder
from pigglesim.envs.rendering import Painter, PigglesPainter, rendered
from pigglesim.errors import IllegalActionError, SpecError, cut, unknown_name
from pigglesim.games.game import Concede, Game, HasIdleSeats, NonPlayer
from pigglesim.games.registry import find, make_game
from pigglesim.landing import Seat
from pigglesim.match.runner import ChanceSource
from pigglesim.rng import MAX_SEED, fresh_seed, generator
from pigglesim.scene.load import load_scene, markings, team_models, teams_by_name
from pigglesim.scene.scene import Board, Scene

_ENCODERS: Mapping[str, Callable[..., Encoder[Any]]] = {
    "piggles_classic": PigglesEncoder,
    "piggles_modern": PigglesEncoder,
    "lord_of_the_pigs": LordEncoder,
    "pig_pile": PigPileEncoder,
    "piggyback": PiggybackEncoder,
    "piggy_six": PiggySixEncoder,
}
_PAINTERS: Mapping[str, Callable[..., Painter]] = {
    "piggles_classic": PigglesPainter,
    "piggles_modern": PigglesPainter,
    "piggy_six": PiggySixPainter,
}
"""Painter of each game with render modes."""


def encoded_games() -> tuple[str, ...]:
    """Return the names of all games that have an encoder."""
    return tuple(_ENCODERS)


def encoder_of(game: Game[Any, Any]) -> Encoder[Any]:
    """Return the encoder of a game.

    Raises:
        SpecError: If it has none.
    """
    if game.name not in _ENCODERS:
        raise unknown_name("game with an encoder", game.name, _ENCODERS)
    return _ENCODERS[game.name](game=game)


_SHORT = {"classic": "piggles_classic", "modern": "piggles_modern"}
"""Names of the games of Piggles by the short names of their rules."""
_MODERN = "piggles_modern"


def rule_names() -> tuple[str, ...]:
    """Return the names of all rules that can be played as an environment."""
    return (*_SHORT, *(name for name in encoded_games() if name not in _SHORT.values()))


def game_of(rules: str) -> str:
    """Return the name of the game that a name of rules stands for.

    Raises:
        SpecError: If it cannot be played as an environment.
    """
    if rules not in rule_names():
        raise unknown_name("name of rules", rules, rule_names())
    return _SHORT.get(rules, rules)


@dataclass(frozen=True, kw_only=True)
class LearningTable:
    """A game with its encoder and chance."""

    game: Game[Any, Any]
    encoder: Encoder[Any]
    chance_of: Callable[[int], ChanceSource]
    """Function that returns the source of chance of a match, given its seed."""
    painter: Painter | None = None
    """Painter of states; None for a game without render modes."""
    idle: frozenset[Seat] = frozenset()
    """Seats of imaginary players, who never decide."""


def make_table(
    rules: str = "classic",
    *,
    chance: str | None = None,
    house_rules: Mapping[str, object] | None = None,
    team_a: str | None = None,
    team_b: str | None = None,
    scene: str | None = None,
    odds: str | None = None,
    engine: str | None = None,
) -> LearningTable:
    """Return a game with its encoder and chance.

    Args:
        rules: `classic`, `modern`, or the name of another game.
        chance: Source of rolls: `tabular` (measured odds) or `physical` for Piggles, `fair` for
            cards. Default: the fastest.
        house_rules: House rules by name. Default: those of the game.
        team_a: A's Piggles: models with commas, or in Modern a team or its file.
        team_b: B's Piggles.
        scene: Name or file of the table. Default: the game's own.
        odds: File of the odds, or a model with supplied odds; only for `tabular`.
        engine: Physics engine; only for `physical`.

    Raises:
        SpecError: If a name is unknown, a file is invalid, or odds are of another model.
    """
    name = game_of(rules)
    chances = find(name).chances
    chance = chance or chances[-1]
    if chance not in chances:
        raise unknown_name("chance source", chance, chances)
    pieces = [given for given in (team_a, team_b, scene) if given is not None]
    unused = {"physical": [odds], "tabular": [engine], "fair": [*pieces, odds, engine]}[chance]
    if any(unused):
        other = f", or use chance={chances[chance == 'physical']!r}" if len(chances) > 1 else ""
        raise SpecError(
            f"chance={chance!r} does not use {cut(repr(next(filter(None, unused))))}",
            fix=f"leave it out{other}",
        )
    if chance == "fair":
        return _table(make_game(name, house_rules), lambda seed: FairChance(seed=seed))
    table = load_scene(scene or name)
    if not name.startswith("piggles"):
        if team_a or team_b:
            raise SpecError(f"{rules} has no teams", fix="leave them out")
        thrown = _chance_of(chance, table, {}, odds=odds, engine=engine)
        return _table(make_game(name, house_rules), thrown)
    models = team_models(table, teams_by_name(name, table, {Seat.A: team_a, Seat.B: team_b}))
    worn = markings(models) if name == _MODERN else {}
    game = make_game(name, {**worn, **(house_rules or {})})
    if chance != "physical":
        check_by_odds(game, fix="use chance='physical'")
    chance_of = _chance_of(chance, table, models, odds=odds, engine=engine)
    return _table(game, chance_of, board=table.board)


def _table(
    game: Game[Any, Any], chance_of: Callable[[int], ChanceSource], **scene: Board
) -> LearningTable:
    """Return the table of a game; a painter of Piggles needs its `board`."""
    painter = _PAINTERS.get(game.name)
    return LearningTable(
        game=game,
        encoder=encoder_of(game),
        chance_of=chance_of,
        painter=painter(game=game, **scene) if painter is not None else None,
        idle=game.idle_seats if isinstance(game, HasIdleSeats) else frozenset(),
    )


def _chance_of(
    kind: str, scene: Scene, models: Mapping[str, str], *, odds: str | None, engine: str | None
) -> Callable[[int], ChanceSource]:
    """Return the function that makes the source of chance of a seed."""
    if kind == "physical":
        expect_pigs(models.values())
        physics: PhysicalChance = physical_chance(scene, models, engine=engine, seed=0)
        return lambda seed: replace(physics, seed=seed)
    fix = "use chance='physical', or odds that were measured on them"
    by_odds: TabularChance = tabular_chance(models, odds=odds or "piggle", seed=0, fix=fix)
    return by_odds.with_seed


Mask = NDArray[np.int8]
"""Flags of legal actions, 1 or 0, shape [action_count]."""

Seen = dict[str, NDArray[Any]]
"""Dictionary of an `observation`, shape [layout.size], and its `action_mask`."""


@unique
class Rewards(StrEnum):
    """Rewards at the end of a match, which add up to 0."""

    RESULT = "result"
    """Reward 1 for the winner and -1 in total for the others; joint winners share the 1."""
    SCORE = "score"
    """Own points less the mean of the others'."""


_ILLEGAL = ("loses", "raises")


def check_illegal(effect: str) -> None:
    """Raise `SpecError` if an effect of illegal actions is neither `loses` nor `raises`."""
    if effect not in _ILLEGAL:
        raise unknown_name("answer to an illegal action", effect, _ILLEGAL)


def read_seed(seed: int) -> int:
    """Return a seed; raise `SpecError` if it is out of range."""
    if not 0 <= seed <= MAX_SEED:
        raise SpecError(f"invalid seed {seed}", expected=f"0 to {MAX_SEED}", fix="use seed=7")
    return int(seed)


class Episode:
    """A match played decision by decision; outcomes of chance follow each immediately.

    Args:
        table: The game and its chance.
        seed: Root seed of the first match; None for a random one.
        rewards: Reward at the end, one of `Rewards`.
        concede: Whether conceding is the last action.

    Raises:
        SpecError: If the rewards are unknown, or the seed is out of range.
    """

    def __init__(
        self, table: LearningTable, *, seed: int | None, rewards: str, concede: bool
    ) -> None:
        if rewards not in set(Rewards):
            raise unknown_name("kind of rewards", rewards, Rewards)
        self.table = table
        self.game = table.game
        self.encoder = table.encoder
        self.state: Any = self.game.initial_state()
        self.seats: tuple[Seat, ...] = tuple(self.game.scores(self.state))
        self.action_count = table.encoder.action_count + concede
        self.rewards = Rewards(rewards)
        self._concede = concede
        self._root = None if seed is None else read_seed(seed)
        self._number = -1
        self.seed = 0
        """Root seed of this match, with which `pigglesim match --seed` plays the same match."""
        self.decisions = 0
        """Number of decisions in this match."""
        self._rolls = 0
        self.events: tuple[str, ...] = ()
        """Last decision and the outcomes that followed, in the notation of the game."""
        self.legal: Mapping[int, Any] = {}
        """Legal actions of the player to move, by number."""

    def begin(self, seed: int | None) -> None:
        """Begin the next match.

        Args:
            seed: Root seed; None to derive it from the last seed and the number of matches since.

        Raises:
            SpecError: If the seed is out of range.
        """
        if seed is not None:
            self._root, self._number = read_seed(seed), -1
        elif self._root is None:
            self._root = fresh_seed()
        self._number += 1
        self.seed = self._root
        if self._number:
            rng = generator(self._root, "episode", self._number)
            self.seed = int(rng.integers(MAX_SEED, endpoint=True))
        self._chance = self.table.chance_of(self.seed)
        self.state = self.game.initial_state()
        self.decisions = self._rolls = 0
        self._go_on(())

    @property
    def to_move(self) -> Seat | None:
        """Player who decides; None when the match is over."""
        turn = self.game.turn(self.state)
        return turn if isinstance(turn, Seat) else None

    def play(self, number: int) -> None:
        """Play an action by its number, then outcomes of chance until the next decision.

        Raises:
            IllegalActionError: If it is not legal; the match is then unchanged.
        """
        if number not in self.legal:
            raise self._illegal(number)
        action = self.legal[number]
        self.state = self.game.apply_action(self.state, action)
        self.decisions += 1
        self._go_on((self.game.format_action(action),))

    def stop(self) -> None:
        """End the match, so that no action is legal."""
        self.legal = {}

    def _illegal(self, number: int) -> IllegalActionError:
        seat = self.to_move
        problem = f"action {number} is illegal"
        if seat is not None and 0 <= number < self.action_count:
            problem += f": {self.game.format_action(self.action_at(number, seat))!r}"
        legal = ", ".join(map(str, list(self.legal)[:8]))
        fix = f"use one of {legal}, ..." if legal else "call reset()"
        return IllegalActionError(problem, fix=fix, rule="R5")

    def action_at(self, number: int, seat: Seat) -> Any:  # noqa: ANN401 (of any game)
        """Return the action of `seat` with a number, legal or not."""
        if number == self.encoder.action_count:
            return Concede()
        return self.encoder.action_at(number, seat)

    def number_of(self, action: Any, seat: Seat) -> int:  # noqa: ANN401 (of any game)
        """Return the number of an action of `seat`."""
        if isinstance(action, Concede):
            return self.encoder.action_count
        return self.encoder.action_number(action, seat)

    def _go_on(self, events: tuple[str, ...]) -> None:
        """Play outcomes of chance until a player decides or the match is over."""
        while self.game.turn(self.state) is NonPlayer.CHANCE:
            request = self.game.chance_request(self.state)
            outcome = self._chance.answer(request, index=self._rolls)
            events = (*events, self.game.format_outcome(self.state, outcome))
            self.state = self.game.apply_outcome(self.state, outcome)
            self._rolls += 1
        self.events = events
        seat = self.to_move
        actions = () if seat is None else self.game.legal_actions(self.state)
        self.legal = {
            self.number_of(action, seat): action
            for action in actions
            if seat is not None and (self._concede or not isinstance(action, Concede))
        }

    def mask(self, seat: Seat) -> Mask:
        """Return the action mask of `seat`, all 0 unless it is to move."""
        mask = np.zeros(self.action_count, dtype=np.int8)
        if seat is self.to_move:
            mask[list(self.legal)] = 1
        return mask

    def observation(self, seat: Seat) -> Floats:
        """Return the observation of `seat` as numbers."""
        return self.encoder.encode(self.game.observe(self.state, seat), seat)

    def seen(self, seat: Seat) -> Seen:
        """Return the observation and the action mask of `seat`."""
        return {"observation": self.observation(seat), "action_mask": self.mask(seat)}

    def paid(self) -> dict[Seat, float]:
        """Return the rewards of a match that is over."""
        others = len(self.seats) - 1
        scores = self.game.scores(self.state)
        if self.rewards is Rewards.SCORE:
            whole = sum(scores.values())
            return {seat: own - (whole - own) / others for seat, own in scores.items()}
        result = self.game.result(self.state)
        if result is None:
            return dict.fromkeys(self.seats, 0.0)
        shares = result.shares(self.seats)
        return {seat: share - (1.0 - share) / others for seat, share in shares.items()}

    @property
    def penalty(self) -> float:
        """Reward of an illegal action, equal to the worst loss."""
        return -1.0 if self.rewards is Rewards.RESULT else -float(self.encoder.full_score)

    def info(self, seat: Seat) -> dict[str, Any]:
        """Return the seed, the round, the last decision and its outcomes, and the result."""
        info: dict[str, Any] = {
            "seat": seat.value,
            "seed": self.seed,
            "round": self.game.round_of(self.state),
            "told": list(self.events) if self.encoder.open_play else [],
        }
        result = self.game.result(self.state)
        if result is not None:
            info["winner"] = result.winner.value if result.winner else ""
            info["reason"] = str(result.reason)
            info["scores"] = {s.value: score for s, score in self.game.scores(self.state).items()}
        return info

    def render(self, mode: str | None) -> str | NDArray[np.uint8] | None:
        """Return the state as text or image, or print it in the mode `human`.

        Raises:
            SpecError: If there is no mode.
        """
        caption = self.events[0] if self.events and self.encoder.open_play else ""
        return rendered(self.table.painter, self.state, caption, mode)
