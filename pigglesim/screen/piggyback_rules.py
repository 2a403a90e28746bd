"""The rules of Piggyback in a minute, as a player at this table needs them."""

from pigglesim.games.piggyback.house_rules import MergeRule, PiggybackRules, WarpScope

__all__ = ["rules_page"]

_PAGE = """\
# Piggyback

**Eliminate all enemy units.** In turns, move one unit or stack to a space that touches its own, by
side or corner. What lies there decides what happens, and the turn is over:

* **nothing**: nothing;
* **an ability piece**: acquire it or leave it there. A stack holds at most two;
* **friends**: they stack for good, at most three units{merge};
* **an enemy**: combat.

**Combat.** The attacker rolls the die, then the defender: once for each unit of the stack, if they
like, and only the **last roll counts**. The higher result wins, of equal ones the attacker's. The
loser's whole stack is gone. An attacker who wins takes the space. The winner keeps any two of all
unused abilities of both; the loser may put a piece from the bank on a free initial space of its
colour.

**Abilities**, each used once, then out of the game:

* **g Boost**: one lets a unit move twice in a turn, two four times{permanent};
* **o Firepower**: +1 on the result; an attacker adds it before the defender rolls;
* **y Luck**: one more roll, once those of the units are used up;
* **m Warp**: change places with {who}, as your turn, or before a combat in which you are attacked.

**The board.** `A2gy` is a red stack (B: blue) of two with Boost and Luck, and a comma
after it a piece that lies under it; `(o)` is a piece to pick up.

**A draw** is a game of {quiet} turns without combat or acquisition, or of {cap} turns. You may
concede at any time.
"""


def rules_page(rules: PiggybackRules) -> str:
    """Return the rules in Markdown, as the house rules have them."""
    french = rules.merge_rule is MergeRule.FRENCH
    return _PAGE.format(
        merge=" and not if both hold abilities" if french else " with two abilities together",
        permanent="; they are not used up" if rules.boost_permanent else "",
        who=(
            "another of your units"
            if rules.warp_scope is WarpScope.HOLDER
            else "another of your units, or let two others do so"
        ),
        quiet=rules.quiet_cap,
        cap=rules.cap,
    )
