"""The solitaire game solved, held to policies through the rules."""

import pytest

from pigglesim.errors import SpecError
from pigglesim.games.piggy_six import Ending, PiggySix, PiggySixRules
from pigglesim.solvers.dice_game import PIGGY_SIX, Solitaire, solve_solitaire
from tests.unit.solvers.by_hand import win_by_policies


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
        (lambda: Solitaire(stops=(8, 14), target=101), "target 101"),
        (lambda: Solitaire(stops=(0, 14)), "stopping points 0, 14"),
        (lambda: Solitaire(stops=(8, 14)).check(100, 0, 0, 0), "scores from 0 to 99"),
    ],
)
def test_games_and_positions_that_cannot_be_are_told(make, fault):
    with pytest.raises(SpecError, match=fault):
        make()
