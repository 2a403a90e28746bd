"""The command that makes the tables of accuracy tells a study's own shares, with their arms."""

import pytest

from tests.documentation.accuracy import Row, row, table


@pytest.mark.slow
def test_a_row_is_the_study_that_its_command_makes():
    found = row("drop", "d6", 600)
    assert found.command == "pigglesim study --kind drop --model d6 --throws 600 --seed 5"
    assert sum(found.counts) == found.throws == 600
    value, arm = map(float, found.shares[0].split(" ± "))
    assert value == pytest.approx(found.counts[0] / 600, abs=5e-4)
    # Wilson's arm at a sixth of 600, by hand: .0317 up, .0278 down.
    assert arm == pytest.approx(0.031, abs=0.004)


def test_a_crooked_die_is_told():
    names, shares = tuple("123456"), ("0.167 ± 0.003",) * 6
    fair = Row(command="f", throws=60, orientations=names, shares=shares, counts=(10,) * 6)
    crooked = Row(
        command="c", throws=60, orientations=names, shares=shares, counts=(35,) + (5,) * 5
    )
    told = table([fair, crooked], date="2026-11-22")
    assert told.startswith("Made by version 0.1.0 on 2026-11-22:")
    assert [
        line.rpartition(" | ")[2] for line in told.splitlines() if line.startswith("| share")
    ] == [
        "1.00 |",
        "0.00 |",
    ]
