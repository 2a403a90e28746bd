"""Texts of actions, outcomes and states: short ones read back, and all others are refused."""

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pigglesim.chance_types import DiceResult
from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.game import Concede, Result, changed
from pigglesim.games.lord_of_the_pigs.state import LordPhase
from pigglesim.games.notation import (
    SEAT,
    TEXT,
    WHOLE,
    ActionForms,
    Codec,
    dashed,
    format_dice,
    joined,
    optional,
    pair,
    parse_dice,
    result_codec,
    several,
)
from pigglesim.games.pig_pile import FaceUp, PickUp, Play, Slop
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.notation import format_landing, format_roll, parse_landing, parse_roll
from pigglesim.games.piggles.state import Act, PigglesSide, PigglesState
from pigglesim.games.piggy_six import DiceRoll, PiggySixReason
from pigglesim.games.registry import make_game
from pigglesim.landing import (
    CupHold,
    Knock,
    Landing,
    Orientation,
    RestPlace,
    RollRequest,
    RollResult,
    Seat,
    SettleReport,
    SettleStatus,
    Zone,
)
from tests.support.piggyback_table import PLAIN
from tests.support.random_lord import at
from tests.unit.test_json_codec import results

CLASSIC, MODERN = make_game("piggles_classic"), make_game("piggles_modern")
PILE, SIX = make_game("pig_pile", {"players": 3}), make_game("piggy_six")
LORD = make_game("lord_of_the_pigs")


@pytest.mark.parametrize(
    ("make", "value", "text"),
    [
        (lambda: several(WHOLE), (1, 2), "1,2"),
        (lambda: several(WHOLE, ";"), (1, 2), "1;2"),
        (lambda: optional(WHOLE), 3, "3"),
        (lambda: pair(TEXT, WHOLE), ("a", 1), "a:1"),
        (lambda: dashed(TEXT, "none"), "a", "a"),
        (lambda: dashed(optional(WHOLE), None), None, "-"),
        (lambda: joined(Act, piggle=TEXT, target=TEXT), Act("A1", "B2"), "A1:B2"),
        (lambda: result_codec(str, SEAT), Result.of((Seat.B,), "race"), "B:race"),
    ],
)
def test_codecs_write_and_read_back(make, value, text):
    codec = make()
    assert codec.write(value) == text
    assert codec.read(text) == value


def test_codecs_omit_what_is_missing_and_refuse_too_few_or_many_parts():
    assert optional(WHOLE).write(None) == several(WHOLE).write(()) == ""
    act = joined(Act, piggle=TEXT, target=TEXT)
    for codec, text in ((pair(TEXT, WHOLE), "a"), (act, "A1"), (act, "A1:B1:B2")):
        with pytest.raises(ValueError, match=r".+"):
            codec.read(text)


def test_forms_of_actions_write_and_read_back():
    forms = ActionForms(
        {
            "skip": Load(),
            "load {piggles*} at {hold}": Load,
            "load {piggles*}": partial(Load, hold=None),
            "act {piggle} {target}": Act,
        },
        {
            "piggles": Codec(" ".join, lambda text: tuple(text.split())),
            "hold": WHOLE,
            "piggle": TEXT,
            "target": TEXT,
        },
        example="skip or act A1 B2",
    )
    for action, text in (
        (Load(), "skip"),
        (Load(("A1", "A2")), "load A1 A2"),
        (Load(("A1", "A2"), hold=7), "load A1 A2 at 7"),
        (Act("A1", "B2"), "act A1 B2"),
    ):
        assert forms.write(action) == text
        assert forms.read(f" {text.replace(' ', '  ')} ") == action
    assert forms.write(Concede()) == "Concede()"
    for text in ("act A1 B2 B3", "act A1"):
        with pytest.raises(SpecError, match=f"invalid action '{text}'; use skip or act A1 B2"):
            forms.read(text)


@pytest.mark.parametrize(
    ("won", "text"),
    [((), "-:race"), ((Seat.B,), "B:race"), ((Seat.A, Seat.C), "A,C:race")],
)
def test_results_have_one_text(won, text):
    codec = result_codec(PiggySixReason, SEAT, ",")
    result = Result.of(won, PiggySixReason.RACE)
    assert codec.write(result) == text
    assert codec.read(text) == result


@pytest.mark.parametrize(
    ("game", "action", "text"),
    [
        (CLASSIC, Load(("A1", "A3")), "load A1 A3"),
        (CLASSIC, Load(), "skip"),
        (CLASSIC, Concede(), "concede"),
        (PILE, Play((0,)), "play W"),
        (PILE, Play((0, 0, 7)), "play W W 7"),
        (PILE, Slop(3), "slop 3"),
        (PILE, PickUp(), "pickup"),
        (PILE, PickUp(0), "pickup W"),
        (PILE, FaceUp((0, 4, 9)), "face_up W 4 9"),
    ],
)
def test_actions_have_one_text(game, action, text):
    assert game.format_action(action) == text
    assert game.parse_action(text) == action


def test_some_actions_may_be_typed_in_other_ways():
    assert CLASSIC.parse_action("load  A3 A1") == Load(("A1", "A3"))
    assert SIX.parse_action("roll 2") == DiceRoll(2)
    assert PILE.parse_action("play 7 W W") == Play((0, 0, 7))


@pytest.mark.parametrize(
    ("game", "texts"),
    [
        (CLASSIC, ["", "load", "jump A1", "skip A1", "load A1 at 1,2", "load A1 at 1,2,x"]),
        (PILE, ["", "play", "play 13", "slop", "slop x", "pickup 3 4", "pass"]),
        (SIX, ["", "rol", "roll 4", "stop now"]),
        (LORD, ["", "vote", "vote C9 Banker.C1", "vote C1 Bank.C1", "submit", "with Energi +1"]),
        (LORD, ["stability 2"]),
        (PLAIN, ["", "b1", "b1-b9", "b1-b2 leave", "warp b1", "keep pink", "stand +3", "respawn"]),
        (PLAIN, ["b1-i1", "a01-a2"]),
    ],
)
def test_texts_that_are_not_actions_are_refused(game, texts):
    for text in texts:
        with pytest.raises(SpecError, match=r"invalid|unknown"):
            game.parse_action(text)


VOTED = LORD.format_state(
    at(LordPhase.VOTING, hands={"Banker": "C1"}, table=[("Energy.C3", "")], asked=["Banker"])
)


@pytest.mark.parametrize(
    ("game", "text", "fault"),
    [
        (CLASSIC, "round=x", "'x'"),
        (CLASSIC, "colour=red", "'colour'"),
        (CLASSIC, "round=1 round=2", "twice"),
        (CLASSIC, "A.pen=A1 A.cup=A1", "A1 in 2 places"),
        (CLASSIC, "A.pen=B1", "R4"),
        (CLASSIC, "board=A1:up@moon", "'moon'"),
        (CLASSIC, "board=A1:off", "P11"),
        (CLASSIC, "board=X1:up@woods", "'X1'"),
        (CLASSIC, "A.mud=A1", "'A1'"),
        (CLASSIC, "board=A1:up@woods[1,2]", "x,y,z,qx,qy,qz,qw"),
        (MODERN, "round=1 shields=A1", "invalid (shields|pending)"),
        (MODERN, "round=1 shields=A1:C", "invalid (shields|pending)"),
        (MODERN, "round=1 pending=A1", "invalid (shields|pending)"),
        *((PILE, text, "invalid") for text in ("round=x", "turn=Z", "tied=no", "direction=2")),
        *((PILE, text, ";") for text in ("draw=13", "round=1 round=1", "x=1", "B.awards=1")),
        (SIX, "", "points of 0 players"),
        (SIX, "bank=1,2,3 active=A round=1", "points of 3 players"),
        (SIX, "bank=1,2 active=C round=1", "C"),
        (SIX, "bank=1,2 active=X round=1", "active 'X'"),
        (SIX, "bank=1,-2 active=A round=1", "points of -2"),
        (SIX, "bank=1,2 active=A round=1 totl=3", "'totl'"),
        (SIX, "bank=1,2 active=A round=1 rolling=no", "invalid rolling"),
        (SIX, "bank=1,2 active=A round=1 result=:points", "invalid result"),
        (SIX, "bank=1,2 active=A round=1 result=A:luck", "invalid result"),
        (PLAIN, "phase=sleep", "phase 'sleep'"),
        (PLAIN, "ply=0 ply=1", "'ply'"),
        (PLAIN, "a=a1:x", "invalid a"),
        (LORD, "stabilty=1", "use stability|'stabilty'"),
        (LORD, VOTED.replace("ratings=0,0,0,0,5", "ratings=0,0,5"), "invalid ratings"),
        (LORD, VOTED.replace("Banker.hand=C1", "Banker.hand=C9"), "'C9'"),
        (LORD, VOTED.replace("submitted=Energy.C3", "submitted=Energy.C8"), "submitted"),
        (LORD, VOTED.replace("submitted=Energy.C3", "submitted=Energy.C3(("), "submitted"),
        (LORD, VOTED.replace("=Energy.C3", "=Energy.C3(Banker)"), "invalid submitted"),
        (LORD, VOTED.replace("asked=Banker", "asked=Bankers"), "'Bankers'"),
        (LORD, VOTED.replace("phase=voting", "phase=votin"), "invalid phase"),
        (LORD, f"{VOTED} revealing=no", "invalid revealing"),
        (LORD, f"{VOTED} points=1,2,3", "invalid points"),
        (LORD, f"{VOTED} asked=Energy", "'asked'"),
        (LORD, VOTED.replace("events=", "events=nothing,"), "invalid events"),
    ],
)
def test_texts_that_are_not_states_are_refused(game, text, fault):
    with pytest.raises(SpecError, match=fault):
        game.parse_state(text)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (CLASSIC, "round=1 active=A phase=load"),
        (
            CLASSIC,
            "round=3 active=B phase=load A.pen=A2 A.mud=A4@2,A5@2! A.score=3 "
            "board=A1:up@field:N;B1:up@line:path/woods+leaning result=-:draw",
        ),
        (MODERN, "round=1 active=A phase=load A.pen=B1,B2 captured=B1,B2"),
        (
            MODERN,
            "round=3 active=A phase=action_reaction A.pen=B2 board=A1:up@field:N;B1:up@field:N "
            "captured=B2 shields=A1:A*,B1:B! actors=A1 acted=A2 pending=A1:B1",
        ),
        (SIX, "bank=40,60 active=B round=7 total=12 rolls=2 dice=2"),
        (SIX, "bank=100,100 active=B round=7 result=A,B:points"),
        (LORD, f"{VOTED} game=2 points=3,0,1,0"),
    ],
)
def test_a_state_is_short_and_reads_back(game, text):
    assert game.format_state(game.parse_state(text)) == text


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("at 0,0.1,0.05", "R9"),
        ("at 0,-0.01,0.1", "R9"),
        ("at nan,0.1,0.1", "R9"),
        ("at 0,0.1,inf", "R9"),
        ("at 0.17,0.1,0.1", "P13"),
        ("at 0,0.17,0.1", "P13"),
        ("at", "R8"),
    ],
)
def test_a_hold_against_the_rules_is_refused_before_anything_rolls(text, rule):
    state, action = CLASSIC.initial_state(), CLASSIC.parse_action(f"load A1 {text}")
    assert not CLASSIC.is_legal(state, action)
    with pytest.raises(IllegalActionError) as raised:
        CLASSIC.apply_action(state, action)
    assert raised.value.rule == rule


def test_a_hold_reaches_the_roll_and_ends_with_it():
    action = CLASSIC.parse_action("load A1 A2 at -0.03,0.12,0.0508")
    assert action.hold == CupHold(across=-0.03, back=0.12, height=0.0508)
    rolling = CLASSIC.apply_action(CLASSIC.initial_state(), action)
    assert CLASSIC.chance_request(rolling).hold == action.hold
    assert CLASSIC.parse_state(CLASSIC.format_state(rolling)) == rolling
    landed = RollResult(landings=(("A1", UP), ("A2", UP)))
    assert CLASSIC.apply_outcome(rolling, landed).hold is None


number = st.floats(allow_nan=False, allow_infinity=False)
places = st.builds(
    RestPlace,
    position=st.tuples(number, number, number),
    rotation=st.tuples(number, number, number, number),
)
landings = st.builds(
    Landing,
    orientation=st.sampled_from(Orientation),
    zone=st.sampled_from([zone for zone in Zone if zone is not Zone.OFF]),
    leaning=st.booleans(),
    stacked=st.booleans(),
    place=st.none() | places,
) | st.builds(Landing, orientation=st.none(), zone=st.just(Zone.OFF), place=st.none() | places)


@given(landing=landings, parts=st.tuples(number, number, number, number), swing=st.none() | number)
def test_holds_and_landings_read_back_to_the_last_bit(landing, parts, swing):
    across, back, height, heading = parts
    # A heading of zero is not written, and has no sign.
    hold = CupHold(across=across, back=back, height=height, heading=heading + 0.0, swing=swing)
    action = Load(("A1",), hold)
    assert repr(CLASSIC.parse_action(CLASSIC.format_action(action))) == repr(action)
    assert repr(parse_landing(format_landing(landing))) == repr(landing)


UP = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS)
DOWN = Landing(orientation=Orientation.SNOUT_DOWN, zone=Zone.FIELD_NORTH)
EMPTY = RollRequest(thrower=Seat.A, piggles=("A1", "A3", "B2"))
ONTO = RollRequest(thrower=Seat.A, piggles=("A1",), standing=(("A2", DOWN), ("B1", UP)))


def possible(result: RollResult) -> bool:
    """Return whether only Piggles off the board lack an orientation."""
    return all((at.orientation is None) == (at.zone is Zone.OFF) for _, at in result.landings)


@given(results.filter(possible))
def test_rolls_read_back_to_the_last_bit(result):
    assert repr(parse_roll(format_roll(result, EMPTY), EMPTY)) == repr(result)


def test_piggles_that_did_not_move_are_left_out():
    knock = Knock(
        struck="A2", by="A1", distance=0.5, angle=1.0, flipped=True, zone_changed=False,
        off_board=False,
    )  # fmt: skip
    result = RollResult(
        landings=(("A1", UP), ("A2", UP), ("B1", UP)),
        knocks=(knock,),
        settle=SettleReport(status=SettleStatus.SETTLED, time=1.5),
    )
    text = format_roll(result, ONTO)
    assert text == "A1:up@woods A2:up@woods A2<A1[0.5,1.0]+flipped settled[1.5]"
    assert parse_roll(text, ONTO) == result
    assert parse_roll(" ".join(reversed(text.split())), ONTO) == result
    other_order = RollResult(landings=(("B1", UP), ("A2", DOWN), ("A1", UP)))
    assert parse_roll(format_roll(other_order, ONTO), ONTO) == other_order


def test_the_last_bit_of_a_place_is_a_change():
    before, after = (
        Landing(
            orientation=UP.orientation,
            zone=UP.zone,
            place=RestPlace(position=(x, 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0)),
        )
        for x in (0.0, -0.0)
    )
    request = RollRequest(thrower=Seat.A, piggles=("A1",), standing=(("B1", before),))
    result = RollResult(landings=(("A1", UP), ("B1", after)))
    assert repr(parse_roll(format_roll(result, request), request)) == repr(result)


def test_numbers_that_are_not_finite_are_not_written():
    place = RestPlace(position=(float("inf"), 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
    landing = Landing(orientation=UP.orientation, zone=UP.zone, place=place)
    with pytest.raises(SpecError, match="finite"):
        format_roll(RollResult(landings=(("A1", landing),)), EMPTY)
    with pytest.raises(SpecError, match="finite"):
        format_dice(DiceResult(faces=(6,), places=(place,)))


@pytest.mark.parametrize(
    ("read", "texts", "fault"),
    [
        (lambda text: parse_roll(text, EMPTY), ["A1", "A1:", "A1<A2", "A1<A2[1]", "=>"], "word"),
        (lambda text: parse_roll(text, EMPTY), ["settled", "settled[x]"], "word"),
        (lambda text: parse_roll(text, EMPTY), ["settled[1.5] settled[2.0]"], "second"),
        (parse_landing, ["up", "off@woods", "@woods", "up@", "upp@woods", ""], "landing|zone"),
        (parse_dice, ["", " ", "x2", "3 x", "3[0,0,0,0,0,0,1] 5"], "invalid dice"),
        (parse_dice, ["9" * 5000, "3 x" + "9" * 5000], "invalid dice"),
        (
            lambda text: PLAIN.parse_outcome(PLAIN.initial_state(), text),
            ["", "7", "0", "1 2", "3[1,2]", "x2", "3 x0", "3 [1]"],
            ";",
        ),
    ],
)
def test_texts_that_are_not_outcomes_are_refused(read, texts, fault):
    for text in texts:
        with pytest.raises(SpecError, match=fault):
            read(text)


def test_dice_have_all_a_place_or_none():
    place = RestPlace(position=(0.1, -0.2, 1 / 3), rotation=(0.0, 0.6, 0.8, 1e-9))
    with pytest.raises(ValueError, match="shorter"):
        format_dice(DiceResult(faces=(3, 5), places=(place,)))


def test_dice_with_places_and_throws_read_back():
    rolling = SIX.apply_action(SIX.initial_state(), DiceRoll(2))
    place = RestPlace(position=(0.1, -0.2, 1 / 3), rotation=(0.0, 0.6, 0.8, 1e-9))
    outcome = DiceResult(faces=(3, 5), places=(place, place), throws=2)
    assert SIX.parse_outcome(rolling, SIX.format_outcome(rolling, outcome)) == outcome


def test_a_changed_copy_is_the_same_as_by_replace_and_of_known_fields_only():
    old = PigglesState(a=PigglesSide(pen=("A1",), score=3))
    new = changed(old, round=4, active=Seat.B)
    assert new == replace(old, round=4, active=Seat.B)
    assert (old.round, old.active) == (1, Seat.A)
    assert hash(changed(old)) == hash(old)
    with pytest.raises(AttributeError):
        new.round = 4
    with pytest.raises(TypeError, match="scores"):
        changed(PigglesSide(), scores=3)
