"""People at a table: names, who is here, invitations, rematches of both, results and levels."""

from itertools import pairwise

import pytest
import segno

from pigglesim.games.registry import playable_names
from pigglesim.landing import Seat
from pigglesim.match.entries import MAX_NAME
from pigglesim.match.record import read_record
from pigglesim.serve import offers
from pigglesim.serve.setting_words import SETTING_WORDS
from tests.support.serving import running

ODDS = {"chance": "tabular", "seed": 5}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with running(tmp_path_factory.mktemp("matches")) as found:
        yield found


def begin(person, **wish):
    person.send(do="new", **{"players": ["human", "human"], **ODDS, **wish})
    return person.until("opened")["table"]


def invited(owner, table):
    """Return the secrets of the links for B and for watchers."""
    owner.send(do="ask", table=table, at=0, word="links")
    links = owner.until("links")
    return links["seats"][1]["link"].split("=")[1], links["watch"].split("=")[1]


def people(person, *, where):
    return person.until("people", where=where)


def names(message):
    return [each["name"] for each in message["players"]]


def end(owner, table):
    """Give the match up in its first decision."""
    owner.send(do="ask", table=table, at=0, word="concede")


def record_of(served, table):
    return read_record(served.server.matches[table].session.saves.path)


def test_names_are_shown_to_all_and_recorded(served):
    with served.person() as owner:
        owner.send(do="name", name="Anna")
        table = begin(owner)
        friend, watcher = invited(owner, table)
        with served.person(friend) as ben, served.person(watcher) as seen:
            for person in (ben, seen):
                person.send(do="open", table=table)
            ben.send(do="name", name="Ben")
            for person in (owner, ben, seen):
                state = person.until("state", where=lambda m: m["players"][1]["name"] == "Ben (B)")
                assert state["players"][0]["name"] == "Anna (A)"
            owner.send(do="load", table=table, at=0, piggles=["A1"])
            assert "Anna (A)" in str(ben.until("event")["lines"])
            ben.until("state", where=lambda m: m["yours"])
    record = record_of(served, table)
    assert record.header.names == {Seat.A: "Anna", Seat.B: "Ben"}
    assert record.header.agents == {Seat.A: "human", Seat.B: "human"}


HOSTILE = [
    "<img src=x>", "a\nb", "\x00", "x" * (MAX_NAME + 1), "a\u202eb", "a\u200bb", " x", "x ",
    "{a}", "e\u0301\u0301", "\ud7ff\ue000", 7, None, ["Anna"],
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=ascii)
def test_a_hostile_name_is_refused_in_one_line_and_changes_nothing(served, name):
    with served.person() as owner:
        owner.send(do="name", name="Anna")
        table = begin(owner, players=["human", "uniform"])
        text = owner.refusal(do="name", name=name)
        assert "name" in text and "\n" not in text
        assert "<" not in text and "\u202e" not in text
    assert record_of(served, table).header.names == {Seat.A: "Anna"}


def test_a_name_changes_neither_rolls_nor_who_may_decide(served):
    rolls = []
    for name in ("Anna", "Ben"):
        with served.person() as owner:
            owner.send(do="name", name=name)
            table = begin(owner, players=["human", "uniform"])
            owner.send(do="load", table=table, at=0, piggles=["A1", "A2"])
            owner.until("state", where=lambda m: m["yours"] and m["at"] > 1)
        rolls.append([outcome.result for outcome in record_of(served, table).outcomes])
    assert rolls[0] == rolls[1]


def test_a_guest_with_the_name_of_the_owner_is_still_a_guest(served):
    with served.person() as owner:
        owner.send(do="name", name="Anna")
        table = begin(owner)
        friend, _ = invited(owner, table)
        with served.person(friend) as guest:
            guest.send(do="name", name="Anna")
            guest.send(do="open", table=table)
            state = guest.until("state")
            assert state["yours"] is None and "your turn" in guest.refusal(
                do="load", table=table, at=0, piggles=["A1"]
            )
            for message in ({"do": "matches"}, {"do": "new", "players": ["human", "human"]}):
                assert "for one match" in guest.refusal(**message)


def test_names_of_a_guest_have_a_budget(served):
    with served.person() as owner:
        table = begin(owner)
        friend, _ = invited(owner, table)
        with served.person(friend) as guest:
            texts = []
            for number in range(12):
                guest.send(do="name", name=f"Ben {number}")
                texts.append(guest.until("named" if number < 10 else "fault"))
            assert "too many requests" in texts[-1]["text"]


def test_who_is_here_is_seen_as_they_come_and_go(served):
    with served.person() as owner:
        table = begin(owner)
        friend, watcher = invited(owner, table)
        with served.person(friend) as ben:
            ben.send(do="open", table=table)
            came = people(owner, where=lambda m: m["players"][1]["guest"])
            assert came["players"][1]["here"]
            with served.person(watcher) as seen:
                seen.send(do="open", table=table)
                people(owner, where=lambda m: m["watching"] == 1)
            people(owner, where=lambda m: m["watching"] == 0)
        left = people(owner, where=lambda m: not m["players"][1]["here"])
        assert left["players"][0]["here"]


def test_a_rematch_needs_all_players_who_are_here(served):
    with served.person() as owner:
        table = begin(owner)
        friend, watcher = invited(owner, table)
        with served.person(friend) as ben, served.person(watcher) as seen:
            for person in (ben, seen):
                person.send(do="open", table=table)
                person.until("people")
            assert "no rematch yet" in ben.refusal(do="ask", table=table, at=0, word="rematch")
            end(owner, table)
            people(ben, where=lambda m: m["rematch"])
            people(seen, where=lambda m: not m["rematch"])
            assert "only players" in seen.refusal(do="ask", table=table, at=0, word="rematch")
            ben.send(do="ask", table=table, at=0, word="rematch")
            asked = people(owner, where=lambda m: m["asked"])
            assert asked["asked"] == ["B (North)"] and asked["rematch"] and not asked["waits"]
            assert people(ben, where=lambda m: m["asked"])["waits"]
            assert len(served.server.matches[table].visitors) == 3
            owner.send(do="ask", table=table, at=0, word="rematch")
            again = {person.until("opened")["table"] for person in (owner, ben, seen)}
    assert len(again) == 1 and table not in again


def test_a_page_that_was_about_to_open_a_match_comes_along_to_its_rematch(served):
    with served.person() as owner:
        table = begin(owner)
        friend, _ = invited(owner, table)
        end(owner, table)
        people(owner, where=lambda m: m["rematch"])
        with served.person(friend) as ben:
            assert ben.welcome["table"] == table
            owner.send(do="ask", table=table, at=0, word="rematch")
            again = owner.until("opened")["table"]
            ben.send(do="open", table=table)
            assert ben.until("opened")["table"] == again != table
            people(owner, where=lambda m: m["players"][1]["here"])


def test_a_rematch_without_a_decision_outlives_its_server(tmp_path):
    with running(tmp_path) as served, served.person() as owner:
        table = begin(owner)
        friend, watcher = invited(owner, table)
        end(owner, table)
        people(owner, where=lambda m: m["rematch"])
        owner.send(do="ask", table=table, at=0, word="rematch")
        again = owner.until("opened")["table"]
    with running(tmp_path) as served:
        for secret in (friend, watcher):
            with served.person(secret) as guest:
                assert guest.welcome["table"] == again
                guest.send(do="open", table=again)
                assert guest.until("state")["at"] == 0


def test_the_owner_does_not_wait_for_a_friend_who_has_gone(served):
    with served.person() as owner:
        table = begin(owner)
        friend, _ = invited(owner, table)
        with served.person(friend) as ben:
            ben.send(do="open", table=table)
            people(owner, where=lambda m: m["players"][1]["guest"])
        people(owner, where=lambda m: not m["players"][1]["here"])
        end(owner, table)
        people(owner, where=lambda m: m["rematch"])
        owner.send(do="ask", table=table, at=0, word="rematch")
        assert owner.until("opened")["table"] != table


def test_results_are_listed_and_counted_for_the_owner(tmp_path):
    with running(tmp_path) as served, served.person() as owner:
        owner.send(do="name", name="Anna")
        for wish in ({"players": ["human", "greedy"]}, {"practice": True}, {}):
            table = begin(owner, **wish)
            end(owner, table)
            owner.until("state", where=lambda m: m["over"])
        begin(owner, players=["human", "uniform"])
        owner.send(do="matches")
        found = owner.until("matches")
    listed = {each["result"] for each in found["matches"]}
    assert listed == {"", "B (North) wins by concession, 0 : 0"}
    assert found["matches"][0]["players"] == "Anna · computer (first match)"
    # Practice does not count, nor does a match in which the owner played both sides.
    assert found["results"] == {"Piggles Classic": {"lost": 1}}


def test_a_code_shows_its_link_to_the_owner_alone(served):
    """The code is read back by counting: every dark module of another encoding of the link."""
    with served.person() as owner:
        table = begin(owner)
        owner.send(do="ask", table=table, at=0, word="links")
        links = owner.until("links")
        for link, path in (
            *((each["link"], each["qr"]) for each in links["seats"]),
            (links["watch"], links["watch_qr"]),
        ):
            rows = segno.make_qr(link).matrix
            drawn = {tuple(map(int, each.split("h")[0].split())) for each in path.split("M")[1:]}
            assert drawn == {(x, y) for y, row in enumerate(rows) for x, on in enumerate(row) if on}
        friend = links["seats"][1]["link"].split("=")[1]
        with served.person(friend) as ben:
            ben.send(do="open", table=table)
            ben.until("people")
            assert "owner" in ben.refusal(do="ask", table=table, at=0, word="links")
            assert not any('"links"' in text or links["watch_qr"] in text for text in ben.texts)


def test_house_rules_of_the_list_are_those_of_the_match(served):
    with served.person() as owner:
        table = begin(owner, rules={"rounds": 2, "alternate_start": "on", "mud_delay": "none"})
        assert "of 2" in owner.until("state")["stage"]
        for rules in ({"team_a": "red"}, {"rounds": 0}, {"nothing": 1}, {"mud_delay": "../x"}):
            text = owner.refusal(do="new", players=["human", "human"], rules=rules, **ODDS)
            assert "\n" not in text
    rules = record_of(served, table).header.house_rules
    assert (rules["rounds"], rules["alternate_start"], rules["mud_delay"]) == (2, True, "none")


@pytest.mark.parametrize("game", playable_names())
def test_every_house_rule_is_offered_with_its_meaning_and_settings(game):
    for rule in offers.house_rules(game):
        assert rule["meaning"]
        many = rule["settings"] or isinstance(rule["default"], bool)
        assert many or rule["least"] <= rule["default"] <= rule["most"]
        # Each setting has words of its own.
        assert len(set(rule["words"])) == len(rule["settings"] or ())
        assert not any("_" in word for word in rule["words"])


def test_each_setting_has_words_and_no_other_has():
    rules = {r["name"]: r for game in playable_names() for r in offers.house_rules(game)}
    for name, words in SETTING_WORDS.items():
        assert words.keys() == set(rules[name]["settings"])
    # Seats and roles are words themselves.
    plain = {"first_actor", "first_dealer"}
    assert {name for name, rule in rules.items() if rule["settings"]} - plain == {*SETTING_WORDS}


def lessons_of(person, *, where):
    return [each["number"] for each in person.until("state", where=where)["lessons"]]


def test_notes_come_at_their_moment_and_only_to_players_of_the_default_rules(served):
    with served.person() as owner:
        table = begin(owner, players=["human", "uniform"])
        assert lessons_of(owner, where=lambda m: m["yours"]) == [1]
        owner.send(do="load", table=table, at=0, piggles=[f"A{k}" for k in range(1, 7)])
        shown = []
        for _ in range(40):
            state = owner.until("state", where=lambda m: m["yours"] or m["over"])
            if state["over"]:
                break
            shown.append([each["number"] for each in state["lessons"]])
            free = [each["name"] for each in state["load"] if each["free"]]
            owner.send(do="load", table=table, at=state["at"], piggles=free)
        # Each moment stays, once it has come.
        assert all({*a} <= {*b} for a, b in pairwise(shown))
        assert shown[-1] == [1, 2, 3, 4, 5]
        begin(owner, rules={"rounds": 2})
        assert lessons_of(owner, where=lambda m: m["yours"]) == []
        begin(owner, players=["uniform", "uniform"])
        assert lessons_of(owner, where=lambda m: True) == []


def test_a_guest_comes_back_to_a_match_that_was_over_before_a_new_start(tmp_path):
    with running(tmp_path) as served, served.person() as owner:
        table = begin(owner)
        friend, _ = invited(owner, table)
        end(owner, table)
        owner.until("state", where=lambda m: m["over"])
    with running(tmp_path) as served, served.person(friend) as guest:
        guest.send(do="open", table=table)
        again = guest.until("opened")["table"]
        assert again == table
        # The page of a guest may see the match of the link, and nothing else.
        guest.send(do="visit", table=again, decision=0)
        guest.until("visited")
        assert served.get(f"/match/{again}/match.jsonl", secret=friend)[0] == 200
        with served.person(friend) as reloaded:
            reloaded.send(do="open", table=again)
            reloaded.until("state")
