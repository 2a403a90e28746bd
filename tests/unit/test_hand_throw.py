"""Throws by a person's hand: their text, their path, what R9 allows, and their bits."""

import base64
import random
from dataclasses import replace

import numpy as np
import pytest

import pigglesim
from pigglesim.bodies.load import load_model
from pigglesim.cup_motion import cup_pose
from pigglesim.cup_path import depth_below
from pigglesim.errors import SpecError
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.notation import FORMS
from pigglesim.hand_throw import ANGLE_UNIT, LENGTH_UNIT, MAX_SAMPLES, PREFIX, RATE, HandThrow
from pigglesim.landing import RollRequest, Seat
from pigglesim.physics import pour
from pigglesim.physics.engines import make_engine
from pigglesim.scene.load import load_scene
from pigglesim.throws import CompiledHandPath, Pour
from tests.support.hands import HELD, PARKED, hand_throw, rounded, shaken

SCENE = load_scene("piggles_classic")
PIGGLES = (load_model("piggle"),) * 3
UPRIGHT = (0.0, 0.0)


def thrown(seed=1, *, samples=None, seat=Seat.A, bodies=PIGGLES):
    rng = np.random.default_rng(seed)
    sign = -1.0 if seat is Seat.B else 1.0
    samples = shaken(rng, sign=sign) if samples is None else samples
    return hand_throw(SCENE, bodies, samples, rng=rng, seat=seat)


def path_of(throw, seat=Seat.A):
    return CompiledHandPath(cup=SCENE.cup, hand=SCENE.hand, seat=seat, throw=throw)


def through(*points):
    """Samples from beside the board through some points, each reached in a third of a second."""
    rows, at = [(*PARKED, *UPRIGHT)] * 4, np.array([*PARKED, *UPRIGHT])
    for point in points:
        for k in range(1, 22):
            way = (k / 21) ** 2 * (3.0 - 2.0 * k / 21)
            rows.append(tuple(at + way * (np.array(point) - at)))
        at = np.array(point)
    return rounded(rows)


TAKEN = (PARKED[0], PARKED[1], HELD[2], *UPRIGHT)
TIPPED = (*HELD, -2.27, 0.0)


@pytest.mark.parametrize("seed", range(20))
def test_a_throw_is_read_back_from_its_text(seed):
    throw = thrown(seed)
    again = HandThrow.read(throw.text)
    assert again == throw
    assert again.text == throw.text
    # It fits the address of a page.
    assert len(throw.text) < 1100


def test_numbers_of_every_size_pass_through_the_text():
    rng = random.Random(5)
    for _ in range(200):
        rows = [[rng.randint(-8192, 8192) for _ in range(3)] + [rng.randint(-4096, 4096), 0]]
        rows = [rows[0]] * rng.randint(1, 3)
        while len(rows) < 30:
            jump = [rng.choice([0, 1, -1, 63, -64, 64, 300, -390]) for _ in range(5)]
            row = [a + b for a, b in zip(rows[-1], jump, strict=True)]
            if max(map(abs, row[:3])) <= 8192 and max(map(abs, row[3:])) <= 4096:
                rows.append(row)
        throw = replace(thrown(), samples=tuple(map(tuple, rows)))
        assert HandThrow.read(throw.text) == throw


def test_a_cut_or_changed_text_is_refused_in_one_line():
    text, rng = thrown().text, random.Random(3)
    bad = ["", PREFIX, PREFIX + "A", text[:-1], text + "A", text[:40], text.removeprefix(PREFIX)]
    for _ in range(300):
        at = rng.randrange(len(PREFIX), len(text))
        bad.append(text[:at] + rng.choice("AZaz09-_ \u00e4") + text[at + 1 :])
        bad.append(PREFIX + base64.urlsafe_b64encode(rng.randbytes(rng.randint(1, 300))).decode())
    read = 0
    for each in bad:
        try:
            throw = HandThrow.read(each)
        except SpecError as error:
            assert str(error).startswith("invalid throw by hand: ")
        else:
            # A change may be another throw that a hand can make.
            assert throw.text == each
            read += 1
    assert read < len(bad) / 2


STILL = (0, -1000, 1500, 0, 0)


@pytest.mark.parametrize(
    ("samples", "problem"),
    [
        ((STILL,), "takes 0.0 s"),
        ((STILL,) * (MAX_SAMPLES + 1), "takes 10.0 s; let go within 10 s"),
        ((STILL, (700, -1000, 1500, 0, 0)), "jumps, faster than 5 m/s"),
        ((STILL, (0, -1000, 1500, 500, 0)), "jumps, faster than 5 m/s or 25 rad/s"),
        (((9000, 0, 1500, 0, 0),) * 2, "leaves the table"),
        (((0, 0, 1500, 0, 5000),) * 2, "leaves the table"),
    ],
)
def test_no_hand_moves_so(samples, problem):
    with pytest.raises(SpecError, match=problem):
        replace(thrown(), samples=samples)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_place_that_is_no_number_is_refused(bad):
    good = thrown()
    with pytest.raises(SpecError, match="a place in the cup is not a number"):
        replace(good, places=((bad, *good.places[0][1:]), *good.places[1:]))


def test_the_path_stays_within_its_samples_and_is_smooth():
    throw = thrown(4)
    motion, samples = path_of(throw).motion, np.array(throw.path)
    times = np.arange(0.0, len(samples) / RATE, 1.0 / 1024.0)
    poses = np.array([cup_pose(motion, time) for time in times])
    for time, pose in zip(times, poses, strict=True):
        near = samples[max(0, int(time * RATE) - 1) : int(time * RATE) + 3, :3]
        assert np.all(pose[:3] >= near.min(axis=0) - 1e-12)
        assert np.all(pose[:3] <= near.max(axis=0) + 1e-12)
    speeds = np.diff(poses[:, :3], axis=0) * 1024.0
    fastest = np.abs(np.diff(samples[:, :3], axis=0)).max() * RATE
    assert np.abs(speeds).max() <= fastest + 1e-9
    # The speed has no jumps: it changes by at most the difference of two samples' speeds a sample.
    bends = np.abs(np.diff(samples[:, :3], 2, axis=0)).max() * RATE * RATE
    assert np.abs(np.diff(speeds, axis=0)).max() * 1024.0 <= bends * (1 + 1e-6) + 1e-6


def test_the_cup_tilts_about_its_rotation_vector():
    tilt_x, tilt_y = -0.8, 0.6
    row = (
        round(0.1 / LENGTH_UNIT),
        -900,
        1500,
        round(tilt_x / ANGLE_UNIT),
        round(tilt_y / ANGLE_UNIT),
    )
    motion = path_of(replace(thrown(), samples=(row,) * 3)).motion
    *_, x, y, z, w = cup_pose(motion, 0.02)
    # The axis is in the plane, and the angle is 1 rad.
    assert (x, y, z, w) == pytest.approx(
        (-0.8 * np.sin(0.5), 0.6 * np.sin(0.5), 0, np.cos(0.5)), abs=1e-3
    )


@pytest.mark.parametrize(
    ("points", "seat", "problem"),
    [
        ([TAKEN, (*HELD, *UPRIGHT), TIPPED], Seat.B, "past the centre line"),
        ([TAKEN, (HELD[0], 0.02, HELD[2], *UPRIGHT)], Seat.A, "past the centre line"),
        (
            [TAKEN, (HELD[0], HELD[1], 0.05, *UPRIGHT)],
            Seat.A,
            "[01].[0-9]+ in above the board, less than 2",
        ),
        (
            [(HELD[0], HELD[1], 0.05, *UPRIGHT)],
            Seat.A,
            "[01].[0-9]+ in above the board, less than 2",
        ),
        ([TAKEN, (*HELD[:2], 0.1, *UPRIGHT), (*HELD[:2], 0.1, -2.27, 0.0)], Seat.A, "less than 2"),
        ([TAKEN, (*TAKEN[:3], -2.27, 0.0)], Seat.A, "tipped beside the board"),
        ([TAKEN], Seat.A, "let go beside the board"),
    ],
)
def test_a_hand_against_the_rules_throws_nothing(points, seat, problem):
    with pytest.raises(SpecError, match=problem):
        Pour(scene=SCENE, seat=seat).by_hand(PIGGLES, thrown(samples=through(*points)))


def test_a_hand_within_the_rules_throws():
    throw = thrown(samples=through(TAKEN, (*HELD, *UPRIGHT), TIPPED))
    start = Pour(scene=SCENE, seat=Seat.A).by_hand(PIGGLES, throw)
    *_, z, _, _, _, w = cup_pose(start.path.motion, len(throw.samples) / RATE)
    assert 2.0 * np.arccos(w) == pytest.approx(2.27, abs=1e-3)
    assert z - depth_below(SCENE.cup, 2.27) > 0.0508


def test_a_throw_is_one_of_its_table():
    throw = thrown()
    for other in (
        replace(throw, tag="00000000"),
        replace(throw, places=throw.places[:2]),
    ):
        with pytest.raises(SpecError, match=r"^the throw by hand is one of \d Piggles on another"):
            Pour(scene=SCENE, seat=Seat.A).by_hand(PIGGLES, other)
    moved = ((0.0, -0.1, 0.3, *throw.places[0][3:]), *throw.places[1:])
    overlapping = (throw.places[1], *throw.places[1:])
    for places in (moved, overlapping):
        with pytest.raises(SpecError, match="not one of this hand and these bodies in this cup"):
            Pour(scene=SCENE, seat=Seat.A).by_hand(PIGGLES, replace(throw, places=places))


class NeverCompiled:
    """No world is an instance of it, so every throw is driven."""


@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
def test_compiled_code_throws_the_bits_of_the_driver(seat, monkeypatch):
    for seed in range(3):
        throw = Pour(scene=SCENE, seat=seat).by_hand(PIGGLES, thrown(seed, seat=seat))
        compiled = pour.simulate(SCENE, throw, PIGGLES, engine=make_engine("impulse"))
        with monkeypatch.context() as patch:
            patch.setattr(pour, "CompiledWorld", NeverCompiled)
            driven = pour.simulate(SCENE, throw, PIGGLES, engine=make_engine("impulse"))
        assert repr(replace(compiled, readings=driven.readings)) == repr(driven)
        assert compiled.emptied_at > len(throw.path.throw.samples) / RATE - 0.5


def test_a_hand_that_never_tips_turns_the_cup_over():
    throw = thrown(samples=through(TAKEN, (*HELD, *UPRIGHT)))
    start = Pour(scene=SCENE, seat=Seat.A).by_hand(PIGGLES, throw)
    outcome = pour.simulate(SCENE, start, PIGGLES, engine=make_engine("impulse"))
    assert outcome.emptied_at > len(throw.samples) / RATE + SCENE.hand.patience
    assert outcome.settle.status.value == "settled"


@pytest.mark.parametrize("engine", ["impulse", "bullet"])
def test_a_roll_starts_from_a_hand(engine, tmp_path):
    text = thrown(2).text
    roll = pigglesim.roll(3, start=text, engine=engine)
    assert roll.provenance["start"] == text
    assert roll.landings == pigglesim.roll(3, start=text, engine=engine, seed=9).landings
    with pytest.raises(SpecError, match="the throw by hand is one of 3 Piggles on another table"):
        pigglesim.roll(2, start=text, engine=engine)


def test_a_match_records_a_hand_and_throws_it_again():
    throw = thrown()
    action = Load(("A1", "A2", "A3"), throw)
    text = FORMS.write(action)
    assert text == f"load A1 A2 A3 at {throw.text}"
    assert FORMS.read(text) == action
    chance = pigglesim.api.roll.make_chance(
        "piggles_classic", models=None, engine="impulse", seed=3
    )
    request = RollRequest(thrower=Seat.A, piggles=action.piggles, hold=throw)
    # It takes nothing from the seed.
    assert chance.roll(request, index=0) == chance.with_seed(8).roll(request, index=5)
