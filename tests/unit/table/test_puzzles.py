"""Puzzles: each is possible, has one best action, and says why; a changed file is one line."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from pigglesim.agents.search import alternatives
from pigglesim.chance.tabular import believed_chance
from pigglesim.errors import PigglesimError, RecordError
from pigglesim.experiments.values import EXACT, Evaluator
from pigglesim.games.game import Concede
from pigglesim.games.lord_of_the_pigs.rules import PASS
from pigglesim.games.lord_of_the_pigs.state import LordPhase
from pigglesim.games.pig_pile import HOG_WILD, PigPilePhase
from pigglesim.games.piggyback.state import Word
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import Seat
from pigglesim.rng import generator
from pigglesim.table import puzzles
from pigglesim.table.puzzle_themes import REASONS, Theme, theme_of, theme_reason
from pigglesim.table.puzzles import (
    Mined,
    PuzzleSession,
    all_puzzles,
    format_puzzles,
    number_of_day,
    parse_puzzles,
    puzzle_numbers,
    puzzle_of,
)
from tests.support import piggyback_table as back
from tests.support.random_games import walk

ALL = all_puzzles()


def drawn(count, *, exact):
    found = [each for each in ALL if each.exact is exact]
    order = generator(36, "puzzles").permutation(len(found))
    return [found[k] for k in order[:count]]


def test_positions_are_possible_and_the_options_are_all_that_is_legal():
    for number, puzzle in enumerate(ALL, start=1):
        game, state = puzzle.played, puzzle.state
        legal = alternatives(game, game.legal_actions(state))
        named = [option.action for option in puzzle.options]
        assert named == [game.format_action(each) for each in legal], number
        assert puzzle.theme is theme_of(game, state, legal[puzzle.best]), number


def test_one_option_leads_by_the_margin_and_some_agent_misses_it():
    for puzzle in ALL:
        best = puzzle.options[puzzle.best]
        others = [each for each in puzzle.options if each is not best]
        assert all(each.value < best.value for each in others)
        assert puzzle.margin > puzzle.noise
        assert 0 < len(puzzle.fails) < puzzle.asked
        assert not (puzzle.exact and any(each.noise for each in puzzle.options))


def test_every_game_has_puzzles_and_every_theme_a_reason():
    assert {each.game for each in ALL} == set(game_names())
    assert set(REASONS) == set(Theme)
    assert len({each.position for each in ALL}) == len(ALL)


@pytest.mark.parametrize(
    ("game", "holding"),
    [
        (back.table(allow_pass=True), {Word.PASS, Word.END, Word.FIGHT, Word.LEAVE}),
        (make_game("lord_of_the_pigs"), {PASS}),
    ],
)
def test_no_reason_is_one_both_to_act_and_not_to_act(game, holding):
    held = set()
    for state in (move.before for seed in range(3) for move in walk(game, seed)):
        if not isinstance(game.turn(state), Seat):
            continue
        legal = set(game.legal_actions(state)) - {Concede()}
        passing = legal & holding
        reasons = [
            {theme_reason(game, state, each) for each in some}
            for some in (passing, legal - passing)
        ]
        assert not set.intersection(*reasons), state
        held |= {(state.phase, each) for each in passing}
    assert {each for _, each in held} == holding
    if game.name == "lord_of_the_pigs":
        phases = {LordPhase.VOTING, LordPhase.ALTERNATES, LordPhase.SHARE, LordPhase.SUBMISSION}
        assert {phase for phase, _ in held} == phases


LOST = back.play(back.PLAIN, back.place("d4:1", "d5:1,h8:1", bank="g"), "d4-d5", 6, 1)
"""Blue has lost a combat, and there is a Boost in the bank."""


@pytest.mark.parametrize(
    ("state", "best", "reason"),
    [
        (back.play(back.PLAIN, back.place("d4:1g", "h8:1"), "d4-d5"), "end",
         "a step can end where the other attacks first"),
        (back.play(back.PLAIN, back.place("d4:1", "d5:1m,h8:1"), "d4-d5"), "fight",
         "what is not used now can be used later"),
        (LOST, "respawn a4",
         "which piece comes back, and where, decides who can fetch it first"),
        (LOST, "leave",
         "a piece that comes back is one that the other may fetch too"),
    ],
)  # fmt: skip
def test_the_reason_argues_for_the_action(state, best, reason):
    action = back.PLAIN.parse_action(best)
    assert back.PLAIN.is_legal(state, action)
    assert theme_reason(back.PLAIN, state, action) == reason


def test_shown_cards_and_the_last_cards_have_reasons_of_their_own():
    game = make_game("pig_pile", {"advanced_deal": True, "players": 3})
    walked = (move.before for move in walk(game, 1))
    state = next(each for each in walked if each.phase is PigPilePhase.CHOOSE)
    best = game.legal_actions(state)[0]
    assert theme_reason(game, state, best) == REASONS[Theme.FACE_UP]
    # Three fives wash, but whoever has played the last card has no other turn.
    last = replace(
        state, phase=PigPilePhase.PLAY, pile=(5,), draw=(),
        hands=((5, 5), (7,), (9,)), known=((), (), ()), ups=((), (), ()), slops=((), (), ()),
        mover=0,
    )  # fmt: skip
    play_of_two = game.parse_action("play 5 5")
    assert game.is_legal(last, play_of_two)
    assert theme_reason(game, last, play_of_two) == REASONS[Theme.OUT]
    more = replace(last, ups=((11,), (), ()))
    assert theme_reason(game, more, play_of_two) == REASONS[Theme.WASH]
    # Nothing else fits: a twelve is not low, but keeps Hog Wild.
    for hand, theme in (
        ((12, HOG_WILD), Theme.SAVE),
        ((10, 12, HOG_WILD), Theme.HIGH),
        ((12, 12), Theme.ONE),
    ):
        held = replace(last, pile=(9,), hands=(tuple(sorted(hand)), (7,), (9,)))
        assert theme_of(game, held, game.parse_action("play 12")) is theme


@pytest.mark.slow
def test_exact_values_are_those_of_the_solution():
    for puzzle in drawn(12, exact=True):
        found = Evaluator(puzzle.played, believed_chance(None, {})).position(puzzle.state)
        for option in puzzle.options:
            value = found.values(puzzle.played.parse_action(option.action))[puzzle.seat]
            assert value.method == EXACT
            assert value.value == pytest.approx(option.value, abs=6e-5)


def test_only_solved_games_have_exact_values():
    for puzzle in {each.game: each for each in ALL}.values():
        assert puzzle.exact is Evaluator(puzzle.played, believed_chance(None, {})).solved


def test_playouts_that_all_agree_are_not_shown_as_exact():
    agreed = [
        (number, place)
        for number, each in enumerate(ALL, start=1)
        for place, option in enumerate(each.options)
        if not each.exact and not option.noise
    ]
    assert agreed
    for number, place in agreed:
        session = PuzzleSession(number)
        shown = {row[0]: row[1] for row in session.answer().rows}
        # All are lost, or all are drawn.
        value = session.puzzle.options[place].value
        assert shown[session.option_text(place)] == f"about {100 * value:.0f} %"
        assert value in {0.0, 0.5}


@pytest.mark.slow
def test_values_are_those_of_fresh_playouts():
    for puzzle in drawn(4, exact=False):
        game = puzzle.played
        evaluator = Evaluator(game, believed_chance(None, {}), agent=_first(puzzle), seed=361)
        found = evaluator.position(puzzle.state)
        actions = [game.parse_action(each.action) for each in puzzle.options]
        values = [found.values(each)[puzzle.seat] for each in actions]
        for option, value in zip(puzzle.options, values, strict=True):
            # Five standard errors of both estimates.
            noise = (option.noise**2 + ((value.high - value.low) / 2) ** 2) ** 0.5 + 1e-3
            assert abs(option.value - value.value) < 2.5 * noise
        others = [each for k, each in enumerate(actions) if k != puzzle.best]
        losses = [found.loss(each, best=actions[puzzle.best]) for each in others]
        least = min(losses, key=lambda loss: loss.value)
        noise = (puzzle.noise**2 + (least.value - least.low) ** 2) ** 0.5
        assert abs(puzzle.margin - least.value) < 2.5 * noise


def _first(puzzle):
    """Return an agent that chooses at once: the values do not depend on it."""
    return next(a for s, a in PuzzleSession(ALL.index(puzzle) + 1).agents.items() if a is not None)


def test_a_day_has_one_puzzle_and_each_has_its_day():
    first = date(2026, 11, 26)
    days = [number_of_day(first + timedelta(days=k)) for k in range(len(ALL))]
    assert sorted(days) == list(range(1, len(ALL) + 1))
    assert number_of_day(first + timedelta(days=len(ALL))) == days[0]
    numbers = puzzle_numbers("piggy_six")
    assert all(puzzle_of(number).game == "piggy_six" for number in numbers)
    assert number_of_day(first, numbers) in numbers


def test_the_file_is_read_as_it_is_written():
    mined = {"pig_pile": Mined(matches=3, looked=20, tested=4)}
    assert parse_puzzles(format_puzzles(ALL[:3], mined)) == (ALL[:3], mined)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: text.replace('"best":0', '"best":1', 1), "do not match their checksum"),
        (lambda text: text[:-40], "do not match their checksum"),
        (lambda text: text.replace('"format":2', '"format":1'), "format 1 (expected 2)"),
        (lambda text: text.replace('"puzzles":9', '"puzzles":8'), "9 puzzles, not 8"),
        (lambda text: text.replace('"format"', '"kind"'), "missing format"),
        (lambda text: "", "invalid JSON"),
        (lambda text: "a diary\n", "invalid JSON"),
        (lambda text: format_puzzles([], {}), "0 puzzles"),
    ],
)
def test_a_changed_file_is_one_line(change, problem):
    text = format_puzzles(ALL[:9], {})
    changed = change(text)
    assert changed != text
    with pytest.raises(RecordError) as caught:
        parse_puzzles(changed)
    line = str(caught.value)
    assert problem in line
    assert line.startswith("puzzles.jsonl: ")
    assert "python -m scripts.puzzles" in line
    assert "\n" not in line


def test_unknown_names_and_numbers_are_one_line():
    theme = str(Theme.THROW_ALL)
    for wrong, problem in (
        (lambda: puzzle_of(0), "no puzzle 0"),
        (lambda: puzzle_of(len(ALL) + 1), f"no puzzle {len(ALL) + 1}"),
        (lambda: puzzle_numbers(game="pigy_six"), "unknown game"),
        (lambda: puzzle_numbers(theme="stop her"), "unknown theme"),
        (lambda: puzzle_numbers("piggy_six", theme), f"no puzzle of piggy_six with .*{theme}"),
    ):
        with pytest.raises(PigglesimError, match=problem):
            wrong()


def test_a_decision_ends_a_puzzle_and_leaves_the_table():
    number = puzzle_numbers("piggles_modern")[0]
    session = PuzzleSession(number)
    best = session.choices[session.puzzle.best]
    assert session.awaited is session.puzzle.seat
    assert session.viewer is session.puzzle.seat
    session.decide(best)
    assert session.over
    assert session.state == session.puzzle.state
    assert not session.choices
    found = session.answer()
    assert found.right
    assert found.verdict.startswith("Right: ")
    assert REASONS[session.puzzle.theme] in found.verdict


def test_a_wrong_answer_is_explained_as_a_review_does():
    number = next(k for k in puzzle_numbers("piggy_six") if len(puzzle_of(k).options) == 2)
    session = PuzzleSession(number)
    wrong = 1 - session.puzzle.best
    found = session.answer(wrong)
    assert found.verdict.startswith("Better: ")
    notes = {note for _, _, note in found.rows}
    assert notes == {"best", "yours"}
    assert session.answer(None).verdict.startswith("The best action: ")


def test_other_actions_of_the_rules_are_no_answers():
    number = next(k for k in puzzle_numbers("piggles_classic") if puzzle_of(k).seat is Seat.A)
    session = PuzzleSession(number)
    action = session.game.parse_action("concede")
    with pytest.raises(PigglesimError, match="not an action of this puzzle"):
        session.decide(action)
    assert not session.over


def test_equal_loads_are_one_option(monkeypatch):
    """In Classic Piggles are alike: any two are the same answer."""
    number = next(k for k in puzzle_numbers("piggles_classic") if len(puzzle_of(k).options) >= 3)
    puzzle = puzzle_of(number)
    pen = puzzle.state.side(puzzle.seat).pen
    loads = [o for o, each in enumerate(puzzle.options) if len(each.action.split()) == 2]
    for piggle in pen:
        assert puzzle.option_of(puzzle.played.parse_action(f"load {piggle}")) == loads[0]
    monkeypatch.setattr(puzzles, "all_puzzles", lambda: (replace(puzzle, best=0),))
    assert PuzzleSession(1).answer(0).right
