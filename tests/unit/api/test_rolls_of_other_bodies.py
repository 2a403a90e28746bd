"""A roll of bodies that are not pigs: each shows its own class, and nothing of a pig's."""

import json
from xml.etree import ElementTree

import pytest
from rich.console import Console

import pigglesim
from pigglesim.bodies.scan import bare_body, model_files
from pigglesim.cli.film import film_document, film_view
from pigglesim.errors import SpecError
from pigglesim.landing import ZONE_POINTS, ClassLanding, Zone
from pigglesim.render.hud import reading_rows
from pigglesim.render.labels import label_text
from pigglesim.render.palette import ZONE_NAMES
from tests.support.front_door import run_here
from tests.unit.bodies import scans
from tests.unit.bodies.test_adopt import scan_of

PIGS = ("Snout", "On-Their-Head", "▲", "▼", "◆")
POSES = ("side", "end", "face")


@pytest.fixture(scope="module")
def box(tmp_path_factory):
    """The name of a box whose poses have names of their own."""
    folder = tmp_path_factory.mktemp("models")
    scan = scan_of(scans.brick())
    body = bare_body(scan, density=1000.0)
    classes = [name for name in POSES for _ in range(2)]
    texts = model_files(scan, body, model="box", density=1000.0, classes=classes, parts={})
    for name, text in texts.items():
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIGGLESIM_MODELS", str(folder))
        yield "box"


@pytest.fixture(scope="module")
def boxes(box):
    return pigglesim.roll(2, model=box, seed=7)


def test_a_box_lands_in_the_class_that_its_file_names(boxes):
    for landing in boxes.landings.values():
        assert isinstance(landing, ClassLanding)
        assert landing.label in POSES
        assert landing.orientation is None
        # Here a pig that lay Snout-Up would be paid.
        assert ZONE_POINTS[landing.zone] > 0
    assert boxes.points == {}


def test_everything_that_shows_it_names_the_class_and_no_pose_of_a_pig(boxes, box):
    film = boxes.film
    console = Console(width=100)
    with console.capture() as seen:
        film_view(console, film, size=1)
    shown = {
        "text": run_here("roll", 2, "--model", box, "--seed", 7).stdout,
        "film": seen.get(),
        "film --json": json.dumps(film_document(film, size=1)["readings"]),
        "repr": repr(boxes),
    }
    for name, landing in boxes.landings.items():
        number = [actor.name for actor in film.actors].index(name)
        rows = dict(reading_rows(boxes.stage, number, film.end))
        assert rows["class"] == landing.label
        assert not {"pose", "pays now"} & set(rows)
        assert label_text(landing).startswith(f"{landing.label} · ")
        for text in shown.values():
            assert landing.label in text
    for where, text in shown.items():
        assert not [word for word in PIGS if word in text], where


def test_drawings_and_pages_name_the_class(boxes, tmp_path):
    boxes.save(tmp_path / "roll.svg")
    boxes.save(tmp_path / "roll.html")
    drawing, page = ((tmp_path / f"roll.{kind}").read_text() for kind in ("svg", "html"))
    said = " ".join(ElementTree.fromstring(drawing).itertext())
    for name, landing in boxes.landings.items():
        assert f"{name} {landing.label} {ZONE_NAMES[landing.zone]}" in said
        assert f'"{landing.label}, ' in page
    assert not [word for word in PIGS if word in said]
    assert not [word for word in ("Snout-Up", "Snout-Down", "On-Their-Head") if f'"{word}' in page]
    assert "On the board for" not in page


def test_the_document_has_the_class_and_a_roll_goes_onto_it(boxes, tmp_path):
    dice = boxes.document()["dice"]
    assert [(die["orientation"], die["points"]) for die in dice] == [(None, None)] * 2
    assert [die["class_name"] for die in dice] == [at.label for at in boxes.landings.values()]
    boxes.save(tmp_path / "first.json")
    onto = pigglesim.roll(1, seat="B", seed=3, onto=tmp_path / "first.json")
    assert onto.document()["dice"][0]["class_name"] is None
    unmoved = set(boxes.landings) - {knock.struck for knock in onto.knocks}
    assert unmoved
    assert all(onto.landings[name] == boxes.landings[name] for name in unmoved)


def test_a_die_among_piggles_shows_its_number():
    roll = pigglesim.roll(2, model=["d6", "piggle"], seed=7)
    die, piggle = roll.landings.values()
    assert die.zone is not Zone.OFF and die.label in set("123456")
    assert piggle.orientation is not None and type(piggle) is not ClassLanding
    assert set(roll.points) == {"A2"}


@pytest.mark.parametrize(
    "words",
    [
        ["match", "--chance", "physical", "--team-a"],
        ["play", "--chance", "physical", "--team-a"],
        ["compare", "--pours", 2, "--model"],
    ],
)
def test_what_needs_the_poses_of_pigs_refuses_in_one_line(box, words):
    with pytest.raises(SpecError, match="box") as fault:
        run_here(*words, box)
    assert "pigglesim study --kind pour --model box" in str(fault.value)
