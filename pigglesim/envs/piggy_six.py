"""Piggy Six as numbers: own points first, then the others' in the order of turns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.text import Text

from pigglesim.envs.encoding import ActionList, Block, Column, Encoder, FeatureLayout, Row, columns
from pigglesim.games.piggy_six import (
    DiceRoll,
    PiggySix,
    PiggySixObservation,
    PiggySixState,
    SixAction,
    Stop,
)
from pigglesim.landing import Seat

_MAX_POINTS = 4.0
"""Bound at which points are clipped [target]."""


@dataclass(frozen=True, kw_only=True)
class PiggySixEncoder(Encoder[SixAction]):
    """Encoder of one game of Piggy Six.

    Actions are the rolls under the house rules, fewest dice first, and then the stop.
    """

    game: PiggySix

    @cached_property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers of an observation."""
        others = (f"other {number}" for number in range(1, len(self.game.seats)))
        player = (
            Column("points", "points written down [target]", high=_MAX_POINTS),
            Column("moves", "has the turn"),
            Column("later", "has a turn after the one at hand in this round"),
            Column("stop", "turn total at which it stops [target], 0 of a person"),
        )
        dice = {f"dice_{n}": f"the turn goes on with {n} dice" for n in (1, 2, 3)}
        table = (
            Column("total", "points of the turn at hand [target]", high=_MAX_POINTS),
            Column("rolls", "rolls of the turn at hand [roll_cap]"),
            *columns(dice),
            Column("round", "number of the round [round_cap]"),
            Column("over", "the game is over"),
        )
        return FeatureLayout(
            blocks=(
                Block(name="players", rows=("own", *others), columns=player),
                Block(name="table", rows=("table",), columns=table),
            )
        )

    @property
    def full_score(self) -> int:
        """Target score [points]."""
        return self.game.rules.target

    def actions(self, seat: Seat) -> ActionList[SixAction]:
        """Return all actions, the same for every seat."""
        del seat
        return self._actions

    @cached_property
    def _actions(self) -> ActionList[SixAction]:
        return ActionList((*map(DiceRoll, self.game.rules.dice_numbers), Stop()))

    def rows(self, observation: PiggySixObservation, seat: Seat) -> Sequence[Iterable[Row]]:
        """Return the rows of the players in the order of turns, and of the table."""
        rules, state = self.game.rules, observation.state
        order, stops, playing = rules.turn_order, rules.stops, state.result is None
        own, active = order.index(seat), order.index(state.active)
        players = [
            {
                "points": min(state.points_of(player) / rules.target, _MAX_POINTS),
                "moves": playing and player is state.active,
                "later": playing and order.index(player) > active,
                "stop": min(stops.get(player, 0) / rules.target, 1.0),
            }
            for player in (*order[own:], *order[:own])
        ]
        table = {
            "total": min(state.total / rules.target, _MAX_POINTS),
            "rolls": state.rolls / rules.roll_cap,
            f"dice_{state.dice}": 1.0,
            "round": state.round / rules.round_cap,
            "over": not playing,
        }
        return players, (table,)


_BAR = 40
"""Length of a bar from 0 to the target [characters]."""
_ROW, _TOP, _BELOW, _WIDTH, _LEFT = 0.4, 0.8, 0.5, 6.4, 0.6
"""Sizes of the image [in]: row height, top and bottom margins, width, and left margin."""


@dataclass(frozen=True, kw_only=True)
class PiggySixPainter:
    """Painter of states of Piggy Six."""

    game: PiggySix

    def text(self, state: PiggySixState, caption: str) -> RenderableType:
        """Return the points of each player as a bar, those of the turn in other characters."""
        rows = []
        for seat in self.game.seats:
            points, turn = self._points(state, seat)
            target = self.game.rules.target
            banked, with_turn = (round(_BAR * value / target) for value in (points, points + turn))
            bar = "#" * banked + "+" * (with_turn - banked) + "." * (_BAR - with_turn)
            turn_text = f" + {turn}" if turn else ""
            rows.append(f"{'>' if seat is state.active else ' '} {seat} {bar} {points}{turn_text}")
        return Group(Text(self._heading(state)), Text(caption), Text("\n".join(rows)))

    def image(self, state: PiggySixState, caption: str) -> NDArray[np.uint8]:
        """Return the bars as an image."""
        from pigglesim.render.figure import (  # noqa: PLC0415
            colours_of,
            figure_pixels,
            heading,
            house_style,
            lighten,
            new_figure,
            simplify_axes,
        )
        from pigglesim.render.palette import FAINT  # noqa: PLC0415

        seats, target = self.game.seats, self.game.rules.target
        height = _TOP + _ROW * len(seats) + _BELOW
        with house_style():
            figure = new_figure(_WIDTH, height)
            heading(figure, self._heading(state), caption)
            axes = figure.add_axes(
                (
                    _LEFT / _WIDTH,
                    _BELOW / height,
                    0.96 - _LEFT / _WIDTH,
                    1 - (_TOP + _BELOW) / height,
                )
            )
            simplify_axes(axes, grid="x")
            colour = colours_of("1")["1"]
            for row, seat in enumerate(seats):
                points, turn = self._points(state, seat)
                axes.barh(row, points, color=colour)
                axes.barh(row, turn, left=points, color=lighten(colour))
            axes.axvline(target, color=FAINT, linewidth=0.8)
            axes.set_xlim(0, max(target, max(state.bank) + state.total) * 1.05)
            axes.set_ylim(len(seats) - 0.5, -0.5)
            axes.set_yticks(range(len(seats)), [str(seat) for seat in seats])
            return figure_pixels(figure)

    @staticmethod
    def _points(state: PiggySixState, seat: Seat) -> tuple[int, int]:
        return state.points_of(seat), state.total if seat is state.active else 0

    def _heading(self, state: PiggySixState) -> str:
        if state.result is None:
            return f"Round {state.round}: {state.active}"
        won = state.result.shared or (state.result.winner,)
        return f"{' and '.join(map(str, won))} won ({state.result.reason})"
