"""The encoders: actions by number, and observations as numbers that hide what they must."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pigglesim.envs.episode import encoded_games, encoder_of
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, Result
from pigglesim.games.lord_of_the_pigs.state import LordPhase
from pigglesim.games.pig_pile import VALUES, PigPilePhase, less
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.state import Act, Done, MudEntry, PigglesPhase, Shield, Sudden
from pigglesim.games.piggy_six import DiceRoll, PiggySixReason, PiggySixState, Stop
from pigglesim.games.piggyback.state import PiggybackPhase
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, RestPlace, Seat, Zone
from tests.support import random_lord, random_piggles, random_piggyback
from tests.support.piggyback_table import PLAIN, place
from tests.support.random_games import GAMES, walk
from tests.support.random_lord import permuted
from tests.support.random_pig_pile import with_hidden_changed

SETTINGS = {
    "piggles_modern": {"team_a": ["red+spiral_cw"] * 6, "team_b": ["blue+adjacent"] * 6},
    "pig_pile": {"players": 3, "advanced_deal": True, "wild_mix": True},
    "piggy_six": {"three_dice": True},
}
quick = settings(max_examples=8, suppress_health_check=list(HealthCheck))
any_game = pytest.mark.parametrize("name", encoded_games())
UP, _, HEAD = Orientation
OTHER = dict(zip(BOARD_SEATS, BOARD_SEATS[::-1], strict=True))


def made(name):
    game = make_game(name, SETTINGS.get(name, {}))
    return game, encoder_of(game)


def blocks(game, state, seat):
    """Return the columns of each block that are not zero, as lists by name."""
    layout = encoder_of(game).layout
    parts = layout.split(encoder_of(game).encode(game.observe(state, seat), seat))
    return {
        block.name: {
            column.name: parts[block.name][:, k].tolist()
            for k, column in enumerate(block.columns)
            if parts[block.name][:, k].any()
        }
        for block in layout.blocks
    }


@any_game
def test_all_actions_have_a_number_and_a_text_of_their_own(name):
    game, encoder = made(name)
    for seat in game.seats[:2]:
        actions = [encoder.action_at(number, seat) for number in range(encoder.action_count)]
        assert [encoder.action_number(each, seat) for each in actions] == [*range(len(actions))]
        assert not any(isinstance(each, Concede) for each in actions)
        assert len({game.format_action(each) for each in actions}) == len(actions)


@any_game
def test_names_of_columns_are_unique_and_cover_all_rows(name):
    game, encoder = made(name)
    rows = encoder.rows(game.observe(game.initial_state(), game.seats[0]), game.seats[0])
    for block, of_block in zip(encoder.layout.blocks, rows, strict=True):
        names = [column.name for column in block.columns]
        assert len(set(names)) == len(names)
        assert len(list(of_block)) == len(block.rows)
        assert all(column.meaning in str(encoder.layout) for column in block.columns)


@any_game
@quick
@given(data=st.data(), seed=st.integers(0, 10**9))
def test_legal_actions_have_numbers_and_states_are_within_their_bounds(name, data, seed):
    game = data.draw(GAMES[name])
    encoder, seen_arrays = encoder_of(game), set()
    low, high = encoder.layout.low, encoder.layout.high
    for number, (before, _, after) in enumerate(walk(game, seed)):
        turn = game.turn(before)
        if isinstance(turn, Seat):
            legal = [each for each in game.legal_actions(before) if not isinstance(each, Concede)]
            numbers = [encoder.action_number(each, turn) for each in legal]
            assert [encoder.action_at(each, turn) for each in numbers] == legal
        for seat in game.seats if number % 3 == 0 else ():
            seen = encoder.encode(game.observe(after, seat), seat)
            assert seen.shape == low.shape
            assert ((low <= seen) & (seen <= high)).all()
            seen_arrays.add(seen.tobytes())
    assert len(seen_arrays) > 1


@pytest.mark.parametrize(
    ("games", "turned", "following"),
    [
        (st.one_of(GAMES["piggles_classic"], GAMES["piggles_modern"]), random_piggles, OTHER),
        (st.just(make_game("lord_of_the_pigs")), random_lord, random_lord.NEXT),
        (st.just(PLAIN), random_piggyback, OTHER),
    ],
    ids=["piggles", "lord", "piggyback"],
)
@quick
@given(data=st.data(), seed=st.integers(0, 10_000))
def test_all_seats_see_the_same_from_their_own_side(games, turned, following, data, seed):
    game = data.draw(games)
    other = turned.turn_game(game) if turned is random_piggles else game
    here, there = encoder_of(game), encoder_of(other)
    for before, move, _ in walk(game, seed):
        if getattr(before, "phase", None) is PiggybackPhase.OPENING:
            continue
        state = turned.turn_position(before)
        for seat in game.seats:
            own = here.encode(game.observe(before, seat), seat)
            seen = there.encode(other.observe(state, following[seat]), following[seat])
            assert np.array_equal(own, seen)
        if isinstance(turn := game.turn(before), Seat) and move != Concede():
            number = here.action_number(move, turn)
            assert number == there.action_number(turned.turn_move(move), following[turn])


@quick
@given(game=GAMES["pig_pile"], seed=st.integers(0, 10**9))
def test_nothing_hidden_is_in_the_numbers_of_pig_pile(game, seed):
    encoder, rng = encoder_of(game), np.random.default_rng(seed)
    for number, (_, _, after) in enumerate(walk(game, seed)):
        if number % 5 or after.phase is not PigPilePhase.PLAY:
            continue
        for at, seat in enumerate(game.seats):
            other = with_hidden_changed(after, at, rng)
            seen, again = (encoder.encode(game.observe(s, seat), seat) for s in (after, other))
            assert np.array_equal(seen, again)


def test_nothing_hidden_is_in_the_numbers_of_lord_of_the_pigs():
    game, encoder = made("lord_of_the_pigs")
    rng = np.random.default_rng(0)
    for _, _, after in walk(game, 3):
        if after.phase is LordPhase.DEAL:
            continue
        for seat in game.seats:
            other = permuted(after, seat, rng)
            seen, again = (encoder.encode(game.observe(s, seat), seat) for s in (after, other))
            assert np.array_equal(seen, again)


def observed(state):
    """Return the parts of a state of Piggles that an observation has to show."""
    over = state.result is not None
    return replace(
        state,
        result=Result(winner=None, reason="over") if over else None,
        sudden=Sudden(chosen=state.sudden.chosen),
        pending=None,
        phase=PigglesPhase.RESOLVE if over else state.phase,
        board=tuple((name, replace(at, place=None)) for name, at in state.board),
    )


@quick
@given(
    game=st.one_of(GAMES["piggles_classic"], GAMES["piggles_modern"]), seed=st.integers(0, 10_000)
)
def test_states_of_piggles_differ_where_their_numbers_do(game, seed):
    encoder, states, numbers = encoder_of(game), {}, {}
    for _, _, after in walk(game, seed):
        state, seen = observed(after), encoder.encode(game.observe(after, Seat.B), Seat.B)
        assert states.setdefault(seen.tobytes(), state) == state
        assert numbers.setdefault(state, seen.tobytes()) == seen.tobytes()


def test_numbers_of_piggles_by_hand():
    game, _ = made("piggles_modern")
    start = game.initial_state()
    half = 6.5 * 0.0254
    at = RestPlace(position=(0.5 * half, -0.25 * half, 0.01), rotation=(0, 0, 0, 1))
    far = RestPlace(position=(9.0, 0.0, 0.01), rotation=(0, 0, 0, 1))
    state = replace(
        start,
        round=3,
        phase=PigglesPhase.ACTION_REACTION,
        active=Seat.B,
        a=replace(
            start.a, pen=("A5",), kitchen=("A3",), charged=("A3",), score=9, mud_bonuses=2,
            mud=(MudEntry(piggle="A4", round=1, early=True),),
        ),
        b=replace(start.b, pen=start.b.pen[1:]),
        board=(
            ("A1", Landing(orientation=UP, zone=Zone.FIELD_WEST, place=at)),
            ("A2", Landing(orientation=HEAD, zone=Zone.WOODS, stacked=True)),
            ("B1", Landing(orientation=UP, zone=Zone.LINE_PATH_WOODS, leaning=True, place=far)),
        ),
        knock_credits=(("A2", Seat.B),),
        shields=(Shield(piggle="A1", by=Seat.B, fresh=True, rolled=False),),
        actors=("B1",),
    )  # fmt: skip

    def row(own, **others):
        """Return a column from A's side: the numbers of A1 to A6 and of B1."""
        return [*own, *[0.0] * (6 - len(own)), *others.get("b", [0.0] * 6)]

    seen = blocks(game, state, Seat.A)
    piggles = seen["piggles"]
    b1 = [1.0] + [0.0] * 5
    assert piggles["board"] == row([1.0, 1.0], b=b1)
    assert piggles["field_left"] == row([1.0])
    assert piggles["up"] == row([1.0], b=b1)
    assert piggles["head"] == piggles["woods"] == piggles["stacked"] == row([0.0, 1.0])
    assert piggles["credit_other"] == row([0.0, 1.0])
    assert piggles["leaning"] == piggles["line_path_woods"] == piggles["may_act"] == row([], b=b1)
    assert piggles["kitchen"] == piggles["charged"] == row([0.0, 0.0, 1.0])
    assert piggles["mud"] == piggles["mud_early"] == row([0.0] * 3 + [1.0])
    assert piggles["mud_rounds"] == pytest.approx(row([0.0] * 3 + [2 / 6]))
    assert piggles["shield_other"] == piggles["shield_fresh"] == row([1.0])
    assert piggles["mine"] == row([1.0] * 6)
    assert piggles["red"] == piggles["rune_spiral_cw"] == row([1.0] * 6)
    assert piggles["placed"] == row([1.0], b=b1)
    assert piggles["right"] == row([0.5], b=[2.0] + [0.0] * 5)
    assert piggles["ahead"] == row([-0.25])
    table = {name: values[0] for name, values in seen["table"].items()}
    # A's six Piggles in fields have 18 points.
    assert table == pytest.approx(
        {"round": 0.5, "first": 1.0, state.phase: 1.0, "score_own": 0.5, "mud_own": 2.0}
    )
    other = blocks(game, state, Seat.B)["piggles"]
    assert other["field_right"] == [0.0] * 6 + [1.0] + [0.0] * 5
    assert other["right"] == [-2.0] + [0.0] * 5 + [-0.5] + [0.0] * 5
    assert other["credit_own"] == [0.0] * 7 + [1.0] + [0.0] * 4


def test_numbers_of_lord_of_the_pigs_by_hand():
    game, _ = made("lord_of_the_pigs")
    state = random_lord.at(
        LordPhase.VOTING,
        hands={"Banker": "C1 C1 R3"},
        table=[("Energy.U1", "Banker:C2 President:C1 +")],
        ratings=(1, 2, 3, 4),
        asked=["Banker"],
    )
    seen = blocks(game, state, Seat.B)
    assert seen["actors"]["rating"] == pytest.approx([0.2, 0.3, 0.4, 0.1])
    assert seen["actors"]["first"] == [0.0, 0.0, 0.0, 1.0]
    assert seen["cards"]["hand"][:13] == [2.0] + [0.0] * 11 + [1.0]
    assert sum(seen["cards"]["hand"]) == 3.0
    assert seen["cards"]["voted"][1] == 1.0
    # The Energy Tycoon sits opposite: 29 own cards, 29 of the next, 18 commons, then U1.
    row = 29 + 29 + 18
    action = {name: values[row] for name, values in seen["actions"].items()}
    assert action == {"there": 1.0, "votes_own": 1.0, "votes_before": 1.0, "added": 1.0}
    assert np.flatnonzero(seen["actions"]["there"]).tolist() == [row]
    assert seen["table"]["to_move"] == [1.0]


def test_numbers_of_pig_pile_by_hand():
    game = make_game("pig_pile", {"players": 3})
    names = ["W", *map(str, range(1, 13))]
    for _, _, after in walk(game, 5):
        if after.phase is not PigPilePhase.PLAY:
            continue
        seen = blocks(game, after, Seat.B)
        players, table = seen["players"], seen["table"]
        for step, at in enumerate((1, 2, 0)):
            hand = after.hands[at] if step == 0 else after.known[at]
            numbers = [players.get(f"hand_{name}", [0, 0, 0])[step] for name in names]
            assert numbers == [hand.count(value) for value in VALUES]
            hidden = less(after.hands[at], after.known[at]) if step else ()
            assert players.get("unseen", [0, 0, 0])[step] == len(hidden)
        assert table.get("draw", [0.0]) == [len(after.draw)]
        top = names[after.pile[-1]] if after.pile else "none"
        assert [name for name in table if name.startswith("top_")] == [f"top_{top}"]
        assert players["moves"].index(1.0) == (after.mover - 1) % 3


def test_numbers_of_piggy_six_by_hand():
    game = make_game("piggy_six", {"players": 3, "three_dice": True})
    state = PiggySixState(bank=(10, 20, 130), active=Seat.B, total=25, rolls=2, dice=3, round=4)
    seen = blocks(game, state, Seat.B)
    assert seen["players"]["points"] == pytest.approx([0.2, 1.3, 0.1])
    assert (seen["players"]["moves"], seen["players"]["later"]) == ([1, 0, 0], [0, 1, 0])
    assert {name: values[0] for name, values in seen["table"].items()} == pytest.approx(
        {"total": 0.25, "rolls": 0.02, "dice_3": 1.0, "round": 0.004}
    )
    over = Result(winner=Seat.A, reason=PiggySixReason.POINTS)
    far = blocks(game, PiggySixState(bank=(999, 0, 0), result=over), Seat.A)
    assert (far["players"]["points"][0], far["table"]["over"]) == (4.0, [1.0])


def test_numbers_of_piggyback_by_hand():
    state = place("d4:2gy", "h8:3oo", "a4:g,d4:m")
    rows = encoder_of(PLAIN).layout.blocks[0].rows
    seen = blocks(PLAIN, state, Seat.B)["spaces"]

    def channels(space):
        at = rows.index(space)
        return {name: values[at] for name, values in seen.items() if values[at]}

    # Blue sees the board turned.
    assert channels("a1") == {"own": 1.0, "held_orange": 1.0}
    assert channels("e5") == pytest.approx(
        {"other": 2 / 3, "held_green": 0.5, "held_yellow": 0.5, "lying_mauve": 1.0}
    )
    assert channels("h5") == {"lying_green": 1.0, "initial_green": 1.0}


NUMBERS = [
    ("piggles_classic", 64, {0: Load(), 0b101: Load(("A1", "A3"))}),
    (
        "piggles_modern",
        2655,
        {
            0b101: Load(("A1", "A3")),
            64: Load(("B1",)),
            2509: Load(tuple(f"B{k}" for k in range(1, 7))),
            2510 + 12 * 0 + 7: Act("A1", "B2"),
            2510 + 12 * 6 + 1: Act("B1", "A2"),
            2654: Done(),
        },
    ),
    (
        "piggyback",
        5087,
        {
            0: "a1-b1", 419: "h8-g8", 420: "a1-b1 take", 840: "warp a1 a1", 904: "warp b1 a1",
            4936: "take a1", 5000: "respawn a1", 5064: "stand", 5066: "stand +2",
            5067: "keep green green", 5081: "keep nothing", 5082: "pass",
        },
    ),
    ("piggy_six", 4, {0: DiceRoll(1), 1: DiceRoll(2), 2: DiceRoll(3), 3: Stop()}),
    # 8 + 12 x 6 plays, 3 of Slop, 14 pick-ups; 455 choices of 3 of 13; 12 x 6 x 8 mixed plays.
    ("pig_pile", 97 + 455 + 576, {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "count", "actions"), NUMBERS)
def test_actions_stand_where_they_are_documented(name, count, actions):
    game, encoder = made(name)
    assert encoder.action_count == count
    for number, action in actions.items():
        wanted = game.parse_action(action) if isinstance(action, str) else action
        assert encoder.action_at(number, Seat.A) == wanted


def test_a_game_without_an_encoder_is_reported():
    class Other:
        name = "lord_of_the_pig"

    with pytest.raises(
        SpecError, match="lord_of_the_pig lists no actions; give its class `actions`"
    ):
        encoder_of(Other())
