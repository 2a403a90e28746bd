"""Lord of the P.I.G.S. as a `Game`: states as text, their invariants, and the game."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

from pigglesim.chance_types import ChanceOutcome, ShuffleRequest, answering_shuffle
from pigglesim.games.base import BaseGame
from pigglesim.games.game import (
    Invariant,
    NonPlayer,
    Permutes,
    Turn,
    changed,
    require_observation,
    require_player,
)
from pigglesim.games.lord_of_the_pigs.rules import (
    ACTOR,
    CARD,
    FORMS,
    NAME,
    LordAction,
    advance,
    answers,
    check_legal,
    decide,
    legal_actions,
    put,
)
from pigglesim.games.lord_of_the_pigs.state import (
    DECK,
    DECK_SIZE,
    EVENT_DECK,
    HIDDEN,
    HIGHEST,
    SEATS,
    Event,
    LordPhase,
    LordReason,
    LordRules,
    LordSide,
    LordState,
    Series,
    Submitted,
    Vote,
    actor,
    by_seat,
    in_order,
    index,
    opening,
    read_name,
    submission_owner,
)
from pigglesim.games.notation import (
    COUNT,
    NUMBERS,
    WHOLE,
    YES,
    ActionForms,
    Codec,
    Words,
    optional,
    pair,
    result_codec,
    several,
)
from pigglesim.landing import Seat


def _conserved(state: LordState) -> Iterator[Invariant]:
    """Give the invariants of the number of cards."""
    deck = Counter(DECK)
    for seat in SEATS:
        side, votes = state.side(seat), [vote for each in state.submitted for vote in each.votes]
        cards = Counter((*side.deck, *side.hand, *side.discard))
        cards += Counter(each.card for each in state.submitted if each.owner is seat)
        cards += Counter(vote.card for vote in votes if vote.seat is seat)
        for card in sorted({*cards, *deck}):
            problem = f"{actor(seat)} has {cards[card]} cards {card}, not {deck[card]}"
            yield Invariant(cards[card] == deck[card], "R2", problem)
    active = [state.event.value] if state.event else []
    events = Counter([*state.event_deck, *state.event_discard, *active])
    complete = not events or events == Counter(EVENT_DECK)
    yield Invariant(complete, "R9", f"{events.total()} Events that are not the {len(EVENT_DECK)}")


def _named(state: LordState) -> Iterator[Invariant]:
    """Give the invariants of submitted Actions and of their names."""
    names = [action.name for action in state.submitted]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    yield Invariant(not repeated, "R7", f"several submitted Actions named {' '.join(repeated)}")
    for name in filter(None, (*state.due, state.current)):
        yield Invariant(name in names, "R6", f"the activated {name} is not in the Game Area")
    for action in state.submitted:
        yield Invariant(action.markers >= 0, "LP4", f"{action.markers} added votes")


def _answered(state: LordState) -> Iterator[Invariant]:
    """Give the invariants of a state in which a player is to decide."""
    if state.result is not None or state.draws or state.revealing:
        return
    yield Invariant(bool(state.asked), "LP19", "nobody is to decide")
    if not state.asked:
        return
    seat, phase = state.asked[0], state.phase
    decider = f"{actor(seat)} is to decide in phase {phase}"
    yield Invariant(phase not in {LordPhase.DEAL, LordPhase.UPKEEP}, "LP19", decider)
    answering = phase is not LordPhase.EVENT or bool(answers(state, seat))
    yield Invariant(answering, "LP17", f"{decider}, without an answer to the Event")
    owns = phase is not LordPhase.ORDER or seat in map(submission_owner, state.due)
    yield Invariant(owns, "LP10", f"{decider}, without an activated Action")


def _counted(state: LordState, rules: LordRules) -> Iterator[Invariant]:
    """Give the invariants of turns, games and house rules, and of cards that were shown."""
    for name, number, limit in (
        ("turn", state.turn, rules.turn_cap),
        ("game", state.game, rules.series_games),
    ):
        yield Invariant(1 <= number <= limit, "LP18", f"{name} {number}, not one of 1 to {limit}")
    no_series = rules.series is not Series.OFF or (state.game <= 1 and not any(state.points))
    yield Invariant(no_series, "R10", f"game {state.game} or points without a series")
    events = state.event or state.event_deck or state.event_discard
    yield Invariant(rules.events or not events, "R10", "Events, which the house rules exclude")
    votes = [vote for action in state.submitted for vote in action.votes if vote.after_showing]
    for seat in SEATS:
        hidden = [vote.card for vote in votes if vote.seat is seat]
        gone = Counter(state.side(seat).shown) - Counter([*state.side(seat).hand, *hidden])
        names = " ".join(sorted(gone))
        yield Invariant(not gone, "LP16", f"{actor(seat)} has shown {names}, which are elsewhere")


def _phased(state: LordState, rules: LordRules) -> Iterator[Invariant]:
    """Give the invariants of phases before the end."""
    if state.draws:
        side = state.side(state.draws[0])
        problem = f"{len(side.deck)} cards to draw and {len(side.discard)} to shuffle"
        yield Invariant(bool(side.discard and not side.deck), "R4", problem)
    sharing = state.phase is LordPhase.SHARE and bool(state.asked)
    problem = f"{state.current or 'no Action'} to be shared in phase {state.phase}"
    yield Invariant(bool(state.current) is sharing, "LP5", problem)
    problem_used = f"{state.used} Alternate Modes, above {rules.alt_limit}"
    yield Invariant(state.used <= rules.alt_limit, "LP3", problem_used)
    for action in filter(None, map(state.action, state.due)):
        problem_votes = f"{action.name} activated with {action.vote_count} votes"
        yield Invariant(action.reached, "R6", problem_votes)


_SUBMITTED = re.compile(r"(?P<name>[\w.]+)(?:\((?P<votes>[^()]*)\))?(?:\+(?P<markers>\d+))?")
BLANK = LordState(sides=(LordSide(), LordSide(), LordSide(), LordSide()))


def _read_ratings(text: str) -> dict[str, object]:
    *ratings, stability = NUMBERS.read(text)
    return {"ratings": _four(ratings), "stability": stability}


def _four(numbers: Sequence[int]) -> tuple[int, int, int, int]:
    a, b, c, d = numbers
    return a, b, c, d


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


_CARDS, _SEATS, _EVENTS = (
    several(CARD),
    several(ACTOR),
    several(Codec(str, {word: word for word in EVENT_DECK}.__getitem__)),
)
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

_COVERED = tuple((HIDDEN,) * count for count in range(len(DECK) + 1))
_FACE_DOWN = tuple(
    tuple(Vote(seat=seat, card=HIDDEN, after_showing=late) for seat in SEATS)
    for late in (False, True)
)
"""Covered vote of each actor, cast before the hand was shown, and after."""
_SECRET_PHASES = (LordPhase.ALTERNATES, LordPhase.SHARE)
"""Phases with decisions only of holders of certain cards, whose seats are hidden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordObservation:
    """Observation of a player: the table, with a `?` for every card hidden from this player.

    In phases with decisions only of holders of certain cards, others do not see who decides.
    """

    seat: Seat
    table: LordState
    rules: LordRules


@lru_cache(maxsize=1024)
def _others(hand: int, deck: int, discard: tuple[str, ...], shown: tuple[str, ...]) -> LordSide:
    """Return the visible part of another player's cards; it is cached, as calls repeat."""
    return LordSide(deck=_COVERED[deck], hand=_COVERED[hand], discard=discard, shown=shown)


def _covered(action: Submitted, seat: Seat) -> Submitted:
    votes = (
        vote if vote.seat is seat else _FACE_DOWN[vote.after_showing][index(vote.seat)]
        for vote in action.votes
    )
    return changed(action, votes=tuple(votes))


def _known(cards: Iterable[str]) -> list[str]:
    return [card for card in cards if card != HIDDEN]


def _filled(state: LordState, seat: Seat, rng: Permutes) -> LordState:
    """Return the state with the hidden cards of one player imagined."""
    side = state.side(seat)
    votes = [vote for action in state.submitted for vote in action.votes if vote.seat is seat]
    visible = [
        *side.discard,
        *_known(side.hand),
        *_known(vote.card for vote in votes),
        *(action.card for action in state.submitted if action.owner is seat),
    ]
    covered_hand = side.hand.count(HIDDEN)
    covered_votes = [vote for vote in votes if vote.card == HIDDEN]
    late = [vote for vote in covered_votes if vote.after_showing]
    early_count = len(covered_votes) - len(late)
    # If the hand is visible, all shown cards are known.
    shown = list(side.shown) if covered_hand or late else []
    unseen = _shuffled(_less(DECK, [*visible, *shown]), rng)
    hidden_count = covered_hand + len(late)
    in_hand_or_votes = _shuffled([*shown, *unseen[: hidden_count - len(shown)]], rng)
    elsewhere = unseen[hidden_count - len(shown) :]
    hand = [*_known(side.hand), *in_hand_or_votes[:covered_hand]]
    late_cards = in_hand_or_votes[covered_hand:]
    submitted = _with_votes(state, seat, [*late_cards], [*elsewhere[:early_count]])
    filled = changed(side, hand=in_order(tuple(hand)), deck=tuple(elsewhere[early_count:]))
    return changed(state, submitted=submitted, sides=put(state.sides, seat, filled))


def _with_votes(
    state: LordState, seat: Seat, late: list[str], early: list[str]
) -> tuple[Submitted, ...]:
    """Return the Game Area with the covered votes of one player turned into these cards."""

    def card_of(after_showing: bool) -> str:  # noqa: FBT001 (a field of a vote)
        return late.pop() if after_showing else early.pop()

    return tuple(
        changed(
            action,
            votes=tuple(
                changed(vote, card=card_of(vote.after_showing))
                if vote.seat is seat and vote.card == HIDDEN
                else vote
                for vote in action.votes
            ),
        )
        for action in state.submitted
    )


def _less(cards: Sequence[str], removed: Sequence[str]) -> list[str]:
    """Return cards less those gone, by kind."""
    remaining = list(cards)
    for card in removed:
        remaining.remove(card)
    return remaining


def _shuffled(cards: Sequence[str], rng: Permutes) -> list[str]:
    return [cards[at] for at in rng.permutation(len(cards))]


@dataclass(frozen=True, slots=True, kw_only=True)
class LordOfThePigs(BaseGame[LordState, LordAction, ShuffleRequest]):
    """The game under the house rules of one table; with `series`, several games in a row."""

    rules: LordRules = field(default_factory=LordRules)

    name: ClassVar[str] = "lord_of_the_pigs"
    _blank: ClassVar[LordState] = BLANK
    _words: ClassVar[Words] = WORDS
    _forms: ClassVar[ActionForms[LordAction]] = FORMS

    @property
    def seats(self) -> tuple[Seat, ...]:
        """President, Banker, Corporate Director and Energy Tycoon, in Actor order."""
        return SEATS

    @property
    def max_length(self) -> int:
        """Maximum number of actions and outcomes, by a bound far above any real game.

        In a turn each player answers the Event, votes, submits, and passes once before the votes
        are counted. Every card can be discarded once for its Alternate Mode or be carried out,
        chosen in order, with four players who decline to share it and two cards drawn. Each card
        drawn, these and at most eight more, can require a shuffle; so can the Event deck.
        """
        players, cards = len(SEATS), len(SEATS) * DECK_SIZE
        shuffles = 2 * cards + 2 * players + 1
        turn = 4 * players + cards + (1 + 2 * players) * cards + shuffles
        games = 1 if self.rules.series is Series.OFF else self.rules.series_games
        return games * (players + self.rules.turn_cap * turn)

    def initial_state(self) -> LordState:
        return opening(self.rules)

    def turn(self, state: LordState) -> Turn:
        if state.result is not None:
            return NonPlayer.OVER
        if state.draws or state.revealing:
            return NonPlayer.CHANCE
        return state.asked[0]

    def legal_actions(self, state: LordState) -> tuple[LordAction, ...]:
        """Return the legal actions: cards in the order of the rule book, then passing.

        Players who could only pass are skipped.
        """
        return legal_actions(state, self.rules) if isinstance(self.turn(state), Seat) else ()

    def apply_action(self, state: LordState, action: LordAction) -> LordState:
        require_player(self.turn(state), action, self.format_action, rule="LP19")
        check_legal(state, action, self.rules)
        return advance(decide(state, action, self.rules), self.rules)

    def _request(self, state: LordState) -> ShuffleRequest:
        """Return the deck that is to be shuffled (R4, R9)."""
        if state.draws:
            seat = state.draws[0]
            return ShuffleRequest(thrower=seat, cards=state.side(seat).discard)
        return ShuffleRequest(thrower=state.first, cards=state.event_discard)

    def apply_outcome(self, state: LordState, outcome: ChanceOutcome) -> LordState:
        cards = answering_shuffle(outcome, self.chance_request(state)).cards
        if state.draws:
            seat = state.draws[0]
            side = changed(state.side(seat), deck=cards, discard=())
            return advance(changed(state, sides=put(state.sides, seat, side)), self.rules)
        return advance(changed(state, event_deck=cards, event_discard=()), self.rules)

    def observe(self, state: LordState, seat: Seat) -> LordObservation:
        sides = tuple(
            changed(side, deck=_COVERED[len(side.deck)])
            if at == index(seat)
            else _others(len(side.hand), len(side.deck), side.discard, side.shown)
            for at, side in enumerate(state.sides)
        )
        table = changed(
            state,
            sides=sides,
            submitted=tuple(
                _covered(action, seat) if action.votes else action for action in state.submitted
            ),
            event_deck=_COVERED[len(state.event_deck)],
        )
        if state.phase in _SECRET_PHASES and seat not in state.asked[:1]:
            table = changed(table, asked=(), used=0)
        return LordObservation(seat=seat, table=table, rules=self.rules)

    def _visible(self, state: LordState, seat: Seat) -> LordState:
        return self.observe(state, seat).table

    def imagine(self, observation: object, *, rng: Permutes) -> LordState:
        """Return a uniformly random state that is consistent with an observation.

        Cards shown by a Whistle-blower are in the hand, or in votes cast since.
        """
        view = require_observation(observation, LordObservation)
        state = view.table
        for seat in SEATS:
            state = _filled(state, seat, rng)
        if not view.rules.events:
            return state
        active = [state.event.value] if state.event else []
        unseen = _less(EVENT_DECK, [*state.event_discard, *active])
        return changed(state, event_deck=tuple(_shuffled(unseen, rng)))

    def scores(self, state: LordState) -> Mapping[Seat, int]:
        """Return the Rating of each player, or in a series the points."""
        single = self.rules.series is Series.OFF
        return by_seat(state.ratings if single else state.points)

    def _invariants(self, state: LordState) -> Iterator[Invariant]:
        yield from self._readable(state)
        yield from _counted(state, self.rules)
        if state.result is None:
            yield from _phased(state, self.rules)

    def _readable(self, state: LordState) -> Iterator[Invariant]:
        ratings = ((actor(seat), rating) for seat, rating in by_seat(state.ratings).items())
        for name, number in (*ratings, ("Social Stability", state.stability)):
            yield Invariant(0 <= number <= HIGHEST, "R1", f"{name} {number}, not 0 to {HIGHEST}")
        yield from _conserved(state)
        yield from _named(state)
        yield from _answered(state)
