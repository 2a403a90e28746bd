"""What no state of Piggles can be: every invariant that is broken, told by its rule."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pigglesim.errors import SpecError
from pigglesim.games.game import Concede, Violation
from pigglesim.games.notation import (
    COUNT,
    NAMES,
    SEAT,
    TEXT,
    WHOLE,
    Codec,
    Words,
    format_place,
    optional,
    pair,
    parse_place,
    read_words,
    result_codec,
    several,
    write_words,
)
from pigglesim.games.piggles.areas import Load, may_return
from pigglesim.games.piggles.house_rules import ModernRules, PigglesRules
from pigglesim.games.piggles.state import (
    PEN_SIZE,
    Act,
    Done,
    MudEntry,
    PigglesPhase,
    PigglesReason,
    PigglesSide,
    PigglesState,
    Shield,
    in_order,
    owner,
    team,
)
from pigglesim.landing import (
    BOARD_SEATS,
    CupHold,
    Knock,
    Landing,
    Orientation,
    RollRequest,
    RollResult,
    Seat,
    SettleReport,
    SettleStatus,
    Zone,
)

_IDS = frozenset({*team(Seat.A), *team(Seat.B)})


def check_state(state: PigglesState) -> None:
    """Raise `SpecError` if a Piggle is unknown, in two places or in the wrong player's area."""
    for fault in _misplaced(state):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def check_waiting(state: PigglesState, rules: PigglesRules) -> None:
    """Raise `SpecError` if a state is in a phase that waits for nobody: none to play on from."""
    for fault in _waiting(state, rules):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def violations(state: PigglesState, rules: PigglesRules) -> tuple[Violation, ...]:
    """Return every invariant that a state breaks, none if it is possible.

    Args:
        state: Any state, such as one made by hand.
        rules: The house rules; those of Modern allow what Modern knows.
    """
    modern = isinstance(rules, ModernRules)
    return (
        *_misplaced(state),
        *_lost(state),
        *_counted(state, rules),
        *_aged(state, rules),
        *_phased(state, rules),
        *_owed(state),
        *(_marked(state) if modern else _classic(state)),
    )


def _held(side: PigglesSide) -> list[str]:
    return [*side.pen, *side.cup, *side.mud_piggles, *side.kitchen]


def _everywhere(state: PigglesState) -> Counter[str]:
    lying = [piggle for piggle, _ in state.board]
    return Counter([*_held(state.a), *_held(state.b), *lying])


def _misplaced(state: PigglesState) -> Iterator[Violation]:
    """Give what cannot even be told apart: unknown Piggles, wrong areas, two places at once."""
    known = f"an id from {team(Seat.A)[0]} to {team(Seat.A)[-1]} or B1 to B6"
    for seat in BOARD_SEATS:
        for piggle in _held(state.side(seat)):
            if piggle not in _IDS or state.controller(piggle) is not seat:
                yield Violation(
                    "R4",
                    f"Piggles of {seat} in the areas of {seat}",
                    repr(piggle),
                    f"an id from {team(seat)[0]} to {team(seat)[-1]}",
                )
    for piggle, landing in state.board:
        if piggle not in _IDS:
            yield Violation("R1", "a known Piggle on the board", repr(piggle), known)
        if landing.orientation is None or landing.zone is Zone.OFF:
            yield Violation(
                "P11",
                f"{piggle} in a pose and a zone of the board",
                "off the board",
                "put it into the Mud, or leave it out",
            )
    for piggle, count in sorted(_everywhere(state).items()):
        if count > 1:
            yield Violation(
                "R1", f"{piggle} in one place", f"{count} places", "leave all but one out"
            )


def _lost(state: PigglesState) -> Iterator[Violation]:
    for piggle in sorted(_IDS - set(_everywhere(state))):
        yield Violation(
            "R1",
            f"{piggle} in a Pen, Mud, Kitchen, cup or on the board",
            "nowhere",
            f"put it into {state.controller(piggle)}.pen",
        )


def _counted(state: PigglesState, rules: PigglesRules) -> Iterator[Violation]:
    """Give scores, counters and areas that are too small or too large."""
    for seat in BOARD_SEATS:
        side = state.side(seat)
        for name, count in (
            ("score", side.score),
            ("mud_bonuses", side.mud_bonuses),
            ("kitchen_bonuses", side.kitchen_bonuses),
        ):
            if count < 0:
                yield Violation("R11", f"{seat}.{name} of 0 or more", str(count), "0")
        # Captures may go beyond it (M13).
        own = [piggle for piggle in side.pen if owner(piggle) is seat]
        if len(own) > PEN_SIZE:
            yield Violation(
                "R4",
                f"at most {PEN_SIZE} Piggles in {seat}.pen",
                str(len(own)),
                "move one elsewhere",
            )
        for name, marked in (("charged", side.charged), ("late", side.late)):
            for piggle in sorted(set(marked) - set(side.kitchen)):
                yield Violation(
                    "P8", f"{seat}.{name} of Piggles in {seat}.kitchen", piggle, "leave it out"
                )
    if not 1 <= state.round <= rules.rounds:
        yield Violation("R5", f"a round from 1 to {rules.rounds}", str(state.round), "1")
    if not 0 <= state.rerolls <= rules.reroll_cap:
        yield Violation(
            "P12", f"0 to {rules.reroll_cap} rerolls in a turn", str(state.rerolls), "0"
        )


def _aged(state: PigglesState, rules: PigglesRules) -> Iterator[Violation]:
    """Give what sits in the Mud from a round to come, or should have left it (R7, P3)."""
    for seat in BOARD_SEATS:
        for entry in state.side(seat).mud:
            if not 1 <= entry.round <= state.round:
                yield Violation(
                    "P3",
                    f"{entry.piggle} in the Mud since a round from 1 to {state.round}",
                    str(entry.round),
                    f"{entry.piggle}@{state.round}",
                )
    if state.result is None and state.phase is not PigglesPhase.SUDDEN:
        for entry in state.side(state.active).mud:
            # What went in during this very turn has had no Recoup yet.
            recouped = entry.round < state.round or entry.early
            if recouped and may_return(entry, state.round, rules):
                yield Violation(
                    "R7",
                    f"{entry.piggle} back in the Pen since the Recoup of this turn",
                    f"in the Mud since round {entry.round}",
                    f"put it into {state.active}.pen",
                )


def _waiting(state: PigglesState, rules: PigglesRules) -> Iterator[Violation]:
    """Give a phase in which nobody is waited for, or a roll of nothing, before the end."""
    waits = {PigglesPhase.LOAD, PigglesPhase.ROLL, PigglesPhase.SUDDEN}
    if isinstance(rules, ModernRules):
        waits.add(PigglesPhase.ACTION_REACTION)
    if state.phase not in waits:
        yield Violation("R6", "a phase that waits", state.phase, "phase=load")
    cups = (*state.a.cup, *state.b.cup)
    rerolled = state.phase is PigglesPhase.ACTION_REACTION and state.pending is not None
    rolls = state.phase is PigglesPhase.ROLL
    if not cups if rolls else (cups and not rerolled):
        yield Violation(
            "R9",
            "Piggles in a cup just in the Roll phase",
            f"{' '.join(cups) or 'none'} in phase {state.phase}",
            "phase=load" if rolls else "phase=roll",
        )


def _phased(state: PigglesState, rules: PigglesRules) -> Iterator[Violation]:
    """Give what does not fit the phase: cups, poses after Resolve, the tie-break."""
    cups = (*state.a.cup, *state.b.cup)
    if state.result is not None:
        return
    if state.hold is not None and not cups:
        yield Violation(
            "R9",
            "a hold of a loaded cup",
            f"one in phase {state.phase} with empty cups",
            "leave the hold out",
        )
    first = state.active is rules.first_in(state.round)
    yield from _waiting(state, rules)
    if state.phase is PigglesPhase.SUDDEN or (first and state.phase is PigglesPhase.LOAD):
        for piggle, landing in state.board:
            if landing.orientation is not Orientation.SNOUT_UP:
                yield Violation(
                    "R13",
                    f"{piggle} Snout-Up, as all on the board after Resolve",
                    str(landing.orientation),
                    "put it into the Mud or the Kitchen",
                )
    tied = state.a.score == state.b.score
    if state.phase is PigglesPhase.SUDDEN and not (tied and state.round == rules.rounds):
        yield Violation(
            "R16",
            f"a tie after round {rules.rounds} for Sudden Snout-Up",
            f"{state.a.score} : {state.b.score} in round {state.round}",
            "phase=load",
        )


def _owed(state: PigglesState) -> Iterator[Violation]:
    for piggle, seat in state.head_credits:
        landing = state.landing(piggle)
        if landing is None or landing.orientation is not Orientation.ON_THEIR_HEAD:
            yield Violation(
                "P7",
                f"{piggle} on its head, for {seat} is to be paid for it",
                str(landing.orientation) if landing else "not on the board",
                "leave it out of credits",
            )


def _marked(state: PigglesState) -> Iterator[Violation]:
    """Give what Modern knows and Classic does not, where it cannot be so."""
    lying = {piggle for piggle, _ in state.board}
    counts = Counter(shield.piggle for shield in state.shields)
    for piggle, count in counts.items():
        if count > 1 or piggle not in lying:
            yield Violation(
                "M12",
                f"one shield of {piggle}, on the board",
                f"{count}" if piggle in lying else "not on the board",
                "leave the shield out",
            )
    for piggle in state.captured:
        if piggle not in _IDS:
            yield Violation("M13", "known Piggles captured", repr(piggle), "B2")
    acting = state.phase is PigglesPhase.ACTION_REACTION
    if (state.acted or state.pending) and not acting:
        yield Violation(
            "R20",
            "Piggles that act just in Action & Reaction",
            f"phase {state.phase}",
            "phase=action_reaction",
        )
    for piggle in sorted(set(state.actors) & set(state.acted)):
        yield Violation(
            "M3", f"{piggle} to act once", "acted, and to act again", "leave it out of actors"
        )


def _classic(state: PigglesState) -> Iterator[Violation]:
    for name, value in (
        ("captured", state.captured),
        ("shields", state.shields),
        ("actors", state.actors),
        ("acted", state.acted),
        ("pending", state.pending),
    ):
        if value:
            yield Violation(
                "R19", f"no {name} in Classic", "some", "leave it out, or play piggles_modern"
            )


_LANDING = re.compile(
    r"(?P<pose>up|down|head|off)(?:@(?P<zone>[^+\[]+))?"
    r"(?P<leaning>\+leaning)?(?P<stacked>\+stacked)?(?:\[(?P<place>[^\]]*)\])?"
)


def format_action(action: Load | Act | Done | Concede) -> str:
    """Return an action as text: `load A1 A3`, `skip`, `act A1 B2`, `done` or `concede`.

    A load from a hold of the player's own goes on: `load A1 A3 at across,back,height` [m].
    """
    match action:
        case Act(piggle=piggle, target=target):
            return f"act {piggle} {target}"
        case Done():
            return "done"
        case Concede():
            return "concede"
        case Load(piggles=()):
            return "skip"
        case Load(piggles=piggles, hold=hold):
            held = () if hold is None else ("at", _HOLD.write(hold))
            return " ".join(("load", *piggles, *held))


def parse_action(text: str) -> Load | Act | Done | Concede:
    """Return the action that a text names; the Piggles of a load may stand in any order.

    Raises:
        SpecError: If the text is no action.
    """
    match text.split():
        case ["concede"]:
            return Concede()
        case ["skip"]:
            return Load()
        case ["load", first, *rest, "at", hold]:
            return Load(in_order((first, *rest)), _HOLD.read(hold))
        case ["load", first, *rest]:
            return Load(in_order((first, *rest)))
        case ["act", piggle, target]:
            return Act(piggle, target)
        case ["done"]:
            return Done()
        case _:
            raise SpecError(
                "an action",
                got=repr(text),
                remedy="load A1 A3, skip or concede; in Modern also act A1 B2 or done",
            )


def _read_hold(text: str) -> CupHold:
    try:
        across, back, height = (float(word) for word in text.split(","))
    except ValueError:
        raise SpecError(
            "three numbers of a hold", got=repr(text), remedy="across,back,height in metres"
        ) from None
    return CupHold(across=across, back=back, height=height)


_HOLD = Codec(
    lambda hold: ",".join(repr(float(n)) for n in (hold.across, hold.back, hold.height)), _read_hold
)
"""A hold as `across,back,height` [m], to the last bit."""


def format_landing(landing: Landing) -> str:
    """Return a landing as text, such as `up@line:field/path+leaning`."""
    pose = "off" if landing.orientation is None else f"{landing.orientation}@{landing.zone}"
    leaning = "+leaning" if landing.leaning else ""
    stacked = "+stacked" if landing.stacked else ""
    return f"{pose}{leaning}{stacked}{format_place(landing.place)}"


def parse_landing(text: str) -> Landing:
    """Return the landing that `format_landing` wrote.

    Raises:
        SpecError: If the text is no landing.
    """
    match = _LANDING.fullmatch(text)
    if match is None or (match["pose"] == "off") != (match["zone"] is None):
        raise SpecError("a landing", got=repr(text), remedy="up@field:N, down@woods or off")
    off = match["zone"] is None
    if not off and match["zone"] not in set(Zone):
        raise SpecError("a zone", got=repr(match["zone"]), remedy=", ".join(Zone))
    return Landing(
        orientation=None if off else Orientation(match["pose"]),
        zone=Zone.OFF if off else Zone(match["zone"]),
        leaning=match["leaning"] is not None,
        stacked=match["stacked"] is not None,
        place=None if match["place"] is None else parse_place(match["place"]),
    )


_MARKED = re.compile(r"(\w+)([@:])(\w+)(!?)(\*?)")


def _marked_words(text: str, sign: str) -> tuple[str, str, bool, bool]:
    """Return the parts of `A1@2!` or `B2:A!*`: two words, and whether each mark is there."""
    match = _MARKED.fullmatch(text)
    if match is None or match[2] != sign:
        raise ValueError(text)
    return match[1], match[3], bool(match[4]), bool(match[5])


def _read_mud(text: str) -> MudEntry:
    piggle, number, early, rolled = _marked_words(text, "@")
    if rolled or not number.isdecimal():
        raise ValueError(text)
    return MudEntry(piggle=piggle, round=int(number), early=early)


def _read_shield(text: str) -> Shield:
    """Return a shield from `B2:A`, then `!` while its turn goes on and `*` once it was rolled."""
    piggle, by, fresh, rolled = _marked_words(text, ":")
    if by not in BOARD_SEATS:
        raise ValueError(text)
    return Shield(piggle=piggle, by=Seat(by), fresh=fresh, rolled=rolled)


_MUD = Codec(lambda e: f"{e.piggle}@{e.round}{'!' * e.early}", _read_mud)
_SHIELD = Codec(lambda s: f"{s.piggle}:{s.by}{'!' * s.fresh}{'*' * s.rolled}", _read_shield)
_LIES = Codec(format_landing, parse_landing)
_TWO = pair(TEXT, TEXT)
_SIDE: dict[str, Codec[Any]] = {
    "pen": NAMES,
    "cup": NAMES,
    "mud": several(_MUD),
    "kitchen": NAMES,
    "charged": NAMES,
    "late": NAMES,
    "score": COUNT,
    "mud_bonuses": COUNT,
    "kitchen_bonuses": COUNT,
}
_WORDS: Words = {
    "round": ("round", WHOLE),
    "active": ("active", SEAT),
    "phase": ("phase", Codec(str, PigglesPhase)),
    **{
        f"{seat}.{name}": (f"{seat.lower()}.{name}", codec)
        for seat in BOARD_SEATS
        for name, codec in _SIDE.items()
    },
    "board": ("board", several(pair(TEXT, _LIES), ";")),
    "credits": ("head_credits", several(pair(TEXT, SEAT))),
    "rerolls": ("rerolls", COUNT),
    **{f"sudden.{seat}": (f"sudden.{seat.lower()}", optional(_LIES)) for seat in BOARD_SEATS},
    "sudden.rerolls": ("sudden.rerolls", COUNT),
    "result": ("result", optional(result_codec(PigglesReason, SEAT))),
    "captured": ("captured", NAMES),
    "shields": ("shields", several(_SHIELD)),
    "actors": ("actors", NAMES),
    "acted": ("acted", NAMES),
    "pending": (
        "pending",
        optional(Codec(lambda a: _TWO.write((a.piggle, a.target)), lambda t: Act(*_TWO.read(t)))),
    ),
    "hold": ("hold", optional(_HOLD)),
}
"""What each word of a state gives."""


def format_state(state: PigglesState) -> str:
    """Return a state as one line of text."""
    return write_words(state, _WORDS)


def parse_state(text: str) -> PigglesState:
    """Return the state that `format_position` wrote.

    Raises:
        SpecError: If a word is unknown or given twice, a value cannot be read, or a Piggle is
            in two places.
    """
    state = read_state(text)
    check_state(state)
    return state


def read_state(text: str) -> PigglesState:
    """Return the state that a text describes, possible or not, as an editor needs it.

    Raises:
        SpecError: If a word is unknown or given twice, or a value cannot be read.
    """
    return read_words(text, PigglesState(), _WORDS)


_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_KNOCK = re.compile(
    rf"(?P<struck>\w+)<(?P<by>\w+)\[(?P<distance>{_NUMBER}),(?P<angle>{_NUMBER})\]"
    r"(?P<flipped>\+flipped)?(?P<zone>\+zone)?(?P<off>\+off)?",
    re.ASCII,
)
_ROLLED_LANDING = re.compile(r"(?P<piggle>\w+):(?P<landing>.+)", re.ASCII)
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
    before = {piggle: format_landing(landing) for piggle, landing in _answered(request)}
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


def _answered(request: RollRequest) -> tuple[tuple[str, Landing], ...]:
    """Return what lay before and is told of again: nothing where one Piggle is only set down."""
    return request.standing if request.set_down is None else ()


def _in_order(request: RollRequest) -> list[str]:
    return [*request.piggles, *(piggle for piggle, _ in _answered(request))]


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
        elif match := _ROLLED_LANDING.fullmatch(word):
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
    left_out = [entry for entry in _answered(request) if entry[0] not in given]
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
            yield from (*landing.place.position, *landing.place.rotation)
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
