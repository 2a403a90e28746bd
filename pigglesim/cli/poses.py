"""The stable poses of a body, for people and as JSON."""

from pathlib import Path
from typing import Annotated, Any

from rich.console import Console
from rich.text import Text

from pigglesim.api.poses import poses_document
from pigglesim.bodies.body import Body
from pigglesim.bodies.load import load_model
from pigglesim.bodies.mesh_files import SUFFIXES
from pigglesim.bodies.scan import bare_body, length_unit, read_scan
from pigglesim.cli.completions import MODEL, UNIT
from pigglesim.cli.consoles import print_json, progress_console, result_console, word_table
from pigglesim.cli.flags import WORD
from pigglesim.cli.options import JsonOption
from pigglesim.errors import SpecError


def poses_view(console: Console, body: Body, document: dict[str, Any]) -> None:
    """Print the table of poses and the shares of the classes."""
    wide, deep, high = document["size_mm"]
    console.print(
        Text.assemble(
            (body.model, "bold"),
            f"  {wide:.1f} x {deep:.1f} x {high:.1f} mm, {document['mass_g']:.2f} g",
        )
    )
    numbers = (">share", ">centre [mm]", ">tips at [mm]", ">energy")
    table = word_table("pose", "class", *numbers, "rests on")
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
    from pigglesim.render.body_sheets import draw_pose_sheet

    whole = " · ".join(f"{name} {share:.1%}" for name, share in document["classes"].items())
    classed = any(pose.orientation or pose.face for pose in body.poses)
    draw_pose_sheet(
        body,
        file,
        title=body.model,
        subtitle=f"{whole} (without momentum)" if classed else "shares without momentum",
        shares=[row["share"] for row in document["poses"]],
    )


_PLASTIC = 1100.0


def poses(
    model: Annotated[str, MODEL, WORD, "Model: a name, a TOML file or a mesh file."],
    as_json: JsonOption = False,
    plot: Annotated[Path | None, "Picture of the body in each pose, a .png or .svg file."] = None,
    unit: Annotated[str | None, UNIT, "Unit of a mesh file: mm, cm, m or in. Default: mm."] = None,
) -> None:
    """Show the stable poses of a model or mesh file.

    Mesh files are STL, OBJ, PLY or GLB.

    Shares are quasi-static: the part of all directions that roll into a pose without momentum. A
    mesh file is weighed as solid plastic of 1,100 kg/m3.

    Examples:
        pigglesim poses piggle
        pigglesim poses premium --json
        pigglesim poses piggle --plot poses.png
        pigglesim poses scan.stl --unit mm --plot poses.svg
    """
    # Before the work, not after it.
    if plot is not None and plot.suffix.lower() not in {".png", ".svg"}:
        raise SpecError("a picture file: .png or .svg", got=repr(plot.name), remedy="poses.png")
    notes: tuple[str, ...] = ()
    if Path(model).suffix.lower() in SUFFIXES:
        scan = read_scan(Path(model), length_unit(unit or "mm"))
        body, notes = bare_body(scan, density=_PLASTIC), scan.notes
    elif unit is not None:
        raise SpecError(
            "--unit with a mesh file alone", got=f"the model {model!r}", remedy="leave --unit out"
        )
    else:
        body = load_model(model)
    document = poses_document(body)
    if plot is not None:
        with progress_console().status(f"drawing {len(body.poses)} poses ..."):
            draw_sheet(body, document, plot)
    if as_json:
        print_json(document)
        return
    console = result_console()
    poses_view(console, body, document)
    for note in notes:
        console.print(f"mended: {note}", style="dim")
    if plot is not None:
        console.print(f"drawn in {plot}", style="dim")
