"""What stands in a film's file beside its poses, as JSON, exact to the last bit."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pigglesim.errors import RecordError, SpecError
from pigglesim.films.film import Actor, Film, Frames, Impact
from pigglesim.games.game import JSON
from pigglesim.roll_codec import (
    knock_from_json,
    knock_to_json,
    landing_from_json,
    landing_to_json,
    read,
)
from pigglesim.rolls import Knock, Landing, Seat

__all__ = ["FilmHeader", "actor_to_json", "header_from_json", "header_to_json"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmHeader:
    """A film without its frames."""

    frames: int
    """How many there are."""
    scene: str
    actors: tuple[Actor, ...]
    readings: tuple[tuple[str, Landing], ...]
    knocks: tuple[Knock, ...]
    impacts: tuple[Impact, ...]
    origin: Mapping[str, JSON]

    def film(self, frames: Frames) -> Film:
        """Return the film.

        Raises:
            SpecError: If these frames are of other bodies.
        """
        return Film(
            scene=self.scene,
            actors=self.actors,
            frames=frames,
            readings=self.readings,
            knocks=self.knocks,
            impacts=self.impacts,
            origin=self.origin,
        )


def header_to_json(film: Film) -> bytes:
    """Return what a film holds beside its frames.

    Raises:
        SpecError: If a number is not finite, or a text cannot be written.
    """
    plain = {
        "frames": film.frames.count,
        "scene": film.scene,
        "actors": [actor_to_json(actor) for actor in film.actors],
        "readings": {name: landing_to_json(landing) for name, landing in film.readings},
        "knocks": [knock_to_json(knock) for knock in film.knocks],
        "impacts": [
            {"time": impact.time, "struck": impact.struck, "by": impact.by}
            for impact in film.impacts
        ],
        "origin": dict(film.origin),
    }
    try:
        return _dump(plain)
    except ValueError as error:
        raise SpecError(
            "a film of finite numbers and plain text", got=str(error), remedy="mend its origin"
        ) from None


def header_from_json(content: bytes) -> FilmHeader:
    """Return the header that `header_to_json` wrote.

    Raises:
        RecordError: If it is another, or a value is missing or of the wrong kind.
    """
    try:
        plain = json.loads(content)
        # An infinite number, a lone surrogate, a bottomless nesting: none can be written again.
        if not isinstance(plain, dict) or _dump(plain) != content:
            raise ValueError("not as it was written")
        return _header(plain)
    except (ValueError, OverflowError, RecursionError) as error:
        raise RecordError(
            "the header of a film",
            got=f"something else: {error}",
            remedy="use an untouched copy of the film",
        ) from None


def _dump(plain: Mapping[str, object]) -> bytes:
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _header(plain: Mapping[str, object]) -> FilmHeader:
    readings = read(plain, "readings", dict)
    actors = tuple(_actor_from_json(table) for table in _tables(plain, "actors"))
    knocks = tuple(knock_from_json(table) for table in _tables(plain, "knocks"))
    impacts = tuple(
        Impact(
            time=read(table, "time", float),
            struck=read(table, "struck", str),
            by=read(table, "by", str),
        )
        for table in _tables(plain, "impacts")
    )
    return FilmHeader(
        frames=read(plain, "frames", int),
        scene=read(plain, "scene", str),
        actors=actors,
        readings=tuple((name, landing_from_json(read(readings, name, dict))) for name in readings),
        knocks=knocks,
        impacts=impacts,
        origin=read(plain, "origin", dict),
    )


def _tables(plain: Mapping[str, object], key: str) -> list[dict[str, object]]:
    return [read({key: table}, key, dict) for table in read(plain, key, list)]


def actor_to_json(actor: Actor) -> dict[str, JSON]:
    """Return one body of a film as plain values."""
    return {
        "name": actor.name,
        "model": actor.model,
        "owner": None if actor.owner is None else str(actor.owner),
        "color": actor.color,
        "rune": actor.rune,
        "standing": actor.standing,
    }


def _actor_from_json(table: Mapping[str, object]) -> Actor:
    owner = _text(table, "owner")
    return Actor(
        name=read(table, "name", str),
        model=read(table, "model", str),
        owner=None if owner is None else Seat(owner),
        color=_text(table, "color"),
        rune=_text(table, "rune"),
        standing=read(table, "standing", bool),
    )


def _text(table: Mapping[str, object], key: str) -> str | None:
    return None if table.get(key) is None else read(table, key, str)
