"""Balance studies: the value of seats, colours, runes and Premium Piggles, by matches."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum, unique
from functools import cache, cached_property, reduce
from itertools import combinations, cycle, pairwise, product
from operator import add
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import Field

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import canonical_name, is_outside, make_agent
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance, check_odds_support
from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.folder import EXACT, SeriesKind
from pigglesim.experiments.luck import Luck, LuckMeter, LuckRecorder, luck_meter
from pigglesim.experiments.tournament import (
    ChanceKind,
    MatchSeries,
    digests_of,
    expect_once,
    versions_with,
)
from pigglesim.games.game import JSON
from pigglesim.games.piggles.areas import KITCHEN_BONUS, MUD_BONUS
from pigglesim.games.piggles.effects import EffectVerb, begin, targets, verb_of
from pigglesim.games.piggles.game import Piggles, PigglesModern, is_piggles
from pigglesim.games.piggles.state import (
    PEN_SIZE,
    STANDARD,
    Markings,
    ModernRules,
    PigglesPhase,
    PigglesState,
    format_piece,
    lineup,
    team,
)
from pigglesim.games.piggles.turns import Step, knock_payments
from pigglesim.games.registry import find, game_names, make_game
from pigglesim.landing import BOARD_SEATS, Orientation, Seat
from pigglesim.markings import Colour, Rune, read_colour, read_rune
from pigglesim.match.entries import Decision, MatchOutcome
from pigglesim.match.runner import MatchEvent, play
from pigglesim.rng import generator, sub_seed

if TYPE_CHECKING:
    from pigglesim.chance.physical import PhysicalChance

PREMIUM = "premium"
"""The model that is compared with the plain one."""
DIRECTIONAL = (Rune.LEFT, Rune.RIGHT, Rune.ADJACENT, Rune.ACROSS)
"""Runes whose effect depends on the colour (M4)."""
_PREMIUM_COUNTS = (1, PEN_SIZE)
_CLASSIC = "piggles_classic"


@unique
class Subject(StrEnum):
    """Subject of a comparison."""

    SEATS = "seats"
    """Equal teams, for the value of beginning and the course of matches."""
    TEAMS = "teams"
    """Two random teams, for the value of each kind of Piggle."""
    COLOUR = "colour"
    """Six of one colour with directional runes against six without runes."""
    RUNE = "rune"
    """Six of one rune, of any colours, against six without runes."""
    PREMIUM = "premium"
    """Premium Piggles against plain ones."""

    @property
    def repeats(self) -> int:
        """Number of trials for each trial of a comparison of two teams."""
        # Two for each part of Modern: one regression serves all colours and runes.
        return 8 if self.accounts else 1

    @property
    def matches(self) -> int:
        """Matches of one trial; teams that differ play in both orders."""
        return 1 if self is Subject.SEATS else 2

    @property
    def accounts(self) -> bool:
        """True if points of each match are attributed."""
        return self in {Subject.SEATS, Subject.TEAMS}


@dataclass(frozen=True, slots=True, kw_only=True)
class BalancePart:
    """One question of a study."""

    subject: Subject
    level: str = ""
    """Colour, rune or number of Premium Piggles."""

    @property
    def name(self) -> str:
        """Name in flags and results, such as `colour:red`."""
        return f"{self.subject}:{self.level}" if self.level else str(self.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTeam:
    """Markings and models of six Piggles."""

    pieces: tuple[Markings, ...] = STANDARD
    models: tuple[str | None, ...] = (None,) * PEN_SIZE
    """None for the plain model."""


def _part_name(name: str) -> str:
    """Return the name of a part, such as `rune:left`, from another spelling of it."""
    subject, colon, level = name.partition(":")
    if subject not in set(Subject):
        raise unknown_name("part of a balance study", subject, Subject)
    if not colon:
        return subject
    match Subject(subject):
        case Subject.COLOUR:
            return f"{subject}:{read_colour(level)}"
        case Subject.RUNE:
            return f"{subject}:{read_rune(level)}"
        case Subject.PREMIUM if level in map(str, _PREMIUM_COUNTS):
            return name
        case Subject.PREMIUM:
            raise SpecError(
                f"invalid number of Premium Piggles {level!r}", fix="use premium:1 or premium:6"
            )
        case _:
            raise SpecError(f"{subject} has no levels such as {level!r}", fix=f"use {subject}")


def parts_of(game: str, names: tuple[str, ...]) -> tuple[BalancePart, ...]:
    """Return the parts of a study that a game has, in their order; Classic has no markings.

    `names` are names of parts or of subjects; none for all parts.
    """
    levels: dict[Subject, Iterable[object]] = {
        Subject.SEATS: ("",),
        Subject.TEAMS: () if game == _CLASSIC else ("",),
        Subject.COLOUR: () if game == _CLASSIC else Colour,
        Subject.RUNE: () if game == _CLASSIC else Rune,
        Subject.PREMIUM: _PREMIUM_COUNTS,
    }
    parts = (
        BalancePart(subject=subject, level=str(level))
        for subject, subject_levels in levels.items()
        for level in subject_levels
    )
    return tuple(part for part in parts if not names or {part.name, part.subject} & {*names})


def teams_of(part: BalancePart, *, rng: np.random.Generator) -> tuple[TrialTeam, TrialTeam]:
    """Return the team in question and its opponent.

    Markings that the question leaves open are drawn for each trial, so that results do not depend
    on one team.
    """
    match part.subject:
        case Subject.SEATS:
            return TrialTeam(), TrialTeam()
        case Subject.TEAMS:
            runes = (None, *Rune)
            return _random_team(tuple(Colour), runes, rng), _random_team(tuple(Colour), runes, rng)
        case Subject.COLOUR:
            tested = _random_team((Colour(part.level),), DIRECTIONAL, rng)
        case Subject.RUNE:
            tested = _random_team(tuple(Colour), (Rune(part.level),), rng)
        case Subject.PREMIUM:
            chosen = set(rng.permutation(PEN_SIZE)[: int(part.level)].tolist())
            models = tuple(PREMIUM if place in chosen else None for place in range(PEN_SIZE))
            return TrialTeam(models=models), TrialTeam()
    # Without runes they do nothing, but their colours decide which of them arrows can reach.
    return tested, _random_team(tuple(Colour), (None,), rng)


def _random_team(
    colours: tuple[Colour, ...], runes: tuple[Rune | None, ...], rng: np.random.Generator
) -> TrialTeam:
    of_colours = rng.integers(len(colours), size=PEN_SIZE).tolist()
    of_runes = rng.integers(len(runes), size=PEN_SIZE).tolist()
    return TrialTeam(
        pieces=tuple(
            Markings(colour=colours[colour], rune=runes[rune])
            for colour, rune in zip(of_colours, of_runes, strict=True)
        )
    )


_PAIR = 2
_CHANCES = (ChanceKind.TABULAR, ChanceKind.PHYSICAL)
"""Chance sources for the rolls of Piggles."""
_PIGGLES = tuple(name for name in game_names() if ChanceKind.TABULAR in find(name).chances)
"""Games of Piggles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """House rules with one level of each factor."""

    levels: Mapping[str, str]
    """Level by factor; empty in a study without factors."""
    rules: Mapping[str, JSON]

    @property
    def name(self) -> str:
        """Name in results, such as `rounds=4`."""
        return ", ".join(f"{factor}={level}" for factor, level in self.levels.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One part of a study in one game with one set of rules, played by one agent against itself."""

    game: str
    agent: str
    part: BalancePart
    rules: str
    """Name of the set of rules."""


@dataclass(frozen=True, kw_only=True)
class BalanceStudy(MatchSeries):
    """Everything that decides the results of a study, except the number of trials.

    All cells take turns, so that a stopped study is a smaller complete one, and a finished one can
    be extended. Trials of the same number have the same dice in every cell of a game.
    """

    games: tuple[str, ...] = ("piggles_classic", "piggles_modern")
    agents: tuple[str, ...] = ("greedy",)
    parts: tuple[str, ...] = ()
    """Names of parts; none for all."""
    factors: Mapping[str, Mapping[str, Mapping[str, JSON]]] = field(default_factory=dict)
    """House rules of each level, by factor and level; all combinations are played."""

    def __post_init__(self) -> None:
        names = tuple(canonical_name(name) for name in self.agents)
        object.__setattr__(self, "agents", names)
        object.__setattr__(self, "games", tuple(self.games))
        part_names = (word.strip() for part in self.parts for word in part.split(","))
        object.__setattr__(self, "parts", tuple(_part_name(word) for word in part_names if word))
        for game in self.games:
            if game not in _PIGGLES:
                raise unknown_name("game of Piggles", game, _PIGGLES)
        for what, found in (("agent", names), ("game", self.games), ("part", self.parts)):
            expect_once(what, found)
        self._check_factors()
        self.check_chance(_CHANCES)
        if not self.cells:
            raise SpecError(
                f"nothing to play: no agent, or no {', '.join(self.parts)} in these games",
                fix="use --game piggles_modern, or --parts seats,premium",
            )

    def _check_factors(self) -> None:
        """Raise SpecError for a factor with a single level, or a rule that is set twice."""
        rules = list(self.house_rules)
        for factor, levels in self.factors.items():
            if len(levels) < 2:
                raise SpecError(
                    f"the factor {factor} has one level", expected="two or more",
                    fix="name another level, or make it a house rule",
                )  # fmt: skip
            rules += {name for level in levels.values() for name in level}
        expect_once("house rule", rules)

    @cached_property
    def rule_sets(self) -> tuple[RuleSet, ...]:
        """All combinations of the levels of the factors; the house rules alone without factors."""
        return tuple(
            RuleSet(
                levels=dict(zip(self.factors, names, strict=True)),
                rules=dict(self.house_rules)
                | {
                    rule: value
                    for factor, name in zip(self.factors.values(), names, strict=True)
                    for rule, value in factor[name].items()
                },
            )
            for names in product(*self.factors.values())
        )

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Cells in the order in which they take turns."""
        return tuple(
            Cell(game=game, agent=agent, part=part, rules=rules.name)
            for game in self.games
            for agent in self.agents
            for part in parts_of(game, self.parts)
            for rules in self.rule_sets
        )

    @cached_property
    def _schedule(self) -> tuple[tuple[Cell, int], ...]:
        """Cells of one turn of all, each with the number of its repetition."""
        repeats = max(subject.repeats for subject in Subject)
        return tuple(
            (cell, repetition)
            for repetition in range(repeats)
            for cell in self.cells
            if repetition < cell.part.subject.repeats
        )

    def trials(self, matches: int) -> int:
        """Return the number of trials with `matches` matches of each comparison of two teams."""
        return -(-matches // _PAIR) * len(self._schedule)

    def matches_of(self, trials: int) -> int:
        """Return the number of matches of `trials` trials."""
        turns, partial = divmod(trials, len(self._schedule))
        per_trial = [cell.part.subject.matches for cell, _ in self._schedule]
        return turns * sum(per_trial) + sum(per_trial[:partial])

    def setting(self, index: int) -> tuple[Cell, int]:
        """Return the cell of trial number `index`, and the seed of all its matches."""
        turn, place = divmod(index, len(self._schedule))
        cell, repetition = self._schedule[place]
        number = turn * cell.part.subject.repeats + repetition
        return cell, sub_seed(self.seed, "balance", cell.game, number)

    def cells_in_turn(self) -> Iterator[Cell]:
        """Yield the cell of each trial, without end."""
        return (cell for cell, _ in cycle(self._schedule))


SOURCES = ("zones", "knocks", "effects", "kitchen", "floor")
"""Sources of points, which add up to the scores: Snout-Up Piggles, bonuses of rolls, bonuses of
effects, losses to the Kitchen, and points given back by the floor of zero."""


_MAX_NUMBER = 10**9
Score = Annotated[int, Field(ge=-_MAX_NUMBER, le=_MAX_NUMBER)]
Count = Annotated[int, Field(ge=0, le=_MAX_NUMBER)]


def effect_name(name: str) -> str:
    """Return an effect with the colour or rune that has it, such as `burn (orange)`."""
    for rune in Rune:
        for colour in Colour:
            piece = Markings(colour=colour, rune=rune)
            verb = verb_of(piece, ModernRules())
            if verb is not None and verb.name.lower() == name:
                bearer = str(colour) if piece.directional else f"rune {rune.number}"
                return f"{name.replace('_', ' ')} ({bearer})"
    raise ValueError(f"no effect {name!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectCount:
    """Number of times that Piggles with one effect could act in a match."""

    landed: Count
    """Landed Snout-Up, so that they might act."""
    reached: Count
    """Had somebody to act on."""
    used: Count


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Attribution of the points of one match, with its length and effects."""

    rounds: Count
    decisions: Count
    rolls: Count
    by_round: tuple[tuple[Score, ...], tuple[Score, ...]]
    """Scores of A and of B after each Resolve."""
    sources: Annotated[tuple[Score, ...], Field(min_length=len(SOURCES), max_length=len(SOURCES))]
    """Points of both together, as `SOURCES` names them."""
    effects: dict[str, EffectCount] = field(default_factory=dict)
    """Counts by the name of the effect."""

    def __post_init__(self) -> None:
        if len({len(scores) for scores in self.by_round}) > 1:
            raise ValueError("scores of both after each round")

    @property
    def lead_changes(self) -> int:
        """Number of times that the lead passed to the other player after a Resolve."""
        leads = [(a > b) - (a < b) for a, b in zip(*self.by_round, strict=True)]
        leaders = [lead for lead in leads if lead]
        return sum(lead != following for lead, following in pairwise(leaders))


class AttributionRecorder:
    """Observer of a match that attributes its points."""

    def __init__(self, game: Piggles) -> None:
        self._game = game
        self._table = game.effects
        self._decisions = self._rolls = self._rounds = 0
        self._by_round: tuple[list[int], list[int]] = ([], [])
        self._sources: Counter[str] = Counter()
        self._landed: Counter[EffectVerb] = Counter()
        self._reached: Counter[EffectVerb] = Counter()
        self._used: Counter[EffectVerb] = Counter()
        self._able: set[str] = set()
        """Piggles of this turn that had a target when its effects began, or acted."""

    def attribution(self) -> Attribution:
        """Return the attribution of all events so far."""
        return Attribution(
            rounds=self._rounds,
            decisions=self._decisions,
            rolls=self._rolls,
            by_round=(tuple(self._by_round[0]), tuple(self._by_round[1])),
            sources=tuple(self._sources[name] for name in SOURCES),
            effects={
                verb.name.lower(): EffectCount(
                    landed=self._landed[verb], reached=self._reached[verb], used=self._used[verb]
                )
                for verb in EffectVerb
                if self._landed[verb]
            },
        )

    def __call__(self, event: MatchEvent[PigglesState]) -> None:
        """Attribute the points of one event."""
        before, entry = event.before, event.entry
        self._rounds = event.after.round
        # The runner stores only the last state, so the steps that led to it are repeated.
        match entry:
            case Decision():
                self._decisions += 1
                steps = self._game.action_steps(before, event.action)
            case MatchOutcome():
                self._rolls += before.pending is None or self._is_crit(before)
                steps = self._game.outcome_steps(before, entry.result)
            case _:
                return
        if before.phase is not PigglesPhase.SUDDEN:
            self._points(before, steps)
            if self._table is not None:
                self._effects(before, steps[0].state, entry)

    def _points(self, before: PigglesState, steps: list[Step]) -> None:
        seat, first = before.active, steps[0].state
        side_before, side_after = before.side(seat), first.side(seat)
        bonus = MUD_BONUS * (side_after.mud_bonuses - side_before.mud_bonuses)
        bonus += KITCHEN_BONUS * (side_after.kitchen_bonuses - side_before.kitchen_bonuses)
        acting = before.phase is PigglesPhase.ACTION_REACTION
        self._sources["effects" if acting else "knocks"] += bonus
        previous = first
        for step in steps:
            if step.tally is not None:
                tally = step.tally
                gained = tally.zones + tally.mud_bonus + tally.kitchen_bonus - tally.penalty
                self._sources["zones"] += tally.zones
                self._sources["kitchen"] -= tally.penalty
                self._sources["floor"] += tally.after - tally.before - gained
            if step.phase is PigglesPhase.RESOLVE:
                self._resolved(previous, step.state)
            previous = step.state

    def _resolved(self, before: PigglesState, after: PigglesState) -> None:
        """Attribute a Resolve: bonuses for Piggles knocked over, and the new scores."""
        owed = sum(points for _, _, points in knock_payments(before, self._game.rules))
        gained = sum(after.side(seat).score - before.side(seat).score for seat in BOARD_SEATS)
        self._sources["knocks"] += owed
        # Under `final_penalty` the last Resolve takes points as well.
        self._sources["kitchen"] += gained - owed
        for seat, scores in zip(BOARD_SEATS, self._by_round, strict=True):
            scores.append(after.side(seat).score)

    def _is_crit(self, before: PigglesState) -> bool:
        act = before.pending
        return bool(act and self._table and self._table.verb(act.piggle) is EffectVerb.CRIT)

    def _effects(
        self, before: PigglesState, after: PigglesState, entry: Decision | MatchOutcome
    ) -> None:
        """Count the Piggles that may act after a roll, and those that act."""
        table = self._table
        assert table is not None
        if before.phase is PigglesPhase.ACTION_REACTION:
            if isinstance(entry, Decision) and entry.action.startswith("act "):
                actor = entry.action.split()[1]
                self._count(actor, self._used)
                self._count_reached({actor})
            elif isinstance(entry, MatchOutcome):
                self._rerolled(before, after)
            return
        rolled = entry.piggles if isinstance(entry, MatchOutcome) else ()
        if after.phase is PigglesPhase.ROLL:
            return
        begun = begin(after, (*rolled, *before.actors), table)
        for piggle in begun.actors:
            self._count(piggle, self._landed)
        self._able.clear()
        self._count_reached({piggle for piggle in begun.actors if targets(begun, piggle, table)})

    def _rerolled(self, before: PigglesState, after: PigglesState) -> None:
        """Count a Piggle that may act only because Blue rolled it again."""
        act = before.pending
        if act is None or not self._is_crit(before) or act.target in before.actors:
            return
        landing = after.landing(act.target)
        up = landing is not None and landing.orientation is Orientation.SNOUT_UP
        own = after.controller(act.target) is before.active
        if up and own and after.pending is None and act.target not in before.acted:
            self._count(act.target, self._landed)

    def _count_reached(self, piggles: set[str]) -> None:
        for piggle in piggles - self._able:
            self._count(piggle, self._reached)
        self._able |= piggles

    def _count(self, piggle: str, counter: Counter[EffectVerb]) -> None:
        assert self._table is not None
        verb = self._table.verb(piggle)
        if verb is not None:
            counter[verb] += 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """Result of a match; its own team is the one in question, in either seat."""

    points: Annotated[float, Field(ge=0, le=1)]
    """Points of the own team: 1 for a win, 0.5 for a draw, 0."""
    scores: tuple[Score, Score]
    """Scores of the own team and of the other."""
    reason: str
    attribution: Attribution | None = None
    luck: Luck | None = None
    """Luck of the own team; None where it is not known."""

    @property
    def lead(self) -> int:
        """Score of the own team minus that of the other."""
        return self.scores[0] - self.scores[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One trial that has been played."""

    __pydantic_config__ = EXACT

    index: Annotated[int, Field(ge=0)]
    seed: Annotated[int, Field(ge=0)]
    matches: Annotated[tuple[TrialResult, ...], Field(min_length=1)]
    """Matches of the trial; in a pair the own team has seat A first, then seat B."""
    teams: tuple[tuple[str, ...], ...] = ()
    """Markings of the Piggles of both teams, where those were drawn."""

    @property
    def points(self) -> float:
        """Mean of the points of the own team, from 0 to 1."""
        return sum(match.points for match in self.matches) / len(self.matches)

    @property
    def lead(self) -> float:
        """Mean score of the own team minus that of the other."""
        return sum(match.lead for match in self.matches) / len(self.matches)

    @property
    def luck(self) -> Luck | None:
        """Mean luck of the own team; None where it is not known."""
        known = [match.luck for match in self.matches if match.luck is not None]
        if len(known) < len(self.matches):
            return None
        return reduce(add, known).times(1.0 / len(known))


_PLAIN = "piggle"
"""Model of all Piggles that are not in question."""


class ScoreTable:
    """Agents, games, odds and chance of a study, ready to play.

    Agents that search know which Piggles are Premium, and their odds.

    Raises:
        SpecError: If a name is unknown, or a file is invalid.
    """

    def __init__(self, study: BalanceStudy) -> None:
        self.study = study
        self._belief = TabularChance(seed=0, odds=load_odds(_PLAIN))
        self._games: dict[tuple[str, str], Piggles] = {
            (name, each.name): self._game(name, each)
            for name in study.games
            for each in study.rule_sets
        }
        self._expect_different_rules()
        self._tabular, self._chance = cache(self._odds_where), cache(self._chance_where)
        self._luck_meter = cache(self._luck_where)
        self._agents: dict[tuple[tuple[str, str], str, frozenset[str]], Agent] = {
            (key, agent, frozenset()): make_agent(agent, game=game, chance=self._belief)
            for key, game in self._games.items()
            for agent in study.agents
        }
        self.made_of()

    def _expect_different_rules(self) -> None:
        """Raise SpecError if two sets of rules are the same in a game."""
        for game in self.study.games:
            for first, second in combinations(self.study.rule_sets, 2):
                one, other = (self._games[game, each.name].settings() for each in (first, second))
                if one == other:
                    raise SpecError(
                        f"{first.name} and {second.name} are the same rules in {game}",
                        fix="leave one out",
                    )

    def _game(self, name: str, rule_set: RuleSet) -> Piggles:
        try:
            game = make_game(name, rule_set.rules)
        except SpecError as fault:
            raise fault.converted(SpecError, where=name) from None
        if not is_piggles(game):
            raise SpecError(f"{name!r} is not a game of Piggles", fix="use piggles_modern")
        return game

    def made_of(self) -> dict[str, Any]:
        """Return the versions and hashes that results depend on, besides the definition."""
        premium = any(cell.part.subject is Subject.PREMIUM for cell in self.study.cells)
        piggles = frozenset(team(Seat.A)) if premium else frozenset()
        return {
            **versions_with(self._chance(piggles)),
            "repeats": {str(subject): subject.repeats for subject in Subject},
            "belief_sha256": self._belief.odds.sha256,
            "agents": digests_of(
                {name: agent for (_, name, _), agent in self._agents.items() if is_outside(name)}
            ),
        }

    def __call__(self, index: int) -> Trial:
        """Play trial number `index`.

        Raises:
            KeyboardInterrupt: If a match was stopped; the trial is lost.
            PigglesimError: If an agent returned an illegal action.
        """
        cell, seed = self.study.setting(index)
        part = cell.part
        rng = generator(seed, "teams", part.name)
        tested, opponent = teams_of(part, rng=rng)
        orders = ((tested, opponent), (opponent, tested))[: part.subject.matches]
        markings = tuple(tuple(map(format_piece, side.pieces)) for side in (tested, opponent))
        return Trial(
            index=index,
            seed=seed,
            matches=tuple(
                self._match(cell, seed, a, b, own=seat)
                for (a, b), seat in zip(orders, Seat, strict=False)
            ),
            teams=markings if part.subject is Subject.TEAMS else (),
        )

    def _match(
        self, cell: Cell, seed: int, a: TrialTeam, b: TrialTeam, *, own: Seat
    ) -> TrialResult:
        """Return the match of two teams, the one in question in seat `own`."""
        played = (cell.game, cell.rules)
        game = self._games[played]
        premium = frozenset(
            piggle
            for seat, side in ((Seat.A, a), (Seat.B, b))
            for piggle, model in zip(team(seat), side.models, strict=True)
            if model is not None
        )
        if game.effects is not None:
            # An agent that searches must know the game with these very markings.
            markings = lineup({Seat.A: a.pieces, Seat.B: b.pieces})
            game = PigglesModern(effects=replace(game.effects, lineup=markings))
            agent = make_agent(cell.agent, game=game, chance=self._tabular(premium))
        else:
            key = (played, cell.agent, premium)
            if key not in self._agents:
                chance = self._tabular(premium)
                self._agents[key] = make_agent(cell.agent, game=game, chance=chance)
            agent = self._agents[key]
        accountant = AttributionRecorder(game) if cell.part.subject.accounts else None
        luck = LuckRecorder(self._luck_meter(played, premium))

        def on_event(event: MatchEvent[PigglesState]) -> None:
            luck(event)
            if accountant is not None:
                accountant(event)

        footer = play(
            game,
            agents=dict.fromkeys(BOARD_SEATS, agent),
            chance=self._chance(premium).with_seed(seed),
            seed=seed,
            on_event=on_event,
            forfeits=False,
        ).record.footer
        assert footer.result is not None
        winner = footer.result.winner
        return TrialResult(
            points=0.5 if winner is None else float(winner is own),
            scores=(footer.scores[own], footer.scores[own.other]),
            reason=str(footer.result.reason),
            attribution=accountant.attribution() if accountant else None,
            luck=luck.of(own),
        )

    def _luck_where(self, played: tuple[str, str], premium: frozenset[str]) -> LuckMeter | None:
        """Return the meter of a game and its rules where these Piggles are Premium."""
        return luck_meter(self._games[played], self._chance(premium))

    def _chance_where(self, premium: frozenset[str]) -> "TabularChance | PhysicalChance":
        """Return the chance where these Piggles are Premium."""
        if self.study.chance is not ChanceKind.TABULAR:
            return self._physical(premium)
        for game in self._games.values():
            check_odds_support(game)
        return self._tabular(premium)

    def _odds_where(self, premium: frozenset[str]) -> TabularChance:
        """Return the odds where these Piggles are Premium."""
        odds = {name: load_odds(PREMIUM) for name in sorted(premium)}
        return TabularChance(seed=0, odds=self._belief.odds, of_piggles=odds)

    def _physical(self, premium: frozenset[str]) -> "PhysicalChance":
        from pigglesim.bodies.load import load_model  # noqa: PLC0415 (slow to import)

        chance = self.study.physical_chance(_PLAIN)
        models = {name: load_model(PREMIUM) for name in premium}
        return replace(chance, models=chance.models | models)


BALANCE = SeriesKind(
    series="balance",
    items="trials",
    definition=BalanceStudy,
    item=Trial,
    made=frozenset({"report.html", "pictures"}),
)
"""Folders of balance studies."""
