"""Help is whole and readable, errors are one line in this program's words, and shells complete."""

import os
import re
import shlex
import signal
import subprocess
import sys
from typing import Annotated, get_args

import pytest
from typer.main import get_command

from pigglesim.agents.registry import agent_names
from pigglesim.cli.app import app
from pigglesim.cli.command_line import help_paragraphs, near_verbs
from pigglesim.cli.flags import Flag, documented_by, number_parser, whole_number, with_groups
from pigglesim.cli.options import AGENT, ENGINE, FACTOR, GAME, MODEL, PLAYER
from pigglesim.data_files import model_names, scene_names
from pigglesim.errors import SpecError
from pigglesim.experiments.factors import ThrowKind, factors_of
from pigglesim.games.registry import game_names
from pigglesim.physics.engines import engine_names
from tests.support.front_door import run_here


def _verbs(name, verb):
    """Yield a verb and all below it; verbs that no one has used yet are imported."""
    yield name, verb
    for word in verb.list_commands(None) if hasattr(verb, "commands") else ():
        yield from _verbs(f"{name} {word}".strip(), verb.get_command(None, word))


ROOT = get_command(app)
VERBS = [(name, verb) for name, verb in _verbs("", ROOT) if not verb.hidden]


@pytest.fixture(params=[80, 120])
def width(request, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(request.param))
    return request.param


def _help(name):
    return run_here(*name.split(), "--help").output


def test_help_shows_every_text_whole_and_fits(width):
    for name, verb in VERBS:
        shown = _help(name)
        assert max(map(len, shown.splitlines())) <= width, name
        words = " ".join(shown.split())
        hidden = verb.commands["run"].params if name == "study" else []
        for given in (*verb.params, *hidden):
            # The default is written before the units.
            text, _, units = " ".join((given.help or "").split()).partition(" [")
            assert text and text in words, (name, given.name)
            assert not units or f"[{units}" in words, (name, given.name)


def test_a_flag_without_a_text_has_that_of_the_argument():
    def pour(count, dry=False, *, start=None):
        """Pour.

        Args:
            count: Number of `cups`
                to pour.
            dry: Whether to print what would be poured.
            start: Start of the cup.
        """

    @documented_by(pour)
    def verb(count: int, dry: bool = False, start: Annotated[str | None, "Own."] = None) -> None:
        del count, dry, start

    flags = with_groups(verb).__annotations__
    texts = [get_args(flags[name])[1].help for name in ("count", "dry", "start")]
    assert texts == ["Number of cups to pour.", "Print what would be poured.", "Own."]


def _examples(verb):
    lists = [part for part in help_paragraphs(verb.help or "") if isinstance(part, list)]
    return [line for part in lists for line in part]


@pytest.mark.parametrize("name,verb", [pair for pair in VERBS if not hasattr(pair[1], "commands")])
def test_examples_of_help_are_accepted(name, verb):
    examples = _examples(verb)
    assert examples, name
    for line in examples:
        parts = re.split(r" \| |; ", line.partition(" > ")[0])
        own = [words for words in map(shlex.split, parts) if words[0] == "pigglesim"]
        assert own, line
        for words in own:
            command, words = ROOT, words[1:]
            context = ROOT.make_context("pigglesim", words)
            while hasattr(command, "commands"):
                words = [*context._protected_args, *context.args]
                word, command, words = command.resolve_command(context, words)
                context = command.make_context(word, words, parent=context)


@pytest.mark.parametrize(
    "word,meant", [("throw", "roll"), ("watch", "view"), ("rate", "tournament")]
)
def test_an_unknown_verb_is_answered_by_what_it_may_mean(word, meant):
    assert meant in near_verbs(word, ROOT.lazy_summaries)
    assert near_verbs("odd", {"models": "List the models.", "roll": "Throw a cup."}) == []


def _single_options():
    for name, verb in _verbs("", ROOT):
        for option in verb.params:
            one = option.param_type_name == "option" and not option.multiple
            if one and (not option.is_flag or option.secondary_opts):
                yield name, verb, option


def test_no_option_that_takes_one_value_may_be_given_twice():
    options = list(_single_options())
    assert len(options) > 250
    for name, verb, option in options:
        words = [*option.opts, *option.secondary_opts]
        value = [] if option.is_flag else ["1"]
        typed = [words[0], *value, words[-1], *value]
        with pytest.raises(SpecError) as refused:
            verb.make_context(name, typed)
        assert f"{words[0]} is given twice" in str(refused.value), (name, words)


def test_an_option_for_several_values_may_be_repeated():
    study = ROOT.commands["study"].commands["run"]
    words = "--model piggle --model premium --factor number=1 --quiet --quiet"
    assert study.make_context("", words.split()).params["model"] == ["piggle", "premium"]


COUNTS = [
    ("7", 7), ("1e4", 10_000), ("10_000", 10_000), ("10,000", 10_000), ("10k", 10_000),
    ("1.5e3", 1500), ("2M", 2_000_000), (" 3 ", 3), ("-4", -4), ("5.0", 5),
    ("1.5", None), ("1e-3", None), ("", None), ("k", None), (".", None), ("1,00", None),
    ("1e999", None), ("0x10", None), ("ten", None), ("1e99", 10**99), ("9" * 250 + "e99", None),
    ("9" * 39, 10**39 - 1), ("9" * 5000, None), ("9" * 250 + "e99", None),
]  # fmt: skip


@pytest.mark.parametrize("text,value", COUNTS)
def test_counts_may_be_written_as_people_do(text, value):
    assert whole_number(text) == value


def test_lengths_may_have_a_unit():
    hold = "roll --height {} --across 1 --seed 3 --json"
    printed = [run_here(*hold.format(height).split()).stdout for height in ("4", "4in", "101.6mm")]
    assert printed[0] == printed[1] == printed[2]
    with pytest.raises(SpecError, match="from 1 to 2"):
        number_parser("--x", float, low=1, high=2)("3")


def test_completions_are_those_of_the_registries():
    def words(flag, begun=""):
        return flag.properties["complete"](None, begun)

    assert set(words(GAME)) == set(game_names())
    assert set(words(AGENT)) == set(agent_names())
    assert set(words(ENGINE)) == set(engine_names())
    known = {name for kind in ThrowKind for name in factors_of(kind)}
    assert {word.rstrip("=") for word in words(FACTOR)} == known
    assert set(words(MODEL)) >= set(model_names())
    assert words(PLAYER, "human,gre") == ["human,greedy"]


def _completed(line):
    env = {"_PIGGLESIM_COMPLETE": "complete_bash", "COMP_WORDS": line}
    env["COMP_CWORD"] = str(len(line.split(" ")) - 1)
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pigglesim"],
        capture_output=True, text=True, env={**os.environ, **env},
    )  # fmt: skip
    return done.stdout.split(), {
        line.rpartition("|")[2].strip() for line in done.stderr.split("\n")
    }


def test_a_shell_completes_verbs_flags_and_values_and_loads_nothing_heavy():
    assert "roll" in _completed("pigglesim ro")[0]
    assert "--scene" in _completed("pigglesim roll --sc")[0]
    values, loaded = _completed("pigglesim roll --scene ")
    assert set(values) == set(scene_names())
    assert not {"numpy", "pybullet", "trimesh", "duckdb"} & loaded
    assert _completed("pigglesim play --b mc")[0] == ["mcts"]


@pytest.mark.parametrize("signal", ["SIGINT", "SIGTERM"])
def test_a_signal_after_the_last_line_prints_no_traceback(signal):
    late = f"lambda: os.kill(os.getpid(), signal.{signal})"
    source = (
        "import atexit, os, signal, sys; from pigglesim.__main__ import main;"
        f"atexit.register({late}); sys.argv = ['pigglesim', '--version']; main()"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("pigglesim ")


def test_a_second_signal_while_a_run_ends_prints_no_traceback():
    # The status of the run is looked at in that moment.
    source = """
import signal, sys
import pigglesim.cli.app
from pigglesim.__main__ import main

class Status(int):
    def __hash__(self):
        signal.raise_signal(signal.SIGINT)
        return int(self)

pigglesim.cli.app.main = lambda: sys.exit(Status(130))
main()
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (130, "")


def test_a_second_late_signal_ends_an_exit_that_hangs():
    source = (
        "import atexit, os, signal, sys; from pigglesim.__main__ import main;"
        "atexit.register(lambda: [os.kill(os.getpid(), signal.SIGINT) for _ in range(2)]);"
        "sys.argv = ['pigglesim', '--version']; main()"
    )
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (-signal.SIGINT, "")


def test_a_flag_that_needs_another_says_so_before_its_text():
    def run(
        *,
        out: Annotated[str | None, "File to write."] = None,
        walls: Annotated[int | None, Flag(needs=("out",)), "Number of walls."] = None,
        svg: Annotated[str | None, Flag(needs=("out", "walls")), "SVG file."] = None,
    ) -> None: ...

    flags = with_groups(run).__annotations__
    assert get_args(flags["walls"])[1].help == "With --out: number of walls."
    assert get_args(flags["svg"])[1].help == "With --out or --walls: SVG file."
