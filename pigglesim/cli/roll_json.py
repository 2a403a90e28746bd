"""A roll as one JSON document, and a board read back from it."""

from typing import Any

from pigglesim.chance.physical import PhysicalChance
from pigglesim.errors import PigglesimError, SpecError
from pigglesim.pictures.marks import landing_points
from pigglesim.roll_codec import read
from pigglesim.rolls import Knock, Landing, Orientation, RestPlace, RollRequest, RollResult, Zone

__all__ = ["roll_document", "standing_from"]

_MOST_LYING = 24
"""Two teams, and as many again."""


def roll_document(
    chance: PhysicalChance, request: RollRequest, result: RollResult
) -> dict[str, Any]:
    """Return everything there is to know of a roll, as plain values; SI units in the names."""
    assert result.settle is not None
    return {
        "seed": chance.seed,
        "scene": chance.scene.id,
        "thrower": request.thrower.value,
        "dice": [
            _die(name, landing, chance, rolled=name in request.piggles)
            for name, landing in result.landings
        ],
        "knocks": [_knock(knock) for knock in result.knocks],
        "settle": {
            "status": result.settle.status.value,
            "time_s": result.settle.time,
            "sentence": result.settle.status.sentence,
        },
        "provenance": chance.provenance(),
    }


def _die(name: str, landing: Landing, chance: PhysicalChance, *, rolled: bool) -> dict[str, Any]:
    assert landing.place is not None
    return {
        "id": name,
        "model": chance.models[name].model,
        "rolled": rolled,
        "orientation": landing.orientation.value if landing.orientation else None,
        "zone": landing.zone.value,
        "on_line": landing.zone.on_line,
        "points": landing_points(landing),
        "position_m": list(landing.place.position),
        "orientation_xyzw": list(landing.place.orientation),
        "leaning": landing.leaning,
        "stacked": landing.stacked,
        "off_board": landing.zone is Zone.OFF,
    }


def _knock(knock: Knock) -> dict[str, Any]:
    return {
        "struck": knock.struck,
        "by": knock.by,
        "distance_m": knock.distance,
        "angle_rad": knock.angle,
        "flipped": knock.flipped,
        "zone_changed": knock.zone_changed,
        "off_board": knock.off_board,
    }


def standing_from(
    document: Any,  # noqa: ANN401 (whatever a file held)
) -> tuple[tuple[tuple[str, Landing], ...], dict[str, str]]:
    """Return what lies on the board after a saved roll, and the model of each.

    Raises:
        SpecError: If the document is not one that `roll --json` wrote.
    """
    try:
        dice = [read({"die": die}, "die", dict) for die in read(document, "dice", list)]
        lying = [die for die in dice if not read(die, "off_board", bool)]
        if len(lying) > _MOST_LYING:
            raise ValueError(f"{len(lying)} Piggles on the board: at most {_MOST_LYING} have room")
        standing = tuple((read(die, "id", str), _landing(die)) for die in lying)
        models = {read(die, "id", str): read(die, "model", str) for die in lying}
        if len(models) < len(lying):
            raise ValueError("two Piggles of one id")
    except (PigglesimError, AttributeError, ValueError) as fault:
        raise SpecError(
            "a roll saved with --json", got=str(fault), remedy="pigglesim roll --json > FILE"
        ) from None
    return standing, models


def _landing(die: dict[str, Any]) -> Landing:
    x, y, z = (read({"n": n}, "n", float) for n in read(die, "position_m", list))
    qx, qy, qz, qw = (read({"n": n}, "n", float) for n in read(die, "orientation_xyzw", list))
    length = (qx * qx + qy * qy + qz * qz + qw * qw) ** 0.5
    if not (abs(length - 1.0) < 1e-6 and max(abs(x), abs(y), abs(z)) < 10.0):
        raise ValueError("a place that is no place: a unit quaternion and metres are needed")
    return Landing(
        orientation=Orientation(read(die, "orientation", str)),
        zone=Zone(read(die, "zone", str)),
        leaning=read(die, "leaning", bool),
        stacked=read(die, "stacked", bool),
        place=RestPlace(position=(x, y, z), orientation=(qx, qy, qz, qw)),
    )
