"""What a study says is shown to the digits that it knows, and fits a terminal."""

import io
import json
from dataclasses import asdict

import numpy as np
import pytest
from rich.console import Console

from pigglesim.arguments import plain
from pigglesim.cli.study_tables import show_results
from pigglesim.experiments.estimates import answer
from tests.support.throws_table import connection_with, random_pours


def study(kind, *, cells, dice=6, stood=0):
    rows = random_pours(np.random.default_rng(2), cells=cells, trials=40, dice=dice, stood=stood)
    if kind == "drop":
        for name in ("zone", "leaning", "stacked", "points"):
            rows[name] = [None] * len(rows["throw"])
    rows["model"] = [("piggle", "premium_brass")[cell % 2] for cell in rows["cell"]]
    rows["height_mm"] = [(150, 250)[cell // 2] for cell in rows["cell"]]
    factors = ["model", "height_mm"] if cells > 2 else ["model"] if cells > 1 else []
    return answer(connection_with(rows, {"height_mm": "INTEGER"}), kind=kind, factors=factors)


STUDIES = [
    ({"kind": "drop", "cells": 1, "dice": 1}, ["Snout-Up"]),
    ({"kind": "drop", "cells": 4, "dice": 1}, ["premium_brass - piggle", "250 - 150"]),
    ({"kind": "pour", "cells": 1}, ["points per throw", "line:N/path", "pairs alike"]),
    ({"kind": "knock", "cells": 2, "stood": 3}, ["knocks per throw", "model: premium_brass - pi"]),
    ({"kind": "pour", "cells": 4}, ["off the board", "height_mm"]),
]


@pytest.mark.parametrize(("words", "expected"), STUDIES)
def test_a_study_is_shown_in_the_width_of_a_page(words, expected):
    console = Console(width=200, highlight=False, record=True, file=io.StringIO())
    answers = study(**words)
    show_results(console, answers)
    text = console.export_text()
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 96
    for word in expected:
        assert word in text
    assert "nan" not in text


def test_what_is_not_known_is_null_in_json():
    answers = study("pour", cells=1, dice=1)
    document = plain(asdict(answers))
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["level"] == 0.95
    assert document["cells"][0]["independence"] is None
    assert document["cells"][0]["shares"][0]["value"] == answers.cells[0].shares[0].value
