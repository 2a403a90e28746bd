"""Parts of studies in the hunt: merged in any order, some of them harmed, and audited."""

import shutil
import tempfile
from pathlib import Path

import pigglesim
from pigglesim.errors import PigglesimError
from pigglesim.experiments.parts import PART_SUFFIX
from pigglesim.rng import generator
from scripts.trust.hunt.case import SEED, Kind, One, Some, expect
from tests.support.front_door import run_here
from tests.support.small_studies import files

_HARMS = ("missing", "twice", "another study", "cut", "damaged", "damaged")
_FORGED = ("damaged", "another study", "missing")


class _Parts:
    """A study, made at once and in parts, and another one."""

    def __init__(self, case, root):
        self.case, self.root, self.rng = case, root, generator(case["seed"], "hunt parts")
        for name, seed in self.studies.items():
            pigglesim.study(
                model=case["model"], throws=case["throws"], shard_size=250, seed=seed,
                out=root / name,
            )  # fmt: skip
        self.whole = files(root / "whole")
        self.of = min(case["of"], len(self.whole))
        self.make("whole")

    @property
    def studies(self):
        return {"whole": self.case["seed"], "another study": self.case["seed"] + 1}

    def make(self, name):
        """Make the parts of a study, unless they are there, and return their files."""
        folder = self.root / f"parts of {name}"
        for number in range(1, self.of + 1):
            run_here(
                *("study", "--model", self.case["model"], "--throws", self.case["throws"]),
                *("--shard-size", 250, "--seed", self.studies[name]),
                *("--part", f"{number}/{self.of}", "--workers", 1, "--quiet", "--out", folder),
            )
        return sorted(folder.iterdir())

    def drawn(self, values):
        return values[int(self.rng.integers(len(values)))]

    def harm(self, path, how):
        """Harm a file in some way."""
        data = bytearray(path.read_bytes())
        at = int(self.rng.integers(len(data)))
        match how:
            case "missing":
                path.unlink()
            case "twice":
                shutil.copy(path, path.with_name(f"again-{path.name}"))
            case "cut":
                path.write_bytes(data[:at])
            case "damaged":
                data[at] ^= 1 << int(self.rng.integers(8))
                path.write_bytes(data)

    def merge(self, paths, *, partial=False):
        """Merge parts; return the study, or None if it is refused in one line."""
        try:
            return pigglesim.merge_study(paths, self.root / "merged", partial=partial)
        except PigglesimError as fault:
            expect(str(fault).isprintable(), "a refusal is one line", fault)
            return None

    def merged(self):
        """Return the shards that are merged, which are those of one run."""
        found = files(self.root / "merged") if (self.root / "merged").exists() else {}
        expect(found.items() <= self.whole.items(), "shards of parts are those of one run", found)
        return found


def merged(case):
    """Merge parts that are harmed, then right ones, and audit the study."""
    with tempfile.TemporaryDirectory(prefix="pigglesim-hunt-") as scratch:
        parts = _Parts(case, Path(scratch))
        _merge_harmed(parts)
        _audit(parts, parts.root / "merged")
        return parts.whole


def _merge_harmed(parts):
    mixed, strange = shutil.copytree(parts.root / "parts of whole", parts.root / "mixed"), set()
    for how in parts.case["harms"]:
        if how == "another study":
            strange.add(str(shutil.copy(parts.drawn(parts.make(how)), mixed)))
        elif paths := [path for path in sorted(mixed.iterdir()) if path.stat().st_size]:
            parts.harm(parts.drawn(paths), how)
    paths = sorted(mixed.glob(f"*{PART_SUFFIX}"))
    # All parts of another study are that study.
    if not set(map(str, paths)) <= strange:
        order = [paths[int(k)] for k in parts.rng.permutation(len(paths))]
        study = parts.merge(order, partial=parts.case["partial"])
        found = parts.merged()
        expect(study or parts.case["harms"], "right parts are merged")
        expect(not (study and study.finished) or found == parts.whole, "a finished study is whole")
    study = parts.merge(parts.make("whole"))
    expect(study and study.finished, "right parts make a study whole")
    expect(parts.merged() == parts.whole, "right parts make up the study of one run")


def _audit(parts, folder):
    """An audit finds no shard of a right study, and each that is another."""
    expect(not pigglesim.audit_study(folder, share=1.0).different, "an audit of right shards")
    name, how = parts.drawn(sorted(parts.whole)), parts.case["forged"]
    shard, number = folder / "shards" / name, int(name[:6])
    if how != "another study":
        parts.harm(shard, how)
        if how == "damaged":
            _expect_refused(folder)
            run_here("study", "repair", folder)
        else:
            left = pigglesim.audit_study(folder, share=1.0) if len(parts.whole) > 1 else None
            expect(not left or left.shards == len(parts.whole) - 1, "an audit of what is there")
    else:
        # Sealed as if it were of this study.
        shutil.copy(parts.root / how / "shards" / name, shard)
        for line in (parts.root / how / "sums").read_text().splitlines(keepends=True):
            if line.startswith(name[:6]):
                with (folder / "sums").open("a") as file:
                    file.write(line)
        found = pigglesim.audit_study(folder, share=1.0).different
        expect(found == (number,), "an audit finds a shard of another study", found)
        shard.unlink()
    parts.merge(parts.make("whole"))
    expect(parts.merged() == parts.whole, "a shard that was harmed is merged again")


def _expect_refused(folder):
    try:
        pigglesim.audit_study(folder, share=1.0)
    except PigglesimError as fault:
        expect(str(fault).isprintable(), "a refusal is one line", fault)
    else:
        expect(False, "a damaged shard is refused")


KINDS = (
    Kind(
        name="parts", run=merged, seconds=4.0,
        options={
            "model": One(("d6", "d4", "piggle")),
            "throws": One(range(1, 1500)),
            "of": One(range(1, 7)),
            "harms": Some(_HARMS, 0, 3),
            "partial": One((False, True)),
            "forged": One(_FORGED),
            "seed": SEED,
        },
    ),
)  # fmt: skip
