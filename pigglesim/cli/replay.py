"""`pigglesim replay` and `board`: list, show, film, convert and branch recorded matches."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from pigglesim.agents.registry import own_flags
from pigglesim.api.match import PlayedMatch, seat_names
from pigglesim.api.match import replay as replay_match
from pigglesim.api.match_files import MatchSource, Rounds, films_in_rounds
from pigglesim.api.roll import landing_document
from pigglesim.api.sources import board_of_record
from pigglesim.api.what_if import TIMES, ActionResult, WhatIfResult, branches_at
from pigglesim.cli import consoles, options, records
from pigglesim.cli.consoles import print_json, progress_console, result_console
from pigglesim.cli.drawing import DRAWN_INSTEAD, DrawFlags, ViewOption, report_written, watch
from pigglesim.cli.flags import Flag, command_here, refuse_idle
from pigglesim.cli.progress import Work, ignore_interrupts
from pigglesim.cli.records import MatchView, chosen_record, readable, show_end
from pigglesim.cli.spelling import print_in_ascii
from pigglesim.durable_io import check_target, expect_new, write_target
from pigglesim.errors import RecordError, SpecError, one_line
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggles.game import Piggles
from pigglesim.games.piggles.state import PigglesPhase, PigglesState
from pigglesim.landing import Seat
from pigglesim.match.entries import Decision, MatchRecord
from pigglesim.match.record import LocatedRecord
from pigglesim.match.replay import game_of, playback_of
from pigglesim.match.replay import replay as replay_record
from pigglesim.match.runner import MatchEvent
from pigglesim.render.palette import SIDES
from pigglesim.render.svg import piggles_of, state_svg, team_bodies
from pigglesim.render.viewer import Playlist
from pigglesim.scene.load import load_scene
from pigglesim.scene.scene import Board
from pigglesim.table.piggles import PigglesView, steps_of
from pigglesim.tui.board_text import board_view
from pigglesim.tui.felt import areas_table
from pigglesim.units import with_interval

_WIDE = 120
"""Width of a table with every result [columns]; in a narrower window it wraps."""
_BRANCH = Flag(needs=("decision",))
"""Flag that needs --what-if."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfFlags:
    """Flags for the decision to branch off at, and for the matches played from there."""

    decision: Annotated[
        int | None,
        Flag("--what-if", metavar="DECISION", low=0),
        "Number of the decision to branch off at, from 0; --decisions lists them.",
    ] = None
    actions: Annotated[
        list[str] | None,
        _BRANCH,
        Flag("--action", metavar="ACTION"),
        "Action to try there; repeatable. Default: each legal one but "
        "concede, and in Classic one load for each number of Piggles.",
    ] = None
    times: Annotated[int, _BRANCH, TIMES, "Matches per action."] = 100
    chance: Annotated[options.Chance, _BRANCH] = None
    odds: Annotated[options.Odds, _BRANCH] = None
    a: Annotated[str | None, options.AGENT, _BRANCH, "Agent of A. Default: the record's."] = None
    b: Annotated[str | None, options.AGENT, _BRANCH, "Agent of B. Default: the record's."] = None
    agents: Annotated[options.Agents, _BRANCH] = None
    workers: Annotated[options.Workers, _BRANCH] = None
    seed: Annotated[options.Seed, _BRANCH] = None
    out: Annotated[Path | None, _BRANCH, "File to write the matches to."] = None

    def show(self, record: MatchRecord, decision: int, *, as_json: bool) -> None:
        """Play on from a decision with each action and show the results; Ctrl-C ends it early."""
        agents = {"A": self.a, "B": self.b}
        if self.agents is not None:
            names = options.seats_of(self.agents)
            seated = seat_names(game_of(record), a=self.a, b=self.b, agents=names)
            agents = {str(seat): name for seat, name in seated.items()}
        branches = branches_at(
            record,
            decision,
            actions=self.actions or (),
            chance=self.chance,
            odds=self.odds,
            agents=agents,
            seed=options.chosen_seed(self.seed),
        )
        workers = options.chosen_workers(self.workers)
        with Work("matches", "played on", quiet=as_json) as work:
            result = branches.play_all(
                self.times, workers=workers, out=self.out, progress=work.update
            )
        if not result.finished:
            ignore_interrupts()
        if as_json:
            consoles.print_json(result.document())
        else:
            self._show(result, record.header.game)
        consoles.exit_if_stopped(not result.finished)

    def _show(self, result: WhatIfResult, game: str) -> None:
        console, results = consoles.result_console(), result.actions
        title = f"decision {result.decision}, {result.seat} to move; it was {result.recorded}"
        console.print(Text(title, "bold"))
        wide = console if console.width >= _WIDE else consoles.PlainConsole(width=_WIDE)
        wide.print(_table(results, result.seat))
        played = " or ".join(map(str, sorted({each.matches for each in results})))
        source = "by odds" if result.chance == "tabular" else result.chance
        agents = ", ".join(f"{seat} {name}" for seat, name in result.agents.items())
        line = (
            f"{played} matches of each action, played on by {agents}, trial by trial on the same "
            f"seed, rolls {source}; "
            "[low, high] at 95 %: shares by Wilson, means by Student "
            f"· seed {result.seed}"
        )
        console.print(line, style="dim", soft_wrap=True, markup=False)
        if self.out is not None:
            matches = f"matches: {command_here('replay', str(self.out), *own_flags(game))}"
            console.print(matches, style="dim", soft_wrap=True)


def _table(results: Sequence[ActionResult], seat: str) -> Table:
    """Return a table of the results of each action, the best for `seat` first."""
    columns = [
        name for name in results[0].shares if any(each.shares[name].value for each in results)
    ]
    means = (f"points of {seat}" for seat in results[0].mean_scores)
    table = consoles.word_table("action", *columns, *means)
    for result in sorted(results, key=lambda result: -result.shares[f"{seat} wins"].value):
        numbers = [*(result.shares[name] for name in columns), *result.mean_scores.values()]
        table.add_row(result.action, *map(with_interval, numbers))
    return table


def show_decisions(source: MatchSource, rounds: Rounds, *, as_json: bool) -> None:
    """List the decisions of a match by number, each with its legal actions."""
    playback, rows = playback_of(source.record), []
    for entry in source.record.entries:
        if isinstance(entry, Decision):
            state = playback.state
            number = playback.game.round_of(state)
            if rounds[0] <= number <= (rounds[1] or number):
                row = {"decision": entry.index, "round": number, "seat": str(entry.seat)}
                legal = len(playback.game.legal_actions(state))
                rows.append(row | {"action": entry.action, "legal_actions": legal})
        playback.take(entry)
    if as_json:
        consoles.print_json({"decisions": rows})
        return
    console, names = result_console(), ("decision", "round", "seat", "legal_actions", "action")
    cells = ([Text(str(row[name])) for name in names] for row in rows)
    columns = (">decision", ">round", "seat", ">legal actions", "decided")
    console.print(consoles.word_table(*columns, rows=cells))
    if rows:
        chosen = "" if source.number == 1 else f" --record {source.number}"
        own = own_flags(source.record.header.game)
        command = command_here("replay", str(source.file), *own)
        example = f"{command}{chosen} --what-if {rows[-1]['decision']}"
        console.print(f"another decision: {example}", style="dim", soft_wrap=True, markup=False)


def board(
    file: options.RecordFile,
    record: options.Record = 1,
    round_: Annotated[int | None, Flag(low=1), "Round to show. Default: the last."] = None,
    seat: Annotated[
        str | None,
        options.SEAT,
        "Seat after whose turn the board is shown: A or B. Default: the last to move.",
    ] = None,
    resolved: Annotated[bool, "Show the board after the Resolve of the round."] = False,
    svg: Annotated[Path | None, "Drawing from above, a .svg file."] = None,
    ascii_only: options.Ascii = False,
    as_json: options.Json = False,
) -> None:
    """Show the board of a recorded match after a turn.

    --seat A shows it after A's turn, --resolved after the Resolve of the round. No physics is
    needed. Rolls by odds have no positions, so their Piggles are placed anywhere in their zones.

    Examples:
        pigglesim board match.jsonl
        pigglesim board match.jsonl --round 2 --svg board.svg
        pigglesim board match.jsonl --round 2 --seat A
        pigglesim board many.jsonl --record 17 --round 6 --resolved --json
    """
    print_in_ascii(ascii_only)
    if seat is not None and resolved:
        raise SpecError("--seat with --resolved, which is after both turns", fix="leave --seat out")
    if svg is not None:
        check_target(svg, ".svg")
    located = chosen_record(file, record)
    assert located is not None, "a record was asked for by number"
    match = readable(located)
    game = piggles_of(match)
    state, moment = _state(game, match, round_, seat, resolved=resolved)
    board = board_of_record(match.header) or Board()
    if svg is not None:
        drawing = state_svg(
            board,
            state,
            reading=game.rules.reading(),
            bodies=team_bodies(match.header.teams),
            title=" against ".join(match.header.agents.values()) or match.header.game,
            subtitle=f"{moment} \u00b7 seed {match.header.seed}",
        )
        write_target(svg, drawing)
        report_written([svg])
    if as_json:
        document = {
            "after": moment,
            "round": state.round,
            "state": game.format_state(state),
            "board": {name: landing_document(at) for name, at in state.board},
        }
        print_json(document)
        return
    console, view = result_console(), PigglesView(game)
    console.print(moment, style="bold")
    console.print(
        board_view(
            board,
            state.board,
            width=console.width,
            below=areas_table(view, state, scores=game.scores(state)),
            worn=view.worn(state),
        )
    )


def _state(
    game: Piggles, record: MatchRecord, number: int | None, seat: str | None, *, resolved: bool
) -> tuple[PigglesState, str]:
    """Return the requested state, and its point in the match in words."""
    # Last state by round and seat to move (None after the Resolve).
    reached: dict[tuple[int, str | None], PigglesState] = {}

    def on_event(event: MatchEvent[PigglesState]) -> None:
        before = event.before
        for step in steps_of(game, event):
            if step.phase is PigglesPhase.RESOLVE:
                reached[before.round, None] = step.state
            elif step.phase is not PigglesPhase.RECOUP:
                reached[before.round, before.active.value] = step.state

    replay_record(record, on_event=on_event)
    rounds = sorted({key[0] for key in reached})
    chosen = rounds[-1] if number is None and rounds else number
    keys = [key for key in reached if key[0] == chosen and (key[1] is None) == resolved]
    keys = [key for key in keys if seat in {None, key[1]}]
    if not keys:
        after = "the Resolve" if resolved else f"a turn of {seat}" if seat else "a turn"
        raise RecordError(
            f"round {chosen} has not come to {after}" if rounds else "no turn was played",
            fix=f"use --round {rounds[-1]}" if rounds else "use the record of another match",
        )
    key = keys[-1]
    after = "the Resolve" if key[1] is None else f"the turn of {SIDES[Seat(key[1])]}"
    return reached[key], f"round {key[0]}, after {after}"


_ROUNDS = ("from_round", "to_round", "round_")
_RECORD_FLAGS = (*_ROUNDS, "step", "resimulate", "film", "boards")
"""Flags that need a single record."""
_EXCLUSIVE = (
    (
        ("--film", "--png or --video", "--view"),
        ("--write", "--what-if", "--decisions", "--step", "--resimulate"),
    ),
    (("--glb, --html or --svg",), ("--write", "--what-if", "--decisions")),
    (("--decisions",), ("--write", "--what-if", "--step", "--resimulate")),
)
"""Flags that exclude each other: any on the left with any on the right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFlags:
    """Flags for the rounds to show, and the form."""

    from_round: Annotated[int, Flag(low=1), "First round shown."] = 1
    to_round: Annotated[int | None, Flag(low=1), "Last round shown. Default: the last."] = None
    round_: Annotated[int | None, Flag(low=1), "Only round shown. Default: all."] = None
    step: Annotated[bool, "Show one move at a time: Enter next, b back, q quit."] = False
    resimulate: Annotated[bool, "Simulate every roll again and compare every bit."] = False
    boards: Annotated[bool, "Show the board after each turn."] = True
    decisions: Annotated[bool, "List the decisions by number, for --what-if."] = False

    @property
    def rounds(self) -> Rounds:
        """First and last round shown; None for the last of the match."""
        if self.round_ is not None:
            return self.round_, self.round_
        return self.from_round, self.to_round


def _save_films(source: MatchSource, rounds: Rounds, *, as_json: bool) -> None:
    """Save a film of every roll of some rounds; an interruption keeps the finished films."""
    folder, new = source.saved_films, 0
    rolls = source.rolls(rounds)
    with Work("films", "saved", total=len(rolls), quiet=as_json) as work:
        films = source.films_from(rolls[0], rolls[-1], instead="replay it without --film")
        for index, film in zip(rolls, films, strict=True):
            if not folder.has(index):
                folder.write(index, film)
                new += 1
            work.advance()
    size = sum(folder.file(index).stat().st_size for index in rolls)
    if as_json:
        print_json({"films": len(rolls), "made": new, "bytes": size, "folder": str(folder.path)})
    else:
        line = f"{len(rolls)} films in {folder.path}, {size / 1000:.0f} kB; {new} of them new"
        result_console().print(line, markup=False, soft_wrap=True)


def _draw(source: MatchSource, rounds: Rounds, draw: DrawFlags) -> None:
    """Make the video of all rolls of some rounds, and draw the end of the last one."""
    with Work("rolls", "reading films, or rolling again") as work:
        films = films_in_rounds(
            source, rounds=rounds, last_only=draw.video is None, watch=work.update
        )
    draw.draw(films, load_scene(str(source.record.header.chance.get("scene", films[-1].scene))))


def _show(located: LocatedRecord, source: MatchSource, shown: ShownFlags, *, as_json: bool) -> None:
    """Show a record; if it is cut off, show the existing part and report what is missing."""
    played, films = _played(source.record, shown, as_json=as_json), len(source.saved_films.rolls())
    if as_json:
        document = played.document() | {"resimulated": shown.resimulate}
        document |= {"films": films} if films else {}
        document |= {"fault": located.to_json()} if located.error is not None else {}
        print_json(document)
    elif not shown.step:
        console = result_console()
        show_end(played, console, source.file)
        if located.intact is not None:
            console.print(_missing(played))
        if films:
            rolls = f"{films} of {len(source.record.outcomes)} rolls"
            line = f"films of {rolls}: pigglesim film {source.saved_films.path}"
            console.print(line, style="dim", markup=False, soft_wrap=True)
    if shown.resimulate:
        count = len(source.record.outcomes)
        progress_console().print(f"{count} rolls simulated again: every bit is the same")


def _missing(played: PlayedMatch) -> str:
    """Return a sentence on the missing part of a record that is cut off."""
    turn = played.game.turn(played.state)
    if turn is NonPlayer.OVER:
        return "Cut off: only the footer is missing."
    due = "a roll" if turn is NonPlayer.CHANCE else f"the turn of {turn}"
    number = played.game.round_of(played.state)
    return f"Cut off in round {number}: {due} and all after it are missing."


def _played(record: MatchRecord, shown: ShownFlags, *, as_json: bool) -> PlayedMatch:
    """Replay a record, show the requested moves, and return the match."""
    game, (first, last) = game_of(record), shown.rounds
    console = result_console() if shown.step or (shown.boards and not as_json) else None
    events: list[MatchEvent[Any]] = []
    with MatchView(game, board_of_record(record.header), console=console) as view:

        def on_event(event: MatchEvent[Any]) -> None:
            number = game.round_of(event.before)
            if first <= number <= (last or number):
                events.append(event)
                if not shown.step:
                    view.on_event(event)

        played = replay_match(record, resimulate=shown.resimulate, on_event=on_event)
    if not events and record.entries:
        raise SpecError(
            f"no rounds {first} to {last or 'the end'}",
            expected=f"1 to {game.round_of(played.state)}",
            fix="use --from-round 1",
        )
    if shown.step:
        _step_through(events, view)
    return played


def _step_through(events: Sequence[MatchEvent[Any]], view: MatchView) -> None:
    """Show one move at a time, as the user requests it at the prompt."""
    at = 0
    while at < len(events):
        entry = events[at].entry
        if isinstance(entry, Decision):
            print(one_line(f"decision {entry.index}: {entry.seat} {entry.action}"))
        view.on_event(events[at])
        print(f"[{at + 1} of {len(events)}] Enter next, b back, q quit: ", end="", flush=True)
        answer = sys.stdin.readline()
        if not sys.stdin.isatty():
            # A pipe echoes no key, so end the line here.
            print()
        word = answer.strip().lower()
        if not answer or word in {"q", "quit"}:
            return
        at = max(0, at - 1) if word in {"b", "back"} else at + 1


def _refuse_combinations(
    context: typer.Context, requested: Mapping[str, bool], shown: ShownFlags, *, as_json: bool
) -> None:
    """Raise SpecError if flags exclude each other, or would have no effect."""
    if shown.round_ is not None:
        refuse_idle(context, ("from_round", "to_round"), why="--round shows one round")
    if shown.step and as_json:
        raise SpecError("--step with --json", fix="leave --step out")
    for flag, other in (pair for left, right in _EXCLUSIVE for pair in product(left, right)):
        if requested[flag] and requested[other]:
            raise SpecError(f"{flag} with {other}", fix="use one at a time")
    for flag in ("--write", "--what-if"):
        if requested[flag]:
            refuse_idle(context, _RECORD_FLAGS, why=f"{flag} shows no rounds")


def replay(
    context: typer.Context,
    *,
    file: options.RecordFile,
    record: options.Record = None,
    game: options.OwnGame = None,
    shown: ShownFlags,
    film: Annotated[bool, "Simulate every roll again and save its film next to the file."] = False,
    write: Annotated[
        Path | None, "File to write the record to, or all records; text if it ends in .txt."
    ] = None,
    places: Annotated[bool, Flag(needs=("write",)), "Store all transforms."] = True,
    branch: WhatIfFlags,
    view: ViewOption = False,
    draw: DrawFlags,
    force: options.Force = False,
    ascii_only: options.Ascii = False,
    as_json: options.Json = False,
) -> None:
    """Replay a recorded match: show, step, film, or ask what if.

    The record alone suffices; --resimulate simulates every roll again and compares every bit.

    A file may hold several records, as JSON lines or as text. Without --record they are listed, and
    broken ones are reported.

    --html makes one page of all the rolls shown. --glb and --svg make one file per roll, numbered
    if there are several. Rolls that were not filmed are simulated again.

    --what-if branches off at a decision, tries each --action or each legal action, and plays on. It
    reports shares of results and mean scores with 95 % intervals. --decisions lists the decisions
    by number. Rolls are by odds, which takes seconds; --chance physical takes minutes and uses all
    --workers.

    --video films all rolls of the rounds shown; --png draws the end of the last one. Both use the
    films saved next to the record, or simulate the rolls again.

    Examples:
        pigglesim replay match.jsonl --from-round 5
        pigglesim replay match.jsonl --step
        pigglesim replay match.jsonl --view --from-round 3
        pigglesim replay match.jsonl --resimulate --no-boards
        pigglesim replay match.jsonl --no-boards --html match.html
        pigglesim replay match.jsonl --round 3 --svg boards.svg --glb rolls.glb
        pigglesim replay match.jsonl --film
        pigglesim replay match.jsonl --write match.txt
        pigglesim replay many.jsonl --record 17 --json
        pigglesim replay match.jsonl --from-round 2 --to-round 2 --video round2.mp4 --png round2.png
        pigglesim replay match.jsonl --decisions
        pigglesim replay match.jsonl --what-if 6
        pigglesim replay match.jsonl --what-if 6 --action skip --action "load A1 A2" --times 1e3
        pigglesim replay match.jsonl --what-if 6 --chance physical --times 20
    """
    print_in_ascii(ascii_only)
    options.load_own_game(game)
    requested = {
        "--film": film,
        "--png or --video": draw.pictures,
        "--view": view,
        "--glb, --html or --svg": bool(draw.shared),
        "--write": write is not None,
        "--what-if": branch.decision is not None,
        "--decisions": shown.decisions,
        "--step": shown.step,
        "--resimulate": shown.resimulate,
    }
    _refuse_combinations(context, requested, shown, as_json=as_json)
    if (target := write or branch.out) is not None:
        expect_new(target, overwrite=force)
    if write is not None:
        records.convert(file, record, write, places=places, as_json=as_json)
        return
    located = records.chosen_record(file, record)
    if located is None:
        why = f"{file} holds several records"
        if draw.pictures or draw.shared or view:
            raise SpecError(why, fix="choose one with --record 1")
        refuse_idle(context, _RECORD_FLAGS, why=why, fix="add --record 1")
        records.list_records(file, as_json=as_json)
        return
    draw.check(view=view)
    source = records.source_in(located, file)
    if branch.decision is not None:
        branch.show(source.record, branch.decision, as_json=as_json)
    elif shown.decisions:
        show_decisions(source, shown.rounds, as_json=as_json)
    else:
        if film:
            _save_films(source, shown.rounds, as_json=as_json)
        else:
            if draw.pictures:
                _draw(source, shown.rounds, draw)
            _show(located, source, shown, as_json=as_json)
        if located.error is not None:
            records.report_fault(located, several=False)
            raise typer.Exit(records.FAULTY)
    if draw.shared:
        draw.share_match(source, rounds=shown.rounds)
    if view:
        rolls = source.rolls(shown.rounds)
        scene, clips = records.clips_of(source, first=rolls[0], last=rolls[-1])
        watch(Playlist(clips), scene, title=file.name, instead=DRAWN_INSTEAD)
