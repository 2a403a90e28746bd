"""The house rules of Piggles: one switch for every ruling that a table may change.

Among switches of two settings, true means the setting declared first.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.games.switches import Switches, switch
from pigglesim.landing import BOARD_SEATS, Cocked, LineRule, ReadingRules, Seat


@unique
class MudDelay(StrEnum):
    """How long a Piggle sits in the Mud before it may return (P3)."""

    ONE_FULL_TURN = "one_full_turn"
    """In at round r, back in the Recoup of round r + 2, for both players alike."""
    OWNER_TURN = "owner_turn"
    """Until its owner has taken one whole turn without it."""
    NONE = "none"
    """Everything in the Mud returns at each Recoup."""


@unique
class Exhaustion(StrEnum):
    """When total exhaustion is tested in turn 5 (R17, P4)."""

    BEFORE_RECOUP = "before_recoup"
    AFTER_RECOUP = "after_recoup"
    OFF = "off"


@unique
class BonusScope(StrEnum):
    """Whose Piggles pay the roller a bonus when knocked (P6)."""

    OPPONENT_ONLY = "opponent_only"
    ANY = "any"


@unique
class KitchenBonus(StrEnum):
    """When the +2 for a Piggle knocked onto its head is earned (P7), in Modern too."""

    AT_RESOLVE = "at_resolve"
    OFF = "off"


@unique
class KitchenPenalty(StrEnum):
    """How often a Piggle in the Kitchen costs its owner a point (P8)."""

    EACH_TURN = "each_turn"
    ONCE = "once"


@unique
class OffBoard(StrEnum):
    """Where a Piggle goes that leaves the board (P11)."""

    MUD = "mud"
    KITCHEN = "kitchen"
    REROLL = "reroll"
    """Back into the roller's cup at once; into the Mud when `reroll_cap` is reached."""


@unique
class SuddenBoard(StrEnum):
    """What lies on the board in Sudden Snout-Up (P15)."""

    CLEARED = "cleared"
    AS_IT_LIES = "as_it_lies"
    """As it lay after the last Resolve, put back so after each roll."""


@unique
class SuddenRolls(StrEnum):
    """Who rolls when in Sudden Snout-Up (P15)."""

    ALTERNATE = "alternate"
    TOGETHER = "together"
    """Both Piggles in one cup, poured by the round's first player."""


@unique
class SuddenOffBoard(StrEnum):
    """What a Piggle off the board counts for in Sudden Snout-Up (P15)."""

    REROLL = "reroll"
    WORST = "worst"
    """Below On-Their-Head."""


@unique
class SuddenAvailable(StrEnum):
    """Which Piggles may be rolled in Sudden Snout-Up (R16, P15)."""

    PEN_OR_MUD = "pen_or_mud"
    PEN_MUD_OR_BOARD = "pen_mud_or_board"


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesRules(Switches):
    """What this table has agreed on; the defaults are the rulings."""

    first_player: Seat = switch(Seat.A, "P2", among=BOARD_SEATS)
    alternate_start: bool = switch(False, "P2")
    """Whether the other player begins every second round."""
    rounds: int = switch(6, "R5", least=1, most=100)
    mud_delay: MudDelay = switch(MudDelay.ONE_FULL_TURN, "P3")
    exhaustion: Exhaustion = switch(Exhaustion.BEFORE_RECOUP, "P4")
    bonus_scope: BonusScope = switch(BonusScope.OPPONENT_ONLY, "P6")
    kitchen_bonus_classic: KitchenBonus = switch(KitchenBonus.AT_RESOLVE, "P7")
    kitchen_penalty: KitchenPenalty = switch(KitchenPenalty.EACH_TURN, "P8")
    final_penalty: bool = switch(False, "P8")
    """Whether a Piggle that enters the Kitchen after its owner's last Tally still costs 1."""
    line_rule: LineRule = switch(LineRule.FOOTPRINT, "P10", by_odds=(LineRule.FOOTPRINT,))
    contact_tolerance_mm: float = switch(0.5, "P10", least=0.0, most=10.0, by_odds=(0.5,))
    off_board: OffBoard = switch(OffBoard.MUD, "P11")
    cocked: Cocked = switch(Cocked.CLASSIFY, "P12", by_odds=(Cocked.CLASSIFY, Cocked.REROLL))
    reroll_cap: int = switch(10, "P11, P12", least=0, most=1000)
    """How often in one turn Piggles may be rolled again; afterwards they are read as they lie."""
    knock_distance_mm: float = switch(3.0, "P18", least=0.0, most=1000.0, by_odds=(3.0,))
    knock_angle_deg: float = switch(5.0, "P18", least=0.0, most=180.0, by_odds=(5.0,))
    sudden_board: SuddenBoard = switch(SuddenBoard.CLEARED, "P15")
    sudden_rolls: SuddenRolls = switch(SuddenRolls.ALTERNATE, "P15")
    sudden_off_board: SuddenOffBoard = switch(SuddenOffBoard.REROLL, "P15")
    sudden_available: SuddenAvailable = switch(SuddenAvailable.PEN_OR_MUD, "P15")
    sudden_cap: int = switch(100, "P15", least=0, most=10_000)
    """How many rerolls Sudden Snout-Up may take before the game is drawn."""

    def first_in(self, round_number: int) -> Seat:
        """Return who begins a round (P2)."""
        swapped = self.alternate_start and round_number % 2 == 0
        return self.first_player.other if swapped else self.first_player

    def reading(self) -> ReadingRules:
        """Return the part of the house rules that the reading of the table needs."""
        return ReadingRules(
            line_rule=self.line_rule,
            cocked=self.cocked,
            contact_tolerance_mm=self.contact_tolerance_mm,
            knock_distance_mm=self.knock_distance_mm,
            knock_angle_deg=self.knock_angle_deg,
        )


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

    actors: Actors = switch(Actors.ROLLED, "M1")
    effects_mandatory: bool = switch(False, "M2")
    """Whether the phase goes on as long as some Piggle has a target."""
    rare_runes: bool = switch(True, "M4")
    """Whether runes 5 to 9 do what they say; otherwise their bearers are neutral."""
    left: Left = switch(Left.CLOCKWISE, "M5")
    line_counts_as_field: bool = switch(False, "M6", by_odds=(False,))
    """Whether a Piggle on a field/path line lies in the field of its quarter of the board; where
    only the zone is known and no place, it has none."""
    target_scope: TargetScope = switch(TargetScope.ANY, "M7")
    red_counts_as_knock: bool = switch(True, "M9")
    blue_mode: BlueMode = switch(BlueMode.CUP, "M10", by_odds=(BlueMode.CUP,))
    blue_counts_as_knock: bool = switch(True, "M10, P6")
    """Whether an opposing Piggle that Blue's reroll takes off the board pays like a knocked one."""
    green_window: GreenWindow = switch(GreenWindow.PREVIOUS_TURN, "M11")
    green_owner: GreenOwner = switch(GreenOwner.OWN, "M11")
    shield_until: ShieldUntil = switch(ShieldUntil.REACTION, "M12")
    capture: Capture = switch(Capture.PERMANENT, "M13")
    rune9_pose: Rune9Pose = switch(Rune9Pose.DOWN, "M17")
    rune78_scope: Rune78Scope = switch(Rune78Scope.OWN, "M18")
