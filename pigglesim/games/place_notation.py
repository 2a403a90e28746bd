"""Where physics let a body lie, as text: `[x,y,z,qx,qy,qz,qw]`, to the last bit."""

from pigglesim.errors import SpecError
from pigglesim.landing import RestPlace


def format_place(place: RestPlace | None) -> str:
    """Return a place in brackets; nothing for none."""
    if place is None:
        return ""
    numbers = (*place.position, *place.rotation)
    return f"[{','.join(repr(float(number)) for number in numbers)}]"


def parse_place(text: str) -> RestPlace:
    """Return the place whose numbers `format_place` wrote.

    Args:
        text: What stands in the brackets.

    Raises:
        SpecError: If it is not seven numbers.
    """
    try:
        x, y, z, qx, qy, qz, qw = (float(word) for word in text.split(","))
    except ValueError:
        raise SpecError(
            "7 numbers of a place", got=repr(text), remedy="x,y,z,qx,qy,qz,qw"
        ) from None
    return RestPlace(position=(x, y, z), rotation=(qx, qy, qz, qw))
