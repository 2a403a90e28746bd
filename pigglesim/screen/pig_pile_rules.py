"""The rules of Pig Pile in a minute, as a player at this table needs them."""

from pigglesim.games.pig_pile.game import PigPile
from pigglesim.games.pig_pile.house_rules import DrawTo

__all__ = ["rules_page"]

_PAGE = """\
# Pig Pile in a minute

**Get rid of your cards.** {rounds}. The first who is out has 3 pigs and the second 2, which ends
the round; of the others each has 1, but none who is left with the most cards. Most pigs win.

**Your turn.** Play one or more cards of *one* value onto the Pig Pile, equal to its top card or
higher{draws}. If you have none that fits, take up the whole pile: your turn is over, and
all know what you took.

**Special cards**, whose effect comes once however many are played:

- **W** Hog Wild: fits on anything, and counts as zero: the next may play any card
- **4** Hog Tied: the next player misses a turn
- **8** Hog Wash: the pile is washed away, and you have another turn
- **11** Ewe Turn: the direction of play is reversed

**Hog Wash** is also three of the same value in a row on top, whoever played them: the last who
did sets the pile aside, draws and plays on.

**The table.** Once the Draw Pile and your hand are empty you play your three face-up cards; if
none fits, take up the pile and one of them. Then the Slop, three face-down cards that nobody
knows: turn one over, and if it is too low, take it up with the pile.
"""


def rules_page(game: PigPile) -> str:
    """Return the rules in Markdown, and what this table has changed in them."""
    rules = game.rules
    draws = ", then draw a card while there are any"
    if rules.draw_to is DrawTo.FOUR:
        draws = ", then draw up to four in hand while there are any"
    rounds = "One round" if rules.rounds == 1 else f"{rules.rounds} rounds"
    page = _PAGE.format(rounds=rounds, draws=draws)
    changed = rules.to_text(changed_only=True)
    return f"{page}\n**House rules of this table**: `{changed}`\n" if changed else page
