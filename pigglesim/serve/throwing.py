"""Single throws at a table, one table for each page."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import degrees, radians
from typing import Any

from pigglesim.api.roll import Prepared, Roll, expect_cupful, prepare
from pigglesim.chance.physical import FilmedChance
from pigglesim.errors import SpecError
from pigglesim.landing import CupHold, Landing, ReadingRules, Seat, Zone
from pigglesim.physics.engines import fastest_engine_name
from pigglesim.render.palette import ZONE_NAMES, landing_points, pose_mark
from pigglesim.rng import root_seed
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import INCH
from pigglesim.serve.films import table_films
from pigglesim.serve.messages import SetTable, ThrowCup
from pigglesim.throws import legal_hold
from pigglesim.tui.table_show import still_film


@dataclass(frozen=True, slots=True, kw_only=True)
class Thrown:
    """A throw, with its message."""

    roll: Roll
    message: dict[str, Any]


class ThrowTable:
    """Table where a person throws as often as they like; no rules, no turns."""

    def __init__(self, setting: SetTable, filmer: Callable[..., FilmedChance]) -> None:
        self.setting, self._filmer = setting, filmer
        self.scene = load_scene(setting.scene)
        expect_cupful(self.scene, setting.count)
        models = tuple(model.strip() for model in setting.model.split(","))
        self.films = table_films(self.scene, models, ReadingRules())
        self.last: Roll | None = None

    def names(self, seat: str) -> tuple[str, ...]:
        """Return the names of the Piggles of a seat."""
        return tuple(f"{seat}{number}" for number in range(1, self.setting.count + 1))

    def laid(self) -> list[dict[str, Any] | str]:
        """Return the messages that lay the table: meshes, and the Piggles beside the board."""
        seat = Seat(self.setting.seat)
        names = self.names(seat)
        each = [model.strip() for model in self.setting.model.split(",")]
        models = dict(zip(names, each * len(names), strict=False))
        film = still_film((), {seat: names}, scene=self.scene, models=models, owners={})
        board = {"is": "board", "chapter": self.films.chapter(film), "seat": seat}
        return [self.films.table(), {**board, "load": list(names)}]

    def throw(self, wish: ThrowCup) -> Thrown:
        """Throw the cup, and return the throw with the message for the page.

        Raises:
            SpecError: If there is nothing to throw onto, or a name is unknown.
        """
        standing: list[tuple[str, Landing]] = []
        models: dict[str, str] = {}
        seat: str = self.setting.seat
        if wish.onto:
            if self.last is None:
                raise SpecError("nothing stands on the board", fix="throw once without it")
            last = self.last
            seat = last.request.thrower.other
            standing = [
                item
                for item in last.result.landings
                if item[1].zone is not Zone.OFF and item[0][0] != seat
            ]
            models = {name: last.models[name] for name, _ in standing}
        engine = wish.engine or fastest_engine_name()
        hold = None if wish.hold is None else _rounded(legal_hold(self.scene, wish.hold.cup_hold()))
        seed = root_seed(wish.seed)
        prepared: Prepared = prepare(
            self.setting.count,
            scene=self.setting.scene,
            models=[model.strip() for model in self.setting.model.split(",")],
            seat=seat,
            seed=seed,
            engine=engine,
            hold=hold,
            standing=standing,
            standing_models=models,
        )
        command = self._command(seed, engine, seat, hold, onto=wish.onto)
        roll = prepared.roll(command=command, filmer=self._filmer)
        self.last = roll
        rows = [
            {
                "name": name,
                "mark": pose_mark(landing),
                "pose": (landing.label or "").replace("_", " "),
                "zone": ZONE_NAMES[landing.zone],
                "points": landing_points(landing),
            }
            for name, landing in roll.result.landings
        ]
        message = {
            "is": "thrown",
            "chapter": self.films.chapter(roll.film),
            "seat": seat,
            "rows": rows,
            "knocks": len(roll.knocks),
            "seed": str(seed),
            "engine": engine,
            "command": command,
            "tip": self.scene.hand.shake_time,
        }
        return Thrown(roll=roll, message=message)

    def _command(
        self, seed: int, engine: str, seat: str, hold: CupHold | None, *, onto: bool
    ) -> str:
        """Return the command line that repeats a throw; empty for one onto an earlier throw."""
        if onto:
            return ""
        setting = self.setting
        words = ["pigglesim", "roll", str(setting.count), "--seed", str(seed), "--engine", engine]
        words += ["--model", setting.model] * (setting.model != "piggle")
        words += ["--scene", setting.scene] * (setting.scene != "piggles_classic")
        words += ["--seat", seat] * (seat != "A")
        if hold is not None:
            numbers = {
                "--across": round(hold.across / INCH, 2),
                "--back": round(hold.back / INCH, 2),
                "--height": round(hold.height / INCH, 2),
                "--heading": round(degrees(hold.heading), 1),
                "--swing": hold.swing,
            }
            for name, value in numbers.items():
                words += [f"{name}={value:g}"] if value is not None else []
        return shlex.join(words)


def _rounded(hold: CupHold) -> CupHold:
    """Return a hold whose numbers are short in the units of the command line, for the same bits."""
    return replace(
        hold,
        across=round(hold.across / INCH, 2) * INCH,
        back=round(hold.back / INCH, 2) * INCH,
        height=round(hold.height / INCH, 2) * INCH,
        heading=radians(round(degrees(hold.heading), 1)),
        swing=None if hold.swing is None else round(hold.swing, 2),
    )
