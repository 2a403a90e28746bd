"""Every key of the screen in one table: bindings, the help page and the footer come from it."""

from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

__all__ = ["KEYS", "Key", "help_page"]

_MARKS = """
While a roll is shown, any key shows its end at once. Everything can be clicked, too.

▲ Snout-Up pays; ▼ Snout-Down goes to the Mud; ◆ On-Their-Head goes to the Kitchen; ~ leans.
A1 to A6 belong to A, who sits South; B1 to B6 to B, North. →r4 in the Mud: back in round 4.
In Modern: R→ is a red Piggle with the rune for right, # is shielded; ( ) acts on [ ]: click a
Piggle on the board to choose it. What was captured stands in its new player's column.

The match is saved after every decision; this goes on with it:
  pigglesim play --resume {file}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key and what it does."""

    press: str
    """Names of the keys, with commas, as the terminal's library knows them."""
    shown: str
    name: str
    """What is done, in one word for the program."""
    brief: str
    """What is done, for the footer."""
    does: str
    """What is done, for the help page."""
    in_footer: bool = True


KEYS: tuple[Key, ...] = (
    Key(
        press="1,2,3,4,5,6,7,8,9,0",
        shown="1 to 9",
        name="pick",
        brief="",
        does="put that Piggle into the cup or back; in a list, mark that entry, 1 2 being the "
        "12th (or ↑ ↓)",
        in_footer=False,
    ),
    Key(press="a", shown="a", name="all", brief="All", does="put the whole Pen into the cup"),
    Key(
        press="n",
        shown="n",
        name="none",
        brief="",
        does="take all back out of the cup",
        in_footer=False,
    ),
    Key(
        press="enter,space",
        shown="Enter",
        name="roll",
        brief="Roll",
        does="roll what is in the cup",
    ),
    Key(
        press="enter,space",
        shown="Enter",
        name="take",
        brief="Do it",
        does="in a list, take the marked entry",
    ),
    Key(press="s", shown="s", name="skip", brief="Skip", does="roll nothing in this turn"),
    Key(press="d", shown="d", name="done", brief="Done", does="be done with acting (Modern)"),
    Key(
        press="h",
        shown="h",
        name="hint",
        brief="Hint",
        does="ask an agent what it would do, and why",
    ),
    Key(
        press="u",
        shown="u",
        name="undo",
        brief="Undo",
        does="take your last decision back (with --practice)",
    ),
    Key(
        press="c",
        shown="c",
        name="concede",
        brief="Concede",
        does="give the match up, after one more question",
    ),
    Key(press="r", shown="r", name="rules", brief="Rules", does="the rules in a minute"),
    Key(
        press="question_mark,f1", shown="?", name="help", brief="Keys", does="this page: every key"
    ),
    Key(
        press="pageup",
        shown="PgUp",
        name="older",
        brief="",
        does="look further back in the log",
        in_footer=False,
    ),
    Key(
        press="pagedown",
        shown="PgDn",
        name="newer",
        brief="",
        does="look further on in the log",
        in_footer=False,
    ),
    Key(
        press="q,ctrl+q",
        shown="q",
        name="quit",
        brief="Quit",
        does="leave; every decision is saved already",
    ),
    Key(
        press="ctrl+c",
        shown="Ctrl-C",
        name="stop",
        brief="",
        does="leave at once, with status 130",
        in_footer=False,
    ),
)


def help_page(file: str) -> RenderableType:
    """Return the page that tells every key and every mark.

    Args:
        file: Where the match is saved.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column(style="bold", no_wrap=True)
    for key in KEYS:
        table.add_row(key.shown, key.does)
    return Group(Text("Keys\n", style="bold underline"), table, Text(_MARKS.format(file=file)))
