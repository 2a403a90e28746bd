"""Hunts faults: `python -m scripts.trust.hunt --seed N --minutes M`; see docs/trust/hunt.md."""

import argparse
import faulthandler
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from pigglesim.errors import SpecError, unknown_name
from scripts.determinism.fingerprints import digest
from scripts.measured_page import markdown_table, write_between
from scripts.trust.hunt.case import Refused, draw, judged, shrunk
from scripts.trust.hunt.kinds import KINDS

_COMMAND = "python -m scripts.trust.hunt"
_ROOT = Path(__file__).parents[3]
PAGE, HOURS = _ROOT / "docs" / "trust" / "hunt.md", Path(__file__).with_name("hours.json")
_TWIN = 4
"""Of so many cases one runs in another process too."""
_LONGEST = 900
"""Time after which a case hangs [s]."""
_HANGS = "a case ends"
_SHRINKING = 90.0
"""Time for making a case simpler [s]."""


class Twin:
    """Another process that runs cases; a context manager. Called with a case, it gives a digest."""

    def __init__(self):
        self._process = None

    def __call__(self, case):
        if self._process is None or self._process.poll() is not None:
            words = [sys.executable, "-P", "-m", "scripts.trust.hunt", "--answer"]
            # Ctrl-C is for the first process, which closes this one's input.
            self._process = subprocess.Popen(
                words,
                cwd=_ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                text=True,
            )
        print(json.dumps(case), file=self._process.stdin, flush=True)
        return self._process.stdout.readline().strip() or "no answer"

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        if self._process is not None:
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()


def answer():
    """Run each case of standard input, and print a digest of what it gave."""
    for line in sys.stdin:
        case = json.loads(line)
        bits, finding = judged(KINDS[case["kind"]], case)
        print(digest(bits) if finding is None else finding.fault, flush=True)


def spent(process="self"):
    """Return the processor time of a process, its ended children, and its descendants [s]."""
    folder = Path("/proc") / str(process)
    try:
        ticks = folder.joinpath("stat").read_text().rpartition(")")[2].split()[11:15]
        threads = [each.read_text() for each in folder.glob("task/*/children")]
    except OSError:
        # It has ended. Other systems have no such folder, and only count what has ended.
        return sum(os.times()[:4]) if process == "self" else 0.0
    own = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
    return own + sum(spent(child) for thread in threads for child in thread.split())


class Hunt:
    """Cases of a seed, one after another, and the journal that they are written to."""

    def __init__(self, kinds, seed, journal):
        self.kinds, self.seed, self.journal = kinds, seed, journal
        if journal.exists():
            # A process that was killed may have left half a line, which would spoil the next one.
            os.truncate(journal, journal.read_bytes().rfind(b"\n") + 1)
        lines = read_journal(journal)
        self.number = sum(line["seed"] == seed for line in lines)
        self.faults = {line["fault"] for line in lines if line["end"] == "broken"}
        self.ends, self.stopped, self._spent = Counter(), False, 0.0
        # A kernel that hangs can write no line itself, so the next start does.
        self._hang, self._stacks = journal.with_suffix(f".{seed}.hang"), None
        if self._hang.exists() and (stacks := self._hang.read_text()):
            case = draw(kinds.values(), seed, self.number)
            self._write(case, "broken", fault=_HANGS, detail=stacks[:1500], case=case)
            self.faults.add(_HANGS)
            self._hang.unlink()

    def _watch(self, seconds):
        """End this process, and keep where it stands, unless the case ends in some seconds."""
        faulthandler.dump_traceback_later(seconds, exit=True, file=self._stacks)

    def stop(self, *_):
        """Stop after this case, for Ctrl-C: much that a case runs answers an interrupt itself."""
        self.stopped = True

    def run(self, minutes):
        """Run cases for some minutes, or until it is stopped."""
        until = time.monotonic() + 60.0 * minutes
        with Twin() as twin, self._hang.open("w") as self._stacks:
            while time.monotonic() < until and not self.stopped:
                self._watch(_LONGEST)
                self.ends[self.one(twin)] += 1
                ends = ", ".join(f"{end} {count}" for end, count in sorted(self.ends.items()))
                print(f"\rcase {self.number}: {ends} ", end="", file=sys.stderr, flush=True)
            faulthandler.cancel_dump_traceback_later()
        self._hang.unlink()

    def one(self, twin):
        """Run the next case, write its line, and return how it ended."""
        case = draw(self.kinds.values(), self.seed, self.number)
        kind, end, more = self.kinds[case["kind"]], "held", {}
        elsewhere = twin if self.number % _TWIN == 0 else None
        try:
            _, finding = judged(kind, case, elsewhere=elsewhere)
        except Refused as refusal:
            end, more, finding = "refused", {"why": str(refusal)[:120]}, None
        if finding is not None:
            end, more = "broken", {"fault": finding.fault, "detail": finding.detail, "case": case}
            # A fault that is known already is counted, and not made simpler again.
            if finding.fault not in self.faults:
                self._watch(_LONGEST + _SHRINKING)
                simple = shrunk(kind, case, finding.fault, seconds=_SHRINKING, elsewhere=elsewhere)
                more["simple"] = simple
                print(f"\n{finding.fault}\n  {command_of(simple)}\n", file=sys.stderr, flush=True)
            self.faults.add(finding.fault)
        self._write(case, end, **more)
        return end

    def _write(self, drawn, end, **more):
        """Write the line of the present case, and go on to the next."""
        total = spent()
        line = {
            "seed": self.seed, "number": self.number, "day": time.strftime("%Y-%m-%d"),
            "commit": commit(), "kind": drawn["kind"], "end": end,
            "cpu_s": round(total - self._spent, 3), **more,
        }  # fmt: skip
        with self.journal.open("a") as file:
            file.write(json.dumps(line) + "\n")
        self._spent, self.number = total, self.number + 1


def command_of(case):
    """Return the command that runs a case."""
    return f"{_COMMAND} --case '{json.dumps(case)}'"


def commit():
    """Return the commit of the checkout, with + if files differ from it."""
    if not hasattr(commit, "known"):
        words = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
        done = subprocess.run(words, cwd=_ROOT, capture_output=True, text=True)
        commit.known = done.stdout.strip() or "unknown"
    return commit.known


def read_journal(path):
    """Return the lines of a journal; an incomplete last one is left out."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def summed(lines):
    """Return the days of journals: seeds, processor hours, cases by kind and end, and faults."""
    days = {}
    for line in lines:
        day = days.setdefault(f"{line['day']} seed {line['seed']}", {"cpu_s": 0.0, "cases": {}})
        day["cpu_s"] = round(day["cpu_s"] + line["cpu_s"], 1)
        ends = day["cases"].setdefault(line["kind"], {"held": 0, "refused": 0, "broken": 0})
        ends[line["end"]] += 1
        if line["end"] == "broken":
            faults = day.setdefault("faults", {})
            faults[line["fault"]] = faults.get(line["fault"], 0) + 1
    return days


def write(journals):
    """Add journals to the hours that are known, and write the tables of the page."""
    known = json.loads(HOURS.read_text()) if HOURS.exists() else {}
    known |= summed(line for path in journals for line in read_journal(path))
    HOURS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    write_between(PAGE, _COMMAND, tables(known))


def tables(known):
    """Return the tables of all days and of all kinds."""
    days, kinds, seeds = {}, {}, {}
    for name, row in known.items():
        day, _, seed = name.partition(" seed ")
        total = days.setdefault(day, Counter())
        seeds.setdefault(day, []).append(seed)
        total["cpu_s"] += row["cpu_s"]
        for kind, ends in row["cases"].items():
            kinds.setdefault(kind, Counter()).update(ends)
            total["cases"] += sum(ends.values())
            total["broken"] += ends["broken"]
    rows = [
        [day, ", ".join(sorted(seeds[day], key=int)), f"{total['cpu_s'] / 3600:.1f}",
         f"{total['cases']:,}", f"{total['broken']:,}"]
        for day, total in sorted(days.items())
    ]  # fmt: skip
    whole = sum((Counter(total) for total in days.values()), Counter())
    rows.append(
        ["all", "", f"{whole['cpu_s'] / 3600:.1f}", f"{whole['cases']:,}", f"{whole['broken']:,}"]
    )
    by_kind = [
        [kind, *(f"{ends[end]:,}" for end in ("held", "refused", "broken"))]
        for kind, ends in sorted(kinds.items())
    ]
    heads = (
        ("day", "seeds", "processor hours", "cases", "broken"),
        ("kind", "held", "refused", "broken"),
    )
    return "\n\n".join(markdown_table(*pair) for pair in zip(heads, (rows, by_kind), strict=True))


def main(words):
    """Hunt, run one case, or write the page; return the exit status."""
    parser = argparse.ArgumentParser(prog=_COMMAND, description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="root seed of all cases")
    parser.add_argument("--minutes", type=float, default=10.0, help="time to hunt [min]")
    parser.add_argument("--kinds", help="kinds of cases, with commas between. Default: all")
    parser.add_argument("--journal", type=Path, default=Path("hunt.jsonl"),
                        help="file of finished cases; a hunt of its seed goes on")  # fmt: skip
    parser.add_argument("--case", type=json.loads, help="run one case, as a finding prints it")
    parser.add_argument("--write", type=Path, nargs="+", metavar="JOURNAL",
                        help=f"add journals to {HOURS.name} and {PAGE.name}")  # fmt: skip
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    names = asked.kinds.split(",") if asked.kinds else list(KINDS)
    for name in names if asked.case is None else [asked.case.get("kind")]:
        if name not in KINDS:
            raise unknown_name("kind", str(name), KINDS)
    if asked.answer:
        answer()
    elif asked.write:
        write(asked.write)
    elif asked.case is not None:
        try:
            with Twin() as twin:
                finding = judged(KINDS[asked.case["kind"]], asked.case, elsewhere=twin)[1]
        except Refused as refusal:
            print(f"refused: {refusal}")
            return 0
        print("held" if finding is None else f"broken: {finding.fault}\n{finding.detail}")
        return int(finding is not None)
    else:
        hunt = Hunt({name: KINDS[name] for name in names}, asked.seed, asked.journal)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, hunt.stop)
        hunt.run(asked.minutes)
        print(f"\n{len(hunt.faults)} faults in {asked.journal}", file=sys.stderr)
        return int(bool(hunt.faults))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except SpecError as error:
        print(f"hunt: {error}", file=sys.stderr)
        sys.exit(2)
