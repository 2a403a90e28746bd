"""Studies in the page: shares that narrow while throws arrive."""

from collections.abc import Callable
from pathlib import Path
from shlex import join
from time import monotonic
from typing import Any

from pigglesim.api.study import StudyResult, read_study, study
from pigglesim.rng import root_seed
from pigglesim.serve.messages import RunStudy

_MOST = {"drop": 200_000, "pour": 4_000}
"""Maximum throws of a study."""
_SHARD = {"drop": 500, "pour": 20}
"""Throws of a file."""
_EVERY = 0.4
"""Time between two reports [s]."""


def reported(folder: Path) -> list[Path]:
    """Return the files of the report of a study, written into its folder, the page first."""
    return read_study(folder).write_report()[0]


def run_study(wish: RunStudy, folder: Path, *, watch: Callable[[dict[str, Any]], object]) -> None:
    """Throw until every share is as precise as wished, and call `watch` with each message.

    Raises:
        PigglesimError: If a name or a value is invalid.
        KeyboardInterrupt: If `watch` raises it, as the person has stopped the study.
    """
    factors: dict[str, list[str | int | float]] = {}
    if wish.kind == "drop" and wish.height is not None:
        factors["height_mm"] = [round(1000.0 * wish.height, 1)]
    for name, value in (("friction", wish.friction), ("restitution", wish.restitution)):
        if value is not None:
            factors[name] = [value]
    seed, latest = root_seed(wish.seed), monotonic()
    words = ["pigglesim", "study", "--kind", wish.kind, "--model", wish.model]
    words += ["--half-width", f"{wish.half_width:g}", "--max-throws", str(_MOST[wish.kind])]
    for name, levels in factors.items():
        words += ["--factor", f"{name}={levels[0]}"]
    words += ["--seed", str(seed)]

    def report(result: StudyResult, *, done: bool) -> None:
        shares = [[name, s.value, s.low, s.high] for name, s in result.shares.items()]
        watch(
            {
                "is": "study",
                "throws": result.throws,
                "done": done,
                "shares": shares,
                "half_width": wish.half_width,
                "command": join(words),
                "seed": str(seed),
            }
        )

    def progress(_done: int, _wanted: int) -> None:
        nonlocal latest
        if monotonic() - latest > _EVERY:
            # On a busy machine the first throws may not be written yet.
            if (found := read_study(folder)).throws:
                report(found, done=False)
            latest = monotonic()

    result = study(
        wish.kind,
        model=wish.model,
        half_width=wish.half_width,
        max_throws=_MOST[wish.kind],
        factors=factors or None,
        seed=seed,
        shard_size=_SHARD[wish.kind],
        out=folder,
        progress=progress,
    )
    report(result, done=True)
