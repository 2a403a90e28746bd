"""View of Piggles Classic and Modern: phases, effects, areas and the log in words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pigglesim.games.game import Concede, Result
from pigglesim.games.piggles.areas import KITCHEN_BONUS, MUD_BONUS, Load, Tally, may_leave_mud
from pigglesim.games.piggles.effects import (
    EffectOptions,
    EffectVerb,
    declare,
    effect_request,
)
from pigglesim.games.piggles.game import Piggles, PigglesAction, PigglesModern
from pigglesim.games.piggles.state import (
    FIRST_RECOUP_ROUND,
    Act,
    Actors,
    BlueMode,
    BonusScope,
    Capture,
    Done,
    Exhaustion,
    GreenWindow,
    KitchenBonus,
    KitchenPenalty,
    Left,
    ModernRules,
    MudBonus,
    MudDelay,
    MudEntry,
    OffBoard,
    PigglesPhase,
    PigglesRules,
    PigglesState,
    Rune9Pose,
    Rune78Scope,
    ShieldUntil,
    TargetScope,
    in_order,
    team,
)
from pigglesim.games.piggles.turns import EXHAUSTION_ROUND, Step, knock_payments
from pigglesim.landing import (
    BOARD_SEATS,
    FIELDS,
    ZONE_POINTS,
    Landing,
    LineRule,
    Orientation,
    Seat,
    SettleStatus,
    Zone,
)
from pigglesim.markings import Rune
from pigglesim.match.entries import Decision, MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.render.palette import POSE_MARKS, SIDES, ZONE_NAMES, marking
from pigglesim.table.view import (
    Area,
    GameView,
    Line,
    Mark,
    Toggles,
    Tone,
    knock_sentence,
    read_page,
    result_sentence,
)
from pigglesim.units import counted

_LEFT = {
    Left.CLOCKWISE: ("the next field clockwise (S to W to N to E)", "the next one the other way"),
    Left.COUNTERCLOCKWISE: (
        "the next field counter-clockwise (S to E to N to W)",
        "the next one the other way",
    ),
    Left.PLAYER_VIEW: ("the field at your left hand", "the field at your right hand"),
}
"""Fields of the runes left and right, by house rule."""


_LINES = {
    LineRule.FOOTPRINT: "on a line, the lower of its two sides",
    LineRule.CONTACT_CENTROID: "the middle of its contact counts",
    LineRule.COM: "its centre of mass counts",
}
_BACK = {
    MudDelay.ONE_FULL_TURN: "two rounds later (Recoup, from round 3 on)",
    MudDelay.OWNER_TURN: "after a turn of its owner without it (Recoup, from round 3 on)",
    MudDelay.NONE: "at the next Recoup (from round 3 on)",
}
_OFTEN = {KitchenPenalty.EACH_TURN: "a turn", KitchenPenalty.ONCE: "once"}
_OFF_BOARD = {
    OffBoard.MUD: "goes to its owner's Mud at once",
    OffBoard.KITCHEN: "goes to its owner's Kitchen at once",
    OffBoard.REROLL: "is rolled again",
}
_OUT = "with an empty Pen and every Piggle in Mud and Kitchen has lost; if both do, points decide. "
_EXHAUSTED = {
    Exhaustion.ROUND_START: f"Who begins round 5 {_OUT}",
    Exhaustion.BEFORE_RECOUP: f"Who begins their turn of round 5 {_OUT}",
    Exhaustion.AFTER_RECOUP: f"Who begins their turn of round 5, Recoup done, {_OUT}",
    Exhaustion.OFF: "",
}
_THEIRS = " The targets of Orange, Red and Blue are Piggles of the other alone."
_BLUE = {
    BlueMode.CUP: "rolled again, from your cup; it may knock",
    BlueMode.DROP_IN_PLACE: "tossed again where it lies",
}
_MUDS = {"own": "your Mud", "any": "either Mud"}
_SHIELD = {
    ShieldUntil.REACTION: "in the next roll and its Action & Reaction",
    ShieldUntil.ROLL: "in the next roll",
    ShieldUntil.TURN: "in the next turn, with a roll or without,",
}
_LEGEND = (
    "Orange to the Kitchen, Red to the Mud, Blue rolls again, Green back on board, Yellow shields; "
    "← → ↔ ↑: the field left, right, own, across"
)
"""Colours and common runes, as the marks on the screen."""
_WHERE = {
    Rune.LEFT: "the field to its left",
    Rune.RIGHT: "the field to its right",
    Rune.ADJACENT: "its own field",
    Rune.ACROSS: "the field across",
    Rune.SPLIT: "its own field",
}
"""Field of a rune's target, seen from behind the player's own field."""
_DEEDS = {
    EffectVerb.BURN: "sends {whom} to the Kitchen{into}",
    EffectVerb.DAMAGE: "sends {whom} to the Mud{into}",
    EffectVerb.CRIT: "has {whom} rolled again",
    EffectVerb.HEALTH: "brings {whom} from the Mud to {spot}",
    EffectVerb.SHIELD: "shields {whom}",
    EffectVerb.TURN_UP: "turns {whom} Snout-Up",
    EffectVerb.TURN_DOWN: "turns {whom} Snout-Down",
    EffectVerb.RESCUE: "takes {whom} from the Mud to the Pen{into}",
    EffectVerb.DEMOTE: "takes {whom} from the Kitchen to the Mud{into}",
    EffectVerb.SUMMON: "brings {whom} from the Pen to {spot}",
}
_TARGETS = {
    EffectVerb.HEALTH: "a Piggle",
    EffectVerb.TURN_UP: "a {colour} Piggle of yours",
    EffectVerb.TURN_DOWN: "an opposing {colour} Piggle",
    EffectVerb.RESCUE: "a {colour} Piggle",
    EffectVerb.DEMOTE: "a {colour} Piggle",
    EffectVerb.SUMMON: "a Piggle",
}
"""Targets of effects that reach farther than one field."""
_ANYWHERE = {
    EffectVerb.TURN_UP,
    EffectVerb.TURN_DOWN,
    EffectVerb.RESCUE,
    EffectVerb.DEMOTE,
}
"""Effects of Piggles that act from anywhere on the board."""
_HARMS = {EffectVerb.BURN, EffectVerb.DAMAGE, EffectVerb.CRIT}
_SHIELDED = ": it stays in the next roll, or if knocked goes to {pen}"
_PLAIN = EffectOptions(rules=ModernRules(), lineup=())
"""Effect options of Classic: no effects."""


def steps_of(game: Piggles, event: MatchEvent[PigglesState]) -> Sequence[Step]:
    """Return the phases that an event has passed through."""
    match event.entry:
        case Decision():
            return game.action_steps(event.before, event.action)
        case MatchOutcome(result=result):
            return game.outcome_steps(event.before, result)
        case _:
            return ()


def _roll(before: PigglesState, outcome: MatchOutcome, *, set_down: bool) -> Iterator[Line]:
    seat, piggles, result = outcome.thrower, outcome.piggles, outcome.roll
    landings = dict(result.landings)
    if before.phase is PigglesPhase.SUDDEN:
        yield Line(f"Sudden Snout-Up: {' and '.join(piggles)} rolled", Tone.TURN)
    rolled = [f"{piggle} {_lands(landings[piggle])}" for piggle in piggles]
    if set_down and landings[piggles[0]].zone is Zone.OFF:
        rolled = [f"there is no room for {piggles[0]}"]
    kind = "Landed" if before.pending is None else "Reaction"
    yield Line(f"{kind}: {', '.join(rolled)}", Tone.ROLL, seat)
    landings_before = dict(before.board)
    for knock in result.knocks:
        yield Line(knock_sentence(knock, landings_before, landings), Tone.ROLL, seat)
    if result.settle is not None and result.settle.status is not SettleStatus.SETTLED:
        yield Line(f"Time was up: {result.settle.status.sentence}", Tone.ROLL)


def _at(zone: Zone) -> str:
    name = ZONE_NAMES[zone]
    return f"{'in' if zone in FIELDS else 'on' if zone.on_line else 'on the'} {name}"


def _lands(landing: Landing) -> str:
    if landing.orientation is None:
        return "off the board"
    leans = " (leaning)" if landing.leaning or landing.stacked else ""
    return f"{POSE_MARKS[landing.orientation]} {ZONE_NAMES[landing.zone]}{leans}"


def _step(
    before: PigglesState,
    step: Step,
    rules: PigglesRules,
    names: Mapping[Seat, str],
    *,
    rolled: bool,
) -> Iterator[Line]:
    after = step.state
    match step.phase:
        case PigglesPhase.ROLL | PigglesPhase.ACTION_REACTION if rolled:
            yield from _removals(before, after, names)
        case PigglesPhase.TALLY if step.tally is not None:
            yield _tally(before, step.tally, names)
        case PigglesPhase.RESOLVE:
            yield from _resolve(before, after, rules, names)
        case PigglesPhase.RECOUP if step.seat is not None and after.result is None:
            if back := _arrivals(before, after, step.seat).get("Pen"):
                text = f"Recoup: {back} from the Mud back to the Pen of {names[step.seat]}"
                yield Line(text, Tone.MOVE, step.seat)
        case PigglesPhase.SUDDEN if (
            after.result is None and after.sudden.rerolls > before.sudden.rerolls
        ):
            yield Line("No winner yet: rolled again", Tone.MOVE)
        case _:
            pass


def _arrivals(before: PigglesState, after: PigglesState, seat: Seat) -> dict[str, str]:
    """Return the Piggles that are new in a player's Pen, Mud and Kitchen."""
    was, now = before.side(seat), after.side(seat)
    new = {
        "Pen": set(now.pen) - set(was.pen),
        "Mud": set(now.mud_piggles) - set(was.mud_piggles),
        "Kitchen": set(now.kitchen) - set(was.kitchen),
    }
    return {area: " ".join(sorted(piggles)) for area, piggles in new.items() if piggles}


def _removals(
    before: PigglesState, after: PigglesState, names: Mapping[Seat, str]
) -> Iterator[Line]:
    """Yield the Piggles that a roll took off the board, and those to roll again."""
    for seat in BOARD_SEATS:
        for area, piggles in _arrivals(before, after, seat).items():
            where = f"Off the board, into the {area} of {names[seat]}"
            if area == "Pen":
                where = f"Knocked under a shield, now in the Pen of {names[seat]}"
            yield Line(f"{where}: {piggles}", Tone.MOVE, seat)
    again = (*after.a.cup, *after.b.cup)
    if again:
        yield Line(f"By the house rules rolled again: {' '.join(again)}", Tone.MOVE)


def _tally(before: PigglesState, tally: Tally, names: Mapping[Seat, str]) -> Line:
    """Return a Tally as a sum in words, with the points of each Piggle (R11)."""
    paid = ", ".join(
        f"{piggle} {ZONE_POINTS[landing.zone]}"
        for piggle, landing in before.on_board(tally.seat)
        if landing.orientation is Orientation.SNOUT_UP
    )
    bonuses = {"knocked into the Mud": tally.mud_bonus, "sent to the Kitchen": tally.kitchen_bonus}
    parts = [f"{tally.before} + {tally.zones} {f'({paid})' if paid else 'on the board'}"]
    parts += [f"+ {points} {reason}" for reason, points in bonuses.items() if points]
    if tally.penalty:
        parts.append(f"- {tally.penalty} for the Kitchen")
    plain = tally.before + tally.zones + sum(bonuses.values()) - tally.penalty
    floor = " (never below 0)" if plain < 0 else ""
    text = f"Tally of {names[tally.seat]}: {' '.join(parts)} = {tally.after}{floor}"
    return Line(text, Tone.SCORE, tally.seat)


def _resolve(
    before: PigglesState, after: PigglesState, rules: PigglesRules, names: Mapping[Seat, str]
) -> Iterator[Line]:
    parts = []
    for seat in BOARD_SEATS:
        new = _arrivals(before, after, seat)
        marks = {"Mud": "▼", "Kitchen": "◆"}
        parts += [f"{new[area]} {marks[area]} to the {area}" for area in marks if area in new]
    stays = " ".join(piggle for piggle, _ in after.board)
    parts += [f"{stays} ▲ to stay and pay again"] if stays else []
    yield Line(f"Resolve: {'; '.join(parts) or 'the board is empty'}", Tone.MOVE)
    payments = knock_payments(before, rules)
    for seat in BOARD_SEATS:
        paid = {piggle: points for piggle, by, points in payments if by is seat}
        bonus = sum(paid.values())
        if paid:
            text = f"{names[seat]} {bonus:+d} for knocking over {' and '.join(paid)}"
            yield Line(text, Tone.SCORE, seat)
        if cost := after.side(seat).score - before.side(seat).score - bonus:
            yield Line(f"{names[seat]} {cost:+d} for the Kitchen", Tone.SCORE, seat)
    if after.phase is PigglesPhase.SUDDEN:
        yield Line("A tie: Sudden Snout-Up decides", Tone.TURN)


_PHASES = {
    PigglesPhase.SUDDEN: "Sudden Snout-Up",
    PigglesPhase.ACTION_REACTION: "Action & Reaction",
}


def _knocks(rules: PigglesRules) -> str:
    """Return what knocks pay, as a sentence (P6, P7, P11)."""
    whose = " of the other's" if rules.bonus_scope is BonusScope.OPPONENT_ONLY else ""
    off = {OffBoard.MUD: MUD_BONUS, OffBoard.KITCHEN: KITCHEN_BONUS}
    pays = {
        "off the board": off.get(rules.off_board, 0),
        "at Resolve ▼": MUD_BONUS * (rules.mud_bonus is MudBonus.AT_RESOLVE),
        "at Resolve ◆": KITCHEN_BONUS * (rules.kitchen_bonus_classic is KitchenBonus.AT_RESOLVE),
    }
    paid = [f"{to} {points}" for to, points in pays.items() if points]
    return f"Knocking one{whose} pays: {', '.join(paid)}." if paid else ""


class PigglesView(GameView):
    """View of Piggles."""

    rounds_shown = 8
    skip = Load()
    done = Done()
    seat_names = SIDES

    def __init__(self, game: Piggles) -> None:
        super().__init__(game)
        self._known: dict[int, tuple[MatchEvent[PigglesState], Sequence[Step]]] = {}
        """Phases of events so far."""
        self._options = game.effects if isinstance(game, PigglesModern) else _PLAIN
        self.effects = {
            piggle: f"{self.mark(piggle)} {piggle} ({self._worn(piggle)}): {self._explain(piggle)}"
            for piggle in (*team(Seat.A), *team(Seat.B))
            if self.mark(piggle)
        }
        self.legend = _LEGEND if self.effects else ""

    def _steps(self, event: MatchEvent[PigglesState]) -> Sequence[Step]:
        # The log and the table of points name the phases of the same events again and again.
        known, steps = self._known.get(id(event), (None, ()))
        if known is not event:
            steps = steps_of(self._game, event)
            self._known[id(event)] = event, steps
        return steps

    def mark(self, piggle: str) -> str:
        """Return colour and rune of a Piggle in two characters; empty if it wears neither."""
        piece = self._options.piece(piggle)
        return marking(piece.colour, piece.rune) if piece.colour or piece.rune else ""

    def _worn(self, piggle: str) -> str:
        piece = self._options.piece(piggle)
        return ", ".join(part for part in (piece.colour, piece.rune) if part).replace("_", " ")

    def _skin(self, piggle: str) -> str:
        colour = self._options.piece(piggle).colour
        return colour.skin if colour else ""

    def _explain(self, piggle: str) -> str:
        piece, verb = self._options.piece(piggle), self._options.verb(piggle)
        if verb is None:
            return "it has no effect."
        field = _WHERE.get(piece.rune, "") if piece.rune else ""
        whom = _TARGETS.get(verb, f"one Piggle in {field}").format(colour=piece.colour)
        shield = _SHIELDED.format(pen="your Pen") if verb is EffectVerb.SHIELD else ""
        effect = _DEEDS[verb].format(whom=whom, into="", spot=field)
        where = "" if verb in _ANYWHERE else " in a field"
        return f"landed ▲{where}, it {effect}{shield}."

    def act_sentence(self, state: PigglesState, act: Act) -> str:
        """Return an effect in words: `A2 (red, right) sends B4 in field E to the Mud of B (+1)`."""
        landing, after = state.landing(act.target), declare(state, act, self._options)
        sides = {seat: after.side(seat) for seat in BOARD_SEATS}
        owners = (
            seat
            for seat, side in sides.items()
            if act.target in {*side.pen, *side.mud_piggles, *side.kitchen}
        )
        whom = f"{act.target} {_at(landing.zone)}" if landing else act.target
        effect = self._does(state, act, whom=whom, into=f" of {next(owners, None)}")
        if self._options.verb(act.piggle) is EffectVerb.SHIELD:
            effect += _SHIELDED.format(pen=f"the Pen of {state.active}")
        return f"{act.piggle} ({self._worn(act.piggle)}) {effect}{self._gain(state, act)}"

    def _does(self, state: PigglesState, act: Act, *, whom: str, into: str = "") -> str:
        verb = self._options.verb(act.piggle)
        assert verb is not None
        spot = ""
        if verb in {EffectVerb.HEALTH, EffectVerb.SUMMON}:
            pending = state if state.pending else declare(state, act, self._options)
            set_down = effect_request(pending, self._options).set_down
            assert set_down is not None
            spot = ZONE_NAMES[set_down.zone]
        return _DEEDS[verb].format(whom=whom, into=into, spot=spot)

    def _gain(self, state: PigglesState, act: Act) -> str:
        """Return the points that an effect gains in the next Tally, in brackets."""
        was = state.side(state.active)
        now = declare(state, act, self._options).side(state.active)
        points = MUD_BONUS * (now.mud_bonuses - was.mud_bonuses)
        points += KITCHEN_BONUS * (now.kitchen_bonuses - was.kitchen_bonuses)
        return f" (+{points})" if points else ""

    def table(self, state: PigglesState, viewer: Seat | None) -> None:
        """Return None: the board is shown instead, to everybody."""

    def heading(self, state: PigglesState) -> str:
        if state.result is not None:
            return f"{self.time(state)} of {self._rules.rounds} · the match is over"
        phase = _PHASES.get(state.phase, state.phase.value.capitalize())
        due = self.names[self.due(state)]
        return f"{self.time(state)} of {self._rules.rounds} · {phase} · {due}"

    def guide(self, state: PigglesState, seat: Seat | None) -> str:
        if state.result is not None:
            return "The match is over. Nothing more can be rolled."
        match state.phase:
            case PigglesPhase.LOAD if seat is None:
                return f"{self.names[state.active]} decides which Piggles to put into the cup."
            case PigglesPhase.LOAD:
                return self._load_guide(state, state.active)
            case PigglesPhase.ROLL:
                return "Roll: the cup is shaken and tipped. What lands may knock what lies there."
            case PigglesPhase.SUDDEN:
                choice = "" if seat is None else " Choose yours."
                return (
                    "Sudden Snout-Up: a tie. Each rolls one Piggle: Up beats Down beats "
                    f"On-Their-Head; equal ones roll again.{choice}"
                )
            case PigglesPhase.ACTION_REACTION if state.pending is not None:
                act = state.pending
                effect = self._does(state, act, whom=act.target)
                return f"Reaction: {act.piggle} ({self._worn(act.piggle)}) {effect}."
            case PigglesPhase.ACTION_REACTION if seat is None:
                who = self.names[state.active]
                return f"Action & Reaction: {who} decides whose Piggle acts on whom."
            case PigglesPhase.ACTION_REACTION:
                return self._action_guide()
            case _:
                return ""

    def _action_guide(self) -> str:
        mandatory = isinstance(self._rules, ModernRules) and self._rules.effects_mandatory
        end = "All that have a target must." if mandatory else "Or be done."
        return (
            "Action & Reaction: your Piggles that landed ▲ may act, one at a time, each once. "
            f"Choose who acts on whom. {end}"
        )

    def _load_guide(self, state: PigglesState, seat: Seat) -> str:
        left = self._rules.rounds - state.round
        if not state.side(seat).pen:
            return "Load: your Pen is empty, so there is nothing to roll. Your Tally is next."
        later = f" and in {left} more {'round' if left == 1 else 'rounds'}" if left else ""
        often = _OFTEN[self._rules.kitchen_penalty]
        return (
            f"Load: choose which Piggles of your Pen to roll. One that lies ▲ pays its zone now"
            f"{later}; ▼ sits in the Mud; ◆ in the Kitchen costs 1 {often}."
        )

    def player_of(self, state: PigglesState, piggle: str) -> Seat:
        return state.controller(piggle)

    def marks(self, state: PigglesState) -> Mapping[str, Mark]:
        shielded = {shield.piggle for shield in state.shields}
        return {
            piggle: Mark(
                worn=self.mark(piggle),
                words=self._worn(piggle),
                skin=self._skin(piggle),
                shielded=piggle in shielded,
            )
            for piggle in (*team(Seat.A), *team(Seat.B))
            if self.mark(piggle) or piggle in shielded
        }

    def areas(self, state: PigglesState) -> Sequence[Area]:
        def shields(seat: Seat) -> str:
            return " ".join(shield.piggle for shield in state.shields if shield.by is seat)

        rows: dict[str, Callable[[Seat], str]] = {
            "Pen": lambda seat: " ".join(state.side(seat).pen),
            "Cup": lambda seat: " ".join(state.side(seat).cup),
            "Mud": lambda seat: self._mud(state, seat),
            "Kitchen": lambda seat: " ".join(state.side(seat).kitchen),
            "Shields": shields,
        }
        contents = {name: [row(seat) or "-" for seat in BOARD_SEATS] for name, row in rows.items()}
        for name in ("Cup", "Shields"):
            if contents[name] == ["-", "-"]:
                del contents[name]
        return self.table_of(contents)

    def _mud(self, state: PigglesState, seat: Seat) -> str:
        """Return the Piggles in a Mud by the round in which they come back."""
        rounds: dict[int | None, list[str]] = {}
        for entry in state.side(seat).mud:
            rounds.setdefault(self._back_in(state, seat, entry), []).append(entry.piggle)
        return_rounds = sorted(number for number in rounds if number is not None)
        parts = [f"{' '.join(rounds[number])} →r{number}" for number in return_rounds]
        lost = rounds.get(None, [])
        return "  ".join([*parts, *([f"{' '.join(lost)} (for good)"] if lost else [])])

    def _back_in(self, state: PigglesState, seat: Seat, entry: MudEntry) -> int | None:
        """Return the round in whose Recoup a Piggle leaves the Mud; None if play ends before."""
        if state.phase is PigglesPhase.SUDDEN:
            return None
        second = seat is not self._rules.first_in(state.round)
        waits = second and state.active is not seat and state.phase is not PigglesPhase.RESOLVE
        first = max(state.round + (0 if waits else 1), FIRST_RECOUP_ROUND)
        rounds = range(first, self._rules.rounds + 1)
        return next((r for r in rounds if may_leave_mud(entry, r, self._rules)), None)

    def sets_down(self, state: PigglesState) -> bool:
        act = state.pending
        return act is not None and self._options.verb(act.piggle) is not EffectVerb.CRIT

    def points(self, events: Sequence[MatchEvent[Any]]) -> Mapping[tuple[str, Seat], int]:
        points_of: dict[tuple[str, Seat], int] = {}
        for event in events:
            for step in self._steps(event):
                if step.phase not in {PigglesPhase.TALLY, PigglesPhase.RESOLVE}:
                    continue
                number = str(step.state.round)
                for seat in [step.seat] if step.seat else Seat:
                    points_of[number, seat] = step.state.side(seat).score
        return points_of

    def decided(
        self, event: MatchEvent[PigglesState], seat: Seat, action: PigglesAction
    ) -> Iterator[Line]:
        before = event.before
        match action:
            case Act():
                text = self.act_sentence(before, action)
            case Done():
                text = "is done with acting"
            case Load(piggles=()):
                text = "skips the roll" if before.side(seat).pen else "has an empty Pen: no roll"
            case Load(piggles=piggles):
                text = f"loads {' '.join(piggles)}"
                if before.phase is PigglesPhase.SUDDEN:
                    yield Line(
                        f"Sudden Snout-Up: {self.names[seat]} chooses {piggles[0]}", Tone.TURN, seat
                    )
                    return
            case Concede():
                text = "concedes"
        if not isinstance(action, Act):
            text = f"Round {before.round}: {self.names[seat]} {text}"
        yield Line(text, Tone.TURN, seat)
        yield from self._followed(event, rolled=False)

    def rolled(self, event: MatchEvent[PigglesState], outcome: MatchOutcome) -> Iterator[Line]:
        yield from _roll(event.before, outcome, set_down=self.sets_down(event.before))
        yield from self._followed(event, rolled=True)

    def _followed(self, event: MatchEvent[PigglesState], *, rolled: bool) -> Iterator[Line]:
        before = event.before
        for step in self._steps(event):
            yield from _step(before, step, self._rules, self.names, rolled=rolled)
            before = step.state

    def ending(self, state: PigglesState, result: Result) -> str:
        return f"{result_sentence(result, self.names)}, {state.a.score} : {state.b.score}"

    def toggles(self, state: PigglesState, legal: Sequence[Any]) -> Toggles | None:
        loading = state.phase is PigglesPhase.LOAD
        if not (legal and loading and all(isinstance(each, Load | Concede) for each in legal)):
            return None
        own, pen = team(state.active), state.side(state.active).pen
        return Toggles(
            # Captured Piggles come after the own team.
            items=(*own, *(piggle for piggle in pen if piggle not in own)),
            free=frozenset(pen),
            marks={piggle: self.mark(piggle) for piggle in (*own, *pen)},
            action=lambda chosen: Load(in_order(chosen)),
            why={piggle: self._where(state, piggle) for piggle in own if piggle not in pen},
        )

    def _where(self, state: PigglesState, piggle: str) -> str:
        """Return where a Piggle is that is not in its Pen."""
        for area in self.areas(state):
            if any(piggle in content.split() for content in area.content.values()):
                return f"{piggle} is in the {area.name}"
        return f"{piggle} is on the board"

    def action_text(self, state: PigglesState, action: PigglesAction) -> str:
        match action:
            case Load(piggles=()):
                return "skip the roll"
            case Load(piggles=(piggle,)) if state.phase is PigglesPhase.SUDDEN:
                return f"roll {piggle} {self.mark(piggle)}".rstrip()
            case Load(piggles=piggles):
                return f"load {' '.join(piggles)}"
            case Act():
                own = state.controller(action.target) is state.active
                harms = self._options.verb(action.piggle) in _HARMS
                whom = f"your {action.target}" if own and harms else action.target
                effect = self._does(state, action, whom=whom) + self._gain(state, action)
                return f"{action.piggle} {self.mark(action.piggle)} {effect}"
            case Done():
                return "done: go on to the Tally"
            case Concede():
                return "concede"

    def involved(self, action: object) -> tuple[str, ...]:
        return (action.piggle, action.target) if isinstance(action, Act) else ()

    @property
    def page(self) -> str:
        rules = self._rules
        modern = isinstance(rules, ModernRules)
        page = read_page(
            "piggles",
            title="Piggles Modern" if modern else "Piggles",
            act=", let them act" if modern else "",
            rounds=counted(rules.rounds, "round").capitalize(),
            line=_LINES[rules.line_rule],
            often=_OFTEN[rules.kitchen_penalty],
            last_cost=", and at once after the last Tally" if rules.final_penalty else "",
            knocks=_knocks(rules),
            back=_BACK[rules.mud_delay],
            good="" if modern and rules.rare_runes else ", for good",
            off=_OFF_BOARD[rules.off_board],
            last=f"round {rules.rounds}",
            exhausted=_EXHAUSTED[rules.exhaustion] if rules.rounds >= EXHAUSTION_ROUND else "",
        )
        return page + _effects_page(rules) if isinstance(rules, ModernRules) else page


def _effects_page(rules: ModernRules) -> str:
    """Return the effects of colours and runes, for the page of the rules."""
    every = rules.actors is Actors.ALL_OWN_UP
    who = "of yours that lies ▲" if every else "that you rolled and that landed ▲"
    left, right = _LEFT[rules.left]
    end = ", until none has a target" if rules.effects_mandatory else ", or not at all"
    line = "in the field" if rules.line_counts_as_field else "in no field"
    window = " in this round or the last"
    page = read_page(
        "piggles_modern",
        who=who,
        left=left,
        right=right,
        end=end,
        line=line,
        scope="" if rules.target_scope is TargetScope.ANY else _THEIRS,
        red="; one of theirs pays 1" if rules.red_counts_as_knock else "",
        blue=_BLUE[rules.blue_mode],
        green=f"one that went to {_MUDS[rules.green_owner]}"
        + (window if rules.green_window is GreenWindow.PREVIOUS_TURN else ""),
        shield=_SHIELD[rules.shield_until],
        capture="" if rules.capture is Capture.PERMANENT else " until it leaves the board",
    )
    if not rules.rare_runes:
        return page
    own = rules.rune78_scope is Rune78Scope.OWN
    return page + read_page(
        "piggles_rare",
        mud=_MUDS[rules.rune78_scope],
        kitchen="your Kitchen to your" if own else "either Kitchen to the same player's",
        pose="▼" if rules.rune9_pose is Rune9Pose.DOWN else "▲",
    )
