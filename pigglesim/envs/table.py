"""The games that can be environments, with their encoders, painters and sources of chance."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pigglesim.chance.fair import FairChance
from pigglesim.chance.physical import PhysicalChance
from pigglesim.chance.sources import expect_pigs, physical_chance, tabular_chance
from pigglesim.chance.tabular import TabularChance, check_by_odds
from pigglesim.envs.encoding import Encoder
from pigglesim.envs.lord_of_the_pigs import LordEncoder
from pigglesim.envs.pig_pile import PigPileEncoder
from pigglesim.envs.piggles import PigglesEncoder
from pigglesim.envs.piggy_six import PiggySixEncoder, PiggySixPainter
from pigglesim.envs.piggyback import PiggybackEncoder
from pigglesim.envs.rendering import Painter, PigglesPainter
from pigglesim.errors import SpecError, unknown_name
from pigglesim.games.game import Game, HasIdleSeats
from pigglesim.games.registry import find, make_game
from pigglesim.landing import Seat
from pigglesim.match.runner import ChanceSource
from pigglesim.scene.load import load_scene, markings, team_models, teams_by_name
from pigglesim.scene.scene import Board, Scene

_ENCODERS: Mapping[str, Callable[..., Encoder[Any]]] = {
    "piggles_classic": PigglesEncoder,
    "piggles_modern": PigglesEncoder,
    "lord_of_the_pigs": LordEncoder,
    "pig_pile": PigPileEncoder,
    "piggyback": PiggybackEncoder,
    "piggy_six": PiggySixEncoder,
}
_PAINTERS: Mapping[str, Callable[..., Painter]] = {
    "piggles_classic": PigglesPainter,
    "piggles_modern": PigglesPainter,
    "piggy_six": PiggySixPainter,
}
"""The other games have no render mode."""


def encoded_games() -> tuple[str, ...]:
    """Return the names of all games that have an encoder."""
    return tuple(_ENCODERS)


def encoder_of(game: Game[Any, Any]) -> Encoder[Any]:
    """Return how a game becomes numbers.

    Raises:
        SpecError: If no encoder is known for it.
    """
    if game.name not in _ENCODERS:
        raise unknown_name("game with an encoder", game.name, _ENCODERS)
    return _ENCODERS[game.name](game=game)


_SHORT = {"classic": "piggles_classic", "modern": "piggles_modern"}
"""Games of Piggles by the short names of their rules."""
_MODERN = "piggles_modern"


def rule_names() -> tuple[str, ...]:
    """Return the names of all rules that can be played as an environment."""
    return (*_SHORT, *(name for name in encoded_games() if name not in _SHORT.values()))


def game_of(rules: str) -> str:
    """Return the name of the game with these rules.

    Raises:
        SpecError: If it cannot be played as an environment.
    """
    if rules not in rule_names():
        raise unknown_name("name of rules", rules, rule_names())
    return _SHORT.get(rules, rules)


@dataclass(frozen=True, kw_only=True)
class LearningTable:
    """Everything that an environment plays with."""

    game: Game[Any, Any]
    encoder: Encoder[Any]
    chance_of: Callable[[int], ChanceSource]
    """Returns what answers the rolls of the match of a seed."""
    painter: Painter | None = None
    """Draws positions; None where nothing is ever shown."""
    idle: frozenset[Seat] = frozenset()
    """Seats of those who never decide anything: imaginary players."""


def make_table(
    rules: str = "classic",
    *,
    chance: str | None = None,
    house_rules: Mapping[str, object] | None = None,
    team_a: str | None = None,
    team_b: str | None = None,
    scene: str | None = None,
    odds: str | None = None,
    engine: str | None = None,
) -> LearningTable:
    """Return a table to learn at.

    Args:
        rules: `classic`, `modern`, or the name of another game.
        chance: What answers: of Piggles `tabular`, by measured odds, or `physical`, of cards
            `fair`; the quickest if absent.
        house_rules: House rules by name; those left out are default.
        team_a: A's Piggles: models with commas, or in Modern a team or its file.
        team_b: B's.
        scene: Name or file of the table; the game's own if absent.
        odds: For `tabular`, the file of the odds or the model they come with.
        engine: For `physical`, what steps it.

    Raises:
        SpecError: If a name is unknown, a file is at fault, or odds are of another model.
    """
    name = game_of(rules)
    chances = find(name).chances
    chance = chance or chances[-1]
    if chance not in chances:
        raise unknown_name("chance source", chance, chances)
    pieces = [given for given in (team_a, team_b, scene) if given is not None]
    unused = {"physical": [odds], "tabular": [engine], "fair": [*pieces, odds, engine]}[chance]
    if any(unused):
        other = f", or chance={chances[chance == 'physical']!r}" if len(chances) > 1 else ""
        raise SpecError(
            f"nothing that chance={chance!r} does not use",
            got=repr(next(filter(None, unused))),
            remedy=f"leave it out{other}",
        )
    if chance == "fair":
        return _table(make_game(name, house_rules), _fair_chance)
    table = load_scene(scene or name)
    if not name.startswith("piggles"):
        if team_a or team_b:
            raise SpecError("a game of Piggles, with teams", got=rules, remedy="leave teams out")
        thrown = _chance_of(chance, table, {}, odds=odds, engine=engine)
        return _table(make_game(name, house_rules), thrown)
    models = team_models(table, teams_by_name(name, table, {Seat.A: team_a, Seat.B: team_b}))
    worn = markings(models) if name == _MODERN else {}
    game = make_game(name, {**worn, **(house_rules or {})})
    if chance != "physical":
        check_by_odds(game, remedy="chance='physical'")
    chance_of = _chance_of(chance, table, models, odds=odds, engine=engine)
    return _table(game, chance_of, board=table.board)


def _fair_chance(seed: int) -> ChanceSource:
    return FairChance(seed=seed)


def _table(
    game: Game[Any, Any], chance_of: Callable[[int], ChanceSource], **scene: Board
) -> LearningTable:
    """Return the table of a game; a painter of Piggles needs its `board`."""
    painter = _PAINTERS.get(game.name)
    return LearningTable(
        game=game,
        encoder=encoder_of(game),
        chance_of=chance_of,
        painter=painter(game=game, **scene) if painter is not None else None,
        idle=game.idle_seats if isinstance(game, HasIdleSeats) else frozenset(),
    )


def _chance_of(
    kind: str, scene: Scene, models: Mapping[str, str], *, odds: str | None, engine: str | None
) -> Callable[[int], ChanceSource]:
    """Return what makes a source of chance of a seed."""
    if kind == "physical":
        expect_pigs(models.values())
        physics: PhysicalChance = physical_chance(scene, models, engine=engine, seed=0)
        return lambda seed: replace(physics, seed=seed)
    remedy = "chance='physical', or odds that were measured on them"
    by_odds: TabularChance = tabular_chance(models, odds=odds or "piggle", seed=0, remedy=remedy)
    return by_odds.with_seed
