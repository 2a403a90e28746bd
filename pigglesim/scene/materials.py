"""Surfaces: how they rub, bounce and resist rolling, and the floor of single dice."""

from dataclasses import dataclass

from pigglesim.errors import SpecError, unknown_name
from pigglesim.scene.scene import Stepping

__all__ = ["Contact", "Contacts", "Fall", "Floor", "Surface"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """What happens where two surfaces meet; one value for each kind of pair.

    Pairs, not single materials, because that is what can be measured: a friction coefficient
    belongs to plastic on wood, not to plastic.
    """

    friction: float
    """Coulomb coefficient of sliding."""
    restitution: float
    """Ratio of the normal speeds after and before an impact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contacts:
    """One `Contact` for each kind of pair, and how the board resists rolling.

    Only the board resists rolling and spinning: in the cup and between Piggles a contact lasts
    too short a time for it to be seen in any share.
    """

    board: Contact
    piggle: Contact
    cup: Contact
    rolling_lever: float
    """Lever of the board's normal force against rolling [m]: a sphere of radius r slows by
    5/7 g lever / r."""
    spinning_lever: float
    """The same against spinning about the contact normal [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """How a die arrives at the floor, as a hand lets it go."""

    height: float
    """What it has fallen when its bounding sphere meets the floor [m]."""
    drift_spread: float
    """Standard deviation of each horizontal component of its velocity [m/s]."""
    spin_spread: float
    """Standard deviation of each component of its spin [rad/s]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """How one material of die and the floor act on each other."""

    contact: Contact
    rolling_lever: float
    """Lever of the floor's normal force against rolling [m]: a sphere of radius r slows by
    5/7 g lever / r."""
    spinning_lever: float
    """The same against spinning about the contact normal [m]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """A floor, how dice fall on it, and how finely time is cut."""

    id: str
    title: str
    fall: Fall
    surfaces: dict[str, Surface]
    """By the material of the die."""
    stepping: Stepping
    sha256: str
    """Digest of the file."""

    def surface(self, material: str) -> Surface:
        """Return how a die of this material and the floor act on each other.

        Raises:
            SpecError: If the floor does not know the material; those it knows are given.
        """
        if material not in self.surfaces:
            raise unknown_name(f"material of die on the floor {self.id!r}", material, self.surfaces)
        return self.surfaces[material]

    def __post_init__(self) -> None:
        if not self.surfaces:
            raise SpecError(
                "at least one material of die on the floor",
                got="none",
                remedy="add a table such as [surfaces.plastic]",
            )
