"""`pigglesim match`: a whole match, with the board after each turn."""

from pathlib import Path
from typing import Annotated

import typer

from pigglesim.cli.options import (
    AgentsOption,
    EngineOption,
    GameArgument,
    GameOption,
    HouseRulesOption,
    JsonOption,
    PlayersOption,
    RuleOption,
    SeedOption,
    TableOption,
    TeamAOption,
    TeamBOption,
    chosen_game,
    chosen_seed,
    rules_from_flags,
)
from pigglesim.cli.watching import ViewOption
from pigglesim.errors import SpecError

__all__ = ["register"]

_HELP = """Play a match on real physics and show the board after each turn.

Piggles Classic is played where no game is named; `pigglesim games` lists the others.

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

  pigglesim match pig_pile --players 4 --agents greedy,uniform,uniform,uniform
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(match)


def match(
    context: typer.Context,
    named: GameArgument = None,
    a: Annotated[
        str | None,
        typer.Option("--a", help="Agent of A, South: greedy, uniform, mcts:nodes=400, ..."),
    ] = None,
    b: Annotated[str | None, typer.Option("--b", help="Agent of B, North.")] = None,
    agents: AgentsOption = None,
    players: PlayersOption = None,
    game: GameOption = None,
    scene: TableOption = None,
    team_a: TeamAOption = None,
    team_b: TeamBOption = None,
    seed: SeedOption = None,
    engine: EngineOption = None,
    chance: Annotated[
        str | None,
        typer.Option(
            help="What answers the rolls: physical, or tabular: measured odds; fair for dice and "
            "cards."
        ),
    ] = None,
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
    from pigglesim.verbs.place import find_place, seat_names
    from pigglesim.verbs.table import believed_chance

    if "human" in {a, b}:
        raise SpecError(
            "agents, which play by themselves",
            got="human",
            remedy="pigglesim play, or in a window pigglesim play --view",
        )
    if resume is not None:
        _refuse_settled(context)
        setup = resumed(resume, scene=_given(context, "scene"), odds=odds)
    else:
        place = find_place(
            chosen_game(named, game),
            scene,
            rules=rules_from_flags(rule, house_rules),
            players=players,
            teams=(team_a, team_b),
        )
        belief = believed_chance(odds)
        names = seat_names(place.game, a=a, b=b, agents=agents, default="greedy")
        root = chosen_seed(seed)
        setup = MatchSetup(
            game=place.game,
            board=place.scene.board if place.scene else None,
            agents={
                seat: make_agent(name, game=place.game, chance=belief)
                for seat, name in names.items()
            },
            teams=place.models,
            chance=place.source(chance, engine=engine, seed=root, odds=odds),
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


_SETTLED = (
    "named", "a", "b", "agents", "players", "game", "team_a", "team_b",
    "seed", "engine", "chance", "rule", "house_rules",
)  # fmt: skip


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
