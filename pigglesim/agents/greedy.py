"""The greedy agents of all games but Piggy Six: each takes the action of the largest value."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from typing import Any, ClassVar, cast

from pigglesim.agents.agent import A, OneStepAgent
from pigglesim.chance.odds import Odds
from pigglesim.games.game import Concede, Game
from pigglesim.games.lord_of_the_pigs import rules as lord
from pigglesim.games.lord_of_the_pigs.game import LordObservation, LordOfThePigs
from pigglesim.games.lord_of_the_pigs.rules import Four, clamped, judge, shared_with
from pigglesim.games.lord_of_the_pigs.state import (
    CARDS,
    SEATS,
    Alternate,
    Effect,
    LordPhase,
    LordState,
    Submitted,
    UprisingTie,
    effect,
    index,
    under,
)
from pigglesim.games.pig_pile import HOG_WILD, FaceUp, PickUp, PigPileObservation, Play, washes
from pigglesim.games.piggles.areas import Load, may_leave_mud, tally_of
from pigglesim.games.piggles.effects import EffectOptions, EffectVerb, declare, effect_request
from pigglesim.games.piggles.game import PigglesObservation, is_piggles
from pigglesim.games.piggles.state import (
    PEN_SIZE,
    Act,
    Done,
    KitchenPenalty,
    ModernRules,
    PigglesPhase,
    PigglesRules,
    PigglesState,
)
from pigglesim.games.piggyback.game import (
    Arms,
    PiggybackObservation,
    arms_of,
    attack_odds,
    beating_odds,
    defence_odds,
    rolling,
)
from pigglesim.games.piggyback.state import (
    MOST_HELD,
    OTHER,
    Ability,
    Combat,
    Held,
    Keep,
    Move,
    PiggybackPhase,
    PiggybackState,
    Respawn,
    Stack,
    Stand,
    Take,
    Warp,
    Word,
    neighbours,
)
from pigglesim.landing import ZONE_POINTS, CupHold, Landing, Orientation, Seat
from pigglesim.rng import Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class RollShares:
    """Assumed outcome probabilities of a rolled Piggle."""

    up: float = 0.51
    """Share of rolls that end Snout-Up."""
    down: float = 0.41
    head: float = 0.08
    zone_points: float = 2.2
    """Mean points of the zone of a Snout-Up Piggle."""


def roll_shares(odds: Odds) -> RollShares:
    """Return the outcome probabilities of a Piggle in a throw of six; off the board counts as down.

    Both lead to the Mud.
    """
    shares = odds.of_throw(PEN_SIZE).shares
    total = sum(shares.values())

    def share(wanted: Orientation) -> float:
        return sum(weight for (at, _), weight in shares.items() if at is wanted) / total

    up, head = share(Orientation.SNOUT_UP), share(Orientation.ON_THEIR_HEAD)
    points = sum(
        weight * ZONE_POINTS[zone]
        for (at, zone), weight in shares.items()
        if at is Orientation.SNOUT_UP
    )
    zone_points = points / total / up if up else 0.0
    return RollShares(up=up, down=1.0 - up - head, head=head, zone_points=zone_points)


def charged_tallies(round_number: int, rules: PigglesRules) -> int:
    """Return the number of Tallies that charge a Piggle which is rolled now and lands on its head.

    They are those after this one (R11), or one of them under `kitchen_penalty=once`.
    """
    later = rules.rounds - round_number
    return min(later, 1) if rules.kitchen_penalty is KitchenPenalty.ONCE else later


def expected_gain(round_number: int, rules: PigglesRules, odds: RollShares) -> float:
    """Return the expected change of the final score from rolling one Piggle now.

    With n own Tallies after this one, a Snout-Up Piggle stays and pays its zone in all n + 1
    (R13), and one on its head costs a point in the c Tallies that charge it, usually n:

        up * zone_points * (n + 1) - head * c

    Knocks, the score's lower limit and second rolls of Piggles back from the Mud are left out. The
    first two are small, and the last only raises the gain.
    """
    tallies = rules.rounds - round_number + 1
    return odds.up * odds.zone_points * tallies - odds.head * charged_tallies(round_number, rules)


def expected_swing(
    state: PigglesState, act: Act, options: EffectOptions, odds: RollShares
) -> float:
    """Return the expected change of the lead by an effect, as if both had a Tally right after.

    Knocks by a reroll and later consequences of the effect are left out.
    """
    seat = state.active
    declared = declare(state, act, options)
    swing = _lead(declared, seat, options.rules) - _lead(state, seat, options.rules)
    if declared.pending is None:
        return swing
    request = effect_request(declared, options)
    before, spot = state.landing(act.target), request.set_down
    if spot is None:
        after = odds.up * odds.zone_points
    else:
        after = _points(Landing(orientation=spot.orientation, zone=spot.zone))
    gain = after - (_points(before) if before else 0.0)
    return gain if state.controller(act.target) is seat else -gain


def later_gain(state: PigglesState, act: Act, options: EffectOptions) -> float:
    """Return what an effect gains after the next Tally, which decides among equal swings.

    A Piggle out of the Mud is worth a point if it could not return in the next round anyway. Other
    effects gain nothing.
    """
    following, rules, seat = state.round + 1, options.rules, state.active
    if options.verb(act.piggle) is not EffectVerb.RESCUE or following > rules.rounds:
        return 0.0
    mud = state.side(seat).mud
    returns = {entry.piggle for entry in mud if may_leave_mud(entry, following, rules)}
    return float(act.target not in returns)


def _points(landing: Landing) -> float:
    return ZONE_POINTS[landing.zone] if landing.orientation is Orientation.SNOUT_UP else 0.0


def _lead(state: PigglesState, seat: Seat, rules: PigglesRules) -> float:
    """Return the lead of `seat` after a Tally of both, without the lower limit of zero."""

    def points(side: Seat) -> int:
        counted = tally_of(state, side, rules)
        return counted.zones + counted.mud_bonus + counted.kitchen_bonus - counted.penalty

    return float(points(seat) - points(seat.other))


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy(OneStepAgent):
    """A greedy agent: it loads the Piggles of positive expected gain if their sum suffices.

    The gain of a load is the sum over its Piggles, so of one model it loads the whole Pen or
    nothing. In Sudden Snout-Up it rolls the Piggle that most often lands Snout-Up. In Modern it
    takes the effect with the best swing, then with the best `later_gain`, then the first. It
    declines effects that gain nothing.
    """

    title: ClassVar = "Piggles"
    observes: ClassVar = PigglesObservation

    odds: RollShares = field(default_factory=RollShares)
    """Shares of a Piggle of the plain model."""
    of_piggles: Mapping[str, RollShares] = field(default_factory=dict)
    """Shares of Piggles of other models, by id."""
    threshold: float = 0.0
    """Gain that a load must exceed [points]; `expected_gain` leaves out the losses of own Piggles
    that already score."""

    hold: CupHold | None = None
    """Hold of the cup; None for the scene's own. Rolls by odds do not depend on it."""

    def shares_of(self, piggle: str) -> RollShares:
        """Return the assumed outcome probabilities of a Piggle."""
        return self.of_piggles.get(piggle, self.odds)

    def choose(self, observation: object, legal_actions: Sequence[A], *, rng: Generator) -> A:
        """Return the action of the highest value, with the hold if it is a load for a roll."""
        action = super(Greedy, self).choose(observation, legal_actions, rng=rng)
        phase = self.observed(observation).state.phase
        if phase is PigglesPhase.LOAD and isinstance(action, Load) and action.piggles:
            return cast("A", replace(action, hold=self.hold))
        return action

    def value_function(self, observation: PigglesObservation) -> Callable[[Any], Any]:
        """Return the expected gain of loads, or the expected swing of effects, by action."""
        if observation.state.phase is PigglesPhase.ACTION_REACTION:
            return self._effect_value(observation)
        gain = self._gains(observation.state.round, observation.rules)

        def value(action: object) -> float:
            # Conceding gains nothing and loses the game.
            if not isinstance(action, Load):
                return -math.inf
            if observation.state.phase is PigglesPhase.SUDDEN:
                return self.shares_of(action.piggles[0]).up
            pays = math.fsum(gain(piggle) for piggle in action.piggles)
            return pays if pays > self.threshold or not action.piggles else -math.inf

        return value

    def _gains(self, round_number: int, rules: PigglesRules) -> Callable[[str], float]:
        """Return the function that gives the expected gain of a Piggle."""
        common = expected_gain(round_number, rules, self.odds)
        gains = {
            piggle: expected_gain(round_number, rules, shares)
            for piggle, shares in self.of_piggles.items()
        }
        return lambda piggle: gains.get(piggle, common)

    def shortlist(self, game: Game[Any, Any], state: PigglesState) -> Sequence[Any]:
        """Return the empty load and that of the largest gain; in other phases all legal actions."""
        if state.phase is not PigglesPhase.LOAD:
            return game.legal_actions(state)
        pen = state.side(state.active).pen
        assert is_piggles(game)
        gain = self._gains(state.round, game.rules)
        best = sorted((p for p in pen if gain(p) > 0.0), key=gain, reverse=True)[:PEN_SIZE]
        return (Load(), Load(tuple(piggle for piggle in pen if piggle in best)))

    def _effect_value(
        self, observation: PigglesObservation
    ) -> Callable[[object], tuple[float, float, bool]]:
        assert isinstance(observation.rules, ModernRules)
        options = EffectOptions(rules=observation.rules, lineup=observation.lineup)
        state = observation.state

        def value(action: object) -> tuple[float, float, bool]:
            match action:
                case Act(target=target):
                    swing = expected_swing(state, action, options, self.shares_of(target))
                    return swing, later_gain(state, action, options), False
                case Done():
                    # Of equal values, it is better to be done.
                    return 0.0, 0.0, True
                case _:
                    return -math.inf, 0.0, False

        return value


_RIVAL = 0.5
"""Cost of a point of the best other player, in points of the own Rating, as the next four."""
_OTHERS = 0.1
"""Cost of a point of each other player."""
_UNREST = 15.0
"""Cost of Social Stability 0 to a player who would lose by an uprising; 1 costs half of it."""
_WON = 30.0
"""Value of a won game; a lost one costs as much."""
_CARD = 0.4
"""Value of a card in hand."""
_HOPE = 0.8
"""Discount of an Action for each vote that it lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LordGreedy(OneStepAgent):
    """An agent that votes, submits and spends cards for their visible effect on the table.

    The value of a table is the own Rating less part of the others'. An expected uprising lowers it,
    or raises it for the lowest player. A vote that activates an Action has the Action's value; an
    earlier vote has part of it. The agent ignores promises.
    """

    title: ClassVar = "Lord of the P.I.G.S."
    observes: ClassVar = LordObservation

    def value_function(self, observation: LordObservation) -> Callable[[Any], float]:
        """Return the value gained by an action, 0 for passing."""
        return _LordValue(observation)

    def shortlist(self, game: Game[Any, Any], state: LordState) -> Sequence[Any]:
        """Return the best vote and passing; in other phases all legal actions.

        The value of a vote is a gain, which depends on the Action, less the price of the card.
        """
        if state.phase is not LordPhase.VOTING:
            return game.legal_actions(state)
        assert isinstance(game, LordOfThePigs)
        rules, seat = game.rules, state.asked[0]
        value = _LordValue(LordObservation(seat=seat, table=state, rules=rules))
        wars = rules.diplomacy_wars
        targets = lord.vote_targets(state.submitted, seat, diplomacy_wars=wars)
        card = min(state.side(seat).hand, key=value.price)
        on = max((action.name for action in targets), key=value.vote_gain)
        return (lord.CastVote(card, on), lord.PASS)


# Playouts come to the same tables again and again.
@lru_cache(maxsize=1 << 16)
def _table_value(at: int, ratings: Four, stability: int, tie: UprisingTie) -> float:
    """Return the value of Ratings and Social Stability to the player at a place, from 0."""
    own, others = ratings[at], ratings[:at] + ratings[at + 1 :]
    value = own - _RIVAL * max(others) - _OTHERS * sum(others)
    # Fewer points left mean a nearer uprising, from which only the lowest player gains.
    danger = _UNREST / (1.0 + stability)
    value += danger if own < min(others) else -danger
    result = judge(ratings, stability, tie)
    if result is not None:
        value += _WON if result.winner is SEATS[at] else -_WON
    return value


@lru_cache(maxsize=1 << 16)
def _table_gain(at: int, ratings: Four, stability: int, change: Effect, tie: UprisingTie) -> float:
    """Return what a change of Ratings and Social Stability gains the player at a place."""
    changes = zip(ratings, change[:4], strict=True)
    after = tuple(clamped(rating + by) for rating, by in changes)
    gained = _table_value(at, after, clamped(stability + change[-1]), tie)
    return gained - _table_value(at, ratings, stability, tie)


class _LordValue:
    """The value gained by each action at one observation."""

    def __init__(self, observation: LordObservation) -> None:
        self.seat, self.table = observation.seat, observation.table
        self._at, self._tie = index(self.seat), observation.rules.uprising_tie
        self._actions = {action.name: action for action in self.table.submitted}
        self._gains: dict[str, float] = {}

    def __call__(self, action: Any) -> float:  # noqa: ANN401 (any action of the game)
        match action:
            case lord.CastVote(card=card, on=on):
                return self.vote_gain(on) - self.price(card)
            case lord.UseAlternate(card=card, on=on):
                return self._alternate(card, self._actions[on]) - self.price(card)
            case lord.ShareLoot(card=card):
                return self._share(card) - _CARD
            case lord.Submit(card=card):
                return self._effect(self.seat, card) * float(_HOPE ** (CARDS[card].threshold - 1))
            case lord.PutFirst(on=on):
                return self._swing(self._actions[on])
            case lord.Discard(card=card):
                return -self.price(card)
            case lord.Withdraw(on=on):
                return -self._swing(self._actions[on])
            case lord.Sway(by=by):
                return self._after((0, 0, 0, 0, by))
            case lord.Intervene(seat=other, by=by):
                moved = {self.seat, other}
                return self._after((*(by if seat in moved else 0 for seat in SEATS), 0))
            case _:
                return 0.0

    def vote_gain(self, on: str) -> float:
        """Return the gain of a vote for an Action, with any card; it is computed once."""
        if on not in self._gains:
            self._gains[on] = self._vote(self._actions[on])
        return self._gains[on]

    def _after(self, change: Effect) -> float:
        return _table_gain(self._at, self.table.ratings, self.table.stability, change, self._tie)

    def _effect(self, owner: Seat, card: str) -> float:
        return self._after(under(self.table.event, effect(owner, card)))

    def _swing(self, action: Submitted) -> float:
        return self._effect(action.owner, action.card)

    def price(self, card: str) -> float:
        """Return the cost of giving a card away, which grows with its effect for the owner."""
        return _CARD * (1.0 + CARDS[card].owner / 2.0)

    def _vote(self, action: Submitted) -> float:
        """Return the gain of one vote more; an Action has less of its value per missing vote."""
        missing = CARDS[action.card].threshold - action.vote_count
        if missing <= 0:
            return 0.0
        return float(_HOPE ** (missing - 1) - _HOPE**missing) * self._swing(action)

    def _alternate(self, card: str, action: Submitted) -> float:
        """Return the gain of one vote more or less, once all votes are cast."""
        plus = CARDS[card].alternate is Alternate.PLUS
        if action.vote_count + plus != CARDS[action.card].threshold:
            return 0.0
        return self._swing(action) if plus else -self._swing(action)

    def _share(self, card: str) -> float:
        action = self._actions[self.table.current]
        change = under(self.table.event, effect(action.owner, action.card))
        gain = list(change)
        gain[index(self.seat)] += change[index(shared_with(self.seat, card))]
        return self._after(tuple(gain)) - self._after(change)


@dataclass(frozen=True, slots=True, kw_only=True)
class PileGreedy(OneStepAgent):
    """An agent that plays many cards, low ones first, and values a wash for its extra turn.

    It keeps high cards and Hog Wilds, which fit when few other cards do, and picks up the pile only
    if it must. It ignores the cards of others.
    """

    title: ClassVar = "Pig Pile"
    observes: ClassVar = PigPileObservation

    def value_function(self, observation: PigPileObservation) -> Callable[[object], float]:
        """Return the value of an action, in cards played."""
        return partial(_card_value, seen=observation)


def _card_value(action: object, *, seen: PigPileObservation) -> float:
    match action:
        case Play(cards=cards, value=value):
            wilds = cards.count(HOG_WILD) if value != HOG_WILD else 0
            washed = washes(value, len(cards), seen, seen.rules)
            return play_value(value, len(cards) - wilds, wilds, int(washed))
        case PickUp(face_up=card):
            return pick_up_value(-1 if card is None else card)
        case FaceUp(cards=(first, second, third)):
            return choice_value(first, second, third)
        case _:
            # The Slop is face down: all its cards are equal.
            return 0.0


_WILD_VALUE = 0.85
"""Value of a Hog Wild in hand: that of a card between 10 and 11."""
_WASH_GAIN = 0.4
"""Value of another turn."""
_LAST_RESORT = -100.0


# Playouts compile these functions too, so they take and return plain numbers. Their constants won
# against agents with other constants.
def play_value(value: int, number: int, wilds: int, washed: int) -> float:
    """Return the value of a play, in cards played.

    Each card counts 1 less its value in hand: the higher the card, the more often it fits.
    `value` is that of the cards, 0 for Hog Wild; `wilds` is the number of Hog Wilds mixed in below
    them, and `washed` is 1 if they make a Hog Wash, else 0.
    """
    hand_value = value / 12.0 if value else _WILD_VALUE
    return number * (1.0 - hand_value) + wilds * (1.0 - _WILD_VALUE) + _WASH_GAIN * washed


def pick_up_value(card: int) -> float:
    """Return the value of picking up the pile with a face-up card, -1 for none.

    The best card to take is the hardest one to play from the table.
    """
    return _LAST_RESORT - (card if card else 13)


def choice_value(first: int, second: int, third: int) -> float:
    """Return the value of choosing three cards face up, which are played late, on high cards."""
    strength = 0.0
    for card in (first, second, third):
        strength += card if card else 13
    return strength


PIECE_VALUE: Mapping[Ability, float] = {
    Ability.GREEN: 0.1,
    Ability.ORANGE: 0.25,
    Ability.YELLOW: 0.2,
    Ability.MAUVE: 0.1,
}
"""Value of a piece to its holder [units]: roughly its effect on the odds of a combat."""
PULL = 0.02
"""Value of a step towards a goal [units]."""
PATIENCE = 4
"""Turns without combat or acquisition that double the pull. A side that steps up to the enemy is
attacked first; if neither side did, every game would be a draw."""

_DIGITS = 9
"""Decimal digits of a value; rounding removes differences due to the order of a sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PiggybackGreedy(OneStepAgent):
    """An agent that attacks for the largest gain, picks up nearby pieces and stays out of reach.

    The value of an exchange is the enemy stack times the probability to win, less the own stack
    times the probability to lose. The value of a move is its gain, less the best exchange that it
    offers the enemy, plus the threat that it escapes. In a combat the agent maximises its odds,
    with as few pieces as possible.
    """

    title: ClassVar = "Piggyback"
    observes: ClassVar = PiggybackObservation

    def value_function(self, observation: PiggybackObservation) -> Callable[[object], float]:
        """Return the value of an action [units]; only values of one decision are comparable."""
        return _PiggybackValue(observation)


def distance(one: int, other: int, size: int) -> int:
    """Return the number of steps between two spaces."""
    return max(abs(one % size - other % size), abs(one // size - other // size))


@cache
def distances(size: int) -> Sequence[Sequence[int]]:
    """Return `distance` of each two spaces."""
    spaces = range(size * size)
    return [[distance(one, other, size) for other in spaces] for one in spaces]


def _pieces_value(held: Held) -> float:
    return sum(PIECE_VALUE[ability] for ability in held)


def _stack_value(stack: Stack) -> float:
    return stack.units + _pieces_value(stack.held)


@cache
def exchange(attacker: Stack, defender: Stack) -> float:
    """Return the value of an attack to the attacker [units]."""
    odds = float(attack_odds(arms_of(attacker), arms_of(defender)))
    return odds * _stack_value(defender) - (1.0 - odds) * _stack_value(attacker)


@cache
def roll_odds(left: int, force: int, defence: Arms) -> float:
    """Return the attacker's odds before the first of the rolls left; 0 if none is left."""
    value = 0.0
    stands = [float(1 - defence_odds(face + force, defence)) for face in range(1, 7)]
    for _ in range(left):
        value = sum(max(stand, value) for stand in stands) / len(stands)
    return value


def combat_odds(state: PiggybackState, action: Stand | Word) -> float:
    """Return the odds of the roller to win a combat after standing, or after rolling again."""
    combat, arms = state.fight, arms_of(rolling(state)[1])
    left = max(0, arms.units - combat.rolls) + arms.luck
    attacks = state.phase is PiggybackPhase.ATTACK
    defence = arms_of(dict(state.side(OTHER[state.active]))[combat.target])
    if isinstance(action, Stand):
        result = combat.face + action.force
        return 1.0 - float(defence_odds(result, defence)) if attacks else result > combat.attack
    if attacks:
        return roll_odds(left, arms.force, defence)
    return float(beating_odds(combat.attack, rolls=left, force=arms.force))


class _PiggybackValue:
    """The value of each action at one observation [units]."""

    def __init__(self, observation: PiggybackObservation) -> None:
        self._seat, self._state = observation.seat, observation.state
        self._layout, self._size = observation.layout, observation.layout.size
        self._combat = self._state.combat or Combat(-1, -1)
        self._own = dict(self._state.side(self._seat))
        self._enemy = dict(self._state.side(OTHER[self._seat]))
        self._lying = dict(self._state.pieces)
        quiet = max(0, self._state.ply - self._state.lively)
        self._pull = PULL * (1.0 + quiet / PATIENCE)
        # Many moves have one source, and playouts ask for all of them.
        self._dangers: dict[tuple[int, Stack], float] = {}
        self._goals: dict[Stack, list[int]] = {}

    def __call__(self, action: object) -> float:
        return round(self._value(action), _DIGITS)

    def _value(self, action: object) -> float:
        match action:
            case Move():
                return self._move(action)
            case Take(space=space):
                return PIECE_VALUE[self._lying[space]]
            case Warp():
                return self._warp(action)
            case Stand(force=force):
                return self._stand(force)
            case Word.ROLL:
                return self._roll()
            case Keep(held=held):
                return _pieces_value(held)
            case Respawn(space=space):
                return self._respawn(space)
            case Word.FIGHT:
                return -self._attacked(self._own)
            case Concede():
                return -float("inf")
            case _:
                return 0.0

    def _danger(self, space: int, stack: Stack) -> float:
        """Return the enemy's value of its best attack on a stack, at least 0."""
        known = self._dangers.get((space, stack))
        if known is None:
            threats = (self._enemy.get(near) for near in neighbours(self._size)[space])
            known = max([0.0, *(exchange(near, stack) for near in threats if near is not None)])
            self._dangers[space, stack] = known
        return known

    def _move(self, action: Move) -> float:
        stack = self._own[action.source]
        value = self._danger(action.source, stack)
        roam = self._state.roam
        if roam is not None and Ability.GREEN in stack.held and roam.steps == 1 + roam.spent:
            stack = stack.without(Ability.GREEN)
            value -= PIECE_VALUE[Ability.GREEN]
        attacked = self._enemy.get(action.target)
        if attacked is not None:
            return value + exchange(stack, attacked)
        friend = self._own.get(action.target)
        if friend is not None:
            value += self._danger(action.target, friend)
            stack = Stack(stack.units + friend.units, stack.held + friend.held)
        elif action.take:
            ability = self._lying[action.target]
            stack = Stack(stack.units, (*stack.held, ability))
            value += PIECE_VALUE[ability]
        value -= self._danger(action.target, stack)
        before, after = (self._steps_to_goal(at, stack) for at in (action.source, action.target))
        return value + self._pull * (before - after)

    def _steps_to_goal(self, space: int, stack: Stack) -> int:
        """Return the steps to the nearest goal, which is a profitable attack or a piece."""
        goals = self._goals.get(stack)
        if goals is None:
            goals = [at for at, other in self._enemy.items() if exchange(stack, other) > 0.0]
            if len(stack.held) < MOST_HELD:
                goals += [at for at in self._lying if at not in self._own and at not in self._enemy]
            self._goals[stack] = goals
        apart = distances(self._size)[space]
        return min([apart[goal] for goal in goals], default=0)

    def _attacked(self, own: Mapping[int, Stack]) -> float:
        """Return the enemy's value of the declared attack."""
        combat = self._combat
        return exchange(self._enemy[combat.source], own[combat.target])

    def _warp(self, action: Warp) -> float:
        if self._state.phase is not PiggybackPhase.WARP:
            # A Warp as a move is saved for the next attack.
            return -1.0
        own = dict(self._own)
        own[action.holder], own[action.partner] = own[action.partner], own[action.holder]
        return -PIECE_VALUE[Ability.MAUVE] - self._attacked(own)

    def _stakes(self) -> float:
        """Return the value of both stacks together, which scales the odds of a combat."""
        own, other = self._combat.source, self._combat.target
        if self._seat is not self._state.active:
            own, other = other, own
        return _stack_value(self._own[own]) + _stack_value(self._enemy[other])

    def _stand(self, force: int) -> float:
        odds = combat_odds(self._state, Stand(force))
        return odds * self._stakes() - PIECE_VALUE[Ability.ORANGE] * force

    def _roll(self) -> float:
        by_units = self._combat.rolls < rolling(self._state)[1].units
        cost = 0.0 if by_units else PIECE_VALUE[Ability.YELLOW]
        return combat_odds(self._state, Word.ROLL) * self._stakes() - cost

    def _respawn(self, space: int) -> float:
        """Return the value of a piece on a space, which the nearer side gets."""
        own, enemy = (
            min(distances(self._size)[space][at] for at in side)
            for side in (self._own, self._enemy)
        )
        return PIECE_VALUE[self._layout.colours[space]] * (enemy - own)
