"""The walks through the code name functions that are there."""

import re

import pytest

from scripts.documentation.pages import ROOT

ROWS = re.findall(
    r"^\| `(\S+\.(?:py|js))` \| `(\w+)` \|",
    (ROOT / "docs" / "design.md").read_text(),
    re.MULTILINE,
)


@pytest.mark.parametrize(("file", "function"), ROWS, ids=" ".join)
def test_a_function_of_a_walk_is_in_its_file(file, function):
    source = (ROOT / "pigglesim" / file).read_text()
    written = (
        rf"def {function}\("
        if file.endswith(".py")
        else rf"^ *(?:async |export )*(?:function )?{function}\(.*\{{$"
    )
    assert re.search(written, source, re.MULTILINE)


def test_three_walks_are_found():
    assert {"run_or_resume", "showFelt", "book"} <= {function for _, function in ROWS}
