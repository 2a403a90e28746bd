"""Bodies in a cup that a person shakes: they are where the throw of the whole path has them."""

import numpy as np

from pigglesim.bodies.load import load_model
from pigglesim.landing import Seat
from pigglesim.physics.engines import make_engine
from pigglesim.physics.pour import simulate
from pigglesim.physics.shaking import Shaking
from pigglesim.scene.load import load_scene
from pigglesim.throws import Pour
from tests.support.hands import HELD, hand_throw, shaken

SCENE, PIGGLE = load_scene("piggles_classic"), load_model("piggle")


def test_what_is_shaken_is_where_the_throw_has_it():
    rng, bodies = np.random.default_rng(3), (PIGGLE,) * 3
    whole = hand_throw(SCENE, bodies, shaken(rng, parked=HELD), rng=rng)
    pour, engine = Pour(scene=SCENE, seat=Seat.A), make_engine("impulse")
    moments = []
    simulate(SCENE, pour.by_hand(bodies, whole), bodies, engine=engine, watch=moments.append)
    by_time = {round(each.time, 6): each for each in moments}
    shaking = Shaking(pour, bodies, whole, engine=engine)
    before = 0.0
    # The hand moves on by a few samples at a time, until the cup begins to tip.
    for known in range(3, len(whole.samples) - 24, 7):
        seen = shaking.follow(whole.samples[:known])
        thrown = by_time[round(seen.time, 6)]
        assert seen.time > before
        assert (seen.cup, seen.places) == (thrown.cup, thrown.places)
        before = seen.time
    assert before > 0.5
