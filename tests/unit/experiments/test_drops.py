"""Drops of one die, counted: however they are cut into batches, they are the same drops."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.bodies.poses import support_for
from pigglesim.experiments.counted_dice import BATCH, DropTask
from pigglesim.physics.drop import DropEnding, Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.scene.load import load_floor
from pigglesim.throws import sample_drops


@pytest.fixture(scope="module")
def task(floor):
    body, ground = load_model("d6"), load_floor(floor)
    return DropTask(
        name="d6",
        body=body,
        support=support_for(body),
        classes=tuple(range(6)),
        class_count=6,
        fall=ground.fall,
        surface=ground.surface("plastic"),
        stepping=ground.stepping,
        engine="impulse",
        seed=1,
    )


def test_a_batch_is_the_drops_one_by_one_whatever_it_was_cut_from(task):
    dropper = Dropper(
        task.body,
        task.support,
        task.classes,
        surface=task.surface,
        stepping=task.stepping,
        engine=make_engine(task.engine),
    )
    drops = sample_drops(
        task.fall, task.body, trials=range(2 * BATCH), seed=1, purpose=("drop", "d6")
    )
    ends = dropper.drop_all(drops)
    poses = [int(pose) for pose in ends.poses]
    found = task.drop(range(2 * BATCH))
    assert found.counts == (*(poses.count(k) for k in range(6)), poses.count(-1))
    assert found.endings == tuple(np.bincount(ends.endings, minlength=len(DropEnding)).tolist())
    first, second = task.drop(range(BATCH)), task.drop(range(BATCH, 2 * BATCH))
    assert first + second == found
    assert first != second
    assert replace(task, name="another").drop(range(BATCH)) != first


def test_poses_of_one_class_are_told_together_and_those_of_none_last(task):
    apart = task.drop(range(BATCH))
    grouped = replace(task, classes=(1, 0, 1, -1, 0, -1), class_count=2).drop(range(BATCH))
    one, two, three, four, five, six, nothing = apart.counts
    assert grouped.counts == (two + five, one + three, four + six + nothing)
