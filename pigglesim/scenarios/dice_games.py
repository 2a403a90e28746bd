"""Scenarios of Piggy Six (whole turns) and Piggyback (moves, combats, odds), with given dice."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games import piggy_six as six
from pigglesim.games.piggyback import state as board
from pigglesim.games.piggyback.game import (
    Arms,
    Piggyback,
    attack_odds,
    can_merge,
    free_boxes,
    settles,
)
from pigglesim.landing import Seat
from pigglesim.scenarios.reader import (
    Events,
    Fields,
    GameScenarios,
    Mismatch,
    Scenario,
    as_list,
    differing,
    member,
    whole,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SixScene:
    """Current state under the house rules of a scenario."""

    state: six.PiggySixState
    rules: six.PiggySixRules

    def seat(self, value: object) -> Seat:
        """Return the player that a scenario names."""
        return member("player", value, Seat, self.rules.seats)


_SIX_EVENTS = Events[_SixScene]()


def _rules(scenario: Scenario, setup: Fields) -> six.PiggySixRules:
    """Return the house rules of a scenario.

    A roll of one die or three implies the three-dice game unless the house rules exclude it.
    """
    settings, seats = dict(scenario.config), [str(seat) for seat in Seat]
    named: Iterable[object] = [seat for seat, _ in setup.table("bank").items()]
    if "players" in setup:
        named = setup.list("players")
    numbers = (seats.index(seat) + 1 for seat in named if isinstance(seat, str) and seat in seats)
    count = max(numbers, default=0)
    if count > six.MIN_PLAYERS and not six.PiggySixRules.from_mapping(settings).solitaire:
        settings.setdefault("players", count)
    for value in scenario.events:
        rolls = Fields("an event", value).list("rolls", [])
        if any(isinstance(dice, list) and len(dice) in {1, 3} for dice in rolls):
            settings.setdefault("three_dice", True)
    return six.PiggySixRules.from_mapping(settings)


def _start_six(scenario: Scenario) -> _SixScene:
    setup = Fields("the setup", scenario.setup, ("players", "bank", "round", "turn"))
    rules = _rules(scenario, setup)
    scene = _SixScene(state=six.PiggySixState(bank=(0,) * len(rules.seats)), rules=rules)
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
    return replace(scene, state=six.begin_turn(bank, first, setup.whole("round", 1, 1), rules))


def _rolls(event: Fields) -> list[tuple[int, ...]]:
    """Return the dice of an event, roll by roll."""
    rolls = [as_list("a roll", dice) for dice in event.list("rolls")]
    if any(not 1 <= len(dice) <= 3 for dice in rolls):
        raise SpecError(f"rolls {rolls!r}", expected="1 to 3 dice each", fix="write [[3, 5]]")
    return [tuple(whole("a face", face, 1, six.SIX) for face in dice) for dice in rolls]


@_SIX_EVENTS.event("player", "rolls")
def _turn(scene: _SixScene, event: Fields) -> _SixScene | Mismatch:
    """Play a turn whose dice are given, up to a stop unless it has ended by itself."""
    rules = scene.rules
    if scene.state.result is not None:
        raise IllegalActionError("a turn after the end", fix="leave the event out", rule="R3")
    seat = scene.seat(event.get("player", scene.state.active))
    state = start = six.begin_turn(scene.state.bank, seat, scene.state.round, rules)
    for number, faces in enumerate(_rolls(event)):
        # The end of a turn, or of the game, resets its count of rolls to zero.
        if state.rolls != number or state.result is not None:
            raise IllegalActionError(
                f"roll {number + 1}, {list(faces)}, after the turn of {seat} has ended",
                fix="leave it out",
                rule="R2",
            )
        state = six.count(
            state if state.rolling else six.roll(state, len(faces), rules), faces, rules
        )
    ended = state.rolls == 0 and state is not start
    return replace(scene, state=state if ended else six.stop(state, rules))


@_SIX_EVENTS.event("stop", "rolls", "used", "score")
def _expect_bot(scene: _SixScene, event: Fields) -> _SixScene | Mismatch:
    """Play an imaginary player's turn, and compare the total at which it stops."""
    stops_at = whole("stop", event.need("stop"), 1)
    alone = replace(scene.rules, players=2, solitaire=True, bot_stop_1=stops_at)
    bot = next(iter(alone.stops))
    state, used = six.begin_turn((0, 0, 0), bot, 1, alone), 0
    for faces in _rolls(event):
        if state.active is not bot or state.result is not None:
            break
        state, used = six.count(replace(state, dice=len(faces)), faces, alone), used + 1
    ended = state.active is not bot or state.result is not None
    score = state.points_of(bot) if ended else state.total
    return event.differing(used=used, score=score) or scene


def _found_six(scene: _SixScene) -> dict[str, object]:
    seats, result = scene.rules.seats, scene.state.result
    won = None if result is None else (result.shared or str(result.winner))
    return {"bank": {seat: scene.state.points_of(seat) for seat in seats}, "winner": won}


PIGGY_SIX = GameScenarios(_start_six, _SIX_EVENTS, _found_six)


_ODDS = re.compile(r"(\d{1,9})([LF]*)v(\d{1,9})([LF]*)")
_LARGEST_BOARD = 100
_SIDES = {"att": "attacker", "def": "defender"}
_FOUND = ("winner", *_SIDES, *(f"{side}_luck_spent" for side in _SIDES))


@dataclass(frozen=True, slots=True, kw_only=True)
class _BoardScene:
    """Game on a board of some size, and the results of the events."""

    game: Piggyback
    size: int
    found: dict[str, object] = field(default_factory=dict)

    def space(self, what: str, value: object) -> tuple[int, int]:
        """Return column and row of a space, from 1."""
        match value:
            case [int() as column, int() as row] if (
                1 <= column <= self.size and 1 <= row <= self.size
            ):
                return column, row
            case _:
                raise SpecError(
                    f"invalid space {value!r} for {what}",
                    fix=f"use [column, row] from 1 to {self.size}",
                )

    def spaces(self, what: str, value: object) -> list[list[int]]:
        """Return columns and rows of a list of spaces, in order."""
        return sorted(list(self.space(what, each)) for each in as_list(what, value))

    def shown(self, spaces: tuple[int, ...]) -> list[list[int]]:
        """Return columns and rows of spaces by number, in order."""
        return sorted([space % self.size + 1, space // self.size + 1] for space in spaces)


_BOARD_EVENTS = Events[_BoardScene]()


def _start_board(scenario: Scenario) -> _BoardScene:
    game = Piggyback.from_settings(scenario.config)
    setup = Fields("the setup", scenario.setup, {"board"})
    return _BoardScene(game=game, size=setup.whole("board", game.layout.size, 1, _LARGEST_BOARD))


def _reached(scene: _BoardScene, event: Fields) -> list[list[int]]:
    column, row = scene.space("from", event.need("from"))
    return scene.shown(board.neighbours(scene.size)[board.at(column, row, scene.size)])


@_BOARD_EVENTS.event("from", "moves")
def _expect_moves(scene: _BoardScene, event: Fields) -> _BoardScene | Mismatch:
    wanted = scene.spaces("moves", event.need("moves"))
    return differing(wanted, _reached(scene, event), str(event.get("from"))) or scene


@_BOARD_EVENTS.event("from", "count")
def _expect_move_count(scene: _BoardScene, event: Fields) -> _BoardScene | Mismatch:
    event.need("count")
    return event.differing(count=len(_reached(scene, event))) or scene


def _pair(event: Fields, key: str, least: int, most: int) -> tuple[int, int]:
    match event.list(key, [0, 0]):
        case [one, other]:
            return whole(key, one, least, most), whole(key, other, least, most)
        case value:
            raise SpecError(f"{key} {value!r} are not two", fix=f'use "{key}": [1, 1]')


@_BOARD_EVENTS.event("units", "abilities", "legal", "rule")
def _expect_merge(scene: _BoardScene, event: Fields) -> _BoardScene | Mismatch:
    rules = scene.game.rules
    rule = member("merge rule", event.get("rule", rules.merge_rule), board.MergeRule)
    units, held = (
        _pair(event, "units", 1, board.MOST_UNITS),
        _pair(event, "abilities", 0, board.MOST_HELD),
    )
    # Only the number of abilities matters, not their kinds.
    one, other = (board.Stack(units[n], (board.Ability.GREEN,) * held[n]) for n in (0, 1))
    event.need("legal")
    legal = can_merge(one, other, replace(rules, merge_rule=rule))
    return event.differing(legal=legal) or scene


@_BOARD_EVENTS.event(
    *(f"{side}_{key}" for side in _SIDES for key in ("rolls", "units", "luck", "force"))
)
def _combat(scene: _BoardScene, event: Fields) -> _BoardScene | Mismatch:
    result: dict[str, int] = {}
    spent: dict[str, int] = {}
    for side, who in _SIDES.items():
        rolls = [whole(f"{side}_rolls", face, 1, 6) for face in event.list(f"{side}_rolls")]
        # Few scenarios give the units of a defender. Default: as many as its rolls need.
        usual = max(1, min(len(rolls), board.MOST_UNITS)) if side == "def" else 1
        arms = Arms(
            units=event.whole(f"{side}_units", usual, 1, board.MOST_UNITS),
            luck=event.whole(f"{side}_luck", 0, 0, board.MOST_HELD),
            force=event.whole(f"{side}_force", 0, 0, board.MOST_HELD),
        )
        if not 1 <= len(rolls) <= arms.rolls:
            raise IllegalActionError(
                f"{len(rolls)} rolls of the {who}",
                expected=f"1 to {arms.rolls}",
                fix=f"leave some out, or give {side}_units or {side}_luck",
                rule="R4, R7",
            )
        # The units' own rolls come first, the last roll counts.
        result[side] = rolls[-1] + arms.force
        spent[f"{side}_luck_spent"] = max(0, len(rolls) - arms.units)
    winner = _SIDES["att" if settles(result["att"], result["def"]) else "def"]
    return replace(scene, found={**scene.found, "winner": winner, **result, **spent})


@_BOARD_EVENTS.event("bank", "initial", "occupied", "boxes")
def _expect_respawn(scene: _BoardScene, event: Fields) -> _BoardScene | Mismatch:
    event.need("bank")
    bank, boxes = event.table("bank", board.Ability), tuple(scene.game.layout.colours.items())
    if "initial" in event:
        boxes = tuple(
            (board.at(column, row, scene.size), board.Ability(name))
            for name, spaces in event.table("initial", board.Ability).items()
            for column, row in scene.spaces(name, spaces)
        )
    occupied = scene.spaces("occupied", event.get("occupied", []))
    free = free_boxes(
        tuple(ability for ability in board.Ability for _ in range(bank.whole(ability, 0, 0, 4))),
        boxes,
        {board.at(column, row, scene.size) for column, row in occupied},
    )
    event.need("boxes")
    table = event.table("boxes", board.Ability)
    wanted = {str(name): scene.spaces(name, table.get(name, [])) for name in board.Ability}
    got = {
        str(name): scene.shown(tuple(box for box, of in free if of is name))
        for name in board.Ability
    }
    return differing(wanted, got, "boxes") or scene


@_BOARD_EVENTS.event("table")
def _expect_odds(scene: _BoardScene, event: Fields) -> _BoardScene | Mismatch:
    """Compare exact odds; `2LFv1` is an attacker of two units with a Luck and a Firepower."""
    event.need("table")
    for key, value in event.table("table").items():
        match = _ODDS.fullmatch(key.replace(" ", ""))
        if match is None:
            raise SpecError(f"invalid combat {key!r}", fix='use "2v1" or "2LFv1"')
        try:
            wanted = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            raise SpecError(f"odds {value!r} are not a fraction", fix='use "7/12"') from None
        attack, defence = (
            Arms(units=int(match[n]), luck=match[n + 1].count("L"), force=match[n + 1].count("F"))
            for n in (1, 3)
        )
        got = attack_odds(attack, defence)
        if got != wanted:
            return Mismatch(key=key, expected=str(wanted), got=str(got))
    return scene


def _found_on_board(scene: _BoardScene) -> dict[str, object]:
    return {**dict.fromkeys(_FOUND), **scene.found}


PIGGYBACK = GameScenarios(_start_board, _BOARD_EVENTS, _found_on_board)
