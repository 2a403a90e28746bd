"""The cup: a round hollow body with a floor, and how a hand moves it."""

from dataclasses import dataclass

from pigglesim.errors import SpecError


@dataclass(frozen=True, slots=True, kw_only=True)
class Cup:
    """A straight round cup, open at the top of its own frame.

    Its frame has the origin at the middle of the axis, halfway up the inside, and +z towards the
    mouth: the point about which the hand tips it.
    """

    inner_radius: float = 0.035
    """[m]"""
    depth: float = 0.090
    """From the floor inside to the lip [m]."""
    wall: float = 0.003
    """Thickness of wall and floor as they are seen [m]."""

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("inner_radius", self.inner_radius, 0.005, 0.5),
            ("depth", self.depth, 0.005, 1.0),
            ("wall", self.wall, 0.0002, 0.05),
        ):
            if not low <= value <= high:
                raise SpecError(
                    f"a cup whose {name} lies between {low * 1000:g} and {high * 1000:g} mm",
                    got=f"{value * 1000:g} mm",
                    remedy=f"change {name}_mm",
                )

    @property
    def outer_radius(self) -> float:
        """Radius to the outside of the wall [m]."""
        return self.inner_radius + self.wall


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """How a person shakes and tips the cup: means, and how much one pour differs from the next.

    Lengths along the throw are in the thrower's view: `back` is the distance behind the centre
    line, `across` to the thrower's right.
    """

    shake_time: float = 0.40
    """[s]"""
    shake_frequency: float = 5.0
    """[Hz]"""
    shake_across: float = 0.025
    """Amplitude [m]."""
    shake_along: float = 0.025
    """Amplitude [m]."""
    shake_up: float = 0.006
    """Amplitude [m]."""
    tip_time: float = 0.30
    """From upright to fully tipped [s]."""
    tip_angle: float = 2.27
    """[rad]"""
    start_back: float = 0.165
    """Where the cup's centre is while shaken, behind the centre line [m]."""
    end_back: float = 0.119
    """Where it is when fully tipped [m]."""
    across: float = 0.0
    """[m]"""
    lip_height: float = 0.102
    """Lowest height of any part of the cup above the board [m]."""
    across_spread: float = 0.0
    """Standard deviation of `across` from pour to pour [m]."""
    heading_spread: float = 0.0
    """Standard deviation of the direction of the tip [rad]."""
    tempo_spread: float = 0.0
    """Standard deviation of the logarithm of all times of the motion."""
    patience: float = 1.5
    """How long the cup stays tipped at most [s]: it is shaken out when this is over."""
