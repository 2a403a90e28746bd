"""Mutate the rules and the reading and count which mutants the tests kill: `scripts/mutate`."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pigglesim.studies.estimate import binomial
from tests.mutation.mutants import list_mutants, sample
from tests.mutation.page import put, table
from tests.mutation.subjects import SUBJECTS, Subject
from tests.mutation.verdicts import (
    KEPT,
    Verdicts,
    diffs,
    digest_of,
    judge,
    read_verdicts,
    write_verdicts,
)
from tests.mutation.workshop import set_up

__all__ = ["main"]

_HEAD = ("mutated", "mutants", "run", "killed", "of these by time", "share killed", "95 % Wilson")


def main(
    packages: Annotated[
        list[str] | None, typer.Argument(help=f"Which of: {', '.join(SUBJECTS)}; all if none.")
    ] = None,
    *,
    sampled: Annotated[
        int | None,
        typer.Option(
            "--sample",
            min=1,
            help="Mutants to draw from the rules, by package in proportion, "
            "and as many from the reading if it has them; all if not given.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 1,
    again: Annotated[
        bool,
        typer.Option(
            help="Run only what survived last time; right where tests were only added since."
        ),
    ] = False,
    kept: Annotated[bool, typer.Option(help="Run nothing, show what is kept.")] = False,
    write: Annotated[
        Path | None, typer.Option(help="Page whose table of mutants shall be replaced.")
    ] = None,
) -> None:
    """Change the rules and the reading in one place at a time and see whether a test fails.

    Verdicts and the diffs of the survivors stay in build/mutation. Examples:

      scripts/mutate                                 all, for hours

      scripts/mutate piggy_six --sample 100          a hundred of one game

      scripts/mutate --sample 1000 --seed 1 --write docs/trust/mutation.md
    """
    unknown = sorted(set(packages or ()) - set(SUBJECTS))
    if unknown:
        raise typer.BadParameter(f"expected {', '.join(SUBJECTS)}, got {', '.join(unknown)}")
    chosen = [SUBJECTS[name] for name in packages or SUBJECTS]
    if again:
        for subject in chosen:
            _run_again(subject)
    elif not kept:
        _run(chosen, size=sampled, seed=seed)
    text = _text([_kept(subject) for subject in chosen])
    print(text)
    if write:
        put(write, "scripts/mutate", text)


def _run(chosen: Sequence[Subject], *, size: int | None, seed: int) -> None:
    """Draw mutants of each subject in proportion to how many its kind has, and run them."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        folders = {subject.name: Path(place) / subject.name for subject in chosen}
        mutants = {}
        for subject in chosen:
            set_up(folders[subject.name], subject)
            mutants[subject.name] = list_mutants(subject, folders[subject.name])
        for subject in chosen:
            counted, words = mutants[subject.name]
            of_kind = sum(len(mutants[s.name][0]) for s in chosen if s.kind == subject.kind)
            share = len(counted) if size is None else round(size * len(counted) / of_kind)
            names = sample(counted, share, seed=seed, purpose=subject.name)
            verdicts = Verdicts(
                subject=subject.name,
                kind=subject.kind,
                made=len(counted),
                words=len(words),
                digest=digest_of(subject),
            )
            _judge(verdicts, subject, names, folders[subject.name])


def _run_again(subject: Subject) -> None:
    last = _kept(subject)
    if last.digest != digest_of(subject):
        raise SystemExit(
            f"expected {subject.name} as it was when its mutants were drawn, got changed files; "
            "try: run without --again"
        )
    with tempfile.TemporaryDirectory(prefix="mutants-") as place:
        set_up(Path(place) / "tree", subject)
        _judge(last, subject, last.survivors, Path(place) / "tree")


def _judge(verdicts: Verdicts, subject: Subject, names: Sequence[str], folder: Path) -> None:
    found = verdicts.found | (judge(subject, names, folder) if names else {})
    verdicts = replace(verdicts, found=found)
    write_verdicts(verdicts, subject, diffs(verdicts.survivors, folder))


def _kept(subject: Subject) -> Verdicts:
    verdicts = read_verdicts(subject)
    if verdicts is None:
        raise SystemExit(
            f"expected verdicts on {subject.name} in {KEPT}, got none; "
            f"try: scripts/mutate {subject.name}"
        )
    return verdicts


def _text(each: Sequence[Verdicts]) -> str:
    """Return the table: a row for each subject, and one for the sum of each kind of several."""
    rows = []
    for kind in dict.fromkeys(verdicts.kind for verdicts in each):
        parts = [verdicts for verdicts in each if verdicts.kind == kind]
        rows += [_row(verdicts.subject, [verdicts]) for verdicts in parts]
        if len(parts) > 1:
            rows.append(_row(f"**all {kind}**", parts))
    words = sum(verdicts.words for verdicts in each)
    made = sum(verdicts.made for verdicts in each)
    return (
        f"{table(_HEAD, rows)}\n\n"
        f"Beside these {made:,} mutants, {words:,} change only what an error says; none is run."
    )


def _row(name: str, parts: Sequence[Verdicts]) -> list[str]:
    killed, run = sum(v.killed for v in parts), sum(v.run for v in parts)
    share = binomial(killed, run)
    counts = (sum(v.made for v in parts), run, killed, sum(v.timed_out for v in parts))
    return [
        name,
        *(f"{count:,}" for count in counts),
        f"{share.value:.1%}" if run else "",
        f"{share.low:.1%} to {share.high:.1%}",
    ]


if __name__ == "__main__":
    typer.run(main)
