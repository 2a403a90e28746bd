"""Throws and studies of a page are those of the command line."""

import json
import shlex

import pytest

import pigglesim
from pigglesim.scene.load import load_team
from pigglesim.serve import studies
from tests.support.front_door import run
from tests.support.serving import running


@pytest.fixture(scope="module")
def person(tmp_path_factory):
    with running(tmp_path_factory.mktemp("matches")) as served, served.person() as found:
        found.served = served
        yield found


def lay(person, **wish):
    person.send(do="set_table", **wish)
    person.until("table")
    return person.until("board")


@pytest.mark.parametrize(
    "hold",
    [
        None,
        {"across": 0.0123, "back": 0.0789, "height": 0.0678},
        {"across": -0.03, "back": 0.1, "height": 0.06, "heading": 0.321, "swing": 1.2345},
        # Beyond what the rules allow: as near to it as they do.
        {"across": 0.9, "back": -0.9, "height": 0.0, "heading": 3.0, "swing": 90.0},
    ],
)
def test_the_command_of_a_throw_throws_it_again(person, hold):
    lay(person, count=4)
    person.send(do="throw", seed=11, hold=hold)
    thrown = person.until("thrown")
    done = run(*shlex.split(thrown["command"])[1:], "--json")
    dice = json.loads(done.stdout)["dice"]
    last = person.served.server.pages[person.welcome["page"]].throws.last
    assert [each["position_m"] for each in dice] == [
        list(landing.place.position) for _, landing in last.result.landings
    ]
    actors = thrown["chapter"]["actors"]
    assert [each["points"] for each in actors] == [each["points"] for each in dice]


def test_a_set_of_dice_is_laid_and_thrown_together(person):
    (dice,) = person.welcome["sets"]
    lay(person, model=dice, count=6)
    person.send(do="throw", seed=1)
    assert f"--model {dice}" in person.until("thrown")["command"]
    last = person.served.server.pages[person.welcome["page"]].throws.last
    assert [*last.models.values()] == dice.split(",")
    shown = [landing.label for landing in last.landings.values() if landing.label]
    assert len(shown) >= 4 and all(label.isdecimal() for label in shown)


def test_a_throw_onto_the_last_one_comes_from_the_other_side(person):
    lay(person, count=3)
    person.send(do="throw", seed=2)
    first = person.until("thrown")
    person.send(do="throw", seed=3, onto=True)
    second = person.until("thrown")
    standing = {each["name"] for each in first["chapter"]["actors"] if each["floor"] == 0.0}
    assert second["seat"] == "B"
    names = {each["name"] for each in second["chapter"]["actors"]}
    assert names == {"B1", "B2", "B3"} | standing


def test_a_team_is_thrown_by_its_name(person):
    lay(person, count=2, model="standard")
    person.send(do="throw", seed=5)
    thrown = person.until("thrown")
    last = person.served.server.pages[person.welcome["page"]].throws.last
    models = ",".join(load_team("standard").models[:2])
    assert f"--model {models}" in thrown["command"]
    assert ",".join(last.request.piggles) == "A1,A2"


def test_a_throw_is_downloaded_and_is_nobody_elses(person):
    lay(person, count=1)
    person.send(do="throw", seed=5)
    person.until("thrown")
    path = f"/page/{person.welcome['page']}/throw"
    status, headers, body = person.served.get(f"{path}.json", secret=person.served.secret)
    assert (status, json.loads(body)["seed"]) == (200, 5)
    assert "attachment" in headers["Content-Disposition"]
    assert person.served.get(f"{path}.exe", secret=person.served.secret)[0] == 404
    assert person.served.get(f"{path}.json")[0] == 404


def test_the_shares_of_a_study_narrow_to_those_of_the_library(person, monkeypatch):
    # It reports before the first throw is written, as on a slow machine.
    monkeypatch.setattr(studies, "_EVERY", -1.0)
    person.send(do="study", model="d6", half_width=0.03, seed=4)
    found = person.until("study", where=lambda message: message["done"], timeout=120)
    (sphere,) = person.until("studied", timeout=120)["maps"]
    page, secret = f"/page/{person.welcome['page']}", person.served.secret
    assert person.served.get(f"{page}/{sphere}", secret=secret)[2].startswith(b"\x89PNG")
    assert b"</html>" in person.served.get(f"{page}/report.html", secret=secret)[2]
    assert person.served.get(f"{page}/{sphere}")[0] == 404
    words = shlex.split(found["command"])
    assert all((high - low) / 2 <= 0.03 for _, _, low, high in found["shares"])
    same = pigglesim.study(model="d6", half_width=0.03, max_throws=200_000, shard_size=500, seed=4)
    assert "--seed" in words and same.throws == found["throws"]
    assert {name: value for name, value, _, _ in found["shares"]} == {
        name: share.value for name, share in same.shares.items()
    }


def test_a_study_stops_on_request(person):
    person.send(do="study", model="piggle", half_width=0.001, seed=4)
    person.until("study", timeout=60)
    person.send(do="stop")
    assert person.until("stopped", timeout=60)
