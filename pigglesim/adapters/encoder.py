"""How one game becomes numbers: what an environment must know of it beside its rules."""

from typing import Protocol, TypeVar

from pigglesim.adapters.layout import Floats, Layout
from pigglesim.rolls import Seat

__all__ = ["Encoder"]

A = TypeVar("A")


class Encoder(Protocol[A]):
    """Actions and observations of one game under fixed house rules, as numbers.

    It is given what `Game.observe` shows a player and nothing else: what is hidden from a player
    cannot come into the player's numbers.
    """

    @property
    def layout(self) -> Layout:
        """What stands where in an observation."""

    @property
    def action_count(self) -> int:
        """How many actions there are in all, without conceding."""

    @property
    def full_score(self) -> int:
        """What a player scores for whom everything goes well: the scale of points."""

    @property
    def open_play(self) -> bool:
        """Whether everyone sees every decision and what chance answers to it."""

    def encode(self, observation: object, seat: Seat) -> Floats:
        """Return what `Game.observe` shows `seat` as numbers, shape [layout.size].

        Every number lies within the bounds of the layout.
        """

    def action_number(self, action: A, seat: Seat) -> int:
        """Return the number of an action of `seat`, from 0; the same at every position."""

    def action_at(self, number: int, seat: Seat) -> A:
        """Return the action of `seat` with that number, legal or not."""
