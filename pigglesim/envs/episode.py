"""Matches of environments: games with their chance, played by action numbers."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from pigglesim.agents.agent import Agent, seated
from pigglesim.agents.registry import canonical_name, make_agent
from pigglesim.api.game_setup import set_up_game
from pigglesim.api.sources import make_source
from pigglesim.chance.odds import load_odds
from pigglesim.chance.physical import expect_places
from pigglesim.chance.tabular import believed_chance
from pigglesim.envs.card_games import LordEncoder, PigPileEncoder
from pigglesim.envs.dice_games import PiggybackEncoder, PiggySixEncoder
from pigglesim.envs.encoding import Encoder, Floats, ScaleEncoder
from pigglesim.envs.pictures import Painter, player_scales
from pigglesim.envs.piggles import PigglesEncoder
from pigglesim.errors import IllegalActionError, SpecError, cut, unknown_name
from pigglesim.games.game import Concede, Game, HasIdleSeats, ListsActions, NonPlayer
from pigglesim.games.registry import find, game_names, make_game, playable_names
from pigglesim.landing import Seat
from pigglesim.match.own_games import load_named_game
from pigglesim.match.runner import ChanceSource, start_state
from pigglesim.rng import MAX_SEED, MAX_SUB_SEED, generator, root_seed
from pigglesim.scene.scene import Scene

_ENCODERS: Mapping[str, Callable[..., Encoder[Any]]] = {
    "piggles_classic": PigglesEncoder,
    "piggles_modern": PigglesEncoder,
    "lord_of_the_pigs": LordEncoder,
    "pig_pile": PigPileEncoder,
    "piggyback": PiggybackEncoder,
    "piggy_six": PiggySixEncoder,
}


def encoded_games() -> tuple[str, ...]:
    """Return the names of all games that have an encoder."""
    others = (name for name in game_names() if name not in _ENCODERS)
    return (*_ENCODERS, *(name for name in others if isinstance(make_game(name), ListsActions)))


def encoder_of(game: Game[Any, Any]) -> Encoder[Any]:
    """Return the encoder of a game.

    Raises:
        SpecError: If it has none.
    """
    if game.name in _ENCODERS:
        return _ENCODERS[game.name](game=game)
    if not isinstance(game, ListsActions):
        raise SpecError(f"{game.name} lists no actions", fix="give its class `actions`")
    return ScaleEncoder(game=game)


_SHORT_NAMES = {"classic": "piggles_classic", "modern": "piggles_modern"}
"""Names of the games of Piggles by the short names of their rules."""


def rule_names() -> tuple[str, ...]:
    """Return the names of all rules that can be played as an environment."""
    return (*_SHORT_NAMES, *(name for name in encoded_games() if name not in _SHORT_NAMES.values()))


def game_of(rules: str) -> str:
    """Return the name of the game that a name of rules stands for, which may be its own.

    A game of the user's own has been named before.

    Raises:
        SpecError: If it cannot be played as an environment.
    """
    name = _SHORT_NAMES.get(rules, rules)
    if name not in encoded_games() and (name in game_names() or name not in playable_names()):
        raise unknown_name("name of rules", rules, rule_names())
    return name


@dataclass(frozen=True, kw_only=True)
class LearningTable:
    """A game with its encoder and chance."""

    game: Game[Any, Any]
    encoder: Encoder[Any]
    chance_of: Callable[[int], ChanceSource]
    """Function that returns the source of chance of a match, given its seed."""
    models: Mapping[str, str] = field(default_factory=dict)
    """Model of each Piggle, by id; empty if there are none."""
    painter: Painter | None = None
    """Painter of states; None for a game without render modes."""
    idle: frozenset[Seat] = frozenset()
    """Seats of imaginary players, who never decide."""


def make_table(
    rules: str | Game[Any, Any] = "classic",
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
        rules: Name of a game, or your own: an object, or `my_game.py:Class`. `classic` and `modern`
            are short for those of Piggles.
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
    named, own_rules = load_named_game(rules)
    entry = find(name := game_of(named))
    if scene is not None and entry.scene is None:
        raise SpecError(f"{named} has no scene", fix="leave scene out")
    switches = {**own_rules, **(house_rules or {})}
    setup = set_up_game(name, scene, rules=switches, teams=(team_a, team_b))
    game = setup.game
    return LearningTable(
        game=game,
        encoder=encoder_of(game),
        chance_of=make_source(
            game,
            chance or entry.chances[-1],
            scene=setup.scene_name,
            models=setup.models,
            engine=engine,
            seed=0,
            odds=odds,
        ).with_seed,
        models=setup.models,
        painter=_painter_of(game, setup.scene),
        idle=game.idle_seats if isinstance(game, HasIdleSeats) else frozenset(),
    )


def _painter_of(game: Game[Any, Any], scene: Scene | None) -> Painter | None:
    if scene is not None and scene.teams:
        return Painter(game=game, board=scene.board)
    drawn = {scale.seat for scale in player_scales(game, game.initial_state())} >= {*game.seats}
    return Painter(game=game, board=None) if drawn else None


RENDER_MODES = ("human", "ansi", "rgb_array")


def render_modes(painter: Painter | None) -> list[str]:
    """Return the render modes of a game with this painter."""
    return [] if painter is None else list(RENDER_MODES)


def check_render_mode(mode: str | None, painter: Painter | None) -> str | None:
    """Return a render mode.

    Raises:
        SpecError: If it is unknown, or the game has no painter.
    """
    if mode is not None and mode not in RENDER_MODES:
        raise unknown_name("render mode", mode, RENDER_MODES)
    if mode is not None and painter is None:
        raise SpecError(f"the game cannot be drawn as {mode}", fix="use render_mode=None")
    return mode


Mask = NDArray[np.int8]
"""Flags of legal actions, 1 or 0, shape [action_count]."""

AgentObservation = dict[str, NDArray[Any]]
"""Dictionary of an `observation`, shape [layout.size], and its `action_mask`."""


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


def read_options(options: Mapping[str, Any] | None) -> str | None:
    """Return the position among the options of `reset`, or None; other options have no effect.

    Raises:
        SpecError: If the position is not a text.
    """
    position: object = (options or {}).get("position")
    if position is not None and not isinstance(position, str):
        raise SpecError(f"invalid position {cut(repr(position))}", fix="use game.format_state")
    return position


class EpisodeOptions(TypedDict, total=False):
    """Options of an environment that say what its actions, infos and rewards are."""

    rewards: str
    """Reward at the end: `result` (1, -1, 0), the default, or `score` (difference in points)."""
    concede: bool
    """True if conceding is the last action."""
    observation_strings: bool
    """True if infos have observations as text, `observation_string`."""
    aim: bool
    """True if actions are `{"action": NUMBER, "hold": NUMBERS}`, where the hold of the cup is
    continuous."""


def split_options(options: Mapping[str, Any]) -> tuple[EpisodeOptions, dict[str, Any]]:
    """Return the options of an episode among some, and the others, which are of `make_table`."""
    names = EpisodeOptions.__annotations__
    own: Any = {name: value for name, value in options.items() if name in names}
    return own, {name: value for name, value in options.items() if name not in names}


class Episode:
    """A match played decision by decision; outcomes of chance follow each immediately.

    Args:
        table: The game and its chance.
        seed: Root seed of the first match; None for a random one.
        options: Options of the environment.

    Raises:
        SpecError: If the rewards are unknown, the seed is out of range, or nothing is thrown that
            could be aimed.
    """

    def __init__(
        self, table: LearningTable, *, seed: int | None, **options: Unpack[EpisodeOptions]
    ) -> None:
        rewards, aim = options.get("rewards", Rewards.RESULT), options.get("aim", False)
        concede = options.get("concede", False)
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
        self._strings = options.get("observation_strings", False)
        if aim and self.encoder.hold_bounds is None:
            raise SpecError(f"{self.game.name} has no cup to aim", fix="leave aim out")
        self._aim = aim
        self._root = None if seed is None else read_seed(seed)
        self._number = -1
        self.seed = 0
        """Root seed of this match, with which `pigglesim match --seed` plays the same match."""
        self.number = 0
        """Number of matches begun."""
        self.decisions = 0
        """Number of decisions in this match."""
        self._rolls = 0
        self.events: tuple[str, ...] = ()
        """Last decision and the outcomes that followed, in the notation of the game."""
        self.legal: Mapping[int, Any] = {}
        """Legal actions of the player to move, by number."""

    def begin(self, seed: int | None, *, position: str | None = None) -> None:
        """Begin the next match.

        Args:
            seed: Root seed; None to derive it from the last seed and the number of matches since.
            position: State to begin from, as `Game.format_state` writes it; None for the initial
                state.

        Raises:
            SpecError: If the seed is out of range or the position impossible; the match before is
                then unchanged.
        """
        start = start_state(self.game, position)
        expect_places(self.table.chance_of(0), self.game, start)
        if seed is not None:
            self._root, self._number = read_seed(seed), -1
        elif self._root is None:
            self._root = root_seed(None, secret=True)
        self._number += 1
        self.number += 1
        self.seed = self._root
        if self._number:
            rng = generator(self._root, "episode", self._number)
            self.seed = int(rng.integers(MAX_SUB_SEED, endpoint=True))
        self._chance = self.table.chance_of(self.seed)
        self.state = start
        self.decisions = self._rolls = 0
        self._advance(())

    @property
    def to_move(self) -> Seat | None:
        """Player who decides; None when the match is over."""
        turn = self.game.turn(self.state)
        return turn if isinstance(turn, Seat) else None

    @property
    def action_space(self) -> Any:  # noqa: ANN401 (of Gymnasium)
        """Space of the numbers of actions; to aim, of those and of holds, by name."""
        from gymnasium import spaces  # noqa: PLC0415 (of an extra)

        numbers = spaces.Discrete(self.action_count)
        if not self._aim:
            return numbers
        low, high = (np.array(bound, np.float32) for bound in self.encoder.hold_bounds or ())
        return spaces.Dict({"action": numbers, "hold": spaces.Box(low, high)})

    def take(self, action: Any) -> None:  # noqa: ANN401 (of the action space)
        """Play an action of `action_space`, then outcomes of chance until the next decision.

        Raises:
            IllegalActionError: If it is not legal; the match is then unchanged.
        """
        if self._aim:
            self.play(int(action["action"]), hold=action["hold"])
        else:
            self.play(int(action))

    def play(self, number: int, *, hold: Sequence[float] | None = None) -> None:
        """Play an action by its number, then outcomes of chance until the next decision.

        A hold of the cup is ignored where nothing is thrown.

        Raises:
            IllegalActionError: If it is not legal; the match is then unchanged.
        """
        if number not in self.legal:
            raise self._illegal(number)
        action = self.legal[number]
        if hold is not None:
            held = self.encoder.held(action, hold)
            action = held if self.game.is_legal(self.state, held) else action
        self.state = self.game.apply_action(self.state, action)
        self.decisions += 1
        self._advance((self.game.format_action(action),))

    def stop(self) -> None:
        """End the match, so that no action is legal."""
        self.legal = {}

    def _illegal(self, number: int) -> IllegalActionError:
        seat, rule, problem = self.to_move, "the action mask", f"action {number} is illegal"
        if seat is not None and 0 <= number < self.action_count:
            action = self.action_at(number, seat)
            problem += f": {self.game.format_action(action)!r}"
            try:
                self.game.apply_action(self.state, action)
            except IllegalActionError as error:
                rule = error.rule
        numbers = [*map(str, sorted(self.legal))]
        legal = ", ".join([*numbers[:8], *(["..."] if len(numbers) > 8 else [])])
        fix = f"use one of {legal}" if legal else "call reset()"
        return IllegalActionError(problem, fix=fix, rule=rule)

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

    def _advance(self, events: tuple[str, ...]) -> None:
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

    def agent_observation(self, seat: Seat) -> AgentObservation:
        """Return the observation and the action mask of `seat`."""
        return {"observation": self.observation(seat), "action_mask": self.mask(seat)}

    def final_rewards(self) -> dict[Seat, float]:
        """Return the rewards of a match that is over."""
        others = len(self.seats) - 1
        scores = self.game.scores(self.state)
        if self.rewards is Rewards.SCORE:
            total = sum(scores.values())
            return {seat: own - (total - own) / others for seat, own in scores.items()}
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
        """Return the round, the last decision and its outcomes; at the end the seed and the result.

        During the match the seed would let an agent compute rolls to come and hidden hands; a
        trainer reads it as `Episode.seed`. With `observation_strings` the info also has what the
        seat observes, as text.
        """
        info: dict[str, Any] = {
            "seat": seat.value,
            "round": self.game.round_of(self.state),
            "events": list(self.events) if self.encoder.open_play else [],
        }
        if self._strings:
            info["observation_string"] = self.game.observation_string(self.state, seat)
        result = self.game.result(self.state)
        if result is not None:
            info["seed"] = self.seed
            info["winner"] = result.winner.value if result.winner else ""
            info["reason"] = str(result.reason)
            info["scores"] = {s.value: score for s, score in self.game.scores(self.state).items()}
        return info

    def render(self, mode: str | None) -> str | NDArray[np.uint8] | None:
        """Return the state as text or image, or print it in the mode `human`.

        Raises:
            SpecError: If there is no mode.
        """
        painter = self.table.painter
        if mode is None or painter is None:
            raise SpecError("the environment has no render mode", fix="set render_mode='ansi'")
        caption = self.events[0] if self.events and self.encoder.open_play else ""
        if mode == "rgb_array":
            return painter.image(self.state, caption)
        file = io.StringIO() if mode == "ansi" else None
        painter.print(self.state, caption, file)
        return file.getvalue() if file else None


class Policy:
    """An agent that plays any seat of an environment.

    It draws the same random numbers as in `pigglesim match --seed`, so the same agents under the
    same seed play the same match.

    Args:
        name: Name of the agent, as in `make_agent`.
        odds: File of odds, or model with supplied odds, for an agent that thinks ahead; it believes
            Piggles of other models to roll by their supplied odds.

    Raises:
        SpecError: If the name of the agent or of the odds is unknown.
    """

    def __init__(self, name: str, *, odds: str = "piggle") -> None:
        self.name = canonical_name(name)
        # A wrong name is reported at once.
        load_odds(odds)
        self._odds = odds
        self._cached_agent: tuple[tuple[Game[Any, Any], Mapping[str, str]], Agent] | None = None
        self._match: tuple[int, int] | None = None
        self._seated: dict[Seat, Agent] = {}

    def __call__(self, env: Any) -> int | None:  # noqa: ANN401 (PettingZoo carries no types)
        """Return the number of the agent's action; None for a player who is out.

        `env` is an environment of `pigglesim.envs.pettingzoo`, wrapped or not.
        """
        mover = env.agent_selection
        if env.terminations[mover] or env.truncations[mover]:
            return None
        return self.decide(env.unwrapped.episode)

    def decide(self, episode: Episode) -> int:
        """Return the number of the agent's action for the player to move."""
        seat = episode.to_move
        assert seat is not None
        rng = generator(episode.seed, "agent", seat.value, episode.decisions)
        if self._match != (id(episode), episode.number):
            self._match, self._seated = (id(episode), episode.number), {}
        if seat not in self._seated:
            self._seated[seat] = seated(self._agent(episode.table), seat)
        legal = tuple(episode.legal.values())
        action = self._seated[seat].choose(
            episode.game.observe(episode.state, seat), legal, rng=rng
        )
        if action not in legal:
            raise SpecError(
                f"agent {self.name} answered {cut(repr(action))}, not a legal action",
                fix="correct the agent",
            )
        return episode.number_of(action, seat)

    def _agent(self, table: LearningTable) -> Agent:
        key = (table.game, table.models)
        if self._cached_agent is None or self._cached_agent[0] != key:
            belief = believed_chance(self._odds, table.models)
            self._cached_agent = (key, make_agent(self.name, game=table.game, chance=belief))
        return self._cached_agent[1]
