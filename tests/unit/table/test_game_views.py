"""Views of games without Piggles: stories are true and complete, and nothing hidden is shown."""

import re
from dataclasses import replace
from textwrap import wrap

import numpy as np
import pytest

from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import FairChance, believed_chance
from pigglesim.chance_types import DiceResult, ShuffleResult
from pigglesim.experiments.values import Evaluator
from pigglesim.games.lord_of_the_pigs.rules import Submit
from pigglesim.games.lord_of_the_pigs.state import Event, LordPhase, card_name
from pigglesim.games.pig_pile import HOG_WILD, PickUp, PigPilePhase, Play, Slop, washes
from pigglesim.games.piggy_six import PiggySixState
from pigglesim.games.piggyback.state import Move
from pigglesim.games.registry import find, game_names, make_game
from pigglesim.landing import Seat
from pigglesim.match.entries import Decision, MatchOutcome
from pigglesim.match.runner import MatchEvent, play
from pigglesim.solvers import dice_game
from pigglesim.table.hints import hint
from pigglesim.table.layout import Cards, Piles, Spread, Squares
from pigglesim.table.view import GameView, Tone, make_view
from pigglesim.tui.felt import painted
from tests.support.piggyback_table import PLAIN, place
from tests.support.piggyback_table import play as after
from tests.support.random_lord import at, permuted
from tests.support.random_pig_pile import with_hidden_changed
from tests.support.scripted_chance import ScriptedChance
from tests.support.simple_odds import simple_chance

LORD = make_game("lord_of_the_pigs")
LORD_VIEW, BACK_VIEW = make_view(LORD), make_view(PLAIN)


def watched(name, seed, *, agent="uniform", chance=None, **rules):
    """Return the game, its view and the events of a whole match."""
    game, events = make_game(name, rules), []
    play(
        game,
        agents={seat: make_agent(agent, game=game) for seat in game.seats},
        chance=chance or FairChance(seed=seed),
        seed=seed,
        on_event=events.append,
    )
    return game, make_view(game), events


def story(view, events):
    return [line.text for event in events for line in view.story(event)]


def decided(state, text):
    """Return the event of a decision in Lord of the P.I.G.S. by who is asked."""
    decision = Decision(index=0, seat=LORD.turn(state), action=text)
    action = LORD.parse_action(text)
    now = LORD.apply_action(state, action)
    return MatchEvent(entry=decision, before=state, after=now, action=action)


def test_every_game_has_a_view_of_its_own():
    for name in game_names():
        assert type(make_view(make_game(name))) is not GameView


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("lord_of_the_pigs", {}),
        ("pig_pile", {"players": 2}),
        ("pig_pile", {"players": 7}),
        ("piggy_six", {}),
        ("piggyback", {"quiet_cap": 40}),
    ],
)
def test_every_event_has_its_lines_and_points_are_the_scores(name, rules):
    for seed in range(3):
        game, view, events = watched(name, seed, **rules)
        paid = dict.fromkeys(game.seats, 0)
        for event in events:
            for line in view.story(event):
                assert line.text
                assert not re.search(r"\?|None|Seat\.|<", line.text)
                if "Pigs:" in line.text:
                    for seat, pigs in re.findall(r"(\w) (\d)", line.text.split("Pigs:")[1]):
                        paid[Seat(seat)] += int(pigs)
            assert name != "pig_pile" or paid == game.scores(event.after)
        assert view.story(events[-1])[-1].tone is Tone.END
        state, points = events[-1].after, view.points(events)
        last = str(game.round_of(events[-1].before))
        assert {seat: points[last, seat] for seat in game.seats} == game.scores(state)
        assert not view.rounds_shown or last in view.columns(state)


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("lord_of_the_pigs", {}),
        ("pig_pile", {"players": 4, "rounds": 1, "turn_cap": 200}),
        ("pig_pile", {"players": 4, "rounds": 1, "turn_cap": 200, "advanced_deal": True}),
    ],
)
def test_what_is_hidden_is_never_shown(name, rules):
    rng = np.random.default_rng(2)
    game, view, events = watched(name, 2, **rules)

    def hidden_changed(state, seat):
        if name == "pig_pile":
            return with_hidden_changed(state, game.seats.index(seat), rng)
        return permuted(state, seat, rng)

    for event in events[1:]:
        state = event.before
        for seat in game.seats:
            other = hidden_changed(state, seat)
            assert view.table(other, seat) == view.table(state, seat)
            assert view.heading(other) == view.heading(state)
            assert view.guide(other, None) == view.guide(state, None)
            assert view.areas(other) == view.areas(state)
            if name == "pig_pile":
                assert view.guide(other, seat) == view.guide(state, seat)
        if name != "pig_pile" or state.phase is PigPilePhase.CHOOSE or event.after.awards:
            continue
        if not isinstance(event.action, Slop):
            other = hidden_changed(state, event.entry.seat)
            now = game.apply_action(other, event.action)
            assert story(view, [replace(event, before=other, after=now)]) == story(view, [event])


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("pig_pile", {"rounds": 1}),
        ("pig_pile", {"rounds": 1, "players": 3, "advanced_deal": "on"}),
        ("lord_of_the_pigs", {"turn_cap": 8}),
    ],
)
def test_who_watches_sees_what_every_player_sees(name, rules):
    game, view, events = watched(name, 6, **rules)
    rng = np.random.default_rng(1)
    seen = 0
    for event in events:
        state = event.before
        if not isinstance(game.turn(state), Seat):
            continue
        table = view.public_table(state)
        for seat in game.seats:
            # Whatever this player does not see may be otherwise.
            other = game.imagine(game.observe(state, seat), rng=rng)
            assert view.public_table(other) == table
        seen += sum(len(part.cards) for part in table if isinstance(part, Cards))
    assert seen > 100


def test_the_story_of_the_lord_hides_the_card_of_a_vote_and_who_passes_in_secret():
    state = at(
        LordPhase.VOTING,
        hands={"Banker": "C1 R1", "Energy": "C1"},
        table=[("Energy.U1", "")],
        asked=["Banker", "Energy"],
    )
    for card in ("C1", "R1"):
        assert story(LORD_VIEW, [decided(state, f"vote {card} Energy.U1")]) == [
            "Banker votes for Energy's Wind Power Farm Inauguration, 1 of 3 votes"
        ]
    assert story(LORD_VIEW, [decided(state, "pass")])[0] == "Banker votes for nothing"
    assert LORD_VIEW.guide(state, None) == "Banker decides."
    secret = at(
        LordPhase.ALTERNATES,
        hands={"Banker": "C5", "Energy": "C5"},
        table=[("Energy.U1", "")],
        asked=["Banker", "Energy"],
    )
    assert story(LORD_VIEW, [decided(secret, "pass")]) == []
    assert LORD_VIEW.guide(secret, None) == "Activation: Alternate Modes"


def test_votes_are_in_words_under_the_action_that_they_are_for():
    state = at(
        LordPhase.VOTING,
        hands={"Banker": "C1 C5"},
        table=[("Energy.U1", ""), ("Corporate.C2", "")],
        asked=["Banker"],
    )
    words = {
        "vote C5 Energy.U1": (
            "vote for Energy's Wind Power Farm Inauguration (you +1, Stability +2; 0 of 3 votes)",
            "with Prioritize Investment in Public Sector",
        ),
        "vote C1 Corporate.C2": (
            "vote for Corporate C2 (you -1, Stability -1; 0 of 1 vote)",
            "with Lower Lending Rate to Small Companies",
        ),
        "pass": ("", "vote for nothing"),
    }
    for text, (heading, rest) in words.items():
        action = LORD.parse_action(text)
        assert LORD_VIEW.heading_of(state, action) == heading
        assert LORD_VIEW.action_text(state, action) == f"{heading} {rest}".strip()
        assert not re.search(r"[CUR]\d", rest)
    first, second, last = map(LORD.parse_action, words)
    listed = list(LORD_VIEW.listed(state, [first, first, second, last]))
    above, rest = words["vote C5 Energy.U1"]
    assert listed[:2] == [(f"{above}\n", rest), ("", rest)]
    assert listed[3] == ("", "vote for nothing")
    mode = LORD.parse_action("use C5 Energy.U1")
    text = LORD_VIEW.action_text(replace(state, phase=LordPhase.ALTERNATES), mode)
    assert text.startswith("add a vote to Energy's Wind")
    assert text.endswith("by discarding Prioritize Investment in Public Sector")


def test_a_piggle_that_cannot_be_loaded_says_where_it_is():
    game = make_game("piggles_classic")
    state = game.parse_state(
        "round=5 active=A phase=load A.pen=A1,A2 A.mud=A3@3 A.kitchen=A5 "
        "board=A4:up@field:W;A6:up@line:S/path"
    )
    toggles = make_view(game).toggles(state, game.legal_actions(state))
    assert toggles.why == {
        "A3": "A3 is in the Mud",
        "A4": "A4 is on the board",
        "A5": "A5 is in the Kitchen",
        "A6": "A6 is on the board",
    }


def test_the_moves_of_a_unit_stand_together():
    state = place("b1:1,d4:1", "h8:1")
    texts = [
        (BACK_VIEW.heading_of(state, action), BACK_VIEW.action_text(state, action))
        for action in PLAIN.legal_actions(state)
        if isinstance(action, Move)
    ]
    assert {heading for heading, _ in texts} == {"b1", "d4"}
    assert all(text.startswith(f"{heading} to ") for heading, text in texts)


def test_activated_actions_are_described_in_the_order_that_their_owner_chose():
    table = [("Banker.C2", "+"), ("Banker.U3", "+")]
    parts = {"table": table, "asked": ["Banker"], "due": ("Banker.C2", "Banker.U3")}
    lines = story(LORD_VIEW, [decided(at(LordPhase.ORDER, **parts), "first Banker.U3")])
    assert [line[:30] for line in lines if line.startswith("Activated")] == [
        "Activated: Banker's Hedge Fund",
        "Activated: Banker's Up Lending",
    ]


def test_actions_carried_out_after_a_shuffle_are_described():
    fair = Event.NATIONAL_BUSINESS_FAIR
    table = [("Banker.C2", "+"), ("Banker.U3", "+")]
    parts = {"table": table, "asked": ["Banker"], "due": ("Banker.C2", "Banker.U3")}
    state = at(LordPhase.ORDER, event=fair, **parts)
    sides = [replace(side, deck=(), discard=side.deck) for side in state.sides]
    event = decided(replace(state, sides=tuple(sides)), "first Banker.C2")
    assert sum(line.startswith("Activated") for line in story(LORD_VIEW, [event])) == 1
    request = LORD.chance_request(event.after)
    result = ShuffleResult(cards=request.cards)
    outcome = MatchOutcome(index=0, thrower=request.thrower, piggles=(), result=result)
    now = LORD.apply_outcome(event.after, result)
    lines = story(LORD_VIEW, [MatchEvent(entry=outcome, before=event.after, after=now)])
    assert [line[:30] for line in lines if line.startswith("Activated")] == [
        "Activated: Banker's Hedge Fund"
    ]


def test_every_draw_wash_and_missed_turn_of_pig_pile_is_described():
    game, view, events = watched("pig_pile", 3, players=5, rounds=3)
    view.people = {seat: f"Ann{seat}" for seat in game.seats}
    missed = washes = 0
    for event in events:
        before, now, text = event.before, event.after, " ".join(story(view, [event]))
        if before.phase is not PigPilePhase.PLAY or now.phase is not PigPilePhase.PLAY:
            continue
        assert ("Draws 1 card" in text) is (len(before.draw) - len(now.draw) == 1)
        washed = len(now.aside) - len(before.aside)
        assert (f"{washed} card" in text and "Hog Wash" in text) is bool(washed)
        assert ("Ewe Turn" in text) is (before.direction != now.direction)
        assert ("Out of cards" in text) is (before.out != now.out)
        washes += bool(washed)
        if "misses a turn" in text:
            (name,) = re.findall(r"Ann\w \((\w)\) is tied", text)
            assert game.turn(now) is not Seat(name)
            missed += 1
        elif not washed and before.out == now.out:
            ring = [(before.mover + now.direction * k) % 5 for k in range(1, 5)]
            assert now.mover == next(at for at in ring if at not in now.out)
    assert missed > 10
    assert washes > 10


def test_a_match_of_piggy_six_is_described_in_plain_words():
    dice = [DiceResult(faces=each) for each in ((3, 5), (6, 2), (6, 6), (5, 5))]
    _, view, events = watched(
        "piggy_six", 1, agent="hold:8", chance=ScriptedChance(dice), target=10
    )
    assert story(view, events) == [
        "Player A rolls ⚂ 3 ⚄ 5: + 8, 8 in this turn",
        "Player A stops with 8: 8 points",
        "Player B rolls ⚅ 6 ⚁ 2: a six, no points",
        "Player A rolls ⚅ 6 ⚅ 6: two sixes, all 8 points are lost",
        "Player B rolls ⚄ 5 ⚄ 5: + 10, 10 in this turn",
        "Player B stops with 10: 10 points",
        "Player B wins on points, 0 : 10",
    ]


@pytest.mark.slow
def test_a_hint_shows_what_roll_and_stop_win(tmp_path, monkeypatch):
    monkeypatch.setattr(dice_game, "user_cache", lambda: tmp_path)
    game, chance = make_game("piggy_six", {"target": 20}), believed_chance()
    tied = PiggySixState(bank=(22, 12), active=Seat.B, total=10, rolls=2, dice=2)
    best = make_agent("best", game=game)
    found = hint(Evaluator(game, chance, agent=best), make_view(game), tied)
    assert [line.text for line in found] == [
        "Hint (best): Roll, wins 69.44 %",
        "  or Stop with 10: 22 points, wins 50.00 %",
    ]
    many = make_game("piggy_six", {"players": 3})
    state = PiggySixState(bank=(30, 0, 0), total=10, rolls=2, dice=2)
    best = make_agent("best", game=many)
    found = hint(Evaluator(many, chance, agent=best), make_view(many), state)
    assert "stops at 11, with 30 points to lose" in found[1].text


START = """\
  8   ·    B1   B1   B1   B1   B1   B1   ·
  7   ·    ·    ·    ·    ·    ·    ·    ·
  6   ·    ·    ·    ·    ·    ·    ·    ·
  5  (m)   ·   (y)   ·    ·   (o)   ·   (g)
  4  (g)   ·   (o)   ·    ·   (y)   ·   (m)
  3   ·    ·    ·    ·    ·    ·    ·    ·
  2   ·    ·    ·    ·    ·    ·    ·    ·
  1   ·    A1   A1   A1   A1   A1   A1   ·
      a    b    c    d    e    f    g    h
bank  2 Boost  2 Firepower  2 Luck  2 Warp
"""


def drawn(state, viewer):
    text = painted(BACK_VIEW.table(state, viewer)).plain
    return [line.rstrip() for line in text.splitlines()]


def test_the_board_of_piggyback_is_seen_from_the_viewers_side():
    state = PLAIN.initial_state()
    assert drawn(state, None) == drawn(state, Seat.A) == START.splitlines()
    *rows, letters, bank = [line.split() for line in START.splitlines()]
    turned = [[row[0], *row[:0:-1]] for row in rows[::-1]]
    assert [line.split() for line in drawn(state, Seat.B)] == [*turned, letters[::-1], bank]
    words = " ".join(drawn(place("d4:2gy,e5:1", "h8:3oo", "e5:m"), Seat.A)).split()
    assert {"A2gy", "A1,", "B3oo"} <= set(words)


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (place("d4:1,d3:2", "e5:3y,h8:1", "c5:o"),
         {"d4 to d5", "d4 to e5, attacking a stack of 3 with Luck", "d4 to c5, acquiring Firepower",
          "d4 to c5, leaving Firepower there", "d4 to d3, stacking 3 units", "concede"}),
        (place("d4:1m,a1:1", "h8:1"), {"Warp: swap d4 with a1"}),
        (after(PLAIN, place("d4:1oy", "d5:1,h8:1"), "d4-d5", 3),
         {"roll again by Luck", "stand on 3", "stand on 3 + 1 by Firepower = 4"}),
        (after(PLAIN, place("d4:2", "d5:1,h8:1"), "d4-d5", 3), {"roll again"}),
        (after(PLAIN, place("d4:1g", "h8:1"), "d4-d5"), {"move no further"}),
        (after(PLAIN, place("d4:1", "d5:1m,h8:1"), "d4-d5"), {"fight without a Warp"}),
        (after(PLAIN, place("d4:1", "d5:1oy,h8:1"), "d4-d5", 6, 1, "stand"),
         {"keep Firepower and Luck", "keep Luck", "keep nothing"}),
        (after(PLAIN, place("d4:1", "d5:1,h8:1", bank="g"), "d4-d5", 6, 1),
         {"put Boost from the bank on a4", "take nothing from the bank"}),
    ],
)  # fmt: skip
def test_decisions_of_piggyback_are_described_as_people_say_them(state, said):
    choices = [BACK_VIEW.action_text(state, action) for action in PLAIN.legal_actions(state)]
    assert said <= set(choices)
    assert len(set(choices)) == len(choices)


@pytest.mark.parametrize(
    ("state", "best", "played", "why"),
    [
        # One unit wins against one with r in r of 6 results: 7/12.
        (place("d4:1", "d5:1,h8:1"), "d4-d5", "d4-c4", "the attack wins 58 % of the time"),
        (place("d4:1", "d5:1,h8:1"), "d4-c3", "d4-d5",
         "the attack that was played wins 58 % of the time"),
        (place("d4:1,a1:1", "d6:1"), "a1-a2", "d4-d5",
         "after the action played, Blue can attack d5 and wins 58 % of the time; after the better "
         "one, no attack is possible"),
        # Three rolls against one: 7/9; two: 17/24.
        (place("d4:1,a1:1", "d6:3"), "a1-a2", "d4-d5",
         "after the action played, Blue can attack d5 and wins 78 % of the time; after the better "
         "one, no attack is possible"),
        (place("d4:2,a1:1", "d6:1"), "d4-d5", "a1-a2",
         "after the better one, Red can attack d6 and wins 71 % of the time; after the action "
         "played, no attack is possible"),
        (place("d4:1,a1:1", "h8:1"), "a1-a2", "d4-d5", ""),
        # A 3 wins against 1, 2 and 3; the next roll wins 7/12 again.
        (after(PLAIN, place("d4:1y", "d5:1,h8:1"), "d4-d5", 3), "roll", "stand",
         "it wins the combat 58 % of the time, not 50 %"),
        (after(PLAIN, place("d4:1y", "d5:1,h8:1"), "d4-d5", 3), "stand", "roll", ""),
        (after(PLAIN, place("d4:1", "d5:1o,h8:1"), "d4-d5", 4, 4), "stand +1", "stand",
         "it wins the combat 100 % of the time, not 0 %"),
    ],
)  # fmt: skip
def test_a_better_action_of_piggyback_is_explained_by_the_odds(state, best, played, why):
    actions = [PLAIN.parse_action(text) for text in (best, played)]
    assert all(PLAIN.is_legal(state, each) for each in actions)
    assert BACK_VIEW.why(state, *actions) == why
    assert BACK_VIEW.why(state, actions[0], None) in {"", "the attack wins 58 % of the time"}


@pytest.mark.parametrize(
    ("best", "played", "why"),
    [
        (Play((9,)), PickUp(), "taking up the pile puts 3 cards into your hand"),
        (Play((9, 9)), Play((12,)), "a Hog Wash sets the pile aside and gives you another turn"),
        (Play((10, 10)), Play((12,)), "it rids you of 1 more card in the same turn"),
        (Play((10,)), Play((12,)), "the lower card goes first: 12 fits on more piles later"),
        (Play((12,)), Play((10,)), "the next player must play 12 or higher, not 10 or higher"),
        (Play((9, 9)), Play((9, 9, 9)),
         "fewer cards wash the pile too, and the rest fits on more later"),
        (Play((11,)), Play((10,)), ""),
        (Play((10,)), Play((12, 12)), ""),
        (Play((12,)), Play((HOG_WILD,)), "Hog Wild fits on anything, so it is worth more later"),
        (Play((HOG_WILD, HOG_WILD)), Play((HOG_WILD,)),
         "it rids you of 1 more card in the same turn"),
        (PickUp(), Play((10,)), ""),
    ],
)  # fmt: skip
def test_a_better_action_of_pig_pile_is_explained_by_the_rules(best, played, why):
    game, view, events = watched("pig_pile", 1, rounds=1)
    state = next(each.after for each in events if each.after.phase is PigPilePhase.PLAY)
    # Two more of the nines make a set of four on top.
    state = replace(state, pile=(3, 9, 9))
    assert washes(9, 2, state, game.rules) and not washes(10, 2, state, game.rules)
    assert view.why(state, best, played) == why


def test_a_wash_with_the_last_cards_promises_no_other_turn():
    game, view, events = watched("pig_pile", 1, rounds=1, players=3)
    state = next(each.after for each in events if each.after.phase is PigPilePhase.PLAY)
    none = ((), (), ())
    state = replace(
        state, pile=(5,), draw=(), mover=0, hands=((5, 5), (7,), (9,)), known=none, ups=none,
        slops=none,
    )  # fmt: skip
    best, played = Play((5, 5)), Play((5,))
    after = game.apply_action(state, best)
    assert (after.out, after.mover) == ((0,), 1)
    assert view.why(state, best, played) == "it rids you of 1 more card in the same turn"
    # A face-up card is left to play.
    more = replace(state, ups=((11,), (), ()))
    assert game.apply_action(more, best).mover == 0
    wash = "a Hog Wash sets the pile aside and gives you another turn"
    assert view.why(more, best, played) == wash


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        *((name, {}) for name in game_names()),
        ("piggles_modern", {"effects_mandatory": True, "sudden_board": "as_it_lies", "rounds": 1}),
        ("piggy_six", {"solitaire": True, "target": 30, "tie": "extra_round"}),
        ("piggy_six", {"three_dice": True, "players": 8, "target": 40}),
        ("pig_pile", {"advanced_deal": True, "rounds": 1}),
        ("piggyback", {"quiet_cap": 20}),
        ("lord_of_the_pigs", {"series": "competitive", "series_games": 2}),
    ],
)
def test_every_prompt_fits_on_the_smallest_screen(name, rules):
    seats = make_game(name, rules).seats
    for seed in range(2):
        chance = simple_chance(seed=seed) if name.startswith("piggles") else None
        _, view, events = watched(name, seed, chance=chance, **rules)
        for event in events:
            for seat in (*seats, None):
                assert len(wrap(view.guide(event.before, seat), 78)) <= 2, event.before
            assert len(f"{find(name).title} · {view.heading(event.before)}") <= 78


def test_a_hand_of_the_lord_fits_on_the_smallest_screen():
    widest = 0
    for seed in range(4):
        _, view, events = watched("lord_of_the_pigs", seed)
        for event in events:
            seat = LORD.turn(event.before)
            if not isinstance(seat, Seat):
                continue
            lines = painted(view.table(event.before, seat)).plain.splitlines()
            hand = event.before.side(seat).hand
            above = next(
                n for n, line in enumerate(lines) if line.startswith(("Hand", "Your hand"))
            )
            assert above + len(hand) <= (20 if len(hand) <= 8 else 24)
            for card, line in zip(hand, lines[above + 1 :], strict=False):
                assert line.startswith(card)
                # The name alone may be cut.
                assert len(line) - len(card_name(seat, card)) <= 45
            widest = max(widest, len(hand))
    assert widest > 3


def ids_of(parts):
    """Return the ids of all pieces and squares of a table."""
    squares = [
        square
        for part in parts
        if isinstance(part, Squares)
        for row in part.squares
        for square in row
    ]
    pieces = [piece for part in parts if isinstance(part, Cards) for piece in part.cards]
    return {each.id for each in (*squares, *pieces)}


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("piggyback", {}),
        ("pig_pile", {"rounds": 1}),
        ("pig_pile", {"players": 4, "rounds": 1, "advanced_deal": True}),
        ("lord_of_the_pigs", {}),
    ],
)
def test_what_an_action_involves_is_on_the_table_of_the_player(name, rules):
    game, view, events = watched(name, 4, **rules)
    involved = set()
    for event in events:
        seat = game.turn(event.before)
        if not isinstance(seat, Seat):
            continue
        ids = ids_of(view.table(event.before, seat))
        for action in game.legal_actions(event.before):
            assert ids >= set(view.involved(action)), action
            involved |= {type(action) for _ in view.involved(action)}
    assert len(involved) >= 3


def test_stacks_votes_and_piles_are_counted_as_the_rules_count_them():
    game, view, events = watched("piggyback", 3, cap=60)
    for state in (event.after for event in events):
        board, bank = view.table(state, None)
        pieces = [piece for row in board.squares for square in row for piece in square.pieces]
        for seat in game.seats:
            own = [piece for piece in pieces if piece.seat is seat]
            assert sum(piece.count for piece in own) == state.units(seat)
            held = [each.key for piece in own for each in piece.holds]
            assert sorted(held) == sorted(
                ability.value[0] for _, stack in state.side(seat) for ability in stack.held
            )
        assert sum(piece.count for piece in bank.cards) == len(state.bank)
    game, view, events = watched("pig_pile", 3, rounds=1)
    for state in (event.after for event in events if event.after.phase is PigPilePhase.PLAY):
        parts = view.table(state, game.seats[0])
        (piles,) = (part for part in parts if isinstance(part, Piles))
        assert [count for _, count in piles.counts] == [len(state.draw), len(state.aside)]
    _, view, events = watched("lord_of_the_pigs", 3, turn_cap=6)
    votes = 0
    for state in (event.after for event in events):
        (*_, area) = view.table(state, Seat.A)
        for action in state.submitted:
            (card,) = (each for each in area.cards if each.id == action.name)
            assert len(card.holds) == action.vote_count
            cast = [each for each in card.holds if each.face_down]
            assert all(each.seat is Seat.A or not each.label for each in cast)
            votes += len(cast)
    assert votes > 3


def test_a_card_has_one_key_in_the_hand_and_on_the_table():
    _, view, events = watched("lord_of_the_pigs", 3, turn_cap=4)
    submitted = 0
    for event in events:
        if not isinstance(event.action, Submit):
            continue
        seat = event.entry.seat
        hand = next(
            part
            for part in view.table(event.before, seat)
            if isinstance(part, Cards) and part.spread is Spread.HAND
        )
        (key,) = {card.key for card in hand.cards if card.id == event.action.card}
        (*_, area) = view.table(event.after, seat)
        assert key in {card.key for card in area.cards}
        submitted += 1
    assert submitted > 4
