"""Random legal play of every game under any house rules."""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from pigglesim.chance.tabular import TabularChance
from pigglesim.games.game import Concede, Game, NonPlayer
from pigglesim.games.lord_of_the_pigs.game import LordOfThePigs
from pigglesim.games.lord_of_the_pigs.state import LordRules
from pigglesim.games.pig_pile import PigPile, PigPileRules
from pigglesim.games.piggles.effects import EffectOptions
from pigglesim.games.piggles.game import PigglesClassic, PigglesModern
from pigglesim.games.piggles.state import Lineup, Markings, ModernRules, PigglesRules, team
from pigglesim.games.piggy_six import PiggySix, PiggySixRules
from pigglesim.games.piggyback.game import Piggyback
from pigglesim.games.piggyback.state import OTHER, PiggybackRules
from pigglesim.games.piggyback.state import Move as Step
from pigglesim.games.registry import game_names, make_game
from pigglesim.games.switches import Switches, choices
from pigglesim.landing import BOARD_SEATS, Seat, Zone
from pigglesim.markings import Colour, Rune
from tests.support.simple_odds import simple_odds

FIELDS = (Zone.FIELD_NORTH, Zone.FIELD_EAST, Zone.FIELD_SOUTH, Zone.FIELD_WEST)
WILD = simple_odds(
    up=0.5,
    down=0.3,
    head=0.2,
    leaning=0.2,
    knock=0.4,
    zones={**dict.fromkeys(Zone, 0.05), **dict.fromkeys(FIELDS, 0.3), Zone.OFF: 0.15},
)
"""Heads, leaning, knocks and fields more often than on a table, so that every rule is reached."""
LIMITS = {
    PigglesRules: {"rounds": (1, 8), "reroll_cap": (0, 3), "sudden_cap": (0, 3)},
    ModernRules: {"rounds": (1, 8), "reroll_cap": (0, 3), "sudden_cap": (0, 3)},
    LordRules: {
        "turn_cap": (1, 30), "series_games": (1, 3), "alt_limit": (0, 3), "share_limit": (0, 2),
    },
    PiggybackRules: {"start_cap": (0, 2), "quiet_cap": (5, 120), "cap": (20, 300)},
    PiggySixRules: {
        "target": (1, 60), "players": (2, 8), "bot_stop_1": (1, 20), "bot_stop_2": (1, 20),
        "roll_cap": (1, 6), "round_cap": (1, 30),
    },
    PigPileRules: {"players": (2, 8), "rounds": (1, 3), "turn_cap": (1, 2000)},
}  # fmt: skip
"""Limits of the numbers; those that are not here stay at their defaults."""


@st.composite
def house_rules(draw: st.DrawFn, kind: type[Switches]) -> Any:
    """Draw house rules of which every switch may be set otherwise."""
    switches: dict[str, Any] = {}
    for spec in fields(kind):
        if isinstance(spec.default, StrEnum):
            switches[spec.name] = draw(st.sampled_from(choices(spec)))
        elif isinstance(spec.default, bool):
            switches[spec.name] = draw(st.booleans())
        elif spec.name in LIMITS[kind]:
            switches[spec.name] = draw(st.integers(*LIMITS[kind][spec.name]))
    if switches.get("solitaire"):
        del switches["players"]
    if kind is PigPileRules:
        seats = tuple(Seat)[: switches["players"]]
        switches["first_dealer"] = draw(st.sampled_from(seats))
    return kind(**switches)


def lineups() -> st.SearchStrategy[Lineup]:
    piece = st.builds(
        Markings, colour=st.sampled_from(Colour), rune=st.none() | st.sampled_from(Rune)
    )
    ids = tuple(piggle for seat in BOARD_SEATS for piggle in team(seat))
    pieces = st.lists(piece, min_size=len(ids), max_size=len(ids))
    return pieces.map(lambda own: tuple(zip(ids, own, strict=True)))


GAMES: dict[str, st.SearchStrategy[Any]] = {
    **{name: st.just(make_game(name)) for name in game_names()},
    "piggles_classic": st.builds(PigglesClassic, rules=house_rules(PigglesRules)),
    "piggles_modern": st.builds(
        PigglesModern,
        effects=st.builds(EffectOptions, rules=house_rules(ModernRules), lineup=lineups()),
    ),
    "lord_of_the_pigs": st.builds(LordOfThePigs, rules=house_rules(LordRules)),
    "pig_pile": st.builds(PigPile, rules=house_rules(PigPileRules)),
    "piggyback": st.builds(Piggyback, rules=house_rules(PiggybackRules)),
    "piggy_six": st.builds(PiggySix, rules=house_rules(PiggySixRules)),
}
"""Games by name, under any house rules; those that are not listed, under the default ones."""
SEEDS = st.integers(0, 2**32 - 1)


class Move(NamedTuple):
    """A state, the action or outcome applied to it, and the state after it."""

    before: Any
    move: Any
    after: Any


def walk(game: Game[Any, Any], seed: int, *, conceding: float = 0.0) -> Iterator[Move]:
    """Play a random game.

    Args:
        game: The rules; in Piggyback fights and abilities are sought.
        seed: Seed of actions and outcomes.
        conceding: The chance of each decision to be to give up where that is legal; otherwise
            nearly every game would end at once.
    """
    rng = np.random.default_rng(seed)
    chance = TabularChance(seed=seed, odds=WILD)
    state, rolls = game.initial_state(), 0
    while (turn := game.turn(state)) is not NonPlayer.OVER:
        if turn is NonPlayer.CHANCE:
            move: Any = chance.answer(game.chance_request(state), index=rolls)
            after = game.apply_outcome(state, move)
            rolls += 1
        else:
            legal = game.legal_actions(state)
            if Concede() in legal and rng.random() >= conceding:
                legal = _sought(state, [a for a in legal if a != Concede()], rng)
            move = legal[int(rng.integers(len(legal)))]
            after = game.apply_action(state, move)
        yield Move(state, move, after)
        state = after


def _sought(state: Any, legal: Sequence[Any], rng: np.random.Generator) -> Sequence[Any]:
    """Return the moves of Piggyback that fight or take a piece, half of the time."""
    moves = [action for action in legal if isinstance(action, Step)]
    if not moves or rng.random() < 0.5:
        return legal
    enemy = {space for space, _ in state.side(OTHER[state.active])}
    return [move for move in moves if move.take or move.target in enemy] or legal
