"""Bodies whose shares meet a target when they are dropped: search them, and write their models."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from pigglesim.arguments import JsonResult, checked, plain
from pigglesim.bodies.load import ballast_of, load_model
from pigglesim.bodies.variant import read_source
from pigglesim.data_files import MODEL_IN_FOLDER, model_id
from pigglesim.durable_io import write_atomically
from pigglesim.errors import SpecError, unknown_name
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
from pigglesim.experiments.folder import SeriesFolder
from pigglesim.experiments.statistics import Share
from pigglesim.limits import Limits
from pigglesim.physics.engines import engine_version, fastest_engine_name
from pigglesim.precompile import compile_for
from pigglesim.rng import Seed, root_seed, seed_json

DROPS = Limits(100, 10**6)
"""Drops per candidate and floor."""
CHECK = Limits(1000, 10**7)
"""Final drops per floor."""
WITHIN = Limits(0.001, 0.5)
"""Total variation up to which a target counts as met."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DesignedModel(JsonResult):
    """A body that was searched for a target, and its shares when it is dropped."""

    plan: Design = field(repr=False)
    """The search: its target, free parameters, floors and seed."""
    found: DesignResult = field(repr=False)
    """Shares on each floor, beside those of the first guess or of the model as it is."""
    folder: Path
    """Folder of the design, which is a model itself."""
    notes: tuple[str, ...] = ()
    """Files of an earlier run that were set aside in the folder."""

    def document(self) -> dict[str, Any]:
        """Return the design as JSON values."""
        plan, result = self.plan, self.found
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
        document = {
            "folder": str(self.folder),
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
                    other: {"predicted": rolled, "dropped": asdict(guess)}
                    if single
                    else asdict(guess),
                    "tried": [low, high],
                }
                for label, wanted, share, guess, rolled, low, high in self.rows
            ],
            "tv": result.tv,
            f"tv_{other}": {"predicted": result.rolled_tv, "dropped": result.other_tv}
            if single
            else result.other_tv,
            "tv_worst": result.worst,
            "drops": {
                "per_candidate": plan.drops,
                "candidates": plan.rounds[-1],
                "check": plan.check,
            },
            "floors": [
                _floor_document(plan, result, number)
                | {f"tv_{other}": asdict(result.other[number].tv)}
                for number in range(len(result.judged))
            ],
            "engine": plan.engine,
            "engine_version": engine_version(plan.engine),
            "seed": seed_json(plan.seed),
        }
        return dict(plain(document))

    @property
    def rows(self) -> Iterator[tuple[str, float, Share, Share, float, float, float]]:
        """Label, target, share, share it is compared with, its prediction, and the range.

        Of several floors, the shares are on the one that misses most.
        """
        found, worst = self.found, self.found.worst_floor
        shares, others = found.judged[worst].shares, found.other[worst].shares
        columns = (shares, others, found.rolled, found.low, found.high)
        return zip(self.plan.target, self.plan.target.values(), *columns, strict=True)

    def __repr__(self) -> str:
        shares = (f"{label} {share}" for label, _, share, *_ in self.rows)
        name = self.plan.source.spec.id
        return f"DesignedModel({name}: {', '.join(shares)}; {self.folder}; seed {self.plan.seed})"


@checked
def design(
    model: str,
    target: str | Mapping[str, float],
    *,
    out: str | PathLike[str],
    free: str = "ballast",
    material: str | None = None,
    floors: str = "tabletop",
    heights: str | None = None,
    judge: str | None = None,
    drops: Annotated[int, DROPS] = 3000,
    check: Annotated[int, CHECK] = 100_000,
    within: Annotated[float, WITHIN] = 0.02,
    closest: bool = False,
    seed: Seed = 1,
    engine: str | None = None,
    workers: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> DesignedModel:
    """Find a body whose shares meet a target when it is dropped, and write it as a model.

    An interruption (Ctrl-C) loses only the drops at work: the same call resumes the search. The
    number of workers changes no bit.

    Args:
        model: Name in `known().models`, or a path to a TOML file or a folder.
        target: Share of each class, such as `{"up": 0.5, "head": 0.1}`, or `"fair"`. Classes left
            out share the rest.
        out: Folder of the design, new or of the same search.
        free: Free parameters: `ballast`, `shape` or `ballast,shape`.
        material: Material of the ballast: `steel`, `brass`, `lead` or `tungsten`. Default: the
            lightest of steel, lead and tungsten that can meet the target.
        floors: Floors and fits on which the target is to be met, separated by commas.
        heights: Heights of the drop on each floor, such as `50mm,250mm`. Default: that of the
            floor. [mm]
        judge: Further floors to judge the design on. For several floors these are always also the
            same floors at half the lowest and twice the highest height.
        drops: Drops per candidate and floor, 100 or more.
        check: Final drops per floor, of the design and of the bodies compared with it, 1000 or
            more.
        within: Total variation up to which the target counts as met, 0.001 to 0.5.
        closest: Whether to write the closest design even if it misses the target.
        seed: Root seed, or a stream to draw it from; the same in all runs of one folder.
        engine: Name in `known().engines`. Default: the fastest.
        workers: Number of processes; above 1, a script needs `if __name__ == "__main__":`.
        progress: Function called with the numbers of drops made and wanted, first with those that
            the folder has.

    Returns:
        The design, with its shares and what they are compared with.

    Raises:
        PigglesimError: If a name is unknown, a value is invalid, the target cannot be met, or the
            folder holds another search, is in use or cannot be written.

    Examples:
        >>> import pigglesim
        >>> few = {"drops": 100, "check": 1000, "within": 0.1}
        >>> pigglesim.design("d6", {"1": 0.1, "6": 0.1}, free="shape", out="tall", **few).found.tv
    """
    source, folder = read_source(model), Path(out)
    kinds = parse_free(free, source)
    if material is not None and "ballast" not in kinds:
        raise SpecError("--material has no effect on the shape", fix=f"add --free {','.join(FREE)}")
    if material is not None and material not in MATERIALS:
        raise unknown_name("material", material, MATERIALS)
    materials = (material,) if material else ("steel", "lead", "tungsten")
    name = engine or fastest_engine_name()
    engine_version(name)  # raises if it is not installed
    searched, unseen = _floors_of(floors, heights, judge)
    if not isinstance(target, str):
        target = ",".join(f"{label}={float(share)!r}" for label, share in target.items())
    plan = Design(
        source=source,
        target=parse_target(target, source.body),
        free=kinds,
        materials=materials if "ballast" in kinds else ("",),
        floors=searched,
        unseen=unseen,
        surface="plastic",
        engine=name,
        drops=int(drops),
        check=int(check),
        seed=root_seed(seed),
    )
    if not (closest or any(folder.glob("*"))):
        rolled = plan.out_of_reach(within)
        if rolled is not None:
            raise _out_of_reach(plan, rolled)
    designed = _search(plan, folder, workers, progress)
    if not (designed.found.tv <= within or closest):
        raise _missed(designed)
    _write(designed)
    return designed


def _search(
    plan: Design, folder: Path, workers: int, progress: Callable[[int, int], object] | None
) -> DesignedModel:
    """Drop all candidates that are missing from a folder, and return the best."""
    compile_for("drops", engine=plan.engine)

    def on_progress(opened: SeriesFolder[Any, Candidate]) -> None:
        if progress is not None:
            progress(plan.drops_in(len(opened.items)), plan.total_drops)

    with design_folder(folder, plan) as opened:
        on_progress(opened)
        for start, end in pairwise([0, *plan.stages]):
            if len(opened.items) < end:
                opened.play(
                    partial(partial, plan.stage(opened.items[:start])),
                    wanted=end,
                    workers=workers,
                    watch=on_progress,
                )
        found = plan.result(opened.items)
    return DesignedModel(plan=plan, found=found, folder=folder, notes=tuple(opened.notes))


def _write(designed: DesignedModel) -> None:
    """Write the model of a design, its result and its picture into its folder."""
    folder = designed.folder
    name = model_id(folder.resolve().name) or "design"
    files = designed.plan.files_at(designed.found.found, name)
    files["result.json"] = designed.to_json() + "\n"
    files["shares.svg"] = _picture(designed)
    # The model file last, so that no incomplete model is ever found.
    for file in sorted(files, key=lambda file: file == MODEL_IN_FOLDER):
        write_atomically(folder / file, files[file].encode())
    load_model(str(folder))


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


def _out_of_reach(plan: Design, rolled: Sequence[float]) -> SpecError:
    """Return the error for a target that is far from all exact shares without momentum."""
    shares = ", ".join(
        f"{label}={share:.3f}" for label, share in zip(plan.target, rolled, strict=True)
    )
    return SpecError(
        f"the target is out of reach with --free {','.join(plan.free)}: closest without momentum "
        f"is {shares}",
        expected=_wanted(plan),
        fix=f"use {_wider(plan)}another target, or --closest to drop and write the closest one",
    )


def _wanted(plan: Design) -> str:
    return ", ".join(f"{label}={share:g}" for label, share in plan.target.items())


def _wider(plan: Design) -> str:
    return "" if len(plan.free) == len(FREE) else f"--free {','.join(FREE)}, "


def _missed(designed: DesignedModel) -> SpecError:
    """Return the error for a target that no candidate met."""
    plan = designed.plan
    shares = ", ".join(
        f"{label}={share.value:.3f} (tried: {low:.2f} to {high:.2f})"
        for label, _, share, _, _, low, high in designed.rows
    )
    return SpecError(
        f"the target cannot be met with --free {','.join(plan.free)}: closest is {shares}",
        expected=_wanted(plan),
        fix=f"use {_wider(plan)}another target, or --closest to write this one",
    )


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


def _picture(designed: DesignedModel) -> str:
    from pigglesim.render.charts import draw_design  # noqa: PLC0415 (draws)
    from pigglesim.render.figure import figure_bytes  # noqa: PLC0415 (draws)

    plan = designed.plan
    rows = [
        (label, wanted, share, guess, (low, high))
        for label, wanted, share, guess, _, low, high in designed.rows
    ]
    ground = plan.floors[designed.found.worst_floor]
    title = f"{plan.source.spec.name} on {ground.id}, {' and '.join(plan.free)} free"
    other = "first guess, made without momentum" if len(plan.floors) == 1 else "model as it is"
    return figure_bytes(draw_design(title, rows, other=other), "svg").decode()
