"""Chance that follows a script."""

from collections.abc import Sequence

from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.games.game import JSON


class ScriptedChance:
    """Answers request i with the i-th answer of a list."""

    def __init__(self, results: Sequence[ChanceOutcome]) -> None:
        self._results = tuple(results)

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return the answer written for request `index`."""
        del request
        return self._results[index]

    def provenance(self) -> dict[str, JSON]:
        """Return where the outcomes come from, for a record."""
        return {"source": "scripted", "rolls": len(self._results)}
