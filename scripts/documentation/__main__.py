"""`scripts/site`: build, show or check the site; make anew what pages quote from the program."""

import argparse
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path

from pigglesim.errors import PigglesimError
from pigglesim.site.build import write_site
from scripts.documentation.pages import ROOT
from scripts.documentation.quoted import rewritten

_CONFIG = ROOT / "docs" / "site" / "mkdocs.yml"


def main(words: list[str]) -> int:
    """Do what the flags say; return the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/site", description=__doc__)
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--serve", metavar="PORT", nargs="?", const=8000, type=int, help="show it")
    ways.add_argument("--check", action="store_true", help="build elsewhere, fail at any warning")
    ways.add_argument("--write", action="store_true", help="make anew the tables of pages")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="where to build")
    parser.add_argument(
        "--play",
        metavar="PYODIDE",
        type=Path,
        help="add the page without a server; with the package that npm pack writes, or its folder",
    )
    asked = parser.parse_args(words)
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    if asked.write:
        for page in rewritten():
            print(f"written: {page.relative_to(ROOT)}")
        return 0
    if asked.serve:
        from mkdocs.commands.serve import serve

        serve(str(_CONFIG), dev_addr=f"localhost:{asked.serve}", watch=[str(ROOT / "pigglesim")])
        return 0
    if asked.check:
        with tempfile.TemporaryDirectory() as folder:
            return build(Path(folder))
    status = build(asked.out, play=asked.play)
    if status == 0:
        print(f"open {asked.out / 'index.html'}")
    return status


def build(out: Path, *, play: Path | None = None) -> int:
    """Build the site into a folder; return 1 and say why if anything is not as it should be.

    With the package of Pyodide, `play`, the site has the page without a server.
    """
    if play is None:
        return _build(out, None)
    with tempfile.TemporaryDirectory() as folder:
        try:
            write_site(Path(folder), play, note=print)
        except PigglesimError as error:
            print(f"site: {error}", file=sys.stderr)
            return 1
        return _build(out, Path(folder))


def _build(out: Path, play: Path | None) -> int:
    # The theme's authors tell there of plans of theirs, at every build.
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort

    config = load_config(str(_CONFIG), site_dir=str(out), strict=True)
    config.extra["play"] = play
    config.plugins.on_startup(command="build", dirty=False)
    try:
        with warnings.catch_warnings(record=True) as heard:
            # Python warns of a text that looks like code; mkdocs does not hear it.
            warnings.simplefilter("always", SyntaxWarning)
            build_site(config)
    except Abort as stopped:
        print(f"site: {stopped}", file=sys.stderr)
        return 1
    finally:
        config.plugins.on_shutdown()
    for each in heard:
        print(f"site: {each.message}: {each.line or each.filename}", file=sys.stderr)
    return int(bool(heard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
