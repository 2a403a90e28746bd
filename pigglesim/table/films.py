"""Films of a match: the table at rest, and each roll with the score and the log."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body, StablePose
from pigglesim.bodies.load import load_models
from pigglesim.chance_types import DiceResult
from pigglesim.films.film import Film, FilmActor, Frames
from pigglesim.games.game import Game
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, RestPlace, Seat, Zone
from pigglesim.markings import split_livery
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.render.board import spots
from pigglesim.render.places import APART, still_places
from pigglesim.render.viewer import Clip, Scoreboard, ScoreRow
from pigglesim.rotations import axis_angle, from_matrix, multiply, upright
from pigglesim.scene.scene import Scene
from pigglesim.table.view import GameView, make_view


def still_film(
    landings: Sequence[tuple[str, Landing]],
    pens: Mapping[Seat, Sequence[str]],
    *,
    scene: Scene,
    models: Mapping[str, str],
    owners: Mapping[str, Seat],
    bodies: Mapping[str, Body] | None = None,
) -> Film:
    """Return a table before a roll: Piggles that rest on it, and a Pen next to it per player.

    A Piggle without a position, as no physics made its landing, is put alone somewhere in its zone.
    `bodies` are those of the models, by model; without them they are loaded.
    """
    bodies = load_models(models.values()) if bodies is None else bodies

    def stood(
        name: str, orientation: Orientation | None, at: tuple[float, float, float], side: float
    ) -> RestPlace:
        return standing_place(bodies[models[name]], orientation, at, side)

    places, penned = still_places(
        landings, pens, board=scene.board, spots=lambda: spots(scene.board), stood=stood
    )
    owned = {**owners, **penned}
    names = list(places)
    return Film(
        scene=scene.id,
        actors=tuple(_actor(name, models[name], owned.get(name)) for name in names),
        frames=Frames.still(list(places.values())),
        readings=tuple(landings),
        origin={},
    )


def still_dice(result: DiceResult, *, scene: Scene, thrower: Seat) -> Film:
    """Return dice at rest on a table; dice without physics stand in a row."""
    assert scene.dice is not None
    model, count = scene.dice.model, len(result.faces)
    die = load_models([model])[model]
    places = list(result.places)
    if not places:
        for number, face in enumerate(result.faces):
            pose = next(pose for pose in die.poses if pose.name == str(face))
            x = (number - (count - 1) / 2.0) * APART
            places.append(_stood(pose, (x, 0.0, 0.0)))
    return Film(
        scene=scene.id,
        actors=tuple(
            FilmActor(name=f"die {number}", model=model, owner=thrower, standing=True)
            for number in range(1, count + 1)
        ),
        frames=Frames.still(places),
        readings=(),
        origin={},
    )


def _actor(name: str, model: str, owner: Seat | None) -> FilmActor:
    plain, worn = split_livery(model)
    return FilmActor(
        name=name,
        model=plain,
        owner=owner,
        color=str(worn.colour) if worn else None,
        rune=str(worn.rune) if worn and worn.rune else None,
        standing=True,
    )


def standing_place(
    body: Body,
    orientation: Orientation | None,
    at: tuple[float, float, float] = (0.0, 0.0, 0.0),
    side: float = 1.0,
) -> RestPlace:
    """Return the place of a body in the lowest stable pose of an orientation, or of its own.

    `at` is x, y and the height of the floor [m]. The body faces the South, or the North if `side`
    is below 0.
    """
    pose = next((pose for pose in body.poses if pose.orientation is orientation), body.poses[0])
    return _stood(pose, at, side)


def _stood(pose: StablePose, at: tuple[float, float, float], side: float = 1.0) -> RestPlace:
    """Return the transform of a body in a pose that faces the South, or the North if `side` < 0."""
    facing = axis_angle(np.array([0.0, 0.0, 1.0]), 0.0 if side > 0.0 else np.pi)
    qx, qy, qz, qw = multiply(facing, from_matrix(upright(pose.down))).tolist()
    x, y, floor = at
    return RestPlace(position=(x, y, floor + pose.height), rotation=(qx, qy, qz, qw))


def scoreboard(view: GameView, game: Game[Any, Any], state: object) -> Scoreboard:
    """Return the points of a match, and the areas next to the board."""
    points = game.scores(state)
    areas = [area for area in view.areas(state) if area.name != "points"]
    heading = view.heading(state)
    if len(view.names) > len(BOARD_SEATS):
        # More than two players have a row each.
        return Scoreboard(
            heading=heading,
            rows=tuple(
                ScoreRow(name=f"Player {seat}", cells=((seat, str(points[seat])), (seat, contents)))
                for seat in view.names
                for contents in [" ".join(area.content.get(seat, "") for area in areas)]
            ),
        )
    names = tuple(view.names.items())
    totals = tuple((seat, str(points.get(seat, 0))) for seat in view.names)
    rows = [
        ScoreRow(name=area.name, cells=tuple((s, area.content.get(s, "")) for s in view.names))
        for area in areas
    ]
    return Scoreboard(
        heading=heading,
        rows=(ScoreRow(name="", cells=names), ScoreRow(name="Points", cells=totals), *rows),
    )


class ClipMaker:
    """Builder of the clips of a match, each with the log since the previous roll."""

    def __init__(self, game: Game[Any, Any], scene: Scene, models: Mapping[str, str]) -> None:
        self.view = make_view(game)
        self.log: list[str] = []
        """Log since the previous roll."""
        self._game, self._scene, self._models = game, scene, models
        self._bodies = load_models(models.values())

    def add(self, event: MatchEvent[Any]) -> None:
        """Add an event other than a roll to the log."""
        self.log += [line.text for line in self.view.story(event)]

    def roll(self, event: MatchEvent[Any], film: Film) -> Clip:
        """Return a roll, with the log since the one before."""
        entry, before = event.entry, self.log
        assert isinstance(entry, MatchOutcome)
        self.log = []
        return Clip(
            film=film,
            title=f"{self.view.names[entry.thrower]} rolls {' '.join(entry.piggles)}".rstrip(),
            score=scoreboard(self.view, self._game, event.before),
            effects=self.view.effects,
            after=scoreboard(self.view, self._game, event.after),
            story=(*before, *(line.text for line in self.view.story(event))),
        )

    def end(self, state: object, film: Film | None = None) -> Clip:
        """Return the end of a match that has events after its last roll.

        `film` shows dice on the table; without it the Piggles rest as in `state`.
        """
        return Clip(
            film=film or self.still(state, self.view.landings(state)),
            title="The end",
            score=scoreboard(self.view, self._game, state),
            story=tuple(self.log),
        )

    def still(
        self,
        state: object,
        landings: Sequence[tuple[str, Landing]],
        pens: Mapping[Seat, Sequence[str]] = MappingProxyType({}),
    ) -> Film:
        """Return a table at rest with Piggles in a state, those off the board left out."""
        owners = {name: self.view.player_of(state, name) for name, _ in landings}
        on_board = [(name, landing) for name, landing in landings if landing.zone is not Zone.OFF]
        return still_film(
            on_board,
            pens,
            scene=self._scene,
            models=self._models,
            owners=owners,
            bodies=self._bodies,
        )


def match_clips(
    game: Game[Any, Any],
    events: Iterable[MatchEvent[Any]],
    film_of: Callable[[int], Film | None],
    *,
    scene: Scene,
    models: Mapping[str, str],
    first: int = 0,
) -> Iterator[Clip]:
    """Yield the rolls of a match from roll `first` on, each one lazily, and its end.

    `film_of` returns the film of a roll by its number, or None to show no more.
    """
    clips, event = ClipMaker(game, scene, models), None
    for event in events:
        if not isinstance(event.entry, MatchOutcome):
            clips.add(event)
        elif event.entry.index >= first:
            film = film_of(event.entry.index)
            if film is None:
                return
            yield clips.roll(event, film)
    if event is not None and clips.log:
        yield clips.end(event.after)
