"""A throw's world as MuJoCo takes it: board, table, cup and bodies, compiled to a model."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, unique
from typing import Any

import mujoco
import numpy as np

from pigglesim.bodies.body import Body
from pigglesim.physics.cup_shape import cup_boxes
from pigglesim.physics.engine import Mode
from pigglesim.physics.frames import principal_frame, thin_hull
from pigglesim.rotations import Array
from pigglesim.scene.scene import GRAVITY, Scene

GROUND = (0, 1)
"""Numbers of the geoms of board and table."""
INNER_STEP = 1e-3
"""The scene's step is cut into equal parts no longer than this [s]. An impact is found late by up
to one: a restitution of .4 comes out as .383 +- .013 at 2 ms, .395 +- .004 at 1 ms and
.397 +- .003 at .5 ms (Bullet at 2 ms: .395 +- .010), for .46, .65 and 1.0 s of work a pour."""
_MARGIN = 1e-4
"""Contacts are found this far ahead [m]: a face that rests has all its corners in the solver."""
_CUP_MASS = 1e3
"""Mass of the cup [kg]: what it holds weighs 1e-5 of it, so it goes where it is driven."""
_FAR = 10.0
_GROUND_BIT, _CUP_BIT, _BODY_BIT = 1, 2, 4


@unique
class Touch(Enum):
    """What a geom meets, as MuJoCo's pair of bit masks (contype, conaffinity)."""

    GROUND = (_GROUND_BIT, 0)
    CUP = (_CUP_BIT, 0)
    ALL = (_BODY_BIT, _GROUND_BIT | _CUP_BIT | _BODY_BIT)
    """A body of one geom."""
    HULL = (0, _GROUND_BIT)
    """The hull of a body of several parts, which is all that a flat ground can touch."""
    PART = (_BODY_BIT, _CUP_BIT | _BODY_BIT)
    """One of its parts, which meet everything else."""


_HARD = (0.999, 0.999, 1e-3, 0.5, 1.0)
"""Impedance of every contact, the same at any depth: speeds are met to a thousandth."""


_Mesh = tuple[str, Touch]
"""Name of a mesh, and what it meets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyItem:
    """One body as it goes into a model."""

    body: Body
    mode: Mode
    position: Array
    """Centre of mass [m], shape [3]."""
    rotation: Array
    """Quaternion (w, x, y, z) of the principal frame, shape [4]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A model, and whose each of its geoms is."""

    model: Any
    """`mujoco.MjModel`; what moves comes in the order of the items, then the cup."""
    data: Any
    """`mujoco.MjData`"""
    owners: "np.ndarray[Any, np.dtype[np.int64]]"
    """Number of the item that each geom belongs to; -1 for board, table and cup."""
    restitutions: Array
    """Bounce of each geom against a body; negative for a body's own geoms."""


def compile_world(
    scene: Scene, items: Sequence[BodyItem], *, cup: bool, resists: float, step: float
) -> Compiled:
    """Return a model in which every item that is not standing moves freely, and the cup too.

    Args:
        scene: The table.
        items: The bodies, by number.
        resists: Share of the board's resistance to rolling and spinning.
        cup: Whether there is a cup.
        step: Time step [s].
    """
    spec = mujoco.MjSpec()
    set_options(spec, step)
    contacts = scene.contacts
    half, deep = scene.board.half, scene.board.thickness / 2.0
    for extent, height in ((half, -deep), (_FAR, -3.0 * deep)):
        add_geom(
            spec.worldbody,
            mujoco.mjtGeom.mjGEOM_BOX,
            touch=Touch.GROUND,
            friction=contacts.board.friction,
            size=[extent, extent, deep],
            pos=[0.0, 0.0, height],
        )
    owners, restitutions = [-1, -1], [contacts.board.restitution] * 2
    meshes: dict[tuple[str, Mode], list[_Mesh]] = {}
    # MuJoCo numbers geoms by body, and bodies as they are added.
    for number, item in enumerate(items):
        names = _meshes(spec, item, meshes)
        _add_item(spec, item, names, friction=contacts.piggle.friction)
        owners += [number] * len(names)
        restitutions += [-1.0] * len(names)
    if cup:
        count = _add_cup(spec, scene)
        owners += [-1] * count
        restitutions += [contacts.cup.restitution] * count
    model = spec.compile()
    assert model.ngeom == len(owners)
    set_levers(
        model,
        GROUND,
        rolling=contacts.rolling_lever * resists,
        spinning=contacts.spinning_lever * resists,
    )
    return Compiled(
        model=model,
        data=mujoco.MjData(model),
        owners=np.array(owners),
        restitutions=np.array(restitutions),
    )


def set_levers(
    model: Any,  # noqa: ANN401 (mujoco carries no types)
    geoms: Sequence[int],
    *,
    rolling: float,
    spinning: float,
) -> None:
    """Set how fixed geoms resist rolling and spinning.

    Args:
        model: The model.
        geoms: Numbers of the geoms.
        rolling: Lever [m]: MuJoCo bounds the torque by this times the normal force.
        spinning: The same about the contact normal [m].
    """
    for geom in geoms:
        model.geom_friction[geom, 1:] = spinning, rolling
        # MuJoCo takes no coefficient of zero: a contact has just the directions that resist.
        model.geom_condim[geom] = 6 if rolling > 0.0 else 4 if spinning > 0.0 else 3


def set_options(spec: Any, step: float) -> None:  # noqa: ANN401 (mujoco carries no types)
    """Set gravity, solver and time step [s] of a model to be."""
    spec.option.timestep = step
    spec.option.gravity = [0.0, 0.0, -GRAVITY]
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_EULER
    spec.option.solver = mujoco.mjtSolver.mjSOL_NEWTON
    spec.option.iterations = 50
    spec.option.tolerance = 1e-10


def add_geom(owner: Any, kind: Any, *, touch: Touch, friction: float, **how: Any) -> None:  # noqa: ANN401 (mujoco carries no types)
    """Add a geom that touches as all here do; what is fixed has its friction for its pair."""
    contype, conaffinity = touch.value
    owner.add_geom(
        type=kind,
        # What is fixed has a value for its pair with a body; the higher priority's values hold.
        priority=1 if touch in {Touch.GROUND, Touch.CUP} else 0,
        friction=[friction, 0.0, 0.0],
        condim=3,
        contype=contype,
        conaffinity=conaffinity,
        solimp=_HARD,
        margin=_MARGIN / 2.0,
        density=0.0,
        **how,
    )


def _meshes(
    spec: Any,  # noqa: ANN401 (mujoco carries no types)
    item: BodyItem,
    known: dict[tuple[str, Mode], list[_Mesh]],
) -> list[_Mesh]:
    """Return the convex meshes of a body in its mode, and what each meets."""
    body, mode = item.body, item.mode
    key = (body.sha256, mode)
    if key not in known:
        hull, parts = body.hull.vertices, [part.vertices for part in body.parts]
        if mode is Mode.IN_CUP:
            clouds = [(Touch.ALL, thin_hull(body))]
        elif mode is Mode.FREE and parts:
            clouds = [(Touch.HULL, hull), *((Touch.PART, part) for part in parts)]
        else:
            clouds = [(Touch.ALL, cloud) for cloud in parts or [hull]]
        frame, known[key] = principal_frame(body), []
        for index, (touch, points) in enumerate(clouds):
            name = f"{len(known)}-{index}"
            spec.add_mesh(name=name, uservert=frame.to_principal(points).ravel())
            known[key].append((name, touch))
    return known[key]


def _add_item(spec: Any, item: BodyItem, meshes: list[_Mesh], *, friction: float) -> None:  # noqa: ANN401 (mujoco carries no types)
    standing = item.mode is Mode.FROZEN
    owner = spec.worldbody.add_body(
        pos=item.position,
        quat=item.rotation,
        # Left out, the centre of mass is put at `pos` once more.
        ipos=[0.0, 0.0, 0.0],
        iquat=[1.0, 0.0, 0.0, 0.0],
        mass=item.body.mass.mass,
        inertia=principal_frame(item.body).moments,
        explicitinertial=True,
    )
    if not standing:
        owner.add_freejoint()
    kind = mujoco.mjtGeom.mjGEOM_MESH
    for name, touch in meshes:
        add_geom(owner, kind, touch=touch, friction=friction, meshname=name)


def _add_cup(spec: Any, scene: Scene) -> int:  # noqa: ANN401 (mujoco carries no types)
    """Add the cup as a body so heavy that nothing moves it; return how many boxes it has."""
    cup = scene.cup
    inertia = _CUP_MASS * cup.inner_radius**2
    owner = spec.worldbody.add_body(
        ipos=[0.0, 0.0, 0.0],
        mass=_CUP_MASS,
        inertia=[inertia] * 3,
        explicitinertial=True,
        # The hand carries it.
        gravcomp=1.0,
    )
    owner.add_freejoint()
    boxes = cup_boxes(cup)
    for box in boxes:
        x, y, z, w = box.rotation
        add_geom(
            owner,
            mujoco.mjtGeom.mjGEOM_BOX,
            touch=Touch.CUP,
            friction=scene.contacts.cup.friction,
            size=box.half_extents,
            pos=box.centre,
            quat=[w, x, y, z],
        )
    return len(boxes)
