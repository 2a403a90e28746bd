"""A roll as text: words for what landed, what was knocked and how it settled.

    A1:up@field:N A2:off B1:down@woods+leaning B1<A1[0.031,0.5]+flipped settled[2.4]

A landing is written as in a position; a Piggle that lies as it lay before the roll is left out.
`B1<A1[m,rad]` says that A1 knocked B1, how far and how much it turned, and `+flipped`, `+zone` and
`+off` what the knock changed; `settled[s]` and `timed-out[s]` say when the throw was over. Numbers
read back to the last bit.
"""

import math
import re
from collections.abc import Iterator

from pigglesim.errors import SpecError
from pigglesim.games.piggles.notation import format_landing, parse_landing
from pigglesim.rolls import Knock, Landing, RollRequest, RollResult, SettleReport, SettleStatus

__all__ = ["format_roll", "parse_roll"]

_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_KNOCK = re.compile(
    rf"(?P<struck>\w+)<(?P<by>\w+)\[(?P<distance>{_NUMBER}),(?P<angle>{_NUMBER})\]"
    r"(?P<flipped>\+flipped)?(?P<zone>\+zone)?(?P<off>\+off)?",
    re.ASCII,
)
_LANDING = re.compile(r"(?P<piggle>\w+):(?P<landing>.+)", re.ASCII)
_SETTLE = re.compile(rf"(?P<status>{'|'.join(SettleStatus)})\[(?P<time>{_NUMBER})\]", re.ASCII)


def format_roll(result: RollResult, request: RollRequest) -> str:
    """Return the result of a roll as one line of words.

    Args:
        result: How the board lies after the roll.
        request: What it answers.

    Raises:
        SpecError: If a number in it is not finite.
    """
    _check_finite(result)
    landings = {piggle: format_landing(landing) for piggle, landing in result.landings}
    before = {piggle: format_landing(landing) for piggle, landing in request.standing}
    # In any other order every Piggle is written, so that the order reads back too.
    usual = [piggle for piggle, _ in result.landings] == _in_order(request)
    words = [
        f"{piggle}:{landing}"
        for piggle, landing in landings.items()
        if not usual or landing != before.get(piggle)
    ]
    words += [_knock_word(knock) for knock in result.knocks]
    if result.settle is not None:
        words.append(f"{result.settle.status}[{float(result.settle.time)!r}]")
    return " ".join(words)


def _in_order(request: RollRequest) -> list[str]:
    return [*request.piggles, *(piggle for piggle, _ in request.standing)]


def _knock_word(knock: Knock) -> str:
    numbers = f"[{float(knock.distance)!r},{float(knock.angle)!r}]"
    flags = (
        "+flipped" if knock.flipped else "",
        "+zone" if knock.zone_changed else "",
        "+off" if knock.off_board else "",
    )
    return f"{knock.struck}<{knock.by}{numbers}{''.join(flags)}"


def parse_roll(text: str, request: RollRequest) -> RollResult:
    """Return the result that `format_roll` wrote; its words may stand in any order.

    Args:
        text: The words.
        request: What the roll answers.

    Raises:
        SpecError: If a word is none of a roll, a number is not finite, or it settles twice.
    """
    landings: list[tuple[str, Landing]] = []
    knocks: list[Knock] = []
    settle: SettleReport | None = None
    for word in text.split():
        if match := _SETTLE.fullmatch(word):
            if settle is not None:
                raise SpecError("a roll that settles once", got=repr(word), remedy="leave one out")
            settle = SettleReport(status=SettleStatus(match["status"]), time=float(match["time"]))
        elif match := _KNOCK.fullmatch(word):
            knocks.append(_knock(match))
        elif match := _LANDING.fullmatch(word):
            landings.append((match["piggle"], parse_landing(match["landing"])))
        else:
            raise SpecError(
                "a landing, a knock or a settling",
                got=repr(word),
                remedy="A1:up@field:N, B1<A1[0.03,0.5]+flipped or settled[2.4]",
            )
    result = RollResult(landings=_completed(landings, request), knocks=tuple(knocks), settle=settle)
    _check_finite(result)
    return result


def _completed(
    landings: list[tuple[str, Landing]], request: RollRequest
) -> tuple[tuple[str, Landing], ...]:
    """Return landings with those of the Piggles that were left out, in the order of the request."""
    given = dict(landings)
    left_out = [entry for entry in request.standing if entry[0] not in given]
    if not left_out or len(given) < len(landings):
        return tuple(landings)
    given.update(left_out)
    order = [piggle for piggle in _in_order(request) if piggle in given]
    strange = [piggle for piggle in given if piggle not in order]
    return tuple((piggle, given[piggle]) for piggle in (*order, *strange))


def _check_finite(result: RollResult) -> None:
    for number in _numbers(result):
        if not math.isfinite(number):
            raise SpecError("finite numbers in a roll", got=str(number), remedy="check the roll")


def _numbers(result: RollResult) -> Iterator[float]:
    for _, landing in result.landings:
        if landing.place is not None:
            yield from (*landing.place.position, *landing.place.orientation)
    for knock in result.knocks:
        yield from (knock.distance, knock.angle)
    if result.settle is not None:
        yield result.settle.time


def _knock(match: re.Match[str]) -> Knock:
    return Knock(
        struck=match["struck"],
        by=match["by"],
        distance=float(match["distance"]),
        angle=float(match["angle"]),
        flipped=match["flipped"] is not None,
        zone_changed=match["zone"] is not None,
        off_board=match["off"] is not None,
    )
