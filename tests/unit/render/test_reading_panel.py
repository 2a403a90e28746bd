"""What is told of one body in a film when it is picked."""

from dataclasses import replace

from pigglesim.chance.physical import FilmedChance, physical_chance
from pigglesim.chance_types import DiceRequest
from pigglesim.landing import Seat
from pigglesim.render.hud import reading_rows
from pigglesim.render.stage import Stage
from pigglesim.scene.load import load_scene


def test_a_die_tells_its_number_once_it_lies_and_its_speed_before():
    table = load_scene("piggy_six")
    chance = FilmedChance(source=physical_chance(table, {}, engine=None, seed=9))
    # One who sits at no side of a board, as the third of three players.
    read, film = chance.filmed_dice(DiceRequest(thrower=Seat.C, count=2), index=0)
    stage = Stage.of(film)
    for number, face in enumerate(read.faces):
        rows = dict(reading_rows(stage, number, film.end))
        assert (rows["owner"], rows["shows"]) == ("C", str(face))
        assert "speed" not in rows
        early = dict(reading_rows(stage, number, film.start))
        assert "speed" in early
        assert "shows" not in early
    south = replace(film, actors=tuple(replace(actor, owner=Seat.A) for actor in film.actors))
    rows = dict(reading_rows(Stage.of(south), 0, film.end))
    assert rows["owner"] == "A (South)"
