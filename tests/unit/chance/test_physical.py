"""Rolls on real physics: the cup empties, nothing hangs, and a livery changes no bit."""

from dataclasses import replace

import numpy as np
import pytest

from pigglesim.bodies.load import load_model
from pigglesim.chance.physical import PhysicalChance, physical_chance
from pigglesim.landing import Cocked, ReadingRules, RollRequest, Seat, SettleStatus
from pigglesim.physics.engines import make_engine
from pigglesim.physics.pour import simulate
from pigglesim.rng import generator
from pigglesim.scene.load import load_scene
from pigglesim.throws import Pour

SCENE = load_scene("piggles_classic")
BODY = load_model("piggle")
A = tuple(f"A{n}" for n in range(1, 7))


def chance(seed=7, scene=SCENE):
    models = dict.fromkeys(A, BODY)
    return PhysicalChance(scene=scene, models=models, engine=make_engine("bullet"), seed=seed)


def request(**more):
    return RollRequest(thrower=Seat.A, piggles=A, **more)


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
