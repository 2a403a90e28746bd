"""Fingerprints beside those of a manifest: the same, or what explains the difference."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.fingerprints.catalogue import Print
from pigglesim.fingerprints.manifest import Taken

_ALWAYS = ("pigglesim", "python", "numpy", "libc", "processor")
"""What may change a bit of anything: `libc` has the sines, and numpy's linear algebra has code of
its own for processors with AVX-512, with FMA and without, which rounds in another order."""


@unique
class Verdict(StrEnum):
    """How a fingerprint is to that of the manifest."""

    SAME = "same"
    EXPLAINED = "explained"
    """Other bits, made with other versions."""
    FAULT = "fault"
    """Other bits, though everything that may change them is the same."""
    UNKNOWN = "unknown"
    """The manifest has none of this kind of machine, or none of that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is found of one fingerprint."""

    name: str
    sha256: str
    verdict: Verdict
    sentence: str
    """What there is to say; empty where it is the same."""


def nearest(manifest: Iterable[Taken], here: Taken) -> Taken | None:
    """Return those of this kind of machine, of several the ones made with most of our versions."""
    alike = [taken for taken in manifest if taken.machine == here.machine]

    def shared(taken: Taken) -> int:
        return len(taken.versions.items() & here.versions.items())

    return max(alike, key=shared, default=None)


def compared(taken: Sequence[Print], here: Taken, there: Taken | None) -> tuple[Finding, ...]:
    """Return what is found of each fingerprint that was taken here.

    Args:
        taken: The fingerprints, in the order of the findings.
        here: What this machine has, with the digest of each of them.
        there: What the manifest has; None if it has nothing of such a machine.
    """
    return tuple(_finding(one, here, there) for one in taken)


def _finding(one: Print, here: Taken, there: Taken | None) -> Finding:
    own = here.prints[one.name]
    verdict, sentence = Verdict.SAME, ""
    if there is None:
        verdict, sentence = Verdict.UNKNOWN, f"no fingerprints of {here.machine} to compare with"
    elif one.name not in there.prints:
        verdict, sentence = Verdict.UNKNOWN, f"{one.name} is new: the manifest has none"
    elif there.prints[one.name] != own:
        changed = _changed((*_ALWAYS, *one.packages), there.versions, here.versions)
        if changed:
            verdict = Verdict.EXPLAINED
            made, now = (", ".join(words) for words in zip(*changed, strict=True))
            sentence = f"{one.name} differ: made with {made}, here {now}"
        else:
            verdict = Verdict.FAULT
            sentence = f"{one.name} differ, though made with the very same versions"
    return Finding(name=one.name, sha256=own, verdict=verdict, sentence=sentence)


def _changed(
    names: Iterable[str], made: Mapping[str, str], here: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return name and version as they were and as they are, of whatever is another version."""
    return [
        (f"{name} {made.get(name, 'absent')}", f"{name} {here.get(name, 'absent')}")
        for name in names
        if made.get(name) != here.get(name)
    ]
