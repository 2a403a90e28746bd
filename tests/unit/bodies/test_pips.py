"""Pips of a die: as many as its sides are named for, and nothing that physics sees."""

import numpy as np
import pytest

from pigglesim.bodies.livery import PIP_PART, worn_skin
from pigglesim.bodies.load import load_model
from pigglesim.landing import RestPlace
from pigglesim.render.svg import outlines
from pigglesim.rotations import from_matrix

DIE = load_model("d6")


def pip_faces():
    skin = worn_skin(DIE)
    return skin.vertices[skin.faces[[part == PIP_PART for part in skin.face_parts]]]


def test_each_side_has_as_many_pips_as_it_is_named_for():
    corners = pip_faces()
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(normals, axis=1) / 2.0
    normals /= 2.0 * area[:, None]
    half = np.ptp(DIE.hull.vertices[:, 0]) / 2.0
    # A disc of 24 corners, a little smaller than its circle.
    disc = 12.0 * np.sin(np.pi / 12.0) * (0.17 * half) ** 2
    for pose in DIE.poses:
        up = normals @ -pose.down > 1.0 - 1e-9
        assert area[up].sum() == pytest.approx(int(pose.name) * disc, rel=1e-6)
        heights = corners[up] @ -pose.down
        assert np.all((heights > half) & (heights < half + 1e-4))
    assert len(corners) == 24 * 21


@pytest.mark.parametrize("pose", DIE.poses, ids=lambda pose: pose.name)
def test_from_above_the_number_that_is_up_is_seen(pose):
    up = -pose.down
    across = np.roll(np.abs(up), 1)
    turn = np.stack([across, np.cross(up, across), up])
    place = RestPlace(position=(0.0, 0.0, 0.008), rotation=tuple(from_matrix(turn).tolist()))
    seen = outlines(DIE, place)
    assert seen[-1].material == PIP_PART, "above all else"
    assert len(seen[-1].loops) == int(pose.name)
