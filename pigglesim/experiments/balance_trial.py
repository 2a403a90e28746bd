"""Trials of a balance study: play the matches, account for their points, and save the results."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field

from pigglesim.agents.agent import Agent
from pigglesim.agents.registry import make_agent
from pigglesim.chance.odds import Odds, load_odds
from pigglesim.chance.tabular import TabularChance, check_by_odds
from pigglesim.errors import SpecError
from pigglesim.experiments.balance import (
    PREMIUM,
    BalanceStudy,
    Cell,
    Subject,
    TrialTeam,
    teams_of,
)
from pigglesim.experiments.folder import EXACT, SeriesFolder, SeriesKind
from pigglesim.experiments.tournament import ChanceKind, versions_with
from pigglesim.games.piggles.areas import KITCHEN_BONUS, MUD_BONUS
from pigglesim.games.piggles.effects import EffectOptions, EffectVerb, begin, targets, verb_of
from pigglesim.games.piggles.game import Piggles, PigglesModern, is_piggles
from pigglesim.games.piggles.house_rules import KitchenBonus, ModernRules
from pigglesim.games.piggles.state import (
    Piece,
    PigglesPhase,
    PigglesState,
    format_piece,
    lineup,
    team,
)
from pigglesim.games.piggles.turns import Step
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, Orientation, Seat
from pigglesim.markings import Colour, Rune
from pigglesim.match.entries import Decision, MatchOutcome, Status
from pigglesim.match.runner import MatchEvent, play
from pigglesim.rng import generator

if TYPE_CHECKING:
    from pigglesim.chance.physical import PhysicalChance

SOURCES = ("zones", "knocks", "effects", "kitchen", "floor")
"""Sources of points: Snout-Up Piggles, bonuses of rolls, bonuses of effects, less the Kitchen,
and what the floor of zero gave back. They add up to the scores."""


_MOST = 10**9
Score = Annotated[int, Field(ge=-_MOST, le=_MOST)]
Count = Annotated[int, Field(ge=0, le=_MOST)]


def effect_name(word: str) -> str:
    """Return the word for an effect with what bears it, such as `burn (orange)`."""
    for rune in Rune:
        for colour in Colour:
            piece = Piece(colour=colour, rune=rune)
            verb = verb_of(piece, ModernRules())
            if verb is not None and verb.name.lower() == word:
                bearer = str(colour) if piece.directional else f"rune {rune.number}"
                return f"{word.replace('_', ' ')} ({bearer})"
    raise ValueError(f"no effect {word!r}")


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
        held = [lead for lead in leads if lead]
        return sum(one != other for one, other in pairwise(held))


class AttributionRecorder:
    """Observer of a match that attributes its points."""

    def __init__(self, game: Piggles) -> None:
        self._game = game
        self._table = game.table if isinstance(game, PigglesModern) else None
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
        """Take in what has happened."""
        before, entry = event.before, event.entry
        self._rounds = event.after.round
        # The runner keeps the last position alone: the steps that led to it are taken once more.
        match entry:
            case Decision():
                self._decisions += 1
                steps = self._game.action_steps(before, self._game.parse_action(entry.action))
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
        was, now = before.side(seat), first.side(seat)
        bonus = MUD_BONUS * (now.mud_bonuses - was.mud_bonuses)
        bonus += KITCHEN_BONUS * (now.kitchen_bonuses - was.kitchen_bonuses)
        acting = before.phase is PigglesPhase.ACTION_REACTION
        self._sources["effects" if acting else "knocks"] += bonus
        last = first
        for step in steps:
            if step.tally is not None:
                tally = step.tally
                gained = tally.zones + tally.mud_bonus + tally.kitchen_bonus - tally.penalty
                self._sources["zones"] += tally.zones
                self._sources["kitchen"] -= tally.penalty
                self._sources["floor"] += tally.after - tally.before - gained
            if step.phase is PigglesPhase.RESOLVE:
                self._resolved(last, step.state)
            last = step.state

    def _resolved(self, before: PigglesState, after: PigglesState) -> None:
        """Take in a Resolve: what a Piggle knocked onto its head pays, and how both stand."""
        pays = self._game.rules.kitchen_bonus_classic is KitchenBonus.AT_RESOLVE
        owed = KITCHEN_BONUS * len(before.head_credits) * pays
        gained = sum(after.side(seat).score - before.side(seat).score for seat in BOARD_SEATS)
        self._sources["knocks"] += owed
        # Under `final_penalty` the last Resolve takes points as well.
        self._sources["kitchen"] += gained - owed
        for seat, own in zip(BOARD_SEATS, self._by_round, strict=True):
            own.append(after.side(seat).score)

    def _is_crit(self, before: PigglesState) -> bool:
        act = before.pending
        return bool(act and self._table and self._table.verb(act.piggle) is EffectVerb.CRIT)

    def _effects(
        self, before: PigglesState, after: PigglesState, entry: Decision | MatchOutcome
    ) -> None:
        """Count who may act once a roll has come to rest, and who does."""
        table = self._table
        assert table is not None
        if before.phase is PigglesPhase.ACTION_REACTION:
            if isinstance(entry, Decision) and entry.action.startswith("act "):
                actor = entry.action.split()[1]
                self._count(actor, self._used)
                self._may_reach({actor})
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
        self._may_reach({piggle for piggle in begun.actors if targets(begun, piggle, table)})

    def _rerolled(self, before: PigglesState, after: PigglesState) -> None:
        """Count what Blue has rolled again and what may now act, as it could not before."""
        act = before.pending
        if act is None or not self._is_crit(before) or act.target in before.actors:
            return
        lies = after.landing(act.target)
        up = lies is not None and lies.orientation is Orientation.SNOUT_UP
        own = after.controller(act.target) is before.active
        if up and own and after.pending is None and act.target not in before.acted:
            self._count(act.target, self._landed)

    def _may_reach(self, piggles: set[str]) -> None:
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


_PLAIN = "piggle"
"""The model that every Piggle is of, if it is not in question."""


class ScoreTable:
    """Agents, games, odds and chance that a study names, made ready to play.

    Agents believe in the odds of the plain model, whatever is thrown.

    Raises:
        SpecError: If a name is unknown, or a file is at fault.
    """

    def __init__(self, study: BalanceStudy) -> None:
        self.study = study
        self._belief = TabularChance(seed=0, odds=load_odds(_PLAIN))
        self._games: dict[str, Piggles] = {name: self._game(name) for name in study.games}
        self._agents: dict[tuple[str, str], Agent] = {
            (name, agent): make_agent(agent, game=game, chance=self._belief)
            for name, game in self._games.items()
            for agent in study.agents
        }
        self._chances: dict[frozenset[str], TabularChance | PhysicalChance] = {}
        self.made_of()

    def _game(self, name: str) -> Piggles:
        game = make_game(name, self.study.house_rules)
        if not is_piggles(game):
            raise SpecError(repr(name), expected="a game of Piggles", fix="piggles_modern")
        return game

    @cached_property
    def _premium(self) -> Odds:
        return load_odds(PREMIUM)

    def made_of(self) -> dict[str, Any]:
        """Return the versions and hashes that results depend on, besides the definition."""
        every = frozenset(team(Seat.A)) if self._asks_premium else frozenset()
        return {
            **versions_with(self._chance(every)),
            "repeats": {str(subject): subject.repeats for subject in Subject},
            "belief_sha256": self._belief.odds.sha256,
        }

    @property
    def _asks_premium(self) -> bool:
        return any(cell.part.subject is Subject.PREMIUM for cell in self.study.cells)

    def __call__(self, index: int) -> Trial:
        """Return trial number `index`, played.

        Raises:
            KeyboardInterrupt: If a match was stopped; nothing of the trial is kept.
            PigglesimError: If an agent did something illegal.
        """
        cell, seed = self.study.setting(index)
        part = cell.part
        rng = generator(seed, "teams", part.name)
        own, other = teams_of(part, rng=rng)
        orders = ((own, other), (other, own))[: part.subject.matches]
        worn = tuple(tuple(format_piece(piece) for piece in each.pieces) for each in (own, other))
        return Trial(
            index=index,
            seed=seed,
            matches=tuple(
                self._match(cell, seed, a, b, own=seat)
                for (a, b), seat in zip(orders, Seat, strict=False)
            ),
            teams=worn if part.subject is Subject.TEAMS else (),
        )

    def _match(
        self, cell: Cell, seed: int, a: TrialTeam, b: TrialTeam, *, own: Seat
    ) -> TrialResult:
        """Return the match of two teams, the one in question in seat `own`."""
        game = self._dressed(self._games[cell.game], {Seat.A: a, Seat.B: b})
        agent = self._agent(cell, game)
        premium = frozenset(
            piggle
            for seat, each in ((Seat.A, a), (Seat.B, b))
            for piggle, model in zip(team(seat), each.models, strict=True)
            if model is not None
        )
        accountant = AttributionRecorder(game) if cell.part.subject.accounts else None
        played = play(
            game,
            agents=dict.fromkeys(BOARD_SEATS, agent),
            chance=self._chance(premium).with_seed(seed),
            seed=seed,
            on_event=accountant,
            forfeits=False,
        )
        footer = played.record.footer
        if footer.status is Status.INTERRUPTED or footer.result is None:
            raise KeyboardInterrupt
        winner = footer.result.winner
        return TrialResult(
            points=0.5 if winner is None else float(winner is own),
            scores=(footer.scores[own], footer.scores[own.other]),
            reason=str(footer.result.reason),
            attribution=accountant.attribution() if accountant else None,
        )

    def _dressed(self, game: Piggles, teams: Mapping[Seat, TrialTeam]) -> Piggles:
        """Return the game with the markings of its Piggles; Classic ignores them."""
        if not isinstance(game, PigglesModern):
            return game
        worn = lineup({seat: each.pieces for seat, each in teams.items()})
        return PigglesModern(table=EffectOptions(rules=game.rules, lineup=worn))

    def _agent(self, cell: Cell, game: Piggles) -> Agent:
        """Return the agent; one that searches must know this very game."""
        if game is self._games[cell.game]:
            return self._agents[cell.game, cell.agent]
        return make_agent(cell.agent, game=game, chance=self._belief)

    def _chance(self, premium: frozenset[str]) -> "TabularChance | PhysicalChance":
        """Return the chance where these Piggles are Premium."""
        if premium not in self._chances:
            self._chances[premium] = (
                self._tabular(premium)
                if self.study.chance is ChanceKind.TABULAR
                else self._physical(premium)
            )
        return self._chances[premium]

    def _tabular(self, premium: frozenset[str]) -> TabularChance:
        for game in self._games.values():
            check_by_odds(game)
        odds = dict.fromkeys(sorted(premium), self._premium)
        return TabularChance(seed=0, odds=self._belief.odds, of_piggles=odds)

    def _physical(self, premium: frozenset[str]) -> "PhysicalChance":
        from pigglesim.bodies.load import load_model  # noqa: PLC0415 (slow to import)

        chance = self.study.physical_chance(_PLAIN)
        return replace(
            chance, models=chance.models | {name: load_model(PREMIUM) for name in premium}
        )


BALANCE = SeriesKind(
    series="balance",
    items="trials",
    definition=BalanceStudy,
    item=Trial,
    made=frozenset({"report.html", "pictures"}),
)
"""Folders of balance studies."""
TrialFolder: TypeAlias = SeriesFolder[BalanceStudy, Trial]


def open_folder(path: Path, study: BalanceStudy, *, trials: int) -> TrialFolder:
    """Return the folder of a study, made if there is none, for one process to add trials to.

    Raises:
        RecordError: If the folder is of another study or in use.
        StoreError: If it cannot be written.
    """
    return SeriesFolder(path, BALANCE, study, ScoreTable(study).made_of(), wanted=trials)
