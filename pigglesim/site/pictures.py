"""Pictures of a page without a server: places of bodies, with meshes made beforehand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pigglesim.chance_types import DiceResult
from pigglesim.landing import Landing, Orientation, RestPlace, Seat, Zone
from pigglesim.render.palette import INK, OWNER_COLOURS, label_fields
from pigglesim.render.places import APART, Spots, still_places
from pigglesim.scene.scene import Scene
from pigglesim.site.chance import ThrownFilm
from pigglesim.table.session import Session

Stance = Mapping[float, tuple[float, tuple[float, ...]]]
"""Height of the centre [m] and quaternion of a body that stands facing a side, by that side."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A model as it is drawn."""

    solids: list[dict[str, Any]]
    """Its parts, by the numbers of their meshes and colours in the table of the page."""
    stances: Mapping[Orientation | int | None, Stance]
    """How it stands, by orientation or face."""


@dataclass(frozen=True, kw_only=True)
class TableScene:
    """A table in 3D: its scene, and the models on it."""

    scene: Scene
    models: Mapping[str, str]
    """Model of each Piggle, by id; empty for dice."""
    figures: Mapping[str, Figure]
    """Figures by model."""
    rings: Mapping[Seat, list[float]]
    """Colour of the ring of each owner, linear RGB."""
    spots: Spots


class PagePictures:
    """Pictures of one match; see `pigglesim.table.course.Pictures`."""

    def __init__(self, stage: TableScene, view: Any) -> None:  # noqa: ANN401 (the view of a game)
        self._stage, self._view = stage, view

    def still(
        self,
        state: object,
        landings: Sequence[tuple[str, Landing]],
        pens: Mapping[Seat, Sequence[str]],
    ) -> dict[str, Any]:
        """Return Piggles at rest, and the Pens beside the board."""
        owners = {name: self._view.player_of(state, name) for name, _ in landings}
        lying = [(name, landing) for name, landing in landings if landing.zone is not Zone.OFF]
        return board_chapter(self._stage, lying, pens, owners)

    def dice(self, thrower: Seat, result: DiceResult) -> dict[str, Any]:
        """Return dice that were thrown, at rest."""
        ((_, figure),) = self._stage.figures.items()
        count, actors, rows = len(result.faces), [], []
        for number, face in enumerate(result.faces):
            height, turn = figure.stances[face][1.0]
            rows.append([(number - (count - 1) / 2.0) * APART, 0.0, height, *turn])
            die = _actor(self._stage, figure, f"die {number + 1}", thrower, None)
            actors.append({**die, "face": str(face)})
        return {"actors": actors, "beats": [], "rows": rows}

    def film(self, session: Session) -> tuple[dict[str, Any], float]:
        """Return the film of the latest roll, with its length [s]."""
        assert session.film is not None
        thrown: Any = session.film
        return film_chapter(self._stage, thrown), thrown.seconds


def board_chapter(
    stage: TableScene,
    landings: Sequence[tuple[str, Landing]],
    pens: Mapping[Seat, Sequence[str]],
    owners: Mapping[str, Seat],
) -> dict[str, Any]:
    """Return Piggles at rest, and the Pens beside the board."""

    def stood(
        name: str, orientation: Orientation | None, at: tuple[float, float, float], side: float
    ) -> RestPlace:
        stances = stage.figures[stage.models[name]].stances
        height, turn = stances[orientation][side]
        x, y, floor = at
        qx, qy, qz, qw = turn
        return RestPlace(position=(x, y, floor + height), rotation=(qx, qy, qz, qw))

    places, penned = still_places(
        landings, pens, board=stage.scene.board, spots=lambda: stage.spots, stood=stood
    )
    owned, known = {**owners, **penned}, dict(landings)
    actors = [
        _actor(stage, stage.figures[stage.models[name]], name, owned.get(name), known.get(name))
        for name in places
    ]
    rows = [[*place.position, *place.rotation] for place in places.values()]
    return {"actors": actors, "beats": [], "rows": rows}


def film_chapter(stage: TableScene, thrown: ThrownFilm) -> dict[str, Any]:
    """Return a throw of the engine, which adds the motion."""
    names = (*thrown.throw.piggles, *(name for name, _ in thrown.throw.standing))
    landings = dict(thrown.result.landings)
    actors = [
        _actor(
            stage,
            stage.figures[stage.models[name]],
            name,
            thrown.throw.thrower if name in thrown.throw.piggles else Seat(name[0]),
            landings[name],
        )
        for name in names
    ]
    return {"actors": actors, "beats": [], "rows": None}


def _actor(
    stage: TableScene, figure: Figure, name: str, owner: Seat | None, landing: Landing | None
) -> dict[str, Any]:
    return {
        "name": name,
        "colour": OWNER_COLOURS[owner] if owner else INK,
        **label_fields(landing, stage.scene.board),
        "rest": 0.0,
        "solids": figure.solids,
        "ring": stage.rings[owner] if owner else None,
        "gaps": owner is Seat.B,
    }
