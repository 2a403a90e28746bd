"""Actions, states and rolls of Piggles as text, and the invariants of states."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import Concede, Invariant
from pigglesim.games.notation import (
    COUNT,
    NAMES,
    SEAT,
    TEXT,
    WHOLE,
    ActionForms,
    Codec,
    Words,
    format_numbers,
    format_place,
    joined,
    optional,
    pair,
    parse_numbers,
    parse_place,
    result_codec,
    several,
)
from pigglesim.games.piggles.areas import Load, may_leave_mud
from pigglesim.games.piggles.state import (
    PEN_SIZE,
    Act,
    Done,
    ModernRules,
    MudEntry,
    PigglesPhase,
    PigglesReason,
    PigglesRules,
    PigglesSide,
    PigglesState,
    Shield,
    in_order,
    owner,
    team,
)
from pigglesim.games.piggles.turns import available
from pigglesim.hand_throw import PREFIX, HandThrow
from pigglesim.landing import (
    BOARD_SEATS,
    CupHold,
    Hold,
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


def invariants(state: PigglesState, rules: PigglesRules) -> Iterator[Invariant]:
    """Give every invariant of a state; the house rules of Modern allow its own parts."""
    everywhere = {*_held(state.a), *_held(state.b), *(piggle for piggle, _ in state.board)}
    yield from readable(state)
    for piggle in sorted(_IDS):
        yield Invariant(piggle in everywhere, "R1", f"{piggle} is nowhere")
    for seat in BOARD_SEATS:
        yield from _counted(state.side(seat), seat)
    rounds, cap = rules.rounds, rules.reroll_cap
    in_range = 1 <= state.round <= rounds
    yield Invariant(in_range, "R5", f"round {state.round}, not one of 1 to {rounds}")
    within = 0 <= state.rerolls <= cap
    yield Invariant(within, "P12", f"{state.rerolls} rerolls in a turn, not 0 to {cap}")
    yield from _aged(state, rules)
    if state.result is None:
        yield from _phased(state, rules)
    for piggle, _ in state.knock_credits:
        landing = state.landing(piggle)
        over = landing is not None and landing.orientation is not Orientation.SNOUT_UP
        yield Invariant(over, "P7", f"a credit for {piggle}, which is not knocked over")
    yield from _marked(state) if isinstance(rules, ModernRules) else _classic(state)


def _held(side: PigglesSide) -> list[str]:
    return [*side.pen, *side.cup, *side.mud_piggles, *side.kitchen]


def readable(state: PigglesState) -> Iterator[Invariant]:
    """Give the invariants of places: each known Piggle in one place, of its own side."""
    for seat in BOARD_SEATS:
        for piggle in _held(state.side(seat)):
            fits = piggle in _IDS and state.controller(piggle) is seat
            yield Invariant(fits, "R4", f"{piggle!r} in an area of {seat}, which does not have it")
    for piggle, landing in state.board:
        yield Invariant(piggle in _IDS, "R1", f"unknown Piggle {piggle!r} on the board")
        complete = landing.orientation is not None and landing.zone is not Zone.OFF
        yield Invariant(complete, "P11", f"{piggle} on the board without an orientation or a zone")
    lying = [piggle for piggle, _ in state.board]
    for piggle, count in sorted(Counter([*_held(state.a), *_held(state.b), *lying]).items()):
        yield Invariant(count == 1, "R1", f"{piggle} in {count} places")


def _counted(side: PigglesSide, seat: Seat) -> Iterator[Invariant]:
    """Give the invariants of the scores, counters and areas of a player."""
    for name in ("score", "mud_bonuses", "kitchen_bonuses"):
        count = getattr(side, name)
        yield Invariant(count >= 0, "R11", f"{seat}.{name} of {count}")
    # Captures may go beyond it (M13).
    own = sum(owner(piggle) is seat for piggle in side.pen if piggle in _IDS)
    yield Invariant(own <= PEN_SIZE, "R4", f"{own} own Piggles in {seat}.pen, above {PEN_SIZE}")
    for name in ("charged", "late"):
        for piggle in getattr(side, name):
            inside = piggle in side.kitchen
            yield Invariant(inside, "P8", f"{piggle} in {seat}.{name} and not in {seat}.kitchen")


def _aged(state: PigglesState, rules: PigglesRules) -> Iterator[Invariant]:
    """Give the invariants of the rounds for which Piggles stay in the Mud (R7, P3)."""
    for entry in (*state.a.mud, *state.b.mud):
        entry_text = f"{entry.piggle} in the Mud since round {entry.round}"
        yield Invariant(1 <= entry.round <= state.round, "P3", f"{entry_text} of {state.round}")
    if state.result is None and state.phase is not PigglesPhase.SUDDEN:
        for entry in state.side(state.active).mud:
            # A Piggle that entered in this turn has had no Recoup yet.
            recouped = entry.round < state.round or entry.early
            stays = not (recouped and may_leave_mud(entry, state.round, rules))
            yield Invariant(stays, "R7", f"{entry.piggle} in the Mud after a Recoup that frees it")


def waiting(state: PigglesState, rules: PigglesRules) -> Iterator[Invariant]:
    """Give the invariants of phases that wait for a player or for chance."""
    phases = {PigglesPhase.LOAD, PigglesPhase.ROLL, PigglesPhase.SUDDEN}
    if isinstance(rules, ModernRules):
        phases.add(PigglesPhase.ACTION_REACTION)
    yield Invariant(state.phase in phases, "R6", f"phase {state.phase}, which waits for nobody")
    cups = (*state.a.cup, *state.b.cup)
    rerolled = state.phase is PigglesPhase.ACTION_REACTION and state.pending is not None
    filled = bool(cups) if state.phase is PigglesPhase.ROLL else not cups or rerolled
    problem = f"{' '.join(cups) or 'no Piggle'} in a cup in phase {state.phase}"
    yield Invariant(filled, "R9", problem)


def _phased(state: PigglesState, rules: PigglesRules) -> Iterator[Invariant]:
    """Give the invariants of phases: cups, orientations after Resolve, the tie-break."""
    loaded = state.hold is None or bool(state.a.cup or state.b.cup)
    yield Invariant(loaded, "R9", f"a hold of empty cups in phase {state.phase}")
    yield from waiting(state, rules)
    sudden, first = state.phase is PigglesPhase.SUDDEN, state.active is rules.first_in(state.round)
    if sudden or (first and state.phase is PigglesPhase.LOAD):
        for piggle, landing in state.board:
            up = landing.orientation is Orientation.SNOUT_UP
            yield Invariant(up, "R13", f"{piggle} on the board after Resolve, and not Snout-Up")
    for piggle in state.sudden.chosen:
        seat = state.controller(piggle) if sudden and piggle in _IDS else None
        ready = seat is not None and piggle in available(state, seat, rules)
        yield Invariant(ready, "P15", f"{piggle} chosen for a tie-break in which it is not rolled")
    choosers = {state.controller(piggle) for piggle in state.sudden.chosen if piggle in _IDS}
    single = len(choosers) == len(state.sudden.chosen)
    yield Invariant(single, "P15", "two Piggles chosen by one player")
    tied = state.a.score == state.b.score and state.round == rules.rounds
    score = f"{state.a.score} : {state.b.score} in round {state.round}"
    yield Invariant(tied or not sudden, "R16", f"Sudden Snout-Up at {score} of {rules.rounds}")


def _marked(state: PigglesState) -> Iterator[Invariant]:
    """Give the invariants of effects, which only Modern has."""
    lying = {piggle for piggle, _ in state.board}
    for piggle, count in Counter(shield.piggle for shield in state.shields).items():
        single = count == 1 and piggle in lying
        yield Invariant(single, "M12", f"{count} shields of {piggle}, or {piggle} off the board")
    for entry in state.returned:
        landing = state.landing(entry.piggle)
        waits = landing is None or landing.orientation is not Orientation.SNOUT_UP
        lies = waits and entry.piggle in {*lying, *state.a.cup, *state.b.cup}
        yield Invariant(lies, "M11", f"a date of {entry.piggle}, which does not lie as returned")
        dated = 1 <= entry.round <= state.round
        yield Invariant(dated, "M11", f"{entry.piggle} returned from round {entry.round}")
    for piggle in state.captured:
        yield Invariant(piggle in _IDS, "M13", f"unknown Piggle {piggle!r} captured")
    acting = state.phase is PigglesPhase.ACTION_REACTION or not (state.acted or state.pending)
    yield Invariant(acting, "R20", f"effects in phase {state.phase}")
    for piggle in state.actors:
        yield Invariant(piggle not in state.acted, "M3", f"{piggle} is to act again")


def _classic(state: PigglesState) -> Iterator[Invariant]:
    for name in ("captured", "shields", "returned", "actors", "acted", "pending"):
        yield Invariant(not getattr(state, name), "R19", f"{name}, which Classic has not")


_LANDING = re.compile(
    r"(?P<pose>up|down|head|off)(?:@(?P<zone>[^+\[]+))?"
    r"(?P<leaning>\+leaning)?(?P<stacked>\+stacked)?(?:\[(?P<place>[^\]]*)\])?"
)


def _read_hold(text: str) -> Hold:
    if text.startswith(PREFIX):
        return HandThrow.read(text)
    try:
        across, back, height, *others = (float(word) for word in text.split(","))
        heading, *swings = others or (0.0,)
        (swing,) = swings or (None,)
    except ValueError:
        raise SpecError(f"invalid hold {text!r}", fix="use across,back,height in metres") from None
    return CupHold(across=across, back=back, height=height, heading=heading, swing=swing)


def _write_hold(hold: Hold) -> str:
    if isinstance(hold, HandThrow):
        return hold.text
    numbers = [hold.across, hold.back, hold.height]
    if hold.heading or hold.swing is not None:
        numbers.append(hold.heading)
    if hold.swing is not None:
        numbers.append(hold.swing)
    return ",".join(repr(float(number)) for number in numbers)


_HOLD = Codec(_write_hold, _read_hold)
"""Codec of a hold, exact to the last bit: `across,back,height` [m], and if they are not the
scene's own the heading [rad] and the swing [m/s]; or the text of a `HandThrow`."""


FORMS: ActionForms[Load | Act | Done | Concede] = ActionForms(
    {
        "concede": Concede(),
        "skip": Load(),
        "done": Done(),
        "load {piggles*} at {hold}": Load,
        "load {piggles*}": partial(Load, hold=None),
        "act {piggle} {target}": Act,
    },
    {
        "piggles": Codec(" ".join, lambda text: in_order(text.split())),
        "hold": _HOLD,
        "piggle": TEXT,
        "target": TEXT,
    },
    example="load A1 A3, skip or concede; in Modern also act A1 B2 or done",
)
"""Texts of actions; a load with its own hold ends in ` at across,back,height` [m],
with `,heading` [rad] and `,swing` [m/s] where given."""


def format_landing(landing: Landing) -> str:
    """Return a landing as text, such as `up@line:field/path+leaning`."""
    pose = "off" if landing.orientation is None else f"{landing.orientation}@{landing.zone}"
    leaning = "+leaning" if landing.leaning else ""
    stacked = "+stacked" if landing.stacked else ""
    return f"{pose}{leaning}{stacked}{format_place(landing.place)}"


def parse_landing(text: str) -> Landing:
    """Return the landing that `format_landing` wrote; raise `SpecError` for other text."""
    match = _LANDING.fullmatch(text)
    if match is None or (match["pose"] == "off") != (match["zone"] is None):
        raise SpecError(f"invalid landing {text!r}", fix="use up@field:N, down@woods or off")
    off = match["zone"] is None
    if not off and match["zone"] not in set(Zone):
        raise unknown_name("zone", match["zone"], Zone)
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
    """Return an entry from `A1@2`, then `!` if it is early and `*` if it is demoted."""
    piggle, number, early, demoted = _marked_words(text, "@")
    if not number.isdecimal():
        raise ValueError(text)
    return MudEntry(piggle=piggle, round=int(number), early=early, demoted=demoted)


def _read_shield(text: str) -> Shield:
    """Return a shield from `B2:A`, then `!` while its turn goes on and `*` once it was rolled."""
    piggle, by, fresh, rolled = _marked_words(text, ":")
    if by not in BOARD_SEATS:
        raise ValueError(text)
    return Shield(piggle=piggle, by=Seat(by), fresh=fresh, rolled=rolled)


_MUD = Codec(lambda e: f"{e.piggle}@{e.round}{'!' * e.early}{'*' * e.demoted}", _read_mud)
_SHIELD = Codec(lambda s: f"{s.piggle}:{s.by}{'!' * s.fresh}{'*' * s.rolled}", _read_shield)
_LIES = Codec(format_landing, parse_landing)
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
WORDS: Words = {
    "round": ("round", WHOLE),
    "active": ("active", SEAT),
    "phase": ("phase", Codec(str, PigglesPhase)),
    **{
        f"{seat}.{name}": (f"{seat.lower()}.{name}", codec)
        for seat in BOARD_SEATS
        for name, codec in _SIDE.items()
    },
    "board": ("board", several(pair(TEXT, _LIES), ";")),
    "credits": ("knock_credits", several(pair(TEXT, SEAT))),
    "rerolls": ("rerolls", COUNT),
    **{f"sudden.{seat}": (f"sudden.{seat.lower()}", optional(_LIES)) for seat in BOARD_SEATS},
    "sudden.chosen": ("sudden.chosen", NAMES),
    "sudden.rerolls": ("sudden.rerolls", COUNT),
    "result": ("result", optional(result_codec(PigglesReason, SEAT))),
    "captured": ("captured", NAMES),
    "shields": ("shields", several(_SHIELD)),
    "returned": ("returned", several(_MUD)),
    "actors": ("actors", NAMES),
    "acted": ("acted", NAMES),
    "pending": ("pending", optional(joined(Act, piggle=TEXT, target=TEXT))),
    "hold": ("hold", optional(_HOLD)),
}
"""Part of a state that each word gives."""


_KNOCK = re.compile(
    r"(?P<struck>\w+)<(?P<by>\w+)\[(?P<numbers>[^\]]*)\]"
    r"(?P<flipped>\+flipped)?(?P<zone>\+zone)?(?P<off>\+off)?",
    re.ASCII,
)
_ROLLED_LANDING = re.compile(r"(?P<piggle>\w+):(?P<landing>.+)", re.ASCII)
_SETTLE = re.compile(rf"(?P<status>{'|'.join(SettleStatus)})\[(?P<time>[^\]]*)\]", re.ASCII)


def format_roll(result: RollResult, request: RollRequest) -> str:
    """Return the result of a roll as one line of words.

    Raises:
        SpecError: If a number in it is not finite.
    """
    landings = {piggle: format_landing(landing) for piggle, landing in result.landings}
    landings_before = {piggle: format_landing(landing) for piggle, landing in _answered(request)}
    # In any other order every Piggle is written, so that the order is preserved.
    usual = [piggle for piggle, _ in result.landings] == _in_order(request)
    words = [
        f"{piggle}:{landing}"
        for piggle, landing in landings.items()
        if not usual or landing != landings_before.get(piggle)
    ]
    words += [_knock_word(knock) for knock in result.knocks]
    if result.settle is not None:
        words.append(f"{result.settle.status}{format_numbers(result.settle.time)}")
    return " ".join(words)


def _answered(request: RollRequest) -> tuple[tuple[str, Landing], ...]:
    """Return the earlier landings that an outcome repeats; none if a Piggle is only set down."""
    return request.standing if request.set_down is None else ()


def _in_order(request: RollRequest) -> list[str]:
    return [*request.piggles, *(piggle for piggle, _ in _answered(request))]


def _knock_word(knock: Knock) -> str:
    numbers = format_numbers(knock.distance, knock.angle)
    flags = (
        "+flipped" if knock.flipped else "",
        "+zone" if knock.zone_changed else "",
        "+off" if knock.off_board else "",
    )
    return f"{knock.struck}<{knock.by}{numbers}{''.join(flags)}"


def parse_roll(text: str, request: RollRequest) -> RollResult:
    """Return the result that `format_roll` wrote; its words may be in any order.

    Raises:
        SpecError: If a word is not part of a roll, a number is not finite, or it settles twice.
    """
    landings: list[tuple[str, Landing]] = []
    knocks: list[Knock] = []
    settle: SettleReport | None = None
    for word in text.split():
        try:
            if match := _SETTLE.fullmatch(word):
                if settle is not None:
                    raise SpecError(f"a second settling {word!r}", fix="leave it out")
                (time,) = parse_numbers(match["time"])
                settle = SettleReport(status=SettleStatus(match["status"]), time=time)
            elif match := _KNOCK.fullmatch(word):
                knocks.append(_knock(match))
            elif match := _ROLLED_LANDING.fullmatch(word):
                landings.append((match["piggle"], parse_landing(match["landing"])))
            else:
                raise ValueError(word)
        except ValueError:
            raise SpecError(
                f"invalid word {word!r} of a roll",
                fix="use A1:up@field:N, B1<A1[0.03,0.5]+flipped or settled[2.4]",
            ) from None
    return RollResult(landings=_completed(landings, request), knocks=tuple(knocks), settle=settle)


def _completed(
    landings: list[tuple[str, Landing]], request: RollRequest
) -> tuple[tuple[str, Landing], ...]:
    """Return landings including those of omitted Piggles, in the order of the request."""
    by_piggle = dict(landings)
    left_out = [entry for entry in _answered(request) if entry[0] not in by_piggle]
    if not left_out or len(by_piggle) < len(landings):
        return tuple(landings)
    by_piggle.update(left_out)
    order = [piggle for piggle in _in_order(request) if piggle in by_piggle]
    unrequested = [piggle for piggle in by_piggle if piggle not in order]
    return tuple((piggle, by_piggle[piggle]) for piggle in (*order, *unrequested))


def _knock(match: re.Match[str]) -> Knock:
    distance, angle = parse_numbers(match["numbers"])
    return Knock(
        struck=match["struck"],
        by=match["by"],
        distance=distance,
        angle=angle,
        flipped=match["flipped"] is not None,
        zone_changed=match["zone"] is not None,
        off_board=match["off"] is not None,
    )
