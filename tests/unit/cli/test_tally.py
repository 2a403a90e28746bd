"""`pigglesim tally`: a list of throws, one row each, counted into a die.toml."""

import json

import pytest

from pigglesim.errors import SpecError
from pigglesim.experiments.counted_dice import read_die
from tests.support.front_door import run_here

DIE = """# A box that people threw.
name = "box"
box_mm = [12.0, 12.0, 9.0]
throw_count = 0  # of all of us

[[outcome]]
label = "face"
count = 0 # flat
down = [[0, 0, 1], [0, 0, -1]]

[[outcome]]
label = "side"
count = 0
down = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]]
"""


@pytest.fixture
def die(tmp_path):
    (tmp_path / "box").mkdir()
    file = tmp_path / "box" / "die.toml"
    file.write_text(DIE)
    return file


def tallied(die, text, *words):
    throws = die.parent.parent / "throws.csv"
    throws.write_bytes(text if isinstance(text, bytes) else text.encode())
    return run_here("tally", throws, die.parent, *words)


@pytest.mark.parametrize(
    "text",
    [
        "outcome\nface\nside\nface\n",
        "face\nside\nface",
        "Result\r\nFace\r\nside\r\n face \r\n",
        'who,outcome,note\nAnn,face,"a, b"\nBob,side,\nAnn,face,\n',
        b"\xef\xbb\xbfdate;Outcome\n1 May;face\n2 May;side\n3 May;face\n",
    ],
)
def test_rows_are_counted_and_the_rest_of_the_file_stays(die, text):
    done = tallied(die, text)
    assert done.exit_code == 0, done.stderr
    written = die.read_text()
    expected = DIE.replace("count = 0 # flat", "count = 2 # flat")
    expected = expected.replace('"side"\ncount = 0', '"side"\ncount = 1')
    assert written == expected.replace("throw_count = 0 ", "throw_count = 3 ")
    assert read_die(die).counts == (2, 1)


def test_the_answer_has_shares_or_is_json_and_counts_are_replaced_only_if_forced(die):
    done = tallied(die, "outcome\nface\nside\nface\nface\n")
    assert "face" in done.stdout and "0.75 [" in done.stdout
    assert "pigglesim validate" in done.stdout
    # The same list again changes nothing.
    assert tallied(die, "outcome\nface\nside\nface\nface\n").exit_code == 0
    with pytest.raises(SpecError, match="has 4 throws already; use --force"):
        tallied(die, "side\n")
    assert read_die(die).counts == (3, 1)
    done = tallied(die, "side\n", "--force", "--json")
    assert json.loads(done.stdout)["counts"] == {"face": 0, "side": 1}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("outcome\nface\nfase\n", r"unknown outcome in line 3 of throws.csv 'fase'.* use face"),
        ("outcome\nface\n\nside\n", "line 3 of throws.csv is empty; remove it"),
        ("who,outcome\nAnn,face\nBob\n", r"line 3 of throws.csv has 1 columns \(expected 2\)"),
        ("who,outcome\nAnn,face,2\n", r"line 2 of throws.csv has 3 columns \(expected 2\)"),
        ("who,rests\nAnn,face\n", r"has the columns who, rests \(expected one column outcome\)"),
        ("outcome,outcome\nface,face\n", r"has the columns outcome, outcome \(expected one"),
        ("outcome\n", "throws.csv has no throw; add one row per throw"),
        ("", "throws.csv begins with no row"),
        ('outcome\n"face\n', r"throws.csv: .* \(expected CSV\); export it again"),
        (b"outcome\n\xff\n", "not UTF-8"),
    ],
)
def test_a_faulty_list_is_one_line_and_leaves_the_file(die, text, problem):
    with pytest.raises(SpecError, match=problem):
        tallied(die, text)
    assert die.read_text() == DIE


def test_counts_in_one_list_are_replaced_and_a_file_without_counts_is_not(die):
    plain = DIE.replace("count = 0 # flat\n", "").replace("count = 0\n", "")
    plain = plain.replace("throw_", "counts = [\n 0, 0]\nthrow_", 1)
    die.write_text(plain)
    tallied(die, "face\nside\nface\n")
    assert "counts = [2, 1]\n" in die.read_text()
    hidden = DIE.replace("count = 0\n", '"count" = 0\n').replace("throw_count", "# count")
    die.write_text(hidden)
    with pytest.raises(SpecError, match=r"no counts to replace in die\.toml"):
        tallied(die, "face\n")
    assert die.read_text() == hidden
