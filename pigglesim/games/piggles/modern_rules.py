"""The house rules of Piggles Modern: those of Classic, and one switch for each further ruling.

Among switches of two settings, true means the setting declared first.
"""

from dataclasses import dataclass, field
from enum import StrEnum, unique

from pigglesim.games.piggles.house_rules import PigglesRules
from pigglesim.games.switches import settles


@unique
class Actors(StrEnum):
    """Which Snout-Up Piggles of the active player act (M1)."""

    ROLLED = "rolled"
    ALL_OWN_UP = "all_own_up"
    """Those of earlier turns too, even where nothing was rolled."""


@unique
class Left(StrEnum):
    """What is left of a field (M5); right is the opposite."""

    CLOCKWISE = "clockwise"
    """The next field clockwise: to the left of who stands behind the field, facing the centre."""
    COUNTERCLOCKWISE = "counterclockwise"
    PLAYER_VIEW = "player_view"
    """The field at the acting player's left hand; for a Piggle in that field there is none."""


@unique
class TargetScope(StrEnum):
    """Whom Orange, Red and Blue reach (M7)."""

    ANY = "any"
    OPPONENT_ONLY = "opponent_only"


@unique
class BlueMode(StrEnum):
    """How Blue rerolls (M10)."""

    CUP = "cup"
    """Alone from the acting player's cup."""
    DROP_IN_PLACE = "drop_in_place"
    """Tossed up from where it lies."""


@unique
class GreenWindow(StrEnum):
    """When what Green returns must have been removed (M11)."""

    PREVIOUS_TURN = "previous_turn"
    """In this round or the one before."""
    ANY = "any"


@unique
class GreenOwner(StrEnum):
    """Out of whose Mud Green returns a Piggle (M11)."""

    OWN = "own"
    ANY = "any"


@unique
class ShieldUntil(StrEnum):
    """How long Yellow protects (M12). It captures in the Roll phase alone, never in Blue's."""

    REACTION = "reaction"
    """Through the next roll that takes place, and the Action & Reaction after it."""
    ROLL = "roll"
    """Through the next roll that takes place, and no longer."""
    TURN = "turn"
    """Through the next turn, even one without a roll."""


@unique
class Capture(StrEnum):
    """How long a captured Piggle is its captor's (M13)."""

    PERMANENT = "permanent"
    RETURN = "return"
    """Until it next leaves the board: its owner's Mud or Kitchen takes it."""


@unique
class Rune9Pose(StrEnum):
    """How the split line sets a Piggle down (M17)."""

    DOWN = "down"
    UP = "up"


@unique
class Rune78Scope(StrEnum):
    """In whose Mud and Kitchen the spirals reach (M18)."""

    OWN = "own"
    ANY = "any"
    """Out of either Mud into the own Pen, and out of either Kitchen into the Mud beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModernRules(PigglesRules):
    """What this table has agreed on for Modern; the defaults are the rulings."""

    actors: Actors = field(default=Actors.ROLLED, metadata=settles("M1"))
    effects_mandatory: bool = field(default=False, metadata=settles("M2"))
    """Whether the phase goes on as long as some Piggle has a target."""
    rare_runes: bool = field(default=True, metadata=settles("M4"))
    """Whether runes 5 to 9 do what they say; otherwise their bearers are neutral."""
    left: Left = field(default=Left.CLOCKWISE, metadata=settles("M5"))
    line_counts_as_field: bool = field(default=False, metadata=settles("M6", by_odds=(False,)))
    """Whether a Piggle on a field/path line lies in the field of its quarter of the board; where
    only the zone is known and no place, it has none."""
    target_scope: TargetScope = field(default=TargetScope.ANY, metadata=settles("M7"))
    red_counts_as_knock: bool = field(default=True, metadata=settles("M9"))
    blue_mode: BlueMode = field(
        default=BlueMode.CUP, metadata=settles("M10", by_odds=(BlueMode.CUP,))
    )
    blue_counts_as_knock: bool = field(default=True, metadata=settles("M10, P6"))
    """Whether an opposing Piggle that Blue's reroll takes off the board pays like a knocked one."""
    green_window: GreenWindow = field(default=GreenWindow.PREVIOUS_TURN, metadata=settles("M11"))
    green_owner: GreenOwner = field(default=GreenOwner.OWN, metadata=settles("M11"))
    shield_until: ShieldUntil = field(default=ShieldUntil.REACTION, metadata=settles("M12"))
    capture: Capture = field(default=Capture.PERMANENT, metadata=settles("M13"))
    rune9_pose: Rune9Pose = field(default=Rune9Pose.DOWN, metadata=settles("M17"))
    rune78_scope: Rune78Scope = field(default=Rune78Scope.OWN, metadata=settles("M18"))
