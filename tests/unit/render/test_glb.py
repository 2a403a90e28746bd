"""A roll as GLB: read by others it stands and moves as the film tells, and keeps the standard."""

import io
import json
import struct
import subprocess

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation, Slerp

from pigglesim.render.glb import film_glb
from tests.support.browser import need_program

KINDS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
VALIDATE = """
const validator = require("gltf-validator"), fs = require("fs");
const bytes = new Uint8Array(fs.readFileSync(process.argv[2]));
validator.validateBytes(bytes).then((found) => console.log(JSON.stringify(found)));
"""


@pytest.fixture(scope="module")
def content(stage):
    return film_glb(stage)


def opened(content):
    """Return the JSON and the binary part of a GLB."""
    magic, version, length, size, kind = struct.unpack_from("<5I", content)
    assert (magic, version, length, kind) == (0x46546C67, 2, len(content), 0x4E4F534A)
    return json.loads(content[20 : 20 + size]), content[28 + size :]


def values(gltf, binary, number):
    """Return what an accessor of floats holds."""
    accessor = gltf["accessors"][number]
    assert accessor["componentType"] == 5126
    start = gltf["bufferViews"][accessor["bufferView"]]["byteOffset"]
    wide = KINDS[accessor["type"]]
    found = np.frombuffer(binary, "<f4", accessor["count"] * wide, start)
    return found.reshape(-1, wide).astype(float)


def channels(gltf, binary, name):
    """Return times, values and interpolation of each channel of a node, by path."""
    node = next(k for k, node in enumerate(gltf["nodes"]) if node["name"] == name)
    (animation,) = gltf["animations"]
    found = {}
    for channel in animation["channels"]:
        if channel["target"]["node"] == node:
            sampler = animation["samplers"][channel["sampler"]]
            found[channel["target"]["path"]] = (
                values(gltf, binary, sampler["input"])[:, 0],
                values(gltf, binary, sampler["output"]),
                sampler["interpolation"],
            )
    return gltf["nodes"][node], found


def test_no_body_is_drawn_inside_out(content, stage):
    scene = trimesh.load(io.BytesIO(content), file_type="glb")
    parts = [name for name in scene.geometry if name.startswith("piggle")]
    found = sum(
        trimesh.triangles.mass_properties(scene.geometry[n].triangles).volume for n in parts
    )
    skin = stage.bodies[0].skin
    assert found == pytest.approx(trimesh.Trimesh(skin.vertices, skin.faces).volume, rel=1e-5)
    assert found > 0.0


def test_every_body_moves_as_in_the_film(content, film):
    gltf, binary = opened(content)
    rng = np.random.default_rng(1)
    for k, actor in enumerate(film.actors):
        node, moves = channels(gltf, binary, actor.name)
        for time in [film.start, film.end, *rng.uniform(film.start, film.end, 20)]:
            still = film.at(time)
            position, rotation = np.array(node["translation"]), np.array(node["rotation"])
            if "translation" in moves:
                times, places, kind = moves["translation"]
                assert kind == "LINEAR"
                at = time - film.start
                position = np.array([np.interp(at, times, places[:, axis]) for axis in range(3)])
            if "rotation" in moves:
                times, turns, kind = moves["rotation"]
                assert kind == "LINEAR"
                at = np.clip(time - film.start, times[0], times[-1])
                rotation = Slerp(times, Rotation.from_quat(turns))(at).as_quat()
                assert np.allclose(np.linalg.norm(turns, axis=1), 1.0, atol=1e-6)
            assert np.allclose(position, still.positions[k], atol=2e-6)
            apart = Rotation.from_quat(rotation).inv() * Rotation.from_quat(still.rotations[k])
            assert apart.magnitude() < 1e-4


def test_the_cup_is_seen_just_as_long_as_it_is_there(content, film):
    gltf, binary = opened(content)
    node, moves = channels(gltf, binary, "cup")
    _, scales, kind = moves["scale"]
    assert kind == "STEP"
    there = ~np.isnan(film.frames.cup_positions[:, 0])
    assert np.array_equal(scales[:, 0] == 1.0, there)
    assert node["scale"] == [float(there[-1])] * 3
    last = np.flatnonzero(there)[-1]
    assert np.allclose(moves["translation"][1][last], film.frames.cup_positions[last], atol=1e-6)


@pytest.fixture(scope="module")
def validator(tmp_path_factory):
    """Return a function that gives the findings of the Khronos validator."""
    node, npm = need_program("node"), need_program("npm")
    folder = tmp_path_factory.mktemp("validator")
    words = [npm, "install", "--silent", "--no-audit", "--no-fund", "gltf-validator@2.0.0-dev.3.10"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    (folder / "validate.js").write_text(VALIDATE)

    def findings(content):
        (folder / "roll.glb").write_bytes(content)
        words = [node, "validate.js", "roll.glb"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    return findings


@pytest.mark.slow
def test_the_khronos_validator_finds_nothing(validator, content, modern, hostile, moment):
    for each in (content, film_glb(modern), film_glb(hostile), film_glb(moment)):
        assert validator(each)["issues"]["messages"] == []
