"""Piggyback: how it ends, layouts, and what is refused."""

import pytest

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import Ability
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from tests.piggyback_table import PLAIN, SMALL, legal, place, play, table


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


def test_abilities_have_their_english_names():
    assert [ability.label for ability in Ability] == ["Boost", "Firepower", "Luck", "Warp"]
