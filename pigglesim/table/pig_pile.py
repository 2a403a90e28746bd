"""View of Pig Pile: the pile, the known part of hands, and the log in words."""

from collections.abc import Iterator, Mapping, Sequence

from pigglesim.games.game import Result
from pigglesim.games.pig_pile import (
    EWE_TURN,
    HOG_TIED,
    HOG_WASH,
    HOG_WILD,
    PRIZES,
    DrawTo,
    FaceUp,
    PickUp,
    PigPileAction,
    PigPilePhase,
    PigPileState,
    Play,
    Slop,
    act,
    format_card,
    format_cards,
    goes_out,
    round_awards,
    round_is_over,
    washes,
)
from pigglesim.landing import Seat
from pigglesim.match.entries import MatchOutcome
from pigglesim.match.runner import MatchEvent
from pigglesim.table.layout import Cards as Group
from pigglesim.table.layout import Note, Part, Piece, Piles, Spread
from pigglesim.table.view import Area, GameView, Line, Tone, read_page, result_sentence
from pigglesim.units import counted

_SEATS = tuple(Seat)
_PLACES = ("first", "second")


def _action_text(before: PigPileState, action: PigPileAction) -> str:
    match action:
        case Play(cards=cards):
            return f"plays {format_cards(cards)}"
        case PickUp(face_up=card):
            with_card = "" if card is None else f" and the face-up {format_card(card)}"
            return f"takes up the pile of {counted(len(before.pile), 'card')}{with_card}"
        case Slop(slot=slot):
            card = before.slops[before.mover][slot - 1]
            return f"turns over a face-down {format_card(card)}"
        case FaceUp():
            return "has chosen which three cards lie face up"


def _effects(
    before: PigPileState, after: PigPileState, action: PigPileAction, names: Mapping[Seat, str]
) -> Iterator[Line]:
    """Yield a wash, a drawn card, players who are out and missed turns."""
    place = before.mover
    washed = len(after.aside) - len(before.aside)
    value = action.value if isinstance(action, Play) else None
    if isinstance(action, Slop):
        value = before.slops[place][action.slot - 1]
        if not (after.pile or washed):
            count = counted(len(before.pile) + 1, "card")
            yield Line(f"It is too low: {count} into the hand", Tone.MOVE)
            return
    if washed:
        again = "" if place in after.out else ", and another turn"
        yield Line(f"Hog Wash! {counted(washed, 'card')} set aside{again}", Tone.MOVE)
    if after.direction != before.direction and value == EWE_TURN:
        direction = "clockwise again" if after.direction == 1 else "the other way round"
        yield Line(f"Ewe Turn: play goes {direction}", Tone.MOVE)
    drawn = len(before.draw) - len(after.draw)
    if drawn:
        last = ", the last" if not after.draw else ""
        yield Line(f"Draws {counted(drawn, 'card')}{last}", Tone.MOVE)
    if place in after.out:
        rank = _PLACES[after.out.index(place)]
        yield Line(f"Out of cards, {rank} of all", Tone.SCORE)
    if not (washed and place not in after.out) and len(after.out) < len(PRIZES):
        yield from _missed(before, after, names)


def _missed(before: PigPileState, after: PigPileState, names: Mapping[Seat, str]) -> Iterator[Line]:
    """Yield the missed turn of the nearest player who is in, unless that player moves now."""
    count = before.count
    ring = [(before.mover + after.direction * step) % count for step in range(1, count)]
    nearest = next((place for place in ring if place not in after.out), None)
    if nearest is not None and nearest != after.mover:
        yield Line(f"{names[_SEATS[nearest]]} is tied up and misses a turn", Tone.MOVE)


_COLOURS = {
    HOG_WILD: "#d75faf",
    HOG_TIED: "#d9a520",
    HOG_WASH: "#5fafd7",
    EWE_TURN: "#5faf5f",
}
"""Colours of special cards; their numbers alone identify them."""
_ART = {HOG_WILD: "star", HOG_TIED: "rope", HOG_WASH: "bath", EWE_TURN: "turn"}
_SPECIALS = {
    HOG_WILD: "Hog Wild",
    HOG_TIED: "Hog Tied",
    HOG_WASH: "Hog Wash",
    EWE_TURN: "Ewe Turn",
}
_UNSEEN = "?"
_PILE_SHOWN = 24
"""Number of uppermost cards shown of a large pile."""


class PigPileView(GameView):
    """View of Pig Pile."""

    hides = True
    ordered = False
    rounds_shown = 6

    def table(self, state: PigPileState, viewer: Seat | None) -> tuple[Part, ...]:
        parts: list[Part] = []
        if state.phase is PigPilePhase.DEAL:
            parts.append(Note(text="All cards are with the dealer, to be shuffled."))
        else:
            parts += _pile(state)
        for place, seat in enumerate(self._game.seats):
            moves = state.mover == place and state.phase is not PigPilePhase.OVER
            pigs, out = counted(state.pigs[place], "pig"), place in state.out
            text = f"{pigs}   out" if out else pigs
            parts.append(Note(strong=self.names[seat], text=text, seat=seat, moves=moves))
            if not out and state.phase in {PigPilePhase.PLAY, PigPilePhase.CHOOSE}:
                parts += _cards_of(state, place, viewer)
        return tuple(parts)

    def public_table(self, state: PigPileState) -> tuple[Part, ...]:
        first, second, *_ = self._game.seats
        one, other = (self.table(state, seat) for seat in (first, second))
        # The hand that a player sees is hidden from the next one.
        return tuple(
            covered if isinstance(part, Group | Note) and part.seat is first else part
            for part, covered in zip(one, other, strict=True)
        )

    def time(self, state: PigPileState) -> str:
        turn = f", turn {state.turns + 1}" if state.phase is PigPilePhase.PLAY else ""
        return f"Round {state.round}{turn}"

    def heading(self, state: PigPileState) -> str:
        rounds = f"Round {state.round} of {self._rules.rounds}"
        name = self.names[_SEATS[state.mover]]
        phases = {
            PigPilePhase.DEAL: f"{name} deals",
            PigPilePhase.CHOOSE: f"{name} chooses",
            PigPilePhase.PLAY: name,
            PigPilePhase.OVER: "the match is over",
        }
        return f"{rounds} · {phases[state.phase]}"

    def guide(self, state: PigPileState, seat: Seat | None) -> str:
        who = self.names[_SEATS[state.mover]]
        match state.phase:
            case PigPilePhase.OVER:
                return "The match is over: most pigs win."
            case PigPilePhase.DEAL:
                return f"{who} shuffles and deals."
            case _ if seat is None:
                return f"{who} is to move."
            case PigPilePhase.CHOOSE:
                return "Choose three of your seven cards to lie face up. They are played last."
            case PigPilePhase.PLAY:
                return self._play_guide(state)

    def _play_guide(self, state: PigPileState) -> str:
        place, pile = state.mover, state.pile
        fits = f"{pile[-1]} or higher, or W" if pile and pile[-1] else "anything"
        if state.hands[place]:
            draws = " Then you draw." if state.draw else ""
            return f"Play {fits}, as many of one value as you like.{draws}"
        if state.ups[place]:
            return f"Your hand is empty: play {fits} of your face-up cards."
        if fits == "anything":
            return "Turn over a face-down card: whatever it is, it fits."
        return f"Turn over a face-down card: if it is not {fits}, take it up with the pile."

    def areas(self, state: PigPileState) -> Sequence[Area]:
        rows = {"hand": state.hands, "face up": state.ups, "Slop": state.slops}
        return self.table_of({name: map(len, cards) for name, cards in rows.items()})

    def decided(
        self, event: MatchEvent[PigPileState], seat: Seat, action: PigPileAction
    ) -> Iterator[Line]:
        before, game = event.before, self._game
        after = act(before, action, game.rules)
        yield Line(f"{self.names[seat]} {_action_text(before, action)}", Tone.TURN, seat)
        if isinstance(action, FaceUp):
            if after.phase is PigPilePhase.PLAY:
                face_up = zip(game.seats, after.ups, strict=True)
                ups = ", ".join(f"{player} {format_cards(cards)}" for player, cards in face_up)
                yield Line(f"All have chosen; face up lie: {ups}", Tone.MOVE)
            return
        yield from _effects(before, after, action, self.names)
        if round_is_over(after, game.rules):
            awards = zip(game.seats, round_awards(after), strict=True)
            paid = ", ".join(f"{player} {pigs}" for player, pigs in awards)
            cap = "" if len(after.out) >= len(PRIZES) or len(after.left) == 1 else " by the cap"
            yield Line(f"Round {before.round} is over{cap}. Pigs: {paid}", Tone.SCORE)

    def rolled(self, event: MatchEvent[PigPileState], outcome: MatchOutcome) -> Iterator[Line]:
        seat = outcome.thrower
        deal = f"Round {event.before.round}: {self.names[seat]} shuffles and deals, "
        deal += f"{len(event.after.draw)} cards are left to draw"
        yield Line(deal, Tone.ROLL, seat)

    def ending(self, state: PigPileState, result: Result) -> str:
        pigs = ", ".join(f"{seat} {count}" for seat, count in self._game.scores(state).items())
        return f"{result_sentence(result, self.names)}: {pigs}"

    def action_text(self, state: PigPileState, action: PigPileAction) -> str:
        match action:
            case Play(cards=cards):
                washed = washes(action.value, len(cards), state, self._rules)
                effects = [_EFFECTS[action.value]] if action.value in _EFFECTS else []
                effects += [_EFFECTS[HOG_WASH]] if washed and action.value != HOG_WASH else []
                effect_text = " and ".join(effects)
                return f"play {format_cards(cards)}" + (f": {effect_text}" if effect_text else "")
            case PickUp(face_up=card):
                with_card = "" if card is None else f", and your face-up {format_card(card)}"
                return f"take up the pile: {counted(len(state.pile), 'card')}{with_card}"
            case Slop(slot=slot):
                return f"turn over face-down card {slot}"
            case FaceUp(cards=cards):
                return f"lay {format_cards(cards)} face up"

    def why(self, state: PigPileState, best: PigPileAction, played: PigPileAction | None) -> str:
        if isinstance(played, PickUp) and not isinstance(best, PickUp):
            return f"taking up the pile puts {counted(len(state.pile), 'card')} into your hand"
        if not (isinstance(best, Play) and isinstance(played, Play)):
            return ""
        more = len(best.cards) - len(played.cards)
        again, before = (
            washes(each.value, len(each.cards), state, self._rules) for each in (best, played)
        )
        if again and not before and not goes_out(len(best.cards), state):
            return "a Hog Wash sets the pile aside and gives you another turn"
        if more > 0:
            return f"it rids you of {counted(more, 'more card')} in the same turn"
        if again and more < 0:
            return "fewer cards wash the pile too, and the rest fits on more later"
        if played.value == HOG_WILD != best.value:
            return "Hog Wild fits on anything, so it is worth more later"
        if more < 0 or again or before or {best.value, played.value} & _EFFECTS.keys():
            return ""
        if best.value < played.value:
            card = format_card(played.value)
            return f"the lower card goes first: {card} fits on more piles later"
        must, instead = format_card(best.value), format_card(played.value)
        return f"the next player must play {must} or higher, not {instead} or higher"

    def involved(self, action: object) -> tuple[str, ...]:
        match action:
            case Play(cards=cards) | FaceUp(cards=cards):
                return tuple(map(_card_id, cards))
            case PickUp():
                return ("pile",)
            case Slop(slot=slot):
                return (f"down {slot}",)
            case _:
                return ()

    @property
    def page(self) -> str:
        rules = self._rules
        cards = "up to four in hand" if rules.draw_to is DrawTo.FOUR else "a card"
        return read_page(
            "pig_pile",
            rounds="One round" if rules.rounds == 1 else f"{rules.rounds} rounds",
            prizes=_TWO_PRIZES if rules.players == len(PRIZES) else _MORE_PRIZES,
            mix=", with Hog Wilds beneath if you like," if rules.wild_mix else "",
            draws=f", then draw {cards} while there are any",
            choice=", or if you like" if rules.voluntary_pickup else "",
            fits="fits on anything; " if rules.wash_any_time else "",
            again=_AGAIN if rules.two_player_reverse else "",
            but="" if rules.wild_triple else ", but not of Hog Wilds",
            cancel=_CANCEL if rules.wash_cancels_effect else "",
            join=_JOIN if rules.join_zones else "",
        )


_AGAIN = "; between the last two it gives another turn"
_CANCEL = " A 4 or an 11 that washes has no other effect."
_JOIN = " With the last of your hand you may play equal face-up cards."
_TWO_PRIZES = "The first who is out has 3 pigs, which ends the round; the other has none."
_MORE_PRIZES = """\
The first who is out has 3 pigs and the second 2, which ends
the round; of the others each has 1, but none who is left with the most cards."""


_EFFECTS = {
    HOG_WILD: "counts as zero",
    HOG_TIED: "the next player misses a turn",
    HOG_WASH: "washes the pile away",
    EWE_TURN: "turns the direction of play",
}


def _piece(card: int, piece_id: str = "") -> Piece:
    return Piece(
        label=format_card(card),
        id=piece_id,
        words=_SPECIALS.get(card, ""),
        colour=_COLOURS.get(card),
        art=_ART.get(card, ""),
    )


def _played(card: int) -> Piece:
    """Return a card that the player to move may play."""
    return _piece(card, _card_id(card))


def _card_id(card: int) -> str:
    return f"card {format_card(card)}"


def _pile(state: PigPileState) -> Iterator[Part]:
    """Yield the Pig Pile from bottom to top, and the piles next to it."""
    hidden = max(len(state.pile) - _PILE_SHOWN, 0)
    yield Group(
        name="Pig Pile",
        cards=tuple(_piece(card, "pile") for card in state.pile[hidden:]),
        more=hidden,
        note="< top" if state.pile else "empty: any card may begin it",
        spread=Spread.PILE,
    )
    # Two players take turns in either direction.
    direction = "clockwise: A, B, C ..." if state.direction == 1 else "the other way: C, B, A ..."
    about = [f"{counted(state.pen, 'pig')} in the Pig Pen", direction][: state.count - 1]
    yield Piles(
        counts=(("Draw Pile", len(state.draw)), ("washed away", len(state.aside))),
        text=" · ".join(about),
    )
    if state.tied:
        yield Note(strong="The next player is tied up.")


def _cards_of(state: PigPileState, place: int, viewer: Seat | None) -> Iterator[Part]:
    """Yield a player's hand and cards on the table, as far as the viewer knows them."""
    seat, own = _SEATS[place], viewer is None or viewer is _SEATS[place]
    hand, known = state.hands[place], state.known[place]
    moves = own and place == state.mover
    made = _played if moves else _piece
    cards = tuple(made(card) for card in (hand if own else known))
    unseen = (Piece(label=_UNSEEN, face_down=True),) * (0 if own else len(hand) - len(known))
    note = "" if hand else "empty"
    yield Group(name="hand", cards=(*cards, *unseen), seat=seat, note=note, spread=Spread.HAND)
    if (place - state.dealer) % state.count < len(state.chosen):
        yield Note(text="    has chosen what lies face up")
        return
    # These are played once the hand is empty.
    made = _played if moves and not hand else _piece
    up = tuple(made(card) for card in state.ups[place])
    down = tuple(
        Piece(
            label=format_card(card) if viewer is None else "",
            id=f"down {slot}" if moves else "",
            face_down=True,
        )
        for slot, card in enumerate(state.slops[place], start=1)
    )
    yield Group(name="table", cards=(*up, *down), seat=seat)
