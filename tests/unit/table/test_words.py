"""Every sentence of the rules screens and the games' pages beside a test of the engine.

`sentences.txt` lists them by page. Before each stand the scenarios, tests (`file.test`, without
`test_`) or checks of this file (`@check`) that play it; `%` stands for the scenarios of a table's
house rule, and `-` for a sentence that states no rule. A sentence that is not listed fails here.
"""

import re
from collections import Counter
from contextlib import suppress
from dataclasses import fields
from enum import StrEnum
from functools import cache
from pathlib import Path

import pytest

from pigglesim.chance.tabular import FairChance
from pigglesim.errors import PigglesimError
from pigglesim.games.game import Concede, NonPlayer, changed
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.rules import LordRules, _rated
from pigglesim.games.lord_of_the_pigs.state import EVENT_DECK, LordPhase
from pigglesim.games.pig_pile import Play
from pigglesim.games.piggles.effects import EffectOptions, targets
from pigglesim.games.piggles.state import ModernRules, MudEntry, PigglesSide, PigglesState
from pigglesim.games.registry import find, game_names, make_game
from pigglesim.games.switches import choices
from pigglesim.landing import Landing, Orientation, Seat, Zone
from pigglesim.markings import Colour, Rune
from pigglesim.render.palette import marking
from pigglesim.scenarios import read_scenarios, run_scenario
from pigglesim.solvers.dice_game import PIGGY_SIX, DuelResult, solve_match
from pigglesim.table.first_match import LESSONS
from pigglesim.table.layout import Cards
from pigglesim.table.view import make_view
from tests.support.piggyback_table import PLAIN, legal, place, play
from tests.support.random_games import walk
from tests.support.random_lord import at
from tests.support.simple_odds import simple_chance

ROOT = Path(__file__).parents[3]
UP, DOWN = Orientation.SNOUT_UP, Orientation.SNOUT_DOWN
SCENARIOS = {
    each["id"]: each
    for file in sorted((ROOT / "tests" / "scenarios").glob("*.json"))
    for each in read_scenarios(file)
}


def plain(text):
    return " ".join(re.sub(r"\*\*|(?<=\w)\*|\*(?=\w)|^#+ ", "", text, flags=re.MULTILINE).split())


def read_sentences():
    pages = {}
    for line in (Path(__file__).parent / "sentences.txt").read_text().splitlines():
        if line.startswith("["):
            pages |= dict.fromkeys(line[1:-1].split(), sentences := {})
        elif line:
            evidence, _, sentence = line.partition(" : ")
            sentences[sentence] = evidence.split()
    return pages


PAGES = read_sentences()


def concedes(*names, may):
    for name in names:
        game = make_game(name)
        for move in walk(game, 0):
            if isinstance(game.turn(move.before), Seat):
                assert (Concede() in game.legal_actions(move.before)) == may
            else:
                assert game.turn(move.before) is NonPlayer.CHANCE


def may_concede():
    concedes("piggles_classic", "piggles_modern", "piggyback", may=True)


def may_not_concede():
    concedes("pig_pile", may=False)


def reach(rune, zone, *, colour=Colour.RED):
    """Return what a red Piggle with a rune can act on from a zone, among Piggles everywhere."""
    lineup = make_game(
        "piggles_modern",
        {
            "team_a": [
                f"red+{rune}",
                f"{colour}+left",
                f"{colour}+left",
                f"{colour}+left",
                "-",
                "-",
            ],
            "team_b": [f"{colour}+left"] * 6,
        },
    ).effects.lineup
    options = EffectOptions(rules=ModernRules(), lineup=lineup)
    lying = {
        "A1": Landing(orientation=UP, zone=zone),
        "A2": Landing(orientation=DOWN, zone=Zone.WOODS),
        "B1": Landing(orientation=UP, zone=Zone.PATH_OUTER),
        "B2": Landing(orientation=UP, zone=Zone.FIELD_EAST),
    }
    side = PigglesSide(pen=("A5", "A6"), mud=(MudEntry(piggle="A3", round=1),), kitchen=("A4",))
    state = PigglesState(round=1, board=tuple(sorted(lying.items())), a=side)
    return targets(state, "A1", options)


def far_runes():
    for zone in (Zone.WOODS, Zone.PATH_INNER, Zone.LINE_PATH_WOODS, Zone.FIELD_NORTH):
        assert reach(Rune.ARROW_CW, zone) == ("A2",)
        assert reach(Rune.ARROW_CCW, zone) == ("B1", "B2")
        assert reach(Rune.SPIRAL_CW, zone) == ("A3",)
        assert reach(Rune.SPIRAL_CCW, zone) == ("A4",)
        for rune in (Rune.ARROW_CW, Rune.ARROW_CCW, Rune.SPIRAL_CW, Rune.SPIRAL_CCW):
            assert reach(rune, zone, colour=Colour.BLUE) == ()


def field_runes():
    assert reach(Rune.SPLIT, Zone.FIELD_EAST, colour=Colour.BLUE) == ("A5", "A6")
    assert reach(Rune.ADJACENT, Zone.FIELD_EAST) == ("B2",)
    for zone in (Zone.WOODS, Zone.PATH_INNER, Zone.PATH_OUTER):
        assert reach(Rune.SPLIT, zone) == ()
        assert reach(Rune.ADJACENT, zone) == ()


def back_moves():
    start = place("b1:1", "h8:1")
    assert play(PLAIN, start, "b1-b2").active is Seat.B
    boosted = play(PLAIN, place("b1:1g", "h8:1"), "b1-b2")
    assert (boosted.active, "b2-b3" in legal(PLAIN, boosted)) == (Seat.A, True)
    assert play(PLAIN, boosted, "b2-b3").active is Seat.B
    twice = play(PLAIN, place("b1:1gg", "h8:1"), "b1-b2", "b2-b3", "b3-b4")
    assert (twice.active, play(PLAIN, twice, "b4-b5").active) == (Seat.A, Seat.B)


def back_pieces():
    moves = legal(PLAIN, place("b1:1", "h8:1", "b2:g"))
    assert {"b1-b2", "b1-b2 take"} <= set(moves)
    assert "b1-b2 take" not in legal(PLAIN, place("b1:1oy", "h8:1", "b2:g"))


def clamp_of_lord():
    """A sum is limited once, after the shares of an Action."""
    change = (2, -3, 0, 0, 0)
    shares = ((Seat.C, "R1"),)
    together = _rated((9, 1, 5, 0), change, shares, LordRules())
    assert together == (10, 0, 5, 0)
    sharing = _rated((9, 0, 5, 9), (4, 0, 0, 0, 0), ((Seat.D, "R1"),), LordRules())
    assert sharing == (10, 0, 5, 10)


def players():
    for name in game_names():
        entry = find(name)
        if entry.players_rule is None:
            assert len(make_game(name).seats) == int(entry.players)
            continue
        for number in range(2, 9):
            assert len(make_game(name, {entry.players_rule: number}).seats) == number
        for number in (1, 9):
            with pytest.raises(PigglesimError, match="from 2 to 8"):
                make_game(name, {entry.players_rule: number})


def beginners():
    game = LordOfThePigs(rules=LordRules(events=False))
    shuffled = [each.move.cards for each in walk(game, 0) if hasattr(each.move, "cards")]
    assert not any(set(cards) & set(EVENT_DECK) for cards in shuffled)


def event_deck():
    state = at(LordPhase.SUBMISSION, asked=["Energy"], hands={"Energy": "C1"})
    empty = changed(state, event_deck=(), event_discard=EVENT_DECK)
    game = LordOfThePigs()
    after = game.apply_action(empty, game.parse_action("pass"))
    assert Counter(game.chance_request(after).cards) == Counter(EVENT_DECK)
    assert len(EVENT_DECK) == 20


def shown_vote():
    game = LordOfThePigs()
    state = at(
        LordPhase.VOTING, hands={"Energy": "C2 R1"}, table=[("Banker.C1", "President:C1")],
        asked=["Energy"],
    )  # fmt: skip
    shown = changed(state.sides[3], shown=("C2", "R1"))
    state = changed(state, sides=(*state.sides[:3], shown))
    voted = game.apply_action(state, game.parse_action("vote C2 Banker.C1"))
    # Two votes are enough. Nothing is shared: the Action is carried out, and its votes turned up.
    voted = game.apply_action(voted, game.parse_action("pass"))
    assert (voted.sides[3].shown, voted.sides[3].discard) == (("R1",), ("C2",))
    waiting = changed(state, submitted=(changed(state.submitted[0], card="R1"),))
    waiting = game.apply_action(waiting, game.parse_action("vote C2 Banker.C1"))
    assert game.observe(waiting, Seat.A).table.sides[3].shown == ("C2", "R1")


def pile_order():
    game = make_game("pig_pile")
    for move in walk(game, 0):
        if isinstance(game.turn(move.before), Seat):
            plays = [a.cards for a in game.legal_actions(move.before) if isinstance(a, Play)]
            assert plays == sorted(plays, key=lambda cards: (max(cards), len(cards)))


def next_dealer():
    dealers, game = [], make_game("pig_pile")
    for move in walk(game, 0):
        if game.turn(move.before) is NonPlayer.CHANCE:
            dealers.append(move.before.dealer)
            assert (move.after.mover, move.after.direction) == (move.before.dealer, 1)
    assert dealers == [0, 1, 2, 3, 0]


def fair_dice():
    source, request = FairChance(seed=3), PLAIN.chance_request(PLAIN.initial_state())
    faces = Counter(source.answer(request, index=index).faces[0] for index in range(600))
    # Five standard deviations of a binomial with 600 trials.
    assert all(abs(faces[face] - 100) < 46 for face in range(1, 7))


def passing():
    must, may = (DuelResult(dice=PIGGY_SIX, target=10, must_roll=must) for must in (True, False))
    values = [solve_match(each).first_player_win for each in (must, may)]
    assert values[0] == pytest.approx(values[1], abs=1e-9)


def no_choice():
    after = play(PLAIN, place("d3:1,h4:1", "d4:1,h8:1"), "d3-d4", 6, 1)
    assert (after.phase.value, after.active) == ("move", Seat.B)


def roll_again():
    assert "roll" in legal(PLAIN, play(PLAIN, place("d3:1", "d4:2,h8:1"), "d3-d4", 2, 5))


def nothing_hidden():
    for name in ("piggy_six", "piggyback"):
        game = make_game(name)
        for move in walk(game, 0):
            assert all(game.observe(move.after, seat).state == move.after for seat in game.seats)


def same_without_hold():
    game, source = make_game("piggles_classic"), simple_chance(seed=1)
    loads = [game.parse_action(f"load A1 A2{hold}") for hold in ("", " at -0.03,0.12,0.0508")]
    states = [game.apply_action(game.initial_state(), load) for load in loads]
    plain_roll, held = (source.answer(game.chance_request(each), index=0) for each in states)
    assert plain_roll == held


def symbols():
    assert (len(Colour), len(Rune)) == (5, 9)
    assert "".join(marking(Colour.RED, rune)[1] for rune in Rune) == "←→↔↑↻↺◴◵⑂"


def cards_are_fair():
    assert {find(name).chances for name in ("pig_pile", "lord_of_the_pigs")} == {("fair",)}


NO_RULES = (
    "Agents", "For learning", "Exact solution", "Counts of the game tree (perft)",
    "Example turn", "Example turns", "Example game",
)  # fmt: skip
"""Sections of pages about programs and examples, whose numbers and commands other tests run."""


def rules_of(page):
    text = (ROOT / "docs" / "games" / page).read_text()
    text = re.sub(r"```.*?```|<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^\|.*\n\|[-| ]+\|$", "", text, flags=re.MULTILINE)
    sections = [each.partition("\n") for each in re.split("^## ", text, flags=re.MULTILINE)]
    return "\n".join(body for title, _, body in sections if title not in NO_RULES)


CHECKS = {
    check.__name__: check
    for check in (
        may_concede, may_not_concede, far_runes, field_runes, back_moves, back_pieces, players,
        clamp_of_lord, beginners, event_deck, shown_vote, pile_order, next_dealer, fair_dice,
        passing, no_choice, roll_again, nothing_hidden, same_without_hold, symbols, cards_are_fair,
    )
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_holds(name):
    CHECKS[name]()


@cache
def passes(scenario):
    report = run_scenario(SCENARIOS[scenario])
    assert report.passed, report.line
    return True


@cache
def named_tests(file):
    text = "".join(each.read_text() for each in (ROOT / "tests").glob(f"**/test_{file}.py"))
    return set(re.findall(r"^def test_(\w+)\(", text, re.MULTILINE))


def scenarios_of(switch):
    return [name for name, each in SCENARIOS.items() if switch in each.get("config", {})]


@pytest.mark.parametrize("page", PAGES)
def test_each_sentence_is_played(page):
    for sentence, evidence in PAGES[page].items():
        assert evidence, sentence
        for name in evidence:
            if name == "%":
                assert scenarios_of(re.search("`(\\w+)`", sentence)[1]), sentence
            elif "." in name:
                file, _, test = name.partition(".")
                assert test in named_tests(file), name
            else:
                assert name == "-" or name[1:] in CHECKS or passes(name), name


def taken_out(text, sentences):
    """Return the sentences that a text holds, and the rest of the text."""
    found = set()
    for sentence in sorted(sentences, key=len, reverse=True):
        if sentence in text:
            found.add(sentence)
            text = text.replace(sentence, "", 1)
    return found, text


BASES = {
    "piggy_six": ({}, {"three_dice": True}, {"solitaire": True}),
    "lord_of_the_pigs": ({}, {"series": "regular"}),
}
SILENT = {
    "first_player", "alternate_start", "contact_tolerance_mm", "cocked", "reroll_cap",
    "knock_distance_mm", "knock_angle_deg", "sudden_board", "sudden_rolls", "sudden_off_board",
    "sudden_available", "sudden_choice", "sudden_cap", "green_clock", "cocked_dice", "roll_cap",
    "round_cap", "layout", "start", "start_cap", "first_dealer", "advanced_deal", "turn_cap",
    "first_actor", "minus_choice", "share_clamp", "piggy_six players",
}  # fmt: skip
"""House rules that make no sentence of a screen false: it names them below the rules."""


def other_settings(spec):
    if isinstance(spec.default, bool):
        return [not spec.default]
    if isinstance(spec.default, StrEnum):
        return [each for each in choices(spec) if each != spec.default]
    limits = {spec.metadata["least"], 1, spec.metadata["most"]} if spec.metadata else set()
    return sorted(limits - {spec.default})


def varied(name):
    """Yield each default table, its screen, and one with each other setting of each house rule."""
    for base in BASES.get(name, ({},)):
        game = make_game(name, base)
        default = make_view(game).page
        yield "", default, default
        for spec in fields(game.rules):
            for value in other_settings(spec):
                with suppress(PigglesimError):
                    other = make_game(name, {**base, spec.name: value})
                    yield spec.name, default, make_view(other).page


@pytest.mark.parametrize("name", sorted({*game_names()} & PAGES.keys()))
def test_a_rules_screen_has_the_chosen_house_rules_and_no_other_sentence(name):
    sentences, seen = PAGES[name], set()
    for game in [each for each in PAGES if PAGES[each] is sentences]:
        switches = {spec.name for spec in fields(make_game(game).rules)}
        mentioned = set()
        for switch, default, page in varied(game):
            found, rest = taken_out(plain(page), sentences)
            assert not re.search("[A-Za-z]", rest), (switch, rest)
            seen |= found
            mentioned |= {switch} if page != default else set()
            for sentence in found - taken_out(plain(default), sentences)[0]:
                played = set(sentences[sentence])
                assert played - set(SCENARIOS) or played & set(scenarios_of(switch)), sentence
        silent = switches - mentioned
        assert silent == {each for each in switches if {each, f"{game} {each}"} & SILENT}
    assert seen == set(sentences)


def test_the_notes_of_a_first_match_have_no_other_sentence():
    found, rest = taken_out(" ".join(lesson.text for lesson in LESSONS), PAGES["lessons"])
    assert not re.search("[A-Za-z]", rest), rest
    assert found == set(PAGES["lessons"])


@pytest.mark.parametrize("page", [page for page in PAGES if page.endswith(".md")])
def test_a_page_of_a_game_has_no_other_sentence(page):
    text = plain(rules_of(page))
    found, rest = taken_out(text, PAGES[page])
    assert not re.search("[A-Za-z]", rest), rest
    assert found == set(PAGES[page])


def test_common_pieces_are_shown_once():
    view = make_view(PLAIN)
    state = PLAIN.initial_state()
    assert "bank" not in [area.name for area in view.areas(state)]
    (bank,) = (part for part in view.table(state, None) if isinstance(part, Cards))
    assert [piece.label for piece in bank.cards] == ["2 Boost", "2 Firepower", "2 Luck", "2 Warp"]


TEAM = [f"red+{rune}" for rune in list(Rune)[3:]]


def test_a_rune_that_acts_from_anywhere_needs_no_field():
    effects = make_view(make_game("piggles_modern", {"team_a": TEAM})).effects
    far = [text for text in effects.values() if "landed ▲, it" in text]
    assert {text.split("(")[1].split(")")[0].split(", ")[-1] for text in far} == {
        "arrow cw", "arrow ccw", "spiral cw", "spiral ccw",
    }  # fmt: skip
