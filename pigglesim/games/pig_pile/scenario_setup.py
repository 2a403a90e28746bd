"""What scenarios of Pig Pile write: the state they begin with, and the one they expect.

The players are those that a setup lists, in clockwise order; what it does not mention is empty.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.change import changed
from pigglesim.games.pig_pile.dealing import round_awards, round_is_over
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.state import (
    DECK,
    PIG_PEN,
    VALUES,
    Cards,
    PigPilePhase,
    PigPileState,
    format_card,
)
from pigglesim.games.scenario import Mismatch, as_list, as_mapping, only_keys
from pigglesim.landing import Seat

_PLAYERS = {"hand", "up", "slop", "pigs"}
_SETUP = {
    *_PLAYERS, "players", "turn", "dealer", "round", "direction", "tied", "pile", "aside", "draw",
    "out",
}  # fmt: skip
_FILLER: Cards = (DECK[-1],)
"""The Slop of a player of whose cards nothing is told: it keeps the player in the round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PigPileSetup:
    """A round of a scenario: a state, and what a state does not know."""

    state: PigPileState
    rules: PigPileRules
    seats: tuple[Seat, ...]
    """Who plays, by number of player."""
    untold: frozenset[int]
    """Who has cards that do not matter."""
    turn_is_told: bool
    """Whether it is known whose turn it is; otherwise it is of the first who does anything."""

    def place(self, seat: Seat) -> int:
        """Return the number of a player.

        Raises:
            SpecError: If nobody plays there.
        """
        if seat not in self.seats:
            raise SpecError(
                "a seat that plays", got=repr(str(seat)), remedy=" or ".join(self.seats)
            )
        return self.seats.index(seat)

    def at(self, state: PigPileState) -> "PigPileSetup":
        """Return the scene with another state."""
        return replace(self, state=state, turn_is_told=True)

    @property
    def is_over(self) -> bool:
        """Whether nobody plays on."""
        return round_is_over(self.state, self.rules)


def read_seat(what: str, value: object) -> Seat:
    """Return the seat that a scenario names."""
    if not isinstance(value, str) or value not in set(Seat):
        raise unknown_name(f"seat for {what}", str(value), Seat)
    return Seat(value)


def read_cards(what: str, value: object) -> Cards:
    """Return cards of a scenario in the order given: numbers, and `"W"` for Hog Wild."""
    return tuple(_card(what, each) for each in as_list(what, value))


def _card(what: str, value: object) -> int:
    if value == "W":
        return 0
    if type(value) is int and value in VALUES and value:
        return value
    raise SpecError(f"cards for {what}", got=repr(value), remedy='1 to 12, or "W" for Hog Wild')


def plain_cards(cards: Cards) -> list[object]:
    """Return cards as a scenario writes them."""
    return [card or format_card(card) for card in cards]


def read_setup(setup: Mapping[str, object], rules: PigPileRules) -> PigPileSetup:
    """Return the round that a scenario begins with.

    Raises:
        SpecError: If a key is unknown or a value is of the wrong kind.
    """
    only_keys("key of a setup", setup, _SETUP)
    seats = rules.seats
    if "players" in setup:
        seats = tuple(read_seat("players", each) for each in as_list("players", setup["players"]))
        if len(set(seats)) < len(seats) or not 2 <= len(seats) <= len(Seat):
            raise SpecError(
                "two to eight players, each once",
                got=str(list(map(str, seats))),
                remedy='["A", "B"]',
            )
    given = {key: _by_seat(key, setup.get(key, {}), seats) for key in _PLAYERS}
    hands, ups, slops = (
        [read_cards(key, given[key].get(seat, [])) for seat in seats]
        for key in ("hand", "up", "slop")
    )
    pigs = tuple(_number("pigs", given["pigs"].get(seat, 0), 0, PIG_PEN) for seat in seats)
    out = tuple(read_seat("out", each) for each in as_list("out", setup.get("out", [])))
    untold = {
        at
        for at, seat in enumerate(seats)
        if not (hands[at] or ups[at] or slops[at]) and seat not in out
    }
    scene = PigPileSetup(
        state=PigPileState(
            phase=PigPilePhase.PLAY,
            round=_number("round", setup.get("round", 1), 1, 1000),
            direction=_direction(setup.get("direction", 1)),
            tied=_flag("tied", setup.get("tied", False)),
            hands=tuple(tuple(sorted(cards)) for cards in hands),
            known=((),) * len(seats),
            ups=tuple(tuple(sorted(cards)) for cards in ups),
            slops=tuple(_FILLER if at in untold else cards for at, cards in enumerate(slops)),
            draw=read_cards("draw", setup.get("draw", [])),
            pile=read_cards("pile", setup.get("pile", [])),
            aside=read_cards("aside", setup.get("aside", [])),
            pigs=pigs,
        ),
        rules=replace(rules, players=len(seats), first_dealer=Seat.A),
        seats=seats,
        untold=frozenset(untold),
        turn_is_told="turn" in setup,
    )
    dealer = scene.place(read_seat("dealer", setup.get("dealer", seats[0])))
    mover = scene.place(read_seat("turn", setup["turn"])) if scene.turn_is_told else dealer
    placed = tuple(scene.place(seat) for seat in out)
    state = changed(scene.state, dealer=dealer, mover=mover, out=placed)
    return replace(scene, state=state)


def _by_seat(key: str, value: object, seats: tuple[Seat, ...]) -> dict[Seat, object]:
    told = {read_seat(key, seat): item for seat, item in as_mapping(key, value).items()}
    for seat in told:
        if seat not in seats:
            raise SpecError(
                f"a seat that plays for {key}", got=repr(str(seat)), remedy=" or ".join(seats)
            )
    return told


def _number(what: str, value: object, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise SpecError(
            f"a whole number from {least} to {most} for {what}", got=repr(value), remedy=str(least)
        )
    return value


def _flag(what: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise SpecError(f"true or false for {what}", got=repr(value), remedy="true")
    return value


def _direction(value: object) -> Literal[1, -1]:
    if type(value) is int and value == 1:
        return 1
    if type(value) is int and value == -1:
        return -1
    raise SpecError("a direction of 1 or -1", got=repr(value), remedy="1, clockwise")


_Reading = Callable[[int], object]
"""Of a player by number, as a scenario writes it."""


def compare(expected: Mapping[str, object], scene: PigPileSetup) -> Mismatch | None:
    """Return the first difference between what is expected and a scene.

    A player's cards compare in any order, those of a pile in theirs.

    Raises:
        SpecError: If a key or a seat is unknown, or cards are none.
    """
    state = scene.state
    awards = round_awards(state) if scene.is_over else None
    by_player: dict[str, _Reading] = {
        "hand": lambda at: plain_cards(state.hands[at]),
        "up": lambda at: plain_cards(state.ups[at]),
        "slop": lambda at: plain_cards(state.slops[at]),
        "awards": lambda at: awards[at] if awards else None,
        "pigs": lambda at: state.pigs[at] + (awards[at] if awards else 0),
    }
    of_table: dict[str, object] = {
        "turn": None if scene.is_over else str(scene.seats[state.mover]),
        "direction": state.direction,
        "draw_count": len(state.draw),
        "pile": plain_cards(state.pile),
        "aside": plain_cards(state.aside),
        "out": [str(scene.seats[at]) for at in state.out],
    }
    only_keys("key of what is expected", expected, {*by_player, *of_table})
    for key, wanted in expected.items():
        if key == "awards" and wanted is None:
            mismatch = Mismatch(key=key, expected=None, got=list(awards)) if awards else None
        elif key in by_player:
            mismatch = _compare_players(key, wanted, scene, by_player[key])
        else:
            same = _same(wanted, of_table[key])
            mismatch = None if same else Mismatch(key=key, expected=wanted, got=of_table[key])
        if mismatch is not None:
            return mismatch
    return None


def _same(wanted: object, got: object) -> bool:
    """Return whether values are equal, and true is not taken for 1."""
    return type(wanted) is type(got) and wanted == got


def _compare_players(
    key: str, wanted: object, scene: PigPileSetup, reading: _Reading
) -> Mismatch | None:
    for seat, value in _by_seat(key, wanted, scene.seats).items():
        got = reading(scene.place(seat))
        if isinstance(got, list):
            cards = plain_cards(tuple(sorted(read_cards(key, value))))
            got = plain_cards(tuple(sorted(read_cards(key, got))))
            same = cards == got
        else:
            same = _same(value, got)
        if not same:
            return Mismatch(key=f"{key}.{seat}", expected=value, got=got)
    return None
