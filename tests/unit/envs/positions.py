"""A second reading of observations of Piggles: from the numbers back to the position."""

from dataclasses import replace

from pigglesim.games.game import Result
from pigglesim.games.piggles.state import (
    MudEntry,
    Piece,
    PigglesPhase,
    PigglesSide,
    PigglesState,
    Shield,
    Sudden,
    owner,
)
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, Seat, Zone
from pigglesim.markings import Colour, Rune

ENDED = Result(winner=None, reason="told by a flag alone")


def _rows(layout, block, part):
    """The rows of a block as mappings from a column's name to its number."""
    names = [column.name for column in block.columns]
    return [dict(zip(names, row.tolist(), strict=True)) for row in part]


def _zone(row, seat):
    compass = {"near": "S", "far": "N", "left": "W", "right": "E"}
    if seat is Seat.B:
        compass = {"near": "N", "far": "S", "left": "E", "right": "W"}
    names = {f"field_{side}": Zone(f"field:{point}") for side, point in compass.items()}
    names |= {
        "path_inner": Zone.PATH_INNER,
        "path_outer": Zone.PATH_OUTER,
        "woods": Zone.WOODS,
        "line_field_path": Zone.LINE_FIELD_PATH,
        "line_path_woods": Zone.LINE_PATH_WOODS,
    }
    (zone,) = (zone for name, zone in names.items() if row[name] == 1.0)
    return zone


def read_position(layout, observation, seat, *, rounds):
    """The position and the markings that numbers tell, without places and without how it ended."""
    parts = layout.split(observation)
    blocks = {block.name: block for block in layout.blocks}
    piggles = _rows(layout, blocks["piggles"], parts["piggles"])
    (table,) = _rows(layout, blocks["table"], parts["table"])
    ids = [f"{side}{k}" for side in (seat, seat.other) for k in range(1, 7)]
    found = sorted(zip(ids, piggles, strict=True), key=lambda pair: pair[0])
    now = round(table["round"] * rounds)
    sides = {
        whose: _side(found, whose, seat, table, now=now, rounds=rounds) for whose in BOARD_SEATS
    }
    phases = [phase for phase in PigglesPhase if table.get(phase.value) == 1.0]
    assert len(phases) == (0 if table["over"] else 1)
    position = PigglesState(
        round=now,
        active=seat if table["to_move"] else seat.other,
        phase=phases[0] if phases else PigglesPhase.RESOLVE,
        a=sides[Seat.A],
        b=sides[Seat.B],
        board=tuple((name, _landing(row, seat)) for name, row in found if row["board"]),
        head_credits=tuple(
            (name, seat if row["credit_own"] else seat.other)
            for name, row in found
            if row["credit_own"] or row["credit_other"]
        ),
        rerolls=round(table["rerolls"]),
        result=ENDED if table["over"] else None,
        captured=tuple(
            name for name, row in found if _controller(name, row, seat) is not owner(name)
        ),
        shields=tuple(
            Shield(
                piggle=name,
                by=seat if row["shield_own"] else seat.other,
                fresh=bool(row["shield_fresh"]),
                rolled=bool(row["shield_rolled"]),
            )
            for name, row in found
            if row.get("shield_own") or row.get("shield_other")
        ),
        actors=tuple(name for name, row in found if row.get("may_act")),
        acted=tuple(name for name, row in found if row.get("acted")),
    )
    return position, tuple((name, _piece(row)) for name, row in found if "red" in row)


def _controller(name, row, seat):
    mine = row.get("mine", float(owner(name) is seat))
    return seat if mine else seat.other


def _side(found, whose, seat, table, *, now, rounds):
    own = [(name, row) for name, row in found if _controller(name, row, seat) is whose]
    word = "own" if whose is seat else "other"

    def those(column):
        return tuple(name for name, row in own if row[column])

    return PigglesSide(
        pen=those("pen"),
        cup=those("cup"),
        mud=tuple(
            MudEntry(
                piggle=name,
                round=now - round(row["mud_rounds"] * rounds),
                early=bool(row["mud_early"]),
            )
            for name, row in own
            if row["mud"]
        ),
        kitchen=those("kitchen"),
        score=round(table[f"score_{word}"] * 18),
        mud_bonuses=round(table[f"mud_{word}"]),
        kitchen_bonuses=round(table[f"kitchen_{word}"]),
        charged=those("charged"),
        late=those("late"),
    )


def _landing(row, seat):
    (pose,) = (pose for pose in Orientation if row[pose.value])
    return Landing(
        orientation=pose,
        zone=_zone(row, seat),
        leaning=bool(row["leaning"]),
        stacked=bool(row["stacked"]),
    )


def _piece(row):
    colours = [colour for colour in Colour if row[colour.value]]
    runes = [rune for rune in Rune if row[f"rune_{rune}"]]
    return Piece(colour=colours[0] if colours else None, rune=runes[0] if runes else None)


def told_by_numbers(position):
    """What of a position an observation claims to tell."""
    return replace(
        position,
        result=position.result and ENDED,
        sudden=Sudden(),
        pending=None,
        phase=PigglesPhase.RESOLVE if position.result else position.phase,
        board=tuple((name, replace(at, place=None)) for name, at in position.board),
    )
