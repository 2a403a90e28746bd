"""`roll`, `replay` and `board`: files to share, and one line for what cannot be shared."""

import json
import shutil
from xml.etree import ElementTree

import pytest

from pigglesim.errors import PigglesimError
from pigglesim.landing import Zone
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.record import read_record
from pigglesim.match.replay import replay
from tests.support.front_door import run_here

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a match on physics of two rounds, its films, and one by odds."""
    folder = tmp_path_factory.mktemp("matches")
    words = ["match", "--rule", "rounds=2", "--no-boards", "--seed", 5, "--b", "uniform"]
    for chance, more in (("physical", ["--film"]), ("tabular", [])):
        done = run_here(*words, "--chance", chance, *more, "--out", folder / f"{chance}.jsonl")
        assert done.exit_code == 0
    return folder


def words_of(file):
    """Return every line of words in a drawing."""
    root = ElementTree.parse(file).getroot()
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def test_a_match_is_one_page_with_a_chapter_for_each_roll(folder, tmp_path):
    done = run_here(
        "replay", folder / "physical.jsonl", "--no-boards", "--html", tmp_path / "m.html"
    )
    assert done.exit_code == 0
    page = (tmp_path / "m.html").read_text()
    record = read_record(folder / "physical.jsonl")
    assert page.count('<section class="chapter"') == len(record.outcomes) > 1
    for outcome in record.outcomes:
        side = "A (South)" if outcome.thrower == "A" else "B (North)"
        assert f"{side} rolls {' '.join(outcome.piggles)}</h2>" in page
    for words in (
        "Points after each round",
        "Tally of A (South):",
        "greedy",
        "uniform",
        "Resolve:",
    ):
        assert words in page
    scores = [str(score) for score in record.footer.scores.values()]
    assert f"{' : '.join(scores)} · seed 5" in page


def test_a_stop_writes_a_page_of_what_is_done(folder, tmp_path, monkeypatch):
    from pigglesim.chance.physical import FilmedChance

    filmed, count = FilmedChance.filmed, []

    def stopped(self, request, *, index):
        count.append(index)
        if len(count) == 2:
            raise KeyboardInterrupt
        return filmed(self, request, index=index)

    monkeypatch.setattr(FilmedChance, "filmed", stopped)
    record, target = tmp_path / "no films.jsonl", tmp_path / "m.html"
    shutil.copy(folder / "physical.jsonl", record)
    done = run_here("replay", record, "--no-boards", "--html", target)
    assert done.exit_code == 130
    assert target.read_text().count('<section class="chapter"') == 1


def test_rolls_by_odds_have_no_film_but_a_board(folder, tmp_path):
    problem = "tabular.*pigglesim board .*tabular.jsonl --svg"
    with pytest.raises(PigglesimError, match=problem):
        run_here("replay", folder / "tabular.jsonl", "--no-boards", "--html", tmp_path / "m.html")
    done = run_here("board", folder / "tabular.jsonl", "--svg", tmp_path / "b.svg")
    assert done.exit_code == 0
    assert "Rolled by odds: marks stand anywhere in their zones" in words_of(tmp_path / "b.svg")


def board_after(file, *words):
    return json.loads(run_here("board", file, *words, "--json").stdout)


@pytest.mark.parametrize("form", ["physical", "tabular"])
def test_boards_are_those_of_the_match(folder, form):
    file = folder / f"{form}.jsonl"
    ends = {}

    def note(event):
        if isinstance(event.entry, MatchOutcome):
            turn = (event.before.round, event.before.active.value)
            ends[turn] = dict(event.entry.result.landings)

    replay(read_record(file), on_event=note)
    assert len(ends) >= 3
    for (number, seat), lying in ends.items():
        drawn = board_after(file, "--round", number, "--seat", seat)
        assert drawn["after"].startswith(f"round {number}, after the turn of {seat}")
        assert {name: at["zone"] for name, at in drawn["board"].items()} == {
            name: at.zone.value for name, at in lying.items() if at.zone is not Zone.OFF
        }
    for number in (1, 2):
        last = board_after(file, "--round", number)
        resolved = board_after(file, "--round", number, "--resolved")
        assert resolved["after"] == f"round {number}, after the Resolve"
        # The Resolve leaves what lies Snout-Up, as it lies.
        assert resolved["board"] == {
            name: at for name, at in last["board"].items() if at["orientation"] == "up"
        }
