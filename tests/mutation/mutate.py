"""Mutate the rules and the reading and count which mutants the tests kill: `scripts/mutate`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tests.mutation.judging import diffs, judge
from tests.mutation.mutants import list_mutants
from tests.mutation.page import put
from tests.mutation.subjects import SUBJECTS, Subject
from tests.mutation.verdicts import KEPT, Verdicts, read_verdicts, tell, write_verdicts
from tests.mutation.wording import sample
from tests.mutation.workshop import digest_of, set_up


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
    kept: Annotated[
        bool, typer.Option(help="Run nothing, show what is kept of those that were run.")
    ] = False,
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
    elif kept:
        chosen = [subject for subject in chosen if read_verdicts(subject)]
    else:
        _run(chosen, size=sampled, seed=seed)
    text = tell([_kept(subject) for subject in chosen])
    print(text)
    if write:
        put(write, "scripts/mutate", text)


def _run(chosen: Sequence[Subject], *, size: int | None, seed: int) -> None:
    """Draw mutants of each subject in proportion to how many its kind has, and run them."""
    mutants = {}
    for subject in chosen:
        print(f"making the mutants of {subject.name}", file=sys.stderr)
        set_up(_workshop(subject), subject)
        mutants[subject.name] = list_mutants(subject, _workshop(subject))
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
        _judge(verdicts, subject, names)


def _run_again(subject: Subject) -> None:
    last = _kept(subject)
    if last.digest != digest_of(subject):
        raise SystemExit(
            f"expected {subject.name} as it was when its mutants were drawn, got changed files; "
            "try: run without --again"
        )
    set_up(_workshop(subject), subject)
    _judge(last, subject, last.survivors)


def _workshop(subject: Subject) -> Path:
    return KEPT / subject.name.replace(" ", "_")


def _judge(verdicts: Verdicts, subject: Subject, names: Sequence[str]) -> None:
    folder = _workshop(subject)
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


if __name__ == "__main__":
    typer.run(main)
