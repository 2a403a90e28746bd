"""Where Piggles are drawn: as they rest, in a spot of their zone, or in a row beside the board."""

from collections.abc import Callable, Mapping, Sequence

from pigglesim.landing import Landing, Orientation, RestPlace, Seat, Zone
from pigglesim.scene.scene import Board

BESIDE = 0.030
"""Distance of a Pen from the board's edge [m]."""
APART = 0.042
"""Distance between neighbouring Piggles of a Pen [m]."""
SPOTS = 12
"""Number of spots per zone: one for each Piggle of a match, so that none overlap."""

Spots = Mapping[Zone, Sequence[tuple[float, float]]]
"""Spots in each zone of a board [m]."""


def spot_of(piggle: str, zone: Zone, spots: Spots) -> tuple[float, float]:
    """Return the spot of a Piggle in a zone [m]: each Piggle has its own."""
    number = int(piggle[1:]) - 1 + (0 if piggle[0] == "A" else SPOTS // 2)
    return spots[zone][number % len(spots[zone])]


def still_places(
    landings: Sequence[tuple[str, Landing]],
    pens: Mapping[Seat, Sequence[str]],
    *,
    board: Board,
    spots: Callable[[], Spots],
    stood: Callable[[str, Orientation | None, tuple[float, float, float], float], RestPlace],
) -> tuple[dict[str, RestPlace], dict[str, Seat]]:
    """Return where Piggles rest on a board and in Pens beside it, and the owners of the latter.

    `stood` returns a Piggle that stands with an orientation at x, y and the height of the floor
    [m], facing the South, or the North if the last number is below 0.
    """
    places = {
        name: landing.place
        or stood(name, landing.orientation, (*spot_of(name, landing.zone, spots()), 0.0), 1.0)
        for name, landing in landings
    }
    owners = {}
    for seat, pen in pens.items():
        for number, name in enumerate(pen):
            owners[name] = seat
            # A row beside the board, face up, in its player's reading order.
            side = 1.0 if seat is Seat.A else -1.0
            x = side * (number - (len(pen) - 1) / 2.0) * APART
            at = x, -side * (board.half + BESIDE), -board.thickness
            places[name] = stood(name, Orientation.SNOUT_UP, at, side)
    return places, owners
