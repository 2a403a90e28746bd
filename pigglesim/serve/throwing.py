"""Single throws at a table, one table for each page."""

from collections.abc import Callable, Mapping
from math import degrees
from typing import Any

from pigglesim.api.roll import Prepared, Roll, expect_cupful, prepare, roll_command
from pigglesim.chance.physical import FilmedChance
from pigglesim.cup_path import legal_hold
from pigglesim.data_files import team_names
from pigglesim.errors import SpecError
from pigglesim.films.film import Film
from pigglesim.hand_throw import HandThrow
from pigglesim.landing import CupHold, Landing, ReadingRules, Seat, Zone
from pigglesim.physics.engines import fastest_engine_name
from pigglesim.rng import root_seed
from pigglesim.scene.load import load_scene, load_team
from pigglesim.scene.scene import INCH
from pigglesim.serve.films import table_films
from pigglesim.serve.messages import SetTable, ThrowCup
from pigglesim.serve.own_throws import prepared_message
from pigglesim.table.films import still_film


class ThrowTable:
    """Table where a person throws any number of times; no rules, no turns."""

    def __init__(self, setting: SetTable, filmer: Callable[..., FilmedChance]) -> None:
        self._setting, self._filmer = setting, filmer
        self._scene = load_scene(setting.scene)
        expect_cupful(self._scene, setting.count)
        name = setting.model
        team = load_team(name).models if name in team_names() else name.split(",")
        self._models = list(team[: setting.count])
        self._films = table_films(self._scene, self._models, ReadingRules())
        self.last: Roll | None = None
        self._number = 0

    def laid(self) -> list[dict[str, Any] | str]:
        """Return the messages that set the table: meshes, and the Piggles next to the board."""
        seat, count = Seat(self._setting.seat), self._setting.count
        names = [f"{seat}{number}" for number in range(1, count + 1)]
        models = dict(zip(names, self._models * count, strict=False))
        film = still_film((), {seat: names}, scene=self._scene, models=models, owners={})
        board = {"is": "board", "chapter": self._films.chapter(film), "seat": seat}
        return [self._films.table(), {**board, "load": names}]

    def throw(self, wish: ThrowCup) -> dict[str, Any]:
        """Throw the cup, and return the message for the page.

        Raises:
            SpecError: If there is nothing to throw onto, or a name is unknown.
        """
        aim = {} if wish.hold is None else self._in_flags(wish.hold.cup_hold())
        seed, engine = root_seed(wish.seed), wish.engine or fastest_engine_name()
        prepared = self._prepared(wish.onto, seed=seed, engine=engine, aim=aim, own=wish.own)
        # A throw onto an earlier one needs its file.
        command = "" if wish.onto else self._command(seed, engine, aim, wish.own)
        self.last = roll = prepared.roll(command=command, filmer=self._filmer)
        self._number += 1
        return {
            "is": "thrown",
            "chapter": {**self._films.chapter(roll.film), "throw": self._number},
            "seat": roll.request.thrower,
            "own": wish.own is not None,
            "knocks": len(roll.knocks),
            "seed": str(seed),
            "engine": engine,
            "command": command,
        }

    def film(self, number: int) -> Film | None:
        """Return the film of a throw by its number, if it is the last one."""
        return self.last.film if self.last is not None and number == self._number else None

    def prepared(self, onto: bool) -> dict[str, Any]:  # noqa: FBT001 (a message of the page)
        """Return the message with which the page simulates its own throw."""
        engine = fastest_engine_name()
        prepared = self._prepared(onto, seed=0, engine=engine, aim={}, own=None)
        return prepared_message(self._filmer(source=prepared.chance), prepared.request)

    def _prepared(
        self,
        onto: bool,  # noqa: FBT001 (a message of the page)
        *,
        seed: int,
        engine: str,
        aim: Mapping[str, float | None],
        own: HandThrow | None,
    ) -> Prepared:
        """Return a throw of the cup, onto the Piggles of the last one or not.

        Raises:
            SpecError: If there is nothing to throw onto, or a name is unknown.
        """
        standing: list[tuple[str, Landing]] = []
        seat, last = Seat(self._setting.seat), self.last
        if onto:
            if last is None:
                raise SpecError("nothing stands on the board", fix="throw once without it")
            seat = last.request.thrower.other
            standing = [
                (name, landing)
                for name, landing in last.result.landings
                if landing.zone is not Zone.OFF and name[0] != seat
            ]
        return prepare(
            self._setting.count,
            scene=self._setting.scene,
            models=self._models,
            seat=seat,
            seed=seed,
            engine=engine,
            aim=aim,
            standing=standing,
            standing_models={name: last.models[name] for name, _ in standing} if last else {},
            start=own.text if own else None,
        )

    def _in_flags(self, wished: CupHold) -> dict[str, float | None]:
        """Return the nearest legal hold in short numbers of the command line, for the same bits."""
        hold = legal_hold(self._scene, wished)
        return {
            "across": round(hold.across / INCH, 2),
            "back": round(hold.back / INCH, 2),
            "height": round(hold.height / INCH, 2),
            "heading": round(degrees(hold.heading), 1),
            "swing": None if hold.swing is None else round(hold.swing, 2),
        }

    def _command(
        self, seed: int, engine: str, hold: Mapping[str, float | None], own: HandThrow | None
    ) -> str:
        """Return the command line that repeats a throw."""
        setting = self._setting
        return roll_command(
            setting.count,
            drawn=["--start", own.text] if own else ["--seed", str(seed)],
            engine=engine,
            seat=setting.seat,
            scene=setting.scene,
            models=self._models,
            aim=hold,
        )
