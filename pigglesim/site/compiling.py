"""Run in Pyodide by `compile.mjs`: plays each game, then compiles the modules that were used."""

import io
import json
import py_compile
import sys
import zipfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from pigglesim.pcg64 import Stream
from pigglesim.site.review import EFFORT
from pigglesim.site.table import PageTable

_NEVER = {"bz2.py", "lzma.py", "ssl.py"}
"""Modules that Pyodide imports if they are there, and that nothing in the page uses."""


def play(
    table: PageTable, game: dict[str, Any], seed: int, rules: dict[str, Any] | None = None
) -> int:
    """Play a match with a person who chooses at random, and return the number of its events."""
    draw, at = Stream(seed), 0
    players = ["human", *[game["levels"][-1]["agent"]] * (game["min_players"] - 1)]
    wish = {"do": "new", "game": game["name"], "players": players, "seed": seed, "practice": True}
    wish["rules"] = rules or {}
    answers = json.loads(table.hear(json.dumps(wish)))
    hinted = False
    for _ in range(5000):
        while step := json.loads(table.step()):
            answers += step
        faults = [each["text"] for each in answers if each["is"] == "fault"]
        if faults:
            raise SystemExit(f"{game['name']}: {faults[0]}")
        state = next(each for each in reversed(answers) if each["is"] == "state")
        if state["over"]:
            return at
        at = state["at"]
        common: dict[str, Any] = {"table": state["table"], "at": at}
        if not hinted:
            hinted = True
            table.hear(json.dumps({**common, "do": "ask", "word": "hint"}))
        answers = json.loads(table.hear(json.dumps(common | _deed(table, state, common, draw))))
    raise SystemExit(f"{game['name']} does not end")


def _deed(
    table: PageTable, state: dict[str, Any], common: dict[str, Any], draw: Stream
) -> dict[str, Any]:
    """Return a decision at random in a state; a load is prepared first."""
    if "load" in state:
        free = [each["name"] for each in state["load"] if each["free"]]
        names = [free[k] for k in draw.permutation(len(free))[: 1 + draw.below(len(free))]]
        table.hear(json.dumps({**common, "do": "prepare_load", "piggles": names}))
        return {"do": "load", "piggles": names}
    if state.get("choices"):
        return {"do": "decide", "choice": draw.below(len(state["choices"]))}
    return {"do": "ask", "word": "done" if state["done"] else "skip"}


def reopened(table: PageTable) -> None:
    """Play the last match again from what a page keeps of it, and raise if it differs."""
    match = list(table.matches.values())[-1]
    (kept,) = table._keeping(match)
    record = match.session.record()
    table.matches.clear()
    table.hear(json.dumps({"do": "kept", "matches": [kept]}))
    table.hear(json.dumps({"do": "open", "table": match.name}))
    while json.loads(table.step()):
        pass
    if table.matches[match.name].session.record() != record:
        raise SystemExit("a match that is opened again differs")


def reviewed(table: PageTable, analyst: PageTable) -> None:
    """Review the first decision of the last match, and raise if that is not possible."""
    at = {"table": list(table.matches)[-1], "decision": 0}
    for do in ("review", "what_if"):
        (asked,) = json.loads(table.hear(json.dumps({**at, "do": do})))
        answers = json.loads(analyst.hear(json.dumps(asked["wish"])))
        answers += json.loads(analyst.step()) + json.loads(analyst.hear('{"do": "stop"}'))
        if [each["is"] for each in answers] != [
            "progress",
            "review" if do == "review" else "tried",
        ]:
            raise SystemExit(f"{do}: {answers[-1]}")
    table.hear(json.dumps({**at, "do": "visit"}))


def puzzles(table: PageTable) -> None:
    """Answer the first puzzle of each game, and raise if that is not possible."""
    first = {each.game: k for k, each in enumerate(import_module("page_puzzles").DATA["puzzles"])}
    for number in [None, *(k + 1 for k in first.values())]:
        answers = json.loads(table.hear(json.dumps({"do": "puzzle", "number": number})))
        at = {"table": answers[0]["table"], "at": 0}
        answers = json.loads(table.hear(json.dumps({"do": "decide", **at, "choice": 0})))
        if not answers[-1].get("puzzle", {}).get("answer"):
            raise SystemExit(f"puzzle {number}: {answers[-1]}")


def by_link(inviter: PageTable, guest: PageTable) -> None:
    """Begin a match by link and answer it, and raise if that is not possible."""
    answers = json.loads(inviter.hear(json.dumps({"do": "new_by_link", "game": "piggles_classic"})))
    state = next(each for each in reversed(answers) if each["is"] == "state")
    deed = {"do": "load", "table": state["table"], "at": 0, "piggles": ["A1", "A2"]}
    answers += json.loads(inviter.hear(json.dumps(deed)))
    state = next(each for each in reversed(answers) if each["is"] == "state")
    wish = {"do": "link", "text": state["by_link"]["answer"]}
    answers = json.loads(guest.hear(json.dumps({**wish, "memory": ""})))
    while step := json.loads(guest.step()):
        answers += step
    state = next(each for each in reversed(answers) if each["is"] == "state")
    if not state["by_link"]["answer"]:
        raise SystemExit("a match by link cannot be answered")


def run(engine: Callable[[str], str], rules: str, std: str, used: str) -> None:
    """Play, and write the two zips."""
    data = import_module("page_data").DATA
    table = PageTable(data, engine)
    EFFORT.update(dict.fromkeys(EFFORT, (2, 5)))
    for game in data.welcome["games"]:
        play(table, game, seed=1)
        reviewed(table, PageTable(data, engine))
    (six,) = (game for game in data.welcome["games"] if game["name"] == "piggy_six")
    play(table, six, seed=1, rules={"target": 20})
    for text in ({"do": "set_table"}, {"do": "throw"}, {"do": "throw", "onto": True}):
        table.hear(json.dumps(text))
    reopened(table)
    puzzles(table)
    by_link(table, PageTable(data, engine))
    modules = [getattr(module, "__file__", None) for module in [*sys.modules.values()]]
    files = {file for file in modules if file} - {__file__}
    whole = "/lib/python3"
    library = {file: _inner(file, rules) for file in files if file.startswith(whole)}
    library = {file: name for file, name in library.items() if name not in _NEVER}
    own = {file: _inner(file, rules) for file in files if file.startswith(f"{rules}/")}
    Path(std).write_bytes(_zipped(library))
    with zipfile.ZipFile(rules) as archive:
        others = [name for name in archive.namelist() if not name.endswith(".py")]
        extra = {name: archive.read(name) for name in others}
    Path(used).write_bytes(_zipped(own, extra))


def _inner(file: str, rules: str) -> str:
    if file.startswith(f"{rules}/"):
        return file.removeprefix(f"{rules}/")
    return file.split(".zip/")[1] if ".zip/" in file else file.split("/", 3)[3]


def _source(file: str) -> bytes:
    archive, inner, name = file.partition(".zip/")
    if not inner:
        return Path(file).read_bytes()
    with zipfile.ZipFile(f"{archive}.zip") as whole:
        return whole.read(name)


def _zipped(modules: dict[str, str], extra: dict[str, bytes] | None = None) -> bytes:
    """Return a zip of compiled modules; all in it have one date, so that it is reproducible."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file, name in sorted(modules.items(), key=lambda item: item[1]):
            if name.endswith(".py"):
                Path("/source.py").write_bytes(_source(file))
                mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
                py_compile.compile(
                    "/source.py",
                    "/source.pyc",
                    name,
                    doraise=True,
                    optimize=2,
                    invalidation_mode=mode,
                )
                data = Path("/source.pyc").read_bytes()
                archive.writestr(zipfile.ZipInfo(f"{name}c"), data, zipfile.ZIP_DEFLATED)
        for name, data in sorted((extra or {}).items()):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
