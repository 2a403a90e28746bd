"""The house rules of Piggles Classic: one switch for every ruling that a table may change.

Among switches of two settings, true means the setting declared first.
"""

from dataclasses import dataclass, field
from enum import StrEnum, unique

from pigglesim.games.switches import Switches, settles
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

    first_player: Seat = field(default=Seat.A, metadata=settles("P2", among=BOARD_SEATS))
    alternate_start: bool = field(default=False, metadata=settles("P2"))
    """Whether the other player begins every second round."""
    rounds: int = field(default=6, metadata=settles("R5", least=1, most=100))
    mud_delay: MudDelay = field(default=MudDelay.ONE_FULL_TURN, metadata=settles("P3"))
    exhaustion: Exhaustion = field(default=Exhaustion.BEFORE_RECOUP, metadata=settles("P4"))
    bonus_scope: BonusScope = field(default=BonusScope.OPPONENT_ONLY, metadata=settles("P6"))
    kitchen_bonus_classic: KitchenBonus = field(
        default=KitchenBonus.AT_RESOLVE, metadata=settles("P7")
    )
    kitchen_penalty: KitchenPenalty = field(
        default=KitchenPenalty.EACH_TURN, metadata=settles("P8")
    )
    final_penalty: bool = field(default=False, metadata=settles("P8"))
    """Whether a Piggle that enters the Kitchen after its owner's last Tally still costs 1."""
    line_rule: LineRule = field(
        default=LineRule.FOOTPRINT, metadata=settles("P10", by_odds=(LineRule.FOOTPRINT,))
    )
    contact_tolerance_mm: float = field(
        default=0.5, metadata=settles("P10", least=0.0, most=10.0, by_odds=(0.5,))
    )
    off_board: OffBoard = field(default=OffBoard.MUD, metadata=settles("P11"))
    cocked: Cocked = field(
        default=Cocked.CLASSIFY, metadata=settles("P12", by_odds=(Cocked.CLASSIFY, Cocked.REROLL))
    )
    reroll_cap: int = field(default=10, metadata=settles("P11, P12", least=0, most=1000))
    """How often in one turn Piggles may be rolled again; afterwards they are read as they lie."""
    knock_distance_mm: float = field(
        default=3.0, metadata=settles("P18", least=0.0, most=1000.0, by_odds=(3.0,))
    )
    knock_angle_deg: float = field(
        default=5.0, metadata=settles("P18", least=0.0, most=180.0, by_odds=(5.0,))
    )
    sudden_board: SuddenBoard = field(default=SuddenBoard.CLEARED, metadata=settles("P15"))
    sudden_rolls: SuddenRolls = field(default=SuddenRolls.ALTERNATE, metadata=settles("P15"))
    sudden_off_board: SuddenOffBoard = field(default=SuddenOffBoard.REROLL, metadata=settles("P15"))
    sudden_available: SuddenAvailable = field(
        default=SuddenAvailable.PEN_OR_MUD, metadata=settles("P15")
    )
    sudden_cap: int = field(default=100, metadata=settles("P15", least=0, most=10_000))
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
