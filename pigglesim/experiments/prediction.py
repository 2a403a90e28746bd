"""Predictions of counts that nobody has made yet, sealed in a file.

A seal is the SHA-256 of the rest of the file. The tally sheet shows it on paper, so that a later
change of both shows, too. Version, engine and seed repeat the drops to the bit.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.counted_dice import CountedDie, DropTally, Score, score
from pigglesim.experiments.folder import EXACT
from pigglesim.experiments.statistics import binomial
from pigglesim.files import FileKind, read_json, validated
from pigglesim.rng import generator
from pigglesim.scene.scene import Floor

PREDICTION_FILE = "prediction.json"
"""Name of the file beside the `die.toml` of the same body."""
_KIND = FileKind(name="prediction")
_FORMAT: Literal[1] = 1

Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Hits = Annotated[int, Field(ge=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedOutcome:
    """Share of one outcome, with its 95 % interval."""

    label: str
    hits: Hits
    """Drops that ended in this outcome."""
    value: Fraction
    low: Fraction
    high: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedFloor:
    """Shares of all outcomes on one floor."""

    floor: str
    floor_sha256: str
    height_m: float
    drift_spread_m_s: float
    spin_spread_rad_s: float
    drops: Annotated[int, Field(ge=1)]
    """Number of simulated drops, with those that ended in no outcome."""
    outcomes: tuple[PredictedOutcome, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """Shares predicted for one body, and everything that they depend on."""

    __pydantic_config__ = EXACT

    format: Literal[1] = _FORMAT
    pigglesim: str
    """Version of the program."""
    engine: str
    engine_version: str
    seed: int
    date: str
    model: str
    model_sha256: str
    mass_g: float
    size_mm: tuple[float, float, float]
    floors: Annotated[tuple[PredictedFloor, ...], Field(min_length=1)]

    @property
    def seal(self) -> str:
        """SHA-256 of the prediction."""
        return _seal(asdict(self))

    def text(self) -> str:
        """Return the sealed file."""
        return json.dumps(asdict(self) | {"sha256": self.seal}, indent=1) + "\n"


def _seal(content: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def predicted_floor(floor: Floor, labels: Sequence[str], tally: DropTally) -> PredictedFloor:
    """Return the shares that drops on a floor predict, among those that ended in an outcome."""
    hits = tally.counts[:-1]
    shares = [binomial(hit, sum(hits)) for hit in hits]
    return PredictedFloor(
        floor=floor.id,
        floor_sha256=floor.sha256,
        height_m=floor.fall.height,
        drift_spread_m_s=floor.fall.drift_spread,
        spin_spread_rad_s=floor.fall.spin_spread,
        drops=tally.drops,
        outcomes=tuple(
            PredictedOutcome(
                label=label, hits=hit, value=share.value, low=share.low, high=share.high
            )
            for label, hit, share in zip(labels, hits, shares, strict=True)
        ),
    )


def read_prediction(file: Path) -> Prediction:
    """Return a sealed prediction.

    Raises:
        RecordError: If it was changed after it was sealed, or is not a prediction.
    """
    fix = f"restore the {file.name} that `pigglesim print` wrote"
    content = read_json(file, _KIND)
    if not isinstance(content, dict) or not isinstance(content.get("sha256"), str):
        raise RecordError(f"{file} has no seal", expected="a key sha256", fix=fix)
    sealed = content.pop("sha256")
    found = _seal(content)
    if found != sealed:
        raise RecordError(
            f"{file} was changed after it was sealed: its SHA-256 is {found[:12]}...",
            expected=f"{sealed[:12]}...",
            fix=fix,
        )
    try:
        return validated(
            lambda plain: TypeAdapter(Prediction).validate_json(json.dumps(plain)),
            content,
            expected=f"a prediction of format {_FORMAT}",
            fix=fix,
        )
    except SpecError as fault:
        raise fault.converted(RecordError, where=file.name) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedScore:
    """Agreement of counts with the shares that were sealed before them."""

    sha256: str
    date: str
    pigglesim: str
    floor: str
    predicted: tuple[PredictedOutcome, ...]
    score: Score


def sealed_score(die: CountedDie, floor: str, *, seed: int) -> SealedScore | None:
    """Score the counts of a die against the prediction beside its file; None if there is none.

    Args:
        die: The counted die.
        floor: Id of the floor on which it was thrown.
        seed: Seed of samples where no closed form holds.

    Raises:
        RecordError: If the prediction was changed, or is of another body or other outcomes.
        SpecError: If it predicts nothing for that floor.
    """
    file = die.path.with_name(PREDICTION_FILE)
    if not file.exists():
        return None
    prediction = read_prediction(file)
    if prediction.model_sha256 != die.body.sha256:
        raise RecordError(
            f"{die.path.parent} holds another body than {file.name} was sealed for",
            expected=f"SHA-256 {prediction.model_sha256[:12]}...",
            fix="restore the model files that `pigglesim print` wrote",
        )
    at = {each.floor: each for each in prediction.floors}
    if floor not in at:
        raise SpecError(
            f"{file} predicts nothing for the floor {floor!r}",
            expected=", ".join(at),
            fix=f"use --floor {next(iter(at))}",
        )
    predicted = at[floor].outcomes
    labels = [outcome.label for outcome in die.outcomes]
    if labels != [outcome.label for outcome in predicted]:
        raise RecordError(
            f"{die.path} has the outcomes {', '.join(labels)}",
            expected=", ".join(outcome.label for outcome in predicted),
            fix="restore the labels that `pigglesim print` wrote, in their order",
        )
    landed = max(1, sum(outcome.hits for outcome in predicted))
    return SealedScore(
        sha256=prediction.seal,
        date=prediction.date,
        pigglesim=prediction.pigglesim,
        floor=floor,
        predicted=predicted,
        score=score(
            die.counts,
            [outcome.hits / landed for outcome in predicted],
            throws=landed,
            rng=generator(seed, "sealed", die.name),
        ),
    )
