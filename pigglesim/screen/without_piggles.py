"""What a family of games answers that has no Piggles and whose choices are a list."""

from collections.abc import Mapping, Sequence
from typing import Any

from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import Landing, Seat
from pigglesim.screen.family import Mark, Toggles

__all__ = ["WithoutPiggles"]


class WithoutPiggles:
    """The part of a `Family` that is about Piggles and rounds, for games that have none.

    A game that has columns of points, or an action that lets a turn pass or end, says so itself.
    """

    def lying(self, state: Any) -> tuple[tuple[str, Landing], ...]:  # noqa: ANN401
        """Return nothing: no Piggle lies anywhere."""
        del state
        return ()

    def player_of(self, state: Any, piggle: str) -> Seat:  # noqa: ANN401
        """Return whose letter a name has."""
        del state
        return Seat(piggle[0])

    def marks(self, state: Any) -> Mapping[str, Mark]:  # noqa: ANN401
        """Return nothing: what dice and cards show is on the table."""
        del state
        return {}

    def sets_down(self, state: Any) -> bool:  # noqa: ANN401
        """Return False: chance rolls and shuffles, and puts nothing down."""
        del state
        return False

    def columns(self, state: Any) -> Sequence[str]:  # noqa: ANN401
        """Return nothing: points are not told by rounds."""
        del state
        return ()

    def points(self, events: Sequence[MatchEvent[Any]]) -> Mapping[tuple[str, Seat], int]:
        """Return nothing, as there are no columns."""
        del events
        return {}

    def toggles(self, state: Any, legal: Sequence[Any]) -> Toggles | None:  # noqa: ANN401
        """Return None: every action is in the list."""
        del state, legal
        return None

    def about(self, action: Any) -> tuple[str, ...]:  # noqa: ANN401
        """Return nothing: no action is about a Piggle."""
        del action
        return ()

    @property
    def effects(self) -> Mapping[str, str]:
        """Nothing: there are no Piggles."""
        return {}

    @property
    def legend(self) -> str:
        """Nothing: nothing is marked."""
        return ""

    @property
    def in_window(self) -> bool:
        """False: cards, or a board of squares, are shown as text."""
        return False

    @property
    def skip(self) -> Any:  # noqa: ANN401
        """None: what lets a turn pass is in the list, if anything does."""
        return None

    @property
    def done(self) -> Any:  # noqa: ANN401
        """None: what ends a turn is in the list, if anything does."""
        return None
