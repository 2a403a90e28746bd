"""Actions and observations of Piggy Six and of Piggyback as numbers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations_with_replacement

from pigglesim.envs.encoding import (
    ActionList,
    Block,
    Column,
    Encoder,
    FeatureLayout,
    Row,
    columns,
)
from pigglesim.games import piggy_six as six
from pigglesim.games.piggyback import state as board
from pigglesim.games.piggyback.game import Piggyback, PiggybackObservation
from pigglesim.landing import Seat

_MAX_POINTS = 4.0
"""Bound at which points are clipped [target]."""


@dataclass(frozen=True, kw_only=True)
class PiggySixEncoder(Encoder[six.SixAction]):
    """Encoder of one game of Piggy Six.

    Actions are the rolls under the house rules, fewest dice first, and then the stop.
    Players are in the order of turns, the own seat first.
    """

    game: six.PiggySix

    @cached_property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers of an observation."""
        others = (f"other {number}" for number in range(1, len(self.game.seats)))
        player = (
            Column("points", "points written down [target]", high=_MAX_POINTS),
            Column("moves", "has the turn"),
            Column("later", "has a turn after the one at hand in this round"),
            Column("stop", "turn total at which it stops [target], 0 of a person"),
        )
        dice = {f"dice_{n}": f"the turn goes on with {n} dice" for n in (1, 2, 3)}
        table = (
            Column("total", "points of the turn at hand [target]", high=_MAX_POINTS),
            Column("rolls", "rolls of the turn at hand [roll_cap]"),
            *columns(dice),
            Column("round", "number of the round [round_cap]"),
            Column("over", "the game is over"),
        )
        return FeatureLayout(
            blocks=(
                Block(name="players", rows=("own", *others), columns=player),
                Block(name="table", rows=("table",), columns=table),
            )
        )

    @property
    def full_score(self) -> int:
        """Target score [points]."""
        return self.game.rules.target

    def _every_action(self) -> Iterable[six.SixAction]:
        return (*map(six.DiceRoll, self.game.rules.dice_numbers), six.Stop())

    def rows(self, observation: six.PiggySixObservation, seat: Seat) -> Sequence[Iterable[Row]]:
        """Return the rows of the players in the order of turns, and of the table."""
        rules, state = self.game.rules, observation.state
        order, stops, playing = rules.turn_order, rules.stops, state.result is None
        own, active = order.index(seat), order.index(state.active)
        players = [
            {
                "points": min(state.points_of(player) / rules.target, _MAX_POINTS),
                "moves": playing and player is state.active,
                "later": playing and order.index(player) > active,
                "stop": min(stops.get(player, 0) / rules.target, 1.0),
            }
            for player in (*order[own:], *order[:own])
        ]
        table = {
            "total": min(state.total / rules.target, _MAX_POINTS),
            "rolls": state.rolls / rules.roll_cap,
            f"dice_{state.dice}": 1.0,
            "round": state.round / rules.round_cap,
            "over": not playing,
        }
        return players, (table,)


@cache
def _action_list(size: int, seat: Seat) -> ActionList[board.PiggybackAction]:
    spaces = range(size * size)
    ordered = spaces if seat is Seat.A else spaces[::-1]
    adjacent = enumerate(board.neighbours(size))
    pairs = [(ordered[a], ordered[b]) for a, touching in adjacent for b in touching]
    return ActionList(
        (
            *(board.Move(source, target) for source, target in pairs),
            *(board.Move(source, target, take=True) for source, target in pairs),
            *(board.Warp(holder, partner) for holder in ordered for partner in ordered),
            *map(board.Take, ordered),
            *map(board.Respawn, ordered),
            *map(board.Stand, range(board.MOST_HELD + 1)),
            *(
                board.Keep(held)
                for count in range(board.MOST_HELD, -1, -1)
                for held in combinations_with_replacement(board.Ability, count)
            ),
            *board.Word,
        )
    )


_MAX_PIECES = 4
"""Maximum number of pieces of each colour."""


def _by_colour(name: str, meaning: str) -> tuple[Column, ...]:
    return columns(
        {f"{name}_{ability}": meaning.format(ability.label) for ability in board.Ability}
    )


def _shares(name: str, held: board.Held, maximum: int) -> dict[str, float]:
    return {f"{name}_{ability}": count / maximum for ability, count in Counter(held).items()}


_SPACE = (
    *columns({"own": "own units / 3", "other": "the other's units / 3"}),
    *_by_colour("held", "{} of the stack / 2"),
    *_by_colour("lying", "a piece of {}"),
    *_by_colour("initial", "an initial space of {}"),
    Column("moving", "a unit that has moved and may move on"),
    Column("attacker", "the attacker in a combat"),
    Column("attacked", "the attacked space in a combat"),
)
_TABLE = (
    Column("turn", "it is the own turn, even if the other side decides now"),
    *columns({f"phase_{phase}": f"the phase is {phase}" for phase in board.PiggybackPhase}),
    Column("ply", "completed turns / their maximum"),
    Column("quiet", "turns without combat or acquisition / their maximum"),
    Column("steps", "steps of the unit that moves / 4"),
    Column("spent", "Boosts used in this turn / 2"),
    Column("rolls", "rolls of the side that rolls in the combat / 5"),
    Column("face", "the last roll / 6"),
    Column("attack", "the attacker's total / 8"),
    Column("won", "the own side has won the combat"),
    Column("lost", "the other side has won the combat"),
    *_by_colour("loot", "unused {} of the loser / 2"),
    *_by_colour("bank", "{} in the bank / 4"),
    *_by_colour("discarded", "{} out of the game / 4"),
    Column("opening", "red's roll for the start / 6"),
)


@dataclass(frozen=True, kw_only=True)
class PiggybackEncoder(Encoder[board.PiggybackAction]):
    """Encoder of one game of Piggyback.

    `layout` describes every number. The number of ties of the rolls for the start is left out.

    All is seen from the player's side of the board: for blue it is turned by 180 degrees, so that
    both play upwards. Actions have a fixed order, the same for both seats. On the usual board of 64
    spaces, with 420 ordered pairs of neighbours:

    | numbers | action |
    |---|---|
    | 0 to 419 | move, by source and then by target; a piece there remains |
    | 420 to 839 | the same, acquiring the piece there |
    | 840 to 4935 | Warp: 840 + 64 holder + partner |
    | 4936 to 4999 | acquire the piece under a stack, by space |
    | 5000 to 5063 | put a piece from the bank on a space |
    | 5064 to 5066 | stand, with 0 to 2 Firepowers |
    | 5067 to 5081 | keep, by the abilities: two, one, none |
    | 5082 to 5087 | pass, end, fight, roll, leave, in the order of `Word` |
    """

    game: Piggyback

    @cached_property
    def layout(self) -> FeatureLayout:
        """Names, meanings and bounds of all numbers of an observation."""
        size = self.game.layout.size
        spaces = tuple(board.space_name(space, size) for space in range(size * size))
        return FeatureLayout(
            blocks=(
                Block(name="spaces", rows=spaces, columns=_SPACE),
                Block(name="table", rows=("table",), columns=_TABLE),
            )
        )

    @property
    def full_score(self) -> int:
        """Number of units of a side at the start."""
        return board.TEAM

    def rows(self, observation: PiggybackObservation, seat: Seat) -> Sequence[Iterable[Row]]:
        """Return the rows of the spaces, seen from the player's side, and of the table."""
        return _space_rows(observation, seat), (_table_row(observation, seat),)

    def actions(self, seat: Seat) -> ActionList[board.PiggybackAction]:
        """Return all actions of `seat`."""
        return _action_list(self.game.layout.size, seat)


def _space_rows(observation: PiggybackObservation, seat: Seat) -> Iterable[Row]:
    state, size = observation.state, observation.layout.size
    rows: list[dict[str, float]] = [{} for _ in range(size * size)]
    for name, side in (("own", seat), ("other", board.OTHER[seat])):
        for space, stack in state.side(side):
            rows[space] |= {
                name: stack.units / board.MOST_UNITS,
                **_shares("held", stack.held, board.MOST_HELD),
            }
    for space, ability in state.pieces:
        rows[space][f"lying_{ability}"] = 1.0
    for space, ability in observation.layout.colours.items():
        rows[space][f"initial_{ability}"] = 1.0
    if state.roam is not None:
        rows[state.roam.space]["moving"] = 1.0
    if state.combat is not None:
        rows[state.combat.source]["attacker"] = 1.0
        rows[state.combat.target]["attacked"] = 1.0
    return rows if seat is Seat.A else reversed(rows)


def _table_row(observation: PiggybackObservation, seat: Seat) -> Row:
    state, rules = observation.state, observation.rules
    row = {
        "turn": state.active is seat,
        f"phase_{state.phase}": 1.0,
        "ply": state.ply / rules.cap,
        "quiet": max(0, state.ply - state.lively) / rules.quiet_cap,
        **_shares("bank", state.bank, _MAX_PIECES),
        **_shares("discarded", state.discarded, _MAX_PIECES),
        "opening": state.opening / 6,
    }
    if roam := state.roam:
        row |= {"steps": roam.steps / 4, "spent": roam.spent / board.MOST_HELD}
    if combat := state.combat:
        row |= {
            "rolls": combat.rolls / (board.MOST_UNITS + board.MOST_HELD),
            "face": combat.face / 6,
            "attack": combat.attack / (6 + board.MOST_HELD),
            "won": combat.winner is seat,
            "lost": combat.winner is board.OTHER[seat],
            **_shares("loot", combat.loot, board.MOST_HELD),
        }
    return row
