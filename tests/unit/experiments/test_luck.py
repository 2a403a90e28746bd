"""Luck: its mean is zero at each chance event, and results without it keep their mean."""

from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.api.tournament import run_tournament
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import FairChance, TabularChance
from pigglesim.experiments import luck as luck_module
from pigglesim.experiments.luck import (
    Luck,
    LuckRecorder,
    PigglesLuck,
    PiggySixLuck,
    luck_meter,
    without_luck,
)
from pigglesim.experiments.statistics import (
    mean_of,
    mean_without,
    share_of,
    share_without,
)
from pigglesim.experiments.tournament import ChanceKind, Tournament, TournamentSettings, standings
from pigglesim.games.piggles.state import PigglesPhase, PigglesSide, PigglesState
from pigglesim.games.registry import make_game
from pigglesim.landing import (
    BOARD_SEATS,
    ZONE_POINTS,
    Knock,
    Landing,
    Orientation,
    RollResult,
    Seat,
    Zone,
    half_turned,
)
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import play
from pigglesim.solvers import dice_game as kept

ODDS = load_odds("piggle")
CLASSIC = make_game("piggles_classic", {})
UP, DOWN, HEAD = Orientation
NORTH, LINE = Zone.FIELD_NORTH, Zone.LINE_PATH_WOODS


def events_of(game, chance, *, agents=("greedy", "uniform"), seed=1):
    """Return the chance events of a match, and its result and luck for seat A."""
    found = []
    recorder = LuckRecorder(luck_meter(game, chance))

    def on_event(event):
        recorder(event)
        if isinstance(event.entry, MatchOutcome):
            found.append(event)

    players = (make_agent(name, game=game, chance=chance) for name in agents)
    footer = play(
        game,
        agents=dict(zip(BOARD_SEATS, players, strict=True)),
        chance=chance.with_seed(seed),
        seed=seed,
        on_event=on_event,
    ).record.footer
    return found, footer.result.shares(BOARD_SEATS)[Seat.A], recorder.of(Seat.A)


@pytest.mark.parametrize(
    "rules",
    [
        {"target": 30},
        {"target": 20, "end": "race", "must_roll": False},
        {"target": 20, "three_dice": True},
    ],
)
def test_dice_have_no_luck_on_average(rules):
    game = make_game("piggy_six", rules)
    meter = luck_meter(game, FairChance(seed=0))
    events, _, _ = events_of(game, FairChance(seed=0))
    for event in events:
        outcomes = game.chance_outcomes(event.before)
        lucks = [meter.luck(event.before, outcome).points for outcome, _ in outcomes]
        mean = sum(share * luck for luck, (_, share) in zip(lucks, outcomes, strict=True))
        assert mean == pytest.approx(0.0, abs=1e-12)
        assert max(lucks) >= 0.0 >= min(lucks)
    assert len(events) > 5


def test_a_small_cache_changes_no_luck(monkeypatch):
    chance, game = TabularChance(odds=ODDS, seed=0), make_game("piggles_classic", {"rounds": 3})
    events, _, wide = events_of(game, chance)
    monkeypatch.setattr(luck_module, "_CACHE", 1 << 14)
    meter = luck_meter(game, chance)
    narrow = LuckRecorder(meter)
    for event in events:
        narrow(event)
    assert narrow.of(Seat.A) == wide
    assert sum(gain.spectrum.nbytes for gain in meter._gains.values()) <= 1 << 14


def test_a_tournament_solves_its_game_before_its_workers_begin(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(kept, "user_cache", lambda: tmp_path)
    noted = "solving the game for its luck, once"

    @contextmanager
    def watching(folder):
        # From here on, workers find it.
        assert not folder.items
        assert len([*(tmp_path / "solutions").iterdir()]) == 1
        yield lambda _: None

    tournament = Tournament(
        agents=("greedy", "uniform"), game="piggy_six", chance=ChanceKind.FAIR, seed=1,
        house_rules={"target": 11},
    )  # fmt: skip
    run_tournament(tournament, tmp_path / "cup", pairs=1, level=0.95, watching=watching)
    assert capsys.readouterr().err.count(noted) == 1
    again = run_tournament(
        tournament, tmp_path / "cup", pairs=2, level=0.95, watching=lambda _: nullcontext(print)
    )
    assert noted not in capsys.readouterr().err
    assert all(match.luck is not None for pair in again.pairs for match in pair.matches)


@pytest.mark.parametrize("seed", range(5))
def test_a_match_of_best_players_is_the_value_of_the_start_and_luck(seed):
    game = make_game("piggy_six", {"target": 30})
    chance = FairChance(seed=0)
    _, points, luck = events_of(game, chance, agents=("best", "best"), seed=seed)
    start = luck_meter(game, chance)._solution.first_player_win
    assert points - luck.points == pytest.approx(start, abs=1e-7)


def test_the_luck_of_the_last_throw_by_hand():
    # B is 2 behind, and throws the only Piggle of the last round.
    state = PigglesState(
        round=6,
        active=Seat.B,
        phase=PigglesPhase.ROLL,
        a=PigglesSide(score=10),
        b=PigglesSide(cup=("B1",), score=8),
    )
    wins = {True: 0.0, False: 0.0}
    for (at, zone), share in norm(ODDS.of_throw(1).shares):
        points = ZONE_POINTS[zone] if at is UP else 0
        wins[True] += share * (points > 2)
        wins[False] += share * (points == 2)
    mean = wins[True] + wins[False] / 2.0
    meter = PigglesLuck(CLASSIC.rules, TabularChance(seed=0, odds=ODDS))
    for at, zone, value in ((UP, NORTH, 1.0), (UP, LINE, 0.0), (DOWN, NORTH, 0.0)):
        landing = Landing(orientation=at, zone=zone)
        luck = meter.luck(state, RollResult(landings=(("B1", landing),)))
        # The luck is that of seat A.
        assert luck.points == pytest.approx(mean - value, abs=1e-12)
    assert 0.1 < mean < 0.9


def throws_of(odds_of, state, thrower):
    """Yield every outcome of a throw with its probability, straight from the odds."""
    cup = (*state.a.cup, *state.b.cup)
    seen = (lambda zone: zone) if thrower is Seat.A else half_turned
    choices = []
    for piggle in cup:
        shares = odds_of(piggle).of_throw(len(cup)).shares
        choices.append(
            [(piggle, at, seen(zone), False, share) for (at, zone), share in norm(shares)]
        )
    for piggle, landing in state.board:
        odds, place = odds_of(piggle), (landing.orientation, seen(landing.zone))
        rate = odds.knock_rate(len(cup), len(state.board), place)
        stay = (piggle, landing.orientation, landing.zone, False, 1.0 - rate)
        after = norm(odds.knocks.standing[place].after)
        choices.append(
            [stay] + [(piggle, at, seen(zone), True, rate * share) for (at, zone), share in after]
        )
    for chosen in product(*choices):
        landings = tuple(
            (piggle, Landing(orientation=at, zone=zone)) for piggle, at, zone, _, _ in chosen
        )
        knocks = tuple(
            Knock(struck=piggle, by=cup[0], distance=0.1, angle=1.0, flipped=False,
                  zone_changed=False, off_board=zone is Zone.OFF)
            for piggle, _, zone, knocked, _ in chosen if knocked
        )  # fmt: skip
        yield RollResult(landings=landings, knocks=knocks), prod(share for *_, share in chosen)


def norm(shares):
    total = sum(shares.values())
    return [(place, share / total) for place, share in shares.items() if share]


def middle(thrower, *, cup, standing):
    """Return the state before a throw in round 3 of a match that is nearly even."""
    sides = {Seat.A: PigglesSide(pen=("A6",), score=7), Seat.B: PigglesSide(pen=("B6",), score=9)}
    sides[thrower] = replace(sides[thrower], cup=cup, kitchen=(f"{thrower}5",))
    return PigglesState(
        round=3,
        active=thrower,
        phase=PigglesPhase.ROLL,
        a=sides[Seat.A],
        b=sides[Seat.B],
        board=standing,
    )


@pytest.mark.parametrize("thrower", BOARD_SEATS)
@pytest.mark.parametrize(
    ("cup", "standing"),
    [
        (1, (("other", 1, UP, NORTH),)),
        (1, (("own", 2, UP, LINE),)),
        (1, (("other", 1, HEAD, LINE),)),
        (2, ()),
    ],
)
def test_a_throw_has_no_luck_on_average(thrower, cup, standing):
    seats = {"own": thrower, "other": thrower.other}
    board = tuple(
        (f"{seats[side]}{number}", Landing(orientation=at, zone=zone))
        for side, number, at, zone in standing
    )
    names = tuple(f"{thrower}{number}" for number in range(3, 3 + cup))
    state = middle(thrower, cup=names, standing=board)
    meter = PigglesLuck(CLASSIC.rules, TabularChance(seed=0, odds=ODDS))
    mean, lead, total, spread = 0.0, 0.0, 0.0, 0.0
    for outcome, share in throws_of(lambda _: ODDS, state, thrower):
        luck = meter.luck(state, outcome)
        mean, lead = mean + share * luck.points, lead + share * luck.lead
        total, spread = total + share, spread + share * luck.points**2
    assert total == pytest.approx(1.0)
    assert mean == pytest.approx(0.0, abs=1e-12)
    assert lead == pytest.approx(0.0, abs=1e-10)
    assert spread > 1e-4


@pytest.mark.parametrize("model", ["", "premium"])
@pytest.mark.parametrize("thrower", BOARD_SEATS)
def test_throws_that_are_drawn_have_no_luck_on_average(thrower, model):
    of_piggles = {f"{thrower}{n}": load_odds(model) for n in (1, 2, 3)} if model else {}
    chance = TabularChance(seed=4, odds=ODDS, of_piggles=of_piggles)
    other = thrower.other
    board = tuple(
        sorted(
            (f"{seat}{number}", Landing(orientation=UP, zone=zone))
            for seat, number, zone in (
                (other, 1, NORTH), (other, 2, LINE), (other, 3, NORTH), (thrower, 1, NORTH)
            )
        )
    )  # fmt: skip
    state = middle(thrower, cup=(f"{thrower}2", f"{thrower}3"), standing=board)
    meter = PigglesLuck(CLASSIC.rules, chance)
    request = CLASSIC.chance_request(state)
    lucks = [meter.luck(state, chance.answer(request, index=index)) for index in range(600)]
    for values in ([luck.points for luck in lucks], [luck.lead for luck in lucks]):
        assert abs(np.mean(values)) < 3.3 * np.std(values) / len(values) ** 0.5


@pytest.fixture(scope="module")
def classic():
    return played(Tournament(agents=("greedy", "uniform"), seed=5), 40)


@pytest.fixture(scope="module")
def six():
    tournament = Tournament(
        agents=("greedy", "hold:12"), game="piggy_six", house_rules={"target": 40},
        chance=ChanceKind.FAIR, seed=5,
    )  # fmt: skip
    return played(tournament, 16)


def played(tournament, pairs):
    settings = TournamentSettings(tournament)
    pairs = [settings(index) for index in range(pairs)]
    return pairs, standings(tournament, pairs)


@pytest.mark.parametrize("game", ["classic", "six"])
def test_the_luck_of_matches_is_zero_on_average(game, request):
    pairs, _ = request.getfixturevalue(game)
    found = mean_of([pair.luck.points for pair in pairs], level=0.99)
    assert found.low < 0.0 < found.high
    assert found.high - found.low > 0.05


@pytest.mark.parametrize(("game", "points", "lead"), [("classic", 1.6, 1.9), ("six", 1.8, None)])
def test_results_without_luck_have_narrower_intervals(game, points, lead, request):
    _, found = request.getfixturevalue(game)
    (meeting,) = found.matchups
    less = meeting.without_luck
    assert less.points_narrower > points
    assert meeting.share.low < less.points.value < meeting.share.high
    width = (meeting.share.high - meeting.share.low) / (less.points.high - less.points.low)
    assert less.points_narrower == pytest.approx(width)
    assert (less.lead is None) == (lead is None)
    if lead is not None:
        assert less.lead_narrower > lead
        assert meeting.score_difference.low < less.lead.value < meeting.score_difference.high
    # The other agent has the rest of the points, and the opposite lead.
    other = found.agents[1].without_luck
    assert other.points.value == pytest.approx(1.0 - less.points.value)


def test_luck_is_unknown_where_outcomes_are_not_those_of_odds_or_fair_dice():
    fair, odds = FairChance(seed=0), TabularChance(seed=0, odds=ODDS)
    six, table = make_game("piggy_six", {}), make_game("piggy_six", {"players": 3})
    assert isinstance(luck_meter(CLASSIC, odds), PigglesLuck)
    assert isinstance(luck_meter(make_game("piggles_modern", {}), odds), PigglesLuck)
    assert isinstance(luck_meter(make_game("piggy_six", {"target": 20}), fair), PiggySixLuck)
    assert luck_meter(CLASSIC, object()) is None
    assert luck_meter(six, object()) is None
    assert luck_meter(table, fair) is None
    assert luck_meter(make_game("piggy_six", {"target": 200}), fair) is None
    assert luck_meter(make_game("pig_pile", {}), fair) is None


def test_the_slope_of_each_result_is_that_of_the_others():
    rng = np.random.default_rng(3)
    luck = rng.normal(size=12)
    results = 0.4 + 0.7 * luck + rng.normal(size=12)
    left = []
    for at in range(12):
        others = np.arange(12) != at
        slope = np.polyfit(luck[others], results[others], 1)[0]
        left.append(results[at] - slope * luck[at])
    found = mean_without(results, luck)
    assert found.value == pytest.approx(np.mean(left))
    error = np.std(left, ddof=1) / 12**0.5
    assert found.high - found.value == pytest.approx(2.228 * error, rel=1e-3)
    share = share_without(results, luck)
    assert share.value == pytest.approx(np.mean(left))
    # Wilson's interval for as many trials as the error is worth.
    middle = share.value + (0.5 - share.value) * 2.228**2 / (
        share.value * (1 - share.value) / error**2 + 2.228**2
    )
    assert (share.low + share.high) / 2.0 == pytest.approx(middle, rel=1e-3)


@pytest.mark.parametrize("result", [0.5, 0.3])
def test_equal_results_are_no_more_certain_without_luck(result):
    luck = np.random.default_rng(3).normal(size=30)
    share = share_without([result] * 30, luck)
    assert share.value == result
    # As thirty independent matches.
    width = 2.0 * 1.96 * np.sqrt(result * (1.0 - result) / 30)
    assert share.high - share.low == pytest.approx(width, rel=0.1)


def test_a_share_without_luck_stays_within_its_bounds():
    luck = np.linspace(-0.5, 0.5, 20)
    all_won = share_without([1.0] * 20, luck)
    assert (all_won.value, all_won.high) == (1.0, 1.0)
    assert all_won.low == pytest.approx(0.82, abs=0.01)
    assert share_without(luck > 0.4, luck - 0.6).low >= 0.0


def test_few_pairs_and_pairs_without_luck_have_no_figure():
    def found(count, luck):
        values = [0.5, 1.0] * (count // 2)
        return without_luck(
            [luck] * count,
            points=values,
            points_raw=share_of(np.array([2, 4] * (count // 2)), 4),
            lead=values,
            lead_raw=mean_of(values),
        )

    assert found(8, Luck(points=0.1)) is None
    assert found(12, None) is None
    # Luck that never differs takes only a degree of freedom.
    same = found(12, Luck(points=0.0, lead=0.0))
    assert (same.points.value, same.lead.value) == (0.75, 0.75)
    assert same.points_narrower == pytest.approx(0.99, abs=0.01)
    assert same.lead_narrower == pytest.approx(0.99, abs=0.01)
