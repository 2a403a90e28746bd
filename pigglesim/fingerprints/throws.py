"""Throws to take the fingerprint of: dice, cups, a study and a film."""

from collections.abc import Iterator
from dataclasses import replace

from pigglesim.bodies.load import load_model
from pigglesim.bodies.poses import support_for
from pigglesim.chance.physical import FilmedChance
from pigglesim.chance.sources import physical_chance
from pigglesim.chance_types import DiceRequest
from pigglesim.films.codec import decode, encode
from pigglesim.landing import Landing, RollRequest, Seat
from pigglesim.physics.drop import Dropper
from pigglesim.physics.engines import make_engine
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.studies.identity import StudyPlan
from pigglesim.studies.shard import Thrower
from pigglesim.studies.study import Study
from pigglesim.studies.tally import OddsSetting
from pigglesim.throws.drop import sample_drops

_SEED = 1
_KNOCKED = 3
"""Piggles of a pour that stay on the board for the next one to knock."""


def drops(engine: str, count: int) -> Iterator[object]:
    """Yield what became of drops of the Piggle and of a common die."""
    floor = load_floor("tabletop")
    for model in ("piggle", "d6"):
        body = load_model(model)
        support = support_for(body)
        dropper = Dropper(
            body,
            support,
            range(len(body.poses)),
            surface=floor.surface("plastic"),
            stepping=floor.stepping,
            engine=make_engine(engine),
        )
        trials = sample_drops(
            floor.fall, body, trials=range(count), seed=_SEED, purpose=("fingerprint",)
        )
        yield dropper.drop_all(trials)


def pours(engine: str, count: int) -> Iterator[object]:
    """Yield cups of six Piggles as they were read, each onto some of those before."""
    chance = OddsSetting(
        label="fingerprint", scene=load_scene("piggles_classic"), engine=engine, seed=_SEED
    ).chance()
    sides = (Seat.A, Seat.B)
    cups = {side: tuple(name for name in chance.models if name.startswith(side)) for side in sides}
    standing: tuple[tuple[str, Landing], ...] = ()
    for index in range(count):
        side = sides[index % 2]
        request = RollRequest(thrower=side, piggles=cups[side], standing=standing)
        result = chance.roll(request, index=index)
        yield result
        there = [(name, at) for name, at in result.landings if at.place and name in cups[side]]
        standing = tuple(there[:_KNOCKED])


def dice(engine: str, count: int) -> Iterator[object]:
    """Yield throws of two dice from a cup, with their places."""
    chance = physical_chance(load_scene("piggy_six"), {}, engine=engine, seed=_SEED)
    for index in range(count):
        yield chance.dice(DiceRequest(thrower=Seat.A, count=2), index=index)


def shards(engine: str) -> Iterator[object]:
    """Yield every column of a small study, shard by shard."""
    study = Study(
        models=("piggle", "d6"),
        engine=engine,
        seed=_SEED,
        throws=250,
        shard_size=250,
        factors={"friction": (0.2, 0.5)},
    )
    thrower = Thrower(StudyPlan.of(study))
    for number in range(study.shard_count):
        yield thrower.throw(number)


def films(engine: str) -> Iterator[object]:
    """Yield the bytes of a film, and what they are read as."""
    physics = physical_chance(load_scene("piggy_six"), {}, engine=engine, seed=_SEED)
    _, film = FilmedChance(source=physics).filmed_dice(
        DiceRequest(thrower=Seat.A, count=2), index=0
    )
    # Where a film comes from tells the versions, which are not its bits.
    content = encode(replace(film, origin={"seed": _SEED}))
    yield content
    yield decode(content)
