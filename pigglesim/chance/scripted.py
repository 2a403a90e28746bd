"""Chance that gives the outcomes it was told, in order."""

from collections.abc import Sequence

from pigglesim.asking import ChanceOutcome, ChanceRequest
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON

__all__ = ["ScriptedChance"]


class ScriptedChance:
    """Answers request i with the i-th answer of a list.

    Args:
        results: One answer for each request; the rules check that each answers its request.
    """

    def __init__(self, results: Sequence[ChanceOutcome]) -> None:
        self._results = tuple(results)

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return the answer written for request `index`.

        Raises:
            SpecError: If the script ends before it.
        """
        if not 0 <= index < len(self._results):
            raise SpecError(
                f"a script with answer {index}, for {request.thrower}",
                got=f"{len(self._results)} answers",
                remedy="write it too",
            )
        return self._results[index]

    def provenance(self) -> dict[str, JSON]:
        """Return where the outcomes come from, for a record."""
        return {"source": "scripted", "rolls": len(self._results)}
