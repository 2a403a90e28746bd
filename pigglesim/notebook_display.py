"""Display of values in a notebook.

A notebook calls `_repr_html_` or `_repr_svg_` of a value. The drawing code is far above these
values in the layers, so `pigglesim` itself connects the two: it sets `draw` and `save` on import.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any


def _unconnected(*_: object) -> Any:  # noqa: ANN401 (stands for two functions)
    raise RuntimeError("pigglesim has not been imported")


draw: Callable[[str, object], str | None] = _unconnected
"""Return a value as HTML or SVG by a function of `pigglesim.render.notebook`."""
save: Callable[[Any, Path, dict[str, Any]], None] = _unconnected
"""Write a film to a file in the format of its suffix."""


def displayed(drawing: str, value: object) -> str | None:
    """Return a value as HTML or SVG; None where it cannot be drawn and its text is shown."""
    return draw(drawing, value)
