"""Rolls on real physics: the same bits everywhere, nobody moved for nothing, nothing lost."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.chance.physical import PhysicalChance, physical_chance
from pigglesim.landing import (
    Cocked,
    Landing,
    ReadingRules,
    RollRequest,
    Seat,
    SettleStatus,
    Zone,
)
from pigglesim.physics.engines import make_engine
from pigglesim.physics.pour import simulate
from pigglesim.rng import generator
from pigglesim.scene.load import load_scene
from pigglesim.throws import Pour
from tests.placing import set_down

SCENE = load_scene("piggles_classic")
BODY = load_model("piggle")
A = tuple(f"A{n}" for n in range(1, 7))
B = tuple(f"B{n}" for n in range(1, 7))


def chance(seed=7, scene=SCENE):
    models = dict.fromkeys((*A, *B), BODY)
    return PhysicalChance(scene=scene, models=models, engine=make_engine("bullet"), seed=seed)


def request(names=A, standing=(), **more):
    seat = Seat(names[0][0])
    return RollRequest(thrower=seat, piggles=names, standing=standing, **more)


def test_the_same_seed_gives_the_same_bits_alone_and_after_other_throws():
    alone = chance().roll(request(), index=3)
    source = chance()
    source.roll(request(B[:2]), index=0)
    source.roll(request(A[:1]), index=9)
    assert source.roll(request(), index=3) == alone


def test_the_same_seed_gives_the_same_bits_in_another_process_and_through_json():
    here = chance().roll(request(A[:3]), index=0)
    command = [sys.executable, "-m", "pigglesim", "roll", "3", "--seed", "7", "--json"]
    there = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    for (name, landing), die in zip(here.landings, there["dice"], strict=True):
        assert die["id"] == name
        assert tuple(die["position_m"]) == landing.place.position
        assert tuple(die["rotation_xyzw"]) == landing.place.rotation
        assert die["zone"] == landing.zone.value
    assert there["settle"]["time_s"] == here.settle.time


def settled_board(seed=11):
    first = chance(seed).roll(request(B), index=0)
    return tuple((name, at) for name, at in first.landings if at.zone is not Zone.OFF)


def test_piggles_that_nothing_struck_lie_as_they_lay_to_the_bit():
    standing = settled_board()
    moved = 0
    for index in range(1, 6):
        result = chance(11).roll(request(A[:2], standing), index=index)
        after = dict(result.landings)
        knocked = {knock.struck for knock in result.knocks}
        for name, before in standing:
            if after[name].place != before.place:
                moved += 1
            else:
                assert after[name] == before
                assert name not in knocked
        assert knocked <= {name for name, _ in standing}
    # The pours are not so tame that the test shows nothing.
    assert moved > 0


def test_a_piggle_in_the_way_is_struck_and_its_striker_is_named():
    # Under the mouth of the cup lie three: some of six falling Piggles must meet one of them.
    pose = BODY.poses[0]
    standing = tuple(
        (name, Landing(orientation=pose.orientation, zone=Zone.FIELD_SOUTH, place=place))
        for name, place in (
            (name, set_down(BODY, pose, contact_at=spot))
            for name, spot in zip(B[:3], ((0, -0.03), (0.03, 0), (-0.03, 0)), strict=True)
        )
    )
    knocks = [
        knock
        for index in range(4)
        for knock in chance(2).roll(request(A, standing), index=index).knocks
    ]
    assert len(knocks) >= 4
    for knock in knocks:
        assert knock.by in A
        assert knock.struck in B
        moved = knock.distance > 0.003 or knock.angle > np.radians(5)
        assert moved or knock.flipped or knock.zone_changed


def test_no_piggle_passes_the_wall_of_the_cup():
    # While the cup is shaken and until it tips past the level, nothing may be outside of it.
    # The count of 10,000 is made by `python -m scripts.verification.cup_leaks`.
    from scripts.verification.cup_leaks import count_leaks

    assert count_leaks(SCENE, BODY, pours=10, seed=1, engine=make_engine("bullet")) == (60, 0)


def test_time_up_is_a_status_and_no_hang():
    hasty = replace(SCENE, stepping=replace(SCENE.stepping, time_limit=0.9))
    result = chance(scene=hasty).roll(request(), index=0)
    assert result.settle.status is SettleStatus.TIMED_OUT
    assert result.settle.time <= 0.9 + SCENE.stepping.time_step
    assert len(result.landings) == 6


def test_a_cup_that_will_not_empty_is_turned_over():
    # Tipped to just below the level, friction keeps Piggles in: patience ends, the hand turns it.
    slow = replace(SCENE, hand=replace(SCENE.hand, tip_angle=np.radians(96), patience=0.3))
    rng = generator(3, "slow")
    throw = Pour(scene=slow, seat=Seat.A).sample((BODY,) * 6, rng=rng)
    outcome = simulate(slow, throw, (BODY,) * 6, engine=make_engine("bullet"))
    assert outcome.settle.status is SettleStatus.SETTLED
    assert all(place.position[2] < 0.06 for place in outcome.rolled)


@pytest.mark.slow
def test_a_nudge_leaves_fewer_leaning():
    def rolled(cocked, numbers):
        reading = ReadingRules(cocked=cocked)
        return [chance(13).roll(request(reading=reading), index=index) for index in numbers]

    def leaning(roll):
        return sum(at.leaning or at.stacked for _, at in roll.landings)

    rolls = rolled(Cocked.CLASSIFY, range(25))
    leant = [index for index, roll in enumerate(rolls) if leaning(roll)]
    stood = next(index for index, roll in enumerate(rolls) if not leaning(roll))
    assert len(leant) > 1
    # Where nobody leans there is nothing to nudge.
    assert rolled(Cocked.NUDGE, [stood])[0].landings == rolls[stood].landings
    after = sum(map(leaning, rolled(Cocked.NUDGE, leant)))
    assert after < sum(map(leaning, rolls))


def test_a_throw_in_any_livery_gives_the_same_bits():
    worn = ["orange+across", "red", "blue+left", "green+spiral_cw", "yellow+split"]
    models = ["piggle", *(f"piggle+{livery}" for livery in worn)]
    mixed = physical_chance(SCENE, dict(zip(A, models, strict=True)), engine="bullet", seed=7)
    assert mixed.roll(request(), index=0) == chance().roll(request(), index=0)
    digests = mixed.provenance()["models"]
    assert len(digests) == 6
    assert len(set(digests.values())) == 1
