"""Effects of Modern in plain words: who acts on whom, and what comes of it (R20-R24)."""

from dataclasses import dataclass

from pigglesim.games.piggles.areas import KITCHEN_BONUS, MUD_BONUS
from pigglesim.games.piggles.effects import CYCLE, Table, Verb, declare, effect_request
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.modern import PigglesModern
from pigglesim.games.piggles.modern_rules import ModernRules
from pigglesim.games.piggles.state import Act, Position, team
from pigglesim.markings import Rune
from pigglesim.pictures.board import ZONE_NAMES, marking
from pigglesim.rolls import BOARD_SEATS, Seat, Zone

__all__ = ["LEGEND", "Effects"]

LEGEND = (
    "O to the Kitchen, R to the Mud, B rolls again, G back on board, Y shield; "
    "← → ↔ ↑: the field left, right, own, across"
)
"""What colours and common runes mean, in the marks of the screen."""

_RUNES = {
    Rune.LEFT: "left",
    Rune.RIGHT: "right",
    Rune.ADJACENT: "adjacent",
    Rune.ACROSS: "across",
    Rune.ARROW_CW: "clockwise arrow",
    Rune.ARROW_CCW: "counter-clockwise arrow",
    Rune.SPIRAL_CW: "clockwise spiral",
    Rune.SPIRAL_CCW: "counter-clockwise spiral",
    Rune.SPLIT: "split line",
}
"""Runes in a word or two."""
_WHERE = {
    Rune.LEFT: "in the field to its left",
    Rune.RIGHT: "in the field to its right",
    Rune.ADJACENT: "in its own field",
    Rune.ACROSS: "in the field across",
}
"""Where a rune finds its target, seen from behind the own field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """Says what Piggles do to each other under the rules of one table."""

    table: Table

    @classmethod
    def of(cls, game: Piggles) -> "Effects":
        """Return what Piggles do to each other in a game; in Classic nothing."""
        if isinstance(game, PigglesModern):
            return cls(table=game.table)
        return cls(table=Table(rules=ModernRules(), lineup=()))

    def worn(self, piggle: str) -> str:
        """Return colour and rune of a Piggle in words; empty if it wears neither."""
        piece = self.table.piece(piggle)
        words = [str(piece.colour)] if piece.colour else []
        words += [_RUNES[piece.rune]] if piece.rune else []
        return ", ".join(words)

    @property
    def explained(self) -> dict[str, str]:
        """What each Piggle does, in a sentence, by id; empty where none acts."""
        return {
            piggle: f"{self.mark(piggle)} {piggle} ({self.worn(piggle)}): {self._explain(piggle)}"
            for piggle in (*team(Seat.A), *team(Seat.B))
            if self.mark(piggle)
        }

    def _explain(self, piggle: str) -> str:
        piece, verb = self.table.piece(piggle), self.table.verb(piggle)
        if verb is None:
            return "it has no effect."
        whom = f"one Piggle {_WHERE[piece.rune]}" if piece.rune in _WHERE else "one Piggle"
        place = _WHERE.get(piece.rune, "") if piece.rune else ""
        like = f"{piece.colour} Piggle"
        does = {
            Verb.BURN: f"sends {whom} to the Kitchen",
            Verb.DAMAGE: f"sends {whom} to the Mud",
            Verb.CRIT: f"has {whom} rolled again",
            Verb.SHIELD: f"shields {whom}: in the next roll it stays, or if knocked is yours",
            Verb.HEALTH: f"brings a Piggle back from the Mud, Snout-Down, {place}",
            Verb.TURN_UP: f"turns a {like} of yours Snout-Up",
            Verb.TURN_DOWN: f"turns an opposing {like} Snout-Down",
            Verb.RESCUE: f"takes a {like} from the Mud to your Pen",
            Verb.DEMOTE: f"takes a {like} from the Kitchen to the Mud",
            Verb.SUMMON: "brings a Piggle of your Pen onto its own field",
        }[verb]
        return f"landed ▲ in a field, it {does}."

    def mark(self, piggle: str) -> str:
        """Return colour and rune of a Piggle in two characters; empty if it wears neither."""
        piece = self.table.piece(piggle)
        return marking(piece.colour, piece.rune) if piece.colour or piece.rune else ""

    def sentence(self, position: Position, act: Act) -> str:
        """Return what an effect does: `A2 (red, right) sends B4 in field E to the Mud of B (+1)`.

        Args:
            position: The position in which it is declared.
            act: The effect.
        """
        lies = position.landing(act.target)
        whom = f"{act.target} {_at(lies.zone)}" if lies else act.target
        into = f" of {self._taker(position, act)}"
        gain = self._gain(position, act)
        shields = self.table.verb(act.piggle) is Verb.SHIELD
        more = (
            f": it stays in the next roll, or if knocked goes to the Pen of {position.active}"
            if shields
            else ""
        )
        does = self._does(position, act, whom=whom, into=into)
        return f"{act.piggle} ({self.worn(act.piggle)}) {does}{more}{gain}"

    def choice(self, position: Position, act: Act) -> str:
        """Return an effect as a player chooses it, in few letters: `A2 R→ sends B4 to the Mud`."""
        own = position.controller(act.target) is position.active
        harms = self.table.verb(act.piggle) in {Verb.BURN, Verb.DAMAGE, Verb.CRIT}
        whom = f"your {act.target}" if own and harms else act.target
        does = self._does(position, act, whom=whom, into="")
        return f"{act.piggle} {self.mark(act.piggle)} {does}{self._gain(position, act)}"

    def sets_down(self, position: Position) -> bool:
        """Return whether an effect waits for a Piggle to be set down by hand, not for a roll."""
        act = position.pending
        return act is not None and self.table.verb(act.piggle) is not Verb.CRIT

    def reaction(self, position: Position) -> str:
        """Return what the effect that waits for chance is about to do, as a sentence."""
        act = position.pending
        assert act is not None
        does = self._does(position, act, whom=act.target, into="")
        return f"Reaction: {act.piggle} ({self.worn(act.piggle)}) {does}."

    def _does(self, position: Position, act: Act, *, whom: str, into: str) -> str:
        match self.table.verb(act.piggle):
            case Verb.BURN:
                return f"sends {whom} to the Kitchen{into}"
            case Verb.DAMAGE:
                return f"sends {whom} to the Mud{into}"
            case Verb.CRIT:
                return f"has {whom} rolled again"
            case Verb.SHIELD:
                return f"shields {whom}"
            case Verb.TURN_UP:
                return f"turns {whom} Snout-Up"
            case Verb.TURN_DOWN:
                return f"turns {whom} Snout-Down"
            case Verb.RESCUE:
                return f"takes {whom} from the Mud to the Pen{into}"
            case Verb.DEMOTE:
                return f"takes {whom} from the Kitchen to the Mud{into}"
            case _:
                return f"brings {whom} {self._onto_board(position, act)}"

    def _taker(self, position: Position, act: Act) -> Seat | None:
        """Return in whose Pen, Mud or Kitchen an effect puts its target at once, if in any."""
        after = declare(position, act, self.table)
        for seat in BOARD_SEATS:
            side = after.side(seat)
            if act.target in {*side.pen, *side.mud_piggles, *side.kitchen}:
                return seat
        return None

    def _gain(self, position: Position, act: Act) -> str:
        """Return the points that an effect pays at once in the next Tally, in brackets."""
        if position.pending is not None:
            return ""
        was = position.side(position.active)
        now = declare(position, act, self.table).side(position.active)
        points = MUD_BONUS * (now.mud_bonuses - was.mud_bonuses)
        points += KITCHEN_BONUS * (now.kitchen_bonuses - was.kitchen_bonuses)
        return f" (+{points})" if points else ""

    def _onto_board(self, position: Position, act: Act) -> str:
        """Return from where to where a Piggle is put on the board."""
        pending = position if position.pending else declare(position, act, self.table)
        spot = effect_request(pending, self.table).set_down
        assert spot is not None
        pens = {*position.a.pen, *position.b.pen}
        area = "Pen" if act.target in pens else "Mud"
        return f"from {area} to {ZONE_NAMES[spot.zone]}"


def _at(zone: Zone) -> str:
    name = ZONE_NAMES[zone]
    return f"{'in' if zone in CYCLE else 'on' if zone.on_line else 'on the'} {name}"
