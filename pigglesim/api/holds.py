"""Luck of throws by hand, split into the hold that was chosen and the fall that came.

Let V be the win probability after a throw, H the hold, D the scene's own hold, and w the places of
the Piggles in the cup:

    hold = E[V(H, w)] - E[V(D, w)]     the same throws w for both
    fall = V(as it fell) - E[V(H, w)]
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from pigglesim.api.match import PlayedMatch
from pigglesim.api.sources import chance_of_record
from pigglesim.arguments import checked
from pigglesim.chance.physical import PhysicalChance
from pigglesim.chance.tabular import believed_chance
from pigglesim.errors import SpecError
from pigglesim.experiments.interval import Interval
from pigglesim.experiments.statistics import mean_of
from pigglesim.experiments.values import REVIEW_SEED, Evaluator
from pigglesim.games.game import NonPlayer
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import RollRequest, Seat
from pigglesim.match.entries import Decision, MatchRecord
from pigglesim.match.replay import playback_of
from pigglesim.match.runner import MatchEvent
from pigglesim.rng import MAX_SUB_SEED, Seed, generator, root_seed
from pigglesim.table.view import make_view
from pigglesim.throws import Pour
from pigglesim.units import MINUS

THROWS = 100
"""Default throws with each hold: a few seconds for six Piggles by engine impulse."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldValue:
    """Gain of a player by a throw with an own hold of the cup, in win probability."""

    decision: int
    """Number of the decision that chose the hold."""
    seat: str
    name: str
    """Decision in words, with its round and player."""
    hold: Interval
    """Mean with this hold, less that with the usual one, over the places in the cup."""
    fall: Interval
    """Win probability after the throw as it fell, less the mean with this hold."""
    throws: int
    """Throws with each hold."""

    @property
    def sentence(self) -> str:
        """Both parts in a line, such as `the hold gave +1.2 ± 4.0 %, the fall +7.5 ± 3.1 %`."""
        return f"the hold gave {_points(self.hold)}, the fall {_points(self.fall)}"


def _points(value: Interval) -> str:
    text = f"{100 * value.value:+.1f} ± {50 * (value.high - value.low):.1f} %"
    return text.replace("-", MINUS)


@checked
def hold_values(
    match: MatchRecord | PlayedMatch,
    *,
    decision: int | None = None,
    throws: int = THROWS,
    seed: Seed = REVIEW_SEED,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[HoldValue, ...]:
    """Return what each throw with an own hold of the cup gave, split into hold and fall.

    The throw is made again with other places of the Piggles in the cup: with the hold, and with the
    usual one of the scene, onto the same board. Playouts by odds value each result. So the hold is
    measured apart from the luck of the fall.

    Args:
        match: Match on physics, or its record.
        decision: Number of the decision whose throw is looked at. Default: all of them.
        throws: Throws with each hold, 5 to 10,000.
        seed: Root seed, or a stream to draw it from.
        progress: Function called with the numbers of throws done and wanted.

    Returns:
        The throws in order, with 95 % intervals; none if nobody has held the cup.

    Raises:
        PigglesimError: If the match was not rolled on physics, or by another version; or if the
            decision is not one that holds the cup.

    Examples:
        >>> import pigglesim
        >>> match = pigglesim.play_match(chance="physical", seed=7)
        >>> pigglesim.hold_values(match)
        ()
    """
    record = match.record if isinstance(match, PlayedMatch) else match
    if not 5 <= throws <= 10_000:
        raise SpecError(f"invalid throws {throws}", expected="5 to 10000", fix="use throws=100")
    source = chance_of_record(record.header, instead="look at a match on physics")
    held = [each for each in held_throws(record) if decision in (None, each[0].index)]
    if decision is not None and not held:
        raise SpecError(
            f"decision {decision} does not hold the cup", fix="choose one that does, or none"
        )
    root, done = root_seed(seed), 0

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, throws * len(held))

    return tuple(_value(record, source, *each, throws, root, step) for each in held)


def held_throws(record: MatchRecord) -> Iterator[tuple[Decision, Any, MatchEvent[Any]]]:
    """Yield each throw with an own hold: the decision, the state before it, and the throw."""
    playback = playback_of(record)
    decision: Decision | None = None
    state: Any = None
    for entry in record.entries:
        before = playback.progress.state
        event = playback.take(entry)
        if isinstance(entry, Decision):
            decision, state = entry, before
        elif decision is not None and playback.game.turn(before) is NonPlayer.CHANCE:
            request = playback.game.chance_request(before)
            if isinstance(request, RollRequest) and request.hold is not None:
                yield decision, state, event


def _value(
    record: MatchRecord,
    source: PhysicalChance,
    decision: Decision,
    state: Any,  # noqa: ANN401 (a state of the game)
    throw: MatchEvent[Any],
    throws: int,
    root: int,
    step: Callable[[], None],
) -> HoldValue:
    game = playback_of(record).game
    view = make_view(game)
    view.people = record.header.names
    values = Evaluator(game, believed_chance(None, record.header.teams), seed=root)
    request = game.chance_request(throw.before)
    assert isinstance(request, RollRequest)
    seat = Seat(request.thrower)
    own: list[float] = []
    usual: list[float] = []
    fell: list[float] = []
    for number in range(throws):
        rng = generator(root, "hold", decision.index, number)
        again = source.with_seed(int(rng.integers(MAX_SUB_SEED)))
        hold = request.hold
        if isinstance(hold, HandThrow):
            bodies = tuple(source.models[name] for name in request.piggles)
            hold = Pour(scene=source.scene, seat=seat).held(bodies, hold.samples, rng=rng)
        for found, held in ((own, hold), (usual, None)):
            rolled = again.roll(replace(request, hold=held), index=0)
            after = game.apply_outcome(throw.before, rolled)
            found.append(values.shares(after, "hold", number)[seat])
        fell.append(values.shares(throw.after, "hold", number)[seat])
        step()
    what = view.action_text(state, game.parse_action(decision.action))
    return HoldValue(
        decision=decision.index,
        seat=str(seat),
        name=f"{view.time(state)}, {view.names[seat]}: {what}",
        hold=mean_of(a - b for a, b in zip(own, usual, strict=True)),
        fall=mean_of(a - b for a, b in zip(fell, own, strict=True)),
        throws=throws,
    )
