"""Matches by the rules with the very chance of a place of the vector environment."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from pigglesim.agents.places import SEEDS, next_bits, next_draw
from pigglesim.agents.registry import make_agent
from pigglesim.chance.odds import ON_BOARD
from pigglesim.chance.tabular import TabularChance, believed_chance
from pigglesim.chance_types import DiceResult, ShuffleResult
from pigglesim.envs.episode import make_table
from pigglesim.envs.vector import SeatVectorEnv
from pigglesim.games.game import NonPlayer
from pigglesim.games.piggles.game import Concede
from pigglesim.games.piggles.state import PigglesPhase, team
from pigglesim.landing import Seat, Zone
from pigglesim.rng import sub_seed

_PIGGLES = (*team(Seat.A), *team(Seat.B))
_CLASSES = (*ON_BOARD, (None, Zone.OFF))


class Given:
    """A generator of given numbers."""

    def __init__(self, numbers):
        self._numbers = numbers

    def random(self, count):
        """Return the numbers, all at once."""
        assert count == len(self._numbers)
        return np.array(self._numbers, dtype=float)


def _in_order(odds):
    """Return the same odds with their places in the order of the kernel's classes."""

    def ordered(shares):
        return {place: shares[place] for place in _CLASSES if place in shares}

    standing = {
        place: replace(fate, after=ordered(fate.after))
        for place, fate in odds.knocks.standing.items()
    }
    return replace(
        odds,
        thrown={
            n: replace(throw, shares=ordered(throw.shares)) for n, throw in odds.thrown.items()
        },
        knocks=replace(odds.knocks, standing=standing),
    )


class Mirror:
    """The matches of one place, played by the rules, the odds and the agents themselves."""

    def __init__(self, rules, *, opponent, seat, seed, **table):
        learning = make_table(rules, **table)
        self.game, self.encoder = learning.game, learning.encoder
        self.players = tuple(self.game.scores(self.game.initial_state()))
        self.phases = set()
        self._believed = believed_chance("piggle", learning.models)
        self._opponent, self._wanted = opponent, seat
        self._agent = make_agent(opponent, game=self.game, chance=self._believed)
        self._streams = np.array([sub_seed(seed, "vector"), 0], dtype=np.uint64)
        self.begin()

    def begin(self):
        """Begin matches until the caller decides in one."""
        while True:
            self._streams[1] = next_bits(self._streams, SEEDS)
            if self._wanted == "either":
                self.seat = self.players[int(self.draw() * len(self.players))]
            else:
                self.seat = Seat(self._wanted)
            self.state = self.game.initial_state()
            self._play_on()
            if self.game.turn(self.state) is not NonPlayer.OVER:
                return

    def take(self, number):
        """Take an action of the caller."""
        self.state = self.game.apply_action(self.state, self.legal()[number])
        self._play_on()

    def legal(self):
        """Return the legal actions of the player who decides, by number."""
        turn = self.game.turn(self.state)
        return {
            self.encoder.action_number(action, turn): action
            for action in self.game.legal_actions(self.state)
            if not isinstance(action, Concede)
        }

    def draw(self):
        """Return the next random number of the place."""
        return next_draw(self._streams)

    def _play_on(self):
        while (turn := self.game.turn(self.state)) not in {self.seat, NonPlayer.OVER}:
            if turn is NonPlayer.CHANCE:
                outcome = self.outcome(self.game.chance_request(self.state))
                self.state = self.game.apply_outcome(self.state, outcome)
            else:
                self.state = self.game.apply_action(self.state, self._decision(turn))
        self.phases.add(getattr(self.state, "phase", None))

    def _decision(self, turn):
        if self._opponent != "uniform":
            legal = tuple(self.game.legal_actions(self.state))
            return self._agent.choose(self.game.observe(self.state, turn), legal, rng=None)
        legal = self.legal()
        numbers = self.ordered(legal, turn)
        return legal[numbers[int(self.draw() * len(numbers))]]

    def outcome(self, request):
        """Return the outcome of chance that the random numbers of the place give."""
        raise NotImplementedError

    def ordered(self, legal, turn):
        """Return the numbers of legal actions in the order of compiled code, that of the rules."""
        del turn
        return list(legal)

    def check(self, place, seen, reward, ended, infos):
        """Compare a place of the vector environment with this match, exactly."""
        over = self.game.turn(self.state) is NonPlayer.OVER
        numbers = self.encoder.encode(self.game.observe(self.state, self.seat), self.seat)
        differing = np.flatnonzero(seen["observation"][place] != numbers)
        assert not differing.size, (differing, self.game.format_state(self.state))
        mask = np.zeros(self.encoder.action_count, dtype=np.int8)
        mask[[] if over else list(self.legal())] = 1
        assert np.array_equal(seen["action_mask"][place], mask)
        assert ended[place] == over
        if not over:
            assert reward[place] == 0.0
            return over
        share = self.game.result(self.state).shares(self.players)[self.seat]
        assert reward[place] == share - (1.0 - share) / (len(self.players) - 1)
        found = {seat: infos["scores"][seat.value][place] for seat in self.players}
        assert found == dict(self.game.scores(self.state))
        return over


class PigglesMirror(Mirror):
    """Piggles by odds."""

    @cached_property
    def _chance(self):
        believed = self._believed
        others = {name: _in_order(odds) for name, odds in believed.of_piggles.items()}
        return TabularChance(seed=0, odds=_in_order(believed.odds), of_piggles=others)

    def outcome(self, request):
        return self._chance.draw(request, rng=Given(self._numbers(request)))

    def _numbers(self, request):
        if request.set_down is not None:
            return []
        if self.state.phase is PigglesPhase.SUDDEN:
            return [self.draw()]
        standing = dict(request.standing)
        # Blue's target is still on the board when numbers are drawn.
        draws = {
            piggle: [self.draw() for _ in range(1 + (self.state.landing(piggle) is not None))]
            for piggle in _PIGGLES
            if piggle in standing or piggle in request.piggles
        }
        numbers = [draws[piggle][-1] for piggle in request.piggles]
        for piggle in standing:
            numbers += [*draws[piggle], 0.0, 0.0, 0.0]
        return numbers

    def ordered(self, legal, turn):
        if self.state.phase is not PigglesPhase.LOAD:
            return sorted(legal)
        own_first = (*team(turn), *team(turn.other))
        bits = {piggle: 1 << bit for bit, piggle in enumerate(own_first)}
        return sorted(legal, key=lambda n: -sum(bits[p] for p in legal[n].piggles))


class DiceMirror(Mirror):
    """Piggy Six and Piggyback with fair dice."""

    def outcome(self, request):
        draws = (self.draw() for _ in range(request.count))
        return DiceResult(faces=tuple(1 + int(draw * request.sides) for draw in draws))


class PileMirror(Mirror):
    """Pig Pile with fair shuffles."""

    def outcome(self, request):
        cards = list(request.cards)
        for last in range(len(cards) - 1, 0, -1):
            other = int(self.draw() * (last + 1))
            cards[last], cards[other] = cards[other], cards[last]
        return ShuffleResult(cards=tuple(cards))


_MIRRORS = {
    "classic": PigglesMirror,
    "modern": PigglesMirror,
    "pig_pile": PileMirror,
    "piggy_six": DiceMirror,
    "piggyback": DiceMirror,
}


def compare(rules, *, places, matches, seed, opponent="greedy", seat="either", **table):
    """Play random matches in both and compare every step; return the numbers compared.

    Returns:
        Matches, decisions, and phases met.
    """
    options = {"opponent": opponent, "seat": seat, **table}
    env = SeatVectorEnv(rules, num_envs=places, **options)
    mirrors = [_MIRRORS[rules](rules, seed=seed + place, **options) for place in range(places)]
    rng = np.random.default_rng(seed)
    seen, _ = env.reset(seed=seed)
    reward, ended, infos = np.zeros(places), np.zeros(places, dtype=bool), {}
    done = decisions = 0
    while done < matches:
        for place, mirror in enumerate(mirrors):
            done += mirror.check(place, seen, reward, ended, infos)
        keys = rng.random(seen["action_mask"].shape) * seen["action_mask"]
        actions = keys.argmax(axis=1)
        for mirror, action, over in zip(mirrors, actions.tolist(), ended.tolist(), strict=True):
            if over:
                mirror.begin()
            else:
                mirror.take(action)
                decisions += 1
        seen, reward, ended, _, infos = env.step(actions)
    return done, decisions, set().union(*(mirror.phases for mirror in mirrors))
