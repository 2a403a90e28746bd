"""Piggles Classic step by step: what is asked of chance, what is illegal, how ties are broken."""

from dataclasses import replace

import pytest

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede, NonPlayer, Result
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.house_rules import PigglesRules
from pigglesim.games.piggles.state import MudEntry, PigglesPhase, PigglesSide, PigglesState
from pigglesim.landing import (
    Cocked,
    Knock,
    Landing,
    LineRule,
    Orientation,
    RestPlace,
    RollResult,
    Seat,
    Zone,
)

UP, DOWN, HEAD = Orientation
OFF = Landing(orientation=None, zone=Zone.OFF)


def lies(pose: Orientation, zone: Zone = Zone.WOODS, **more: object) -> Landing:
    return Landing(orientation=pose, zone=zone, **more)


def classic(text: str = "") -> PigglesClassic:
    return PigglesClassic(rules=PigglesRules.from_text(text))


def result(**landings: Landing) -> RollResult:
    return RollResult(landings=tuple(landings.items()))


def test_a_round_is_two_turns_and_a_resolve():
    game = classic()
    state = game.initial_state()
    assert game.turn(state) is Seat.A
    state = game.apply_action(state, Load(("A1", "A2")))
    assert game.turn(state) is NonPlayer.CHANCE
    state = game.apply_outcome(state, result(A1=lies(UP, Zone.FIELD_EAST), A2=lies(DOWN)))
    assert (game.turn(state), game.scores(state)) == (Seat.B, {Seat.A: 3, Seat.B: 0})
    state = game.apply_action(state, Load())
    assert (game.turn(state), state.round) == (Seat.A, 2)
    assert state.a.mud == (MudEntry(piggle="A2", round=1),)
    assert [piggle for piggle, _ in state.board] == ["A1"]


def test_skipping_all_six_rounds_level_and_then_sudden_snout_up():
    game = classic()
    state = game.initial_state()
    for _ in range(12):
        state = game.apply_action(state, Load())
    assert state.phase is PigglesPhase.SUDDEN
    request = game.chance_request(state)
    assert (request.thrower, request.piggles, request.standing) == (Seat.A, ("A1",), ())
    state = game.apply_outcome(state, result(A1=lies(DOWN)))
    assert game.chance_request(state).piggles == ("B1",)
    state = game.apply_outcome(state, result(B1=lies(DOWN, Zone.FIELD_NORTH)))
    assert game.result(state) is None
    assert game.chance_request(state).piggles == ("A1",)
    state = game.apply_outcome(state, result(A1=OFF))
    assert game.chance_request(state).piggles == ("A1",), "off the board is rolled again"
    state = game.apply_outcome(state, result(A1=lies(HEAD)))
    state = game.apply_outcome(state, result(B1=lies(UP)))
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


def test_sudden_snout_up_takes_from_the_mud_when_the_pen_is_empty():
    state = classic().apply_outcome(tied(), result(A1=lies(UP)))
    assert classic().chance_request(state).piggles == ("B3",)


def test_sudden_snout_up_together_on_the_board_as_it_lies():
    game = classic("sudden_rolls=together sudden_board=as_it_lies")
    request = game.chance_request(tied(active=Seat.B))
    assert (request.thrower, request.piggles) == (Seat.B, ("B3", "A1"))
    assert [piggle for piggle, _ in request.standing] == ["A2", "B1"]
    moved = result(A1=lies(UP), B3=lies(DOWN), A2=OFF, B1=lies(HEAD))
    state = game.apply_outcome(tied(active=Seat.B), moved)
    assert game.result(state) == Result(winner=Seat.A, reason="sudden_snout_up")
    assert state.board == tied().board


def test_sudden_snout_up_is_drawn_when_the_rerolls_are_used_up():
    game = classic("sudden_cap=1")
    state = tied()
    for _ in range(2):
        assert game.result(state) is None
        state = game.apply_outcome(state, result(A1=lies(UP)))
        state = game.apply_outcome(state, result(B3=lies(UP)))
    assert game.result(state) == Result(winner=None, reason="draw")


def test_sudden_snout_up_lifts_its_piggle_from_the_board_as_it_lies():
    game = classic("sudden_available=pen_mud_or_board sudden_board=as_it_lies")
    request = game.chance_request(tied(a=PigglesSide(score=4)))
    assert request.piggles == ("A2",)
    assert [piggle for piggle, _ in request.standing] == ["B1"]


def test_sudden_snout_up_rolls_a_leaning_piggle_again_when_agreed():
    leaning = result(A1=lies(UP, leaning=True))
    again = classic("cocked=reroll").apply_outcome(tied(), leaning)
    assert classic().chance_request(again).piggles == ("A1",)
    assert classic().chance_request(classic().apply_outcome(tied(), leaning)).piggles == ("B3",)


def test_sudden_snout_up_refuses_an_outcome_of_other_piggles():
    with pytest.raises(SpecError, match="one landing of each of A1"):
        classic().apply_outcome(tied(), result(A1=lies(UP), A2=lies(UP)))


def test_every_turn_has_its_own_rerolls():
    game = classic("cocked=reroll reroll_cap=1")
    state = game.apply_action(game.initial_state(), Load(("A1",)))
    state = game.apply_outcome(state, result(A1=lies(UP, leaning=True)))
    state = game.apply_outcome(state, result(A1=lies(UP)))
    state = game.apply_action(state, Load(("B1",)))
    state = game.apply_outcome(state, result(A1=lies(UP), B1=lies(UP, leaning=True)))
    assert game.chance_request(state).piggles == ("B1",)


def test_a_roll_is_asked_for_with_the_board_as_it_lies_and_the_readings_house_rules():
    place = RestPlace(position=(0.1, -0.2, 0.01), rotation=(0.0, 0.6, 0.0, 0.8))
    board = (("B1", lies(UP, place=place)),)
    state = PigglesState(a=PigglesSide(pen=("A1",)), board=board)
    game = classic("line_rule=com cocked=nudge contact_tolerance_mm=1 knock_angle_deg=7")
    request = game.chance_request(game.apply_action(state, Load(("A1",))))
    assert request.standing == board
    assert request.reading.line_rule is LineRule.COM
    assert request.reading.cocked is Cocked.NUDGE
    assert request.reading.contact_tolerance_mm == 1.0
    assert request.reading.knock_angle_deg == 7.0
    assert request.reading.knock_distance_mm == 3.0


def test_leaning_piggles_are_rolled_again_as_often_as_the_cap_allows():
    game = classic("cocked=reroll reroll_cap=2")
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


def test_leaning_piggles_are_left_alone_by_default():
    game = classic()
    state = game.apply_action(game.initial_state(), Load(("A1",)))
    state = game.apply_outcome(state, result(A1=lies(UP, stacked=True)))
    assert (game.turn(state), state.a.score) == (Seat.B, 1)


def test_an_opposing_piggle_off_the_board_is_rolled_again_by_the_roller():
    game = classic("off_board=reroll")
    state = PigglesState(a=PigglesSide(pen=("A1",)), board=(("B1", lies(UP)),))
    state = game.apply_action(state, Load(("A1",)))
    knock = Knock(
        struck="B1",
        by="A1",
        distance=0.2,
        angle=1.0,
        flipped=True,
        zone_changed=True,
        off_board=True,
    )
    gone = RollResult(landings=(("A1", lies(DOWN)), ("B1", OFF)), knocks=(knock,))
    state = game.apply_outcome(state, gone)
    request = game.chance_request(state)
    assert (request.thrower, request.piggles) == (Seat.A, ("B1",))
    assert state.b.cup == ("B1",)


@pytest.mark.parametrize(
    ("action", "rule", "remedy"),
    [
        (Load(("A1", "A1")), "R8", "load any of A1 A2"),
        (Load(("A5",)), "R8", "load any of A1 A2"),
        (Load(("B1",)), "R8", "load any of A1 A2"),
    ],
)
def test_an_illegal_load_names_the_rule_and_changes_nothing(action, rule, remedy):
    game = classic()
    state = PigglesState(
        a=PigglesSide(pen=("A1", "A2"), kitchen=("A5",)), b=PigglesSide(pen=("B1",))
    )
    before = game.format_state(state)
    with pytest.raises(IllegalActionError, match=remedy) as raised:
        game.apply_action(state, action)
    assert raised.value.rule == rule
    assert game.format_state(state) == before
    assert action not in game.legal_actions(state)


def test_an_action_on_chances_turn_or_after_the_end_is_illegal():
    game = classic()
    rolling = game.apply_action(game.initial_state(), Load(("A1",)))
    with pytest.raises(IllegalActionError, match="apply_outcome"):
        game.apply_action(rolling, Concede())
    over = game.apply_action(game.initial_state(), Concede())
    assert game.result(over) == Result(winner=Seat.B, reason="concession")
    with pytest.raises(IllegalActionError, match="new game"):
        game.apply_action(over, Load())
    with pytest.raises(SpecError, match="game is over"):
        game.apply_outcome(over, RollResult(landings=()))


def knocked(struck: str, by: str) -> Knock:
    return Knock(
        struck=struck,
        by=by,
        distance=0.1,
        angle=0.1,
        flipped=False,
        zone_changed=False,
        off_board=False,
    )


@pytest.mark.parametrize(
    ("outcome", "remedy"),
    [
        (result(A1=lies(UP)), "answer for every Piggle"),
        (result(A1=lies(UP), B1=lies(UP), B2=lies(UP)), "for no other"),
        (
            RollResult(landings=(("A1", lies(UP)), ("A1", lies(UP)), ("B1", lies(UP)))),
            "for no other",
        ),
        (result(A1=Landing(orientation=None, zone=Zone.WOODS), B1=lies(UP)), "every zone but off"),
        (result(A1=Landing(orientation=UP, zone=Zone.OFF), B1=lies(UP)), "every zone but off"),
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


def test_legal_actions_are_every_subset_of_the_pen_by_size_and_then_to_concede():
    game = classic()
    legal = game.legal_actions(game.initial_state())
    assert len(legal) == 2**6 + 1
    assert legal[0] == Load()
    assert legal[1] == Load(("A1",))
    assert legal[7] == Load(("A1", "A2"))
    assert legal[-2:] == (Load(("A1", "A2", "A3", "A4", "A5", "A6")), Concede())


def test_the_starting_player_alternates_only_when_agreed():
    state = classic("alternate_start=on").initial_state()
    game = classic("alternate_start=on first_player=B")
    assert state.active is Seat.A
    state = game.initial_state()
    seats = []
    for _ in range(6):
        seats.append(game.turn(state))
        state = game.apply_action(state, Load())
    assert seats == [Seat.B, Seat.A, Seat.A, Seat.B, Seat.B, Seat.A]


def test_exhaustion_is_tested_at_the_second_players_own_turn_too():
    game = classic()
    b = PigglesSide(mud=(MudEntry(piggle="B1", round=3),), kitchen=("B2",), score=40)
    state = PigglesState(round=5, active=Seat.A, a=PigglesSide(pen=("A1",)), b=b)
    state = game.apply_action(state, Load())
    assert game.result(state) == Result(winner=Seat.A, reason="exhaustion")
    assert state.b.mud == b.mud
