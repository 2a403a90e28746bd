"""Estimates of balance: who begins, how long matches are, how they end, the value of pieces."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from math import nan, sqrt

import numpy as np

from pigglesim.experiments.balance import (
    DIRECTIONAL,
    SOURCES,
    Attribution,
    BalanceStudy,
    EffectCount,
    RuleSet,
    Subject,
    Trial,
    TrialResult,
)
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.luck import WithoutLuck, without_luck
from pigglesim.experiments.statistics import (
    Coefficients,
    Share,
    binomial,
    mean_of,
    share_of,
    student,
)
from pigglesim.games.piggles.state import Markings, PigglesReason, format_piece, parse_piece
from pigglesim.markings import Colour, Rune
from pigglesim.rotations import Array

_GAINS = 3
"""Number of sources that add to a score; the others reduce it or give back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueSpread:
    """Mean and spread of a number over matches."""

    mean: Interval
    deviation: Interval
    """Standard deviation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectUse:
    """Outcomes of one effect."""

    landed: Interval
    """Piggles per match that landed Snout-Up and might have acted."""
    used: Share
    """Share of those that were used; the others lapsed."""
    no_target: Share
    """Share of those that had nobody to act on."""
    declined: Share
    """Share of those that the player declined."""
    uses: Interval
    """Uses per match."""


Effects = Mapping[str, EffectUse]
"""Outcomes by the name of the effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """Course of matches between equal teams."""

    matches: int
    first_share: Share
    """Share of the points of the player who begins; a draw is half a point."""
    first_lead: Interval
    """Score of the first player minus that of the second."""
    without_luck: WithoutLuck | None
    """Both without luck; None for few matches, or where luck is not known."""
    lengths: Mapping[str, ValueSpread]
    """Numbers of rounds, decisions and rolls per match."""
    scores: ValueSpread
    """Scores of both players."""
    by_round: tuple[tuple[Interval, Interval], ...]
    """Mean scores of first and second after each round, of matches that had it."""
    endings: Mapping[str, Share]
    lead_changes: Interval
    """Changes of the lead per match."""
    comeback: Share
    """Matches in which the lead changed at all."""
    sources: Mapping[str, Share]
    """Share of all gains from zones, knocks and effects."""
    losses: Mapping[str, Interval]
    """Points per match of both players, lost to the Kitchen and given back by the floor of zero."""
    effects: Effects


def timeline_of(matches: Sequence[TrialResult], *, level: float = 0.95) -> Timeline:
    """Return the course of matches in which seat A began and was the own team.

    Matches are independent.
    """
    accounts = [account for match in matches if (account := match.attribution) is not None]
    count = len(matches)
    halves = np.array([round(2 * match.points) for match in matches])
    reasons = Counter(match.reason for match in matches)
    changes = [account.lead_changes for account in accounts]
    by_source = np.array([account.sources for account in accounts])
    # The spread is that of all scores, and its interval has matches as clusters.
    scores = np.array([match.scores for match in matches])
    leads = [match.lead for match in matches]
    first_share, first_lead = share_of(halves, 2, level=level), mean_of(leads, level=level)
    return Timeline(
        matches=count,
        first_share=first_share,
        first_lead=first_lead,
        without_luck=without_luck(
            [match.luck for match in matches],
            points=[match.points for match in matches],
            points_raw=first_share,
            lead=leads,
            lead_raw=first_lead,
        ),
        lengths={
            name: _spread(np.array([[getattr(each, name)] for each in accounts]), level)
            for name in ("rounds", "decisions", "rolls")
        },
        scores=_spread(scores, level),
        by_round=_by_round(accounts, level),
        endings={
            str(reason): binomial(reasons[str(reason)], count, level=level)
            for reason in sorted(PigglesReason, key=lambda reason: -reasons[str(reason)])
        },
        lead_changes=mean_of(changes, level=level),
        comeback=binomial(sum(many > 0 for many in changes), count, level=level),
        sources={
            name: share_of(by_source[:, index], by_source[:, :_GAINS].sum(axis=1), level=level)
            for index, name in enumerate(SOURCES[:_GAINS])
        },
        losses={
            name: mean_of(by_source[:, index], level=level)
            for index, name in enumerate(SOURCES[_GAINS:], start=_GAINS)
        },
        effects=effects_of(accounts, level=level),
    )


def effects_of(accounts: Sequence[Attribution], *, level: float = 0.95) -> Effects:
    """Return the outcomes of each effect that came up; matches are clusters."""
    unused = EffectCount(landed=0, reached=0, used=0)
    effects = {}
    for name in sorted({name for account in accounts for name in account.effects}):
        counts = [account.effects.get(name, unused) for account in accounts]
        landed, reached, used = np.array([(c.landed, c.reached, c.used) for c in counts]).T
        effects[name] = EffectUse(
            landed=mean_of(landed, level=level),
            used=share_of(used, landed, level=level),
            no_target=share_of(landed - reached, landed, level=level),
            declined=share_of(reached - used, landed, level=level),
            uses=mean_of(used, level=level),
        )
    return effects


def _spread(values: Array, level: float) -> ValueSpread:
    """Return mean and standard deviation of values, shape [match_count, values_of_a_match].

    The error of the deviation is that of the mean square, linearised.
    """
    mean = mean_of(values.mean(axis=1), level=level)
    squares = ((values - values.mean()) ** 2).mean(axis=1)
    count = len(values)
    deviation = sqrt(float(squares.sum()) / (count - 1)) if count > 1 else nan
    error = float(squares.std(ddof=1)) / sqrt(count) if count > 1 else nan
    about = error / (2.0 * deviation) if deviation else 0.0
    return ValueSpread(mean=mean, deviation=student(deviation, about, clusters=count, level=level))


def _by_round(
    accounts: Sequence[Attribution], level: float
) -> tuple[tuple[Interval, Interval], ...]:
    rounds = max(len(account.by_round[0]) for account in accounts)
    means = []
    for number in range(rounds):
        played = [account.by_round for account in accounts if len(account.by_round[0]) > number]
        scores = np.array([[side[number] for side in sides] for sides in played])
        first, second = (mean_of(column, level=level) for column in scores.T)
        means.append((first, second))
    return tuple(means)


_NOTHING_LEFT = 1e-9
"""Share of a trial that its fit leaves to noise, below which it is rounding."""
_RARE = tuple(rune for rune in Rune if rune not in DIRECTIONAL)
KINDS = (
    *(
        format_piece(Markings(colour=colour, rune=rune))
        for colour in Colour
        for rune in DIRECTIONAL
    ),
    *map(str, _RARE),
)  # fmt: skip
"""Every kind of Piggle that may act, the rarer runes of any colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Value of each Piggle against one without a rune."""

    trials: int
    kinds: Mapping[str, Interval]
    """Values by kind, as `KINDS` names them."""
    colours: Mapping[str, Interval]
    runes: Mapping[str, Interval]


def fit(differences: Array, results: Array, *, level: float = 0.95) -> Coefficients:
    """Return the least squares of `results` on `differences`, without a constant.

    Errors allow for noise that depends on the teams: HC3 (MacKinnon and White 1985), which divides
    each residual by what the fit leaves of its trial. With few trials, residuals are smaller than
    the noise, and intervals without that are too narrow. A trial that alone determines a value has
    no residual; the mean square of all others stands for it.

    A column that is always 0 has the value 0. `differences` are those of the two teams, shape
    [trial_count, column_count]; `results` are those of the trials, shape [trial_count].
    """
    bread = np.linalg.pinv(differences.T @ differences)
    values = bread @ (differences.T @ results)
    residuals = results - differences @ values
    left = 1.0 - np.einsum("ij,jk,ik->i", differences, bread, differences)
    spare = round(float(left.sum()))
    determined = left < _NOTHING_LEFT
    noise = np.where(determined, residuals @ residuals / max(1, spare), residuals**2)
    noise /= np.where(determined, 1.0, left) ** 2
    meat = (differences * noise[:, None]).T @ differences
    return Coefficients(
        values=values,
        covariance=bread @ meat @ bread,
        # Student's degrees of freedom are one less. With as many trials as columns the fit is
        # exact, and the noise is unknown.
        clusters=spare + 1,
        level=level,
        method="regression, HC3, Student",
    )


def counts_apart(trials: Sequence[Trial]) -> Array:
    """Return the own team's surplus of each kind of Piggle, shape [trial_count, kind_count]."""
    counts = np.zeros((len(trials), len(KINDS)))
    for row, trial in enumerate(trials):
        for sign, team in zip((1.0, -1.0), trial.teams, strict=True):
            for piece in team:
                if (column := _column(piece)) is not None:
                    counts[row, column] += sign
    return counts


@cache
def _column(piece_text: str) -> int | None:
    """Return the column of a Piggle's kind, or None if it never acts."""
    piece = parse_piece(piece_text)
    if piece.rune is None:
        return None
    return KINDS.index(piece_text if piece.directional else str(piece.rune))


def values_of(trials: Sequence[Trial], results: Array, *, level: float = 0.95) -> Values:
    """Return the value of each kind, colour and rune, from trials of random teams.

    `results` are those of the trials for the own team, shape [trial_count].
    """
    fitted = fit(counts_apart(trials), results, level=level)

    def mean(names: Sequence[str]) -> Interval:
        weights = np.zeros(len(KINDS))
        weights[[KINDS.index(name) for name in names]] = 1.0 / len(names)
        return fitted.of(weights)

    of_colour = {
        str(colour): [format_piece(Markings(colour=colour, rune=rune)) for rune in DIRECTIONAL]
        for colour in Colour
    }
    of_rune = {
        str(rune): [format_piece(Markings(colour=colour, rune=rune)) for colour in Colour]
        if rune in DIRECTIONAL
        else [str(rune)]
        for rune in Rune
    }
    return Values(
        trials=len(trials),
        kinds={name: mean([name]) for name in KINDS},
        colours={name: mean(kinds) for name, kinds in of_colour.items()},
        runes={name: mean(kinds) for name, kinds in of_rune.items()},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamComparison:
    """One team against another: pairs of matches with the same dice, the teams exchanged."""

    name: str
    """Name of the part, such as `colour:red`."""
    pairs: int
    points: Interval | None
    """Mean lead of the team in question per match; None where no pair differs, because the size of
    a possible difference is then unknown."""
    share: Interval
    """Share of wins above one half, draws being half a win."""
    differing: Share
    """Pairs in which the teams had different results."""
    without_luck: WithoutLuck | None
    """Share of wins, and mean lead, without luck; None for few pairs, for pairs that do not differ,
    or where luck is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceFindings:
    """Findings for one game with one set of rules, played by one agent against itself."""

    game: str
    agent: str
    rules: str
    """Level of each factor, such as `rounds=4`; empty without factors."""
    matches: int
    timeline: Timeline | None
    """Course of matches of equal teams, and the value of beginning."""
    points_of: Values | None
    """Points a match of each kind of Piggle in random teams."""
    shares_of: Values | None
    """Share of wins of the same."""
    effects_random: Effects | None
    """Outcomes of effects in matches of random teams."""
    comparisons: tuple[TeamComparison, ...]

    @property
    def table(self) -> str:
        """Game and rules, such as `piggles_classic, rounds=4`."""
        return f"{self.game}, {self.rules}" if self.rules else self.game


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDifference:
    """Difference of a quantity between two levels of a rule, from trials with the same dice."""

    game: str
    agent: str
    part: str
    factor: str
    low: str
    """Level that is given first."""
    high: str
    others: Mapping[str, str]
    """Levels of the other factors, by name."""
    quantity: str
    difference: Interval | None
    """Mean at `high` minus mean at `low`; None where no trial differs, because the size of a
    possible difference is then unknown."""
    width_ratio: float | None
    """Width of this interval over that of as many trials with different dice: 1 if pairing
    cancelled nothing. None where it is unknown."""
    apart: Share
    """Trials in which the quantity differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All estimates of a study."""

    trials: int
    matches: int
    level: float
    found: tuple[BalanceFindings, ...]
    differences: tuple[RuleDifference, ...]
    """Differences by each factor, for every two of its levels."""


def findings(study: BalanceStudy, trials: Sequence[Trial], *, level: float = 0.95) -> Findings:
    """Return the estimates from the trials of a study so far, in order from the first."""
    by_cell: dict[tuple[str, str, str], dict[str, list[Trial]]] = {}
    for trial, cell in zip(trials, study.cells_in_turn(), strict=False):
        by_part = by_cell.setdefault((cell.game, cell.agent, cell.rules), {})
        by_part.setdefault(cell.part.name, []).append(trial)
    return Findings(
        trials=len(trials),
        matches=sum(len(trial.matches) for trial in trials),
        level=level,
        found=tuple(_judge(*names, by_part, level) for names, by_part in by_cell.items()),
        differences=tuple(_differences(study, by_cell, level)),
    )


def _differences(
    study: BalanceStudy,
    by_cell: Mapping[tuple[str, str, str], dict[str, list[Trial]]],
    level: float,
) -> Iterator[RuleDifference]:
    """Yield the differences between every two sets of rules that differ in one factor."""
    for game, agent, (factor, low, high) in product(
        study.games, study.agents, [*_changes(study.rule_sets)]
    ):
        sides = [by_cell.get((game, agent, each.name), {}) for each in (low, high)]
        for part in filter(sides[1].get, sides[0]):
            pairs = list(zip(*(side[part] for side in sides), strict=False))
            for quantity, of in _quantities(part).items():
                values = np.array([[of(trial) for trial in pair] for pair in pairs], dtype=float)
                estimate, width_ratio = paired_difference(values, level=level)
                unlike = int(np.count_nonzero(values[:, 0] != values[:, 1]))
                yield RuleDifference(
                    game=game,
                    agent=agent,
                    part=part,
                    factor=factor,
                    low=low.levels[factor],
                    high=high.levels[factor],
                    others={name: each for name, each in low.levels.items() if name != factor},
                    quantity=quantity,
                    difference=estimate if unlike else None,
                    width_ratio=width_ratio if unlike else None,
                    apart=binomial(unlike, len(pairs), level=level),
                )


def _changes(rule_sets: Sequence[RuleSet]) -> Iterator[tuple[str, RuleSet, RuleSet]]:
    """Yield every two sets of rules that differ in one factor, with the factor first."""
    for low, high in combinations(rule_sets, 2):
        factor, *others = (name for name in low.levels if low.levels[name] != high.levels[name])
        if not others:
            yield factor, low, high


def paired_difference(values: Array, *, level: float = 0.95) -> tuple[Interval, float | None]:
    """Return the mean of second minus first, and the ratio of its width to that without pairs.

    `values` are those of both sides of each pair, shape [pair_count, 2]. The interval is Student's
    with pairs as clusters. The ratio is that of the standard errors; None where it is unknown.
    """
    apart = values[:, 1] - values[:, 0]
    unpaired = float(values.var(axis=0, ddof=1).sum()) if len(values) > 1 else 0.0
    ratio = sqrt(float(apart.var(ddof=1)) / unpaired) if unpaired else None
    return mean_of(apart, level=level), ratio


_Quantity = Callable[[Trial], float]


def _quantities(part: str) -> Mapping[str, _Quantity]:
    """Return the quantities of a trial that rules may change, by name."""
    match part:
        case Subject.SEATS:
            return {
                "first player's wins": lambda trial: trial.points,
                "first player's lead": lambda trial: trial.lead,
                "mean score": lambda trial: sum(trial.matches[0].scores) / 2.0,
                "rounds": lambda trial: _account(trial).rounds,
                "decisions": lambda trial: _account(trial).decisions,
                "rolls": lambda trial: _account(trial).rolls,
                "changes of the lead": lambda trial: _account(trial).lead_changes,
            }
        case Subject.TEAMS:
            # A regression gives these values, not the mean of a trial.
            return {}
        case _:
            return {"wins": lambda trial: trial.points, "points": lambda trial: trial.lead}


def _account(trial: Trial) -> Attribution:
    account = trial.matches[0].attribution
    assert account is not None, "matches between equal teams are accounted for"
    return account


def _judge(
    game: str, agent: str, rules: str, by_part: dict[str, list[Trial]], level: float
) -> BalanceFindings:
    equal = by_part.get(str(Subject.SEATS), [])
    random = by_part.get(str(Subject.TEAMS), [])
    attributions = [
        account for trial in random for match in trial.matches if (account := match.attribution)
    ]
    return BalanceFindings(
        game=game,
        agent=agent,
        rules=rules,
        matches=sum(len(trial.matches) for trials in by_part.values() for trial in trials),
        timeline=timeline_of([trial.matches[0] for trial in equal], level=level) if equal else None,
        points_of=values_of(random, _leads(random), level=level) if random else None,
        shares_of=values_of(random, _points(random) - 0.5, level=level) if random else None,
        effects_random=effects_of(attributions, level=level) if attributions else None,
        comparisons=tuple(
            _comparison(name, trials, level)
            for name, trials in by_part.items()
            if name not in {Subject.SEATS, Subject.TEAMS}
        ),
    )


def _comparison(name: str, trials: Sequence[Trial], level: float) -> TeamComparison:
    unlike = sum(trial.lead != 0.0 or trial.points != 0.5 for trial in trials)
    # Pairs are clusters, in half points of two matches.
    halves = np.round(4 * _points(trials)).astype(np.int64)
    won, points = share_of(halves, 4, level=level), mean_of(_leads(trials), level=level)
    return TeamComparison(
        name=name,
        pairs=len(trials),
        points=points if unlike else None,
        share=Interval(
            value=won.value - 0.5,
            low=won.low - 0.5,
            high=won.high - 0.5,
            level=level,
            method=won.method,
        ),
        differing=binomial(unlike, len(trials), level=level),
        without_luck=without_luck(
            [trial.luck for trial in trials],
            points=[trial.points for trial in trials],
            points_raw=won,
            lead=[trial.lead for trial in trials],
            lead_raw=points,
        )
        if unlike
        else None,
    )


def _leads(trials: Iterable[Trial]) -> Array:
    return np.array([trial.lead for trial in trials])


def _points(trials: Iterable[Trial]) -> Array:
    return np.array([trial.points for trial in trials])
