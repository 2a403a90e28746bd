"""Decide many throws early, step each on to rest, and count classes that differ.

`python -m scripts.verification.decided_early [THROWS [ENGINE [FIT]]]`: on the table top, or on the
floors of a fit that have most restitution and friction, where an impact might gain energy.
"""

import sys
from dataclasses import dataclass

import numpy as np

from pigglesim.bodies.body import Body, support_of
from pigglesim.bodies.load import load_model
from pigglesim.experiments.floor_posterior import Floors
from pigglesim.physics.drop import DropEnding, Dropper
from pigglesim.physics.engines import fastest_engine_name, make_engine
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Floor
from pigglesim.throws import sample_drops
from tests.support.bodies import box_body, prism_body


@dataclass
class Tally:
    throws: int = 0
    decided: int = 0
    wrong: int = 0
    """Decided, and then at rest in another class."""
    saved: float = 0.0
    """Simulated time after the decisions [s]."""
    whole: float = 0.0
    """Simulated time to rest [s]."""


def bodies() -> list[tuple[Body, list[object]]]:
    """Every kind of body, with the class of each of its poses."""
    found: list[tuple[Body, list[object]]] = []
    for model in ("piggle", "premium", "d6"):
        body = load_model(model)
        found.append((body, [pose.orientation or pose.name for pose in body.poses]))
    for body in (box_body(0.015, 0.015, 0.012), prism_body(5)):
        found.append((body, list(range(len(body.poses)))))
    return found


def extreme_floors(fit: str) -> list[Floor]:
    """Return the floors of a fit with restitution above 0.55 and friction above 0.45."""
    floors = Floors.of(fit)
    found = [(floor, floor.surface("plastic").contact) for floor in floors.places(floors.ground)]
    return [floor for floor, it in found if it.restitution > 0.55 and it.friction > 0.45]


def compare(
    body: Body,
    classes: list[object],
    *,
    throws: int,
    seed: int,
    engine: str,
    floor: Floor,
) -> Tally:
    """Decide throws of a body, and step each on to rest."""
    support = support_of(body.hull, body.mass.centre)
    surface, stepping = floor.surface("plastic"), floor.stepping
    dropper = Dropper(
        body, support, classes, engine=make_engine(engine), surface=surface, stepping=stepping
    )
    tally = Tally(throws=throws)
    purpose = ("early", body.model)
    for drop in sample_drops(floor.fall, body, trials=range(throws), seed=seed, purpose=purpose):
        early = dropper.drop(drop)
        tally.whole += early.time
        if early.ending is DropEnding.DECIDED:
            tally.decided += 1
            # The die itself goes on: in another run its steps, and so its path, might differ.
            more = dropper.floor.advance(stepping.time_limit, stop_below=-np.inf)
            tally.whole += more
            tally.saved += more
            late = support.descend(dropper.floor.motion().down)
            tally.wrong += classes[early.pose] != classes[late]
    return tally


def main() -> None:
    throws = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    engine = sys.argv[2] if len(sys.argv) > 2 else fastest_engine_name()
    kinds = bodies()
    floors = extreme_floors(sys.argv[3]) if len(sys.argv) > 3 else [load_floor("tabletop")]
    each = max(throws // len(kinds) // max(len(floors), 1), 1)
    for body, classes in kinds:
        for floor in floors:
            tally = compare(body, classes, throws=each, seed=1, engine=engine, floor=floor)
            print(
                f"{body.model:24} {tally.throws} throws, {tally.decided} decided early, "
                f"{tally.wrong} wrong; {tally.saved / tally.whole:.0%} of the time saved",
                flush=True,
            )


if __name__ == "__main__":
    main()
