"""Compile what studies, matches and solvers run before they run it.

`python -m pigglesim.precompile` compiles all of it into the cache of compiled code, in parallel;
followed by kinds of work, it compiles those. The build of a wheel compiles all, and the set-up of a
checkout what throws need. Where code is missing, `compile_for` compiles it and shows how far.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module

_PATIENCE = 3600.0
"""Longest time for one kind of work on a busy machine [s]."""

_SECONDS_EACH = 1.0
"""Time to compile a function [s]: 117 of pours and 33 of drops took 107 s on one processor core."""


# Each imports what it needs when it runs: a process that only asks needs none of it.
# ruff: noqa: PLC0415


def _throw(kind: str) -> None:
    from pigglesim.experiments.factors import ThrowKind
    from pigglesim.experiments.shard import StudyPlan, Thrower
    from pigglesim.experiments.study import Study

    study = Study(kind=ThrowKind(kind), engine="impulse", throws=1)
    Thrower(StudyPlan.of(study)).throw(0)


def _copy() -> None:
    import numpy as np

    from pigglesim.bodies.load import load_model
    from pigglesim.experiments.decided import Copier, decide, thrown
    from pigglesim.physics.looks import HandError
    from pigglesim.scene.load import load_floor
    from pigglesim.throws import Drop

    floor, body = load_floor("tabletop"), load_model("d6")
    copier = Copier(
        body=body,
        labels=[pose.label for pose in body.poses],
        surface=floor.surface("plastic"),
        stepping=floor.stepping,
    )
    still = Drop(
        height=0.02,
        rotation=np.array([0.0, 0.0, 0.0, 1.0]),
        velocity=np.zeros(3),
        angular_velocity=np.zeros(3),
    )
    decide(thrown(still, copier), copier, error=HandError(), seed=0, copies=1)


def _simulate(*games: str) -> None:
    from pigglesim.agents.registry import make_agent
    from pigglesim.chance.odds import load_odds
    from pigglesim.chance.tabular import TabularChance
    from pigglesim.games.registry import make_game

    chance = TabularChance(odds=load_odds("piggle"), seed=0)
    for game in games:
        make_agent("mcts", game=make_game(game, {}), chance=chance)


def _play_matches() -> None:
    from pigglesim.agents.compiled_playouts import piggles_playouts
    from pigglesim.agents.piggles_steps import compile_steps
    from pigglesim.chance.tabular import believed_chance
    from pigglesim.games.piggles.game import PigglesClassic

    playouts = piggles_playouts(PigglesClassic(), believed_chance())
    assert playouts is not None
    compile_steps(playouts.table)


def _play_pig_pile() -> None:
    from pigglesim.agents.compiled_playouts import house_of, table_of
    from pigglesim.agents.pig_pile_steps import compile_steps
    from pigglesim.games.pig_pile import PigPile

    game = PigPile()
    compile_steps(house_of(game.rules), table_of(game.initial_state()))


def _play_piggyback() -> None:
    from pigglesim.agents.compiled_playouts import board_of, piggyback_playouts
    from pigglesim.agents.piggyback_steps import compile_steps
    from pigglesim.games.piggyback.game import Piggyback

    game = Piggyback()
    playouts = piggyback_playouts(game, greedy=True)
    assert playouts is not None
    compile_steps(playouts.table, board_of(game.initial_state(), game.layout.size))


def _play_six() -> None:
    from pigglesim.agents.piggy_six_steps import compile_steps

    compile_steps()


def _solve() -> None:
    import numpy as np

    from pigglesim.solvers.dice_game import PIGGY_SIX, DuelResult, Solitaire, solve_turn
    from pigglesim.solvers.kernel import Rounds, sweep, sweep_rounds

    solve_turn(PIGGY_SIX)
    # Solutions are cached too: only their sweeps are run here.
    match, game = DuelResult(dice=PIGGY_SIX, target=2), Solitaire(stops=(1, 1), target=2)
    sweep(match.fresh_table(), match.dice_table, match.stop_at, match.stop_at, 1, 1, 1)
    rounds = Rounds(*(np.zeros((game.target,) * 3) for _ in Rounds._fields))
    sweep_rounds(rounds, game.won, game.bots, game.dice_table, 1, 1, 1)


_WORK: Mapping[str, tuple[str, str, Callable[[], None]]] = {
    "pours": ("physics.impulse.pour", "run_throw", partial(_throw, "pour")),
    "piggyback": ("agents.piggyback_kernel", "play_games", partial(_simulate, "piggyback")),
    "piggles": (
        "agents.piggles_kernel",
        "play_on",
        partial(_simulate, "piggles_classic", "piggles_modern"),
    ),
    "matches": ("agents.piggles_steps", "play", _play_matches),
    "piggyback_matches": ("agents.piggyback_steps", "play", _play_piggyback),
    "pig_pile_matches": ("agents.pig_pile_steps", "play", _play_pig_pile),
    "piggy_six_matches": ("agents.piggy_six_steps", "play", _play_six),
    "drops": ("physics.impulse.drops", "run_drops", partial(_throw, "drop")),
    "copies": ("physics.impulse.looks", "throw_copies", _copy),
    "throws": ("physics.impulse.plates", "run_throws", partial(_throw, "tumbler")),
    "pig_pile": ("agents.pig_pile_kernel", "play_on", partial(_simulate, "pig_pile")),
    "solvers": ("solvers.kernel", "sweep_rounds", _solve),
}
"""Kinds of work, the longest to compile first: module and function that is compiled last, and a
call that does a little of the work, which compiles everything that it needs."""


def is_compiled(kind: str) -> bool:
    """Return whether the code for a kind of work, such as `"drops"` or `"pours"`, is cached."""
    from pigglesim.code_cache import is_cached

    module, function, _ = _WORK[kind]
    return is_cached(f"pigglesim.{module}", function)


def compile_for(kind: str, *, engine: str = "impulse") -> bool:
    """Compile the code for a kind of work now, unless it is cached; stderr shows the progress.

    Args:
        kind: Kind of work: `"drops"` and other `"throws"` of single dice, `"pours"`, the
            `"copies"` of moving dice, the `"matches"` of many places, or the playouts of a game.
        engine: Engine of throws; only `impulse` is compiled here.

    Returns:
        True if it had to be compiled.
    """
    if engine != "impulse" or is_compiled(kind):
        return False
    from pigglesim.jit import compilation_watched, uncached

    module, function, work = _WORK[kind]
    root = getattr(import_module(f"pigglesim.{module}"), function)
    with _progress(kind, len(uncached(root))) as seen, compilation_watched(seen):
        work()
    return True


@contextmanager
def _progress(kind: str, count: int) -> Iterator[Callable[[str], None]]:
    """Show how many functions have been compiled of those that a kind of work needs."""
    head, names = f"pigglesim: compiling for {kind}, once:", set[str]()
    start, end = ("\r\x1b[K", "") if sys.stderr.isatty() else ("", "\n")

    def show(text: str) -> None:
        sys.stderr.write(f"{start}{head} {text} ...{end}")
        sys.stderr.flush()

    def seen(name: str) -> None:
        names.add(name)
        if start:
            show(f"{len(names)} of {count}, {name}")

    # It may wait for another process that compiles the same before it compiles anything itself.
    show(f"{count} functions, about {_SECONDS_EACH * count:.0f} s")
    try:
        yield seen
    finally:
        sys.stderr.write(start)


def compile_ahead(kinds: Iterable[str] = (), *, workers: int | None = None) -> None:
    """Compile what is not cached for kinds of work, or for all, in `workers` processes.

    Default: one per processor. One compiles in a fixed order, whose code can be repeated.
    """
    from pigglesim.experiments.worker_pool import map_in_order

    wanted = tuple(kinds) or tuple(_WORK)
    workers = min(workers or os.cpu_count() or 1, len(wanted))
    for _ in map_in_order(_compiler, wanted, workers=workers, patience=_PATIENCE):
        pass


def _compiler() -> Callable[[str], None]:
    return _do


def _do(kind: str) -> None:
    _WORK[kind][2]()


if __name__ == "__main__":
    compile_ahead(sys.argv[1:])
