"""Stable poses of a body, and the share of each in a roll without momentum."""

from dataclasses import dataclass
from typing import Any

from pigglesim.api.result import Result, plain
from pigglesim.arguments import checked
from pigglesim.bodies.body import Body, class_shares, support_for
from pigglesim.bodies.load import load_model

_GRAVITY = 9.80665
"""Standard gravity [m/s2]."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PosesResult(Result):
    """Stable poses of a body alone on a flat floor; the shares are exact areas, not samples."""

    body: Body
    shares: dict[str, float]
    """Share of the directions that roll into each pose without momentum, by pose."""
    classes: dict[str, float]
    """Shares by class: of the rules, of the model file, or a number; the largest first."""

    def document(self) -> dict[str, Any]:
        """Return all properties of the poses as JSON values; units are in the names."""
        return poses_document(self.body)

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {share:.2%}" for name, share in self.shares.items())
        return f"PosesResult({self.body.model}: {told}; exact, without momentum)"


@checked
def poses(model: str) -> PosesResult:
    """Return the stable poses of a model with their exact shares without momentum.

    The shares of drops differ, above all for rare poses; a `study` of drops measures by how much.

    Args:
        model: Name in `known().models`, or a path to a TOML file.

    Returns:
        The shares by pose and by class, with the body.

    Raises:
        PigglesimError: If the model is unknown, or its file is invalid.

    Examples:
        >>> import pigglesim
        >>> pigglesim.poses("d6")
    """
    body = load_model(model)
    shares = support_for(body).shares()
    return PosesResult(
        body=body,
        shares={pose.name: share for pose, share in zip(body.poses, shares, strict=True)},
        classes=class_shares(body),
    )


def poses_document(body: Body) -> dict[str, Any]:
    """Return all properties of the stable poses of a body as a JSON document."""
    support = support_for(body)
    shares = support.shares()
    decided = support.decided_below([pose.label for pose in body.poses])
    weight = body.mass.mass * _GRAVITY
    low, high = body.hull.vertices.min(axis=0), body.hull.vertices.max(axis=0)
    found: dict[str, Any] = {
        "model": body.model,
        "sha256": body.sha256 or None,
        "mass_g": body.mass.mass * 1e3,
        "size_mm": ((high - low) * 1e3).tolist(),
        "centre_mm": (body.mass.centre * 1e3).tolist(),
        "method": "exact areas of the basins of the height of the centre of mass (quasi-static)",
        "poses": [
            {
                "name": pose.name,
                "class": pose.orientation.value if pose.orientation else pose.face,
                "share": share,
                "height_mm": pose.height * 1e3,
                "escape_mm": pose.escape * 1e3,
                "escape_uj": pose.escape * weight * 1e6,
                "other_class_mm": (level - pose.height) * 1e3,
                "down": pose.down.tolist(),
                "parts": list(pose.parts),
            }
            for pose, share, level in zip(body.poses, shares, decided, strict=True)
        ],
        "classes": class_shares(body),
    }
    return {key: plain(value) for key, value in found.items()}
