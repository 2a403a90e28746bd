"""`pigglesim match`: a whole match, with the board after each turn."""

from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli.options import (
    EngineOption,
    GameOption,
    HouseRulesOption,
    JsonOption,
    RuleOption,
    SeedOption,
    TableOption,
    TeamAOption,
    TeamBOption,
    chosen_seed,
    rules_from_flags,
)
from pigglesim.cli.watching import ViewOption
from pigglesim.errors import SpecError

__all__ = ["register"]

_HELP = """Play a match of Piggles on real physics and show the board after each turn.

With --out the match is written down as it is played, in FILE.part: what was played survives a
kill, and --resume goes on from it to the very record that it would have become.

With --film every roll is kept as it went, in FILE.films: some 18 kB a roll.

An agent that raises, returns what is no legal action, or takes longer than --time-limit, forfeits.

Examples:

  pigglesim match

  pigglesim match --a greedy --b uniform --seed 7 --out match.jsonl

  pigglesim match --resume match.jsonl

  pigglesim match --seed 7 --out match.jsonl --film

  pigglesim match --rule mud_delay=none --team-b premium --json

  pigglesim match --chance tabular --b uniform --no-boards

  pigglesim match --game piggles_modern --team-a red --team-b my_team.toml
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(match)


def match(
    context: typer.Context,
    a: Annotated[
        str, typer.Option("--a", help="Agent of A, South: greedy, uniform, mcts:nodes=400, ...")
    ] = "greedy",
    b: Annotated[str, typer.Option("--b", help="Agent of B, North.")] = "greedy",
    game: GameOption = None,
    scene: TableOption = None,
    team_a: TeamAOption = None,
    team_b: TeamBOption = None,
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
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "--record",
            help="Write the match to this file, for `replay`; as text if it ends in .txt.",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(help="Go on with the match of this file, which was killed or stopped."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Longest that a decision may take [s]; slower agents forfeit."),
    ] = None,
    film: Annotated[
        bool, typer.Option("--film", help="With --out: keep a film of every roll beside it.")
    ] = False,
    date: Annotated[
        str | None, typer.Option(help="When it was played, for the record; no clock is asked.")
    ] = None,
    view: ViewOption = False,
    boards: Annotated[bool, typer.Option(help="Show the board after each turn.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Play one match."""
    from pigglesim.agents.registry import make_agent
    from pigglesim.cli.match_play import MatchSetup, filming, play_match, resumed
    from pigglesim.cli.table import (
        believed_chance,
        make_piggles,
        make_source,
        scene_of_game,
    )
    from pigglesim.rolls import Seat
    from pigglesim.scene.load import load_scene
    from pigglesim.scene.sides import team_models, teams_by_name

    if resume is not None:
        _refuse_settled(context)
        setup = resumed(resume, scene=_given(context, "scene"), odds=odds)
    else:
        place = scene_of_game(game, scene)
        table = load_scene(place)
        name = game or table.game
        teams = teams_by_name(name, table, {Seat.A: team_a, Seat.B: team_b})
        models = team_models(table, teams)
        played = make_piggles(name, rules_from_flags(rule, house_rules), models)
        belief = believed_chance(odds)
        agents = {
            seat: make_agent(agent, game=played, chance=belief)
            for seat, agent in ((Seat.A, a), (Seat.B, b))
        }
        root = chosen_seed(seed)
        setup = MatchSetup(
            game=played,
            board=table.board,
            agents=agents,
            teams=models,
            chance=make_source(chance, place, models=models, engine=engine, seed=root, odds=odds),
            seed=root,
            date=date,
            out=out,
        )
    setup = filming(setup) if film else setup
    if view:
        from pigglesim.cli.match_watch import watch_match

        watch_match(setup, time_limit=time_limit, boards=boards, as_json=as_json)
    else:
        play_match(setup, time_limit=time_limit, boards=boards, as_json=as_json)


_SETTLED = ("a", "b", "game", "team_a", "team_b", "seed", "engine", "chance", "rule", "house_rules")


def _refuse_settled(context: typer.Context) -> None:
    """Refuse, beside --resume, what the record has settled."""
    for name in (*_SETTLED, "out", "date"):
        if _given(context, name) is not None:
            flag = f"--{name.replace('_', '-')}"
            raise SpecError(
                "--resume alone: the record has settled the rest", got=flag, remedy=f"no {flag}"
            )


def _given(context: typer.Context, name: str) -> str | None:
    """Return a flag's value if it was typed, and None if it is at its default."""
    source = context.get_parameter_source(name)
    typed = source is not None and source.name == "COMMANDLINE"
    return str(context.params[name]) if typed else None
