"""Scenes, models, studies and all else that is TOML or JSON, and the meshes that people bring."""

import json
import math
import re
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
import tomlkit
from trimesh import Trimesh, creation

from pigglesim import data_files as catalog
from pigglesim.api.roll import read_layout
from pigglesim.bodies.load import (
    MODEL_FILE,
    derive,
    digest_of,
    load_model,
    measured_text,
    read_measured,
    read_spec,
    skin_from,
    toml_text,
)
from pigglesim.bodies.mesh_files import read_obj
from pigglesim.bodies.scan import LengthUnit, bare_body, read_scan
from pigglesim.chance.odds import load_odds, odds_text, parse_odds
from pigglesim.chance.tabular import TabularChance
from pigglesim.cli.options import RuleFlags
from pigglesim.errors import PigglesimError
from pigglesim.experiments.counted_dice import read_die
from pigglesim.experiments.shard import StudyPlan
from pigglesim.experiments.study import Study, read_table
from pigglesim.files import read_text
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import RollRequest, Seat
from pigglesim.scenarios import read_scenarios, run_scenario
from pigglesim.scene.load import check_owners, load_floor, load_scene, load_team, team_models
from scripts.piggle import measured_lines
from scripts.trust.fuzzing.target import Form, target

SCENARIOS = Path(__file__).parents[3] / "tests" / "scenarios"
CUBE = creation.box((16.0, 16.0, 16.0)).export(file_type="obj", header=None)
"""A cube of 16 mm: the smallest mesh that is a die."""
_toml = partial(target, form=Form.TOML, file="it.toml")
_json = partial(target, form=Form.JSON, file="it.json")


def _shipped(find, names):
    """Return files that come with the package, without comments: all bytes are worth changing."""
    return [
        re.sub(r"(?m)^\s*#.*\n|\s+#.*$|^\n", "", find(name).read_text()).encode()
        for name in names()
    ]


def _text(table):
    return tomlkit.dumps(table).encode()


@_toml("scene", seeds=partial(_shipped, catalog.scene_file, catalog.scene_names))
def _scene(path):
    scene = load_scene(str(path))
    cup, hand, board = scene.cup, scene.hand, scene.board
    numbers = (cup.inner_radius, cup.depth, hand.tip_time, hand.lip_height, board.size)
    assert all(map(math.isfinite, numbers))
    # A match simulates this: none may run for an hour.
    assert scene.stepping.time_limit / scene.stepping.time_step < 1e7
    assert 1 <= scene.capacity <= 12
    team_models(scene, {})


@_toml("floor", seeds=partial(_shipped, catalog.floor_file, catalog.floor_names))
def _floor(path):
    floor = load_floor(str(path))
    assert all(map(math.isfinite, (floor.fall.height, floor.fall.spin_spread)))
    assert floor.stepping.time_limit / floor.stepping.time_step < 1e7
    floor.surface("plastic")


@_toml(
    "team",
    seeds=partial(_shipped, catalog.team_file, catalog.team_names),
    words=("piggle", "premium", "d6", "red+left"),
)
def _team(path):
    check_owners({Seat.A: load_team(str(path)), Seat.B: load_team("red")})


def _models():
    plain = {"id": "die", "name": "Die", "mesh": "die.obj", "materials": "die.mtl"}
    plain["density_kg_m3"] = 1100.0
    ballast = {"density_kg_m3": 8000.0, "centre_mm": [1, 1, -2], "radius_mm": 2.0}
    ups = ([0, 0, 1], [1, 0, 0], [0, 1, 0], [0, -1, 0], [-1, 0, 0], [0, 0, -1])
    numbers = {"numbers": [{"name": str(k), "up": up} for k, up in enumerate(ups, 1)]}
    ways = (([0, 0, 1], "down"), ([0, 0, -1], "up"), ([1, 0, 0], "head"))
    poses = {"pose_class": [{"down": way, "orientation": pose} for way, pose in ways]}
    shape = {"body_mm": [10.5, 10.5, 6.3], "snout_tilt_deg": 24.0, "limb_sides": 16}
    rod = {**ballast, "form": "cylinder", "length_mm": 3.0}
    # The last has all that is derived, as `scripts/piggle.py` writes it.
    spec = read_spec(_text(plain | numbers).decode(), name="die.toml")
    derived = derive(spec, skin_from(read_obj(CUBE, name="die.obj"), {}), CUBE.encode(), b"")
    return [
        _text(plain | numbers),
        _text({**plain, **poses, "ballast": {**ballast, "form": "ball"}}),
        _text({**plain, "parts": "die.obj", "ballast": rod}),
        _text({**plain, **poses, "shape": shape}),
        toml_text(derived).encode(),
    ]


def _mesh_beside(folder):
    (folder / "die.obj").write_text(CUBE)
    (folder / "die.mtl").write_text("newmtl ivory\nKd 0.8 0.8 0.6\n")


@_toml(
    "model",
    seeds=_models,
    beside=_mesh_beside,
    words=("die.obj", "die.mtl", "it.toml", "ball", "cylinder", "up", "down", "head", "side"),
)
def _model(path):
    spec = read_spec(read_text(path, MODEL_FILE), name=path.name)
    if spec.derived is not None:
        # Anybody who edits a file can sign it again: a digest keeps nobody out.
        digest = digest_of(spec, CUBE.encode(), b"")
        path.write_text(path.read_text().replace(spec.derived.sha256, digest))
    body = load_model(str(path))
    assert math.isfinite(body.mass.mass)
    assert body.mass.mass > 0.0


def _studies():
    pour = {"kind": "pour", "models": ["piggle", "premium"], "scene": "piggles_classic", "seed": 5}
    drop = {"kind": "drop", "models": ["d6"], "scene": "felt", "half_width": 0.002, "level": 0.95}
    knock = {"kind": "knock", "models": ["piggle,piggle"], "engine": "bullet", "throws": 12}
    heights = {"height_mm": [50, 100.5], "material": ["plastic"]}
    lips = {"standing": [1, 6], "lip_height_in": [2, 3], "restitution": [0.5]}
    return [
        _text({**pour, "throws": 20000, "factors": {"friction": [0.2, 0.4], "number": [1, 3, 6]}}),
        _text({**drop, "max_throws": 100000, "shard_size": 1000, "factors": heights}),
        _text({**knock, "factors": lips}),
    ]


@_toml(
    "study",
    seeds=_studies,
    words=(
        *("across_in", "ballast_g", "time_step_ms", "model", "impulse", "mujoco", "tabletop"),
        *("shake_s", "tip_deg", "steel", "rolling_lever_mm", "board_friction", "drop", "pour"),
    ),
)
def _study(path):
    study = Study.from_definition({"seed": 1, **read_table(path)}, source=path.name)
    assert Study.from_definition(json.loads(study.to_json())) == study
    for number in (0, study.shard_count - 1):
        assert len(study.shard(number).trials) >= 1
    # It is cut into shards to be begun at all: a folder holds only so many files.
    assert study.shard_count <= 10**7
    if study.cell_count <= 12:
        StudyPlan.read(study)


def _dice():
    box = {"name": "brick", "box_mm": [10.0, 12.0, 14.0], "material": "plastic"}
    box |= {"source": "counted", "throw_count": 60}
    mesh = {"name": "cube", "mesh": "die.obj", "mesh_unit": "mm", "labels_known": False}
    ways = (("flat", 30, [1, 0, 0]), ("side", 20, [0, 1, 0]), ("end", 10, [0, 0, 1]))
    outcomes = {
        "outcome": [
            {"label": label, "count": count, "down": [way, [-x for x in way]]}
            for label, count, way in ways
        ]
    }
    return [_text(box | outcomes), _text(mesh | outcomes)]


@_toml(
    "die",
    seeds=_dice,
    beside=_mesh_beside,
    words=("counts", "steel", "cm", "in", "trend_only", "die.toml"),
)
def _die(path):
    die = read_die(path)
    assert sum(die.counts) > 0
    assert die.body.mass.mass > 0.0
    die.classes()


def _house_rule_files():
    found = [{"mud_delay": "none", "kitchen_bonus_classic": True}]
    for name in game_names():
        settings = make_game(name).settings()
        found.append({key: at for key, at in settings.items() if isinstance(at, str | int | float)})
    return list(map(_text, found))


@_toml("house_rules", seeds=_house_rule_files, words=("on", "off", "players", "target", "none"))
def _house_rules(path):
    table = RuleFlags(house_rules=path).table()
    errors = []
    for name in game_names():
        try:
            make_game(name, table).initial_state()
        except PigglesimError as error:
            errors.append(error)
    if len(errors) == len(game_names()):
        raise errors[0]  # rules of no game


def _layouts():
    def die(number, pose, zone, x):
        return {
            "id": f"A{number}", "model": "piggle", "rolled": True, "orientation": pose,
            "zone": zone, "on_line": zone.startswith("line"), "points": 1, "leaning": False,
            "position_m": [x, 0.01, 0.012], "rotation_xyzw": [0.0, 0.0, 0.6, 0.8],
            "stacked": False, "off_board": False,
        }  # fmt: skip

    dice = [die(1, "up", "field:N", 0.02), die(2, "head", "line:path/woods", -0.1)]
    dice.append({**die(3, "down", "off", 0.4), "off_board": True, "orientation": None})
    return [json.dumps({"seed": 5, "scene": "piggles_classic", "dice": dice}).encode()]


@_json("layout", seeds=_layouts, words=("line:field/path", "woods", "path:inner", "down", "off"))
def _layout(path):
    standing, models = read_layout(path)
    assert {name for name, _ in standing} == set(models)
    RollRequest(thrower=Seat.B, piggles=("B1",), standing=standing)


def _scenarios():
    seeds = []
    for file in sorted(SCENARIOS.glob("*.json")):
        content = json.loads(file.read_text())
        kinds = {}
        for row in content["scenarios"] if isinstance(content, dict) else content:
            # One of each sort of events: the others differ in numbers.
            sort = " ".join(sorted({str(event.get("do")) for event in row.get("events", [])}))
            kinds.setdefault(sort, row)
        seeds += [json.dumps([row]).encode() for row in list(kinds.values())[:6]]
    return [seed for seed in seeds if len(seed) < 3_000]


@_json("scenario", seeds=_scenarios)
def _scenario(path):
    for report in [run_scenario(row) for row in read_scenarios(path)[:3]]:
        assert "\n" not in report.line
        json.dumps(report.to_json(), allow_nan=False)


def _odds_files():
    def few(table, key):
        return {**table, key: dict(list(table[key].items())[:4])}

    table = json.loads(catalog.odds_file("piggle").read_text())
    thrown, knocks = table["thrown"], table["knocks"]
    stood = {place: few(row, "after") for place, row in knocks["standing"].items()}
    table |= {
        "source": {"seed": 1, "throws": 60000},
        "thrown": {number: few(thrown[number], "shares") for number in list(thrown)[:2]},
        "knocks": {**knocks, "rates": knocks["rates"][:2], "standing": stood},
        "departures": table["departures"][:1],
    }
    return [json.dumps(table).encode()]


@_json("odds", seeds=_odds_files, most_bytes=16_384)
def _odds(path):
    odds = load_odds(str(path))
    assert parse_odds(odds_text(odds)) == odds
    request = RollRequest(thrower=Seat.A, piggles=("A1", "A2"))
    TabularChance(seed=1, odds=odds).roll(request, index=0)


@_json(
    "measured", seeds=lambda: [catalog.model_file("piggle").with_name("measured.json").read_bytes()]
)
def _measured(path):
    rows = read_measured(path)
    path.write_text(measured_text(rows))
    assert read_measured(path) == rows
    measured_lines(rows, dict.fromkeys(rows, ""))


_POLYGONS = b"""mtllib other.mtl
o cube
v 0 0 0
v 20 0 0
v 20 20 0
v 0 20 0
v 0 0 20
v 20 0 20
v 20 20 20
v 0 20 20
vt 0 0
vn 0 0 1
usemtl red
f 4/1/1 3/1/1 2/1/1 1/1/1
f 5//1 6//1 7//1 8//1
f 1 2 6 5
f -7 -6 -2 -3
g back
f 3 4 8 7
f 4 1 5 8
"""


def _solids(*kinds, extra=()):
    """Return a cube and a tetrahedron as mesh files of some kinds."""
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    tetrahedron = Trimesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    found = []
    for solid, (kind, words) in product((creation.box(), tetrahedron), kinds):
        data = solid.copy().apply_scale(20.0).export(file_type=kind, **words)
        found.append(data.encode() if isinstance(data, str) else data)
    return [*found, *extra]


def _mesh(path):
    scan = read_scan(path, LengthUnit.MILLIMETRE)
    assert np.all(np.isfinite(scan.vertices))
    assert len(scan.faces) < 10_000
    bare_body(scan, density=1000.0)


_COUNTS = ("element vertex 4294967295", "property list uchar int vertex_indices")
for _kind, _form, _kinds, _more in (
    ("stl", Form.BINARY, [("stl", {}), ("stl_ascii", {})], {}),
    ("obj", Form.TEXT, [("obj", {})], {"extra": (_POLYGONS,)}),
    ("ply", Form.BINARY, [("ply", {}), ("ply", {"encoding": "ascii"})], {}),
    ("glb", Form.BINARY, [("glb", {})], {}),
):
    target(
        f"mesh-{_kind}",
        _form,
        partial(_solids, *_kinds, **_more),
        file=f"it.{_kind}",
        most_bytes=4_096,
        inputs=100_000,
        words=_COUNTS if _kind == "ply" else (),
    )(_mesh)
