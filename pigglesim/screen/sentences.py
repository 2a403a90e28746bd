"""What is said of a match wherever it is told: a Tally, a knock, an end."""

from collections.abc import Iterable, Mapping
from math import degrees

from pigglesim.games.game import Result
from pigglesim.games.piggles.areas import Tally
from pigglesim.pictures.board import POSE_MARKS, SIDES, ZONE_NAMES
from pigglesim.rolls import Knock, Landing, Seat

__all__ = ["knock_sentence", "result_sentence", "tally_sentence"]

_REASONS = {
    "score": "on points",
    "points": "on points",
    "race": "by reaching the target first",
    "cap": "on points, in the last round that the house rules allow",
    "sudden_snout_up": "by Sudden Snout-Up",
    "none_available": "because the other has no Piggle left for Sudden Snout-Up",
    "exhaustion": "by exhaustion: the other's Piggles are all in Mud and Kitchen",
    "elimination": "by elimination",
    "concession": "by concession",
    "rating": "with the only Rating of 10",
    "uprising": "by a Social Uprising, with the lowest Rating",
    "turn_cap": "by the end of all turns",
    "series": "with the points of the whole series",
    "pigs": "with the most pigs",
    "forfeit": "by forfeit: the other's agent gave no legal action",
}


def result_sentence(result: Result | None, names: Mapping[Seat, str] = SIDES) -> str:
    """Return how a match ended, as a sentence without its full stop.

    Args:
        result: How it ended; None if it did not.
        names: What each player is called.
    """
    if result is None:
        return "The match was stopped before its end"
    why = _REASONS.get(result.reason, f"({result.reason.replace('_', ' ')})")
    if result.shared:
        *most, last = (names[seat] for seat in result.shared)
        return f"{', '.join(most)} and {last} win together {why}"
    if result.winner is None:
        return "The match is drawn"
    return f"{names[result.winner]} wins {why}"


def tally_sentence(tally: Tally, paid: Iterable[str] = ()) -> str:
    """Return a Tally as the sum a player would say aloud (R11).

    Args:
        tally: The Tally.
        paid: What each Piggle paid for, in words.
    """
    what = ", ".join(paid)
    parts = [f"{tally.before} + {tally.zones} {f'({what})' if what else 'on the board'}"]
    if tally.mud_bonus:
        parts.append(f"+ {tally.mud_bonus} knocked into the Mud")
    if tally.kitchen_bonus:
        parts.append(f"+ {tally.kitchen_bonus} sent to the Kitchen")
    if tally.penalty:
        parts.append(f"- {tally.penalty} for the Kitchen")
    return f"Tally of {tally.seat}: {' '.join(parts)} = {tally.after}"


def knock_sentence(
    knock: Knock, before: Mapping[str, Landing], after: Mapping[str, Landing]
) -> str:
    """Return who struck whom, how far, and what it changed.

    Args:
        knock: The knock.
        before: How each Piggle lay before the roll, by id.
        after: How each lies after it.
    """
    was, now = before[knock.struck].orientation, after[knock.struck].orientation
    effects = []
    if knock.off_board:
        effects.append("off the board")
    else:
        if knock.flipped and was and now:
            effects.append(f"turned from {POSE_MARKS[was]} to {POSE_MARKS[now]} {now.label}")
        if knock.zone_changed:
            effects.append(f"now {ZONE_NAMES[after[knock.struck].zone]}")
    what = ", ".join(effects) or "no change of pose or zone"
    far = f"{knock.distance * 1000:.0f} mm, {degrees(knock.angle):.0f}°"
    return f"{knock.by} knocked {knock.struck} by {far}: {what}"
