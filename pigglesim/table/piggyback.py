"""View of Piggyback: the board of squares, combats and the log in words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pigglesim.agents.piggyback_greedy import combat_odds
from pigglesim.chance_types import DiceResult
from pigglesim.games.game import Result
from pigglesim.games.piggyback.game import (
    Piggyback,
    arms_of,
    attack_odds,
    rolling,
)
from pigglesim.games.piggyback.state import (
    OTHER,
    Ability,
    Held,
    Keep,
    MergeRule,
    Move,
    PiggybackAction,
    PiggybackPhase,
    PiggybackState,
    Respawn,
    Stack,
    Stand,
    Take,
    Warp,
    WarpScope,
    Word,
    neighbours,
    space_name,
)
from pigglesim.landing import BOARD_SEATS, Seat
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.table.layout import Cards, Part, Piece, Square, Squares
from pigglesim.table.view import Area, GameView, Line, Tone, read_page, result_sentence
from pigglesim.units import percent

NAMES: Mapping[Seat, str] = {Seat.A: "Red", Seat.B: "Blue"}
"""Names of the players: the colours of their units."""


_WORDS = {
    Word.PASS: "pass",
    Word.END: "move no further",
    Word.FIGHT: "fight without a Warp",
    Word.LEAVE: "take nothing from the bank",
}


def _held(held: Held) -> str:
    return " and ".join(ability.label for ability in held) or "nothing"


def _stack(stack: Stack) -> str:
    noun = "a unit" if stack.units == 1 else f"a stack of {stack.units}"
    return f"{noun} with {_held(stack.held)}" if stack.held else noun


_ENDS = {"quiet": ": too many turns without combat or acquisition", "cap": ": too many turns"}


_COLOURS = {
    Ability.GREEN: "#7aa65a",
    Ability.ORANGE: "#d98032",
    Ability.YELLOW: "#d9b520",
    Ability.MAUVE: "#a07cc5",
}
_ART = {
    Ability.GREEN: "chevrons",
    Ability.ORANGE: "flame",
    Ability.YELLOW: "clover",
    Ability.MAUVE: "swirl",
}
_DUE = {
    PiggybackPhase.OPENING: "the roll for who begins",
    PiggybackPhase.MOVE: "to move",
    PiggybackPhase.ROAM: "may move on by Boost",
    PiggybackPhase.WARP: "is attacked and may Warp",
    PiggybackPhase.ATTACK_ROLL: "rolls to attack",
    PiggybackPhase.ATTACK: "attacks: roll again or stand",
    PiggybackPhase.DEFENCE_ROLL: "rolls to defend",
    PiggybackPhase.DEFENCE: "defends: roll again or stand",
    PiggybackPhase.KEEP: "has won and chooses abilities",
    PiggybackPhase.RESPAWN: "has lost and may put a piece on the board",
}


class PiggybackView(GameView):
    """Piggyback on the screen."""

    skip = Word.PASS
    done = Word.END
    seat_names = NAMES
    legend = (
        "A2gy: a stack of two of Red with two abilities; in brackets those to take: "
        + ", ".join(f"{ability.value[0]} {ability.label}" for ability in Ability)
    )

    def __init__(self, game: Piggyback) -> None:
        super().__init__(game)
        self._size = game.layout.size

    def table(self, state: PiggybackState, viewer: Seat | None) -> tuple[Part, ...]:
        rows = range(self._size)
        turned = viewer is Seat.B
        across, down = (rows[::-1], rows) if turned else (rows, rows[::-1])
        squares = Squares(
            rows=tuple(str(row + 1) for row in down),
            columns=tuple(self._space(column)[0] for column in across),
            squares=tuple(
                tuple(self._square(state, row * self._size + column) for column in across)
                for row in down
            ),
        )
        bank = tuple(_ability_piece(ability, state.bank.count(ability)) for ability in Ability)
        held = tuple(piece for piece in bank if piece is not None)
        return squares, Cards(name="bank", cards=held, note="" if held else "empty")

    def _square(self, state: PiggybackState, space: int) -> Square:
        """Return a space with a stack, and the piece under it."""
        combat, roam = state.combat, state.roam
        fought = combat is not None and space in {combat.source, combat.target}
        moving = roam is not None and roam.space == space
        home = self._game.layout.colours.get(space)
        stacks = [(seat, dict(state.side(seat)).get(space)) for seat in BOARD_SEATS]
        units = tuple(
            Piece(
                label=f"{seat}{stack.units}{''.join(ability.value[0] for ability in stack.held)}",
                words=f"{NAMES[seat]}: {_stack(stack)}",
                seat=seat,
                art="pig",
                count=stack.units,
                holds=tuple(_piece(held, held.value[0], held.label) for held in stack.held),
            )
            for seat, stack in stacks
            if stack is not None
        )
        piece = dict(state.pieces).get(space)
        pieces = () if piece is None else (_piece(piece, piece.value[0], piece.label),)
        return Square(
            id=self._space(space),
            pieces=(*units, *pieces),
            colour=None if home is None else _COLOURS[home],
            marked=fought or moving,
        )

    def time(self, state: PiggybackState) -> str:
        return f"Turn {state.ply + 1}"

    def heading(self, state: PiggybackState) -> str:
        turn = self.time(state)
        if state.result is not None:
            return f"{turn} · the match is over"
        if state.phase is PiggybackPhase.OPENING:
            return f"{turn} · {_DUE[state.phase]}"
        return f"{turn} · {self.names[self.due(state)]} {_DUE[state.phase]}"

    def guide(self, state: PiggybackState, seat: Seat | None) -> str:
        if state.result is not None:
            return "The match is over."
        combat = state.combat
        if combat is not None and combat.winner is None:
            return self._combat_guide(state)
        if seat is None:
            return ""
        quiet = state.ply - state.lively
        if quiet * 2 > self._rules.quiet_cap:
            left = self._rules.quiet_cap - quiet
            return f"Without combat or acquisition the game is drawn in {left} turns."
        match state.phase:
            case PiggybackPhase.MOVE:
                return "Move a unit or stack one space; two that meet stack, enemies fight."
            case PiggybackPhase.ROAM:
                return "This unit may go on: a second step uses a Boost, a third another one."
            case PiggybackPhase.KEEP:
                return "Keep at most two of all unused abilities; the others leave the game."
            case _:
                return "Put a piece from the bank on a free space of its colour, or leave it."

    def _combat_guide(self, state: PiggybackState) -> str:
        """Return the two sides of the combat, and the odds before the first roll."""
        combat = state.combat
        assert combat is not None
        attacker = dict(state.side(state.active))[combat.source]
        defender = dict(state.side(OTHER[state.active]))[combat.target]
        who = f"{_stack(attacker)} attacks {_stack(defender)}"
        if state.phase in {PiggybackPhase.DEFENCE_ROLL, PiggybackPhase.DEFENCE}:
            return f"{who}. To beat: {combat.attack}; an equal result is the attacker's."
        if state.phase is PiggybackPhase.ATTACK:
            stack = rolling(state)[1]
            left = max(0, stack.units - combat.rolls) + stack.held.count(Ability.YELLOW)
            return f"{who}. The last roll is {combat.face}; {left} more can be made."
        odds = attack_odds(arms_of(attacker), arms_of(defender))
        return f"{who}: it wins {odds} of the time, about {percent(float(odds), places=0)}."

    def areas(self, state: PiggybackState) -> Sequence[Area]:
        stacks = [dict(state.side(seat)).values() for seat in BOARD_SEATS]
        held = [tuple(ability for stack in own for ability in stack.held) for own in stacks]
        return self.table_of(
            {
                "units": map(state.units, BOARD_SEATS),
                "abilities": map(_ability_counts, held),
            }
        )

    def decided(
        self, event: MatchEvent[PiggybackState], seat: Seat, action: PiggybackAction
    ) -> Iterator[Line]:
        yield from super().decided(event, seat, action)
        yield from self._after(event)

    def rolled(self, event: MatchEvent[PiggybackState], outcome: MatchOutcome) -> Iterator[Line]:
        seat, result = outcome.thrower, outcome.result
        faces = result.faces if isinstance(result, DiceResult) else ()
        rolled = " ".join(str(face) for face in faces)
        yield Line(f"{NAMES[seat]} rolls {rolled}", Tone.ROLL, seat)
        yield from self._after(event)

    def ending(self, state: PiggybackState, result: Result) -> str:
        units = ", ".join(
            f"{NAMES[seat]} {left}" for seat, left in self._game.scores(state).items()
        )
        cause = _ENDS.get(result.reason, "")
        return f"{result_sentence(result, self.names)}{cause}; units: {units}"

    def action_text(self, state: PiggybackState, action: PiggybackAction) -> str:
        combat = state.combat
        match action:
            case Move():
                return self._move(state, action)
            case Warp(holder=holder, partner=partner):
                return f"Warp: swap {self._space(holder)} with {self._space(partner)}"
            case Take(space=space):
                return f"acquire what lies under {self._space(space)}"
            case Stand(force=0) if combat is not None:
                return f"stand on {combat.face}"
            case Stand(force=force) if combat is not None:
                return f"stand on {combat.face} + {force} by Firepower = {combat.face + force}"
            case Keep(held=held):
                return f"keep {_held(held)}"
            case Respawn(space=space):
                piece = self._game.layout.colours[space].label
                return f"put {piece} from the bank on {self._space(space)}"
            case Word.ROLL if combat is not None:
                by_units = combat.rolls < rolling(state)[1].units
                return "roll again" if by_units else "roll again by Luck"
            case Word():
                return _WORDS.get(action, str(action))
            case _:
                return "concede"

    def why(
        self, state: PiggybackState, best: PiggybackAction, played: PiggybackAction | None
    ) -> str:
        if isinstance(best, Stand | Word) and state.phase in _ROLLER:
            if not isinstance(played, Stand | Word):
                return ""
            wins, instead = (combat_odds(state, each) for each in (best, played))
            odds = f"{percent(wins, places=0)} of the time, not {percent(instead, places=0)}"
            return f"it wins the combat {odds}" if wins > instead else ""
        for action, name in ((best, "the attack"), (played, "the attack that was played")):
            if isinstance(action, Move) and (chance := _attack(state, action)) is not None:
                return f"{name} wins {percent(chance, places=0)} of the time"
        if not (isinstance(best, Move | Warp) and isinstance(played, Move | Warp | Word)):
            return ""
        seat = Seat(self._game.turn(state))
        better, worse = (self._game.apply_action(state, each) for each in (best, played))
        if words := self._attack_words(OTHER[seat], worse, better):
            return f"after the action played, {words[0]}; after the better one, {words[1]}"
        if words := self._attack_words(seat, better, worse):
            return f"after the better one, {words[0]}; after the action played, {words[1]}"
        return ""

    def _attack_words(
        self, seat: Seat, strong: PiggybackState, weak: PiggybackState
    ) -> tuple[str, str] | None:
        """Return a player's best attack in two states; None unless the first is clearly better."""
        (wins, at), (least, _) = (_best_attack(each, seat, self._size) for each in (strong, weak))
        if wins < least + _MORE_ODDS:
            return None
        odds = f"wins {percent(wins, places=0)} of the time"
        attack = f"{self.names[seat]} can attack {self._space(at)} and {odds}"
        return attack, f"at most {percent(least, places=0)}" if least else "no attack is possible"

    def heading_of(self, state: PiggybackState, action: PiggybackAction) -> str:
        return self._space(action.source) if isinstance(action, Move) else ""

    def involved(self, action: object) -> tuple[str, ...]:
        match action:
            case Move(source=source, target=target):
                return self._space(source), self._space(target)
            case Warp(holder=holder, partner=partner):
                return self._space(holder), self._space(partner)
            case Take(space=space) | Respawn(space=space):
                return (self._space(space),)
            case _:
                return ()

    def _space(self, space: int) -> str:
        return space_name(space, self._size)

    def _move(self, state: PiggybackState, action: Move) -> str:
        own, enemy = dict(state.side(state.active)), dict(state.side(OTHER[state.active]))
        step = f"{self._space(action.source)} to {self._space(action.target)}"
        piece = dict(state.pieces).get(action.target)
        if action.target in enemy:
            return f"{step}, attacking {_stack(enemy[action.target])}"
        if action.target in own:
            units = own[action.source].units + own[action.target].units
            return f"{step}, stacking {units} units"
        if piece is None:
            return step
        taken = f"acquiring {piece.label}" if action.take else f"leaving {piece.label} there"
        return f"{step}, {taken}"

    def _after(self, event: MatchEvent[PiggybackState]) -> Iterator[Line]:
        """Yield the automatic moves of the rules."""
        before, after = event.before, event.after
        if before.phase is PiggybackPhase.OPENING and after.phase is PiggybackPhase.MOVE:
            yield Line(f"{NAMES[after.active]} begins", Tone.MOVE)
        if before.phase is PiggybackPhase.OPENING and after.ties > before.ties:
            yield Line("Equal: both roll again", Tone.MOVE)
        lost = {seat: before.units(seat) - after.units(seat) for seat in NAMES}
        for seat, units in lost.items():
            if units:
                winner, noun = OTHER[seat], "unit" if units == 1 else "units"
                role = "attack" if winner is before.active else "defence"
                won = f"{NAMES[winner]} wins the combat in {role}"
                yield Line(f"{won}: {NAMES[seat]} loses {units} {noun}", Tone.SCORE, winner)
        fresh = dict(after.pieces).keys() - dict(before.pieces).keys()
        for space in sorted(fresh):
            ability = dict(after.pieces)[space]
            yield Line(f"{ability.label} comes back on {self._space(space)}", Tone.MOVE)
        spent = Counter(after.discarded) - Counter(before.discarded)
        if spent and not any(lost.values()):
            held = tuple(ability for ability in Ability for _ in range(spent[ability]))
            yield Line(f"Out of the game: {_held(held)}", Tone.MOVE)

    @property
    def page(self) -> str:
        rules = self._rules
        french = rules.merge_rule is MergeRule.FRENCH
        others = "" if rules.warp_scope is WarpScope.HOLDER else ", or let two others do so"
        return read_page(
            "piggyback",
            stay=", or pass" if rules.allow_pass else "",
            but=_BOOSTED if rules.boost_continue else _BOOST,
            later=", for a later turn to take" if rules.pickup_later else "",
            merge=" and not if both hold abilities" if french else " with two abilities together",
            permanent="; they are not used up" if rules.boost_permanent else "",
            who=f"another of your units{others}",
            quiet=rules.quiet_cap,
            cap=rules.cap,
        )


_ROLLER = frozenset({PiggybackPhase.ATTACK, PiggybackPhase.DEFENCE})
_MORE_ODDS = 0.1
"""Difference of the odds of the best attack that is a reason."""


def _attack(state: PiggybackState, action: Move) -> float | None:
    """Return the odds of an attack; None if the action is not one."""
    own, enemy = dict(state.side(state.active)), dict(state.side(OTHER[state.active]))
    if action.target not in enemy:
        return None
    return float(attack_odds(arms_of(own[action.source]), arms_of(enemy[action.target])))


def _best_attack(state: PiggybackState, seat: Seat, size: int) -> tuple[float, int]:
    """Return the odds of a player's best attack, and the attacked space; 0 if there is none."""
    own = dict(state.side(seat))
    attacks = [
        (float(attack_odds(arms_of(own[near]), arms_of(stack))), space)
        for space, stack in state.side(OTHER[seat])
        for near in neighbours(size)[space]
        if near in own
    ]
    return max(attacks, default=(0.0, 0))


_BOOST = ", but for a Boost on a free space"
_BOOSTED = ", but for a Boost on a free space or after acquiring, stacking or a won combat"


def _ability_counts(held: Held) -> str:
    counts = (f"{held.count(ability)} {ability.label}" for ability in Ability if ability in held)
    return ", ".join(counts) or "-"


def _piece(ability: Ability, label: str, words: str) -> Piece:
    return Piece(
        label=label,
        words=words,
        colour=_COLOURS[ability],
        key=ability.value[0],
        art=_ART[ability],
    )


def _ability_piece(ability: Ability, count: int) -> Piece | None:
    text = f"{count} {ability.label}"
    return replace(_piece(ability, text, text), count=count) if count else None
