"""Games of the vector environment: their matches, rules, actions and observations as numbers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Set
from dataclasses import replace

import numpy as np

from pigglesim.agents import (
    pig_pile_steps,
    piggles_steps,
    piggy_six_steps,
    piggyback_kernel,
    piggyback_steps,
)
from pigglesim.agents.compiled_playouts import (
    FREE_PIGGLES_RULES,
    FREE_PIGGYBACK_RULES,
    board_of,
    house_of,
    now_of,
    piggles_playouts,
    piggyback_playouts,
    pigs_of,
    table_of,
    unsupported,
)
from pigglesim.agents.pig_pile_kernel import DRAWS, FACE_UP, MOST_ACTIONS, PICK_UP, SLOP
from pigglesim.agents.piggles_kernel import ALL
from pigglesim.agents.places import GREEDY, UNIFORM, Bools, Flags, Ints, Numbers, Places, new_places
from pigglesim.agents.registry import is_outside, parse_name
from pigglesim.agents.six_greedy import turn_plan
from pigglesim.chance.tabular import believed_chance
from pigglesim.envs.card_games import PigPileEncoder
from pigglesim.envs.dice_games import PiggybackEncoder, PiggySixEncoder
from pigglesim.envs.episode import LearningTable
from pigglesim.envs.piggles import (
    FULL_TALLY,
    ZONE_COLUMNS,
    PigglesEncoder,
    marking_row,
    piggles_of,
)
from pigglesim.errors import SpecError, cut
from pigglesim.games.pig_pile import VALUES, FaceUp, PickUp, Play, Slop
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggy_six import Ending
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    Ability,
    Keep,
    Move,
    PiggybackPhase,
    Respawn,
    Stand,
    Warp,
    Word,
)
from pigglesim.games.switches import Switches
from pigglesim.landing import BOARD_SEATS, Orientation, Seat, Zone
from pigglesim.precompile import compile_for
from pigglesim.signals import signals_deferred

_SINGLE = "use pigglesim.envs.gymnasium"
_AREAS = ("pen", "board", "mud", "kitchen", "cup")
"""Columns of the areas of a Piggle, in the kernel's order."""


class VectorGame(ABC):
    """Matches of one game at many places, in compiled code."""

    places: Places

    @abstractmethod
    def play(self, at: Bools, actions: Ints) -> None:
        """Take a legal action in each match `at` a place, or begin the next one if it is over.

        Then play until the caller decides. Both have shape [count].
        """

    @abstractmethod
    def observe(self, at: Bools, numbers: Numbers, mask: Flags) -> None:
        """Write observations and masks of the matches `at` places, of shapes [count, ...]."""


def vector_game(table: LearningTable, count: int, opponent: str, seat: int) -> VectorGame:
    """Return places for matches of a game in compiled code.

    Args:
        table: The game with its encoder.
        count: Number of places.
        opponent: Name of the agent at every other seat.
        seat: Number of the caller's seat, or `EITHER`.

    Raises:
        SpecError: If compiled code does not play the game, a house rule or the opponent.
    """
    game = _GAMES.get(table.game.name)
    if game is None:
        raise SpecError(
            f"compiled code does not play {table.game.name} in environments",
            expected=", ".join(name.removeprefix("piggles_") for name in _GAMES),
            fix=_SINGLE,
        )
    return game(table, count, opponent, seat)


def _read_opponent(name: str, known: Set[str]) -> tuple[str, float]:
    """Return the kind of an opponent that is one of the known kinds, and its parameter, or 0."""
    kind, values = ("", {}) if is_outside(name) else parse_name(name)
    if kind not in known:
        raise SpecError(
            f"compiled code does not play as {cut(repr(name))}",
            expected=", ".join(sorted(known)),
            fix=_SINGLE,
        )
    return kind, float(next(iter(values.values()), None) or 0.0)


def _expect_rules(rules: Switches, free: Set[str]) -> None:
    """Raise `SpecError` unless all house rules are default, except those in `free`."""
    if others := unsupported(rules, free):
        raise SpecError(f"compiled code does not support {', '.join(others)}", fix=_SINGLE)


class _Piggles(VectorGame):
    """Piggles, Classic and Modern, by odds."""

    def __init__(self, table: LearningTable, count: int, opponent: str, seat: int) -> None:
        encoder = table.encoder
        assert isinstance(encoder, PigglesEncoder)
        kind, points = _read_opponent(opponent, {"greedy", "threshold", "uniform"})
        _expect_rules(encoder.game.rules, FREE_PIGGLES_RULES)
        # Each Piggle rolls by the supplied odds of its model, and greedy believes so.
        playouts = piggles_playouts(encoder.game, believed_chance("piggle", table.models))
        assert playouts is not None
        compile_for("matches")
        self.places = new_places(count, len(BOARD_SEATS))
        start = encoder.game.initial_state()
        pigs, now = pigs_of(start), now_of(start)
        self._matches = piggles_steps.Matches(
            pigs=np.repeat(pigs[None], count, axis=0),
            now=np.repeat(now[None], count, axis=0),
            first_pigs=pigs,
            first_now=now,
        )
        self._rules = replace(playouts, threshold=points).table, _layout_of(encoder)
        self._players = seat, UNIFORM if kind == "uniform" else GREEDY
        self._found = np.zeros(encoder.action_count, dtype=np.int64)

    def play(self, at: Bools, actions: Ints) -> None:
        """Play at places."""
        draws = np.zeros((ALL, 2))
        parts = (self._matches, self.places, at, actions, *self._rules, *self._players)
        with signals_deferred():
            piggles_steps.play(*parts, draws, self._found)

    def observe(self, at: Bools, numbers: Numbers, mask: Flags) -> None:
        """Write observations and masks."""
        parts = (self._matches, self.places, at, *self._rules, numbers, mask)
        with signals_deferred():
            piggles_steps.observe(*parts, self._found)


def _layout_of(encoder: PigglesEncoder) -> piggles_steps.Layout:
    """Return the actions and observations of a game as numbers."""
    piggles, table = encoder.layout.blocks
    at = {column.name: place for place, column in enumerate(piggles.columns)}
    table_at = {each.name: piggles.size + place for place, each in enumerate(table.columns)}
    bits = {piggle: 1 << bit for bit, piggle in enumerate(piggles_of(Seat.A))}
    actions = (encoder.action_at(number, Seat.A) for number in range(encoder.action_count))
    loads = np.array(
        [sum(bits[p] for p in action.piggles) for action in actions if isinstance(action, Load)]
    )
    numbers = np.full(1 << int(loads.max()).bit_length(), -1)
    numbers[loads] = np.arange(len(loads))
    markings = dict(encoder.game.lineup)
    rows = (
        [marking_row(markings[p]) if p in markings else {} for p in piggles_of(seat)]
        for seat in BOARD_SEATS
    )
    zones = [zone for zone in Zone if zone is not Zone.OFF]
    return piggles_steps.Layout(
        numbers=numbers,
        loads=loads,
        blank=np.array([encoder.layout.numbers((each, ({},))) for each in rows]),
        width=len(piggles.columns),
        areas=np.array([at[name] for name in _AREAS]),
        poses=np.array([at[pose.value] for pose in Orientation]),
        zones=np.array([[at[ZONE_COLUMNS[s][zone]] for zone in zones] for s in BOARD_SEATS]),
        piggle=np.array([at.get(name, -1) for name in piggles_steps.PIGGLE_COLUMNS]),
        table=np.array([table_at[name] for name in piggles_steps.TABLE_COLUMNS]),
        point=float(FULL_TALLY),
    )


class _PigPile(VectorGame):
    """Pig Pile with fair shuffles, under any house rules."""

    def __init__(self, table: LearningTable, count: int, opponent: str, seat: int) -> None:
        encoder = table.encoder
        assert isinstance(encoder, PigPileEncoder)
        rules = encoder.game.rules
        kind, _ = _read_opponent(opponent, {"greedy", "uniform"})
        compile_for("pig_pile_matches")
        self.places = new_places(count, rules.players)
        start = table_of(encoder.game.initial_state())
        self._matches = pig_pile_steps.new_matches(count, start)
        self._house, self._layout = house_of(rules), _pile_layout(encoder)
        self._start = start, seat, UNIFORM if kind == "uniform" else GREEDY
        self._acts = np.zeros((MOST_ACTIONS, 3), dtype=np.int64)

    def play(self, at: Bools, actions: Ints) -> None:
        """Play at places."""
        parts = (self._matches, self.places, at, actions, self._house, self._layout, *self._start)
        with signals_deferred():
            pig_pile_steps.play(*parts, self._acts, np.zeros(DRAWS))

    def observe(self, at: Bools, numbers: Numbers, mask: Flags) -> None:
        """Write observations and masks."""
        parts = (self._matches, self.places, at, self._house, self._layout, numbers, mask)
        with signals_deferred():
            pig_pile_steps.observe(*parts, self._acts)


def _pile_layout(encoder: PigPileEncoder) -> pig_pile_steps.PileLayout:
    """Return the actions of the game, and the columns of an observation by meaning."""
    equal = pig_pile_steps.MOST_EQUAL
    acts = np.zeros((encoder.action_count, 3), dtype=np.int64)
    plays = np.full((len(VALUES), equal, equal), -1)
    face_ups = np.full(len(VALUES) ** 3, -1)
    for number in range(encoder.action_count):
        match encoder.action_at(number, Seat.A):
            case Play(cards=cards):
                own = cards.count(cards[-1])
                acts[number] = cards[-1], own, len(cards) - own
                plays[tuple(acts[number])] = number
            case Slop(slot=slot):
                acts[number] = SLOP, slot - 1, 0
            case PickUp(face_up=card):
                acts[number] = PICK_UP, -1 if card is None else card, 0
            case FaceUp(cards=cards):
                code = int(np.ravel_multi_index(cards, [len(VALUES)] * 3))
                acts[number], face_ups[code] = (FACE_UP, code, 0), number
    players, table = encoder.layout.blocks
    at = {column.name: players.size + k for k, column in enumerate(table.columns)}
    at |= {column.name: k for k, column in enumerate(players.columns)}
    names = pig_pile_steps.PileLayout._fields
    groups = {"hand", "shown", "up", "pile", "aside", "chosen"}
    columns = {name: at[f"{name}_W" if name in groups else name] for name in names[6:]}
    return pig_pile_steps.PileLayout(
        acts=acts,
        plays=plays,
        first_slop=encoder.action_number(Slop(1), Seat.A),
        pick_up=encoder.action_number(PickUp(), Seat.A),
        face_ups=face_ups,
        width=len(players.columns),
        **columns,
    )


class _Piggyback(VectorGame):
    """Piggyback with fair dice."""

    def __init__(self, table: LearningTable, count: int, opponent: str, seat: int) -> None:
        encoder = table.encoder
        assert isinstance(encoder, PiggybackEncoder)
        game = encoder.game
        kind, _ = _read_opponent(opponent, {"greedy", "uniform"})
        _expect_rules(game.rules, FREE_PIGGYBACK_RULES)
        playouts = piggyback_playouts(game, greedy=True)
        assert playouts is not None
        compile_for("piggyback_matches")
        self.places = new_places(count, len(BOARD_SEATS))
        start = board_of(game.initial_state(), game.layout.size)
        self._matches = piggyback_steps.new_matches(count, start)
        self._rules = playouts.table, _piggyback_layout(encoder)
        self._start = start, seat, UNIFORM if kind == "uniform" else GREEDY
        self._acts = np.zeros((piggyback_kernel.MOST_ACTIONS, 3), dtype=np.int64)

    def play(self, at: Bools, actions: Ints) -> None:
        """Play at places."""
        parts = (self._matches, self.places, at, actions, *self._rules, *self._start)
        with signals_deferred():
            piggyback_steps.play(*parts, self._acts)

    def observe(self, at: Bools, numbers: Numbers, mask: Flags) -> None:
        """Write observations and masks."""
        parts = (self._matches, self.places, at, *self._rules, numbers, mask)
        with signals_deferred():
            piggyback_steps.observe(*parts, self._acts)


_WORDS = {
    Word.PASS: piggyback_kernel.PASS,
    Word.END: piggyback_kernel.END,
    Word.FIGHT: piggyback_kernel.FIGHT,
    Word.ROLL: piggyback_kernel.ROLL,
    Word.LEAVE: piggyback_kernel.LEAVE,
}
_DECIDING = {
    PiggybackPhase.MOVE: piggyback_kernel.TURN,
    PiggybackPhase.WARP: piggyback_kernel.ASK_WARP,
    PiggybackPhase.ATTACK: piggyback_kernel.ATTACK_DECISION,
    PiggybackPhase.DEFENCE: piggyback_kernel.DEFENCE_DECISION,
    PiggybackPhase.KEEP: piggyback_kernel.KEEP,
    PiggybackPhase.RESPAWN: piggyback_kernel.RESPAWN,
    PiggybackPhase.OVER: piggyback_kernel.OVER,
}
"""Stage of each phase in which a player decides or the game is over."""


def _piggyback_layout(encoder: PiggybackEncoder) -> piggyback_steps.PiggybackLayout:
    """Return the actions of the game, and the columns of an observation by meaning."""
    game, abilities = encoder.game, list(Ability)
    spaces = game.layout.size**2
    acts = np.zeros((encoder.action_count, 3), dtype=np.int64)
    moves, takes, warps = (np.full((spaces, spaces), -1) for _ in range(3))
    keeps = np.full((len(abilities) + 1, len(abilities) + 1), -1)
    words, puts = np.full(1 + max(_WORDS.values()), -1), np.full(spaces, -1)
    stand = encoder.action_number(Stand(0), Seat.A)
    for number in range(encoder.action_count):
        match encoder.action_at(number, Seat.A):
            case Move(source=source, target=target, take=take):
                kind, table = (
                    (piggyback_kernel.TAKE, takes) if take else (piggyback_kernel.STEP, moves)
                )
                acts[number], table[source, target] = (kind, source, target), number
            case Warp(holder=holder, partner=partner):
                acts[number] = piggyback_kernel.WARP, holder, partner
                warps[holder, partner] = number
            case Respawn(space=space):
                acts[number], puts[space] = (piggyback_kernel.PUT, space, -1), number
            case Stand(force=force):
                acts[number] = piggyback_kernel.STAND, force, -1
            case Keep(held=held):
                one, other = [*map(abilities.index, held), -1, -1][:MOST_HELD]
                acts[number], keeps[one, other] = (piggyback_kernel.HOLD, one, other), number
            case Word() as word:
                acts[number], words[_WORDS[word]] = (_WORDS[word], -1, -1), number
            case _:
                pass  # to take a piece later, or to concede, is never legal here
    board, table_block = encoder.layout.blocks
    at = {column.name: board.size + k for k, column in enumerate(table_block.columns)}
    at |= {column.name: k for k, column in enumerate(board.columns)}
    phases = np.full(1 + max(_DECIDING.values()), -1)
    for phase, stage in _DECIDING.items():
        phases[stage] = at[f"phase_{phase}"]
    boxes: list[dict[str, float]] = [{} for _ in range(spaces)]
    for space, ability in game.layout.colours.items():
        boxes[space][f"initial_{ability}"] = 1.0
    by_seat = (boxes, boxes[::-1])
    groups = {"held", "lying", "loot", "bank", "discarded"}
    names = piggyback_steps.PiggybackLayout._fields[11:]
    columns = {name: at[f"{name}_{abilities[0]}" if name in groups else name] for name in names}
    return piggyback_steps.PiggybackLayout(
        acts=acts,
        moves=moves,
        takes=takes,
        warps=warps,
        stand=stand,
        keeps=keeps,
        puts=puts,
        words=words,
        blank=np.array([encoder.layout.numbers((rows, ({},))) for rows in by_seat]),
        phases=phases,
        width=len(board.columns),
        **columns,
    )


_FREE_SIX_RULES = {
    *("players", "target", "end", "must_roll", "three_dice", "cocked_dice"),
    *("roll_cap", "round_cap"),
}
"""House rules of Piggy Six of which every setting is supported; the others must be default."""


class _PiggySix(VectorGame):
    """Piggy Six with fair dice."""

    def __init__(self, table: LearningTable, count: int, opponent: str, seat: int) -> None:
        encoder = table.encoder
        assert isinstance(encoder, PiggySixEncoder)
        rules = encoder.game.rules
        kind, total = _read_opponent(opponent, {"greedy", "hold", "uniform"})
        _expect_rules(rules, _FREE_SIX_RULES)
        compile_for("piggy_six_matches")
        self.places = new_places(count, rules.players)
        self._matches = piggy_six_steps.new_matches(count, rules.players)
        self._layout, self._seat = _six_layout(encoder), seat
        targets = range(rules.target)
        plans: list[tuple[int, tuple[int, ...]]]
        plans = [(int(min(total, rules.target - own)), ()) for own in targets]
        if kind == "greedy":
            found = (turn_plan(rules.dice_numbers, own) for own in targets)
            plans = [(len(plan), plan) for plan in found]
        # Beyond its plan an opponent rolls two dice.
        longest = 1 + max(len(plan) for _, plan in plans)
        rolled = [[*plan, *[2] * (longest - len(plan))] for _, plan in plans]
        self._table = piggy_six_steps.SixTable(
            dice=np.array(rules.dice_numbers),
            target=rules.target,
            race=rules.end is Ending.RACE,
            must_roll=rules.must_roll,
            roll_cap=rules.roll_cap,
            round_cap=rules.round_cap,
            opponent={"greedy": GREEDY, "uniform": UNIFORM, "hold": piggy_six_steps.HOLD}[kind],
            stop_at=np.array([stop_at for stop_at, _ in plans]),
            plan=np.searchsorted(rules.dice_numbers, rolled),
        )

    def play(self, at: Bools, actions: Ints) -> None:
        """Play at places."""
        with signals_deferred():
            piggy_six_steps.play(self._matches, self.places, at, actions, self._table, self._seat)

    def observe(self, at: Bools, numbers: Numbers, mask: Flags) -> None:
        """Write observations and masks."""
        parts = (self._matches, self.places, at, self._table, self._layout, numbers, mask)
        with signals_deferred():
            piggy_six_steps.observe(*parts)


def _six_layout(encoder: PiggySixEncoder) -> piggy_six_steps.SixLayout:
    """Return the columns of an observation by meaning."""
    players, table = encoder.layout.blocks
    own = {column.name: at for at, column in enumerate(players.columns)}
    at = {column.name: players.size + k for k, column in enumerate(table.columns)}
    return piggy_six_steps.SixLayout(
        width=len(players.columns),
        most=players.columns[own["points"]].high,
        points=own["points"],
        moves=own["moves"],
        later=own["later"],
        total=at["total"],
        rolls=at["rolls"],
        first_dice=at["dice_1"],
        round=at["round"],
        over=at["over"],
    )


_GAMES: Mapping[str, Callable[[LearningTable, int, str, int], VectorGame]] = {
    "piggles_classic": _Piggles,
    "piggles_modern": _Piggles,
    "pig_pile": _PigPile,
    "piggy_six": _PiggySix,
    "piggyback": _Piggyback,
}
