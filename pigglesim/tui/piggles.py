"""The rules of Piggles in a minute, as a player at this table needs them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pigglesim.games.game import Concede, Result
from pigglesim.games.piggles.areas import (
    KITCHEN_BONUS,
    MUD_BONUS,
    ZONE_POINTS,
    Load,
    Tally,
    may_return,
)
from pigglesim.games.piggles.effects import (
    CYCLE,
    EffectOptions,
    EffectVerb,
    declare,
    effect_request,
)
from pigglesim.games.piggles.game import Piggles, PigglesAction, PigglesModern
from pigglesim.games.piggles.house_rules import Actors, Left, ModernRules
from pigglesim.games.piggles.state import (
    FIRST_RECOUP_ROUND,
    Act,
    Done,
    MudEntry,
    PigglesPhase,
    PigglesState,
    in_order,
    team,
)
from pigglesim.games.piggles.turns import Step
from pigglesim.landing import BOARD_SEATS, Landing, Orientation, Seat, SettleStatus, Zone
from pigglesim.markings import Colour, Rune
from pigglesim.match.entries import Decision, MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.render.palette import POSE_MARKS, RUNE_MARKS, SIDES, ZONE_NAMES, marking
from pigglesim.tui.game_view import (
    Area,
    GameView,
    Line,
    Mark,
    Toggles,
    Tone,
    knock_sentence,
    result_sentence,
    tally_sentence,
)

_CORE = """\
**Six rounds, most points wins.** In each, both players take a turn: load Piggles from your Pen into
the cup, roll them onto the board{act}, tally. Then one Resolve for both.

**Tally.** Every one of *your* Piggles that lies ▲ Snout-Up pays for where it lies: 3 in a field,
2 on a path, 1 in the woods; on a line, the lower of its two sides. Each of yours in the Kitchen
costs 1. Knocking one of the other's off the board pays 1, onto its head 2 (once it goes to
the Kitchen).

**Resolve.** ▲ Snout-Up stays and pays **again in every round to come**. ▼ Snout-Down goes to its
owner's Mud and comes back to the Pen two rounds later (Recoup, from round 3 on). ◆ On-Their-Head
goes to its owner's Kitchen, for good.

**So**: roll early, for what stays up pays most often. But a Piggle that is in the Pen is safe, and
a roll may knock what already lies there: yours or theirs.

**The end.** After round 6 the higher score wins; a tie is broken by Sudden Snout-Up, one Piggle
each. Who begins turn 5 with an empty Pen and every Piggle in Mud and Kitchen has lost. You may
concede at any time.
"""

_ACTION = """
**Action & Reaction.** After your roll, each Piggle that {who} may act once, in any order, or not at
all. Its rune says in which field its one target lies, seen from the field that it lies in itself,
and its colour what happens there. On a path or in the woods they do nothing.
"""

_ARROWS = """
Runes 5 to 9 do something of their own, and reach Piggles of the same colour wherever they are:
"""

_COLOUR_EFFECTS = {
    Colour.ORANGE: "the target goes to the Kitchen; one of theirs pays 2",
    Colour.RED: "the target goes to the Mud; one of theirs pays 1",
    Colour.BLUE: "the target is rolled again, from your cup; it may knock",
    Colour.GREEN: "one that went to your Mud in this round or the last lies ▼ in that field",
    Colour.YELLOW: "the target cannot be removed in the next roll; knocked in it, it is yours",
}

_RUNE_EFFECTS = {
    Rune.ADJACENT: "the same field",
    Rune.ACROSS: "the opposite field",
    Rune.ARROW_CW: "turns one of yours from ▼ to ▲",
    Rune.ARROW_CCW: "turns one of theirs from ▲ to ▼",
    Rune.SPIRAL_CW: "takes one from your Mud to your Pen",
    Rune.SPIRAL_CCW: "takes one from your Kitchen to your Mud",
    Rune.SPLIT: "puts any one of your Pen beside itself, ▼",
}

_LEFT = {
    Left.CLOCKWISE: ("the next field clockwise (S to W to N to E)", "the next one the other way"),
    Left.COUNTERCLOCKWISE: (
        "the next field counter-clockwise (S to E to N to W)",
        "the next one the other way",
    ),
    Left.PLAYER_VIEW: ("the field at your left hand", "the field at your right hand"),
}


def _rules_page(game: Piggles) -> str:
    """Return the rules in Markdown."""
    rules = game.rules
    if isinstance(rules, ModernRules):
        page = "# Piggles Modern in a minute\n\n" + _CORE.format(act=", let them act")
        page += _modern(rules)
    else:
        page = "# Piggles in a minute\n\n" + _CORE.format(act="")
    return page


def _modern(rules: ModernRules) -> str:
    """Return what Modern adds: the phase, colours and runes."""
    every = rules.actors is Actors.ALL_OWN_UP
    who = "lies ▲ Snout-Up" if every else "you rolled and that landed ▲ Snout-Up"
    left, right = _LEFT[rules.left]
    effects = {Rune.LEFT: left, Rune.RIGHT: right, **_RUNE_EFFECTS}
    colours = "".join(
        f"\n- **{colour.value[0].upper()}** {colour.label}, *{colour.effect}*: {does}"
        for colour, does in _COLOUR_EFFECTS.items()
    )
    runes = [f"\n- **{RUNE_MARKS[rune]}** {rune.label}: {effects[rune]}" for rune in Rune]
    page = f"{_ACTION.format(who=who)}{colours}\n\nTheir runes:\n{''.join(runes[:4])}\n"
    if not rules.rare_runes:
        return page
    return f"{page}{_ARROWS}{''.join(runes[4:])}\n"


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

    table: EffectOptions

    @classmethod
    def of(cls, game: Piggles) -> "Effects":
        """Return what Piggles do to each other in a game; in Classic nothing."""
        if isinstance(game, PigglesModern):
            return cls(table=game.table)
        return cls(table=EffectOptions(rules=ModernRules(), lineup=()))

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
            EffectVerb.BURN: f"sends {whom} to the Kitchen",
            EffectVerb.DAMAGE: f"sends {whom} to the Mud",
            EffectVerb.CRIT: f"has {whom} rolled again",
            EffectVerb.SHIELD: f"shields {whom}: in the next roll it stays, or if knocked is yours",
            EffectVerb.HEALTH: f"brings a Piggle back from the Mud, Snout-Down, {place}",
            EffectVerb.TURN_UP: f"turns a {like} of yours Snout-Up",
            EffectVerb.TURN_DOWN: f"turns an opposing {like} Snout-Down",
            EffectVerb.RESCUE: f"takes a {like} from the Mud to your Pen",
            EffectVerb.DEMOTE: f"takes a {like} from the Kitchen to the Mud",
            EffectVerb.SUMMON: "brings a Piggle of your Pen onto its own field",
        }[verb]
        return f"landed ▲ in a field, it {does}."

    def mark(self, piggle: str) -> str:
        """Return colour and rune of a Piggle in two characters; empty if it wears neither."""
        piece = self.table.piece(piggle)
        return marking(piece.colour, piece.rune) if piece.colour or piece.rune else ""

    def sentence(self, position: PigglesState, act: Act) -> str:
        """Return what an effect does: `A2 (red, right) sends B4 in field E to the Mud of B (+1)`.

        Args:
            position: The position in which it is declared.
            act: The effect.
        """
        lies = position.landing(act.target)
        whom = f"{act.target} {_at(lies.zone)}" if lies else act.target
        into = f" of {self._taker(position, act)}"
        gain = self._gain(position, act)
        shields = self.table.verb(act.piggle) is EffectVerb.SHIELD
        more = (
            f": it stays in the next roll, or if knocked goes to the Pen of {position.active}"
            if shields
            else ""
        )
        does = self._does(position, act, whom=whom, into=into)
        return f"{act.piggle} ({self.worn(act.piggle)}) {does}{more}{gain}"

    def choice(self, position: PigglesState, act: Act) -> str:
        """Return an effect as a player chooses it, in few letters: `A2 R→ sends B4 to the Mud`."""
        own = position.controller(act.target) is position.active
        harms = self.table.verb(act.piggle) in {EffectVerb.BURN, EffectVerb.DAMAGE, EffectVerb.CRIT}
        whom = f"your {act.target}" if own and harms else act.target
        does = self._does(position, act, whom=whom, into="")
        return f"{act.piggle} {self.mark(act.piggle)} {does}{self._gain(position, act)}"

    def sets_down(self, position: PigglesState) -> bool:
        """Return whether an effect waits for a Piggle to be set down by hand, not for a roll."""
        act = position.pending
        return act is not None and self.table.verb(act.piggle) is not EffectVerb.CRIT

    def reaction(self, position: PigglesState) -> str:
        """Return what the effect that waits for chance is about to do, as a sentence."""
        act = position.pending
        assert act is not None
        does = self._does(position, act, whom=act.target, into="")
        return f"Reaction: {act.piggle} ({self.worn(act.piggle)}) {does}."

    def _does(self, position: PigglesState, act: Act, *, whom: str, into: str) -> str:
        match self.table.verb(act.piggle):
            case EffectVerb.BURN:
                return f"sends {whom} to the Kitchen{into}"
            case EffectVerb.DAMAGE:
                return f"sends {whom} to the Mud{into}"
            case EffectVerb.CRIT:
                return f"has {whom} rolled again"
            case EffectVerb.SHIELD:
                return f"shields {whom}"
            case EffectVerb.TURN_UP:
                return f"turns {whom} Snout-Up"
            case EffectVerb.TURN_DOWN:
                return f"turns {whom} Snout-Down"
            case EffectVerb.RESCUE:
                return f"takes {whom} from the Mud to the Pen{into}"
            case EffectVerb.DEMOTE:
                return f"takes {whom} from the Kitchen to the Mud{into}"
            case _:
                return f"brings {whom} {self._onto_board(position, act)}"

    def _taker(self, position: PigglesState, act: Act) -> Seat | None:
        """Return in whose Pen, Mud or Kitchen an effect puts its target at once, if in any."""
        after = declare(position, act, self.table)
        for seat in BOARD_SEATS:
            side = after.side(seat)
            if act.target in {*side.pen, *side.mud_piggles, *side.kitchen}:
                return seat
        return None

    def _gain(self, position: PigglesState, act: Act) -> str:
        """Return the points that an effect pays at once in the next Tally, in brackets."""
        if position.pending is not None:
            return ""
        was = position.side(position.active)
        now = declare(position, act, self.table).side(position.active)
        points = MUD_BONUS * (now.mud_bonuses - was.mud_bonuses)
        points += KITCHEN_BONUS * (now.kitchen_bonuses - was.kitchen_bonuses)
        return f" (+{points})" if points else ""

    def _onto_board(self, position: PigglesState, act: Act) -> str:
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


def steps_of(game: Piggles, event: MatchEvent[PigglesState]) -> Sequence[Step]:
    """Return the phases that an event has led through."""
    match event.entry:
        case Decision(action=action):
            return game.action_steps(event.before, game.parse_action(action))
        case MatchOutcome(result=result):
            return game.outcome_steps(event.before, result)
        case _:
            return ()


def _roll(before: PigglesState, outcome: MatchOutcome, effects: Effects) -> Iterator[Line]:
    seat, piggles, result = outcome.thrower, outcome.piggles, outcome.roll
    landings = dict(result.landings)
    if before.phase is PigglesPhase.SUDDEN:
        yield Line(text=f"Sudden Snout-Up: {' and '.join(piggles)} rolled", tone=Tone.TURN)
    rolled = [f"{piggle} {_lands(landings[piggle])}" for piggle in piggles]
    if effects.sets_down(before) and landings[piggles[0]].zone is Zone.OFF:
        rolled = [f"there is no room for {piggles[0]}"]
    word = "Landed" if before.pending is None else "Reaction"
    yield Line(text=f"{word}: {', '.join(rolled)}", tone=Tone.ROLL, seat=seat)
    was = dict(before.board)
    for knock in result.knocks:
        yield Line(text=knock_sentence(knock, was, landings), tone=Tone.ROLL, seat=seat)
    if result.settle is not None and result.settle.status is not SettleStatus.SETTLED:
        yield Line(text=f"Time was up: {result.settle.status.sentence}", tone=Tone.ROLL)


def _lands(landing: Landing) -> str:
    if landing.orientation is None:
        return "off the board"
    leans = " (leaning)" if landing.leaning or landing.stacked else ""
    return f"{POSE_MARKS[landing.orientation]} {ZONE_NAMES[landing.zone]}{leans}"


def _step(before: PigglesState, step: Step, *, rolled: bool) -> Iterator[Line]:
    after = step.state
    match step.phase:
        case PigglesPhase.ROLL | PigglesPhase.ACTION_REACTION if rolled:
            yield from _gone(before, after)
        case PigglesPhase.TALLY if step.tally is not None:
            yield _tally(before, step.tally)
        case PigglesPhase.RESOLVE:
            yield from _resolve(before, after)
        case PigglesPhase.RECOUP if step.seat is not None and after.result is None:
            yield from _recoup(before, after, step.seat)
        case PigglesPhase.SUDDEN if (
            after.result is None and after.sudden.rerolls > before.sudden.rerolls
        ):
            yield Line(text="Nobody is ahead: rolled again", tone=Tone.MOVE)
        case _:
            pass


def _gone(before: PigglesState, after: PigglesState) -> Iterator[Line]:
    """Tell of what a roll took off the board, and of what has to be rolled again."""
    for seat in BOARD_SEATS:
        was, now = before.side(seat), after.side(seat)
        caught = sorted(set(now.pen) - set(was.pen))
        if caught:
            text = f"Knocked under a shield, now {seat}'s, in the Pen: {' '.join(caught)}"
            yield Line(text=text, tone=Tone.MOVE, seat=seat)
        mud = set(now.mud_piggles) - set(was.mud_piggles)
        kitchen = set(now.kitchen) - set(was.kitchen)
        for where, gone in (("Mud", mud), ("Kitchen", kitchen)):
            if gone:
                text = f"Off the board, into the {where} of {seat}: {' '.join(sorted(gone))}"
                yield Line(text=text, tone=Tone.MOVE, seat=seat)
    again = (*after.a.cup, *after.b.cup)
    if again:
        yield Line(text=f"By the house rules rolled again: {' '.join(again)}", tone=Tone.MOVE)


def _tally(before: PigglesState, tally: Tally) -> Line:
    paid = [
        f"{piggle} {ZONE_POINTS[landing.zone]}"
        for piggle, landing in before.on_board(tally.seat)
        if landing.orientation is Orientation.SNOUT_UP
    ]
    plain = tally.before + tally.zones + tally.mud_bonus + tally.kitchen_bonus - tally.penalty
    floor = " (never below 0)" if plain < 0 else ""
    return Line(text=tally_sentence(tally, paid) + floor, tone=Tone.SCORE, seat=tally.seat)


def _resolve(before: PigglesState, after: PigglesState) -> Iterator[Line]:
    parts = []
    for seat in BOARD_SEATS:
        mud = sorted(set(after.side(seat).mud_piggles) - set(before.side(seat).mud_piggles))
        kitchen = sorted(set(after.side(seat).kitchen) - set(before.side(seat).kitchen))
        parts += [f"{' '.join(mud)} ▼ to the Mud"] if mud else []
        parts += [f"{' '.join(kitchen)} ◆ to the Kitchen"] if kitchen else []
    stays = " ".join(piggle for piggle, _ in after.board)
    parts += [f"{stays} ▲ to stay and pay again"] if stays else []
    yield Line(text=f"Resolve: {'; '.join(parts) or 'the board is empty'}", tone=Tone.MOVE)
    for seat in BOARD_SEATS:
        change = after.side(seat).score - before.side(seat).score
        if change:
            why = "Piggles knocked onto their heads" if change > 0 else "the Kitchen"
            yield Line(text=f"{seat} {change:+d} for {why}", tone=Tone.SCORE, seat=seat)
    if after.phase is PigglesPhase.SUDDEN:
        yield Line(text="A tie: Sudden Snout-Up decides", tone=Tone.TURN)


def _recoup(before: PigglesState, after: PigglesState, seat: Seat) -> Iterator[Line]:
    back = sorted(set(after.side(seat).pen) - set(before.side(seat).pen))
    if back:
        text = f"Recoup: {' '.join(back)} from the Mud back to the Pen of {seat}"
        yield Line(text=text, tone=Tone.MOVE, seat=seat)


_PHASES = {
    PigglesPhase.LOAD: "Load",
    PigglesPhase.ROLL: "Roll",
    PigglesPhase.TALLY: "Tally",
    PigglesPhase.RESOLVE: "Resolve",
    PigglesPhase.SUDDEN: "Sudden Snout-Up",
    PigglesPhase.RECOUP: "Recoup",
    PigglesPhase.ACTION_REACTION: "Action & Reaction",
}


class PigglesView(GameView):
    """Piggles on the screen.

    Args:
        game: A game of Piggles, under house rules of its own.
    """

    in_window = True
    skip = Load()
    done = Done()

    def __init__(self, game: Piggles) -> None:
        super().__init__(game)
        self._house = game.rules
        self._effects = Effects.of(game)
        self.effects = self._effects.explained
        self.legend = LEGEND if self.effects else ""

    @property
    def names(self) -> Mapping[Seat, str]:
        """The two sides of the board."""
        return SIDES

    def table(self, state: PigglesState, viewer: Seat | None) -> None:
        """Return None: there is a board, and everybody sees it."""
        del state, viewer

    def heading(self, state: PigglesState) -> str:
        """Return the round and the phase."""
        if state.result is not None:
            return f"Round {state.round} of {self._house.rounds} · the match is over"
        phase = _PHASES[state.phase]
        return f"Round {state.round} of {self._house.rounds} · {phase} · {SIDES[state.active]}"

    def guide(self, state: PigglesState, seat: Seat | None) -> str:
        """Return what the phase means, and what the player at `seat` can do."""
        if state.result is not None:
            return "The match is over. Nothing more can be rolled."
        match state.phase:
            case PigglesPhase.LOAD if seat is None:
                return f"{SIDES[state.active]} decides which Piggles to put into the cup."
            case PigglesPhase.LOAD:
                return self._load_guide(state, state.active)
            case PigglesPhase.ROLL:
                return "Roll: the cup is shaken and tipped. What lands may knock what lies there."
            case PigglesPhase.SUDDEN:
                return (
                    "Sudden Snout-Up: a tie. Each rolls one Piggle: Up beats Down beats "
                    "On-Their-Head; equal ones roll again."
                )
            case PigglesPhase.ACTION_REACTION if state.pending is not None:
                return self._effects.reaction(state)
            case PigglesPhase.ACTION_REACTION if seat is None:
                return (
                    f"Action & Reaction: {SIDES[state.active]} decides whose Piggle acts on whom."
                )
            case PigglesPhase.ACTION_REACTION:
                return self._action_guide()
            case _:
                return ""

    def _action_guide(self) -> str:
        mandatory = isinstance(self._house, ModernRules) and self._house.effects_mandatory
        end = "All that have a target must." if mandatory else "Or be done."
        return (
            "Action & Reaction: your Piggles that landed ▲ may act, one at a time, each once. "
            f"Choose who acts on whom. {end}"
        )

    def _load_guide(self, state: PigglesState, seat: Seat) -> str:
        left = self._house.rounds - state.round
        if not state.side(seat).pen:
            return "Load: your Pen is empty, so there is nothing to roll. Your Tally is next."
        worth = f"now and in {left} more {'round' if left == 1 else 'rounds'}" if left else "now"
        return (
            f"Load: choose which Piggles of your Pen to roll. One that lies ▲ pays its zone {worth}"
            f"; ▼ sits in the Mud; ◆ is lost and costs 1 a turn."
        )

    def lying(self, state: PigglesState) -> tuple[tuple[str, Landing], ...]:
        """Return every Piggle on the board."""
        return state.board

    def player_of(self, state: PigglesState, piggle: str) -> Seat:
        """Return who controls a Piggle: its owner, unless it was captured."""
        return state.controller(piggle)

    def marks(self, state: PigglesState) -> Mapping[str, Mark]:
        """Return colour, rune and shield of each Piggle that has any."""
        shielded = {shield.piggle for shield in state.shields}
        return {
            piggle: Mark(
                worn=self._effects.mark(piggle),
                words=self._effects.worn(piggle),
                shielded=piggle in shielded,
            )
            for piggle in (*team(Seat.A), *team(Seat.B))
            if self._effects.mark(piggle) or piggle in shielded
        }

    def areas(self, state: PigglesState) -> Sequence[Area]:
        """Return Pen, Cup, Mud with the round of return, Kitchen, and whom each player shields."""

        def row(name: str, held: Mapping[Seat, str]) -> Area:
            return Area(name=name, held={seat: text or "-" for seat, text in held.items()})

        sides = {seat: state.side(seat) for seat in BOARD_SEATS}
        rows = [row("Pen", {seat: " ".join(side.pen) for seat, side in sides.items()})]
        if any(side.cup for side in sides.values()):
            rows.append(row("Cup", {seat: " ".join(side.cup) for seat, side in sides.items()}))
        mud = {seat: self._mud(state, seat) for seat in BOARD_SEATS}
        kitchen = {seat: " ".join(side.kitchen) for seat, side in sides.items()}
        rows += [row("Mud", mud), row("Kitchen", kitchen)]
        if state.shields:
            rows.append(row("Shields", {seat: _shields(state, seat) for seat in BOARD_SEATS}))
        return rows

    def _mud(self, state: PigglesState, seat: Seat) -> str:
        """Return the Piggles in a Mud by the round in which they come back."""
        rounds: dict[int | None, list[str]] = {}
        for entry in state.side(seat).mud:
            rounds.setdefault(self._back_in(state, seat, entry), []).append(entry.piggle)
        known = sorted(number for number in rounds if number is not None)
        words = [f"{' '.join(rounds[number])} →r{number}" for number in known]
        lost = rounds.get(None, [])
        return "  ".join([*words, *([f"{' '.join(lost)} (for good)"] if lost else [])])

    def _back_in(self, state: PigglesState, seat: Seat, entry: MudEntry) -> int | None:
        """Return the round in whose Recoup a Piggle leaves the Mud; None if play ends before."""
        if state.phase is PigglesPhase.SUDDEN:
            return None
        second = seat is not self._house.first_in(state.round)
        waits = second and state.active is not seat and state.phase is not PigglesPhase.RESOLVE
        first = max(state.round + (0 if waits else 1), FIRST_RECOUP_ROUND)
        rounds = range(first, self._house.rounds + 1)
        return next((r for r in rounds if may_return(entry, r, self._house)), None)

    def columns(self, state: PigglesState) -> Sequence[str]:
        """Return the numbers of the rounds; of a very long match, the last ones."""
        last = self._house.rounds
        first = max(1, min(state.round - 4, last - 7))
        return [str(number) for number in range(first, min(last, first + 7) + 1)]

    def sets_down(self, state: PigglesState) -> bool:
        """Return whether an effect waits for a Piggle to be set down."""
        return self._effects.sets_down(state)

    def points(self, events: Sequence[MatchEvent[Any]]) -> Mapping[tuple[str, Seat], int]:
        """Return the points after each Tally, and after the Resolve of each round."""
        found: dict[tuple[str, Seat], int] = {}
        for event in events:
            for step in steps_of(self._game, event):
                if step.phase not in {PigglesPhase.TALLY, PigglesPhase.RESOLVE}:
                    continue
                number = str(step.state.round)
                for seat in [step.seat] if step.seat else Seat:
                    found[number, seat] = step.state.side(seat).score
        return found

    def decided(
        self, event: MatchEvent[PigglesState], seat: Seat, action: PigglesAction
    ) -> Iterator[Line]:
        """Return a decision, and the phases that followed."""
        before = event.before
        match action:
            case Act():
                text = self._effects.sentence(before, action)
            case Done():
                text = "is done with acting"
            case Load(piggles=()):
                text = "skips the roll" if before.side(seat).pen else "has an empty Pen: no roll"
            case Load(piggles=piggles):
                text = f"loads {' '.join(piggles)}"
            case Concede():
                text = "concedes"
        if not isinstance(action, Act):
            text = f"Round {before.round}: {SIDES[seat]} {text}"
        yield Line(text=text, tone=Tone.TURN, seat=seat)
        yield from self._followed(event, rolled=False)

    def rolled(self, event: MatchEvent[PigglesState], outcome: MatchOutcome) -> Iterator[Line]:
        """Return how a roll landed, and the phases that followed."""
        yield from _roll(event.before, outcome, self._effects)
        yield from self._followed(event, rolled=True)

    def _followed(self, event: MatchEvent[PigglesState], *, rolled: bool) -> Iterator[Line]:
        before = event.before
        for step in steps_of(self._game, event):
            yield from _step(before, step, rolled=rolled)
            before = step.state

    def ending(self, state: PigglesState, result: Result) -> str:
        """Return how the match ended, and the score."""
        return f"{result_sentence(result)}, {state.a.score} : {state.b.score}"

    def toggles(self, state: PigglesState, legal: Sequence[Any]) -> Toggles | None:
        """Return the load as a choice among the player's six Piggles."""
        if not legal or not all(isinstance(action, Load | Concede) for action in legal):
            return None
        own, pen = team(state.active), state.side(state.active).pen
        return Toggles(
            # What was captured comes after the own team.
            items=(*own, *(piggle for piggle in pen if piggle not in own)),
            free=frozenset(pen),
            marks={piggle: self._effects.mark(piggle) for piggle in (*own, *pen)},
            action=lambda chosen: Load(in_order(chosen)),
        )

    def say(self, state: PigglesState, action: PigglesAction) -> str:
        """Return an action as a person would say it."""
        match action:
            case Load(piggles=()):
                return "skip the roll"
            case Load(piggles=piggles):
                return f"load {' '.join(piggles)}"
            case Act():
                return self._effects.choice(state, action)
            case Done():
                return "done: go on to the Tally"
            case Concede():
                return "concede"

    def about(self, action: object) -> tuple[str, ...]:
        """Return who acts, and on whom."""
        return (action.piggle, action.target) if isinstance(action, Act) else ()

    @property
    def page(self) -> str:
        """The rules in brief, in Markdown."""
        return _rules_page(self._game)


def _shields(state: PigglesState, seat: Seat) -> str:
    """Return whom a player has shielded."""
    return " ".join(shield.piggle for shield in state.shields if shield.by is seat)
