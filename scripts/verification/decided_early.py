"""Decide many throws early, step the same throws to rest, and count classes that differ.

`python -m scripts.verification.decided_early [THROWS [ENGINE]]`
"""

import sys
import time
from dataclasses import dataclass

import numpy as np

from pigglesim.bodies.body import Body, support_of
from pigglesim.bodies.load import load_model
from pigglesim.physics.drop import MARGIN, DropEnding, Dropper
from pigglesim.physics.engines import fastest_engine_name, make_engine
from pigglesim.scene.load import load_floor
from pigglesim.throws import sample_drops
from tests.support.bodies import box_body, prism_body


@dataclass
class Tally:
    throws: int = 0
    decided: int = 0
    wrong: int = 0
    """Decided, and then at rest in another class."""
    saved: float = 0.0
    """Simulated time that was not stepped [s]."""
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


def compare(body: Body, classes: list[object], *, throws: int, seed: int, engine: str) -> Tally:
    """Decide throws of a body, and step the same ones to rest."""
    floor = load_floor("tabletop")
    support = support_of(body.hull, body.mass.centre)
    shared = {"surface": floor.surface("plastic"), "stepping": floor.stepping}
    tally = Tally(throws=throws)
    # One world at a time is valid, so all are decided first.
    runs = []
    for margin in (MARGIN, np.inf):
        dropper = Dropper(
            body, support, classes, engine=make_engine(engine), margin=margin, **shared
        )
        drops = sample_drops(
            floor.fall, body, trials=range(throws), seed=seed, purpose=("early", body.model)
        )
        runs.append([dropper.drop(drop) for drop in drops])
    for early, late in zip(*runs, strict=True):
        assert late.ending is not DropEnding.DECIDED
        tally.whole += late.time
        if early.ending is DropEnding.DECIDED:
            tally.decided += 1
            tally.saved += late.time - early.time
            same = late.pose is not None and classes[early.pose] == classes[late.pose]
            tally.wrong += not same
    return tally


def main() -> None:
    throws = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    engine = sys.argv[2] if len(sys.argv) > 2 else fastest_engine_name()
    kinds = bodies()
    for body, classes in kinds:
        start = time.perf_counter()
        tally = compare(body, classes, throws=throws // len(kinds), seed=1, engine=engine)
        took = time.perf_counter() - start
        print(
            f"{body.model:24} {tally.throws} throws, {tally.decided} decided early, {tally.wrong} "
            f"wrong; {tally.saved / tally.whole:.0%} of the time saved ({took:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
