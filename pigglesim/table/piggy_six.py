"""View of Piggy Six: points as bars, the risk of the next roll and the log in words."""

from collections.abc import Iterator, Mapping, Sequence

from pigglesim.games.game import Result
from pigglesim.games.piggy_six import (
    DiceChoice,
    DiceRoll,
    Ending,
    Fate,
    Order,
    PiggySixState,
    SixAction,
    Stop,
    Tie,
    fate_of,
)
from pigglesim.landing import Seat
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.table.layout import Note, Part, Scale
from pigglesim.table.view import Area, GameView, Line, Tone, read_page, result_sentence

_DICE = (
    "For {when} choose **one die, two or three**: any six ends the turn, two or three sixes take "
    "all. One die alone can never do that."
)
_TARGET = (
    "When somebody has **{target}** points the round is completed, so that all have had as many "
    "turns. Most points win; {tie}."
)
_SOLITAIRE = """
You play alone against two imaginary players, who play {when} you. They roll by themselves and \
stop at {first} and {second} points a turn, or better{goal}.
"""
_ONE_SET = 6
"""Maximum players who share one set of dice (R4)."""
_FACES = "⚀⚁⚂⚃⚄⚅"


class PiggySixView(GameView):
    """View of Piggy Six."""

    done = Stop()

    @property
    def seat_names(self) -> Mapping[Seat, str]:
        stops = self._rules.stops
        return {
            seat: f"Imaginary {seat} (stops at {stops[seat]})"
            if seat in stops
            else f"Player {seat}"
            for seat in self._rules.seats
        }

    def table(self, state: PiggySixState, viewer: Seat | None) -> tuple[Part, ...]:
        moves = state.active if state.result is None else None
        scales = (
            Scale(
                name=name,
                value=state.points_of(seat),
                gain=state.total if seat is state.active else 0,
                high=self._rules.target,
                seat=seat,
                moves=seat is moves,
                id="points" if seat is moves else "",
            )
            for seat, name in self.names.items()
        )
        return (*scales, Note(text=f"  target {self._rules.target}"))

    def ending(self, state: PiggySixState, result: Result) -> str:
        points = " : ".join(map(str, self._game.scores(state).values()))
        return f"{result_sentence(result, self.names)}, {points}"

    def heading(self, state: PiggySixState) -> str:
        if state.result is not None:
            return f"{self.time(state)} · the match is over"
        dice = ""
        if len(self._rules.seats) > _ONE_SET:
            # One set of dice serves a round, and the second set follows it with the next.
            dice = f" · dice set {2 - state.round % 2}"
        return f"{self.time(state)} · {self.names[state.active]}{dice}"

    def guide(self, state: PiggySixState, seat: Seat | None) -> str:
        if state.result is not None:
            return "The match is over. Nothing more can be rolled."
        if seat is None:
            return f"{self.names[state.active]} is rolling."
        points = state.points_of(seat)
        last = self._last_turn(state, seat)
        if not state.rolls:
            must = "Roll." if self._rules.must_roll else "Roll, or pass."
            take = f"; two sixes also take your {points} points" if points else ""
            return f"{must} Rolls add up. A six ends the turn without points{take}.{last}"
        pair = self._rules.dice_numbers == (2,)
        risk, both = (" (10 in 36)", " (1 in 36)") if pair else ("", "")
        two = f", two all {points} points too{both}" if points else ""
        return (
            f"Roll on, or stop and have {points + state.total}? One six loses the {state.total} of "
            f"this turn{risk}{two}.{last}"
        )

    def _last_turn(self, state: PiggySixState, seat: Seat) -> str:
        best = max(state.bank)
        if self._rules.end is Ending.RACE or best < self._rules.target:
            return ""
        return f" It is your last turn: to win, have more than {best}."

    def areas(self, state: PiggySixState) -> Sequence[Area]:
        seats = self._rules.seats
        turn = [state.total if seat is state.active else "-" for seat in seats]
        return self.table_of({"points": map(state.points_of, seats), "this turn": turn})

    def decided(
        self, event: MatchEvent[PiggySixState], seat: Seat, action: SixAction
    ) -> Iterator[Line]:
        if isinstance(action, Stop):
            points = f"{event.before.total}: {event.after.points_of(seat)} points"
            yield Line(f"{self.names[seat]} stops with {points}", Tone.SCORE, seat)

    def rolled(self, event: MatchEvent[PiggySixState], outcome: MatchOutcome) -> Iterator[Line]:
        before, after = event.before, event.after
        seat, name = outcome.thrower, self.names[outcome.thrower]
        faces = tuple(getattr(outcome.result, "faces", ()))
        throws = getattr(outcome.result, "throws", 1)
        shown = " ".join(f"{_FACES[face - 1]} {face}" for face in faces)
        again = f" (cocked, thrown {throws} times)" if throws > 1 else ""
        fate, total = fate_of(faces), before.total + sum(faces)
        lost = f"the {before.total} points of the turn are lost" if before.total else "no points"
        held = before.points_of(seat) + before.total
        lost_all = f"all {held} points are lost" if held else "no points"
        consequence = {
            Fate.POINTS: f"+ {sum(faces)}, {total} in this turn",
            Fate.BUST: f"a six, {lost}",
            Fate.RESET: f"two sixes, {lost_all}",
        }[fate]
        yield Line(f"{name} rolls {shown}{again}: {consequence}", Tone.ROLL, seat)
        if fate is Fate.POINTS and (after.active, after.rolls) != (seat, before.rolls + 1):
            reason = "stops" if seat in self._rules.stops else "may roll no more and stops"
            text = f"{name} {reason} with {total}: {after.points_of(seat)} points"
            yield Line(text, Tone.SCORE, seat)

    def default(self, state: PiggySixState, legal: Sequence[SixAction]) -> int | None:
        # Enter rolls and d stops, as at every turn; a choice among dice has no default.
        return super().default(state, legal) if self._rules.three_dice else 0

    def involved(self, action: object) -> tuple[str, ...]:
        # Dice are no part of the state: every screen has some.
        return ("dice",) if isinstance(action, DiceRoll) else ("points",)

    def action_text(self, state: PiggySixState, action: SixAction) -> str:
        if isinstance(action, DiceRoll):
            if not self._rules.three_dice:
                return "Roll"
            dice = "one die" if action.dice == 1 else f"{action.dice} dice"
            return f"Roll {dice}"
        points = state.points_of(state.active) + state.total
        return f"Stop with {state.total}: {points} points" if state.total else "Pass"

    @property
    def page(self) -> str:
        rules = self._rules
        when = "each roll" if rules.dice_choice is DiceChoice.PER_ROLL else "each turn"
        shared = rules.tie is Tie.SHARE
        tie = "a tie is shared" if shared else "after a tie all have one more turn"
        end = _TARGET.format(target=rules.target, tie=tie)
        if rules.end is Ending.RACE:
            end = f"Who has **{rules.target}** points first wins at once."
        alone = _SOLITAIRE.format(
            when="after" if rules.order is Order.HUMAN_FIRST else "before",
            first=rules.bot_stop_1,
            second=rules.bot_stop_2,
            goal=", and with the target" if rules.bot_goal_stop else "",
        )
        return read_page(
            "piggy_six",
            dice=_DICE.format(when=when) if rules.three_dice else "There are **two dice**.",
            end=end,
            solitaire=alone if rules.solitaire else "",
            turn="A turn has at least one roll."
            if rules.must_roll
            else "You may pass without a roll.",
        )
