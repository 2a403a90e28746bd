"""States of Piggles with the seats exchanged, and the steps of a move."""

from dataclasses import replace

from pigglesim.games.game import Result
from pigglesim.games.piggles.areas import Load
from pigglesim.games.piggles.effects import EffectOptions
from pigglesim.games.piggles.game import Piggles, PigglesAction, PigglesClassic, PigglesModern
from pigglesim.games.piggles.state import Act, ModernRules, PigglesSide, PigglesState, owner
from pigglesim.games.piggles.turns import Step
from pigglesim.landing import BOARD_SEATS, Knock, Landing, RollResult, Zone
from tests.support.random_games import Move


def steps_of(game: Piggles, move: Move) -> list[Step]:
    """Return every phase that followed from an action or an outcome."""
    rolled = isinstance(move.move, RollResult)
    return (game.outcome_steps if rolled else game.action_steps)(move.before, move.move)


def everything(position: PigglesState) -> list[str]:
    held = [
        piggle
        for seat in BOARD_SEATS
        for area in ("pen", "cup", "mud_piggles", "kitchen")
        for piggle in getattr(position.side(seat), area)
    ]
    return sorted([*held, *(piggle for piggle, _ in position.board)])


HALF_TURN = {
    zone: Zone(zone.value.replace(f":{here}", f":{there}"))
    for here, there in ("NS", "SN", "EW", "WE")
    for zone in Zone
    if zone.value.startswith((f"field:{here}", f"line:{here}/"))
}


def swap(piggle: str) -> str:
    return f"{owner(piggle).other}{piggle[1:]}"


def swap_ids(piggles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(swap(piggle) for piggle in piggles))


def turn_landing(landing: Landing | None) -> Landing | None:
    return landing and replace(landing, zone=HALF_TURN.get(landing.zone, landing.zone))


def turn_side(side: PigglesSide) -> PigglesSide:
    mud = (replace(entry, piggle=swap(entry.piggle)) for entry in side.mud)
    return replace(
        side,
        pen=swap_ids(side.pen),
        cup=swap_ids(side.cup),
        mud=tuple(sorted(mud, key=lambda entry: entry.piggle)),
        kitchen=swap_ids(side.kitchen),
        charged=swap_ids(side.charged),
        late=swap_ids(side.late),
    )


def turn_position(position: PigglesState) -> PigglesState:
    """Give each player the other's part and turn the board by half a turn."""
    result, sudden, act = position.result, position.sudden, position.pending
    shields = (replace(s, piggle=swap(s.piggle), by=s.by.other) for s in position.shields)
    returned = (replace(entry, piggle=swap(entry.piggle)) for entry in position.returned)
    return replace(
        position,
        active=position.active.other,
        a=turn_side(position.b),
        b=turn_side(position.a),
        board=tuple(sorted((swap(p), turn_landing(x)) for p, x in position.board)),
        knock_credits=tuple(sorted((swap(p), seat.other) for p, seat in position.knock_credits)),
        sudden=replace(
            sudden,
            a=turn_landing(sudden.b),
            b=turn_landing(sudden.a),
            chosen=swap_ids(sudden.chosen),
        ),
        result=result
        and Result(winner=result.winner and result.winner.other, reason=result.reason),
        captured=swap_ids(position.captured),
        shields=tuple(sorted(shields, key=lambda shield: shield.piggle)),
        returned=tuple(sorted(returned, key=lambda entry: entry.piggle)),
        actors=swap_ids(position.actors),
        acted=swap_ids(position.acted),
        pending=act and Act(swap(act.piggle), swap(act.target)),
    )


def turn_knock(knock: Knock) -> Knock:
    return replace(knock, struck=swap(knock.struck), by=swap(knock.by))


def turn_move(move: PigglesAction | RollResult) -> PigglesAction | RollResult:
    match move:
        case Load(piggles=piggles):
            return Load(swap_ids(piggles))
        case Act(piggle=piggle, target=target):
            return Act(swap(piggle), swap(target))
        case RollResult(landings=landings, knocks=knocks):
            return RollResult(
                landings=tuple((swap(p), turn_landing(x)) for p, x in landings),
                knocks=tuple(turn_knock(knock) for knock in knocks),
            )
        case _:
            return move


def turn_game(game: Piggles) -> Piggles:
    """The same game with the players changed over."""
    rules = replace(game.rules, first_player=game.rules.first_player.other)
    if isinstance(rules, ModernRules):
        lineup = tuple(sorted((swap(piggle), piece) for piggle, piece in game.lineup))
        return PigglesModern(effects=EffectOptions(rules=rules, lineup=lineup))
    return PigglesClassic(rules=rules)
