"""Export of a recorded match: its rolls as one page, 3D or a video, its boards as drawings."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pigglesim.api.roll_files import throw_again
from pigglesim.api.sources import board_of_record, chance_of_record
from pigglesim.chance.physical import FilmedChance
from pigglesim.chance_types import ShuffleResult
from pigglesim.durable_io import numbered, write_target
from pigglesim.errors import RecordError
from pigglesim.films.codec import FilmFolder, film_folder
from pigglesim.films.film import Film
from pigglesim.games.piggles.state import PigglesState
from pigglesim.landing import RollResult, Seat
from pigglesim.match.entries import Decision, MatchOutcome, MatchRecord
from pigglesim.match.replay import films_of, playback_of, replay
from pigglesim.match.runner import MatchEvent
from pigglesim.render.glb import film_glb
from pigglesim.render.page import TextTable
from pigglesim.render.palette import SIDES
from pigglesim.render.stage import Stage
from pigglesim.render.svg import board_bodies, piggles_of, scene_of, team_bodies, top_view_svg
from pigglesim.render.web_page import Chapter, ThrowAgain, film_page
from pigglesim.scene.scene import Board
from pigglesim.table.piggles import PigglesView, steps_of
from pigglesim.table.view import result_sentence

Rounds = tuple[int, int | None]
"""First and last round; None for the last of the match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _FilmsInMemory(FilmFolder):
    """Films in memory."""

    films: Mapping[int, Film]

    def has(self, index: int) -> bool:
        """Return True if the film of a roll exists."""
        return index in self.films

    def read(self, index: int) -> Film:
        """Return the film of a roll."""
        return self.films[index]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSource:
    """Recorded match and its films; rolls without a film are simulated again."""

    record: MatchRecord
    file: Path | None = None
    """File of the record, if any; films may be next to it."""
    number: int = 1
    """Number of the record in its file, from 1."""
    films: Sequence[Film] = ()
    """Films of the match in memory."""

    @property
    def saved_films(self) -> FilmFolder:
        """Films that exist, in memory or next to the record."""
        if self.file is not None and not self.films:
            return film_folder(self.file, number=self.number)
        films = {int(str(film.origin["roll"])): film for film in self.films}
        return _FilmsInMemory(path=Path(), films=films)

    def rolls(self, rounds: Rounds = (1, None)) -> list[int]:
        """Return the numbers of the rolls in some rounds; shuffles are none.

        Raises:
            RecordError: If there is no roll.
        """
        playback, (first, last) = playback_of(self.record), rounds
        rolls = []
        for entry in self.record.entries:
            number = playback.game.round_of(playback.state)
            if isinstance(entry, MatchOutcome) and not isinstance(entry.result, ShuffleResult):
                rolls += [entry.index] if first <= number <= (last or number) else []
            playback.take(entry)
        if not rolls:
            raise RecordError(
                f"nothing was rolled in rounds {first} to {last or 'the end'}",
                fix="use other rounds, or the record of another match",
            )
        return rolls

    def resimulation(
        self, *, scene: str | None = None, instead: str = "replay it without --resimulate"
    ) -> FilmedChance:
        """Return a source of chance that simulates rolls again; see `chance_of_record`."""
        chance = chance_of_record(self.record.header, scene=scene, instead=instead)
        return FilmedChance(source=chance)

    def films_from(
        self, first: int, last: int, *, instead: str = "replay it without --resimulate"
    ) -> Iterator[Film]:
        """Yield the film of each roll from `first` to `last`, saved or simulated again."""
        return films_of(
            self.record,
            saved=self.saved_films,
            resimulation=partial(self.resimulation, instead=instead),
            first=first,
            last=last,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Roll:
    """Roll of a match, with its story."""

    outcome: MatchOutcome
    before: PigglesState
    story: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """Title of the roll, such as `Round 2: B (North) rolls B1 B2`."""
        side = SIDES[self.outcome.thrower]
        return f"Round {self.before.round}: {side} rolls {' '.join(self.outcome.piggles)}"


def write_match_files(
    source: MatchSource,
    *,
    rounds: Rounds = (1, None),
    html: Path | None = None,
    glb: Path | None = None,
    svg: Path | None = None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[Path]:
    """Write the requested files for the rolls of some rounds, and yield each once written.

    `html` is one page of all rolls; `glb` is a file for each roll and `svg` a drawing of the board
    after it, numbered if there are several. `watch` is called after each roll with the numbers of
    rolls done and in total. After an interruption (Ctrl-C) the page holds the finished rolls.

    Raises:
        RecordError: If there is no roll to show, or one cannot be simulated again.
        SpecError: If a file cannot be written.
    """
    record = source.record
    rolls, boards = _rolls(record)
    numbers = source.rolls(rounds)
    chosen = [roll for roll in rolls if roll.outcome.index in numbers]
    if svg is not None:
        yield from _write_drawings(record, chosen, svg)
    if html is None and glb is None:
        return
    _check_physical(source)
    stages: list[Stage] = []
    stopped = False
    try:
        for roll, stage in _stages(source, chosen):
            if glb is not None:
                path = numbered(glb, roll.outcome.index + 1, len(chosen))
                write_target(path, film_glb(stage))
                yield path
            stages.append(stage)
            watch(len(stages), len(chosen))
    except KeyboardInterrupt:
        # Write the page of the finished rolls.
        stopped = True
    if html is not None and stages:
        write_target(html, _page(source, chosen, stages, boards))
        yield html
    if stopped:
        raise KeyboardInterrupt


def films_in_rounds(
    source: MatchSource,
    *,
    rounds: Rounds = (1, None),
    last_only: bool = False,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> list[Film]:
    """Return the films of all rolls of some rounds, or of the last one, read or simulated again.

    Raises:
        RecordError: If there is no roll to show, or one cannot be simulated again.
    """
    _check_physical(source)
    rolls = source.rolls(rounds)
    rolls = rolls[-1:] if last_only else rolls
    films = []
    for film in source.films_from(rolls[0], rolls[-1]):
        films.append(film)
        watch(len(films), len(rolls))
    return films


def _check_physical(source: MatchSource) -> None:
    chance = source.record.header.chance.get("source")
    if chance != "physical":
        board = f"pigglesim board {source.file} --svg board.svg" if source.file else "a .svg"
        raise RecordError(
            f"rolls of {chance} chance have no motion to show",
            fix=f"use {board}, which draws orientations and zones",
        )


def _rolls(record: MatchRecord) -> tuple[list[_Roll], list[MatchEvent[PigglesState]]]:
    """Return every roll with its story, and every event.

    A load is part of the story of the roll that follows; all other events belong to the roll
    before them. So do Piggles that an effect sets down by hand, which no film shows.
    """
    game = piggles_of(record)
    view = PigglesView(game)
    rolls: list[_Roll] = []
    events: list[MatchEvent[PigglesState]] = []
    pending: list[str] = []

    def on_event(event: MatchEvent[PigglesState]) -> None:
        events.append(event)
        lines = [line.text for line in view.story(event)]
        if (
            isinstance(event.entry, MatchOutcome)
            and game.chance_request(event.before).set_down is None
        ):
            rolls.append(_Roll(outcome=event.entry, before=event.before, story=[*pending, *lines]))
            pending.clear()
        elif rolls and not _is_load(event):
            rolls[-1].story.extend(lines)
        else:
            pending.extend(lines)

    replay(record, on_event=on_event)
    if rolls:
        rolls[-1].story.extend(pending)
    return rolls, events


def _is_load(event: MatchEvent[PigglesState]) -> bool:
    return isinstance(event.entry, Decision) and event.entry.action.startswith("load")


def _stages(source: MatchSource, chosen: Sequence[_Roll]) -> Iterator[tuple[_Roll, Stage]]:
    """Yield the stage of each roll once its film is read or simulated again."""
    record = source.record
    requested = {roll.outcome.index: roll for roll in chosen}
    first, last = min(requested), max(requested)
    reading = piggles_of(record).rules.reading()
    scene, bodies = scene_of(record.header), team_bodies(record.header.teams)
    for index, film in enumerate(source.films_from(first, last), start=first):
        if index not in requested:
            continue
        same_models = all(actor.name in bodies for actor in film.actors)
        yield (
            requested[index],
            Stage.of(film, scene=scene, bodies=bodies if same_models else None, reading=reading),
        )


def _page(
    source: MatchSource,
    chosen: Sequence[_Roll],
    stages: Sequence[Stage],
    events: Sequence[MatchEvent[PigglesState]],
) -> str:
    record = source.record
    header, footer = record.header, record.footer
    command = shlex.join(["pigglesim", "replay", str(source.file)])
    sides = [f"{SIDES[seat]} {name}" for seat, name in header.agents.items()]
    points = " : ".join(str(score) for score in footer.scores.values())
    facts: dict[str, object] = {
        "seed": header.seed,
        **({"command": command} if source.file is not None else {}),
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
            # There are fewer stages than rolls after an interruption.
            for roll, stage in zip(chosen, stages, strict=False)
        ],
        title=" against ".join(sides) or header.game,
        subtitle=f"{result_sentence(footer.result)}, {points} \u00b7 seed {header.seed}",
        scoreboard=_scoreboard(record, events),
        facts=facts,
        again=_first_cup(record, chosen[0], stages[0]),
    )


def _first_cup(record: MatchRecord, first: _Roll, stage: Stage) -> ThrowAgain | None:
    """Return what a page needs to throw its first roll again; None if it cannot."""
    request, scene = piggles_of(record).chance_request(first.before), scene_of(record.header)
    if scene is None or not isinstance(first.outcome.result, RollResult):
        return None
    return throw_again(scene, request, stage.bodies, engine=str(record.header.chance["engine"]))


def _scoreboard(record: MatchRecord, events: Sequence[MatchEvent[PigglesState]]) -> TextTable:
    """Return a table of the points of both players after each round, and at the end."""
    game = piggles_of(record)
    after: dict[int, PigglesState] = {}
    for event in events:
        # A step may lead into the next round; its points are those of the round that it ends.
        for step in steps_of(game, event):
            if step.state.round == event.before.round:
                after[event.before.round] = step.state
    rounds = sorted(after)
    rows = []
    for seat, side in SIDES.items():
        scores = [str(after[number].side(seat).score) for number in rounds]
        agent = record.header.agents.get(seat, "")
        rows.append([side, agent, *scores, str(record.footer.scores[seat])])
    return TextTable(
        caption="Points after each round",
        columns=["", "agent", *map(str, rounds), "end"],
        rows=rows,
        owners=list(SIDES),
    )


def _write_drawings(record: MatchRecord, chosen: Sequence[_Roll], target: Path) -> Iterator[Path]:
    """Write a drawing of the board after each roll."""
    board = board_of_record(record.header) or Board()
    bodies = team_bodies(record.header.teams)
    reading = piggles_of(record).rules.reading()
    for roll in chosen:
        captured = roll.before.captured
        landings = dict(roll.before.board) | dict(roll.outcome.landings)
        drawing = top_view_svg(
            board,
            board_bodies(landings.items(), bodies, captured=captured),
            title=roll.title,
            subtitle=f"seed {record.header.seed}",
            lines=[_points_text(roll.before, seat) for seat in SIDES],
            reading=reading,
        )
        path = numbered(target, roll.outcome.index + 1, len(chosen))
        write_target(path, drawing)
        yield path


def _points_text(state: PigglesState, seat: Seat) -> str:
    return f"{SIDES[seat]}: {state.side(seat).score} points before this roll"
