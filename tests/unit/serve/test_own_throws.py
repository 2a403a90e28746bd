"""Throws of a person's own hand over sockets: what the server simulates, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest

import pigglesim
from pigglesim.bodies.load import load_model
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.hand_throw import LENGTH_UNIT, MAX_SAMPLES, RATE, HandThrow
from pigglesim.match.record import read_record
from pigglesim.scene.load import load_scene
from tests.support.hands import hand_throw, shaken
from tests.support.serving import running

SCENE = load_scene("piggles_classic")
PIGGLE = load_model("piggle")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with running(tmp_path_factory.mktemp("hands")) as found:
        yield found


def by_hand(count, seed=1):
    rng = np.random.default_rng(seed)
    return hand_throw(SCENE, (PIGGLE,) * count, shaken(rng), rng=rng)


def forged(throw, **changed):
    """Return the text of a throw that no page makes, as its numbers are not checked."""
    made = object.__new__(HandThrow)
    for name in ("tag", "places", "samples"):
        object.__setattr__(made, name, changed.get(name, getattr(throw, name)))
    return made.text


def against_the_rules(throw):
    """Throws and texts that are refused, each with what is said of it."""
    moved = tuple((x, -y, *rest) for x, y, *rest in throw.samples)
    (x, *rest), *later = throw.samples[::-1]
    jump = (*later[::-1], (x + int(5.1 / RATE / LENGTH_UNIT), *rest))
    nowhere = ((np.nan, *throw.places[0][1:]), *throw.places[1:])
    return [
        (forged(throw, places=nowhere), "a place in the cup is not a number"),
        (forged(throw, samples=jump), "jumps, faster than 5 m/s"),
        (forged(throw, samples=throw.samples[:1] * (MAX_SAMPLES + 1)), "it is cut or changed"),
        (throw.text + "A" * 30_000, "it is cut or changed"),
        (throw.text[:-4], "it is cut or changed"),
        ("", "it is cut or changed"),
        (replace(throw, tag="01234567").text, "of another version"),
        (replace(throw, samples=moved).text, "past the centre line"),
        (replace(throw, samples=throw.samples[:40]).text, "beside the board"),
        (replace(throw, places=throw.places[:1] * len(throw.places)).text, "not one of this hand"),
    ]


def test_the_table_throws_what_a_hand_has_thrown(served):
    throw = by_hand(3)
    with served.person() as person:
        person.send(do="set_table", count=3)
        person.until("board")
        for bad, why in against_the_rules(throw):
            person.send(do="throw", own=bad)
            fault = person.until("fault")["text"]
            assert why in fault and "\n" not in fault and len(fault) < 200
        person.send(do="throw", own=5)
        assert "a throw is text" in person.until("fault")["text"]
        person.send(do="throw", own=throw.text)
        thrown = person.until("thrown")
    assert thrown["own"]
    assert f"--start {throw.text}" in thrown["command"]
    roll = pigglesim.roll(3, start=throw.text, engine="impulse")
    points = {actor["name"]: actor["points"] for actor in thrown["chapter"]["actors"]}
    assert points == roll.points


def test_a_match_takes_a_hand_from_its_player_alone(served, monkeypatch):
    applied, apply_action = [], PigglesClassic.apply_action

    def counted(game, state, action):
        applied.append(action)
        return apply_action(game, state, action)

    monkeypatch.setattr(PigglesClassic, "apply_action", counted)
    with served.person() as person:
        person.send(do="new", players=["human", "greedy"], chance="physical", seed=4)
        table = person.until("opened")["table"]
        state = person.until("state", where=lambda each: each["yours"])
        loaded = ["A1", "A2"]
        throw = by_hand(2)
        for bad, why in against_the_rules(throw):
            person.send(do="load", table=table, at=state["at"], piggles=loaded, own=bad)
            assert why in person.until("fault")["text"]
        person.send(do="load", table=table, at=state["at"], piggles=[*loaded, "A3"], own=throw.text)
        assert "one of 2 Piggles on another table" in person.until("fault")["text"]
        # Nothing was thrown: the same state still takes it.
        applied.clear()
        person.send(do="load", table=table, at=state["at"], piggles=loaded, own=throw.text)
        person.until("state", where=lambda each: each["at"] > state["at"] + 1)
        match = served.server.matches[table]
        first = match.session.events[0].entry.action
        record = read_record(match.session.saves.path)
    assert first == f"load A1 A2 at {throw.text}"
    # What is checked and what is played is one decision, applied once.
    assert [action.hold for action in applied if action.piggles == ("A1", "A2")] == [throw]
    assert record.entries[0].action == first
    landed = dict(record.entries[1].result.landings)
    assert landed == pigglesim.roll(2, start=throw.text, engine="impulse").landings


def test_a_match_by_odds_takes_no_throw_of_a_hand(served):
    with served.person() as person:
        person.send(do="new", players=["human", "greedy"], chance="tabular", seed=4)
        table = person.until("opened")["table"]
        at = person.until("state", where=lambda each: each["yours"])["at"]
        own = by_hand(1).text
        person.send(do="load", table=table, at=at, piggles=["A1"], own=own)
        assert "no cup is thrown here" in person.until("fault")["text"]
        assert not served.server.matches[table].session.events


def test_a_page_gets_what_simulates_its_own_throw(served):
    with served.person() as person:
        person.send(do="set_table", count=2, seat="B")
        person.until("board")
        person.send(do="prepare")
        kit = person.until("prepared")["kit"]
        assert kit["names"] == ["B1", "B2"]
        assert kit["rolled"] == 2
        person.send(do="throw", seed=3)
        person.until("thrown")
        person.send(do="prepare", onto=True)
        onto = person.until("prepared")["kit"]
        assert onto["names"][:2] == ["A1", "A2"]
        assert {*onto["names"][2:]} <= {"B1", "B2"}
        person.send(do="new", players=["human", "greedy"], chance="physical", engine="bullet")
        table = person.until("opened")["table"]
        state = person.until("state", where=lambda each: each["yours"])
        words = {"do": "prepare_load", "table": table, "piggles": ["A1"]}
        person.send(at=state["at"], **words)
        # Another engine has other bits, so the page shows its film alone.
        assert person.until("prepared")["kit"] is None
        person.send(at=state["at"] + 1, **words)
        assert "the table has changed since" in person.until("fault")["text"]


def test_a_hand_on_another_engine_is_thrown_by_that_engine(served):
    throw = by_hand(1)
    with served.person() as person:
        person.send(do="set_table", count=1)
        person.until("board")
        person.send(do="throw", own=throw.text, engine="bullet")
        thrown = person.until("thrown")
    roll = pigglesim.roll(1, start=throw.text, engine="bullet")
    assert [actor["points"] or 0 for actor in thrown["chapter"]["actors"]] == [
        sum(roll.points.values())
    ]


def test_the_engine_is_sent_and_compiled_code_is_allowed(served):
    status, headers, body = served.get("/engine.wasm")
    assert status == 200
    assert body[:4] == b"\0asm"
    assert "script-src 'self' 'wasm-unsafe-eval';" in headers["Content-Security-Policy"]


def test_only_the_player_to_move_prepares_a_throw(served):
    with served.person() as owner:
        owner.send(do="new", players=["human", "human"], chance="physical", seed=4)
        table = owner.until("opened")["table"]
        state = owner.until("state")
        owner.send(do="ask", table=table, at=state["at"], word="links")
        links = owner.until("links")
        secret = links["watch"].split("token=")[1].split("/")[0]
        with served.person(secret) as watcher:
            watcher.send(do="open", table=table)
            watcher.until("state")
            watcher.send(do="prepare_load", table=table, at=state["at"], piggles=["A1"])
            assert "it is not your turn" in watcher.until("fault")["text"]
            watcher.send(do="prepare")
            assert "this link is for one match" in watcher.until("fault")["text"]
            text = by_hand(1).text
            watcher.send(do="load", table=table, at=state["at"], piggles=["A1"], own=text)
            assert "it is not your turn" in watcher.until("fault")["text"]
