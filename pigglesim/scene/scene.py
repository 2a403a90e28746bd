"""A scene: board, cup, surfaces and floors, gravity, and how time is stepped."""

from dataclasses import dataclass

from pigglesim.errors import SpecError, unknown_name
from pigglesim.landing import Seat
from pigglesim.scene.board import Board
from pigglesim.scene.cup import Cup, Hand

GRAVITY = 9.80665
"""Standard gravity [m/s2] (CGPM 1901)."""


_MOST_WORK = 1e8
"""Solver iterations of one throw: some minutes, where tables of ours take a tenth of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepping:
    """How finely time is cut, and when a throw is over."""

    time_step: float = 0.002
    """[s]"""
    iterations: int = 10
    """Solver iterations a step."""
    rest_speed: float = 0.004
    """A body slower than this [m/s] ..."""
    rest_spin: float = 0.4
    """... and turning slower than this [rad/s] ..."""
    rest_time: float = 0.1
    """... for so long [s], while something holds it up, lies still."""
    time_limit: float = 6.0
    """A throw still moving after this is reported as timed out [s]."""
    ease_time: float = 0.25
    """Rolling resistance fades over this time once all lie still, so that a body that stopped
    half way over an edge sinks into the pose whose basin it is in [s]."""

    def __post_init__(self) -> None:
        if not 1e-5 <= self.time_step <= 0.005:
            raise SpecError(
                "a time step between 0.01 and 5 ms",
                got=f"{self.time_step * 1000:g} ms",
                remedy="use time_step_ms = 2 (coarser steps change the shares)",
            )
        if not 1 <= self.iterations <= 1000:
            raise SpecError(
                "1 to 1000 solver iterations",
                got=str(self.iterations),
                remedy="use iterations = 10",
            )
        work = self.time_limit / self.time_step * self.iterations
        if not work <= _MOST_WORK:
            raise SpecError(
                f"at most {_MOST_WORK:.0e} solver iterations a throw",
                got=f"{work:.1e}",
                remedy="use a coarser time_step_ms, fewer iterations or a shorter time_limit_s",
            )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Dice:
    """The numbered dice of a table, all alike."""

    model: str
    most: int
    """How many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Everything about the table that is not thrown."""

    id: str
    title: str
    game: str
    """Name of the game that is played at this table."""
    board: Board
    cup: Cup
    hand: Hand
    contacts: Contacts
    stepping: Stepping
    teams: dict[Seat, tuple[str, ...]]
    """Model of each Piggle of a seat, in the order of their numbers."""
    sha256: str
    """Digest of the file."""
    dice: Dice | None = None
    """None at a table of Piggles alone."""

    @property
    def capacity(self) -> int:
        """How many the cup takes: a whole team of Piggles (R8), or all dice."""
        thrown = [len(team) for team in self.teams.values()]
        return max([*thrown, self.dice.most] if self.dice else thrown)
