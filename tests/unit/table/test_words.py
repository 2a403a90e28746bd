# ruff: noqa: E501 (sentences as they are)
"""Every sentence of the rules screens, and many of the games' pages, beside what the engine does.

A sentence names scenarios that play it, or a check of its own. A sentence that changes fails here
until it is compared again.
"""

import re
from pathlib import Path

import pytest

from pigglesim.games.game import Concede, NonPlayer
from pigglesim.games.lord_of_the_pigs.rules import LordRules, _rated
from pigglesim.games.piggles.effects import EffectOptions, targets
from pigglesim.games.piggles.state import ModernRules, MudEntry, PigglesSide, PigglesState
from pigglesim.games.registry import make_game
from pigglesim.landing import Landing, Orientation, Seat, Zone
from pigglesim.markings import Colour, Rune
from pigglesim.scenarios import read_scenarios, run_scenario
from pigglesim.table.layout import Cards
from pigglesim.table.view import make_view
from tests.piggyback_table import PLAIN, legal, place, play
from tests.random_games import walk

ROOT = Path(__file__).parents[3]
UP, DOWN = Orientation.SNOUT_UP, Orientation.SNOUT_DOWN


def _scenarios():
    files = sorted((ROOT / "tests" / "scenarios").glob("*.json"))
    return {each["id"]: each for file in files for each in read_scenarios(file)}


SCENARIOS = _scenarios()


def concedes(name, *, may):
    """Return a check that each decision of a game may, or may not, be to concede."""

    def check():
        game = make_game(name)
        for seed in range(2):
            for move in walk(game, seed):
                if isinstance(game.turn(move.before), Seat):
                    assert (Concede() in game.legal_actions(move.before)) == may
                else:
                    assert game.turn(move.before) is NonPlayer.CHANCE

    return check


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


CLASSIC = {
    "6 rounds, most points wins.": "C45 C46",
    "In each, both players take a turn: load Piggles from your Pen into the cup, roll them onto the "
    "board, tally. Then one Resolve for both.": "C33 C34 C10",
    "Tally. Every one of your Piggles that lies ▲ Snout-Up pays for where it lies: 3 in a field, 2 on "
    "a path, 1 in the woods; on a line, the lower of its two sides.": "C01 C02 C03",
    "Each of yours in the Kitchen costs 1; no score falls below 0.": "C05 C04",
    "Knocking one of the other's off the board pays 1.": "C13 C14",
    "Turning one ▼ pays 1 at Resolve, and turning one ◆ pays 2.": "C16 C17",
    "Resolve. ▲ Snout-Up stays and pays again in every round to come.": "C10 C11",
    "▼ Snout-Down goes to its owner's Mud and comes back to the Pen two rounds later (Recoup, from "
    "round 3 on).": "C10 C28 C29 C35",
    "◆ On-Their-Head goes to its owner's Kitchen, for good.": "C10",
    "The end. After round 6 the higher score wins;": "C45",
    "a tie is broken by Sudden Snout-Up, one Piggle each.": "C48 C49",
    "Who begins round 5 with an empty Pen and every Piggle in Mud and Kitchen has lost;": "C36 C37 C94",
    "if both do, points decide.": "C42 C93",
    "You may concede in any decision.": concedes("piggles_classic", may=True),
    "Piggles in a minute": "",
    "So: roll early, for what stays up pays most often. But a Piggle that is in the Pen is safe, and "
    "a roll may knock what already lies there: yours or theirs.": "",
}
MODERN = {
    "Action & Reaction. After your roll, each Piggle that you rolled and that landed ▲ Snout-Up may "
    "act once, in any order, or not at all.": "M09 M12 M13 M15 M43",
    "Its rune says in which field its one target lies, seen from the field that it lies in itself, "
    "and its colour what happens there.": "M06 M97 M98",
    "On a line between field and path it is in the field.": "M94 M97",
    "On a path or in the woods it does nothing.": field_runes,
    "- O Orange, Burn: the target goes to the Kitchen; one of theirs pays 2": "M02",
    "- R Red, Damage: the target goes to the Mud; one of theirs pays 1": "M03 M05",
    "- B Blue, Crit: the target is rolled again, from your cup; it may knock": "M19 M85",
    "- G Green, Health: one that went to your Mud in this round or the last lies ▼ in that field": "M20 M22",
    "- Y Yellow, Shield: in the next roll and its Action & Reaction the target cannot be removed; "
    "knocked there, it goes to your Pen and is yours": "M23 M24 M91 M92",
    "Their runes: - ← To the Left Of: the next field clockwise (S to W to N to E)": "M06",
    "- → To the Right Of: the next one the other way": "M06",
    "- ↔ Adjacent To: the same field": "M97",
    "- ↑ Across From: the opposite field": "M06",
    "Runes 5 to 9 do something of their own. The first four act from anywhere on the board, also from "
    "path and woods, and reach Piggles of their own colour wherever they are;": far_runes,
    "the last acts from a field:": field_runes,
    "- ↻ Clockwise Arrow: turns one of yours from ▼ to ▲": "M32",
    "- ↺ Counter-Clockwise Arrow: turns one of theirs from ▲ to ▼": "M32",
    "- ◴ Clockwise Spiral with Dot: takes one from your Mud to your Pen": "M33",
    "- ◵ Counter-Clockwise Spiral with Dot: takes one from your Kitchen to your Mud": "M33",
    "- ⑂ Split Curved Downward Line: puts any one of your Pen into its own field, ▼": "M35",
}
SIX = {
    "In your turn roll, and roll again as often as you dare: what the dice show adds up.": "S01",
    "Stop, and the sum of the turn is added to your points.": "S01 S16",
    "Later only two sixes in one roll can take them.": "S02 S03",
    "- One six ends the turn, and it brings nothing.": "S02",
    "- Two sixes end the turn, and all points that you have are lost.": "S03",
    "There are two dice.": "S01",
    "When somebody has 100 points the round is completed, so that all have had as many turns.": "S04 S05 S06 S07",
    "Most points win; a tie is shared.": "S11 S12",
    "A turn has at least one roll.": "S10",
    "Piggy Six": "",
}
BACK = {
    "In turns, move one unit or stack to a space that touches its own, by side or corner.": "Y01 Y02",
    "What lies there decides what happens, and the turn is over, but for a Boost on a free space: * "
    "nothing: nothing;": back_moves,
    "* an ability piece: acquire it or leave it there. A stack holds at most two;": back_pieces,
    "* friends: they stack for good, at most three units and not if both hold abilities;": "Y03 Y04",
    "* an enemy: combat. Combat. The attacker rolls the die, then the defender: once for each unit of "
    "the stack, if they like, and only the last roll counts.": "Y09 Y14 Y19",
    "The higher result wins, of equal ones the attacker's.": "Y07 Y08 Y13",
    "The loser's whole stack is gone. An attacker who wins takes the space.": "Y07 Y08",
    "the loser may put a piece from the bank on a free initial space of its colour.": "Y15 Y16",
    "Abilities, each used once, then out of the game: * g Boost: one lets a unit move twice in a turn, "
    "two four times;": back_moves,
    "* o Firepower: +1 on the result; an attacker adds it before the defender rolls;": "Y12 Y13",
    "* y Luck: one more roll, once those of the units are used up;": "Y10 Y11 Y20",
    "You may concede in any decision of yours.": concedes("piggyback", may=True),
    "Piggyback Eliminate all enemy units.": "",
    "The winner keeps any two of all unused abilities of both;": "",
    "* m Warp: change places with another of your units, as your turn, or before a combat in which "
    "you are attacked.": "",
    "The board. `A2gy` is a red stack (B: blue) of two with Boost and Luck, and a comma after it a "
    "piece that lies under it; `(o)` is a piece to pick up.": "",
    "A draw is a game of 100 turns without combat or acquisition, or of 1000 turns.": "",
}
PILE = {
    "5 rounds.": "P44",
    "The first who is out has 3 pigs and the second 2, which ends the round; of the others each has "
    "1, but none who is left with the most cards.": "P40 P55",
    "Play one or more cards of one value onto the Pig Pile, equal to its top card or higher, then "
    "draw a card while there are any.": "P01 P02 P05",
    "- W Hog Wild: fits on anything, and counts as zero: the next may play any card": "P18",
    "- 4 Hog Tied: the next player misses a turn": "P06 P07",
    "- 8 Hog Wash: the pile is washed away, and you have another turn": "P11 P12",
    "- 11 Ewe Turn: the direction of play is reversed": "P08 P09",
    "Special cards, whose effect comes once however many are played:": "P07 P09",
    "Hog Wash is also three of the same value in a row on top, whoever played them: the last who did "
    "sets the pile aside, draws and plays on.": "P14 P15 P16",
    "The table. Once the Draw Pile and your hand are empty you play your three face-up cards; if none "
    "fits, take up the pile and one of them.": "P28 P29",
    "Then the Slop, three face-down cards that nobody knows: turn one over, and if it is too low, take "
    "it up with the pile.": "P30 P31",
    "Pig Pile in a minute Get rid of your cards.": concedes("pig_pile", may=False),
    "Most pigs win. Your turn.": "",
    "If you have none that fits, take up the whole pile: your turn is over, and all know what you "
    "took.": "",
}
LORD = {
    "Each has a Rating from 0 to 10.": "L04 L05",
    "At the end of a turn whoever alone has 10 wins.": "L13 L14 L15",
    "But at Social Stability 0 there is an uprising: the lowest Rating wins.": "L10 L11",
    "A turn. The first player moves on by one and an Event is revealed.": "L22 L23",
    "- Activation: first everyone may discard cards for their Alternate Mode: +1 Vote or -1 Vote on "
    "any Action. Then every Action whose votes reach its threshold changes the Ratings as it says.": "L06 L07",
    "All decks are alike: 29 cards, commons thrice, uncommons twice, rares once.": "L01",
    "What a card says of A is for the actor before its owner, B for the one after, C for the "
    "opposite.": "L02 L03",
}
DOCS = {
    "piggles.md": {
        "A player may concede in any decision of their own (R18).": concedes("piggles_modern", may=True),
        "Runes 1 to 4 and 9 act from a field only, runes 5 to 8 from anywhere on the board.": far_runes,
        "After the roll, each Piggle that was rolled and lies Snout-Up may act once, in the order that "
        "its player chooses.": "M09 M12 M13 M43",
        "a Piggle that entered its own Mud in this round or the previous one returns to the board, "
        "Snout-Down": "M20 M117",
        "| Orange, Burn | goes to the Kitchen |": "M02",
        "| Red, Damage | goes to the Mud |": "M03",
        "| Blue, Crit | is rolled again |": "M19",
        "A player who loads nothing still tallies.": "C11",
        "The roller gets +1 for an opposing Piggle that the roll knocks off the board.": "C13",
        "If it is turned again before Resolve, it pays nothing (R11, P6, P7).": "C86 C97 C98",
        "If the opponent turns a Piggle Snout-Up, it scores for its owner from the owner's next Tally": "C12",
    },
    "piggy_six.md": {
        "Exactly one six ends the turn without points. Two or three sixes end the turn and take all "
        "banked points. A single die cannot lose banked points.": "S02 S03 S19 S20",
    },
    "pig_pile.md": {
        "Players cannot concede.": concedes("pig_pile", may=False),
        "Several equal cards at once have their effect once.": "P07 P09",
        "Between the last two players an 11 has no effect and a 4 gives another turn (PP10).": "P36 P37",
    },
    "piggyback.md": {
        "| `concede` | give up | in every decision |": concedes("piggyback", may=True),
        "The attacker wins equal results.": "Y07",
        "one more step after the first; one Boost allows two steps in a turn, two allow four.": back_moves,
    },
    "lord_of_the_pigs.md": {
        "All stay between 0 and 10: they are limited after each Action, once its shares are added "
        "(`share_clamp`).": clamp_of_lord,
        "On a card, A means the actor before its owner, B the one after, and C the opposite one.": "L02",
        "At Social Stability 0 the people rise, and the lowest Rating wins.": "L10",
    },
}  # fmt: skip
"""Sentences of a page, with the scenarios or the check of each; none where it cannot be played."""
SCREENS = {
    "piggles_classic": CLASSIC,
    "piggles_modern": MODERN,
    "piggy_six": SIX,
    "piggyback": BACK,
    "pig_pile": PILE,
    "lord_of_the_pigs": LORD,
}


def plain(text):
    return " ".join(re.sub(r"\*\*|(?<=\w)\*|\*(?=\w)|^#+ ", "", text, flags=re.MULTILINE).split())


def checked(sentences):
    for sentence, how in sentences.items():
        if callable(how):
            how()
            continue
        for name in how.split():
            report = run_scenario(SCENARIOS[name])
            assert report.passed, (sentence, report.line)


@pytest.mark.parametrize("name", SCREENS)
def test_each_sentence_of_a_rules_screen_is_what_the_engine_does(name):
    text = plain(make_view(make_game(name)).rules)
    for sentence in SCREENS[name]:
        assert sentence in text, sentence
    checked(SCREENS[name])


@pytest.mark.parametrize(
    "name", ["piggles_classic", "piggles_modern", "piggy_six", "piggyback", "pig_pile"]
)
def test_no_sentence_of_a_rules_screen_is_left_out(name):
    text = plain(make_view(make_game(name)).rules)
    if name == "piggles_modern":
        text = text[text.index("Action & Reaction.") :]
    for sentence in sorted(SCREENS[name], key=len, reverse=True):
        text = text.replace(sentence, "", 1)
    assert not re.search("[A-Za-z]", text), text


@pytest.mark.parametrize("name", DOCS)
def test_sentences_of_the_pages_of_the_games_are_what_the_engine_does(name):
    text = plain((ROOT / "docs" / "games" / name).read_text())
    for sentence in DOCS[name]:
        assert sentence in text, sentence
    checked(DOCS[name])


def test_common_pieces_are_shown_once():
    view = make_view(PLAIN)
    state = PLAIN.initial_state()
    assert "bank" not in [area.name for area in view.areas(state)]
    (bank,) = (part for part in view.table(state, None) if isinstance(part, Cards))
    assert [piece.label for piece in bank.cards] == ["2 Boost", "2 Firepower", "2 Luck", "2 Warp"]


TEAM = [f"red+{rune}" for rune in list(Rune)[3:]]


def test_a_rune_that_acts_from_anywhere_asks_for_no_field():
    effects = make_view(make_game("piggles_modern", {"team_a": TEAM})).effects
    far = [text for text in effects.values() if "landed ▲, it" in text]
    assert {text.split("(")[1].split(")")[0].split(", ")[-1] for text in far} == {
        "arrow cw", "arrow ccw", "spiral cw", "spiral ccw",
    }  # fmt: skip
