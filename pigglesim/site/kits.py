"""Kits of throws for a page without a server: one memory, and what differs with other numbers."""

import json
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.errors import SpecError
from pigglesim.experiments.decided import Copier
from pigglesim.landing import BOARD_SEATS, RestPlace, RollRequest, Seat
from pigglesim.render.copies_kit import copies_kits
from pigglesim.render.throw_kit import ThrowKit, throw_kit
from pigglesim.render.web_page import PackedArrays
from pigglesim.rotations import Indices
from pigglesim.scene.scene import Scene

_CUP, _BOARD = 6, 12
"""Maximum Piggles in the cup, and in it and on the board together."""
_PLACE = RestPlace(position=(0.0, 0.0, 0.1), rotation=(0.0, 0.0, 0.0, 1.0))


def kit_files(scene: Scene, body: Body) -> dict[str, bytes]:
    """Return the files of all kits: `kits.json`, the memory of one, and the patches of others."""
    base = _kit(scene, body, BOARD_SEATS[0], _CUP, _BOARD - _CUP)
    words, patches, counts = _words(base), bytearray(), {}
    most = base.index["end"]
    for rolled in range(1, _CUP + 1):
        for standing in range(_BOARD - rolled + 1):
            kit = _kit(scene, body, BOARD_SEATS[0], rolled, standing)
            own = _words(kit)
            size = max(len(own), len(words))
            own, others = (np.pad(each, (0, size - len(each))) for each in (own, words))
            (at,) = np.nonzero(own != others)
            counts[f"{rolled},{standing}"] = {
                "patch": [len(patches), len(at)],
                "changes": _changes(base.index, kit.index),
            }
            places = at.astype("<u4").tobytes()
            patches += places + b"\0" * (-len(places) % 8) + own[at].tobytes()
            most = max(most, kit.index["end"])
    seats = {
        seat: _changes(base.index, _kit(scene, body, seat, _CUP, _BOARD - _CUP).index)
        for seat in BOARD_SEATS
    }
    kits = {"index": base.index, "seats": seats, "counts": counts, "stand": base.stand}
    return {
        "kits.json": json.dumps({**kits, "most": most}, separators=(",", ":")).encode(),
        "memory.bin": words.tobytes(),
        "patches.bin": bytes(patches),
        "copies.json": json.dumps(_copies(scene, body), separators=(",", ":")).encode(),
        "engine.wasm": base.module,
    }


def _copies(scene: Scene, body: Body) -> dict[str, Any]:
    """Return the part of the message of `decided_message` that is the same for all throws."""
    arrays = PackedArrays()
    kits = copies_kits([Copier.on_board(body, scene)], arrays)
    return {**kits, "packed": arrays.packed()}


def _kit(scene: Scene, body: Body, seat: Seat, rolled: int, standing: int) -> ThrowKit:
    request = RollRequest(thrower=seat, piggles=tuple(f"{seat}{k + 1}" for k in range(rolled)))
    kit = throw_kit(scene, request, (body,) * rolled, ((body, _PLACE),) * standing)
    if kit is None:
        raise SpecError("there is no WebAssembly here", fix="install a wheel, or run scripts/setup")
    return kit


def _words(kit: ThrowKit) -> Indices:
    data = np.frombuffer(kit.image, np.uint8)
    return np.pad(data, (0, -len(data) % 8)).view("<u8")


def _changes(base: Any, other: Any) -> Any:  # noqa: ANN401 (JSON)
    """Return what differs, as `kits.js` reads it: words of a call by their numbers."""
    if isinstance(base, dict):
        return {key: _changes(base[key], other[key]) for key in base if base[key] != other[key]}
    if isinstance(base, list):
        return {
            k: word
            for k, ((_, was), (_, word)) in enumerate(zip(base, other, strict=True))
            if was != word
        }
    return other
