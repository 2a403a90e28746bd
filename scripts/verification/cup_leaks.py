"""Count Piggles that pass the cup's wall.

Run `python -m scripts.verification.cup_leaks [POURS [ENGINE]]`.
"""

import sys

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.bodies.load import load_model
from pigglesim.landing import RestPlace, Seat
from pigglesim.physics.engine import Engine, Mode
from pigglesim.physics.engines import make_engine
from pigglesim.rng import generator
from pigglesim.rotations import to_matrix
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Scene
from pigglesim.throws import Pour


def count_leaks(
    scene: Scene, body: Body, *, pours: int, seed: int, engine: Engine
) -> tuple[int, int]:
    """Return how many Piggles were poured, and how many left the cup but by its mouth.

    A centre of mass that is out of the inner cylinder while it is below the lip, or below the
    floor, has passed the wall: looked for at every step until the last is clear of the mouth.
    """
    count, leaked = scene.capacity, 0
    for pour in range(pours):
        rng = generator(seed, "check-cup", pour)
        throw = Pour(scene=scene, seat=Seat.A).sample((body,) * count, rng=rng)
        world = engine.world(scene)
        for position, rotation in zip(throw.positions, throw.rotations, strict=True):
            place = RestPlace(position=tuple(position.tolist()), rotation=tuple(rotation.tolist()))
            world.add_body(body, place, Mode.IN_CUP)
        world.add_cup(throw.path.pose(0.0))
        inside, through = set(range(count)), set()
        steps = round(throw.path.motion.patience_end / scene.stepping.time_step)
        for step in range(1, steps + 1):
            pose = throw.path.pose(step * scene.stepping.time_step)
            world.move_cup(pose)
            world.step()
            local = (world.positions() - pose[0]) @ to_matrix(np.array(pose[1]))
            half = scene.cup.depth / 2.0
            inside -= {n for n in inside if local[n, 2] > half}
            radial = np.hypot(local[:, 0], local[:, 1])
            out = (radial > scene.cup.inner_radius) | (local[:, 2] < -half)
            through |= {n for n in inside if out[n]}
            if not inside:
                break
        leaked += len(through)
    return pours * count, leaked


def main() -> None:
    pours = int(sys.argv[1]) if len(sys.argv) > 1 else 1700
    poured, leaked = count_leaks(
        load_scene("piggles_classic"),
        load_model("piggle"),
        pours=pours,
        seed=1,
        engine=make_engine(sys.argv[2] if len(sys.argv) > 2 else None),
    )
    # Zero of n: the one-sided 95 % bound is 3 / n (the rule of three).
    print(f"{leaked} of {poured} Piggles passed the wall; 95 % bound {3 / poured:.1e} if none")
    sys.exit(1 if leaked else 0)


if __name__ == "__main__":
    main()
