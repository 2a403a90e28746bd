"""`analyse`: exact where the game is solved, honest where it is sampled, blind as the mover was."""

import json
import re
from dataclasses import dataclass, replace

import numpy as np
import pytest

import pigglesim
from pigglesim.api.analysis_report import Account, DecisionAnalysis
from pigglesim.errors import SpecError
from pigglesim.experiments.interval import Interval
from pigglesim.games.game import Concede
from pigglesim.games.piggles.areas import Load
from pigglesim.match.entries import Comment, Decision
from pigglesim.match.record import parse_record, read_record
from pigglesim.match.replay import branch_at, interrupted_record, replay
from pigglesim.solvers.dice_game import PIGGY_SIX, DuelResult, DuelState, solve_match
from pigglesim.table.puzzle_themes import REASONS, Theme
from pigglesim.units import MINUS

BEHIND = (
    "round=5 active=A phase=load A.pen=A6 A.score=35 B.kitchen=B5 B.charged=B5 B.score=40 "
    "board=A1:up@field:E;A2:up@line:field/path;A3:up@field:S;A4:up@field:W;A5:up@line:field/path;"
    "B1:up@path:inner;B2:up@line:field/path;B3:up@line:field/path;B4:up@field:N;B6:up@field:W"
)
AHEAD = BEHIND.replace("A.score=35", "A.score=52")


@dataclass(frozen=True)
class Blunders:
    """Plays like greedy, but takes one action from a round on, if it may."""

    action: object
    round: int
    name: str = "blunders"

    def choose(self, observation, legal_actions, *, rng):
        if self.action in legal_actions and observation.state.round >= self.round:
            return self.action
        return pigglesim.make_agent("greedy").choose(observation, legal_actions, rng=rng)


class Raises:
    name = "raises"

    def choose(self, observation, legal_actions, *, rng):
        raise ValueError("no idea")


def classic(position=None, agents="greedy", seed=3, **words):
    return pigglesim.play_match(
        "piggles_classic", chance="tabular", position=position, agents=agents, seed=seed, **words
    )


def test_a_solved_game_has_the_values_of_the_solver():
    match = pigglesim.play_match(
        "piggy_six", agents=["hold:20", "greedy"], house_rules={"target": 60}, seed=3
    )
    found = pigglesim.analyse(match, seed=1)
    solution = solve_match(DuelResult(dice=PIGGY_SIX, target=match.game.rules.target))
    differing = 0
    for each in found.decisions:
        state = branch_at(match.record, each.decision).before.state
        own, other = state.bank if each.seat == "A" else state.bank[::-1]
        seen = DuelState(own=own, other=other, total=state.total, first=each.seat == "A")
        values = solution.action_values(seen, rolled=True)
        wins = {"roll": values.rolls[2]} | ({} if values.stop is None else {"stop": values.stop})
        wins = {name: wins[name] for name in wins if state.total or name == "roll"}
        best = max(wins.values())
        assert wins[each.best] == pytest.approx(best, abs=1e-12)
        assert each.exact
        assert each.before[each.seat].value == pytest.approx(best, abs=1e-9)
        assert each.loss.value == pytest.approx(best - wins[each.action], abs=1e-9)
        differing += each.best != each.action
    assert differing > 5


def test_dice_that_end_the_game_at_once_have_exact_values():
    # Three players are not solved; whoever stops with the most points in the last turn has won.
    position = "bank=60,70,90 active=C round=9 total=24 rolls=4 dice=2"
    match = pigglesim.play_match(
        "piggy_six", house_rules={"players": 3}, agents="greedy", seed=1, position=position
    )
    last = pigglesim.analyse(match, agent="greedy", seed=1).decisions[0]
    assert (last.action, last.exact) == ("stop", True)
    assert last.after["C"].value == 1.0


@pytest.mark.parametrize(
    ("blunder", "position", "decision"),
    [(Blunders(Concede(), 5), AHEAD, 0), (Blunders(Load(), 5), BEHIND, 2)],
)
def test_a_planted_blunder_is_the_worst_decision(blunder, position, decision):
    match = classic(position, agents=[blunder, "greedy"])
    found = pigglesim.analyse(match, seed=1, playouts=4000)
    worst = found.worst()[0]
    assert (worst.decision, worst.seat) == (decision, "A")
    assert worst.action == match.game.format_action(blunder.action)
    assert worst.loss.low > 0.3
    if isinstance(blunder.action, Concede):
        assert worst.after["A"].value == worst.after["A"].high == 0.0
        assert worst.loss.value == pytest.approx(worst.before["A"].value)


def test_the_best_action_loses_nothing_even_under_another_name():
    match = classic(agents="greedy")
    found = pigglesim.analyse(match, agent="greedy", playouts=320, seed=1)
    assert all(each.best == each.action and each.loss.value == 0.0 for each in found.decisions)
    assert found.worst() == ()


def test_the_same_seed_gives_the_same_json_in_any_process():
    whole = pigglesim.play_match("pig_pile", players=3, seed=5).record
    some = interrupted_record(whole.header, whole.entries[:15])
    words = {"agent": "mcts:nodes=10", "playouts": 5}
    first = pigglesim.analyse(some, seed=4, **words)
    assert pigglesim.analyse(some, seed=4, workers=2, **words).to_json() == first.to_json()
    assert pigglesim.analyse(some, seed=5, **words).to_json() != first.to_json()
    assert first.finished
    assert first.result is None
    assert all(len(values) == len(first.decisions) for values in first.curve.values())
    sums = np.sum(list(first.curve.values()), axis=0)
    assert list(first.curve) == ["A", "B", "C"]
    assert sums == pytest.approx(1.0)


@pytest.mark.slow
def test_intervals_cover_the_values_of_a_long_run():
    match = classic(BEHIND, agents=[Blunders(Load(), 5), "greedy"])
    record = interrupted_record(match.record.header, match.record.entries[:1])
    words = {"agent": "greedy"}
    (truth,) = pigglesim.analyse(record, playouts=400_000, seed=0, **words).decisions
    covered = {"before": 0, "after": 0, "loss": 0}
    for seed in range(1, 101):
        (found,) = pigglesim.analyse(record, playouts=640, seed=seed, **words).decisions
        assert found.best == truth.best != found.action
        pairs = [(found.before["A"], truth.before["A"]), (found.after["A"], truth.after["A"])]
        for name, (short, long) in zip(covered, [*pairs, (found.loss, truth.loss)], strict=True):
            covered[name] += short.low <= long.value <= short.high
    # Of 100 intervals at 95 %, 90 or more cover with probability 0.99.
    assert all(count >= 90 for count in covered.values()), covered


def test_hidden_cards_of_others_change_nothing():
    match = pigglesim.play_match("pig_pile", players=3, seed=5)
    game, record = match.game, match.record
    point = branch_at(record, 6)
    seat, state = point.decision.seat, point.before.state
    other = game.imagine(game.observe(state, seat), rng=np.random.default_rng(1))
    assert other != state
    documents = []
    for each in (state, other):
        header = replace(record.header, position=game.format_state(each))
        some = interrupted_record(header, [replace(point.decision, index=0)])
        found = pigglesim.analyse(some, agent="mcts:nodes=20", playouts=10, seed=1)
        documents.append(found.document()["decisions"])
    assert documents[0] == documents[1]


def test_the_curve_ends_at_the_result():
    won = pigglesim.analyse(classic(), agent="greedy", playouts=320, seed=1)
    ends = {seat: values[-1] for seat, values in won.curve.items()}
    assert ends == {seat: float(seat == won.record.footer.result.winner) for seat in "AB"}
    drawn = pigglesim.play_match(
        "piggy_six",
        agents="hold:20",
        position="bank=105,85 active=B round=9 total=20 rolls=4 dice=2",
        seed=1,
    )
    found = pigglesim.analyse(drawn, seed=1)
    assert [values[-1] for values in found.curve.values()] == [0.5, 0.5]


def tail(record, count):
    """Return the last decisions of a match as a match of its own, from that position."""
    first = len(record.decisions) - count
    point = branch_at(record, first)
    entries, outcomes = record.entries[len(point.before.entries) :], point.before.outcomes
    moved = [
        replace(each, index=each.index - (first if isinstance(each, Decision) else outcomes))
        for each in entries
    ]
    position = point.game.format_state(point.before.state)
    return interrupted_record(replace(record.header, position=position), moved)


GAMES = {
    "piggles_classic": {"chance": "tabular"},
    "piggles_modern": {"chance": "tabular"},
    "piggy_six": {"house_rules": {"target": 30}},
    "pig_pile": {"players": 3},
    "piggyback": {"seed": 6},
    "lord_of_the_pigs": {},
}


@pytest.mark.parametrize("game", GAMES)
def test_losses_and_luck_add_up_from_the_start_to_the_result(game):
    agents = "hold:15" if game == "piggy_six" else "uniform"
    match = pigglesim.play_match(
        game, agents=agents, **{"chance": "fair", "seed": 4, **GAMES[game]}
    )
    few = 3 if game == "lord_of_the_pigs" else 8
    words = {} if game == "piggy_six" else {"agent": "greedy"}
    # As few as are allowed.
    playouts = {"piggles_classic": 320, "piggles_modern": 160, "piggyback": 20}.get(game, 5)
    found = pigglesim.analyse(tail(match.record, few), playouts=playouts, seed=1, **words)
    assert len(found.decisions) == few
    seats = [str(seat) for seat in match.game.seats]
    assert list(found.accounts) == seats
    for seat, account in found.accounts.items():
        changes = -account.lost + account.gained + account.luck.value
        assert account.start + changes == pytest.approx(account.end, abs=1e-9)
        assert account.end == found.result[seat]
        # Each loss that counts is one that is shown.
        shown = [each.loss.value for each in found.decisions if each.clear and each.seat == seat]
        assert account.lost == pytest.approx(sum(shown), abs=1e-9)
        told = found.names[seat] in " ".join(
            each for each in found.verdicts if " lost " in each or each.startswith("No clear")
        )
        assert told == (found.result[seat] == 0.0)
    starts = [account.start for account in found.accounts.values()]
    assert sum(starts) == pytest.approx(1.0)
    assert any(account.luck.value for account in found.accounts.values())
    changes = [each for luck in found.luck for each in luck.values()]
    gains = [each for each in changes if each.low > 0.0 and each.value >= 0.005]
    assert (found.luckiest is None) == (not gains)
    if found.luckiest is not None:
        moment, seat = found.luckiest
        gain = found.luck[found.decisions.index(moment)][seat]
        assert gain.value == max(each.value for each in gains)
        assert found.verdicts[-1].endswith(f"% for {found.names[seat]}, after {moment.name}")


def test_own_losses_and_their_noise_are_those_of_the_clear_losses_that_are_shown():
    match = classic(agents=["greedy", "uniform"], seed=9)
    found = pigglesim.analyse(match, agent="greedy", playouts=640, seed=1)
    shown = [each.loss for each in found.decisions if each.clear and each.seat == "B"]
    assert len(shown) > 1
    account = found.accounts["B"]
    assert account.lost == pytest.approx(sum(each.value for each in shown), abs=1e-9)
    # Errors add up as squares.
    squares = sum(((each.high - each.low) / 2) ** 2 for each in shown)
    assert account.lost_noise == pytest.approx(squares**0.5, rel=1e-9)
    assert account.lost_noise > max((each.high - each.low) / 2 for each in shown)


@pytest.mark.slow
def test_the_interval_of_luck_holds_the_luck_of_a_long_run():
    some = classic(BEHIND, agents=[Blunders(Load(), 5), "greedy"]).record
    words = {"agent": "greedy"}
    truth = pigglesim.analyse(some, playouts=50_000, seed=0, **words).accounts["A"].luck.value
    found = [
        pigglesim.analyse(some, playouts=320, seed=seed, **words).accounts["A"].luck
        for seed in range(1, 41)
    ]
    held = sum(each.low <= truth <= each.high for each in found)
    # Of 40 intervals at 95 % at least 34 hold the truth with probability 0.997.
    assert held >= 34
    # Twice the noise would be 100 % of them.
    spread = np.std([each.value for each in found])
    assert np.mean([each.high - each.low for each in found]) < 2 * 2 * 1.96 * spread


def test_a_verdict_says_the_result_with_average_luck():
    luck = Interval(value=0.21, low=0.15, high=0.27, level=0.95, method="Student")
    account = Account(start=0.5, lost=0.1, lost_noise=0.02, gained=0.22, luck=luck, end=0.83)
    assert account.verdict("South") == (
        "Luck gave South 21 % ± 6 % of a win; with average luck the result of South is 62 %"
    )
    assert "+ 22.0 losses of others, + 21.0 ± 6.0 luck = 83.0 %" in account.sentence
    # What others lose may be to the good of a third.
    assert f", {MINUS} 1.0 losses of others, " in replace(account, gained=-0.01).sentence
    worse = replace(account, luck=replace(luck, value=-0.3, low=-0.4, high=-0.2))
    assert worse.verdict("South") == (
        "Luck took 30 % ± 10 % of a win from South; with average luck the result of South is 100 %"
    )
    vague = replace(account, luck=replace(luck, value=0.9, low=0.2, high=1.6))
    assert vague.verdict("South") == (
        "Luck gave South 90 % ± 70 % of a win: too uncertain for a result with average luck"
    )
    assert vague.sentence == (
        f"50.0 % at the start, {MINUS} 10.0 own losses, + 22.0 losses of others, then luck to "
        "83.0 %: that of so long a match is known to ± 70 % only"
    )
    assert account.clear and worse.clear
    assert not replace(account, luck=replace(luck, low=-0.03)).clear
    sure = replace(luck, value=0.004, low=0.004, high=0.004, method="exact")
    assert not replace(account, luck=sure).clear


@pytest.mark.parametrize(
    ("lost", "luck", "why"),
    [
        (0.1, -0.3, "lost 30 % ± 6 % of a win by luck, and 10 % ± 2 % of a win by own mistakes"),
        (0.4, -0.3, "lost 40 % ± 2 % of a win by own mistakes, and 30 % ± 6 % of a win by luck"),
        (0.4, 0.3, "lost 40 % ± 2 % of a win by own mistakes, and luck gave 30 % ± 6 % of a win "
         "back"),
        (0.4, 0.03, "lost 40 % ± 2 % of a win by own mistakes and nothing by luck: it is within "
         "its noise of ± 6 %"),
        (0.0, -0.3, "lost 30 % ± 6 % of a win by luck, and nothing by own mistakes"),
    ],
)  # fmt: skip
def test_a_defeat_has_its_causes_the_largest_first(lost, luck, why):
    change = Interval(value=luck, low=luck - 0.06, high=luck + 0.06, level=0.95, method="Student")
    account = Account(start=0.5, lost=lost, lost_noise=0.02, gained=0.0, luck=change, end=0.0)
    fair = (
        ""
        if abs(luck) < 0.06
        else f"; with average luck the result of South is {max(0.0, -luck):.0%}"
    )
    assert account.defeat("South") == f"South {why}{fair.replace('%', ' %')}"


@pytest.mark.parametrize(
    ("start", "lost", "luck", "half", "why"),
    [
        (0.0, 0.0, 0.0, 0.0,
         "nothing by own mistakes and nothing by luck: the position was lost already"),
        (0.003, 0.0, -0.003, 0.001,
         "nothing by own mistakes and nothing by luck: the position was lost already"),
        # Luck is small, but more than its noise.
        (0.303, 0.3, -0.003, 0.001, "30 % ± 2 % of a win by own mistakes and nothing by luck"),
        (0.3, 0.3, 0.0, 0.001, "30 % ± 2 % of a win by own mistakes and nothing by luck"),
        (0.304, 0.004, -0.3, 0.06, "30 % ± 6 % of a win by luck, and nothing by own mistakes; "
         "with average luck the result of Ann is 30 %"),
        (0.04, 0.0, -0.04, 0.06,
         "nothing by own mistakes and nothing by luck: it is within its noise of ± 6 %"),
    ],
)  # fmt: skip
def test_a_defeat_says_nothing_of_what_would_be_shown_as_0_percent(start, lost, luck, half, why):
    method = "Student" if half else "exact"
    change = Interval(value=luck, low=luck - half, high=luck + half, level=0.95, method=method)
    account = Account(start=start, lost=lost, lost_noise=0.02, gained=0.0, luck=change, end=0.0)
    assert account.start - account.lost + account.luck.value == pytest.approx(account.end)
    assert account.defeat("Ann") == f"Ann lost {why}"


def test_luck_that_is_too_uncertain_is_no_cause_of_a_defeat():
    luck = Interval(value=-0.78, low=-1.33, high=-0.23, level=0.95, method="Student")
    account = Account(start=0.5, lost=0.2, lost_noise=0.02, gained=0.5, luck=luck, end=0.0)
    assert account.defeat("Blue") == (
        "Blue lost 20 % ± 2 % of a win by clear mistakes; small ones and luck are too uncertain to "
        "tell apart"
    )
    match = pigglesim.play_match("lord_of_the_pigs", agents="greedy", seed=9)
    found = pigglesim.analyse(tail(match.record, 6), agent="greedy", playouts=5, seed=1)
    accounts = {found.names[seat]: each for seat, each in found.accounts.items()}
    unknown = [name for name, each in accounts.items() if each.vague and not each.lost + each.end]
    assert unknown
    assert found.verdicts[0] == (
        f"No clear mistake of {' or '.join(unknown)}; small ones and luck are too uncertain to "
        "tell apart"
    )


def test_luck_of_two_players_is_told_once_and_within_its_noise_not_at_all():
    match = classic(BEHIND, agents=[Blunders(Load(), 5), "greedy"]).record
    found = pigglesim.analyse(match, playouts=640, seed=1, agent="greedy")
    told = [each for each in found.verdicts if each.startswith("Luck")]
    assert told == []
    draw = replace(found, result={"A": 0.5, "B": 0.5})
    told = [each for each in draw.verdicts if each.startswith("Luck")]
    known = any(each.clear for each in draw.accounts.values())
    assert told[0].startswith("Luck gave " if known else "Luck favoured nobody beyond its noise")


def test_a_loss_is_explained_where_the_explanation_leads_to_the_best_action():
    match = classic(BEHIND, agents=[Blunders(Load(), 5), "greedy"])
    worst = pigglesim.analyse(match, seed=1, playouts=4000).worst()[0]
    assert worst.name == "Round 6, A (South): skip the roll"
    assert worst.why.startswith("a Piggle rolled now changes the score by +1.1")
    assert worst.advice.startswith("better: load A6 (wins ")
    # Far behind, best play rolls on where the mean of a turn falls: the mean does not explain it.
    duel = pigglesim.play_match("piggy_six", agents=["hold:8", "hold:30"], seed=9)
    clear = [each for each in pigglesim.analyse(duel, seed=1).decisions if each.clear]
    by_mean = [each for each in clear if "stops at" in each.why]
    assert by_mean and len(by_mean) < len(clear)
    for each in clear:
        mean = re.search(r"stops at (\d+)", each.why)
        state = branch_at(duel.record, each.decision).before.state
        if mean is not None:
            assert (each.best == "stop") == (state.total >= int(mean[1]))
        else:
            assert each.why in {REASONS[Theme.STOP], REASONS[Theme.ONE_MORE]}


def test_a_difference_within_its_noise_is_no_loss():
    loss = Interval(value=0.02, low=0.005, high=0.035, level=0.95, method="paired Student")
    value = Interval(value=0.5, low=0.49, high=0.51, level=0.95, method="Student")
    better = replace(value, value=0.52, low=0.51, high=0.53)
    found = DecisionAnalysis(
        decision=0, round=1, when="Round 1", seat="A", action="skip", best="load A1",
        player="South", played="skip the roll", better="load A1", why="", choices=2,
        before={"A": better}, after={"A": value}, loss=loss,
    )  # fmt: skip
    assert (found.clear, found.clear_loss, found.start) == (False, 0.0, {"A": value})
    assert "loss" not in found.sentence
    sure = replace(found, loss=replace(loss, low=0.012))
    assert (sure.clear, sure.start) == (True, {"A": better})
    assert sure.clear_loss == pytest.approx(0.02)
    assert "best load A1" in sure.sentence


def test_a_forfeit_loses_what_the_best_action_was_worth():
    match = classic(AHEAD, agents=[Raises(), "greedy"])
    (found,) = pigglesim.analyse(match, agent="greedy", playouts=640, seed=1).decisions
    assert found.action == "forfeits raised"
    assert found.after["A"].value == 0.0
    assert found.loss.low > 0.5
    assert pigglesim.analyse(match, agent="greedy", playouts=640, seed=1).worst() != ()


@pytest.mark.parametrize("suffix", ["txt", "jsonl"])
def test_findings_are_comments_of_the_same_record(tmp_path, suffix):
    match = classic(agents=["greedy", "uniform"])
    found = pigglesim.analyse(match, agent="greedy", seed=1, playouts=320)
    record = read_record(found.save(tmp_path / f"analysed.{suffix}"))
    comments = [entry for entry in record.entries if isinstance(entry, Comment)]
    assert len(comments) == 1 + len(found.decisions)
    others = tuple(entry for entry in record.entries if not isinstance(entry, Comment))
    assert replace(record, entries=others) == match.record
    assert replay(record).record.footer == match.record.footer
    # Analysed again, the record has the new findings only.
    again = pigglesim.analyse(record, agent="greedy", seed=1, playouts=320)
    assert again.annotated() == record
    assert parse_record(again.record.footer and (tmp_path / f"analysed.{suffix}").read_text())


def test_an_interruption_saves_what_is_done():
    match = classic()

    def stop(done, total):
        if done > total / 2:
            raise KeyboardInterrupt

    found = pigglesim.analyse(match, agent="greedy", playouts=320, seed=1, progress=stop)
    whole = pigglesim.analyse(match, agent="greedy", playouts=320, seed=1)
    assert not found.finished
    assert 0 < len(found.decisions) < len(whole.decisions)
    assert found.decisions == whole.decisions[: len(found.decisions)]
    assert all(len(values) == len(found.decisions) for values in found.curve.values())


def test_every_file_is_written(tmp_path):
    match = classic(agents=["greedy", "uniform"])
    found = pigglesim.analyse(match, agent="greedy", seed=1, playouts=320)
    page = found.save(tmp_path / "a.html").read_text()
    assert "src=" not in page.replace('src="data:', "")
    assert page.count("<svg") == 1 + len(found.worst())
    assert found.save(tmp_path / "a.svg").read_text().startswith("<?xml")
    assert json.loads(found.save(tmp_path / "a.json").read_text()) == found.document()
    with pytest.raises(SpecError, match="exists"):
        found.save(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"agent": "hold"}, "agent hold got piggles_classic"),
        ({"agent": "mtcs"}, "unknown agent 'mtcs'; use mcts"),
        ({"agent": "mine.py"}, "unknown agent 'mine.py' .*; add the class: mine.py:Class"),
        ({"playouts": 3}, "3 playouts are too few .*320 or more"),
        ({"chance": "fair"}, "chance of piggles_classic 'fair'"),
        ({"chance": "physical"}, "no place, which physics needs"),
        ({"odds": "premium"}, "odds of premium do not cover piggle"),
        ({"agent": Raises()}, "agent raises raised ValueError: no idea"),
    ],
)
def test_a_request_that_cannot_be_met_is_one_line(words, problem):
    match = classic()
    with pytest.raises(pigglesim.PigglesimError, match=problem):
        pigglesim.analyse(match, **words)
