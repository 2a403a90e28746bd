"""`pigglesim match`: a whole match, with the board after each turn."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pigglesim.cli import completions
from pigglesim.cli.options import (
    AgentsOption,
    ChanceFlags,
    ForceOption,
    JsonOption,
    PlaceFlags,
    RuleFlags,
    chosen_seed,
)
from pigglesim.cli.resuming import refuse_beside_resume, typed
from pigglesim.cli.watching import ViewOption
from pigglesim.errors import SpecError

if TYPE_CHECKING:
    from pigglesim.cli.match_play import MatchSetup
    from pigglesim.verbs.place import Place

__all__ = ["register"]

_HELP = """Let agents play a match; show the board after each turn.

The default game is Piggles Classic, on physics; `pigglesim games` lists the others.

With --out every entry is written to FILE.part as it happens, so an interrupted match is not lost:
--resume completes it, with an identical record.

A match that exists is replaced only with --force.

With --film every roll is saved in FILE.films, about 18 kB per roll.


An agent that raises, returns an illegal action or exceeds --time-limit forfeits.

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

_SETTLED = (
    "named", "a", "b", "agents", "players", "game", "team_a", "team_b",
    "seed", "engine", "chance", "rule", "house_rules", "out", "force", "date",
)  # fmt: skip
"""What a record has settled, which cannot be asked for beside --resume."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFlags:
    """The flags that tell what is written of a match."""

    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "--record",
            help="File to write the record to, for `replay`; text if it ends in .txt.",
        ),
    ] = None
    resume: Annotated[
        Path | None,
        typer.Option(help="Interrupted record to continue."),
    ] = None
    film: Annotated[
        bool, typer.Option("--film", help="With --out: save a film of every roll beside it.")
    ] = False
    force: ForceOption = False
    date: Annotated[
        str | None,
        typer.Option(
            metavar="DATE", help="Date to record; the system clock is not used. Default: none."
        ),
    ] = None


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command(help=_HELP)(match)


def match(
    context: typer.Context,
    *,
    a: Annotated[
        str | None,
        typer.Option(
            "--a",
            autocompletion=completions.agents,
            metavar="AGENT",
            help="Agent of A, South: greedy, uniform, mcts:nodes=400, ... Default: greedy.",
        ),
    ] = None,
    b: Annotated[
        str | None,
        typer.Option(
            "--b",
            autocompletion=completions.agents,
            metavar="AGENT",
            help="Agent of B, North. Default: greedy.",
        ),
    ] = None,
    agents: AgentsOption = None,
    place: PlaceFlags,
    chance: ChanceFlags,
    rules: RuleFlags,
    record: RecordFlags,
    time_limit: Annotated[
        float | None,
        typer.Option(help="Time limit of a decision; a slower agent forfeits. Default: none. [s]"),
    ] = None,
    view: ViewOption = False,
    boards: Annotated[bool, typer.Option(help="Show the board after each turn.")] = True,
    as_json: JsonOption = False,
) -> None:
    """Play one match."""
    from pigglesim.cli.match_play import filming, play_match, resumed

    if "human" in {a, b}:
        raise SpecError(
            "agents, which play by themselves",
            got="human",
            remedy="pigglesim play, or in a window pigglesim play --view",
        )
    if record.resume is not None:
        refuse_beside_resume(context, _SETTLED)
        setup = resumed(record.resume, scene=typed(context, "scene"), odds=chance.odds)
    else:
        setup = _new(place.place(rules), chance, record, (a, b, agents))
    setup = filming(setup) if record.film else setup
    if view:
        from pigglesim.cli.match_watch import watch_match

        watch_match(setup, time_limit=time_limit, boards=boards, as_json=as_json)
    else:
        play_match(setup, time_limit=time_limit, boards=boards, as_json=as_json)


def _new(
    place: "Place",
    chance: ChanceFlags,
    record: RecordFlags,
    agents: tuple[str | None, str | None, str | None],
) -> "MatchSetup":
    """Return a match that begins."""
    from pigglesim.agents.registry import make_agent
    from pigglesim.cli.match_play import MatchSetup
    from pigglesim.verbs.place import seat_names
    from pigglesim.verbs.table import believed_chance

    belief = believed_chance(chance.odds)
    a, b, others = agents
    names = seat_names(place.game, a=a, b=b, agents=others, default="greedy")
    seed = chosen_seed(chance.seed)
    return MatchSetup(
        game=place.game,
        board=place.scene.board if place.scene else None,
        agents={
            seat: make_agent(name, game=place.game, chance=belief) for seat, name in names.items()
        },
        teams=place.models,
        chance=place.source(chance.chance, engine=chance.engine, seed=seed, odds=chance.odds),
        seed=seed,
        date=record.date,
        out=record.out,
        force=record.force,
    )
