"""The stable poses of a body, for people and as JSON."""

import math
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pigglesim.shapes.body import Body, StablePose
from pigglesim.shapes.poses import support_of

__all__ = ["class_name", "class_shares", "draw_sheet", "poses_document", "poses_view"]

_GRAVITY = 9.80665
"""Standard gravity [m/s2]."""


def class_name(pose: StablePose) -> str:
    """Return what the rules call a pose: its class, else the number a die shows there."""
    return pose.orientation.label if pose.orientation else pose.name


def class_shares(body: Body, shares: list[float]) -> dict[str, float]:
    """Return the share of each class, the largest first; of no classes where none is known."""
    found: dict[str, float] = {}
    for pose, share in zip(body.poses, shares, strict=True):
        found[class_name(pose)] = found.get(class_name(pose), 0.0) + share
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def poses_document(body: Body) -> dict[str, Any]:
    """Return everything about the stable poses of a body as a JSON document."""
    support = support_of(body.hull, body.mass.centre)
    shares = support.shares()
    decided = support.decided_below([class_name(pose) for pose in body.poses])
    weight = body.mass.mass * _GRAVITY
    low, high = body.skin.vertices.min(axis=0), body.skin.vertices.max(axis=0)
    return {
        "model": body.model,
        "sha256": body.sha256 or None,
        "mass_g": body.mass.mass * 1e3,
        "size_mm": ((high - low) * 1e3).tolist(),
        "centre_mm": (body.mass.centre * 1e3).tolist(),
        "method": "exact areas of the basins of the height of the centre of mass (quasi-static)",
        "poses": [
            {
                "name": pose.name,
                "class": pose.orientation.value if pose.orientation else None,
                "share": share,
                "height_mm": pose.height * 1e3,
                "escape_mm": _finite(pose.escape * 1e3),
                "escape_uj": _finite(pose.escape * weight * 1e6),
                "other_class_mm": _finite((level - pose.height) * 1e3),
                "down": pose.down.tolist(),
                "parts": list(pose.parts),
            }
            for pose, share, level in zip(body.poses, shares, decided, strict=True)
        ],
        "classes": class_shares(body, shares),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def poses_view(console: Console, body: Body, document: dict[str, Any]) -> None:
    """Print the table of poses and the shares of the classes."""
    wide, deep, high = document["size_mm"]
    console.print(
        Text.assemble(
            (body.model, "bold"),
            f"  {wide:.1f} x {deep:.1f} x {high:.1f} mm, {document['mass_g']:.2f} g",
        )
    )
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("pose")
    table.add_column("class")
    for heading in ("share", "centre mm", "tips at mm", "energy"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("rests on")
    for pose, row in zip(body.poses, document["poses"], strict=True):
        escape = row["escape_mm"]
        table.add_row(
            pose.name,
            pose.orientation.label if pose.orientation else "-",
            f"{row['share']:.2%}",
            f"{row['height_mm']:.2f}",
            "never" if escape is None else f"+{escape:.2f}",
            "" if escape is None else _energy(row["escape_uj"]),
            ", ".join(pose.parts),
        )
    console.print(table)
    if any(pose.orientation for pose in body.poses):
        whole = " · ".join(f"{name} {share:.2%}" for name, share in document["classes"].items())
        console.print(whole)
    console.print(
        "Shares without momentum, exact for this mesh; drops differ, above all in rare poses.",
        style="dim",
    )


def _energy(microjoules: float) -> str:
    return f"{microjoules / 1e3:.2f} mJ" if microjoules >= 1e3 else f"{microjoules:.3g} μJ"


def draw_sheet(body: Body, document: dict[str, Any], file: Path) -> None:
    """Draw every pose into a picture file.

    Raises:
        SpecError: If the file cannot be one.
    """
    from pigglesim.pictures.pose_sheet import draw_pose_sheet

    whole = " · ".join(f"{name} {share:.1%}" for name, share in document["classes"].items())
    classed = any(pose.orientation for pose in body.poses)
    draw_pose_sheet(
        body,
        file,
        title=body.model,
        subtitle=f"{whole} (without momentum)" if classed else "shares without momentum",
        shares=[row["share"] for row in document["poses"]],
    )
