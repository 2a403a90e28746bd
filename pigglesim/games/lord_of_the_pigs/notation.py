"""States of Lord of the P.I.G.S. as text, and the invariants of states."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pigglesim.games.game import Invariant
from pigglesim.games.lord_of_the_pigs.actions import ACTOR, CARD, NAME, answers
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
    result_codec,
    several,
)


def readable(state: LordState) -> Iterator[Invariant]:
    """Give the invariants of states under any house rules."""
    ratings = dict(zip(map(actor, SEATS), state.ratings, strict=True))
    for name, number in (*ratings.items(), ("Social Stability", state.stability)):
        yield Invariant(0 <= number <= HIGHEST, "R1", f"{name} from 0 to {HIGHEST}", number)
    yield from _conserved(state)
    yield from _named(state)
    yield from _answered(state)


def invariants(state: LordState, rules: LordRules) -> Iterator[Invariant]:
    """Give every invariant of a state."""
    yield from readable(state)
    yield from _counted(state, rules)
    if state.result is None:
        yield from _phased(state, rules)


def _conserved(state: LordState) -> Iterator[Invariant]:
    """Give the invariants of the number of cards."""
    full = Counter(DECK)
    for seat in SEATS:
        side, votes = state.side(seat), [vote for each in state.submitted for vote in each.votes]
        found = Counter((*side.deck, *side.hand, *side.discard))
        found += Counter(each.card for each in state.submitted if each.owner is seat)
        found += Counter(vote.card for vote in votes if vote.seat is seat)
        for card in sorted({*found, *full}):
            expected = f"{full[card]} of {card} among the {DECK_SIZE} of {actor(seat)}"
            yield Invariant(found[card] == full[card], "R2", expected, found[card])
    active = [state.event.value] if state.event else []
    events = Counter([*state.event_deck, *state.event_discard, *active])
    yield Invariant(
        not events or events == Counter(EVENT_DECK),
        "R9",
        f"the {len(EVENT_DECK)} Events, each as often as in the deck, or none at all",
        f"{events.total()}, or others",
    )


def _named(state: LordState) -> Iterator[Invariant]:
    """Give the invariants of submitted Actions and of their names."""
    names = [each.name for each in state.submitted]
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    each_own = "each submitted Action under a name of its own"
    yield Invariant(not twice, "R7", each_own, " ".join(twice))
    for name in filter(None, (*state.due, state.current)):
        yield Invariant(name in names, "R6", "activated Actions in the Game Area", name)
    for each in state.submitted:
        yield Invariant(each.markers >= 0, "LP4", "0 or more added votes", each.markers)


def _answered(state: LordState) -> Iterator[Invariant]:
    """Give the invariants of a state in which a player is to decide."""
    if state.result is not None or state.draws or state.revealing:
        return
    yield Invariant(bool(state.asked), "LP19", "somebody who decides", "nobody")
    if not state.asked:
        return
    seat, event, phase = state.asked[0], state.event, state.phase
    who = f"{actor(seat)}, who is asked,"
    decides = phase not in {LordPhase.DEAL, LordPhase.UPKEEP}
    yield Invariant(decides, "LP19", f"a phase in which {who} decides", phase)
    yield Invariant(
        phase is not LordPhase.EVENT or bool(answers(state, seat)),
        "LP17",
        f"an Event that {who} can answer",
        event.value if event else "none",
    )
    owners = {submission_owner(name) for name in state.due}
    yield Invariant(
        phase is not LordPhase.ORDER or seat in owners,
        "LP10",
        "an owner of activated Actions to choose their order",
        actor(seat),
    )


def _counted(state: LordState, rules: LordRules) -> Iterator[Invariant]:
    """Give the invariants of turns, games and house rules, and of cards that were shown."""
    for name, number, most in (
        ("turn", state.turn, rules.turn_cap),
        ("game", state.game, rules.series_games),
    ):
        yield Invariant(1 <= number <= most, "LP18", f"a {name} from 1 to {most}", number)
    yield Invariant(
        rules.series is not Series.OFF or (state.game <= 1 and not any(state.points)),
        "R10",
        "one game without points where no series is played",
        f"game {state.game}",
    )
    events = state.event or state.event_deck or state.event_discard
    yield Invariant(rules.events or not events, "R10", "no Events", "some")
    votes = [vote for each in state.submitted for vote in each.votes if vote.after_showing]
    for seat in SEATS:
        hidden = [vote.card for vote in votes if vote.seat is seat]
        lost = Counter(state.side(seat).shown) - Counter([*state.side(seat).hand, *hidden])
        expected = f"what {actor(seat)} has shown in hand or in votes cast since"
        yield Invariant(not lost, "LP16", expected, " ".join(sorted(lost)))


def _phased(state: LordState, rules: LordRules) -> Iterator[Invariant]:
    """Give the invariants of phases before the end."""
    if state.draws:
        side = state.side(state.draws[0])
        yield Invariant(
            bool(side.discard and not side.deck),
            "R4",
            f"an empty deck of {actor(state.draws[0])} and cards to shuffle",
            f"{len(side.deck)} and {len(side.discard)} cards",
        )
    sharing = state.phase is LordPhase.SHARE and bool(state.asked)
    yield Invariant(
        bool(state.current) is sharing,
        "LP5",
        "an Action being carried out just in the phase share",
        f"{state.current or 'none'} in phase {state.phase}",
    )
    most = f"at most {rules.alt_limit} Alternate Modes"
    yield Invariant(state.used <= rules.alt_limit, "LP3", most, state.used)
    for action in filter(None, map(state.action, state.due)):
        votes = CARDS[action.card].threshold
        expected = f"{votes} votes for {action.name}, which is activated"
        yield Invariant(action.reached, "R6", expected, action.vote_count)


_SUBMITTED = re.compile(r"(?P<name>[\w.]+)(?:\((?P<votes>[^()]*)\))?(?:\+(?P<markers>\d+))?")
BLANK = LordState(sides=(LordSide(), LordSide(), LordSide(), LordSide()))


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


def _read_vote(text: str) -> Vote:
    (seat, card), since = pair(ACTOR, CARD).read(text.removesuffix("!")), text.endswith("!")
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


_CARDS, _SEATS, _EVENTS = several(CARD), several(ACTOR), several(Codec(str, _read_event))
_VOTES = several(Codec(lambda v: f"{actor(v.seat)}:{v.card}{'!' * v.after_showing}", _read_vote))
WORDS: Words = {
    "turn": ("turn", WHOLE),
    "first": ("first", ACTOR),
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
    "due": ("due", several(NAME)),
    "current": ("current", NAME),
    "shares": ("shares", several(pair(ACTOR, CARD))),
    "result": ("result", optional(result_codec(LordReason, ACTOR, ","))),
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
"""Part of the state that each word gives."""
