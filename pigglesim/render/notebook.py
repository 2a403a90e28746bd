"""HTML and SVG of values in a notebook, for `pigglesim.notebook_display`."""

from html import escape
from typing import Any

from pigglesim.errors import PigglesimError
from pigglesim.experiments.estimates import StudyAnswers
from pigglesim.experiments.tournament import Standings
from pigglesim.films.film import Film
from pigglesim.games.piggles.state import PigglesState
from pigglesim.landing import RollResult
from pigglesim.match.entries import MatchRecord
from pigglesim.match.replay import replay
from pigglesim.render.page import table_html, table_of
from pigglesim.render.palette import SIDES
from pigglesim.render.stage import Stage
from pigglesim.render.study_report import report_tables, study_summary
from pigglesim.render.svg import (
    board_bodies,
    film_bodies,
    piggles_of,
    scene_of,
    state_svg,
    team_bodies,
    top_view_svg,
)
from pigglesim.render.web_page import Chapter, ThrowAgain, film_page
from pigglesim.scene.scene import Board
from pigglesim.units import percent, plus_minus, with_interval

_HIGH = 720
"""Height of the player [pixels]."""
_NO_BODIES = "marks on the standard board: bodies are unknown"


def film_html(film: Film, again: ThrowAgain | None = None) -> str | None:
    """Return a film as a player, in a frame of its own that can reach nothing outside it.

    `again` is the cup that the player can throw.
    """
    try:
        stage = Stage.of(film)
    except PigglesimError:
        return None
    title = _title(film)
    chapters = [Chapter(stage=stage, title=title)]
    page = film_page(chapters, title=title, facts=film.origin, again=again)
    return (
        f'<iframe sandbox="allow-scripts" style="width: 100%; height: {_HIGH}px; border: 0" '
        f'title="{escape(title)}" srcdoc="{escape(page)}"></iframe>'
    )


def film_svg(film: Film) -> str | None:
    """Return a drawing of the end of a film."""
    try:
        stage = Stage.of(film)
    except PigglesimError:
        return None
    return stage_svg(stage)


def stage_svg(stage: Stage) -> str:
    """Return a drawing of the end of the roll on a stage."""
    lying = film_bodies(stage)
    return top_view_svg(stage.board, lying, title=_title(stage.film), reading=stage.reading)


def result_svg(result: RollResult) -> str:
    """Return a drawing of a roll's landings; models are unknown, so each body is a mark."""
    lying = board_bodies(result.landings, {})
    return top_view_svg(Board(), lying, title="A roll", subtitle=_NO_BODIES)


def state_picture(state: PigglesState) -> str:
    """Return a drawing of a state from above; models are unknown, so each body is a mark."""
    title = f"Round {state.round}, {state.phase.value}"
    return state_svg(Board(), state, title=title, subtitle=_NO_BODIES)


def record_html(record: MatchRecord) -> str | None:
    """Return the end of a match: the players, the points and the last board."""
    try:
        piggles_of(record)
        state: Any = replay(record).state
    except PigglesimError:
        return None
    header, result = record.header, record.footer.result
    scene = scene_of(header)
    ended = "stopped before its end"
    if result is not None:
        ended = f"{SIDES[result.winner]} wins" if result.winner else "drawn"
        ended += f" ({result.reason})"
    names = " against ".join(header.agents.values())
    return state_svg(
        scene.board if scene else Board(),
        state,
        bodies=team_bodies(header.teams),
        title=f"{names}: {ended}" if names else ended,
        subtitle=f"{header.game} \u00b7 seed {header.seed} \u00b7 the board at the end",
    )


def study_html(answers: StudyAnswers) -> str:
    """Return the tables of a study, every number with its interval."""
    summary = f"<p>{escape(study_summary(answers))}</p>"
    return "\n".join([summary, *map(table_html, report_tables(answers))])


def standings_html(standings: Standings) -> str:
    """Return the table of a tournament, every number with its interval."""
    return table_html(
        table_of(
            f"{standings.pairs:,} pairs of matches, {percent(standings.seat_a.level)} intervals",
            (
                {
                    "agent": agent.name,
                    "Elo": plus_minus(agent.elo, signed=True),
                    "points": with_interval(agent.share),
                    "won": str(agent.outcomes.wins),
                    "drawn": str(agent.outcomes.draws),
                    "lost": str(agent.outcomes.losses),
                    "score": plus_minus(agent.score_difference, signed=True),
                }
                for agent in standings.agents
            ),
        )
    )


def _title(film: Film) -> str:
    rolled = [actor.name for actor in film.actors if not actor.standing]
    return f"{film.scene}: {' '.join(rolled)}, seed {film.origin.get('seed', 'unknown')}"
