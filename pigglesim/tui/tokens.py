"""Piggles and dice as a terminal draws them: at rest, and in motion."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pigglesim.bodies.load import load_models
from pigglesim.films.film import Film
from pigglesim.landing import Landing, Seat
from pigglesim.landing_reading import face_up
from pigglesim.render.board import place_of
from pigglesim.render.palette import POSE_MARKS, SHIELD_MARK
from pigglesim.table.session import Session
from pigglesim.table.view import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A Piggle as drawn on the board."""

    name: str
    mark: str
    """Signs after the name: its orientation, or nothing while it moves, and a shield."""
    seat: Seat
    """Player who controls it."""
    position: tuple[float, float, float]
    """Position of its centre [m]."""
    colour: str | None = None
    """Colour that it wears, as `#rrggbb`."""
    lit: tuple[str, str] | None = None
    """Brackets around its name if it is highlighted."""


_BRACKETS = (("(", ")"), ("[", "]"))
"""Brackets around the acting Piggle, and around the target."""


def _token(
    session: Session,
    piggle: str,
    landing: Landing | None,
    *,
    state: object,
    position: tuple[float, float, float] | None = None,
    lit: tuple[str, str] | None = None,
) -> Token:
    """Return a Piggle as drawn: where it landed, or at `position` [m] while it moves."""
    if position is None and landing is not None and session.board is not None:
        position = place_of(piggle, landing, session.board)
    livery, mark = session.liveries.get(piggle), session.view.marks(state).get(piggle, Mark())
    pose = POSE_MARKS[landing.orientation] if landing and landing.orientation else ""
    return Token(
        name=piggle,
        mark=pose + (SHIELD_MARK if mark.shielded else ""),
        seat=session.view.player_of(state, piggle),
        position=position or (0.0, 0.0, 0.0),
        colour=livery.colour.skin if livery else None,
        lit=lit,
    )


def tokens(
    session: Session,
    landings: Iterable[tuple[str, Landing]],
    state: object,
    *,
    lit: Sequence[str] = (),
) -> tuple[Token, ...]:
    """Return the Piggles on the board as drawn, highlighted ones first."""
    brackets = dict(zip(lit, _BRACKETS, strict=False))
    all_tokens = (
        _token(session, piggle, landing, state=state, lit=brackets.get(piggle))
        for piggle, landing in landings
    )
    return tuple(sorted(all_tokens, key=lambda token: not token.lit))


def moving(session: Session, film: Film, time: float, state: object) -> tuple[Token, ...]:
    """Return every Piggle of a film at a time [s] as drawn, the highest first.

    `state` is the one before the roll: a Piggle that has not moved is drawn as it landed there.
    """
    before, positions = dict(session.view.landings(state)), film.at(time).positions.tolist()
    tokens = []
    for actor, (x, y, z) in zip(film.actors, positions, strict=True):
        landing = before.get(actor.name)
        if not (landing and landing.place and landing.place.position == (x, y, z)):
            landing = None
        tokens.append(_token(session, actor.name, landing, state=state, position=(x, y, z)))
    return tuple(sorted(tokens, key=lambda token: -token.position[2]))


def faces_up(film: Film, time: float) -> tuple[int, ...]:
    """Return the upper face of each die of a film at a time [s]."""
    dice, still = load_models(actor.model for actor in film.actors), film.at(time)
    return tuple(
        face_up(dice[actor.model], still.place(number)) for number, actor in enumerate(film.actors)
    )
