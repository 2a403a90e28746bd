"""Best play of dice games, held to published values, to another method and to closed forms."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from pigglesim.agents.six_greedy import turn_plan
from pigglesim.errors import SpecError
from pigglesim.games.piggy_six import Ending, PiggySix, PiggySixRules
from pigglesim.solvers.dice_game import (
    PIG,
    PIGGY_SIX,
    THREE_DICE,
    TOLERANCE,
    DuelResult,
    DuelState,
    Solitaire,
    find_dice_game,
    solutions_folder,
    solve,
    solve_match,
    solve_solitaire,
    solve_turn,
)
from tests.unit.solvers.by_hand import win_by_policies

RACE, EQUAL = Ending.RACE, Ending.EQUAL_TURNS


def test_the_chances_of_rolls_are_those_of_dice():
    assert PIGGY_SIX.gains[0, 2:] * 36 == pytest.approx([1, 2, 3, 4, 5, 4, 3, 2, 1])
    assert (PIGGY_SIX.busts[0] * 36, PIGGY_SIX.resets[0] * 36) == (10.0, 1.0)
    assert THREE_DICE.resets * 216 == pytest.approx([0, 6, 16])
    for game in (PIGGY_SIX, THREE_DICE, PIG):
        assert game.gains.sum(axis=1) + game.busts + game.resets == pytest.approx(1.0, abs=1e-15)
    with pytest.raises(SpecError, match="pig"):
        find_dice_game("pigg")


@pytest.mark.slow
def test_pig_to_100_is_as_published():
    # Neller and Presser, Optimal play of the dice game Pig, The UMAP Journal 25 (2004).
    best = solve_match(DuelResult(dice=PIG, ending=RACE))
    assert best.solved
    assert best.first_player_win == pytest.approx(0.5306, abs=5e-5)
    # Their abstract of the policy: to stop at 20 is best on average, at 0 : 0 it is 21.
    assert best.stop_total(0, 0, first=True) == 21
    held = solve_match(DuelResult(dice=PIG, ending=RACE, hold=20))
    assert held.first_player_win == pytest.approx(0.5347, abs=5e-5)
    assert solve_turn(PIG).stop_at == 20


@pytest.mark.parametrize(
    ("dice", "target", "ending", "top"),
    [
        pytest.param(PIGGY_SIX, 5, EQUAL, 24, marks=pytest.mark.slow),
        pytest.param(PIGGY_SIX, 5, RACE, 24, marks=pytest.mark.slow),
        (THREE_DICE, 6, RACE, 12),
    ],
)
def test_two_players_agree_with_policies_through_the_rules(dice, target, ending, top):
    three = dice is THREE_DICE
    rules = PiggySixRules(target=target, end=ending, three_dice=three, roll_cap=10_000)
    found = solve_match(DuelResult(dice=dice, target=target, ending=ending))
    wanted = win_by_policies(PiggySix(rules=rules), top=top)
    assert found.first_player_win == pytest.approx(wanted, abs=1e-8)


def test_a_tied_last_player_rolls_on_and_wins_by_25_of_36():
    found = solve_match(DuelResult(dice=PIGGY_SIX, target=20))
    tied = found.action_values(DuelState(own=12, other=22, total=10, first=False), rolled=True)
    assert (tied.stop, tied.rolls[2], tied.best) == (0.5, pytest.approx(25 / 36), 2)
    ahead = found.action_values(DuelState(own=12, other=22, total=11, first=False), rolled=True)
    assert (ahead.stop, ahead.best, ahead.win) == (1.0, None, 1.0)


@pytest.mark.parametrize("ending", Ending)
def test_values_are_consistent_with_their_policy(ending):
    found = solve_match(DuelResult(dice=PIGGY_SIX, target=25, ending=ending))
    for own, other, first in ((0, 0, True), (3, 24, False), (24, 3, True), (12, 13, False)):
        start = DuelState(own=own, other=other, total=0, first=first)
        worth = (found.first if first else found.second)[own, other]
        assert found.action_values(start, rolled=False).win == pytest.approx(
            worth, abs=2 * TOLERANCE
        )
        stop = found.stop_total(own, other, first=first)
        at = found.action_values(replace(start, total=stop), rolled=True)
        assert at.best is None
        before = found.action_values(replace(start, total=max(stop - 1, 0)), rolled=True)
        assert stop == 1 or before.best == 2
    # Whoever leads by more does no worse.
    assert (np.diff(found.first, axis=0) > -2 * TOLERANCE).all()
    assert (np.diff(found.first, axis=1) < 2 * TOLERANCE).all()


def exact_turn(stop_at: int) -> Fraction:
    """Return what a turn brings on average that stops at a total, by hand."""

    @cache
    def worth(total: int) -> Fraction:
        if total >= stop_at:
            return Fraction(total)
        sums = [a + b for a in range(1, 6) for b in range(1, 6)]
        return sum(worth(total + each) for each in sums) / 36

    return worth(0)


def test_one_turn_is_best_stopped_at_14():
    best = solve_turn(PIGGY_SIX)
    assert best.stop_at == 14
    assert best.expected == pytest.approx(float(exact_turn(14)), abs=1e-12)
    assert exact_turn(14) == max(exact_turn(stop) for stop in range(8, 20))


@pytest.mark.parametrize("bank", [0, 6, 7, 29, 99, 138, 139, 150, 300])
def test_one_turn_with_points_to_lose_stops_by_the_closed_form(bank):
    # One more roll is worth (150 - 11 total - bank) / 36; at least one roll there must be.
    closed = next(total for total in range(1, 100) if 11 * total + bank >= 150)
    solved = solve_turn(PIGGY_SIX, bank=bank)
    assert solved.stop_at == closed
    # A page has no solver, and the agent needs none with two dice.
    assert turn_plan((2,), bank) == solved.plan


def test_stopped_by_the_keyboard_the_bounds_hold():
    match = DuelResult(dice=PIGGY_SIX, target=12)
    gaps: list[float] = []

    def tell(apart: float) -> None:
        gaps.append(apart)
        if len(gaps) == 3:
            raise KeyboardInterrupt

    found = solve_match(match, on_progress=tell)
    assert not list(solutions_folder().glob("*"))
    true = solve_match(match).first_player_win
    assert not found.solved
    assert found.table.first_low[0, 0] <= true <= found.table.first_high[0, 0]
    assert gaps == sorted(gaps, reverse=True)
    assert abs(found.first_player_win - true) <= found.bound


def test_what_is_solved_is_cached_and_damage_is_repaired():
    match = DuelResult(dice=PIGGY_SIX, target=10)
    first = solve_match(match)
    (file,) = solutions_folder().glob("*.npz")
    again = solve_match(match)
    assert (first.seconds > 0.0, again.seconds) == (True, 0.0)
    assert (again.first == first.first).all()
    assert again.sweeps == first.sweeps
    whole = file.read_bytes()
    for damaged in (b"", b"junk", whole[: len(whole) // 2], whole[:200] + b"xx" + whole[202:]):
        file.write_bytes(damaged)
        mended = solve_match(match)
        assert mended.seconds > 0.0
        assert mended.first_player_win == first.first_player_win
    other = solve_match(replace(match, target=11))
    file.write_bytes(next(p for p in solutions_folder().glob("*") if p != file).read_bytes())
    assert solve_match(match).first_player_win == first.first_player_win != other.first_player_win


def shifted(change):
    """Change the bounds of the only cached solution, and return its file."""
    (file,) = solutions_folder().glob("*.npz")
    with np.load(file) as saved:
        arrays = dict(saved)
    change(arrays)
    np.savez_compressed(file, **arrays)
    return file


def raised(*names):
    """Return what moves values up by a hundredth, both bounds of each alike."""

    def change(arrays):
        for name in names:
            arrays[name] = arrays[name] * 0.99 + 0.01

    return change


def one_value(arrays):
    for name in ("first_low", "first_high"):
        arrays[name][3, 5] += 1e-6


FORGED = [
    raised("first_low", "first_high"),
    raised("second_low", "second_high"),
    raised("reach"),
    raised("first_low", "first_high", "second_low", "second_high", "reach"),
    one_value,
    lambda arrays: arrays.update({name: np.full((10, 10), 0.5) for name in BOUNDS}),
    lambda arrays: arrays.update({name: np.zeros((10, 10), int) for name in BOUNDS}),
    lambda arrays: arrays.update({name: np.full((10, 10), np.nan) for name in BOUNDS}),
]
BOUNDS = ("first_low", "first_high", "second_low", "second_high")


@pytest.mark.parametrize("forge", FORGED)
@pytest.mark.parametrize("ending", Ending)
def test_a_forged_solution_is_not_believed(forge, ending):
    match = DuelResult(dice=PIGGY_SIX, target=10, ending=ending)
    true = solve_match(match)
    if ending is Ending.RACE and forge is FORGED[2]:
        return  # a race has no such values
    shifted(forge)
    found = solve_match(match)
    assert found.seconds > 0.0
    assert (found.first == true.first).all()


@pytest.mark.parametrize("ending", Ending)
def test_a_forged_solitaire_solution_is_not_believed(ending):
    game = Solitaire(stops=(3, 6), target=12, ending=ending)
    true = solve_solitaire(game)
    assert solve_solitaire(game).seconds == 0.0
    for forge in (raised("low", "high"), lambda arrays: arrays["low"].__imul__(0.0)):
        shifted(forge)
        found = solve_solitaire(game)
        assert found.seconds > 0.0
        assert found.win == true.win


@pytest.mark.parametrize("ending", Ending)
def test_the_solitaire_game_agrees_with_policies_through_the_rules(ending):
    game = Solitaire(stops=(2, 4), target=3, ending=ending)
    rules = PiggySixRules(
        target=3, end=ending, solitaire=True, bot_stop_1=2, bot_stop_2=4, roll_cap=10_000
    )
    found = solve_solitaire(game)
    assert found.solved
    assert found.win == pytest.approx(win_by_policies(PiggySix(rules=rules), top=20), abs=1e-8)
    again = solve_solitaire(game)
    assert (again.seconds, again.win) == (0.0, found.win)


def test_turns_of_imaginary_players_bring_what_can_be_counted():
    bots = Solitaire(stops=(2, 3), target=10).bots
    # One roll reaches 2 in any case.
    assert bots.first[2:11] == pytest.approx(PIGGY_SIX.gains[0, 2:])
    assert bots.first[0] == pytest.approx(10 / 36)
    assert bots.first_reset == pytest.approx(1 / 36)
    # To reach 3, a roll of two ones (1/36) is followed by another.
    assert bots.second[0] == pytest.approx(10 / 36 * (1 + 1 / 36))
    assert bots.second.sum() + bots.second_reset == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda: DuelResult(dice=PIGGY_SIX, target=0), "target 0"),
        (lambda: DuelResult(dice=PIGGY_SIX, target=301), "target 301"),
        (lambda: DuelResult(dice=PIGGY_SIX, hold=0), "hold 0"),
        (lambda: solve(20, hold=10**30), "hold 1000.* .expected 1 to 10,000"),
        (lambda: Solitaire(stops=(8, 14), target=101), "target 101"),
        (lambda: Solitaire(stops=(0, 14)), "stopping points 0, 14"),
        (lambda: Solitaire(stops=(8, 14)).check(100, 0, 0, 0), "scores from 0 to 99"),
    ],
)
def test_impossible_matches_are_refused(make, fault):
    with pytest.raises(SpecError, match=fault):
        make()
