"""What an environment shows of a match, by the names of Gymnasium's render modes."""

import io

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from pigglesim.adapters.episode import Episode
from pigglesim.adapters.painter import TEXT_WIDTH, Painter
from pigglesim.errors import SpecError, unknown_name

__all__ = ["RENDER_MODES", "check_render_mode", "rendered"]

RENDER_MODES = ("human", "ansi", "rgb_array")


def check_render_mode(mode: str | None, painter: Painter | None) -> str | None:
    """Return a render mode that can be.

    Raises:
        SpecError: If it is unknown, or nothing draws this game.
    """
    if mode is None:
        return None
    if mode not in RENDER_MODES:
        raise unknown_name("render mode", mode, RENDER_MODES)
    if painter is None:
        raise SpecError(
            "no render mode for a game that nothing draws",
            got=repr(mode),
            remedy="render_mode=None",
        )
    return mode


def rendered(episode: Episode, mode: str | None) -> str | NDArray[np.uint8] | None:
    """Return the position as text or image, or print it where the mode is `human`.

    Raises:
        SpecError: If there is no mode.
    """
    painter = episode.table.painter
    if mode is None or painter is None:
        raise SpecError(
            "a render mode, chosen when the environment is made",
            got="none",
            remedy="render_mode='ansi'",
        )
    told = episode.told[0] if episode.told and episode.encoder.open_play else ""
    if mode == "rgb_array":
        return painter.image(episode.state, told)
    file = io.StringIO() if mode == "ansi" else None
    console = Console(file=file, width=TEXT_WIDTH, highlight=False)
    console.print(painter.text(episode.state, told))
    return file.getvalue() if file else None
