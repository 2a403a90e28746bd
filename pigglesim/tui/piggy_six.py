"""The rules of Piggy Six in brief, as the house rules have them."""

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text

from pigglesim.games.piggy_six.game import PiggySix, SixAction
from pigglesim.games.piggy_six.house_rules import DiceChoice, Ending, PiggySixRules, Tie
from pigglesim.games.piggy_six.rules import DiceRoll, Fate, PiggySixState, Stop, fate_of
from pigglesim.landing import Seat
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.tui.game_view import Area, GameView, Line, Tone


def _rules_page(rules: PiggySixRules) -> str:
    """Return the rules in Markdown, to be read within a minute.

    Args:
        rules: The house rules in force.
    """
    parts = [
        "# Piggy Six\n",
        "In your turn roll, and roll again as often as you dare: what the dice show adds up. Stop, "
        "and the sum of the turn is written down for good.\n",
        "- **One six** ends the turn, and it brings nothing.\n"
        "- **Two sixes** end the turn, and all points that you have are lost.\n",
        _dice(rules),
        _end(rules),
    ]
    if rules.solitaire:
        parts.append(
            "You play alone against two imaginary players. They roll by themselves and stop at "
            f"{rules.bot_stop_1} and {rules.bot_stop_2} points a turn, or better.\n"
        )
    parts.append(
        "A turn has at least one roll.\n" if rules.must_roll else "You may pass without a roll.\n"
    )
    return "\n".join(parts)


def _dice(rules: PiggySixRules) -> str:
    if not rules.three_dice:
        return "There are **two dice**.\n"
    when = "each roll" if rules.dice_choice is DiceChoice.PER_ROLL else "each turn"
    return (
        f"For {when} choose **one die, two or three**: any six ends the turn, two or three sixes "
        "take all. One die alone can never do that.\n"
    )


def _end(rules: PiggySixRules) -> str:
    if rules.end is Ending.RACE:
        return f"Who has **{rules.target}** points first wins at once.\n"
    tie = "a tie is shared" if rules.tie is Tie.SHARE else "after a tie everybody has one more turn"
    return (
        f"When somebody has **{rules.target}** points the round is completed, so that all have had "
        f"as many turns. Most points win; {tie}.\n"
    )


_BAR = 40
"""Letters of a bar from nothing to the target."""
_ONE_SET = 6
"""Players up to which one set of dice goes round (R4)."""
_FACES = "⚀⚁⚂⚃⚄⚅"
_LOSES = {1: "1 in 6", 2: "10 in 36", 3: "75 in 216"}
_RESETS = {2: "1 in 36", 3: "16 in 216"}


class PiggySixView(GameView):
    """Piggy Six on the screen.

    Args:
        game: The game, under house rules of its own.
    """

    in_window = True
    done = Stop()

    def __init__(self, game: PiggySix) -> None:
        super().__init__(game)
        self._rules = game.rules

    @property
    def names(self) -> Mapping[Seat, str]:
        """The letters of the seats; of imaginary players also where they stop."""
        stops = self._rules.stops
        return {
            seat: f"Imaginary {seat} (stops at {stops[seat]})"
            if seat in stops
            else f"Player {seat}"
            for seat in self._rules.seats
        }

    def table(self, state: PiggySixState, viewer: Seat | None) -> Text:
        """Return everybody's points as bars, with those of the turn in another shade."""
        del viewer
        names = self.names
        width = max(len(name) for name in names.values())
        text = Text()
        for seat, name in names.items():
            points = state.points_of(seat)
            turn = state.total if seat is state.active else 0
            moves = state.result is None and seat is state.active
            text.append("▸ " if moves else "  ", style="bold")
            text.append(f"{name:{width}}  ", style="bold" if moves else "")
            text.append_text(_bar(points, turn, self._rules.target))
            text.append(f" {points:>4}", style="bold")
            text.append(f" + {turn}" if turn else "")
            text.append("\n")
        text.append(f"\n  {'':{width}}  target {self._rules.target}", style="dim")
        return text

    def heading(self, state: PiggySixState) -> str:
        """Return the round and whose turn it is, and for a large group with which dice."""
        if state.result is not None:
            return f"Round {state.round} · the match is over"
        dice = ""
        if len(self._rules.seats) > _ONE_SET:
            # One set carries a round, and the other follows it with the next.
            dice = f" · dice set {2 - state.round % 2}"
        return f"Round {state.round} · {self.names[state.active]}{dice}"

    def guide(self, state: PiggySixState, seat: Seat | None) -> str:
        """Return what is at stake."""
        if state.result is not None:
            return "The match is over. Nothing more can be rolled."
        if seat is None:
            return f"{self.names[state.active]} is rolling."
        points = state.points_of(seat)
        last = self._last_turn(state, seat)
        if not state.rolls:
            must = "Roll." if self._rules.must_roll else "Roll, or pass."
            take = f" and take all {points} points" if points else ""
            return f"{must} One six ends the turn, and so do two{take}.{last}"
        risk = _LOSES[2] if self._rules.dice_numbers == (2,) else "by the number of dice"
        both = _RESETS[2] if self._rules.dice_numbers == (2,) else "with two dice or three"
        two = f", two all {points} points too ({both})" if points else ""
        return (
            f"Roll on, or stop and have {points + state.total}? One six loses the {state.total} of "
            f"this turn ({risk}){two}.{last}"
        )

    def _last_turn(self, state: PiggySixState, seat: Seat) -> str:
        best = max(state.bank)
        if self._rules.end is Ending.RACE or best < self._rules.target:
            return ""
        return f" It is your last turn: to win, have more than {best}."

    def areas(self, state: PiggySixState) -> Sequence[Area]:
        """Return everybody's points, and those of the turn."""
        seats = self._rules.seats
        points = {seat: str(state.points_of(seat)) for seat in seats}
        turn = {seat: str(state.total) if seat is state.active else "-" for seat in seats}
        return [Area(name="points", held=points), Area(name="this turn", held=turn)]

    def decided(
        self, event: MatchEvent[PiggySixState], seat: Seat, action: SixAction
    ) -> Iterator[Line]:
        """Return a stop; rolls are told with their faces."""
        if isinstance(action, Stop):
            has = event.after.points_of(seat)
            text = f"{self.names[seat]} stops with {event.before.total}: {has} points"
            yield Line(text=text, tone=Tone.SCORE, seat=seat)

    def rolled(self, event: MatchEvent[PiggySixState], outcome: MatchOutcome) -> Iterator[Line]:
        """Return the faces, and what has become of the points."""
        before, after = event.before, event.after
        seat, name = outcome.thrower, self.names[outcome.thrower]
        faces = tuple(getattr(outcome.result, "faces", ()))
        throws = getattr(outcome.result, "throws", 1)
        shown = " ".join(f"{_FACES[face - 1]} {face}" for face in faces)
        again = f" (cocked, thrown {throws} times)" if throws > 1 else ""
        match fate_of(faces):
            case Fate.POINTS:
                total = before.total + sum(faces)
                text = f"{name} rolls {shown}{again}: + {sum(faces)}, {total} in this turn"
                yield Line(text=text, tone=Tone.ROLL, seat=seat)
                if (after.active, after.rolls) != (seat, before.rolls + 1):
                    why = "stops" if seat in self._rules.stops else "may roll no more and stops"
                    text = f"{name} {why} with {total}: {after.points_of(seat)} points"
                    yield Line(text=text, tone=Tone.SCORE, seat=seat)
            case Fate.BUST:
                lost = (
                    f"the {before.total} points of the turn are lost"
                    if before.total
                    else "no points"
                )
                text = f"{name} rolls {shown}{again}: a six, {lost}"
                yield Line(text=text, tone=Tone.ROLL, seat=seat)
            case Fate.RESET:
                had = before.points_of(seat) + before.total
                text = f"{name} rolls {shown}{again}: two sixes, all {had} points are lost"
                yield Line(text=text, tone=Tone.ROLL, seat=seat)

    def say(self, state: PiggySixState, action: SixAction) -> str:
        """Return an action as a person would say it."""
        if isinstance(action, DiceRoll):
            if not self._rules.three_dice:
                return "Roll"
            dice = "one die" if action.dice == 1 else f"{action.dice} dice"
            return f"Roll {dice}"
        points = state.points_of(state.active) + state.total
        return f"Stop with {state.total}: {points} points" if state.total else "Pass"

    @property
    def page(self) -> str:
        """The rules in brief."""
        return _rules_page(self._rules)


def _bar(points: int, turn: int, target: int) -> Text:
    """Return points as a bar; what is above the target goes on beyond its end."""
    whole = round(_BAR * points / target)
    both = round(_BAR * (points + turn) / target)
    text = Text("█" * whole, style="green")
    text.append("▒" * (both - whole), style="yellow")
    text.append("·" * (_BAR - both), style="dim")
    return text
