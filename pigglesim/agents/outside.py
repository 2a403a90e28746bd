"""Agents that are not part of pigglesim: a Python class by its import path, or a command.

`package.module:Class:depth=2` and `my_agent.py:Class` name classes, `cmd:python3 my_agent.py` a
command. Such an agent is a program: it runs only if a user names it, never because a file does.

A command gets and answers JSON lines on its standard streams, after the spirit of UCI, and only
observations. One process plays one seat, so that a program that plays several seats cannot join
what they see. `docs/extend/player.md` describes the protocol.
"""

import ast
import hashlib
import importlib
import importlib.util
import inspect
import json
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, TypeVar

from pigglesim.agents.agent import Agent, without_conceding
from pigglesim.errors import PigglesimError, SpecError, cut
from pigglesim.files import FileKind, read_file
from pigglesim.games.game import JSON, Game
from pigglesim.json_codec import dump_line, to_plain
from pigglesim.landing import Seat
from pigglesim.rng import Generator
from pigglesim.signals import signals_deferred

COMMAND = "cmd"
"""First word of the name of an agent that is a command."""

_SOURCE = FileKind(name="agent", max_bytes=64 * 1024**2)

A = TypeVar("A")


def outside_name(name: str) -> str:
    """Return the name of an outside agent without blanks around it.

    Raises:
        SpecError: If a command is missing or its quotes do not match, or a parameter has no value.
    """
    kind, _, rest = name.strip().partition(":")
    if kind == COMMAND:
        try:
            words = shlex.split(rest)
        except ValueError as fault:
            raise _bad_name(name, str(fault)) from None
        if not words:
            raise _bad_name(name, "no command")
        return f"{kind}:{rest.strip()}"
    _keywords(name)
    return name.strip()


def _bad_name(name: str, problem: str) -> SpecError:
    return SpecError(
        f"invalid agent {cut(repr(name))}: {problem}",
        expected="module:Class:depth=2, my_agent.py:Class or cmd:python3 my_agent.py",
        fix="correct the name",
    )


def _keywords(name: str) -> dict[str, int | float | str]:
    """Return the parameters of a name `module:Class:depth=2`."""
    values: dict[str, int | float | str] = {}
    for word in name.strip().split(":")[2:]:
        key, equals, text = word.partition("=")
        if not equals or not key.isidentifier():
            raise _bad_name(name, f"{word!r} is not name=value")
        if key in values:
            raise _bad_name(name, f"{key} is given twice")
        values[key] = _value(text)
    return values


def _value(text: str) -> int | float | str:
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


class ImportedAgent:
    """An agent of a class outside pigglesim, under the name by which it was asked for.

    Args:
        name: That name.
        agent: Object of the class.
        sources: Files that hold its code; those of their folders that they import belong to it.
    """

    def __init__(self, name: str, agent: Agent, sources: Iterable[Path] = ()) -> None:
        self.name, self._agent = name, agent
        self.sha256 = sources_sha256(sources)
        """Digest of these files."""

    def choose(self, observation: object, legal_actions: Sequence[A], *, rng: Generator) -> A:
        """Return the choice of the object of that class."""
        return self._agent.choose(observation, legal_actions, rng=rng)


_OWN_PACKAGE = "pigglesim"
"""Package whose version stands for its code, also in the folder of a checkout."""


def sources_sha256(sources: Iterable[Path]) -> str:
    """Return the digest of files, and of those of their folders that they import.

    Imports count wherever they are written, also in functions and through other files of the
    folder; names that are computed are not found.
    """
    found: dict[Path, bytes] = {}
    todo = [(path, path.parent) for path in sources]
    while todo:
        path, folder = todo.pop()
        if path not in found and path.is_file():
            found[path] = read_file(path, _SOURCE)
            todo += [(each, folder) for each in _imported(path, found[path], folder)]
    return hashlib.sha256(b"".join(found[path] for path in sorted(found))).hexdigest()


def _imported(path: Path, source: bytes, folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that the imports of a file may name."""
    with suppress(SyntaxError, ValueError, IndexError):
        for node in ast.walk(ast.parse(source)):
            match node:
                case ast.Import(names=names):
                    base, dotted = folder, [each.name for each in names]
                case ast.ImportFrom(module=module, names=names, level=level):
                    base = [folder, *path.parents][level]
                    dotted = [f"{module or ''}.{each.name}".strip(".") for each in names]
                case _:
                    continue
            # A package that holds the file is named from above its folder.
            bases = {base, folder.parent} if base == folder else {base}
            for name, start in product(dotted, bases):
                parts = name.split(".")
                if parts[0] == _OWN_PACKAGE:
                    continue
                for depth in range(1, len(parts) + 1):
                    at = start.joinpath(*parts[:depth])
                    if at.is_relative_to(folder):
                        yield from (at.with_suffix(".py"), at / "__init__.py")


def outside_agent(name: str, game: Game[Any, Any] | None) -> Agent:
    """Return the agent of an outside name.

    A class is called with the game and its parameters; it needs the method `choose` of `Agent`.

    Raises:
        SpecError: If there is no game, no such module, class or program, or the class fails.
    """
    name = outside_name(name)
    if game is None:
        raise SpecError(f"agent {cut(name)} needs a game", fix="use make_agent(name, game=...)")
    if name.startswith(f"{COMMAND}:"):
        return ProcessAgent(name, shlex.split(name.partition(":")[2]), game)
    path, made_by, *_ = name.split(":")
    module = load_module(path, f"agent {cut(name)}")
    if not hasattr(module, made_by):
        raise SpecError(f"no {made_by} in {path}", fix="check the name of the class")
    try:
        agent = getattr(module, made_by)(game, **_keywords(name))
    except Exception as error:
        raise failed_to_load(f"agent {cut(name)}", error) from error
    if not callable(getattr(agent, "choose", None)):
        raise SpecError(f"{cut(name)} has no method choose", fix="write one, as Agent describes")
    # The class may come from another file than the module that was named.
    own = (getattr(module, "__file__", None), source_file(type(agent)))
    return ImportedAgent(name, agent, [Path(file) for file in own if file])


def source_file(kind: type) -> str | None:
    """Return the file in which a class is written; None if it is not known."""
    with suppress(TypeError, OSError):
        return inspect.getsourcefile(kind)
    return None


def program_sha256(agent: Agent) -> str | None:
    """Return the digest of the code of an agent from outside; None if it is not known.

    It covers the file that was named, that of the class, and the files of their folders that these
    import, or the class of an object of a Python program. The code of a command is not known.
    """
    if isinstance(agent, ImportedAgent):
        return agent.sha256
    if isinstance(agent, ProcessAgent):
        return None
    with suppress(TypeError, OSError):
        return hashlib.sha256(inspect.getsource(type(agent)).encode()).hexdigest()
    return None


def load_module(path: str, subject: str) -> ModuleType:
    """Return a module by its import path, or a file that ends in `.py`.

    Call it only for what a user named. `subject` is what needs it, such as `agent mine.py:Nth`.

    Raises:
        SpecError: If there is none, or it fails.
    """
    try:
        if not path.endswith(".py"):
            return importlib.import_module(path)
        # The prefix keeps a file from hiding a module of the same name.
        module_name = f"pigglesim_own_{Path(path).stem}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None and spec.loader is not None, "the suffix is known"
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    except ModuleNotFoundError as error:
        kind = subject.partition(" ")[0]
        raise SpecError(
            f"{subject}: {error}",
            fix=f"install it, or name a file of this folder as my_{kind}.py:Class",
        ) from None
    except FileNotFoundError:
        raise SpecError(f"{subject}: no file {path}", fix="check the path") from None
    except Exception as error:
        raise failed_to_load(subject, error) from error
    return module


def failed_to_load(subject: str, error: Exception) -> SpecError:
    """Return the error for a program of the user that raised one while it was made."""
    return SpecError(
        f"{subject} cannot be made: {type(error).__name__}: {error}",
        fix="check its parameters, or correct its code"
        if isinstance(error, TypeError)
        else "correct its code",
    )


PROTOCOL = 2
"""Version of the protocol."""
_READY_TIME = 30.0
"""Maximum time until a player is ready for a game, which includes its start [s]."""
_STOP_SHARE = 0.9
"""Share of a time limit after which `stop` asks for the action at once."""
_QUIT_TIME = 0.5
"""Maximum time until a player has left after `quit`; then it is killed [s]."""
_CHECK_TIME = 0.1
"""Interval between checks for a player that has ended [s]."""
_MAX_LINE = 1 << 20
"""Maximum bytes of a line of a player."""
_MAX_SEED = 2**53
"""Seeds of decisions are below it: every language reads them exactly."""
_KEPT_LINES = 20
"""Last lines of a player's standard error that are kept."""


class ProcessFailedError(Exception):
    """A player's process that ended, or did not answer in time."""


class _NonsenseError(Exception):
    """An answer that is not of the protocol."""

    def __init__(self, answer: str, *, expected: str) -> None:
        super().__init__(f"{cut(repr(answer))} (expected {expected})")


class _Nonsense:
    """An answer that is not of the protocol, as the value that the player chose."""

    def __init__(self, problem: str) -> None:
        self._problem = problem

    def __repr__(self) -> str:
        return self._problem


_READY = '{"type":"ready"} as the answer to newgame'
_MOST_LISTED = 3
"""Maximum number of legal actions that an error lists."""


def _last_line(lines: "deque[str]") -> str:
    return next((line for line in reversed(lines) if line), "")


class _Connection:
    """A running player, and the lines to and from it."""

    def __init__(self, command: Sequence[str], errors: "deque[str]") -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Ctrl-C is for pigglesim, which then ends the player and all processes that it started.
            start_new_session=True,
        )
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in, self._out, self._err = (
            self._process.stdin, self._process.stdout, self._process.stderr,
        )  # fmt: skip
        self._errors = errors
        self._reader = Thread(target=self._keep_errors, daemon=True)
        self._reader.start()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._out, selectors.EVENT_READ)
        self._buffer = b""

    def _keep_errors(self) -> None:
        with suppress(OSError, ValueError):
            for line in self._err:
                self._errors.append(line.decode(errors="replace").rstrip())

    def send(self, kind: str, **values: JSON) -> None:
        """Send a message.

        Raises:
            ProcessFailedError: If the player has ended.
        """
        try:
            self._in.write(f"{dump_line({'type': kind, **values})}\n".encode())
            self._in.flush()
        except OSError:
            raise self._ended() from None

    def receive(self, *, until: float | None, expected: str) -> Mapping[str, Any] | None:
        """Return the next message; None if it is not there in time.

        `until` is the time of `time.monotonic` until which to wait; None for no limit. `expected`
        is the message that the player should send.

        Raises:
            ProcessFailedError: If the player has ended.
            _NonsenseError: If its next line is not a message.
        """
        while b"\n" not in self._buffer:
            left = _CHECK_TIME if until is None else until - time.monotonic()
            if left <= 0.0:
                return None
            if not self._selector.select(min(left, _CHECK_TIME)):
                # A process that it started may hold its output open.
                if self._process.poll() is not None and not self._selector.select(0.0):
                    raise self._ended()
                continue
            read = os.read(self._out.fileno(), 1 << 16)
            if not read:
                raise self._ended()
            self._buffer += read
            if len(self._buffer) > _MAX_LINE and b"\n" not in self._buffer:
                raise _NonsenseError(f"a line above {_MAX_LINE:,} bytes", expected=expected)
        line, _, self._buffer = self._buffer.partition(b"\n")
        text = line.decode(errors="replace").strip()
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, dict):
            raise _NonsenseError(text, expected=expected)
        return message

    def _ended(self) -> ProcessFailedError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_CHECK_TIME)
        status = self._process.poll()
        # Its own processes may hold its standard error open.
        self._kill()
        self._reader.join(_QUIT_TIME)
        how = "closed its output" if status is None else f"ended with status {status}"
        last = _last_line(self._errors)
        return ProcessFailedError(f"the player {how}{f': {last}' if last else ''}")

    def _kill(self) -> None:
        """Kill the player and its own processes, which may outlive it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self, *, kindly: bool) -> None:
        """End the player and its own processes; `kindly` asks it to leave first."""
        if kindly and self._process.poll() is None:
            with suppress(ProcessFailedError, subprocess.TimeoutExpired):
                self.send("quit")
                self._process.wait(_QUIT_TIME)
        self._kill()
        self._process.wait()
        self._selector.close()
        self._reader.join(_QUIT_TIME)
        for stream in (self._in, self._out, self._err):
            with suppress(OSError):
                stream.close()


class _SeatedProcess:
    """The process that plays one seat; started, and ended after a failure, as needed."""

    def __init__(self, name: str, command: Sequence[str], game: Game[Any, Any], seat: Seat) -> None:
        self.name, self.errors = name, deque[str](maxlen=_KEPT_LINES)
        self._command, self._game, self._seat = command, game, seat
        self._time_limit: float | None = None
        self._connection: _Connection | None = None
        self._failure: Exception | None = None
        self._info = ""
        self._question = 0
        """Number of the last question; an answer with a smaller one is of an earlier question."""
        self._numbers: bool | None = None
        """Whether the answers of the process have numbers; None before its first answer."""
        self._concedes = False

    def begin(self, time_limit: float | None) -> Exception | None:
        """Start the process if it does not run, and announce a new game to it.

        A failure is returned, and reported by the first decision.
        """
        self._time_limit, self._failure, self._info = time_limit, None, ""
        try:
            if self._connection is None:
                self.errors.clear()
                self._numbers = None
                with signals_deferred():
                    self._connection = _Connection(self._command, self.errors)
            self._announce()
        except (ProcessFailedError, _NonsenseError) as failure:
            self._failure = failure
            self.close(kindly=False)
        except OSError as fault:
            self._failure = ProcessFailedError(f"the player cannot start: {fault.strerror}")
            self.close(kindly=False)
        except BaseException:
            self.close(kindly=False)
            raise
        return self._failure

    def _announce(self) -> None:
        """Announce a game, and discard what the player writes before it is ready."""
        assert self._connection is not None
        self._connection.send(
            "newgame",
            protocol=PROTOCOL,
            game=self._game.name,
            settings=dict(self._game.settings()),
            seat=self._seat.value,
        )
        ready = self._await("ready", until=time.monotonic() + _READY_TIME, expected=_READY)
        if ready is None:
            raise ProcessFailedError(f"the player was not ready within {_READY_TIME:g} s")
        self._concedes = ready.get("concede") is True

    def choose(self, observation: object, legal_actions: Sequence[A], *, rng: Generator) -> A:
        """Return the action that the player answers; another value if it answers anything else.

        Raises:
            ProcessFailedError: If it ends, or does not answer within its time limit.
        """
        try:
            return self._asked(observation, legal_actions, seed=int(rng.integers(_MAX_SEED)))
        except _NonsenseError as answer:
            self.close(kindly=False)
            # The runner judges it, as any other value that is not an action.
            return _Nonsense(str(answer))  # type: ignore[return-value]
        except BaseException:
            # Also on Ctrl-C and the runner's alarm: its late answer must not be taken for another.
            self.close(kindly=False)
            raise

    def _asked(self, observation: object, legal_actions: Sequence[A], *, seed: int) -> A:
        if self._failure is not None:
            raise self._failure
        if self._connection is None:
            self.begin(self._time_limit)
            return self._asked(observation, legal_actions, seed=seed)
        began, limit = time.monotonic(), self._time_limit
        if self._numbers is False:
            # Only a new game separates its answers: what it writes before `ready` is an old one.
            self._announce()
        offered = legal_actions if self._concedes else without_conceding(legal_actions)
        texts = {self._game.format_action(action): action for action in offered}
        self._question, self._info = self._question + 1, ""
        expected = f"bestaction with id {self._question} and an action such as {next(iter(texts))}"
        seen = to_plain(observation, defaults=True)
        # `newgame` has the rules, as settings.
        seen.pop("rules", None)
        self._connection.send("position", observation=seen, legal_actions=list(texts))
        self._connection.send("go", id=self._question, time_limit=limit, seed=seed)
        stop = None if limit is None else began + _STOP_SHARE * limit
        answer = self._await("bestaction", until=stop, expected=expected)
        if answer is None and limit is not None:
            self._connection.send("stop")
            answer = self._await("bestaction", until=began + limit, expected=expected)
        if answer is None:
            raise ProcessFailedError(f"no answer within {limit:g} s")
        text = answer.get("action")
        if not isinstance(text, str):
            raise _NonsenseError(json.dumps(answer), expected=expected)
        if text in texts:
            return texts[text]
        try:
            action: A = self._game.parse_action(text)
        except PigglesimError:
            more = ", ..." if len(texts) > _MOST_LISTED else ""
            listed = ", ".join(list(texts)[:_MOST_LISTED]) + more
            raise _NonsenseError(text, expected=f"an action such as {listed}") from None
        return action

    def _await(self, kind: str, *, until: float | None, expected: str) -> Mapping[str, Any] | None:
        """Return the next message of a kind, and keep the information before it.

        Answers to earlier questions are discarded.
        """
        assert self._connection is not None
        while until is None or time.monotonic() < until:
            message = self._connection.receive(until=until, expected=expected)
            if message is None:
                return None
            found, number = message.get("type"), message.get("id")
            if found not in {kind, "info", "bestaction"}:
                raise _NonsenseError(json.dumps(message), expected=expected)
            if found == "ready":
                return message
            is_old = isinstance(number, int | float) and number < self._question
            if is_old or (found == "bestaction" and kind == "ready"):
                continue
            if found == "info":
                self._keep(message)
                continue
            if self._numbers is None:
                self._numbers = number is not None
            if number != (self._question if self._numbers else None):
                raise _NonsenseError(json.dumps(message), expected=expected)
            return message
        return None

    def _keep(self, info: Mapping[str, Any]) -> None:
        value, text = info.get("value"), info.get("text", "")
        is_share = value is None or (type(value) in {int, float} and 0.0 <= value <= 1.0)
        if not is_share or not isinstance(text, str):
            expected = "info with a value from 0 to 1 and a text"
            raise _NonsenseError(json.dumps(info), expected=expected)
        shown = "" if value is None else f"{value} "
        self._info = cut(f"{shown}{text}".strip())

    def reason(self, observation: object) -> str:
        """Return the last `info` of the player, as the reason for its decision."""
        del observation
        return self._info or "it gives no reason"

    def close(self, *, kindly: bool = True) -> None:
        """End the process, if it runs."""
        # Neither Ctrl-C nor the runner's alarm may leave it half closed.
        with signals_deferred():
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close(kindly=kindly)


def _close_all(seated: Mapping[Seat, _SeatedProcess]) -> None:
    for each in seated.values():
        each.close()


class ProcessAgent:
    """An agent that is a command, started once for each seat that it plays.

    Its processes end with this object, or with the interpreter.

    Its name in records is `cmd:` and the command.

    Raises:
        SpecError: If there is no such program.
    """

    def __init__(self, name: str, command: Sequence[str], game: Game[Any, Any]) -> None:
        if not command or shutil.which(command[0]) is None:
            program = command[0] if command else ""
            raise SpecError(
                f"no program {cut(repr(program))} for the agent {cut(name)}",
                expected="a command such as cmd:python3 my_agent.py",
                fix="check its path",
            )
        self.name = name
        self._command, self._game = tuple(command), game
        self._seated: dict[Seat, _SeatedProcess] = {}
        self._was_ready = False
        weakref.finalize(self, _close_all, self._seated)

    def take_seat(self, seat: Seat, *, time_limit: float | None) -> Agent:
        """Return the agent of a seat, ready for a new game.

        Raises:
            SpecError: If no process of this agent has ever been ready. Later it only loses.
        """
        if seat not in self._seated:
            self._seated[seat] = _SeatedProcess(self.name, self._command, self._game, seat)
        failure = self._seated[seat].begin(time_limit)
        if failure is not None and not self._was_ready:
            raise SpecError(
                f"agent {cut(self.name)}: {failure}",
                expected="" if isinstance(failure, _NonsenseError) else _READY,
                fix="check its command and its files",
            )
        self._was_ready |= failure is None
        return self._seated[seat]

    def choose(self, observation: object, legal_actions: Sequence[A], *, rng: Generator) -> A:
        """Raise SpecError: it plays only at a seat."""
        raise SpecError(f"the agent {cut(self.name)} has no seat", fix="use take_seat first")

    def last_error(self, seat: Seat) -> str:
        """Return the last line that the process of a seat wrote to standard error, if any."""
        return _last_line(self._seated[seat].errors) if seat in self._seated else ""

    @property
    def errors(self) -> tuple[str, ...]:
        """Last lines of the standard error of all its processes."""
        return tuple(line for each in self._seated.values() for line in each.errors)
