"""`pigglesim poses`: every way a model or a mesh can rest, and how often without momentum."""

from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli import completions
from pigglesim.cli.options import JsonOption, print_json, progress_console, result_console
from pigglesim.errors import SpecError

__all__ = ["register"]

_HELP = """Show the stable poses of a model or mesh file.

Mesh files are STL, OBJ, PLY or GLB.

Shares are quasi-static: the part of all directions that roll into a pose without momentum. \
A mesh file is weighed as solid plastic of 1,100 kg/m3.

Examples:

  pigglesim poses piggle

  pigglesim poses premium --json

  pigglesim poses piggle --plot poses.png

  pigglesim poses scan.stl --unit mm --plot poses.svg
"""

_PLASTIC = 1100.0


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(poses)


def poses(
    model: Annotated[
        str,
        typer.Argument(
            autocompletion=completions.models, help="Model: a name, a TOML file or a mesh file."
        ),
    ],
    as_json: JsonOption = False,
    plot: Annotated[
        Path | None, typer.Option(help="Picture of the body in each pose, a .png or .svg file.")
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(
            autocompletion=completions.lengths,
            metavar="UNIT",
            help="Unit of a mesh file: mm, cm, m or in. Default: mm.",
        ),
    ] = None,
) -> None:
    """Show the stable poses."""
    from pigglesim.cli.pose_table import draw_sheet, poses_view
    from pigglesim.shapes.adopt import bare_body
    from pigglesim.shapes.load import load_model
    from pigglesim.shapes.mesh_files import SUFFIXES
    from pigglesim.shapes.scan import length_unit, read_scan
    from pigglesim.verbs.poses import poses_document

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
