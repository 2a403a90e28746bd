"""How values show themselves in a notebook.

A notebook asks a value for `_repr_html_` or `_repr_svg_`. What draws lies far above what is drawn,
so a value knows the name of its drawing alone, and nothing is loaded before somebody looks.
"""

from importlib import import_module

__all__ = ["displayed"]


def displayed(drawing: str, value: object) -> str | None:
    """Return a value as HTML or SVG; None where it cannot be drawn, and its text is shown.

    Args:
        drawing: Name of a function of `pigglesim.sharing.notebook`.
        value: What it draws.
    """
    found: str | None = getattr(import_module("pigglesim.sharing.notebook"), drawing)(value)
    return found
