"""The file of a fit: whole lines stay, a cut one goes, and two runs cannot write to it."""

import json
from types import SimpleNamespace

import pytest

from pigglesim.errors import SpecError
from pigglesim.scene.load import load_floor
from pigglesim.validation import fit as fit_run
from pigglesim.validation.fit import FitRun
from pigglesim.validation.validate import DropTally


@pytest.fixture
def dice(monkeypatch):
    """Two dice whose drops all end in their first pose, made at once."""

    def drop_dice(tasks, *, drops, workers):
        for number, _ in enumerate(tasks):
            yield number, DropTally(counts=(drops, 0, 0), endings=(drops,))

    monkeypatch.setattr(fit_run, "drop_dice", drop_dice)
    monkeypatch.setattr(FitRun, "_task", lambda self, where, die, *, name: None)
    return SimpleNamespace(name="a"), SimpleNamespace(name="b")


def begun(path, dice):
    return FitRun(
        path=path, dice=dice, ground=load_floor("tabletop"), engine="impulse", drops=9, seed=1
    )


def test_a_run_that_was_cut_anywhere_goes_on_to_the_same_file(dice, tmp_path):
    list(begun(tmp_path / "whole", dice).go_on(3, workers=1))
    whole = (tmp_path / "whole").read_bytes()
    assert whole.count(b"\n") == 4
    path = tmp_path / "cut"
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        run = begun(path, dice)
        assert run.done == max(0, whole[:size].count(b"\n") - 1)
        list(run.go_on(3, workers=1))
        assert path.read_bytes() == whole


def test_two_fits_cannot_write_to_one_file(dice, tmp_path):
    path = tmp_path / "fit"
    late = begun(path, dice)
    first = begun(path, dice).go_on(2, workers=1)
    next(first)
    with pytest.raises(SpecError, match="another fit at work there"):
        next(late.go_on(2, workers=1))
    list(first)
    # What the first has added meanwhile is not what the other knows of.
    with pytest.raises(SpecError, match="another fit at work there"):
        next(late.go_on(2, workers=1))
    assert [len(json.loads(line)) for line in path.read_text().splitlines()[1:]] == [2, 2]
