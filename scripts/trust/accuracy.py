"""Tables of the shares of the bodies that come with pigglesim: `scripts/accuracy`.

Every row is one `pigglesim study`, shown with its command; a fair die shows whether something is
crooked. Nothing here needs the counts of other people: `pigglesim validate` does.
"""

import argparse
import json
import sys
import tempfile
from math import sqrt

from scipy.stats import chisquare

from pigglesim import __version__, read_study
from scripts.documentation.pages import ROOT
from scripts.measured_page import markdown_table, write_between
from tests.support.front_door import run

PAGE = ROOT / "docs" / "physics" / "accuracy.md"
_PIGGLES = ("piggle", "premium", "premium_brass")


def main(words):
    """Throw, and print the tables or put them into the page."""
    parser = argparse.ArgumentParser(prog="scripts/accuracy", description=__doc__)
    parser.add_argument("--pours", type=int, default=1000, help="cups per Piggle")
    parser.add_argument("--drops", type=int, default=20_000, help="drops per body")
    parser.add_argument("--date", default="", help="date for the page; the clock is not used")
    parser.add_argument("--write", action="store_true", help=f"write to {PAGE.name}")
    parser.add_argument(
        "--budgets", nargs="+", metavar="DIR", help="studies on floors of a fit, for their table"
    )
    asked = parser.parse_args(words)
    if asked.budgets:
        text = budgets([read_study(folder) for folder in asked.budgets])
        if asked.write:
            write_between(PAGE, "scripts/accuracy --budgets", text)
        else:
            print(text)
        return
    studies = [study("pour", model, asked.pours) for model in _PIGGLES]
    studies += [study("drop", model, asked.drops) for model in _PIGGLES]
    text = tables(studies, study("drop", "d6", asked.drops), date=asked.date)
    if asked.write:
        write_between(PAGE, "scripts/accuracy", text)
    else:
        print(text)


def budgets(studies):
    """Return the table of the sources of each share's width, in Markdown."""
    heads = ["throw", "model", "class", "share", "counting", "floors", "law", "mesh"]
    rows = []
    for made in studies:
        for number, cell in enumerate(made.cells):
            named = zip(cell.orientations, cell.shares, cell.budgets, strict=True)
            for row, (name, share, budget) in enumerate(named):
                parts = [f"{part:.4f}" for part in budget.deviations().values()]
                most = sqrt(budget.floors + 1.645 * budget.floors_error)
                parts[1] += f" ({most:.4f})"
                kind = "" if number or row else str(made.study.kind)
                model = "" if row else str(cell.factors.get("models", made.study.models[0]))
                shown = f"{share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"
                rows.append([kind, model, name, shown, *parts])
    return markdown_table(heads, rows, align="---")


def study(kind, model, throws):
    """Run a study of one body; return its command and its cell of answers."""
    words = f"study --kind {kind} --model {model} --throws {throws} --seed 5"
    print("pigglesim", words, file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        more = ("--out", "made", "--no-report", "--json")
        made = run(*words.split(), *more, cwd=folder, patience=None)
    if made.returncode:
        raise SystemExit(made.stderr.strip())
    (cell,) = json.loads(made.stdout)["answers"]["cells"]
    return f"`pigglesim {words}`", cell


def _shares(cell):
    """Return each share with the longer arm of its 95 % interval."""
    arms = (max(s["high"] - s["value"], s["value"] - s["low"]) for s in cell["shares"])
    return [f"{s['value']:.3f} ± {arm:.3f}" for s, arm in zip(cell["shares"], arms, strict=True)]


def tables(studies, fair, *, date):
    """Return the tables of studies of Piggles, and of a die, in Markdown."""
    heads = ["command", "Snout-Up", "Snout-Down", "On-Their-Head"]
    rows = [[command, *_shares(cell)] for command, cell in studies]
    command, cell = fair
    counts = [round(share["value"] * share["trials"]) for share in cell["shares"]]
    die = ["share", *_shares(cell), f"{chisquare(counts).pvalue:.2f}"]
    die_heads = ["", *cell["orientations"], "p that it is fair"]
    return "\n\n".join(
        [
            f"Made by version {__version__}{f' on {date}' if date else ''}:",
            markdown_table(heads, rows, align="---"),
            f"A fair die, {command}:",
            markdown_table(die_heads, [die], align="---"),
        ]
    )


if __name__ == "__main__":
    main(sys.argv[1:])
