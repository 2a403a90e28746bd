"""Analysis of a match or a position: the best actions, and the win probability that is lost."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from pigglesim.agents.agent import ActionValue, Agent, Explains, seated
from pigglesim.agents.playouts import AgentPlayouts, ChanceModel, Playouts, possible_states, rewards
from pigglesim.agents.registry import make_agent
from pigglesim.agents.search import (
    Expectimax,
    RewardEstimate,
    SearchAgent,
    alternatives,
    distinct,
    paired_difference,
)
from pigglesim.api.analysis import (
    EXACT,
    LEVEL,
    AnalysisResult,
    DecisionAnalysis,
    PositionResult,
)
from pigglesim.api.match import PlayedMatch, set_up_game
from pigglesim.api.names import Player, expect_player
from pigglesim.api.what_if import source_like
from pigglesim.arguments import checked
from pigglesim.chance.physical import PhysicalChance, expect_places
from pigglesim.chance.tabular import FairChance, TabularChance, believed_chance
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import PigglesimError, SpecError, cut
from pigglesim.experiments.statistics import Interval, student
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.games.game import Game, ListsChanceOutcomes, NonPlayer
from pigglesim.games.registry import find
from pigglesim.landing import Seat
from pigglesim.match.entries import Decision, Forfeit, Header, MatchRecord
from pigglesim.match.own_games import named_game
from pigglesim.match.replay import playback_of, seated_game
from pigglesim.match.runner import ChanceSource, make_header, start_state
from pigglesim.rng import MAX_SUB_SEED, Seed, generator, root_seed

_SEARCH, _SLOW_SEARCH = "mcts:nodes=200", "mcts:nodes=60"
"""Agents that find the best action: with compiled playouts, and by the rules themselves."""
_UNCOMPILED = ("lord_of_the_pigs", "piggy_six")
"""Games without compiled playouts."""
_SAMPLES, _SLOW_SAMPLES, _PHYSICAL_SAMPLES = 200, 100, 20
"""Samples of each action: with compiled playouts, by the rules themselves, on physics."""
_MIN_SAMPLES = 5
"""Minimum number of samples whose spread is used."""
_QUICK_SAMPLES = 10_000
"""Number of samples by odds that take less time than starting workers."""
_LISTED_DEPTH = 2
"""Decisions within which a game must end for its listed outcomes to give exact values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Point:
    """A decision of the record, or a forfeit in its place."""

    entry: Decision | Forfeit
    state: Any
    """State before it."""
    round: int
    played: Any
    """Action played; None for a forfeit."""


_Values = Mapping[Seat, Interval]
_Rewards = Sequence[Mapping[Seat, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sampled:
    """Value of an action: exact, or samples with the same random numbers for each action."""

    exact: _Values | None = None
    rewards: _Rewards = ()
    """Mean rewards of the seats in each sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Best action at a decision, with the known exact values and some of the samples."""

    best: str
    choices: int
    same: bool
    """True if the action played is the best, or equivalent to it."""
    before: _Sampled
    after: _Sampled


_Choice = tuple[Any, Sequence[ActionValue[Any]], int]
"""Best action at a decision, the values that the search gives, and the number of choices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SamplingJob:
    """Samples to play at a decision."""

    point: int
    samples: range


class _BeyondDepth(Exception):  # noqa: N818 (ends a search)
    """A game that is not over at the depth of a search."""


class _NoPlayouts:
    """Evaluator that refuses to play, so that a search has exact values or none."""

    batch = 1

    def value(self, state: object, count: int, *, rng: np.random.Generator) -> dict[Seat, float]:
        """Raise `_BeyondDepth`."""
        raise _BeyondDepth


@dataclass(frozen=True, slots=True)
class _SimulatedRolls:
    """Physics as the model of chance of playouts."""

    source: PhysicalChance

    def draw(self, request: ChanceRequest, *, rng: np.random.Generator) -> ChanceOutcome:
        """Return one outcome, simulated under a seed from `rng`."""
        return self.source.with_seed(int(rng.integers(MAX_SUB_SEED))).answer(request, index=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """Arguments of `analyse` and `analyse_position` that the values depend on."""

    header: Header
    """Header of the match, or of one from the position."""
    record: MatchRecord | None = None
    """Record of the match; None for the decision at the position."""
    agent: Player | None
    playouts: int | None
    chance: str | None
    odds: str | None
    seed: int


class _Evaluator:
    """Evaluator of the decisions of a match; it does any job in any process."""

    def __init__(self, request: _Request) -> None:
        header, record = request.header, request.record
        self.game = seated_game(header.game, header.house_rules, header.agents)
        self._seed = request.seed
        self.chance = request.chance or (
            "tabular" if request.odds else find(header.game).chances[-1]
        )
        source = source_like(header, self.chance, request.odds)(0)
        self._belief = (
            source
            if isinstance(source, TabularChance)
            else believed_chance(request.odds, header.teams)
        )
        if record is None:
            self.points = _choices(self.game, header.position, self._belief)
            self._result = None
        else:
            self.points, self._result = _points(record), _result(record)
        self.agent = self._make_agent(request.agent)
        self._playouts, self._batch, samples = self._make_playouts(source)
        self.samples = samples if request.playouts is None else -(-request.playouts // self._batch)
        if self.samples < _MIN_SAMPLES:
            least = _MIN_SAMPLES * self._batch
            raise SpecError(
                f"{request.playouts} playouts are too few for an interval",
                expected=f"{least} or more",
                fix=f"use --playouts {least}",
            )
        self._seated: dict[Seat, Agent] = {}
        self._latest: tuple[int, _Found] | None = None
        self._best: tuple[Any, _Choice] | None = None
        """State of the latest search, and what it found."""

    def _make_agent(self, agent: Player | None) -> Agent:
        if agent is not None and not isinstance(agent, str):
            return agent
        name = agent or _SEARCH
        if agent is None and self.game.name == "piggy_six":
            best = make_agent("best", game=self.game)
            if isinstance(best, Explains):
                return best
        if agent is None and self.game.name in _UNCOMPILED:
            name = _SLOW_SEARCH
        return make_agent(name, game=self.game, chance=self._belief)

    def _make_playouts(self, source: ChanceSource) -> tuple[Playouts, int, int]:
        """Return the playouts, their batch, and the default number of samples."""
        if isinstance(source, PhysicalChance):
            for point in self.points:
                expect_places(source, point.state)
            greedy, rolls = (
                make_agent("greedy", game=self.game, chance=self._belief),
                _SimulatedRolls(source),
            )
            playouts = AgentPlayouts(game=self.game, chance=rolls, agent=greedy)
            return playouts, 1, _PHYSICAL_SAMPLES
        search = self.agent
        if not isinstance(search, SearchAgent):
            search = make_agent(_SEARCH, game=self.game, chance=self._belief)
            assert isinstance(search, SearchAgent)
        slow = isinstance(search.playouts, AgentPlayouts)
        return search.playouts, search.batch, _SLOW_SAMPLES if slow else _SAMPLES

    @property
    def solved(self) -> bool:
        """True if the agent knows the exact values, so that no games are played."""
        solving = isinstance(self.agent, Explains) and not isinstance(self.agent, SearchAgent)
        return solving and self.game.name == "piggy_six"

    @property
    def playouts(self) -> int:
        """Games played from each action."""
        return 0 if self.solved else self.samples * self._batch

    @property
    def quick(self) -> bool:
        """True if starting workers would take longer than the analysis."""
        few = self.samples * len(self.points) < _QUICK_SAMPLES
        return self.solved or (self.chance == "tabular" and self._batch > 1 and few)

    def jobs(self) -> Iterator[_SamplingJob]:
        """Yield the jobs in the order of decisions: single samples on physics, else all at once."""
        step = 1 if self.chance == "physical" else self.samples
        for number in range(len(self.points)):
            for first in range(0, self.samples, step):
                yield _SamplingJob(point=number, samples=range(first, first + step))

    def __call__(self, job: _SamplingJob) -> _Found:
        """Return the best action at a decision, with some of the samples."""
        point = self.points[job.point]
        if self._latest is None or self._latest[0] != job.point:
            self._latest = job.point, self._search(point)
        found = self._latest[1]
        before = found.before
        if before.exact is None:
            best = point.played if found.same else self.game.parse_action(found.best)
            before = self._sample(point, best, job.samples)
        if found.same:
            return replace(found, before=before, after=before)
        after = found.after
        if after.exact is None:
            after = self._sample(point, point.played, job.samples)
        return replace(found, before=before, after=after)

    def _stream(self, point: _Point, *purpose: str | int) -> np.random.Generator:
        return generator(self._seed, "analyse", point.entry.index, *purpose)

    def _search(self, point: _Point) -> _Found:
        """Return the best action at a decision, with the exact values that are known."""
        game, played = self.game, point.played
        if self._best is None or self._best[0] is not point.state:
            self._best = point.state, self._choose(point)
        best, values, choices = self._best[1]
        same = played is not None and _are_alike(game, self._belief, best, played)
        known = {each.action: self._exact(point, each) for each in values if not each.visits}
        after = _Sampled(exact=self._result if played is None else known.get(played))
        return _Found(
            best=game.format_action(played if same else best),
            choices=choices,
            same=same,
            before=_Sampled(exact=known.get(best)),
            after=after,
        )

    def _choose(self, point: _Point) -> _Choice:
        """Return the best action at a decision, the known values, and the number of choices."""
        game, values = self.game, self._listed_values(point)
        observation = game.observe(point.state, point.entry.seat)
        legal = game.legal_actions(point.state)
        choices = alternatives(game, legal, self._belief)
        if not values and len(choices) == 1 and not self.solved:
            return choices[0], (), 1
        if not values and isinstance(self.agent, Explains):
            values = self.agent.explain(observation, legal, rng=self._stream(point, "search"))
        best = values[0].action if values else self._chosen(point, observation, legal)
        return best, values, len(choices)

    def _listed_values(self, point: _Point) -> Sequence[ActionValue[Any]]:
        """Return exact values if the game ends within a few decisions and lists its outcomes."""
        game = self.game
        if self.solved or not isinstance(game, ListsChanceOutcomes):
            return ()
        search = Expectimax(
            name="", game=game, chance=self._belief, playouts=_NoPlayouts(), depth=_LISTED_DEPTH
        )
        observation = game.observe(point.state, point.entry.seat)
        legal = game.legal_actions(point.state)
        try:
            return search.explain(observation, legal, rng=self._stream(point, "search"))
        except _BeyondDepth:
            return ()

    def _exact(self, point: _Point, found: ActionValue[Any]) -> _Values:
        """Return the exact value of the player to move, and of the other if there is one."""
        seat, bounds = point.entry.seat, (found.value, found.low, found.high)
        values = {seat: _exact(*bounds)}
        if len(self.game.seats) == 2:
            value, low, high = bounds
            (other,) = set(self.game.seats) - {seat}
            values[other] = _exact(1.0 - value, 1.0 - high, 1.0 - low)
        return values

    def _chosen(self, point: _Point, observation: object, legal: Sequence[Any]) -> Any:  # noqa: ANN401 (an action)
        """Return the choice of an agent that gives no values."""
        seat = point.entry.seat
        if seat not in self._seated:
            self._seated[seat] = seated(self.agent, seat)
        try:
            best = self._seated[seat].choose(observation, legal, rng=self._stream(point, "search"))
            is_legal = self.game.is_legal(point.state, best)
        except PigglesimError:
            raise
        except Exception as error:
            problem = f"agent {cut(self.agent.name)} raised {type(error).__name__}: {error}"
            raise SpecError(problem, fix="correct it, or use another --agent") from error
        if not is_legal:
            problem = f"agent {cut(self.agent.name)} chose an illegal action, {cut(repr(best))}"
            raise SpecError(problem, fix="correct it, or use another --agent")
        return best

    def _sample(self, point: _Point, action: Any, numbers: range) -> _Sampled:  # noqa: ANN401 (an action)
        """Return samples of an action's rewards: sample k has the same luck for each action."""
        game, found, over = self.game, [], True
        possible = possible_states(game, game.observe(point.state, point.entry.seat))
        for k in numbers:
            after = game.apply_action(possible(self._stream(point, "hidden", k)), action)
            if game.turn(after) is NonPlayer.OVER:
                found.append(rewards(game, after))
                continue
            over = False
            luck = self._stream(point, "playouts", k)
            found.append(dict(self._playouts.value(after, self._batch, rng=luck)))
        if over and all(each == found[0] for each in found):
            return _Sampled(exact={seat: _exact(share) for seat, share in found[0].items()})
        return _Sampled(rewards=found)

    def analysed(self, number: int, parts: Sequence[_Found]) -> DecisionAnalysis:
        """Return the analysis of a decision from all its samples."""
        point, found = self.points[number], parts[0]
        before = self._joined([part.before for part in parts])
        after = self._joined([part.after for part in parts])
        entry = point.entry
        return DecisionAnalysis(
            decision=entry.index,
            round=point.round,
            seat=str(entry.seat),
            action=entry.action if isinstance(entry, Decision) else f"forfeits {entry.cause}",
            best=found.best,
            choices=found.choices,
            before=self._values(before),
            after=self._values(after),
            loss=_exact(0.0) if found.same else self._loss(entry.seat, before, after),
        )

    def _joined(self, parts: Sequence[_Sampled]) -> _Sampled:
        """Return all samples together."""
        if all(part.exact is not None for part in parts):
            return parts[0]
        # A part may be exact by chance, if its few samples are all of games that end at once.
        found = [
            reward
            for part in parts
            for reward in (
                part.rewards or [{seat: each.value for seat, each in (part.exact or {}).items()}]
            )
        ]
        return _Sampled(rewards=found)

    def _values(self, sampled: _Sampled) -> dict[str, Interval]:
        if sampled.exact is not None:
            return {str(seat): value for seat, value in sampled.exact.items()}
        values = {}
        for seat in sampled.rewards[0]:
            estimate = RewardEstimate(weight=self._batch)
            for reward in sampled.rewards:
                estimate.add(reward[seat])
            low, high = estimate.interval()
            values[str(seat)] = Interval(
                value=estimate.mean, low=low, high=high, level=LEVEL, method="Student"
            )
        return values

    def _loss(self, seat: Seat, before: _Sampled, after: _Sampled) -> Interval:
        """Return the loss of the player to move; samples of both actions are paired."""
        if before.exact is None and after.exact is None:
            one, other = ([each[seat] for each in part.rewards] for part in (before, after))
            mean, error = paired_difference(one, other, weight=self._batch)
            found = student(mean, error, clusters=len(one), level=LEVEL, method="paired Student")
            return replace(found, low=max(-1.0, found.low), high=min(1.0, found.high))
        best, played = (self._values(part)[str(seat)] for part in (before, after))
        return Interval(
            value=best.value - played.value,
            low=best.low - played.high,
            high=best.high - played.low,
            level=LEVEL,
            method=EXACT if best.method == played.method == EXACT else "Student",
        )


def _exact(value: float, low: float | None = None, high: float | None = None) -> Interval:
    """Return a value without noise, within the bounds of its solution."""
    low, high = value if low is None else low, value if high is None else high
    return Interval(value=value, low=low, high=high, level=LEVEL, method=EXACT)


def _are_alike(game: Game[Any, Any], chance: ChanceModel, one: object, other: object) -> bool:
    """Return whether two actions are equivalent."""
    return one == other or len(distinct(game, [one, other], chance)) == 1


def _points(record: MatchRecord) -> list[_Point]:
    """Return the decisions of a record, and its forfeit."""
    playback, points = playback_of(record), []
    for entry in record.entries:
        if isinstance(entry, Decision | Forfeit):
            game, state = playback.game, playback.state
            played = game.parse_action(entry.action) if isinstance(entry, Decision) else None
            points.append(
                _Point(entry=entry, state=state, round=game.round_of(state), played=played)
            )
        playback.take(entry)
    return points


def _choices(game: Game[Any, Any], position: str | None, chance: ChanceModel) -> list[_Point]:
    """Return a point for each distinct action at a position.

    Raises:
        SpecError: If no player is to decide there.
    """
    state = start_state(game, position)
    seat = game.turn(state)
    if not isinstance(seat, Seat):
        raise SpecError(
            f"no player is to decide at this position of {game.name}",
            fix="use a position before a decision",
        )
    number = game.round_of(state)
    return [
        _Point(
            entry=Decision(index=0, seat=seat, action=game.format_action(action)),
            state=state,
            round=number,
            played=action,
        )
        for action in alternatives(game, game.legal_actions(state), chance)
    ]


def _result(record: MatchRecord) -> _Values | None:
    """Return the share of the win of each seat; None for an interrupted match."""
    result = record.footer.result
    if result is None:
        return None
    shares = result.shares(tuple(record.footer.scores))
    return {seat: _exact(share) for seat, share in shares.items()}


@checked
def analyse(
    match: MatchRecord | PlayedMatch,
    *,
    agent: Player | None = None,
    playouts: int | None = None,
    chance: Literal["physical", "tabular", "fair"] | None = None,
    odds: str | None = None,
    seed: Seed = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> AnalysisResult:
    """Find the best action at each decision of a match, and the win probability that was lost.

    An agent finds the best action from what the player to move could see. Then playouts value that
    action and the one played: fresh games to the end in which every seat follows the rollout
    policy, usually greedy. Sample k has the same random numbers for both, so their difference is
    more precise than either. Values of solved games (Piggy Six), and of games that end within two
    decisions by listed dice, are exact. An interruption (Ctrl-C) ends the analysis early: the
    decisions analysed so far are returned.

    Args:
        match: Match, or its record; it may be interrupted.
        agent: Evaluating agent: a name such as `mcts:nodes=400`, or your own agent. Default: the
            exact solution if there is one, else a tree search.
        playouts: Games from each action, rounded up to whole samples. Default: as many as take
            seconds in Piggles by odds, and minutes in other games or on physics.
        chance: Source of rolls of the playouts. Default: the game's quickest; odds for Piggles.
        odds: File of `tabular` odds, or a model that has odds.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        workers: Number of processes; the result does not depend on it. Your own agents think only
            in this process.
        progress: Function called with the numbers of samples done and wanted.

    Returns:
        The values at each decision, with 95 % intervals.

    Raises:
        PigglesimError: If the record has no decision, an argument does not fit its game, or the
            agent fails.

    Examples:
        >>> import pigglesim
        >>> match = pigglesim.play_match(chance="tabular", seed=7)
        >>> pigglesim.analyse(match, seed=1).worst()
    """
    record = match.record if isinstance(match, PlayedMatch) else match
    request = _Request(
        header=record.header, record=record, agent=agent, playouts=playouts, chance=chance,
        odds=odds, seed=root_seed(seed),
    )  # fmt: skip
    evaluator, decisions = _evaluate(request, workers, progress)
    result = _result(record)
    return AnalysisResult(
        record=record,
        agent=evaluator.agent.name,
        chance=evaluator.chance,
        playouts=evaluator.playouts,
        seed=request.seed,
        finished=len(decisions) == len(evaluator.points),
        result=None if result is None else {str(s): share.value for s, share in result.items()},
        decisions=tuple(decisions),
    )


def _evaluate(
    request: _Request, workers: int, progress: Callable[[int, int], object] | None
) -> tuple[_Evaluator, list[DecisionAnalysis]]:
    """Return the evaluator of a request and its findings, fewer if it is interrupted."""
    agent = request.agent
    if agent is not None:
        expect_player(agent)
    evaluator = _Evaluator(request)
    if not evaluator.points:
        raise SpecError("the match has no decision to analyse", fix="use a longer record")
    if evaluator.quick or not (agent is None or isinstance(agent, str)):
        workers = 1
    prepare = partial(_Evaluator, request) if workers > 1 else lambda: evaluator
    jobs, total = list(evaluator.jobs()), evaluator.samples * len(evaluator.points)
    parts: list[_Found] = []
    decisions: list[DecisionAnalysis] = []
    try:
        with closing(map_in_order(prepare, jobs, workers=workers)) as answers:
            for job, found in zip(jobs, answers, strict=True):
                parts.append(found)
                if job.samples.stop == evaluator.samples:
                    decisions.append(evaluator.analysed(job.point, parts))
                    parts = []
                if progress is not None:
                    progress(job.point * evaluator.samples + job.samples.stop, total)
    except KeyboardInterrupt:
        if not decisions:
            raise
    return evaluator, decisions


@checked
def analyse_position(
    position: str,
    game: str | Game[Any, Any] | None = None,
    *,
    house_rules: Mapping[str, object] | None = None,
    players: int | None = None,
    teams: tuple[str | None, str | None] = (None, None),
    agent: Player | None = None,
    playouts: int | None = None,
    chance: Literal["physical", "tabular", "fair"] | None = None,
    odds: str | None = None,
    seed: Seed = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> PositionResult:
    """Find the win probability after each action at a position.

    The values are those of `analyse` for a decision at this position, with the same random numbers
    for each action.

    Args:
        position: State to analyse, as `Game.format_state` writes it.
        game: Name in `known().games`, or your own, as for `play_match`. Default: Piggles Classic.
        house_rules: House rules by name.
        players: Number of players, if the game allows several.
        teams: Piggles of A and of B, as for `play_match`.
        agent: Evaluating agent, as for `analyse`.
        playouts: Games from each action, as for `analyse`.
        chance: Source of rolls of the playouts. Default: the game's quickest; odds for Piggles.
        odds: File of `tabular` odds, or a model that has odds.
        seed: Root seed, or a stream to draw it from. Default: random; the result holds it.
        workers: Number of processes; the result does not depend on it.
        progress: Function called with the numbers of samples done and wanted.

    Returns:
        The values of all distinct actions, the best first.

    Raises:
        PigglesimError: If the position is impossible, no player is to decide there, or an argument
            does not fit the game.

    Examples:
        >>> import pigglesim
        >>> position = "bank=60,95 active=A round=9 total=25 rolls=4 dice=2"
        >>> pigglesim.analyse_position(position, "piggy_six", seed=1).actions[0].action
        'roll'
    """
    name, rules = (None, {}) if game is None else named_game(game)
    rules = {**rules, **(house_rules or {})}
    setup = set_up_game(name, None, rules=rules, players=players, teams=teams, position=position)
    own = setup.game
    header = make_header(
        own, agents=dict.fromkeys(own.seats, ""), chance=FairChance(seed=0), seed=0,
        teams=setup.models, position=position,
    )  # fmt: skip
    return analyse_actions(
        header, agent=agent, playouts=playouts, chance=chance, odds=odds, seed=seed,
        workers=workers, progress=progress,
    )  # fmt: skip


def analyse_actions(
    header: Header,
    *,
    agent: Player | None = None,
    playouts: int | None = None,
    chance: str | None = None,
    odds: str | None = None,
    seed: Seed = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> PositionResult:
    """Return the win probability after each action at the position of a header.

    The header gives game, house rules and models; `analyse_position` describes the arguments.
    """
    request = _Request(
        header=header, agent=agent, playouts=playouts, chance=chance, odds=odds,
        seed=root_seed(seed),
    )  # fmt: skip
    evaluator, found = _evaluate(request, workers, progress)
    return PositionResult(
        game=header.game,
        position=str(header.position),
        seat=found[0].seat,
        round=found[0].round,
        agent=evaluator.agent.name,
        best=found[0].best,
        chance=evaluator.chance,
        playouts=evaluator.playouts,
        seed=request.seed,
        finished=len(found) == len(evaluator.points),
        actions=tuple(sorted(found, key=lambda each: -each.after[each.seat].value)),
    )
