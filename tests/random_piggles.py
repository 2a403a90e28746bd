"""Random legal play of Piggles under any house rules, and positions with the seats exchanged."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from enum import StrEnum

import numpy as np
from hypothesis import strategies as st

from pigglesim.chance.tabular import TabularChance
from pigglesim.games.game import NonPlayer, Result
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.effects import EffectOptions
from pigglesim.games.piggles.game import Piggles, PigglesAction, PigglesClassic, PigglesModern
from pigglesim.games.piggles.house_rules import ModernRules, PigglesRules
from pigglesim.games.piggles.state import Act, Lineup, Piece, PigglesSide, PigglesState, owner, team
from pigglesim.games.piggles.turns import Step
from pigglesim.games.switches import choices
from pigglesim.landing import BOARD_SEATS, Knock, Landing, RollResult, Seat, Zone
from pigglesim.markings import Colour, Rune
from tests.simple_odds import simple_odds

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
COMMON = (Rune.LEFT, Rune.RIGHT, Rune.ADJACENT)
SMALL = {"rounds": (1, 8), "reroll_cap": (0, 3), "sudden_cap": (0, 3)}


def house_rules(kind: type[PigglesRules]) -> st.SearchStrategy[PigglesRules]:
    switches = {}
    for spec in fields(kind):
        if isinstance(spec.default, StrEnum):
            switches[spec.name] = st.sampled_from(choices(spec))
        elif isinstance(spec.default, bool):
            switches[spec.name] = st.booleans()
        elif spec.name in SMALL:
            switches[spec.name] = st.integers(*SMALL[spec.name])
    return st.builds(kind, **switches)


def lineups() -> st.SearchStrategy[Lineup]:
    piece = st.builds(Piece, colour=st.sampled_from(Colour), rune=st.none() | st.sampled_from(Rune))
    ids = (*team(Seat.A), *team(Seat.B))
    pieces = st.lists(piece, min_size=len(ids), max_size=len(ids))
    return pieces.map(lambda own: tuple(zip(ids, own, strict=True)))


classics = st.builds(PigglesClassic, rules=house_rules(PigglesRules))
moderns = st.builds(
    lambda rules, lineup: PigglesModern(table=EffectOptions(rules=rules, lineup=lineup)),
    house_rules(ModernRules),
    lineups(),
)


@dataclass(frozen=True)
class Move:
    """A position, what was done in it and what followed."""

    before: PigglesState
    move: PigglesAction | RollResult
    steps: list[Step]

    @property
    def after(self) -> PigglesState:
        return self.steps[-1].state


def walk(game: Piggles, seed: int) -> Iterator[Move]:
    """Play a random game; one action in a hundred is to give up."""
    rng = np.random.default_rng(seed)
    chance = TabularChance(seed=seed, odds=WILD)
    state, rolls = game.initial_state(), 0
    while game.turn(state) is not NonPlayer.OVER:
        if game.turn(state) is NonPlayer.CHANCE:
            outcome = chance.roll(game.chance_request(state), index=rolls)
            rolls += 1
            yield Move(state, outcome, steps := game.outcome_steps(state, outcome))
        else:
            legal = game.legal_actions(state)
            # Conceding is legal everywhere, but would end nearly every game at once.
            chosen = len(legal) - 1 if rng.random() < 0.01 else int(rng.integers(len(legal) - 1))
            yield Move(state, legal[chosen], steps := game.action_steps(state, legal[chosen]))
        state = steps[-1].state


def everything(position: PigglesState) -> list[str]:
    held = [
        piggle
        for seat in BOARD_SEATS
        for area in ("pen", "cup", "mud_piggles", "kitchen")
        for piggle in getattr(position.side(seat), area)
    ]
    return sorted([*held, *(piggle for piggle, _ in position.board)])


HALF_TURN = {
    Zone.FIELD_NORTH: Zone.FIELD_SOUTH,
    Zone.FIELD_SOUTH: Zone.FIELD_NORTH,
    Zone.FIELD_EAST: Zone.FIELD_WEST,
    Zone.FIELD_WEST: Zone.FIELD_EAST,
}


def swap(piggle: str) -> str:
    return f"{owner(piggle).other}{piggle[1:]}"


def swap_ids(piggles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(swap(piggle) for piggle in piggles))


def turn_landing(landing: Landing | None) -> Landing | None:
    return landing and replace(landing, zone=HALF_TURN.get(landing.zone, landing.zone))


def turn_side(side: PigglesSide) -> PigglesSide:
    mud = (replace(entry, piggle=swap(entry.piggle)) for entry in side.mud)
    return replace(
        side,
        pen=swap_ids(side.pen),
        cup=swap_ids(side.cup),
        mud=tuple(sorted(mud, key=lambda entry: entry.piggle)),
        kitchen=swap_ids(side.kitchen),
        charged=swap_ids(side.charged),
        late=swap_ids(side.late),
    )


def turn_position(position: PigglesState) -> PigglesState:
    """Give each player the other's part and turn the board by half a turn."""
    result, sudden, act = position.result, position.sudden, position.pending
    shields = (replace(s, piggle=swap(s.piggle), by=s.by.other) for s in position.shields)
    return replace(
        position,
        active=position.active.other,
        a=turn_side(position.b),
        b=turn_side(position.a),
        board=tuple(sorted((swap(p), turn_landing(x)) for p, x in position.board)),
        head_credits=tuple(sorted((swap(p), seat.other) for p, seat in position.head_credits)),
        sudden=replace(sudden, a=turn_landing(sudden.b), b=turn_landing(sudden.a)),
        result=result
        and Result(winner=result.winner and result.winner.other, reason=result.reason),
        captured=swap_ids(position.captured),
        shields=tuple(sorted(shields, key=lambda shield: shield.piggle)),
        actors=swap_ids(position.actors),
        acted=swap_ids(position.acted),
        pending=act and Act(swap(act.piggle), swap(act.target)),
    )


def turn_knock(knock: Knock) -> Knock:
    return replace(knock, struck=swap(knock.struck), by=swap(knock.by))


def turn_move(move: PigglesAction | RollResult) -> PigglesAction | RollResult:
    match move:
        case Load(piggles=piggles):
            return Load(swap_ids(piggles))
        case Act(piggle=piggle, target=target):
            return Act(swap(piggle), swap(target))
        case RollResult(landings=landings, knocks=knocks):
            return RollResult(
                landings=tuple((swap(p), turn_landing(x)) for p, x in landings),
                knocks=tuple(turn_knock(knock) for knock in knocks),
            )
        case _:
            return move


def turn_game(game: Piggles) -> Piggles:
    """The same game with the players changed over."""
    rules = replace(game.rules, first_player=game.rules.first_player.other)
    if isinstance(rules, ModernRules):
        lineup = tuple(sorted((swap(piggle), piece) for piggle, piece in game.lineup))
        return PigglesModern(table=EffectOptions(rules=rules, lineup=lineup))
    return PigglesClassic(rules=rules)
