"""The rules of Piggles in a minute, as a player at this table needs them."""

from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.modern_rules import Actors, Left, ModernRules
from pigglesim.markings import Colour, Rune
from pigglesim.pictures.board import RUNE_MARKS

__all__ = ["rules_page"]

_CORE = """\
**Six rounds, most points wins.** In each, both players take a turn: load Piggles from your Pen into
the cup, roll them onto the board{act}, tally. Then one Resolve for both.

**Tally.** Every one of *your* Piggles that lies ▲ Snout-Up pays for where it lies: 3 in a field,
2 on a path, 1 in the woods; on a line, the lower of its two sides. Each of yours in the Kitchen
costs 1. Knocking one of the other's off the board pays 1, onto its head 2 (once it goes to
the Kitchen).

**Resolve.** ▲ Snout-Up stays and pays **again in every round to come**. ▼ Snout-Down goes to its
owner's Mud and comes back to the Pen two rounds later (Recoup, from round 3 on). ◆ On-Their-Head
goes to its owner's Kitchen, for good.

**So**: roll early, for what stays up pays most often. But a Piggle that is in the Pen is safe, and
a roll may knock what already lies there: yours or theirs.

**The end.** After round 6 the higher score wins; a tie is broken by Sudden Snout-Up, one Piggle
each. Who begins turn 5 with an empty Pen and every Piggle in Mud and Kitchen has lost. You may
concede at any time.
"""

_ACTION = """
**Action & Reaction.** After your roll, each Piggle that {who} may act once, in any order, or not at
all. Its rune says in which field its one target lies, seen from the field that it lies in itself,
and its colour what happens there. On a path or in the woods they do nothing.
"""

_ARROWS = """
Runes 5 to 9 do something of their own, and reach Piggles of the same colour wherever they are:
"""

_COLOUR_EFFECTS = {
    Colour.ORANGE: "the target goes to the Kitchen; one of theirs pays 2",
    Colour.RED: "the target goes to the Mud; one of theirs pays 1",
    Colour.BLUE: "the target is rolled again, from your cup; it may knock",
    Colour.GREEN: "one that went to your Mud in this round or the last lies ▼ in that field",
    Colour.YELLOW: "the target cannot be removed in the next roll; knocked in it, it is yours",
}

_RUNE_EFFECTS = {
    Rune.ADJACENT: "the same field",
    Rune.ACROSS: "the opposite field",
    Rune.ARROW_CW: "turns one of yours from ▼ to ▲",
    Rune.ARROW_CCW: "turns one of theirs from ▲ to ▼",
    Rune.SPIRAL_CW: "takes one from your Mud to your Pen",
    Rune.SPIRAL_CCW: "takes one from your Kitchen to your Mud",
    Rune.SPLIT: "puts any one of your Pen beside itself, ▼",
}

_LEFT = {
    Left.CLOCKWISE: ("the next field clockwise (S to W to N to E)", "the next one the other way"),
    Left.COUNTERCLOCKWISE: (
        "the next field counter-clockwise (S to E to N to W)",
        "the next one the other way",
    ),
    Left.PLAYER_VIEW: ("the field at your left hand", "the field at your right hand"),
}


def rules_page(game: Piggles) -> str:
    """Return the rules in Markdown, and what this table has changed in them."""
    rules = game.rules
    if isinstance(rules, ModernRules):
        page = "# Piggles Modern in a minute\n\n" + _CORE.format(act=", let them act")
        page += _modern(rules)
    else:
        page = "# Piggles in a minute\n\n" + _CORE.format(act="")
    changed = rules.to_text(changed_only=True)
    return f"{page}\n**House rules of this table**: `{changed}`\n" if changed else page


def _modern(rules: ModernRules) -> str:
    """Return what Modern adds: the phase, colours and runes."""
    every = rules.actors is Actors.ALL_OWN_UP
    who = "lies ▲ Snout-Up" if every else "you rolled and that landed ▲ Snout-Up"
    left, right = _LEFT[rules.left]
    effects = {Rune.LEFT: left, Rune.RIGHT: right, **_RUNE_EFFECTS}
    colours = "".join(
        f"\n- **{colour.value[0].upper()}** {colour.label}, *{colour.effect}*: {does}"
        for colour, does in _COLOUR_EFFECTS.items()
    )
    runes = [f"\n- **{RUNE_MARKS[rune]}** {rune.label}: {effects[rune]}" for rune in Rune]
    page = f"{_ACTION.format(who=who)}{colours}\n\nTheir runes:\n{''.join(runes[:4])}\n"
    if not rules.rare_runes:
        return page
    return f"{page}{_ARROWS}{''.join(runes[4:])}\n"
