"""The house rules of Piggyback: one switch for every ruling that a table may change.

Among switches of two settings, true means the setting declared first.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.games.switches import Switches, switch


@unique
class Start(StrEnum):
    """Who begins (R2)."""

    ROLL = "roll"
    """Whoever rolls higher; red rolls first, and equal rolls are rolled again (PB11)."""
    RED = "red"
    BLUE = "blue"


@unique
class MergeRule(StrEnum):
    """Which friendly units may be stacked, beside the limit of three (PB3)."""

    FRENCH = "fr"
    """Never two that both hold abilities."""
    ENGLISH = "en"
    """Two that hold no more than two abilities together."""


@unique
class WarpScope(StrEnum):
    """Which two units a Warp may swap (PB5)."""

    HOLDER = "holder"
    """Its holder and another; as a defence one of the two is the attacked unit."""
    ANY = "any"
    """Any two of the same colour, as a defence too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackRules(Switches):
    """Every switch with its default; the reasons are in the rulings it names."""

    start: Start = switch(Start.ROLL, "R2")
    """Who begins."""
    start_cap: int = switch(100, "PB11", least=0, most=1000)
    """Equal rolls for the start that are rolled again; after one more red begins."""
    allow_pass: bool = switch(False, "PB2")
    """Whether a player may pass who could move."""
    merge_rule: MergeRule = switch(MergeRule.FRENCH, "PB3")
    """Which friendly units may be stacked."""
    boost_continue: bool = switch(False, "PB4")
    """Whether a boosted unit moves on after a combat that it won, a stacking or an acquisition."""
    boost_permanent: bool = switch(False, "PB4")
    """Whether Boosts stay with their holder when they are used."""
    warp_scope: WarpScope = switch(WarpScope.HOLDER, "PB5")
    """Which two units a Warp may swap."""
    pickup_later: bool = switch(False, "PB6")
    """Whether a unit may use a turn to acquire the piece that lies under it."""
    quiet_cap: int = switch(100, "PB12", least=1, most=10_000)
    """Turns in a row without combat or acquisition that make a draw."""
    cap: int = switch(1000, "PB12", least=1, most=10_000)
    """Turns of both players together that make a draw."""
