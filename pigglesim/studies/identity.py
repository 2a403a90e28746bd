"""The columns of the store, a row for each die of each throw, and the identity of a study."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pigglesim.bodies.body import Body
from pigglesim.bodies.load import load_models
from pigglesim.errors import RecordError, SpecError, cut
from pigglesim.files import FileKind, read_json
from pigglesim.landing import Seat
from pigglesim.physics.engines import make_engine
from pigglesim.rng import generator
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.scene.scene import Scene
from pigglesim.studies.study import Setup, Study, ThrowKind, applied
from pigglesim.throws.pour import Pour
from pigglesim.version import __version__

COLUMNS: Mapping[str, str] = {
    "throw": "BIGINT",  # numbers the throws of the study from 0
    "cell": "INTEGER",  # combination of factor levels, from 0
    "trial": "BIGINT",  # number of the throw within its cell: the same randomness in every cell
    "die": "SMALLINT",  # number of the die in the throw, from 0
    "model": "VARCHAR",
    "standing": "BOOLEAN",  # stood on the board before the throw, and was not in the cup
    "orientation": "VARCHAR",  # class by the rules, such as Snout-Up; of a d6, its number.
    # NULL off the board, and where a die still moved when time was up
    "pose": "VARCHAR",  # stable pose as its model names it; NULL if none was reached
    "ending": "VARCHAR",  # of a single die: decided, descended or timed out; of a pour: settled
    # or timed-out
    "time_s": "FLOAT",
    "down_x": "FLOAT",  # unit vector of the body's own axes that pointed down at the end
    "down_y": "FLOAT",
    "down_z": "FLOAT",
    "zone": "VARCHAR",  # this and all below: NULL for a single die on an endless floor
    "x_mm": "FLOAT",  # centre of mass on the board, east of its middle
    "y_mm": "FLOAT",  # north of its middle
    "leaning": "BOOLEAN",
    "stacked": "BOOLEAN",
    "points": "TINYINT",  # what it scores as it lies (R3)
    "orientation_before": "VARCHAR",  # of standing dice alone, as all below: class by the rules
    "zone_before": "VARCHAR",
    "knocked": "BOOLEAN",  # by this throw (P18)
    "moved_mm": "FLOAT",
}
"""Name and DuckDB type of each column, in order. A study adds one of each factor that it varies."""

SCHEMA = 1
"""Number of the store's layout; it grows when a reader of today could not read it."""


@dataclass(frozen=True, kw_only=True)
class StudyPlan:
    """A study with everything that its names stand for, read from their files.

    Raises:
        SpecError: If it asks for something that does not exist or cannot be thrown.
    """

    study: Study
    base: Setup
    """Before any factor is applied."""
    setups: tuple[Setup, ...]
    """Set-up of each cell."""

    @classmethod
    def of(cls, study: Study) -> "StudyPlan":
        """Read everything that a study names, and try that each cell can be thrown."""
        plan = cls.read(study)
        plan._try()
        return plan

    @classmethod
    def read(cls, study: Study) -> "StudyPlan":
        """Read everything that a study names, to report throws and not to make them."""
        drop = study.kind is ThrowKind.DROP
        place = load_floor(study.scene) if drop else load_scene(study.scene)
        start = Setup(models=(), place=place)
        levels = [{"model": study.models[0], **cell} for cell in study.cells()]
        return cls(
            study=study,
            base=start,
            setups=tuple(applied(study.kind, start, cell) for cell in levels),
        )

    @cached_property
    def bodies(self) -> dict[tuple[str, float | None], Body]:
        """Body of each model, by its name and what its ballast is made to weigh."""
        found: dict[tuple[str, float | None], Body] = {}
        for setup in self.setups:
            for name in setup.models:
                key = (name, setup.ballast_g)
                if key not in found:
                    (found[key],) = replace(setup, models=(name,)).bodies()
        return found

    def cell_bodies(self, cell: int) -> tuple[Body, ...]:
        """Return the body of each die that a cell throws."""
        setup = self.setups[cell]
        return tuple(self.bodies[name, setup.ballast_g] for name in setup.models)

    @cached_property
    def made_of(self) -> dict[str, Any]:
        """Everything that decides the bits besides the definition."""
        engine = make_engine(self.study.engine)
        models = {
            body_name(name, grams): body.sha256 for (name, grams), body in self.bodies.items()
        }
        if self.study.kind is ThrowKind.KNOCK:
            standing = load_models(dict.fromkeys(self.base.scene.teams[Seat.B]))
            models |= {f"standing {name}": body.sha256 for name, body in standing.items()}
        return {
            "schema": SCHEMA,
            "pigglesim": __version__,
            "engine": engine.name,
            "engine_version": engine.version,
            "numpy": np.__version__,
            "scene_sha256": self.base.place.sha256,
            "models": models,
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that decides the bits."""
        # As text: the order of the factors is that of the cells.
        whole = {"study": self.study.to_json(), "made_of": self.made_of}
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()

    def columns(self) -> dict[str, str]:
        """Return name and DuckDB type of each column of the store."""
        varied = self.study.varied()
        return {**COLUMNS, **{found.column: found.column_type for found in varied}}

    def _try(self) -> None:
        """Draw one throw of every cell: what cannot be thrown is reported first."""
        make_engine(self.study.engine)
        for cell, setup in enumerate(self.setups):
            bodies = self.cell_bodies(cell)
            if isinstance(setup.place, Scene):
                rng = generator(self.study.seed, "try")
                Pour(scene=setup.scene, seat=Seat.A).sample(bodies, rng=rng)
            else:
                setup.surface  # noqa: B018 (an unknown material is a fault)
            for body in bodies:
                if not body.poses:
                    raise SpecError(
                        f"stable poses of {body.model}",
                        got="a file that lists none",
                        remedy="remove its table [derived]: it is made anew",
                    )


def body_name(model: str, ballast_g: float | None) -> str:
    """Return what a body is called in `study.json`."""
    return model if ballast_g is None else f"{model}, ballast {ballast_g:g} g"


_KIND = FileKind(name="study definition", most_bytes=4 * 1024**2, values=200_000)
_Column = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
_Type = Literal["BIGINT", "INTEGER", "SMALLINT", "TINYINT", "VARCHAR", "BOOLEAN", "FLOAT", "DOUBLE"]
"""Possible types of a column: name and type become SQL."""


class _MadeOf(BaseModel):
    schema_: Annotated[int, Field(alias="schema", le=SCHEMA)]
    models: dict[str, Any]


class _Definition(BaseModel):
    model_config = ConfigDict(strict=True)

    study: dict[str, Any]
    digest: str
    made_of: _MadeOf
    columns: Annotated[dict[_Column, _Type], Field(max_length=64)]


def checked_definition(path: Path) -> dict[str, Any]:
    """Return what the definition of a study in a file says.

    Raises:
        RecordError: If it cannot be read, is no such definition, or one of a newer version.
    """
    try:
        found = read_json(path, _KIND)
        columns = _Definition.model_validate(found).columns
    except SpecError as fault:
        raise RecordError(fault.expected, got=fault.got, remedy="another --out") from None
    except ValidationError as faults:
        first = faults.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"]))
        if key == "made_of.schema" and first["type"] == "less_than_equal":
            raise RecordError(
                f"a study in the layout {SCHEMA} or older",
                got=f"{path.parent} in the layout {first['input']}",
                remedy="install a newer pigglesim",
            ) from None
        raise RecordError(
            f"a {path.name} that can be read, as pigglesim study wrote it",
            got=cut(f"{path}: {key}: {first['msg']}"),
            remedy="another --out",
        ) from None
    if not COLUMNS.keys() <= columns.keys():
        raise RecordError(
            f"the columns of a study in {path}",
            got="others",
            remedy="use the folder as pigglesim study wrote it",
        )
    return dict(found)
