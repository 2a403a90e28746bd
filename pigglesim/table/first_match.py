"""Notes of a first match of Classic: what a player has to know, at the moment it shows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesPhase, PigglesRules, PigglesState
from pigglesim.landing import Orientation, Seat
from pigglesim.table.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A note, and the moment from which on it can be shown."""

    moment: Callable[[PigglesState, Seat], bool]
    """Whether a state is that moment for a player."""
    text: str


def _loads(state: PigglesState, seat: Seat) -> bool:
    return state.phase is PigglesPhase.LOAD and state.active is seat


def _scores(state: PigglesState, seat: Seat) -> bool:
    own = state.on_board(seat)
    return any(landing.orientation is Orientation.SNOUT_UP for _, landing in own)


def _is_in_mud(state: PigglesState, seat: Seat) -> bool:
    return state.round > 1 and bool(state.side(seat).mud)


def _may_risk(state: PigglesState, seat: Seat) -> bool:
    loads = _loads(state, seat) and bool(state.side(seat).pen)
    return loads and state.round > 1 and _scores(state, seat)


LESSONS = (
    Lesson(
        moment=_loads,
        text="The six in the cup are yours. Take the cup with the mouse or a finger, shake it and "
        "let go. Or press Throw.",
    ),
    Lesson(
        moment=_scores,
        text="Each of yours that lies ▲ Snout-Up pays for where it lies: 3 in a field, 2 on a "
        "path, 1 in the woods. On a line, the lower of its two sides counts.",
    ),
    Lesson(
        moment=lambda state, seat: state.round > 1 and _scores(state, seat),
        text="▲ Snout-Up stays on the board and pays again in every round to come. So an early "
        "throw pays most.",
    ),
    Lesson(
        moment=_is_in_mud,
        text="▼ Snout-Down went to the Mud and comes back two rounds later. ◆ On-Their-Head goes "
        "to the Kitchen for good, and costs 1 a turn.",
    ),
    Lesson(
        moment=_may_risk,
        text="Why not throw all of them? A throw may knock over your own that pay already, and "
        "near the end it has few turns left to pay. In the Pen a Piggle is safe: press its button "
        "to leave it there.",
    ),
)
"""The notes, in the order in which they are shown."""


def lessons(session: Session, seat: Seat) -> Iterator[tuple[int, Lesson]]:
    """Yield the number of each note and the note, of those whose moment has come.

    They are of the default rules of Classic, the game of a first match.
    """
    game = session.game
    if session.is_puzzle or not isinstance(game, PigglesClassic) or game.rules != PigglesRules():
        return
    states = [*(event.before for event in session.events), session.state]
    for number, lesson in enumerate(LESSONS, start=1):
        if any(lesson.moment(state, seat) for state in states):
            yield number, lesson
