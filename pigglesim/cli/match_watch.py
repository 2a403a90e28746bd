"""A match of agents, watched in a window while it is played."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pigglesim.chance.filmed import FilmedChance
from pigglesim.chance.physical import PhysicalChance
from pigglesim.cli.match_play import MatchSetup, play_match
from pigglesim.cli.watching import watch
from pigglesim.errors import SpecError
from pigglesim.films.film import Film
from pigglesim.match.entries import Outcome
from pigglesim.match.runner import MatchEvent
from pigglesim.screen.families import family_of
from pigglesim.screen.live_show import LiveShow
from pigglesim.screen.takes import take_of
from pigglesim.viewer.shows import Take

__all__ = ["watch_match"]


def watch_match(
    setup: MatchSetup, *, time_limit: float | None, boards: bool, as_json: bool
) -> None:
    """Play a match while it is watched; closed, the window leaves it to be played to its end.

    Raises:
        SpecError: If no physics rolls it, or no window can be opened.
    """
    source = setup.chance
    if not isinstance(source, PhysicalChance | FilmedChance):
        raise SpecError(
            "rolls on physics to watch",
            got=f"a match whose chance is {source.provenance()['source']}",
            remedy="no --view, or --chance physical",
        )
    filmed = source if isinstance(source, FilmedChance) else FilmedChance(source=source)
    films: dict[int, Film] = {}

    def keep(index: int, film: Film) -> None:
        films[index] = film
        filmed.show(index, film)

    def task(show: Callable[[Take], None]) -> None:
        family, told = family_of(setup.game), tuple[str, ...]()

        def on_event(event: MatchEvent[Any]) -> None:
            nonlocal told
            entry = event.entry
            if isinstance(entry, Outcome):
                film = films.pop(entry.index)
                show(take_of(family, setup.game, event, film, told_before=told))
                told = ()
            else:
                told = (*told, *(line.text for line in family.story(event)))

        play_match(
            replace(setup, chance=replace(filmed, show=keep)),
            time_limit=time_limit,
            boards=boards,
            as_json=as_json,
            also=on_event,
        )

    live = LiveShow(task, words="The match goes on")
    try:
        watch(live, filmed.source.scene, title="A match")
    except KeyboardInterrupt:
        live.stop()
    live.finish()
