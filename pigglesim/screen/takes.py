"""Rolls of a match as a viewer shows them: the film, the score before and after, the story."""

from collections.abc import Iterator, Mapping
from typing import Any

from pigglesim.films.film import Film
from pigglesim.games.game import Game
from pigglesim.match.entries import MatchRecord, Outcome
from pigglesim.match.replay import Playback
from pigglesim.match.runner import MatchEvent
from pigglesim.rolls import BOARD_SEATS
from pigglesim.scene.scene import Scene
from pigglesim.screen.families import family_of
from pigglesim.screen.family import Family
from pigglesim.screen.still_table import still_film
from pigglesim.viewer.shows import Row, Scoreboard, Take

__all__ = ["end_take", "recorded_takes", "scoreboard", "take_of"]


def scoreboard(family: Family, game: Game[Any, Any], state: object) -> Scoreboard:
    """Return how a match stands: points, and what each player has beside the board.

    Args:
        family: How the game shows itself.
        game: The rules.
        state: The position.
    """
    points = game.scores(state)
    areas = [area for area in family.areas(state) if area.name != "points"]
    heading = family.heading(state)
    if len(family.names) > len(BOARD_SEATS):
        # More than two have a row each.
        return Scoreboard(
            heading=heading,
            rows=tuple(
                Row(name=f"Player {seat}", cells=((seat, str(points[seat])), (seat, held)))
                for seat in family.names
                for held in [" ".join(area.held.get(seat, "") for area in areas)]
            ),
        )
    names = tuple(family.names.items())
    totals = tuple((seat, str(points.get(seat, 0))) for seat in family.names)
    rows = [
        Row(name=area.name, cells=tuple((seat, area.held.get(seat, "")) for seat in family.names))
        for area in areas
    ]
    return Scoreboard(
        heading=heading, rows=(Row(name="", cells=names), Row(name="Points", cells=totals), *rows)
    )


def take_of(
    family: Family,
    game: Game[Any, Any],
    event: MatchEvent[Any],
    film: Film,
    *,
    told_before: tuple[str, ...] = (),
    waits: bool = False,
) -> Take:
    """Return a roll of a match.

    Args:
        family: How the game shows itself.
        game: The rules.
        event: The roll, with the positions around it.
        film: Of it.
        told_before: What has happened since the roll before.
        waits: Whether it stays, once it has landed, until somebody goes on.
    """
    entry = event.entry
    assert isinstance(entry, Outcome)
    title = f"{family.names[entry.thrower]} rolls {' '.join(entry.piggles)}".rstrip()
    return Take(
        film=film,
        title=title,
        score=scoreboard(family, game, event.before),
        waits=waits,
        effects=family.effects,
        after=scoreboard(family, game, event.after),
        story=(*told_before, *(line.text for line in family.story(event))),
    )


def end_take(
    family: Family,
    game: Game[Any, Any],
    state: object,
    story: tuple[str, ...],
    *,
    scene: Scene,
    models: Mapping[str, str],
    last: Film | None = None,
) -> Take:
    """Return how a match ended, where something happened after its last roll.

    Args:
        family: How the game shows itself.
        game: The rules.
        state: The last position.
        story: What has happened since the last roll.
        scene: The table.
        models: The model of each Piggle, by id.
        last: What is on the table, where that is no Piggle.
    """
    lying = family.lying(state)
    owners = {name: family.player_of(state, name) for name, _ in lying}
    return Take(
        film=last or still_film(lying, {}, scene=scene, models=models, owners=owners),
        title="The end",
        score=scoreboard(family, game, state),
        story=story,
    )


def recorded_takes(
    game: Game[Any, Any],
    record: MatchRecord,
    films: Iterator[Film],
    *,
    scene: Scene,
    first: int = 0,
) -> Iterator[Take]:
    """Yield the rolls of a recorded match, each when it is asked for.

    Args:
        game: Its rules.
        record: The match.
        films: The film of each of its rolls, in order, from the first that is asked for.
        scene: The table.
        first: Number of the first roll to show.

    Raises:
        PigglesimError: If the record does not fit the rules, or a film cannot be had.
    """
    family, playback = family_of(game), Playback(game)
    told: tuple[str, ...] = ()
    for entry in record.entries:
        event = playback.take(entry)
        if not isinstance(entry, Outcome):
            told = (*told, *(line.text for line in family.story(event)))
        elif entry.index >= first:
            film = next(films, None)
            if film is None:
                return
            yield take_of(family, game, event, film, told_before=told)
            told = ()
    if told:
        teams = record.header.teams
        yield end_take(family, game, playback.state, told, scene=scene, models=teams)
