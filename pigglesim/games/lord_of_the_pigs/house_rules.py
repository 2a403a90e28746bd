"""The house rules of Lord of the P.I.G.S.: options, rulings that a table may change, the series.

Among switches of two settings, true means the setting declared first.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.games.lord_of_the_pigs.state import DECK_SIZE, Actor
from pigglesim.games.switches import Switches, switch


@unique
class MinusChoice(StrEnum):
    """Which vote a -1 Vote takes away (LP4)."""

    LATEST = "latest"
    """The last card put there; where there is none, a vote that was added by +1."""
    EARLIEST = "earliest"
    """The first card put there; where there is none, a vote that was added by +1."""
    MARKER = "marker"
    """A vote that was added by +1; where there is none, the last card put there."""


@unique
class ShareAmount(StrEnum):
    """What Share Benefits pays (LP5)."""

    NOMINAL = "nominal"
    """The change that the card and the active Event say."""
    ACTUAL = "actual"
    """The change that the other Rating really makes between 0 and 10."""


@unique
class ShareClamp(StrEnum):
    """When a Rating is held between 0 and 10 that a share adds to (LP5)."""

    TOGETHER = "together"
    """Once, after the Action's effect and all shares of it."""
    AFTER_EFFECT = "after_effect"
    """After the Action's effect, and again after each share."""


@unique
class UprisingTie(StrEnum):
    """What a Social Uprising does when the lowest Rating is shared (LP9)."""

    FALL_THROUGH = "fall_through"
    """The next check decides: a single player at 10 wins."""
    CONTINUE = "continue"
    """The game goes on, whoever is at 10."""


@unique
class Series(StrEnum):
    """Whether several games are played for points that carry over (R10)."""

    OFF = "off"
    """One game is the whole match."""
    REGULAR = "regular"
    """Winner 3, second 1; after an uprising winner 2."""
    COMPETITIVE = "competitive"
    """The own Rating, the winner 3 more; after an uprising winner 5 and nobody else anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordRules(Switches):
    """What this table has agreed on; the defaults are the rulings."""

    first_actor: Actor = switch(Actor.PRESIDENT, "LP1")
    """First player of turn 1."""
    alternate_modes: bool = switch(True, "R10")
    """Off for beginners."""
    events: bool = switch(True, "R10")
    """Off for beginners."""
    diplomacy_wars: bool = switch(False, "R10")
    """Whether one may vote for the others' Actions only."""
    votes_persist: bool = switch(True, "LP2")
    """Whether votes on what was not activated stay; otherwise they are discarded, Action or no."""
    alt_limit: int = switch(DECK_SIZE, "LP3", least=0, most=DECK_SIZE)
    """Cards that a player may discard for +1 or -1 Vote in one Activation Phase."""
    minus_choice: MinusChoice = switch(MinusChoice.LATEST, "LP4")
    share_amount: ShareAmount = switch(ShareAmount.NOMINAL, "LP5")
    share_clamp: ShareClamp = switch(ShareClamp.TOGETHER, "LP5")
    share_limit: int = switch(1, "LP5", least=0, most=2)
    """Share Benefits cards that a player may discard for one activated Action; a deck has two."""
    uprising_tie: UprisingTie = switch(UprisingTie.FALL_THROUGH, "LP9")
    turn_cap: int = switch(200, "LP18", least=1, most=10_000)
    """Turns after which a game is broken off without a winner."""
    series: Series = switch(Series.OFF, "R10")
    series_games: int = switch(3, "R10", least=1, most=100)
    """Games of a series."""
