"""Throws of a person's own hand: what the page simulates while it holds the cup."""

from functools import cache
from typing import Any

from pigglesim.chance.physical import FilmedChance
from pigglesim.errors import SpecError
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import RollRequest
from pigglesim.render.throw_kit import ThrowKit, kit_of, own_hand_throws
from pigglesim.render.web_page import PackedArrays, pack_memory
from pigglesim.serve.pours import FilmedElsewhere
from pigglesim.throws import Pour


@cache
def engine_code() -> bytes | None:
    """Return the engine in WebAssembly, or None if none was made."""
    from pigglesim.physics.impulse.webassembly import module_of_sources  # noqa: PLC0415 (numpy)

    made = module_of_sources()
    return made and made[0]


def prepared_message(chance: object, request: object) -> dict[str, Any]:
    """Return the message with which a page simulates a throw; without a kit, if it cannot."""
    kit = _kit(chance, request) if engine_code() else None
    if kit is None:
        return {"is": "prepared", "kit": None}
    assert isinstance(request, RollRequest)
    arrays = PackedArrays()
    memory = pack_memory(kit.image, arrays)
    names = [*request.piggles, *(name for name, _ in request.standing)]
    index = {**kit.index, "memory": memory, "names": names}
    return {"is": "prepared", "kit": index, "packed": arrays.packed(level=1)}


def _kit(chance: object, request: object) -> ThrowKit | None:
    if not isinstance(chance, FilmedChance) or not isinstance(request, RollRequest):
        return None
    if isinstance(chance, FilmedElsewhere):
        # Another process is asked only for a kit that it can make.
        return chance.kit(request) if own_hand_throws(chance.source, request) else None
    return kit_of(chance.source, request)


def expect_throwable(chance: object, request: object, own: HandThrow) -> None:
    """Raise `SpecError` unless a person's throw is one of this request, and keeps to the rules."""
    if not isinstance(chance, FilmedChance) or not isinstance(request, RollRequest):
        raise SpecError("no cup is thrown here", fix="use the button")
    bodies = tuple(chance.source.models[name] for name in request.piggles)
    Pour(scene=chance.source.scene, seat=request.thrower).by_hand(bodies, own)
