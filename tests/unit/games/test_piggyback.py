"""Piggyback: its rules and rulings one by one, layouts, odds, and what holds in every game."""

from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings

from pigglesim.chance_types import DiceResult
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.piggyback.game import Arms, Piggyback, attack_odds, defence_odds
from pigglesim.games.piggyback.state import OTHER, PiggybackPhase
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, Seat
from tests.support.piggyback_table import PLAIN, SMALL, legal, place, play, shown, table
from tests.support.random_games import GAMES, SEEDS, walk


def test_the_usual_start_looks_the_same_from_both_sides():
    state = PLAIN.initial_state()
    assert [63 - space for space, _ in reversed(state.a)] == [space for space, _ in state.b]
    assert {63 - space: of for space, of in state.pieces} == dict(state.pieces)
    words = shown(state)
    assert words["a"] == "b1:1,c1:1,d1:1,e1:1,f1:1,g1:1"
    assert words["pieces"] == "a4:g,c4:o,f4:y,h4:m,a5:m,c5:y,f5:o,h5:g"
    assert words["bank"] == "ggooyymm"


def test_the_higher_roll_starts_and_equal_ones_are_rolled_again():
    state = PLAIN.initial_state()
    assert PLAIN.chance_request(state).thrower is Seat.A
    assert PLAIN.chance_request(play(PLAIN, state, 3)).thrower is Seat.B
    assert play(PLAIN, state, 3, 5).active is Seat.B
    assert play(PLAIN, state, 3, 2).active is Seat.A
    tied = play(PLAIN, state, 3, 3)
    assert (tied.phase, PLAIN.chance_request(tied).thrower) == (PiggybackPhase.OPENING, Seat.A)
    assert play(PLAIN, tied, 1, 2).active is Seat.B
    capped = play(table(start_cap=0), state, 3, 3)
    assert (capped.phase, capped.active) == (PiggybackPhase.MOVE, Seat.A)


@pytest.mark.parametrize(("start", "seat"), [("red", Seat.A), ("blue", Seat.B)])
def test_who_starts_can_be_settled_beforehand(start, seat):
    state = table(start=start).initial_state()
    assert (state.phase, state.active) == (PiggybackPhase.MOVE, seat)


ON, STAY = {"boost_continue": True}, {"boost_permanent": True}
ANY, ENGLISH = {"warp_scope": "any"}, {"merge_rule": "en"}
WARP = ("b2:1m,f6:3y,h1:1", "h8:1")


@pytest.mark.parametrize(
    ("rules", "start", "moves", "wanted"),
    [
        # Entering a space with a piece is a choice, and ends the turn either way (R3, PB6).
        (
            {},
            ("d3:1", "h8:1", "d4:g"),
            ("d3-d4 take",),
            {"a": "d4:1g", "pieces": "", "active": "B"},
        ),
        ({}, ("d3:1", "h8:1", "d4:g"), ("d3-d4",), {"a": "d4:1", "pieces": "d4:g", "active": "B"}),
        ({"pickup_later": True}, ("d4:1", "h8:1", "d4:o"), ("take d4",), {"a": "d4:1o"}),
        # Friends stack within the limits (R4, R5, PB3).
        ({}, ("d3:1,d4:2", "h8:1"), ("d3-d4",), {"a": "d4:3"}),
        ({}, ("d3:1gy,d4:2", "h8:1"), ("d3-d4",), {"a": "d4:3gy"}),
        (ENGLISH, ("d3:1y,d4:1g", "h8:1"), ("d3-d4",), {"a": "d4:2gy"}),
        # One Boost makes two steps, two make four, and there is no number for three (R6, PB4).
        ({}, ("d3:1gg", "h8:1"), ("d3-d4",), {"a": "d4:1gg", "phase": "roam"}),
        ({}, ("d3:1gg", "h8:1"), ("d3-d4", "end"), {"a": "d4:1gg", "phase": "move"}),
        ({}, ("d3:1gg", "h8:1"), ("d3-d4", "d4-d5"), {"a": "d5:1g", "phase": "roam"}),
        ({}, ("d3:1gg", "h8:1"), ("d3-d4", "d4-d5", "d5-d6"), {"a": "d6:1", "phase": "roam"}),
        (
            {},
            ("d3:1gg", "h8:1"),
            ("d3-d4", "d4-d5", "d5-d6", "d6-d7"),
            {"a": "d7:1", "active": "B"},
        ),
        ({}, ("a1:1,d3:1g", "h8:1"), ("d3-d4", "d4-e5"), {"active": "B"}),
        (ON, ("d3:1gg", "h8:1", "d6:g"), ("d3-d4", "d4-d5", "d5-d6 take"), {"phase": "roam"}),
        (ON, ("d3:1gg", "h8:1", "d6:g"), ("d3-d4", "d4-d5", "d5-d6 take", "d6-d7"), {"a": "d7:1g"}),
        ({}, ("d3:1g", "h8:1", "d4:o"), ("d3-d4", "d4-d5"), {"a": "d5:1", "pieces": "d4:o"}),
        (STAY, ("d3:1g", "h8:1"), ("d3-d4", "d4-d5"), {"a": "d5:1g", "active": "B"}),
        (STAY, ("d3:1gg", "h8:1"), ("d3-d4", "d4-d5", "d5-d6", "d6-d7"), {"a": "d7:1gg"}),
        # Stacking, taking and fighting end a boosted turn unless a switch says otherwise.
        *(
            (rules, start, moves, {"phase": "roam" if rules else "move"})
            for rules in ({}, ON)
            for start, moves in (
                (("d3:1g,d4:1", "h8:1"), ("d3-d4",)),
                (("d3:1g", "h8:1", "d4:o"), ("d3-d4 take",)),
                (("d3:1g", "d4:1,h8:1"), ("d3-d4", 6, 1, "keep green")),
            )
        ),
        # A Warp swaps whole stacks, and is the turn or a defence (R6, PB5).
        ({}, WARP, ("warp b2 f6",), {"a": "h1:1,b2:3y,f6:1", "active": "B"}),
        (ANY, WARP, ("warp h1 f6",), {"a": "h1:3y,b2:1,f6:1"}),
        ({}, ("d3:1", "d4:1m,h8:3,a8:1"), ("d3-d4", "warp d4 h8", 5), {"b": "d4:3,a8:1,h8:1"}),
        ({}, ("d3:1", "d4:1m,h8:1"), ("d3-d4", "fight"), {"phase": "attack_roll"}),
        # Units roll before Luck, and Luck is used when it rolls (R7).
        ({}, ("d3:2y", "d4:1,h8:1"), ("d3-d4", 1, "roll", 2), {"a": "d3:2y"}),
        ({}, ("d3:2y", "d4:1,h8:1"), ("d3-d4", 1, "roll", 2, "roll"), {"a": "d3:2"}),
        ({}, ("d3:2y", "d4:1,h8:1"), ("d3-d4", 1, "roll", 2, "roll", 3), {"phase": "defence_roll"}),
        # The attacker adds Firepower before the defender rolls (PB7).
        ({}, ("d3:1oo", "d4:1o,h8:1"), ("d3-d4", 4, "stand +1"), {"a": "d3:1o"}),
        ({}, ("d3:1oo", "d4:1o,h8:1"), ("d3-d4", 4, "stand +1", 5), {"phase": "defence"}),
        ({}, ("d3:1oo", "d4:1o,h8:1"), ("d3-d4", 4, "stand +1", 5, "stand"), {"phase": "keep"}),
        (
            {},
            ("d3:1oo", "d4:1o,h8:1"),
            ("d3-d4", 4, "stand +2"),
            {"a": "d3:1", "discarded": "ggggoooyyyymmmm"},
        ),
        # A tie is the attacker's, who takes the space and not the piece on it (R7, PB8).
        ({}, ("d3:1", "d4:1,h8:1", "d4:g"), ("d3-d4", 3, 3), {"a": "d4:1", "pieces": "d4:g"}),
        ({}, ("d3:3,a1:1", "d4:1,h8:1"), ("d3-d4", 1, "stand", 2), {"a": "a1:1", "active": "B"}),
        (
            {},
            ("d3:1gy", "d4:1oo,h8:1", "", "m"),
            ("d3-d4", 6, "stand", 1, "stand", "keep orange orange"),
            {"a": "d4:1oo", "bank": "m", "discarded": "ggggooyyyymmm"},
        ),
        (
            {},
            ("d3:1,h4:1", "d4:1,h8:1", "a5:g", "gm"),
            ("d3-d4", 6, 1, "respawn h5"),
            {"pieces": "a5:g,h5:g", "bank": "m", "active": "B"},
        ),
        ({}, ("d3:1,h4:1", "d4:1,h8:1", "a5:g", "gm"), ("d3-d4", 6, 1, "leave"), {"bank": "gm"}),
        ({}, ("d3:1g", "d4:2oy"), ("d3-d4", 6, 1, "stand"), {"result": "A:elimination"}),
    ],
)
def test_moves_lead_to(rules, start, moves, wanted):
    words = shown(play(table(**rules), place(*start), *moves))
    assert {name: words.get(name, "") for name in wanted} == wanted


@pytest.mark.parametrize(
    ("rules", "start", "moves", "refused", "rule"),
    [
        ({}, ("d3:1gy", "h8:1", "d4:o"), (), "d3-d4 take", "R3, R5"),
        ({}, ("d4:1", "h8:1", "d4:o"), (), "take d4", "PB6"),
        ({}, ("d3:2,d4:2", "h8:1"), (), "d3-d4", "PB3"),
        ({}, ("d3:1g,d4:1y", "h8:1"), (), "d3-d4", "PB3"),
        (ENGLISH, ("d3:1gg,d4:1y", "h8:1"), (), "d3-d4", "PB3"),
        ({}, ("a1:1,d3:1g", "h8:1"), ("d3-d4",), "a1-a2", "R2"),
        ({}, WARP, (), "warp f6 h1", "PB5"),
        ({}, ("d3:1oo", "d4:1o,h8:1"), ("d3-d4", 4), "roll", "R4, R6"),
        ({}, ("d3:1oo", "d4:1o,h8:1"), ("d3-d4", 4, "stand +1", 5), "stand +2", "R6"),
    ],
)
def test_moves_are_refused_by_their_rule(rules, start, moves, refused, rule):
    game = table(**rules)
    state = play(game, place(*start), *moves)
    assert refused not in legal(game, state)
    with pytest.raises(IllegalActionError, match=rule):
        play(game, state, refused)


@pytest.mark.parametrize(
    ("start", "moves", "player", "choices"),
    [
        (("d3:1", "d4:1m,h8:3,a8:1"), ("d3-d4",), Seat.B, ["warp d4 a8", "warp d4 h8", "fight"]),
        # Another unit's Warp saves the attacked, and is of no use to a third.
        (("d3:1", "d4:1,h8:3m,a8:1"), ("d3-d4",), Seat.B, ["warp h8 d4", "fight"]),
        (("d3:2y", "d4:1,h8:1"), ("d3-d4", 1), Seat.A, ["roll", "stand"]),
        (("d3:1oo", "d4:1o,h8:1"), ("d3-d4", 4), Seat.A, ["stand", "stand +1", "stand +2"]),
        (("d3:1oo", "d4:1o,h8:1"), ("d3-d4", 4, "stand", 5), Seat.B, ["stand", "stand +1"]),
        (
            ("d3:1g", "d4:1o,h8:1"),
            ("d3-d4", 6, 1, "stand"),
            Seat.A,
            ["keep green orange", "keep green", "keep orange", "keep nothing"],
        ),
        # h4 has a unit and a5 a piece: nothing is free for mauve.
        (
            ("d3:1,h4:1", "d4:1,h8:1", "a5:g", "gm"),
            ("d3-d4", 6, 1),
            Seat.B,
            ["respawn a4", "respawn h5", "leave"],
        ),
    ],
)
def test_choices_in_a_combat(start, moves, player, choices):
    state = play(PLAIN, place(*start), *moves)
    assert (PLAIN.turn(state), legal(PLAIN, state)) == (player, choices)


def test_a_player_passes_only_without_a_move():
    stuck = place("a1:2", "h8:1")
    assert "pass" not in legal(PLAIN, stuck)
    with pytest.raises(IllegalActionError, match="PB2"):
        play(PLAIN, stuck, "pass")
    assert play(table(allow_pass=True), stuck, "pass").active is Seat.B
    # Twos everywhere can neither move nor merge, if only a reader without checks takes so many.
    every = ",".join(f"{letter}{row}:2" for row in range(1, 6) for letter in "abcde")
    walled = table(layout=SMALL).read_state(f"phase=move active=A ply=0 a={every}")
    assert legal(table(layout=SMALL), walled) == ["pass"]


def test_a_hundred_quiet_turns_or_a_thousand_make_a_draw():
    state = place("d3:1", "h8:1", "d4:g")
    late = PLAIN.parse_state(PLAIN.format_state(state).replace("ply=0", "ply=99"))
    assert play(PLAIN, late, "d3-c3").result.reason == "quiet"
    assert play(PLAIN, late, "d3-d4 take").result is None
    last = PLAIN.parse_state(PLAIN.format_state(state).replace("ply=0", "ply=999 lively=990"))
    result = play(PLAIN, last, "d3-c3").result
    assert (result.winner, result.reason) == (None, "cap")


def test_whoever_gives_up_has_lost():
    state = play(PLAIN, place("d3:1y", "d4:1,h8:1"), "d3-d4", 2)
    result = PLAIN.apply_action(state, Concede()).result
    assert (result.winner, result.reason) == (Seat.B, "concession")


@pytest.mark.parametrize(
    ("layout", "fault"),
    [
        ("wide", "standard"),
        (7, "layout 7"),
        ({"pink": ["a1"]}, "'pink'"),
        ({"size": 4}, "size 4"),
        ({"size": 17}, "size 17"),
        ({"size": 9}, "no red and no blue"),
        ({"red": ["a1"]}, "1 spaces of red"),
        ({"green": ["a4", "h5", "h6"]}, "3 spaces of green"),
        ({"green": ["a4", "i5"]}, "'i5'.*a1 to h8"),
        ({"green": ["a4", "h9"]}, "'h9'"),
        ({"green": ["a4", ""]}, "''"),
        ({"green": ["a4", 5]}, "green .* is not a list"),
        ({"green": ["a4", "b1"]}, "red and green on b1"),
        ({"green": ["a4", "a4"]}, "green and green on a4"),
    ],
)
def test_layouts_that_are_none_are_reported_in_one_line(layout, fault):
    with pytest.raises(SpecError, match=fault):
        make_game("piggyback", {"layout": layout})


def test_a_layout_of_its_own_is_played_and_reads_back():
    game = table(layout=SMALL)
    assert game.settings()["layout"] == SMALL
    assert make_game("piggyback", dict(game.settings())) == game
    assert game.observe(game.initial_state(), Seat.A).layout == game.layout
    assert shown_on(game)["a"] == "a1:1,b1:1,c1:1,d1:1,e1:1,a2:1"


def shown_on(game: Piggyback) -> dict[str, str]:
    return dict(word.split("=") for word in game.format_state(game.initial_state()).split())


def test_the_die_can_be_poured_and_its_place_reads_back():
    from pigglesim.chance.physical import physical_chance
    from pigglesim.scene.load import load_scene

    source = physical_chance(load_scene("piggyback"), {}, engine=None, seed=3)
    state = PLAIN.initial_state()
    thrown = source.answer(PLAIN.chance_request(state), index=0)
    assert len(thrown.faces) == len(thrown.places) == 1
    assert PLAIN.parse_outcome(state, PLAIN.format_outcome(state, thrown)) == thrown
    assert PLAIN.apply_outcome(state, thrown).opening == thrown.faces[0]


plays = given(game=GAMES["piggyback"], seed=SEEDS)
some = settings(max_examples=25)


@some
@plays
def test_units_never_come_back(game, seed):
    for step in walk(game, seed):
        for seat in BOARD_SEATS:
            assert step.after.units(seat) <= step.before.units(seat)


@some
@plays
def test_a_game_ends_by_elimination_or_by_a_cap(game, seed):
    *_, (_, _, last) = walk(game, seed)
    reason, winner = last.result.reason, last.result.winner
    if reason == "elimination":
        assert last.units(OTHER[winner]) == 0 < last.units(winner)
    else:
        assert winner is None
        quiet = last.ply - last.lively
        assert quiet == game.rules.quiet_cap if reason == "quiet" else last.ply == game.rules.cap


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
