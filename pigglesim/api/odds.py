"""Odds of a model, measured on studies, for matches without physics."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from pigglesim.api.study import StudyResult
from pigglesim.arguments import checked
from pigglesim.bodies.load import load_model
from pigglesim.chance.odds import Odds, odds_text
from pigglesim.durable_io import check_target, expect_new, write_target
from pigglesim.errors import SpecError
from pigglesim.experiments.odds import odds_of_study
from pigglesim.experiments.query import open_throws
from pigglesim.experiments.store import read_definition, stored_study
from pigglesim.experiments.study import Study
from pigglesim.rng import Seed, root_seed


@checked
def measure_odds(
    studies: Sequence[StudyResult | str | PathLike[str]],
    *,
    model: str | None = None,
    seed: Seed = 1,
    out: str | PathLike[str] | None = None,
    overwrite: bool = False,
) -> Odds:
    """Measure the odds of a model on the throws of studies, and the error of rolls by them.

    Studies of pours give the landings by the number thrown; studies of knocks also give the
    knocks. They vary only `number`, models and, for knocks, `standing`.

    Args:
        studies: Results of `study`, or the folders of studies.
        model: Model whose odds are measured. Default: the only one thrown.
        seed: Root seed of the rolls by the odds that are compared with the throws.
        out: File to write, which ends in `.json`, for `play_match(odds=...)`.
        overwrite: Whether to replace an existing file.

    Returns:
        The odds; each of their `departures` is a total variation with its bounds.

    Raises:
        PigglesimError: If a folder is not a study, the studies do not fit together, or the file
            cannot be written.

    Examples:
        >>> import pigglesim
        >>> pours = pigglesim.study("pour", factors={"number": [1, 6]}, throws=12, seed=1)
        >>> pigglesim.measure_odds([pours], out="mine.json").departures
    """
    if out is not None:
        check_target(Path(out), ".json")
        expect_new(Path(out), overwrite=overwrite)
    folders = [each.folder if isinstance(each, StudyResult) else Path(each) for each in studies]
    if not folders:
        raise SpecError("no study to measure odds on", fix="use study('pour', ...)")
    found = [stored_study(folder) for folder in folders]
    kinds = {str(study.kind) for study in found}
    with open_throws(*folders) as connection:
        odds = odds_of_study(
            connection,
            kind=next((kind for kind in ("drop", "knock") if kind in kinds), "pour"),
            model=model or _only_model(found),
            seed=root_seed(seed),
            source={
                "studies": [
                    {key: known[key] for key in ("digest", "study", "made_of")}
                    for known in map(read_definition, folders)
                ]
            },
        )
    if out is not None:
        write_target(Path(out), odds_text(odds))
    return odds


def _only_model(studies: Sequence[Study]) -> str:
    thrown = sorted(
        {word for study in studies for name in study.models for word in name.split(",")}
    )
    if len(thrown) > 1:
        raise SpecError(
            f"throws of several models: {' and '.join(thrown)}",
            fix=f"choose one with --model {thrown[0]}",
        )
    return load_model(thrown[0]).model
