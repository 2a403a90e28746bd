"""Piggyback: its rules and rulings one by one, layouts, and what holds in every game."""

from collections import Counter

import pytest
from hypothesis import given, settings

from pigglesim.chance_types import DiceResult
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import (
    OTHER,
    Ability,
    PiggybackPhase,
    PiggybackRules,
    Stand,
    Word,
)
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, Seat
from tests.piggyback_table import ALL, PLAIN, SMALL, legal, place, play, shown, table
from tests.random_games import GAMES, SEEDS, walk


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
    assert play(table(start_cap=0), state, 3, 3).phase is PiggybackPhase.MOVE


@pytest.mark.parametrize(("start", "seat"), [("red", Seat.A), ("blue", Seat.B)])
def test_who_starts_can_be_settled_beforehand(start, seat):
    state = table(start=start).initial_state()
    assert (state.phase, state.active) == (PiggybackPhase.MOVE, seat)


def test_entering_a_space_with_a_piece_is_a_choice_and_ends_the_turn_either_way():
    state = place("d3:1", "h8:1", "d4:g")
    assert {"d3-d4", "d3-d4 take"} <= set(legal(PLAIN, state))
    taken, left = play(PLAIN, state, "d3-d4 take"), play(PLAIN, state, "d3-d4")
    assert shown(taken)["a"] == "d4:1g"
    assert "pieces" not in shown(taken)
    assert (shown(left)["a"], shown(left)["pieces"]) == ("d4:1", "d4:g")
    assert taken.active is left.active is Seat.B


def test_a_full_stack_enters_without_taking():
    state = place("d3:1gy", "h8:1", "d4:o")
    assert "d3-d4" in legal(PLAIN, state)
    with pytest.raises(IllegalActionError, match="R3, R5"):
        play(PLAIN, state, "d3-d4 take")


def test_a_declined_piece_is_taken_later_only_under_its_switch():
    state = place("d4:1", "h8:1", "d4:o")
    assert "take d4" not in legal(PLAIN, state)
    with pytest.raises(IllegalActionError, match="PB6"):
        play(PLAIN, state, "take d4")
    assert shown(play(table(pickup_later=True), state, "take d4"))["a"] == "d4:1o"


@pytest.mark.parametrize(
    ("a", "rule", "merged"),
    [
        ("d3:1,d4:2", "fr", "d4:3"),
        ("d3:2,d4:2", "fr", None),
        ("d3:1gy,d4:2", "fr", "d4:3gy"),
        ("d3:1g,d4:1y", "fr", None),
        ("d3:1y,d4:1g", "en", "d4:2gy"),
        ("d3:1gg,d4:1y", "en", None),
    ],
)
def test_friends_stack_within_the_limits(a, rule, merged):
    game, state = table(merge_rule=rule), place(a, "h8:1")
    if merged is None:
        assert "d3-d4" not in legal(game, state)
        with pytest.raises(IllegalActionError, match="PB3"):
            play(game, state, "d3-d4")
    else:
        assert shown(play(game, state, "d3-d4"))["a"] == merged


def test_a_boost_is_used_by_the_second_step_and_two_by_the_third():
    state = play(PLAIN, place("d3:1gg", "h8:1"), "d3-d4")
    assert (state.phase, shown(state)["a"]) == (PiggybackPhase.ROAM, "d4:1gg")
    assert legal(PLAIN, state)[-1] == "end"
    assert shown(play(PLAIN, state, "end"))["a"] == "d4:1gg"
    state = play(PLAIN, state, "d4-d5")
    assert shown(state)["a"] == "d5:1g"
    state = play(PLAIN, state, "d5-d6")
    assert shown(state)["a"] == "d6:1"
    state = play(PLAIN, state, "d6-d7")
    assert (state.phase, state.active) == (PiggybackPhase.MOVE, Seat.B)


def test_one_boost_makes_two_steps_and_only_its_holder_roams():
    state = play(PLAIN, place("a1:1,d3:1g", "h8:1"), "d3-d4")
    assert not any(text.startswith("a1") for text in legal(PLAIN, state))
    with pytest.raises(IllegalActionError, match="R2"):
        play(PLAIN, state, "a1-a2")
    assert play(PLAIN, state, "d4-e5").active is Seat.B


@pytest.mark.parametrize("settings", [{}, {"boost_continue": True}])
def test_stacking_taking_and_fighting_end_a_boosted_turn_unless_a_switch_says_else(settings):
    game = table(**settings)
    states = [
        play(game, place("d3:1g,d4:1", "h8:1"), "d3-d4"),
        play(game, place("d3:1g", "h8:1", "d4:o"), "d3-d4 take"),
        play(game, place("d3:1g", "d4:1,h8:1"), "d3-d4", 6, 1, "keep green"),
    ]
    expected = PiggybackPhase.ROAM if settings else PiggybackPhase.MOVE
    assert [state.phase for state in states] == [expected] * 3


def test_a_declined_piece_may_be_passed_by_a_boost():
    state = play(PLAIN, place("d3:1g", "h8:1", "d4:o"), "d3-d4", "d4-d5")
    assert (shown(state)["a"], shown(state)["pieces"]) == ("d5:1", "d4:o")


def test_permanent_boosts_stay():
    game = table(boost_permanent=True)
    state = play(game, place("d3:1g", "h8:1"), "d3-d4", "d4-d5")
    assert (shown(state)["a"], state.active) == ("d5:1g", Seat.B)
    state = play(game, place("d3:1gg", "h8:1"), "d3-d4", "d4-d5", "d5-d6", "d6-d7")
    assert (shown(state)["a"], state.active) == ("d7:1gg", Seat.B)


def test_a_warp_swaps_whole_stacks_and_is_the_turn():
    state = place("b2:1m,f6:3y,h1:1", "h8:1")
    assert [text for text in legal(PLAIN, state) if "warp" in text] == ["warp b2 h1", "warp b2 f6"]
    state = play(PLAIN, state, "warp b2 f6")
    assert (shown(state)["a"], state.active) == ("h1:1,b2:3y,f6:1", Seat.B)
    with pytest.raises(IllegalActionError, match="PB5"):
        play(PLAIN, place("b2:1m,f6:3y,h1:1", "h8:1"), "warp f6 h1")


def test_a_warp_of_any_two_is_paid_for_by_its_holder():
    game, state = table(warp_scope="any"), place("b2:1m,f6:3y,h1:1", "h8:1")
    assert "warp h1 f6" not in legal(PLAIN, state)
    assert shown(play(game, state, "warp h1 f6"))["a"] == "h1:3y,b2:1,f6:1"


def test_the_attacked_may_warp_before_the_combat_and_then_another_fights():
    state = play(PLAIN, place("d3:1", "d4:1m,h8:3,a8:1"), "d3-d4")
    assert (state.phase, PLAIN.turn(state)) == (PiggybackPhase.WARP, Seat.B)
    assert legal(PLAIN, state) == ["warp d4 a8", "warp d4 h8", "fight"]
    fighting = play(PLAIN, state, "warp d4 h8", 5)
    assert shown(fighting)["b"] == "d4:3,a8:1,h8:1"
    assert play(PLAIN, fighting, 1, "roll", 6, "stand").result.winner is Seat.B
    assert play(PLAIN, state, "fight").phase is PiggybackPhase.ATTACK_ROLL


def test_another_units_warp_saves_the_attacked_and_is_of_no_use_to_a_third():
    state = play(PLAIN, place("d3:1", "d4:1,h8:3m,a8:1"), "d3-d4")
    assert legal(PLAIN, state) == ["warp h8 d4", "fight"]


def test_units_roll_before_luck_and_luck_is_spent_when_it_rolls():
    state = play(PLAIN, place("d3:2y", "d4:1,h8:1"), "d3-d4", 1)
    assert legal(PLAIN, state) == ["roll", "stand"]
    state = play(PLAIN, state, "roll", 2)
    assert shown(state)["a"] == "d3:2y"
    state = play(PLAIN, state, "roll")
    assert shown(state)["a"] == "d3:2"
    # With no roll left and no Firepower there is nothing to decide.
    assert play(PLAIN, state, 3).phase is PiggybackPhase.DEFENCE_ROLL


def test_the_attacker_adds_firepower_before_the_defender_rolls_the_defender_after():
    state = play(PLAIN, place("d3:1oo", "d4:1o,h8:1"), "d3-d4", 4)
    assert legal(PLAIN, state) == ["stand", "stand +1", "stand +2"]
    with pytest.raises(IllegalActionError, match=r"R4, R6"):
        play(PLAIN, state, "roll")
    state = play(PLAIN, state, "stand +1")
    assert (shown(state)["a"], state.combat.attack) == ("d3:1o", 5)
    state = play(PLAIN, state, 5)
    assert (state.phase, PLAIN.turn(state)) == (PiggybackPhase.DEFENCE, Seat.B)
    assert play(PLAIN, state, "stand").combat.winner is Seat.A
    with pytest.raises(IllegalActionError, match="R6"):
        play(PLAIN, state, "stand +2")


def test_a_tie_is_the_attackers_and_he_takes_the_space_but_not_the_piece_on_it():
    state = play(PLAIN, place("d3:1", "d4:1,h8:1", "d4:g"), "d3-d4", 3, 3)
    assert (shown(state)["a"], shown(state)["b"]) == ("d4:1", "h8:1")
    assert (shown(state)["pieces"], state.active) == ("d4:g", Seat.B)


def test_a_defender_who_wins_stays_and_the_whole_stack_is_lost():
    state = play(PLAIN, place("d3:3,a1:1", "d4:1,h8:1"), "d3-d4", 1, "stand", 2)
    assert (shown(state)["a"], shown(state)["b"]) == ("a1:1", "d4:1,h8:1")
    assert state.active is Seat.B


def test_the_winner_keeps_two_of_all_that_is_unused_and_the_rest_leaves_the_game():
    state = play(PLAIN, place("d3:1gy", "d4:1oo,h8:1", bank="m"), "d3-d4", 6, "stand", 1, "stand")
    assert (state.phase, PLAIN.turn(state)) == (PiggybackPhase.KEEP, Seat.A)
    assert legal(PLAIN, state)[:4] == [
        "keep green orange", "keep green yellow", "keep orange orange", "keep orange yellow",
    ]  # fmt: skip
    assert legal(PLAIN, state)[-1] == "keep nothing"
    kept = play(PLAIN, state, "keep orange orange")
    assert shown(kept)["a"] == "d4:1oo"
    assert shown(kept)["bank"] == "m"
    assert Counter(shown(kept)["discarded"]) == ALL - Counter("oom")


def test_the_loser_may_put_a_piece_from_the_bank_on_a_free_initial_space_of_its_colour():
    state = play(PLAIN, place("d3:1,h4:1", "d4:1,h8:1", "a5:g", "gm"), "d3-d4", 6, 1)
    assert (state.phase, PLAIN.turn(state)) == (PiggybackPhase.RESPAWN, Seat.B)
    # h4 has a unit and a5 a piece: nothing is free for mauve.
    assert legal(PLAIN, state) == ["respawn a4", "respawn h5", "leave"]
    back = play(PLAIN, state, "respawn h5")
    assert (shown(back)["pieces"], shown(back)["bank"]) == ("a5:g,h5:g", "m")
    assert back.active is Seat.B
    assert shown(play(PLAIN, state, "leave"))["bank"] == "gm"


def test_the_last_unit_lost_ends_the_game_at_once():
    state = play(PLAIN, place("d3:1g", "d4:2oy", bank="mm"), "d3-d4", 6, 1, "stand")
    assert (state.result.winner, state.result.reason) == (Seat.A, "elimination")
    assert PLAIN.turn(state) is NonPlayer.OVER
    assert PLAIN.scores(state) == {Seat.A: 1, Seat.B: 0}


def test_a_third_boost_taken_on_the_way_carries_no_further():
    # Two Boosts make four steps, and there is no number for three (R6, PB4).
    game = table(boost_continue=True)
    state = play(game, place("d3:1gg", "h8:1", "d6:g"), "d3-d4", "d4-d5", "d5-d6 take")
    assert (state.phase, shown(state)["a"]) == (PiggybackPhase.ROAM, "d6:1g")
    state = play(game, state, "d6-d7")
    assert (state.phase, state.active, shown(state)["a"]) == (PiggybackPhase.MOVE, Seat.B, "d7:1g")


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
def test_layouts_that_are_none_are_told_in_one_line(layout, fault):
    with pytest.raises(SpecError, match=fault) as told:
        make_game("piggyback", {"layout": layout})
    assert "\n" not in str(told.value)


def test_a_layout_of_its_own_is_played_and_reads_back():
    game = table(layout=SMALL)
    assert game.settings()["layout"] == SMALL
    assert make_game("piggyback", dict(game.settings())) == game
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
some = settings(max_examples=25, deadline=None)


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


@some
@plays
def test_the_last_roll_is_the_one_that_counts(game, seed):
    rolls, side = [], None
    for step in walk(game, seed):
        combat = step.after.combat
        if isinstance(step.move, DiceResult) and step.before.combat is not None:
            thrower = game.chance_request(step.before).thrower
            rolls = [*rolls, step.move.faces[0]] if thrower is side else [step.move.faces[0]]
            side = thrower
            if combat is not None and step.after.phase in {
                PiggybackPhase.ATTACK,
                PiggybackPhase.DEFENCE,
            }:
                assert combat.face == rolls[-1]
                assert combat.rolls == len(rolls)
        if isinstance(step.move, Stand) and step.before.phase is PiggybackPhase.ATTACK:
            assert combat.attack == rolls[-1] + step.move.force
        if (
            step.before.phase is not PiggybackPhase.ATTACK_ROLL
            and step.after.phase is PiggybackPhase.ATTACK_ROLL
        ):
            side = None if step.move is not Word.ROLL else side


def test_every_phase_ability_and_choice_comes_up_in_random_play():
    met = set()
    rules = PiggybackRules(pickup_later=True, allow_pass=True)
    for seed in range(30):
        for step in walk(Piggyback(rules=rules), seed):
            met |= {step.before.phase, type(step.move).__name__, step.after.phase}
            met |= {*step.after.discarded}
    assert met >= {
        *PiggybackPhase,
        *Ability,
        "Move",
        "Warp",
        "Take",
        "Stand",
        "Keep",
        "Respawn",
        "Word",
    }
