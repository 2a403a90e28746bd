"""`pigglesim design` and `print`: bodies for target shares, and files for a printer."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from rich.table import Table

from pigglesim.api.design import DesignedModel
from pigglesim.api.design import design as find_design
from pigglesim.api.printing import PrintedModel
from pigglesim.api.printing import print_model as print_files
from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Arguments, Flag, arguments_of, command_here
from pigglesim.cli.progress import Work
from pigglesim.experiments.design import MATERIALS
from pigglesim.experiments.printing import LARGEST, SMALLEST
from pigglesim.units import unit_named

_MILLIMETRES = unit_named("mm")


def design(
    *,
    model: Annotated[str, options.MODEL, ARGUMENT, "Model: a name, a TOML file or a folder."],
    target: Annotated[
        str,
        Flag(metavar="SHARES"),
        "Share of each class, such as up=.5,down=.4,head=.1. Classes left out share the rest. "
        "Or fair: equal shares.",
    ],
    floor: Annotated[
        str,
        options.FLOORS,
        Flag("--floor", "--floors", "--scene"),
        "Floor and drop: a floor's name, a TOML file, or a fit's name or folder: each drop draws "
        "one of its floors; several with commas.",
    ] = "tabletop",
    search: Arguments = arguments_of(
        find_design,
        *("drops", "check", "within", "closest"),
        free=Flag(metavar="KINDS"),
        material=Flag(metavar="MATERIAL", choices=tuple(MATERIALS)),
        heights=Flag(metavar="LENGTHS"),
        judge=Flag(metavar="FLOORS"),
    ),
    out: Annotated[
        Path | None, Flag(metavar="DIR"), "Folder of the design. Default: a new one in ./designs."
    ] = None,
    workers: options.Workers = None,
    seed: Annotated[int, "Root seed; the same in all runs of one folder."] = 1,
    engine: options.FastEngine = None,
    as_json: options.Json = False,
) -> None:
    """Find a body whose shares meet a target when it is really dropped.

    The ballast is a ball inside the skin: its place and mass are free, and its material. The shape
    is the model scaled along the axes of its mesh, at the same volume: the sides of a box. The
    first guess meets the target without momentum. From there all candidates are dropped with the
    same random numbers. At the end the design is dropped again, with others.

    With several floors or heights, the design is the one whose largest total variation over them is
    least. At the end it is compared with the model as it is, also on floors that the search did not
    see.

    The folder is a model itself: `--model DIR`. If interrupted (Ctrl-C), repeat the command to
    resume.

    Examples:
        pigglesim design piggle --target up=.5,down=.4,head=.1 --out balanced
        pigglesim design d6 --target 6=.25 --material tungsten
        pigglesim design d6 --target 1=.1,6=.1 --free shape --floor felt
        pigglesim design piggle --target up=.45,down=.45,head=.1 --within .05 --floors tabletop,felt
        pigglesim study --kind drop --model balanced
    """
    folder = out or options.new_folder(
        "designs", Path(model).stem, target, search["free"], floor, seed
    )
    with Work("drops", "designing", existing=None, stoppable=True) as work:
        result = find_design(
            model,
            target,
            out=folder,
            floors=floor,
            seed=seed,
            engine=engine,
            workers=options.chosen_workers(workers),
            progress=work.update,
            **search,
        )
    if work.stopped:
        consoles.note(f"{work.unfinished} saved in {folder}: repeat the command to resume")
    consoles.exit_if_stopped(work.stopped)
    for line in result.notes:
        consoles.note(line)
    document = result.document()
    if as_json:
        consoles.print_json(document)
    else:
        _show_design(result, document)


def _show_design(result: DesignedModel, document: dict[str, Any]) -> None:
    console = consoles.result_console()
    floors = document["floors"]
    single = sum(each["seen"] for each in floors) == 1
    console.print(_classes_table(document, single=single))
    if len(floors) > 1:
        console.print()
        console.print(_floors_table(floors, "without_momentum" if single else "as_it_is"))
    if any(each["fit"] for each in floors):
        console.print()
        console.print(consoles.budget_table(_budgets(result)))
    ballast, size = document["ballast"], document["size_mm"]
    if ballast:
        centre = ", ".join(f"{at:.2f}" for at in ballast["centre_mm"])
        console.print(
            f"\nballast  {ballast['mass_g']:.2f} g of {ballast['material']}, a ball of "
            f"{2 * ballast['radius_mm']:.2f} mm at ({centre}) mm"
        )
    console.print(
        f"size     {' x '.join(f'{side:.2f}' for side in size)} mm, {document['mass_g']:.2f} g"
    )
    shown = (
        "first guess: meets the target without momentum, dropped"
        if single
        else "shares: on the floor that misses most"
    )
    console.print(
        f"{shown} · tried: range over {document['drops']['candidates']} candidates\n"
        f"{document['drops']['check']:,} drops · "
        f"{document['engine']} {document['engine_version']} · "
        f"floor {' and '.join(each['floor'] for each in floors if each['seen'])} · "
        f"seed {document['seed']}",
        style="dim",
    )
    console.print("\n".join(_bases(floors)), soft_wrap=True)
    console.print(f"written to {document['folder']}: use it as --model {document['folder']}")


def _budgets(result: DesignedModel) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    """Yield the fit, the class and the deviations of each share by source."""
    plan = result.plan
    for floor, judged in zip(plan.floors + plan.unseen, result.found.judged, strict=True):
        for label, budget in zip(plan.target, judged.budgets or (), strict=bool(judged.budgets)):
            yield floor.id, label, budget.deviations()


def _bases(floors: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a sentence on each fit on which a design was judged, and one on all other floors."""
    for each in floors:
        if fit := each["fit"]:
            yield (
                f"{each['floor']}: {fit['floors']} floors, fitted to "
                f"{', '.join(fit['fitted_to'])}; the law is worth "
                f"{fit['law_worth_throws']:,.0f} counted throws"
            )
    plain = [each["floor"] for each in floors if not each["fit"]]
    if plain:
        yield f"intervals on {' and '.join(plain)} are of counting alone"


def _classes_table(document: dict[str, Any], *, single: bool) -> Table:
    """Return a table of the share of each class, next to its target and what was tried."""
    other = "without_momentum" if single else "as_it_is"
    table = consoles.word_table(
        "class", ">target", ">share", ">first guess" if single else ">as it is", ">tried"
    )
    for row in document["classes"]:
        share, guess = row["share"], row[other]["dropped"] if single else row[other]
        table.add_row(
            row["label"],
            f"{row['target']:.3f}",
            f"{share['value']:.3f} [{share['low']:.3f}, {share['high']:.3f}]",
            f"{guess['value']:.3f}",
            "{:.2f} to {:.2f}".format(*row["tried"]),
        )
    tv_other = document[f"tv_{other}"]
    table.add_row(
        "total variation" if single else "largest total variation", "", f"{document['tv']:.4f}",
        f"{tv_other['dropped'] if single else tv_other:.4f}",
        "" if single else f"up to {document['tv_worst']:.2f}",
    )  # fmt: skip
    return table


def _floors_table(floors: Sequence[dict[str, Any]], other: str) -> Table:
    """Return a table of the total variation on each floor, next to that of the `other` body."""
    table = consoles.word_table("floor", ">total variation", f">{other.replace('_', ' ')}", "")
    for each in floors:
        table.add_row(
            each["floor"],
            "{value:.4f} [{low:.4f}, {high:.4f}]".format(**each["tv"]),
            "{value:.4f} [{low:.4f}, {high:.4f}]".format(**each[f"tv_{other}"]),
            "" if each["seen"] else "not seen by the search",
        )
    return table


def print_model(
    *,
    model: Annotated[str, options.MODEL, ARGUMENT, "Model: a name, a TOML file or a folder."],
    size: Annotated[
        float,
        _MILLIMETRES,
        Flag(metavar="LENGTH", low=SMALLEST, high=LARGEST),
        "Length of the longest side, such as 40mm. [mm]",
    ],
    out: Annotated[Path, Flag(metavar="DIR"), "New folder for the print."],
    floor: Annotated[
        list[str] | None,
        options.FLOORS,
        "Floor and drop to predict for, or a fit for all its floors; repeatable. Default: printed "
        "and felt.",
    ] = None,
    about: Arguments = arguments_of(
        print_files,
        *("infill", "drops"),
        walls=Flag(needs=("infill",)),
        covers=Flag(needs=("infill",)),
    ),
    workers: options.Workers = None,
    seed: Annotated[int, "Root seed, sealed with the prediction."] = 1,
    engine: options.FastEngine = None,
    as_json: options.Json = False,
) -> None:
    """Write files to print a model, a tally sheet, and a sealed prediction.

    The folder gets body.stl and body.3mf (watertight, with a pocket for the ballast), tally.html to
    print on paper, die.toml for the counts, and prediction.json: the shares on each floor with
    95 % intervals, sealed with version and seed before anybody has counted. Fill in die.toml, or
    let `pigglesim tally` count a list of throws, and `pigglesim validate DIR --floor printed`
    compares.

    The fit `printed` has the floors that counted throws of printed bodies support. Its intervals
    include how these differ and the error of the laws; the file has the size of each source.

    With --infill, the body is weighed layer by layer, as a slicer prints it upright: the infill is
    uniform, and the walls also surround ballast.

    Examples:
        pigglesim print piggle --size 40mm --out my-piggle
        pigglesim print premium --size 50mm --out heavy --floor felt
        pigglesim print d20 --size 40mm --out light --infill .15 --walls 2
        pigglesim validate my-piggle --floor printed
    """
    with Work("drops", "predicting") as work:
        result = print_files(
            model,
            size=size,
            out=out,
            floors=floor or ("printed", "felt"),
            seed=seed,
            engine=engine,
            workers=options.chosen_workers(workers),
            progress=work.update,
            **about,
        )
    if as_json:
        consoles.print_json(result.document())
    else:
        _show_print(result)


print = print_model


def _show_print(result: PrintedModel) -> None:
    console, made, prediction = consoles.result_console(), result.body, result.prediction
    floors = [f">on {each.floor}" for each in prediction.floors]
    table = consoles.word_table("predicted", *floors)
    for row in zip(*(each.outcomes for each in prediction.floors), strict=True):
        cells = (f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in row)
        table.add_row(row[0].label, *cells)
    console.print(table)
    sides = " x ".join(f"{side:.1f}" for side in prediction.size_mm)
    ballast = f" and {made.ballast_g:.2f} g of ballast" if made.ballast else ""
    console.print(f"\n{sides} mm, {made.plastic_g:.2f} g of plastic{ballast}")
    console.print(f"sealed on {prediction.date}: SHA-256 {prediction.seal}", style="dim")
    budgets = [
        (each.floor, one.label, one.deviations)
        for each in prediction.floors
        if each.fitted_to
        for one in each.outcomes
    ]
    if budgets:
        console.print()
        console.print(consoles.budget_table(budgets))
    first = prediction.floors[0].floor
    command = command_here(
        "validate", str(result.folder), *(["--floor", first] if first != "tabletop" else [])
    )
    console.print(
        f"written to {result.folder}: print tally.html, count, fill in die.toml, then\n{command}"
    )
