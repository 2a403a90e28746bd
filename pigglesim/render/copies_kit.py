"""Data with which a page finds when a throw was decided: looks at it, and the engine's copies.

A page has the engine in WebAssembly. It displaces the copies by the same numbers as
`pigglesim.experiments.decided`, and so finds the same shares.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.errors import SpecError
from pigglesim.experiments.decided import COPIES, LEVELS, SEED, Copier, displacements
from pigglesim.films.film import Film, Frames
from pigglesim.physics.looks import DISPLACEMENT_SIZE, LOOK_SIZE, MAX_LOOKS, HandError
from pigglesim.render.throw_kit import memory_of
from pigglesim.render.web_page import PackedArrays, pack_memory
from pigglesim.scene.scene import Scene

_QUICK = 1
"""Level of compression: a message must leave at once."""
_FIRST = 100
"""Copies after which a page shows what it has found so far."""


def expect_decidable(film: Film) -> None:
    """Raise `SpecError` if a film has no throw, or engine `impulse` did not make it."""
    if film.frames.count < 3:
        raise SpecError("nothing was thrown yet", fix="throw first")
    if (engine := film.origin.get("engine")) != "impulse":
        problem = f"engine {engine} threw this, and impulse throws the copies"
        raise SpecError(problem, fix="throw with engine impulse")


def decided_message(frames: Frames, bodies: Sequence[Body], scene: Scene) -> dict[str, Any]:
    """Return the message with which a page finds when each body was decided.

    `bodies` are the rolled ones, in the order of the frames.
    """
    arrays = PackedArrays()
    copiers = {body.sha256: Copier.on_board(body, scene) for body in bodies}
    kits, numbers = copies_kits(copiers.values(), arrays), [*copiers]
    looks = [copiers[body.sha256].looks(frames, k) for k, body in enumerate(bodies)]
    return {
        "is": "decided",
        "dice": [
            {"kit": numbers.index(body.sha256), "looks": _place(each, arrays)}
            for body, each in zip(bodies, looks, strict=True)
        ],
        **kits,
        "packed": arrays.packed(level=_QUICK),
    }


def copies_kits(copiers: Iterable[Copier], arrays: PackedArrays) -> dict[str, Any]:
    """Return the kits of copies that `moments.js` reads, with their memory in `arrays`.

    Raises:
        SpecError: If there is no WebAssembly.
    """
    kits = [_kit(copier, arrays) for copier in copiers]
    return {
        "kits": kits,
        "levels": LEVELS,
        # The first copy is the throw itself.
        "batches": [[1, _FIRST + 1], [_FIRST + 1, COPIES + 1]],
    }


def _kit(copier: Copier, arrays: PackedArrays) -> dict[str, Any]:
    from pigglesim.physics.impulse import webassembly  # noqa: PLC0415 (compiles)
    from pigglesim.physics.impulse.state import STATE_SIZE  # noqa: PLC0415

    made = webassembly.module_of_sources()
    if made is None:
        raise SpecError("there is no WebAssembly here", fix="install a wheel, or run scripts/setup")
    manifest, drawn, floor = made[1], displacements(SEED, COPIES), copier.floor
    count = len(drawn)
    call = webassembly.Call.of(
        "throw_copies",
        (
            np.zeros(LOOK_SIZE),
            drawn,
            HandError(),
            *floor.compiled_arguments(copier.dropper.batch_criteria),
            np.zeros((count, STATE_SIZE)),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count),
        ),
        arguments=manifest["kernels"]["throw_copies"],
        start=manifest["free_from"],
    )
    params = copier.look_params
    return {
        "stack": manifest["free_from"],
        "image": call.start,
        "end": call.end,
        "words": call.words,
        "memory": pack_memory(memory_of(call), arrays),
        "look": {
            "at": call.address("look"),
            "size": LOOK_SIZE,
            "most": MAX_LOOKS,
            "params": [*params.turn, *params[1:]],
        },
        # The page throws some copies at a time: those from one address on, so many.
        "from": {
            "word": call.first_word["displacements"] + webassembly.ADDRESS,
            "at": call.address("displacements"),
            "step": 8 * DISPLACEMENT_SIZE,
        },
        "count": call.first_word["states"] + webassembly.ADDRESS + 1,
        "poses": call.address("poses"),
        "classes": copier.classes,
        "outcomes": copier.outcomes,
    }


def _place(looks: np.ndarray, arrays: PackedArrays) -> dict[str, int]:
    return {"offset": arrays.put(looks), "rows": len(looks)}
