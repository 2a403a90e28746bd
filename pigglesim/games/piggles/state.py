"""House rules and states of Piggles, and the phases of a round (R5, R6, R19)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pigglesim.errors import SpecError
from pigglesim.games.game import Result, changed
from pigglesim.games.switches import Switches, switch
from pigglesim.landing import BOARD_SEATS, Cocked, Hold, Landing, LineRule, ReadingRules, Seat
from pigglesim.markings import Colour, Rune, read_colour, read_rune
from pigglesim.notebook_display import displayed


class MudDelay(StrEnum):
    """Time in the Mud before a Piggle may return (P3)."""

    ONE_FULL_TURN = "one_full_turn"
    """Return in the Recoup of round r + 2 after entry in round r, for both players."""
    OWNER_TURN = "owner_turn"
    """Return after one whole turn of its owner without it."""
    NONE = "none"
    """Return of every Piggle in the Mud at each Recoup."""


class Exhaustion(StrEnum):
    """Time of the test of total exhaustion in round 5 (R17, P4)."""

    ROUND_START = "round_start"
    """Once for both players, before either moves in round 5."""
    BEFORE_RECOUP = "before_recoup"
    """For each player at the start of the own turn."""
    AFTER_RECOUP = "after_recoup"
    """The same, with the Piggles that the Recoup brings back."""
    OFF = "off"


class BonusScope(StrEnum):
    """Owners of Piggles that pay the roller a bonus when knocked (P6)."""

    OPPONENT_ONLY = "opponent_only"
    ANY = "any"


class MudBonus(StrEnum):
    """Piggles knocked into the Mud that pay +1 (P6)."""

    AT_RESOLVE = "at_resolve"
    """Those knocked off the board, and at Resolve those knocked Snout-Down and not turned again."""
    OFF_BOARD = "off_board"


class KitchenBonus(StrEnum):
    """Time of the +2 for a Piggle knocked onto its head (P7), also in Modern.

    One knocked straight into the Kitchen, by `off_board`, pays under either setting.
    """

    AT_RESOLVE = "at_resolve"
    OFF = "off"


class KitchenPenalty(StrEnum):
    """Number of times that a Piggle in the Kitchen costs its owner a point (P8)."""

    EACH_TURN = "each_turn"
    ONCE = "once"


class OffBoard(StrEnum):
    """Destination of a Piggle that leaves the board (P11)."""

    MUD = "mud"
    KITCHEN = "kitchen"
    REROLL = "reroll"
    """Cup of the roller immediately; the Mud when `reroll_cap` is reached."""


class SuddenBoard(StrEnum):
    """Piggles on the board in Sudden Snout-Up (P15)."""

    CLEARED = "cleared"
    AS_IT_LIES = "as_it_lies"
    """Board as after the last Resolve, restored after each roll."""


class SuddenRolls(StrEnum):
    """Order of rolls in Sudden Snout-Up (P15)."""

    ALTERNATE = "alternate"
    TOGETHER = "together"
    """Both Piggles in one cup, poured by the round's first player."""


class SuddenOffBoard(StrEnum):
    """Rank of a Piggle off the board in Sudden Snout-Up (P15)."""

    REROLL = "reroll"
    WORST = "worst"
    """Rank below On-Their-Head."""


class SuddenAvailable(StrEnum):
    """Piggles available in Sudden Snout-Up (R16, P15)."""

    PEN_OR_MUD = "pen_or_mud"
    PEN_MUD_OR_BOARD = "pen_mud_or_board"


class SuddenChoice(StrEnum):
    """Choice of the Piggle to roll in Sudden Snout-Up (P15)."""

    PLAYER = "player"
    """Each player chooses, wherever there is a choice."""
    FIRST = "first"
    """First Piggle available, those of the own team before captured ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PigglesRules(Switches):
    """House rules of a table; the defaults are the rulings."""

    first_player: Seat = switch(Seat.A, "P2", "player who begins", among=BOARD_SEATS)
    alternate_start: bool = switch(False, "P2", "the other player begins every second round")
    rounds: int = switch(6, "R5", "length of the game", least=1, most=100)
    mud_delay: MudDelay = switch(MudDelay.ONE_FULL_TURN, "P3", "when a Piggle returns from the Mud")
    exhaustion: Exhaustion = switch(
        Exhaustion.ROUND_START, "P4", "when exhaustion is tested in round 5"
    )
    bonus_scope: BonusScope = switch(
        BonusScope.OPPONENT_ONLY, "P6", "owner of the Piggles that pay for a knock"
    )
    mud_bonus: MudBonus = switch(
        MudBonus.AT_RESOLVE,
        "P6",
        "+1 for a Piggle knocked off the board, and at Resolve for one knocked Snout-Down",
    )
    kitchen_bonus_classic: KitchenBonus = switch(
        KitchenBonus.AT_RESOLVE, "P7", "+2 for a Piggle knocked On-Their-Head"
    )
    kitchen_penalty: KitchenPenalty = switch(
        KitchenPenalty.EACH_TURN, "P8", "how often a Piggle in the Kitchen costs a point"
    )
    final_penalty: bool = switch(
        False, "P8", "a Piggle that enters the Kitchen after its owner's last Tally still costs 1"
    )
    line_rule: LineRule = switch(
        LineRule.FOOTPRINT,
        "P10",
        "basis of the zone: the contact footprint, its centroid, or the centre of mass",
        by_odds=(LineRule.FOOTPRINT,),
    )
    contact_tolerance_mm: float = switch(
        0.5,
        "P10",
        "distance from the board that counts as contact [mm]",
        least=0.0,
        most=10.0,
        by_odds=(0.5,),
    )
    off_board: OffBoard = switch(
        OffBoard.MUD, "P11", "where a Piggle goes when it leaves the board"
    )
    cocked: Cocked = switch(
        Cocked.CLASSIFY,
        "P12",
        "a Piggle that leans on another is read as it rests, nudged up to three times, or rerolled",
        by_odds=(Cocked.CLASSIFY, Cocked.REROLL),
    )
    reroll_cap: int = switch(
        10,
        "P11, P12",
        "maximum rerolls per turn; after them Piggles are read as they rest",
        least=0,
        most=1000,
    )
    knock_distance_mm: float = switch(
        3.0,
        "P18",
        "smallest shift that counts as a knock [mm]",
        least=0.0,
        most=1000.0,
        by_odds=(3.0,),
    )
    knock_angle_deg: float = switch(
        5.0,
        "P18",
        "smallest rotation that counts as a knock [degree]",
        least=0.0,
        most=180.0,
        by_odds=(5.0,),
    )
    sudden_board: SuddenBoard = switch(
        SuddenBoard.CLEARED, "P15", "Sudden Snout-Up on a cleared board, or on the board as it is"
    )
    sudden_rolls: SuddenRolls = switch(
        SuddenRolls.ALTERNATE, "P15", "Sudden Snout-Up one after the other, or both from one cup"
    )
    sudden_off_board: SuddenOffBoard = switch(
        SuddenOffBoard.REROLL,
        "P15",
        "in Sudden Snout-Up, a Piggle off the board is rolled again, or ranks below On-Their-Head",
    )
    sudden_available: SuddenAvailable = switch(
        SuddenAvailable.PEN_OR_MUD, "P15", "Piggles that may be rolled in Sudden Snout-Up"
    )
    sudden_choice: SuddenChoice = switch(
        SuddenChoice.PLAYER,
        "P15",
        "each player chooses the Piggle to roll in Sudden Snout-Up, or rolls the first one "
        "available",
    )
    sudden_cap: int = switch(
        100, "P15", "rerolls in Sudden Snout-Up before the game is drawn", least=0, most=10_000
    )

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


class Actors(StrEnum):
    """Snout-Up Piggles of the active player that act (M1)."""

    ROLLED = "rolled"
    ALL_OWN_UP = "all_own_up"
    """All own ones, including those of earlier turns, even without a roll."""


class Left(StrEnum):
    """Field to the left of a field (M5); right is the opposite."""

    CLOCKWISE = "clockwise"
    """Next field clockwise, to the left of a viewer behind the field who faces the centre."""
    COUNTERCLOCKWISE = "counterclockwise"
    PLAYER_VIEW = "player_view"
    """Field at the acting player's left hand; a Piggle in that field has none."""


class TargetScope(StrEnum):
    """Targets of Orange, Red and Blue (M7)."""

    ANY = "any"
    OPPONENT_ONLY = "opponent_only"


class BlueMode(StrEnum):
    """Method of Blue's reroll (M10)."""

    CUP = "cup"
    """Roll of the target alone from the acting player's cup."""
    DROP_IN_PLACE = "drop_in_place"
    """Toss of the target from its place."""


class GreenWindow(StrEnum):
    """Time in which Green's target must have been removed (M11)."""

    PREVIOUS_TURN = "previous_turn"
    """This round or the previous one."""
    ANY = "any"


class GreenOwner(StrEnum):
    """Owners of the Mud from which Green returns a Piggle (M11)."""

    OWN = "own"
    ANY = "any"


class GreenClock(StrEnum):
    """Date in the Mud of a Piggle that Green returned and Resolve sends back (M11)."""

    KEEP = "keep"
    """Its old date, unless it was turned Snout-Up meanwhile or left the board before Resolve."""
    RESTART = "restart"
    """The round of that Resolve."""


class ShieldUntil(StrEnum):
    """Duration of Yellow's shield (M12)."""

    REACTION = "reaction"
    """End of the Action & Reaction after the next roll that takes place."""
    ROLL = "roll"
    """End of the next roll that takes place."""
    TURN = "turn"
    """End of the next turn, even one without a roll."""


class Capture(StrEnum):
    """Duration of a captor's control (M13)."""

    PERMANENT = "permanent"
    RETURN = "return"
    """Control until the Piggle leaves the board, for its owner's Mud or Kitchen."""


class Rune9Pose(StrEnum):
    """Orientation in which the split line sets a Piggle down (M17)."""

    DOWN = "down"
    UP = "up"


class Rune78Scope(StrEnum):
    """Owners of the Mud and Kitchen that the spirals reach (M18)."""

    OWN = "own"
    ANY = "any"
    """Either Mud, into the own Pen, and either Kitchen, into the same player's Mud."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModernRules(PigglesRules):
    """House rules of a table for Modern; the defaults are the rulings."""

    actors: Actors = switch(
        Actors.ROLLED, "M1", "Snout-Up Piggles that act: those rolled, or all of the player's"
    )
    effects_mandatory: bool = switch(
        False, "M2", "the phase continues while any Piggle has a target"
    )
    rare_runes: bool = switch(
        True, "M4", "runes 5 to 9 work; with `off`, their Piggles are neutral"
    )
    left: Left = switch(Left.CLOCKWISE, "M5", "which neighbour of a field is to its left")
    line_counts_as_field: bool = switch(
        True,
        "M6",
        "a Piggle on a field/path line is in the field it touches, as actor and as target",
    )
    target_scope: TargetScope = switch(
        TargetScope.ANY, "M7", "owner of the targets of Orange, Red and Blue"
    )
    red_counts_as_knock: bool = switch(True, "M9", "+1 for a Piggle removed by Red")
    blue_mode: BlueMode = switch(
        BlueMode.CUP,
        "M10",
        "Blue's target is rolled alone from the cup, or dropped in place",
        by_odds=(BlueMode.CUP,),
    )
    green_window: GreenWindow = switch(
        GreenWindow.PREVIOUS_TURN, "M11", "age of the removals that Green can return"
    )
    green_owner: GreenOwner = switch(GreenOwner.OWN, "M11", "owner of the Mud that Green reaches")
    green_clock: GreenClock = switch(
        GreenClock.KEEP,
        "M11",
        "a Piggle that Green returned and Resolve sends back keeps its date in the Mud, or "
        "gets a new one",
    )
    shield_until: ShieldUntil = switch(
        ShieldUntil.REACTION,
        "M12",
        "end of Yellow's protection: after the next roll and its Reaction, after that "
        "roll, or after the next turn even without a roll",
    )
    capture: Capture = switch(Capture.PERMANENT, "M13", "duration of a capture")
    rune9_pose: Rune9Pose = switch(
        Rune9Pose.DOWN, "M17", "orientation of a Piggle that the split line sets down"
    )
    rune78_scope: Rune78Scope = switch(
        Rune78Scope.OWN, "M18", "owner of the Mud and Kitchen that the spirals reach"
    )


FIRST_RECOUP_ROUND = 3
"""First round with a Recoup (R6)."""


class PhaseMode(StrEnum):
    """Rule books of Piggles."""

    CLASSIC = "classic"
    MODERN = "modern"


class PigglesPhase(StrEnum):
    """Phases of a round."""

    RECOUP = "recoup"
    LOAD = "load"
    ROLL = "roll"
    ACTION_REACTION = "action_reaction"
    TALLY = "tally"
    RESOLVE = "resolve"
    SUDDEN = "sudden"


def turn_phases(
    round_number: int, *, mode: PhaseMode = PhaseMode.CLASSIC
) -> tuple[PigglesPhase, ...]:
    """Return the phases of each player's turn in a round, in order; Resolve follows once."""
    recoup = (PigglesPhase.RECOUP,) if round_number >= FIRST_RECOUP_ROUND else ()
    effects = (PigglesPhase.ACTION_REACTION,) if mode is PhaseMode.MODERN else ()
    return (*recoup, PigglesPhase.LOAD, PigglesPhase.ROLL, *effects, PigglesPhase.TALLY)


PEN_SIZE = 6
"""Number of Piggles of a player, and of places in a Pen (R1, R4)."""


class PigglesReason(StrEnum):
    """Reasons for the end of a game of Piggles (P17)."""

    SCORE = "score"
    SUDDEN_SNOUT_UP = "sudden_snout_up"
    NONE_AVAILABLE = "none_available"
    EXHAUSTION = "exhaustion"
    CONCESSION = "concession"
    DRAW = "draw"


_OWNERS = {seat.value: seat for seat in BOARD_SEATS}


def owner(piggle: str) -> Seat:
    """Return the seat whose team a Piggle belongs to: the first letter of its id.

    The other player may control it: see `PigglesState.controller` (M13).
    """
    return _OWNERS[piggle[0]]


def team(seat: Seat) -> tuple[str, ...]:
    """Return the ids of a player's Piggles, such as A1 to A6."""
    return tuple(f"{seat}{number}" for number in range(1, PEN_SIZE + 1))


def in_order(piggles: Iterable[str]) -> tuple[str, ...]:
    """Return ids in the order of every state."""
    return tuple(sorted(piggles))


@dataclass(frozen=True, slots=True, kw_only=True)
class MudEntry:
    """Piggle in the Mud, with its round of entry (P3)."""

    piggle: str
    round: int
    early: bool = False
    """True if it entered before its owner's turn of that round."""
    demoted: bool = False
    """True if it came from the Kitchen, by a rune (R23)."""


@dataclass(frozen=True, slots=True)
class Act:
    """Action of declaring a Piggle's effect and its target (R20)."""

    piggle: str
    target: str


@dataclass(frozen=True, slots=True)
class Done:
    """Action of ending the Action phase (M2)."""


@dataclass(frozen=True, kw_only=True)
class Shield:
    """Shield by Yellow of a Piggle in the next roll (R21, M12)."""

    piggle: str
    by: Seat
    """Player who declared it, and whose Pen gets the Piggle if it is knocked."""
    fresh: bool = True
    """True during the turn in which it was declared."""
    rolled: bool = False
    """True if its roll has begun."""


@dataclass(frozen=True, kw_only=True)
class PigglesSide:
    """Score of one player, and areas off the board."""

    pen: tuple[str, ...] = ()
    cup: tuple[str, ...] = ()
    mud: tuple[MudEntry, ...] = ()
    kitchen: tuple[str, ...] = ()
    score: int = 0
    mud_bonuses: int = 0
    """Piggles knocked into the Mud since this player's last Tally (R11)."""
    kitchen_bonuses: int = 0
    """Piggles knocked straight into the Kitchen since this player's last Tally (R11)."""
    charged: tuple[str, ...] = ()
    """Piggles in the Kitchen that have already cost a point (P8)."""
    late: tuple[str, ...] = ()
    """Piggles that entered the Kitchen since this player's last Tally (P8)."""

    @property
    def mud_piggles(self) -> tuple[str, ...]:
        """Ids of the Piggles in the Mud."""
        return tuple(entry.piggle for entry in self.mud)


@dataclass(frozen=True, kw_only=True)
class Sudden:
    """Progress of Sudden Snout-Up (R16)."""

    a: Landing | None = None
    """Landing of A's roll in this attempt; None without one that counts."""
    b: Landing | None = None
    chosen: tuple[str, ...] = ()
    """Piggles that players have chosen to roll in this attempt, at most one each."""
    rerolls: int = 0

    def of(self, seat: Seat) -> Landing | None:
        """Return a player's landing in this attempt."""
        return self.a if seat is Seat.A else self.b


@dataclass(frozen=True, kw_only=True)
class PigglesState:
    """State of a game of Piggles."""

    round: int = 1
    active: Seat = Seat.A
    phase: PigglesPhase = PigglesPhase.LOAD
    a: PigglesSide = PigglesSide()
    b: PigglesSide = PigglesSide()
    board: tuple[tuple[str, Landing], ...] = ()
    """Landing of every Piggle on the board, by id."""
    knock_credits: tuple[tuple[str, Seat], ...] = ()
    """Piggles knocked Snout-Down or onto their heads, and the seats paid for them at Resolve.
    A Piggle that is turned again is removed (P6, P7)."""
    rerolls: int = 0
    """Number of rerolls in this turn (P11, P12)."""
    sudden: Sudden = Sudden()
    result: Result | None = None
    captured: tuple[str, ...] = ()
    """Piggles controlled by their owner's opponent (M13)."""
    shields: tuple[Shield, ...] = ()
    """Shields of Piggles on the board, at most one each."""
    returned: tuple[MudEntry, ...] = ()
    """Last Mud entries of Piggles that Green returned, until they are turned Snout-Up or leave the
    board (M11)."""
    actors: tuple[str, ...] = ()
    """Piggles that may still act in this Action phase (M1, M3)."""
    acted: tuple[str, ...] = ()
    """Piggles that have acted in this turn."""
    pending: Act | None = None
    """Effect that waits for a roll or for a Piggle to be set down."""
    hold: Hold | None = None
    """Hold of the loaded cup by the active player; None for the scene's default."""

    def controller(self, piggle: str) -> Seat:
        """Return the player who controls a Piggle: its owner, unless it was captured (M13)."""
        seat = owner(piggle)
        return seat.other if piggle in self.captured else seat

    def side(self, seat: Seat) -> PigglesSide:
        """Return one player's part of the state."""
        return self.a if seat is Seat.A else self.b

    def with_side(self, seat: Seat, **parts: object) -> "PigglesState":
        """Return this state with fields of one player's part changed."""
        side = changed(self.side(seat), **parts)
        return changed(self, a=side) if seat is Seat.A else changed(self, b=side)

    def on_board(self, seat: Seat) -> tuple[tuple[str, Landing], ...]:
        """Return the Piggles on the board that a player controls."""
        if not self.captured:
            # Without captures, as in nearly every state, ids identify the controller.
            letter = seat.value
            return tuple(entry for entry in self.board if entry[0][0] == letter)
        return tuple(entry for entry in self.board if self.controller(entry[0]) is seat)

    def landing(self, piggle: str) -> Landing | None:
        """Return the landing of a Piggle on the board, or None if it is elsewhere."""
        return next((at for name, at in self.board if name == piggle), None)

    def _repr_svg_(self) -> str | None:
        return displayed("state_picture", self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Markings:
    """Markings of a Piggle."""

    colour: Colour | None = None
    rune: Rune | None = None

    @property
    def directional(self) -> bool:
        """True if the rune gives the colour a direction (M4)."""
        return self.rune in {Rune.LEFT, Rune.RIGHT, Rune.ADJACENT, Rune.ACROSS}


NEUTRAL = Markings()
"""Markings of a neutral Piggle, on which others can act (R24)."""

Lineup = tuple[tuple[str, Markings], ...]
"""Markings of Piggles by id, in order; a missing one is neutral."""

STANDARD = (
    Markings(colour=Colour.ORANGE, rune=Rune.LEFT),
    Markings(colour=Colour.RED, rune=Rune.RIGHT),
    Markings(colour=Colour.RED, rune=Rune.ADJACENT),
    Markings(colour=Colour.BLUE, rune=Rune.LEFT),
    Markings(colour=Colour.GREEN, rune=Rune.ADJACENT),
    Markings(colour=Colour.YELLOW, rune=Rune.ADJACENT),
)
"""Default team, with every colour and only common runes."""


def format_piece(piece: Markings) -> str:
    """Return markings as text: `blue+left`, `blue` without a rune, `-` without any."""
    colour = str(piece.colour) if piece.colour else "-"
    return f"{colour}+{piece.rune}" if piece.rune else colour


def parse_piece(text: str) -> Markings:
    """Return the markings that `format_piece` wrote; raise `SpecError` for other text."""
    colour, plus, rune = text.partition("+")
    return Markings(
        colour=None if colour == "-" else read_colour(colour),
        rune=read_rune(rune) if plus else None,
    )


def lineup(teams: Mapping[Seat, Sequence[Markings]]) -> Lineup:
    """Return the markings of all Piggles by id.

    Raises:
        SpecError: If a team is not of six.
    """
    pieces: list[tuple[str, Markings]] = []
    for seat in BOARD_SEATS:
        ids, markings = team(seat), teams.get(seat, STANDARD)
        if len(markings) != len(ids):
            raise SpecError(
                f"{len(markings)} Piggles in the team of {seat}", fix=f"give {len(ids)} markings"
            )
        pieces += zip(ids, markings, strict=True)
    return tuple(pieces)
