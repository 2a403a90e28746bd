"""Tables and films as messages: meshes once for a table, then only the motion."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pigglesim.bodies.body import Body
from pigglesim.chance_types import DiceResult
from pigglesim.films.film import Film
from pigglesim.landing import Landing, ReadingRules, Seat
from pigglesim.render.stage import Stage, bodies_of
from pigglesim.render.throw_kit import held_cup
from pigglesim.render.web_page import PackedArrays, Packing
from pigglesim.scene.scene import Scene
from pigglesim.table.films import ClipMaker, still_dice, still_film
from pigglesim.table.session import Session

_QUICK = 1
"""Level of compression: a film must leave at once."""


def dumped(message: Mapping[str, Any]) -> str:
    """Return a message as text."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False)


_MOST = 16
"""Maximum tables whose meshes are kept."""
_tables: dict[tuple[str, tuple[str, ...], ReadingRules], "TableFilms"] = {}


def table_films(scene: Scene, models: Iterable[str], reading: ReadingRules) -> "TableFilms":
    """Return the packer of a table; matches at equal tables share it."""
    key = scene.sha256, tuple(sorted(set(models))), reading
    if key not in _tables:
        while len(_tables) >= _MOST:
            _tables.pop(next(iter(_tables)))
        _tables[key] = TableFilms(scene, key[1], reading)
    return _tables[key]


class TableFilms:
    """Packer of one table: its meshes, and films that refer to them."""

    def __init__(self, scene: Scene, models: Sequence[str], reading: ReadingRules) -> None:
        self.scene = scene
        self._reading = reading
        self._packing = Packing(scene.board, scene.cup)
        self._bodies: dict[tuple[str, str | None, str | None], Body] = {}
        """Bodies by model, colour and rune."""
        self._table: tuple[tuple[int, int], str] | None = None
        """Message with the meshes, and the size of the packing at its time."""
        # The meshes of all models are stored ahead, so that films need no new ones.
        for seat in (Seat.A, Seat.B) if models else ():
            names = {f"{seat}{number}": model for number, model in enumerate(models, start=1)}
            film = still_film((), {seat: tuple(names)}, scene=scene, models=names, owners={})
            self.chapter(film)

    def table(self) -> str:
        """Return the message with the meshes and colours of the table, as text."""
        if self._table is None or self._table[0] != self.size:
            self._table = self.size, dumped(self._message())
        return self._table[1]

    def _message(self) -> dict[str, Any]:
        return {
            "is": "table",
            "index": self._packing.index(),
            "packed": self._packing.arrays.packed(level=_QUICK),
            "hand": held_cup(self.scene.cup, self.scene.hand),
        }

    @property
    def size(self) -> tuple[int, int]:
        """Numbers of meshes and of palettes: a page with fewer needs the table again."""
        return self._packing.size

    def chapter(self, film: Film) -> dict[str, Any]:
        """Return a film for the page, which has the meshes of the table."""
        for actor in film.actors:
            worn = actor.model, actor.color, actor.rune
            if worn not in self._bodies:
                # Reading its files takes longer than all the rest of a chapter.
                (self._bodies[worn],) = bodies_of([actor])
        bodies = {a.name: self._bodies[a.model, a.color, a.rune] for a in film.actors}
        stage = Stage.of(film, scene=self.scene, bodies=bodies, reading=self._reading)
        arrays = PackedArrays()
        chapter = self._packing.chapter(stage, arrays)
        return {**chapter, "packed": arrays.packed(level=_QUICK)}


def match_pictures(session: Session) -> "MatchPictures | None":
    """Return the pictures of a match; None where it has no table in 3D."""
    return None if session.scene is None else MatchPictures(session, session.scene)


class MatchPictures:
    """Pictures of one match, as chapters."""

    def __init__(self, session: Session, scene: Scene) -> None:
        teams, dice = session.header.teams, scene.dice
        own = getattr(getattr(session.game, "rules", None), "reading", ReadingRules)
        models = [*teams.values(), *([dice.model] if dice else [])]
        self.films = table_films(scene, tuple(models), own())
        self._scene, self._maker = scene, ClipMaker(session.game, scene, teams)

    def still(
        self,
        state: object,
        landings: Sequence[tuple[str, Landing]],
        pens: Mapping[Seat, Sequence[str]],
    ) -> dict[str, Any]:
        """Return Piggles at rest, and the Pens beside the board."""
        return self.films.chapter(self._maker.still(state, landings, pens))

    def dice(self, thrower: Seat, result: DiceResult) -> dict[str, Any]:
        """Return dice that were thrown, at rest."""
        return self.films.chapter(still_dice(result, scene=self._scene, thrower=thrower))

    def film(self, session: Session) -> tuple[dict[str, Any], float]:
        """Return the film of the latest roll, with its length [s]."""
        film = session.film
        assert film is not None
        return self.films.chapter(film), film.end - film.start
