"""Compare matches and throws by odds with new ones on physics."""

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np

from pigglesim.agents.greedy import Greedy
from pigglesim.chance.odds import Odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.landing import BOARD_SEATS, RollRequest, RollResult
from pigglesim.match.entries import Status
from pigglesim.match.runner import ChanceSource, play
from pigglesim.rng import MAX_SEED, generator
from pigglesim.scene.load import load_scene
from pigglesim.studies.identity import StudyPlan
from pigglesim.studies.odds import transition
from pigglesim.studies.shard import Thrower
from pigglesim.studies.statistics import Interval, Share, mean_of, share_of
from pigglesim.studies.study import Study, ThrowKind
from pigglesim.studies.tally import OddsSetting
from pigglesim.studies.worker_pool import map_in_order

BY_ODDS = 10
"""Matches and throws by odds for each on physics."""
_THROWN = (1, 3, 6)
"""Numbers thrown onto the other team."""
_SCENE = "piggles_classic"
FIGURES = ("mean_score", "flips", "knocks", "zone_changes")
"""Of a match: the mean of both scores; and how many times a Piggle was knocked to another pose, was
knocked, and was knocked to another zone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """The odds that are compared, and how many matches and throws there are."""

    odds: Odds
    matches: int
    """On physics; by odds ten times as many."""
    throws: int
    """On physics, of each number thrown; each is thrown ten times by odds."""
    engine: str
    seed: int

    def jobs(self) -> Iterator["_Job"]:
        """Yield each match and throw on physics; all sorts advance together."""
        most = max(self.matches, self.throws)
        for index in range(most):
            if (index + 1) * self.matches // most > index * self.matches // most:
                yield None, index * self.matches // most
            if (index + 1) * self.throws // most > index * self.throws // most:
                for cell in range(len(_THROWN)):
                    yield cell, index * self.throws // most


_Job = tuple[int | None, int]
"""Cell of a throw (None for a match), and number of the throw or match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Result of a match or a throw on physics, beside those by odds."""

    matches: tuple[tuple[float, ...], ...] = ()
    """Figures of the match on physics, in the order of `FIGURES`, then of those by odds."""
    thrown: int = 0
    standing: int = 0
    physics: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Counts of how each Piggle stood before a throw and lies after it."""
    odds: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The same of all throws by odds together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedEstimate:
    """A number on physics and by odds."""

    physics: Interval | Share
    odds: Interval | Share

    @property
    def apart(self) -> bool:
        """Whether the intervals do not overlap."""
        return self.physics.high < self.odds.low or self.odds.high < self.physics.low


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """Share of the Piggles that stood in one way that lie in another after the throw."""

    thrown: int
    standing: int
    before: str
    """Pose, and the points that the zone pays."""
    after: str
    stood: int
    """Piggles on physics."""
    sides: PairedEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsCheck:
    """Matches and throws by odds beside those on physics."""

    match: dict[str, PairedEstimate]
    """Estimates by figure; empty below two matches."""
    transitions: tuple[Transition, ...]
    matches: int
    """Played on physics."""
    throws: int
    """Thrown on physics."""

    @classmethod
    def of(cls, told: Sequence[CheckResult]) -> "OddsCheck":
        """Return what matches and throws come to."""
        played = [each.matches for each in told if each.matches]
        thrown = [each for each in told if not each.matches]
        figures = {}
        if len(played) > 1:
            physics = np.array([first for first, *_ in played])
            by_odds = np.array([one for _, *others in played for one in others])
            figures = {
                name: PairedEstimate(physics=mean_of(physics[:, at]), odds=mean_of(by_odds[:, at]))
                for at, name in enumerate(FIGURES)
            }
        cups: dict[tuple[int, int], list[CheckResult]] = {}
        for each in thrown:
            cups.setdefault((each.thrown, each.standing), []).append(each)
        return cls(
            match=figures,
            transitions=tuple(
                row for _, throws in sorted(cups.items()) for row in _transitions(throws)
            ),
            matches=len(played),
            throws=len(thrown),
        )


def check_odds(check: Check, *, workers: int) -> Generator[CheckResult, None, None]:
    """Yield the result of each match and each throw; workers change nothing but the time."""
    return map_in_order(partial(_OddsTable, check), check.jobs(), workers=workers)


class _OddsTable:
    """A table ready for matches and throws, in one process."""

    def __init__(self, check: Check) -> None:
        self._check = check
        self._odds = TabularChance(seed=0, odds=check.odds)
        self._game = PigglesClassic()

    def __call__(self, job: _Job) -> CheckResult:
        """Return the result of a match or a throw."""
        cell, number = job
        return self._match(number) if cell is None else self._throw(cell, number)

    def _match(self, number: int) -> CheckResult:
        seed = self._seed("match", number)
        physics = OddsSetting(
            label="",
            scene=load_scene(_SCENE),
            engine=self._check.engine,
            seed=seed,
            model=self._check.odds.model,
        ).chance()
        sources: list[ChanceSource] = [physics]
        sources += [self._odds.with_seed(self._seed("odds", number, k)) for k in range(BY_ODDS)]
        return CheckResult(matches=tuple(self._figures(chance, seed) for chance in sources))

    def _figures(self, chance: ChanceSource, seed: int) -> tuple[float, ...]:
        agents = {seat: Greedy() for seat in BOARD_SEATS}
        match = play(self._game, agents=agents, chance=chance, seed=seed, forfeits=False)
        if match.record.footer.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        knocks = [knock for outcome in match.record.outcomes for knock in outcome.roll.knocks]
        return (
            float(np.mean(list(self._game.scores(match.state).values()))),
            float(sum(knock.flipped for knock in knocks)),
            float(len(knocks)),
            float(sum(knock.zone_changed for knock in knocks)),
        )

    def _throw(self, cell: int, trial: int) -> CheckResult:
        chance, request = self._thrower.pour(cell, trial)
        physics = chance.roll(request, index=trial)
        rng = generator(self._check.seed, "odds check", "throw", cell, trial)
        again = Counter[tuple[str, str]]()
        for _ in range(BY_ODDS):
            result = self._odds.draw(request, rng=rng)
            assert isinstance(result, RollResult)
            again.update(_moves(request, result))
        return CheckResult(
            thrown=len(request.piggles),
            standing=len(request.standing),
            physics=Counter(_moves(request, physics)),
            odds=again,
        )

    @cached_property
    def _thrower(self) -> Thrower:
        check = self._check
        study = Study(
            kind=ThrowKind.KNOCK,
            models=(check.odds.model,),
            scene=_SCENE,
            engine=check.engine,
            seed=self._seed("throws"),
            throws=max(1, check.throws),
            factors={"number": _THROWN},
        )
        return Thrower(StudyPlan.of(study))

    def _seed(self, *purpose: str | int) -> int:
        """Return a seed that no study has: what is thrown here was not measured."""
        return int(generator(self._check.seed, "odds check", *purpose).integers(MAX_SEED))


def _moves(request: RollRequest, result: RollResult) -> Iterator[tuple[str, str]]:
    """Yield how each Piggle that stood did so and lies."""
    lies = dict(result.landings)
    for name, before in request.standing:
        after = lies[name]
        yield transition((before.orientation, before.zone), (after.orientation, after.zone))


def _transitions(throws: Sequence[CheckResult]) -> Iterable[Transition]:
    """Yield the shares of one number thrown onto one that stand."""
    physics, odds = [each.physics for each in throws], [each.odds for each in throws]
    for before, after in sorted({pair for each in (*physics, *odds) for pair in each}):
        on_physics = _share(physics, before, after)
        yield Transition(
            thrown=throws[0].thrown,
            standing=throws[0].standing,
            before=before,
            after=after,
            stood=on_physics.trials,
            sides=PairedEstimate(physics=on_physics, odds=_share(odds, before, after)),
        )


def _share(counts: Sequence[Counter[tuple[str, str]]], before: str, after: str) -> Share:
    hits = np.array([each[before, after] for each in counts])
    trials = np.array(
        [sum(count for (was, _), count in each.items() if was == before) for each in counts]
    )
    return share_of(hits, trials)
