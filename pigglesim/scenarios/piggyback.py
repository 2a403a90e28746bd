"""Scenarios of Piggyback: legal moves of a unit, combats with given rolls, and exact odds."""

import re
from dataclasses import dataclass, field, replace
from fractions import Fraction

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    MOST_UNITS,
    Ability,
    MergeRule,
    Stack,
    at,
    neighbours,
)
from pigglesim.games.piggyback.turns import Arms, attack_odds, can_merge, free_boxes, settles
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

_ODDS = re.compile(r"(\d+)([LF]*)v(\d+)([LF]*)")
_LARGEST_BOARD = 100
_SIDES = {"att": "attacker", "def": "defender"}
_FOUND = ("winner", *_SIDES, *(f"{side}_luck_spent" for side in _SIDES))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
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


_EVENTS = Events[_Scene]()


def _start(scenario: Scenario) -> _Scene:
    game = Piggyback.from_settings(scenario.config)
    setup = Fields("the setup", scenario.setup, {"board"})
    return _Scene(game=game, size=setup.whole("board", game.layout.size, 1, _LARGEST_BOARD))


def _reached(scene: _Scene, event: Fields) -> list[list[int]]:
    column, row = scene.space("from", event.need("from"))
    return scene.shown(neighbours(scene.size)[at(column, row, scene.size)])


@_EVENTS.event("from", "moves")
def _expect_moves(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    wanted = scene.spaces("moves", event.need("moves"))
    return differing(wanted, _reached(scene, event), str(event.get("from"))) or scene


@_EVENTS.event("from", "count")
def _expect_move_count(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    event.need("count")
    return event.differing(count=len(_reached(scene, event))) or scene


def _pair(event: Fields, key: str, least: int, most: int) -> tuple[int, int]:
    match event.list(key, [0, 0]):
        case [one, other]:
            return whole(key, one, least, most), whole(key, other, least, most)
        case value:
            raise SpecError(f"{key} {value!r} are not two", fix=f'use "{key}": [1, 1]')


@_EVENTS.event("units", "abilities", "legal", "rule")
def _expect_merge(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    rules = scene.game.rules
    rule = member("merge rule", event.get("rule", rules.merge_rule), MergeRule)
    units, held = _pair(event, "units", 1, MOST_UNITS), _pair(event, "abilities", 0, MOST_HELD)
    # Only the number of abilities matters, not their kinds.
    one, other = (Stack(units[n], (Ability.GREEN,) * held[n]) for n in (0, 1))
    event.need("legal")
    legal = can_merge(one, other, replace(rules, merge_rule=rule))
    return event.differing(legal=legal) or scene


@_EVENTS.event(*(f"{side}_{key}" for side in _SIDES for key in ("rolls", "units", "luck", "force")))
def _combat(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    result: dict[str, int] = {}
    spent: dict[str, int] = {}
    for side, who in _SIDES.items():
        rolls = [whole(f"{side}_rolls", face, 1, 6) for face in event.list(f"{side}_rolls")]
        # Few scenarios give the units of a defender. Default: as many as its rolls need.
        usual = max(1, min(len(rolls), MOST_UNITS)) if side == "def" else 1
        arms = Arms(
            units=event.whole(f"{side}_units", usual, 1, MOST_UNITS),
            luck=event.whole(f"{side}_luck", 0, 0, MOST_HELD),
            force=event.whole(f"{side}_force", 0, 0, MOST_HELD),
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


@_EVENTS.event("bank", "initial", "occupied", "boxes")
def _expect_respawn(scene: _Scene, event: Fields) -> _Scene | Mismatch:
    event.need("bank")
    bank, boxes = event.table("bank", Ability), tuple(scene.game.layout.colours.items())
    if "initial" in event:
        boxes = tuple(
            (at(column, row, scene.size), Ability(name))
            for name, spaces in event.table("initial", Ability).items()
            for column, row in scene.spaces(name, spaces)
        )
    occupied = scene.spaces("occupied", event.get("occupied", []))
    free = free_boxes(
        tuple(ability for ability in Ability for _ in range(bank.whole(ability, 0, 0, 4))),
        boxes,
        {at(column, row, scene.size) for column, row in occupied},
    )
    event.need("boxes")
    table = event.table("boxes", Ability)
    wanted = {str(name): scene.spaces(name, table.get(name, [])) for name in Ability}
    got = {str(name): scene.shown(tuple(box for box, of in free if of is name)) for name in Ability}
    return differing(wanted, got, "boxes") or scene


@_EVENTS.event("table")
def _expect_odds(scene: _Scene, event: Fields) -> _Scene | Mismatch:
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


def _found(scene: _Scene) -> dict[str, object]:
    return {**dict.fromkeys(_FOUND), **scene.found}


SCENARIOS = GameScenarios(_start, _EVENTS, _found)
