"""Everything that decides the bits of a study's throws, and the digest of it all."""

import hashlib
import json
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.physics.engine import FloorEngine
from pigglesim.physics.engines import make_engine
from pigglesim.rolls import Seat
from pigglesim.scene.load import load_floor, load_scene
from pigglesim.scene.scene import Scene
from pigglesim.seeding import generator
from pigglesim.shapes.body import Body
from pigglesim.shapes.load import load_models
from pigglesim.studies.columns import COLUMNS
from pigglesim.studies.factors import applied
from pigglesim.studies.setups import Setup, ThrowKind
from pigglesim.studies.study import Study
from pigglesim.throws.pour import Pour
from pigglesim.version import __version__

__all__ = ["SCHEMA", "Plan", "body_name"]

SCHEMA = 1
"""Number of the store's layout; it grows when a reader of today could not read it."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A study with everything that its names stand for, read from their files.

    Raises:
        SpecError: If it asks for something that does not exist or cannot be thrown.
    """

    study: Study
    base: Setup
    """Before any factor is applied."""
    setups: tuple[Setup, ...]
    """Of each cell."""

    @classmethod
    def of(cls, study: Study) -> "Plan":
        """Read everything that a study names, and try that each cell can be thrown."""
        plan = cls.read(study)
        plan._try()
        return plan

    @classmethod
    def read(cls, study: Study) -> "Plan":
        """Read everything that a study names, to tell of throws and not to make them."""
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
        """What the bits depend on beside the definition."""
        engine = self._engine()
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

    def _engine(self) -> FloorEngine:
        """Return what steps the throws; one that cannot is a fault told now."""
        return make_engine(self.study.engine)

    def columns(self) -> dict[str, str]:
        """Return name and DuckDB type of each column of the store."""
        varied = self.study.varied()
        return {**COLUMNS, **{found.column: found.column_type for found in varied}}

    def _try(self) -> None:
        """Draw one throw of every cell: what cannot be thrown is told before anything is."""
        self._engine()
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
