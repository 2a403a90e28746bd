"""Pig Pile: its rules one by one, its page, and what holds in every match."""

import re
import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.chance_types import ShuffleResult
from pigglesim.errors import IllegalActionError
from pigglesim.games.pig_pile import (
    DECK,
    FORMS,
    PIG_PEN,
    DrawTo,
    FaceUp,
    PickUp,
    PigPile,
    PigPilePhase,
    PigPileRules,
    PigPileState,
    Play,
    Slop,
    act,
    format_card,
    goes_out,
    round_awards,
)
from pigglesim.landing import Seat
from tests.support.front_door import run_here
from tests.support.random_games import GAMES, SEEDS, walk
from tests.support.random_pig_pile import with_hidden_changed

GAME = PigPile(rules=PigPileRules(players=3))


def dealt(game, cards=None):
    deal = ShuffleResult(cards=cards or tuple(map(format_card, DECK)))
    return game.apply_outcome(game.initial_state(), deal)


def test_the_deal_is_three_down_three_up_and_four_in_the_hand():
    state = dealt(GAME)
    assert state.slops == ((0, 0, 0), (1, 1, 1), (3, 3, 3))
    assert state.ups == ((0, 0, 0), (1, 2, 2), (3, 3, 3))
    assert state.hands == ((0, 0, 1, 1), (2, 2, 2, 2), (4, 4, 4, 4))
    assert (len(state.draw), state.draw[0], state.mover) == (50, 4, 0)


@pytest.mark.parametrize("action", [Play(cards=(99,)), PickUp(face_up=50)])
def test_a_card_that_does_not_exist_is_illegal(action):
    game = PigPile()
    with pytest.raises(IllegalActionError, match=r"card (99|50)'.*(R3|PP2)"):
        game.apply_action(dealt(game), action)


def test_in_the_advanced_deal_choices_are_hidden_until_all_have_chosen():
    game = PigPile(rules=PigPileRules(players=3, first_dealer=Seat.B, advanced_deal=True))
    first = dealt(game)
    assert (first.phase, game.turn(first)) == (PigPilePhase.CHOOSE, Seat.B)
    assert [game.format_action(a) for a in game.legal_actions(first)] == [
        "face_up 1 2 2", "face_up 2 2 2",
    ]  # fmt: skip
    with pytest.raises(IllegalActionError, match="R2"):
        game.apply_action(first, FaceUp((4, 4, 4)))
    second = game.apply_action(first, FaceUp((2, 2, 2)))
    other = game.apply_action(first, FaceUp((1, 2, 2)))
    assert game.observe(second, Seat.C) == game.observe(other, Seat.C)
    assert game.observe(second, Seat.B).choice == (2, 2, 2)
    third = game.apply_action(second, FaceUp((4, 4, 4)))
    assert third.ups == ((), (), ())
    last = game.apply_action(third, FaceUp((0, 0, 0)))
    assert last.ups == ((0, 0, 0), (2, 2, 2), (4, 4, 4))
    assert last.hands[1] == (1, 2, 2, 2)
    assert game.turn(last) is Seat.B


def ended(pigs, **rules):
    """A match whose last round is over but for one play, by which B comes second."""
    game = PigPile(rules=PigPileRules(players=len(pigs), rounds=1, **rules))
    nothing = ((),) * len(pigs)
    hands = ((), (9,), *((1,) for _ in pigs[2:-1]), (1, 1))
    state = PigPileState(
        phase=PigPilePhase.PLAY, mover=1, hands=hands, known=nothing, ups=nothing, slops=nothing,
        out=(0,), pigs=pigs,
    )  # fmt: skip
    return game, game.apply_action(state, Play((9,)))


def test_most_pigs_win_and_those_who_have_them_together_share():
    game, state = ended((0, 0, 0, 0))
    assert state.pigs == (3, 2, 1, 0)
    assert (game.result(state).winner, game.result(state).shared) == (Seat.A, ())
    game, state = ended((0, 1, 2, 0))
    result = game.result(state)
    assert (result.winner, result.shared) == (None, (Seat.A, Seat.B, Seat.C))
    assert result.shares(game.seats)[Seat.B] == pytest.approx(1 / 3)


def test_the_match_ends_with_the_last_pig():
    game = PigPile(rules=PigPileRules(players=3, rounds=100))
    _, state = ended((18, 18, 0))
    hands = ((), (9,), (1,))
    state = replace(state, phase=PigPilePhase.PLAY, mover=1, pile=(), out=(0,), hands=hands)
    state = replace(state, pigs=(18, 18, 0))
    after = game.apply_action(state, Play((9,)))
    assert after.pigs == (21, 19, 0)
    assert game.result(after).winner is Seat.A


def test_draw_to_may_be_written_as_a_number():
    assert PigPileRules.from_mapping({"draw_to": 4}).draw_to is DrawTo.FOUR
    assert PigPileRules.from_mapping({"draw_to": True}).draw_to is DrawTo.ONE


COMMON = [PigPile(rules=PigPileRules(players=n, rounds=2)) for n in range(2, 9)]
plays = given(game=GAMES["pig_pile"], seed=SEEDS)
many = settings(max_examples=10)


def test_the_deck_is_as_the_box_says():
    assert Counter(DECK) == {0: 8, **dict.fromkeys(range(1, 13), 6)}
    assert len(DECK) == 80


@many
@plays
def test_cards_move_only_as_the_rules_say(game, seed):
    for before, move, _ in walk(game, seed):
        if isinstance(move, ShuffleResult | FaceUp):
            continue
        after, place = act(before, move, game.rules), before.mover
        grown = len(after.pile) - len(before.pile)
        match move:
            case Play(cards=cards):
                washed = not after.pile
                assert washed or grown == len(cards)
                assert (len(after.aside) > len(before.aside)) is washed
                assert washed or after.pile[-1] == max(cards)
                top = before.pile[-1] if before.pile else 0
                free = max(cards) == 0 or (max(cards) == 8 and game.rules.wash_any_time)
                assert free or max(cards) >= top
                # Who washes plays on, if there is anything left to play.
                assert not washed or after.mover == place or place in after.out
            case PickUp() | Slop():
                assert after.pile == () or grown == 1
        if len(after.hands[place]) == 0:
            assert after.draw == ()
        others = [at for at in range(before.count) if at != place]
        assert all(after.hands[at] == before.hands[at] for at in others)


@many
@plays
def test_pigs_are_paid_as_the_rules_say(game, seed):
    for before, move, after in walk(game, seed):
        assert sum(after.pigs) <= PIG_PEN
        if isinstance(move, ShuffleResult | FaceUp) or after.turns == before.turns + 1:
            assert after.phase is PigPilePhase.OVER or after.pigs == before.pigs
            continue
        ended = act(before, move, game.rules)
        awards = round_awards(ended)
        assert [a + b for a, b in zip(before.pigs, awards, strict=True)] == list(after.pigs)
        # They stay on show while the next round is dealt.
        assert after.awards == awards
        counts = [ended.cards_of(at) for at in ended.left]
        alone = counts.count(max(counts)) == 1
        if len(ended.out) == 2 and alone and before.pen >= before.count + 2:
            assert sum(awards) == before.count + 2
        if ended.out:
            assert awards[ended.out[0]] == min(3, before.pen)


@pytest.mark.parametrize("game", COMMON, ids=lambda game: str(game.rules.players))
def test_the_next_player_is_the_nearest_who_is_still_in(game):
    turned = 0
    for before, move, _ in walk(game, game.rules.players):
        if not isinstance(move, Play) or move.value in {4, 8}:
            continue
        after = act(before, move, game.rules)
        if after.mover == before.mover or len(after.out) == 2:
            continue
        ring = [at for at in range(before.count) if at in {*after.left, before.mover}]
        step = after.direction if not before.tied else 2 * after.direction
        if before.tied and before.mover in after.out:
            continue
        assert ring[(ring.index(before.mover) + step) % len(ring)] == after.mover
        turned += 1
    assert turned > 100


@many
@plays
def test_what_a_player_may_not_see_changes_nothing_it_sees(game, seed):
    rng = np.random.default_rng(seed)
    for number, (before, _, _) in enumerate(walk(game, seed)):
        if before.phase is PigPilePhase.DEAL or number % 7:
            continue
        for place, seat in enumerate(game.seats):
            other = with_hidden_changed(before, place, rng)
            assert game.validate(other) == ()
            assert game.observe(other, seat) == game.observe(before, seat)
        mine = with_hidden_changed(before, before.mover, rng)
        assert game.legal_actions(mine) == game.legal_actions(before)


def test_what_is_imagined_is_dealt_evenly():
    """Each unseen card is as often in each place that is not seen: by chi squared."""
    game = PigPile(rules=PigPileRules(players=3))
    deal = ShuffleResult(cards=tuple(map(str, [*range(1, 13)] * 6)) + ("W",) * 8)
    state = game.apply_outcome(game.initial_state(), deal)
    seen = game.observe(state, Seat.B)
    rng, trials = np.random.default_rng(5), 4000
    unseen = Counter(seen.unseen)
    found = Counter(game.imagine(seen, rng=rng).slops[0][0] for _ in range(trials))
    whole = sum(unseen.values())
    assert whole == 80 - 4 - 9
    chi = sum(
        (found[card] - trials * count / whole) ** 2 / (trials * count / whole)
        for card, count in unseen.items()
    )
    # 12 degrees of freedom: above 32.9 once in a thousand times.
    assert chi < 32.9


def test_what_was_picked_up_is_known_until_it_is_played():
    game = PigPile(rules=PigPileRules(players=3))
    checked = 0
    for before, move, _ in walk(game, 4):
        if not isinstance(move, PickUp | Play):
            continue
        after, place = act(before, move, game.rules), before.mover
        known, was = Counter(after.known[place]), Counter(before.known[place])
        if isinstance(move, PickUp):
            along = [] if move.face_up is None else [move.face_up]
            assert known == was + Counter(before.pile) + Counter(along)
        elif before.hands[place]:
            assert known == was - Counter(move.cards)
        checked += 1
    assert checked > 500


@many
@given(game=GAMES["pig_pile"], seed=SEEDS, turned=st.integers(1, 7))
def test_it_does_not_matter_who_sits_where(game, seed, turned):
    """Everyone moved on by some seats, the dealer too: the same match, moved on."""
    n = game.rules.players
    dealer = list(Seat)[(list(Seat).index(game.rules.first_dealer) + turned) % n]
    other = PigPile(rules=replace(game.rules, first_dealer=dealer))

    def moved(cards):
        return tuple(cards[(at - turned) % n] for at in range(len(cards)))

    def moved_deal(deal):
        tens = [deal.cards[10 * at : 10 * at + 10] for at in range(n)]
        rest = deal.cards[10 * n :]
        return ShuffleResult(cards=tuple(card for ten in moved(tens) for card in ten) + rest)

    state = other.initial_state()
    for _, move, after in walk(game, seed):
        if isinstance(move, ShuffleResult):
            state = other.apply_outcome(state, moved_deal(move))
        else:
            state = other.apply_action(state, move)
        assert state.hands == moved(after.hands)
        assert state.draw == after.draw
        assert state.pigs == moved(after.pigs) or after.pen == 0
        assert state.mover == (after.mover + turned) % n


PAGE = (Path(__file__).parents[3] / "docs" / "games" / "pig_pile.md").read_text()
(COMMANDS,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)


def rows(header):
    table = PAGE.split(header)[1].split("\n\n")[0]
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in table.splitlines()[2:]]


def test_the_actions_on_the_page_read_back():
    for written, _, _ in rows("| text |"):
        action = FORMS.read(written.strip("`"))
        assert FORMS.read(FORMS.write(action)) == action


@pytest.mark.parametrize("command", [c for c in COMMANDS.splitlines() if " play " not in c])
def test_the_commands_on_the_page_run(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, first, *words = shlex.split(command)
    assert first == "pigglesim"
    done = run_here(*words)
    assert done.exit_code == 0
    if words[0] == "match":
        shown = [line.strip("─ ") for line in done.output.splitlines()]
        (example,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
        wanted = [line.strip("─ ") for line in example.splitlines()]
        assert shown[: len(wanted)] == wanted


def test_a_person_can_play_as_the_page_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = next(c for c in COMMANDS.splitlines() if " play " in c)
    words = shlex.split(command)[2:]
    done = run_here(*words, "--plain", "--seed", "2", "--hints", "greedy", stdin="1\n1\nquit\n")
    assert done.exit_code == 0
    assert "Player A plays" in done.output


def test_the_learning_environment_on_the_page_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code, {})
    shown = capsys.readouterr().out
    assert "5 x 46: the seat, player 1 after the seat" in shown
    assert shown.endswith("97 actions\n")


def test_a_pick_up_unties():
    # R5, PP5: one player misses a turn, not every second one.
    tied = replace(dealt(GAME), hands=((4,), (5,), (6,)), pile=(9,), tied=True, turns=1)
    after = act(tied, PickUp(), GAME.rules)
    assert (after.mover, after.tied, after.pile) == (2, False, ())


@pytest.mark.parametrize(("left", "possible"), [(1, True), (0, True), (-1, False)])
def test_the_pen_may_be_empty_and_not_less(left, possible):
    pigs = (PIG_PEN - left - 1, 1, 0)
    state = replace(dealt(GAME), pigs=pigs, round=20)
    assert ("R1" in {each.rule for each in GAME.validate(state)}) is not possible


def test_a_player_goes_out_with_the_last_card_of_all_places():
    state = replace(dealt(GAME), draw=(), slops=((), (), ()), hands=((4, 4), (5,), (6,)))
    assert [goes_out(count, state) for count in (4, 5, 6)] == [False, True, False]
    assert not goes_out(5, replace(state, slops=((0,), (), ())))
    assert not goes_out(5, replace(state, draw=(7,)))
