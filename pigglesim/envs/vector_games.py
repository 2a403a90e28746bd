"""Games of the vector environment: their matches, rules, actions and observations as numbers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Set
from dataclasses import replace

import numpy as np

from pigglesim.agents import piggles_steps
from pigglesim.agents.compiled_playouts import now_of, piggles_playouts, pigs_of
from pigglesim.agents.piggles_kernel import ALL
from pigglesim.agents.places import GREEDY, UNIFORM, Bools, Flags, Ints, Numbers, Places, new_places
from pigglesim.agents.registry import canonical_name, parse_name
from pigglesim.chance.tabular import believed_chance
from pigglesim.envs.episode import LearningTable
from pigglesim.envs.piggles import (
    FULL_TALLY,
    ZONE_COLUMNS,
    PigglesEncoder,
    marking_row,
    piggles_of,
)
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.piggles.areas import Load
from pigglesim.landing import BOARD_SEATS, Orientation, Seat, Zone
from pigglesim.precompile import compile_for
from pigglesim.signals import signals_deferred

_SINGLE = "use pigglesim.envs.gymnasium"
_AREAS = ("pen", "board", "mud", "kitchen", "cup")
"""Columns of the areas of a Piggle, in the kernel's order."""


class VectorGame(ABC):
    """Matches of one game at many places, in compiled code."""

    places: Places

    @abstractmethod
    def play(self, at: Bools, actions: Ints) -> None:
        """Take a legal action in each match `at` a place, or begin the next one if it is over.

        Then play until the caller decides. Both have shape [count].
        """

    @abstractmethod
    def observe(self, at: Bools, numbers: Numbers, mask: Flags) -> None:
        """Write observations and masks of the matches `at` places, of shapes [count, ...]."""


def vector_game(table: LearningTable, count: int, opponent: str, seat: int) -> VectorGame:
    """Return places for matches of a game in compiled code.

    Args:
        table: The game with its encoder.
        count: Number of places.
        opponent: Name of the agent at every other seat.
        seat: Number of the caller's seat, or `EITHER`.

    Raises:
        SpecError: If compiled code does not play the game, a house rule or the opponent.
    """
    game = _GAMES.get(table.game.name)
    if game is None:
        raise SpecError(
            f"compiled code does not play {table.game.name} in environments",
            expected=" or ".join(_GAMES),
            fix=_SINGLE,
        )
    return game(table, count, opponent, seat)


def _read_opponent(name: str, known: Set[str]) -> tuple[str, float]:
    """Return the kind of an opponent that is one of the known kinds, and its parameter, or 0."""
    kind, values = parse_name(canonical_name(name))
    if kind not in known:
        raise unknown_name("opponent in compiled code", name, sorted(known))
    return kind, float(next(iter(values.values()), None) or 0.0)


class _Piggles(VectorGame):
    """Piggles, Classic and Modern, by odds."""

    def __init__(self, table: LearningTable, count: int, opponent: str, seat: int) -> None:
        encoder = table.encoder
        assert isinstance(encoder, PigglesEncoder)
        kind, points = _read_opponent(opponent, {"greedy", "threshold", "uniform"})
        # Each Piggle rolls by the supplied odds of its model, and greedy believes so.
        playouts = piggles_playouts(encoder.game, believed_chance("piggle", table.models))
        if playouts is None:
            raise SpecError("compiled code does not support these house rules", fix=_SINGLE)
        compile_for("matches")
        self.places = new_places(count, len(BOARD_SEATS))
        start = encoder.game.initial_state()
        pigs, now = pigs_of(start), now_of(start)
        self._matches = piggles_steps.Matches(
            pigs=np.repeat(pigs[None], count, axis=0),
            now=np.repeat(now[None], count, axis=0),
            first_pigs=pigs,
            first_now=now,
        )
        self._rules = replace(playouts, threshold=points).table, _layout_of(encoder)
        self._players = seat, UNIFORM if kind == "uniform" else GREEDY
        self._found = np.zeros(encoder.action_count, dtype=np.int64)

    def play(self, at: Bools, actions: Ints) -> None:
        """Play at places."""
        draws = np.zeros((ALL, 2))
        parts = (self._matches, self.places, at, actions, *self._rules, *self._players)
        with signals_deferred():
            piggles_steps.play(*parts, draws, self._found)

    def observe(self, at: Bools, numbers: Numbers, mask: Flags) -> None:
        """Write observations and masks."""
        parts = (self._matches, self.places, at, *self._rules, numbers, mask)
        with signals_deferred():
            piggles_steps.observe(*parts, self._found)


def _layout_of(encoder: PigglesEncoder) -> piggles_steps.Layout:
    """Return the actions and observations of a game as numbers."""
    piggles, table = encoder.layout.blocks
    at = {column.name: place for place, column in enumerate(piggles.columns)}
    table_at = {each.name: piggles.size + place for place, each in enumerate(table.columns)}
    bits = {piggle: 1 << bit for bit, piggle in enumerate(piggles_of(Seat.A))}
    actions = (encoder.action_at(number, Seat.A) for number in range(encoder.action_count))
    loads = np.array(
        [sum(bits[p] for p in action.piggles) for action in actions if isinstance(action, Load)]
    )
    numbers = np.full(1 << int(loads.max()).bit_length(), -1)
    numbers[loads] = np.arange(len(loads))
    markings = dict(encoder.game.lineup)
    rows = (
        [marking_row(markings[p]) if p in markings else {} for p in piggles_of(seat)]
        for seat in BOARD_SEATS
    )
    zones = [zone for zone in Zone if zone is not Zone.OFF]
    return piggles_steps.Layout(
        numbers=numbers,
        loads=loads,
        blank=np.array([encoder.layout.numbers((each, ({},))) for each in rows]),
        width=len(piggles.columns),
        areas=np.array([at[name] for name in _AREAS]),
        poses=np.array([at[pose.value] for pose in Orientation]),
        zones=np.array([[at[ZONE_COLUMNS[s][zone]] for zone in zones] for s in BOARD_SEATS]),
        piggle=np.array([at.get(name, -1) for name in piggles_steps.PIGGLE_COLUMNS]),
        table=np.array([table_at[name] for name in piggles_steps.TABLE_COLUMNS]),
        point=float(FULL_TALLY),
    )


_GAMES: Mapping[str, Callable[[LearningTable, int, str, int], VectorGame]] = {
    "piggles_classic": _Piggles,
    "piggles_modern": _Piggles,
}
