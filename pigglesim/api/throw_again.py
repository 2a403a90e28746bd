"""Pages that throw again: the engine's WebAssembly, with the start of one throw in its memory."""

from math import pi
from typing import TYPE_CHECKING

import numpy as np

from pigglesim.landing import Landing, Orientation, ReadingRules, RestPlace, Zone
from pigglesim.render.web_page import ThrowAgain, label_fields
from pigglesim.throws import Pour, reach

if TYPE_CHECKING:
    from pigglesim.api.roll import Roll

_STEPS = 1_000_000
"""Steps in one call of the kernel: more than any throw has."""
_PATH = ("across", "heading", "angular_frequency", "phase", "tip_start", "tip_end", "patience_end")
"""Numbers of the cup's motion that differ between throws."""

_TRAJECTORY = ("places", "cup", "has_cup")


def throw_again(roll: "Roll") -> ThrowAgain | None:
    """Return what a page needs to throw the cup of a roll again; None if it cannot.

    It can throw Piggles from the cup onto an empty board with engine `impulse`, read by the
    standard rules, if the engine's WebAssembly was made: a wheel has it, and in a checkout
    `scripts/make_wasm` makes it.
    """
    request, bodies = roll.request, roll.stage.bodies
    usual = not request.standing and request.reading == ReadingRules()
    pigs = all(body.pig for body in bodies) and not roll.scene.board.plain
    if roll.provenance["engine"] != "impulse" or not (usual and pigs):
        return None
    # Of the engine's modules, these are imported for its own rolls alone: they need the compiler.
    from pigglesim.physics.engine import Mode  # noqa: PLC0415
    from pigglesim.physics.impulse import webassembly  # noqa: PLC0415
    from pigglesim.physics.impulse.engine import ImpulseWorld  # noqa: PLC0415

    made = webassembly.module_of_sources()
    if made is None:
        return None
    module, manifest = made
    pour = Pour(scene=roll.scene, seat=request.thrower, hold=request.hold)
    throw = pour.sample(bodies, rng=np.random.default_rng(0))
    world = ImpulseWorld(roll.scene)
    for body in bodies:
        place = RestPlace(position=(0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
        world.add_body(body, place, Mode.IN_CUP)
    hand, cup, motion = throw.path.hand, roll.scene.cup, throw.path.motion
    call = webassembly.Call.of(
        "run_throw",
        (*world.throw_arguments(motion, len(bodies), (), record=True), _STEPS),
        arguments=manifest["kernels"]["run_throw"],
        start=manifest["free_from"],
    )
    radius = max(reach(body) for body in bodies)
    layer_size = 2 if 2.0 * radius <= cup.inner_radius else 1
    offsets = dict(world.buffers.throw.dtype.fields or {})
    progress = call.address("buffers.throw")
    command = roll.film.origin.get("command")
    return ThrowAgain(
        module=module,
        image=call.image().rstrip(b"\0"),
        index={
            "stack": manifest["free_from"],
            "image": call.start,
            "end": call.end,
            "words": call.words,
            "path": {name: call.first_word[f"params.motion.{name}"] for name in _PATH},
            "at": {
                **{name: progress + offsets[name][1] for name in ("steps", "place", "landed")},
                **{
                    name: call.address(f"trajectory.{name}")
                    for name in ("places", "cup", "has_cup")
                },
            },
            "time_step": roll.scene.stepping.time_step,
            "hand": {
                "aim": hand.across,
                "half": roll.scene.board.half,
                "across_spread": hand.across_spread,
                "heading": hand.heading,
                "heading_spread": hand.heading_spread,
                "half_turn": pi if motion.sign < 0.0 else 0.0,
                "tempo_spread": hand.tempo_spread,
                "shake_time": hand.shake_time,
                "angle": 2.0 * pi * hand.shake_frequency,
                "tip_time": hand.tip_time,
                "patience": hand.patience,
            },
            "cup": {
                "sign": motion.sign,
                "slip": motion.slip,
                "back": motion.start_back,
                "height": motion.centre_height - cup.depth / 2.0,
                "radius": radius,
                "layer_size": layer_size,
                "off_axis": cup.inner_radius - radius if layer_size > 1 else 0.0,
            },
            "readings": [
                [
                    label_fields(
                        Landing(orientation=None if zone is Zone.OFF else orientation, zone=zone),
                        roll.scene.board,
                    )
                    for zone in Zone
                ]
                for orientation in Orientation
            ],
            "repeat": [f"{command} --start=", ""]
            if command
            else [f'pigglesim.roll({len(bodies)}, ..., start="', '")'],
        },
    )
