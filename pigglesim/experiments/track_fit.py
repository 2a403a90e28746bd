"""Body and surface that follow tracked throws best, with their uncertainty.

The impacts of single corners measure the body, by momentum alone. With that body the mean error of
the throws is minimised by CMA-ES over surface and rounding. A quadratic through the points tried
over all frames says how the minimum moves when throws are drawn again with replacement (Efron
1979), which gives the intervals.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from math import degrees
from typing import Any

import numpy as np

from pigglesim.errors import SpecError
from pigglesim.experiments.inertial_parameters import (
    InertialParameters,
    measure_inertial_parameters,
)
from pigglesim.experiments.quadratics import normal_matrix, terms
from pigglesim.experiments.statistics import student
from pigglesim.experiments.tracked_throws import (
    FollowTask,
    ThrowParameters,
    TrackedThrows,
    TrackStart,
    TrackThrower,
    errors_of,
    follow_all,
    measure_start,
)
from pigglesim.experiments.worker_pool import mapper
from pigglesim.rng import generator
from pigglesim.rotations import Array

STAGES = 8
"""Stages of an impact for engine `impulse`: with 32, throws are followed no better."""
_FEWEST = 10
"""Minimum throws for a fit."""
_EARLY_FRAMES = 16
"""Frames of each throw that count at first: the first impact is regular, the end chaotic."""
_EARLY_SHARE = 0.3
"""Share of the points that are tried over those frames alone."""
_EARLY_SPREAD, _LATE_SPREAD = 0.35, 0.15
"""Spread of the first points over those frames and over all, where ranges are from -1 to 1."""
_BOOTSTRAP = 200
_VALLEY, _MOST = 0.5, 100
"""Mean error above the least up to which points say how the minimum moves; but at least as many
points as this."""
_RIDGE = 1e-4
_POSITION_UNIT, _POSITION_CAP = 0.1, 0.2
_ROTATION_UNIT, _ROTATION_CAP = 10.0, 20.0
"""Units and caps of the error of a throw: sides and degrees. Beyond a cap, chance decides."""
_FIRST_FRAMES = 22
"""Frames that count again by themselves: in them, some 0.13 s after first contact, body and impacts
show, and no throw is chaotic yet. Fitted to whole throws alone, the body differed between halves of
a set, and throws left out were followed less well."""
_FIRST_POSITION_UNIT, _FIRST_ROTATION_UNIT, _FIRST_CAP = 0.02, 3.0, 3.0
"""Units of the error over those frames, and the cap in these units."""

_SCATTERS = np.linspace(0.0, 0.3, 13)
"""Standard deviations from throw to throw that are tried."""
_SCATTER_DRAWS = 50
"""Draws per throw for each of them."""


_Map = Callable[[Iterable[tuple[Array, int | None]]], Iterable[Array]]
"""A function that returns the losses of each throw, for each point and number of frames."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackParameter:
    """One fitted number, with its plausible range."""

    name: str
    unit: str
    scale: float
    """SI units per unit."""
    low: float
    high: float
    evidence: str
    """Measurement that narrows it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrackFit:
    """A fit of parameters to tracked throws."""

    parameters: ThrowParameters
    names: tuple[TrackParameter, ...]
    values: Array
    """Fitted value of each parameter, in its unit, shape [parameter_count]."""
    low: Array
    """Lower end of the 95 % interval, shape [parameter_count]."""
    high: Array
    """Upper end, shape [parameter_count]."""
    narrowing: Array
    """1 minus the ratio of the spreads of the bootstrap and of the plausible range."""
    throws: int
    """Throws that were fitted."""
    loss: float
    """Mean capped error of the throws, over their first frames and over all."""


def parameter_file(throws: TrackedThrows, fit: TrackFit, engine: str) -> str:
    """Return a fit as the text of a parameter file."""
    found = fit.parameters
    by_name = {one.name: k for k, one in enumerate(fit.names)}
    centre = ", ".join(f"{x * 1e3:.5g}" for x in found.centre)
    inertia = ", ".join(f"{x:.5g}" for x in found.moments.tolist())
    surface = [f"friction = {found.friction:.5g}"]
    if found.sliding_friction is not None:
        surface.append(f"sliding_friction = {found.sliding_friction:.5g}")
    surface.append(f"restitution = {found.restitution:.5g}")
    surface.append(f"impact_stages = {found.impact_stages}")
    surface.append(f"scatter = {found.scatter:.5g}")
    lines = [
        f"# Fitted to {fit.throws} throws of {throws.name} by pigglesim fit.",
        f'engine = "{engine}"',
        f'throws = "{throws.name}"',
        "",
        "[body]",
        f"side_mm = {throws.side * 1e3:.6g}",
        f"mass_kg = {throws.mass:.6g}",
        f"centre_mm = [{centre}]",
        f"inertia_kg_m2 = [{inertia}]",
        f"rounding_mm = {found.rounding * 1e3:.5g}",
        "",
        "[surface]",
        *surface,
        "",
        "# 95 % intervals, from throws drawn again with replacement.",
        "[interval]",
        *(
            f"{name} = [{fit.low[k]:.5g}, {fit.high[k]:.5g}]"
            + (f"  # {fit.names[k].unit}" if fit.names[k].unit else "")
            for name, k in by_name.items()
        ),
    ]
    return "\n".join(lines) + "\n"


def parameters_of(throws: TrackedThrows, engine: str) -> tuple[TrackParameter, ...]:
    """Return what is fitted with an engine, with ranges that any hard cube on any floor is in."""

    def number(name: str, low: float, high: float, evidence: str) -> TrackParameter:
        return TrackParameter(name=name, unit="", scale=1.0, low=low, high=high, evidence=evidence)

    sliding = [number("sliding_friction", 0.05, 0.6, "slides")] if engine == "impulse" else []
    return (
        number("friction", 0.05, 0.6, "impacts"),
        *sliding,
        number("restitution", 0.02, 0.7, "impacts"),
        TrackParameter(
            name="rounding",
            unit="mm",
            scale=1e-3,
            low=0.0,
            high=0.08 * throws.side * 1e3,
            evidence="depth of a sharp corner at impacts",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _FitTask:
    throws: TrackedThrows
    engine: str
    body: ThrowParameters
    """The cube as impacts measure it, on the default surface."""
    starts: tuple[tuple[int, TrackStart], ...]
    """Index of each throw, and its start."""
    names: tuple[TrackParameter, ...]

    def parameters(self, point: Array) -> ThrowParameters:
        """Return the parameters of a point, in the units of `names`."""
        values = zip(self.names, point.tolist(), strict=True)
        si: dict[str, Any] = {one.name: value * one.scale for one, value in values}
        stages = STAGES if self.engine == "impulse" else 1
        return replace(self.body, impact_stages=stages, **si)

    def losses(self, job: tuple[Array, int | None]) -> Array:
        """Return the error of each throw over some frames at a point, shape [throw_count]."""
        point, frames = job
        parameters, throws = self.parameters(point), self.throws
        thrower = TrackThrower(parameters, self.engine, throws.frame_time)
        losses = np.zeros(len(self.starts))
        for k, (index, start) in enumerate(self.starts):
            track = throws.tracks[index]
            count = len(track.positions) - start.frame
            motion = thrower.throw(start, min(count, frames) if frames else count)
            first = motion[0][:_FIRST_FRAMES], motion[1][:_FIRST_FRAMES]
            place, angle = errors_of(track, start, first, throws.side)
            losses[k] = min(place / _FIRST_POSITION_UNIT, _FIRST_CAP)
            losses[k] += min(degrees(angle) / _FIRST_ROTATION_UNIT, _FIRST_CAP)
            if not frames:
                place, angle = errors_of(track, start, motion, throws.side)
                losses[k] += min(place, _POSITION_CAP) / _POSITION_UNIT
                losses[k] += min(degrees(angle), _ROTATION_CAP) / _ROTATION_UNIT
        return losses


def fit_throws(
    throws: TrackedThrows,
    engine: str,
    *,
    points: int,
    workers: int,
    seed: int,
    watch: Callable[[int], None],
) -> TrackFit:
    """Fit body and surface to tracked throws; a thousand points are usual.

    `watch` is called with the number of points tried, after each batch.

    Raises:
        SpecError: If there are too few throws.
    """
    measured = measure_inertial_parameters(throws)
    body = replace(measured.body(throws), rounding=0.0)
    found = [
        (index, start)
        for index, track in enumerate(throws.tracks)
        if (start := measure_start(track, body, throws.frame_time))
    ]
    if len(found) < _FEWEST:
        raise SpecError(
            f"{len(found)} throws of {throws.name} have enough tracked flight",
            expected=f"{_FEWEST} or more",
            fix="track more frames before the first contact",
        )
    names = parameters_of(throws, engine)
    task = _FitTask(throws=throws, engine=engine, body=body, starts=tuple(found), names=names)
    with mapper(partial(partial, task.losses), workers=workers) as mapped:
        fit = _FitSearch(task, mapped, seed, watch).run(points)
    fit = _with_body(fit, measured)
    return _with_scatter(fit, throws, engine, workers=workers, seed=seed)


_BODY = (
    *((f"centre_{axis}", "mm", 1e-3) for axis in "xyz"),
    *((f"inertia_{axis}", "kg m2", 1.0) for axis in "xyz"),
)
"""Name, unit, and its size in SI units, of what impacts alone measure."""


def _with_body(fit: TrackFit, measured: InertialParameters) -> TrackFit:
    """Return a fit with the measured body beside what was fitted."""
    scales = np.array([scale for _, _, scale in _BODY])
    values, errors = measured.values[1:] / scales, measured.errors[1:] / scales
    widths = measured.prior_errors[1:] / scales
    names = tuple(
        TrackParameter(
            name=name,
            unit=unit,
            scale=scale,
            low=float(value - 2.0 * width),
            high=float(value + 2.0 * width),
            evidence="momentum in impacts of corners",
        )
        for (name, unit, scale), value, width in zip(_BODY, values, widths, strict=True)
    )
    half = 1.96 * errors
    return replace(
        fit,
        names=(*fit.names, *names),
        values=np.append(fit.values, values),
        low=np.append(fit.low, values - half),
        high=np.append(fit.high, values + half),
        narrowing=np.append(fit.narrowing, 1.0 - errors / widths),
    )


def _with_scatter(
    fit: TrackFit, throws: TrackedThrows, engine: str, *, workers: int, seed: int
) -> TrackFit:
    """Return a fit with a scatter: its posterior mean, given the faces that came up.

    The prior is flat over the scatters that are tried.
    """
    logs = []
    for scatter in _SCATTERS.tolist():
        task = FollowTask(
            throws=throws,
            parameters=replace(fit.parameters, scatter=scatter),
            engine=engine,
            draws=_SCATTER_DRAWS,
            seed=seed,
        )
        followed = [one for one in follow_all(task, workers=workers) if one]
        logs.append(sum(float(np.log(one.shares[one.face])) for one in followed))
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    value = float(weights @ _SCATTERS)
    low, high = np.quantile(_SCATTERS, (0.025, 0.975), weights=weights, method="inverted_cdf")
    scatter = TrackParameter(
        name="scatter",
        unit="",
        scale=1.0,
        low=float(_SCATTERS[0]),
        high=float(_SCATTERS[-1]),
        evidence="faces that came up",
    )
    spread = float(np.sqrt(weights @ (_SCATTERS - value) ** 2))
    return replace(
        fit,
        parameters=replace(fit.parameters, scatter=value),
        names=(*fit.names, scatter),
        values=np.append(fit.values, value),
        low=np.append(fit.low, low),
        high=np.append(fit.high, high),
        narrowing=np.append(fit.narrowing, 1.0 - spread * np.sqrt(12.0) / scatter.high),
    )


class _FitSearch:
    """CMA-ES over the plausible ranges, from -1 to 1 each: first over few frames, then over all."""

    def __init__(
        self, task: _FitTask, mapped: _Map, seed: int, watch: Callable[[int], None]
    ) -> None:
        self._task, self._map, self._seed, self._watch = task, mapped, seed, watch
        self._low = np.array([one.low for one in task.names])
        self._high = np.array([one.high for one in task.names])

    def _units(self, unit: Array) -> Array:
        """Return points of [-1, 1] in the units of the parameters."""
        points: Array = self._low + (self._high - self._low) * (unit + 1.0) / 2.0
        return points

    def run(self, evaluations: int) -> TrackFit:
        """Search, and return the fit."""
        early = round(_EARLY_SHARE * evaluations)
        middle, _, _ = self._evolve(np.zeros(len(self._low)), _EARLY_SPREAD, early, _EARLY_FRAMES)
        names = [one.name for one in self._task.names]
        if "sliding_friction" in names:
            # Nothing slides so early: what was found for it means nothing.
            middle[names.index("sliding_friction")] = middle[names.index("friction")]
        fitted, tried, losses = self._evolve(middle, _LATE_SPREAD, evaluations - early, None)
        return self._result(fitted, tried, losses)

    def _evolve(
        self, middle: Array, spread: float, evaluations: int, frames: int | None
    ) -> tuple[Array, Array, Array]:
        """Return the final middle, all points tried, and the losses of each throw there."""
        evolution = Evolution(middle, spread, generator(self._seed, "track fit", frames or 0))
        every_point: list[Array] = []
        every_loss: list[Array] = []
        while len(every_point) < evaluations:
            drawn = evolution.ask()
            inside = np.clip(drawn, -1.0, 1.0)
            jobs = [(point, frames) for point in self._units(inside)]
            losses = np.array(list(self._map(jobs)))
            self._watch(len(jobs))
            every_point += list(inside)
            every_loss += list(losses)
            evolution.tell(drawn, losses.mean(axis=1) + ((drawn - inside) ** 2).sum(axis=1))
        return np.clip(evolution.mean, -1.0, 1.0), np.array(every_point), np.array(every_loss)

    def _result(self, fitted: Array, tried: Array, losses: Array) -> TrackFit:
        """Return the fit; throws drawn again move the minimum of a quadratic around it."""
        names, throws = self._task.names, losses.shape[1]
        rng = generator(self._seed, "track bootstrap")
        # Through the points of the valley: far away, caps hide how bad a point is.
        means = losses.mean(axis=1)
        valley = means <= max(means.min() + _VALLEY, np.sort(means)[min(_MOST, len(means)) - 1])
        half = np.maximum(np.abs(tried[valley] - fitted).max(axis=0), 1e-6)
        surface, losses = _Quadratic(tried[valley], fitted, half), losses[valley]
        again = np.array(
            [
                surface.minimum(losses[:, drawn].mean(axis=1))
                for drawn in rng.integers(0, throws, (_BOOTSTRAP, throws))
            ]
        )
        value = self._units(fitted)
        # About the fitted value: where the quadratic has its minimum elsewhere, that is error too.
        away = self._units(again) - value
        error = np.sqrt((away**2).mean(axis=0) * throws / (throws - 1.0))
        width = np.array([student(0.0, each, clusters=throws).high for each in error.tolist()])
        return TrackFit(
            parameters=self._task.parameters(value),
            names=names,
            values=value,
            low=np.maximum(value - width, self._low),
            high=np.minimum(value + width, self._high),
            narrowing=1.0 - error * np.sqrt(12.0) / (self._high - self._low),
            throws=throws,
            loss=float(self._task.losses((value, None)).mean()),
        )


class Evolution:
    """CMA-ES: a normal distribution that moves and stretches towards low values (Hansen 2016).

    Ranks alone count, so that single chaotic values do no harm.
    """

    def __init__(self, mean: Array, spread: float, rng: np.random.Generator) -> None:
        size = len(mean)
        self.mean = mean
        """Middle of the distribution, shape [size]."""
        self._size, self._rng, self._scale = size, rng, spread
        self._drawn = 4 + int(6 * np.log(size))
        kept = self._drawn // 2
        weights = np.log(kept + 0.5) - np.log(np.arange(1, kept + 1))
        self._weights = weights / weights.sum()
        mass = 1.0 / (self._weights**2).sum()
        self._path_rate = (4.0 + mass / size) / (size + 4.0 + 2.0 * mass / size)
        self._scale_rate = (mass + 2.0) / (size + mass + 5.0)
        self._rank_one = 2.0 / ((size + 1.3) ** 2 + mass)
        self._rank_many = min(
            1.0 - self._rank_one, 2.0 * (mass - 2.0 + 1.0 / mass) / ((size + 2.0) ** 2 + mass)
        )
        self._damping = (
            1.0 + 2.0 * max(0.0, np.sqrt((mass - 1.0) / (size + 1.0)) - 1.0) + self._scale_rate
        )
        self._mass, self._round = mass, 0
        self._covariance = np.eye(size)
        self._path = np.zeros(size)
        self._scale_path = np.zeros(size)

    def ask(self) -> Array:
        """Return points to try, shape [count, size]."""
        variances, self._axes = np.linalg.eigh(self._covariance)
        self._lengths = np.sqrt(np.maximum(variances, 1e-20))
        normal = self._rng.standard_normal((self._drawn, self._size))
        points: Array = self.mean + self._scale * (normal * self._lengths) @ self._axes.T
        return points

    def tell(self, points: Array, values: Array) -> None:
        """Move towards the points of the lowest values, shape [count]."""
        self._round += 1
        best = (points[np.argsort(values)[: len(self._weights)]] - self.mean) / self._scale
        step = self._weights @ best
        self.mean = self.mean + self._scale * step
        rate, white = self._scale_rate, self._axes @ ((self._axes.T @ step) / self._lengths)
        self._scale_path = (1.0 - rate) * self._scale_path + np.sqrt(
            rate * (2.0 - rate) * self._mass
        ) * white
        length, usual = float(np.linalg.norm(self._scale_path)), np.sqrt(self._size)
        settled = length / np.sqrt(1.0 - (1.0 - rate) ** (2 * self._round)) < 1.4 * usual + 2.0
        rate = self._path_rate
        self._path = (1.0 - rate) * self._path + settled * np.sqrt(
            rate * (2.0 - rate) * self._mass
        ) * step
        self._covariance = (
            (1.0 - self._rank_one - self._rank_many) * self._covariance
            + self._rank_one * np.outer(self._path, self._path)
            + self._rank_many * (best.T * self._weights) @ best
        )
        self._scale *= float(np.exp(self._scale_rate / self._damping * (length / usual - 1.0)))


class _Quadratic:
    """Least-squares quadratic through values at some points, and its minimum nearby."""

    def __init__(self, points: Array, middle: Array, half: Array) -> None:
        self._middle, self._half = middle, half
        columns = terms((points - middle) / half)
        self._solved = np.linalg.solve(normal_matrix(columns, _RIDGE), columns.T)

    def minimum(self, values: Array) -> Array:
        """Return the point where the quadratic is least, within `half` of the middle."""
        from scipy.optimize import Bounds, minimize  # noqa: PLC0415 (slow to import)

        weights, size = self._solved @ values, len(self._middle)
        slope, curvature = weights[1 : size + 1], np.zeros((size, size))
        curvature[np.tril_indices(size)] = weights[size + 1 :]
        curvature += curvature.T

        def value(unit: Array) -> tuple[float, Array]:
            return float(slope @ unit + unit @ curvature @ unit / 2.0), slope + curvature @ unit

        bounds = Bounds(np.full(size, -1.0), np.full(size, 1.0))
        found = minimize(value, np.zeros(size), jac=True, method="L-BFGS-B", bounds=bounds)
        point: Array = self._middle + self._half * np.asarray(found.x)
        return point
