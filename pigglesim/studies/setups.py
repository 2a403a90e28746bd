"""What one throw of a study is, and what the throws of one cell have in common."""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.scene.floor import Floor, Surface
from pigglesim.scene.scene import Scene
from pigglesim.shapes.body import Body
from pigglesim.shapes.load import load_ballasted, load_model

__all__ = ["Setup", "ThrowKind"]


@unique
class ThrowKind(StrEnum):
    """What one throw of a study is."""

    DROP = "drop"
    """One die dropped on a floor without end."""
    POUR = "pour"
    """A cup of dice poured onto an empty board."""
    KNOCK = "knock"
    """A cup of dice poured onto the other team, which stands on the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """Everything that the throws of one cell have in common, but the engine and the seed."""

    models: tuple[str, ...]
    """What is dropped (one), or in the cup."""
    place: Floor | Scene
    material: str = "plastic"
    """Of a die that is dropped."""
    ballast_g: float | None = None
    """What the ballast of the models weighs; None for their own."""
    standing: int | None = None
    """How many of the other team stand on the board; None for all."""

    @property
    def floor(self) -> Floor:
        """Where dice are dropped."""
        assert isinstance(self.place, Floor)
        return self.place

    @property
    def scene(self) -> Scene:
        """Where dice are poured."""
        assert isinstance(self.place, Scene)
        return self.place

    @property
    def surface(self) -> Surface:
        """How the die that is dropped and the floor act on each other."""
        return self.floor.surface(self.material)

    def bodies(self) -> tuple[Body, ...]:
        """Return the body of each die, in order; equal ones are one object."""
        made = {
            name: load_model(name)
            if self.ballast_g is None
            else load_ballasted(name, self.ballast_g)
            for name in dict.fromkeys(self.models)
        }
        return tuple(made[name] for name in self.models)
