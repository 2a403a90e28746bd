"""Environments that people have by accident: verbs work there, or say why not in one line."""

import io
import sys
from unittest.mock import patch

import pytest

from pigglesim.cli.app import spell_unencodable
from tests.support.front_door import run_afresh

pytestmark = pytest.mark.slow


ENVIRONMENTS = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "old C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "Turkish": {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    "no width": {"COLUMNS": "0", "LINES": "0"},
    "width below zero": {"COLUMNS": "-5", "TERM": "dumb", "NO_COLOR": "1"},
    "no folder for temporary files": {"TMPDIR": "/proc/none", "HOME": "/proc/none"},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_match_is_shown_wherever_it_is_played(name, tmp_path):
    words = ["match", "--chance", "tabular", "--seed", 1, "--rule", "rounds=1"]
    ended = run_afresh(*words, cwd=tmp_path, env=ENVIRONMENTS[name])
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "South" in ended.stdout


def test_pictures_are_drawn_with_foreign_settings_of_matplotlib(tmp_path):
    (tmp_path / "matplotlibrc").write_text("backend: nonsense\nno.such.key: 1\n")
    env = {"MPLBACKEND": "module://nowhere"}
    ended = run_afresh("poses", "d6", "--plot", "d6.png", cwd=tmp_path, env=env)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (tmp_path / "d6.png").read_bytes().startswith(b"\x89PNG")


def printed(encoding, *words):
    """Return the bytes that printing on a stream of that encoding writes."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    with patch.object(sys, "stdout", stream):
        spell_unencodable()
        print(*words, flush=True)
    return raw.getvalue()


def test_what_an_encoding_lacks_is_spelt():
    words = "│♣♣·◆│ 0.49 ±0.10 → 🐷\udcff"
    assert printed("ascii", words) == b"|%%-*| 0.49 +-0.10 > ??\n"
    assert printed("latin-1", words) == b"|%%\xb7*| 0.49 \xb10.10 > ??\n"
    assert printed("utf-8", words) == "│♣♣·◆│ 0.49 ±0.10 → 🐷?\n".encode()
