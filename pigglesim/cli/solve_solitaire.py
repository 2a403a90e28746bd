"""The solitaire game solved, for `pigglesim solve --solitaire`."""

from typing import TYPE_CHECKING, Any

from pigglesim.cli.memory import peak_memory, peak_memory_told
from pigglesim.cli.options import print_json, result_console
from pigglesim.cli.solve import closing_in, leave_stopped, whole_numbers

if TYPE_CHECKING:
    from pigglesim.games.piggy_six.house_rules import Ending

__all__ = ["solve_alone"]


def solve_alone(
    stops: str, target: int, ending: "Ending", position: str | None, *, as_json: bool
) -> None:
    """Solve the game of one person against two imaginary players, and tell of it.

    Args:
        stops: Their stopping points, with a comma.
        target: Points that end the game.
        ending: When it ends.
        position: Own points, those of both and the turn total, with commas, if asked for.
        as_json: Whether to print one JSON document.
    """
    from pigglesim.solvers.solitaire import Solitaire, solve_solitaire

    first, second = whole_numbers("--solitaire", stops, "8,14", 2)
    game = Solitaire(stops=(first, second), target=target, ending=ending)
    at = (
        whole_numbers("--position of the solitaire game", position, "40,30,50,12", 4)
        if position
        else None
    )
    if at is not None:
        game.check(*at)
    with closing_in(f"solitaire to {target}", quiet=as_json) as tell:
        found = solve_solitaire(game, tell=tell)
    document: dict[str, Any] = {
        "game": "piggy_six",
        "variant": "solitaire",
        "stops": [first, second],
        "target": target,
        "ending": str(ending).replace("_", "-"),
        "win": found.win,
        "bound": found.bound,
        "solved": found.solved,
        "opening_stop": found.stop_total(0, 0, 0),
        "sweeps": found.sweeps,
        "seconds": found.seconds,
        "from_cache": found.seconds == 0.0,
        "peak_memory_mb": peak_memory(),
    }
    if at is not None:
        roll, stop = found.weigh(*at)
        best = "roll" if roll > stop or not at[3] else "stop"
        document["position"] = {"roll": roll, "stop": stop if at[3] else None, "best": best}
    if as_json:
        print_json(document)
    else:
        _show(document)
    leave_stopped(solved=found.solved)


def _show(document: dict[str, Any]) -> None:
    console = result_console()
    first, second = document["stops"]
    console.print(
        f"Piggy Six alone, to {document['target']}, {document['ending']}, against imaginary "
        f"players who stop at {first} and {second}"
    )
    console.print(
        f"best play wins {document['win']:.9f} (± {document['bound']:.0e}; ties shared), and stops "
        f"its first turn at {document['opening_stop']}"
    )
    if told := document.get("position"):
        stop = "" if told["stop"] is None else f", stop: {told['stop']:.6f}"
        console.print(f"there it wins by roll: {told['roll']:.6f}{stop}; best: {told['best']}")
    kept = "kept from before" if document["from_cache"] else f"{document['seconds']:.1f} s"
    console.print(
        f"{document['sweeps']} sweeps, {kept}, "
        f"memory {peak_memory_told(document['peak_memory_mb'])}",
        style="dim",
    )
