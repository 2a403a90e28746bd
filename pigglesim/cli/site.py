"""`pigglesim site`: a folder in which a page plays without a server."""

from pathlib import Path
from typing import Annotated

from pigglesim.cli.consoles import note, result_console
from pigglesim.cli.flags import ARGUMENT
from pigglesim.errors import SpecError


def site(
    folder: Annotated[Path, ARGUMENT, "Folder to write; one of an earlier version is replaced."],
    pyodide: Annotated[
        Path | None,
        "Package of Pyodide, Python for browsers, or its folder. Default: one in this folder.",
    ] = None,
    one_file: Annotated[bool, "Write one page that opens from disk."] = False,
    force: Annotated[bool, "Write into a folder that has other files."] = False,
) -> None:
    """Write a folder with which any web server serves the game, without Python.

    The page has the project's own rules and engine, in WebAssembly, and works without a network
    after the first visit. Pyodide comes from npm; its digest is checked:

        npm pack pyodide@314.0.7

    Examples:
        pigglesim site play
        pigglesim site page --one-file
    """
    from pigglesim.site.build import write_site

    if folder.exists() and not folder.is_dir():
        raise SpecError(f"{folder} is a file", fix="name a folder")
    sizes = write_site(folder, pyodide or Path(), whole=one_file, overwrite=force, note=note)
    total = sum(sizes.values()) / 1e6
    files = "one file" if one_file else f"{len(sizes)} files"
    result_console().print(f"{folder}: {files}, {total:.1f} MB")
