"""A recorded match to share: its rolls as one page or as 3D, its boards as drawings."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pigglesim.chance.filmed import FilmedChance
from pigglesim.cli.progress import progress_bar
from pigglesim.cli.sharing_options import ShareTargets, tell_written
from pigglesim.errors import RecordError
from pigglesim.films.film import Film
from pigglesim.films.store import films_beside
from pigglesim.games.piggles.state import Position
from pigglesim.match.entries import Decision, MatchRecord, Outcome
from pigglesim.match.filming import films_of
from pigglesim.match.replay import replay
from pigglesim.match.runner import MatchEvent
from pigglesim.pictures.marks import SIDES
from pigglesim.rolls import Seat
from pigglesim.scene.board import Board
from pigglesim.screen.piggles_effects import Effects
from pigglesim.screen.piggles_story import steps_of, told
from pigglesim.screen.sentences import result_sentence
from pigglesim.sharing.files import numbered, write_target
from pigglesim.sharing.glb import film_glb
from pigglesim.sharing.page import Chapter, Grid, GridRow, film_page
from pigglesim.sharing.positions import bodies_of, lying_of, piggles_of, scene_of
from pigglesim.sharing.stage import Stage
from pigglesim.sharing.svg import top_view_svg
from pigglesim.verbs.table import chance_of_record

__all__ = ["match_page", "share_match"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Roll:
    """One roll of a match, and what is told of it."""

    outcome: Outcome
    before: Position
    story: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Such as `Round 2: B (North) rolls B1 B2`."""
        side = SIDES[self.outcome.thrower]
        return f"Round {self.before.round}: {side} rolls {' '.join(self.outcome.piggles)}"


def share_match(
    record: MatchRecord,
    file: Path,
    targets: ShareTargets,
    *,
    number: int,
    rounds: tuple[int, int | None],
) -> None:
    """Write what is asked for of the rolls of some rounds.

    Args:
        record: Of the match.
        file: Where it is kept; films beside it are taken, other rolls are simulated again.
        targets: What to write; a number is added to the name where 3D or drawings are many.
        number: Which record of its file it is.
        rounds: The first and the last; None for the last of the match.

    Raises:
        RecordError: If there is no roll to show, or one cannot be simulated again.
    """
    rolls, boards = _rolls(record)
    first, last = rounds
    chosen = [
        roll
        for roll in rolls
        if first <= roll.before.round and (last is None or roll.before.round <= last)
    ]
    if not chosen:
        raise RecordError(
            "a match with rolls to show in the rounds asked for",
            got=f"{len(rolls)} rolls in all, none in those rounds" if rolls else "no roll at all",
            remedy=f"pigglesim replay {file}",
        )
    written: list[Path] = []
    if targets.svg is not None:
        written += _write_drawings(record, chosen, targets.svg)
    if targets.html is not None or targets.glb is not None:
        _check_physical(record, file)
        stages: list[Stage] = []
        stopped = False
        try:
            for roll, stage in _stages(record, file, number, chosen):
                if targets.glb is not None:
                    path = numbered(targets.glb, roll.outcome.index + 1, len(chosen))
                    write_target(path, film_glb(stage))
                    written.append(path)
                stages.append(stage)
        except KeyboardInterrupt:
            # The page of the rolls that are done is a page too.
            stopped = True
        if targets.html is not None and stages:
            write_target(targets.html, _page(record, file, chosen, stages, boards))
            written.append(targets.html)
        if stopped:
            tell_written(written)
            raise KeyboardInterrupt
    tell_written(written)


def match_page(record: MatchRecord, films: Sequence[Film], file: Path) -> str:
    """Return the page of a match whose rolls were all filmed.

    Args:
        record: Of the match.
        films: Of its rolls, in order.
        file: Where the record is kept, for the command that the page shows.
    """
    rolls, events = _rolls(record)
    reading = piggles_of(record).rules.reading()
    scene, bodies = scene_of(record.header), bodies_of(record.header.teams)
    stages = [Stage.of(film, scene=scene, bodies=bodies, reading=reading) for film in films]
    return _page(record, file, rolls, stages, events)


def _check_physical(record: MatchRecord, file: Path) -> None:
    source = record.header.chance.get("source")
    if source != "physical":
        raise RecordError(
            "a match rolled on physics, whose rolls can be seen",
            got=f"one whose chance was {source}",
            remedy=f"pigglesim board {file} --svg board.svg, which shows poses and zones",
        )


def _rolls(record: MatchRecord) -> tuple[list[_Roll], list[MatchEvent[Position]]]:
    """Return every roll with its story, and every event.

    What a player loads is told with the roll that follows; all else with the roll before it, and
    so is what an effect sets down by hand, of which there is nothing to watch.
    """
    game = piggles_of(record)
    effects = Effects.of(game)
    rolls: list[_Roll] = []
    events: list[MatchEvent[Position]] = []
    ahead: list[str] = []

    def on_event(event: MatchEvent[Position]) -> None:
        events.append(event)
        lines = [line.text for line in told(game, event, effects)]
        if isinstance(event.entry, Outcome) and game.chance_request(event.before).set_down is None:
            rolls.append(_Roll(outcome=event.entry, before=event.before, story=[*ahead, *lines]))
            ahead.clear()
        elif rolls and not _loads(event):
            rolls[-1].story.extend(lines)
        else:
            ahead.extend(lines)

    replay(record, on_event=on_event)
    if rolls:
        rolls[-1].story.extend(ahead)
    return rolls, events


def _loads(event: MatchEvent[Position]) -> bool:
    return isinstance(event.entry, Decision) and event.entry.action.startswith("load")


def _stages(
    record: MatchRecord, file: Path, number: int, chosen: Sequence[_Roll]
) -> Iterator[tuple[_Roll, Stage]]:
    """Yield the stage of each roll, as its film is found or made."""
    wanted = {roll.outcome.index: roll for roll in chosen}
    reading = piggles_of(record).rules.reading()
    scene, bodies = scene_of(record.header), bodies_of(record.header.teams)
    films = films_of(
        record,
        kept=films_beside(file, number=number),
        again=lambda: FilmedChance(source=chance_of_record(record.header)),
        first=min(wanted),
        last=max(wanted),
    )
    with progress_bar("rolls") as bar:
        task = bar.add_task("filmed", total=len(chosen))
        for index, film in enumerate(films, start=min(wanted)):
            if index not in wanted:
                continue
            known = all(actor.name in bodies for actor in film.actors)
            yield (
                wanted[index],
                Stage.of(film, scene=scene, bodies=bodies if known else None, reading=reading),
            )
            bar.advance(task)


def _page(
    record: MatchRecord,
    file: Path,
    chosen: Sequence[_Roll],
    stages: Sequence[Stage],
    events: Sequence[MatchEvent[Position]],
) -> str:
    header, footer = record.header, record.footer
    sides = [f"{SIDES[seat]} {name}" for seat, name in header.agents.items()]
    points = " : ".join(str(score) for score in footer.scores.values())
    facts: dict[str, object] = {
        "seed": header.seed,
        "command": shlex.join(["pigglesim", "replay", str(file)]),
        "game": header.game,
        **({"date": header.date} if header.date else {}),
        "pigglesim": header.version,
        "chance": dict(header.chance),
        "house rules": dict(header.house_rules),
        "final position": footer.final_state,
    }
    return film_page(
        [
            Chapter(stage=stage, title=roll.title, story=roll.story)
            # Fewer stages than rolls where somebody could not wait.
            for roll, stage in zip(chosen, stages, strict=False)
        ],
        title=" against ".join(sides) or header.game,
        subtitle=f"{result_sentence(footer.result)}, {points} \u00b7 seed {header.seed}",
        scoreboard=_scoreboard(record, events),
        facts=facts,
    )


def _scoreboard(record: MatchRecord, events: Sequence[MatchEvent[Position]]) -> Grid:
    """Return the points of both players after each round, and at the end."""
    game = piggles_of(record)
    after: dict[int, Position] = {}
    for event in events:
        # A step may lead into the next round, whose points are those of the round it ends.
        for step in steps_of(game, event):
            if step.position.round == event.before.round:
                after[event.before.round] = step.position
    rounds = sorted(after)
    rows = []
    for seat, side in SIDES.items():
        scores = [str(after[number].side(seat).score) for number in rounds]
        agent = record.header.agents.get(seat, "")
        words = [side, agent, *scores, str(record.footer.scores[seat])]
        rows.append(GridRow(words=words, owner=seat))
    columns = ["", "agent", *(str(number) for number in rounds), "end"]
    return Grid(caption="Points after each round", columns=columns, rows=rows)


def _write_drawings(record: MatchRecord, chosen: Sequence[_Roll], target: Path) -> list[Path]:
    """Write a drawing of the board after each roll."""
    scene = scene_of(record.header)
    board = scene.board if scene else Board()
    bodies = bodies_of(record.header.teams)
    reading = piggles_of(record).rules.reading()
    written = []
    for roll in chosen:
        captured = roll.before.captured
        landings = dict(roll.before.board) | dict(roll.outcome.landings)
        drawing = top_view_svg(
            board,
            lying_of(landings.items(), bodies, captured=captured),
            title=roll.title,
            subtitle=f"seed {record.header.seed}",
            words=[_points(roll.before, seat) for seat in SIDES],
            reading=reading,
        )
        path = numbered(target, roll.outcome.index + 1, len(chosen))
        write_target(path, drawing)
        written.append(path)
    return written


def _points(position: Position, seat: Seat) -> str:
    return f"{SIDES[seat]}: {position.side(seat).score} points before this roll"
