"""Scenarios of Piggy Six: whole turns with given dice, and stops of imaginary players."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.piggy_six import (
    MIN_PLAYERS,
    SIX,
    PiggySixRules,
    PiggySixState,
    begin_turn,
    count,
    roll,
    stop,
)
from pigglesim.landing import Seat
from pigglesim.scenarios.reader import (
    Events,
    Fields,
    GameScenarios,
    Mismatch,
    Scenario,
    as_list,
    member,
    whole,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    """Current state under the house rules of a scenario."""

    state: PiggySixState
    rules: PiggySixRules

    def seat(self, value: object) -> Seat:
        """Return the player that a scenario names."""
        return member("player", value, Seat, self.rules.seats)


_EVENTS = Events[_Scene]()


def _rules(scenario: Scenario, setup: Fields) -> PiggySixRules:
    """Return the house rules of a scenario.

    A roll of one die or three implies the three-dice game unless the house rules exclude it.
    """
    settings, seats = dict(scenario.config), [str(seat) for seat in Seat]
    named: Iterable[object] = [seat for seat, _ in setup.table("bank").items()]
    if "players" in setup:
        named = setup.list("players")
    numbers = (seats.index(seat) + 1 for seat in named if isinstance(seat, str) and seat in seats)
    count = max(numbers, default=0)
    if count > MIN_PLAYERS and not PiggySixRules.from_mapping(settings).solitaire:
        settings.setdefault("players", count)
    for value in scenario.events:
        rolls = Fields("an event", value).list("rolls", [])
        if any(isinstance(dice, list) and len(dice) in {1, 3} for dice in rolls):
            settings.setdefault("three_dice", True)
    return PiggySixRules.from_mapping(settings)


def _start(scenario: Scenario) -> _Scene:
    setup = Fields("the setup", scenario.setup, ("players", "bank", "round", "turn"))
    rules = _rules(scenario, setup)
    scene = _Scene(state=PiggySixState(bank=(0,) * len(rules.seats)), rules=rules)
    if "players" in setup:
        named = [scene.seat(value) for value in setup.list("players")]
        if tuple(named) != rules.seats:
            raise SpecError(
                f"players {', '.join(named)}",
                expected=", ".join(rules.seats),
                fix="name them in this order",
            )
    table = setup.table("bank", rules.seats)
    bank = tuple(table.whole(seat, 0, 0) for seat in rules.seats)
    first = scene.seat(setup.get("turn", rules.turn_order[0]))
    return replace(scene, state=begin_turn(bank, first, setup.whole("round", 1, 1), rules))


def _rolls(event: Fields) -> list[tuple[int, ...]]:
    """Return the dice of an event, roll by roll."""
    rolls = [as_list("a roll", dice) for dice in event.list("rolls")]
    if any(not 1 <= len(dice) <= 3 for dice in rolls):
        raise SpecError(f"rolls {rolls!r}", expected="1 to 3 dice each", fix="write [[3, 5]]")
    return [tuple(whole("a face", face, 1, SIX) for face in dice) for dice in rolls]


@_EVENTS.event("player", "rolls")
def _turn(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    """Play a turn whose dice are given, up to a stop unless it has ended by itself."""
    rules = scene.rules
    if scene.state.result is not None:
        raise IllegalActionError("a turn after the end", fix="leave the event out", rule="R3")
    seat = scene.seat(event.get("player", scene.state.active))
    state = start = begin_turn(scene.state.bank, seat, scene.state.round, rules)
    for number, faces in enumerate(_rolls(event)):
        # The end of a turn, or of the game, resets its count of rolls to zero.
        if state.rolls != number or state.result is not None:
            raise IllegalActionError(
                f"roll {number + 1}, {list(faces)}, after the turn of {seat} has ended",
                fix="leave it out",
                rule="R2",
            )
        state = count(state if state.rolling else roll(state, len(faces), rules), faces, rules)
    ended = state.rolls == 0 and state is not start
    return replace(scene, state=state if ended else stop(state, rules))


@_EVENTS.event("stop", "rolls", "used", "score")
def _expect_bot(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    """Play an imaginary player's turn, and compare the total at which it stops."""
    stops_at = whole("stop", event.need("stop"), 1)
    alone = replace(scene.rules, players=2, solitaire=True, bot_stop_1=stops_at)
    bot = next(iter(alone.stops))
    state, used = begin_turn((0, 0, 0), bot, 1, alone), 0
    for faces in _rolls(event):
        if state.active is not bot or state.result is not None:
            break
        state, used = count(replace(state, dice=len(faces)), faces, alone), used + 1
    ended = state.active is not bot or state.result is not None
    score = state.points_of(bot) if ended else state.total
    return event.differing(used=used, score=score) or scene


def _found(scene: _Scene) -> dict[str, object]:
    seats, result = scene.rules.seats, scene.state.result
    won = None if result is None else (result.shared or str(result.winner))
    return {"bank": {seat: scene.state.points_of(seat) for seat in seats}, "winner": won}


SCENARIOS = GameScenarios(_start, _EVENTS, _found)
