"""A roll as one JSON document, and a board read back from it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pigglesim.errors import PigglesimError, SpecError
from pigglesim.files.kinds import FileKind
from pigglesim.files.reading import read_json
from pigglesim.pictures.board import landing_points
from pigglesim.roll_codec import landing_of_class, read
from pigglesim.rolls import (
    ClassLanding,
    Knock,
    Landing,
    Orientation,
    RestPlace,
    RollRequest,
    RollResult,
    Zone,
)

__all__ = ["read_layout", "roll_document", "standing_from"]

_ROLL = FileKind(name="roll --json")

_MOST_LYING = 24
"""Two teams, and as many again."""


def roll_document(
    seed: int,
    request: RollRequest,
    result: RollResult,
    models: Mapping[str, str],
    provenance: Mapping[str, Any],
) -> dict[str, Any]:
    """Return everything there is to know of a roll on physics; SI units in the names.

    Args:
        seed: Root seed.
        request: What was asked for.
        result: What came of it.
        models: The model of each Piggle, by id.
        provenance: What the bits depend on.
    """
    assert result.settle is not None
    return {
        "seed": seed,
        "scene": provenance["scene"],
        "thrower": request.thrower.value,
        "dice": [
            _die(name, landing, models[name], rolled=name in request.piggles)
            for name, landing in result.landings
        ],
        "knocks": [_knock(knock) for knock in result.knocks],
        "settle": {
            "status": result.settle.status.value,
            "time_s": result.settle.time,
            "sentence": result.settle.status.sentence,
        },
        "provenance": dict(provenance),
    }


def _die(name: str, landing: Landing, model: str, *, rolled: bool) -> dict[str, Any]:
    assert landing.place is not None
    return {
        "id": name,
        "model": model,
        "rolled": rolled,
        "orientation": landing.orientation.value if landing.orientation else None,
        "class": landing.class_name if isinstance(landing, ClassLanding) else None,
        "zone": landing.zone.value,
        "on_line": landing.zone.on_line,
        "points": None if isinstance(landing, ClassLanding) else landing_points(landing),
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


def read_layout(
    file: Path,
) -> tuple[tuple[tuple[str, Landing], ...], dict[str, str]]:
    """Return what lies on the board after a roll that a file holds, and the model of each.

    Raises:
        SpecError: If the file is not one that `roll --json` wrote.
    """
    return standing_from(read_json(file, _ROLL))


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
    class_name = None if die.get("class") is None else read(die, "class", str)
    pose = Orientation(read(die, "orientation", str)) if class_name is None else None
    landing = Landing(
        orientation=pose,
        zone=Zone(read(die, "zone", str)),
        leaning=read(die, "leaning", bool),
        stacked=read(die, "stacked", bool),
        place=RestPlace(position=(x, y, z), orientation=(qx, qy, qz, qw)),
    )
    return landing if class_name is None else landing_of_class(landing, class_name)
