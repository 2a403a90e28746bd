"""`pigglesim design` and `print`: bodies for target shares, and files for a printer."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from rich.table import Table

from pigglesim.arguments import plain
from pigglesim.bodies.body import support_for
from pigglesim.bodies.infill import LAYER, LINE
from pigglesim.bodies.load import InfillSpec, ballast_of, load_model
from pigglesim.bodies.mesh import mesh_errors
from pigglesim.bodies.variant import read_source
from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Flag, command_here
from pigglesim.cli.progress import Work
from pigglesim.data_files import MODEL_IN_FOLDER, model_id
from pigglesim.durable_io import make_folder, write_atomically
from pigglesim.errors import SpecError
from pigglesim.experiments.counted_dice import DropTally, DropTask, drop_dice
from pigglesim.experiments.design import (
    FREE,
    MATERIALS,
    Candidate,
    Design,
    DesignResult,
    design_folder,
    parse_floors,
    parse_free,
    parse_target,
    unseen_floors,
)
from pigglesim.experiments.floor_posterior import Floors
from pigglesim.experiments.printing import (
    LARGEST,
    PREDICTION_FILE,
    SMALLEST,
    PredictedFloor,
    Prediction,
    PrintBody,
    predicted_floor,
    print_body,
    stl_bytes,
    threemf_bytes,
)
from pigglesim.experiments.statistics import Share
from pigglesim.landing import ordered_classes
from pigglesim.physics.engines import engine_version
from pigglesim.precompile import compile_for
from pigglesim.rng import seed_json
from pigglesim.units import percent, unit_named
from pigglesim.version import __version__

_MILLIMETRES = unit_named("mm")
_THROWS = 200
"""Number of throws that the sheet has room for; shares of them are known to about 0.035."""


def design(
    *,
    model: Annotated[str, options.MODEL, ARGUMENT, "Model: a name, a TOML file or a folder."],
    target: Annotated[
        str,
        Flag(metavar="SHARES"),
        "Share of each class, such as up=.5,down=.4,head=.1. Classes left out share the rest. "
        "Or fair: equal shares.",
    ],
    free: Annotated[
        str, Flag(metavar="KINDS"), "Free parameters: ballast, shape, or ballast,shape."
    ] = "ballast",
    material: Annotated[
        str | None,
        Flag(metavar="MATERIAL", choices=tuple(MATERIALS)),
        "Material of the ballast: steel, brass, lead or tungsten. Default: the lightest of steel, "
        "lead and tungsten that can meet the target.",
    ] = None,
    floor: Annotated[
        str,
        options.FLOORS,
        Flag("--floor", "--floors", "--scene"),
        "Floor and drop: a floor's name, a TOML file, or a fit's name or folder: each drop draws "
        "one of its floors; several with commas.",
    ] = "tabletop",
    heights: Annotated[
        str | None,
        Flag(metavar="LENGTHS"),
        "Heights of the drop on each floor, such as 50mm,250mm. Default: that of the floor. [mm]",
    ] = None,
    judge: Annotated[
        str | None,
        Flag(metavar="FLOORS"),
        "Further floors to judge the design on. For several floors these are always also the "
        "same floors at half the lowest and twice the highest height.",
    ] = None,
    drops: Annotated[int, Flag(low=100, high=10**6), "Drops per candidate and floor."] = 3000,
    check: Annotated[
        int,
        Flag(low=1000, high=10**7),
        "Final drops per floor, of the design and of the bodies compared with it.",
    ] = 100_000,
    within: Annotated[
        float, Flag(low=0.001, high=0.5), "Total variation up to which the target counts as met."
    ] = 0.02,
    closest: Annotated[bool, "Write the closest design even if it misses the target."] = False,
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
        pigglesim design piggle --target up=.5,down=.4 --floors tabletop,felt --heights 50mm,250mm
        pigglesim study --kind drop --model balanced
    """
    source = read_source(model)
    floors, unseen = _floors_of(floor, heights, judge)
    kinds = parse_free(free, source)
    if material is not None and "ballast" not in kinds:
        raise SpecError("--material has no effect on the shape", fix=f"add --free {','.join(FREE)}")
    materials = (material,) if material else ("steel", "lead", "tungsten")
    name = options.chosen_fast_engine(engine)
    engine_version(name)  # raises if it is not installed
    plan = Design(
        source=source,
        target=parse_target(target, source.body),
        free=kinds,
        materials=materials if "ballast" in kinds else ("",),
        floors=floors,
        unseen=unseen,
        surface="plastic",
        engine=name,
        drops=drops,
        check=check,
        seed=seed,
    )
    folder = out or options.new_folder("designs", source.spec.id, target, free, floor, seed)
    if not closest and not any(folder.glob("*")):
        with consoles.progress_console().status("rolling the first guess without momentum ..."):
            rolled = plan.out_of_reach(within)
        if rolled is not None:
            raise _out_of_reach(plan, rolled, free)
    compile_for("drops", engine=name)
    candidates, stopped = _search(plan, folder, options.chosen_workers(workers))
    if stopped:
        consoles.note(
            f"{plan.drops_in(len(candidates)):,} of {plan.total_drops:,} drops saved in {folder}: "
            "repeat the command to resume"
        )
        consoles.exit_if_stopped(stopped)
    result = plan.result(candidates)
    if not (result.tv <= within or closest):
        raise _missed(plan, result, free)
    files = plan.files_at(result.found, model_id(folder.resolve().name) or "design")
    document = _document(plan, result, folder)
    files["result.json"] = json.dumps(plain(document), indent=1) + "\n"
    files["shares.svg"] = _picture(plan, result)
    # The model file last, so that no incomplete model is ever found.
    for name in sorted(files, key=lambda name: name == MODEL_IN_FOLDER):
        write_atomically(folder / name, files[name].encode())
    load_model(str(folder))
    if as_json:
        consoles.print_json(document)
    else:
        _show_design(plan, result, document)


def _floors_of(
    floor: str, heights: str | None, judge: str | None
) -> tuple[tuple[Floors, ...], tuple[Floors, ...]]:
    """Return the floors of a design, and those that only judge it."""
    floors = parse_floors(floor, heights)
    unseen = unseen_floors(floors) if len(floors) > 1 else ()
    unseen += parse_floors(judge, None) if judge is not None else ()
    for ground in floors + unseen:
        ground.ground.surface("plastic")  # raises if it has none
    return floors, unseen


def _search(plan: Design, path: Path, workers: int) -> tuple[list[Candidate], bool]:
    """Return the saved candidates of a search, and whether it was stopped before its end."""
    with design_folder(path, plan) as folder:
        for line in folder.notes:
            consoles.note(line)
        saved = plan.drops_in(len(folder.items))
        with Work(
            "drops", "designing", total=plan.total_drops, existing=saved, stoppable=True
        ) as work:
            for start, end in pairwise([0, *plan.stages]):
                if len(folder.items) < end:
                    folder.play(
                        partial(partial, plan.stage(folder.items[:start])),
                        wanted=end,
                        workers=workers,
                        watch=lambda grown: work.update(plan.drops_in(len(grown.items))),
                    )
        return folder.items, work.stopped


def _out_of_reach(plan: Design, rolled: Sequence[float], free: str) -> SpecError:
    """Return the error for a target that is far from all exact shares without momentum."""
    shares = ", ".join(
        f"{label}={share:.3f}" for label, share in zip(plan.target, rolled, strict=True)
    )
    return SpecError(
        f"the target is out of reach with --free {free}: closest without momentum is {shares}",
        expected=_wanted(plan),
        fix=f"use {_wider(plan)}another target, or --closest to drop and write the closest one",
    )


def _wanted(plan: Design) -> str:
    return ", ".join(f"{label}={share:g}" for label, share in plan.target.items())


def _wider(plan: Design) -> str:
    return "" if len(plan.free) == len(FREE) else f"--free {','.join(FREE)}, "


def _missed(plan: Design, result: DesignResult, free: str) -> SpecError:
    """Return the error for a target that no candidate met."""
    shares = ", ".join(
        f"{label}={share.value:.3f} (tried: {low:.2f} to {high:.2f})"
        for label, _, share, _, _, low, high in _rows(plan, result)
    )
    return SpecError(
        f"the target cannot be met with --free {free}: closest is {shares}",
        expected=_wanted(plan),
        fix=f"use {_wider(plan)}another target, or --closest to write this one",
    )


def _rows(
    plan: Design, result: DesignResult
) -> Iterator[tuple[str, float, Share, Share, float, float, float]]:
    """Yield label, target, share, share it is compared with, its prediction, and the range."""
    # Of several floors, the one that misses most.
    shares, others = (side[result.worst_floor].shares for side in (result.judged, result.other))
    columns = (shares, others, result.rolled, result.low, result.high)
    return zip(plan.target, plan.target.values(), *columns, strict=True)


def _document(plan: Design, result: DesignResult, folder: Path) -> dict[str, Any]:
    """Return the result as JSON values."""
    single = len(plan.floors) == 1
    other = "without_momentum" if single else "as_it_is"
    scale, spec = plan.shape_at(result.found.point, result.found.material)
    ballast: dict[str, Any] | None = None
    if spec is not None and "ballast" in plan.free:
        ball = ballast_of(spec)
        ballast = {
            "material": spec.material,
            "density_kg_m3": spec.density_kg_m3,
            "centre_mm": list(spec.centre_mm),
            "radius_mm": spec.radius_mm,
            "mass_g": ball.volume * ball.density * 1e3,
        }
    body = plan.body_at(result.found.point, result.found.material)
    return {
        "folder": str(folder),
        "model": plan.source.spec.id,
        "free": list(plan.free),
        "ballast": ballast,
        "scale": scale.tolist(),
        "size_mm": (np.ptp(body.skin.vertices, axis=0) * 1e3).tolist(),
        "mass_g": body.mass.mass * 1e3,
        "centre_mm": (body.mass.centre * 1e3).tolist(),
        "classes": [
            {
                "label": label,
                "target": wanted,
                "share": asdict(share),
                other: {"predicted": rolled, "dropped": asdict(guess)} if single else asdict(guess),
                "tried": [low, high],
            }
            for label, wanted, share, guess, rolled, low, high in _rows(plan, result)
        ],
        "tv": result.tv,
        f"tv_{other}": {"predicted": result.rolled_tv, "dropped": result.other_tv}
        if single
        else result.other_tv,
        "tv_worst": result.worst,
        "drops": {"per_candidate": plan.drops, "candidates": plan.rounds[-1], "check": plan.check},
        "floors": [
            _floor_document(plan, result, number) | {f"tv_{other}": asdict(result.other[number].tv)}
            for number in range(len(result.judged))
        ],
        "engine": plan.engine,
        "engine_version": engine_version(plan.engine),
        "seed": seed_json(plan.seed),
    }


def _floor_document(plan: Design, result: DesignResult, number: int) -> dict[str, Any]:
    """Return a floor, or the floors of a fit, and how well the design meets the target there."""
    floor, judged = (plan.floors + plan.unseen)[number], result.judged[number]
    known = floor.known
    return {
        "floor": floor.id,
        "floor_sha256": floor.sha256,
        "fit": None
        if known is None
        else {
            "name": floor.name,
            "floors": len(known.floors),
            "fitted_to": list(known.fitted_to),
            "law_worth_throws": known.model_throws,
        },
        "seen": number < result.floors,
        "tv": asdict(judged.tv),
        "shares": [asdict(share) for share in judged.shares],
        "budgets": judged.budgets and [asdict(budget) for budget in judged.budgets],
    }


def _picture(plan: Design, result: DesignResult) -> str:
    from pigglesim.render.charts import draw_design
    from pigglesim.render.figure import figure_bytes

    rows = [
        (label, wanted, share, guess, (low, high))
        for label, wanted, share, guess, _, low, high in _rows(plan, result)
    ]
    ground = plan.floors[result.worst_floor]
    title = f"{plan.source.spec.name} on {ground.id}, {' and '.join(plan.free)} free"
    other = "first guess, made without momentum" if len(plan.floors) == 1 else "model as it is"
    return figure_bytes(draw_design(title, rows, other=other), "svg").decode()


def _show_design(plan: Design, result: DesignResult, document: dict[str, Any]) -> None:
    console = consoles.result_console()
    floors = document["floors"]
    single = sum(each["seen"] for each in floors) == 1
    console.print(_classes_table(document, single=single))
    if len(floors) > 1:
        console.print()
        console.print(_floors_table(floors, "without_momentum" if single else "as_it_is"))
    if any(each["fit"] for each in floors):
        console.print()
        console.print(consoles.budget_table(_budgets(plan, result)))
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


def _budgets(plan: Design, result: DesignResult) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    """Yield the fit, the class and the deviations of each share by source."""
    for floor, judged in zip(plan.floors + plan.unseen, result.judged, strict=True):
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
    infill: Annotated[
        float | None,
        Flag(low=0.0, high=1.0),
        "Share of plastic inside, such as 0.15. Default: solid.",
    ] = None,
    walls: Annotated[
        int, Flag(low=0, high=100, needs=("infill",)), "Lines of 0.42 mm in the walls."
    ] = 2,
    covers: Annotated[
        int, Flag(low=0, high=100, needs=("infill",)), "Layers of 0.2 mm at top and bottom."
    ] = 4,
    drops: Annotated[
        int, Flag(low=1000, high=10**8), "Drops per floor, and of all floors of a fit together."
    ] = 100_000,
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
    source = read_source(model)
    floors = [Floors.of(name) for name in floor or ("printed", "felt")]
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SpecError(f"{out} exists", expected="a new folder", fix="use another --out")
    name = options.chosen_fast_engine(engine)
    engine_version(name)  # raises if it is not installed
    inside = None
    if infill is not None:
        inside = InfillSpec(
            share=infill, wall_mm=round(walls * LINE, 5), cover_mm=round(covers * LAYER * 1e3, 5)
        )
    made = print_body(source, size=size, name=source.spec.id, infill=inside)
    labels = _labels(made)
    compile_for("drops", engine=name)
    predicted = list[PredictedFloor]()
    for each in floors:
        tasks = _tasks(made, labels, each, engine=name, seed=seed)
        tallies, count = dict[int, DropTally](), -(-drops // len(tasks))
        results = drop_dice(tasks, drops=count, workers=options.chosen_workers(workers))
        with Work("drops", "predicting", total=count * len(tasks)) as work, closing(results):
            for number, tally in results:
                tallies[number] = tallies[number] + tally if number in tallies else tally
                work.advance(tally.drops)
        dropped = [tallies[number] for number in range(len(tasks))]
        predicted.append(predicted_floor(each, labels, dropped, mesh=mesh_errors(made.body)))
    prediction = Prediction(
        pigglesim=__version__,
        engine=name,
        engine_version=engine_version(name),
        seed=seed,
        date=date.today().isoformat(),
        model=source.spec.id,
        model_sha256=made.body.sha256,
        mass_g=made.body.mass.mass * 1e3,
        size_mm=_size(made),
        floors=tuple(predicted),
    )
    _write(out, made, labels, floors, prediction)
    document = {
        "folder": str(out),
        "model": source.spec.id,
        "size_mm": list(prediction.size_mm),
        "plastic_g": made.plastic_g,
        "infill": made.spec.infill and made.spec.infill.model_dump(),
        "ballast_g": made.ballast_g,
        "wall_mm": made.wall,
        "prediction": json.loads(prediction.text()),
    }
    if as_json:
        consoles.print_json(document)
    else:
        _show_print(made, prediction, out)


print = print_model


def _labels(made: PrintBody) -> list[str]:
    return [*ordered_classes(pose.label for pose in made.body.poses)]


def _size(made: PrintBody) -> tuple[float, float, float]:
    x, y, z = (np.ptp(made.body.skin.vertices, axis=0) * 1e3).round(3).tolist()
    return x, y, z


def _tasks(
    made: PrintBody, labels: list[str], floors: Floors, *, engine: str, seed: int
) -> list[DropTask]:
    """Return the drops on a floor, or on each floor of a fit."""
    names = [f"print, {floors.id}"]
    if floors.known:
        names = [f"print, {floors.id} {number}" for number in range(len(floors.known.floors))]
    return [
        DropTask(
            name=name,
            body=made.body,
            support=support_for(made.body),
            classes=tuple(labels.index(pose.label) for pose in made.body.poses),
            class_count=len(labels),
            fall=floor.fall,
            surface=floor.surface("printed"),
            stepping=floor.stepping,
            engine=engine,
            seed=seed,
        )
        for name, floor in zip(names, floors.places(floors.ground), strict=True)
    ]


def _write(
    out: Path, made: PrintBody, labels: list[str], floors: list[Floors], prediction: Prediction
) -> None:
    """Write all files of a print; die.toml last, so that no incomplete folder is ever counted."""
    from pigglesim.render.body_sheets import tally_sheet

    sheet = tally_sheet(
        made.body,
        title=made.spec.name,
        labels=labels,
        facts=_facts(made, floors),
        steps=_steps(made, prediction.floors, out),
        throws=_THROWS,
        seal=prediction.seal,
    )
    files = {name: text.encode() for name, text in made.files.items()}
    files |= {"body.stl": stl_bytes(made.surface), "body.3mf": threemf_bytes(made.surface)}
    files |= {"tally.html": sheet.encode(), PREDICTION_FILE: prediction.text().encode()}
    files["die.toml"] = _tally(made, labels).encode()
    make_folder(out)
    for name, data in files.items():
        write_atomically(out / name, data)


def _facts(made: PrintBody, floors: list[Floors]) -> list[tuple[str, str]]:
    """Return what is printed and thrown, by name."""
    sides = " x ".join(f"{side:.1f}" for side in _size(made))
    facts = [
        ("size", f"{sides} mm"),
        (
            "plastic",
            f"{made.plastic_g:.2f} g, {_inside(made)}, {made.spec.density_kg_m3:g} kg/m3",
        ),
    ]
    if made.ballast:
        ball, low = made.ballast, made.body.skin.vertices[:, 2].min()
        centre = ", ".join(f"{at * 1e3:.1f}" for at in ball.centre)
        form = f"{ball.form}, {2e3 * ball.radius:.2f} mm across"
        form += f" and {1e3 * ball.length:.2f} mm long" if ball.length else ""
        assert made.spec.ballast is not None
        facts += [
            ("ballast", f"{made.ballast_g:.2f} g of {made.spec.ballast.material}: {form}"),
            ("pocket", f"around ({centre}) mm, 0.1 mm wider on each side"),
            ("pause", f"{(_top(made) - low) * 1e3:.1f} mm above the bed, to insert the ballast"),
        ]
    return [*facts, ("floors", " or ".join(each.id for each in floors))]


def _inside(made: PrintBody) -> str:
    """Return what a slicer has to be set to."""
    infill = made.spec.infill
    if infill is None:
        return "with 100 % infill"
    return (
        f"with {percent(infill.share)} infill, walls of {infill.wall_mm:g} mm, and "
        f"{infill.cover_mm:g} mm of solid layers at top and bottom"
    )


def _top(made: PrintBody) -> float:
    """Return the height of the top of the ballast along the axis z of the mesh [m]."""
    ball = made.ballast
    assert ball is not None
    axis = np.array(ball.axis) / np.linalg.norm(ball.axis)
    # A cylinder reaches up by half its length along, and by its radius across, its axis.
    across = float(np.sqrt(max(0.0, 1.0 - axis[2] ** 2))) if ball.length else 1.0
    return ball.centre[2] + ball.radius * across + ball.length / 2.0 * abs(float(axis[2]))


def _steps(made: PrintBody, predicted: Sequence[PredictedFloor], out: Path) -> list[str]:
    heights = " or ".join(f"{each.height_m * 1e3:.0f} mm ({each.floor})" for each in predicted)
    insert = ", and insert the ballast at the pause" if made.ballast else ""
    weight = f"{made.plastic_g + made.ballast_g:.2f} g"
    other = f" --floor {predicted[0].floor}" if predicted[0].floor != "tabletop" else ""
    numbered = not made.body.pig and all(pose.label.isdecimal() for pose in made.body.poses)
    return [
        f"Print body.3mf {_inside(made)}{insert}. It must weigh {weight}.",
        *["Write the numbers on its sides with a pen, as in the pictures."] * numbered,
        f"Turn it at random in the hand. Drop it from {heights}, tumbling a little. "
        "Keep to one floor.",
        "Make one stroke per throw where it comes to rest. Count every throw, odd ones too.",
        f"Write the counts into die.toml, and run: pigglesim validate {out.name}{other}",
    ]


def _tally(made: PrintBody, labels: list[str]) -> str:
    """Return the text of a die.toml with empty counts."""
    lines = [
        f"# Counts of {made.spec.name}: replace each 0 by the number of throws on one floor.",
        f"name = {json.dumps(made.spec.name)}",
        'model = "model.toml"',
        'material = "printed"',
        'source = "who threw it, where and when"',
    ]
    for label in labels:
        downs = [pose.down.round(6) + 0.0 for pose in made.body.poses if pose.label == label]
        rows = json.dumps([down.tolist() for down in downs])
        lines += ["", "[[outcome]]", f"label = {json.dumps(label)}", "count = 0", f"down = {rows}"]
    return "\n".join(lines) + "\n"


def _show_print(made: PrintBody, prediction: Prediction, out: Path) -> None:
    console = consoles.result_console()
    floors = [f">on {each.floor}" for each in prediction.floors]
    table = consoles.word_table("predicted", *floors)
    for row in zip(*(each.outcomes for each in prediction.floors), strict=True):
        cells = (f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]" for one in row)
        table.add_row(row[0].label, *cells)
    console.print(table)
    sides = " x ".join(f"{side:.1f}" for side in _size(made))
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
        "validate", str(out), *(["--floor", first] if first != "tabletop" else [])
    )
    console.print(f"written to {out}: print tally.html, count, fill in die.toml, then\n{command}")
