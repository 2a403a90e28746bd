"""`pigglesim design`: find a body whose shares meet a target when it is dropped."""

import json
import re
from collections.abc import Collection
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from pigglesim.bodies.load import ballast_of, load_model
from pigglesim.bodies.variant import read_source
from pigglesim.cli import consoles, options
from pigglesim.cli.flags import ARGUMENT, Flag
from pigglesim.cli.progress import Work
from pigglesim.data_files import MODEL_IN_FOLDER
from pigglesim.durable_io import write_atomically
from pigglesim.errors import SpecError, unknown_name
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
from pigglesim.physics.engines import engine_version
from pigglesim.precompile import compile_for
from pigglesim.scene.load import load_floor


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
        surface=_surface(ground.surfaces),
        engine=name,
        drops=drops,
        check=check,
        seed=seed,
    )
    folder = out or options.new_folder("designs", source.spec.id, target, free, ground.id, seed)
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
    files = plan.files_at(result.found, _model_id(folder))
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
        _show(document)


def _surface(surfaces: Collection[str]) -> str:
    if "plastic" not in surfaces:
        raise unknown_name("material of die on this floor", "plastic", surfaces)
    return "plastic"


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


def _missed(plan: Design, result: DesignResult, free: str) -> SpecError:
    """Return the error for a target that no candidate met."""
    wide = "" if len(plan.free) == len(FREE) else f"--free {','.join(FREE)}, "
    shares = ", ".join(
        f"{label} {share.value:.3f} (tried: {low:.2f} to {high:.2f})"
        for label, share, low, high in zip(
            plan.target, result.shares, result.low, result.high, strict=True
        )
    )
    wanted = ", ".join(f"{label} {share:g}" for label, share in plan.target.items())
    return SpecError(
        f"the target cannot be met with --free {free}: closest is {shares}",
        expected=wanted,
        fix=f"use {wide}another target, or --closest to write this one",
    )


def _model_id(folder: Path) -> str:
    """Return an id made from the name of the folder."""
    plain = re.sub(r"[^a-z0-9_-]+", "_", folder.resolve().name.lower()).strip("_-")
    return plain[:40] or "design"


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
    rows = zip(
        plan.target.items(), result.shares, result.guess_shares, result.rolled,
        result.low, result.high, strict=True,
    )  # fmt: skip
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
            for (label, wanted), share, guess, rolled, low, high in rows
        ],
        "tv": result.tv,
        "tv_without_momentum": {"predicted": result.rolled_tv, "dropped": result.guess_tv},
        "drops": {"per_candidate": plan.drops, "candidates": plan.rounds[-1], "check": plan.check},
        "floor": plan.floor.id,
        "engine": plan.engine,
        "engine_version": engine_version(plan.engine),
        "seed": plan.seed,
    }


def _picture(plan: Design, result: DesignResult) -> str:
    from pigglesim.render.charts import draw_design
    from pigglesim.render.figure import figure_bytes

    rows = [
        (label, wanted, share, guess, (low, high))
        for (label, wanted), share, guess, low, high in zip(
            plan.target.items(), result.shares, result.guess_shares, result.low, result.high,
            strict=True,
        )
    ]  # fmt: skip
    title = f"{plan.source.spec.name} on {plan.floor.id}, {' and '.join(plan.free)} free"
    return figure_bytes(draw_design(title, rows), "svg").decode()


def _show(document: dict[str, Any]) -> None:
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
