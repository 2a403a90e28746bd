"""Groups of flags are taken apart for the command line, and arrive as one value."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from pigglesim.cli.command_line import CommandLine
from pigglesim.cli.flags import WORD, Flag
from pigglesim.errors import SpecError


@dataclass(frozen=True, slots=True, kw_only=True)
class Cup:
    """Flags of a cup."""

    height: Annotated[float, Flag(low=1.0), "Above the board."]
    tilts: Annotated[list[int] | None, Flag("--tilt"), "One after the other."] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Flags of how it is told."""

    name: Annotated[str, WORD] = "nobody"
    as_json: Annotated[bool, Flag("--json")] = False


@pytest.fixture
def run():
    app, heard = CommandLine(), []

    def verb(
        context: typer.Context,
        *,
        seed: Annotated[int, "Root seed."] = 7,
        cup: Cup,
        loud: Annotated[bool, "Shout."] = True,
        told: Told,
    ) -> None:
        """Pour."""
        heard.append((context.params["height"], seed, cup, loud, told))

    app.command(help="Pour it.")(verb)

    def run(*words):
        result = CliRunner().invoke(app, words)
        return result, heard

    return run


def test_what_is_typed_arrives_in_its_group(run):
    _, heard = run("Ann", "--height", "2.5", "--tilt", "3", "--tilt", "1", "--no-loud", "--json")
    cup = Cup(height=2.5, tilts=[3, 1])
    assert heard == [(2.5, 7, cup, False, Told(name="Ann", as_json=True))]


def test_what_is_not_typed_is_at_its_default(run):
    _, heard = run("--height", "2")
    assert heard == [(2.0, 7, Cup(height=2.0), True, Told())]


@pytest.mark.parametrize("words", [(), ("--height", "0.5"), ("--height", "2", "--tilt", "x")])
def test_a_flag_that_is_missing_or_out_of_range_is_refused(run, words):
    result, heard = run(*words)
    assert isinstance(result.exception, SpecError)
    assert heard == []


def test_help_lists_flags_where_their_group_stands(run):
    text = run("--help")[0].output
    places = [text.index(flag) for flag in ("--seed", "--height", "--tilt", "--loud", "--json")]
    assert places == sorted(places)
