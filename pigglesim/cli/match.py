"""`pigglesim match`: a whole match, with the board after each turn."""

from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli.options import (
    EngineOption,
    HouseRulesOption,
    JsonOption,
    RuleOption,
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

  pigglesim match --game piggles_modern --team-a red --team-b my_team.toml
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(match)


def match(
    a: Annotated[str, typer.Option("--a", help="Agent of A, South: greedy or uniform.")] = "greedy",
    b: Annotated[str, typer.Option("--b", help="Agent of B, North.")] = "greedy",
    game: Annotated[
        str | None,
        typer.Option(help="piggles_classic or piggles_modern; the scene's own if absent."),
    ] = None,
    scene: Annotated[
        str | None,
        typer.Option(help="The table: a scene's name, or a TOML file; the game's own if absent."),
    ] = None,
    team_a: Annotated[
        str | None,
        typer.Option(
            help="A's Piggles: one model for all, or six with commas; in Modern also a team or its "
            "TOML file."
        ),
    ] = None,
    team_b: Annotated[str | None, typer.Option(help="B's Piggles.")] = None,
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
        make_piggles,
        make_source,
        odds_lines,
        scene_of_game,
        team_models,
        teams_by_name,
    )
    from pigglesim.match.record import write_record
    from pigglesim.match.runner import play
    from pigglesim.rolls import Seat
    from pigglesim.scene.load import load_scene

    place = scene_of_game(game, scene)
    table = load_scene(place)
    name = game or table.game
    models = team_models(table, teams_by_name(name, table, {Seat.A: team_a, Seat.B: team_b}))
    played_game = make_piggles(name, rules_from_flags(rule, house_rules), models)
    agents = {Seat.A: make_agent(a), Seat.B: make_agent(b)}
    if record is not None:
        _refuse_unwritable(record)
    root = chosen_seed(seed)
    source = make_source(chance, place, models=models, engine=engine, seed=root, odds=odds)
    console = None if as_json or not boards else result_console()
    view = MatchView(played_game, table.board, console=console)
    with view:
        played = play(
            played_game,
            agents=agents,
            chance=source,
            seed=root,
            teams=models,
            on_event=view.on_event,
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


def _refuse_unwritable(record: Path) -> None:
    """Say before the match, not after it, that its record cannot be written."""
    folder = record.parent
    if record.is_dir() or not folder.is_dir():
        raise SpecError(
            "a file to write the record to, in a folder that exists",
            got=str(record),
            remedy="--record match.jsonl",
        )
