"""View of Lord of the P.I.G.S.: Ratings, the Game Area, hands and the log in words."""

from collections.abc import Iterator, Sequence

from pigglesim.games.lord_of_the_pigs.rules import (
    PASS,
    CastVote,
    Discard,
    Intervene,
    LordAction,
    PassTurn,
    PutFirst,
    ShareLoot,
    Submit,
    Sway,
    UseAlternate,
    Withdraw,
    shared_with,
)
from pigglesim.games.lord_of_the_pigs.state import (
    ACTORS,
    CARDS,
    DECK_SIZE,
    HIDDEN,
    HIGHEST,
    ORDERS,
    SEATS,
    Alternate,
    Effect,
    Event,
    LordPhase,
    LordState,
    Series,
    ShareAmount,
    Submitted,
    UprisingTie,
    actor,
    card_name,
    effect,
    index,
    under,
)
from pigglesim.landing import Seat
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.table.layout import Cards, Note, Part, Piece, Scale, Spread
from pigglesim.table.view import Area, GameView, Line, Tone, read_page
from pigglesim.units import counted

_MODES = """\
first everyone may discard {cards} for their Alternate Mode: **+1 Vote** or
  **-1 Vote** on any Action. Then """

_SHARE = """
**Share Benefits.** Just before an Action is carried out, you may discard {rares} so: your
Rating then changes {change} of the actor it names, on top of your own change.
"""
_CHANGES = {
    ShareAmount.NOMINAL: "by what the Action says",
    ShareAmount.ACTUAL: "as that",
}

_SERIES = {
    Series.REGULAR: "winner 3, second 1; after an uprising winner 2",
    Series.COMPETITIVE: "your Rating, the winner 3 more; after an uprising winner 5, others 0",
}


PHASES = {
    LordPhase.DEAL: "Deal",
    LordPhase.EVENT: "Event",
    LordPhase.UPKEEP: "Upkeep",
    LordPhase.VOTING: "Voting",
    LordPhase.ALTERNATES: "Activation: Alternate Modes",
    LordPhase.ORDER: "Activation: Order",
    LordPhase.SHARE: "Activation: Share Benefits",
    LordPhase.SUBMISSION: "Submission",
}
"""Display names of the phases."""
_STABILITY = "Stability"


def card_words(seat: Seat, card: str) -> str:
    """Return the name of a card, if it is known."""
    return "a hidden card" if card == HIDDEN else card_name(seat, card)


def action_words(action: Submitted) -> str:
    """Return the owner and name of a submitted Action."""
    owner = actor(action.owner)
    name = card_words(action.owner, action.card)
    return name if name.startswith(owner) else f"{owner}'s {name}"


def votes_words(action: Submitted, *, more: int = 0) -> str:
    """Return how many votes an Action has, or will have, and how many it needs."""
    return f"{action.vote_count + more} of {counted(CARDS[action.card].threshold, 'vote')}"


def effect_of(state: LordState, seat: Seat, card: str) -> Effect:
    """Return the changes that a card would make under the active Event."""
    return under(state.event, effect(seat, card))


def effect_words(change: Effect) -> str:
    """Return the changes of an effect: `President +2, Energy -1, Stability +1`."""
    names = (*(actor_name.value for actor_name in ACTORS), _STABILITY)
    parts = [f"{name} {change:+}" for name, change in zip(names, change, strict=True) if change]
    return ", ".join(parts) or "nothing"


def _by_actor(numbers: Sequence[int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in zip(ACTORS, numbers, strict=True))


_MODE_WORDS = {Alternate.NONE: "", Alternate.PLUS: "+1 Vote", Alternate.MINUS: "-1 Vote"}


def alternate_words(seat: Seat, card: str) -> str:
    """Return the Alternate Mode of a card in hand, in a few words; empty if it has none."""
    mode = CARDS[card].alternate
    return (
        _MODE_WORDS[mode] if mode in _MODE_WORDS else f"share with {actor(shared_with(seat, card))}"
    )


def _own_words(state: LordState, seat: Seat, owner: Seat, card: str) -> str:
    """Return the effect of a card for the player who decides."""
    change = effect_of(state, owner, card)
    return f"you {change[index(seat)]:+}, {_STABILITY} {change[-1]:+}"


_PASSES = {
    LordPhase.VOTING: "vote for nothing",
    LordPhase.ALTERNATES: "discard nothing",
    LordPhase.SHARE: "share nothing",
    LordPhase.SUBMISSION: "submit nothing",
}


def _story_text(state: LordState, seat: Seat, action: LordAction) -> str:
    match action:
        case CastVote(on=on):
            return f"votes for {_vote_text(state, on, more=1)}"
        case UseAlternate(card=card, on=on):
            more = 1 if CARDS[card].alternate is Alternate.PLUS else -1
            target = _vote_text(state, on, more=more)
            mode = alternate_words(seat, card)
            return f"discards {card_words(seat, card)} for {mode} on {target}"
        case ShareLoot(card=card):
            other = actor(shared_with(seat, card))
            return f"discards {card_words(seat, card)} to share benefits with {other}"
        case Submit(card=card):
            change = effect_words(effect_of(state, seat, card))
            return f"submits {card_words(seat, card)}: {change}"
        case Discard(card=card):
            return f"loses {card_words(seat, card)}"
        case Withdraw(on=on):
            return f"gives up {_vote_text(state, on)}"
        case PutFirst(on=on):
            return f"has {_vote_text(state, on)} carried out first"
        case Sway(by=by):
            return f"moves Social Stability by {by:+}"
        case Intervene(seat=other, by=by):
            return f"moves their own Rating and that of {actor(other)} by {by:+}"
        case PassTurn():
            return "votes for nothing" if state.phase is LordPhase.VOTING else "submits nothing"


def _vote_text(state: LordState, name: str, *, more: int = 0) -> str:
    action = state.submitted_action(name)
    return f"{action_words(action)}, {votes_words(action, more=more)}"


def _carried_out(
    before: LordState, after: LordState, action: LordAction | None = None
) -> Iterator[Line]:
    """Yield the activated Actions, and the Ratings if they changed."""
    if after.game > before.game:
        return
    remaining = {submitted.name for submitted in after.submitted}
    given_up = action.on if isinstance(action, Withdraw) else ""
    remaining.add(given_up)
    activated = [submitted for submitted in before.submitted if submitted.name not in remaining]
    chosen = action.on if isinstance(action, PutFirst) else before.current
    for submitted in sorted(activated, key=lambda submitted: _order(before, chosen, submitted)):
        change = effect_words(effect_of(before, submitted.owner, submitted.card))
        yield Line(f"Activated: {action_words(submitted)}: {change}", Tone.MOVE)
    if (before.ratings, before.stability) != (after.ratings, after.stability):
        now = f"Now {_by_actor(after.ratings)}; {_STABILITY} {after.stability}"
        yield Line(now, Tone.SCORE)


def _order(state: LordState, first: str, action: Submitted) -> tuple[int, int]:
    """Return the sort key of an Action among those carried out in this phase, one of them first."""
    due = (first, *state.due)
    at = due.index(action.name) if action.name in due else len(due)
    return at, ORDERS[state.first].index(action.owner)


def _turn(before: LordState, after: LordState) -> Iterator[Line]:
    """Yield the end of a game in a series, the start of a turn and its Event."""
    if after.points != before.points:
        points = _by_actor(after.points)
        yield Line(f"Game {before.game} is over. Points: {points}", Tone.SCORE)
    new_turn = (after.game, after.turn) != (before.game, before.turn)
    if new_turn and after.result is None and after.phase is not LordPhase.DEAL:
        yield Line(f"Turn {after.turn}: {actor(after.first)} is first", Tone.NOTE)
    event = after.event
    if event is None or after.revealing or (event is before.event and not new_turn):
        return
    yield Line(f"Event: {event.label}. {event.text}", Tone.ROLL)
    if event is Event.WHISTLE_BLOWER_SCANDAL:
        for seat in SEATS:
            shown = ", ".join(after.side(seat).shown) or "nothing"
            yield Line(f"{actor(seat)} shows {shown}", Tone.MOVE, seat)


_GUIDES = {
    LordPhase.VOTING: "Which Action should take effect? Your vote is a card, face down on it.",
    LordPhase.ALTERNATES: "Votes are about to be counted. Discard a card to add or take a vote?",
    LordPhase.ORDER: "Several of your Actions are activated: which comes first?",
    LordPhase.SHARE: "Share Benefits, or not, of the Action that comes now.",
    LordPhase.SUBMISSION: "Which Action do you submit? It needs votes in a later turn.",
}
_SECRET = frozenset({LordPhase.ALTERNATES, LordPhase.SHARE})
"""Phases that hide who decides or passes, as only holders of certain cards decide."""


class LordView(GameView):
    """View of Lord of the P.I.G.S."""

    skip = PASS
    done = PASS
    hides = True
    ordered = False
    rounds_shown = 8
    round_name = "turn"
    legend = (
        "Who alone has a Rating of 10 wins; at Social Stability 0 the lowest Rating wins. An "
        "Action changes P B C E S: the Ratings of President, Banker, Corporate and Energy, and "
        "Social Stability"
    )
    seat_names = {seat: actor(seat).value for seat in SEATS}  # noqa: RUF012 (never changed)

    def time(self, state: LordState) -> str:
        series = self._rules.series is not Series.OFF
        game = f"Game {state.game}, turn" if series else "Turn"
        return f"{game} {state.turn}"

    def heading(self, state: LordState) -> str:
        phase = PHASES[state.phase].removeprefix("Activation: ")
        phase = "the match is over" if state.result is not None else phase
        return f"{self.time(state)} · {actor(state.first)} first · {phase}"

    def guide(self, state: LordState, seat: Seat | None) -> str:
        if state.result is not None:
            return "The match is over."
        if seat is None:
            quiet = state.phase in _SECRET or not state.asked
            return PHASES[state.phase] if quiet else f"{actor(state.asked[0])} decides."
        if state.phase is LordPhase.EVENT and state.event is not None:
            return f"{actor(seat)}: {state.event.label}. {state.event.text}"
        guide = f"{actor(seat)} · {_GUIDES.get(state.phase, PHASES[state.phase])}"
        current = state.action(state.current)
        if current is None:
            return guide
        change = effect_words(effect_of(state, current.owner, current.card))
        return f"{guide} {current.name}: {change}"

    def table(self, state: LordState, viewer: Seat | None) -> tuple[Part, ...]:
        seen = state if viewer is None else self._game.observe(state, viewer).table
        return (*_scales(seen), *_event(seen), *_hands(seen, viewer), _area(seen))

    def public_table(self, state: LordState) -> tuple[Part, ...]:
        # What a player sees of the own cards and votes is hidden from the next one.
        for seat in SEATS[:2]:
            state = self._game.observe(state, seat).table
        return (*_scales(state), *_event(state), *_shown(state), _area(state))

    def involved(self, action: object) -> tuple[str, ...]:
        match action:
            case CastVote(card=card, on=on) | UseAlternate(card=card, on=on):
                return card, on
            case ShareLoot(card=card) | Submit(card=card) | Discard(card=card):
                return (card,)
            case Withdraw(on=on) | PutFirst(on=on):
                return (on,)
            case _:
                return ()

    def areas(self, state: LordState) -> Sequence[Area]:
        return self.table_of(
            {
                "Hand": [len(side.hand) for side in state.sides],
                "Deck": [len(side.deck) for side in state.sides],
                "Discard": [len(side.discard) for side in state.sides],
            }
        )

    def decided(
        self, event: MatchEvent[LordState], seat: Seat, action: LordAction
    ) -> Iterator[Line]:
        if not (isinstance(action, PassTurn) and event.before.phase in _SECRET):
            text = _story_text(event.before, seat, action)
            yield Line(f"{actor(seat)} {text}", Tone.TURN, seat)
        yield from _carried_out(event.before, event.after, action)
        yield from _turn(event.before, event.after)

    def rolled(self, event: MatchEvent[LordState], outcome: MatchOutcome) -> Iterator[Line]:
        yield from _carried_out(event.before, event.after)
        yield from _turn(event.before, event.after)

    def heading_of(self, state: LordState, action: LordAction) -> str:
        if not isinstance(action, CastVote | UseAlternate):
            return ""
        target = state.submitted_action(action.on)
        change = _own_words(state, state.asked[0], target.owner, target.card)
        what = f"{action_words(target)} ({change}; {votes_words(target)})"
        if isinstance(action, CastVote):
            return f"vote for {what}"
        adds = CARDS[action.card].alternate is Alternate.PLUS
        return f"add a vote to {what}" if adds else f"take a vote from {what}"

    def action_text(self, state: LordState, action: LordAction) -> str:
        seat = state.asked[0]
        match action:
            case CastVote(card=card):
                return f"{self.heading_of(state, action)} with {card_name(seat, card)}"
            case UseAlternate(card=card):
                return f"{self.heading_of(state, action)} by discarding {card_name(seat, card)}"
            case ShareLoot(card=card):
                current = state.submitted_action(state.current)
                by = effect_of(state, current.owner, current.card)[index(shared_with(seat, card))]
                what = f"discard {card_name(seat, card)} and {alternate_words(seat, card)}"
                return f"{what}: your Rating {by:+}"
            case Submit(card=card):
                return f"submit {card_name(seat, card)}: {_own_words(state, seat, seat, card)}"
            case Discard(card=card):
                return f"discard {card_name(seat, card)}"
            case Withdraw(on=on):
                target = state.submitted_action(on)
                return f"give up {action_words(target)}, {votes_words(target)}"
            case PutFirst(on=on):
                return f"{action_words(state.submitted_action(on))} first"
            case Sway(by=by):
                return f"Social Stability {by:+}"
            case Intervene(seat=other, by=by):
                return f"you and {actor(other)} {by:+} each"
            case PassTurn():
                return _PASSES.get(state.phase, "pass")

    @property
    def page(self) -> str:
        rules = self._rules
        cards = "cards"
        if rules.alt_limit < DECK_SIZE:
            cards = f"up to {counted(rules.alt_limit, 'card')} a turn"
        falls = rules.uprising_tie is UprisingTie.FALL_THROUGH
        page = read_page(
            "lord_of_the_pigs",
            tie="unless it is shared" if falls else "and if it is shared nobody does",
            event=" and an Event is revealed" if rules.events else "",
            wars=" of another player" if rules.diplomacy_wars else "",
            modes=_MODES.format(cards=cards) if rules.alternate_modes and rules.alt_limit else "",
            votes=" with their votes" if rules.votes_persist else ", their votes do not",
        )
        if rules.alternate_modes and rules.share_limit:
            page += _SHARE.format(
                rares="a rare that says" if rules.share_limit == 1 else "both rares that say",
                change=_CHANGES[rules.share_amount],
            )
        if rules.events:
            page += "\n**Events**: ten change the game, ten are Business as usual.\n\n"
            events = [event for event in Event if event is not Event.BUSINESS_AS_USUAL]
            page += "".join(f"- **{event.label}**: {event.text}\n" for event in events)
        if rules.series is not Series.OFF:
            page += f"\n**A series of {rules.series_games} games**: {_SERIES[rules.series]}.\n"
        return page


def _scales(state: LordState) -> Iterator[Scale]:
    for seat, rating in zip(SEATS, state.ratings, strict=True):
        who = actor(seat)
        yield Scale(name=who, note=who.variable, value=rating, high=HIGHEST, seat=seat)
    yield Scale(name="The People", note="Social Stability", value=state.stability, high=HIGHEST)


_COLUMNS = (*(name[0] for name in (*ACTORS, _STABILITY)),)


def _event(state: LordState) -> Iterator[Note]:
    event = state.event
    if event is Event.BUSINESS_AS_USUAL:
        yield Note(text=event.label)
    elif event is not None:
        yield Note(strong=f"{event.label}:", text=f" {event.text}")


def _numbers(change: Effect) -> tuple[str, ...]:
    """Return the changes of an effect in columns, those of `_COLUMNS`."""
    return tuple(f"{number:+}" if number else "·" for number in change)


_ART = dict(zip(SEATS, ("sash", "coins", "factory", "bolt"), strict=True))
"""Drawing on the cards of each actor."""


def _key(seat: Seat, card: str) -> str:
    """Return what identifies a card in all places; nothing does if it is hidden."""
    return "" if card == HIDDEN else f"{seat}.{card}"


def _area(state: LordState) -> Cards | Note:
    """Return the Actions on the table, with their votes."""
    if not state.submitted:
        return Note(strong="Nothing is on the table.")
    return Cards(
        name="On the table",
        cards=tuple(_submitted(state, action) for action in state.submitted),
        columns=(*_COLUMNS, "votes"),
        seats=SEATS,
    )


def _submitted(state: LordState, action: Submitted) -> Piece:
    voters = [
        f"{actor(vote.seat)}{'' if vote.card == HIDDEN else f' ({vote.card})'}"
        for vote in action.votes
    ]
    voters += ["+1 Vote"] * action.markers
    threshold = CARDS[action.card].threshold
    votes = f"{action.vote_count}/{threshold}"
    cast = tuple(
        Piece(
            label="" if vote.card == HIDDEN else vote.card,
            key=_key(vote.seat, vote.card),
            words=f"a vote of {actor(vote.seat)}",
            seat=vote.seat,
            face_down=True,
        )
        for vote in action.votes
    )
    markers = (Piece(label="+1", words="+1 Vote"),) * action.markers
    return Piece(
        label=action.name,
        id=action.name,
        key=_key(action.owner, action.card),
        art=_ART[action.owner],
        holds=(*cast, *markers),
        needs=threshold,
        words=card_name(action.owner, action.card),
        seat=action.owner,
        marked=action.name == state.current,
        numbers=(*_numbers(effect_of(state, action.owner, action.card)), votes),
        note=f"by {', '.join(voters)}" if voters else "",
    )


def _hands(state: LordState, viewer: Seat | None) -> Iterator[Part]:
    """Yield a player's own hand in full and the revealed cards of others, or all hands by tags."""
    if viewer is not None:
        yield _hand(state, viewer)
        yield from (note for note in _shown(state) if note.seat is not viewer)
        return
    for seat, side in zip(SEATS, state.sides, strict=True):
        if side.hand:
            yield Note(strong=f"{actor(seat)} holds {', '.join(side.hand)}", seat=seat)


def _shown(state: LordState) -> Iterator[Note]:
    """Yield the revealed cards of all players."""
    for seat, side in zip(SEATS, state.sides, strict=True):
        if side.shown:
            yield Note(strong=f"{actor(seat)} has shown {', '.join(side.shown)}", seat=seat)


def _hand(state: LordState, seat: Seat) -> Part:
    hand = state.side(seat).hand
    if not hand:
        return Note(strong="Your hand is empty.", seat=seat)
    cards = tuple(
        Piece(
            label=card,
            id=card,
            key=_key(seat, card),
            art=_ART[seat],
            needs=CARDS[card].threshold,
            words=card_name(seat, card),
            numbers=(
                *_numbers(effect_of(state, seat, card)),
                str(CARDS[card].threshold),
                alternate_words(seat, card).replace("share with", "share"),
            ),
        )
        for card in hand
    )
    columns = (*_COLUMNS, "needs", "or")
    return Cards(
        name="Hand", cards=cards, seat=seat, columns=columns, seats=SEATS, spread=Spread.HAND
    )
