"""Tables of `pigglesim validate` and `fit` for tracked throws."""

from pigglesim.api.tracked import TrackedFit, TrackedValidation
from pigglesim.cli import consoles
from pigglesim.physics.engines import engine_version

_FACES = {"face_right": "right face", "log_score": "log score", "brier": "Brier score"}


def show_throws(found: TrackedValidation) -> None:
    """Print the scores of tracked throws."""
    console = consoles.result_console()
    for one in found.scores:
        table = consoles.word_table(
            f"{one['count']} throws of {one['name']}", ">simulated", ">face at first contact"
        )
        table.add_row("position error, % of the side", _cell(one["position_error_percent"], 1), "")
        table.add_row("rotation error, °", _cell(one["rotation_error_degrees"], 1), "")
        for name, title in _FACES.items():
            table.add_row(title, _cell(one[name], 3), _cell(one["first_face"][name], 3))
        console.print(table)
    console.print(
        f"mean ± standard error over the throws · {found.draws} draws · {found.engine} "
        f"{engine_version(found.engine)} · seed {found.seed}",
        style="dim",
    )


def _cell(measured: dict[str, float], digits: int) -> str:
    return f"{measured['value']:.{digits}f} ± {measured['se']:.{digits}f}"


def show_fit(found: TrackedFit) -> None:
    """Print the parameters that were fitted to tracked throws."""
    table = consoles.word_table("parameter", ">fit", ">95 %", "unit", ">narrowed by", "from")
    for one in found.document()["parameters"]:
        table.add_row(
            one["name"].replace("_", " "),
            f"{one['value']:.4g}",
            f"{one['low']:.4g} to {one['high']:.4g}",
            one["unit"],
            f"{one['narrowing']:.0%}".replace("%", " %"),
            one["evidence"],
        )
    console = consoles.result_console()
    console.print(table)
    console.print(
        f"{found.found.throws} throws of {found.name} · {found.engine} "
        f"{engine_version(found.engine)} · seed {found.seed} · wrote {found.file}",
        style="dim",
    )
