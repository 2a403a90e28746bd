"""Scenarios of Piggy Six: whole turns with given dice, and what imaginary players make of dice."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from pigglesim.errors import IllegalActionError, SpecError, unknown_name
from pigglesim.games.piggy_six.house_rules import MIN_PLAYERS, PiggySixRules
from pigglesim.games.piggy_six.state import SIX, PiggySixState
from pigglesim.games.piggy_six.turns import begin_turn, count, roll, stop
from pigglesim.games.scenario import (
    Mismatch,
    Scenario,
    as_list,
    as_mapping,
    follow_events,
    only_keys,
)
from pigglesim.landing import Seat

_SETUP = ("players", "bank", "round", "turn")
_EXPECTED = ("bank", "winner")

_INDEX: Mapping[object, int] = {str(seat): number for number, seat in enumerate(Seat)}

Event = Mapping[str, object]
Act = Callable[[PiggySixState, Event, PiggySixRules], PiggySixState | Mismatch]


def play_scenario(scenario: Scenario) -> Mismatch | None:
    """Return the first difference between what a scenario expects and what the rules give.

    Dice tell which game is played: where a roll has one die or three and the house rules do not
    say otherwise, the three-dice game is.

    Raises:
        PigglesimError: If the scenario names something unknown or asks for something illegal.
    """
    rules = _rules(scenario)
    start = _read_setup(scenario.setup, rules)
    only_keys("key of expected", scenario.expected, _EXPECTED)
    state = follow_events(
        scenario,
        start,
        _EVENTS,
        lambda act, now, event: act(now, event, rules),
    )
    if isinstance(state, Mismatch):
        return state
    return _compare(scenario.expected, state, rules)


def _rules(scenario: Scenario) -> PiggySixRules:
    settings = dict(scenario.config)
    named = scenario.setup.get("players", as_mapping("bank", scenario.setup.get("bank", {})))
    seats = [seat for seat in _names(named) if isinstance(seat, str) and seat in _INDEX]
    count = max((_INDEX[seat] + 1 for seat in seats), default=0)
    if count > MIN_PLAYERS and not PiggySixRules.from_mapping(settings).solitaire:
        settings.setdefault("players", count)
    thrown = {
        len(dice)
        for event in scenario.events
        for dice in as_list("rolls", event.get("rolls", []))
        if isinstance(dice, list)
    }
    if thrown & {1, 3}:
        settings.setdefault("three_dice", True)
    return PiggySixRules.from_mapping(settings)


def _read_setup(setup: Mapping[str, object], rules: PiggySixRules) -> PiggySixState:
    only_keys("key of the setup", setup, _SETUP)
    if "players" in setup:
        named = [_seat(value, rules) for value in as_list("players", setup["players"])]
        if tuple(named) != rules.seats:
            raise SpecError(
                f"the players {', '.join(rules.seats)} in their order",
                got=", ".join(named),
                remedy="name them from A on, each once, as many as the house rules say",
            )
    given = as_mapping("bank", setup.get("bank", {}))
    bank = {_seat(seat, rules): _whole(f"bank of {seat}", value) for seat, value in given.items()}
    state = PiggySixState(
        bank=tuple(bank.get(seat, 0) for seat in rules.seats),
        round=_whole("round", setup.get("round", 1), least=1),
    )
    return begin_turn(state, _seat(setup.get("turn", rules.turn_order[0]), rules), rules)


def _names(players: object) -> list[object]:
    return list(players) if isinstance(players, Mapping) else as_list("players", players)


def _seat(value: object, rules: PiggySixRules) -> Seat:
    if not isinstance(value, str) or value not in rules.seats:
        raise unknown_name("player", str(value), rules.seats)
    return Seat(value)


def _whole(what: str, value: object, *, least: int = 0) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise SpecError(f"a whole number from {least} for {what}", got=repr(value), remedy="12")
    return value


def _need(event: Event, key: str) -> object:
    if key not in event:
        raise SpecError(f"{key} in the event {event['do']}", got="none", remedy=f"add {key!r}")
    return event[key]


def _rolls(event: Event) -> list[tuple[int, ...]]:
    """Return the dice of an event, roll by roll."""
    rolls = [as_list("a roll", dice) for dice in as_list("rolls", _need(event, "rolls"))]
    for dice in rolls:
        wrong = [face for face in dice if type(face) is not int or not 1 <= face <= SIX]
        if wrong or not 1 <= len(dice) <= 3:
            raise SpecError(
                "one, two or three faces from 1 to 6 a roll", got=repr(dice), remedy="[3, 5]"
            )
    return [tuple(_whole("a face", face) for face in dice) for dice in rolls]


def _turn(state: PiggySixState, event: Event, rules: PiggySixRules) -> PiggySixState:
    """Play a turn whose dice are given, up to a stop unless it has ended by itself."""
    if state.result is not None:
        raise IllegalActionError(
            "a turn before the end of the game",
            got=f"one after it: {state.result.reason}",
            remedy="leave the event out",
            rule="R3",
        )
    seat = _seat(event.get("player", state.active), rules)
    start = begin_turn(state, seat, rules)
    now = start
    for number, faces in enumerate(_rolls(event)):
        # What has ended a turn, or the game with it, has put its count of rolls back to none.
        if now.rolls != number or now.result is not None:
            raise IllegalActionError(
                f"no roll after the turn of {seat} has ended",
                got=f"roll {number + 1}, {list(faces)}",
                remedy="leave it out",
                rule="R2",
            )
        now = count(now if now.rolling else roll(now, len(faces), rules), faces, rules)
    ended = now.rolls == 0 and now is not start
    return now if ended else stop(now, rules)


def _expect_bot(
    state: PiggySixState, event: Event, rules: PiggySixRules
) -> PiggySixState | Mismatch:
    """Let an imaginary player go on by itself, and compare where it stops."""
    stops_at = _whole("stop", _need(event, "stop"), least=1)
    alone = replace(rules, players=2, solitaire=True, bot_stop_1=stops_at)
    bot = next(iter(alone.stops))
    now, used = begin_turn(PiggySixState(bank=(0, 0, 0)), bot, alone), 0
    for faces in _rolls(event):
        if now.active is not bot or now.result is not None:
            break
        now, used = count(replace(now, dice=len(faces)), faces, alone), used + 1
    ended = now.active is not bot or now.result is not None
    score = now.points_of(bot) if ended else now.total
    for key, got in (("used", used), ("score", score)):
        if key in event and event[key] != got:
            return Mismatch(key=key, expected=event[key], got=got)
    return state


_EVENTS: Mapping[str, tuple[Act, frozenset[str]]] = {
    "turn": (_turn, frozenset({"player", "rolls"})),
    "expect_bot": (_expect_bot, frozenset({"stop", "rolls", "used", "score"})),
}
"""What each event does, and the keys it may have besides `do`."""


def _compare(
    expected: Mapping[str, object], state: PiggySixState, rules: PiggySixRules
) -> Mismatch | None:
    for seat, points in as_mapping("bank", expected.get("bank", {})).items():
        got = state.points_of(_seat(seat, rules))
        if got != points:
            return Mismatch(key=f"bank.{seat}", expected=points, got=got)
    if "winner" not in expected:
        return None
    wanted, result = expected["winner"], state.result
    won = () if result is None else (result.shared or (result.winner,))
    names = [str(seat) for seat in won]
    found = names if len(names) > 1 else names[0] if names else None
    same = (
        sorted(map(str, wanted)) == sorted(names) if isinstance(wanted, list) else wanted == found
    )
    return None if same else Mismatch(key="winner", expected=wanted, got=found)
