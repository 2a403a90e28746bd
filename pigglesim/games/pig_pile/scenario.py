"""Scenarios of Pig Pile: plays and pick-ups applied one by one to the round at hand."""

from collections.abc import Callable, Mapping

from pigglesim.errors import IllegalActionError, SpecError
from pigglesim.games.change import changed
from pigglesim.games.pig_pile.actions import PickUp, PigPileAction, Play, Slop
from pigglesim.games.pig_pile.dealing import CARDS_EACH
from pigglesim.games.pig_pile.game import act
from pigglesim.games.pig_pile.house_rules import PigPileRules
from pigglesim.games.pig_pile.playing import pick_up, playable
from pigglesim.games.pig_pile.scenario_setup import (
    PigPileSetup,
    compare,
    plain_cards,
    read_cards,
    read_seat,
    read_setup,
)
from pigglesim.games.pig_pile.state import DECK, Cards, PigPileState, format_cards, less, merged
from pigglesim.games.scenario import Mismatch, Scenario, as_mapping, follow_events

_Event = Mapping[str, object]
_Outcome = PigPileSetup | Mismatch


def play_pile_scenario(scenario: Scenario) -> Mismatch | None:
    """Return the first difference between what a scenario expects and what the rules give.

    Raises:
        PigglesimError: If the scenario names something unknown or asks for something illegal.
    """
    scene = follow_events(
        scenario,
        read_setup(scenario.setup, PigPileRules.from_mapping(scenario.config)),
        _EVENTS,
        lambda happen, now, event: happen(now, event),
    )
    return scene if isinstance(scene, Mismatch) else compare(scenario.expected, scene)


def _need(event: _Event, key: str) -> object:
    if key not in event:
        raise SpecError(f"{key} in the event {event['do']}", got="none", remedy=f"add {key!r}")
    return event[key]


def _moving(scene: PigPileSetup, event: _Event) -> PigPileSetup:
    """Return the scene on the turn of the player whom an event names, if it is that player's."""
    state = scene.state
    place = state.mover
    if "player" in event:
        place = scene.place(read_seat("player", event["player"]))
    if not scene.turn_is_told:
        scene = scene.at(changed(state, mover=place))
    if scene.is_over or place != scene.state.mover:
        on = "nobody, for the round is over" if scene.is_over else scene.seats[state.mover]
        raise IllegalActionError(
            f"{event['do']} by the player to move",
            got=f"{scene.seats[place]}, while it is the turn of {on}",
            remedy="the turns in their order",
            rule="R3",
        )
    return scene


def _play(scene: PigPileSetup, event: _Event) -> _Outcome:
    cards = tuple(sorted(read_cards("cards", _need(event, "cards"))))
    if not cards:
        raise SpecError("cards in the event play", got="none", remedy='"cards": [7, 7]')
    scene = _moving(scene, event)
    state = scene.state
    place = state.mover
    if place in scene.untold:
        # Of this player's cards nothing was told but that these are among them.
        hand = state.hands[place]
        hand = merged(hand, less(cards, hand))
        hands = (*state.hands[:place], hand, *state.hands[place + 1 :])
        state = changed(state, hands=hands)
    return scene.at(act(state, _action(state, cards), scene.rules))


def _action(state: PigPileState, cards: Cards) -> PigPileAction:
    """Return the play of these cards; of one card of the Slop, its being turned over."""
    place, slop = state.mover, state.slops[state.mover]
    if state.hands[place] or state.ups[place]:
        return Play(cards)
    if len(cards) > 1 or cards[0] not in slop:
        raise IllegalActionError(
            "one card of the Slop",
            got=format_cards(cards),
            remedy=format_cards(slop),
            rule="R8",
        )
    return Slop(slop.index(cards[0]) + 1)


def _pickup(scene: PigPileSetup, event: _Event) -> _Outcome:
    scene = _moving(scene, event)
    state = scene.state
    place, told = state.mover, event.get("face_up")
    if place in scene.untold:
        return scene.at(pick_up(state, PickUp()))
    hand, up = state.hands[place], state.ups[place]
    card = None if told is None else read_cards("face_up", [told])[0]
    if card is None and not hand and len(set(up)) == 1:
        # There is no other to take along.
        card = up[0]
    return scene.at(act(state, PickUp(card), scene.rules))


def _expect_legal(scene: PigPileSetup, event: _Event) -> _Outcome:
    state = scene.state
    place = state.mover
    if "player" in event:
        place = scene.place(read_seat("player", event["player"]))
    wanted = read_cards("values", _need(event, "values"))
    legal = () if place in scene.untold else playable(state, place, scene.rules)
    if set(wanted) != set(legal):
        return Mismatch(key="values", expected=plain_cards(wanted), got=plain_cards(legal))
    return scene


def _expect_turn(scene: PigPileSetup, event: _Event) -> _Outcome:
    wanted = str(read_seat("player", _need(event, "player")))
    turn = None if scene.is_over else str(scene.seats[scene.state.mover])
    return scene if turn == wanted else Mismatch(key="player", expected=wanted, got=turn)


def _expect_deal(scene: PigPileSetup, event: _Event) -> _Outcome:
    if "deck" in event and (type(event["deck"]) is not int or event["deck"] != len(DECK)):
        return Mismatch(key="deck", expected=event["deck"], got=len(DECK))
    piles = as_mapping("draw_pile", event.get("draw_pile", {}))
    for players, wanted in piles.items():
        if not players.isascii() or not players.isdigit() or not 2 <= int(players) <= 8:
            raise SpecError("2 to 8 players in draw_pile", got=repr(players), remedy='"3": 50')
        got = len(DECK) - CARDS_EACH * int(players)
        if type(wanted) is not int or wanted != got:
            return Mismatch(key=f"draw_pile.{players}", expected=wanted, got=got)
    return scene


_EVENTS: Mapping[str, tuple[Callable[[PigPileSetup, _Event], _Outcome], frozenset[str]]] = {
    "play": (_play, frozenset({"player", "cards"})),
    "pickup": (_pickup, frozenset({"player", "face_up"})),
    "expect_legal": (_expect_legal, frozenset({"player", "values"})),
    "expect_turn": (_expect_turn, frozenset({"player"})),
    "expect_deal": (_expect_deal, frozenset({"deck", "draw_pile"})),
}
"""What scenarios of Pig Pile can do, and the keys that each event may have besides `do`."""
