"""House rules of Lord of the P.I.G.S.: options, switches of rulings, and the series.

For switches with two settings, true means the setting declared first.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.games.lord_of_the_pigs.state import DECK_SIZE, Actor
from pigglesim.games.switches import Switches, switch


@unique
class MinusChoice(StrEnum):
    """Vote that a -1 Vote removes (LP4)."""

    LATEST = "latest"
    """Last card of a vote; without one, a vote added by +1."""
    EARLIEST = "earliest"
    """First card of a vote; without one, a vote added by +1."""
    MARKER = "marker"
    """Vote added by +1; without one, the last card of a vote."""


@unique
class ShareAmount(StrEnum):
    """Amount that Share Benefits pays (LP5)."""

    NOMINAL = "nominal"
    """Change on the card, under the active Event."""
    ACTUAL = "actual"
    """Actual change of the other Rating between 0 and 10."""


@unique
class ShareClamp(StrEnum):
    """Time at which a Rating with a share is limited to 0 to 10 (LP5)."""

    TOGETHER = "together"
    """Once, after the Action's effect and all shares of it."""
    AFTER_EFFECT = "after_effect"
    """After the Action's effect, and again after each share."""


@unique
class UprisingTie(StrEnum):
    """Effect of a Social Uprising when several share the lowest Rating (LP9)."""

    FALL_THROUGH = "fall_through"
    """Decision by the next check: a single player at 10 wins."""
    CONTINUE = "continue"
    """Continuation of the game, even with players at 10."""


@unique
class Series(StrEnum):
    """Series of games whose points add up (R10)."""

    OFF = "off"
    """Single game as the whole match."""
    REGULAR = "regular"
    """Winner 3, second 1; after an uprising winner 2."""
    COMPETITIVE = "competitive"
    """Own Rating, and 3 more for the winner; after an uprising, 5 for the winner alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordRules(Switches):
    """House rules of a table; the defaults are the rulings."""

    first_actor: Actor = switch(Actor.PRESIDENT, "LP1")
    """First player of turn 1."""
    alternate_modes: bool = switch(True, "R10")
    """Off for beginners."""
    events: bool = switch(True, "R10")
    """Off for beginners."""
    diplomacy_wars: bool = switch(False, "R10")
    """True if players may vote only for others' Actions."""
    votes_persist: bool = switch(True, "LP2")
    """True if votes on Actions that were not activated remain; otherwise they are discarded."""
    alt_limit: int = switch(DECK_SIZE, "LP3", least=0, most=DECK_SIZE)
    """Cards that a player may discard for +1 or -1 Vote in one Activation Phase."""
    minus_choice: MinusChoice = switch(MinusChoice.LATEST, "LP4")
    share_amount: ShareAmount = switch(ShareAmount.NOMINAL, "LP5")
    share_clamp: ShareClamp = switch(ShareClamp.TOGETHER, "LP5")
    share_limit: int = switch(1, "LP5", least=0, most=2)
    """Share Benefits cards that a player may discard for one activated Action; a deck has two."""
    uprising_tie: UprisingTie = switch(UprisingTie.FALL_THROUGH, "LP9")
    turn_cap: int = switch(200, "LP18", least=1, most=10_000)
    """Turns after which a game stops without a winner."""
    series: Series = switch(Series.OFF, "R10")
    series_games: int = switch(3, "R10", least=1, most=100)
    """Number of games of a series."""
