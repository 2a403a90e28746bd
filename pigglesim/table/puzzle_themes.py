"""Themes of puzzles: what the best action is about, in the rules' words."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from pigglesim.agents.greedy import Greedy, expected_gain
from pigglesim.games.game import Game
from pigglesim.games.lord_of_the_pigs.rules import (
    CastVote,
    Intervene,
    PassTurn,
    ShareLoot,
    Submit,
    Sway,
    UseAlternate,
)
from pigglesim.games.lord_of_the_pigs.state import LordState, effect, index
from pigglesim.games.pig_pile import (
    EWE_TURN,
    HOG_TIED,
    HOG_WILD,
    PickUp,
    PigPileState,
    Play,
    Slop,
    goes_out,
    washes,
)
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.effects import HARMS, EffectOptions
from pigglesim.games.piggles.state import Act, ModernRules, PigglesPhase, PigglesState
from pigglesim.games.piggy_six import DiceRoll, PiggySixState
from pigglesim.games.piggyback.state import (
    OTHER,
    Keep,
    Move,
    PiggybackState,
    Respawn,
    Stand,
    Take,
    Warp,
    Word,
)


class Theme(StrEnum):
    """Theme of a puzzle."""

    THROW_ALL = "throw all"
    KITCHEN = "a Kitchen worth its price"
    NOT_ALL = "do not throw all"
    NO_THROW = "leave them in the Pen"
    SUDDEN = "one throw decides"
    HARM = "take away what pays"
    HELP = "help your own"
    OWN_TARGET = "your own as the target"
    GIFT = "a gift that pays"
    ENOUGH = "enough is enough"
    OUT = "rid of all cards"
    WASH = "wash the pile"
    WILD = "Hog Wild now"
    DISTURB = "an effect at the right moment"
    SEVERAL = "several at once"
    ONE = "one of several"
    HIGH = "a high card first"
    LOW = "the lowest that fits"
    UNKNOWN = "the unknown card"
    PILE = "take up the pile"
    FACE_UP = "which cards to show"
    ATTACK = "attack"
    STACK = "strength in a stack"
    FETCH = "fetch an ability"
    PLACE = "the right space"
    STAY = "stay here"
    WARP = "change places"
    ROLL_AGAIN = "roll again"
    STAND = "stand on it"
    FIREPOWER = "Firepower now"
    KEEP = "which abilities to keep"
    RESPAWN = "a piece from the bank"
    LEAVE = "leave it in the bank"
    SAVE = "keep it for later"
    ONE_MORE = "one more roll"
    STOP = "stop here"
    ONE_DIE = "one die is enough"
    MORE_DICE = "more dice"
    SUBMIT = "which Action to submit"
    VOTE = "a vote well spent"
    SACRIFICE = "a vote against yourself"
    ALTERNATE = "another use of a card"
    SHARE = "a share of the benefits"
    BOTH_UP = "both up"
    BOTH_DOWN = "both down"
    STABILITY = "Social Stability"
    COUNCIL = "a forced choice"


REASONS: Mapping[Theme, str] = {
    Theme.THROW_ALL: "each that lands Snout-Up pays in this round and in every round to come",
    Theme.KITCHEN: "a Piggle thrown so late loses points on average, but only a throw can still "
    "turn this match",
    Theme.NOT_ALL: "in the Pen a Piggle is safe; a thrown one may knock over your own, and the "
    "other can reach it",
    Theme.NO_THROW: "a throw costs more than it brings now; in the Pen a Piggle is safe",
    Theme.SUDDEN: "in Sudden Snout-Up the landing of one Piggle decides",
    Theme.HARM: "a Piggle of the other that pays in every Tally costs you more than yours gains",
    Theme.HELP: "your own that lie Snout-Up pay in every Tally to come",
    Theme.OWN_TARGET: "a harmful effect can also move your own Piggle to a better place, such as "
    "from its head into the Mud",
    Theme.GIFT: "what the other's Piggle gets is worth less than what the effect brings you",
    Theme.ENOUGH: "every effect that is left does you more harm than good",
    Theme.OUT: "players who are out early get more pigs",
    Theme.WASH: "a washed pile gives you another turn, with any card",
    Theme.WILD: "Hog Wild fits on anything, and the next player may play any card too",
    Theme.DISTURB: "who plays next matters more here than the card, and the effect comes only once",
    Theme.SEVERAL: "cards of one value go together: fewer turns to be rid of all",
    Theme.ONE: "a card that is kept back fits once more later",
    Theme.HIGH: "a high card is hard for the next player to equal",
    Theme.LOW: "low cards become hard to play: they go first, high ones fit later too",
    Theme.UNKNOWN: "nobody knows the card, and the turn costs the least",
    Theme.PILE: "the cards of the pile are worth more in the hand than they cost",
    Theme.FACE_UP: "face-up cards are played last, and all see them before",
    Theme.ATTACK: "of equal results the attacker's wins, and the loser's whole stack is gone",
    Theme.STACK: "each unit of a stack is one more roll in combat",
    Theme.FETCH: "an ability is used once, and may decide a combat",
    Theme.PLACE: "which spaces touch decides who can attack whom first",
    Theme.STAY: "a step can end where the other attacks first",
    Theme.WARP: "two units change places without a combat",
    Theme.ROLL_AGAIN: "only the last roll counts, and this one is too low",
    Theme.STAND: "only the last roll counts, and this one is high enough",
    Theme.FIREPOWER: "one more may decide, and the winner of a combat keeps what is not used",
    Theme.KEEP: "a stack holds two abilities at most: which ones decides the next combats",
    Theme.RESPAWN: "which piece comes back, and where, decides who can fetch it first",
    Theme.LEAVE: "a piece that comes back is one that the other may fetch too",
    Theme.SAVE: "what is not used now can be used later",
    Theme.ONE_MORE: "at this score the sum of the turn is worth the risk of a six",
    Theme.STOP: "what the turn has brought is worth more than another roll can add",
    Theme.ONE_DIE: "one die has the smallest risk of a six, and no double six",
    Theme.MORE_DICE: "more dice bring more in a roll, and this is worth the larger risk of a six",
    Theme.SUBMIT: "an Action that passes changes the Ratings of all four",
    Theme.VOTE: "votes decide which Actions are activated, and in which order",
    Theme.SACRIFICE: "it costs you too, but a rival more, or the lowest Rating is about to win",
    Theme.ALTERNATE: "a card as an alternate changes by how much an Action counts",
    Theme.SHARE: "a share changes your own Rating together with another's",
    Theme.BOTH_UP: "who alone has a Rating of 10 wins, so the best partner is far from it",
    Theme.BOTH_DOWN: "at Social Stability 0 the lowest Rating wins, and a rival loses a step to 10",
    Theme.STABILITY: "a lone Rating of 10 wins, but at Social Stability 0 the lowest Rating",
    Theme.COUNCIL: "an answer to an Event, or the order of Actions, decides what they change",
}
"""Why the best action of a theme is good, as a clause."""


def theme_of(game: Game[Any, Any], state: object, best: object) -> Theme:
    """Return the theme of a puzzle from its position and its best action."""
    return _THEMES[type(state)](game, state, best)


def theme_reason(game: Game[Any, Any], state: object, best: object) -> str:
    """Return why actions like the best one are good; empty for a game of your own."""
    known = type(state) in _THEMES
    return REASONS[theme_of(game, state, best)] if known else ""


def _of_piggles(game: Any, state: PigglesState, best: object) -> Theme:  # noqa: ANN401
    if state.phase is PigglesPhase.SUDDEN:
        return Theme.SUDDEN
    match best:
        case Load(piggles=()):
            return Theme.NO_THROW
        case Load(piggles=piggles):
            if len(piggles) < len(state.side(state.active).pen):
                return Theme.NOT_ALL
            pays = expected_gain(state.round, game.rules, Greedy().odds) > 0.0
            return Theme.THROW_ALL if pays else Theme.KITCHEN
        case Act(piggle=piggle, target=target) if isinstance(game.rules, ModernRules):
            options = EffectOptions(rules=game.rules, lineup=game.lineup)
            own = state.controller(target) is state.active
            harms = options.verb(piggle) in HARMS
            if harms:
                return Theme.OWN_TARGET if own else Theme.HARM
            return Theme.HELP if own else Theme.GIFT
        case _:
            return Theme.ENOUGH


def _of_pile(game: Any, state: PigPileState, best: object) -> Theme:  # noqa: ANN401
    match best:
        case Slop():
            return Theme.UNKNOWN
        case PickUp():
            return Theme.PILE
        case Play(cards=cards) as play:
            plays = [each for each in game.legal_actions(state) if isinstance(each, Play)]
            if goes_out(len(cards), state):
                return Theme.OUT
            if washes(play.value, len(cards), state, game.rules):
                return Theme.WASH
            if play.value == HOG_WILD:
                return Theme.WILD
            if play.value in {HOG_TIED, EWE_TURN}:
                return Theme.DISTURB
            if len(cards) > 1:
                return Theme.SEVERAL
            if any(each.value == play.value and len(each.cards) > 1 for each in plays):
                return Theme.ONE
            values = {each.value for each in plays}
            lowest = min(values - {HOG_WILD})
            if values == {lowest, HOG_WILD}:
                return Theme.SAVE
            return Theme.LOW if play.value == lowest else Theme.HIGH
        case _:
            return Theme.FACE_UP


def _of_piggyback(_game: object, state: PiggybackState, best: object) -> Theme:
    match best:
        case Move(target=target):
            if target in dict(state.side(OTHER[state.active])):
                return Theme.ATTACK
            if target in dict(state.side(state.active)):
                return Theme.STACK
            return Theme.FETCH if target in dict(state.pieces) else Theme.PLACE
        case Stand(force=force):
            return Theme.FIREPOWER if force else Theme.STAND
        case Word.ROLL:
            return Theme.ROLL_AGAIN
        case Warp():
            return Theme.WARP
        case Keep():
            return Theme.KEEP
        case Respawn():
            return Theme.RESPAWN
        case Word.LEAVE:
            return Theme.LEAVE
        case Take():
            return Theme.FETCH
        case Word.FIGHT:
            return Theme.SAVE
        case _:  # passing, or no further step
            return Theme.STAY


def _of_six(game: Any, _state: PiggySixState, best: object) -> Theme:  # noqa: ANN401
    if not isinstance(best, DiceRoll):
        return Theme.STOP
    if not game.rules.three_dice:
        return Theme.ONE_MORE
    return Theme.ONE_DIE if best.dice == 1 else Theme.MORE_DICE


def _of_lord(_game: object, state: LordState, best: object) -> Theme:
    match best:
        case PassTurn():
            return Theme.SAVE
        case Intervene(by=by):
            return Theme.BOTH_UP if by > 0 else Theme.BOTH_DOWN
        case Sway():
            return Theme.STABILITY
        case Submit():
            return Theme.SUBMIT
        case CastVote(on=on):
            target = state.submitted_action(on)
            own = effect(target.owner, target.card)[index(state.asked[0])]
            return Theme.SACRIFICE if own < 0 else Theme.VOTE
        case UseAlternate():
            return Theme.ALTERNATE
        case ShareLoot():
            return Theme.SHARE
        case _:
            return Theme.COUNCIL


_THEMES: Mapping[type, Callable[[Any, Any, Any], Theme]] = {
    PigglesState: _of_piggles,
    PigPileState: _of_pile,
    PiggybackState: _of_piggyback,
    PiggySixState: _of_six,
    LordState: _of_lord,
}
