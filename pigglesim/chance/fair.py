"""Fair dice and shuffles."""

import numpy as np

from pigglesim.chance_types import (
    ChanceOutcome,
    ChanceRequest,
    DiceRequest,
    DiceResult,
    ShuffleRequest,
    ShuffleResult,
)
from pigglesim.errors import SpecError
from pigglesim.games.game import JSON
from pigglesim.rng import generator


class FairChance:
    """A source of fair dice and shuffles; rolls of Piggles need physics or odds.

    Args:
        seed: Root seed; answer i has its own stream.
    """

    def __init__(self, *, seed: int) -> None:
        self._seed = seed

    def with_seed(self, seed: int) -> "FairChance":
        """Return the same chance under another seed."""
        return FairChance(seed=seed)

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        """Return answer `index`, drawn from its own stream.

        Raises:
            SpecError: If the request is a roll of Piggles.
        """
        return self.draw(request, rng=generator(self._seed, "fair", index))

    def draw(self, request: ChanceRequest, *, rng: np.random.Generator) -> ChanceOutcome:
        """Return an answer drawn from `rng`, for agents that think ahead.

        Raises:
            SpecError: If the request is a roll of Piggles.
        """
        if isinstance(request, DiceRequest | ShuffleRequest):
            return fair_draw(request, rng=rng)
        raise SpecError(
            "fair chance cannot roll Piggles", fix="use --chance physical or --chance tabular"
        )

    def provenance(self) -> dict[str, JSON]:
        """Return the source of the outcomes, for a record."""
        return {"source": "fair", "numpy_version": np.__version__}


def fair_draw(
    request: DiceRequest | ShuffleRequest, *, rng: np.random.Generator
) -> DiceResult | ShuffleResult:
    """Return dice with equally likely faces, or cards in a uniformly random order."""
    if isinstance(request, DiceRequest):
        faces = rng.integers(1, request.sides + 1, size=request.count)
        return DiceResult(faces=tuple(faces.tolist()))
    order = rng.permutation(len(request.cards))
    return ShuffleResult(cards=tuple(request.cards[at] for at in order.tolist()))
