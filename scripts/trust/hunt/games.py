"""Games and matches of the hunt: rules in random play, records, replays, analysis and links."""

import json
from dataclasses import fields
from enum import StrEnum
from functools import cache
from importlib import import_module
from inspect import getsource, signature
from random import Random

from pigglesim.api.analyse import analyse
from pigglesim.api.game_setup import set_up_game
from pigglesim.api.match import replay, set_up_match
from pigglesim.games.registry import game_names, make_game
from pigglesim.games.switches import choices
from pigglesim.match.correspondence import replayed
from pigglesim.match.links import LINK_GAMES
from pigglesim.match.record import format_record, parse_record
from pigglesim.match.replay import interrupted_record, without_positions
from pigglesim.rng import generator
from scripts.trust.hunt.case import SEED, Kind, One, Some, expect, may_refuse
from scripts.trust.hunt.throws import ENGINES
from tests.support.game_checks import (
    TURNED,
    check_game,
    check_imagined,
    check_legal_actions,
    check_seats,
)
from tests.support.link_matches import LinkMatch, expect_plain, laid, mutated
from tests.support.links_seen import seen
from tests.support.random_games import LIMITS

_LIVERIES = (
    *("-", "red", "red+left", "blue+adjacent", "green+right", "yellow+across", "orange+left"),
    *("red+arrow_cw", "blue+arrow_ccw", "green+spiral_cw", "yellow+spiral_ccw", "orange+split"),
)
AGENTS = {
    "piggles_classic": ("uniform", "greedy", "threshold:3", "aim:back=5.5", "mcts:nodes=8"),
    "piggles_modern": ("uniform", "greedy", "mcts:nodes=8"),
    "piggy_six": ("uniform", "greedy", "hold:12", "expectimax"),
    "pig_pile": ("uniform", "greedy", "mcts:nodes=8"),
    "piggyback": ("uniform", "greedy", "mcts:nodes=8"),
    "lord_of_the_pigs": ("uniform", "greedy"),
}
_MATCH_SECONDS = {"piggyback": 10.0, "lord_of_the_pigs": 4.0, "piggy_six": 2.0}


def switches(name):
    """Return house rules of a game as `name=value`, each other than the default."""
    rules = type(make_game(name).rules)
    found = []
    for spec in fields(rules):
        if isinstance(spec.default, StrEnum):
            values = [value for value in choices(spec) if value is not spec.default]
        elif isinstance(spec.default, bool):
            values = [not spec.default]
        elif spec.name in LIMITS.get(rules, {}):
            low, high = LIMITS[rules][spec.name]
            values = sorted({low, min(low + 1, high), (low + high) // 2, high})
        else:
            continue
        found += [f"{spec.name}={value}" for value in values]
    return tuple(found)


def rules_of(case):
    """Return the house rules of a case; of a rule that is there twice, the last counts."""
    rules = dict(word.split("=", 1) for word in case["rules"])
    for seat in ("team_a", "team_b"):
        if seat in case:
            rules[seat] = case[seat] + ["-"] * (6 - len(case[seat]))
    return {name: _value(value) for name, value in rules.items()}


def _value(text):
    if isinstance(text, list):
        return text
    return json.loads(text.lower()) if text in {"True", "False"} or text.isdigit() else text


def game_of(case):
    with may_refuse():
        return make_game(case["kind"].partition(":")[2], rules_of(case))


@cache
def promises(name):
    """Return the tests of a game that take any game and seed, without what draws these."""
    subject = name.removesuffix("_classic").removesuffix("_modern")
    module = import_module(f"tests.unit.games.test_{subject}")
    found = []
    for test in vars(module).values():
        inner = getattr(getattr(test, "hypothesis", None), "inner_test", None)
        if inner is None or list(signature(inner).parameters) != ["game", "seed"]:
            continue
        if name != "piggles_classic" or "@modern_plays" not in getsource(inner):
            found.append(inner)
    return found


def play_rules(case):
    """Play at random by the rules, and check all that a game promises."""
    game, seed = game_of(case), case["seed"]
    check_game(game, seed)
    check_legal_actions(game, seed)
    if game.name in TURNED:
        check_seats(game, seed)
    if hasattr(game, "imagine"):
        check_imagined(game, seed)
    for promise in promises(game.name):
        promise(game, seed)


def play_whole(case):
    """Play a match of agents, and read, replay, re-simulate, cut and analyse its record."""
    name, seed = case["kind"].partition(":")[2], case["seed"]
    chance = case.get("chance")
    models = (case["models"],) * 2 if name == "piggles_classic" else (None, None)
    with may_refuse():
        base = set_up_game(name, None, rules=rules_of(case), teams=models)
        idle = getattr(base.game, "idle_seats", ())
        agents = {
            seat: case["agents"][k % len(case["agents"])]
            for k, seat in enumerate(base.game.seats)
            if seat not in idle
        }
        setup = set_up_match(
            base, agents=agents, chance=chance, seed=seed,
            engine=case["engine"] if chance == "physical" else None,
        )  # fmt: skip
    played = setup.play()
    record = played.record
    expect(record.forfeit is None, "our own agents never forfeit", record.forfeit)
    expect(parse_record(format_record(record)) == record, "a record is read as it was written")
    bare = without_positions(record)
    read = parse_record(format_record(bare, text=True))
    expect(read.entries == bare.entries, "a text record is read as it was written")
    expect(replay(record).scores == played.scores, "a replay has the scores of the match")
    if chance == "physical":
        replay(record, resimulate=True)
    cut = generator(seed, "hunt cut").integers(len(record.entries) + 1)
    part = interrupted_record(record.header, record.entries[: int(cut)])
    expect(parse_record(format_record(part)) == part, "a cut record is read as it was written")
    if case["analysed"] and part.decisions:
        begun = interrupted_record(record.header, record.entries[:6])
        with may_refuse():
            analyse(begun, playouts=case["analysed"], seed=seed)
    return format_record(record)


def play_by_link(case):
    """Play a match by links: each replays to the same, and a mutated one is refused in a line."""
    game, rng = case["kind"].partition(":")[2], Random(case["seed"])
    match = LinkMatch(game=game, chance=case["chance"], seed=case["seed"])
    match.play(case["messages"])
    results = []
    for text in match.texts:
        result = replayed(text, laid)
        expect(result.fault is None, "a link of a match opens", result.fault)
        expect(seen(result) == seen(replayed(text, laid)), "a link opens twice as the same")
        results.append(seen(result))
    for _ in range(case["mutations"]):
        text = mutated(rng.choice(match.texts), rng)
        memory = rng.choice([None, *match.memories])
        expect_plain(text, memory)
        results.append(seen(replayed(text, laid)))
    # An older link, opened by someone who has gone on, changes nothing.
    for memory in match.memories:
        expect_plain(rng.choice(match.texts), memory)
    return results


def _kinds():
    for name in game_names():
        rules = Some(switches(name), 0, 6)
        teams = {}
        if name == "piggles_modern":
            teams = {"team_a": Some(_LIVERIES, 0, 6), "team_b": Some(_LIVERIES, 0, 6)}
        yield Kind(
            name=f"rules:{name}", run=play_rules, seconds=0.12,
            options={"rules": rules, **teams, "seed": SEED},
        )  # fmt: skip
        more = {}
        if name.startswith("piggles"):
            more = {
                "chance": One((*("tabular",) * 4, "physical")),
                "engine": One(ENGINES),
                "models": One(("piggle", "premium", "piggle,piggle,premium,piggle,piggle,premium")),
            }
        if name == "piggy_six":
            more = {"chance": One((*("fair",) * 9, "physical")), "engine": One(ENGINES)}
        yield Kind(
            name=f"match:{name}", run=play_whole, seconds=_MATCH_SECONDS.get(name, 0.6),
            options={
                "rules": rules, **teams, **more, "agents": Some(AGENTS[name], 1, 2),
                "analysed": One((0, 0, 0, 400)), "seed": SEED,
            },
        )  # fmt: skip
    for name in LINK_GAMES:
        chances = (*("tabular",) * 4, "physical") if "piggles" in name else ("fair",)
        yield Kind(
            name=f"link:{name}", run=play_by_link, seconds=0.3,
            options={
                "chance": One(chances), "messages": One(range(1, 40)),
                "mutations": One(range(20)), "seed": SEED,
            },
        )  # fmt: skip


KINDS = tuple(_kinds())
