"""Positions of Piggy Six as people see them: points as bars towards the target."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.text import Text

from pigglesim.games.piggy_six.rulebook import PiggySix
from pigglesim.games.piggy_six.state import Position
from pigglesim.rolls import Seat

__all__ = ["PiggySixPainter"]

_BAR = 40
"""Letters of a bar from nothing to the target."""
_ROW, _TOP, _BELOW, _WIDTH, _LEFT = 0.4, 0.8, 0.5, 6.4, 0.6
"""Sizes of the picture [in]: a row, above, below, in all, and left of the bars."""


@dataclass(frozen=True, kw_only=True)
class PiggySixPainter:
    """Shows positions of Piggy Six."""

    game: PiggySix

    def text(self, state: Position, told: str) -> RenderableType:
        """Return everybody's points as a bar, those of the turn in other letters."""
        rows = []
        for seat in self.game.seats:
            points, turn = self._points(state, seat)
            target = self.game.rules.target
            whole, both = (round(_BAR * each / target) for each in (points, points + turn))
            bar = "#" * whole + "+" * (both - whole) + "." * (_BAR - both)
            more = f" + {turn}" if turn else ""
            rows.append(f"{'>' if seat is state.active else ' '} {seat} {bar} {points}{more}")
        return Group(Text(self._heading(state)), Text(told), Text("\n".join(rows)))

    def image(self, state: Position, told: str) -> NDArray[np.uint8]:
        """Return the same as a picture."""
        from pigglesim.pictures.position_picture import pixels  # noqa: PLC0415 (slow to import)
        from pigglesim.pictures.style import (  # noqa: PLC0415
            FAINT,
            blank,
            colours_of,
            heading,
            house_style,
            light,
            quiet,
        )

        seats, target = self.game.seats, self.game.rules.target
        height = _TOP + _ROW * len(seats) + _BELOW
        with house_style():
            figure = blank(_WIDTH, height)
            heading(figure, self._heading(state), told)
            axes = figure.add_axes(
                (
                    _LEFT / _WIDTH,
                    _BELOW / height,
                    0.96 - _LEFT / _WIDTH,
                    1 - (_TOP + _BELOW) / height,
                )
            )
            quiet(axes, grid="x")
            colour = colours_of("1")["1"]
            for row, seat in enumerate(seats):
                points, turn = self._points(state, seat)
                axes.barh(row, points, color=colour)
                axes.barh(row, turn, left=points, color=light(colour))
            axes.axvline(target, color=FAINT, linewidth=0.8)
            axes.set_xlim(0, max(target, max(state.bank) + state.total) * 1.05)
            axes.set_ylim(len(seats) - 0.5, -0.5)
            axes.set_yticks(range(len(seats)), [str(seat) for seat in seats])
            return pixels(figure)

    @staticmethod
    def _points(state: Position, seat: Seat) -> tuple[int, int]:
        return state.points_of(seat), state.total if seat is state.active else 0

    def _heading(self, state: Position) -> str:
        if state.result is None:
            return f"Round {state.round}: {state.active}"
        won = state.result.shared or (state.result.winner,)
        return f"{' and '.join(map(str, won))} won ({state.result.reason})"
