"""Balance studies: matches, attributions, schedules and estimates."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import islice
from math import inf, sqrt

import numpy as np
import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.chance.odds import load_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.errors import SpecError
from pigglesim.experiments import balance as table_module
from pigglesim.experiments.balance import (
    Attribution,
    AttributionRecorder,
    BalanceStudy,
    EffectCount,
    ScoreTable,
    Subject,
    Trial,
    TrialResult,
    TrialTeam,
    parts_of,
    teams_of,
)
from pigglesim.experiments.balance_findings import (
    KINDS,
    effects_of,
    findings,
    fit,
    paired_difference,
    timeline_of,
    values_of,
)
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.luck import Luck
from pigglesim.experiments.statistics import mean_of, mean_without, share_of
from pigglesim.games.piggles.state import parse_piece
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.runner import play
from pigglesim.rng import generator

SMALL = BalanceStudy(seed=5, parts=("seats", "teams", "rune:arrow_ccw", "premium:6"))
MODERN = ("piggles_modern",)


def team_of(*words):
    return TrialTeam(pieces=tuple(map(parse_piece, words)))


STRONG = team_of(*["orange+across", "red+arrow_cw", "red+arrow_ccw"] * 2)


def leads(monkeypatch, own, other, *, agent="greedy", trials=25):
    """Return what trials of two given teams come to."""
    monkeypatch.setattr(table_module, "teams_of", lambda part, rng: (own, other))
    study = BalanceStudy(seed=3, games=MODERN, agents=(agent,), parts=("colour:red",))
    table = ScoreTable(study)
    return [(trial.lead, trial.points) for trial in map(table, range(trials))]


@pytest.mark.parametrize("agent", ["greedy", "uniform"])
def test_equal_teams_differ_by_nothing_at_all(monkeypatch, agent):
    assert set(leads(monkeypatch, STRONG, STRONG, agent=agent)) == {(0.0, 0.5)}


@pytest.mark.parametrize(
    ("game", "rules", "agent"),
    [
        ("piggles_classic", {}, "greedy"),
        ("piggles_classic", {"final_penalty": True, "kitchen_penalty": "once"}, "uniform"),
        ("piggles_classic", {"kitchen_bonus_classic": "off", "off_board": "kitchen"}, "greedy"),
        ("piggles_modern", {}, "greedy"),
        ("piggles_modern", {"actors": "all_own_up", "final_penalty": True}, "greedy"),
        ("piggles_modern", {"off_board": "reroll", "cocked": "reroll"}, "uniform"),
    ],
)
def test_accounts_add_up(game, rules, agent):
    teams = {"team_a": ["red+arrow_ccw", "blue+left", "green+adjacent"] * 2}
    settings = rules | (teams if game == "piggles_modern" else {})
    rulebook = make_game(game, settings)
    chance = TabularChance(seed=0, odds=load_odds("piggle"))
    acted = used = 0
    for seed in range(25):
        accountant = AttributionRecorder(rulebook)
        played = play(
            rulebook,
            agents=dict.fromkeys(BOARD_SEATS, make_agent(agent)),
            chance=chance.with_seed(seed),
            seed=seed,
            on_event=accountant,
        )
        account, record = accountant.attribution(), played.record
        assert sum(account.sources) == sum(record.footer.scores.values())
        assert account.decisions == len(record.decisions)
        assert account.rounds == played.state.round
        if account.rounds == 6 and len(account.by_round[0]) == 6:
            last = [own[-1] for own in account.by_round]
            assert last == list(record.footer.scores.values())
        for effect in account.effects.values():
            assert effect.used <= effect.reached <= effect.landed
            used += effect.used
        acted += sum(entry.action.startswith("act ") for entry in record.decisions)
    assert used == acted
    assert (acted > 0) is (game == "piggles_modern")


FAULTS = [
    ({"parts": ("colour:purple",)}, "purple"),
    ({"parts": ("premium:3",)}, "premium:6"),
    ({"parts": ("colours",)}, "use colour"),
    ({"parts": ("seats", "seats")}, "seats is given twice"),
    ({"games": ("piggles_classic",), "parts": ("colour",)}, "nothing to play"),
    ({"chance": "loaded"}, "loaded"),
    (
        {"factors": {"rounds": {"6": {"rounds": 6}}}},
        r"one level \(expected two or more\); name another",
    ),
    (
        {"house_rules": {"rounds": 3}, "factors": {"rounds": {"2": {"rounds": 2}, "1": {}}}},
        "the house rule rounds is given twice",
    ),
]


@pytest.mark.parametrize(("change", "problem"), FAULTS)
def test_a_faulty_study_is_reported(change, problem):
    with pytest.raises(SpecError, match=problem):
        replace(SMALL, **change)


def test_the_team_in_question_is_all_of_one_and_the_other_does_nothing():
    for part in parts_of("piggles_modern", ("colour", "rune")):
        own, other = teams_of(part, rng=generator(1, "test"))
        level = {str(getattr(piece, str(part.subject))) for piece in own.pieces}
        assert level == {part.level}
        assert all(piece.rune is None for piece in other.pieces)
        if part.subject is Subject.COLOUR:
            assert all(piece.directional for piece in own.pieces)


def test_a_schedule_counts_its_matches_and_shares_its_dice():
    table = ScoreTable(SMALL)
    trials = SMALL.trials(4)
    assert SMALL.matches_of(trials) == sum(len(table(index).matches) for index in range(trials))
    counts = Counter(SMALL.setting(index)[0].part.name for index in range(trials))
    # Of each comparison two pairs; of Classic and Modern seats 8 a turn, of Modern teams.
    assert counts == {"seats": 32, "teams": 16, "rune:arrow_ccw": 2, "premium:6": 4}
    more = replace(SMALL, agents=("greedy", "uniform"))
    one, both = ({each.setting(k)[1] for k in range(each.trials(4))} for each in (SMALL, more))
    assert one == both


def test_physics_is_played_with_too():
    study = BalanceStudy(
        seed=1, games=("piggles_classic",), parts=("premium:6",), chance="physical",
        house_rules={"rounds": 1},
    )  # fmt: skip
    table = ScoreTable(study)
    assert table.made_of()["chance"]["source"] == "physical"
    trial = table(0)
    assert trial == table(0)
    assert trial.matches != ScoreTable(replace(study, chance="tabular"))(0).matches


TRUTH = dict(zip(KINDS, np.arange(len(KINDS)) / 4.0 - 2.0, strict=True))


def account(first=(1, 2), second=(0, 3), sources=(8, 1, 1, -2, 0), effects=None):
    return Attribution(
        rounds=len(first), decisions=12, rolls=6, by_round=(first, second), sources=sources,
        effects=effects or {},
    )  # fmt: skip


def match_of(own, other, *, reason="score", **about):
    points = 1.0 if own > other else 0.5 if own == other else 0.0
    return TrialResult(points=points, scores=(own, other), reason=reason, **about)


def random_trials(count, *, rng, noise=0.0):
    """Return trials of random teams whose lead is the sum of the true values, and noise."""
    words = [kind if "+" in kind else f"red+{kind}" for kind in KINDS] + ["blue"] * 5
    trials = []
    for index in range(count):
        teams = tuple(tuple(rng.choice(words, size=6).tolist()) for _ in range(2))
        lead = sum(
            sign * TRUTH.get(word, TRUTH.get(word.removeprefix("red+"), 0.0))
            for sign, team in zip((1.0, -1.0), teams, strict=True)
            for word in team
        )
        lead += noise * abs(lead) * float(rng.standard_normal())
        match = TrialResult(points=0.5, scores=(lead, 0.0), reason="score")
        trials.append(Trial(index=index, seed=index, matches=(match, match), teams=teams))
    return trials


def found_leads(trials):
    return np.array([trial.lead for trial in trials])


def test_one_column_is_the_ratio_and_its_error_is_hc3():
    x, y = np.array([1.0, -2.0, 0.0, 3.0, 1.0]), np.array([2.0, -1.0, 5.0, 4.0, 0.0])
    fitted = fit(x[:, None], y)
    slope = (x @ y) / (x @ x)
    left = y - slope * x
    spread = x * left / (1 - x**2 / (x @ x))
    error = sqrt(spread @ spread) / (x @ x)
    got = fitted.of(np.array([1.0]))
    assert got.value == pytest.approx(slope)
    # Student's quantile of 4 degrees of freedom.
    assert got.high - got.value == pytest.approx(2.7764451 * error)


def test_a_trial_that_alone_shows_a_value_has_the_noise_of_the_others():
    # The second column is in the last trial alone, which leaves no residual: its noise is the mean
    # square of the others, about their mean of 2 with two degrees of freedom: (1 + 0 + 1) / 2.
    columns = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    fitted = fit(columns, np.array([1.0, 2.0, 3.0, 7.0]))
    assert fitted.values == pytest.approx([2.0, 5.0])
    # The mean has HC3's variance: residuals 1, 0 and 1 over 1 - 1/3, squared, over 3**2.
    assert fitted.covariance[0, 0] == pytest.approx(2 * 1.5**2 / 9)
    assert fitted.covariance[1, 1] == pytest.approx(2 * 1.5**2 / 9 + 1.0)
    assert fitted.clusters == 3


def test_values_are_found_exactly_where_there_is_no_noise():
    trials = random_trials(200, rng=np.random.default_rng(1))
    values = values_of(trials, found_leads(trials))
    for kind, truth in TRUTH.items():
        assert values.kinds[kind].value == pytest.approx(truth, abs=1e-9)
        assert values.kinds[kind].low == pytest.approx(truth, abs=1e-6)
    directions = ("left", "right", "adjacent", "across")
    orange = np.mean([TRUTH[f"orange+{rune}"] for rune in directions])
    assert values.colours["orange"].value == pytest.approx(orange)
    left = np.mean([TRUTH[f"{c}+left"] for c in ("orange", "red", "blue", "green", "yellow")])
    assert values.runes["left"].value == pytest.approx(left)
    assert values.runes["split"].value == pytest.approx(TRUTH["split"])


@pytest.mark.slow
def test_intervals_cover_the_truth_at_their_level_under_uneven_noise():
    rng = np.random.default_rng(2)
    held = []
    for _ in range(60):
        trials = random_trials(300, rng=rng, noise=1.0)
        values = values_of(trials, found_leads(trials))
        held += [values.kinds[kind].low <= TRUTH[kind] <= values.kinds[kind].high for kind in KINDS]
    # 1,500 intervals of .95, of which those of one study are alike.
    assert 0.915 < np.mean(held) < 0.975


def test_the_course_of_four_matches_by_hand():
    burn = {"burn": EffectCount(landed=8, reached=4, used=2)}
    matches = [
        match_of(10, 4, attribution=account((3, 10), (2, 4), (13, 1, 2, -2, 0), burn)),
        match_of(6, 8, attribution=account((3, 6), (2, 8), (15, 0, 0, -1, 0))),
        match_of(7, 7, reason="draw", attribution=account((7, 7), (7, 7), (14, 0, 0, 0, 0))),
        match_of(5, 1, attribution=account((1, 5), (1, 1), (8, 1, 0, -3, 0))),
    ]
    course = timeline_of(matches)
    effect = course.effects["burn"]
    assert course.effects == effects_of([match.attribution for match in matches])
    assert (effect.landed.value, effect.uses.value) == (2.0, 0.5)
    shares = (effect.used.value, effect.declined.value, effect.no_target.value)
    assert shares == (0.25, 0.25, 0.5)
    assert course.first_share.value == pytest.approx(2.5 / 4)
    assert course.first_lead.value == pytest.approx((6 - 2 + 0 + 4) / 4)
    assert course.lead_changes.value == pytest.approx(1 / 4)
    assert course.comeback.value == pytest.approx(1 / 4)
    assert course.sources["zones"].value == pytest.approx(50 / 54)
    assert course.sources["effects"].value == pytest.approx(2 / 54)
    assert course.losses["kitchen"].value == pytest.approx(-6 / 4)
    assert [both[0].value for both in course.by_round] == [3.5, 7.0]
    assert course.endings["draw"].value == 0.25
    assert sum(share.value for share in course.endings.values()) == pytest.approx(1.0)
    assert [each for each, share in course.endings.items() if share.value] == ["score", "draw"]
    assert course.matches == course.first_share.clusters == 4
    assert course.sources["knocks"].value == pytest.approx(2 / 54)
    # The second player leads once each round, and 8, 7, 4 and 1 points are won in the last.
    assert [both[1].value for both in course.by_round] == [6.5 / 4 * 2 - 0.25, 5.0]
    gained, zones = np.array([16, 15, 14, 9]), np.array([13, 15, 14, 8])
    assert course.sources["zones"] == share_of(zones, gained)
    assert course.losses["kitchen"] == mean_of([-2, -1, 0, -3])
    assert course.lead_changes == mean_of([0, 1, 0, 0])
    landed = np.array([8, 0, 0, 0])
    assert effect.landed == mean_of(landed)
    assert effect.used == share_of(landed // 4, landed)
    assert {name: each.mean.value for name, each in course.lengths.items()} == {
        "rounds": 2.0, "decisions": 12.0, "rolls": 6.0,
    }  # fmt: skip
    assert course.lengths["rolls"].deviation.value == 0.0
    scores = np.array([[10, 4], [6, 8], [7, 7], [5, 1]])
    assert course.scores.mean.value == 6.0
    expected = sqrt(((scores - 6.0) ** 2).mean(axis=1).sum() / 3)
    assert course.scores.deviation.value == pytest.approx(expected)


def test_the_interval_of_a_deviation_holds_the_truth():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(200):
        pairs = rng.normal(20.0, 5.0, size=(150, 2))
        matches = [match_of(a, b, attribution=account()) for a, b in pairs]
        spread = timeline_of(matches).scores.deviation
        held += spread.low <= 5.0 <= spread.high
    assert 180 <= held <= 199


def intervals_in(value):
    """Yield all intervals inside a value."""
    if isinstance(value, Interval):
        yield value
    elif is_dataclass(value):
        for each in fields(value):
            yield from intervals_in(getattr(value, each.name))
    elif isinstance(value, Mapping | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from intervals_in(each)


def some_trials(study, count):
    """Return trials of all parts of a study, none like another."""
    rng = np.random.default_rng(5)
    drawn = random_trials(count, rng=rng)
    trials = []
    for index, cell in enumerate(islice(study.cells_in_turn(), count)):
        matches = []
        for _ in range(1 if cell.part.name == "seats" else 2):
            landed = int(rng.integers(2, 9))
            burn = {"burn": EffectCount(landed=landed, reached=landed - 1, used=1)}
            rounds = int(rng.integers(2, 5))
            scores = [tuple(map(int, rng.integers(0, 20, rounds))) for _ in range(2)]
            sources = tuple(map(int, rng.integers(1, 9, 5)))
            own = account(*scores, sources=sources, effects=burn)
            own = replace(own, rolls=int(rng.integers(3, 9)), decisions=int(rng.integers(3, 9)))
            matches.append(match_of(scores[0][-1], scores[1][-1], attribution=own))
        teams = drawn[index].teams if cell.part.name == "teams" else ()
        trials.append(Trial(index=index, seed=index, matches=tuple(matches), teams=teams))
    return trials


EVERYTHING = BalanceStudy(
    seed=1, games=MODERN, parts=("seats", "teams", "colour:red"),
    factors={"rounds": {"2": {"rounds": 2}, "3": {"rounds": 3}}},
)  # fmt: skip


def test_every_interval_has_the_requested_level():
    trials = some_trials(EVERYTHING, 6 * 40)
    asked, usual = findings(EVERYTHING, trials, level=0.8), findings(EVERYTHING, trials)
    narrow, wide = list(intervals_in(asked)), list(intervals_in(usual))
    # The timeline, values of 25 kinds, their colours and runes twice, effects and comparisons.
    assert len(narrow) == len(wide) > 200
    assert {each.level for each in narrow} == {asked.level} == {0.8}
    assert {each.level for each in wide} == {usual.level} == {0.95}
    for inner, outer in zip(narrow, wide, strict=True):
        assert inner.value == outer.value
        if inner.low < inner.high:
            assert outer.high - outer.low > inner.high - inner.low


def test_findings_are_of_the_trials_of_their_part():
    trials = some_trials(EVERYTHING, 6 * 40)
    everything = findings(EVERYTHING, trials)
    assert everything.trials == len(trials)
    assert everything.matches == sum(len(trial.matches) for trial in trials)
    own = {}
    for trial, cell in zip(trials, EVERYTHING.cells_in_turn(), strict=False):
        own.setdefault(cell.rules, {}).setdefault(cell.part.name, []).append(trial)
    assert [found.rules for found in everything.found] == ["rounds=2", "rounds=3"]
    assert {found.agent for found in everything.found} == set(EVERYTHING.agents)
    assert {found.game for found in everything.found} == set(MODERN)
    for found in everything.found:
        equal, random, red = (own[found.rules][part] for part in ("seats", "teams", "colour:red"))
        assert found.matches == len(equal) + 2 * len(random) + 2 * len(red)
        assert found.timeline == timeline_of([trial.matches[0] for trial in equal])
        assert found.points_of == values_of(random, found_leads(random))
        assert found.points_of.trials == len(random)
        won = np.array([trial.points for trial in random])
        assert found.shares_of == values_of(random, won - 0.5)
        burnt = [match.attribution.effects["burn"] for trial in random for match in trial.matches]
        assert found.effects_random["burn"].landed == mean_of([each.landed for each in burnt])
        (compared,) = found.comparisons
        assert (compared.name, compared.pairs) == ("colour:red", len(red))
        assert compared.points == mean_of([trial.lead for trial in red])
    of = {(each.part, each.quantity): each for each in everything.differences}
    low, high = (
        np.array([np.mean(trial.matches[0].scores) for trial in own[f"rounds={n}"]["seats"]])
        for n in (2, 3)
    )
    mean_score = of["seats", "mean score"]
    assert mean_score.difference == mean_of(high - low)
    assert (mean_score.low, mean_score.high, mean_score.others) == ("2", "3", {})
    assert mean_score.apart.value == np.mean(high != low)
    assert mean_score.apart.clusters == len(low)
    assert set(of) == {
        *(("seats", name) for name in (
            "first player's wins", "first player's lead", "mean score", "rounds", "decisions",
            "rolls", "changes of the lead",
        )),
        ("colour:red", "wins"), ("colour:red", "points"),
    }  # fmt: skip


def test_results_without_luck_are_narrower_where_teams_play_alike():
    study = BalanceStudy(seed=2, games=("piggles_classic",), parts=("seats", "premium:6"))
    trials = list(map(ScoreTable(study), range(54)))
    (found,) = findings(study, trials).found
    timeline, (premium,) = found.timeline, found.comparisons
    less = timeline.without_luck
    # One match of equal teams is all but decided by its throws.
    assert less.lead_narrower > 4.0
    assert less.points_narrower > 2.0
    assert timeline.first_lead.low < less.lead.value < timeline.first_lead.high
    # Six pairs are too few.
    assert (premium.pairs, premium.without_luck) == (6, None)
    assert all(match.luck is not None for trial in trials for match in trial.matches)
    first, second = next(trial for trial in trials if len(trial.matches) == 2).matches
    expected = (first.luck.points + second.luck.points) / 2.0
    assert next(t for t in trials if len(t.matches) == 2).luck.points == pytest.approx(expected)


def comparison(leads, luck=None):
    study = BalanceStudy(seed=1, games=("piggles_modern",), parts=("colour:red",))
    trials = [
        Trial(
            index=k,
            seed=k,
            matches=tuple(
                match_of(10 + lead, 10, luck=luck and Luck(points=0.0, lead=luck[k]))
                for lead in pair
            ),
        )
        for k, pair in enumerate(leads)
    ]
    (found,) = findings(study, trials).found
    (each,) = found.comparisons
    return each


def test_pairs_are_one_draw_each():
    each = comparison([(9, -9), (5, -5), (8, -6), (2, 0)])
    assert each.pairs == 4
    assert each.points.value == pytest.approx(0.5)
    # Of the pair means 0, 0, 1, 1: leads of 9 and -9 in a pair add nothing to the error.
    half = 3.1824463 * np.std([0, 0, 1, 1], ddof=1) / 2.0
    assert each.points.high - each.points.value == pytest.approx(half)
    assert each.share.value == pytest.approx((0.5 + 0.5 + 0.5 + 0.75) / 4 - 0.5)
    won = share_of(np.array([2, 2, 2, 3]), 4)
    assert (each.share.low, each.share.high) == (won.low - 0.5, won.high - 0.5)
    assert each.share.method == won.method
    assert each.differing.value == 0.5


def test_what_was_not_played_is_not_found():
    study = BalanceStudy(seed=1, games=MODERN, parts=("colour:red",))
    match = match_of(3, 1)
    (found,) = findings(study, [Trial(index=0, seed=0, matches=(match, match))]).found
    assert found.timeline is found.points_of is found.shares_of is found.effects_random is None
    (each,) = found.comparisons
    assert (each.name, each.pairs, each.without_luck) == ("colour:red", 1, None)
    alike = comparison([(0, 0), (0, 0)])
    assert (alike.points, alike.differing.value, alike.without_luck) == (None, 0.0, None)


def test_rules_are_compared_over_the_trials_that_both_have_had():
    trials = some_trials(EVERYTHING, 6 * 40)
    whole, cut = (findings(EVERYTHING, each).differences for each in (trials, trials[:-1]))
    assert len(whole) == len(cut)
    fewer = {each.part for each, less in zip(whole, cut, strict=True)
             if less.apart.trials == each.apart.trials - 1}  # fmt: skip
    assert len(fewer) == 1
    # Of the first trials, only the rules of one level have some.
    first = findings(EVERYTHING, trials[:1])
    assert (first.trials, first.matches, first.differences) == (1, 1, ())


def test_a_trial_without_teams_has_no_values():
    match = match_of(3, 1)
    with pytest.raises(ValueError, match="shorter"):
        values_of([Trial(index=0, seed=0, matches=(match, match))], np.array([2.0]))


def test_a_comparison_of_teams_has_a_lead_without_luck():
    rng = np.random.default_rng(8)
    luck = rng.normal(0.0, 5.0, 20).round(1).tolist()
    leads = [(round(2 + own), round(1 + own)) for own in luck]
    found = comparison(leads, luck).without_luck
    expected = mean_without([(one + other) / 2 for one, other in leads], luck)
    assert (found.lead.value, found.lead.high) == pytest.approx((expected.value, expected.high))
    assert comparison(leads).without_luck is None


def differences_of(factors, *, matches=4, **about):
    """Return the trials of a study with factors, and the differences between rules."""
    study = BalanceStudy(seed=7, factors=factors, **{"parts": ("seats",), **about})
    trials = list(map(ScoreTable(study), range(study.trials(matches))))
    return study, trials, findings(study, trials).differences


def rounds(*numbers):
    return {"rounds": {str(number): {"rounds": number} for number in numbers}}


def test_a_rule_that_changes_nothing_differs_by_exactly_zero():
    # The standard team has no Piggle of the rare runes.
    rare = {"rare_runes": {word: {"rare_runes": word} for word in ("on", "off")}}
    parts = ("seats", "premium:6", "colour:red")
    study, trials, found = differences_of(rare, games=MODERN, parts=parts, matches=2)
    by_rules = {each.name: [] for each in study.rule_sets}
    for trial, cell in zip(trials, study.cells_in_turn(), strict=False):
        by_rules[cell.rules].append(replace(trial, index=0))
    assert by_rules["rare_runes=on"] == by_rules["rare_runes=off"]
    assert len(found) == 7 + 2 + 2
    for each in found:
        assert each.difference is None
        assert each.width_ratio is None
        assert each.apart.value == 0.0


def test_rounds_that_are_left_out_are_missed_by_exactly_their_number():
    _, _, found = differences_of(rounds(6, 2, 3), games=("piggles_classic",))
    of = {(each.low, each.high, each.quantity): each for each in found}
    assert {key[:2] for key in of} == {("6", "2"), ("6", "3"), ("2", "3")}
    for (low, high, quantity), each in of.items():
        if quantity == "rounds":
            assert each.apart.value == 1.0
            assert (each.difference.low, each.difference.high) == (int(high) - int(low),) * 2
    score = of["6", "2", "mean score"]
    assert score.difference.high < -20.0
    # Both begin with the same two rounds.
    assert score.width_ratio < 0.9


def test_differences_are_of_rules_that_differ_in_one_factor():
    factors = rounds(1, 2) | {
        "mud_delay": {word: {"mud_delay": word} for word in ("none", "owner_turn")}
    }
    study, trials, found = differences_of(factors, games=("piggles_classic",), matches=2)
    assert [each.name for each in study.rule_sets] == [
        "rounds=1, mud_delay=none",
        "rounds=1, mud_delay=owner_turn",
        "rounds=2, mud_delay=none",
        "rounds=2, mud_delay=owner_turn",
    ]
    assert {(each.factor, *each.others.values()) for each in found} == {
        ("rounds", "none"), ("rounds", "owner_turn"), ("mud_delay", "1"), ("mud_delay", "2"),
    }  # fmt: skip
    seeds = [study.setting(trial.index)[1] for trial in trials]
    assert seeds == [seed for seed in seeds[::4] for _ in range(4)]


def test_a_difference_of_three_pairs_by_hand():
    found, ratio = paired_difference(np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]]))
    # Differences 1, 2, 3: their deviation is 1. The variances of the sides are 1 and 3.
    assert (found.value, ratio) == (2.0, 0.5)
    assert found.high - found.value == pytest.approx(4.30265273 / sqrt(3))
    assert found.value - found.low == pytest.approx(4.30265273 / sqrt(3))
    swapped, wider = paired_difference(np.array([[1.0, 5.0], [3.0, 2.0], [2.0, 5.0]]))
    assert swapped.value == 2.0
    assert wider > 1.0
    # Two pairs: differences 1 and 2 of variance 1/2, and sides of variances 2 and 9/2.
    assert paired_difference(np.array([[1.0, 2.0], [3.0, 5.0]]))[1] == pytest.approx(sqrt(1 / 13))
    single, unknown = paired_difference(np.array([[1.0, 3.0]]))
    assert (single.value, single.high, unknown) == (2.0, inf, None)


def test_a_paired_interval_covers_the_truth_at_its_level():
    rng = np.random.default_rng(1)
    draws = rng.multivariate_normal([0.0, 0.3], [[1.0, 0.8], [0.8, 1.5]], size=(2000, 12))
    held = [found.low <= 0.3 <= found.high for found, _ in map(paired_difference, draws)]
    # The standard error of this share is 0.005.
    assert 0.93 < np.mean(held) < 0.97


@pytest.mark.parametrize(
    ("factors", "about", "problem"),
    [
        ({"rare_runes": {"on": {"rare_runes": True}, "off": {"rare_runes": False}}}, {},
         "piggles_classic: unknown house rule 'rare_runes'"),
        (rounds(6, 101), {}, "piggles_classic: invalid rounds 101"),
        ({"rare_runes": {"on": {"rare_runes": "on"}, "yes": {"rare_runes": "yes"}}},
         {"games": MODERN},
         "rare_runes=on and rare_runes=yes are the same rules in piggles_modern"),
    ],
    ids=["other game", "out of range", "same rules"],
)  # fmt: skip
def test_rules_that_do_not_fit_are_refused(factors, about, problem):
    with pytest.raises(SpecError, match=problem):
        differences_of(factors, **about)
