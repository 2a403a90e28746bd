"""Scenarios of Piggyback: what a unit may do, combats with given rolls, and exact odds."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from pigglesim.errors import IllegalActionError, SpecError, unknown_name
from pigglesim.games.piggyback.combat import Arms, attack_odds, free_boxes, settles
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.house_rules import MergeRule
from pigglesim.games.piggyback.moving import can_merge
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    MOST_UNITS,
    Ability,
    Held,
    Stack,
    at,
    neighbours,
)
from pigglesim.games.scenario import (
    Mismatch,
    Scenario,
    as_list,
    as_mapping,
    follow_events,
    only_keys,
)

_ODDS = re.compile(r"(\d+)([LF]*)v(\d+)([LF]*)")
_LARGEST_BOARD = 100


def play_scenario(scenario: Scenario) -> Mismatch | None:
    """Return the first difference between what a scenario expects and what the rules give.

    Raises:
        PigglesimError: If the scenario names something unknown or asks for something illegal.
    """
    game = Piggyback.from_settings(scenario.config)
    only_keys("key of a setup of piggyback", scenario.setup, {"board"})
    size = _whole("board", scenario.setup.get("board", game.layout.size), 1, _LARGEST_BOARD)
    nothing: dict[str, object] = {}
    found = follow_events(
        scenario,
        nothing,
        _EVENTS,
        lambda act, before, event: _gathered(before, act(event, game, size)),
    )
    if isinstance(found, Mismatch):
        return found
    for key, wanted in scenario.expected.items():
        if key not in _TOLD:
            raise unknown_name("key of expected", key, _TOLD)
        if found.get(key) != wanted:
            return Mismatch(key=key, expected=wanted, got=found.get(key))
    return None


_Event = Mapping[str, object]
_Found = Mismatch | dict[str, object]


def _gathered(before: dict[str, object], outcome: _Found) -> _Found:
    return outcome if isinstance(outcome, Mismatch) else before | outcome


def _need(event: _Event, key: str) -> object:
    if key not in event:
        raise SpecError(f"{key} in the event {event['do']}", got="none", remedy=f"add {key!r}")
    return event[key]


def _whole(what: str, value: object, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise SpecError(
            f"a whole number from {least} to {most} for {what}",
            got=repr(value),
            remedy=f'"{what}": {least}',
        )
    return value


def _space(what: str, value: object, size: int) -> tuple[int, int]:
    match value:
        case [int() as column, int() as row] if 1 <= column <= size and 1 <= row <= size:
            return column, row
        case _:
            raise SpecError(
                f"a space [column, row] from 1 to {size} for {what}",
                got=repr(value),
                remedy="[1, 1]",
            )


def _spaces(what: str, value: object, size: int) -> list[list[int]]:
    return sorted(list(_space(what, each, size)) for each in as_list(what, value))


def _reached(event: _Event, size: int) -> list[list[int]]:
    column, row = _space("from", _need(event, "from"), size)
    touching = neighbours(size)[at(column, row, size)]
    return sorted([space % size + 1, space // size + 1] for space in touching)


def _expect_moves(event: _Event, game: Piggyback, size: int) -> _Found:
    del game
    wanted, got = _spaces("moves", _need(event, "moves"), size), _reached(event, size)
    return {} if got == wanted else Mismatch(key=str(event["from"]), expected=wanted, got=got)


def _expect_move_count(event: _Event, game: Piggyback, size: int) -> _Found:
    del game
    wanted, got = _whole("count", _need(event, "count"), 0, 8), len(_reached(event, size))
    return {} if got == wanted else Mismatch(key=str(event["from"]), expected=wanted, got=got)


def _pair(event: _Event, key: str, least: int, most: int) -> tuple[int, int]:
    match as_list(key, _need(event, key)):
        case [one, other]:
            return _whole(key, one, least, most), _whole(key, other, least, most)
        case value:
            raise SpecError(f"two numbers for {key}", got=repr(value), remedy=f'"{key}": [1, 1]')


def _expect_merge(event: _Event, game: Piggyback, size: int) -> _Found:
    del size
    rules = game.rules
    if "rule" in event:
        word = event["rule"]
        if not isinstance(word, str) or word not in set(MergeRule):
            raise unknown_name("merge rule", str(word), MergeRule)
        rules = replace(rules, merge_rule=MergeRule(word))
    units = _pair(event, "units", 1, MOST_UNITS)
    counts = _pair(event, "abilities", 0, MOST_HELD) if "abilities" in event else (0, 0)
    # Which abilities they are never matters, only how many.
    one, other = (
        Stack(number, (Ability.GREEN,) * count) for number, count in zip(units, counts, strict=True)
    )
    wanted, got = _need(event, "legal"), can_merge(one, other, rules)
    return {} if got is wanted else Mismatch(key="legal", expected=wanted, got=got)


_SIDES = {"att": "attacker", "def": "defender"}


def _combat(event: _Event, game: Piggyback, size: int) -> _Found:
    del game, size
    result, spent = {}, {}
    for side, who in _SIDES.items():
        key = f"{side}_rolls"
        rolls = [_whole(key, face, 1, 6) for face in as_list(key, _need(event, key))]
        # Of a defender it is seldom told how many units roll: as many as the rolls need then.
        usual = max(1, min(len(rolls), MOST_UNITS)) if side == "def" else 1
        arms = Arms(
            units=_whole(f"{side}_units", event.get(f"{side}_units", usual), 1, MOST_UNITS),
            luck=_whole(f"{side}_luck", event.get(f"{side}_luck", 0), 0, MOST_HELD),
            force=_whole(f"{side}_force", event.get(f"{side}_force", 0), 0, MOST_HELD),
        )
        if not 1 <= len(rolls) <= arms.rolls:
            raise IllegalActionError(
                f"1 to {arms.rolls} rolls of the {who}: {arms.units} of the units, {arms.luck} of "
                "Luck",
                got=str(len(rolls)),
                remedy=f"leave some out, or give {side}_units or {side}_luck",
                rule="R4, R7",
            )
        # The units' own rolls come first, the last roll counts.
        result[side] = rolls[-1] + arms.force
        spent[f"{side}_luck_spent"] = max(0, len(rolls) - arms.units)
    winner = _SIDES["att" if settles(result["att"], result["def"]) else "def"]
    return {"winner": winner, **result, **spent}


def _expect_respawn(event: _Event, game: Piggyback, size: int) -> _Found:
    given = as_mapping("bank", _need(event, "bank"))
    bank: Held = ()
    for name, count in given.items():
        bank += (_ability(name),) * _whole(name, count, 0, 4)
    boxes = tuple(_initial(event, game, size))
    occupied = {
        (column - 1, row - 1)
        for column, row in _spaces("occupied", event.get("occupied", []), size)
    }
    taken = {row * size + column for column, row in occupied}
    got = {
        str(ability): sorted(
            [space % size + 1, space // size + 1]
            for space, of in free_boxes(bank, boxes, taken)
            if of is ability
        )
        for ability in Ability
    }
    wanted = {
        str(_ability(name)): _spaces(name, value, size)
        for name, value in as_mapping("boxes", _need(event, "boxes")).items()
    }
    for name, free in got.items():
        if free != wanted.get(name, []):
            return Mismatch(key=f"boxes.{name}", expected=wanted.get(name, []), got=free)
    return {}


def _initial(event: _Event, game: Piggyback, size: int) -> list[tuple[int, Ability]]:
    """Return the initial spaces that an event gives, or those of the layout."""
    if "initial" not in event:
        return list(game.layout.colours.items())
    return [
        (at(column, row, size), _ability(name))
        for name, spaces in as_mapping("initial", event["initial"]).items()
        for column, row in _spaces(name, spaces, size)
    ]


def _ability(name: str) -> Ability:
    if name not in set(Ability):
        raise unknown_name("ability", name, Ability)
    return Ability(name)


def _expect_odds(event: _Event, game: Piggyback, size: int) -> _Found:
    """Compare exact odds; `2LFv1` is an attacker of two units with a Luck and a Firepower."""
    del game, size
    for key, value in as_mapping("table", _need(event, "table")).items():
        match = _ODDS.fullmatch(key.replace(" ", ""))
        if match is None:
            raise SpecError("attacker v defender", got=repr(key), remedy='"2v1" or "2LFv1"')
        try:
            wanted = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            raise SpecError("a fraction", got=repr(value), remedy='"7/12"') from None
        attack, defence = (
            Arms(
                units=int(match[at]), luck=match[at + 1].count("L"), force=match[at + 1].count("F")
            )
            for at in (1, 3)
        )
        got = attack_odds(attack, defence)
        if got != wanted:
            return Mismatch(key=key, expected=str(wanted), got=str(got))
    return {}


_Act = Callable[[_Event, Piggyback, int], _Found]
_COMBAT_KEYS = frozenset(
    f"{side}_{key}" for side in _SIDES for key in ("rolls", "units", "luck", "force")
)
_EVENTS: Mapping[str, tuple[_Act, frozenset[str]]] = {
    "expect_moves": (_expect_moves, frozenset({"from", "moves"})),
    "expect_move_count": (_expect_move_count, frozenset({"from", "count"})),
    "expect_merge": (_expect_merge, frozenset({"units", "abilities", "legal", "rule"})),
    "combat": (_combat, _COMBAT_KEYS),
    "expect_respawn": (_expect_respawn, frozenset({"bank", "initial", "occupied", "boxes"})),
    "expect_odds": (_expect_odds, frozenset({"table"})),
}
"""What each event does, and the keys it may have besides `do`."""
_TOLD = frozenset({"winner", "att", "def", "att_luck_spent", "def_luck_spent"})
