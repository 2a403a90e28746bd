"""Every number of the Piggle."""

import math
from dataclasses import dataclass, fields

from pigglesim.errors import SpecError

__all__ = ["PiggleShape", "Point", "snout_root"]

Point = tuple[float, float, float]

_MOST = {"_deg": 90, "_sides": 256, "_taper": 10, "_turns": 10}
"""Largest number of each kind; of lengths [mm] 100, half of what a die may measure."""
_MAY_BE_ZERO = frozenset({"ear_dish", "ear_puff", "hoof_step", "limb_flare", "snout_tilt_deg"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggleShape:
    """Every number of the shape [mm]; points on the right are the mirror image of the left.

    Body frame: origin at the belly's centre, +z the face, +y the crown, +x the pig's own left.
    The numbers were found by search: they decide how often it lands on its back.
    """

    body: Point = (10.5, 10.5, 6.3)
    """Half axes of the belly."""
    snout: Point = (0.0, 4.3, 9.3)
    """Centre of the snout's disc."""
    snout_half_width: float = 4.3
    snout_half_height: float = 3.5
    snout_tilt_deg: float = 24.0
    """How far the snout looks up [degrees]."""
    snout_length: float = 6.5
    snout_taper: float = 1.15
    """Size at the root over size at the disc."""
    snout_rim: float = 0.45
    """Radius of the rounding of the disc's edge."""
    ear_tip: Point = (9.2, 11.6, -3.2)
    ear_inner: Point = (3.3, 8.5, -1.1)
    ear_outer: Point = (7.9, 4.6, -1.1)
    ear_bulge: Point = (8.6, 8.4, -2.15)
    """Makes the outer edge round."""
    ear_fullness: Point = (6.6, 10.3, -2.2)
    """Makes the inner edge round."""
    ear_tip_radius: float = 2.3
    """Roundness of the tip and its two neighbours, seen from the front."""
    ear_radius: float = 1.6
    """Roundness at the base, and half the thickness."""
    ear_puff: float = 0.35
    """How much thicker the ear is in its middle."""
    ear_dish: float = 0.8
    """Depth of the hollow in the front of the ear."""
    foot: Point = (5.4, -11.8, 5.0)
    """Centre of the sole."""
    foot_root: Point = (4.0, -6.0, -0.4)
    foot_radius: float = 2.4
    foot_rim: float = 0.7
    arm: Point = (6.4, -3.3, 5.7)
    arm_root: Point = (5.25, -1.7, 0.5)
    arm_radius: float = 1.8
    arm_rim: float = 0.6
    limb_taper: float = 1.2
    limb_flare: float = 0.5
    """How much wider a limb and the snout grow where they join the belly."""
    hoof_height: float = 1.5
    hoof_step: float = 0.12
    """How much wider the hoof is than the limb."""
    tail: Point = (0.0, -4.0, -6.22)
    """Centre of the curl."""
    tail_radius: float = 2.0
    tail_inner_radius: float = 0.9
    tail_turns: float = 1.6
    tail_wire: float = 0.62
    eye: tuple[float, float] = (5.0, 7.0)
    """Place of the left eye on the belly's surface, seen from the front."""
    eye_radius: float = 1.55
    eye_bulge: float = 0.75
    """How far the eye stands out of the belly."""
    cheek: tuple[float, float] = (7.3, 2.6)
    """Place of the left blush on the belly's surface, seen from the front."""
    limb_sides: int = 16
    """Corners of a limb's section."""
    snout_sides: int = 28

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            numbers = value if isinstance(value, tuple) else (value,)
            least = 8 if field.name.endswith("_sides") else 0
            size = field.name == "body" or not isinstance(value, tuple)
            free = field.name in _MAY_BE_ZERO
            most = next((most for end, most in _MOST.items() if field.name.endswith(end)), 100)
            if not all(-most <= number <= most for number in numbers) or (
                size and not all(number > least or (free and number >= 0) for number in numbers)
            ):
                raise SpecError(
                    f"{field.name} of the shape {f'above {least}' if size else f'from -{most}'} "
                    f"to {most}",
                    got=repr(value),
                    remedy=f"give {field.name} a number near {field.default}",
                )


def snout_root(shape: PiggleShape) -> Point:
    """Return where the snout's axis ends inside the belly [mm]."""
    tilt = math.radians(shape.snout_tilt_deg)
    x, y, z = shape.snout
    back = shape.snout_length
    return (x, y - back * math.sin(tilt), z - back * math.cos(tilt))
