"""Tracked throws: files and invalid ones, measured starts, scores, and fits of known bodies."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pigglesim.errors import SpecError
from pigglesim.experiments import track_fit
from pigglesim.experiments.track_fit import Evolution, fit_throws
from pigglesim.experiments.tracked_throws import (
    FollowedThrow,
    FollowTask,
    ThrowParameters,
    Track,
    TrackedThrows,
    TrackThrower,
    errors_of,
    face_up,
    find_tracked_throws,
    first_face_scores,
    follow_all,
    measure_start,
    read_parameters,
    read_tracked_throws,
    score_throws,
)
from pigglesim.scene.scene import GRAVITY
from tests.support.tracked_throws import CUBE, FRAME, TOSS, random_start, rows, thrown_cube, write


@pytest.fixture(scope="module")
def thrown():
    return thrown_cube()


def test_a_start_is_that_of_the_flight(thrown):
    rng, found = np.random.default_rng(3), []
    for track in thrown.tracks:
        released, start = random_start(rng), measure_start(track, CUBE, FRAME)
        if start is None:
            continue
        found.append(start)
        time = start.frame * FRAME
        fallen = np.array([0.0, 0.0, GRAVITY / 2.0 * time**2])
        assert start.position == pytest.approx(
            released.position + released.velocity * time - fallen, abs=1e-5
        )
        assert start.velocity == pytest.approx(
            released.velocity - [0.0, 0.0, GRAVITY * time], abs=1e-3
        )
        # In flight the angular momentum stays; the spin is fitted to second order in time.
        moments = []
        for one in (released, start):
            turn = Rotation.from_quat(one.rotation)
            spin = turn.inv().apply(one.angular_velocity)
            moments.append(turn.apply(CUBE.moments * spin))
        assert np.linalg.norm(moments[1] - moments[0]) < 0.02 * np.linalg.norm(moments[0])
    assert len(found) > 15


def test_the_true_body_follows_its_own_throws_and_another_does_not(thrown):
    def errors(parameters):
        thrower, found = TrackThrower(parameters, "impulse", FRAME), []
        for track in thrown.tracks:
            if start := measure_start(track, parameters, FRAME):
                motion = thrower.throw(start, len(track.positions) - start.frame)
                found.append(errors_of(track, start, motion, thrown.side)[0])
        return np.median(found)

    true = errors(CUBE)
    assert true < 0.004
    assert errors(replace(CUBE, sliding_friction=0.3)) > 3 * true
    assert errors(replace(CUBE, impact_stages=1)) > 3 * true
    assert errors(replace(CUBE, centre=(0.0, 0.0, 0.0))) > 3 * true


@pytest.fixture(scope="module")
def task(thrown):
    """The first throws, to be fitted."""
    body = replace(CUBE, rounding=0.0)
    found = [(k, measure_start(thrown.tracks[k], body, FRAME)) for k in range(8)]
    starts = tuple((k, start) for k, start in found if start)
    names = track_fit.parameters_of(thrown, "impulse")
    return track_fit._FitTask(
        throws=thrown, engine="impulse", body=body, starts=starts, names=names
    )


def point_of(task, parameters):
    values = {name: getattr(parameters, name) for name in ThrowParameters.__dataclass_fields__}
    for k, axis in enumerate("xyz"):
        values[f"centre_{axis}"], values[f"inertia_{axis}"] = (
            parameters.centre[k],
            parameters.inertia[k],
        )
    return np.array([values[one.name] / one.scale for one in task.names])


def test_a_point_is_parameters_in_their_units(task):
    found = task.parameters(point_of(task, CUBE))
    for name in ThrowParameters.__dataclass_fields__:
        assert getattr(found, name) == pytest.approx(getattr(CUBE, name)), name
    units = {one.name: one.unit for one in task.names}
    assert (units["friction"], units["rounding"]) == ("", "mm")


def test_the_loss_of_a_throw_is_its_capped_errors(task):
    truth, sticky = point_of(task, CUBE), point_of(task, replace(CUBE, restitution=0.32))
    losses, early = task.losses((sticky, None)), task.losses((sticky, 10))
    assert task.losses((truth, None)).mean() < 0.6 * losses.mean()
    assert (losses > early).all()
    assert (early <= 3.0 + 3.0).all()
    assert (losses <= 3.0 + 3.0 + 2.0 + 2.0).all()
    # By hand: of the first throw, from where even a sharp cube is in flight.
    parameters = task.parameters(sticky)
    index, _ = task.starts[0]
    track = task.throws.tracks[index]
    start = measure_start(track, replace(parameters, rounding=0.0), FRAME)
    count = len(track.positions) - start.frame
    motion = TrackThrower(parameters, "impulse", FRAME).throw(start, count)
    first = motion[0][:22], motion[1][:22]
    (near, turned), (far, spun) = (
        errors_of(track, start, part, CUBE.side) for part in (first, motion)
    )
    expected = min(near / 0.02, 3.0) + min(np.degrees(turned) / 3.0, 3.0)
    expected += min(far, 0.2) / 0.1 + min(np.degrees(spun), 20.0) / 10.0
    assert losses[0] == pytest.approx(expected, rel=1e-9)


def test_a_search_ends_in_the_mean_of_the_throws_with_its_error(monkeypatch):
    # The loss of each throw is least at parameters of its own: all together at their mean, which
    # has a standard error of their spread over the root of their number.
    own = np.array([0.2, -0.3]) + np.random.default_rng(5).normal(0.0, 0.15, (40, 2))
    names = [
        track_fit.TrackParameter(name=name, unit="", scale=1.0, low=-high, high=high, evidence="")
        for name, high in (("a", 1.0), ("b", 2.0))
    ]

    def losses(job):
        return ((job[0] - own) ** 2).sum(axis=1)

    task = SimpleNamespace(names=names, parameters=lambda value: tuple(value), losses=losses)
    tried = []
    search = track_fit._FitSearch(task, partial(map, losses), 7, tried.append)
    monkeypatch.setattr(track_fit, "_BOOTSTRAP", 60)
    found = search.run(300)
    error = own.std(axis=0, ddof=1) / np.sqrt(40)
    assert 300 <= sum(tried) <= 320
    assert found.values == pytest.approx(own.mean(axis=0), abs=0.01)
    assert found.parameters == tuple(found.values)
    # Student's quantile of 39 degrees of freedom. The error of 60 draws errs by a tenth.
    assert found.high - found.values == pytest.approx(2.0227 * error, rel=0.3)
    assert found.values - found.low == pytest.approx(2.0227 * error, rel=0.3)
    widths = np.array([2.0, 4.0])
    drawn = (found.high - found.low) / 2.0 / 2.0227
    assert found.narrowing == pytest.approx(1.0 - drawn * np.sqrt(12.0) / widths, rel=1e-4)
    assert (found.throws, found.loss) == (40, pytest.approx(losses((found.values, None)).mean()))


@pytest.mark.slow
def test_a_fit_finds_the_body_and_the_surface_that_were_thrown(thrown, monkeypatch):
    # The scatter, whose draws take most of the time, is tested below.
    monkeypatch.setattr(track_fit, "_SCATTER_DRAWS", 4)
    fit = fit_throws(thrown, "impulse", points=200, workers=1, seed=2, watch=lambda _: None)
    found = fit.parameters
    assert found.friction == pytest.approx(CUBE.friction, abs=0.02)
    assert found.sliding_friction == pytest.approx(CUBE.sliding_friction, abs=0.03)
    assert found.restitution == pytest.approx(CUBE.restitution, abs=0.05)
    assert np.abs(np.subtract(found.centre, CUBE.centre)).max() < 1e-3
    assert (fit.low <= fit.values).all()
    assert (fit.values <= fit.high).all()


def test_the_evolution_finds_the_minimum_of_a_narrow_valley():
    evolution = Evolution(np.zeros(4), 0.3, np.random.default_rng(1))
    goal = np.array([0.3, -0.2, 0.1, 0.4])
    stretch = np.array([1.0, 10.0, 100.0, 3.0])
    for _ in range(150):
        points = evolution.ask()
        evolution.tell(points, (((points - goal) * stretch) ** 2).sum(axis=1))
    assert evolution.mean == pytest.approx(goal, abs=1e-3)


def test_scores_are_those_of_counted_faces():
    def one(number, face, first, faces):
        return FollowedThrow(
            number=number,
            position_error=0.1 * number,
            rotation_error=np.radians(10.0),
            face=face,
            first_face=first,
            faces=faces,
        )

    followed = [one(1, 5, 5, (0, 0, 0, 0, 50, 150)), one(2, 0, 5, (0, 0, 0, 0, 0, 200))]
    score = score_throws("cube", followed, [7])
    shares = np.array([[0.005] * 4 + [0.2475, 0.7325], [0.005] * 5 + [0.975]])
    assert score.position_error_percent.value == pytest.approx(15.0)
    assert score.position_error_percent.se == pytest.approx(5.0)
    assert score.rotation_error_degrees.value == pytest.approx(10.0)
    assert score.face_right.value == 0.5
    assert score.log_score.value == pytest.approx(-np.log(shares[[0, 1], [5, 0]]).mean())
    came = np.eye(6)[[5, 0]]
    assert score.brier.value == pytest.approx(((shares - came) ** 2).sum(axis=1).mean())
    assert first_face_scores(followed)["face_right"].value == 0.5


def test_the_surface_of_a_throw_varies_by_the_scatter():
    rng, scattered = np.random.default_rng(6), replace(CUBE, scatter=0.1)
    drawn = [scattered.drawn(rng) for _ in range(2000)]
    for name in ("friction", "sliding_friction", "restitution"):
        logs = np.log([getattr(one, name) / getattr(CUBE, name) for one in drawn])
        assert logs.mean() == pytest.approx(0.0, abs=4 * 0.1 / np.sqrt(2000))
        assert logs.std() == pytest.approx(0.1, rel=0.1)
    assert {one.centre for one in drawn} == {CUBE.centre}


@pytest.mark.slow
def test_faces_of_throws_whose_surface_varies_are_predicted_better_with_the_scatter():
    rng, tracks = np.random.default_rng(5), []
    scattered = replace(CUBE, scatter=0.2)
    for number in range(40):
        thrower = TrackThrower(scattered.drawn(rng), "impulse", FRAME)
        positions, rotations = thrower.throw(random_start(rng), 120)
        noisy = positions + rng.normal(0.0, 2e-5, positions.shape)
        tracks.append(Track(number=number, positions=noisy, rotations=rotations))
    throws = TrackedThrows(
        name="cube", side=CUBE.side, mass=CUBE.mass, frame_time=FRAME, tracks=tuple(tracks)
    )
    scores = {}
    for scatter in (0.0, 0.2):
        parameters = replace(CUBE, scatter=scatter)
        task = FollowTask(throws=throws, parameters=parameters, engine="impulse", draws=40, seed=1)
        followed = [one for one in follow_all(task, workers=1) if one]
        scores[scatter] = score_throws("cube", followed, []).log_score.value
    assert scores[0.2] < 0.8 * scores[0.0]


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_the_face_up(axis, sign):
    direction = np.zeros(3)
    direction[axis] = sign
    turn, _ = Rotation.align_vectors([[0.0, 0.1, 1.0]], [direction])
    assert face_up(turn.as_quat()) == 2 * axis + (sign > 0)


def test_following_is_the_same_by_itself_and_in_a_row(thrown):
    task = FollowTask(throws=thrown, parameters=CUBE, engine="impulse", draws=5, seed=4)
    assert task.follow(3) == FollowTask(
        throws=thrown, parameters=CUBE, engine="impulse", draws=5, seed=4
    ).follow(3)


def test_tracks_are_read_as_they_were_written(thrown, tmp_path):
    place = tmp_path / "set"
    place.mkdir()
    throws = read_tracked_throws(write(place, rows(thrown)))
    assert throws.side == 0.1
    assert len(throws.tracks) == 20
    assert throws.tracks[4].positions == pytest.approx(thrown.tracks[4].positions, abs=1e-12)
    assert find_tracked_throws(tmp_path) == [place / "toss.toml"]


def broken(values, row, column, value):
    values[row] = tuple(value if k == column else x for k, x in enumerate(values[row]))
    return values


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (lambda v: v[:40] + v[41:], "a gap or a repeated frame after frame 39"),
        (lambda v: broken(v, 50, 4, float("nan")), "not finite"),
        (lambda v: broken(v, 50, 9, 3.0), "quaternion of length"),
        (
            lambda v: [(*row[:3], *(1e3 * x for x in row[3:6]), *row[6:]) for row in v],
            "give positions in metres",
        ),
        (lambda v: [(*row[:2], row[2] * 2, *row[3:]) for row in v], "ms between frames"),
    ],
)
def test_faulty_tracks_are_refused_in_a_line(thrown, tmp_path, fault, text):
    path = write(tmp_path, fault(rows(thrown)))
    with pytest.raises(SpecError) as error:
        read_tracked_throws(path)
    assert text in str(error.value)


def test_a_file_that_is_no_track_is_refused(thrown, tmp_path):
    path = write(tmp_path, rows(thrown)[:5])
    (tmp_path / "tosses.parquet").write_bytes(b"PAR1 not at all")
    with pytest.raises(SpecError, match="Parquet"):
        read_tracked_throws(path)
    (tmp_path / "toss.toml").write_text(TOSS.replace("100", "-1"))
    with pytest.raises(SpecError, match="side_mm"):
        read_tracked_throws(path)


def test_too_few_flights_are_no_fit(thrown):
    few = replace(thrown, tracks=thrown.tracks[:6])
    with pytest.raises(SpecError, match="10 or more"):
        fit_throws(few, "impulse", points=100, workers=1, seed=1, watch=lambda _: None)


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("[body]\nside_mm = 100\nmass_kg = 0.4\nrounding_mm = 60", "half the side"),
        ("[body]\nside_mm = 100\nmass_kg = 0.4\ninertia_kg_m2 = [1, 1, 3]", "moment of inertia"),
        ("[body]\nside_mm = 100\nmass_kg = 0.4\nmood = 1", "mood"),
    ],
)
def test_impossible_parameters_are_refused(tmp_path, table, text):
    path = tmp_path / "cube.toml"
    path.write_text(f'engine = "impulse"\nthrows = "cube"\n{table}\n[surface]\n')
    with pytest.raises(SpecError, match=text):
        read_parameters(path)


def test_missing_parameters_are_named():
    with pytest.raises(SpecError, match=r"cube\.toml"):
        read_parameters(Path("nowhere/cube.toml"))
