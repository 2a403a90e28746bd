"""Throws of the hunt: any bodies on any table by any engine, and what physics must keep to."""

from functools import cache
from math import isfinite, sqrt

import numpy as np
from scipy.spatial import ConvexHull

from pigglesim.bodies.body import support_for
from pigglesim.bodies.load import body_of_files, load_model
from pigglesim.bodies.scan import bare_body, model_files, repaired
from pigglesim.bodies.variant import body_of_variant, read_source, variant_files
from pigglesim.chance.physical import PhysicalChance
from pigglesim.experiments.factors import (
    Setup,
    ThrowKind,
    applied,
    checked_level,
    factors_of,
    floor_for,
)
from pigglesim.landing import (
    READ_ZONES,
    ClassLanding,
    CupHold,
    Landing,
    LineRule,
    ReadingRules,
    RollRequest,
    Seat,
    SettleStatus,
    Zone,
)
from pigglesim.landing_reading import hull_in_world
from pigglesim.physics.bullet import UNIT, client
from pigglesim.physics.drop import MARGIN, Dropper
from pigglesim.physics.engine import LostMotionError
from pigglesim.physics.engines import make_engine
from pigglesim.physics.pour import nudge
from pigglesim.rng import generator
from pigglesim.rotations import random_quaternion, to_matrix
from pigglesim.scene.load import load_scene
from pigglesim.throws import reach, sample_drops
from scripts.cross_target.replay import Recorder, in_node
from scripts.trust.hunt.case import SEED, Kind, One, Refused, Some, expect, may_refuse
from tests.support.hands import hand_throw, shaken
from tests.support.placing import set_down
from tests.support.tracking import GRAVITY, Tracked, place_at

ENGINES = (*("impulse",) * 8, "bullet", "bullet", "mujoco")
PIGS = ("piggle", "premium", "premium_brass", "piggle+red+left", "premium+blue")
BODIES = (
    *("d6", "d4", "d2", "d8", "d10", "d12", "d20"),
    *PIGS * 3,
    *(f"import:{number}" for number in range(20)),
    *(f"scaled:{name}:{number}" for name in ("d6", "piggle", "d10") for number in range(4)),
)
_SHARED = (
    *("friction=0.05", "friction=0.2", "friction=0.9", "friction=2", "restitution=0"),
    *("restitution=0.3", "restitution=0.5", "restitution=0.8", "rolling_lever_mm=0"),
    *("rolling_lever_mm=1", "spinning_lever_mm=0", "spinning_lever_mm=2"),
    *("time_step_ms=1", "time_step_ms=0.5", "time_step_ms=4"),
)
_HAND = (
    *("shake_s=0", "shake_s=1.5", "shake_hz=9", "tip_s=0.15", "tip_s=1", "tip_deg=100"),
    *("tip_deg=175", "lip_height_in=9", "end_back_in=3", "across_in=3", "swing_m_s=1.5"),
    *("heading_deg=-40", "heading_spread_deg=20", "tempo_spread=0.3", "board_friction=0.1"),
)
SCENES = ("piggles_classic", "piggles_modern")
_WASM = (*(False,) * 15, True)
_TURN = 0.1
"""Turn in a step above which free rotation of other engines gains energy that is seen [rad]."""
_LONGEST = 2.0
"""Time for which bodies are followed in their fall [s]."""
_LARGE_TURN = 0.3
"""Turn in a step from which the free rotation of `impulse` is rough [rad]."""
_HEAVY = 2.0
"""Ratio of masses from which `impulse` lets the lighter body sink under the heavier one."""


@cache
def body_of(name):
    """Return the body of a name: a model, or one that is made here, as by `import`."""
    kind, *rest = name.split(":")
    if kind == "import":
        return _imported(int(rest[0]))
    if kind == "scaled":
        model, number = rest
        scale = generator(int(number), "hunt scale").uniform(0.75, 1.3, 3)
        files = variant_files(
            read_source(model), name=f"scaled-{number}", scale=scale, ballast=None
        )
        return body_of_variant(files)
    return load_model(name)


def _imported(number):
    """Return a body from a mesh that is repaired on its way: hull, box or a cut hull."""
    rng = generator(number, "hunt mesh")
    points = rng.normal(size=(int(rng.integers(6, 40)), 3))
    points *= rng.uniform(5.0, 13.0, 3) / np.linalg.norm(points, axis=1)[:, None]
    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    scan = repaired(points, faces, name=f"import-{number}")
    bare = bare_body(scan, density=float(rng.uniform(300.0, 8000.0)))
    classes = [f"side {k}" for k, _ in enumerate(bare.distinct_poses)]
    model = f"import-{number}"
    texts = model_files(
        scan, bare, model=model, density=1100.0, classes=classes, parts={}
    )  # fmt: skip
    mesh, paint = texts[f"{model}.obj"].encode(), texts[f"{model}.mtl"].encode()
    return body_of_files(texts[f"{model}.toml"], f"{model}.toml", mesh, b"", paint, None)


def bodies_of(names):
    with may_refuse():
        return tuple(body_of(name) for name in names)


def place_of(kind, name, levels):
    """Return a table or floor with factors of a study at the levels in `name=value` words."""
    kind = ThrowKind(kind)
    factors = factors_of(kind)
    with may_refuse():
        start = floor_for(kind, name) if kind.single else load_scene(name)
        known = {
            word: checked_level(factors[word], float(value))
            for word, value in (level.split("=") for level in levels)
        }
        return applied(kind, Setup(models=("d6",), place=start), known).place


def through_node(work):
    """Run work, and again in WebAssembly by node: every byte of memory is equal."""
    from pigglesim.physics.impulse.webassembly import module_folder, module_of_sources

    folder, (_, manifest) = module_folder(), module_of_sources()
    recorder = Recorder(kernels=manifest["kernels"], start=manifest["free_from"])
    with recorder.recording():
        done = work()
    replayed = in_node(folder, recorder.calls)
    expect(replayed.differing == 0 and replayed.calls, "equal bits in WebAssembly", replayed)
    return done


# Bodies that fall by themselves, looked at after every step.


def _motion(engine, world, number):
    """Return velocity [m/s] and spin [rad/s] of a body, world axes, of an engine's own state."""
    if engine == "impulse":
        state = world.state
        return state.velocity[number].copy(), state.angular_velocity[number].copy()
    if engine == "bullet":
        velocity, spin = client().getBaseVelocity(world._members[number].handle)
        return np.array(velocity) / UNIT, np.array(spin)
    w, x, y, z = world._places[number, 3:]
    motion = world._motions[number]
    return motion[:3].copy(), to_matrix(np.array([x, y, z, w])) @ motion[3:]


class _Falling:
    """Bodies that were let go above the board, with all that is conserved."""

    def __init__(self, case, scene, bodies):
        self.case, self.scene, self.bodies = case, scene, bodies
        rng = generator(case["seed"], "hunt fall")
        self.world = make_engine(case["engine"]).world(scene)
        self.world.cup_released()
        self.exact = case["engine"] == "impulse"
        step, self.tracked = scene.stepping.time_step, []
        x = 0.0 if case["spot"] == "middle" else scene.board.half - 0.01
        z = case["height_mm"] / 1000.0
        for body in bodies:
            z += reach(body)
            velocity = rng.normal(0.0, 1.0, 3) * case["speed_mm_s"] / 1000.0
            spin = rng.normal(0.0, 1.0, 3) * case["spin_rad_s"]
            start = place_at((x, 0.0, z), random_quaternion(rng=rng))
            self.tracked.append(
                Tracked(self.world, body, start, step=step, velocity=velocity, spin=spin)
            )
            z += reach(body) + 0.001
        self.mass = sum(body.mass.mass for body in bodies)

    def look(self):
        """Take in a step, with the velocities that the engine has after it.

        Differences of places are means over the parts of a step, which are too slow at an impact.
        """
        for number, each in enumerate(self.tracked):
            each.look()
            each.velocity, each.spin = _motion(self.case["engine"], self.world, number)

    @property
    def energy_height(self):
        """Energy of all over their weight [m]."""
        return sum(t.energy_height * t.body.mass.mass for t in self.tracked) / self.mass

    @property
    def momentum(self):
        """Momentum of all over their mass [m/s], shape [3]."""
        return sum(t.velocity * t.body.mass.mass for t in self.tracked) / self.mass

    @property
    def fastest_spin(self):
        """Spin of the body that spins fastest [rad/s]."""
        return max(np.linalg.norm(t.spin) for t in self.tracked)

    @property
    def quickest(self):
        """Bound on the speed of every point of all [m/s]."""
        return max(
            np.linalg.norm(t.velocity) + np.linalg.norm(t.spin) * reach(t.body)
            for t in self.tracked
        )

    @property
    def lowest(self):
        """Height of the lowest point of all [m]."""
        return min(self._points(t)[:, 2].min() for t in self.tracked)

    def _points(self, each):
        return hull_in_world(each.body, place_at(each.position, each.rotation))

    @property
    def sunk(self):
        """Depth in board or table, which other engines return as height, averaged by mass [m]."""
        return sum(max(*self._depths(t), 0.0) * t.body.mass.mass for t in self.tracked) / self.mass

    def _depths(self, each, margin=0.0, part=np.min):
        """Return how deep a body is in the table, and in the board clear of its edge [m]."""
        board, points = self.scene.board, self._points(each)
        inside = (np.abs(points[:, :2]) < board.half - margin).all(axis=1)
        above = part(points[inside, 2]) if inside.any() else 0.0
        return -part(points[:, 2]) - board.thickness, -above

    def check_floor(self, slack):
        """No point is deeper than `slack` [m] in board or table; of other engines, not the top.

        They leave the overlaps of a flight until the end of a throw, and say so.
        """
        for each in self.tracked:
            expect(np.isfinite(each.position).all(), "finite places", each.position)
            part = np.min if self.exact else np.max
            table, board = self._depths(each, 2.0 * slack + 1e-3, part)
            expect(table < slack, "nothing through the table", f"{table * 1e3:.3f} mm")
            if self.exact:
                expect(board < slack, "nothing through the board", f"{board * 1e3:.3f} mm")


def fall(case):
    """Let bodies fall onto the board, and check every step of it."""
    scene = place_of("pour", case["scene"], case["levels"])
    bodies = bodies_of(case["bodies"])
    falling, step = _Falling(case, scene, bodies), scene.stepping.time_step
    start, least = falling.momentum, falling.energy_height
    quickest = sqrt(2.0 * GRAVITY * max(least, 0.0)) + 1.0
    # Impacts of impulse are met at their own time; those of others up to a step late. Large
    # restitution with large friction may gain energy, as documented.
    slack = MARGIN * len(bodies) if falling.exact else quickest * step
    if falling.exact and falling.fastest_spin * step > _LARGE_TURN:
        # Rotation in such steps changes the energy by up to a thousandth, to and fro.
        slack += 1e-3 * least
    pairs = (scene.contacts.board, scene.contacts.piggle)
    passive = all(pair.restitution <= 0.5 and pair.friction <= 0.5 for pair in pairs)
    # Bodies that PyBullet finds in each other are pushed apart, which gives them energy.
    passive &= case["engine"] != "bullet" or len(bodies) == 1
    masses = [body.mass.mass for body in bodies]
    deepest = slack
    if falling.exact:
        deepest = 2.5e-3 if max(masses) > _HEAVY * min(masses) else 5e-4
    flying = True
    for number in range(1, round(_LONGEST / step) + 1):
        falling.world.step()
        falling.look()
        falling.check_floor(deepest)
        # Overlaps of other engines come back as height, later and slowly.
        height = falling.energy_height + (0.0 if falling.exact else falling.sunk)
        # Other engines turn free bodies by Euler's explicit step, which adds energy.
        passive = passive and (falling.exact or falling.fastest_spin * step < _TURN)
        if passive:
            rise = height - least
            expect(rise < slack, "energy never grows", f"{rise * 1e3:.3f} mm")
        least = min(least, height)
        # What touched something within this step is no farther from it than it moves in one.
        flying = flying and falling.lowest > 0.002 + falling.quickest * step
        if flying:
            due = start - np.array([0.0, 0.0, GRAVITY * number * step])
            error = np.abs(falling.momentum - due).max()
            # Velocities by differences of places are those within the step.
            most = 1e-9 if falling.exact else GRAVITY * step
            expect(error < most, "momentum in the air", error)
    return [falling.world.place(number) for number in range(len(bodies))]


# Pours: a cup or a hand, onto others or not, read and left alone.


def _standing(names, bodies, board):
    """Return landings of bodies in stable poses, on a ring where they do not meet."""
    found = []
    for k, (name, body) in enumerate(zip(names, bodies, strict=True)):
        angle = 2.0 * np.pi * k / max(len(bodies), 1)
        at = (0.55 * board.half * np.cos(angle), 0.55 * board.half * np.sin(angle))
        pose = body.poses[k % len(body.poses)]
        place = set_down(body, pose, contact_at=at, heading=angle)
        zone = Zone.FIELD_SOUTH
        if body.pig:
            landing = Landing(orientation=pose.orientation, zone=zone, place=place)
        else:
            landing = ClassLanding(class_name=pose.label, orientation=None, zone=zone, place=place)
        found.append((name, landing))
    return tuple(found)


def _hold(case, scene, bodies, rng):
    seat = Seat(case["seat"])
    if case["hold"] == "scene":
        return None
    if case["hold"] == "hand":
        sign = 1.0 if seat is Seat.A else -1.0
        return hand_throw(scene, bodies, shaken(rng, sign=sign), rng=rng, seat=seat)
    return CupHold(
        across=float(rng.uniform(-0.08, 0.08)),
        back=float(rng.uniform(0.04, 0.15)),
        height=float(rng.uniform(0.06, 0.25)),
        heading=float(rng.uniform(-0.9, 0.9)),
        swing=float(rng.uniform(0.0, 1.5)),
    )


def pour(case):
    """Pour a cup, read the board, and push it as little as nothing: it stays."""
    scene = place_of("pour", case["scene"], case["levels"])
    rolled, others = bodies_of(case["bodies"]), bodies_of(case["standing"])
    seat = Seat(case["seat"])
    names = [f"{seat}{k + 1}" for k in range(len(rolled))]
    other_names = [f"{seat.other}{k + 1}" for k in range(len(others))]
    rng = generator(case["seed"], "hunt pour")
    moments = []
    chance = PhysicalChance(
        scene=scene,
        models=dict(zip(names + other_names, rolled + others, strict=True)),
        engine=make_engine(case["engine"]),
        seed=case["seed"],
        watch=moments.append,
    )
    with may_refuse():
        request = RollRequest(
            thrower=seat,
            piggles=tuple(names),
            standing=_standing(other_names, others, scene.board),
            hold=_hold(case, scene, rolled, rng),
            reading=ReadingRules(line_rule=LineRule(case["line_rule"])),
        )
    if case["wasm"] and case["engine"] == "impulse":
        result = through_node(lambda: chance.roll(request, index=0))
    else:
        try:
            result = chance.roll(request, index=0)
        except LostMotionError as error:
            raise Refused(str(error)) from error
    _check_flight(scene, rolled, others, moments)
    _check_reading(case, scene, chance, request, result)
    _check_rest(chance, result)
    return result


def _check_flight(scene, rolled, others, moments):
    """Nobody leaves the cup but by its mouth, or comes under the table; quaternions stay units."""
    cup, count = scene.cup, len(rolled)
    inside, radii = set(range(count)), np.array([reach(body) for body in (*rolled, *others)])
    for moment in moments:
        places = np.array([each.position for each in moment.places])
        turns = np.array([each.rotation for each in moment.places])
        expect(np.isfinite(places).all(), "finite places", moment.time)
        expect(np.abs((turns**2).sum(axis=1) - 1.0).max() < 1e-6, "unit quaternions", moment.time)
        depths = places[:, 2] + scene.board.thickness + radii
        expect(depths.min() > 0.0, "nothing through the table", moment.time)
        if moment.cup is None or not inside:
            continue
        local = (places[:count] - moment.cup[0]) @ to_matrix(np.array(moment.cup[1]))
        half = cup.depth / 2.0
        inside -= {n for n in inside if local[n, 2] > half}
        # A flat body may be squeezed into a corner of the facets; the wall is as thick as seen.
        aside, below = np.hypot(local[:, 0], local[:, 1]), -local[:, 2]
        out = (aside > cup.outer_radius) | (below > half + cup.wall)
        expect(not any(out[n] for n in inside), "nothing through the cup", moment.time)


def _check_reading(case, scene, chance, request, result):
    """Every body has a reading, and what nothing struck has the one from before."""
    before = dict(request.standing)
    expect([name for name, _ in result.landings] == [*request.piggles, *before], "all are read")
    slack = 1e-4 if case["engine"] == "impulse" else 5e-4
    for name, at in result.landings:
        body = chance.models[name]
        expect(at.zone in READ_ZONES, "a zone of every body", at)
        on = at.zone is not Zone.OFF
        expect(isinstance(at, ClassLanding) == (on and not body.pig), "a class of every body", at)
        expect((at.orientation is not None) == (on and body.pig), "an orientation", at)
        settled = result.settle.status is SettleStatus.SETTLED
        if at.place is not None and settled and name in request.piggles:
            lowest = hull_in_world(body, at.place)[:, 2].min()
            floor = 0.0 if on else -scene.board.thickness
            expect(lowest > floor - slack, "nothing rests in the board", f"{lowest * 1e3:.3f} mm")
            alone = on and not (at.leaning or at.stacked)
            expect(not alone or lowest < slack + 1e-4, "nothing rests in the air", (name, lowest))
    for knock in result.knocks:
        expect(knock.struck in before and knock.by in request.piggles, "who knocks whom", knock)
        expect(isfinite(knock.distance) and isfinite(knock.angle), "finite knocks", knock)


def _check_rest(chance, result):
    """Bodies that rest keep their poses after a push that lifts them less than a micrometre."""
    landings = [(name, at) for name, at in result.landings if at.place is not None]
    alone = all(not (at.leaning or at.stacked) and at.zone is not Zone.OFF for _, at in landings)
    if result.settle.status is not SettleStatus.SETTLED or not alone:
        return
    lying = tuple((chance.models[name], at.place) for name, at in landings)
    push = np.array([0.0, 0.0, 0.003]), np.zeros(3)
    after = nudge(chance.scene, lying, dict.fromkeys(range(len(lying)), push), engine=chance.engine)
    for (name, at), place in zip(landings, after.standing, strict=True):
        moved = np.linalg.norm(np.subtract(place.position, at.place.position))
        expect(moved < 1e-3, "rest is stable", f"{name} moved by {moved * 1e3:.2f} mm")


# Single dice on floors, as studies throw them.

FLOORS = ("tabletop", "felt")
_FLOOR_LEVELS = {
    "drop": ("height_mm=1", "height_mm=500", "drift_spread_m_s=1", "spin_spread_rad_s=80"),
    "flip": ("rise_mm=5", "rise_mm=900", "spin_rad_s=0", "spin_rad_s=300", "wobble_spread_rad_s=9"),
    "roll": ("speed_m_s=0", "speed_m_s=4", "rolling=-1", "rolling=2", "wall_mm=60"),
    "tumbler": ("length_mm=60", "length_mm=300", "rate_rad_s=0.5", "rate_rad_s=15"),
    "tower": ("baffles=1", "baffles=9", "width=2.6", "width=7", "slope_deg=41", "slope_deg=74"),
}


def floor_kind(throw):
    """Return the kind of case of one kind of throw of a single die."""
    levels = _SHARED + _FLOOR_LEVELS[throw]

    def run(case):
        floor = place_of(throw, case["floor"], case["levels"])
        (body,) = bodies_of([case["body"]])
        engine = make_engine(case["engine"])
        with may_refuse():
            dropper = Dropper(
                body,
                support_for(body),
                range(len(body.poses)),
                surface=next(iter(floor.surfaces.values())),
                stepping=floor.stepping,
                engine=engine,
            )
            count = case["count"] if case["engine"] == "impulse" else min(case["count"], 4)
            purpose = {"seed": case["seed"], "purpose": ("hunt",)}
            drops = sample_drops(floor.fall, body, trials=range(count), **purpose)
            if case.get("wasm") and case["engine"] == "impulse":
                found = through_node(lambda: dropper.drop_all(drops))
            else:
                found = dropper.drop_all(drops)
        sizes = {len(part) for part in (found.poses, found.endings, found.times, found.downs)}
        expect(sizes == {count}, "a result of every drop", sizes)
        known = (found.poses >= -1) & (found.poses < len(body.poses))
        expect(known.all() and ((found.endings == 2) == (found.poses == -1)).all(), "a known pose")
        expect(np.isfinite(found.times).all() and (found.times >= 0).all(), "finite times")
        lengths = np.linalg.norm(found.downs, axis=1)
        expect(np.abs(lengths - 1.0).max() < 1e-9, "unit directions", lengths)
        first = case["seed"] % count
        later = sample_drops(floor.fall, body, trials=range(first, count), **purpose)
        alone = dropper.drop_all(later)
        same = [
            np.array_equal(part[first:], other)
            for part, other in (
                (found.poses, alone.poses), (found.times, alone.times), (found.downs, alone.downs),
            )
        ]  # fmt: skip
        expect(all(same), "a drop is the same in any company", same)
        return found.poses, found.endings, found.times, found.downs

    options = {
        "body": One(BODIES),
        "engine": One(ENGINES),
        "floor": One(FLOORS),
        "levels": Some(levels, 0, 3),
        "count": One(range(1, 60)),
        "seed": SEED,
    }
    if throw == "drop":
        # The module has no kernel of the other throws.
        options["wasm"] = One(_WASM)
    return Kind(name=throw, seconds=0.1, options=options, run=run)


KINDS = (
    Kind(
        name="fall",
        run=fall,
        seconds=0.7,
        options={
            "bodies": Some(BODIES, 1, 4),
            "engine": One(ENGINES),
            "scene": One(SCENES),
            "levels": Some(_SHARED, 0, 3),
            "height_mm": One(range(1, 300)),
            "speed_mm_s": One(range(1500)),
            "spin_rad_s": One(range(60)),
            "spot": One(("middle", "middle", "edge")),
            "seed": SEED,
        },
    ),
    Kind(
        name="pour",
        run=pour,
        seconds=0.4,
        options={
            "bodies": Some(BODIES, 1, 6),
            "standing": Some(BODIES, 0, 5),
            "engine": One(ENGINES),
            "scene": One(SCENES),
            "levels": Some(_SHARED + _HAND, 0, 3),
            "hold": One(("scene", "hold", "hand")),
            "seat": One(("A", "B")),
            "line_rule": One(tuple(rule.value for rule in LineRule)),
            "wasm": One(_WASM),
            "seed": SEED,
        },
    ),
    *(floor_kind(throw) for throw in _FLOOR_LEVELS),
)
