"""What this version of the program makes of its own bodies, as tables: `scripts/accuracy`.

Every row is one `pigglesim study`, whose command stands beside it; a fair die shows whether
something is crooked. Nothing here needs the counts of other people: `pigglesim validate` does.
"""

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from typing import Any

from scipy.stats import chisquare

from pigglesim import __version__
from tests.documentation.pages import ROOT
from tests.front_door import run
from tests.measured_page import write_between

PAGE = ROOT / "docs" / "physics" / "accuracy.md"
_PIGGLES = ("piggle", "premium", "premium_brass")
_SEED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Shares of one study."""

    command: str
    throws: int
    orientations: tuple[str, ...]
    shares: tuple[str, ...]
    """Each with the longer arm of its 95 % interval."""
    counts: tuple[int, ...]


def main(words: list[str]) -> int:
    """Throw, print the tables or put them into the page; return the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/accuracy", description=__doc__)
    parser.add_argument("--pours", type=int, default=1000, help="cups of each Piggle")
    parser.add_argument("--drops", type=int, default=20_000, help="drops of each body")
    parser.add_argument("--date", default="", help="for the page; no clock is asked")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.name}, between its marks")
    asked = parser.parse_args(words)
    found = [row("pour", model, asked.pours) for model in _PIGGLES]
    found += [row("drop", model, asked.drops) for model in (*_PIGGLES, "d6")]
    told = table(found, date=asked.date)
    if asked.write:
        write_between(PAGE, "scripts/accuracy", told)
    else:
        print(told)
    return 0


def row(kind: str, model: str, throws: int) -> Row:
    """Throw one body so often and return its shares."""
    words = ["study", "--kind", kind, "--model", model, "--throws", str(throws)]
    words += ["--seed", str(_SEED)]
    print("pigglesim", *words, file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        made = run(*words, "--out", "made", "--no-report", "--json", cwd=folder, patience=None)
    if made.returncode:
        raise SystemExit(made.stderr.strip())
    (cell,) = json.loads(made.stdout)["answers"]["cells"]
    return Row(
        command=" ".join(["pigglesim", *words]),
        throws=cell["throws"],
        orientations=tuple(cell["orientations"]),
        shares=tuple(_with_arm(share) for share in cell["shares"]),
        counts=tuple(round(share["value"] * share["trials"]) for share in cell["shares"]),
    )


def _with_arm(share: dict[str, Any]) -> str:
    arm = max(share["high"] - share["value"], share["value"] - share["low"])
    return f"{share['value']:.3f} ± {arm:.3f}"


def table(found: list[Row], *, date: str) -> str:
    """Return the tables of some studies in Markdown."""
    piggles = [each for each in found if each.orientations[0] == "Snout-Up"]
    lines = [f"Made by version {__version__}{f' on {date}' if date else ''}:", ""]
    lines += ["| command | Snout-Up | Snout-Down | On-Their-Head |", "|---|---|---|---|"]
    lines += [f"| `{each.command}` | {' | '.join(each.shares)} |" for each in piggles]
    for die in (each for each in found if each not in piggles):
        lines += ["", f"A fair die, `{die.command}`:", ""]
        lines += ["| | " + " | ".join(die.orientations) + " | p that it is fair |"]
        lines += ["|---|" + "---|" * (len(die.shares) + 1)]
        p = float(chisquare(die.counts).pvalue)
        lines += ["| share | " + " | ".join(die.shares) + f" | {p:.2f} |"]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
