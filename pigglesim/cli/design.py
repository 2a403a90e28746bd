"""`pigglesim design` and `print`: bodies for target shares, and files for a printer."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import date
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from pigglesim.bodies.body import support_for
from pigglesim.bodies.load import ballast_of, load_model
from pigglesim.bodies.variant import read_source
from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Flag, command_here
from pigglesim.cli.progress import Work
from pigglesim.data_files import MODEL_IN_FOLDER, model_id
from pigglesim.durable_io import make_folder, write_atomically
from pigglesim.errors import SpecError, unknown_name
from pigglesim.experiments.counted_dice import DropTally, DropTask, drop_dice
from pigglesim.experiments.design import (
    FREE,
    MATERIALS,
    Candidate,
    Design,
    DesignResult,
    design_folder,
    parse_free,
    parse_target,
)
from pigglesim.experiments.printing import (
    LARGEST,
    PREDICTION_FILE,
    SMALLEST,
    Prediction,
    PrintBody,
    predicted_floor,
    print_body,
    stl_bytes,
    threemf_bytes,
)
from pigglesim.experiments.statistics import Share
from pigglesim.landing import Orientation
from pigglesim.physics.engines import engine_version
from pigglesim.precompile import compile_for
from pigglesim.rng import seed_json
from pigglesim.scene.load import load_floor
from pigglesim.scene.scene import Floor
from pigglesim.units import unit_named
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
        "Share of each class, such as up=.5,down=.4,head=.1. Classes left out share the rest.",
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
        options.FLOOR,
        Flag("--floor", "--scene"),
        "Floor and drop: a floor's name or a TOML file.",
    ] = "tabletop",
    drops: Annotated[int, Flag(low=100, high=10**6), "Drops per candidate."] = 3000,
    check: Annotated[
        int, Flag(low=1000, high=10**7), "Drops of the design, and of the first guess, at the end."
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

    The folder is a model itself: `--model DIR`. If interrupted (Ctrl-C), repeat the command to
    resume.

    Examples:
        pigglesim design piggle --target up=.5,down=.4,head=.1 --out balanced
        pigglesim design d6 --target 6=.25 --material tungsten
        pigglesim design d6 --target 1=.1,6=.1 --free shape --floor felt
        pigglesim study --kind drop --model balanced
    """
    source, ground = read_source(model), load_floor(floor)
    if "plastic" not in ground.surfaces:
        raise unknown_name("material of die on this floor", "plastic", ground.surfaces)
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
        floor=ground,
        surface="plastic",
        engine=name,
        drops=drops,
        check=check,
        seed=seed,
    )
    folder = out or options.new_folder("designs", source.spec.id, target, free, ground.id, seed)
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
    if result.tv > within and not closest:
        raise _missed(plan, result, free)
    files = plan.files_at(result.found, model_id(folder.resolve().name) or "design")
    document = _document(plan, result, folder)
    files["result.json"] = json.dumps(document, indent=1) + "\n"
    files["shares.svg"] = _picture(plan, result)
    # The model file last, so that no incomplete model is ever found.
    for name in sorted(files, key=lambda name: name == MODEL_IN_FOLDER):
        write_atomically(folder / name, files[name].encode())
    load_model(str(folder))
    if as_json:
        consoles.print_json(document)
    else:
        _show_design(document)


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
    """Yield label, target, share, share of the guess, its prediction, and the range tried."""
    columns = (result.shares, result.guess_shares, result.rolled, result.low, result.high)
    return zip(plan.target, plan.target.values(), *columns, strict=True)


def _document(plan: Design, result: DesignResult, folder: Path) -> dict[str, Any]:
    """Return the result as JSON values."""
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
                "without_momentum": {"predicted": rolled, "dropped": asdict(guess)},
                "tried": [low, high],
            }
            for label, wanted, share, guess, rolled, low, high in _rows(plan, result)
        ],
        "tv": result.tv,
        "tv_without_momentum": {"predicted": result.rolled_tv, "dropped": result.guess_tv},
        "drops": {"per_candidate": plan.drops, "candidates": plan.rounds[-1], "check": plan.check},
        "floor": plan.floor.id,
        "engine": plan.engine,
        "engine_version": engine_version(plan.engine),
        "seed": seed_json(plan.seed),
    }


def _picture(plan: Design, result: DesignResult) -> str:
    from pigglesim.render.charts import draw_design
    from pigglesim.render.figure import figure_bytes

    rows = [
        (label, wanted, share, guess, (low, high))
        for label, wanted, share, guess, _, low, high in _rows(plan, result)
    ]
    title = f"{plan.source.spec.name} on {plan.floor.id}, {' and '.join(plan.free)} free"
    return figure_bytes(draw_design(title, rows), "svg").decode()


def _show_design(document: dict[str, Any]) -> None:
    console = consoles.result_console()
    table = consoles.word_table("class", ">target", ">share", ">first guess", ">tried")
    for row in document["classes"]:
        share, guess = row["share"], row["without_momentum"]["dropped"]
        table.add_row(
            row["label"],
            f"{row['target']:.3f}",
            f"{share['value']:.3f} [{share['low']:.3f}, {share['high']:.3f}]",
            f"{guess['value']:.3f}",
            "{:.2f} to {:.2f}".format(*row["tried"]),
        )
    table.add_row(
        "total variation", "", f"{document['tv']:.4f}",
        f"{document['tv_without_momentum']['dropped']:.4f}",
    )  # fmt: skip
    console.print(table)
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
    console.print(
        f"first guess: meets the target without momentum, dropped · tried: range over "
        f"{document['drops']['candidates']} candidates\n{document['drops']['check']:,} drops · "
        f"{document['engine']} {document['engine_version']} · floor {document['floor']} · "
        f"seed {document['seed']}",
        style="dim",
    )
    console.print(f"written to {document['folder']}: use it as --model {document['folder']}")


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
        options.FLOOR,
        "Floor and drop to predict for; repeatable. Default: tabletop and felt.",
    ] = None,
    drops: Annotated[int, Flag(low=1000, high=10**8), "Drops per floor."] = 100_000,
    workers: options.Workers = None,
    seed: Annotated[int, "Root seed, sealed with the prediction."] = 1,
    engine: options.FastEngine = None,
    as_json: options.Json = False,
) -> None:
    """Write files to print a model, a tally sheet, and a sealed prediction.

    The folder gets body.stl and body.3mf (watertight, with a pocket for the ballast), tally.html to
    print on paper, die.toml for the counts, and prediction.json: the shares on each floor with
    95 % intervals, sealed with version and seed before anybody has counted. Fill in die.toml, and
    `pigglesim validate DIR` compares.

    Examples:
        pigglesim print piggle --size 40mm --out my-piggle
        pigglesim print premium --size 50mm --out heavy --floor felt
        pigglesim validate my-piggle
    """
    source = read_source(model)
    floors = [load_floor(name) for name in floor or ("tabletop", "felt")]
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise SpecError(f"{out} exists", expected="a new folder", fix="use another --out")
    name = options.chosen_fast_engine(engine)
    engine_version(name)  # raises if it is not installed
    made = print_body(source, size=size, name=source.spec.id)
    labels = _labels(made)
    compile_for("drops", engine=name)
    tasks = [_task(made, labels, each, engine=name, seed=seed) for each in floors]
    tallies: dict[int, DropTally] = {}
    results = drop_dice(tasks, drops=drops, workers=options.chosen_workers(workers))
    with Work("drops", "predicting", total=drops * len(tasks)) as work, closing(results):
        for number, tally in results:
            tallies[number] = tallies[number] + tally if number in tallies else tally
            work.advance(tally.drops)
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
        floors=tuple(
            predicted_floor(each, labels, tallies[number]) for number, each in enumerate(floors)
        ),
    )
    _write(out, made, labels, floors, prediction)
    document = {
        "folder": str(out),
        "model": source.spec.id,
        "size_mm": list(prediction.size_mm),
        "plastic_g": made.plastic_g,
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
    """Return the classes of a body: those of the rules in their order, others by name."""
    labels = {pose.label for pose in made.body.poses}
    rules = [each.label for each in Orientation if each.label in labels]
    return rules if made.body.pig else sorted(labels)


def _size(made: PrintBody) -> tuple[float, float, float]:
    x, y, z = (np.ptp(made.body.skin.vertices, axis=0) * 1e3).round(3).tolist()
    return x, y, z


def _task(made: PrintBody, labels: list[str], floor: Floor, *, engine: str, seed: int) -> DropTask:
    return DropTask(
        name=f"print, {floor.id}",
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


def _write(
    out: Path, made: PrintBody, labels: list[str], floors: list[Floor], prediction: Prediction
) -> None:
    """Write all files of a print; die.toml last, so that no incomplete folder is ever counted."""
    from pigglesim.render.body_sheets import tally_sheet

    sheet = tally_sheet(
        made.body,
        title=made.spec.name,
        labels=labels,
        facts=_facts(made, floors),
        steps=_steps(made, floors, out),
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


def _facts(made: PrintBody, floors: list[Floor]) -> list[tuple[str, str]]:
    """Return what is printed and thrown, by name."""
    sides = " x ".join(f"{side:.1f}" for side in _size(made))
    facts = [
        ("size", f"{sides} mm"),
        ("plastic", f"{made.plastic_g:.2f} g, solid, {made.spec.density_kg_m3:g} kg/m3"),
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


def _top(made: PrintBody) -> float:
    """Return the height of the top of the ballast along the axis z of the mesh [m]."""
    ball = made.ballast
    assert ball is not None
    axis = np.array(ball.axis) / np.linalg.norm(ball.axis)
    # A cylinder reaches up by half its length along, and by its radius across, its axis.
    across = float(np.sqrt(max(0.0, 1.0 - axis[2] ** 2))) if ball.length else 1.0
    return ball.centre[2] + ball.radius * across + ball.length / 2.0 * abs(float(axis[2]))


def _steps(made: PrintBody, floors: list[Floor], out: Path) -> list[str]:
    heights = " or ".join(f"{each.drop.height * 1e3:.0f} mm ({each.id})" for each in floors)
    insert = ", and insert the ballast at the pause" if made.ballast else ""
    weight = f"{made.plastic_g + made.ballast_g:.2f} g"
    other = f" --floor {floors[0].id}" if floors[0].id != "tabletop" else ""
    return [
        f"Print body.3mf with 100 % infill{insert}. It must weigh {weight}.",
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
    command = command_here("validate", str(out))
    console.print(f"written to {out}: print tally.html, count, fill in die.toml, then\n{command}")
