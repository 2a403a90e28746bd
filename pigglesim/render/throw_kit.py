"""Data with which a page throws a cup: the engine in WebAssembly, and its memory before a throw.

The memory has the bodies in the cup and those on the board; the page writes the places in the cup,
and how the cup moves: by the numbers of the scene's hand, or along the samples of a person's own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.chance.physical import PhysicalChance
from pigglesim.cup_motion import CupMotion
from pigglesim.cup_path import centre_height, depth_below, swing_of
from pigglesim.hand_throw import ANGLE_UNIT, LENGTH_UNIT, MAX_SAMPLES, MAX_TIME, PREFIX, RATE
from pigglesim.landing import (
    CupHold,
    Landing,
    Orientation,
    ReadingRules,
    RestPlace,
    RollRequest,
    Zone,
)
from pigglesim.physics.frames import principal_frame
from pigglesim.render.palette import label_fields
from pigglesim.scene.scene import Board, Cup, Hand, Scene
from pigglesim.throws import Pour, hand_tag, reach

if TYPE_CHECKING:
    from pigglesim.physics.impulse.engine import ImpulseWorld
    from pigglesim.physics.impulse.webassembly import Call

_STEPS = 1_000_000
"""Steps in one call of the kernel: more than any throw has."""
_PATH = tuple(name for name in CupMotion._fields if name != "samples")
"""Numbers of the cup's motion."""
_TRAJECTORY = ("places", "cup", "has_cup")
_NEAR = ("vertices", "first_vertex", "neighbours", "neighbour_start", "neighbour_positions")
_PROGRESS = ("steps", "place", "landed", "striker", "time", "timed_out")
_STANDING = ("states", "position", "rotation_matrix")
_TIPS = 33
"""Number of tilts whose depth the page has, from none to a half turn."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ThrowKit:
    """A cup that a page can throw, with engine `impulse`."""

    module: bytes
    """The engine in WebAssembly."""
    image: bytes
    """Its memory before a throw, without the zeros at the end."""
    index: dict[str, Any]
    """Numbers that `thrower.js` reads."""
    stand: dict[str, Any]
    """Addresses at which `kits.js` puts bodies that stand, and the frame of the first body."""


def throw_kit(
    scene: Scene,
    request: RollRequest,
    bodies: tuple[Body, ...],
    standing: tuple[tuple[Body, RestPlace], ...] = (),
) -> ThrowKit | None:
    """Return what a page needs to throw; None if there is no WebAssembly, or it cannot read.

    It reads Piggles by the standard rules. A wheel has the engine's WebAssembly, and the set-up of
    a checkout makes it.
    """
    thrown_or_struck = (*bodies, *(body for body, _ in standing))
    if not _is_readable(scene, request, thrown_or_struck):
        return None
    # Of the engine's modules, these are imported for pages alone: they need the compiler.
    from pigglesim.physics.impulse import webassembly  # noqa: PLC0415
    from pigglesim.physics.impulse.state import QX, STATE_SIZE, X  # noqa: PLC0415
    from pigglesim.physics.settling import throw_start  # noqa: PLC0415

    made = webassembly.module_of_sources()
    if made is None:
        return None
    module, manifest = made
    hold = request.hold if isinstance(request.hold, CupHold) else None
    pour = Pour(scene=scene, seat=request.thrower, hold=hold)
    path = pour.sample(bodies, rng=np.random.default_rng(0)).path
    world, count = _filled_world(scene, bodies, standing), len(bodies) + len(standing)
    motion = path.motion._replace(samples=np.zeros((MAX_SAMPLES, 5)))
    limit = scene.stepping.time_limit
    shapes, *others = world.throw_arguments(
        throw_start(count, len(bodies)), motion, time_limit=limit + MAX_TIME, record=True
    )
    # The page looks them up.
    shapes = shapes._replace(neighbour_positions=np.zeros_like(shapes.neighbour_positions))
    call = webassembly.Call.of(
        "run_throw",
        (shapes, *others, _STEPS),
        arguments=manifest["kernels"]["run_throw"],
        start=manifest["free_from"],
    )
    offsets = dict(world.buffers.throw.dtype.fields or {})
    progress = call.address("buffers.throw")
    words = {name: call.first_word[f"params.{name}"] for name in ("time_limit", "motion.samples")}
    fields = dict(world.buffers.world.dtype.fields or {})
    rows = {name: call.address("buffers.world") + fields[name][1] for name in _STANDING}
    return ThrowKit(
        module=module,
        image=memory_of(call),
        stand={
            "image": call.start,
            "place": progress + offsets["place"][1],
            "states": rows["states"],
            "position": rows["position"],
            "matrix": rows["rotation_matrix"],
            "size": STATE_SIZE,
            "x": X,
            "turn": QX,
            "frame": [float(part) for part in principal_frame(bodies[0]).rotation],
        },
        index={
            "stack": manifest["free_from"],
            "image": call.start,
            "end": call.end,
            "words": call.words,
            "near": {
                "shapes": len(shapes.first_vertex) - 1,
                **{name: call.address(f"shapes.{name}") for name in _NEAR},
            },
            "path": {name: call.first_word[f"params.motion.{name}"] for name in _PATH},
            "samples": words["motion.samples"],
            "time_limit": {"word": words["time_limit"], "hand": limit, "own": limit + MAX_TIME},
            "at": {
                **{name: progress + offsets[name][1] for name in _PROGRESS},
                **{name: call.address(f"trajectory.{name}") for name in _TRAJECTORY},
                "samples": call.address("params.motion.samples"),
            },
            "rolled": len(bodies),
            "time_step": scene.stepping.time_step,
            "hand": _hand(path.hand, scene.board, sign=motion.sign),
            "own": _own_hand(scene, bodies, path.hand),
            "cup": _cup(scene.cup, motion, radius=max(map(reach, bodies))),
            "board": {"half": scene.board.half, "thickness": scene.board.thickness},
            "readings": _readings(scene.board),
        },
    )


def _is_readable(scene: Scene, request: RollRequest, bodies: Sequence[Body]) -> bool:
    """Return whether a page can read where bodies land."""
    pigs = all(body.pig for body in bodies)
    return pigs and request.reading == ReadingRules() and not scene.board.plain


def _filled_world(
    scene: Scene, bodies: tuple[Body, ...], standing: tuple[tuple[Body, RestPlace], ...]
) -> "ImpulseWorld":
    """Return the engine with bodies in the cup, all at one place, and those on the board."""
    from pigglesim.physics.engine import Mode  # noqa: PLC0415
    from pigglesim.physics.impulse.engine import ImpulseWorld  # noqa: PLC0415

    world = ImpulseWorld(scene)
    for body in bodies:
        place = RestPlace(position=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
        world.add_body(body, place, Mode.IN_CUP)
    for body, place in standing:
        world.add_body(body, place, Mode.FROZEN)
    return world


def _hand(hand: Hand, board: Board, *, sign: float) -> dict[str, float]:
    """Return the numbers of the scene's hand, from which the page draws a throw."""
    return {
        "aim": hand.across,
        "half": board.half,
        "across_spread": hand.across_spread,
        "heading": hand.heading,
        "heading_spread": hand.heading_spread,
        "half_turn": pi if sign < 0.0 else 0.0,
        "tempo_spread": hand.tempo_spread,
        "shake_time": hand.shake_time,
        "angle": 2.0 * pi * hand.shake_frequency,
        "tip_time": hand.tip_time,
        "tip_angle": hand.tip_angle,
        "patience": hand.patience,
    }


def _own_hand(scene: Scene, bodies: tuple[Body, ...], hand: Hand) -> dict[str, Any]:
    """Return how a person's own throw is written, and how a person holds the cup."""
    return {
        "prefix": PREFIX,
        "tag": hand_tag(scene, bodies),
        "rate": RATE,
        "length": LENGTH_UNIT,
        "angle": ANGLE_UNIT,
        "most": MAX_SAMPLES,
        "hold": held_cup(scene.cup, hand),
        # Depth of the lowest point below the centre, by tilt.
        "depths": [depth_below(scene.cup, pi * k / (_TIPS - 1)) for k in range(_TIPS)],
    }


def _cup(cup: Cup, motion: CupMotion, *, radius: float) -> dict[str, float]:
    """Return the cup, and how bodies of a radius [m] are laid into it."""
    layer_size = 2 if 2.0 * radius <= cup.inner_radius else 1
    return {
        "sign": motion.sign,
        "slip": motion.slip,
        "back": motion.start_back,
        "height": motion.centre_height - cup.depth / 2.0,
        "depth": cup.depth,
        "wall": cup.wall,
        "outer": cup.outer_radius,
        "radius": radius,
        "layer_size": layer_size,
        "off_axis": cup.inner_radius - radius if layer_size > 1 else 0.0,
    }


def _readings(board: Board) -> list[list[dict[str, Any]]]:
    """Return how the page shows a landing, by orientation and zone."""
    return [
        [
            label_fields(
                Landing(orientation=None if zone is Zone.OFF else orientation, zone=zone), board
            )
            for zone in Zone
        ]
        for orientation in Orientation
    ]


def memory_of(call: "Call") -> bytes:
    """Return the memory of a call before it, without the zeros at the end."""
    image = bytearray()
    for address, array in call.arrays:
        raw = array.reshape(-1).view(np.uint8)
        # Most of the memory is for what a throw records: megabytes of zeros.
        if raw.any():
            image.extend(bytes(address - call.start - len(image)))
            image += raw.tobytes()
    return bytes(image.rstrip(b"\0"))


def held_cup(cup: Cup, hand: Hand) -> dict[str, float]:
    """Return the hold of a hand for `hand.js`, and the height of the cup's centre in it [m]."""
    return {
        "across": hand.across,
        "back": hand.end_back,
        "height": hand.lip_height,
        "centre": centre_height(cup, hand),
        "swing": swing_of(hand),
    }


def kit_of(source: PhysicalChance, request: RollRequest) -> ThrowKit | None:
    """Return what a page needs to throw a request as this chance would; None if it cannot."""
    standing = [(source.models[name], landing.place) for name, landing in request.standing]
    places = tuple((body, place) for body, place in standing if place is not None)
    if not own_hand_throws(source, request) or len(places) < len(standing):
        return None
    bodies = tuple(source.models[name] for name in request.piggles)
    return throw_kit(source.scene, request, bodies, places)


def own_hand_throws(source: PhysicalChance, request: object) -> bool:
    """Return whether a page's simulation of a request is that of this chance."""
    poured = isinstance(request, RollRequest) and not (request.toss or request.set_down)
    return poured and source.engine.name == "impulse"
