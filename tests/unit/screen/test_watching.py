"""Who watches a roll sees all of it and changes no bit; the film shows it at its own speed."""

import numpy as np
import pytest

from pigglesim.chance.physical import PhysicalChance
from pigglesim.physics.engines import make_engine
from pigglesim.physics.simulate import Moment
from pigglesim.roll_codec import result_to_json
from pigglesim.rolls import Cocked, ReadingRules, RestPlace, RollRequest, Seat, Zone
from pigglesim.scene.load import load_scene
from pigglesim.screen.film import Film
from pigglesim.shapes.load import load_model

SCENE = load_scene("piggles_classic")
A = tuple(f"A{n}" for n in range(1, 7))
B = tuple(f"B{n}" for n in range(1, 7))


def chance(watch=None, engine="bullet", seed=13):
    models = dict.fromkeys((*A, *B), load_model("piggle"))
    return PhysicalChance(
        scene=SCENE, models=models, engine=make_engine(engine), seed=seed, watch=watch
    )


def onto_a_board(source):
    """Return the results of two rolls, the second onto what the first has left."""
    first = source.roll(RollRequest(thrower=Seat.B, piggles=B[:3]), index=0)
    standing = tuple(entry for entry in first.landings if entry[1].zone is not Zone.OFF)
    second = source.roll(RollRequest(thrower=Seat.A, piggles=A[:3], standing=standing), index=1)
    return first, second


@pytest.mark.parametrize("engine", ["bullet", "mujoco", "impulse"])
def test_watching_changes_no_bit(engine):
    moments = []
    unseen = onto_a_board(chance(engine=engine))
    seen = onto_a_board(chance(moments.append, engine=engine))
    assert [result_to_json(each) for each in seen] == [result_to_json(each) for each in unseen]
    assert len(moments) > 50


def test_a_watcher_sees_the_cup_come_and_go_and_all_come_to_rest():
    moments = []
    result = chance(moments.append).roll(RollRequest(thrower=Seat.A, piggles=A), index=0)
    times = [moment.time for moment in moments]
    assert np.diff(times) == pytest.approx(10 * SCENE.stepping.time_step)
    with_cup = [moment.cup is not None for moment in moments]
    assert with_cup[0]
    assert not with_cup[-1]
    assert sorted(with_cup, reverse=True) == with_cup
    # In the shaken cup all are near its axis; at the end they lie where the result says.
    (x, y, _), _ = moments[0].cup
    for place in moments[0].places:
        assert np.hypot(place.position[0] - x, place.position[1] - y) < SCENE.cup.outer_radius
    for (_, landing), place in zip(result.landings, moments[-1].places, strict=True):
        assert landing.place.position == pytest.approx(place.position, abs=2e-3)


def test_a_nudge_is_watched_too_and_the_film_puts_it_after_the_roll():
    film, plain = Film(), chance()
    reading = ReadingRules(cocked=Cocked.NUDGE)
    for index in range(40):
        request = RollRequest(thrower=Seat.A, piggles=A, reading=reading)
        leaning = plain.roll(RollRequest(thrower=Seat.A, piggles=A), index=index)
        if any(landing.leaning for _, landing in leaning.landings):
            break
    moments = []

    def watch(moment):
        moments.append(moment)
        film.keep(moment)

    result = chance(watch).roll(request, index=index)
    assert result == plain.roll(request, index=index)
    starts = [k for k in range(1, len(moments)) if moments[k].time < moments[k - 1].time]
    assert starts
    assert film.bodies == 6
    shown = [film.at(time).time for time in np.arange(0.0, 20.0, 0.02)]
    assert shown == sorted(shown)
    assert shown[-1] == pytest.approx(
        sum(moments[k - 1].time for k in [*starts, len(moments)]), abs=1e-9
    )


def moment(time, x, cup=None):
    place = RestPlace(position=(x, 0.0, 0.01), orientation=(0.0, 0.0, 0.0, 1.0))
    return Moment(time=time, places=(place,), cup=cup)


def test_a_film_ends_soon_after_all_lies_still():
    film = Film()
    assert (film.bodies, film.length) == (0, 0.0)
    pose = ((0.0, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0))
    for k in range(100):
        film.keep(moment(0.1 * k, 0.1 * min(k, 20), cup=pose if k < 5 else None))
    # The last motion that is seen is that to the twentieth place, from moment 19.
    assert film.length == pytest.approx(1.9 + 0.25)
    assert film.at(0.25).time == pytest.approx(0.2)
    assert film.at(-1.0).time == 0.0
    assert film.at(1e9).time == pytest.approx(9.9)
    film.clear()
    assert film.bodies == 0
