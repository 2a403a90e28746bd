"""States and outcomes of Lord of the P.I.G.S. as text, read back and checked."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from pigglesim.errors import SpecError
from pigglesim.games.game import Violation
from pigglesim.games.lord_of_the_pigs.actions import answers
from pigglesim.games.lord_of_the_pigs.house_rules import LordRules, Series
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    DECK,
    DECK_SIZE,
    EVENT_DECK,
    HIGHEST,
    SEATS,
    Event,
    LordPhase,
    LordReason,
    LordSide,
    LordState,
    Submitted,
    Vote,
    actor,
    read_actor,
    read_card,
    read_name,
    submission_owner,
)
from pigglesim.games.notation import (
    COUNT,
    NUMBERS,
    WHOLE,
    YES,
    Codec,
    Words,
    optional,
    pair,
    read_words,
    result_codec,
    several,
    write_words,
)
from pigglesim.landing import Seat


def check_state(state: LordState) -> None:
    """Raise `SpecError` if there is a card too many or too few anywhere, or a number impossible."""
    for fault in _always(state):
        raise SpecError(fault.expected, got=fault.got, remedy=fault.remedy)


def violations(state: LordState, rules: LordRules) -> tuple[Violation, ...]:
    """Return every invariant that a state breaks, none if it is possible.

    Args:
        state: Any state, such as one made by hand.
        rules: The house rules.
    """
    return (*_always(state), *_counted(state, rules), *_phased(state, rules))


def cards_of(state: LordState, seat: Seat) -> Counter[str]:
    """Return how often each card of a player is somewhere, wherever that is."""
    side = state.side(seat)
    table = [each.card for each in state.submitted if each.owner is seat]
    votes = [vote.card for each in state.submitted for vote in each.votes if vote.seat is seat]
    return Counter([*side.deck, *side.hand, *side.discard, *table, *votes])


def _always(state: LordState) -> Iterator[Violation]:
    yield from _ranged(state)
    yield from _conserved(state)
    yield from _named(state)
    yield from _answered(state)


def _ranged(state: LordState) -> Iterator[Violation]:
    numbers = dict(zip(map(actor, SEATS), state.ratings, strict=True))
    for name, number in [*numbers.items(), ("Social Stability", state.stability)]:
        if not 0 <= number <= HIGHEST:
            yield Violation("R1", f"{name} from 0 to {HIGHEST}", str(number), "the nearest of them")


def _conserved(state: LordState) -> Iterator[Violation]:
    full = Counter(DECK)
    for seat in SEATS:
        found = cards_of(state, seat)
        for card in sorted({*found, *full}):
            if found[card] != full[card]:
                yield Violation(
                    "R2",
                    f"{full[card]} of {card} among the {DECK_SIZE} of {actor(seat)}",
                    str(found[card]),
                    f"add or remove {card}" if card in full else "leave it out",
                )
    active = [state.event.value] if state.event else []
    events = Counter([*state.event_deck, *state.event_discard, *active])
    if events and events != Counter(EVENT_DECK):
        yield Violation(
            "R9",
            f"the {len(EVENT_DECK)} Events, each as often as in the deck, or none at all",
            f"{events.total()}, or others",
            "copy the state whole",
        )


def _named(state: LordState) -> Iterator[Violation]:
    names = [each.name for each in state.submitted]
    if len(set(names)) < len(names):
        yield Violation(
            "R7",
            "each submitted Action under a name of its own",
            " ".join(sorted(name for name in set(names) if names.count(name) > 1)),
            "number the copies",
        )
    for name in (*state.due, *([state.current] if state.current else [])):
        if name not in names:
            yield Violation("R6", "activated Actions in the Game Area", name, "leave it out")
    for each in state.submitted:
        if each.markers < 0:
            yield Violation("LP4", "0 or more added votes", str(each.markers), "0")


def _answered(state: LordState) -> Iterator[Violation]:
    """Give it where nobody is asked, or who is asked has nothing to decide."""
    if state.result is not None or state.draws or state.revealing:
        return
    if not state.asked:
        remedy = f"asked={','.join(map(actor, SEATS))}"
        yield Violation("LP19", "somebody who decides", "nobody", remedy)
        return
    seat, event = state.asked[0], state.event
    owners = {submission_owner(name) for name in state.due}
    if state.phase in {LordPhase.DEAL, LordPhase.UPKEEP}:
        yield Violation(
            "LP19",
            f"a phase in which {actor(seat)}, who is asked, decides",
            state.phase,
            "leave out asked",
        )
    elif state.phase is LordPhase.EVENT and not answers(state, seat):
        yield Violation(
            "LP17",
            f"an Event that {actor(seat)}, who is asked, can answer",
            event.value if event else "none",
            "leave out asked",
        )
    elif state.phase is LordPhase.ORDER and seat not in owners:
        yield Violation(
            "LP10",
            "an owner of activated Actions to choose their order",
            actor(seat),
            " or ".join(sorted(actor(owner) for owner in owners)) or "phase=submission",
        )


def _counted(state: LordState, rules: LordRules) -> Iterator[Violation]:
    for name, number, most in (
        ("turn", state.turn, rules.turn_cap),
        ("game", state.game, rules.series_games),
    ):
        if not 1 <= number <= most:
            yield Violation("LP18", f"a {name} from 1 to {most}", str(number), "1")
    if rules.series is Series.OFF and (state.game > 1 or any(state.points)):
        yield Violation(
            "R10",
            "one game without points where no series is played",
            f"game {state.game}",
            "series=regular",
        )
    if not rules.events and (state.event or state.event_deck or state.event_discard):
        yield Violation("R10", "no Events", "some", "events=on, or leave them out")
    for seat in SEATS:
        side = state.side(seat)
        hidden = [
            vote.card
            for each in state.submitted
            for vote in each.votes
            if vote.seat is seat and vote.after_showing
        ]
        lost = Counter(side.shown) - Counter([*side.hand, *hidden])
        if lost:
            yield Violation(
                "LP16",
                f"what {actor(seat)} has shown in hand or in votes cast since",
                " ".join(sorted(lost)),
                "leave it out of shown",
            )


def _phased(state: LordState, rules: LordRules) -> Iterator[Violation]:
    """Give what does not fit the phase."""
    if state.result is not None:
        return
    if state.draws:
        side = state.side(state.draws[0])
        if side.deck or not side.discard:
            yield Violation(
                "R4",
                f"an empty deck of {actor(state.draws[0])} and cards to shuffle",
                f"{len(side.deck)} and {len(side.discard)} cards",
                "draw first",
            )
    sharing = state.phase is LordPhase.SHARE and bool(state.asked)
    if bool(state.current) is not sharing:
        yield Violation(
            "LP5",
            "an Action being carried out just in the phase share",
            f"{state.current or 'none'} in phase {state.phase}",
            "leave it out",
        )
    if state.used > rules.alt_limit:
        yield Violation("LP3", f"at most {rules.alt_limit} Alternate Modes", str(state.used), "0")
    for name in state.due:
        action = state.action(name)
        if action is not None and not action.reached:
            yield Violation(
                "R6",
                f"{CARDS[action.card].threshold} votes for {name}, which is activated",
                str(action.vote_count),
                "leave it out of due",
            )


_SUBMITTED = re.compile(r"(?P<name>[\w.]+)(?:\((?P<votes>[^()]*)\))?(?:\+(?P<markers>\d+))?")
_BARE = LordState(sides=(LordSide(), LordSide(), LordSide(), LordSide()))


def _read_ratings(text: str) -> dict[str, object]:
    *ratings, stability = NUMBERS.read(text)
    return {"ratings": _four(ratings), "stability": stability}


def _four(numbers: Sequence[int]) -> tuple[int, int, int, int]:
    a, b, c, d = numbers
    return a, b, c, d


def _read_event(word: str) -> str:
    if word not in EVENT_DECK:
        raise ValueError(word)
    return word


def _read_name(name: str) -> str:
    read_name(name)
    return name


def _read_vote(text: str) -> Vote:
    (seat, card), since = pair(_SEAT, _CARD).read(text.removesuffix("!")), text.endswith("!")
    return Vote(seat=seat, card=card, after_showing=since)


def _write_submitted(action: Submitted) -> str:
    votes = f"({_VOTES.write(action.votes)})" if action.votes else ""
    return f"{action.name}{votes}{f'+{action.markers}' if action.markers else ''}"


def _read_submitted(text: str) -> Submitted:
    match = _SUBMITTED.fullmatch(text)
    if match is None:
        raise ValueError(text)
    owner, card = read_name(match["name"])
    votes = _VOTES.read(match["votes"]) if match["votes"] else ()
    markers = int(match["markers"] or 0)
    return Submitted(name=match["name"], owner=owner, card=card, votes=votes, markers=markers)


_SEAT = Codec(actor, partial(read_actor, "one of the four"))
_CARD = Codec(str, read_card)
_CARDS, _SEATS, _EVENTS = several(_CARD), several(_SEAT), several(Codec(str, _read_event))
_NAME = Codec(str, _read_name)
_VOTES = several(Codec(lambda v: f"{actor(v.seat)}:{v.card}{'!' * v.after_showing}", _read_vote))
_WORDS: Words = {
    "turn": ("turn", WHOLE),
    "first": ("first", _SEAT),
    "phase": ("phase", Codec(str, LordPhase)),
    "ratings": ("", Codec(lambda s: NUMBERS.write((*s.ratings, s.stability)), _read_ratings)),
    **{
        f"{actor(seat)}.{field}": (f"sides.{at}.{field}", _CARDS)
        for at, seat in enumerate(SEATS)
        for field in ("hand", "deck", "discard", "shown")
    },
    "submitted": ("submitted", several(Codec(_write_submitted, _read_submitted), ";")),
    "event": ("event", optional(Codec(str, Event))),
    "revealing": ("revealing", YES),
    "events": ("event_deck", _EVENTS),
    "past": ("event_discard", _EVENTS),
    "draws": ("draws", _SEATS),
    "asked": ("asked", _SEATS),
    "used": ("used", COUNT),
    "due": ("due", several(_NAME)),
    "current": ("current", _NAME),
    "shares": ("shares", several(pair(_SEAT, _CARD))),
    "result": ("result", optional(result_codec(LordReason, _SEAT, ","))),
    "game": ("game", Codec(lambda game: str(game) if game > 1 else "", int)),
    "points": (
        "points",
        Codec(
            lambda points: NUMBERS.write(points) if any(points) else "",
            lambda text: _four(NUMBERS.read(text)),
        ),
    ),
    "before": ("turns_before", COUNT),
}
"""What each word of a state gives."""


def format_state(state: LordState) -> str:
    """Return a state as one line of text."""
    return write_words(state, _WORDS)


def parse_state(text: str) -> LordState:
    """Return the state that `format_position` wrote.

    Raises:
        SpecError: If a word is unknown or given twice, a value cannot be read, or a card is
            missing or there too often.
    """
    state = read_words(text, _BARE, _WORDS)
    check_state(state)
    return state
