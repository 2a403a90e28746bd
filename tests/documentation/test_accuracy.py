"""The tables of accuracy show the shares of a study, with the arms of their intervals."""

import re

import pytest

from tests.documentation.accuracy import study, tables


@pytest.mark.slow
def test_shares_have_the_arms_of_their_study_and_a_crooked_die_is_seen():
    command, cell = fair = study("drop", "d6", 600)
    assert command == "`pigglesim study --kind drop --model d6 --throws 600 --seed 5`"
    text = tables([], fair, date="2026-11-22")
    assert text.startswith("Made by version 0.1.0 on 2026-11-22:")
    value, arm = map(float, re.search(r"\| share \| (\S+) ± (\S+) ", text).groups())
    assert value == pytest.approx(cell["shares"][0]["value"], abs=5e-4)
    # Wilson's arm at a sixth of 600, by hand: 0.0317 up, 0.0278 down.
    assert arm == pytest.approx(0.031, abs=0.004)
    assert float(text.split("| ")[-1].strip(" |")) > 0.001
    shares = [{**share, "value": 0.5 if n == 0 else 0.1} for n, share in enumerate(cell["shares"])]
    assert tables([], (command, {**cell, "shares": shares}), date="").endswith("| 0.00 |")
