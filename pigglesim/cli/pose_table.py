"""The stable poses of a body, for people and as JSON."""

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pigglesim.shapes.body import Body

__all__ = ["draw_sheet", "poses_view"]


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
            pose.label if pose.orientation or pose.face else "-",
            f"{row['share']:.2%}",
            f"{row['height_mm']:.2f}",
            "never" if escape is None else f"+{escape:.2f}",
            "" if escape is None else _energy(row["escape_uj"]),
            ", ".join(pose.parts),
        )
    console.print(table)
    if any(pose.orientation or pose.face for pose in body.poses):
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
    classed = any(pose.orientation or pose.face for pose in body.poses)
    draw_pose_sheet(
        body,
        file,
        title=body.model,
        subtitle=f"{whole} (without momentum)" if classed else "shares without momentum",
        shares=[row["share"] for row in document["poses"]],
    )
