"""What chance answered as JSON and back, exact to the last bit."""

from collections.abc import Mapping
from typing import TypeVar

from pigglesim.chance_types import ChanceOutcome, DiceResult, ShuffleResult
from pigglesim.errors import RecordError, cut
from pigglesim.games.game import JSON
from pigglesim.landing import (
    ClassLanding,
    Knock,
    Landing,
    Orientation,
    RestPlace,
    RollResult,
    SettleReport,
    SettleStatus,
    Zone,
)

T = TypeVar("T")
_MOST_NUMBER = 2**63 - 1
"""Of any whole number: what 64 bits hold."""
_LONGEST_CLASS = 100


def read(table: Mapping[str, object], key: str, kind: type[T]) -> T:
    """Return the value of `key`, which must be of just that kind; a float may be written `3`.

    Raises:
        RecordError: If it is missing or of another kind.
    """
    value = table.get(key)
    if type(value) is int and abs(value) > _MOST_NUMBER:
        raise RecordError(
            f"a number up to {_MOST_NUMBER:.1e} for {key}",
            got=f"one of {value.bit_length()} bits",
            remedy="use the record as it was written",
        )
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind:
        raise RecordError(
            f"{kind.__name__} for {key}",
            got=_shown(value),
            remedy="use the record as it was written",
        )
    return value


def _shown(value: object) -> str:
    """Return what is told of a value of the wrong kind; of a list or a table only that it is."""
    return f"a {type(value).__name__}" if isinstance(value, dict | list) else cut(repr(value))


def _numbers(table: Mapping[str, object], key: str, count: int) -> list[float]:
    values = read(table, key, list)
    if len(values) != count:
        raise RecordError(
            f"{count} numbers for {key}", got=str(len(values)), remedy="record it again"
        )
    return [read({key: value}, key, float) for value in values]


def landing_to_json(landing: Landing) -> dict[str, JSON]:
    """Return a landing as plain values; what is at its default is left out."""
    plain: dict[str, JSON] = {
        "orientation": None if landing.orientation is None else str(landing.orientation),
        "zone": str(landing.zone),
    }
    if isinstance(landing, ClassLanding):
        plain["class"] = landing.class_name
    if landing.leaning:
        plain["leaning"] = True
    if landing.stacked:
        plain["stacked"] = True
    if landing.place is not None:
        plain |= _place_to_json(landing.place)
    return plain


def landing_from_json(plain: Mapping[str, object]) -> Landing:
    """Return the landing that `landing_to_json` wrote."""
    zone = read(plain, "zone", str)
    pose = None if plain.get("orientation") is None else read(plain, "orientation", str)
    if zone not in set(Zone) or (pose is not None and pose not in set(Orientation)):
        raise RecordError(
            "a known orientation and zone", got=f"{pose!r} at {zone!r}", remedy="record it again"
        )
    landing = Landing(
        orientation=None if pose is None else Orientation(pose),
        zone=Zone(zone),
        leaning=plain.get("leaning") is True,
        stacked=plain.get("stacked") is True,
        place=_place_from_json(plain) if "position" in plain else None,
    )
    return landing_of_class(landing, read(plain, "class", str)) if "class" in plain else landing


def landing_of_class(landing: Landing, class_name: str) -> ClassLanding:
    """Return the landing of a body that is not a pig, in the class that a file names.

    Raises:
        RecordError: If it lies in a pose of a pig or off the board, or this is no class name.
    """
    named = 0 < len(class_name) <= _LONGEST_CLASS and class_name.isprintable()
    if landing.orientation or landing.zone is Zone.OFF or not named:
        raise RecordError(
            "a class name, no orientation, and a zone on the board",
            got=f"{cut(repr(class_name))}, {landing.orientation}, {landing.zone}",
            remedy="use the file as it was written",
        )
    return ClassLanding(
        class_name=class_name,
        orientation=None,
        zone=landing.zone,
        leaning=landing.leaning,
        stacked=landing.stacked,
        place=landing.place,
    )


def knock_to_json(knock: Knock) -> dict[str, JSON]:
    """Return a knock as plain values."""
    return {
        "struck": knock.struck,
        "by": knock.by,
        "distance": float(knock.distance),
        "angle": float(knock.angle),
        "flipped": knock.flipped,
        "zone_changed": knock.zone_changed,
        "off_board": knock.off_board,
    }


def knock_from_json(plain: Mapping[str, object]) -> Knock:
    """Return the knock that `knock_to_json` wrote."""
    return Knock(
        struck=read(plain, "struck", str),
        by=read(plain, "by", str),
        distance=read(plain, "distance", float),
        angle=read(plain, "angle", float),
        flipped=read(plain, "flipped", bool),
        zone_changed=read(plain, "zone_changed", bool),
        off_board=read(plain, "off_board", bool),
    )


def outcome_to_json(outcome: ChanceOutcome) -> dict[str, JSON]:
    """Return whatever chance answered as plain values; each kind has keys of its own."""
    match outcome:
        case RollResult():
            return result_to_json(outcome)
        case DiceResult(faces=faces, places=places, throws=throws):
            plain: dict[str, JSON] = {"faces": list(faces)}
            if places:
                plain["places"] = [_place_to_json(place) for place in places]
            return plain | ({} if throws == 1 else {"throws": throws})
        case ShuffleResult(cards=cards):
            return {"cards": list(cards)}


def outcome_from_json(plain: Mapping[str, object]) -> ChanceOutcome:
    """Return the answer that `outcome_to_json` wrote.

    Raises:
        RecordError: If a value is missing or of the wrong kind.
    """
    if "faces" in plain:
        faces = [read({"face": face}, "face", int) for face in read(plain, "faces", list)]
        places = read(plain, "places", list) if "places" in plain else []
        throws = read(plain, "throws", int) if "throws" in plain else 1
        lying = tuple(_place_from_json(read({"place": at}, "place", dict)) for at in places)
        return DiceResult(faces=tuple(faces), places=lying, throws=throws)
    if "cards" in plain:
        cards = read(plain, "cards", list)
        return ShuffleResult(cards=tuple(read({"card": card}, "card", str) for card in cards))
    return result_from_json(plain)


def _place_to_json(place: RestPlace) -> dict[str, JSON]:
    return {
        "position": [float(x) for x in place.position],
        "rotation": [float(x) for x in place.rotation],
    }


def _place_from_json(plain: Mapping[str, object]) -> RestPlace:
    x, y, z = _numbers(plain, "position", 3)
    qx, qy, qz, qw = _numbers(plain, "rotation", 4)
    return RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw))


def result_to_json(result: RollResult) -> dict[str, JSON]:
    """Return the result of a roll as plain values."""
    plain: dict[str, JSON] = {
        "landings": {piggle: landing_to_json(landing) for piggle, landing in result.landings},
        "knocks": [knock_to_json(knock) for knock in result.knocks],
    }
    if result.settle is not None:
        settle: dict[str, JSON] = {
            "status": str(result.settle.status),
            "time": float(result.settle.time),
        }
        plain["settle"] = settle
    return plain


def result_from_json(plain: Mapping[str, object]) -> RollResult:
    """Return the result that `result_to_json` wrote.

    Raises:
        RecordError: If a value is missing or of the wrong kind.
    """
    landings = read(plain, "landings", dict)
    settle = None
    if "settle" in plain:
        report = read(plain, "settle", dict)
        status = read(report, "status", str)
        if status not in set(SettleStatus):
            raise RecordError("a known settle status", got=repr(status), remedy="record it again")
        settle = SettleReport(status=SettleStatus(status), time=read(report, "time", float))
    return RollResult(
        landings=tuple((p, landing_from_json(read(landings, p, dict))) for p in landings),
        knocks=tuple(
            knock_from_json(read({"knock": knock}, "knock", dict))
            for knock in read(plain, "knocks", list)
        ),
        settle=settle,
    )
