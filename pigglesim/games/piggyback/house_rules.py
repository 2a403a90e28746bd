"""House rules of Piggyback: one switch for each ruling that a table may change.

For switches with two settings, true means the setting declared first.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.games.switches import Switches, switch


@unique
class Start(StrEnum):
    """Player who begins (R2)."""

    ROLL = "roll"
    """Player with the higher roll; red rolls first, and equal rolls are repeated (PB11)."""
    RED = "red"
    BLUE = "blue"


@unique
class MergeRule(StrEnum):
    """Friendly units that may be stacked, within the limit of three (PB3)."""

    FRENCH = "fr"
    """Any two units unless both hold abilities."""
    ENGLISH = "en"
    """Two units that hold at most two abilities together."""


@unique
class WarpScope(StrEnum):
    """Units that a Warp may swap (PB5)."""

    HOLDER = "holder"
    """Holder and another unit; as a defence, one of the two is the attacked unit."""
    ANY = "any"
    """Any two units of the same colour, also as a defence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackRules(Switches):
    """Every switch with its default; the reasons are in the rulings it names."""

    start: Start = switch(Start.ROLL, "R2")
    """Player who begins."""
    start_cap: int = switch(100, "PB11", least=0, most=1000)
    """Maximum repeats of equal rolls for the start; after them red begins."""
    allow_pass: bool = switch(False, "PB2")
    """True if a player who could move may pass."""
    merge_rule: MergeRule = switch(MergeRule.FRENCH, "PB3")
    """Friendly units that may be stacked."""
    boost_continue: bool = switch(False, "PB4")
    """True if a boosted unit moves on after a won combat, a stacking or an acquisition."""
    boost_permanent: bool = switch(False, "PB4")
    """True if used Boosts stay with their holder."""
    warp_scope: WarpScope = switch(WarpScope.HOLDER, "PB5")
    """Units that a Warp may swap."""
    pickup_later: bool = switch(False, "PB6")
    """True if a unit may use a turn to acquire the piece under it."""
    quiet_cap: int = switch(100, "PB12", least=1, most=10_000)
    """Turns in a row without combat or acquisition that make a draw."""
    cap: int = switch(1000, "PB12", least=1, most=10_000)
    """Turns of both players together that make a draw."""
