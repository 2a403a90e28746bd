"""Chance that gives the outcomes it was told, in order."""

from collections.abc import Sequence

from pigglesim.errors import SpecError
from pigglesim.games.game import JSON
from pigglesim.rolls import RollRequest, RollResult

__all__ = ["ScriptedChance"]


class ScriptedChance:
    """Answers roll i with the i-th result of a list.

    Args:
        results: One result for each roll; the rules check that each answers its request.
    """

    def __init__(self, results: Sequence[RollResult]) -> None:
        self._results = tuple(results)

    def roll(self, request: RollRequest, *, index: int) -> RollResult:
        """Return the result written for roll `index`.

        Raises:
            SpecError: If the script ends before it.
        """
        if not 0 <= index < len(self._results):
            raise SpecError(
                f"a script with roll {index} of {' '.join(request.piggles)}",
                got=f"{len(self._results)} rolls",
                remedy="write its result too",
            )
        return self._results[index]

    def provenance(self) -> dict[str, JSON]:
        """Return where the outcomes come from, for a record."""
        return {"source": "scripted", "rolls": len(self._results)}
