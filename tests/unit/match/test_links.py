"""Matches by link: links replay to the bit, and whoever cheats is caught."""

import time
from dataclasses import replace
from random import Random

import pytest

from pigglesim.api.links import link_setup, throws_of_link
from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.registry import make_game
from pigglesim.landing import Seat
from pigglesim.match.correspondence import (
    GUEST,
    INVITER,
    MAX_THROWS,
    LinkSetup,
    Nonces,
    replayed,
)
from pigglesim.match.entries import Decision, MatchOutcome
from pigglesim.match.link_memory import answering, concluded, finished, invited, memory_of, opened
from pigglesim.match.links import (
    KEY,
    LINK_GAMES,
    MAX_COUNT,
    MAX_LENGTH,
    NONCE,
    Chain,
    LinkError,
    format_link,
    link_text,
    match_of,
    new_terms,
    read_link,
)
from pigglesim.match.replay import replay
from tests.support.link_matches import (
    QUICK,
    LinkMatch,
    choose,
    expect_plain,
    laid,
    mutated,
    quick_match,
    wire,
    written,
)

COLOURS = make_game("piggles_modern").settings()["team_a"]


def fields(text):
    link, fault = read_link(text)
    assert fault is None
    return link


def forged(text, **changes):
    """Return a link with some fields changed, as a changed program could write it."""
    return format_link(replace(fields(text), **changes))


def fault_of(text, memory=None):
    fault = opened(text, laid, memory).fault
    assert fault is not None and "\n" not in str(fault)
    return fault


@pytest.mark.parametrize("game", LINK_GAMES)
def test_two_people_play_by_links_to_the_end_of_a_match(game):
    rules = {"piggy_six": {"target": 20}, "piggyback": {"cap": 10}}.get(game, {})
    played = LinkMatch(game, QUICK[game], seed=4, rules=rules).play()
    again = replayed(played.texts[-1], link_setup)
    assert again.fault is None and again.match.over
    assert again.match.progress.entries == played.match.progress.entries
    assert again.match.names() == {Seat.A: "Ann", Seat.B: "Bob"}
    record = again.match.record(played.texts[-1])
    assert record.footer.result is not None
    replay(record, resimulate=throws_of_link(record.header.chance["link"]))


@pytest.mark.slow
@pytest.mark.parametrize("game", LINK_GAMES)
def test_links_replay_to_the_bit(game):
    random = Random(7)
    for _ in range(60):
        match = quick_match(game, QUICK[game], random=random)
        again = replayed(format_link(match.link()), laid)
        assert again.fault is None
        assert again.match.progress.entries == match.progress.entries


@pytest.mark.slow
def test_a_match_by_physics_is_made_again_to_the_bit():
    played = LinkMatch(chance="physical", seed=2).play()
    again = replayed(played.texts[-1], link_setup)
    assert again.fault is None
    assert repr(again.match.progress.entries) == repr(played.match.progress.entries)
    places = [at.place for entry in again.match.progress.entries if isinstance(entry, MatchOutcome)
              for _, at in entry.landings]  # fmt: skip
    assert any(place is not None for place in places)


@pytest.mark.parametrize("seat", [Seat.A, Seat.B])
@pytest.mark.parametrize("game", LINK_GAMES)
def test_nobody_knows_the_others_nonce_of_a_throw_that_is_still_due(game, seat):
    played = LinkMatch(game, QUICK[game], seed=3, seat=seat)
    due = 0
    for _ in range(14):
        if played.match is not None and played.match.over:
            break
        match = played.step()
        counts = [match.revealed(INVITER), match.revealed(GUEST)]
        if match.game.turn(match.state) is NonPlayer.CHANCE:
            sender = 1 - match.next_role
            due += 1
            # The sender has revealed a nonce that the other has not; both have committed, unless
            # the guest, who has seen nothing, comes second.
            assert len(played.texts) == 1 or counts[sender] == counts[1 - sender] + 1
        link = fields(played.texts[-1])
        assert link.inviter.count == counts[INVITER]
    assert due > 1


def test_a_throw_depends_on_both_nonces_and_on_the_decisions():
    def seed(ann, bob, choice):
        terms = new_terms("piggles_classic", rules={}, chance="tabular")
        match, _ = invited(terms, laid, secret=ann)
        match.decide(choice)
        match.end_message()
        match.give_nonces(GUEST, Nonces(GUEST, count=MAX_COUNT, last=bob))
        match.begin_message()
        assert not match.deciding and not match.seeds
        match.end_message()
        match.begin_message()
        return match.seeds[0]

    one, two = bytes(NONCE), bytes([1]) * NONCE
    cases = [(one, one, 1), (two, one, 1), (one, two, 1), (one, one, 2), (one, one, 1)]
    assert len({seed(*case) for case in cases}) == len(cases) - 1


def test_a_forced_decision_costs_no_message():
    # In round two nobody has a Piggle left: both must skip until the Mud gives some back.
    played = LinkMatch(seed=5).play()
    forced = 0
    events = played.match.progress.events
    for event in events:
        if isinstance(event.entry, Decision):
            legal = played.match.game.legal_actions(event.before)
            forced += len([action for action in legal if action != Concede()]) == 1
    assert forced
    assert len(fields(played.texts[-1]).choices) == played.match.progress.decisions - forced


# A cheating friend.


def until_ann_decides(*, answered):
    """Return a match up to a later message in which Ann decides, or up to Bob's answer."""
    played = LinkMatch(seed=1).play(3)
    while len(played.texts) % 2 == 0 or played.match.places[-1][0] != len(played.texts):
        played.step()
    if answered:
        played.step()
    return played


def with_another_end(text):
    """Return a link whose last decision is another one."""
    *before, last = fields(text).choices
    return forged(text, choices=(*before, last - 1))


def test_a_decision_that_is_taken_again_after_the_throw_is_shown():
    played = until_ann_decides(answered=True)
    number = len(played.texts) - 1
    # Bob's answer settled the throw, so Ann knows it.
    fault = fault_of(with_another_end(played.texts[-2]), played.memories[1])
    assert fault.message == number and "decision" in str(fault) and "you sent it" in str(fault)
    # Nor can she change it in her next link.
    played.step()
    link, at = fields(played.texts[-1]), len(fields(played.texts[-2]).choices) - 1
    while played.match.places[at][0] != number:
        at -= 1
    choices = (*link.choices[:at], link.choices[at] - 1, *link.choices[at + 1 :])
    fault = fault_of(forged(played.texts[-1], choices=choices), played.memories[1])
    assert fault.message == number


def test_an_own_decision_that_was_changed_is_shown():
    played = LinkMatch(seed=1).play(4)
    link = fields(played.texts[3])
    result = opened(
        forged(played.texts[3], choices=(0, *link.choices[1:])), laid, played.memories[0]
    )
    assert result.fault.message == 1
    # What was right is shown: all up to the own last link.
    assert result.match.messages == 3


def test_a_second_link_with_the_same_number_is_shown_before_an_answer_too():
    played = until_ann_decides(answered=False)
    text = played.texts[-1]
    memory, _ = answering(opened(text, laid, played.memories[1]), played.memories[1])
    fault = fault_of(with_another_end(text), memory)
    assert fault.message == len(played.texts) and "you opened it before" in str(fault)


def test_a_link_that_was_answered_gives_the_same_answer_again():
    played = LinkMatch(seed=1).play(6)
    for text in (played.texts[4], played.texts[2], played.texts[5]):
        result = opened(text, laid, played.memories[1])
        assert result.fault is None and result.answer == played.texts[5]


@pytest.mark.parametrize("role", [INVITER, GUEST])
def test_a_nonce_that_does_not_open_its_commitment_is_shown(role):
    played = LinkMatch(seed=1).play(6 if role == GUEST else 5)
    text, memory = played.texts[-1], played.memories[1 - role]
    name = ("inviter", "guest")[role]
    wrong = replace(getattr(fields(text), name), last=b"x" * NONCE)
    fault = fault_of(forged(text, **{name: wrong}), memory)
    assert fault.message == len(played.texts) and "does not open the commitment" in str(fault)
    # A stranger sees it by the id of the match, and by the guest's seal.
    assert fault_of(forged(text, **{name: wrong})).message == 1 + role


def test_the_own_nonce_cannot_be_changed_or_revealed_by_another():
    played = LinkMatch(seed=1).play(5)
    text, memory = played.texts[4], played.memories[1]
    link = fields(text)
    nonces = memory.nonces
    further = nonces.revealed(link.guest.count + 1)
    assert fault_of(forged(text, guest=further), memory).message == 5
    assert "nonce" in str(fault_of(forged(text, guest=Chain(count=1, last=bytes(NONCE))), memory))


def test_an_illegal_decision_names_its_message():
    played = LinkMatch(seed=1).play(6)
    link = fields(played.texts[4])
    for choice in (500, "load B1 B2", "load A1 A1", "concede", "nonsense", "", "load B1"):
        wrong = forged(played.texts[4], choices=(*link.choices[:-1], choice))
        fault = fault_of(wrong)
        assert str(fault).startswith("message ") and "decision" in str(fault)
        assert replayed(wrong, laid).match.messages >= 2


def test_missing_and_spare_decisions_and_messages_are_shown():
    played = LinkMatch(seed=1).play()
    text, link = played.texts[-1], fields(played.texts[-1])
    assert "missing" in str(fault_of(forged(text, choices=link.choices[:-1])))
    assert "follow its end" in str(fault_of(forged(text, choices=(*link.choices, 0))))
    assert "is over" in str(fault_of(forged(text, messages=link.messages + 1)))
    late = fields(played.texts[-1])
    nonces = played.memories[0].nonces
    more = forged(text, inviter=nonces.revealed(late.inviter.count + 1))
    assert "another number of nonces" in str(fault_of(more))
    ahead = opened(played.texts[6], laid, played.memories[0])
    assert ahead.fault is None
    memory = replace(played.memories[1], sent=played.texts[1], seen=played.texts[0])
    assert "skips message 3" in str(fault_of(played.texts[4], memory))


def test_a_throw_whose_result_differs_names_it():
    class Loaded:
        """Somebody's changed source: the third throw is another one."""

        def __init__(self, source, seed=0):
            self.source, self.seed = source, seed

        def with_seed(self, seed):
            return Loaded(self.source, seed)

        def answer(self, request, *, index):
            seed = self.seed + (index == 2)
            return self.source.with_seed(seed).answer(request, index=index)

        def provenance(self):
            return self.source.provenance()

    def loaded(terms):
        table = laid(terms)
        return LinkSetup(game=table.game, models=table.models, source=Loaded(table.source))

    played = LinkMatch(seed=1).play()
    at = next(n for n, text in enumerate(played.texts)
              if replayed(text, laid).match.progress.outcomes == 3)  # fmt: skip
    fault = replayed(played.texts[at], loaded).fault
    assert fault.message == at + 1 and "after throw 2 the state is not the sender's" in str(fault)
    assert replayed(played.texts[at - 1], loaded).fault is None


def test_other_terms_data_and_names_are_shown():
    played = LinkMatch(seed=1).play(5)
    text, memory, link = played.texts[4], played.memories[1], fields(played.texts[4])
    for terms in (
        replace(link.terms, rules={"rounds": 3}),
        replace(link.terms, game="piggles_modern"),
        replace(link.terms, seat=Seat.B),
        replace(link.terms, name="Eve"),
    ):
        assert fault_of(forged(text, terms=terms), memory).message == 1
    data = replace(link.terms, data=bytes(8))
    assert "another version" in str(fault_of(forged(text, terms=data)))
    assert fault_of(forged(text, guest_name="Eve"), memory).message == 2
    assert fault_of(forged(text, match=bytes(8))).message == 1


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"game": "pig_pile"}, "hidden hands"),
        ({"game": "my_game.py:Pig"}, "unknown game"),
        ({"chance": "loaded"}, "unknown chance"),
        ({"rules": {"rounds": 10**9}}, "invalid rounds"),
        ({"rules": {"nonsense": True}}, "unknown house rule"),
        ({"teams": ("/etc/passwd", "")}, "unknown model"),
        ({"teams": ("piggle,piggle", "")}, "2 models"),
        ({"game": "piggy_six", "chance": "fair", "rules": {"players": 3}}, "with 3 players"),
        ({"game": "piggy_six", "chance": "fair", "rules": {"solitaire": True}}, "players"),
    ],
)
def test_hostile_terms_end_in_one_line(changes, problem):
    text = LinkMatch(seed=1).play(1).texts[0]
    terms = replace(fields(text).terms, **changes)
    assert problem in str(replayed(forged(text, terms=terms), link_setup).fault)
    if "rules" not in changes and "teams" not in changes and "chance" not in changes:
        with pytest.raises(SpecError, match=problem):
            new_terms(terms.game, rules={})


@pytest.mark.parametrize(
    "terms",
    [
        {"rules": {"team_a": COLOURS[::-1]}},
        {"rules": {"team_b": COLOURS[1:] + COLOURS[:1]}},
        {"name": "A\x1bB"},
        {"name": "A" * 121},
        {"teams": ("a\nb", "")},
        {"teams": ("", "\udcff")},
    ],
)
def test_no_link_is_made_that_nobody_can_open(terms):
    with pytest.raises(SpecError, match="a link cannot hold it"):
        new_terms("piggles_modern", **{"rules": {}} | terms)


@pytest.mark.parametrize("chance", ["physical", "fair"])
def test_a_match_has_no_more_throws_than_its_source_can_make_soon(chance):
    def by_dice(terms):
        return laid(replace(terms, chance="fair"))

    terms = new_terms("piggy_six", rules={"target": 300}, chance=chance)
    match, _ = invited(terms, by_dice, secret=bytes(NONCE))
    match.give_nonces(GUEST, Nonces(GUEST, count=MAX_COUNT, last=bytes(NONCE)))
    with pytest.raises(LinkError, match="too many for links; end it here"):
        while True:
            while match.deciding:
                match.decide(0)
            match.end_message()
            match.begin_message()
    assert match.progress.outcomes == MAX_THROWS[chance]


# The form of a link.


def test_an_address_a_fragment_and_a_bare_text_are_the_same_link():
    text = LinkMatch(seed=1).play(1).texts[0]
    for form in (text, f"{KEY}{text}", f"#{KEY}{text}", f" https://a.b/c?d=#{KEY}{text}\n"):
        assert link_text(form) == text
    assert match_of(text) == fields(text).match


def test_every_link_has_one_form():
    text = LinkMatch(seed=1).play(7).texts[-1]
    assert format_link(fields(text)) == text
    assert len(text) < 200


def test_a_link_of_another_version_says_so():
    data = wire(LinkMatch(seed=1).play(1).texts[0])
    data[0] = 2
    assert "version 2 (expected 1)" in str(replayed(written(data), laid).fault)


def test_a_cut_link_shows_what_was_right():
    played = LinkMatch(seed=1).play()
    text = played.texts[-1]
    counts = []
    for size in range(len(text)):
        result = opened(text[:size], laid, None)
        assert result.fault is not None and "\n" not in str(result.fault)
        shown = result.match.progress.entries if result.match is not None else ()
        assert played.match.progress.entries[: len(shown)] == shown
        counts.append(len(shown))
    assert counts == sorted(counts) and counts[-1] > 5
    # Who plays the match sees it up to the own last link.
    result = opened(text[:60], laid, played.memories[1])
    assert result.match.progress.entries and str(result.fault).startswith("message ")


@pytest.mark.parametrize("text", ["", "=", "a", "AQ", "ä", "AQ==", "\0", "A" * (MAX_LENGTH + 1),
                                  "A" * 10_000_000, "AQAAAAAAAAAA", "#", "🐖" * 9])  # fmt: skip
def test_nonsense_is_no_link(text):
    began = time.process_time()
    result = opened(text, laid, None)
    assert result.match is None and "\n" not in str(result.fault) and len(str(result.fault)) < 300
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize("count", [150, pytest.param(3_000, marks=pytest.mark.slow)])
def test_mutated_links_end_in_one_plain_line(count):
    random = Random(count)
    matches = [LinkMatch(game, QUICK[game], seed=9).play(9) for game in LINK_GAMES]
    for _ in range(count):
        played = random.choice(matches)
        at = random.randrange(len(played.texts))
        memory = random.choice([None, played.memories[1 - at % 2]])
        expect_plain(mutated(played.texts[at], random), memory)


def test_a_damaged_memory_is_refused():
    memory = LinkMatch(seed=1).play(2).memories[1]
    assert memory_of(memory.to_json()) == memory
    for text in ("", "{}", "[]", memory.to_json().replace("1", "2"), memory.to_json()[:-9]):
        with pytest.raises(LinkError, match="damaged"):
            memory_of(text)
    assert memory.secret.hex() not in repr(memory)


def test_only_the_player_can_answer():
    played = LinkMatch(seed=1).play(3)
    stranger = opened(played.texts[2], laid, None)
    with pytest.raises(LinkError, match="not played on this device"):
        answering(stranger, None)
    with pytest.raises(LinkError, match="your friend has to answer"):
        answering(opened(played.texts[2], laid, played.memories[0]), played.memories[0])
    wrong = opened(played.texts[2][:-5], laid, played.memories[1])
    with pytest.raises(LinkError, match="cut or changed"):
        answering(wrong, played.memories[1])


def test_a_hold_of_the_cup_is_a_decision_in_words():
    match, memory = invited(new_terms("piggles_classic", rules={}, chance="tabular"), laid)
    action = match.game.parse_action("load A1 A2 at 0.0,0.12,0.1")
    match.decide(match.choice_of(action))
    sent = finished(match, memory).sent
    again = replayed(sent, laid)
    assert again.fault is None and again.match.progress.entries == match.progress.entries
    choose(match, Random(1))


def test_only_a_right_link_of_the_other_player_that_ends_a_match_concludes_it():
    played = LinkMatch(game="piggy_six", chance="fair", rules={"target": 20}).play()
    last = len(played.texts) - 1
    reader, writer = played.memories[1 - last % 2], played.memories[last % 2]

    def last_memory(text, memory):
        return concluded(opened(text, laid, memory), memory)

    assert last_memory(played.texts[last], reader) == replace(reader, seen=played.texts[last])
    assert last_memory(played.texts[last], writer) is None
    assert last_memory(played.texts[last - 1], reader) is None
    assert last_memory(played.texts[last][:-4], reader) is None
    assert last_memory(played.texts[last], None) is None
