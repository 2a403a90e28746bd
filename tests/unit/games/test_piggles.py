"""Piggles step by step: requests to chance, illegal actions, ties, effects."""

from dataclasses import asdict, replace

import pytest

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede, Result
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.effects import field_towards
from pigglesim.games.piggles.game import PigglesClassic, PigglesModern
from pigglesim.games.piggles.state import (
    Act,
    Done,
    Left,
    ModernRules,
    MudEntry,
    PigglesPhase,
    PigglesRules,
    PigglesSide,
    PigglesState,
    Shield,
    Sudden,
)
from pigglesim.games.registry import make_game
from pigglesim.landing import (
    Cocked,
    Knock,
    Landing,
    LineRule,
    Orientation,
    ReadingRules,
    RestPlace,
    RollResult,
    Seat,
    Zone,
)
from pigglesim.markings import Rune

UP, DOWN, HEAD = Orientation
N, E, S, W = Zone.FIELD_NORTH, Zone.FIELD_EAST, Zone.FIELD_SOUTH, Zone.FIELD_WEST
OFF = Landing(orientation=None, zone=Zone.OFF)


def lies(pose: Orientation, zone: Zone = Zone.WOODS, **more: object) -> Landing:
    return Landing(orientation=pose, zone=zone, **more)


def result(**landings: Landing) -> RollResult:
    return RollResult(landings=tuple(landings.items()))


def knocked(struck: str, by: str, *, off: bool = False) -> Knock:
    flags = {"flipped": off, "zone_changed": off, "off_board": off}
    return Knock(struck=struck, by=by, distance=0.1, angle=0.1, **flags)


def classic(**rules: object) -> PigglesClassic:
    return PigglesClassic.from_settings(rules)


def test_skipping_all_six_rounds_level_and_then_sudden_snout_up():
    game = classic()
    state = game.initial_state()
    for _ in range(12):
        state = game.apply_action(state, Load())
    assert state.phase is PigglesPhase.SUDDEN
    assert game.turn(state) is Seat.A
    assert game.legal_actions(state) == (*(Load((f"A{n}",)) for n in range(1, 7)), Concede())
    state = game.apply_action(state, Load(("A4",)))
    request = game.chance_request(state)
    assert (request.thrower, request.piggles, request.standing) == (Seat.A, ("A4",), ())
    state = game.apply_outcome(state, result(A4=lies(DOWN)))
    assert game.turn(state) is Seat.B
    state = game.apply_action(state, Load(("B1",)))
    state = game.apply_outcome(state, result(B1=lies(DOWN, N)))
    assert game.result(state) is None
    state = game.apply_action(state, Load(("A1",)))
    state = game.apply_outcome(state, result(A1=OFF))
    assert game.chance_request(state).piggles == ("A1",), "off the board is rolled again"
    state = game.apply_outcome(state, result(A1=lies(HEAD)))
    state = game.apply_action(state, Load(("B6",)))
    state = game.apply_outcome(state, result(B6=lies(UP)))
    assert game.result(state) == Result(winner=Seat.B, reason="sudden_snout_up")
    assert game.legal_actions(state) == ()


def tied(**parts: object) -> PigglesState:
    position = PigglesState(
        round=6,
        phase=PigglesPhase.SUDDEN,
        a=PigglesSide(pen=("A1",), score=4),
        b=PigglesSide(mud=(MudEntry(piggle="B3", round=6),), score=4),
        board=(("A2", lies(UP)), ("B1", lies(UP, Zone.FIELD_WEST))),
    )
    return replace(position, **parts)


def test_only_an_available_piggle_can_be_chosen_for_the_tie_break():
    game = classic()
    state = tied(a=PigglesSide(pen=("A1", "A5"), kitchen=("A3",), score=4))
    for refused in (Load(), Load(("A2",)), Load(("A3",)), Load(("A1", "A5"))):
        with pytest.raises(IllegalActionError, match="R16"):
            game.apply_action(state, refused)
    state = game.apply_action(state, Load(("A5",)))
    assert game.parse_state(game.format_state(state)) == state
    assert game.chance_request(state).piggles == ("A5",)
    # B has one Piggle, in the Mud, and so no choice.
    state = game.apply_outcome(state, result(A5=lies(UP)))
    assert game.chance_request(state).piggles == ("B3",)


def test_both_choose_before_they_roll_together():
    game = classic(sudden_rolls="together")
    pens = {"a": PigglesSide(pen=("A1", "A5")), "b": PigglesSide(pen=("B2", "B6"))}
    state = game.apply_action(tied(**pens, board=()), Load(("A5",)))
    assert game.turn(state) is Seat.B
    state = game.apply_action(state, Load(("B6",)))
    assert game.chance_request(state).piggles == ("A5", "B6")
    state = game.apply_outcome(state, result(A5=lies(UP), B6=lies(UP)))
    assert state.sudden == Sudden(rerolls=1), "after a tie both choose again"


def test_sudden_snout_up_together_on_the_board_as_it_lies():
    game = classic(sudden_rolls="together", sudden_board="as_it_lies")
    request = game.chance_request(tied(active=Seat.B))
    assert (request.thrower, request.piggles) == (Seat.B, ("B3", "A1"))
    assert [piggle for piggle, _ in request.standing] == ["A2", "B1"]
    moved = result(A1=lies(UP), B3=lies(DOWN), A2=OFF, B1=lies(HEAD))
    state = game.apply_outcome(tied(active=Seat.B), moved)
    assert game.result(state) == Result(winner=Seat.A, reason="sudden_snout_up")
    assert state.board == tied().board


def test_sudden_snout_up_rolls_a_leaning_piggle_again_when_agreed():
    leaning = result(A1=lies(UP, leaning=True))
    again = classic(cocked="reroll").apply_outcome(tied(), leaning)
    assert classic().chance_request(again).piggles == ("A1",)
    assert classic().chance_request(classic().apply_outcome(tied(), leaning)).piggles == ("B3",)


def test_a_roll_is_asked_for_with_the_board_as_it_lies_and_the_readings_house_rules():
    place = RestPlace(position=(0.1, -0.2, 0.01), rotation=(0.0, 0.6, 0.0, 0.8))
    board = (("B1", lies(UP, place=place)),)
    state = PigglesState(a=PigglesSide(pen=("A1",)), board=board)
    game = classic(line_rule="com", cocked="nudge", contact_tolerance_mm=1, knock_angle_deg=7)
    request = game.chance_request(game.apply_action(state, Load(("A1",))))
    assert request.standing == board
    assert request.reading.line_rule is LineRule.COM
    assert request.reading.cocked is Cocked.NUDGE
    assert request.reading.contact_tolerance_mm == 1.0
    assert request.reading.knock_angle_deg == 7.0
    assert request.reading.knock_distance_mm == 3.0


def test_leaning_piggles_are_rolled_again_as_often_as_the_cap_allows():
    game = classic(cocked="reroll", reroll_cap=2)
    state = game.apply_action(game.initial_state(), Load(("A1", "A2")))
    state = game.apply_outcome(state, result(A1=lies(UP, leaning=True), A2=lies(UP)))
    request = game.chance_request(state)
    assert request.piggles == ("A1",)
    assert [piggle for piggle, _ in request.standing] == ["A2"]
    # What only leans because the roll pushed it there is not rolled again.
    pushed = result(A1=lies(DOWN, stacked=True), A2=lies(UP, leaning=True))
    state = game.apply_outcome(state, pushed)
    assert game.chance_request(state).piggles == ("A1",)
    last = result(A1=lies(UP, leaning=True), A2=lies(UP))
    state = game.apply_outcome(state, last)
    assert (game.turn(state), state.a.score) == (Seat.B, 2)


@pytest.mark.parametrize("action", [Load(("A1", "A1")), Load(("A5",)), Load(("B1",))])
def test_an_illegal_load_names_the_rule_and_changes_nothing(action):
    game = classic()
    state = PigglesState(
        a=PigglesSide(pen=("A1", "A2"), kitchen=("A5",)), b=PigglesSide(pen=("B1",))
    )
    before = game.format_state(state)
    with pytest.raises(IllegalActionError, match="R8"):
        game.apply_action(state, action)
    assert game.format_state(state) == before
    assert action not in game.legal_actions(state)


@pytest.mark.parametrize(
    ("outcome", "remedy"),
    [
        (result(A1=lies(UP)), "one landing"),
        (result(A1=lies(UP), B1=lies(UP), B2=lies(UP)), "one landing"),
        (
            RollResult(landings=(("A1", lies(UP)), ("A1", lies(UP)), ("B1", lies(UP)))),
            "one landing",
        ),
        (result(A1=Landing(orientation=None, zone=Zone.WOODS), B1=lies(UP)), "orientation"),
        (result(A1=Landing(orientation=UP, zone=Zone.OFF), B1=lies(UP)), "orientation"),
        (replace(result(A1=lies(UP), B1=lies(UP)), knocks=(knocked("A1", "A1"),)), "leave it out"),
        (replace(result(A1=lies(UP), B1=lies(UP)), knocks=(knocked("B1", "B1"),)), "leave it out"),
    ],
)
def test_an_outcome_that_does_not_answer_the_request_is_refused(outcome, remedy):
    game = classic()
    state = PigglesState(a=PigglesSide(pen=("A1",)), board=(("B1", lies(UP)),))
    state = game.apply_action(state, Load(("A1",)))
    with pytest.raises(SpecError, match=remedy):
        game.apply_outcome(state, outcome)


def modern(team_a: str, rules: dict[str, object] | None = None) -> PigglesModern:
    """A game whose A plays the markings given, and whose B is neutral but for what is given."""
    worn = team_a.split()
    return make_game(
        "piggles_modern",
        {"team_a": [*worn, *["-"] * (6 - len(worn))], "team_b": ["-"] * 6, **(rules or {})},
    )


def acting(board: dict[str, Landing], **parts: object) -> PigglesState:
    """A's Piggles that lie Snout-Up are about to act."""
    actors = [p for p, at in sorted(board.items()) if p[0] == "A" and at.orientation is UP]
    position = PigglesState(
        phase=PigglesPhase.ACTION_REACTION, board=tuple(sorted(board.items())), actors=tuple(actors)
    )
    return replace(position, **parts)


def test_mandatory_effects_leave_no_way_out_but_to_concede():
    game = modern("red+adjacent", {"effects_mandatory": True})
    state = acting({"A1": lies(UP, N), "B1": lies(UP, N)})
    assert game.legal_actions(state) == (Act("A1", "B1"), Concede())
    with pytest.raises(IllegalActionError, match="M2"):
        game.apply_action(state, Done())


@pytest.mark.parametrize(
    ("action", "rule", "fault"),
    [
        (Load(("A2",)), "R20", "act A1 B2 or done"),
        (Act("A1", "B2"), "M7", "target of B1"),
        (Act("A1", "A1"), "M7", "target of B1"),
        (Act("A2", "B1"), "M1", "action of A1"),
        (Act("B1", "A1"), "M1", "action of A1"),
    ],
)
def test_an_illegal_action_names_the_rule_and_changes_nothing(action, rule, fault):
    game = modern("red+adjacent red+adjacent")
    state = acting(
        {"A1": lies(UP, N), "B1": lies(UP, N), "B2": lies(UP, S)}, a=PigglesSide(pen=("A2",))
    )
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
    state = acting({"A1": lies(UP, N), "B1": lies(UP, N), "B2": lies(UP, S)})
    state = game.apply_action(state, Act("A1", "B1"))
    request = game.chance_request(state)
    assert (request.thrower, request.piggles) == (Seat.A, ("B1",))
    assert request.standing == (("A1", lies(UP, N)), ("B2", lies(UP, S)))
    assert (request.toss, request.set_down) == (None, None)
    knock = knocked("B2", "B1", off=True)
    outcome = replace(result(B1=lies(HEAD, N), A1=lies(UP, N), B2=OFF), knocks=(knock,))
    state = game.apply_outcome(state, outcome)
    # 3 for A1, 1 for B2 knocked into the Mud by the acting player (M10).
    assert state.a.score == 4
    assert state.b.mud_piggles == ("B2",)


def test_blue_tosses_its_target_in_place_when_agreed():
    game = modern("blue+adjacent", {"blue_mode": "drop_in_place"})
    state = acting({"A1": lies(UP, N), "B1": lies(DOWN, N)})
    request = game.chance_request(game.apply_action(state, Act("A1", "B1")))
    assert (request.piggles, request.toss) == (("B1",), lies(DOWN, N))


def test_blue_rolls_once_more_what_leans_or_falls_off_when_agreed():
    game = modern("blue+adjacent", {"cocked": "reroll", "off_board": "reroll", "reroll_cap": 2})
    state = game.apply_action(acting({"A1": lies(UP, N), "B1": lies(UP, N)}), Act("A1", "B1"))
    state = game.apply_outcome(state, result(B1=lies(UP, N, leaning=True), A1=lies(UP, N)))
    assert (state.b.cup, state.phase) == (("B1",), PigglesPhase.ACTION_REACTION)
    state = game.apply_outcome(state, result(B1=OFF, A1=lies(UP, N)))
    assert game.chance_request(state).piggles == ("B1",)
    state = game.apply_outcome(state, result(B1=OFF, A1=lies(UP, N)))
    assert (state.b.mud_piggles, state.active) == (("B1",), Seat.B)


def test_green_asks_for_a_spot_in_the_field_it_points_at():
    game = modern("green+right")
    mud = (MudEntry(piggle="A2", round=1),)
    state = acting({"A1": lies(UP, N)}, a=PigglesSide(mud=mud))
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
    state = game.apply_action(acting({"A1": lies(UP, N)}, a=side), Act("A1", "A2"))
    state = game.apply_outcome(state, result(A2=OFF))
    assert (state.a.mud, state.active) == (side.mud, Seat.B)


def test_the_split_line_and_the_arrows_ask_for_a_spot_near_what_lies_there():
    game = modern("red+split red+arrow_cw red")
    board = {"A1": lies(UP, N), "A2": lies(UP, W), "A3": lies(DOWN, S)}
    state = acting(board, a=PigglesSide(pen=("A4",)))
    spot = game.chance_request(game.apply_action(state, Act("A1", "A4"))).set_down
    assert (spot.orientation, spot.zone, spot.near) == (DOWN, N, lies(UP, N))
    request = game.chance_request(game.apply_action(state, Act("A2", "A3")))
    assert [name for name, _ in request.standing] == ["A1", "A2"]
    assert request.set_down.near == lies(DOWN, S)
    assert (request.set_down.orientation, request.set_down.zone) == (UP, S)


@pytest.mark.parametrize(
    "outcome",
    [
        result(A2=lies(UP, N)),
        result(A2=lies(DOWN, E)),
        result(A2=lies(DOWN, N), A1=lies(UP, N)),
        result(A1=lies(DOWN, N)),
        RollResult(landings=()),
    ],
)
def test_what_is_set_down_otherwise_than_asked_is_refused(outcome):
    game = modern("green+adjacent")
    side = PigglesSide(mud=(MudEntry(piggle="A2", round=1),))
    state = game.apply_action(acting({"A1": lies(UP, N)}, a=side), Act("A1", "A2"))
    with pytest.raises(SpecError, match="set it down"):
        game.apply_outcome(state, outcome)


def test_a_line_counts_as_the_field_that_it_names():
    board = {
        "A1": lies(UP, Zone.LINE_NORTH),
        "B1": lies(UP, N),
        "B2": lies(DOWN, Zone.LINE_EAST),
        "B3": lies(UP, Zone.LINE_NORTH),
        "B4": lies(UP, Zone.LINE_FIELD_PATH),
    }

    def acts(colour: str, at: dict[str, Landing], **rules: object) -> list[Act]:
        actions = modern(colour, rules).legal_actions(acting(at))
        return [action for action in actions if isinstance(action, Act)]

    assert acts("red+adjacent", board) == [Act("A1", "B1"), Act("A1", "B3")]
    assert acts("red+left", board) == [Act("A1", "B2")]
    assert acts("red+adjacent", board, line_counts_as_field=False) == []
    # Nobody knows which field this line belongs to.
    assert acts("red+adjacent", board | {"A1": lies(UP, Zone.LINE_FIELD_PATH)}) == []


def test_own_piggles_go_before_captured_ones_into_the_tie_break_for_both_players():
    game = modern("red", {"sudden_choice": "first"})
    state = PigglesState(
        round=6,
        phase=PigglesPhase.SUDDEN,
        a=PigglesSide(pen=("A2", "B3")),
        b=PigglesSide(pen=("A1", "B2")),
        captured=("A1", "B3"),
    )
    assert game.chance_request(state).piggles == ("A2",)
    state = game.apply_outcome(state, result(A2=lies(UP, N)))
    assert game.chance_request(state).piggles == ("B2",)


def test_a_shielded_piggle_that_is_rolled_again_has_lost_its_shield():
    game = modern("red", {"off_board": "reroll"})
    state = PigglesState(
        phase=PigglesPhase.ROLL,
        a=PigglesSide(cup=("A1",)),
        b=PigglesSide(pen=("B1",)),
        board=(("B2", lies(UP, N)),),
        shields=(Shield(piggle="B2", by=Seat.B, fresh=False),),
    )
    gone = Landing(orientation=None, zone=Zone.OFF)
    after = game.apply_outcome(state, result(A1=lies(UP, N), B2=gone))
    assert after.b.cup == ("B2",)
    assert after.shields == ()


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"team_a": ["red"] * 7}, "7 Piggles in the team of A"),
        ({"team_b": ["red"]}, "1 Piggles in the team of B"),
        ({"team_a": ["rod"] * 6}, "use red"),
        ({"team_a": ["red+lefft"] * 6}, "use left"),
        ({"team_a": "red"}, "team_a"),
        ({"team_c": []}, "'team_c'"),
        ({"shield_until": "never"}, "reaction or roll or turn"),
    ],
)
def test_faults_in_settings_are_told(settings, fault):
    with pytest.raises(SpecError, match=fault):
        make_game("piggles_modern", settings)


# A sits in the South and looks North; B sits across.
@pytest.mark.parametrize(
    ("left", "rune", "seat", "fields"),
    [
        (Left.CLOCKWISE, Rune.LEFT, Seat.A, (E, S, W, N)),
        (Left.CLOCKWISE, Rune.RIGHT, Seat.B, (W, N, E, S)),
        (Left.COUNTERCLOCKWISE, Rune.LEFT, Seat.B, (W, N, E, S)),
        (Left.COUNTERCLOCKWISE, Rune.RIGHT, Seat.A, (E, S, W, N)),
        (Left.PLAYER_VIEW, Rune.LEFT, Seat.A, (W, W, W, None)),
        (Left.PLAYER_VIEW, Rune.RIGHT, Seat.A, (E, None, E, E)),
        (Left.PLAYER_VIEW, Rune.LEFT, Seat.B, (E, None, E, E)),
        (Left.PLAYER_VIEW, Rune.RIGHT, Seat.B, (W, W, W, None)),
        *((left, Rune.ADJACENT, Seat.A, (N, E, S, W)) for left in Left),
        *((left, Rune.ACROSS, Seat.B, (S, W, N, E)) for left in Left),
    ],
)
def test_directions_from_each_field(left, rune, seat, fields):
    rules = ModernRules(left=left)
    assert tuple(field_towards(field, rune, seat, rules) for field in (N, E, S, W)) == fields


def test_the_table_is_read_by_the_house_rules_of_the_game():
    reading = ReadingRules(
        line_rule=LineRule.COM,
        cocked=Cocked.REROLL,
        contact_tolerance_mm=0.7,
        knock_distance_mm=4.0,
        knock_angle_deg=9.0,
    )
    assert PigglesRules(**asdict(reading)).reading() == reading
