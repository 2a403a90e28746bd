"""Recorded matches: watched again and analysed, with the value of every action."""

import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from pigglesim.api.analyse import analyse, analyse_actions
from pigglesim.api.holds import held_throws, hold_values
from pigglesim.api.review_message import header_at, review_message, tried_message
from pigglesim.api.sources import chance_of_record, is_physical, scene_of_record
from pigglesim.chance.physical import FilmedChance
from pigglesim.errors import RecordError
from pigglesim.experiments.values import REVIEW_SEED
from pigglesim.match.entries import MatchRecord
from pigglesim.scene.load import load_scene
from pigglesim.table.recorded import RecordedSession

_MOST_WORKERS = 4
"""Maximum processes of a review that takes long; each needs some 200 MB until it ends."""
_SPLIT = 60
"""Throws with each hold of a throw that is split: about three seconds."""


def watched(
    record: MatchRecord, film: Callable[..., FilmedChance] = FilmedChance
) -> RecordedSession:
    """Return the session of a record; rolls on physics are simulated again for films."""
    films, scene = None, scene_of_record(record.header)
    # A record of another version is watched without films.
    with suppress(RecordError):
        films = film(source=chance_of_record(record.header))
    return RecordedSession(record, scene=load_scene(scene) if scene else None, films=films)


def analysed(record: MatchRecord, *, progress: Callable[[int, int], object]) -> dict[str, Any]:
    """Return the message with the analysis of a match.

    Raises:
        PigglesimError: If there is no decision to analyse.
    """
    workers = min(_MOST_WORKERS, os.cpu_count() or 1)
    found = analyse(record, seed=REVIEW_SEED, workers=workers, progress=progress)
    rolled = is_physical(record.header)
    held = [decision.index for decision, _, _ in held_throws(record)] if rolled else []
    return review_message(found, held=held)


def tried(
    record: MatchRecord, decision: int, *, progress: Callable[[int, int], object]
) -> dict[str, Any]:
    """Return the message with the value of each action at a decision, as the review has it.

    Raises:
        PigglesimError: If there is no such decision.
    """
    header, played = header_at(record, decision)
    found = analyse_actions(header, played=played, seed=REVIEW_SEED, progress=progress)
    return tried_message(found, decision=decision, played=played)


def split(
    record: MatchRecord, decision: int, *, progress: Callable[[int, int], object]
) -> dict[str, Any]:
    """Return the message with what the hold and the fall of a throw gave.

    Raises:
        PigglesimError: If the decision has no own hold, or the match is of another version.
    """
    (found,) = hold_values(record, decision=decision, throws=_SPLIT, progress=progress)
    return {"is": "split", "decision": decision, "sentence": found.sentence, "throws": _SPLIT}
