"""Words in pictures, without a graphics card."""

import numpy as np

from pigglesim.films.film import FilmActor, Still
from pigglesim.landing import Landing, Orientation, Seat, Zone
from pigglesim.render.camera import VIEWS
from pigglesim.render.labels import reading_plates
from tests.unit.films.rolls import pours

SIZE = (1280, 720)


def plates_of(film, size=SIZE, camera=VIEWS["table"]):
    still = film.at(film.end)
    return reading_plates(film.actors, dict(film.readings), still, camera, size)


def test_every_piggle_on_the_picture_has_a_label_and_none_covers_another():
    film = pours()[1]
    plates = plates_of(film)
    labels = [plate for plate in plates if plate.key[0] != "line"]
    names = {item.text for plate in labels for item in plate.key if getattr(item, "bold", False)}
    assert names == {actor.name for actor in film.actors}
    covered = np.zeros((SIZE[1], SIZE[0]), dtype=int)
    for plate in labels:
        (x, y), (wide, high) = plate.corner, plate.size
        assert 0 <= x <= SIZE[0] - wide and 0 <= y <= SIZE[1] - high
        covered[y : y + high, x : x + wide] += 1
    assert covered.max() == 1


def test_a_label_farther_off_is_tied_to_its_piggle():
    # Twelve in one place: there is no room for all beside it.
    count = 12
    landing = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS)
    actors = [FilmActor(name=f"A{k}", model="piggle", owner=Seat.A) for k in range(count)]
    still = Still(
        time=0.0, positions=np.zeros((count, 3)), rotations=np.zeros((count, 4)), cup=None
    )
    readings = {actor.name: landing for actor in actors}
    plates = reading_plates(actors, readings, still, VIEWS["table"], SIZE)
    lines = [plate for plate in plates if plate.key[0] == "line"]
    assert len(lines) >= 4
    # Lines lie under the words.
    assert plates[: len(lines)] == lines
