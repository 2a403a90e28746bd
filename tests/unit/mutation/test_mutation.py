"""What the mutation harness draws, leaves out, counts and writes."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutation.coverage_table import rows_of
from tests.mutation.page import put, table
from tests.mutation.subjects import ROOT, SUBJECTS
from tests.mutation.verdicts import Verdicts, tell
from tests.mutation.wording import naming, sample, words_only
from tests.mutation.workshop import files_of


def test_every_file_of_rules_and_reading_is_of_one_subject():
    found = [path for subject in SUBJECTS.values() for path in files_of(subject)]
    assert len(set(found)) == len(found)
    wanted = {path.relative_to(ROOT) for path in (ROOT / "pigglesim" / "games").rglob("*.py")}
    alone = {Path("pigglesim", f"{name}.py") for name in ("chance_types", "landing", "reading")}
    assert set(found) == wanted | alone


def test_the_tests_that_judge_a_subject_exist():
    for subject in SUBJECTS.values():
        for name in subject.tests:
            assert (ROOT / name).exists(), name


def test_a_page_changes_only_between_the_marks_of_its_maker(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\n\n<!-- made by: scripts/one -->\nold\n<!-- end -->\n\n"
        "between\n\n<!-- made by: scripts/two --write it -->\nolder\n<!-- end -->\nlast\n"
    )
    put(page, "scripts/two", table(("what", "count"), [["rules", "3"]]))
    assert page.read_text() == (
        "# Title\n\n<!-- made by: scripts/one -->\nold\n<!-- end -->\n\n"
        "between\n\n<!-- made by: scripts/two --write it -->\n\n"
        "| what | count |\n| --- | ---: |\n| rules | 3 |\n\n<!-- end -->\nlast\n"
    )
    with pytest.raises(SystemExit, match="made by: scripts/three"):
        put(page, "scripts/three", "new")


CODE = '''
def x_f__mutmut_orig(card):
    """Say."""
    if card < 3:
        raise SpecError("a card", got=repr(card), remedy="3")
    return as_list("cards", card)

def x_f__mutmut_1(card):
    """Say."""
    if card <= 3:
        raise SpecError("a card", got=repr(card), remedy="3")
    return as_list("cards", card)

def x_f__mutmut_2(card):
    """Say."""
    if card < 3:
        raise SpecError("XXa cardXX", got=repr(card), remedy="3")
    return as_list("cards", card)

def x_f__mutmut_3(card):
    """Say."""
    if card < 3:
        raise SpecError("a card", got=repr(card), remedy="3")
    return as_list(None, card)

def x_f__mutmut_4(card):
    """Say."""
    if card < 3:
        raise SpecError("a card", got=repr(card), remedy="3")
    return as_list("cards", None)
'''


def test_only_what_changes_the_words_of_an_error_alone_is_left_out():
    assert words_only(CODE, {"as_list"}) == {"x_f__mutmut_2", "x_f__mutmut_3"}
    assert words_only(CODE) == {"x_f__mutmut_2"}
    assert {"as_list", "whole", "member"} <= naming(Path("pigglesim", "scenarios"))


def test_a_draw_repeats_and_keeps_the_order():
    names = [f"m{n}" for n in range(100)]
    drawn = sample(names, 30, seed=1, purpose="reading")
    assert drawn == sample(names, 30, seed=1, purpose="reading")
    assert drawn == sorted(set(drawn), key=names.index) and len(drawn) == 30
    assert drawn != sample(names, 30, seed=2, purpose="reading")
    assert drawn != sample(names, 30, seed=1, purpose="piggles")
    assert sample(names, 500, seed=1, purpose="reading") == names


def verdicts(subject, kind="rules", **words):
    found = {f"{subject}{word}{n}": word.replace("_", " ") for word, many in words.items()
             for n in range(many)}  # fmt: skip
    return Verdicts(subject=subject, kind=kind, made=1000, words=7, digest="", found=found)


def test_what_no_test_ran_has_survived_and_what_never_ended_is_killed():
    told = verdicts("a", killed=6, timeout=2, survived=1, no_tests=1, not_checked=5)
    assert (told.killed, told.timed_out, told.run) == (8, 2, 10)
    assert told.survivors == ["asurvived0", "ano_tests0"]


def test_each_subject_has_its_interval_and_each_kind_its_sum():
    text = tell([verdicts("a", killed=9, survived=1), verdicts("b", killed=9, timeout=1),
                 verdicts("c", kind="reading", killed=3)])  # fmt: skip
    rows = {row.split(" | ")[0].strip("| "): row for row in text.splitlines() if "|" in row}
    assert rows["a"] == "| a | 1,000 | 10 | 9 | 0 | 90.0% | 59.6% to 98.2% |"
    assert (
        rows["**all rules**"] == "| **all rules** | 2,000 | 20 | 19 | 1 | 95.0% | 76.4% to 99.1% |"
    )
    assert "**all reading**" not in rows
    assert "Beside these 3,000 mutants, 21 change only what an error says" in text


def test_a_sum_counts_each_subject_by_its_mutants_not_by_its_draws():
    few = replace(verdicts("a", killed=50, survived=50), made=100)
    many = replace(verdicts("b", killed=100), made=900)
    *_, share, interval, _ = tell([few, many]).splitlines()[4].split("|")
    low, high = (float(bound.strip(" %")) for bound in interval.split("to"))
    assert float(share.strip(" %")) == pytest.approx(95.0, abs=0.3)
    # By hand: 0.1 of a share known to 5 points and 0.9 of one known to 1 point.
    assert high - low == pytest.approx(2 * 1.96 * 100 * (0.005**2 + 0.009**2) ** 0.5, rel=0.25)


def test_coverage_is_summed_by_package_and_rounded_down():
    def of(lines, run, branches, taken):
        names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
        return {"summary": dict(zip(names, (lines, run, branches, taken), strict=True))}

    report = {
        "files": {
            "pigglesim/games/piggles/a.py": of(1000, 999, 1000, 1000),
            "pigglesim/games/piggles/b.py": of(10, 10, 0, 0),
            "pigglesim/chance_types.py": of(5, 5, 2, 2),
        }
    }
    assert rows_of(report) == [
        ["chance_types", "5", "5", "2", "2", "100.0 %"],
        ["games/piggles", "1,010", "1,009", "1,000", "1,000", "99.9 %"],
        ["**all**", "1,015", "1,014", "1,002", "1,002", "99.9 %"],
    ]
