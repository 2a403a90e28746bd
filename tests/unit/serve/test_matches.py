"""Matches over sockets: played to the end, hidden, resumed, and unharmed by nonsense."""

import json
import threading

import numpy as np
import pytest

import pigglesim
from pigglesim.api.game_setup import set_up_game
from pigglesim.api.play import PlaySettings, new_session
from pigglesim.chance.tabular import FairChance
from pigglesim.games.pig_pile import format_card
from pigglesim.games.registry import game_names
from pigglesim.landing import Seat
from pigglesim.match.entries import Cause
from pigglesim.match.record import format_record, read_record
from pigglesim.match.replay import branch_at, game_of, replay
from pigglesim.match.runner import make_header
from pigglesim.serve.access import Guest
from pigglesim.serve.pages import OpenPage
from pigglesim.table.layout import as_json
from pigglesim.table.session import HUMAN, SaveFile, Session, thrown_last
from pigglesim.table.view import make_view
from tests.support.own_holds import USUAL, played
from tests.support.serving import random_message, running
from tests.support.waiting import wait_for

ODDS = {"chance": "tabular", "seed": 5}


def squares_in(part):
    return [square for row in part.get("squares", ()) for square in row]


def without_last(part):
    for square in squares_in(part):
        square["last"] = False
    return part


def begin(person, **wish):
    person.send(do="new", **{"players": ["human", "greedy"], **ODDS, **wish})
    return person.until("opened")["table"]


LONG = [pytest.param(game, marks=pytest.mark.slow) for game in ("piggy_six", "pig_pile")]


@pytest.mark.parametrize("game", ["piggles_classic", "piggles_modern", "lord_of_the_pigs", *LONG])
def test_a_match_is_played_by_its_choices_and_its_record_replays(served, game):
    many = {"lord_of_the_pigs": 4}.get(game, 2)
    players = ["human", *["greedy"] * (many - 1)]
    chance = "tabular" if game.startswith("piggles") else "fair"
    with served.person() as person:
        table = begin(person, game=game, players=players, chance=chance)
        for _ in range(400):
            state = person.until("state", where=lambda m: m["yours"] or m["over"])
            if state["over"]:
                break
            person.play_on(table, state)
        else:
            pytest.fail("the match has no end")
        status, _, body = served.get(f"/match/{table}/match.jsonl", secret=served.secret)
    match = served.server.matches[table]
    record = read_record(match.session.saves.path)
    assert record.footer.result is not None
    assert replay(record).record == record
    assert status == 200
    assert json.loads(body.splitlines()[0])["game"] == game
    assert {each["seat"]: each["now"] for each in state["players"]} == {
        str(seat): score for seat, score in record.footer.scores.items()
    }


def test_what_can_be_chosen_is_offered_once(served):
    with served.person() as person:
        begin(person, game="lord_of_the_pigs", players=["human", *["greedy"] * 3], chance="fair")
        state = person.until("state", where=lambda m: m["yours"])
    assert "submit nothing" in [choice["text"] for choice in state["choices"]]
    assert not state["skip"]


def test_rules_are_shown_and_are_no_code(served):
    with served.person() as person:
        begin(person, game="piggy_six", chance="fair")
        rules = person.until("log")["rules"]
    assert "<strong>Two sixes</strong>" in rules
    assert "<script" not in rules


def test_what_is_not_possible_is_refused_in_a_line_and_changes_nothing(served):
    with served.person() as person:
        table = begin(person)
        at = person.until("state", where=lambda m: m["yours"])["at"]
        wrong = [
            {"do": "load", "table": table, "at": at + 1, "piggles": ["A1"]},
            {"do": "load", "table": table, "at": at, "piggles": ["B1"]},
            {"do": "load", "table": table, "at": at, "piggles": []},
            {"do": "load", "table": table, "at": at, "piggles": ["A1"], "hold": {"across": 9}},
            {"do": "decide", "table": table, "at": at, "choice": 0},
            {"do": "ask", "table": table, "at": at, "word": "done"},
            {"do": "ask", "table": table, "at": at, "word": "undo"},
            {"do": "ask", "table": table, "at": at, "word": "rematch"},
            {"do": "review", "table": table},
            {"do": "open", "table": "0123456789ab"},
            {"do": "open", "table": "../secret.jsonl"},
            {"do": "open", "table": "0" * 12},
            {"do": "record", "text": "no record"},
            {"do": "new", "players": ["cmd:true", "greedy"]},
            {"do": "new", "players": ["nobody", "greedy"]},
            {"do": "new", "players": ["human"] * 3},
            {"do": "set_table", "model": "pigle"},
            {"do": "throw"},
            {"do": "fly"},
        ]
        for message in wrong:
            text = person.refusal(**message)
            assert text and "\n" not in text and "Traceback" not in text, message
            assert "has failed" not in text, message
    assert len(served.server.matches[table].session.events) == 0


def test_random_messages_do_no_harm(served):
    rng = np.random.default_rng(3)
    with served.person() as person:
        table = begin(person)
        person.until("state", where=lambda m: m["yours"])
        for number in range(1, 1001):
            person.connection.send(random_message(rng, table))
            # A page that reads too little is dropped.
            if number % 100 == 0:
                person.send(do="fly")
                while "fly" not in (text := person.until("fault")["text"]):
                    assert "has failed" not in text
    assert len(served.server.matches[table].session.events) == 0


def test_a_friend_plays_the_other_seat_and_a_spectator_decides_nothing(served):
    with served.person() as owner:
        table = begin(owner, players=["human", "human"])
        owner.until("state", where=lambda m: m["yours"])
        owner.send(do="ask", table=table, at=0, word="links")
        links = owner.until("links")
        secrets = {
            seat: each["link"].split("=")[1]
            for seat, each in zip("AB", links["seats"], strict=True)
        }
        with (
            served.person(secrets["B"]) as friend,
            served.person(links["watch"].split("=")[1]) as watcher,
        ):
            for person in (friend, watcher):
                assert not person.welcome["owner"]
                person.send(do="open", table=table)
            # The owner sees at once that the seat is taken.
            seats = owner.until("state")["players"]
            assert [each["yours"] for each in seats] == [True, False]
            for person in (friend, watcher):
                state = person.until("state")
                assert state["yours"] is None
                assert "it is not your turn" in person.refusal(
                    do="load", table=table, at=state["at"], piggles=["A1"]
                )
                assert "one match" in person.refusal(do="new", players=["human", "greedy"])
            owner.send(do="load", table=table, at=0, piggles=["A1", "A2"])
            state = friend.until("state", where=lambda m: m["yours"])
            assert state["yours"] == "B"
            # The owner has given the seat away.
            assert "it is not your turn" in owner.refusal(
                do="load", table=table, at=state["at"], piggles=["B1"]
            )
        with served.person(secrets["B"]) as again:
            again.send(do="open", table=table)
            assert again.until("state", where=lambda m: m["yours"])["at"] == state["at"]


def test_hidden_hands_stay_on_the_server(served):
    with served.person() as owner:
        table = begin(owner, game="pig_pile", players=["human", "human"], chance="fair")
        state = owner.until("state", where=lambda m: m["yours"])
        owner.send(do="ask", table=table, at=state["at"], word="links")
        links = owner.until("links")
        with (
            served.person(links["seats"][1]["link"].split("=")[1]) as friend,
            served.person(links["watch"].split("=")[1]) as watcher,
        ):
            friend.send(do="open", table=table)
            watcher.send(do="open", table=table)
            shown = {
                "A": hands_of(state["felt"]),
                "B": hands_of(friend.until("state")["felt"]),
                "": hands_of(watcher.until("state")["felt"]),
            }
    match = served.server.matches[table].session
    hands = [[format_card(card) for card in hand] for hand in match.state.hands]
    hidden = [["?"] * len(hand) for hand in hands]
    assert shown["A"] == [hands[0], hidden[1]]
    assert shown["B"] == [hidden[0], hands[1]]
    assert shown[""] == hidden
    assert served.get(f"/match/{table}/match.jsonl", secret=served.secret)[0] == 404


def test_cards_are_covered_where_two_people_share_a_page(served):
    with served.person() as owner:
        table = begin(owner, game="pig_pile", players=["human", "human"], chance="fair")
        state = owner.until("state", where=lambda m: m["yours"])
        assert (state["curtain"], state["viewer"]) == (True, state["yours"])
        owner.send(do="decide", table=table, at=state["at"], choice=0)
        after = owner.until("state", where=lambda m: m["at"] > state["at"])
        # Whoever moved last, until the next person is to move.
        assert after["viewer"] == (after["yours"] or state["yours"])
        owner.send(do="ask", table=table, at=after["at"], word="links")
        friend = owner.until("links")["seats"][1]["link"].split("=")[1]
        with served.person(friend) as other:
            other.send(do="open", table=table)
            assert not other.until("state")["curtain"]
            alone = owner.until("state", where=lambda m: not m["curtain"])
            assert alone["viewer"] == "A"


def test_a_match_goes_on_after_the_server_was_lost(tmp_path):
    with running(tmp_path) as served, served.person() as person:
        table = begin(person)
        state = person.until("state", where=lambda m: m["yours"])
        person.play_on(table, state)
        before = person.until("state", where=lambda m: m["yours"] and m["at"] > state["at"])
        secret = served.secret
    with running(tmp_path) as served, served.person(secret) as person:
        person.send(do="matches")
        (saved,) = person.until("matches")["matches"]
        assert (saved["title"], saved["table"]) == ("Piggles Classic", table)
        assert (saved["players"], saved["result"]) == ("a person · computer (easy)", "")
        # The page asks for the table that it showed.
        person.send(do="open", table=table)
        after = person.until("state", where=lambda m: m["yours"])
    same = ("at", "stage", "yours", "players", "areas", "load")
    assert {key: after[key] for key in same} == {key: before[key] for key in same}


def test_matches_that_nobody_sees_are_read_from_their_files_again(tmp_path):
    with running(tmp_path) as served, served.person() as person:
        tables = [begin(person) for _ in range(25)]
        assert len(served.server.matches) < 23
        assert tables[0] not in served.server.matches
        person.send(do="open", table=tables[0])
        assert person.until("opened")["table"] == tables[0]
        assert person.until("state", where=lambda m: m["table"] == tables[0])["yours"]


class Silent:
    """An agent that never answers, until it is let go."""

    name = "silent"

    def __init__(self):
        self.let_go = threading.Event()

    def choose(self, observation, legal, *, rng):
        self.let_go.wait()
        return legal[0]


def test_a_match_of_the_terminal_is_played_in_the_page_and_again_under_its_settings(tmp_path):
    settings = PlaySettings(hints="uniform", speed=1.0, time_limit=5.0, folder=tmp_path)
    base = set_up_game("piggles_classic", None, rules={})
    session = new_session(
        game_setup=base, agents=("human", "greedy", None), seed=3, chance=("tabular", None),
        practice=False, out=None, settings=settings,
    )  # fmt: skip
    with running(tmp_path) as served:
        table = served.server.begin(session, settings)
        assert served.access.owner_link_to(table) == f"{served.access.owner_link}/match/{table}"
        with served.person() as person:
            person.send(do="open", table=table)
            state = person.until("state", where=lambda m: m["yours"])
            person.send(do="ask", table=table, at=state["at"], word="concede")
            person.until("state", where=lambda m: m["over"])
            person.send(do="ask", table=table, at=0, word="rematch")
            again = person.until("opened")["table"]
    assert (tmp_path / "play-3.jsonl").exists()
    assert served.server.matches[again].session.time_limit == 5.0


def test_an_agent_that_never_answers_forfeits_in_the_page_too(tmp_path):
    silent = Silent()
    base = set_up_game("piggy_six", None, rules={})
    chance = FairChance(seed=1)
    seated = {Seat.A: HUMAN, Seat.B: silent}
    session = Session(
        base.game,
        header=make_header(base.game, agents=seated, chance=chance, seed=1, teams={}),
        agents={Seat.A: None, Seat.B: silent},
        chance=chance,
        saves=SaveFile(tmp_path / "m.jsonl"),
        time_limit=0.05,
    )
    with running(tmp_path) as served:
        table = served.server.begin(session, PlaySettings(hints=None, speed=1.0))
        try:
            with served.person() as person:
                person.send(do="open", table=table)
                for _ in range(9):
                    state = person.until("state", where=lambda m: m["yours"] or m["over"])
                    if state["over"]:
                        break
                    person.send(
                        do="decide", table=table, at=state["at"], choice=int(state["at"] > 0)
                    )
        finally:
            silent.let_go.set()
    assert session.progress.forfeit.cause is Cause.TIME


def test_a_hint_names_an_action_and_its_chance(served):
    with served.person() as person:
        table = begin(person)
        state = person.until("state", where=lambda m: m["yours"])
        person.send(do="ask", table=table, at=state["at"], word="hint")
        hint = person.until("hint", timeout=120)
    assert hint["at"] == state["at"]
    assert hint["lines"][0]["text"].startswith("Hint (mcts")
    assert "wins" in hint["lines"][0]["text"]


def test_a_decision_is_taken_back_in_practice(served):
    with served.person() as person:
        table = begin(person, practice=True)
        first = person.until("state", where=lambda m: m["yours"])
        person.play_on(table, first)
        later = person.until("state", where=lambda m: m["yours"] and m["at"] > first["at"])
        assert later["undoable"]
        person.send(do="ask", table=table, at=later["at"], word="undo")
        again = person.until("state", where=lambda m: m["at"] == first["at"])
    assert again["load"] == first["load"]


def test_an_answer_that_comes_during_an_undo_is_not_played(served, monkeypatch):
    next_event, undo = Session.next_event, Session.undo
    undoing = threading.Event()

    def late_event(session):
        event = next_event(session)
        assert undoing.wait(30)
        return event

    def slow_undo(session):
        undoing.set()
        # The answer is there once nobody thinks, and waits until this is done.
        wait_for(lambda: not match.working)
        return undo(session)

    with served.person() as person:
        table = begin(person, game="piggy_six", chance="fair", practice=True)
        first = person.until("state", where=lambda m: m["yours"])
        match = served.server.matches[table]
        monkeypatch.setattr(Session, "next_event", late_event)
        monkeypatch.setattr(Session, "undo", slow_undo)
        person.play_on(table, first)
        thrown = person.until("state", where=lambda m: m["working"])
        person.send(do="ask", table=table, at=thrown["at"], word="undo")
        person.until("state", where=lambda m: m["at"] == 0)
        person.play_on(table, first)
        person.until("state", where=lambda m: m["at"] > 1)
    record = read_record(match.session.saves.path)
    assert replay(record).record == record


def test_a_page_that_does_not_read_is_dropped(served):
    page = OpenPage(Guest())
    for number in range(1000):
        page.send({"is": "event", "number": number})
    assert page.queue.qsize() < 300
    while (message := page.queue.get_nowait()) is not None:
        assert message["number"] > 0


def test_a_record_is_watched_again_reviewed_and_tried_otherwise(served):
    played = pigglesim.play_match(chance="tabular", seed=7, agents=["greedy", "uniform"])
    with served.person() as person:
        person.send(do="record", text=format_record(played.record))
        opened = person.until("opened")
        assert opened["recorded"]
        # It need not be watched to its end first.
        person.send(do="visit", table=opened["table"], decision=0)
        person.until("visited")
        person.send(do="pace", table=opened["table"], pace=0)
        last = person.until("state", where=lambda m: m["over"])
        assert {each["seat"]: each["now"] for each in last["players"]} == played.scores
        person.send(do="visit", table=opened["table"], decision=2)
        assert person.until("visited")["decision"] == 2
        # Without a decision the match is shown as it is now.
        person.send(do="visit", table=opened["table"])
        assert person.until("board")["chapter"]
        now = person.until("state")
        assert (now["stage"], now["players"]) == (last["stage"], last["players"])
        person.send(do="review", table=opened["table"])
        review = person.until("review", timeout=120)
        assert len(review["decisions"]) == sum(
            type(event.entry).__name__ == "Decision" for event in played.events
        )
        person.send(do="what_if", table=opened["table"], decision=2)
        tried = person.until("tried", timeout=120)
    decision = review["decisions"][2]
    values = {each["action"]: each["values"] for each in tried["actions"]}
    assert tried["recorded"] == decision["action"]
    assert values[decision["action"]] == decision["after"]
    assert values[decision["best"]] == decision["before"]


def test_the_throw_of_a_person_is_split_into_hold_and_fall(served):
    match = played(USUAL)
    with served.person() as person:
        person.send(do="record", text=format_record(match.record))
        table = person.until("opened")["table"]
        person.send(do="review", table=table)
        assert person.until("review", timeout=120)["held"] == [0]
        person.send(do="split", table=table, decision=0)
        sentence = person.until("split", timeout=120)["sentence"]
        assert sentence.startswith("the hold gave +0.0 ± 0.0 %, the fall ")
        assert "does not hold the cup" in person.refusal(do="split", table=table, decision=1)


def hands_of(felt):
    """Return the signs on the cards of each hand of a table."""
    return [
        [card["label"] for card in part["cards"]] for part in felt if part.get("name") == "hand"
    ]


@pytest.mark.parametrize("game", game_names())
def test_a_review_shows_the_table_before_each_decision(served, game):
    chance = "tabular" if game.startswith("piggles") else "fair"
    record = pigglesim.play_match(game, chance=chance, agents="uniform", seed=5).record
    view = make_view(game_of(record))
    with served.person() as person:
        person.send(do="record", text=format_record(record))
        table = person.until("opened")["table"]
        seen = []
        for decision in (0, len(record.decisions) // 2):
            before = branch_at(record, decision).before
            state = before.state
            person.send(do="visit", table=table, decision=decision)
            shown = person.until("visited")
            seen.append(shown)
            assert shown["stage"] == view.heading(state)
            assert [each["name"] for each in shown["areas"]] == [a.name for a in view.areas(state)]
            assert [each["cells"] for each in shown["areas"]] == [
                list(area.content.values()) for area in view.areas(state)
            ]
            now = {each["seat"]: each["now"] for each in shown["players"]}
            assert now == {str(seat): n for seat, n in game_of(record).scores(state).items()}
            if game.startswith("piggles"):
                assert shown["felt"] is None
            else:
                parts = json.loads(json.dumps(as_json(view.table(state, None))))
                assert [without_last(part) for part in shown["felt"][: len(parts)]] == parts
                # Dice lie as they were thrown before the decision, and not as in the end.
                dice = thrown_last(before.events)
                actors = shown["chapter"]["actors"] if shown["chapter"] else []
                faces = [str(face) for face in dice[1].faces] if dice else []
                assert [each["face"] for each in actors] == faces
    first, later = seen
    assert first["areas"] != later["areas"] or first["felt"] != later["felt"]
    if game.startswith("piggles"):
        assert first["chapter"] != later["chapter"]


def test_the_last_move_and_the_dice_of_the_turn_are_on_the_table(served):
    with served.person() as person:
        table = begin(person, game="piggyback", players=["human", "human"], chance="fair")
        state = person.until("state", where=lambda m: m["yours"])
        person.send(do="decide", table=table, at=state["at"], choice=0)
        after = person.until("state", where=lambda m: m["at"] > state["at"] and m["yours"])
        board, *_ = after["felt"]
        last = {square["id"] for square in squares_in(board) if square["last"]}
        assert last == set(state["choices"][0]["involved"])
        table = begin(person, game="piggy_six", players=["human", "human"], chance="fair")
        state = person.until("state", where=lambda m: m["yours"])
        assert state["felt"][-1]["rolls"] == []
        rolls = {}
        for _ in range(8):
            person.send(do="decide", table=table, at=state["at"], choice=0)
            at = state["at"]
            state = person.until("state", where=lambda m, at=at: m["yours"] and m["at"] > at)
            outcome = served.server.matches[table].session.events[-1].entry
            turn = outcome.thrower, state["stage"]
            dice = state["felt"][-1]
            assert dice["kind"] == "dice" and dice["seat"] == outcome.thrower
            assert dice["rolls"][-1] == list(outcome.result.faces)
            rolls[turn] = max(rolls.get(turn, 0), len(dice["rolls"]))
            if state["yours"] == outcome.thrower:
                gains = [part["gain"] for part in state["felt"] if part["kind"] == "scale"]
                assert sum(map(sum, dice["rolls"])) == sum(gains)
        assert max(rolls.values()) > 1
