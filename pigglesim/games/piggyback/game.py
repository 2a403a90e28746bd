"""Actions and states of Piggyback as text, and the invariants of states."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import ClassVar

from pigglesim.chance_types import (
    ChanceOutcome,
    DiceRequest,
    DiceResult,
    answering_dice,
    fair_dice,
)
from pigglesim.errors import IllegalActionError
from pigglesim.games.base import BaseGame
from pigglesim.games.game import (
    JSON,
    Concede,
    Invariant,
    NonPlayer,
    Result,
    Turn,
    changed,
    require_player,
)
from pigglesim.games.notation import (
    COUNT,
    SEAT,
    WHOLE,
    ActionForms,
    Codec,
    Words,
    optional,
    pair,
    result_codec,
    several,
)
from pigglesim.games.piggyback.state import (
    BANKED,
    MOST_HELD,
    MOST_UNITS,
    OTHER,
    TEAM,
    Ability,
    Combat,
    Held,
    Keep,
    Layout,
    Move,
    PiggybackAction,
    PiggybackPhase,
    PiggybackReason,
    PiggybackRules,
    PiggybackState,
    Respawn,
    Roam,
    Stack,
    Stand,
    Start,
    Take,
    Warp,
    Word,
    in_order,
    parse_ability,
    parse_space,
    read_layout,
    space_name,
)
from pigglesim.games.piggyback.turns import (
    after_combat,
    end_turn,
    keep,
    keeps,
    move,
    respawn,
    respawns,
    roll_again,
    roll_options,
    rolled,
    rolling,
    stand,
    take,
    turn_actions,
    warp,
    warps,
)
from pigglesim.landing import BOARD_SEATS, Seat

_AFTER = frozenset({PiggybackPhase.KEEP, PiggybackPhase.RESPAWN})
_COMBAT = _AFTER | {
    PiggybackPhase.WARP,
    PiggybackPhase.ATTACK_ROLL,
    PiggybackPhase.ATTACK,
    PiggybackPhase.DEFENCE_ROLL,
    PiggybackPhase.DEFENCE,
}


def _placed(state: PiggybackState, size: int) -> Iterator[Invariant]:
    """Give the invariants of spaces and stacks."""
    stacks = (*state.a, *state.b)
    for space, count in Counter(space for space, _ in stacks).items():
        yield Invariant(count == 1, "R4", f"{count} stacks on {space_name(space, size)}")
    for name, entries in (("a", state.a), ("b", state.b), ("pieces", state.pieces)):
        spaces = [space for space, _ in entries]
        names = ",".join(space_name(space, size) for space in spaces)
        once = spaces == sorted(set(spaces))
        yield Invariant(once, "R1", f"the spaces {names} of {name}, not in order or not once")
    for space, stack in stacks:
        on = f"on {space_name(space, size)}"
        there = 1 <= stack.units <= MOST_UNITS
        yield Invariant(there, "R4", f"{stack.units} units {on}, not 1 to {MOST_UNITS}")
        few = len(stack.held) <= MOST_HELD and stack.held == in_order(stack.held)
        held = f"abilities {', '.join(stack.held)} {on}, above {MOST_HELD} or not in order"
        yield Invariant(few, "R5", held)


def _counted(state: PiggybackState) -> Iterator[Invariant]:
    """Give the invariants of units and pieces."""
    for seat in BOARD_SEATS:
        units = state.units(seat)
        yield Invariant(units <= TEAM, "R1", f"{units} units of {seat}, above {TEAM}")
    held = [of for _, stack in (*state.a, *state.b) for of in stack.held]
    lying = [of for _, of in state.pieces]
    loot = state.combat.loot if state.combat is not None else ()
    counted = Counter([*held, *lying, *loot, *state.bank, *state.discarded])
    for ability in Ability:
        found = f"{counted[ability]} pieces of {ability}, not {2 * BANKED}"
        yield Invariant(counted[ability] == 2 * BANKED, "R1", found)
    for name, pile in (("bank", state.bank), ("discarded", state.discarded)):
        order = f"{name} {', '.join(pile)}, not in the order {', '.join(Ability)}"
        yield Invariant(pile == in_order(pile), "R1", order)


def _phased(state: PiggybackState, size: int) -> Iterator[Invariant]:
    """Give the invariants of phases."""
    phase, combat, roam = state.phase, state.combat, state.roam
    over = phase is PiggybackPhase.OVER

    def there(who: str, space: int, spaces: set[int]) -> Invariant:
        return Invariant(space in spaces, "R3", f"{who} is not on {space_name(space, size)}")

    for name, part, is_due, rule in (
        ("result", state.result, over, "R9"),
        ("combat", combat, phase in _COMBAT, "R7"),
        ("moved unit", roam, phase in _COMBAT or phase is PiggybackPhase.ROAM, "PB4"),
    ):
        found = f"{'a' if part is not None else 'no'} {name} in phase {phase}"
        yield Invariant(is_due is (part is not None), rule, found)
    yield Invariant(over or bool(state.a and state.b), "R9", "no units on one side during play")
    own = {space for space, _ in state.side(state.active)}
    if phase is PiggybackPhase.ROAM and roam is not None:
        yield there("the unit that moves on", roam.space, own)
    if combat is None:
        return
    decided = (phase in _AFTER) is (combat.winner is not None)
    found = f"{'a' if combat.winner else 'no'} winner of the combat in phase {phase}"
    yield Invariant(decided, "R7", found)
    if decided and combat.winner is not None:
        yield there("the winner", combat.target, {at for at, _ in state.side(combat.winner)})
    elif decided:
        yield there("the attacker", combat.source, own)
        enemy = {space for space, _ in (*state.a, *state.b)} - own
        yield there("the attacked stack", combat.target, enemy)


def _timed(state: PiggybackState, rules: PiggybackRules) -> Iterator[Invariant]:
    """Give the invariants of the counters."""
    lively, ply, ties = state.lively, state.ply, state.ties
    there = 0 <= lively <= ply + 1 and ply <= rules.cap
    yield Invariant(there, "PB12", f"lively={lively} ply={ply}, with a cap of {rules.cap}")
    few = 0 <= ties <= rules.start_cap + 1 and 0 <= state.opening <= 6
    yield Invariant(few, "PB11", f"opening={state.opening} after {ties} equal rolls")


def _space(size: int) -> Codec[int]:
    return Codec(lambda at: space_name(at, size), lambda text: parse_space(text, size))


@cache
def forms(size: int) -> ActionForms[PiggybackAction]:
    """Return the texts of actions, given the number of rows."""
    space = _space(size)
    held: Codec[Held] = Codec(
        " ".join, lambda text: in_order([parse_ability(word) for word in text.split()])
    )
    return ActionForms(
        {
            "concede": Concede(),
            **{word.value: word for word in Word},
            "stand": Stand(),
            "stand {force}": Stand,
            "warp {holder} {partner}": Warp,
            "take {space}": Take,
            "respawn {space}": Respawn,
            "keep nothing": Keep(),
            "keep {held*}": Keep,
            "{source}-{target} take": partial(Move, take=True),
            "{source}-{target}": Move,
        },
        {
            **dict.fromkeys(("holder", "partner", "space", "source", "target"), space),
            "force": Codec(lambda force: f"+{force}", {"+1": 1, "+2": 2}.__getitem__),
            "held": held,
        },
        example="b1-b2, b3-c4 take, warp b1 c1, roll, stand +1, keep green or respawn a4",
    )


_LETTERS = {ability.value[0]: ability for ability in Ability}
_LETTER: Codec[Ability] = Codec(lambda ability: ability.value[0], _LETTERS.__getitem__)
_HELD: Codec[Held] = Codec(
    lambda held: "".join(map(_LETTER.write, held)), lambda text: tuple(map(_LETTER.read, text))
)
_STACK = Codec(
    lambda stack: f"{stack.units}{_HELD.write(stack.held)}",
    lambda text: Stack(int(text[:1]), _HELD.read(text[1:])),
)


@cache
def words(size: int) -> Words:
    """Return the part of a state that each word gives, by the board's size."""
    space = _space(size)

    def read_roam(text: str) -> Roam:
        at, steps, spent = text.split(":")
        return Roam(space.read(at), int(steps), int(spent))

    def write_combat(combat: Combat) -> str:
        spaces = (space.write(combat.source), space.write(combat.target))
        numbers = map(str, (combat.rolls, combat.face, combat.attack))
        return ":".join((*spaces, *numbers, combat.winner or "-", _HELD.write(combat.loot) or "-"))

    def read_combat(text: str) -> Combat:
        source, target, rolls, face, attack, winner, loot = text.split(":")
        return Combat(
            source=space.read(source),
            target=space.read(target),
            rolls=int(rolls),
            face=int(face),
            attack=int(attack),
            winner=None if winner == "-" else Seat(winner),
            loot=() if loot == "-" else _HELD.read(loot),
        )

    return {
        "phase": ("phase", Codec(str, PiggybackPhase)),
        "active": ("active", SEAT),
        "ply": ("ply", WHOLE),
        "lively": ("lively", COUNT),
        "a": ("a", several(pair(space, _STACK))),
        "b": ("b", several(pair(space, _STACK))),
        "pieces": ("pieces", several(pair(space, _LETTER))),
        "bank": ("bank", _HELD),
        "discarded": ("discarded", _HELD),
        "opening": ("opening", COUNT),
        "ties": ("ties", COUNT),
        "roam": (
            "roam",
            optional(Codec(lambda r: f"{space.write(r.space)}:{r.steps}:{r.spent}", read_roam)),
        ),
        "combat": ("combat", optional(Codec(write_combat, read_combat))),
        "result": ("result", optional(result_codec(PiggybackReason, SEAT))),
    }


_LAYOUT = "layout"
_CONCEDE = Concede()
_ROLLS = frozenset(
    {PiggybackPhase.OPENING, PiggybackPhase.ATTACK_ROLL, PiggybackPhase.DEFENCE_ROLL}
)
_MOVES = frozenset({PiggybackPhase.MOVE, PiggybackPhase.ROAM})
_RULES: Mapping[object, str] = {
    Warp: "R6, PB5",
    Take: "PB6",
    Stand: "R6",
    Keep: "R8",
    Respawn: "R8",
    Word.ROLL: "R4, R6",
    Word.PASS: "PB2",
}
"""Rule that forbids an illegal action, unless it is R2."""
_MOST_ROLLS = 5
"""Maximum rolls of a side in a combat: three units and two Lucks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackObservation:
    """Observation of a player: the whole state, because nothing in Piggyback is hidden."""

    seat: Seat
    state: PiggybackState
    rules: PiggybackRules
    layout: Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Piggyback(BaseGame[PiggybackState, PiggybackAction, DiceRequest]):
    """Piggyback under the house rules of one table, on one layout."""

    rules: PiggybackRules = field(default_factory=PiggybackRules)
    layout: Layout = field(default_factory=Layout)
    name: ClassVar[str] = "piggyback"
    _blank: ClassVar[PiggybackState] = PiggybackState()

    @property
    def _forms(self) -> ActionForms[PiggybackAction]:
        return forms(self.layout.size)

    @property
    def _words(self) -> Words:
        return words(self.layout.size)

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> "Piggyback":
        """Return the game that `settings` describes; missing settings are default.

        Args:
            settings: House rules by name; `layout` is `standard` or a table of spaces.

        Raises:
            SpecError: If a house rule is unknown, or the layout is invalid.
        """
        rules = {name: value for name, value in settings.items() if name != _LAYOUT}
        layout = read_layout(settings[_LAYOUT]) if _LAYOUT in settings else Layout()
        return cls(rules=PiggybackRules.from_mapping(rules), layout=layout)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Red, then blue."""
        return BOARD_SEATS

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes.

        Before the first turn there are two rolls for each attempt. A turn has at most four steps,
        with a word after the last one. A combat costs a unit, so there are fewer than units: each
        has a Warp, the rolls of both with a word after each, and what winner and loser choose.
        """
        combats = 2 * TEAM - 1
        return 2 * (self.rules.start_cap + 1) + 5 * self.rules.cap + combats * (4 * _MOST_ROLLS + 3)

    def settings(self) -> Mapping[str, JSON]:
        return {_LAYOUT: self.layout.setting(), **self.rules.to_mapping()}

    def initial_state(self) -> PiggybackState:
        layout = self.layout
        red, blue = (
            tuple((space, Stack()) for space in sorted(army)) for army in (layout.red, layout.blue)
        )
        rolls = self.rules.start is Start.ROLL
        return PiggybackState(
            phase=PiggybackPhase.OPENING if rolls else PiggybackPhase.MOVE,
            active=Seat.B if self.rules.start is Start.BLUE else Seat.A,
            a=red,
            b=blue,
            pieces=tuple(layout.colours.items()),
            bank=tuple(ability for ability in Ability for _ in range(BANKED)),
        )

    def turn(self, state: PiggybackState) -> Turn:
        match state.phase:
            case PiggybackPhase.MOVE | PiggybackPhase.ROAM | PiggybackPhase.ATTACK:
                return state.active
            case PiggybackPhase.OVER:
                return NonPlayer.OVER
            case PiggybackPhase.WARP | PiggybackPhase.DEFENCE:
                return OTHER[state.active]
            case PiggybackPhase.KEEP | PiggybackPhase.RESPAWN:
                won = state.fight.winner
                assert won is not None
                return won if state.phase is PiggybackPhase.KEEP else OTHER[won]
            case _:
                return NonPlayer.CHANCE

    def legal_actions(self, state: PiggybackState) -> tuple[PiggybackAction, ...]:
        """Return the legal actions: moves by space and target, and conceding last."""
        if self.turn(state) is NonPlayer.OVER or state.phase in _ROLLS:
            return ()
        return (*self._choices(state), _CONCEDE)

    def _choices(self, state: PiggybackState) -> tuple[PiggybackAction, ...]:
        match state.phase:
            case PiggybackPhase.WARP:
                return (*warps(state, OTHER[state.active], self.rules), Word.FIGHT)
            case PiggybackPhase.ATTACK | PiggybackPhase.DEFENCE:
                return tuple(roll_options(rolling(state)[1], state.fight))
            case PiggybackPhase.KEEP:
                return keeps(state)
            case PiggybackPhase.RESPAWN:
                return (*respawns(state, self.layout), Word.LEAVE)
            case _:
                return turn_actions(state, self.layout.size, self.rules)

    def apply_action(self, state: PiggybackState, action: PiggybackAction) -> PiggybackState:
        turn = require_player(self.turn(state), action, self.format_action, rule="R2")
        if isinstance(action, Concede):
            result = Result(winner=OTHER[turn], reason=PiggybackReason.CONCESSION)
            left = state if state.combat is None else state.discarding(state.combat.loot)
            return changed(left, phase=PiggybackPhase.OVER, result=result, roam=None, combat=None)
        return self._applied(state, action, turn)

    def _applied(
        self, state: PiggybackState, action: PiggybackAction, turn: Seat
    ) -> PiggybackState:
        rules, layout = self.rules, self.layout
        # Checking one move takes less time than listing all of them.
        moves = isinstance(action, Move) and state.phase in _MOVES
        if not moves and action not in self._choices(state):
            raise self._refused(state, action)
        match action:
            case Move():
                return move(state, action, layout.size, rules)
            case Warp():
                return warp(state, action, turn, rules)
            case Take(space=space):
                return take(state, space, rules)
            case Stand():
                return stand(state, action, layout, rules)
            case Keep():
                return keep(state, action, layout, rules)
            case Respawn():
                return respawn(state, action, layout, rules)
            case Word.ROLL:
                return roll_again(state)
            case Word.LEAVE:
                return after_combat(state, rules)
            case Word.FIGHT:
                return changed(state, phase=PiggybackPhase.ATTACK_ROLL)
            case _:
                return end_turn(state, rules)

    def _refused(self, state: PiggybackState, action: PiggybackAction) -> IllegalActionError:
        legal = [self.format_action(each) for each in self._choices(state)]
        rule = _RULES.get(action) if isinstance(action, Word) else _RULES.get(type(action))
        return IllegalActionError(
            f"illegal action {self.format_action(action)!r} in phase {state.phase}",
            fix=f"use {', '.join(legal[:4])}{', ...' if len(legal) > 4 else ''}",
            rule=rule or "R2",
        )

    def _request(self, state: PiggybackState) -> DiceRequest:
        """Return the request of one die, for the start or a combat (R2, R7)."""
        match state.phase:
            case PiggybackPhase.OPENING:
                thrower = Seat.B if state.opening else Seat.A
            case PiggybackPhase.DEFENCE_ROLL:
                thrower = OTHER[state.active]
            case _:
                thrower = state.active
        return DiceRequest(thrower=thrower, count=1)

    def chance_outcomes(self, state: PiggybackState) -> tuple[tuple[DiceResult, float], ...]:
        request = self.chance_request(state)
        return fair_dice(request.count, request.sides)

    def apply_outcome(self, state: PiggybackState, outcome: ChanceOutcome) -> PiggybackState:
        (face,) = answering_dice(outcome, self.chance_request(state)).faces
        if state.phase is PiggybackPhase.OPENING:
            return self._opened(state, face)
        return rolled(state, face, self.layout, self.rules)

    def _opened(self, state: PiggybackState, face: int) -> PiggybackState:
        """Return the state after a roll for the start: equal ones are rolled again (PB11)."""
        if not state.opening:
            return changed(state, opening=face)
        if face == state.opening and state.ties < self.rules.start_cap:
            return changed(state, opening=0, ties=state.ties + 1)
        first = Seat.B if face > state.opening else Seat.A
        return changed(state, phase=PiggybackPhase.MOVE, active=first, opening=0, ties=0)

    def observe(self, state: PiggybackState, seat: Seat) -> PiggybackObservation:
        return PiggybackObservation(seat=seat, state=state, rules=self.rules, layout=self.layout)

    def scores(self, state: PiggybackState) -> Mapping[Seat, int]:
        """Return the number of units left of each player."""
        return {seat: state.units(seat) for seat in BOARD_SEATS}

    def _invariants(self, state: PiggybackState) -> Iterator[Invariant]:
        yield from _placed(state, self.layout.size)
        yield from _counted(state)
        yield from _phased(state, self.layout.size)
        yield from _timed(state, self.rules)
