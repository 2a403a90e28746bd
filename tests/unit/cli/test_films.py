"""`--film` on roll, match and replay, and `pigglesim film`."""

import json
import shlex
from dataclasses import replace

import numpy as np
import pytest

from pigglesim.films.codec import film_folder, read_film, write_film
from pigglesim.landing import Seat
from pigglesim.match.record import read_record
from pigglesim.render.stage import Stage
from pigglesim.render.web_page import PackedArrays, Packing
from tests.support.front_door import run_here
from tests.unit.films.rolls import small_film
from tests.unit.render.test_dice import set_down

MATCH = ["match", "--seed", 3, "--rule", "rounds=2", "--no-boards"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("films")
    done = run_here(*MATCH, "--out", folder / "m.jsonl", "--film")
    assert done.exit_code == 0
    done = run_here(*MATCH, "--out", folder / "bare.jsonl")
    assert done.exit_code == 0
    return folder


def test_a_roll_is_filmed_and_the_film_holds_what_rolls_it_again(tmp_path):
    path = tmp_path / "x.film"
    words = ["roll", "2", "--seat", "B", "--model", "premium", "--rule", "line_rule=com"]
    plain = json.loads(run_here(*words, "--seed", "5", "--json").stdout)
    done = run_here(*words, "--seed", "5", "--film", path, "--json")
    assert json.loads(done.stdout) == plain
    film = read_film(path)
    assert film.origin["command"] == (
        "pigglesim roll 2 --model premium --seat B --seed 5 --engine "
        f"{film.origin['engine']} --rule line_rule=com"
    )
    assert [(name, at.zone) for name, at in film.readings] == [
        (die["id"], die["zone"]) for die in plain["dice"]
    ]
    again = tmp_path / "again.film"
    run_here(*shlex.split(film.origin["command"])[1:], "--film", again)
    assert again.read_bytes() == path.read_bytes()


def test_a_match_is_filmed_beside_its_record(folder):
    record, films = read_record(folder / "m.jsonl"), film_folder(folder / "m.jsonl")
    assert record == read_record(folder / "bare.jsonl")
    assert films.rolls() == tuple(range(len(record.outcomes)))
    lines = run_here("film", films.path).stdout.splitlines()
    assert len(lines) == len(record.outcomes)
    assert " 6 on the board, " in lines[1]
    documents = json.loads(run_here("film", films.path, "--json").stdout)["films"]
    assert [document["origin"]["roll"] for document in documents] == list(films.rolls())
    shown = run_here("replay", folder / "m.jsonl", "--no-boards").stdout
    count = len(record.outcomes)
    assert f"films of {count} of {count} rolls: pigglesim film" in shown
    assert json.loads(run_here("replay", folder / "m.jsonl", "--json").stdout)["films"] == count
    assert "films of" not in run_here("replay", folder / "bare.jsonl", "--no-boards").stdout


def test_a_match_without_films_is_filmed_afterwards_byte_for_byte(folder):
    path, films = folder / "bare.jsonl", film_folder(folder / "bare.jsonl")
    some = json.loads(run_here("replay", path, "--film", "--to-round", 1, "--json").stdout)
    assert (some["films"], some["made"], len(films.rolls())) == (2, 2, 2)
    printed = run_here("replay", path, "--film").stdout
    count = len(read_record(path).outcomes)
    assert f"{count} films in {films.path}" in printed
    assert f"{count - 2} of them new" in printed
    kept = film_folder(folder / "m.jsonl")
    for index in kept.rolls():
        assert films.file(index).read_bytes() == kept.file(index).read_bytes()


def test_names_in_a_file_do_not_move_the_cursor(tmp_path):
    name = "[/red]\x1b[2J\n"
    film = small_film(origin={"seed": name, "command": name})
    hostile = replace(film, actors=(replace(film.actors[0], name=name, model=name),))
    write_film(hostile, tmp_path / "roll-0001.film")
    for path in (tmp_path, tmp_path / "roll-0001.film"):
        printed = run_here("film", path).stdout
        assert "[/red]" in printed
        assert "\x1b" not in printed
        assert json.loads(run_here("film", path, "--json").stdout)


def test_the_films_of_a_match_are_one_page_and_many_drawings(folder, tmp_path):
    films = film_folder(folder / "m.jsonl")
    rolls = len(films.rolls())
    html, svg = tmp_path / "m.html", tmp_path / "m.svg"
    assert run_here("film", films.path, "--html", html, "--svg", svg).exit_code == 0
    page = html.read_text()
    assert all(f"Roll {number}: " in page for number in range(1, rolls + 1))
    assert f"Roll {rolls + 1}: " not in page
    drawn = {path.name for path in tmp_path.glob("*.svg")}
    assert drawn == {f"m-{number:02}.svg" for number in range(1, rolls + 1)}


@pytest.mark.parametrize("faces", [[], [1, 2], [{"a": 2}], ["\x1b[2J"], [True], "1"])
def test_the_facts_of_a_film_from_elsewhere_change_no_page_and_no_table(tmp_path, faces):
    film = small_film()
    facts = dict.fromkeys(("seed", "roll", "command", "engine"), "[/b]\x1b[2J")
    pages = []
    for name, origin in (("plain", film.origin), ("odd", {**facts, "faces": faces})):
        write_film(replace(film, origin=origin), tmp_path / f"{name}.film")
        html = tmp_path / f"{name}.html"
        done = run_here("film", tmp_path / f"{name}.film", "--html", html)
        assert done.exit_code == 0, done.output
        assert "\x1b[2J" not in done.output
        assert "face" not in done.output
        pages.append(html.read_text().partition('id="packed"')[2])
    assert pages[0] == pages[1]


def test_the_page_of_dice_has_the_faces_that_rest_upwards():
    film = set_down(np.random.default_rng(2), Seat.A)
    stage = Stage.of(replace(film, origin={"faces": [6] * 6}))
    index = Packing(stage.board, stage.cup).chapter(stage, PackedArrays())
    assert [actor["face"] for actor in index["actors"]] == list("123456")
