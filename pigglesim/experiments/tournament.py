"""Round-robin tournaments: pairings, game and seeds, the folder of the results, and Elo ratings.

Ratings follow Bradley and Terry's model, with pairs of matches as clusters. The probability that
agent i beats j is 1 / (1 + 10^((R_j - R_i) / 400)); a draw is half a win
(Bradley and Terry 1952; Elo 1978). Ratings have the maximum likelihood, with one more drawn match
of every two that met. So the rating of an agent that lost every match is finite, and two agents
get Anscombe's (1956) nearly unbiased log-odds, log((wins + 1/2) / (losses + 1/2)).

The two matches of a pair share their dice: the errors of ratings come from the observed spread of
the points of pairs, by linearisation (White 1982). Agents that play alike split most pairs, which
is more evidence than as many coin tosses: meetings are weighted by the inverse of their dispersion
(Wedderburn's quasi-likelihood, 1974), which changes no rating where there is only one meeting.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum, unique
from functools import cached_property
from hashlib import sha256
from itertools import combinations
from math import inf, log
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict

import numpy as np
from pydantic import Field

from pigglesim.agents.agent import Agent, seated
from pigglesim.agents.outside import (
    ProcessAgent,
    program_sha256,
    source_file,
    sources_sha256,
)
from pigglesim.agents.registry import canonical_name, is_outside, make_agent
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import FairChance, TabularChance, believed_chance, check_odds_support
from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.folder import EXACT, SeriesFolder, SeriesKind, plain_fields
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.luck import (
    Luck,
    LuckMeter,
    LuckRecorder,
    WithoutLuck,
    luck_meter,
    without_luck,
)
from pigglesim.experiments.statistics import Coefficients, Share, mean_of, share_of
from pigglesim.games.game import JSON, Game
from pigglesim.games.registry import find, is_own_game, make_game
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.entries import Cause, Decision, Forfeit, plain_line
from pigglesim.match.record import format_record
from pigglesim.match.runner import play, start_state
from pigglesim.notebook_display import displayed
from pigglesim.rng import MAX_SEED, MAX_SUB_SEED, sub_seed
from pigglesim.rotations import Array
from pigglesim.version import __version__

if TYPE_CHECKING:
    from pigglesim.chance.physical import PhysicalChance


@unique
class ChanceKind(StrEnum):
    """Source of the rolls."""

    TABULAR = "tabular"
    PHYSICAL = "physical"
    FAIR = "fair"
    """Equal odds of all faces and cards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Two matches of two agents with the same chance, seats swapped in the second.

    Where more than two play, each of the two has every other seat.
    """

    first: int
    """Number of the agent that has seat A, and every other after it, in the first match."""
    second: int
    seed: int
    """Seed of both matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSeries:
    """Rules, chance and seed of a series of matches."""

    house_rules: Mapping[str, JSON] = field(default_factory=dict)
    """Settings that are not default, by name."""
    chance: ChanceKind = ChanceKind.TABULAR
    scene: str = "piggles_classic"
    """The table of `physical` chance."""
    engine: str | None = None
    """Engine of its physics."""
    seed: int

    def check_chance(self, possible: Collection[str], *, of: str = "") -> None:
        """Raise SpecError unless the chance is possible with the scene, engine and seed."""
        if self.chance not in possible:
            noun = f"chance of {of}" if of and self.chance in set(ChanceKind) else "chance source"
            raise unknown_name(noun, str(self.chance), possible)
        object.__setattr__(self, "chance", ChanceKind(self.chance))
        physical = {"--scene": self.scene != "piggles_classic", "--engine": bool(self.engine)}
        for flag, is_set in physical.items():
            if is_set and self.chance is not ChanceKind.PHYSICAL:
                raise SpecError(f"{flag} with --chance {self.chance}", fix="use --chance physical")
        if not 0 <= self.seed <= MAX_SEED:
            raise SpecError(
                f"invalid seed {self.seed}", expected=f"0 to {MAX_SEED}", fix="use --seed 1"
            )

    def definition(self) -> dict[str, Any]:
        """Return the fields as plain values, which the class takes as keywords."""
        return plain_fields(self)

    def physical_chance(self, model: str | None = None) -> "PhysicalChance":
        """Return the physics of the table, with Piggles of one model or of the scene's teams."""
        from pigglesim.chance.physical import (  # noqa: PLC0415 (slow to import)
            expect_pigs,
            physical_chance,
        )
        from pigglesim.scene.load import load_scene, team_models  # noqa: PLC0415 (slow to import)

        scene = load_scene(self.scene)
        models = team_models(scene)
        if model:
            models = dict.fromkeys(models, model)
        expect_pigs(models.values())
        return physical_chance(scene, models, engine=self.engine, seed=0)


def expect_once(noun: str, names: Sequence[str]) -> None:
    """Raise SpecError if a name is given twice."""
    if twice := {name for name in names if names.count(name) > 1}:
        raise SpecError(f"the {noun} {min(twice)} is given twice", fix="leave one out")


def versions_with(chance: "TabularChance | FairChance | PhysicalChance") -> dict[str, Any]:
    """Return the versions and the chance that results of matches depend on."""
    return {
        "pigglesim": __version__,
        "numpy": np.__version__,
        # Each match has a seed of its own.
        "chance": {name: value for name, value in chance.provenance().items() if name != "seed"},
    }


NOT_COMPARED = "not compared"
"""In place of the digest of an agent whose code is not known."""


def not_compared(made_of: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the agents of a series whose code is not known."""
    return tuple(name for name, sha256 in made_of["agents"].items() if sha256 == NOT_COMPARED)


def game_digest(game: Game[Any, Any]) -> dict[str, str]:
    """Return the digest of the code of a game of the user's own, by `game`; empty for others."""
    file = source_file(type(game)) if is_own_game(game.name) else None
    return {"game": sources_sha256([Path(file)])} if file else {}


def digests_of(agents: Mapping[str, Agent]) -> dict[str, str]:
    """Return the digest of the code of each agent from outside, or `NOT_COMPARED`, by name."""
    return {name: program_sha256(agent) or NOT_COMPARED for name, agent in agents.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament(MatchSeries):
    """A round robin: everything that decides its results, except the number of pairs.

    Every two agents meet in pairs of matches. The pairs of all meetings take turns, so that a
    stopped tournament is a smaller complete one, and a finished one can be extended.
    """

    agents: tuple[str, ...]
    own_agents: tuple[str, ...] = ()
    """Names of agents that are objects of a Python program."""
    game: str = "piggles_classic"
    odds: str = "piggle"
    """Odds of `tabular` chance; agents that search use them under any chance."""
    position: str | None = None
    """State from which every match is played; None for the initial state."""
    records: bool = False
    """True to save every match."""
    time_limit: float | None = None
    """Maximum time for a decision [s of wall clock]; None for no limit. Under a limit, results
    depend on the machine."""

    def __post_init__(self) -> None:
        own_agents = set(self.own_agents)
        object.__setattr__(self, "own_agents", tuple(self.own_agents))
        names = tuple(name if name in own_agents else canonical_name(name) for name in self.agents)
        object.__setattr__(self, "agents", names)
        if len(names) < 2:
            raise SpecError("fewer than two agents", fix="use --agents uniform,greedy")
        expect_once("agent", names)
        self.check_chance(find(self.game).chances, of=self.game)
        if self.position is not None:
            game: Game[Any, Any] = make_game(self.game, self.house_rules)
            start = start_state(game, self.position)
            object.__setattr__(self, "position", game.format_state(start))
        if self.time_limit is not None and not 0.0 < self.time_limit < inf:
            raise SpecError(f"invalid time limit {self.time_limit} s", fix="use --time-limit 5")

    @property
    def matchups(self) -> tuple[tuple[int, int], ...]:
        """Numbers of every two agents."""
        return tuple(combinations(range(len(self.agents)), 2))

    def meeting(self, index: int) -> Meeting:
        """Return pair number `index` of the tournament.

        Its seed depends on the names of the two and on how often they met, not on other agents.
        """
        number, matchup = divmod(index, len(self.matchups))
        first, second = self.matchups[matchup]
        names = (self.agents[first], self.agents[second])
        seed = sub_seed(self.seed, "pair", *names, number)
        return Meeting(first=first, second=second, seed=seed)


_MAX_NUMBER = 10**9
"""Largest score, and number of decisions in a match."""
_Number = Annotated[float, Field(ge=-_MAX_NUMBER, le=_MAX_NUMBER)]
_Count = Annotated[int, Field(ge=0, le=MAX_SUB_SEED)]
_MAX_DETAIL = 1000
RECORDS = "records"
"""Folder of the records of matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """Result of a match; the first agent is the first of the pair, in either seat."""

    points: Annotated[float, Field(ge=0, le=1)]
    """Points of the first agent: 1 for a win, 0.5 for a draw, 0 for a loss. A shared win is
    divided; several seats of the agent are added."""
    reason: str
    scores: tuple[_Number, _Number]
    """Scores of the first agent and of the second; means if they have several seats."""
    decisions: Annotated[int, Field(ge=0, le=_MAX_NUMBER)]
    forfeit: Cause | None = None
    """Reason why an agent forfeited, which then lost; None if none did."""
    forfeit_detail: Annotated[str, Field(max_length=_MAX_DETAIL)] = ""
    """Error, value or exceeded limit, and the last line of a program's standard error."""
    luck: Luck | None = None
    """Luck of the first agent; None where it is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPair:
    """Two matches played, the first agent in seat A and then in seat B."""

    __pydantic_config__ = EXACT

    index: _Count
    first: _Count
    second: _Count
    seed: _Count
    matches: tuple[MatchResult, MatchResult]
    records: Annotated[tuple[str, ...], Field(exclude=True)] = ()
    """The matches as the text of their files, where they are saved."""
    record_digests: tuple[str, ...] = ()
    """SHA-256 of each of these files."""

    @property
    def points(self) -> float:
        """Points of the first agent, from 0 to 2."""
        return self.matches[0].points + self.matches[1].points

    @property
    def score_difference(self) -> float:
        """Mean score of the first agent minus that of the second."""
        return sum(match.scores[0] - match.scores[1] for match in self.matches) / 2.0

    @property
    def luck(self) -> Luck | None:
        """Mean luck of the first agent; None where it is not known."""
        first, second = (match.luck for match in self.matches)
        return None if first is None or second is None else (first + second).times(0.5)


class TournamentSettings:
    """Agents, game, odds and chance of a tournament, ready to play.

    Args:
        tournament: Tournament.
        own: Agents that are objects of a Python program, by name.

    Raises:
        SpecError: If a name is unknown, or a file is invalid.
    """

    def __init__(self, tournament: Tournament, own: Mapping[str, Agent] | None = None) -> None:
        self.tournament = tournament
        self._odds = load_odds(tournament.odds)
        self._game: Game[Any, Any] = make_game(tournament.game, tournament.house_rules)
        belief = self._belief = believed_chance(tournament.odds, self._teams)
        registered = {
            name: make_agent(name, game=self._game, chance=belief)
            for name in tournament.agents
            if name not in tournament.own_agents
        }
        self._agents = registered | dict(own or {})
        for agent in registered.values():
            # A program that cannot be played is an error before the first match.
            seated(agent, self._game.seats[0], time_limit=tournament.time_limit)
        self.made_of()

    @cached_property
    def _chance(self) -> "TabularChance | FairChance | PhysicalChance":
        match self.tournament.chance:
            case ChanceKind.TABULAR:
                check_odds_support(self._game)
                return TabularChance(seed=0, odds=self._odds)
            case ChanceKind.FAIR:
                return FairChance(seed=0)
            case ChanceKind.PHYSICAL:
                from pigglesim.chance.physical import expect_places  # noqa: PLC0415 (slow to import)

                physical = self.tournament.physical_chance()
                start = start_state(self._game, self.tournament.position)
                expect_places(physical, self._game, start)
                return physical

    def solve(self, on_progress: Callable[[float], None]) -> None:
        """Solve what luck needs, unless it is solved; workers then find it on disk.

        Raises:
            KeyboardInterrupt: If it was stopped.
        """
        luck_meter(self._game, self._chance, on_progress=on_progress)

    @cached_property
    def _luck_meter(self) -> LuckMeter | None:
        return luck_meter(self._game, self._chance)

    def made_of(self) -> dict[str, Any]:
        """Return the versions and hashes that results depend on, besides the definition."""
        provenance = self._belief.provenance()
        # Piggles of other models exist only on a scene whose teams have them.
        believed = {"believed": provenance["others"]} if "others" in provenance else {}
        own = self.tournament.own_agents
        outside = {
            name: agent for name, agent in self._agents.items() if name in own or is_outside(name)
        }
        return {
            "odds_sha256": self._odds.sha256,
            **versions_with(self._chance),
            **believed,
            "agents": digests_of(outside),
            **game_digest(self._game),
        }

    def __call__(self, index: int) -> MatchPair:
        """Play pair number `index`; an agent that fails forfeits its match.

        Raises:
            KeyboardInterrupt: If a match was stopped; the pair is lost.
        """
        meeting = self.tournament.meeting(index)
        results, records = zip(*(self._match(meeting, swapped) for swapped in (0, 1)), strict=True)
        return MatchPair(
            index=index,
            first=meeting.first,
            second=meeting.second,
            seed=meeting.seed,
            matches=(results[0], results[1]),
            records=records if self.tournament.records else (),
            record_digests=tuple(sha256(text.encode()).hexdigest() for text in records if text),
        )

    def _match(self, meeting: Meeting, swapped: int) -> tuple[MatchResult, str]:
        """Return one match, and its record."""
        seats = self._game.seats
        own_seats, other_seats = seats[swapped::2], seats[1 - swapped :: 2]
        agents = {
            **dict.fromkeys(own_seats, self._agent(meeting.first)),
            **dict.fromkeys(other_seats, self._agent(meeting.second)),
        }
        luck = LuckRecorder(self._luck_meter)
        played = play(
            self._game,
            agents={seat: agents[seat] for seat in seats},
            chance=self._chance.with_seed(meeting.seed),
            seed=meeting.seed,
            teams=self._teams,
            position=self.tournament.position,
            time_limit=self.tournament.time_limit,
            on_event=luck,
        )
        footer = played.record.footer
        assert footer.result is not None
        shares, forfeit = footer.result.shares(seats), played.record.forfeit
        if forfeit is not None and len(seats) > len(BOARD_SEATS):
            # Otherwise other seats of the same agent would win by its forfeit.
            shares = dict.fromkeys(seats, float(forfeit.seat not in own_seats) / len(own_seats))
        result = MatchResult(
            points=sum(shares[seat] for seat in own_seats),
            reason=str(footer.result.reason),
            scores=(_mean(footer.scores, own_seats), _mean(footer.scores, other_seats)),
            decisions=sum(isinstance(entry, Decision) for entry in played.record.entries),
            forfeit=None if forfeit is None else forfeit.cause,
            forfeit_detail="" if forfeit is None else _detail(forfeit, agents[forfeit.seat]),
            luck=luck.of(own_seats[0]),
        )
        return result, format_record(played.record) if self.tournament.records else ""

    def _agent(self, number: int) -> Agent:
        """Return an agent by its number in the tournament."""
        name = self.tournament.agents[number]
        if name not in self._agents:
            raise SpecError(
                f"the agent {name} is an object of a Python program",
                fix="call pigglesim.tournament([...], out=FOLDER) in Python with that object",
            )
        return self._agents[name]

    @cached_property
    def _teams(self) -> dict[str, str]:
        if isinstance(self._chance, TabularChance | FairChance):
            return {}
        return {piggle: body.model for piggle, body in self._chance.models.items()}


def _detail(forfeit: Forfeit, agent: Agent) -> str:
    """Return the detail of a forfeit, with what a program last wrote to standard error."""
    error = agent.last_error(forfeit.seat) if isinstance(agent, ProcessAgent) else ""
    line = plain_line(error)
    # The detail of a program that ended has it already.
    known = not line or line in forfeit.detail
    return forfeit.detail if known else f"{forfeit.detail}; its standard error: {line}"


def table_of_sent(tournament: Tournament, sent: bytes) -> TournamentSettings:
    """Return the settings of a tournament in another process.

    `sent` are agents that are objects of a Python program, by name, pickled.

    Raises:
        SpecError: If this process cannot load them.
    """
    try:
        own = pickle.loads(sent)
    except Exception as fault:
        raise SpecError(
            f"another process cannot load the agents: {type(fault).__name__}: {fault}",
            fix="use workers=1, or put their class into a module that can be imported",
        ) from None
    return TournamentSettings(tournament, own)


def _mean(scores: Mapping[Seat, int], seats: Sequence[Seat]) -> float:
    """Return the mean of the scores of some seats, whole where there is one."""
    total = sum(scores[seat] for seat in seats)
    return total if len(seats) == 1 else total / len(seats)


def series_of(tournament: Tournament | None = None) -> SeriesKind[Tournament, MatchPair]:
    """Return the kind of folder of a tournament; without one, of any tournament."""

    def check(pair: MatchPair) -> None:
        if tournament is not None:
            expected = tournament.meeting(pair.index)
            if Meeting(first=pair.first, second=pair.second, seed=pair.seed) != expected:
                raise ValueError(f"another pair than number {pair.index}")

    def by_name(pair: MatchPair, texts: tuple[str, ...]) -> dict[str, str]:
        names = (f"{RECORDS}/{pair.index:06d}-{number}.jsonl" for number in range(2))
        return dict(zip(names, texts, strict=False))

    return SeriesKind(
        series="tournament",
        items="pairs",
        definition=Tournament,
        item=MatchPair,
        check=check,
        files=lambda pair: by_name(pair, pair.records),
        digests=lambda pair: by_name(pair, pair.record_digests),
        beside=RECORDS if tournament is not None and tournament.records else "",
        flag="--agents",
    )


TournamentFolder: TypeAlias = SeriesFolder[Tournament, MatchPair]


def open_folder(
    path: Path, tournament: Tournament, made_of: Mapping[str, Any], *, pairs: int
) -> TournamentFolder:
    """Open the folder of a tournament, made if there is none, to add pairs to it.

    `pairs` is the wanted number of pairs of every two agents.

    Raises:
        RecordError: If the folder is of another tournament or in use.
        StoreError: If it cannot be written.
    """
    series = series_of(tournament)
    if tournament.own_agents and (path / "tournament.json").is_file():
        # Without the objects the folder can be shown, not played on: their code is as stored.
        known = series.read(path)["made_of"].get("agents", {})
        own = {name: known[name] for name in tournament.own_agents if name in known}
        made_of = {**made_of, "agents": own | made_of["agents"]}
    return SeriesFolder(path, series, tournament, made_of, wanted=pairs)


_SCALE = 400.0 / log(10.0)
"""Elo points per unit of log-odds."""
_MATCHES = 2
"""Matches in a pair."""
_EXTRA = 1.0
"""Drawn matches added to every two that met."""
_PRIOR_PAIRS = 20.0
"""Pairs of two coin tosses each that are added to estimate the dispersion of few pairs."""
_STEPS = 100
_NEAR = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class MeetingPoints:
    """Points of all pairs of two agents."""

    first: int
    second: int
    points: Array
    """Points of the first agent in each pair, from 0 to 2, shape [pair_count]."""


def rate(
    meetings: Sequence[MeetingPoints], agent_count: int, *, level: float = 0.95
) -> Coefficients:
    """Return the ratings [Elo points] that fit the pairs of every two agents; their mean is 0.

    Every two agents have one entry at most; entries without a pair have no weight.
    """
    played = [meeting for meeting in meetings if len(meeting.points)]
    first = np.array([meeting.first for meeting in played], dtype=int)
    second = np.array([meeting.second for meeting in played], dtype=int)
    won = np.array([float(meeting.points.sum()) + _EXTRA / 2.0 for meeting in played])
    matches = np.array([_MATCHES * len(meeting.points) + _EXTRA for meeting in played])
    sides = np.zeros((len(played), agent_count))
    sides[np.arange(len(played)), first] = 1.0
    sides[np.arange(len(played)), second] = -1.0
    weight = np.array([1.0 / _dispersion(meeting.points) for meeting in played])
    won, matches = won * weight, matches * weight
    log_odds = np.zeros(agent_count)
    for _ in range(_STEPS):
        share = 1.0 / (1.0 + np.exp(-(sides @ log_odds)))
        slope = sides.T @ (won - matches * share)
        step = np.linalg.pinv(_spread(sides, matches * share * (1.0 - share))) @ slope
        # A long step of Newton's overshoots where a share is near 0 or 1.
        log_odds += step / max(1.0, float(np.abs(step).max(initial=0.0)))
        if np.abs(step).max(initial=0.0) < _NEAR:
            break
    share = 1.0 / (1.0 + np.exp(-(sides @ log_odds)))
    bread = np.linalg.pinv(_spread(sides, matches * share * (1.0 - share)))
    noise = np.array([_noise(meeting.points, p) for meeting, p in zip(played, share, strict=True)])
    noise *= weight**2
    return Coefficients(
        values=_SCALE * log_odds,
        covariance=_SCALE**2 * (bread @ _spread(sides, noise) @ bread),
        clusters=sum(len(meeting.points) for meeting in played),
        level=level,
        method="Bradley-Terry, pairs, Student",
    )


def _spread(sides: Array, weights: Array) -> Array:
    """Return the sum over meetings of weight times side times side, agent by agent."""
    matrix: Array = (sides.T * weights) @ sides
    return matrix


def _dispersion(points: Array) -> float:
    """Return the variance of the points of a pair, 1 being that of two coin tosses alike."""
    pairs, share = len(points), (float(points.sum()) + 0.5) / (_MATCHES * len(points) + 1.0)
    tosses = _MATCHES * share * (1.0 - share)
    return (pairs * float(points.var()) / tosses + _PRIOR_PAIRS) / (pairs + _PRIOR_PAIRS)


def _noise(points: Array, share: float) -> float:
    """Return the variance of the sum of the points of all pairs of two agents.

    Where all pairs are alike their spread is unknown: each counts for one match.
    """
    pairs = len(points)
    variance = pairs * float(points.var(ddof=1)) if pairs > 1 else 0.0
    return variance or pairs * _MATCHES**2 * share * (1.0 - share)


_ByTwo = dict[tuple[int, int], list[MatchPair]]
"""Pairs by the numbers of their agents, the lower first."""
_HALVES = 4
"""Half points of a pair."""
_PARTS = 2 * 840
"""Parts of the points of a pair, where a win can be shared by up to eight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Results of matches, for one side."""

    wins: int
    draws: int
    """Draws and shared wins."""
    losses: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStanding:
    """Standing of one agent against all others."""

    name: str
    elo: Interval
    """Rating relative to the mean of all agents."""
    pairs: int
    outcomes: Outcomes
    share: Share
    """Share of the points: a win is one, a draw one half. Its clusters are pairs."""
    score_difference: Interval
    """Mean of its score minus that of the other."""
    without_luck: WithoutLuck | None
    """`share` and `score_difference` without luck; None for few pairs, or where luck is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchupStanding:
    """Standing of two agents against each other, from the side of the first."""

    first: str
    second: str
    pairs: int
    outcomes: Outcomes
    share: Share
    elo_difference: Interval
    """Difference of the ratings from all matches of the tournament."""
    score_difference: Interval
    without_luck: WithoutLuck | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForfeitCount:
    """Number of matches that an agent forfeited for one reason."""

    name: str
    rule: str
    """Rule of the forfeit, F1 to F4."""
    cause: str
    matches: int
    detail: str
    """Error, value or exceeded limit in the first of these matches, with the last line of a
    program's standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """All estimates of a tournament."""

    agents: tuple[AgentStanding, ...]
    """Best first."""
    matchups: tuple[MatchupStanding, ...]
    """The better first."""
    pairs: int
    seat_a: Share
    """Share of the points that seat A made: the value of going first."""
    reasons: Mapping[str, int]
    """Matches by reason of their end, the most frequent first."""
    decisions: float
    """Mean number of decisions per match."""
    forfeits: tuple[ForfeitCount, ...]
    """Forfeits by agent and reason, in that order."""

    def _repr_html_(self) -> str | None:
        return displayed("standings_html", self)


def standings(
    tournament: Tournament, pairs: Sequence[MatchPair], *, level: float = 0.95
) -> Standings:
    """Return the standings of agents after at least one pair."""
    by_two: _ByTwo = {two: [] for two in tournament.matchups}
    for pair in pairs:
        by_two[pair.first, pair.second].append(pair)
    ratings = rate(
        [
            MeetingPoints(
                first=first, second=second, points=np.array([pair.points for pair in pairs_of_two])
            )
            for (first, second), pairs_of_two in by_two.items()
        ],
        len(tournament.agents),
        level=level,
    )
    order = sorted(range(len(tournament.agents)), key=lambda agent: -ratings.values[agent])
    matches = [match for pair in pairs for match in pair.matches]
    names = tournament.agents
    return Standings(
        agents=tuple(
            AgentStanding(
                name=names[agent],
                elo=ratings.coefficient(agent),
                **_side_of(agent, [p for p in pairs if agent in (p.first, p.second)], level),
            )
            for agent in order
        ),
        matchups=tuple(
            MatchupStanding(
                first=names[agent],
                second=names[opponent],
                elo_difference=ratings.difference(agent, opponent),
                **_side_of(agent, by_two[min(agent, opponent), max(agent, opponent)], level),
            )
            for agent, opponent in combinations(order, 2)
        ),
        pairs=len(pairs),
        seat_a=_share(
            [pair.matches[0].points + 1.0 - pair.matches[1].points for pair in pairs], level
        ),
        reasons=dict(Counter(match.reason for match in matches).most_common()),
        decisions=sum(match.decisions for match in matches) / max(1, len(matches)),
        forfeits=_forfeits(tournament, pairs),
    )


def _forfeits(tournament: Tournament, pairs: Sequence[MatchPair]) -> tuple[ForfeitCount, ...]:
    """Return forfeits by agent and reason; the agent without a point forfeited."""
    details: dict[tuple[int, Cause], list[str]] = {}
    for pair in pairs:
        for match in pair.matches:
            if match.forfeit is not None:
                agent = pair.second if match.points else pair.first
                details.setdefault((agent, Cause(match.forfeit)), []).append(match.forfeit_detail)
    return tuple(
        ForfeitCount(
            name=tournament.agents[agent],
            rule=cause.rule,
            cause=str(cause),
            matches=len(found),
            detail=found[0],
        )
        for (agent, cause), found in sorted(details.items())
    )


class _SideResults(TypedDict):
    pairs: int
    outcomes: Outcomes
    share: Share
    score_difference: Interval
    without_luck: WithoutLuck | None


def _side_of(agent: int, pairs: Sequence[MatchPair], level: float) -> _SideResults:
    """Return the results of an agent's pairs."""
    points: list[float] = []
    differences: list[float] = []
    luck: list[Luck | None] = []
    wins = draws = losses = 0
    for pair in pairs:
        is_first = pair.first == agent
        own_points = [match.points if is_first else 1.0 - match.points for match in pair.matches]
        wins += own_points.count(1.0)
        draws += sum(0.0 < points < 1.0 for points in own_points)
        losses += own_points.count(0.0)
        points.append(sum(own_points))
        differences.append(pair.score_difference if is_first else -pair.score_difference)
        luck.append(pair.luck if is_first or pair.luck is None else pair.luck.times(-1.0))
    share, score_difference = _share(points, level), mean_of(differences, level=level)
    return {
        "pairs": len(pairs),
        "outcomes": Outcomes(wins=wins, draws=draws, losses=losses),
        "share": share,
        "score_difference": score_difference,
        "without_luck": without_luck(
            luck,
            points=[pair_points / _MATCHES for pair_points in points],
            points_raw=share,
            lead=differences,
            lead_raw=score_difference,
        ),
    }


def _share(points: Sequence[float], level: float) -> Share:
    """Return the share of the points of pairs, each from 0 to 2."""
    halves = all((2.0 * pair_points).is_integer() for pair_points in points)
    parts = _HALVES if halves else _PARTS
    hits = np.array([round(pair_points * parts / 2.0) for pair_points in points], dtype=np.int64)
    return share_of(hits, parts, level=level)
