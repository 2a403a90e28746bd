"""How values show themselves in a notebook.

A notebook asks a value for `_repr_html_` or `_repr_svg_`. What draws lies far above what is drawn,
so a value knows the name of its drawing alone, and nothing is loaded before somebody looks.
"""

from importlib import import_module
from pathlib import Path


def displayed(drawing: str, value: object) -> str | None:
    """Return a value as HTML or SVG; None where it cannot be drawn, and its text is shown.

    Args:
        drawing: Name of a function of `pigglesim.sharing.notebook`.
        value: What it draws.
    """
    found: str | None = getattr(import_module("pigglesim.sharing.notebook"), drawing)(value)
    return found


def saved(film: object, file: Path, **look: object) -> Path:
    """Write a film to a file, and return it.

    Args:
        film: The film.
        file: Its suffix says what it becomes.
        look: How a picture or video is drawn.
    """
    saving = import_module("pigglesim.api.roll")
    saving.save_film(film, file, saving.Look(**look))
    return file
