"""Scenes, floors, models, teams, studies, counted dice and house rules: files in TOML."""

import math
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pigglesim import data_files as catalog
from pigglesim.errors import PigglesimError
from tests.fuzzing.target import Feed, Form, Target, scratch_file

CUBE = """\
v -8 -8 -8
v 8 -8 -8
v 8 8 -8
v -8 8 -8
v -8 -8 8
v 8 -8 8
v 8 8 8
v -8 8 8
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 2 3 7
f 2 7 6
f 3 4 8
f 3 8 7
f 4 1 5
f 4 5 8
"""
"""A cube of 16 mm: the smallest mesh that is a die."""


def _bare(path: Path) -> bytes:
    """Return a file of ours without its comments: every byte of a seed is a byte to change."""
    return re.sub(r"(?m)^\s*#.*\n|\s+#.*$|^\n", "", path.read_text()).encode()


def _scenes() -> Sequence[bytes]:
    return [_bare(catalog.scene_file(name)) for name in catalog.scene_names()]


def _scene(folder: Path) -> Feed:
    from pigglesim.scene.load import load_scene, team_models

    def read(path: Path) -> object:
        scene = load_scene(str(path))
        cup, hand, board = scene.cup, scene.hand, scene.board
        numbers = (cup.inner_radius, cup.depth, hand.tip_time, hand.lip_height, board.size)
        assert all(map(math.isfinite, numbers))
        # What a match would reckon with: none may run for an hour.
        assert scene.stepping.time_limit / scene.stepping.time_step < 1e7
        assert 1 <= scene.capacity <= 12
        return team_models(scene, {})

    return scratch_file(folder, "it.toml", read)


def _floors() -> Sequence[bytes]:
    return [_bare(catalog.floor_file(name)) for name in catalog.floor_names()]


def _floor(folder: Path) -> Feed:
    from pigglesim.scene.load import load_floor

    def read(path: Path) -> object:
        floor = load_floor(str(path))
        assert all(map(math.isfinite, (floor.fall.height, floor.fall.spin_spread)))
        assert floor.stepping.time_limit / floor.stepping.time_step < 1e7
        return floor.surface("plastic")

    return scratch_file(folder, "it.toml", read)


def _models() -> Sequence[bytes]:
    plain = 'id = "die"\nname = "Die"\nmesh = "die.obj"\nmaterials = "die.mtl"\n'
    plain += "density_kg_m3 = 1100.0\n"
    ballast = '[ballast]\nform = "{}"\ndensity_kg_m3 = 8000.0\ncentre_mm = [1, 1, -2]\n'
    ballast += "radius_mm = 2.0\n"
    ups = ("[0, 0, 1]", "[1, 0, 0]", "[0, 1, 0]", "[0, -1, 0]", "[-1, 0, 0]", "[0, 0, -1]")
    numbers = "".join(f'[[numbers]]\nname = "{k}"\nup = {up}\n' for k, up in enumerate(ups, 1))
    poses = "".join(
        f'[[pose_class]]\ndown = {way}\norientation = "{pose}"\n'
        for way, pose in (("[0, 0, 1]", "down"), ("[0, 0, -1]", "up"), ("[1, 0, 0]", "head"))
    )
    shape = "[shape]\nbody_mm = [10.5, 10.5, 6.3]\nsnout_tilt_deg = 24.0\nlimb_sides = 16\n"
    return [
        (plain + numbers).encode(),
        (plain + poses + ballast.format("ball")).encode(),
        (plain + 'parts = "die.obj"\n' + ballast.format("cylinder") + "length_mm = 3.0\n").encode(),
        (plain + shape + poses).encode(),
        _derived(plain + numbers),
    ]


def _derived(text: str) -> bytes:
    """Return a model file with all that is derived, as `scripts.piggle` writes it."""
    from pigglesim.bodies.load import derive, read_spec, skin_from, toml_text
    from pigglesim.bodies.mesh_files import read_obj

    skin = skin_from(read_obj(CUBE, name="die.obj"), {})
    spec = derive(read_spec(text, name="die.toml"), skin, CUBE.encode(), b"")
    return toml_text(spec).encode()


def _model(folder: Path) -> Feed:
    from pigglesim.bodies.load import MODEL_FILE, digest_of, load_model, read_spec
    from pigglesim.files import read_text

    (folder / "die.obj").write_text(CUBE)
    (folder / "die.mtl").write_text("newmtl ivory\nKd 0.8 0.8 0.6\n")

    def read(path: Path) -> object:
        spec = read_spec(read_text(path, MODEL_FILE), name=path.name)
        if spec.derived is not None:
            # Whoever edits a file can sign it anew: a digest keeps nobody out.
            digest = digest_of(spec, CUBE.encode(), b"")
            path.write_text(path.read_text().replace(spec.derived.sha256, digest))
        body = load_model(str(path))
        assert math.isfinite(body.mass.mass)
        assert body.mass.mass > 0.0
        return body

    return scratch_file(folder, "it.toml", read)


def _teams() -> Sequence[bytes]:
    return [_bare(catalog.team_file(name)) for name in catalog.team_names()]


def _team(folder: Path) -> Feed:
    from pigglesim.landing import Seat
    from pigglesim.scene.load import check_owners, load_team

    def read(path: Path) -> object:
        team = load_team(str(path))
        check_owners({Seat.A: team, Seat.B: load_team("red")})
        return team

    return scratch_file(folder, "it.toml", read)


def _studies() -> Sequence[bytes]:
    return [
        b'kind = "pour"\nmodels = ["piggle", "premium"]\nscene = "piggles_classic"\nseed = 5\n'
        b"throws = 20000\n[factors]\nfriction = [0.2, 0.4]\nnumber = [1, 3, 6]\n",
        b'kind = "drop"\nmodels = ["d6"]\nscene = "felt"\nhalf_width = 0.002\nlevel = 0.95\n'
        b"max_throws = 100000\nshard_size = 1000\n[factors]\nheight_mm = [50, 100.5]\n"
        b'material = ["plastic"]\n',
        b'kind = "knock"\nmodels = ["piggle,piggle"]\nengine = "bullet"\nthrows = 12\n'
        b"[factors]\nstanding = [1, 6]\nlip_height_in = [2, 3]\nrestitution = [0.5]\n",
    ]


def _study(folder: Path) -> Feed:
    from pigglesim.experiments.shard import StudyPlan
    from pigglesim.experiments.study import Study, read_table

    def read(path: Path) -> object:
        study = Study.from_definition({"seed": 1, **read_table(path)}, source=path.name)
        assert Study.from_json(study.to_json()) == study
        first, last = study.shard(0), study.shard(study.shard_count - 1)
        assert len(first.trials) >= 1
        assert len(last.trials) >= 1
        # To be begun at all it is cut into shards: a folder holds so many files and no more.
        assert study.shard_count <= 10**7
        return StudyPlan.read(study) if study.cell_count <= 12 else study

    return scratch_file(folder, "it.toml", read)


def _dice() -> Sequence[bytes]:
    box = (
        'name = "brick"\nbox_mm = [10.0, 12.0, 14.0]\nmaterial = "plastic"\nsource = "counted"\n'
        "throw_count = 60\n"
    )
    mesh = 'name = "cube"\nmesh = "die.obj"\nmesh_unit = "mm"\nlabels_known = false\n'
    outcomes = "".join(
        f'[[outcome]]\nlabel = "{label}"\ncount = {count}\ndown = {ways}\n'
        for label, count, ways in (
            ("flat", 30, "[[1, 0, 0], [-1, 0, 0]]"),
            ("side", 20, "[[0, 1, 0], [0, -1, 0]]"),
            ("end", 10, "[[0, 0, 1], [0, 0, -1]]"),
        )
    )
    return [(box + outcomes).encode(), (mesh + outcomes).encode()]


def _die(folder: Path) -> Feed:
    from pigglesim.experiments.counted_dice import read_die

    (folder / "die.obj").write_text(CUBE)

    def read(path: Path) -> object:
        die = read_die(path)
        assert sum(die.counts) > 0
        assert die.body.mass.mass > 0.0
        return die.classes()

    return scratch_file(folder, "die.toml", read)


@cache
def _switches() -> tuple[str, ...]:
    from pigglesim.games.registry import game_names, make_game

    words: dict[str, None] = {}
    for name in game_names():
        for key, value in make_game(name).settings().items():
            words |= {key: None, str(value): None}
    return tuple(words)


def _house_rules() -> Sequence[bytes]:
    from pigglesim.games.registry import game_names, make_game

    seeds = [b'mud_delay = "none"\nkitchen_bonus_classic = true\n']
    for name in game_names():
        settings = make_game(name).settings()
        plain = {key: at for key, at in settings.items() if isinstance(at, str | int | float)}
        lines = (f"{key} = {_toml(value)}\n" for key, value in plain.items())
        seeds.append("".join(lines).encode())
    return seeds


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')


def _rules(folder: Path) -> Feed:
    from pigglesim.cli.options import RuleFlags
    from pigglesim.games.registry import game_names, make_game

    names = game_names()

    def read(path: Path) -> object:
        table = RuleFlags(house_rules=path).table()
        refused: list[PigglesimError] = []
        for name in names:
            try:
                make_game(name, table).initial_state()
            except PigglesimError as fault:
                refused.append(fault)
        if len(refused) == len(names):
            raise refused[0]  # rules of no game
        return refused

    return scratch_file(folder, "it.toml", read)


FILES = "pigglesim.files"
TARGETS = (
    Target(
        name="scene", form=Form.TOML, prepare=_scene, seeds=_scenes,
        readers=(FILES, "pigglesim.scene"),
    ),
    Target(
        name="floor", form=Form.TOML, prepare=_floor, seeds=_floors,
        readers=(FILES, "pigglesim.scene"),
    ),
    Target(
        name="model", form=Form.TOML, prepare=_model, seeds=_models,
        readers=(FILES, "pigglesim.bodies"),
        words=("die.obj", "die.mtl", "it.toml", "ball", "cylinder", "up", "down", "head", "side"),
    ),
    Target(
        name="team", form=Form.TOML, prepare=_team, seeds=_teams,
        readers=(FILES, "pigglesim.scene"), words=("piggle", "premium", "d6", "red+left"),
    ),
    Target(
        name="study", form=Form.TOML, prepare=_study, seeds=_studies,
        readers=(FILES, "pigglesim.experiments", "pigglesim.scene"),
        words=("across_in", "ballast_g", "time_step_ms", "model", "impulse", "mujoco", "tabletop",
               "shake_s", "tip_deg", "steel", "rolling_lever_mm", "board_friction", "drop", "pour"),
    ),
    Target(
        name="die", form=Form.TOML, prepare=_die, seeds=_dice,
        readers=(FILES, "pigglesim.experiments.counted_dice", "pigglesim.bodies"),
        words=("counts", "steel", "cm", "in", "trend_only", "die.toml"),
    ),
    Target(
        name="house_rules", form=Form.TOML, prepare=_rules, seeds=_house_rules,
        readers=(FILES, "pigglesim.games", "pigglesim.cli.options"),
        words=("on", "off", "players", "target", "none"),
    ),
)  # fmt: skip
