"""Piggles: requests, illegal actions, ties and effects step by step, exact counts, invariants."""

from collections import Counter
from dataclasses import asdict, replace
from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede, NonPlayer, Result
from pigglesim.games.piggles.areas import Load, out_of
from pigglesim.games.piggles.effects import (
    EffectOptions,
    EffectVerb,
    aim,
    field_towards,
    shields_after_turn,
    targets,
    verb_of,
)
from pigglesim.games.piggles.game import PigglesClassic, PigglesModern
from pigglesim.games.piggles.state import (
    Act,
    Capture,
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
    team,
)
from pigglesim.games.registry import make_game
from pigglesim.landing import (
    BOARD_SEATS,
    FIELD_LINES,
    FIELDS,
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
from tests.support.random_games import GAMES, SEEDS, house_rules, lineups, walk
from tests.support.random_piggles import everything, steps_of

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


def test_sudden_snout_up_together_on_the_present_board():
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
    assert again.sudden == Sudden(rerolls=1)
    assert classic().chance_request(again).piggles == ("A1",)
    assert classic().chance_request(classic().apply_outcome(tied(), leaning)).piggles == ("B3",)


def test_a_roll_is_requested_with_the_present_board_and_the_readings_house_rules():
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


def test_leaning_piggles_are_rolled_again_up_to_the_cap():
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


def test_blue_requests_a_roll_of_its_target_alone_with_the_rest_on_the_board():
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


def test_blue_leaves_its_target_where_it_landed_while_another_is_rolled_again():
    game = modern("blue+adjacent", {"off_board": "reroll"})
    board = {"A1": lies(UP, N), "B1": lies(DOWN, N), "B2": lies(UP, S)}
    state = replace(acting(board), knock_credits=(("B1", Seat.A),))
    state = game.apply_action(state, Act("A1", "B1"))
    knock = knocked("B2", "B1", off=True)
    outcome = replace(result(B1=lies(DOWN, N), A1=lies(UP, N), B2=OFF), knocks=(knock,))
    state = game.apply_outcome(state, outcome)
    assert game.chance_request(state).piggles == ("B2",)
    state = game.apply_outcome(state, result(B2=lies(UP, S), A1=lies(UP, N), B1=lies(DOWN, N)))
    # Whoever had knocked it before (M10).
    assert (state.active, state.knock_credits) == (Seat.B, ())


def test_what_leaves_the_board_takes_its_knock_with_it():
    board = {"A1": lies(UP, N), "B1": lies(DOWN, N), "B2": lies(UP, S)}
    credits = (("B1", Seat.A), ("B2", Seat.A))
    state = out_of(replace(acting(board), knock_credits=credits), "B1")
    assert (state.landing("B1"), state.knock_credits) == (None, (("B2", Seat.A),))


def test_green_needs_a_spot_in_the_field_it_points_at():
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


def test_the_split_line_and_the_arrows_need_a_spot_near_what_rests_there():
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
def test_what_is_set_down_otherwise_than_requested_is_refused(outcome):
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
    ("by", "fresh", "stays"),
    [(Seat.A, True, True), (Seat.A, False, False), (Seat.B, True, False), (Seat.B, False, False)],
)
def test_a_shield_until_a_turn_ends_with_the_next_one(by, fresh, stays):
    shield = Shield(piggle="B2", by=by, fresh=fresh)
    state = PigglesState(board=(("B2", lies(UP, N)),), shields=(shield,))
    rules = modern("yellow", {"shield_until": "turn"}).effects.rules
    after = shields_after_turn(state, Seat.A, rules)
    assert after.shields == ((replace(shield, fresh=False),) if stays else ())


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
def test_faults_in_settings_are_reported(settings, fault):
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


RULES = {"rounds": 3, "cocked": "reroll", "reroll_cap": 2, "sudden_cap": 4}


def drawn_out(game):
    """The moves of a game whose turns each roll one Piggle that leans until the cap is reached."""
    state, moves = game.initial_state(), 0
    while game.turn(state) is not NonPlayer.OVER:
        if game.turn(state) is NonPlayer.CHANCE:
            request = game.chance_request(state)
            leans = state.phase is PigglesPhase.ROLL or request.standing
            leaning = bool(leans) and state.phase is not PigglesPhase.SUDDEN
            landings = [(piggle, lies(UP, N, leaning=leaning)) for piggle in request.piggles]
            state = game.apply_outcome(state, RollResult(landings=(*landings, *request.standing)))
        else:
            state = game.apply_action(state, Load(state.side(game.turn(state)).pen[:1]))
        moves += 1
    return moves, state


def test_classic_reaches_its_greatest_length_and_is_drawn():
    game = make_game("piggles_classic", RULES)
    moves, state = drawn_out(game)
    # 6 turns of a load, a roll and 2 rerolls; then 5 ties of two choices and rolls each.
    assert moves == game.max_length == 6 * 4 + 4 * 5
    assert game.result(state).reason == "draw"


WAYS = (lies(UP, N), lies(UP), lies(DOWN), lies(HEAD), OFF)
"""Ways in which a rolled Piggle lies; what stands is never struck."""


def outcomes(game, state):
    request = game.chance_request(state)
    if request.set_down is not None:
        spot = request.set_down
        here = Landing(orientation=spot.orientation, zone=spot.zone)
        return [RollResult(landings=((request.piggles[0], at),)) for at in (here, OFF)]
    return [
        RollResult(landings=(*zip(request.piggles, ways, strict=True), *request.standing))
        for ways in product(WAYS, repeat=len(request.piggles))
    ]


def after(game, state):
    if game.turn(state) is NonPlayer.CHANCE:
        return [game.apply_outcome(state, outcome) for outcome in outcomes(game, state)]
    return [
        game.apply_action(state, action)
        for action in game.legal_actions(state)
        if not isinstance(action, Concede)
    ]


def explore(game, start, *, stop=lambda state: False):
    """The distinct positions, and how many ways of play end (nobody concedes)."""
    ways = Counter({start: 1})
    seen = {start}
    ends = 0
    while ways:
        following = Counter()
        for state, count in ways.items():
            if game.turn(state) is NonPlayer.OVER or stop(state):
                ends += count
                continue
            for new in after(game, state):
                following[new] += count
                seen.add(new)
        ways = following
    return seen, ends


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 1), (2, 1), (2, 2)])
def test_a_round_of_classic_has_as_many_ways_to_be_played_as_loads_and_landings(a, b):
    game = make_game("piggles_classic", {"rounds": 1})
    pens = [tuple(f"{seat}{n + 1}" for n in range(k)) for seat, k in (("A", a), ("B", b))]
    start = PigglesState(a=PigglesSide(pen=pens[0]), b=PigglesSide(pen=pens[1]))
    _, ends = explore(game, start, stop=lambda state: state.phase is PigglesPhase.SUDDEN)
    # Each Piggle is left in the Pen or rolled into one of five ways, whatever the others do.
    sums = [sum(comb(k, j) * 5**j for j in range(k + 1)) for k in (a, b)]
    assert ends == sums[0] * sums[1] == 6 ** (a + b)


def test_two_rounds_of_classic_by_a_brute_count_of_one_piggle_a_side():
    game = make_game("piggles_classic", {"rounds": 2})
    start = PigglesState(a=PigglesSide(pen=("A1",)), b=PigglesSide(pen=("B1",)))
    _, ends = explore(game, start, stop=lambda state: state.phase is PigglesPhase.SUDDEN)
    # A Piggle that stays in the Pen for a round has six ways in the next; one that was rolled has
    # none but to stay where it is, for nothing leaves the Mud before round 4.
    one = 1 * 6 + 5 * 1
    assert ends == one * one


def test_the_positions_of_a_round_of_classic_are_those_of_a_table_made_by_hand():
    game = make_game("piggles_classic", {"rounds": 1})
    start = PigglesState(a=PigglesSide(pen=("A1",)), b=PigglesSide(pen=("B1",)))
    seen, _ = explore(game, start, stop=lambda state: state.phase is PigglesPhase.SUDDEN)
    # A to load, A to roll: 2. B to load after each of A's 6 ways: 6. B to roll: 6. At the end a
    # Piggle is in the Pen, on one of two zones, in the Mud (Snout-Down or off) or in the Kitchen.
    assert len(seen) == 2 + 6 + 6 + 5 * 5


# Where both lie in the one field, Red may act, or Blue may reroll the other, in five ways.
@pytest.mark.parametrize(("markings", "more"), [("red+adjacent", 1), ("blue+adjacent", 5)])
def test_a_round_of_modern_adds_what_effects_add(markings, more):
    start = PigglesState(a=PigglesSide(pen=("A1",)), b=PigglesSide(pen=("B1",)))
    game = modern("", {"rounds": 1, "team_b": [markings, *["-"] * 5]})
    _, ends = explore(game, start, stop=lambda state: state.phase is PigglesPhase.SUDDEN)
    assert ends == 36 + more


@pytest.mark.parametrize(
    ("markings", "ways"),
    [
        # Done; or either first: it takes the other (1), or B1 or B2, after which the other is done
        # or takes one of the two that are left (3 each).
        (["red+adjacent", "red+adjacent"], 1 + 2 * (1 + 2 * 3)),
        # Done, or a shield for one of three.
        (["yellow+adjacent", "red"], 4),
    ],
)
def test_the_orders_of_acting_are_all_there(markings, ways):
    game = modern(" ".join(markings), {"rounds": 1})
    board = tuple((name, WAYS[0]) for name in ("A1", "A2", "B1", "B2"))
    actors = ("A1", "A2")
    start = PigglesState(
        phase=PigglesPhase.ACTION_REACTION, board=board, actors=actors, a=PigglesSide(pen=("A3",))
    )
    _, ends = explore(game, start, stop=lambda state: state.active is Seat.B)
    assert ends == ways


plays = given(game=GAMES["piggles_classic"] | GAMES["piggles_modern"], seed=SEEDS)
modern_plays = given(game=GAMES["piggles_modern"], seed=SEEDS)
often = settings(max_examples=15)
IDS = (*team(Seat.A), *team(Seat.B))
QUARTER = dict(zip(FIELDS, (*FIELDS[1:], FIELDS[0]), strict=True))
QUARTER |= {FIELD_LINES[field]: FIELD_LINES[after] for field, after in QUARTER.items()}


@often
@plays
def test_a_tally_is_bounded_adds_up_and_touches_one_player_only(game, seed):
    zones = dict.fromkeys(BOARD_SEATS, 0)
    for move in walk(game, seed, conceding=0.01):
        old = move.before
        for step in steps_of(game, move):
            if step.tally is not None:
                tally = step.tally
                # Three for each Piggle one plays: six, or more after captures.
                own = sum(old.controller(piggle) is tally.seat for piggle in everything(old))
                assert 0 <= tally.zones <= 3 * own
                zones[tally.seat] += tally.zones
                gains = tally.zones + tally.mud_bonus + tally.kitchen_bonus
                assert tally.after == max(0, tally.before + gains - tally.penalty)
                assert step.state.side(tally.seat).score == tally.after
                assert step.state.side(tally.seat.other) == old.side(tally.seat.other)
            old = step.state
    most = 18 if not old.captured and game.name == "piggles_classic" else 36
    assert max(zones.values()) <= most * game.rules.rounds


FOLLOWERS = {
    PigglesPhase.LOAD: {PigglesPhase.ROLL, PigglesPhase.ACTION_REACTION, PigglesPhase.TALLY},
    PigglesPhase.ROLL: {PigglesPhase.ROLL, PigglesPhase.ACTION_REACTION, PigglesPhase.TALLY},
    PigglesPhase.ACTION_REACTION: {PigglesPhase.ACTION_REACTION, PigglesPhase.TALLY},
    PigglesPhase.TALLY: {PigglesPhase.RECOUP, PigglesPhase.RESOLVE},
    PigglesPhase.RESOLVE: {PigglesPhase.RECOUP, PigglesPhase.SUDDEN},
    PigglesPhase.RECOUP: {PigglesPhase.LOAD},
    PigglesPhase.SUDDEN: {PigglesPhase.SUDDEN},
}
"""Which phases may follow each (R5, R6, R16, R19)."""


@often
@plays
def test_steps_show_one_phase_after_the_other_and_turns_change_hands(game, seed):
    last, seat, turns = PigglesPhase.RECOUP, game.rules.first_player, 0
    for move in walk(game, seed, conceding=0.01):
        steps = steps_of(game, move)
        if isinstance(move.move, Concede):
            conceder = game.turn(move.before)
            assert [(s.phase, s.seat) for s in steps] == [(move.before.phase, conceder)]
            assert conceder is seat or move.before.phase is PigglesPhase.SUDDEN
            assert move.after.result.reason == "concession"
            return
        for step in steps:
            assert step.phase in FOLLOWERS[last]
            assert step.state.phase in {step.phase, *FOLLOWERS[step.phase]}
            assert game.name == "piggles_modern" or step.phase is not PigglesPhase.ACTION_REACTION
            if step.phase in {PigglesPhase.RESOLVE, PigglesPhase.SUDDEN}:
                # In a tie-break players choose (P15); the rest concerns both.
                chooses = step.phase is PigglesPhase.SUDDEN and isinstance(move.move, Load)
                assert step.seat is (game.turn(move.before) if chooses else None)
            else:
                if step.phase is PigglesPhase.RECOUP:
                    turns += 1
                    first = game.rules.first_in(turns // 2 + 1)
                    seat = first if turns % 2 == 0 else first.other
                assert step.seat is seat
            last = step.phase
        assert move.after.phase not in {PigglesPhase.TALLY, PigglesPhase.RECOUP}


@often
@modern_plays
def test_each_piggle_acts_once_a_turn_snout_up_and_of_the_player_whose_turn_it_is(game, seed):
    turn, acted = None, Counter()
    for move in walk(game, seed):
        before = move.before
        if (before.round, before.active) != turn:
            turn, acted = (before.round, before.active), Counter()
        if isinstance(move.move, Act):
            piggle, target = move.move.piggle, move.move.target
            acted[piggle] += 1
            assert acted[piggle] == 1
            assert target != piggle
            assert before.controller(piggle) is before.active
            assert before.landing(piggle).orientation is Orientation.SNOUT_UP
            assert verb_of(game.effects.piece(piggle), game.rules) is not None


@often
@modern_plays
def test_an_effect_does_to_its_target_what_it_says_and_to_no_other_place(game, seed):
    for move in walk(game, seed):
        if not isinstance(move.move, Act):
            continue
        first, target = steps_of(game, move)[0].state, move.move.target
        verb = game.effects.verb(move.move.piggle)
        lay = move.before.landing(target) is not None
        shielded = target in {s.piggle for s in move.before.shields if s.rolled}
        others = [entry for entry in move.before.board if entry[0] != target]
        assert [entry for entry in first.board if entry[0] != target] == others
        match verb:
            case EffectVerb.BURN | EffectVerb.DAMAGE:
                assert lay
                assert not shielded
                side = first.side(first.controller(target))
                assert target in (side.kitchen if verb is EffectVerb.BURN else side.mud_piggles)
            case EffectVerb.SHIELD:
                assert (target, move.before.active) in {(s.piggle, s.by) for s in first.shields}
            case EffectVerb.RESCUE:
                assert target in first.side(move.before.active).pen
            case EffectVerb.DEMOTE:
                assert target in first.side(first.controller(target)).mud_piggles
            case _:
                assert first.pending == move.move


@often
@modern_plays
def test_piggles_change_hands_by_a_shield_or_a_spiral_alone(game, seed):
    for move in walk(game, seed):
        first = steps_of(game, move)[0].state
        for piggle in set(move.after.captured) - set(move.before.captured):
            # Blue's roll knocks in the Action & Reaction, where a shield of this turn's roll holds.
            reaction = move.before.pending is not None
            live = {each.piggle for each in move.before.shields if each.rolled or not reaction}
            knocked = isinstance(move.move, RollResult) and piggle in live
            rescued = isinstance(move.move, Act) and move.move.target == piggle
            assert knocked or rescued
            assert piggle in first.side(first.controller(piggle)).pen
        for piggle in set(move.before.captured) - set(move.after.captured):
            returned = game.rules.capture is Capture.RETURN
            home = piggle in first.side(Seat(piggle[0])).pen
            assert returned or home


landings = st.builds(
    Landing,
    orientation=st.sampled_from(Orientation),
    zone=st.sampled_from([zone for zone in Zone if zone is not Zone.OFF]),
)
boards = st.dictionaries(st.sampled_from(IDS), landings).map(
    lambda board: tuple(sorted(board.items()))
)


@given(board=boards, rules=house_rules(ModernRules), lineup=lineups())
def test_a_quarter_turn_of_the_board_commutes_with_direction(board, rules, lineup):
    if rules.left is Left.PLAYER_VIEW:
        rules = replace(rules, left=Left.CLOCKWISE)
    table = EffectOptions(rules=rules, lineup=lineup)
    turned = tuple((p, replace(at, zone=QUARTER.get(at.zone, at.zone))) for p, at in board)
    before, after = PigglesState(board=board), PigglesState(board=turned)
    for piggle, _ in board:
        assert targets(after, piggle, table) == targets(before, piggle, table)
        field = aim(before, piggle, table)
        assert aim(after, piggle, table) is (QUARTER[field] if field else None)
