"""States of Piggles as scenario files write them, read and compared."""

from collections.abc import Callable, Mapping

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.piggles.house_rules import PigglesRules
from pigglesim.games.piggles.modern_rules import ModernRules
from pigglesim.games.piggles.notation import check_state
from pigglesim.games.piggles.state import (
    Lineup,
    MudEntry,
    Piece,
    PigglesPhase,
    PigglesSide,
    PigglesState,
    Shield,
    in_order,
    owner,
    team,
)
from pigglesim.games.scenario import Mismatch, as_list, as_mapping, only_keys
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, Seat, Zone
from pigglesim.markings import read_colour, read_rune

_SETUP_KEYS = {"round", "active", "board", "pen", "cup", "mud", "kitchen", "scores", "pieces"}
_MODERN_KEYS = {"shields", "captured", "credits"}
_PAIR = 2


def read_seat(what: str, value: object) -> Seat:
    """Return the seat that a file names."""
    if not isinstance(value, str) or value not in set(BOARD_SEATS):
        raise SpecError(f"a seat for {what}", got=repr(value), remedy="A or B")
    return Seat(value)


def read_round(value: object, rules: PigglesRules) -> int:
    """Return the number of a round that a file gives."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= rules.rounds:
        raise SpecError(
            f"a round from 1 to {rules.rounds}", got=repr(value), remedy="a whole number"
        )
    return value


def read_ids(what: str, value: object) -> tuple[str, ...]:
    """Return the ids that a file lists, as they stand there."""
    ids = as_list(what, value)
    for piggle in ids:
        if not isinstance(piggle, str):
            raise SpecError(f"ids of Piggles for {what}", got=repr(piggle), remedy='"A1"')
    return tuple(str(piggle) for piggle in ids)


def read_landing(piggle: str, value: object) -> Landing:
    """Return the landing that a file writes as `[zone, pose]`."""
    pair = as_list(f"the landing of {piggle}", value)
    if len(pair) != _PAIR:
        raise SpecError(f"[zone, pose] of {piggle}", got=repr(value), remedy='["woods", "up"]')
    zone, pose = pair
    if not isinstance(zone, str) or zone not in set(Zone):
        raise unknown_name("zone", str(zone), Zone)
    if pose is None and zone == Zone.OFF:
        return Landing(orientation=None, zone=Zone.OFF)
    if not isinstance(pose, str) or pose not in set(Orientation):
        raise unknown_name("pose", str(pose), Orientation)
    if zone == Zone.OFF:
        raise SpecError(f"no pose of {piggle} off the board", got=repr(pose), remedy="null")
    return Landing(orientation=Orientation(pose), zone=Zone(zone))


def _read_mud(value: object) -> tuple[MudEntry, ...]:
    """Return the Mud that a file gives by round of entry, or as a list: in since round 1."""
    if isinstance(value, Mapping):
        entries = []
        for piggle, entered in sorted(as_mapping("mud", value).items()):
            if isinstance(entered, bool) or not isinstance(entered, int):
                raise SpecError(f"the round of {piggle}", got=repr(entered), remedy="a number")
            entries.append(MudEntry(piggle=piggle, round=entered))
        return tuple(entries)
    return tuple(MudEntry(piggle=piggle, round=1) for piggle in in_order(read_ids("mud", value)))


def _by_seat(setup: Mapping[str, object], key: str) -> dict[Seat, object]:
    table = as_mapping(key, setup.get(key, {}))
    return {read_seat(key, seat): value for seat, value in table.items()}


def _read_score(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise SpecError("a score of 0 or more", got=repr(value), remedy="a whole number")
    return value


def read_setup(setup: Mapping[str, object], rules: PigglesRules) -> PigglesState:
    """Return the state of a setup; what it does not mention is empty, zero or round 1.

    Raises:
        SpecError: If a key is unknown, a value is of the wrong kind, or the state impossible.
    """
    modern = isinstance(rules, ModernRules)
    only_keys("setup key", setup, _SETUP_KEYS | (_MODERN_KEYS if modern else set()))
    round_number = read_round(setup.get("round", 1), rules)
    areas = {key: _by_seat(setup, key) for key in ("pen", "cup", "mud", "kitchen", "scores")}
    # Colours and runes mean nothing in Classic; a setup may still give them.
    read_pieces(setup)

    def side(seat: Seat) -> PigglesSide:
        def ids(key: str) -> tuple[str, ...]:
            return in_order(read_ids(key, areas[key].get(seat, [])))

        return PigglesSide(
            pen=ids("pen"),
            cup=ids("cup"),
            mud=_read_mud(areas["mud"].get(seat, [])),
            kitchen=ids("kitchen"),
            score=_read_score(areas["scores"].get(seat, 0)),
        )

    board = as_mapping("board", setup.get("board", {}))
    named = setup.get("active")
    active = rules.first_in(round_number) if named is None else read_seat("active", named)
    sides = {seat: side(seat) for seat in BOARD_SEATS}
    state = PigglesState(
        round=round_number,
        active=active,
        a=sides[Seat.A],
        b=sides[Seat.B],
        captured=in_order({*_captured(sides), *_told_captured(setup)}) if modern else (),
        board=tuple((piggle, read_landing(piggle, board[piggle])) for piggle in sorted(board)),
        head_credits=_read_credits(setup, board) if modern else (),
        shields=_read_shields(setup, board, active) if modern else (),
    )
    check_state(state)
    return state


def _players(setup: Mapping[str, object], key: str) -> dict[str, Seat]:
    """Return the players that a setup gives by Piggle."""
    table = as_mapping(key, setup.get(key, {}))
    for piggle in table:
        if piggle not in {*team(Seat.A), *team(Seat.B)}:
            raise SpecError(f"ids of Piggles for {key}", got=repr(piggle), remedy='{"B1": "A"}')
    return {piggle: read_seat(f"{key}.{piggle}", table[piggle]) for piggle in sorted(table)}


def _read_shields(
    setup: Mapping[str, object], board: Mapping[str, object], active: Seat
) -> tuple[Shield, ...]:
    """Return the shields of a setup: those of the player to move are of this very turn."""
    found = _players(setup, "shields")
    for piggle in found:
        if piggle not in board:
            raise SpecError("shields of Piggles on the board", got=piggle, remedy="leave it out")
    return tuple(
        Shield(piggle=piggle, by=seat, fresh=seat is active) for piggle, seat in found.items()
    )


def _told_captured(setup: Mapping[str, object]) -> tuple[str, ...]:
    """Return the Piggles that a setup says are played by the other player."""
    found = _players(setup, "captured")
    for piggle, seat in found.items():
        if owner(piggle) is seat:
            raise SpecError(
                f"{piggle} captured by {seat.other}", got=str(seat), remedy="leave out what is own"
            )
    return tuple(found)


def _read_credits(
    setup: Mapping[str, object], board: Mapping[str, object]
) -> tuple[tuple[str, Seat], ...]:
    """Return who is paid for Piggles on their heads if they go to the Kitchen (P7)."""
    found = []
    for seat, ids in _by_seat(setup, "credits").items():
        for piggle in read_ids("credits", ids):
            if piggle not in board:
                raise SpecError(
                    "credits of Piggles on the board", got=piggle, remedy="leave it out"
                )
            if read_landing(piggle, board[piggle]).orientation is Orientation.ON_THEIR_HEAD:
                found.append((piggle, seat))
    return tuple(sorted(found))


def _captured(sides: Mapping[Seat, PigglesSide]) -> tuple[str, ...]:
    """Return the Piggles that lie in the other player's areas: there only a capture puts them."""
    return in_order(
        piggle
        for seat, side in sides.items()
        for piggle in (*side.pen, *side.cup, *side.mud_piggles, *side.kitchen)
        if piggle.startswith(BOARD_SEATS) and owner(piggle) is not seat
    )


def read_pieces(setup: Mapping[str, object]) -> Lineup:
    """Return the markings that a setup gives; a Piggle that it does not name has none.

    Raises:
        SpecError: If a colour or a rune is unknown.
    """
    pieces = []
    for piggle, value in sorted(as_mapping("pieces", setup.get("pieces", {})).items()):
        table = as_mapping(f"the piece {piggle}", value)
        only_keys(f"key of the piece {piggle}", table, {"color", "rune", "premium"})
        # A weighted Piggle rolls otherwise, which physics knows; the rules make no difference.
        if not isinstance(premium := table.get("premium", False), bool):
            raise SpecError(f"premium of {piggle}", got=repr(premium), remedy="true or false")
        colour, rune = table.get("color"), table.get("rune")
        piece = Piece(
            colour=None if colour is None else read_colour(str(colour)),
            rune=None if rune is None else read_rune(str(rune)),
        )
        pieces.append((piggle, piece))
    return tuple(pieces)


def _result(state: PigglesState) -> dict[str, str | None] | None:
    """Return the result as scenario files write it."""
    if state.result is not None:
        return {"winner": state.result.winner, "reason": state.result.reason}
    if state.phase is PigglesPhase.SUDDEN:
        return {"next": "reroll" if state.sudden.rerolls else "sudden_snout_up"}
    return None


def _compare_ids(key: str, value: object, actual: tuple[str, ...]) -> Mismatch | None:
    """Compare a list of ids, or the ids of a map, as sets."""
    ids = set(value) if isinstance(value, Mapping) else set(read_ids(key, value))
    if ids == set(actual):
        return None
    return Mismatch(key=key, expected=sorted(ids), got=list(actual))


def _compare_board(value: object, state: PigglesState) -> Mismatch | None:
    board = {p: [str(x.zone), str(x.orientation)] for p, x in state.board}
    expected = as_mapping("board", value)
    for piggle in sorted({*board, *expected}):
        wanted = expected.get(piggle)
        if wanted is not None:
            read_landing(piggle, wanted)
        if wanted != board.get(piggle):
            return Mismatch(key=f"board.{piggle}", expected=wanted, got=board.get(piggle))
    return None


def _compare_result(value: object, state: PigglesState) -> Mismatch | None:
    actual = _result(state)
    if isinstance(value, Mapping) and actual is not None:
        # A result is partial like everything expected, but never empty of what it names.
        for key, wanted in as_mapping("result", value).items():
            if key not in actual or actual[key] != wanted:
                return Mismatch(key="result", expected=value, got=actual)
        return None
    return None if value == actual else Mismatch(key="result", expected=value, got=actual)


def _compare_seats(
    key: str, value: object, compare_one: Callable[[str, Seat, object], Mismatch | None]
) -> Mismatch | None:
    for name, wanted in as_mapping(key, value).items():
        mismatch = compare_one(f"{key}.{name}", read_seat(key, name), wanted)
        if mismatch is not None:
            return mismatch
    return None


def compare(expected: Mapping[str, object], state: PigglesState) -> Mismatch | None:
    """Return the first difference between what is expected and a state, in the file's order.

    Only the keys given are compared; lists of ids compare as sets, and the board as a whole.

    Raises:
        SpecError: If a key is unknown or a value of the wrong kind.
    """

    def scores(key: str, seat: Seat, wanted: object) -> Mismatch | None:
        got = state.side(seat).score
        same = got == wanted and not isinstance(wanted, bool)
        return None if same else Mismatch(key=key, expected=wanted, got=got)

    def pen(key: str, seat: Seat, wanted: object) -> Mismatch | None:
        return _compare_ids(key, wanted, state.side(seat).pen)

    def cup(key: str, seat: Seat, wanted: object) -> Mismatch | None:
        return _compare_ids(key, wanted, state.side(seat).cup)

    def mud(key: str, seat: Seat, wanted: object) -> Mismatch | None:
        return _compare_ids(key, wanted, state.side(seat).mud_piggles)

    def kitchen(key: str, seat: Seat, wanted: object) -> Mismatch | None:
        return _compare_ids(key, wanted, state.side(seat).kitchen)

    by_seat = {"scores": scores, "pen": pen, "cup": cup, "mud": mud, "kitchen": kitchen}
    only_keys("key of an expected state", expected, {*by_seat, "board", "result"})
    for key, value in expected.items():
        if key == "board":
            mismatch = _compare_board(value, state)
        elif key == "result":
            mismatch = _compare_result(value, state)
        else:
            mismatch = _compare_seats(key, value, by_seat[key])
        if mismatch is not None:
            return mismatch
    return None
