"""Invariants of Piggles Classic under random legal play, chance and house rules."""

from collections.abc import Iterator
from dataclasses import fields, replace
from enum import StrEnum
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.chance.tabular import Shares, TabularChance
from pigglesim.games.game import Concede, NonPlayer, Result
from pigglesim.games.piggles.classic import PigglesAction, PigglesClassic
from pigglesim.games.piggles.house_rules import HouseRules, MudDelay
from pigglesim.games.piggles.loading import Load
from pigglesim.games.piggles.phases import Phase
from pigglesim.games.piggles.state import Position, Side, owner, team
from pigglesim.games.piggles.turns import Step
from pigglesim.rolls import Knock, Landing, Orientation, RollResult, Seat, Zone

WILD = Shares(up=0.4, down=0.3, head=0.3, leaning=0.2, knock=0.4)
"""Heads, leaning and knocks far more often than on a table, so that every rule is reached."""
SMALL = {"rounds": (1, 8), "reroll_cap": (0, 3), "sudden_cap": (0, 3)}


def house_rules() -> st.SearchStrategy[HouseRules]:
    switches = {}
    for spec in fields(HouseRules):
        if isinstance(spec.default, StrEnum):
            switches[spec.name] = st.sampled_from(type(spec.default))
        elif isinstance(spec.default, bool):
            switches[spec.name] = st.booleans()
        elif spec.name in SMALL:
            switches[spec.name] = st.integers(*SMALL[spec.name])
    return st.builds(HouseRules, **switches)


Move = tuple[Position, PigglesAction | RollResult, list[Step]]


def walk(game: PigglesClassic, seed: int) -> Iterator[Move]:
    """Play a random game, giving each position, what was done in it and what followed."""
    rng = np.random.default_rng(seed)
    chance = TabularChance(seed=seed, shares=replace(WILD, zones={**WILD.zones, Zone.OFF: 0.2}))
    state, rolls = game.initial_state(), 0
    while game.turn(state) is not NonPlayer.OVER:
        if game.turn(state) is NonPlayer.CHANCE:
            outcome = chance.roll(game.chance_request(state), index=rolls)
            rolls += 1
            steps = game.outcome_steps(state, outcome)
            yield state, outcome, steps
        else:
            legal = game.legal_actions(state)
            # Conceding is legal everywhere, but would end nearly every game at once.
            chosen = len(legal) - 1 if rng.random() < 0.01 else int(rng.integers(len(legal) - 1))
            steps = game.action_steps(state, legal[chosen])
            yield state, legal[chosen], steps
        state = steps[-1].position


def everything(position: Position) -> list[str]:
    held = [
        piggle
        for seat in Seat
        for area in ("pen", "cup", "mud_piggles", "kitchen")
        for piggle in getattr(position.side(seat), area)
    ]
    return sorted([*held, *(piggle for piggle, _ in position.board)])


plays = given(rules=house_rules(), seed=st.integers(0, 2**32 - 1))
often = settings(max_examples=150, deadline=None)


@often
@plays
def test_no_piggle_is_lost_or_doubled_and_each_stays_in_its_owners_areas(rules, seed):
    for _, _, steps in walk(PigglesClassic(rules=rules), seed):
        for step in steps:
            assert everything(step.position) == sorted([*team(Seat.A), *team(Seat.B)])
            for seat in Seat:
                side = step.position.side(seat)
                own = [*side.pen, *side.cup, *side.mud_piggles, *side.kitchen]
                assert {owner(piggle) for piggle in own} <= {seat}


@often
@plays
def test_scores_stay_above_zero_and_kitchens_never_shrink(rules, seed):
    for before, _, steps in walk(PigglesClassic(rules=rules), seed):
        positions = [before, *(step.position for step in steps)]
        for old, new in pairwise(positions):
            for seat in Seat:
                assert new.side(seat).score >= 0
                assert set(old.side(seat).kitchen) <= set(new.side(seat).kitchen)
                assert set(new.side(seat).late) <= set(new.side(seat).kitchen)
                assert set(new.side(seat).charged) <= set(new.side(seat).kitchen)


@often
@plays
def test_a_tally_is_bounded_adds_up_and_touches_one_player_only(rules, seed):
    zones = dict.fromkeys(Seat, 0)
    for before, _, steps in walk(PigglesClassic(rules=rules), seed):
        old = before
        for step in steps:
            if step.tally is not None:
                tally = step.tally
                assert 0 <= tally.zones <= 18
                zones[tally.seat] += tally.zones
                gains = tally.zones + tally.mud_bonus + tally.kitchen_bonus
                assert tally.after == max(0, tally.before + gains - tally.penalty)
                assert step.position.side(tally.seat).score == tally.after
                assert step.position.side(tally.seat.other) == old.side(tally.seat.other)
            old = step.position
    assert max(zones.values()) <= 18 * rules.rounds


@often
@plays
def test_after_resolve_only_snout_up_lies_on_the_board(rules, seed):
    for _, _, steps in walk(PigglesClassic(rules=rules), seed):
        for step in steps:
            if step.phase is Phase.RESOLVE:
                poses = {landing.orientation for _, landing in step.position.board}
                assert poses <= {Orientation.SNOUT_UP}


@often
@plays
def test_recoup_starts_in_round_three_and_leaves_nothing_overdue(rules, seed):
    for before, _, steps in walk(PigglesClassic(rules=rules), seed):
        old = before
        for step in steps:
            if step.phase is Phase.RECOUP and step.position.result is None:
                now = step.position
                side = now.side(step.seat)
                if now.round < 3:
                    assert side.mud == old.side(step.seat).mud
                elif rules.mud_delay is MudDelay.NONE:
                    assert not side.mud
                else:
                    assert all(entry.round >= now.round - 1 for entry in side.mud)
                assert now.side(step.seat.other) == old.side(step.seat.other)
            old = step.position


@often
@plays
def test_what_is_loaded_was_in_the_pen_and_is_asked_of_chance(rules, seed):
    game = PigglesClassic(rules=rules)
    for before, move, steps in walk(game, seed):
        if isinstance(move, Load):
            assert set(move.piggles) <= set(before.side(before.active).pen)
            if move.piggles:
                request = game.chance_request(steps[-1].position)
                assert (request.thrower, request.piggles) == (before.active, move.piggles)
                assert request.standing == before.board


@often
@plays
def test_every_player_has_as_many_turns_and_the_game_is_bounded(rules, seed):
    game = PigglesClassic(rules=rules)
    moves = list(walk(game, seed))
    assert len(moves) <= game.max_length
    final = moves[-1][2][-1].position
    turns = dict.fromkeys(Seat, 0)
    for _, _, steps in moves:
        for step in steps:
            if step.phase is Phase.TALLY:
                turns[step.seat] += 1
    if final.phase in {Phase.RESOLVE, Phase.SUDDEN}:
        assert set(turns.values()) == {rules.rounds}
    else:
        assert final.result.reason in {"concession", "exhaustion", "score", "draw"}
        assert 0 <= sum(turns.values()) < 2 * rules.rounds


@often
@plays
def test_positions_and_actions_survive_as_text(rules, seed):
    game = PigglesClassic(rules=rules)
    for before, move, steps in walk(game, seed):
        for position in (before, *(step.position for step in steps)):
            assert game.parse_state(game.format_state(position)) == position
        if isinstance(move, Load | Concede):
            assert game.parse_action(game.format_action(move)) == move


TURNED = {
    Zone.FIELD_NORTH: Zone.FIELD_SOUTH,
    Zone.FIELD_SOUTH: Zone.FIELD_NORTH,
    Zone.FIELD_EAST: Zone.FIELD_WEST,
    Zone.FIELD_WEST: Zone.FIELD_EAST,
}


def swap(piggle: str) -> str:
    return f"{owner(piggle).other}{piggle[1:]}"


def turn_landing(landing: Landing | None) -> Landing | None:
    return landing and replace(landing, zone=TURNED.get(landing.zone, landing.zone))


def turn_side(side: Side) -> Side:
    def ids(piggles: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(swap(piggle) for piggle in piggles)

    return replace(
        side,
        pen=ids(side.pen),
        cup=ids(side.cup),
        mud=tuple(replace(entry, piggle=swap(entry.piggle)) for entry in side.mud),
        kitchen=ids(side.kitchen),
        charged=ids(side.charged),
        late=ids(side.late),
    )


def turn_position(position: Position) -> Position:
    """Give each player the other's part and turn the board by half a turn."""
    result = position.result
    sudden = position.sudden
    return replace(
        position,
        active=position.active.other,
        a=turn_side(position.b),
        b=turn_side(position.a),
        board=tuple(sorted((swap(p), turn_landing(x)) for p, x in position.board)),
        head_credits=tuple(sorted((swap(p), seat.other) for p, seat in position.head_credits)),
        sudden=replace(sudden, a=turn_landing(sudden.b), b=turn_landing(sudden.a)),
        result=result
        and Result(winner=result.winner and result.winner.other, reason=result.reason),
    )


def turn_knock(knock: Knock) -> Knock:
    return replace(knock, struck=swap(knock.struck), by=swap(knock.by))


def turn_move(move: PigglesAction | RollResult) -> PigglesAction | RollResult:
    match move:
        case Load(piggles=piggles):
            return Load(tuple(swap(piggle) for piggle in piggles))
        case RollResult(landings=landings, knocks=knocks):
            return RollResult(
                landings=tuple((swap(p), turn_landing(x)) for p, x in landings),
                knocks=tuple(turn_knock(knock) for knock in knocks),
            )
        case _:
            return move


@often
@plays
def test_swapping_the_players_and_turning_the_board_changes_nothing_else(rules, seed):
    game = PigglesClassic(rules=rules)
    turned = PigglesClassic(rules=replace(rules, first_player=rules.first_player.other))
    assert turned.initial_state() == turn_position(game.initial_state())
    for before, move, steps in walk(game, seed):
        start, other = turn_position(before), turn_move(move)
        if isinstance(other, RollResult):
            after = turned.apply_outcome(start, other)
        else:
            after = turned.apply_action(start, other)
        assert after == turn_position(steps[-1].position)
