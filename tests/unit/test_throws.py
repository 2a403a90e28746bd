from base64 import urlsafe_b64encode
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.bodies.load import load_model
from pigglesim.cup_path import legal_hold
from pigglesim.errors import SpecError
from pigglesim.games.piggles.areas import holdable
from pigglesim.landing import (
    BOARD_HALF,
    BOARD_SEATS,
    MAX_HEADING,
    MAX_SWING,
    MIN_CUP_HEIGHT,
    CupHold,
    Seat,
)
from pigglesim.rng import generator
from pigglesim.rotations import rotate, to_matrix
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.scene.scene import INCH
from pigglesim.throws import DRAW_BLOCK, Pour, reach, sample_drops

SCENE = load_scene("piggles_classic")
BODY = load_model("piggle")


def sample(count=6, *, seat=Seat.A, seed=1, scene=SCENE, hold=None):
    pour = Pour(scene=scene, seat=seat, hold=hold)
    return pour.sample((BODY,) * count, rng=generator(seed, "pour"))


def lowest_point(path, time):
    """The lowest point of the cup [m], from circles of points round its two ends."""
    position, rotation = path.pose(time)
    angle = np.linspace(0, 2 * np.pi, 721)
    rim = path.cup.outer_radius * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])
    half = path.cup.depth / 2
    up = np.array([0.0, 0.0, 1.0])
    ends = [rim + half * up, rim - (half + path.cup.wall) * up]
    world = rotate(np.array(rotation), np.vstack(ends)) + np.array(position)
    return world[:, 2].min()


@pytest.mark.parametrize("seat", BOARD_SEATS)
@pytest.mark.parametrize("seed", range(5))
def test_the_cup_stays_at_the_height_of_the_hold_over_the_own_half(seat, seed):
    path = sample(seat=seat, seed=seed).path
    times = np.linspace(0, path.motion.patience_end + 0.3, 600)
    lows = [lowest_point(path, t) for t in times]
    # Never lower than the hold, and it does come down to it.
    assert min(lows) == pytest.approx(SCENE.hand.lip_height, abs=5e-4)
    side = -1 if seat is Seat.A else 1
    ways = np.array([path.pose(t)[0] for t in times])
    assert np.all(side * ways[:, 1] > 0)
    assert np.all(np.abs(ways[times > path.motion.tip_start, :2]) <= SCENE.board.half + 1e-9)


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_the_loaded_piggles_are_inside_the_cup_and_apart(count, seed):
    throw = sample(count, seed=seed)
    position, rotation = throw.path.pose(0.0)
    local = (throw.positions - position) @ to_matrix(np.array(rotation))
    radius = reach(BODY)
    assert np.all(np.hypot(local[:, 0], local[:, 1]) + radius <= SCENE.cup.inner_radius + 1e-9)
    # The first layer lies on the bottom, each further one on the one below.
    layers = (local[:, 2] + SCENE.cup.depth / 2) / radius
    assert layers.min() == pytest.approx(1.0, abs=1e-6)
    assert np.sort(layers) == pytest.approx(np.round(np.sort(layers)), abs=1e-6)
    assert {round(layer) % 2 for layer in layers} == {1}
    gaps = np.linalg.norm(throw.positions[:, None] - throw.positions[None], axis=2)
    assert np.all(gaps[np.triu_indices(count, 1)] >= 2 * radius - 1e-9)


def test_the_hand_s_spread_is_cut_at_two_standard_deviations():
    # Scaled by their spreads the aim, heading and tempo of 500 throws are standard normal numbers,
    # of which some 68 are beyond 2 and lie at 2, and none stands beyond.
    hand = replace(SCENE.hand, across_spread=0.01, heading_spread=0.1, tempo_spread=0.05)
    paths = [sample(1, seed=seed, scene=replace(SCENE, hand=hand)).path for seed in range(500)]
    scaled = np.array(
        [
            ((path.across - hand.across) / 0.01, path.heading / 0.1, np.log(path.tempo) / 0.05)
            for path in paths
        ]
    )
    assert np.abs(scaled).max() == pytest.approx(2.0, abs=1e-9)
    cut = np.abs(scaled) > 2.0 - 1e-9
    # Binomial(1500, .0455): mean 68, standard deviation 8; four of them, on both sides.
    assert 36 <= cut.sum() <= 101
    assert {*np.sign(scaled[cut])} == {-1.0, 1.0}
    # Within the cut nothing is changed: the deviation of a normal number cut so is .9594.
    assert scaled.std() == pytest.approx(0.9594, abs=4 * 0.9594 / 3000**0.5)
    assert np.abs(np.corrcoef(scaled.T)[np.triu_indices(3, 1)]).max() < 4 / 500**0.5


def test_rotations_in_the_cup_are_uniform():
    # The mean rotation matrix of a uniform sample is zero, each entry with variance 1/3.
    matrices = [to_matrix(q) for s in range(300) for q in sample(seed=s).rotations]
    mean = np.mean(matrices, axis=0)
    assert np.abs(mean).max() < 4 * (1 / 3 / len(matrices)) ** 0.5


def test_the_other_seat_does_the_same_half_a_turn_round():
    south, north = sample(seat=Seat.A), sample(seat=Seat.B)
    for time in (0.0, 0.3, 0.6, 1.0):
        (ax, ay, az), a = south.path.pose(time)
        (bx, by, bz), b = north.path.pose(time)
        assert (bx, by, bz) == pytest.approx((-ax, -ay, az))
        half_turn = np.diag([-1.0, -1.0, 1.0])
        assert np.allclose(to_matrix(np.array(b)), half_turn @ to_matrix(np.array(a)))


NARROW = replace(SCENE, cup=replace(SCENE.cup, inner_radius=0.015))


def held(across=0.0, back=4.7, height=4.0, **way):
    return {"hold": CupHold(across=across * INCH, back=back * INCH, height=height * INCH, **way)}


@pytest.mark.parametrize("seat", BOARD_SEATS)
@pytest.mark.parametrize(("swing", "heading"), [(1.5, 0.0), (0.8, -0.5), (2.0, 1.0), (0.0, 0.3)])
def test_a_swung_cup_has_its_speed_on_a_straight_way_to_its_hold(seat, swing, heading):
    way = held(across=1, back=2, swing=swing, heading=heading)
    steady = replace(SCENE.hand, across_spread=0, heading_spread=0, tempo_spread=0)
    path = sample(seat=seat, scene=replace(SCENE, hand=steady), **way).path
    times = np.linspace(path.motion.tip_start, path.motion.tip_end, 2001)
    side = 1 if seat is Seat.A else -1
    ways = side * np.array([path.pose(t)[0][:2] for t in times])
    speeds = np.linalg.norm(np.diff(ways, axis=0), axis=1) / np.diff(times)
    assert speeds.max() == pytest.approx(swing, rel=1e-5, abs=1e-12)
    assert ways[-1] == pytest.approx([INCH, -2 * INCH])
    reach = np.linalg.norm(ways[-1] - ways[0])
    straight = reach * np.array([np.sin(heading), np.cos(heading)])
    assert ways[-1] - ways[0] == pytest.approx(straight, abs=1e-12)
    # The mouth of the tipped cup points the same way.
    mouth = rotate(np.array(path.pose(path.motion.tip_end)[1]), np.array([0.0, 0.0, 1.0]))
    pointing = side * mouth[:2] / np.linalg.norm(mouth[:2])
    assert pointing == pytest.approx([np.sin(heading), np.cos(heading)])


def test_the_hold_of_the_scene_moves_no_bit_of_its_throw():
    hand = SCENE.hand
    own = CupHold(across=hand.across, back=hand.end_back, height=hand.lip_height)
    for time in (0.1, 0.5, 0.7):
        assert sample(hold=own).path.pose(time) == sample().path.pose(time)


@pytest.mark.parametrize(
    ("change", "remedy"),
    [
        ({"count": 0}, "expected 1 to 6"),
        ({"count": 7}, "expected 1 to 6"),
        ({"scene": NARROW}, "increase inner_radius_mm"),
        (held(height=1.9), "increase lip_height_in"),
        (held(height=-1.0), "increase lip_height_in"),
        (held(back=-0.1), "increase end_back_in"),
        (held(back=6.6), "nearer to the middle"),
        (held(swing=2.1), "expected 0 to 2"),
        (held(swing=float("nan")), "expected 0 to 2"),
        (held(heading=1.1), "at most 60"),
        (held(across=7), "nearer to the middle"),
        (held(across=float("nan")), "use inches"),
        (held(height=float("inf")), "use inches"),
    ],
)
def test_an_impossible_pour_is_refused_before_anything_moves(change, remedy):
    with pytest.raises(SpecError, match=remedy):
        sample(**change)


@settings(max_examples=60)
@given(
    across=st.floats(-0.2, 0.2) | st.sampled_from([-BOARD_HALF, BOARD_HALF]),
    back=st.floats(-0.02, 0.2) | st.sampled_from([0.0, BOARD_HALF]),
    height=st.floats(0.04, 11.0) | st.just(MIN_CUP_HEIGHT),
    heading=st.floats(-1.1, 1.1),
    swing=st.none() | st.floats(-0.1, 2.1),
    seat=st.sampled_from(BOARD_SEATS),
)
def test_what_the_rules_let_a_hand_hold_can_be_thrown(seat, **way):
    hold = CupHold(**way)
    if not holdable(hold):
        with pytest.raises(SpecError):
            sample(seat=seat, hold=hold)
        return
    path = sample(seat=seat, hold=hold).path
    side = -1 if seat is Seat.A else 1
    # From behind the board, never beyond the centre line.
    times = np.linspace(path.motion.tip_start, path.motion.patience_end, 40)
    along = [side * path.pose(time)[0][1] for time in times]
    assert min(along) >= -1e-6
    assert along[-1] <= SCENE.board.half + 1e-6


def test_a_hold_is_moved_to_the_closest_that_the_rules_allow():
    far = CupHold(across=1.0, back=1.0, height=0.2, heading=2.0, swing=9.0)
    half = SCENE.board.half
    assert legal_hold(SCENE, far) == CupHold(
        across=half, back=half, height=0.2, heading=MAX_HEADING, swing=MAX_SWING
    )
    near = CupHold(across=-1.0, back=-1.0, height=0.0, heading=-2.0, swing=-1.0)
    assert legal_hold(SCENE, near) == CupHold(
        across=-half, back=0.0, height=MIN_CUP_HEIGHT, heading=-MAX_HEADING, swing=0.0
    )
    for own in (CupHold(across=0.01, back=0.02, height=0.1, heading=0.3, swing=1.0), CupHold(
        across=0.0, back=0.1, height=0.06
    )):  # fmt: skip
        assert legal_hold(SCENE, own) == own


def test_a_drop_is_the_same_in_any_range_of_trials():
    fall, body = load_floor("tabletop").fall, load_model("d6")

    def drawn(trials):
        return list(sample_drops(fall, body, trials=trials, seed=1, purpose=("range",)))

    whole = drawn(range(3 * DRAW_BLOCK))
    for trials in (range(1), range(DRAW_BLOCK - 1, DRAW_BLOCK + 1), range(10, 2 * DRAW_BLOCK + 1)):
        part = drawn(trials)
        assert len(part) == len(trials)
        for number, drop in zip(trials, part, strict=True):
            assert drop.height == reach(body)
            assert np.array_equal(drop.rotation, whole[number].rotation)
            assert np.array_equal(drop.velocity, whole[number].velocity)
            assert np.array_equal(drop.angular_velocity, whole[number].angular_velocity)


def test_drops_drawn_together_are_spread_as_the_floor_says():
    fall, body = load_floor("tabletop").fall, load_model("d6")
    drops = sample_drops(fall, body, trials=range(20_000), seed=1, purpose=("spread",))
    assert np.linalg.norm(drops.rotations, axis=1) == pytest.approx(1.0)
    # Each component of a uniform quaternion has a variance of a quarter; 5 standard errors.
    assert (drops.rotations**2).mean(axis=0) == pytest.approx(0.25, abs=0.01)
    assert drops.velocities[:, :2].std(axis=0) == pytest.approx(fall.drift_spread, rel=0.03)
    assert set(drops.velocities[:, 2]) == {-((2 * 9.80665 * fall.height) ** 0.5)}
    assert drops.angular_velocities.std(axis=0) == pytest.approx(fall.spin_spread, rel=0.03)


def start_of(throw, **changed):
    """The address of a throw, as a page has it, with some of its numbers changed."""
    path = throw.path
    names = ("across", "heading", "tempo", "phase")
    values = [changed.get(name, getattr(path, name)) for name in names]
    places = np.hstack([throw.positions, throw.rotations])
    for (row, column), value in changed.get("places", {}).items():
        places[row, column] += value
    data = np.array([*values, *places.ravel()], dtype="<f4").tobytes()
    return urlsafe_b64encode(data).decode().rstrip("=")


@pytest.mark.parametrize("seat", BOARD_SEATS)
def test_a_page_s_start_is_the_throw_that_it_drew(seat):
    hold = held(across=1, back=2, height=3)["hold"]
    throw = sample(3, seat=seat, hold=hold)
    again = Pour(scene=SCENE, seat=seat, hold=hold).started((BODY,) * 3, start_of(throw))
    for time in (0.0, 0.4, 0.8):
        for own, other in zip(throw.path.pose(time), again.path.pose(time), strict=True):
            assert own == pytest.approx(other, abs=1e-6)
    assert again.positions == pytest.approx(throw.positions, abs=1e-7)
    assert again.rotations == pytest.approx(throw.rotations, abs=1e-6)
    assert np.linalg.norm(again.rotations, axis=1) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    "change",
    [
        {"across": SCENE.hand.across + 2.1 * SCENE.hand.across_spread},
        {"heading": -2.1 * SCENE.hand.heading_spread},
        {"tempo": np.exp(2.1 * SCENE.hand.tempo_spread)},
        {"phase": 6.4},
        {"places": {(0, 6): 0.01}},  # no unit quaternion
        {"places": {(0, 0): 0.1}},  # beside the cup
        {"places": {(0, 2): -0.1}},  # below its bottom
        {"places": {(0, 2): 0.3}},  # above its layers
    ],
)
def test_a_start_that_no_hand_of_the_scene_makes_is_refused(change):
    throw = sample(2)
    pour = Pour(scene=SCENE, seat=Seat.A)
    pour.started((BODY,) * 2, start_of(throw))
    with pytest.raises(SpecError, match="not one of this hand"):
        pour.started((BODY,) * 2, start_of(throw, **change))


def test_a_start_of_bodies_in_one_another_is_refused():
    throw = sample(2)
    apart = throw.positions[1] - throw.positions[0]
    change = {(0, axis): value for axis, value in enumerate(apart.tolist())}
    with pytest.raises(SpecError, match="not one of this hand"):
        Pour(scene=SCENE, seat=Seat.A).started((BODY,) * 2, start_of(throw, places=change))
