"""States and outcomes of Lord of the P.I.G.S. as text, read back and checked."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from pigglesim.errors import SpecError
from pigglesim.games.change import changed
from pigglesim.games.game import Result, Violation
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
from pigglesim.games.lord_of_the_pigs.turns import put
from pigglesim.games.notation import read_words, written
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
            yield Violation(
                rule="R1",
                expected=f"{name} from 0 to {HIGHEST}",
                got=str(number),
                remedy="the nearest of them",
            )


def _conserved(state: LordState) -> Iterator[Violation]:
    full = Counter(DECK)
    for seat in SEATS:
        found = cards_of(state, seat)
        for card in sorted({*found, *full}):
            if found[card] != full[card]:
                yield Violation(
                    rule="R2",
                    expected=f"{full[card]} of {card} among the {DECK_SIZE} of {actor(seat)}",
                    got=str(found[card]),
                    remedy=f"add or remove {card}" if card in full else "leave it out",
                )
    active = [state.event.value] if state.event else []
    events = Counter([*state.event_deck, *state.event_discard, *active])
    if events and events != Counter(EVENT_DECK):
        yield Violation(
            rule="R9",
            expected=f"the {len(EVENT_DECK)} Events, each as often as in the deck, or none at all",
            got=f"{events.total()}, or others",
            remedy="copy the position whole",
        )


def _named(state: LordState) -> Iterator[Violation]:
    names = [each.name for each in state.submitted]
    if len(set(names)) < len(names):
        yield Violation(
            rule="R7",
            expected="each submitted Action under a name of its own",
            got=" ".join(sorted(name for name in set(names) if names.count(name) > 1)),
            remedy="number the copies",
        )
    for name in (*state.due, *([state.current] if state.current else [])):
        if name not in names:
            yield Violation(
                rule="R6",
                expected="activated Actions in the Game Area",
                got=name,
                remedy="leave it out",
            )
    for each in state.submitted:
        if each.markers < 0:
            yield Violation(
                rule="LP4", expected="0 or more added votes", got=str(each.markers), remedy="0"
            )


def _answered(state: LordState) -> Iterator[Violation]:
    """Give it where nobody is asked, or who is asked has nothing to decide."""
    if state.result is not None or state.draws or state.revealing:
        return
    if not state.asked:
        remedy = f"asked={','.join(map(actor, SEATS))}"
        yield Violation(rule="LP19", expected="somebody who decides", got="nobody", remedy=remedy)
        return
    seat, event = state.asked[0], state.event
    owners = {submission_owner(name) for name in state.due}
    if state.phase in {LordPhase.DEAL, LordPhase.UPKEEP}:
        yield Violation(
            rule="LP19",
            expected=f"a phase in which {actor(seat)}, who is asked, decides",
            got=state.phase,
            remedy="leave out asked",
        )
    elif state.phase is LordPhase.EVENT and not answers(state, seat):
        yield Violation(
            rule="LP17",
            expected=f"an Event that {actor(seat)}, who is asked, can answer",
            got=event.value if event else "none",
            remedy="leave out asked",
        )
    elif state.phase is LordPhase.ORDER and seat not in owners:
        yield Violation(
            rule="LP10",
            expected="an owner of activated Actions to choose their order",
            got=actor(seat),
            remedy=" or ".join(sorted(actor(owner) for owner in owners)) or "phase=submission",
        )


def _counted(state: LordState, rules: LordRules) -> Iterator[Violation]:
    for name, number, most in (
        ("turn", state.turn, rules.turn_cap),
        ("game", state.game, rules.series_games),
    ):
        if not 1 <= number <= most:
            yield Violation(
                rule="LP18", expected=f"a {name} from 1 to {most}", got=str(number), remedy="1"
            )
    if rules.series is Series.OFF and (state.game > 1 or any(state.points)):
        yield Violation(
            rule="R10",
            expected="one game without points where no series is played",
            got=f"game {state.game}",
            remedy="series=regular",
        )
    if not rules.events and (state.event or state.event_deck or state.event_discard):
        yield Violation(
            rule="R10", expected="no Events", got="some", remedy="events=on, or leave them out"
        )
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
                rule="LP16",
                expected=f"what {actor(seat)} has shown in hand or in votes cast since",
                got=" ".join(sorted(lost)),
                remedy="leave it out of shown",
            )


def _phased(state: LordState, rules: LordRules) -> Iterator[Violation]:
    """Give what does not fit the phase."""
    if state.result is not None:
        return
    if state.draws:
        side = state.side(state.draws[0])
        if side.deck or not side.discard:
            yield Violation(
                rule="R4",
                expected=f"an empty deck of {actor(state.draws[0])} and cards to shuffle",
                got=f"{len(side.deck)} and {len(side.discard)} cards",
                remedy="draw first",
            )
    sharing = state.phase is LordPhase.SHARE and bool(state.asked)
    if bool(state.current) is not sharing:
        yield Violation(
            rule="LP5",
            expected="an Action being carried out just in the phase share",
            got=f"{state.current or 'none'} in phase {state.phase}",
            remedy="leave it out",
        )
    if state.used > rules.alt_limit:
        yield Violation(
            rule="LP3",
            expected=f"at most {rules.alt_limit} Alternate Modes",
            got=str(state.used),
            remedy="0",
        )
    for name in state.due:
        action = state.action(name)
        if action is not None and not action.reached:
            yield Violation(
                rule="R6",
                expected=f"{CARDS[action.card].threshold} votes for {name}, which is activated",
                got=str(action.vote_count),
                remedy="leave it out of due",
            )


_SUBMITTED = re.compile(r"(?P<name>[\w.]+)(?:\((?P<votes>[^()]*)\))?(?:\+(?P<markers>\d+))?")
_VOTE = re.compile(r"(?P<seat>\w+):(?P<card>\w+)(?P<since>!?)")
_BARE = LordState(sides=(LordSide(), LordSide(), LordSide(), LordSide()))


def format_state(state: LordState) -> str:
    """Return a state as one line of text."""
    return written(_words(state))


def _words(state: LordState) -> Iterator[tuple[str, str]]:
    yield "turn", str(state.turn)
    yield "first", actor(state.first)
    yield "phase", state.phase
    yield "ratings", _numbers((*state.ratings, state.stability))
    for seat in SEATS:
        side, name = state.side(seat), actor(seat)
        yield f"{name}.hand", ",".join(side.hand)
        yield f"{name}.deck", ",".join(side.deck)
        yield f"{name}.discard", ",".join(side.discard)
        yield f"{name}.shown", ",".join(side.shown)
    yield "submitted", ";".join(map(_submitted_text, state.submitted))
    yield "event", state.event or ""
    yield "revealing", "yes" if state.revealing else ""
    yield "events", ",".join(state.event_deck)
    yield "past", ",".join(state.event_discard)
    yield "draws", _actors(state.draws)
    yield "asked", _actors(state.asked)
    yield "used", str(state.used or "")
    yield "due", ",".join(state.due)
    yield "current", state.current
    yield "shares", ",".join(f"{actor(seat)}:{card}" for seat, card in state.shares)
    yield "result", _result_text(state.result)
    yield "game", str(state.game) if state.game > 1 else ""
    yield "points", _numbers(state.points) if any(state.points) else ""
    yield "before", str(state.turns_before or "")


def _numbers(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _actors(seats: Iterable[Seat]) -> str:
    return ",".join(actor(seat) for seat in seats)


def _submitted_text(action: Submitted) -> str:
    votes = ",".join(
        f"{actor(vote.seat)}:{vote.card}{'!' if vote.after_showing else ''}"
        for vote in action.votes
    )
    added = f"+{action.markers}" if action.markers else ""
    return f"{action.name}{f'({votes})' if votes else ''}{added}"


def _result_text(result: Result | None) -> str:
    if result is None:
        return ""
    winners = (result.winner,) if result.winner else result.shared
    return f"{_actors(winners) or '-'}:{result.reason}"


def parse_state(text: str) -> LordState:
    """Return the state that `format_position` wrote.

    Raises:
        SpecError: If a word is unknown or given twice, a value cannot be read, or a card is
            missing or there too often.
    """
    state = read_words(text, _BARE, _READERS)
    check_state(state)
    return state


def _cards(text: str) -> tuple[str, ...]:
    return tuple(read_card(word) for word in text.split(","))


def _events(text: str) -> tuple[str, ...]:
    words = tuple(text.split(","))
    if not set(words) <= set(EVENT_DECK):
        raise ValueError(text)
    return words


def _seats(text: str) -> tuple[Seat, ...]:
    return tuple(read_actor("one of the four", word) for word in text.split(","))


def _seat(text: str) -> Seat:
    return read_actor("one of the four", text)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        read_name(name)
    return names


def _four(text: str) -> tuple[int, int, int, int]:
    a, b, c, d = (int(word) for word in text.split(","))
    return a, b, c, d


def _with_ratings(state: LordState, text: str) -> LordState:
    *ratings, stability = (int(word) for word in text.split(","))
    a, b, c, d = ratings
    return changed(state, ratings=(a, b, c, d), stability=stability)


def _submitted(text: str) -> tuple[Submitted, ...]:
    actions = []
    for word in text.split(";"):
        match = _SUBMITTED.fullmatch(word)
        if match is None:
            raise ValueError(word)
        owner, card = read_name(match["name"])
        votes = tuple(_vote(vote) for vote in (match["votes"] or "").split(",") if vote)
        markers = int(match["markers"] or 0)
        actions.append(
            Submitted(name=match["name"], owner=owner, card=card, votes=votes, markers=markers)
        )
    return tuple(actions)


def _vote(text: str) -> Vote:
    match = _VOTE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    card, since = read_card(match["card"]), bool(match["since"])
    return Vote(seat=_seat(match["seat"]), card=card, after_showing=since)


def _shares(text: str) -> tuple[tuple[Seat, str], ...]:
    pairs = (word.partition(":") for word in text.split(","))
    return tuple((_seat(seat), read_card(card)) for seat, _, card in pairs)


def _result(text: str) -> Result:
    names, _, reason = text.partition(":")
    winners = () if names == "-" else _seats(names)
    alone = winners[0] if len(winners) == 1 else None
    return Result(winner=alone, reason=LordReason(reason), shared=() if alone else winners)


def _yes(text: str) -> bool:
    if text != "yes":
        raise ValueError(text)
    return True


_Reader = Callable[[LordState, str], LordState]


def _put(field: str, read: Callable[[str], object]) -> _Reader:
    return lambda state, text: changed(state, **{field: read(text)})


def _put_side(seat: Seat, field: str) -> _Reader:
    def read(state: LordState, text: str) -> LordState:
        side = changed(state.side(seat), **{field: _cards(text)})
        return changed(state, sides=put(state.sides, seat, side))

    return read


_READERS: dict[str, _Reader] = {
    "turn": _put("turn", int),
    "first": _put("first", _seat),
    "phase": _put("phase", LordPhase),
    "ratings": _with_ratings,
    **{
        f"{actor(seat)}.{field}": _put_side(seat, field)
        for seat in SEATS
        for field in ("hand", "deck", "discard", "shown")
    },
    "submitted": _put("submitted", _submitted),
    "event": _put("event", Event),
    "revealing": _put("revealing", _yes),
    "events": _put("event_deck", _events),
    "past": _put("event_discard", _events),
    "draws": _put("draws", _seats),
    "asked": _put("asked", _seats),
    "used": _put("used", int),
    "due": _put("due", _names),
    "current": _put("current", lambda text: _names(text)[0]),
    "shares": _put("shares", _shares),
    "result": _put("result", _result),
    "game": _put("game", int),
    "points": _put("points", _four),
    "before": _put("turns_before", int),
}
