"""Exact odds of a combat against the whole tree of its rolls, told anew here and by the rules."""

from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from pigglesim.chance_types import DiceResult
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.piggyback.game import Arms, Piggyback, attack_odds, defence_odds
from pigglesim.landing import Seat

FACES = range(1, 7)
ARMS = [
    Arms(units=units, luck=luck, force=force)
    for units, luck, force in product((1, 2, 3), range(3), range(3))
    if luck + force <= 2
]


@cache
def _defender(attack: int, face: int, left: int, force: int) -> Fraction:
    """Chance of the attacker when the defender, of whatever he may do, does what is best."""
    worths = [Fraction(attack >= face + added) for added in range(force + 1)]
    if left:
        worths.append(
            sum(_defender(attack, again, left - 1, force) for again in FACES) / Fraction(6)
        )
    return min(worths)


@cache
def _attacker(face: int, left: int, force: int, rolls: int, against: int) -> Fraction:
    worths = [
        sum(_defender(face + added, first, rolls - 1, against) for first in FACES) / Fraction(6)
        for added in range(force + 1)
    ]
    if left:
        again = (_attacker(face, left - 1, force, rolls, against) for face in FACES)
        worths.append(sum(again) / Fraction(6))
    return max(worths)


def by_enumeration(attack: Arms, defence: Arms) -> Fraction:
    firsts = (
        _attacker(face, attack.rolls - 1, attack.force, defence.rolls, defence.force)
        for face in FACES
    )
    return sum(firsts) / Fraction(6)


def test_the_odds_are_those_of_the_whole_tree_of_rolls():
    assert len(ARMS) == 18
    for attack, defence in product(ARMS, ARMS):
        assert attack_odds(attack, defence) == by_enumeration(attack, defence)


def test_known_odds():
    one, two, three = (Arms(units=units) for units in (1, 2, 3))
    assert attack_odds(one, one) == Fraction(7, 12)
    # A reroll below 4: (7/12 + 7/12 + 7/12 + 4/6 + 5/6 + 1) / 6.
    assert attack_odds(two, one) == Fraction(17, 24)
    # The defender fails twice: (1 + 4 + 9 + 16 + 25 + 36) / 6^3.
    assert attack_odds(one, two) == Fraction(91, 216)
    assert attack_odds(three, one) > attack_odds(two, one) > attack_odds(one, one)
    assert defence_odds(6, three) == 0
    assert defence_odds(1, one) == Fraction(5, 6)


def by_the_rules(attack: str, defence: str) -> Fraction:
    """The same by playing every combat of a game to its end, both doing the best they can."""
    game = Piggyback()
    held = attack[1:] + defence[1:]
    out = "".join(letter * (4 - held.count(letter)) for letter in "goym")
    text = f"phase=move active=A ply=0 a=a1:{attack} b=a2:{defence} discarded={out}"
    fight = game.parse_action("a1-a2")

    def worth(state) -> Fraction:
        turn = game.turn(state)
        if turn is NonPlayer.OVER:
            return Fraction(state.result.winner is Seat.A)
        if turn is NonPlayer.CHANCE:
            after = (game.apply_outcome(state, DiceResult(faces=(face,))) for face in FACES)
            return sum(map(worth, after)) / Fraction(6)
        legal = [act for act in game.legal_actions(state) if not isinstance(act, Concede)]
        best = max if turn is Seat.A else min
        return best(worth(game.apply_action(state, act)) for act in legal)

    return worth(game.apply_action(game.parse_state(text), fight))


@pytest.mark.parametrize(
    ("attack", "defence"), [("1", "1"), ("2", "1o"), ("1oy", "1"), ("1o", "1y"), ("1oo", "2")]
)
def test_the_rules_themselves_give_the_same_odds(attack, defence):
    arms = (
        Arms(units=int(text[0]), luck=text.count("y"), force=text.count("o"))
        for text in (attack, defence)
    )
    assert by_the_rules(attack, defence) == attack_odds(*arms)


@pytest.mark.parametrize("wrong", [{"units": 0}, {"units": 4}, {"luck": 3}, {"force": -1}])
def test_arms_that_no_stack_has_are_refused(wrong):
    with pytest.raises(SpecError, match=r"units=|luck="):
        Arms(**wrong)
