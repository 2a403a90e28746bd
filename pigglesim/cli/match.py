"""`pigglesim match`: a whole match, with the board after each turn."""

from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli.options import (
    EngineOption,
    HouseRulesOption,
    JsonOption,
    RuleOption,
    SceneOption,
    SeedOption,
    chosen_seed,
    print_json,
    result_console,
    rules_from_flags,
)
from pigglesim.errors import SpecError

__all__ = ["register"]

_HELP = """Play a match of Piggles on real physics and show the board after each turn.

Examples:

  pigglesim match

  pigglesim match --a greedy --b uniform --seed 7 --record match.jsonl

  pigglesim match --rule mud_delay=none --team-b premium --json

  pigglesim match --chance tabular --b uniform --no-boards
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(match)


def match(
    a: Annotated[
        str, typer.Option("--a", help="Agent of A, South: greedy, uniform, mcts:nodes=400, ...")
    ] = "greedy",
    b: Annotated[str, typer.Option("--b", help="Agent of B, North.")] = "greedy",
    scene: SceneOption = "piggles_classic",
    team_a: Annotated[
        str | None, typer.Option(help="Models of A's Piggles: one for all, or six with commas.")
    ] = None,
    team_b: Annotated[str | None, typer.Option(help="Models of B's Piggles.")] = None,
    seed: SeedOption = None,
    engine: EngineOption = None,
    chance: Annotated[
        str, typer.Option(help="What answers the rolls: physical, or tabular: measured odds.")
    ] = "physical",
    odds: Annotated[
        str | None, typer.Option(help="The odds of --chance tabular: a file that a study wrote.")
    ] = None,
    rule: RuleOption = None,
    house_rules: HouseRulesOption = None,
    record: Annotated[
        Path | None, typer.Option(help="Write the match to this file, for `replay`.")
    ] = None,
    boards: Annotated[bool, typer.Option(help="Show the board after each turn.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Play one match."""
    from pigglesim.agents.registry import make_agent
    from pigglesim.cli.match_view import MatchView, match_document
    from pigglesim.cli.table import (
        believed_chance,
        make_piggles,
        make_source,
        odds_lines,
        team_models,
    )
    from pigglesim.match.record import write_record
    from pigglesim.match.runner import play
    from pigglesim.rolls import Seat
    from pigglesim.scene.load import load_scene

    table = load_scene(scene)
    game = make_piggles(table.game, rules_from_flags(rule, house_rules))
    belief = believed_chance(odds)
    agents = {
        seat: make_agent(name, game=game, chance=belief)
        for seat, name in ((Seat.A, a), (Seat.B, b))
    }
    teams = {Seat.A: _names(team_a), Seat.B: _names(team_b)}
    models = team_models(table, teams)
    if record is not None:
        _refuse_unwritable(record)
    root = chosen_seed(seed)
    source = make_source(chance, scene, models=models, engine=engine, seed=root, odds=odds)
    view = MatchView(game, table.board, console=None if as_json or not boards else result_console())
    with view:
        played = play(
            game, agents=agents, chance=source, seed=root, teams=models, on_event=view.on_event
        )
    if record is not None:
        write_record(played.record, record)
    if as_json:
        print_json(match_document(played))
    else:
        view.show_end(played, result_console(), record)
        for line in odds_lines(source):
            result_console().print(line, style="dim")
    if played.record.footer.result is None:
        raise typer.Exit(130)


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in text.split(",")] if text else []


def _refuse_unwritable(record: Path) -> None:
    """Say before the match, not after it, that its record cannot be written."""
    folder = record.parent
    if record.is_dir() or not folder.is_dir():
        raise SpecError(
            "a file to write the record to, in a folder that exists",
            got=str(record),
            remedy="--record match.jsonl",
        )
