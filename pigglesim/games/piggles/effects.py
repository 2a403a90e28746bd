"""Action and Reaction: effects declared, asked of chance where they need it, carried out (R20)."""

from pigglesim.games.change import changed
from pigglesim.games.piggles.areas import into_kitchen, into_mud, into_pen, out_of
from pigglesim.games.piggles.modern_rules import Actors, BlueMode, Rune9Pose
from pigglesim.games.piggles.rolling import into_cup, land, pays, roll_request
from pigglesim.games.piggles.shields import put_shield
from pigglesim.games.piggles.state import Act, Position, in_order
from pigglesim.games.piggles.targets import Table, Verb, aim, targets
from pigglesim.rolls import Landing, Orientation, RollRequest, RollResult, SetDown, Zone

__all__ = ["acts", "begin", "carry_out", "declare", "effect_request"]

_AT_ONCE = frozenset({Verb.BURN, Verb.DAMAGE, Verb.SHIELD, Verb.RESCUE, Verb.DEMOTE})
"""What needs neither a roll nor a free spot."""


def begin(position: Position, rolled: tuple[str, ...], table: Table) -> Position:
    """Return the position at the start of Action & Reaction, with the list of who may act (M1, M3).

    Args:
        position: The position after the roll.
        rolled: What the active player has rolled in this turn.
        table: The house rules and markings.
    """
    every = table.rules.actors is Actors.ALL_OWN_UP
    actors = tuple(
        piggle
        for piggle, landing in position.on_board(position.active)
        if landing.orientation is Orientation.SNOUT_UP and (every or piggle in rolled)
    )
    return changed(position, actors=actors, acted=())


def acts(position: Position, table: Table) -> tuple[Act, ...]:
    """Return every effect that may be declared now, by Piggle and target."""
    return tuple(
        Act(piggle, target)
        for piggle in position.actors
        for target in targets(position, piggle, table)
    )


def declare(position: Position, act: Act, table: Table) -> Position:
    """Return the position after a legal effect was declared, carried out if it needs no chance."""
    verb = table.verb(act.piggle)
    assert verb is not None
    position = changed(
        position,
        actors=tuple(piggle for piggle in position.actors if piggle != act.piggle),
        acted=in_order((*position.acted, act.piggle)),
    )
    if verb not in _AT_ONCE:
        return changed(position, pending=act)
    return _at_once(position, act, verb, table)


def _at_once(position: Position, act: Act, verb: Verb, table: Table) -> Position:
    seat, rules, target = position.active, table.rules, act.target
    paid = int(pays(position, target, rules))
    match verb:
        case Verb.BURN:
            position = into_kitchen(out_of(position, target), target, rules)
            side = position.side(seat)
            return position.with_side(
                seat, changed(side, kitchen_bonuses=side.kitchen_bonuses + paid)
            )
        case Verb.DAMAGE:
            position = into_mud(out_of(position, target), target, rules, roller=seat)
            side = position.side(seat)
            paid *= rules.red_counts_as_knock
            return position.with_side(seat, changed(side, mud_bonuses=side.mud_bonuses + paid))
        case Verb.SHIELD:
            return put_shield(position, target, position.controller(act.piggle))
        case Verb.RESCUE:
            return into_pen(out_of(position, target), target, seat)
        case _:
            return into_mud(out_of(position, target), target, rules, roller=seat)


def effect_request(position: Position, table: Table) -> RollRequest:
    """Return what the pending effect asks of chance."""
    act, rules = position.pending, table.rules
    assert act is not None
    target = act.target
    if table.verb(act.piggle) is Verb.CRIT:
        lies = position.landing(target)
        if lies is None:
            # It is in the cup already, to be rolled once more (P11, P12).
            return roll_request(position, rules)
        request = roll_request(into_cup(out_of(position, target), target), rules)
        in_place = rules.blue_mode is BlueMode.DROP_IN_PLACE
        return changed(request, toss=lies) if in_place else request
    return RollRequest(
        thrower=position.active,
        piggles=(target,),
        standing=tuple(entry for entry in position.board if entry[0] != target),
        reading=rules.reading(),
        set_down=_spot(position, act, table),
    )


def _spot(position: Position, act: Act, table: Table) -> SetDown:
    """Return where and how the pending effect sets its target down."""
    verb = table.verb(act.piggle)
    lies = position.landing(act.target)
    if lies is not None:
        # The arrows turn a Piggle over where it lies.
        pose = Orientation.SNOUT_UP if verb is Verb.TURN_UP else Orientation.SNOUT_DOWN
        return SetDown(orientation=pose, zone=lies.zone, near=lies)
    field = aim(position, act.piggle, table)
    assert field is not None
    if verb is Verb.HEALTH:
        return SetDown(orientation=Orientation.SNOUT_DOWN, zone=field)
    up = table.rules.rune9_pose is Rune9Pose.UP
    return SetDown(
        orientation=Orientation.SNOUT_UP if up else Orientation.SNOUT_DOWN,
        zone=field,
        near=position.landing(act.piggle),
    )


def carry_out(position: Position, outcome: RollResult, table: Table) -> Position:
    """Return the position after chance has answered the pending effect.

    An effect that found no room for its Piggle has lapsed (M8).
    """
    act = position.pending
    assert act is not None
    if table.verb(act.piggle) is Verb.CRIT:
        return _reroll(position, act, outcome, table)
    ((target, landing),) = outcome.landings
    done = changed(position, pending=None)
    return done if landing.zone is Zone.OFF else _set_down(done, target, landing)


def _set_down(position: Position, target: str, landing: Landing) -> Position:
    position = out_of(position, target)
    board = sorted((*position.board, (target, landing)), key=lambda entry: entry[0])
    return changed(position, board=tuple(board))


def _reroll(position: Position, act: Act, outcome: RollResult, table: Table) -> Position:
    """Return the position after Blue's roll; still pending if it has to be rolled once more."""
    rules, target, phase = table.rules, act.target, position.phase
    if position.landing(target) is not None:
        position = into_cup(out_of(position, target), target)
    hit = frozenset({target} if rules.blue_counts_as_knock else ())
    landed = land(position, outcome, rules, hit=hit)
    if landed.a.cup or landed.b.cup:
        return changed(landed, phase=phase)
    landed = changed(landed, phase=phase, pending=None)
    lies = landed.landing(target)
    own = landed.controller(target) is landed.active
    up = lies is not None and lies.orientation is Orientation.SNOUT_UP
    if own and up and target not in landed.acted:
        # What lands Snout-Up by Blue may act, if it has not yet (M3).
        return changed(landed, actors=in_order({*landed.actors, target}))
    return landed
