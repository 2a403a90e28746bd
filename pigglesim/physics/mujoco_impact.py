"""What contacts of MuJoCo are told to do: rebound by Newton's law, rub by Coulomb's.

MuJoCo asks of every contact an acceleration (`efc_aref`) and finds the forces of the friction
cones that come nearest to it. Left alone it asks for that of a soft spring and damper. Here it is
told outright, between finding the contacts and solving them: the normal speed becomes
`restitution` times what it was, the sliding speed nothing, in one step.

MuJoCo's problem is convex, and its contacts are not quite Coulomb's: one that slides at a speed s
also lifts off at friction * s (Anitescu 2006). With soft contacts that is slow, with contacts this
hard a sliding body would fly. So the lift is measured, taken off what is asked, and the problem is
solved again until it no longer changes; where it has settled, Coulomb's law holds exactly
(De Saxce and Feng 1998; the iteration of Cadoux 2009).
"""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from pigglesim.physics.laws import RESTITUTION_THRESHOLD
from pigglesim.rotations import Array

_TRIES = 8
"""How often a step's contacts are solved at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Care:
    """How contacts are looked after, beside the laws they obey."""

    closing: float
    """Share of an overlap that a step closes ..."""
    fastest: float
    """... but no faster than this [m/s]."""
    settled: float
    """The lift has settled when it changes by less than this [m/s]."""


IN_CUP = Care(closing=0.2, fastest=1.0, settled=1e-2)
"""In the cup nothing should give way; how exactly things jostle there is soon forgotten."""
ON_BOARD = Care(closing=0.1, fastest=0.01, settled=1e-3)
"""On the board a closing overlap must not throw: at 1 cm/s a body rises by 5 micrometres."""


def advance(
    model: Any,  # noqa: ANN401 (mujoco carries no types)
    data: Any,  # noqa: ANN401 (mujoco carries no types)
    restitutions: Array,
    *,
    piggle: float,
    care: Care,
) -> None:
    """Advance by one of the model's steps; contacts and their forces are left to be looked at.

    Args:
        model: The model.
        data: Its state.
        restitutions: Of each geom against a body; negative for a body's own.
        piggle: Restitution of two bodies.
        care: How overlaps are closed, and how exactly all this is solved.
    """
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)
    _solve_contacts(model, data, restitutions, piggle=piggle, care=care)
    mujoco.mj_Euler(model, data)


def _solve_contacts(
    model: Any,  # noqa: ANN401 (mujoco carries no types)
    data: Any,  # noqa: ANN401 (mujoco carries no types)
    restitutions: Array,
    *,
    piggle: float,
    care: Care,
) -> None:
    """Find the accelerations of a step whose contacts are found but not yet solved."""
    if data.ncon == 0:
        mujoco.mj_fwdConstraint(model, data)
        return
    step = model.opt.timestep
    contact = data.contact
    rows = contact.efc_address
    distance = contact.dist
    bounce = restitutions[contact.geom].max(axis=1)
    bounce[bounce < 0.0] = piggle
    before = data.efc_vel[rows]
    # A gap may close within the step; an overlap opens at a bounded speed.
    after = np.where(
        distance > 0.0,
        -distance / step,
        np.minimum(-distance * care.closing / step, care.fastest),
    )
    struck = (before < -RESTITUTION_THRESHOLD) & (before < after)
    after[struck] = np.maximum(after, -bounce * before)[struck]
    data.efc_aref[:] = data.efc_vel / -step
    asked = (after - before) / step
    data.efc_aref[rows] = asked
    mujoco.mj_fwdConstraint(model, data)
    weights = _row_weights(contact, len(data.efc_vel))
    residual = np.zeros(len(weights))
    lift = np.zeros(len(rows))
    for _ in range(_TRIES - 1):
        mujoco.mj_mulJacVec(model, data, residual, data.qacc)
        residual -= data.efc_aref
        residual *= weights
        residual *= residual
        found = np.sqrt(np.add.reduceat(residual, rows))
        pushes = data.efc_force[rows] > 0.0
        if np.abs((found - lift)[pushes]).max(initial=0.0) * step < care.settled:
            return
        lift = found
        data.efc_aref[rows] = asked - lift
        data.qacc_warmstart[:] = data.qacc
        mujoco.mj_fwdConstraint(model, data)


def _row_weights(contact: Any, count: int) -> Array:  # noqa: ANN401 (mujoco carries no types)
    """Return the friction coefficient of each row of the problem; none for normals."""
    table = np.zeros((len(contact.dim), 6))
    table[:, 1:] = contact.friction
    weights: Array = table[np.arange(6) < contact.dim[:, None]]
    assert len(weights) == count
    return weights
