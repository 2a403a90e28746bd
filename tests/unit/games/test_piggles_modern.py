"""Piggles Modern step by step: phases, requests to chance, what is illegal, what ends when."""

from dataclasses import replace

import pytest

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede, NonPlayer, Result
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesModern
from pigglesim.games.piggles.state import (
    Act,
    Done,
    MudEntry,
    PigglesPhase,
    PigglesSide,
    PigglesState,
    Shield,
)
from pigglesim.games.registry import make_game
from pigglesim.landing import Knock, Landing, Orientation, RestPlace, RollResult, Seat, Zone
from pigglesim.markings import Colour, Rune

UP, DOWN, HEAD = Orientation
N, E, S, W = Zone.FIELD_NORTH, Zone.FIELD_EAST, Zone.FIELD_SOUTH, Zone.FIELD_WEST
OFF = Landing(orientation=None, zone=Zone.OFF)


def lies(pose: Orientation, zone: Zone = N, **more: object) -> Landing:
    return Landing(orientation=pose, zone=zone, **more)


def result(**landings: Landing) -> RollResult:
    return RollResult(landings=tuple(landings.items()))


def modern(team_a: str, rules: dict[str, object] | None = None) -> PigglesModern:
    """A game whose A plays the markings given, and whose B is neutral but for what is given."""
    worn = team_a.split()
    return make_game(
        "piggles_modern",
        {
            "team_a": [*worn, *["-"] * (6 - len(worn))],
            "team_b": ["-"] * 6,
            **(rules or {}),
        },
    )


def acting(board: dict[str, Landing], **parts: object) -> PigglesState:
    """A's Piggles that lie Snout-Up are about to act."""
    actors = [p for p, at in sorted(board.items()) if p[0] == "A" and at.orientation is UP]
    position = PigglesState(
        phase=PigglesPhase.ACTION_REACTION, board=tuple(sorted(board.items())), actors=tuple(actors)
    )
    return replace(position, **parts)


def test_a_turn_is_load_roll_action_and_tally():
    game = modern("red+adjacent")
    state = game.apply_action(game.initial_state(), Load(("A1", "A2")))
    assert game.turn(state) is NonPlayer.CHANCE
    state = game.apply_outcome(state, result(A1=lies(UP), A2=lies(DOWN)))
    assert (game.turn(state), state.phase) == (Seat.A, PigglesPhase.ACTION_REACTION)
    assert game.legal_actions(state) == (Act("A1", "A2"), Done(), Concede())
    state = game.apply_action(state, Done())
    assert (game.turn(state), state.phase, state.a.score) == (Seat.B, PigglesPhase.LOAD, 3)
    assert (state.actors, state.acted) == ((), ())


def test_the_phase_is_over_at_once_where_nobody_has_a_target():
    game = modern("red+left")
    state = game.apply_action(game.initial_state(), Load(("A1",)))
    state = game.apply_outcome(state, result(A1=lies(UP)))
    assert (game.turn(state), state.a.score) == (Seat.B, 3)


def test_all_own_up_act_without_a_roll_too():
    game = modern("red+adjacent", {"actors": "all_own_up"})
    state = PigglesState(a=PigglesSide(pen=("A2",)), board=(("A1", lies(UP)), ("B1", lies(UP))))
    state = game.apply_action(state, Load())
    assert game.legal_actions(state)[0] == Act("A1", "B1")
    assert (
        modern("red+adjacent")
        .apply_action(
            PigglesState(a=PigglesSide(pen=("A2",)), board=(("A1", lies(UP)), ("B1", lies(UP)))),
            Load(),
        )
        .active
        is Seat.B
    )


def test_mandatory_effects_leave_no_way_out_but_to_concede():
    game = modern("red+adjacent", {"effects_mandatory": True})
    state = acting({"A1": lies(UP), "B1": lies(UP)})
    assert game.legal_actions(state) == (Act("A1", "B1"), Concede())
    with pytest.raises(IllegalActionError, match="M2"):
        game.apply_action(state, Done())


@pytest.mark.parametrize(
    ("action", "rule", "fault"),
    [
        (Load(("A2",)), "R20", "act A1 B2 or done"),
        (Act("A1", "B2"), "M7", "A1 to act on B1"),
        (Act("A1", "A1"), "M7", "A1 to act on B1"),
        (Act("A2", "B1"), "M1", "one of A1"),
        (Act("B1", "A1"), "M1", "one of A1"),
    ],
)
def test_an_illegal_action_names_the_rule_and_changes_nothing(action, rule, fault):
    game = modern("red+adjacent red+adjacent")
    state = acting({"A1": lies(UP), "B1": lies(UP), "B2": lies(UP, S)}, a=PigglesSide(pen=("A2",)))
    before = game.format_state(state)
    with pytest.raises(IllegalActionError, match=fault) as raised:
        game.apply_action(state, action)
    assert raised.value.rule == rule
    assert game.format_state(state) == before


@pytest.mark.parametrize("action", [Act("A1", "B1"), Done()])
def test_effects_are_illegal_before_the_roll_and_in_classic(action):
    for game, rule in ((modern("red+adjacent"), "R19"), (make_game("piggles_classic"), "R6")):
        with pytest.raises(IllegalActionError, match=rule):
            game.apply_action(game.initial_state(), action)


def test_blue_asks_for_a_roll_of_its_target_alone_with_the_rest_on_the_board():
    game = modern("blue+adjacent")
    state = acting({"A1": lies(UP), "B1": lies(UP), "B2": lies(UP, S)})
    state = game.apply_action(state, Act("A1", "B1"))
    request = game.chance_request(state)
    assert (request.thrower, request.piggles) == (Seat.A, ("B1",))
    assert request.standing == (("A1", lies(UP)), ("B2", lies(UP, S)))
    assert (request.toss, request.set_down) == (None, None)
    knock = Knock(
        struck="B2",
        by="B1",
        distance=0.1,
        angle=0.1,
        flipped=True,
        zone_changed=True,
        off_board=True,
    )
    outcome = replace(result(B1=lies(HEAD), A1=lies(UP), B2=OFF), knocks=(knock,))
    state = game.apply_outcome(state, outcome)
    # 3 for A1, 1 for B2 knocked into the Mud by the acting player (M10).
    assert state.a.score == 4
    assert state.b.mud_piggles == ("B2",)


def test_blue_tosses_its_target_in_place_when_agreed():
    game = modern("blue+adjacent", {"blue_mode": "drop_in_place"})
    state = acting({"A1": lies(UP), "B1": lies(DOWN)})
    request = game.chance_request(game.apply_action(state, Act("A1", "B1")))
    assert (request.piggles, request.toss) == (("B1",), lies(DOWN))


def test_blue_rolls_once_more_what_leans_or_falls_off_when_agreed():
    game = modern("blue+adjacent", {"cocked": "reroll", "off_board": "reroll", "reroll_cap": 2})
    state = game.apply_action(acting({"A1": lies(UP), "B1": lies(UP)}), Act("A1", "B1"))
    state = game.apply_outcome(state, result(B1=lies(UP, leaning=True), A1=lies(UP)))
    assert (state.b.cup, state.phase) == (("B1",), PigglesPhase.ACTION_REACTION)
    state = game.apply_outcome(state, result(B1=OFF, A1=lies(UP)))
    assert game.chance_request(state).piggles == ("B1",)
    state = game.apply_outcome(state, result(B1=OFF, A1=lies(UP)))
    assert (state.b.mud_piggles, state.active) == (("B1",), Seat.B)


def test_green_asks_for_a_spot_in_the_field_it_points_at():
    game = modern("green+right")
    mud = (MudEntry(piggle="A2", round=1),)
    state = acting({"A1": lies(UP)}, a=PigglesSide(mud=mud))
    state = game.apply_action(state, Act("A1", "A2"))
    request = game.chance_request(state)
    assert (request.thrower, request.piggles) == (Seat.A, ("A2",))
    spot = request.set_down
    # East of North lies left of it, seen from behind: to the right is West.
    assert (spot.orientation, spot.zone, spot.near) == (DOWN, W, None)
    state = game.apply_outcome(state, result(A2=lies(DOWN, W)))
    assert dict(state.board)["A2"] == lies(DOWN, W)
    assert state.a.mud == ()


def test_an_effect_that_finds_no_room_has_lapsed():
    game = modern("green+adjacent")
    side = PigglesSide(mud=(MudEntry(piggle="A2", round=1),))
    state = game.apply_action(acting({"A1": lies(UP)}, a=side), Act("A1", "A2"))
    state = game.apply_outcome(state, result(A2=OFF))
    assert (state.a.mud, state.active) == (side.mud, Seat.B)


def test_the_split_line_and_the_arrows_ask_for_a_spot_near_what_lies_there():
    game = modern("red+split red+arrow_cw red")
    board = {"A1": lies(UP), "A2": lies(UP, W), "A3": lies(DOWN, S)}
    state = acting(board, a=PigglesSide(pen=("A4",)))
    spot = game.chance_request(game.apply_action(state, Act("A1", "A4"))).set_down
    assert (spot.orientation, spot.zone, spot.near) == (DOWN, N, lies(UP))
    request = game.chance_request(game.apply_action(state, Act("A2", "A3")))
    assert [name for name, _ in request.standing] == ["A1", "A2"]
    assert request.set_down.near == lies(DOWN, S)
    assert (request.set_down.orientation, request.set_down.zone) == (UP, S)


@pytest.mark.parametrize(
    "outcome",
    [
        result(A2=lies(UP, N)),
        result(A2=lies(DOWN, E)),
        result(A2=lies(DOWN, N), A1=lies(UP)),
        result(A1=lies(DOWN, N)),
        RollResult(landings=()),
    ],
)
def test_what_is_set_down_otherwise_than_asked_is_refused(outcome):
    game = modern("green+adjacent")
    side = PigglesSide(mud=(MudEntry(piggle="A2", round=1),))
    state = game.apply_action(acting({"A1": lies(UP)}, a=side), Act("A1", "A2"))
    with pytest.raises(SpecError, match="set it down as asked"):
        game.apply_outcome(state, outcome)


def test_a_line_counts_as_the_field_of_its_quarter_when_agreed():
    def at(x: float, y: float) -> Landing:
        place = RestPlace(position=(x, y, 0.01), rotation=(0.0, 0.0, 0.0, 1.0))
        return lies(UP, Zone.LINE_FIELD_PATH, place=place)

    board = {"A1": at(0.01, 0.05), "B1": lies(UP, N), "B2": at(0.05, 0.01), "B3": at(0.0, 0.06)}
    listed = modern("red+adjacent", {"line_counts_as_field": True}).legal_actions(acting(board))
    assert listed[:2] == (Act("A1", "B1"), Act("A1", "B3"))
    turned = modern("red+left", {"line_counts_as_field": True}).legal_actions(acting(board))
    assert turned[:1] == (Act("A1", "B2"),)
    # Without a place nobody knows which field the line belongs to.
    bare = {name: replace(landing, place=None) for name, landing in board.items()}
    assert modern("red+adjacent", {"line_counts_as_field": True}).legal_actions(acting(bare)) == (
        Done(),
        Concede(),
    )


def test_a_shield_lasts_to_the_end_of_the_turn_of_its_roll():
    game = modern("yellow+adjacent", {"actors": "all_own_up"})
    state = acting({"A1": lies(UP), "A2": lies(UP)}, b=PigglesSide(pen=("B1",)))
    state = game.apply_action(state, Act("A1", "A2"))
    assert state.shields == (Shield(piggle="A2", by=Seat.A, fresh=False),)
    state = game.apply_action(state, Load(("B1",)))
    after = game.apply_outcome(state, result(B1=lies(UP, S), A1=lies(UP), A2=lies(UP)))
    assert after.shields == ()
    knock = Knock(
        struck="A2",
        by="B1",
        distance=0.1,
        angle=0.1,
        flipped=False,
        zone_changed=False,
        off_board=False,
    )
    hit = replace(result(B1=lies(UP, S), A1=lies(UP), A2=lies(UP, E)), knocks=(knock,))
    home = game.apply_outcome(state, hit)
    assert home.a.pen == ("A2",)
    assert dict(home.board).keys() == {"A1", "B1"}
    assert home.captured == ()


def test_a_cup_takes_six_of_a_pen_of_seven():
    game = modern("red")
    pen = ("A1", "A2", "A3", "A4", "A5", "A6", "B2")
    state = PigglesState(a=PigglesSide(pen=pen), captured=("B2",))
    loads = [action for action in game.legal_actions(state) if isinstance(action, Load)]
    assert len(loads) == 2**7 - 1
    with pytest.raises(IllegalActionError, match="at most 6"):
        game.apply_action(state, Load(pen))


def test_a_captured_piggle_is_rolled_for_its_captor_in_the_tie_break():
    game = modern("red")
    state = PigglesState(
        round=6,
        phase=PigglesPhase.SUDDEN,
        a=PigglesSide(pen=("B1",)),
        b=PigglesSide(pen=("B2",)),
        captured=("B1",),
    )
    assert game.chance_request(state).piggles == ("B1",)
    state = game.apply_outcome(state, result(B1=lies(UP)))
    assert game.chance_request(state).piggles == ("B2",)
    state = game.apply_outcome(state, result(B2=lies(DOWN)))
    assert game.result(state) == Result(winner=Seat.A, reason="sudden_snout_up")


def test_own_piggles_go_before_captured_ones_into_the_tie_break_for_both_players():
    game = modern("red")
    state = PigglesState(
        round=6,
        phase=PigglesPhase.SUDDEN,
        a=PigglesSide(pen=("A2", "B3")),
        b=PigglesSide(pen=("A1", "B2")),
        captured=("A1", "B3"),
    )
    assert game.chance_request(state).piggles == ("A2",)
    state = game.apply_outcome(state, result(A2=lies(UP)))
    assert game.chance_request(state).piggles == ("B2",)


def test_a_shielded_piggle_that_is_rolled_again_has_lost_its_shield():
    game = modern("red", {"off_board": "reroll"})
    state = PigglesState(
        phase=PigglesPhase.ROLL,
        a=PigglesSide(cup=("A1",)),
        b=PigglesSide(pen=("B1",)),
        board=(("B2", lies(UP)),),
        shields=(Shield(piggle="B2", by=Seat.B, fresh=False),),
    )
    gone = Landing(orientation=None, zone=Zone.OFF)
    after = game.apply_outcome(state, result(A1=lies(UP), B2=gone))
    assert after.b.cup == ("B2",)
    assert after.shields == ()


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"team_a": ["red"] * 7}, "6 Piggles in the team of A, got 7; try: leave some out"),
        ({"team_b": ["red"]}, "6 Piggles in the team of B, got 1; try: add some"),
        ({"team_a": ["rod"] * 6}, "try: red"),
        ({"team_a": ["red+lefft"] * 6}, "try: left"),
        ({"team_a": "red"}, "a list of markings for team_a"),
        ({"team_c": []}, "'team_c'"),
        ({"shield_until": "never"}, "reaction or roll or turn"),
    ],
)
def test_faults_in_settings_are_told(settings, fault):
    with pytest.raises(SpecError, match=fault):
        make_game("piggles_modern", settings)


def test_the_default_teams_are_alike_and_bear_common_runes_alone():
    game = make_game("piggles_modern")
    worn = dict(game.lineup)
    assert [worn[f"A{n}"] for n in range(1, 7)] == [worn[f"B{n}"] for n in range(1, 7)]
    assert {piece.colour for piece in worn.values()} == set(Colour)
    assert {piece.rune for piece in worn.values()} == {Rune.LEFT, Rune.RIGHT, Rune.ADJACENT}
    assert game.settings()["team_a"][0] == "orange+left"
    assert game.settings()["rare_runes"] is True
