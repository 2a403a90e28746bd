"""The house rules of Lord of the P.I.G.S.: options, rulings that a table may change, the series.

Among switches of two settings, true means the setting declared first.
"""

from dataclasses import dataclass, field
from enum import StrEnum, unique

from pigglesim.games.lord_of_the_pigs.state import DECK_SIZE, Actor
from pigglesim.games.switches import Switches, settles


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

    first_actor: Actor = field(default=Actor.PRESIDENT, metadata=settles("LP1"))
    """First player of turn 1."""
    alternate_modes: bool = field(default=True, metadata=settles("R10"))
    """Off for beginners."""
    events: bool = field(default=True, metadata=settles("R10"))
    """Off for beginners."""
    diplomacy_wars: bool = field(default=False, metadata=settles("R10"))
    """Whether one may vote for the others' Actions only."""
    votes_persist: bool = field(default=True, metadata=settles("LP2"))
    """Whether votes on what was not activated stay; otherwise they are discarded, Action or no."""
    alt_limit: int = field(default=DECK_SIZE, metadata=settles("LP3", least=0, most=DECK_SIZE))
    """Cards that a player may discard for +1 or -1 Vote in one Activation Phase."""
    minus_choice: MinusChoice = field(default=MinusChoice.LATEST, metadata=settles("LP4"))
    share_amount: ShareAmount = field(default=ShareAmount.NOMINAL, metadata=settles("LP5"))
    share_clamp: ShareClamp = field(default=ShareClamp.TOGETHER, metadata=settles("LP5"))
    share_limit: int = field(default=1, metadata=settles("LP5", least=0, most=2))
    """Share Benefits cards that a player may discard for one activated Action; a deck has two."""
    uprising_tie: UprisingTie = field(default=UprisingTie.FALL_THROUGH, metadata=settles("LP9"))
    turn_cap: int = field(default=200, metadata=settles("LP18", least=1, most=10_000))
    """Turns after which a game is broken off without a winner."""
    series: Series = field(default=Series.OFF, metadata=settles("R10"))
    series_games: int = field(default=3, metadata=settles("R10", least=1, most=100))
    """Games of a series."""
