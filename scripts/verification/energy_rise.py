"""How much energy a die gains by mistake: `python -m scripts.verification.energy_rise [DROPS]`.

On a passive floor energy only falls. What an engine adds (error reduction, gyroscopic torque taken
at the start of a step, contacts found late) is measured as a height, E / (m g): the largest rise
above the lowest value so far in a drop. A decision of the pose by energy needs this margin.
"""

import sys

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.load import load_model
from pigglesim.physics.engine import Engine
from pigglesim.physics.engines import make_engine
from pigglesim.rng import generator
from pigglesim.rotations import random_quaternion
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from tests.support.bodies import box_body, prism_body
from tests.support.tracking import Tracked, place_at

DROP = 0.10
"""Height of the centre at the start [m]."""


def rises(
    body: Body, scene: Scene, *, engine: Engine, drops: int, seed: int, spin: float = 15.0
) -> np.ndarray:
    """Return the largest rises of drops [m], shape [drops, 2].

    The first of a drop is over all its time; the second counts from when its energy has fallen
    to 10 mm above the lowest pose, where decisions are made.
    """
    step = scene.stepping.time_step
    lowest_pose = min(pose.height for pose in body.poses)
    found = np.zeros((drops, 2))
    for drop in range(drops):
        rng = generator(seed, "energy", body.model, drop)
        world = engine.world(scene)
        world.cup_released()
        die = Tracked(
            world,
            body,
            place_at((0, 0, DROP), random_quaternion(rng=rng)),
            step=step,
            velocity=rng.normal(0, 0.2, 3),
            spin=rng.normal(0, spin, 3),
        )
        least = die.energy_height
        for _ in range(round(1.2 / step)):
            world.step()
            die.look()
            energy = die.energy_height
            found[drop, 0] = max(found[drop, 0], energy - least)
            if least < lowest_pose + 0.010:
                found[drop, 1] = max(found[drop, 1], energy - least)
            least = min(least, energy)
    return found


def main() -> None:
    drops = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    scene, engine = load_scene("piggles_classic"), make_engine("bullet")
    bodies = [load_model(name) for name in ("piggle", "premium", "d6")]
    bodies += [box_body(0.024, 0.016, 0.010), prism_body(3, 0.012, 0.016)]
    bodies += [prism_body(6, 0.010, 0.014)]
    print(f"{'largest rise of E / (m g) [mm]':34s} median   95 %   99 %    max")
    for body in bodies:
        found = rises(body, scene, engine=engine, drops=drops, seed=1) * 1e3
        for name, column in (("", 0), (" near rest", 1)):
            points = [*np.quantile(found[:, column], [0.5, 0.95, 0.99]), found[:, column].max()]
            print(f"{body.model + name:34s}" + " ".join(f"{value:6.3f}" for value in points))


if __name__ == "__main__":
    main()
