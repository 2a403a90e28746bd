"""Throws in processes of their own, because a pour blocks all threads of its process."""

import itertools
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from queue import Queue
from typing import Any

from pigglesim.api.roll import prepare
from pigglesim.bodies.load import load_models
from pigglesim.chance.physical import FilmedChance, PhysicalChance, physical_chance
from pigglesim.chance_types import DiceRequest, DiceResult
from pigglesim.errors import PigglesimError
from pigglesim.experiments.worker_pool import Outcome, WorkerPool
from pigglesim.films.film import Film, Frames
from pigglesim.landing import RollRequest, RollResult
from pigglesim.physics.engines import fastest_engine_name
from pigglesim.render.copies_kit import decided_message, expect_decidable
from pigglesim.render.throw_kit import ThrowKit, kit_of
from pigglesim.scene.load import load_scene

_MOST = 3
"""Maximum number of processes; each has some 150 MB."""
_TABLES = 16
"""Maximum tables whose bodies a process keeps."""

_Filmed = tuple[RollResult | DiceResult, Film]


class PourError(PigglesimError):
    """A process that throws has died."""


@dataclass(frozen=True, slots=True)
class _Table:
    """Names of a table and its bodies, from which another process loads the same."""

    scene: str
    models: tuple[tuple[str, str], ...]
    engine: str
    digests: tuple[str, ...]
    """Digests of the files, as they may change while the server runs."""


@dataclass(frozen=True, slots=True)
class _Job:
    table: _Table
    seed: int
    request: RollRequest | DiceRequest
    index: int = 0
    command: str | None = None

    @classmethod
    def of(
        cls,
        source: PhysicalChance,
        request: RollRequest | DiceRequest,
        index: int = 0,
        command: str | None = None,
    ) -> "_Job":
        scene, models = source.scene, source.models
        table = _Table(
            scene.id,
            tuple((name, body.model) for name, body in models.items()),
            source.engine.name,
            (scene.sha256, *(body.sha256 for body in models.values())),
        )
        return cls(table, source.seed, request, index, command)


@dataclass(frozen=True, slots=True)
class _KitJob(_Job):
    """A page's own throw, to be prepared."""


@dataclass(frozen=True, slots=True)
class _LooksJob:
    """Looks at the bodies that were rolled in a film."""

    scene: str
    models: tuple[str, ...]
    frames: Frames

    @classmethod
    def of(cls, film: Film) -> "_LooksJob":
        """Return the job of a film.

        Raises:
            SpecError: As `expect_decidable`.
        """
        expect_decidable(film)
        rolled = tuple(actor.model for actor in film.actors if not actor.standing)
        return cls(film.scene, rolled, film.frames)


def looks(film: Film) -> dict[str, Any]:
    """Return the message with which a page finds when the bodies of a film were decided.

    Raises:
        SpecError: As `expect_decidable`.
    """
    return _looked(_LooksJob.of(film))


def _looked(job: _LooksJob) -> dict[str, Any]:
    bodies = load_models(job.models)
    return decided_message(
        job.frames, [bodies[model] for model in job.models], load_scene(job.scene)
    )


_AnyJob = _Job | _LooksJob
_Done = _Filmed | ThrowKit | dict[str, Any] | None


def _worker() -> Callable[[_AnyJob], _Done]:
    return _done


def _done(job: _AnyJob) -> _Done:
    if isinstance(job, _LooksJob):
        return _looked(job)
    source = _chance(job.table).with_seed(job.seed)
    if isinstance(job, _KitJob):
        assert isinstance(job.request, RollRequest)
        return kit_of(source, job.request)
    return FilmedChance(source=source, command=job.command).filmed(job.request, index=job.index)


@lru_cache(maxsize=_TABLES)
def _chance(table: _Table) -> PhysicalChance:
    scene = load_scene(table.scene)
    return physical_chance(scene, dict(table.models), engine=table.engine, seed=0)


class Pours:
    """Processes that throw; they start at once, and end with this one."""

    def __init__(self) -> None:
        count = max(1, min(_MOST, (os.cpu_count() or 1) - 1))
        self._pools = [WorkerPool(_worker, 1) for _ in range(count)]
        self._idle: Queue[WorkerPool[_AnyJob, _Done]] = Queue()
        self._numbers = itertools.count(1)
        ready = prepare(1, scene="piggles_classic", seed=1, engine=fastest_engine_name())
        try:
            for pool in self._pools:
                pool.__enter__()
                # A first throw must not wait for the process and its compiled code.
                pool.submit(0, _Job.of(ready.chance, ready.request))
                self._idle.put(pool)
        except BaseException:
            self.close()
            raise

    def run(self, job: _AnyJob) -> _Done:
        """Return a throw and its film, a kit or looks; wait for a free process.

        Raises:
            PigglesimError: As `FilmedChance.filmed`, or if two processes die of it.
        """
        pool = self._idle.get()
        try:
            outcome = self._tried(pool, job)
            if outcome.fault and outcome.error is None:
                # The process may have died before.
                outcome = self._tried(pool, job)
        finally:
            self._idle.put(pool)
        if outcome.error is not None:
            raise outcome.error
        if outcome.fault:
            raise PourError(f"the throw failed: {outcome.fault}", fix="throw again")
        return outcome.result

    def looks(self, film: Film) -> dict[str, Any]:
        """Do what `looks` does.

        Raises:
            PigglesimError: As `run`, or if engine `impulse` did not make the film.
        """
        message = self.run(_LooksJob.of(film))
        assert isinstance(message, dict)
        return message

    def _tried(self, pool: WorkerPool[_AnyJob, _Done], job: _AnyJob) -> Outcome[_Done]:
        number = next(self._numbers)
        pool.submit(number, job)
        while (outcome := pool.next()).number != number:
            pass
        return outcome

    def close(self) -> None:
        """End the processes at once."""
        for pool in self._pools:
            pool.__exit__()


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmedElsewhere(FilmedChance):
    """Films of the same bits, made in other processes."""

    pours: Pours

    def filmed(self, request: RollRequest | DiceRequest, *, index: int) -> _Filmed:
        """Return answer number `index`, and its film.

        Raises:
            PigglesimError: As `Pours.run`.
        """
        filmed = self.pours.run(_Job.of(self.source, request, index, self.command))
        assert isinstance(filmed, tuple)
        return filmed

    def kit(self, request: RollRequest) -> ThrowKit | None:
        """Return what a page needs to throw a request itself; None if it cannot.

        Raises:
            PigglesimError: As `Pours.run`.
        """
        kit = self.pours.run(_KitJob.of(self.source, request))
        assert kit is None or isinstance(kit, ThrowKit)
        return kit
