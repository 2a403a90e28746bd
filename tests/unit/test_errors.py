"""Errors are one line, also where they quote several."""

import pickle

import pytest

from pigglesim.errors import IllegalActionError, RecordError, SpecError


@pytest.mark.parametrize("kind", [SpecError, RecordError, IllegalActionError])
def test_an_error_with_any_quotation_is_one_line_in_any_process(kind):
    rule = {"rule": "R8"} if kind is IllegalActionError else {}
    error = kind("a\nb", expected="c\r\x1b[2Jd", fix="e\u2028f\x85" + "g" * 9999, **rule)
    for each in (error, pickle.loads(pickle.dumps(error)), error.converted(SpecError, where="\v")):
        assert len(str(each).splitlines()) == 1
        assert "\x1b" not in str(each)
        assert r"a\nb" in str(each) and len(str(each)) < 3000
