"""Rules of Lord of the P.I.G.S.: actions, their legality and their effects, phase by phase."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TypeAlias

from pigglesim.errors import IllegalActionError
from pigglesim.games.game import Result, changed
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    HIGHEST,
    ORDERS,
    SEATS,
    Alternate,
    Effect,
    Event,
    LordPhase,
    LordReason,
    LordRules,
    LordSide,
    LordState,
    MinusChoice,
    Series,
    ShareAmount,
    ShareClamp,
    Submitted,
    UprisingTie,
    Vote,
    actor,
    effect,
    in_order,
    index,
    opening,
    read_actor,
    read_card,
    read_name,
    submission_name,
    submission_owner,
    under,
)
from pigglesim.games.notation import ActionForms, Codec
from pigglesim.landing import Seat


@dataclass(frozen=True, slots=True)
class PassTurn:
    """Do nothing more in this phase."""


@dataclass(frozen=True, slots=True)
class CastVote:
    """Put a card face down on a submitted Action (R5)."""

    card: str
    on: str
    """Name of the submitted Action."""


@dataclass(frozen=True, slots=True)
class UseAlternate:
    """Discard a card for its +1 or -1 Vote on a submitted Action (R6)."""

    card: str
    on: str


@dataclass(frozen=True, slots=True)
class ShareLoot:
    """Discard a card to Share Benefits of the Action to be carried out next (LP5)."""

    card: str


@dataclass(frozen=True, slots=True)
class PutFirst:
    """Choose which of several own activated Actions is carried out next (LP10)."""

    on: str


@dataclass(frozen=True, slots=True)
class Submit:
    """Put a card face up into the Game Area (R7)."""

    card: str


@dataclass(frozen=True, slots=True)
class Discard:
    """Give up a card of the hand to Flash Floods."""

    card: str


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Give up an own submitted Action to Civilian Watchdogs."""

    on: str


@dataclass(frozen=True, slots=True)
class Sway:
    """Change Social Stability by 1 in a General Strike."""

    by: int
    """Change, 1 or -1."""


@dataclass(frozen=True, slots=True)
class Intervene:
    """Change the own Rating and another's by 1 in the same direction, in an FMI Intervention."""

    seat: Seat
    """Seat of the other player."""
    by: int
    """1 or -1."""


LordAction: TypeAlias = (
    PassTurn
    | CastVote
    | UseAlternate
    | ShareLoot
    | PutFirst
    | Submit
    | Discard
    | Withdraw
    | Sway
    | Intervene
)
"""Any action of a player."""

PASS = PassTurn()


def _read_submission(name: str) -> str:
    read_name(name)
    return name


ACTOR = Codec(actor, partial(read_actor, "one of the four"))
CARD = Codec(str, read_card)
NAME = Codec(str, _read_submission)
FORMS: ActionForms[LordAction] = ActionForms(
    {
        "pass": PASS,
        "vote {card} {on}": CastVote,
        "use {card} {on}": UseAlternate,
        "share {card}": ShareLoot,
        "first {on}": PutFirst,
        "submit {card}": Submit,
        "discard {card}": Discard,
        "withdraw {on}": Withdraw,
        "stability {by}": Sway,
        "with {seat} {by}": Intervene,
    },
    {
        "card": CARD,
        "on": NAME,
        "seat": ACTOR,
        "by": Codec(lambda by: f"{by:+d}", {"+1": 1, "-1": -1}.__getitem__),
    },
    example="submit C1, vote C1 Banker.U1, use C5 Banker.U1, share R1 or pass",
)

PLUS = frozenset(card.tag for card in CARDS.values() if card.alternate is Alternate.PLUS)
MINUS = frozenset(card.tag for card in CARDS.values() if card.alternate is Alternate.MINUS)
SHARES = frozenset(
    card.tag
    for card in CARDS.values()
    if card.alternate in {Alternate.SHARE_NEXT, Alternate.SHARE_PREVIOUS}
)
ALTERNATES = PLUS | MINUS

_RULES = {
    LordPhase.EVENT: "R9",
    LordPhase.VOTING: "R5",
    LordPhase.ALTERNATES: "R6",
    LordPhase.ORDER: "LP10",
    LordPhase.SHARE: "LP5",
    LordPhase.SUBMISSION: "R7",
}
"""Rule of the legal actions of each phase."""

# Equal actions share one object, because a game offers thousands of them.
_cast, _use = cache(CastVote), cache(UseAlternate)
_share, _put_first, _submit = cache(ShareLoot), cache(PutFirst), cache(Submit)
_discard, _withdraw = cache(Discard), cache(Withdraw)
_SWAYS = (Sway(1), Sway(-1))
_INTERVENTIONS = {
    seat: tuple(Intervene(other, by) for other in SEATS if other is not seat for by in (1, -1))
    for seat in SEATS
}


def modes_allowed(state: LordState, rules: LordRules) -> bool:
    """Return whether Alternate Modes can be used in this turn."""
    return rules.alternate_modes and state.event is not Event.INTERNATIONAL_SCRUTINY


def vote_targets(
    submitted: tuple[Submitted, ...], voter: Seat, *, diplomacy_wars: bool
) -> tuple[Submitted, ...]:
    """Return the Actions for which a player may vote (R5, R10)."""
    if not diplomacy_wars:
        return submitted
    return tuple(action for action in submitted if action.owner is not voter)


def may_decide(
    state: LordState, phase: LordPhase, seat: Seat, rules: LordRules, *, used: int = 0
) -> bool:
    """Return whether a player has an action besides passing in a phase; others are skipped."""
    hand = state.side(seat).hand
    match phase:
        case LordPhase.VOTING:
            wars = rules.diplomacy_wars
            return bool(hand and vote_targets(state.submitted, seat, diplomacy_wars=wars))
        case LordPhase.SUBMISSION:
            return bool(hand)
        case LordPhase.ALTERNATES:
            return used < rules.alt_limit and _can_use_alternate(state, hand)
        case LordPhase.SHARE:
            shared = sum(sharer is seat for sharer, _ in state.shares)
            return shared < rules.share_limit and not SHARES.isdisjoint(hand)
        case LordPhase.EVENT if state.event is Event.FLASH_FLOODS:
            return bool(hand)
        case LordPhase.EVENT if state.event is Event.CIVILIAN_WATCHDOGS:
            return any(action.owner is seat for action in state.submitted)
        case _:
            return True


def _can_use_alternate(state: LordState, hand: Sequence[str]) -> bool:
    """Return whether a hand has an Alternate Mode with an Action to use it on."""
    if ALTERNATES.isdisjoint(hand):
        return False
    plus = not PLUS.isdisjoint(hand) and bool(state.submitted)
    return plus or any(action.vote_count for action in state.submitted)


def legal_actions(state: LordState, rules: LordRules) -> tuple[LordAction, ...]:
    """Return the legal actions: cards in the order of the rule book, then passing."""
    seat = state.asked[0]
    hand = state.side(seat).hand
    match state.phase:
        case LordPhase.EVENT:
            return answers(state, seat)
        case LordPhase.VOTING:
            wars = rules.diplomacy_wars
            return (*_votes(hand, vote_targets(state.submitted, seat, diplomacy_wars=wars)), PASS)
        case LordPhase.ALTERNATES:
            return (*_uses(hand, state.submitted), PASS)
        case LordPhase.ORDER:
            return tuple(_put_first(on) for on in state.due if submission_owner(on) is seat)
        case LordPhase.SHARE:
            return (*(_share(card) for card in hand if card in SHARES), PASS)
        case _:  # the submission; nobody decides in other phases
            return (*map(_submit, dict.fromkeys(hand)), PASS)


def _votes(hand: Sequence[str], targets: Sequence[Submitted]) -> Iterator[LordAction]:
    """Yield the votes of each card of a hand for each of these Actions."""
    names = [action.name for action in targets]
    return (_cast(card, name) for card in dict.fromkeys(hand) for name in names)


def _uses(hand: Sequence[str], submitted: Sequence[Submitted]) -> Iterator[LordAction]:
    """Yield the uses of each Alternate Mode of a hand; only +1 Vote needs no votes there."""
    names = [action.name for action in submitted]
    voted = [action.name for action in submitted if action.vote_count]
    cards = [card for card in dict.fromkeys(hand) if card in ALTERNATES]
    return (_use(card, on) for card in cards for on in (names if card in PLUS else voted))


def answers(state: LordState, seat: Seat) -> tuple[LordAction, ...]:
    """Return a player's answers to the Event; none if it requires no decision."""
    match state.event:
        case Event.FLASH_FLOODS:
            return tuple(_discard(card) for card in dict.fromkeys(state.side(seat).hand))
        case Event.CIVILIAN_WATCHDOGS:
            own_actions = (action for action in state.submitted if action.owner is seat)
            return tuple(_withdraw(action.name) for action in own_actions)
        case Event.GENERAL_STRIKE:
            return _SWAYS
        case Event.FMI_INTERVENTION:
            return _INTERVENTIONS[seat]
        case _:
            return ()


def check_legal(state: LordState, action: LordAction, rules: LordRules) -> None:
    """Raise `IllegalActionError` unless the action is legal."""
    legal = legal_actions(state, rules)
    if action not in legal:
        raise IllegalActionError(
            f"{FORMS.write(action)!r} by {actor(state.asked[0])} in phase {state.phase}",
            fix=f"use {' or '.join(FORMS.write(option) for option in legal[:3])}",
            rule=_RULES[state.phase],
        )


Sides = tuple[LordSide, ...]
"""Cards of the players, in Actor order."""


def put(sides: Sides, seat: Seat, side: LordSide) -> Sides:
    """Return the cards of all players with those of one changed."""
    at = index(seat)
    return (*sides[:at], side, *sides[at + 1 :])


def out_of_hand(sides: Sides, seat: Seat, card: str, *, face_up: bool) -> Sides:
    """Return the cards of all players without one that leaves a hand."""
    side = sides[index(seat)]
    shown = without(side.shown, card) if face_up else side.shown
    return put(sides, seat, changed(side, hand=without(side.hand, card), shown=shown))


def discarded(sides: Sides, seat: Seat, card: str) -> Sides:
    """Return the cards of all players after one of a hand is discarded."""
    side = sides[index(seat)]
    new = changed(
        side,
        hand=without(side.hand, card),
        shown=without(side.shown, card),
        discard=(*side.discard, card),
    )
    return put(sides, seat, new)


def turned_up(sides: Sides, votes: Iterable[Vote]) -> Sides:
    """Return the cards of all players after votes are turned up and discarded."""
    for vote in votes:
        side = sides[index(vote.seat)]
        # A card put down before the hand was shown is not one of the shown cards.
        shown = without(side.shown, vote.card) if vote.after_showing else side.shown
        new = changed(side, discard=(*side.discard, vote.card), shown=shown)
        sides = put(sides, vote.seat, new)
    return sides


def without(cards: tuple[str, ...], card: str) -> tuple[str, ...]:
    """Return cards without one of a kind, if there is one."""
    if card not in cards:
        return cards
    at = cards.index(card)
    return (*cards[:at], *cards[at + 1 :])


Four = tuple[int, ...]
"""Numbers of the players, in Actor order."""

_REGULAR_WINNER, _REGULAR_SECOND, _REGULAR_UPRISING = 3, 1, 2
_COMPETITIVE_BONUS, _COMPETITIVE_UPRISING = 3, 5


def judge(ratings: Four, stability: int, tie: UprisingTie) -> Result | None:
    """Return the result of the check at the end of a turn, or None to continue (R8)."""
    if stability == 0:
        lowest = [seat for seat in SEATS if ratings[index(seat)] == min(ratings)]
        if len(lowest) == 1:
            return Result(winner=lowest[0], reason=LordReason.UPRISING)
        if tie is UprisingTie.CONTINUE:
            return None
    at_top = [seat for seat in SEATS if ratings[index(seat)] == HIGHEST]
    return Result(winner=at_top[0], reason=LordReason.RATING) if len(at_top) == 1 else None


def series_points(scoring: Series, ratings: Four, winner: Seat | None, *, uprising: bool) -> Four:
    """Return each player's points for a game of a series (R10).

    A game that reached the turn limit has no winner and no second. In a Competitive series each
    player then gets the own Rating.
    """
    if scoring is Series.OFF:
        return (0, 0, 0, 0)
    regular = scoring is Series.REGULAR
    base: Four
    if uprising:
        prize, base = (_REGULAR_UPRISING if regular else _COMPETITIVE_UPRISING), (0, 0, 0, 0)
    elif regular:
        prize, base = _REGULAR_WINNER, _seconds(ratings, winner)
    else:
        prize, base = _COMPETITIVE_BONUS, ratings
    return tuple(base[index(seat)] + (prize if seat is winner else 0) for seat in SEATS)


def _seconds(ratings: Four, winner: Seat | None) -> Four:
    """Return a point for each player with the highest Rating after the winner."""
    if winner is None:
        return (0, 0, 0, 0)
    others = [seat for seat in SEATS if seat is not winner]
    best = max(ratings[index(seat)] for seat in others)
    return tuple(
        _REGULAR_SECOND if seat in others and ratings[index(seat)] == best else 0 for seat in SEATS
    )


_FAIR_DRAWS = 2
"""Number of cards that an activated Action's owner draws at a National Business Fair."""


def reached(state: LordState) -> tuple[str, ...]:
    """Return the submitted Actions with the votes they need, in Actor order of their owners."""
    active = [action for action in state.submitted if action.reached]
    if len(active) > 1:
        order = ORDERS[state.first]
        active.sort(key=lambda action: order.index(action.owner))
    return tuple(action.name for action in active)


def clamped(number: int) -> int:
    """Return the nearest number from 0 to 10 (R1)."""
    return min(max(number, 0), HIGHEST)


def shared_with(seat: Seat, card: str) -> Seat:
    """Return the actor whose benefits a card of the player at `seat` shares."""
    steps = -1 if CARDS[card].alternate is Alternate.SHARE_PREVIOUS else 1
    return SEATS[(index(seat) + steps) % len(SEATS)]


def carry_out(
    state: LordState, name: str, rules: LordRules, *, due: tuple[str, ...] = ()
) -> LordState:
    """Return the state after the effect of an activated Action, with the shares of it.

    Action and votes go to the discard piles of their owners.
    """
    action = state.submitted_action(name)
    change = under(state.event, effect(action.owner, action.card))
    fair = state.event is Event.NATIONAL_BUSINESS_FAIR
    sides, submitted = off_the_table(state, action)
    return changed(
        state,
        ratings=_rated(state.ratings, change, state.shares, rules),
        stability=clamped(state.stability + change[-1]),
        sides=sides,
        submitted=submitted,
        current="",
        due=due,
        shares=(),
        draws=(action.owner,) * _FAIR_DRAWS if fair else (),
    )


def _rated(
    ratings: Four, change: Effect, shares: tuple[tuple[Seat, str], ...], rules: LordRules
) -> Four:
    """Return the Ratings after an effect and the shares of it (LP5)."""
    sums = [rating + change[at] for at, rating in enumerate(ratings)]
    limited = [clamped(total) for total in sums]
    together = rules.share_clamp is ShareClamp.TOGETHER
    actual = [limited[at] - rating for at, rating in enumerate(ratings)]
    numbers = sums if together else limited
    for seat, card in shares:
        partner, sharer = index(shared_with(seat, card)), index(seat)
        amount = change[partner] if rules.share_amount is ShareAmount.NOMINAL else actual[partner]
        total = numbers[sharer] + amount
        numbers[sharer] = total if together else clamped(total)
    return tuple(map(clamped, numbers))


def off_the_table(state: LordState, action: Submitted) -> tuple[Sides, tuple[Submitted, ...]]:
    """Return the players' cards and the Game Area after an Action and its votes are discarded."""
    sides = turned_up(state.sides, action.votes)
    # The card left the hand openly when it was submitted, so no shown card is removed.
    side = sides[index(action.owner)]
    sides = put(sides, action.owner, changed(side, discard=(*side.discard, action.card)))
    return sides, tuple(each for each in state.submitted if each is not action)


_Parts = Mapping[str, object]
"""Parts of a state that a decision changes, by name."""


def decide(state: LordState, action: LordAction, rules: LordRules) -> LordState:
    """Return the state after a legal decision of the player to move."""
    seat = state.asked[0]
    match action:
        case UseAlternate(card=card, on=on):
            moved = _moved(state, seat, card, state.submitted_action(on), rules)
            return changed(state, used=state.used + 1, **moved)
        case ShareLoot(card=card):
            sides = discarded(state.sides, seat, card)
            return changed(state, sides=sides, shares=(*state.shares, (seat, card)))
        case _:
            parts = _once(state, seat, action)
            return changed(state, asked=state.asked[1:], used=0, **parts)


def _once(state: LordState, seat: Seat, action: LordAction) -> _Parts:
    """Return the changes by a player who has one action in a phase."""
    match action:
        case CastVote(card=card, on=on):
            return _voted(state, seat, card, state.submitted_action(on))
        case Submit(card=card):
            sides = out_of_hand(state.sides, seat, card, face_up=True)
            return {"sides": sides, "submitted": with_submitted(state, seat, card)}
        case Discard(card=card):
            return {"sides": discarded(state.sides, seat, card)}
        case Withdraw(on=on):
            sides, submitted = off_the_table(state, state.submitted_action(on))
            return {"sides": sides, "submitted": submitted}
        case PutFirst(on=on):
            return {"due": (on, *(name for name in state.due if name != on))}
        case Sway(by=by):
            return {"stability": clamped(state.stability + by)}
        case Intervene(seat=other, by=by):
            moved = {index(seat), index(other)}
            ratings = (
                clamped(rating + by) if at in moved else rating
                for at, rating in enumerate(state.ratings)
            )
            return {"ratings": tuple(ratings)}
        case PassTurn() | UseAlternate() | ShareLoot():
            return {}


def _voted(state: LordState, seat: Seat, card: str, action: Submitted) -> _Parts:
    vote = Vote(seat=seat, card=card, after_showing=bool(state.side(seat).shown))
    return {
        "sides": out_of_hand(state.sides, seat, card, face_up=False),
        "submitted": state.with_votes(action, (*action.votes, vote), action.markers),
    }


def with_submitted(state: LordState, seat: Seat, card: str) -> tuple[Submitted, ...]:
    """Return the Game Area with a card of `seat` added, under a unique name."""
    names = {action.name for action in state.submitted}
    copies = range(1, CARDS[card].copies + 1)
    name = next(name for copy in copies if (name := submission_name(seat, card, copy)) not in names)
    return (*state.submitted, Submitted(name=name, owner=seat, card=card))


def _moved(state: LordState, seat: Seat, card: str, action: Submitted, rules: LordRules) -> _Parts:
    """Return the changes by +1 or -1 Vote on an Action (LP4)."""
    sides = discarded(state.sides, seat, card)
    votes, markers = action.votes, action.markers
    if CARDS[card].alternate is Alternate.PLUS:
        markers += 1
    elif not votes or (rules.minus_choice is MinusChoice.MARKER and markers):
        markers -= 1
    else:
        at = 0 if rules.minus_choice is MinusChoice.EARLIEST else len(votes) - 1
        sides = turned_up(sides, votes[at : at + 1])
        votes = (*votes[:at], *votes[at + 1 :])
    return {"sides": sides, "submitted": state.with_votes(action, votes, markers)}


_ASKING = (
    Event.FLASH_FLOODS,
    Event.GENERAL_STRIKE,
    Event.CIVILIAN_WATCHDOGS,
    Event.FMI_INTERVENTION,
)
"""Events that every player answers."""


def advance(state: LordState, rules: LordRules) -> LordState:
    """Return the next state with a choice, a deck to be shuffled, or the end."""
    while state.result is None:
        if state.draws:
            state = _drawn(state)
            if state.draws:
                return state
        elif state.revealing:
            if not state.event_deck:
                return state
            state = _revealed(state)
        elif state.asked:
            phase, asked = state.phase, state.asked
            deciding = _deciding(state, phase, asked, rules, used=state.used)
            if deciding == asked:
                return state
            state = changed(state, asked=deciding, used=0)
        else:
            state = _after(state, state.phase, rules)
    return state


def _deciding(
    state: LordState, phase: LordPhase, asked: tuple[Seat, ...], rules: LordRules, *, used: int = 0
) -> tuple[Seat, ...]:
    """Return the players to decide in a phase, from the first with an action besides passing."""
    for at, seat in enumerate(asked):
        if may_decide(state, phase, seat, rules, used=0 if at else used):
            return asked[at:]
    return ()


def _drawn(state: LordState) -> LordState:
    """Return the state after all draws before the first that needs a deck to be shuffled."""
    sides = list(state.sides)
    waiting: tuple[Seat, ...] = ()
    for done, seat in enumerate(state.draws):
        side = sides[index(seat)]
        if side.deck:
            hand = in_order((*side.hand, side.deck[0]))
            sides[index(seat)] = changed(side, deck=side.deck[1:], hand=hand)
        elif side.discard:
            waiting = state.draws[done:]
            break
    return changed(state, sides=tuple(sides), draws=waiting)


def _revealed(state: LordState) -> LordState:
    """Return the state after the next Event is revealed."""
    event = Event(state.event_deck[0])
    order = ORDERS[state.first]
    if event is Event.WHISTLE_BLOWER_SCANDAL:
        state = _shown(state)
    return changed(
        state,
        event=event,
        revealing=False,
        event_deck=state.event_deck[1:],
        asked=order if event in _ASKING else (),
        draws=order if event is Event.FOREIGN_INVESTMENT else (),
    )


def _shown(state: LordState) -> LordState:
    """Return the state after all players have shown the Alternate Modes in hand (LP16)."""

    def seen(side: LordSide) -> LordSide:
        cards = (card for card in side.hand if CARDS[card].alternate is not Alternate.NONE)
        return changed(side, shown=tuple(cards))

    return changed(
        state,
        sides=tuple(seen(side) for side in state.sides),
        submitted=tuple(
            changed(each, votes=tuple(changed(vote, after_showing=False) for vote in each.votes))
            for each in state.submitted
        ),
    )


def _after(state: LordState, phase: LordPhase, rules: LordRules) -> LordState:
    """Return the state in the next phase with a decision or an event."""
    match phase:
        case LordPhase.DEAL:
            return _start_turn(state, rules, turn=1, first=state.first)
        case LordPhase.EVENT:
            return changed(state, phase=LordPhase.UPKEEP, draws=ORDERS[state.first])
        case LordPhase.UPKEEP:
            return _asking(state, LordPhase.VOTING, rules)
        case LordPhase.VOTING if modes_allowed(state, rules):
            return _asking(state, LordPhase.ALTERNATES, rules)
        case LordPhase.VOTING | LordPhase.ALTERNATES:
            return _next_due(state, reached(state), rules)
        case LordPhase.ORDER:
            return _sharing(state, state.due, rules)
        case LordPhase.SHARE if state.current:
            return _carried_out(state, state.current, state.due, rules)
        case LordPhase.SHARE:
            return _next_due(state, state.due, rules)
        case LordPhase.SUBMISSION:
            return _end_turn(state, rules)


def _asking(state: LordState, phase: LordPhase, rules: LordRules) -> LordState:
    """Return the state in a phase, or after it if all players could only pass."""
    asked = _deciding(state, phase, ORDERS[state.first], rules)
    if not asked:
        return _after(state, phase, rules)
    return changed(state, phase=phase, asked=asked)


def _start_turn(state: LordState, rules: LordRules, *, turn: int, first: Seat) -> LordState:
    old = (state.event.value,) if state.event else ()
    return changed(
        state,
        turn=turn,
        first=first,
        phase=LordPhase.EVENT,
        event=None,
        event_discard=(*state.event_discard, *old),
        revealing=rules.events,
    )


def _next_due(state: LordState, due: tuple[str, ...], rules: LordRules) -> LordState:
    """Return the state before the next activated Action, or after the last of them."""
    if not due:
        if not rules.votes_persist:
            state = _without_votes(state)
        return _asking(state, LordPhase.SUBMISSION, rules)
    owner = submission_owner(due[0])
    if len(due) > 1 and submission_owner(due[1]) is owner:
        return changed(state, phase=LordPhase.ORDER, asked=(owner,), due=due)
    return _sharing(state, due, rules)


def _without_votes(state: LordState) -> LordState:
    """Return the state with all votes in the Game Area discarded (LP2)."""
    votes = [vote for action in state.submitted for vote in action.votes]
    bare = tuple(changed(action, votes=(), markers=0) for action in state.submitted)
    return changed(state, sides=turned_up(state.sides, votes), submitted=bare)


def _sharing(state: LordState, due: tuple[str, ...], rules: LordRules) -> LordState:
    """Return the state before the first due Action is carried out, or after it."""
    asked: tuple[Seat, ...] = ()
    if modes_allowed(state, rules):
        asked = _deciding(state, LordPhase.SHARE, ORDERS[state.first], rules)
    if not asked:
        return _carried_out(state, due[0], due[1:], rules)
    return changed(state, phase=LordPhase.SHARE, current=due[0], due=due[1:], asked=asked)


def _carried_out(state: LordState, name: str, due: tuple[str, ...], rules: LordRules) -> LordState:
    """Return the state after an activated Action is carried out, with its consequences."""
    state = carry_out(state, name, rules, due=due)
    if state.draws:
        # Draws come first; the due Actions follow when the cards are drawn.
        return changed(state, phase=LordPhase.SHARE)
    return _next_due(state, due, rules)


def _end_turn(state: LordState, rules: LordRules) -> LordState:
    result = judge(state.ratings, state.stability, rules.uprising_tie)
    if result is None and state.turn >= rules.turn_cap:
        result = Result(winner=None, reason=LordReason.TURN_CAP)
    if result is not None:
        return _end_game(state, result, rules)
    first = ORDERS[state.first][1]
    return _start_turn(state, rules, turn=state.turn + 1, first=first)


def _end_game(state: LordState, result: Result, rules: LordRules) -> LordState:
    """Return the state after a game: the end, or the first deal of the next game."""
    if rules.series is Series.OFF:
        return changed(state, result=result)
    gained = series_points(
        rules.series, state.ratings, result.winner, uprising=result.reason == LordReason.UPRISING
    )
    points = tuple(old + gained[at] for at, old in enumerate(state.points))
    if state.game >= rules.series_games:
        state = changed(state, points=points)
        leaders = [seat for seat in SEATS if points[index(seat)] == max(points)]
        return changed(state, result=Result.of(leaders, LordReason.SERIES))
    return changed(
        opening(rules),
        game=state.game + 1,
        points=points,
        turns_before=state.turns_before + state.turn,
    )
