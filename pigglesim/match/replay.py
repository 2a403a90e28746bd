"""Replay of a recorded match: by the rules alone, simulated again, filmed, or branched."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol

from pigglesim.agents.agent import Agent
from pigglesim.chance_types import ChanceOutcome, DiceRequest, DiceResult, ShuffleRequest
from pigglesim.errors import PigglesimError, RecordError, SpecError, cut
from pigglesim.games.game import JSON, Game, NonPlayer
from pigglesim.games.registry import make_game
from pigglesim.json_codec import to_plain
from pigglesim.landing import RollRequest, RollResult, Seat
from pigglesim.match.entries import (
    Comment,
    Decision,
    Entry,
    Forfeit,
    Header,
    LocatedError,
    MatchOutcome,
    MatchRecord,
    fault_of,
)
from pigglesim.match.runner import (
    ChanceSource,
    Match,
    MatchEvent,
    Progress,
    decided,
    play,
    start_state,
)
from pigglesim.rng import MAX_SUB_SEED, generator, seed_json

if TYPE_CHECKING:
    from pigglesim.films.codec import FilmFolder
    from pigglesim.films.film import Film


def seated_game(
    name: str, house_rules: Mapping[str, object], seats: Iterable[str]
) -> Game[Any, Any]:
    """Return a game by name, under house rules.

    Raises:
        SpecError: If the game or one of its house rules is unknown.
        RecordError: If the game does not have such a seat.
    """
    game = make_game(name, dict(house_rules))
    for seat in seats:
        if seat not in game.seats:
            raise RecordError(
                f"{name} has no seat {seat}",
                expected=", ".join(game.seats),
                fix="use the record as it was written",
            )
    return game


_FIX = "replay it with the pigglesim that wrote it"


class RecordPlayback:
    """Replay of a match, entry by entry; each must be the one that the rules expect.

    It starts from `position`, or from the initial state if that is None. With `resimulate` that
    source repeats every recorded roll, and each must match bit for bit. Without it the recorded
    rolls are trusted, and no physics runs.
    """

    def __init__(
        self,
        game: Game[Any, Any],
        *,
        position: str | None = None,
        resimulate: ChanceSource | None = None,
    ) -> None:
        self.game = game
        self.progress: Progress[Any] = Progress(state=start_state(game, position))
        self._resimulate = resimulate

    @property
    def state(self) -> Any:  # noqa: ANN401 (a state of the game)
        """Current state."""
        return self.progress.state

    def take(self, entry: Entry) -> MatchEvent[Any]:
        """Play an entry and return it with the states before and after.

        Raises:
            LocatedError: If the rules reject it: with the state before it and the rule.
        """
        before = self.progress
        try:
            event = self._event(entry)
        except PigglesimError as error:
            raise fault_of(
                error,
                entry=len(before.entries),
                label=_entry_label(entry),
                position=self.game.format_state(before.state),
            ) from error
        self.progress = before.then(event)
        return event

    def record(self, header: Header) -> MatchRecord:
        """Return the match so far as a record, under a header."""
        return self.progress.record(self.game, header)

    def _event(self, entry: Entry) -> MatchEvent[Any]:
        if self.progress.forfeit is not None and not isinstance(entry, Comment):
            raise RecordError("an entry follows a forfeit", fix=_FIX)
        state = after = self.state
        action = None
        match entry:
            case Decision():
                self._expect_turn(entry)
                action = self.game.parse_action(entry.action)
                # The text form formats actions again, so the parsed action must give the same text.
                if (canonical := self.game.format_action(action)) != entry.action:
                    problem = f"action {cut(repr(entry.action))} is not as the game writes it"
                    raise RecordError(problem, fix=f"write {canonical!r}")
                after = self.game.apply_action(state, action)
            case MatchOutcome():
                after = self._roll(entry)
            case Forfeit():
                self._expect_turn(entry)
            case Comment():
                pass
        return MatchEvent(entry=entry, before=state, after=after, action=action)

    def _expect_turn(self, entry: Decision | Forfeit) -> None:
        turn = self.game.turn(self.state)
        if (str(turn), self.progress.decisions) != (str(entry.seat), entry.index):
            raise _out_of_turn(
                f"decision {entry.index} of {entry.seat}",
                f"decision {self.progress.decisions} of {turn}",
            )

    def _roll(self, entry: MatchOutcome) -> object:
        turn = self.game.turn(self.state)
        if turn is not NonPlayer.CHANCE:
            raise _out_of_turn(f"roll {entry.index}", f"the turn of {turn}")
        request = self.game.chance_request(self.state)
        piggles = request.piggles if isinstance(request, RollRequest) else ()
        expected = (request.thrower, piggles, self.progress.outcomes)
        if expected != (entry.thrower, entry.piggles, entry.index):
            raise _out_of_turn(
                f"roll {entry.index} of {' '.join(entry.piggles)} by {entry.thrower}",
                f"roll {self.progress.outcomes} of {' '.join(piggles)} by {request.thrower}",
            )
        if self._resimulate is not None:
            resimulated = self._resimulate.answer(request, index=entry.index)
            expect_same_answer(entry.index, recorded=entry.result, rolled=resimulated)
        return self.game.apply_outcome(self.state, entry.result)


_NAMES = {Decision: "decision", MatchOutcome: "roll", Forfeit: "the forfeit of decision"}


def _entry_label(entry: Entry) -> str:
    return "a comment" if isinstance(entry, Comment) else f"{_NAMES[type(entry)]} {entry.index}"


def _out_of_turn(recorded: str, due: str) -> RecordError:
    return RecordError(f"the record has {recorded}, the rules {due}", fix=_FIX)


def expect_same_answer(index: int, *, recorded: ChanceOutcome, rolled: ChanceOutcome) -> None:
    """Raise `RecordError` unless two results of a roll are bit-identical."""
    # The text of a float is exact: even 0.0 and -0.0 differ.
    parts = zip_longest(_outcome_parts(recorded), _outcome_parts(rolled), fillvalue="nothing")
    for recorded_part, rolled_part in parts:
        if recorded_part != rolled_part:
            raise RecordError(
                f"roll {index} differs: {rolled_part}",
                expected=recorded_part,
                fix="resimulate with the program, scene and machine of the record",
            )


def _outcome_parts(outcome: ChanceOutcome) -> list[str]:
    """Return every part of an outcome as text; each landing is one part."""
    fields: dict[str, Any] = to_plain(outcome)
    landings = fields.pop("landings", [])
    return [f"{part} {json.dumps(value)}" for part, value in (*landings, *fields.items())]


def game_of(record: MatchRecord) -> Game[Any, Any]:
    """Return the game of a record, under its house rules.

    Raises:
        SpecError: If the game or one of its house rules is unknown.
        RecordError: If a seat is taken that the game does not have.
    """
    header = record.header
    return seated_game(header.game, header.house_rules, header.agents)


def playback_of(record: MatchRecord, *, resimulate: ChanceSource | None = None) -> RecordPlayback:
    """Return the replay of a record before its first entry; errors are those of `replay`."""
    position = record.header.position
    return RecordPlayback(game_of(record), position=position, resimulate=resimulate)


def replay(
    record: MatchRecord,
    *,
    resimulate: ChanceSource | None = None,
    on_event: Callable[[MatchEvent[Any]], None] | None = None,
) -> Match[Any]:
    """Return the match of a record, played again through the rules.

    Args:
        record: Record to replay.
        resimulate: Source that repeats every recorded roll, each of which must match bit for
            bit. None trusts the record, without physics.
        on_event: Called after each entry.

    Raises:
        LocatedError: If the record does not fit the rules or its own footer, or a repeated roll
            differs; the first such entry is named.
        SpecError: If the game or one of its house rules is unknown, or its position impossible.
    """
    playback = playback_of(record, resimulate=resimulate)
    for entry in record.entries:
        event = playback.take(entry)
        if on_event is not None:
            on_event(event)
    footer = playback.progress.footer(playback.game)
    if footer != record.footer:
        raise LocatedError(f"the end is {footer}", expected=str(record.footer), fix=_FIX)
    return Match(state=playback.state, record=record)


def begin(
    game: Game[Any, Any], entries: Iterable[Entry], *, position: str | None = None
) -> RecordPlayback:
    """Return the match after some entries from a position, to be continued from there.

    Raises:
        LocatedError: If the rules reject an entry.
        SpecError: If the position is impossible.
    """
    playback = RecordPlayback(game, position=position)
    for entry in entries:
        playback.take(entry)
    return playback


def interrupted_record(header: Header, entries: Iterable[Entry]) -> MatchRecord:
    """Return the record of a match that was cut off, as if it had been interrupted there.

    Raises:
        LocatedError: If the rules reject an entry.
        SpecError: If the game or one of its house rules is unknown, or its position impossible.
    """
    game = seated_game(header.game, header.house_rules, header.agents)
    return begin(game, entries, position=header.position).record(header)


_PLACE = re.compile(r"\[[^\]]*\]")
"""Pattern of the place of a body in the notation of a state."""


def without_positions(record: MatchRecord) -> MatchRecord:
    """Return a record without places of bodies; it replays by the rules alone.

    They are removed from its rolls, from the position that it starts from, and so from its end.

    Raises:
        LocatedError: If the rules reject an entry.
    """
    start = record.header.position
    header = replace(record.header, position=start and _PLACE.sub("", start))
    return interrupted_record(header, [_bare(entry) for entry in record.entries])


def _bare(entry: Entry) -> Entry:
    if not isinstance(entry, MatchOutcome):
        return entry
    result = entry.result
    if isinstance(result, RollResult):
        bare = tuple((piggle, replace(landing, place=None)) for piggle, landing in result.landings)
        result = replace(result, landings=bare)
    elif isinstance(result, DiceResult):
        result = replace(result, places=())
    return replace(entry, result=result)


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchPoint:
    """A recorded match before one of its decisions."""

    record: MatchRecord
    game: Game[Any, Any]
    before: Progress[Any]
    decision: Decision
    """Decision that was taken there."""

    @property
    def actions(self) -> tuple[str, ...]:
        """All legal actions there, in the notation and order of the game."""
        legal = self.game.legal_actions(self.before.state)
        return tuple(self.game.format_action(action) for action in legal)

    def canonical(self, action: str) -> str:
        """Return an action in the canonical notation of the game.

        Raises:
            SpecError: If the text is not an action.
            IllegalActionError: If the action is illegal here.
        """
        parsed = self.game.parse_action(action)
        self.game.apply_action(self.before.state, parsed)
        return self.game.format_action(parsed)

    def play_on(
        self, action: str, *, agents: Mapping[Seat, Agent], chance: ChanceSource, seed: int
    ) -> Match[Any]:
        """Return the match that follows if `action` is taken here instead.

        Its record names the branch point: in a comment, and as its source of chance, since rolls
        before and after come from different sources.

        Raises:
            PigglesimError: If the action is illegal, or the chance source fails.
        """
        state, taken = self.before.state, self.game.parse_action(action)
        text = f"branch at decision {self.decision.index}: {action} for {self.decision.action}"
        comment = MatchEvent(entry=Comment(text=text), before=state, after=state)
        begun = self.before.then(comment)
        begun = begun.then(decided(self.game, begun, taken, seat=self.decision.seat))
        played = play(
            self.game,
            agents=agents,
            chance=chance,
            seed=seed,
            teams=self.record.header.teams,
            position=self.record.header.position,
            begun=begun,
        )
        origin: dict[str, JSON] = {
            "source": "branch",
            "decision": self.decision.index,
            "rolls_before": self.before.outcomes,
            "before": dict(self.record.header.chance),
            "after": chance.provenance(),
        }
        header = replace(played.record.header, chance=origin, date=self.record.header.date)
        return replace(played, record=replace(played.record, header=header))


def branch_at(record: MatchRecord, decision: int) -> BranchPoint:
    """Return a recorded match before a decision.

    Raises:
        SpecError: If there is no such decision.
        LocatedError: If the rules reject an entry before it.
    """
    playback = playback_of(record)
    for entry in record.entries:
        if isinstance(entry, Decision) and entry.index == decision:
            return BranchPoint(
                record=record, game=playback.game, before=playback.progress, decision=entry
            )
        playback.take(entry)
    raise SpecError(
        f"unknown decision {decision}",
        expected=f"a number from 0 to {len(record.decisions) - 1}",
        fix="list them with pigglesim replay FILE --decisions",
    )


def branch_seed(root: int, trial: int) -> int:
    """Return the root seed of a trial, the same for every action.

    Actions are so compared under common random numbers, which makes differences more precise.
    """
    return int(generator(root, "what-if", trial).integers(MAX_SUB_SEED))


class FilmSource(Protocol):
    """Chance source that films its rolls."""

    def filmed(
        self, request: RollRequest | DiceRequest, *, index: int
    ) -> "tuple[ChanceOutcome, Film]":
        """Return outcome `index` of the match, and its film."""


def films_of(
    record: MatchRecord,
    *,
    saved: "FilmFolder | None" = None,
    resimulation: Callable[[], FilmSource] | None = None,
    first: int = 0,
    last: int | None = None,
) -> "Iterator[Film]":
    """Yield the film of every roll of a match, each simulated or read lazily.

    Shuffles of cards have no film.

    Args:
        record: Record of the match.
        saved: Folder that may hold films of the match.
        resimulation: Factory of a source that simulates a roll without a film again, bit for bit
            the same; called once at most. None if there is no such source.
        first: Number of the first roll to show.
        last: Number of the last roll to show; None for all.

    Raises:
        LocatedError: If the record does not fit the rules.
        RecordError: If a saved film is broken or of another roll; or if a roll without one cannot
            be simulated again, or then differs.
    """
    playback, source = playback_of(record), None
    for entry in record.entries:
        event = playback.take(entry)
        if not isinstance(entry, MatchOutcome) or entry.index < first:
            continue
        if last is not None and entry.index > last:
            return
        request = playback.game.chance_request(event.before)
        if isinstance(request, ShuffleRequest):
            continue
        if saved is not None and saved.has(entry.index):
            yield _saved_film(saved, entry, record.header)
            continue
        if resimulation is None:
            problem = f"roll {entry.index} has no film and cannot be simulated again"
            raise RecordError(problem, fix="use the record of a match on physics")
        source = source or resimulation()
        result, film = source.filmed(request, index=entry.index)
        expect_same_answer(entry.index, recorded=entry.result, rolled=result)
        yield film


def _saved_film(folder: "FilmFolder", entry: MatchOutcome, header: Header) -> "Film":
    """Return a saved film, which must be of this roll."""
    film = folder.read(entry.index)
    if film.origin.get("seed") != seed_json(header.seed) or not _is_film_of(film, entry):
        raise RecordError(
            f"{str(folder.file(entry.index))!r} is the film of another roll",
            fix=f"remove {str(folder.path)!r}, to simulate the rolls again",
        )
    return film


def _is_film_of(film: "Film", entry: MatchOutcome) -> bool:
    """Return whether a film shows the recorded result."""
    if isinstance(entry.result, DiceResult):
        return film.origin.get("faces") == list(entry.result.faces)
    readings = dict(film.readings)
    same = all(readings.get(name) == landing for name, landing in entry.landings)
    return same and film.knocks == entry.roll.knocks
