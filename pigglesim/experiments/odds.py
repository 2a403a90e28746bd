"""Odds for matches, measured on the throws of a study, and their departure from physics.

Throws of a study are pooled by the number of Piggles thrown; standing Piggles matter only for
knocks. Odds treat the Piggles of a pour as independent: comparing throws by odds with those of the
study shows the cost.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial

import duckdb
import numpy as np

from pigglesim.agents.greedy import Greedy
from pigglesim.chance.odds import (
    ON_BOARD,
    Departure,
    KnockOdds,
    Odds,
    Place,
    StandingOdds,
    ThrowOdds,
)
from pigglesim.chance.physical import physical_chance
from pigglesim.chance.tabular import TabularChance
from pigglesim.errors import SpecError
from pigglesim.experiments.estimates import CellCounts, count_throws, lying
from pigglesim.experiments.factors import ThrowKind
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.shard import StudyPlan, Thrower
from pigglesim.experiments.statistics import Counts, Share, mean_of, share_of, total_variation
from pigglesim.experiments.study import Study
from pigglesim.experiments.worker_pool import map_in_order
from pigglesim.games.game import JSON
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.landing import (
    BOARD_SEATS,
    ZONE_POINTS,
    Landing,
    Orientation,
    RollRequest,
    RollResult,
    Seat,
    Zone,
)
from pigglesim.match.runner import ChanceSource, play
from pigglesim.rng import generator, sub_seed
from pigglesim.rotations import Array
from pigglesim.scene.load import load_scene, team_models

_POSES = {pose.label: pose for pose in Orientation}
_PLACES: tuple[Place, ...] = (*ON_BOARD, (None, Zone.OFF))
_NUMBER_OF = {
    (pose.label if pose else None, str(zone)): at for at, (pose, zone) in enumerate(_PLACES)
}
"""Number of each place, by orientation and zone as a study writes them."""
_ZONES = len(ON_BOARD) // len(Orientation)
_ITERATIONS = 50
"""Iterations of the search for hazards and exposures."""
_JOINT_THROWS = 4_000
"""Throws for the distance of pose and zone: nearly each is a pattern of its own."""
_THROWS = 20_000
"""Throws for the distances of points and knocks."""
_POOLED = 20
"""Piggles, and knocks, that are added to those of each pose and zone."""
_POOLING = (
    f"exposure: as if {_POOLED} more had stood in each pose and zone, knocked as often as those in "
    "the zone in any pose (and in each zone, knocked as often as all). after: as if "
    f"{_POOLED} more had been knocked in each pose and zone, of which the pose changed as that of "
    "all in the pose and, independently, the zone as that of all in the zone (with one more in "
    "each pose and each zone that kept it)."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CupCell:
    """A cell of the study: numbers of Piggles thrown and standing."""

    thrown: int
    standing: int
    counts: CellCounts


def odds_of_study(
    connection: duckdb.DuckDBPyConnection,
    *,
    kind: str,
    model: str,
    source: Mapping[str, JSON],
    seed: int = 1,
) -> Odds:
    """Return the odds of a model, with the departure of rolls by them from the throws.

    The rate of knocks of a standing Piggle, and its place afterwards, depend on its orientation and
    zone before. Places with few data are pooled with others, as the file of the odds describes.

    Args:
        connection: Holds the view `throws` of a study of one cup, or of one for each number.
        kind: `pour` or `knock`; only the second has knocks.
        model: Model of the Piggles thrown.
        source: Origin of the odds, for their file.
        seed: Seed of the throws by the table behind the departures.

    Raises:
        SpecError: If there is no such throw, or two cells throw as many onto as many.
    """
    cups = _cups(connection, kind, model)
    leaning = _leaning(connection)
    thrown = {
        number: _throw_odds([cup for cup in cups if cup.thrown == number], leaning)
        for number in sorted({cup.thrown for cup in cups})
    }
    knocks = _knock_odds(connection, [cup for cup in cups if cup.standing])
    odds = Odds(model=model, thrown=thrown, knocks=knocks, source=source)
    return replace(odds, departures=departure(connection, odds, kind=kind, seed=seed))


def departure(
    connection: duckdb.DuckDBPyConnection, odds: Odds, *, kind: str, seed: int = 1
) -> tuple[Departure, ...]:
    """Return the total variation between rolls by odds and the throws of a study, cup by cup.

    It is that of orientation and zone over Piggles, of the points and of the knocks of a pour, and
    of the transitions of standing Piggles, each with its expectation from noise alone and bounds of
    95 %; pours are clusters. Odds roll onto the same standing Piggles as the study. `seed` is that
    of these rolls and of the bootstrap.
    """
    departures = []
    for cup in _cups(connection, kind, odds.model):
        thrown = _throws_of(connection, cup)
        counted, rolled = _count(thrown), _count(_rolled(odds, cup, thrown, seed))
        for of in _CLASSES if cup.standing else _CLASSES[:2]:
            rng = generator(seed, "departure", of, cup.thrown, cup.standing)
            sides = (counted[of], rolled[of])
            size = max(side.shape[1] for side in sides)
            first, second = (np.pad(side, ((0, 0), (0, size - side.shape[1]))) for side in sides)
            result = total_variation(first, second, rng=rng)
            departures.append(
                Departure(
                    of=of,
                    thrown=cup.thrown,
                    standing=cup.standing,
                    throws=len(counted[of]),
                    value=result.value,
                    floor=result.floor,
                    low=result.low,
                    high=result.high,
                )
            )
    return tuple(row for row in departures if np.isfinite(row.value))


def _cups(connection: duckdb.DuckDBPyConnection, kind: str, model: str) -> list[_CupCell]:
    if kind not in {"pour", "knock"}:
        raise SpecError(f"a study of {kind}s has no cup", fix="use a study of pours or knocks")
    counted = count_throws(connection, kind=kind, factors=["model"])
    mixed = connection.execute(
        "SELECT cell FROM throws WHERE standing IS NOT TRUE "
        "GROUP BY cell HAVING min(model) <> max(model)"
    ).fetchall()
    cups: dict[tuple[int, int], _CupCell] = {}
    for counts in counted.cells:
        # A mixed cup holds for none of its models alone.
        if counts.factors["model"] != model or (counts.cell,) in mixed:
            continue
        thrown, odd_thrown = divmod(counts.sums["rolled"], counts.throws)
        standing, odd_standing = divmod(counts.sums["stood"], counts.throws)
        if odd_thrown or odd_standing or (thrown, standing) in cups:
            raise SpecError(
                f"throws of {thrown} {model} vary in more than the model and the number thrown",
                fix="use a study that varies only those",
            )
        cups[thrown, standing] = _CupCell(thrown=thrown, standing=standing, counts=counts)
    if not cups:
        models = sorted({str(counts.factors["model"]) for counts in counted.cells})
        raise SpecError(f"no throws of {model}", fix=f"use {' or '.join(models)}")
    return [cup for _, cup in sorted(cups.items())]


def _throw_odds(
    cups: Sequence[_CupCell], leaning: Mapping[tuple[int, Orientation], tuple[int, int]]
) -> ThrowOdds:
    """Return the odds of one number thrown."""
    shares: dict[Place, float] = {}
    for pose, zone in _PLACES:
        name = lying(zone, pose.label) if pose else lying(zone)
        shares[pose, zone] = float(sum(cup.counts.sums.get(name, 0) for cup in cups))
    total = sum(shares.values())
    rates = {}
    for pose in Orientation:
        leans, shown = np.sum(
            [leaning.get((cup.counts.cell, pose), (0, 0)) for cup in cups], axis=0
        )
        rates[pose] = int(leans) / max(1, int(shown))
    return ThrowOdds(
        shares={place: count / total for place, count in shares.items() if count},
        leaning=rates,
        throws=sum(cup.counts.throws for cup in cups),
    )


def _leaning(
    connection: duckdb.DuckDBPyConnection,
) -> dict[tuple[int, Orientation], tuple[int, int]]:
    """Return the number of Piggles that lean and of all, by cell and pose."""
    rows = connection.execute(
        "SELECT cell, orientation, count(*) FILTER (WHERE leaning OR stacked), count(*) "
        "FROM throws WHERE standing IS NOT TRUE AND orientation IS NOT NULL GROUP BY 1, 2"
    ).fetchall()
    return {(cell, _POSES[name]): (some, of) for cell, name, some, of in rows if name in _POSES}


def _knock_odds(connection: duckdb.DuckDBPyConnection, cups: Sequence[_CupCell]) -> KnockOdds:
    """Return the odds of standing Piggles, by place."""
    if not cups:
        return KnockOdds(rates={}, standing={})
    stood, knocked, after = _knocks_by_place(connection, cups)
    hazards, exposures = _hazards(stood, knocked)
    shares = _after_knocks(after)
    return KnockOdds(
        rates={
            (cup.thrown, cup.standing): round(float(1.0 - np.exp(-hazard)), 6)
            for cup, hazard in zip(cups, hazards, strict=True)
        },
        standing={
            place_before: StandingOdds(
                exposure=round(float(exposures[row]), 6),
                after={
                    place_after: round(float(share), 6)
                    for place_after, share in zip(_PLACES, shares[row], strict=True)
                    if share >= 5e-7
                },
                stood=int(stood[:, row].sum()),
                knocked=int(knocked[:, row].sum()),
            )
            for row, place_before in enumerate(ON_BOARD)
        },
        pooling=_POOLING,
    )


def _knocks_by_place(
    connection: duckdb.DuckDBPyConnection, cups: Sequence[_CupCell]
) -> tuple[Counts, Counts, Counts]:
    """Return how many stood and how many were knocked, and where the knocked ones lie.

    The first two by cup and place, the last by place before and after.
    """
    number = {cup.counts.cell: at for at, cup in enumerate(cups)}
    stood = np.zeros((len(cups), len(ON_BOARD)), dtype=np.int64)
    knocked, after = np.zeros_like(stood), np.zeros((len(ON_BOARD), len(_PLACES)), dtype=np.int64)
    rows = connection.execute(
        "SELECT cell, orientation_before, zone_before, orientation, zone, knocked, count(*) "
        "FROM throws WHERE standing GROUP BY ALL"
    ).fetchall()
    for cell, pose, zone, pose_after, zone_after, hit, count in rows:
        if cell not in number or (pose, zone) not in _NUMBER_OF:
            continue
        at = _NUMBER_OF[pose, zone]
        stood[number[cell], at] += count
        if hit:
            knocked[number[cell], at] += count
            # A Piggle that still moved when time was up has no place.
            if (pose_after, zone_after) in _NUMBER_OF:
                after[at, _NUMBER_OF[pose_after, zone_after]] += count
    return stood, knocked, after


def _hazards(stood: Counts, knocked: Counts) -> tuple[Array, Array]:
    """Return a hazard by cup and an exposure by place: a share exp(-hazard * exposure) is missed.

    They have the maximum likelihood, except for the pooling; the mean exposure is 1.
    """
    hazards, exposures = np.ones(len(stood)), np.ones(stood.shape[1])
    zones = np.arange(stood.shape[1]) % _ZONES
    for _ in range(_ITERATIONS):
        rows = zip(stood.astype(float), knocked, strict=True)
        hazards = np.array([_scale(n, float(k.sum()), exposures) for n, k in rows])
        for zone in range(_ZONES):
            in_zone = zones == zone
            of_zone = _exposure(stood[:, in_zone], knocked[:, in_zone], hazards, 1.0)
            for at in np.flatnonzero(in_zone):
                exposures[at] = _exposure(
                    stood[:, at : at + 1], knocked[:, at : at + 1], hazards, of_zone
                )
        mean = float(np.average(exposures, weights=stood.sum(axis=0)))
        if mean > 0.0:
            exposures /= mean
            hazards *= mean
    return hazards, exposures


def _exposure(stood: Counts, knocked: Counts, hazards: Array, like: float) -> float:
    """Return the exposure of some places, with `_POOLED` more Piggles of exposure `like`."""
    number = stood.sum(axis=1).astype(float)
    total = float(number.sum())
    if not total:
        return like
    pooled = _POOLED / total
    target = float(knocked.sum()) + pooled * float(number @ -np.expm1(-hazards * like))
    return _scale((1.0 + pooled) * number, target, hazards)


def _scale(numbers: Array, knocked: float, hazards: Array) -> float:
    """Return the factor of hazards by which as many are knocked, at most 100."""
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2.0
        enough = float(numbers @ -np.expm1(-hazards * middle)) >= knocked
        low, high = (low, middle) if enough else (middle, high)
    return high


def _after_knocks(counts: Counts) -> Array:
    """Return the shares of each place after a knock, by place before.

    Its shape is [place_count - 1, place_count]: none stood off the board.
    """
    poses = len(Orientation)
    on_board = counts[:, :-1].reshape(poses, _ZONES, poses, _ZONES)
    by_pose = on_board.sum(axis=(1, 3)) + np.eye(poses)
    by_zone = np.concatenate(
        [
            on_board.sum(axis=(0, 2)) + np.eye(_ZONES),
            counts[:, -1].reshape(poses, _ZONES).sum(axis=0)[:, None],
        ],
        axis=1,
    )
    by_pose /= by_pose.sum(axis=1, keepdims=True)
    by_zone /= by_zone.sum(axis=1, keepdims=True)
    independent = np.einsum("ab,cd->acbd", by_pose, by_zone[:, :-1]).reshape(len(counts), -1)
    prior = np.concatenate([independent, np.tile(by_zone[:, -1:], (poses, 1))], axis=1)
    pooled = counts + _POOLED * prior
    shares: Array = pooled / pooled.sum(axis=1, keepdims=True)
    return shares


def transition(before: Place, after: Place) -> tuple[str, str]:
    """Return the pose and the points of its zone of a Piggle before and after a throw."""

    def text(place: Place) -> str:
        pose, zone = place
        return f"{pose.label} {ZONE_POINTS[zone]}" if pose else str(zone)

    return text(before), text(after)


_TRANSITIONS = {
    pair: at
    for at, pair in enumerate(
        sorted({transition(before, after) for before in ON_BOARD for after in _PLACES})
    )
}


_CLASSES = ("pose and zone", "points a pour", "knocks a pour", "standing Piggles")
"""Kinds of counts that are compared; the last two are of throws onto standing Piggles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Throw:
    """Places of the Piggles of one throw."""

    thrown: list[Place]
    stood: list[tuple[Place, Place]]
    """Places of each standing Piggle before and after."""
    knocks: int


def _throws_of(connection: duckdb.DuckDBPyConnection, cup: _CupCell) -> list[_Throw]:
    """Return the first throws of a cup; a Piggle without a place is left out."""
    rows = connection.execute(
        "SELECT dense_rank() OVER (ORDER BY trial) - 1 AS number, standing, "
        "orientation, zone, orientation_before, zone_before, knocked FROM throws "
        f"WHERE cell = {cup.counts.cell} QUALIFY number < {_THROWS} ORDER BY trial, die"
    ).fetchall()
    throws: list[_Throw] = []
    for number, standing, pose, zone, pose_before, zone_before, knocked in rows:
        if number == len(throws):
            throws.append(_Throw(thrown=[], stood=[], knocks=0))
        throw, after = throws[number], _NUMBER_OF.get((pose, zone))
        if standing and knocked:
            throw = throws[number] = replace(throw, knocks=throw.knocks + 1)
        if after is None:
            continue
        if not standing:
            throw.thrown.append(_PLACES[after])
        elif (before := _NUMBER_OF.get((pose_before, zone_before))) is not None:
            throw.stood.append((_PLACES[before], _PLACES[after]))
    return throws


def _rolled(odds: Odds, cup: _CupCell, measured: Sequence[_Throw], seed: int) -> list[_Throw]:
    """Return a throw by odds for each measured one, onto the same standing Piggles."""
    chance = TabularChance(seed=sub_seed(seed, "departure", "table"), odds=odds)
    piggles, rolled = tuple(f"A{number}" for number in range(cup.thrown)), []
    for index, throw in enumerate(measured):
        layout = tuple(
            (f"B{number}", Landing(orientation=pose, zone=zone))
            for number, ((pose, zone), _) in enumerate(throw.stood)
        )
        request = RollRequest(thrower=Seat.A, piggles=piggles, standing=layout)
        rolled.append(_throw(request, chance.roll(request, index=index)))
    return rolled


def _throw(request: RollRequest, result: RollResult) -> _Throw:
    places = {name: (at.orientation, at.zone) for name, at in result.landings}
    return _Throw(
        thrown=[places[name] for name in request.piggles],
        stood=[((at.orientation, at.zone), places[name]) for name, at in request.standing],
        knocks=len(result.knocks),
    )


def _count(throws: Sequence[_Throw]) -> dict[str, Counts]:
    """Return the counts of each of `_CLASSES`, with a row for each throw."""
    joint = np.zeros((min(len(throws), _JOINT_THROWS), len(_PLACES)), dtype=np.int64)
    points = np.zeros(len(throws), dtype=np.int64)
    moved = np.zeros((len(throws), len(_TRANSITIONS)), dtype=np.int64)
    for index, throw in enumerate(throws):
        for pose, zone in throw.thrown:
            if index < len(joint):
                joint[index, _PLACES.index((pose, zone))] += 1
            if pose is Orientation.SNOUT_UP:
                points[index] += ZONE_POINTS[zone]
        for before, after in throw.stood:
            moved[index, _TRANSITIONS[transition(before, after)]] += 1
    knocks = np.array([throw.knocks for throw in throws], dtype=np.int64)
    one_hot = (
        (totals[:, None] == np.arange(totals.max(initial=0) + 1)).astype(np.int64)
        for totals in (points, knocks)
    )
    return dict(zip(_CLASSES, (joint, *one_hot, moved), strict=True))


BY_ODDS = 10
"""Matches and throws by odds for each on physics."""
_THROWN = (1, 3, 6)
"""Numbers thrown onto the other team."""
_SCENE = "piggles_classic"
FIGURES = ("mean_score", "flips", "knocks", "zone_changes")
"""Figures of a match: mean of both scores; number of Piggles knocked to another orientation,
knocked at all, and knocked to another zone."""

_Job = tuple[int | None, int]
"""Cell of a throw (None for a match), and number of the throw or match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """Odds to compare with physics, and the number of matches and throws."""

    odds: Odds
    matches: int
    """Matches on physics; ten times as many are played by odds."""
    throws: int
    """Throws on physics of each number thrown; each is repeated ten times by odds."""
    engine: str
    seed: int

    def jobs(self) -> Iterator[_Job]:
        """Yield each match and throw on physics; all kinds advance together."""
        rounds = max(self.matches, self.throws)
        for index in range(rounds):
            if (index + 1) * self.matches // rounds > index * self.matches // rounds:
                yield None, index * self.matches // rounds
            if (index + 1) * self.throws // rounds > index * self.throws // rounds:
                for cell in range(len(_THROWN)):
                    yield cell, index * self.throws // rounds


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Result of a match or a throw on physics, and of those by odds."""

    matches: tuple[tuple[float, ...], ...] = ()
    """Figures of the match on physics, in the order of `FIGURES`, then of those by odds."""
    thrown: int = 0
    standing: int = 0
    physics: tuple[int, ...] = ()
    """Number of standing Piggles by transition, in the order of their names."""
    odds: tuple[int, ...] = ()
    """Sum of the same over all throws by odds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedEstimate:
    """A number on physics and by odds."""

    physics: Interval | Share
    odds: Interval | Share

    @property
    def apart(self) -> bool:
        """True if the intervals do not overlap."""
        return self.physics.high < self.odds.low or self.odds.high < self.physics.low


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """Share of the Piggles standing in one place that end in another."""

    thrown: int
    standing: int
    before: str
    """Orientation, and the points that the zone pays."""
    after: str
    stood: int
    """Piggles on physics."""
    sides: PairedEstimate


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsCheck:
    """Estimates from matches and throws by odds and on physics."""

    match: dict[str, PairedEstimate]
    """Estimates by figure; empty below two matches."""
    transitions: tuple[Transition, ...]
    matches: int
    """Number of matches on physics."""
    throws: int
    """Number of throws on physics."""

    @classmethod
    def of(cls, results: Sequence[CheckResult]) -> "OddsCheck":
        """Return the estimates from matches and throws."""
        played = [result.matches for result in results if result.matches]
        figures = {}
        if len(played) > 1:
            physics = np.array([first for first, *_ in played])
            by_odds = np.array([match for _, *matches in played for match in matches])
            figures = {
                name: PairedEstimate(physics=mean_of(physics[:, at]), odds=mean_of(by_odds[:, at]))
                for at, name in enumerate(FIGURES)
            }
        cups: dict[tuple[int, int], list[CheckResult]] = {}
        for result in results:
            if not result.matches:
                cups.setdefault((result.thrown, result.standing), []).append(result)
        return cls(
            match=figures,
            transitions=tuple(row for _, cup in sorted(cups.items()) for row in _transitions(cup)),
            matches=len(played),
            throws=len(results) - len(played),
        )


def check_one_by_one(check: Check, *, workers: int) -> Generator[CheckResult, None, None]:
    """Yield the result of each match and each throw; workers change nothing but the time."""
    return map_in_order(partial(_checker, check), check.jobs(), workers=workers)


def _checker(check: Check) -> Callable[[_Job], CheckResult]:
    """Return the function that plays one match or throws once, on physics and by odds."""
    by_odds, game, model = (
        TabularChance(seed=0, odds=check.odds),
        PigglesClassic(),
        check.odds.model,
    )

    def new_seed(*purpose: str | int) -> int:
        # No study uses this seed, so no odds were measured on these throws.
        return sub_seed(check.seed, "odds check", *purpose)

    @cache
    def thrower() -> Thrower:
        study = Study(
            kind=ThrowKind.KNOCK,
            models=(model,),
            scene=_SCENE,
            engine=check.engine,
            seed=new_seed("throws"),
            throws=max(1, check.throws),
            factors={"number": _THROWN},
        )
        return Thrower(StudyPlan.of(study))

    def figures(chance: ChanceSource, seed: int) -> tuple[float, ...]:
        agents = {seat: Greedy() for seat in BOARD_SEATS}
        match = play(game, agents=agents, chance=chance, seed=seed, forfeits=False)
        knocks = [knock for outcome in match.record.outcomes for knock in outcome.roll.knocks]
        return (
            float(np.mean(list(game.scores(match.state).values()))),
            float(sum(knock.flipped for knock in knocks)),
            float(len(knocks)),
            float(sum(knock.zone_changed for knock in knocks)),
        )

    def work(job: _Job) -> CheckResult:
        cell, number = job
        if cell is None:
            seed, scene = new_seed("match", number), load_scene(_SCENE)
            models = dict.fromkeys(team_models(scene), model)
            sources: list[ChanceSource] = [
                physical_chance(scene, models, engine=check.engine, seed=seed)
            ]
            sources += [by_odds.with_seed(new_seed("odds", number, k)) for k in range(BY_ODDS)]
            return CheckResult(matches=tuple(figures(chance, seed) for chance in sources))
        chance, request = thrower().pour(cell, number)
        physics = chance.roll(request, index=number)
        rng = generator(check.seed, "odds check", "throw", cell, number)
        return CheckResult(
            thrown=len(request.piggles),
            standing=len(request.standing),
            physics=_tallied(request, [physics]),
            odds=_tallied(request, [by_odds.draw(request, rng=rng) for _ in range(BY_ODDS)]),
        )

    return work


def _tallied(request: RollRequest, results: Iterable[object]) -> tuple[int, ...]:
    throws = [_throw(request, result) for result in results if isinstance(result, RollResult)]
    return tuple(_count(throws)["standing Piggles"].sum(axis=0).tolist())


def _transitions(throws: Sequence[CheckResult]) -> Iterable[Transition]:
    """Yield the shares of one number thrown onto one number standing."""
    physics = np.array([result.physics for result in throws])
    odds = np.array([result.odds for result in throws])
    for (before, after), at in _TRANSITIONS.items():
        if not physics[:, at].any() and not odds[:, at].any():
            continue
        same_origin = [column for (origin, _), column in _TRANSITIONS.items() if origin == before]
        on_physics, by_odds = (
            share_of(side[:, at], side[:, same_origin].sum(axis=1)) for side in (physics, odds)
        )
        yield Transition(
            thrown=throws[0].thrown,
            standing=throws[0].standing,
            before=before,
            after=after,
            stood=on_physics.trials,
            sides=PairedEstimate(physics=on_physics, odds=by_odds),
        )
