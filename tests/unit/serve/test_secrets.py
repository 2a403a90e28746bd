"""No seed, and no digest of one, leaves the server before the end of a match."""

import threading

import pytest

from pigglesim.rng import MAX_SEED
from pigglesim.serve.server import _PAGE_KINDS
from tests.support.secrets_of import found


def secret_of(link):
    return link.partition("token=")[2]


def seen(person, where):
    """Return the latest state that fulfils a condition; wait for it if there is none."""
    states = [m for m in person.heard if m["is"] == "state" and where(m)]
    return states[-1] if states else person.until("state", where=where)


def asked_for(served, table, secret):
    """Return the status of everything that a person may ask for by HTTP, and its traffic."""
    paths = [f"/match/{table}/{name}{kind}" for kind in _PAGE_KINDS for name in ("match", "record")]
    paths += ["/", f"/?token={secret}", "/web/app.js", f"/page/{table}/throw.json"]
    answers = [served.get(path, secret=secret) for path in paths]
    traffic = [part for _, headers, body in answers for part in (str(headers), body)]
    return {path: status for path, (status, _, _) in zip(paths, answers, strict=True)}, traffic


GAMES = {"pig_pile": "fair", "piggles_classic": "physical"}


@pytest.mark.parametrize("game", GAMES)
def test_nobody_finds_the_seed_in_what_the_server_sends(served, game):
    with served.person() as owner:
        owner.send(do="new", game=game, players=["human", "human"], chance=GAMES[game])
        table = owner.until("opened")["table"]
        first = owner.until("state", where=lambda m: m["yours"])
        owner.send(do="ask", table=table, at=first["at"], word="links")
        links = owner.until("links")
        secrets = {
            "A": served.secret,
            "B": secret_of(links["seats"][1]["link"]),
            "watcher": secret_of(links["watch"]),
        }
        session = served.server.matches[table].session
        seed, file = session.header.seed, session.saves.path
        assert seed.bit_length() > 100
        with served.person(secrets["B"]) as friend, served.person(secrets["watcher"]) as watcher:
            people = {"A": owner, "B": friend}
            for person in (friend, watcher):
                person.send(do="open", table=table)
            state = first
            for _ in range(4):
                seat, at = state["awaited"], state["at"]
                person = people[seat]
                person.play_on(table, seen(person, lambda m, at=at: m["at"] >= at), most=1)
                state = seen(watcher, lambda m, at=at: m["awaited"] and m["at"] > at)
            traffic = []
            for who, secret in secrets.items():
                statuses, sent = asked_for(served, table, secret)
                traffic += sent
                of_match = {status for path, status in statuses.items() if "/match/" in path}
                assert of_match == {404}, who
            for person in (owner, friend, watcher):
                # A message that is answered ends what was under way.
                person.refusal(do="review", table=table)
                person.refusal(do="visit", table=table, decision=0)
                traffic += person.texts
            with served.person() as again:
                traffic += again.texts
            assert len(traffic) > 60
            assert not found(seed, traffic)
            # An opponent who knows the name of the file learns nothing about the seed from it.
            assert not found(seed, [file.name, *(path.name for path in file.parent.iterdir())])
            mover = people[state["awaited"]]
            if not seen(mover, lambda m: m["at"] == state["at"])["concede"]:
                return
            mover.send(do="ask", table=table, at=state["at"], word="concede")
            mover.until("state", where=lambda m: m["over"])
            watcher.until("state", where=lambda m: m["over"])
    # At the end the record is for all who saw the match; and the search above finds a seed.
    for secret in secrets.values():
        status, _, body = served.get(f"/match/{table}/match.jsonl", secret=secret)
        assert status == 200
        assert found(seed, [body])


def test_a_rematch_has_a_secret_seed_and_an_unrelated_file(served):
    with served.person() as person:
        person.send(do="new", players=["human", "greedy"], chance="tabular")
        table = person.until("opened")["table"]
        state = person.until("state", where=lambda m: m["yours"])
        person.send(do="ask", table=table, at=state["at"], word="concede")
        person.until("state", where=lambda m: m["over"])
        person.send(do="ask", table=table, at=0, word="rematch")
        again = person.until("opened")["table"]
    session = served.server.matches[again].session
    assert session.header.seed.bit_length() > 100
    assert not found(session.header.seed, [session.saves.path.name, again])


def test_who_plays_by_a_given_seed_plays_by_it(served):
    with served.person() as person:
        for seed in (5, str(MAX_SEED)):
            person.send(do="new", players=["human", "greedy"], chance="tabular", seed=seed)
            table = person.until("opened")["table"]
            session = served.server.matches[table].session
            assert session.header.seed == int(seed)
        assert "seed" in person.refusal(do="new", players=["human"] * 2, seed=str(MAX_SEED + 1))
        assert "seed" in person.refusal(do="new", players=["human"] * 2, seed="0x5")


def test_a_hint_that_comes_late_shows_no_hand_of_another_player(served, monkeypatch):
    desk, asked = served.server.guest_desk, []
    with served.person() as owner:
        owner.send(do="new", game="pig_pile", players=["human", "human"], seed=3)
        table = owner.until("opened")["table"]
        state = owner.until("state", where=lambda m: m["yours"])
        owner.send(do="ask", table=table, at=state["at"], word="links")
        secret = secret_of(owner.until("links")["seats"][1]["link"])
        session = served.server.matches[table].session
        answer = lambda _, state: asked.append(state) or ()  # noqa: E731
        monkeypatch.setattr("pigglesim.table.course.hint_lines", answer)
        with served.person(secret) as friend:
            friend.send(do="open", table=table)
            while state["awaited"] != "B":
                owner.play_on(table, state, most=1)
                state = owner.until("state", where=lambda m, at=state["at"]: m["at"] > at)
            mine = friend.until("state", where=lambda m: m["yours"])
            before, held = session.state, threading.Event()
            desk._pool.submit(held.wait)
            friend.send(do="ask", table=table, at=mine["at"], word="hint")
            while mine["yours"]:
                friend.play_on(table, mine, most=1)
                mine = friend.until("state", where=lambda m, at=mine["at"]: m["at"] > at)
            assert session.awaited == "A"
            held.set()
            friend.until("hint")
    assert asked == [before]


def test_who_has_seen_the_seed_and_all_hands_does_not_play_on(served):
    with served.person() as owner:
        owner.send(do="new", players=["human", "human"], chance="tabular", practice=True)
        table = owner.until("opened")["table"]
        state = owner.until("state", where=lambda m: m["yours"])
        owner.send(do="ask", table=table, at=state["at"], word="concede")
        state = owner.until("state", where=lambda m: m["over"])
        assert served.server.matches[table].session.undoable
        assert not state["undoable"]
        assert served.get(f"/match/{table}/match.jsonl", secret=served.secret)[0] == 200
        refusal = owner.refusal(do="ask", table=table, at=state["at"], word="undo")
        assert "nothing can be taken back" in refusal


def test_a_new_match_needs_a_name_and_players_alone(served):
    with served.person() as owner:
        for game in ("piggles_classic", "pig_pile"):
            owner.send(do="new", game=game, players=["human", "human"])
            assert owner.until("opened")
