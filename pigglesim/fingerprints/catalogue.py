"""Every fingerprint there is: what is made, and whose versions may change it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from pigglesim.bodies.load import load_model
from pigglesim.bodies.poses import support_for
from pigglesim.chance.odds import load_odds
from pigglesim.data_files import model_names
from pigglesim.errors import unknown_name
from pigglesim.fingerprints.play import MATCHES, matches, physical_match, sweeps
from pigglesim.fingerprints.throws import dice, drops, films, pours, shards


@dataclass(frozen=True, slots=True, kw_only=True)
class Print:
    """One fingerprint."""

    name: str
    """What it is of, with slashes between, such as `"throws/impulse/drops"`."""
    make: Callable[[], object]
    """Returns an iterator over what is digested."""
    packages: tuple[str, ...]
    """Those whose versions may change the bits; Python, numpy and pigglesim always may."""
    module: str = ""
    """What must be installed for it."""
    waits_for: str = ""
    """`"drops"` or `"pours"`, whose compiled code it waits for the first time."""
    quick: bool = True
    """Whether it takes a second or two at most."""

    def values(self) -> tuple[object, ...]:
        """Make the results."""
        made = self.make()
        return tuple(made) if isinstance(made, Iterator) else (made,)


_COMPILER = ("numba", "llvmlite")
_ENGINES = {
    # Drops, pours and throws of two dice; the compiled engine is the quickest by far.
    "impulse": ("numba", _COMPILER, (1000, 40, 40)),
    "bullet": ("pybullet", ("pybullet",), (60, 20, 20)),
    "mujoco": ("mujoco", ("mujoco-core",), (40, 8, 12)),
}
"""Of each engine: its module, its packages, and how much of each is thrown."""
_WAIT = {"drops": "drops", "pours": "pours", "dice": "pours"}


def prints() -> tuple[Print, ...]:
    """Return every fingerprint that can be taken here, quick ones and others."""
    found = [*_tables(), *_throws(), *_play()]
    return tuple(one for one in found if not one.module or find_spec(one.module) is not None)


def chosen_prints(only: Sequence[str], *, quick: bool) -> tuple[Print, ...]:
    """Return fingerprints by their names, or by how those begin.

    Args:
        only: Names, or first parts of them, such as `"throws/impulse"`; none for all.
        quick: Whether to leave out those that take long.

    Raises:
        SpecError: If nothing here has such a name.
    """
    known = [one for one in prints() if one.quick or not quick]
    for name in only:
        if not any(_within(one.name, name) for one in known):
            raise unknown_name("fingerprint", name, [one.name for one in known])
    return tuple(one for one in known if not only or any(_within(one.name, name) for name in only))


def _within(name: str, part: str) -> bool:
    return name == part or name.startswith(f"{part.rstrip('/')}/")


def _tables() -> Iterator[Print]:
    for name in model_names():
        yield Print(name=f"shapes/{name}", make=partial(_shape, name), packages=("scipy",))
    for name in ("piggle", "premium"):
        yield Print(name=f"odds/{name}", make=partial(load_odds, name), packages=())


def _throws() -> Iterator[Print]:
    for engine, (module, packages, counts) in _ENGINES.items():
        kinds = {"drops": drops, "pours": pours, "dice": dice}
        for (kind, make), count in zip(kinds.items(), counts, strict=True):
            yield Print(
                name=f"throws/{engine}/{kind}",
                make=partial(make, engine, count),
                packages=packages,
                module=module,
                waits_for=_WAIT[kind] if engine == "impulse" else "",
                quick=engine == "impulse" and kind == "drops",
            )
    yield Print(
        name="studies/drops",
        make=partial(shards, "impulse"),
        packages=_COMPILER,
        module="numba",
        waits_for="drops",
    )
    yield Print(
        name="films/dice",
        make=partial(films, "impulse"),
        packages=(*_COMPILER, "zlib"),
        module="numba",
        waits_for="pours",
        quick=False,
    )


def _play() -> Iterator[Print]:
    for game in MATCHES:
        yield Print(name=f"matches/{game}", make=partial(matches, game), packages=_COMPILER)
    yield Print(
        name="matches/physical",
        make=partial(physical_match, "impulse"),
        packages=_COMPILER,
        module="numba",
        waits_for="pours",
        quick=False,
    )
    yield Print(name="solvers/piggy_six", make=sweeps, packages=_COMPILER)


def _shape(name: str) -> tuple[object, ...]:
    """Return what is derived of a model: hull, mass, poses and how often each is rolled into."""
    body = load_model(name)
    return body, support_for(body).shares()
