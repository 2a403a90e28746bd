"""A match of agents, watched in a window while it is played."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pigglesim.chance.physical import FilmedChance, PhysicalChance
from pigglesim.cli.match_play import MatchSetup, play_match
from pigglesim.cli.watching import watch
from pigglesim.errors import SpecError
from pigglesim.films.film import Film
from pigglesim.games.game import NonPlayer
from pigglesim.match.entries import Forfeit, Outcome
from pigglesim.match.runner import MatchEvent
from pigglesim.screen.families import family_of
from pigglesim.screen.live_show import LiveShow
from pigglesim.screen.takes import end_take, take_of
from pigglesim.viewer.shows import Take
from pigglesim.viewer.window import expect_window

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
    instead = "leave --view out"
    if setup.out is not None:
        instead += f", and draw it afterwards: pigglesim replay {setup.out} --video F.mp4"
    expect_window(instead=instead)
    filmed = source if isinstance(source, FilmedChance) else FilmedChance(source=source)
    films: dict[int, Film] = {}
    scene = filmed.source.scene

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
                if setup.game.turn(event.after) is NonPlayer.OVER or isinstance(entry, Forfeit):
                    show(
                        end_take(
                            family, setup.game, event.after, told, scene=scene, models=setup.teams
                        )
                    )

        play_match(
            replace(setup, chance=replace(filmed, show=keep)),
            time_limit=time_limit,
            boards=boards,
            as_json=as_json,
            also=on_event,
        )

    live = LiveShow(task, words="The match goes on")
    try:
        watch(live, scene, title="A match", instead=instead)
    except KeyboardInterrupt:
        live.stop()
    finally:
        # Even where the window fails, the match is played and kept.
        live.finish()
