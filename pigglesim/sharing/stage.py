"""A film with its table and its bodies: all that drawing it takes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pigglesim.films.film import Actor, Film
from pigglesim.rolls import Landing, ReadingRules
from pigglesim.scene.board import Board
from pigglesim.scene.cup import Cup
from pigglesim.scene.load import load_scene
from pigglesim.shapes.load import load_models

if TYPE_CHECKING:
    from pigglesim.scene.scene import Scene
    from pigglesim.shapes.body import Body

__all__ = ["Stage", "dressed_name"]

_STILL_APART = 2e-4
"""A body this far [m] from where it ends ..."""
_STILL_TURNED = 0.02
"""... or turned by so much [rad] is not at rest yet, for the eye."""


def dressed_name(actor: Actor) -> str:
    """Return the model of an actor with what it wears, such as `"piggle+blue+left"`."""
    worn = [word for word in (actor.color, actor.rune) if word is not None]
    return "+".join([actor.model, *worn])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stage:
    """A film, and what is seen in it."""

    film: Film
    board: Board
    cup: Cup
    bodies: "tuple[Body, ...]"
    """Of the film's actors, in their order."""
    reading: ReadingRules
    """By which it was read how they came to lie."""

    @classmethod
    def of(
        cls,
        film: Film,
        *,
        scene: "Scene | None" = None,
        bodies: "Mapping[str, Body] | None" = None,
        reading: ReadingRules | None = None,
    ) -> "Stage":
        """Return the stage of a film.

        Args:
            film: The film.
            scene: Its table; the one of its name if absent.
            bodies: The body of each actor, by the actor's name; those of its model's name if
                absent.
            reading: By which it was read how they came to lie; the usual rules if absent.

        Raises:
            SpecError: If the film names a scene or a model that is not known here.
        """
        table = scene or load_scene(film.scene)
        if bodies is None:
            loaded = load_models(dict.fromkeys(dressed_name(actor) for actor in film.actors))
            bodies = {actor.name: loaded[dressed_name(actor)] for actor in film.actors}
        return cls(
            film=film,
            board=table.board,
            cup=table.cup,
            bodies=tuple(bodies[actor.name] for actor in film.actors),
            reading=reading or ReadingRules(),
        )

    @property
    def readings(self) -> dict[str, Landing]:
        """How each came to lie, by name."""
        return dict(self.film.readings)

    @property
    def rest_times(self) -> tuple[float, ...]:
        """Since when each body lies as it does at the end [s], in the order of the actors."""
        times = self.film.frames.rest_times(apart=_STILL_APART, turned=_STILL_TURNED)
        return tuple(times.tolist())
