"""House rules of Piggles: one switch for each ruling that a table may change.

For switches with two settings, true means the setting declared first.
"""

from dataclasses import dataclass
from enum import StrEnum, unique

from pigglesim.games.switches import Switches, switch
from pigglesim.landing import BOARD_SEATS, Cocked, LineRule, ReadingRules, Seat


@unique
class MudDelay(StrEnum):
    """Time in the Mud before a Piggle may return (P3)."""

    ONE_FULL_TURN = "one_full_turn"
    """Return in the Recoup of round r + 2 after entry in round r, for both players."""
    OWNER_TURN = "owner_turn"
    """Return after one whole turn of its owner without it."""
    NONE = "none"
    """Return of every Piggle in the Mud at each Recoup."""


@unique
class Exhaustion(StrEnum):
    """Time of the test of total exhaustion in turn 5 (R17, P4)."""

    BEFORE_RECOUP = "before_recoup"
    AFTER_RECOUP = "after_recoup"
    OFF = "off"


@unique
class BonusScope(StrEnum):
    """Owners of Piggles that pay the roller a bonus when knocked (P6)."""

    OPPONENT_ONLY = "opponent_only"
    ANY = "any"


@unique
class KitchenBonus(StrEnum):
    """Time of the +2 for a Piggle knocked onto its head (P7), also in Modern."""

    AT_RESOLVE = "at_resolve"
    OFF = "off"


@unique
class KitchenPenalty(StrEnum):
    """Number of times that a Piggle in the Kitchen costs its owner a point (P8)."""

    EACH_TURN = "each_turn"
    ONCE = "once"


@unique
class OffBoard(StrEnum):
    """Destination of a Piggle that leaves the board (P11)."""

    MUD = "mud"
    KITCHEN = "kitchen"
    REROLL = "reroll"
    """Cup of the roller immediately; the Mud when `reroll_cap` is reached."""


@unique
class SuddenBoard(StrEnum):
    """Piggles on the board in Sudden Snout-Up (P15)."""

    CLEARED = "cleared"
    AS_IT_LIES = "as_it_lies"
    """Board as after the last Resolve, restored after each roll."""


@unique
class SuddenRolls(StrEnum):
    """Order of rolls in Sudden Snout-Up (P15)."""

    ALTERNATE = "alternate"
    TOGETHER = "together"
    """Both Piggles in one cup, poured by the round's first player."""


@unique
class SuddenOffBoard(StrEnum):
    """Rank of a Piggle off the board in Sudden Snout-Up (P15)."""

    REROLL = "reroll"
    WORST = "worst"
    """Rank below On-Their-Head."""


@unique
class SuddenAvailable(StrEnum):
    """Piggles available in Sudden Snout-Up (R16, P15)."""

    PEN_OR_MUD = "pen_or_mud"
    PEN_MUD_OR_BOARD = "pen_mud_or_board"


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesRules(Switches):
    """House rules of a table; the defaults are the rulings."""

    first_player: Seat = switch(Seat.A, "P2", among=BOARD_SEATS)
    alternate_start: bool = switch(False, "P2")
    """True if the other player begins every second round."""
    rounds: int = switch(6, "R5", least=1, most=100)
    mud_delay: MudDelay = switch(MudDelay.ONE_FULL_TURN, "P3")
    exhaustion: Exhaustion = switch(Exhaustion.BEFORE_RECOUP, "P4")
    bonus_scope: BonusScope = switch(BonusScope.OPPONENT_ONLY, "P6")
    kitchen_bonus_classic: KitchenBonus = switch(KitchenBonus.AT_RESOLVE, "P7")
    kitchen_penalty: KitchenPenalty = switch(KitchenPenalty.EACH_TURN, "P8")
    final_penalty: bool = switch(False, "P8")
    """True if a Piggle that enters the Kitchen after its owner's last Tally still costs 1."""
    line_rule: LineRule = switch(LineRule.FOOTPRINT, "P10", by_odds=(LineRule.FOOTPRINT,))
    contact_tolerance_mm: float = switch(0.5, "P10", least=0.0, most=10.0, by_odds=(0.5,))
    off_board: OffBoard = switch(OffBoard.MUD, "P11")
    cocked: Cocked = switch(Cocked.CLASSIFY, "P12", by_odds=(Cocked.CLASSIFY, Cocked.REROLL))
    reroll_cap: int = switch(10, "P11, P12", least=0, most=1000)
    """Maximum rerolls in a turn; afterwards Piggles are read as they rest."""
    knock_distance_mm: float = switch(3.0, "P18", least=0.0, most=1000.0, by_odds=(3.0,))
    knock_angle_deg: float = switch(5.0, "P18", least=0.0, most=180.0, by_odds=(5.0,))
    sudden_board: SuddenBoard = switch(SuddenBoard.CLEARED, "P15")
    sudden_rolls: SuddenRolls = switch(SuddenRolls.ALTERNATE, "P15")
    sudden_off_board: SuddenOffBoard = switch(SuddenOffBoard.REROLL, "P15")
    sudden_available: SuddenAvailable = switch(SuddenAvailable.PEN_OR_MUD, "P15")
    sudden_cap: int = switch(100, "P15", least=0, most=10_000)
    """Maximum rerolls in Sudden Snout-Up before the game is drawn."""

    def first_in(self, round_number: int) -> Seat:
        """Return the player who begins a round (P2)."""
        swapped = self.alternate_start and round_number % 2 == 0
        return self.first_player.other if swapped else self.first_player

    def reading(self) -> ReadingRules:
        """Return the house rules for reading the table."""
        return ReadingRules(
            line_rule=self.line_rule,
            cocked=self.cocked,
            contact_tolerance_mm=self.contact_tolerance_mm,
            knock_distance_mm=self.knock_distance_mm,
            knock_angle_deg=self.knock_angle_deg,
        )


@unique
class Actors(StrEnum):
    """Snout-Up Piggles of the active player that act (M1)."""

    ROLLED = "rolled"
    ALL_OWN_UP = "all_own_up"
    """All own ones, including those of earlier turns, even without a roll."""


@unique
class Left(StrEnum):
    """Field to the left of a field (M5); right is the opposite."""

    CLOCKWISE = "clockwise"
    """Next field clockwise, to the left of a viewer behind the field who faces the centre."""
    COUNTERCLOCKWISE = "counterclockwise"
    PLAYER_VIEW = "player_view"
    """Field at the acting player's left hand; a Piggle in that field has none."""


@unique
class TargetScope(StrEnum):
    """Targets of Orange, Red and Blue (M7)."""

    ANY = "any"
    OPPONENT_ONLY = "opponent_only"


@unique
class BlueMode(StrEnum):
    """Method of Blue's reroll (M10)."""

    CUP = "cup"
    """Roll of the target alone from the acting player's cup."""
    DROP_IN_PLACE = "drop_in_place"
    """Toss of the target from its place."""


@unique
class GreenWindow(StrEnum):
    """Time in which Green's target must have been removed (M11)."""

    PREVIOUS_TURN = "previous_turn"
    """This round or the previous one."""
    ANY = "any"


@unique
class GreenOwner(StrEnum):
    """Owners of the Mud from which Green returns a Piggle (M11)."""

    OWN = "own"
    ANY = "any"


@unique
class ShieldUntil(StrEnum):
    """Duration of Yellow's shield (M12). It captures only in the Roll phase, never in Blue's."""

    REACTION = "reaction"
    """End of the Action & Reaction after the next roll that takes place."""
    ROLL = "roll"
    """End of the next roll that takes place."""
    TURN = "turn"
    """End of the next turn, even one without a roll."""


@unique
class Capture(StrEnum):
    """Duration of a captor's control (M13)."""

    PERMANENT = "permanent"
    RETURN = "return"
    """Control until the Piggle leaves the board, for its owner's Mud or Kitchen."""


@unique
class Rune9Pose(StrEnum):
    """Orientation in which the split line sets a Piggle down (M17)."""

    DOWN = "down"
    UP = "up"


@unique
class Rune78Scope(StrEnum):
    """Owners of the Mud and Kitchen that the spirals reach (M18)."""

    OWN = "own"
    ANY = "any"
    """Either Mud, into the own Pen, and either Kitchen, into the same player's Mud."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModernRules(PigglesRules):
    """House rules of a table for Modern; the defaults are the rulings."""

    actors: Actors = switch(Actors.ROLLED, "M1")
    effects_mandatory: bool = switch(False, "M2")
    """True if the phase continues as long as any Piggle has a target."""
    rare_runes: bool = switch(True, "M4")
    """True if runes 5 to 9 have effects; otherwise their Piggles are neutral."""
    left: Left = switch(Left.CLOCKWISE, "M5")
    line_counts_as_field: bool = switch(False, "M6", by_odds=(False,))
    """True if a Piggle on a field/path line is in the field of its quarter of the board. Without a
    known position it has no field."""
    target_scope: TargetScope = switch(TargetScope.ANY, "M7")
    red_counts_as_knock: bool = switch(True, "M9")
    blue_mode: BlueMode = switch(BlueMode.CUP, "M10", by_odds=(BlueMode.CUP,))
    blue_counts_as_knock: bool = switch(True, "M10, P6")
    """True if an opposing Piggle that Blue's reroll takes off the board pays like a knocked one."""
    green_window: GreenWindow = switch(GreenWindow.PREVIOUS_TURN, "M11")
    green_owner: GreenOwner = switch(GreenOwner.OWN, "M11")
    shield_until: ShieldUntil = switch(ShieldUntil.REACTION, "M12")
    capture: Capture = switch(Capture.PERMANENT, "M13")
    rune9_pose: Rune9Pose = switch(Rune9Pose.DOWN, "M17")
    rune78_scope: Rune78Scope = switch(Rune78Scope.OWN, "M18")
