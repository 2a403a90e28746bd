"""`pigglesim fingerprint`: whether this machine makes the bits that others made."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from pigglesim.api.compile_notice import tell_of_compiling
from pigglesim.cli.consoles import (
    finish_undisturbed,
    print_json,
    progress_bar,
    result_console,
    word_table,
)
from pigglesim.cli.flags import Flag
from pigglesim.cli.options import JsonOption
from pigglesim.errors import SpecError
from pigglesim.fingerprints.manifest import (
    OWN,
    Finding,
    Print,
    Taken,
    Verdict,
    chosen_prints,
    compared,
    digest,
    nearest,
    read_manifest,
    versions_here,
    write_manifest,
)


def fingerprint(
    quick: Annotated[bool, "Take only the fingerprints that are quick."] = False,
    only: Annotated[
        str | None,
        Flag(metavar="NAMES"),
        "Names of fingerprints, or their beginnings such as throws/impulse, separated by "
        "commas. Default: all.",
    ] = None,
    against: Annotated[Path | None, "Manifest to compare with. Default: pigglesim's own."] = None,
    write: Annotated[
        Path | None, "Manifest to write; entries of a machine of this kind are replaced."
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare SHA-256 digests of results with those of other machines.

    Throws of every engine, matches of every game, a study, solvers, odds, shapes and a film are
    made anew from fixed seeds. A manifest comes with pigglesim. Where bits differ, the versions
    that differ too are named, and the exit status is 0; it is 1 where bits differ though the
    machine is of the same kind and every version that may change them is the same.

    Examples:
        pigglesim fingerprint --quick
        pigglesim fingerprint --only throws/impulse,matches --json
        pigglesim fingerprint --write mine.json
        pigglesim fingerprint --against mine.json
    """
    chosen = chosen_prints([part.strip() for part in only.split(",")] if only else [], quick=quick)
    # Before the work, not after it.
    if write is not None and (only or quick):
        raise SpecError(
            "--write with all fingerprints",
            got="some of them",
            remedy="leave --only and --quick out",
        )
    manifest = read_manifest(against or OWN)
    _refuse_unwritable(write)
    here, stopped = _taken(chosen, versions_here())
    there = nearest(manifest, here)
    done = [one for one in chosen if one.name in here.prints]
    findings = compared(done, here, there)
    if write is not None and not stopped:
        write_manifest(here, write)
    if as_json:
        print_json(_document(here, there, findings, stopped=stopped))
    else:
        _show(findings, here, len(chosen))
    if stopped:
        raise typer.Exit(130)
    if any(found.verdict is Verdict.FAULT for found in findings):
        raise typer.Exit(1)


def _refuse_unwritable(path: Path | None) -> None:
    if path is None:
        return
    if not path.parent.is_dir():
        raise SpecError("a file in a folder that exists", got=str(path), remedy="--write mine.json")
    if path.exists():
        # What stands there stays unless it is a manifest.
        read_manifest(path)


def _taken(chosen: Sequence[Print], here: Taken) -> tuple[Taken, bool]:
    """Return the fingerprints of this machine, and whether Ctrl-C cut them short."""
    found: dict[str, str] = {}
    stopped = False
    for throws in sorted({one.waits_for for one in chosen if one.waits_for}):
        tell_of_compiling("impulse", throws=throws)
    with progress_bar("fingerprints") as bar:
        job = bar.add_task("taking", total=len(chosen))
        try:
            for one in chosen:
                bar.update(job, told=one.name)
                found[one.name] = digest(one.values())
                bar.update(job, advance=1)
        except KeyboardInterrupt:
            stopped = True
            finish_undisturbed()
    return replace(here, prints=found), stopped


def _document(
    here: Taken, there: Taken | None, findings: Sequence[Finding], *, stopped: bool
) -> dict[str, Any]:
    return {
        "machine": here.machine,
        "versions": dict(here.versions),
        "made_with": dict(there.versions) if there else None,
        "fingerprints": {
            found.name: {
                "sha256": found.sha256,
                "verdict": str(found.verdict),
                "why": found.sentence or None,
            }
            for found in findings
        },
        "stopped": stopped,
    }


def _show(findings: Sequence[Finding], here: Taken, asked: int) -> None:
    console = result_console()
    table = word_table("fingerprint of", "SHA-256", "")
    for found in findings:
        table.add_row(found.name, found.sha256[:16], str(found.verdict))
    console.print(table)
    for sentence in dict.fromkeys(found.sentence for found in findings if found.sentence):
        console.print(sentence, markup=False)
    words = ", ".join(f"{name} {number}" for name, number in here.versions.items())
    console.print(f"{here.machine}: {words}", style="dim")
    if len(findings) < asked:
        console.print(f"stopped: {len(findings)} of {asked} taken", style="dim")
