"""Chance that repeats the rolls of a record."""

from collections.abc import Sequence
from dataclasses import dataclass

from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON
from pigglesim.landing import RollRequest, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRoll:
    """A roll that took place: who threw what, and how it came to lie."""

    thrower: Seat
    piggles: tuple[str, ...]
    """Empty where dice or cards were asked for."""
    result: ChanceOutcome


class RecordedChance:
    """Answers each roll with the recorded one, as long as the very same is asked.

    Args:
        rolls: The rolls of a record, in order.
    """

    def __init__(self, rolls: Sequence[RecordedRoll]) -> None:
        self._rolls = tuple(rolls)

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return the recorded answer number `index`.

        Raises:
            SpecError: If the record ends before it, or holds another roll there.
        """
        piggles = request.piggles if isinstance(request, RollRequest) else ()
        asked = f"roll {index} of {' '.join(piggles)} by {request.thrower}"
        if not 0 <= index < len(self._rolls):
            raise SpecError(
                asked, got=f"a record of {len(self._rolls)} rolls", remedy="play the same match"
            )
        roll = self._rolls[index]
        if (roll.thrower, roll.piggles) != (request.thrower, piggles):
            raise SpecError(
                asked,
                got=f"{' '.join(roll.piggles)} by {roll.thrower} in the record",
                remedy="make the same decisions, with the same house rules",
            )
        return roll.result

    def provenance(self) -> dict[str, JSON]:
        """Return where the outcomes come from, for a record."""
        return {"source": "recorded", "rolls": len(self._rolls)}


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
