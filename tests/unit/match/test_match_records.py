"""Matches, their records, replays, branches and films."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from pigglesim.agents.agent import Uniform
from pigglesim.agents.registry import make_agent
from pigglesim.chance.physical import FilmedChance, physical_chance
from pigglesim.chance.tabular import TabularChance
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.errors import PigglesimError, RecordError, SpecError
from pigglesim.films.codec import encode, film_folder
from pigglesim.games.piggles.game import PigglesClassic
from pigglesim.games.piggles.state import PigglesRules
from pigglesim.landing import Landing, Orientation, RestPlace, RollResult, Seat, Zone
from pigglesim.match.entries import Comment, Status
from pigglesim.match.record import format_record, parse_record, read_record, write_record
from pigglesim.match.replay import branch_at, films_of, replay, without_positions
from pigglesim.match.runner import Match, play
from pigglesim.scene.load import load_scene, team_models
from tests.support.scripted_chance import ScriptedChance
from tests.support.simple_odds import simple_chance, simple_odds
from tests.unit.films.test_codec import assert_near

AGENTS = {Seat.A: make_agent("greedy"), Seat.B: make_agent("uniform")}
GAME = PigglesClassic(rules=PigglesRules(rounds=3))
KNOCKS = simple_odds(knock=0.3)


def match(seed: int = 1, **more: object) -> Match:
    chance = TabularChance(seed=seed, odds=KNOCKS)
    return play(GAME, agents=AGENTS, chance=chance, seed=seed, **more)


def test_a_match_is_a_pure_function_of_its_seeds():
    assert format_record(match().record) == format_record(match().record)
    assert match(1).record.entries != match(2).record.entries


def test_each_decision_has_a_stream_of_its_own():
    drawn = []

    class Spy(Uniform):
        def choose(self, observation, legal_actions, *, rng):
            drawn.append(rng.bit_generator.state["state"]["state"])
            return Uniform().choose(observation, legal_actions, rng=rng)

    both = {Seat.A: Spy(), Seat.B: Spy()}
    play(GAME, agents=both, chance=simple_chance(seed=1), seed=1)
    assert len(set(drawn)) == len(drawn) > 4


@pytest.mark.parametrize("seed", range(3))
def test_files_read_back_and_replay_to_the_same_end(seed, tmp_path):
    played = match(seed)
    path = tmp_path / "match.record.jsonl"
    write_record(played.record, path)
    again = read_record(path)
    assert again == played.record
    assert replay(again).state == played.state
    chance = ScriptedChance([o.result for o in again.outcomes])
    repeated = play(GAME, agents=AGENTS, chance=chance, seed=seed)
    assert repeated.record.entries == played.record.entries
    assert [path] == list(tmp_path.iterdir())


class Stopping(TabularChance):
    """Somebody presses Ctrl-C at roll 2."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        if index == 2:
            raise KeyboardInterrupt
        return super().answer(request, index=index)


def test_an_interrupted_match_saves_what_was_finished():
    whole = match()
    chance = Stopping(seed=1, odds=KNOCKS)
    with pytest.raises(KeyboardInterrupt):
        play(GAME, agents=AGENTS, chance=chance, seed=1)
    stopped = play(GAME, agents=AGENTS, chance=chance, seed=1, interruptible=True)
    record = parse_record(format_record(stopped.record))
    assert record.footer.status is Status.INTERRUPTED
    assert record.footer.result is None
    assert len(record.outcomes) == 2
    assert record.entries == whole.record.entries[: len(record.entries)]
    assert replay(record).state == stopped.state


def lines() -> list[str]:
    return format_record(match().record).splitlines()


def text(parts: list[str]) -> str:
    return "".join(f"{line}\n" for line in parts)


def edited(number: int, old: str, new: str) -> str:
    parts = lines()
    assert old in parts[number - 1]
    parts[number - 1] = parts[number - 1].replace(old, new, 1)
    return text(parts)


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        (lambda: edited(1, '"seed":1', '"seed":2'), "line 1: "),
        (lambda: edited(3, '"index":0', '"index": 0'), "line 3: "),
        (lambda: edited(3, '"sha256":"', '"sha256":"0'), "line 3: "),
        (lambda: text([*lines()[:4], lines()[5], lines()[4], *lines()[6:]]), "line 5: "),
        (lambda: text([*lines()[:3], lines()[2], *lines()[3:]]), "line 4: "),
        (lambda: text(lines()[:1]), "line 1: .*cut off"),
        (lambda: text(lines())[:-30], "line .*cut"),
        (lambda: text([*lines(), lines()[-1]]), "edited or moved"),
        (lambda: text([lines()[0], "[]", *lines()[1:]]), "line 2: .*no seal"),
        (lambda: "", "line 1: "),
        (lambda: '{"kind":"other"}\n', "header of a record"),
        (lambda: edited(1, '"schema":4', '"schema":0'), "schema version 0"),
    ],
)
def test_a_record_that_was_touched_is_refused_and_the_line_named(broken, fault):
    with pytest.raises(RecordError, match=fault):
        parse_record(broken())


def test_every_single_character_is_sealed():
    record = match().record
    short = format_record(replace(record, entries=record.entries[:2]))
    for position in range(0, len(short) - 1, 7):
        letter = "x" if short[position] != "x" else "y"
        with pytest.raises(RecordError, match="line"):
            parse_record(short[:position] + letter + short[position + 1 :])


def test_numbers_that_are_not_finite_are_not_recorded():
    place = RestPlace(position=(float("nan"), 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
    landing = Landing(orientation=Orientation.SNOUT_UP, zone=Zone.WOODS, place=place)
    result = RollResult(landings=tuple((f"A{n}", landing) for n in range(1, 7)))
    with pytest.raises(PigglesimError, match="finite"):
        format_record(with_entry(1, result=result))


def with_entry(number: int, **parts: object):
    record = match().record
    entries = list(record.entries)
    entries[number] = replace(entries[number], **parts)
    return replace(record, entries=tuple(entries))


@pytest.mark.parametrize(
    ("number", "parts", "fault"),
    [
        (0, {"action": "load B1"}, "decision 0: .*R8"),
        (0, {"seat": Seat.B}, "record has decision 0 of B"),
        (0, {"index": 7}, "record has decision 7 of A.* decision 0 of A"),
        (1, {"piggles": ("A1",)}, "record has roll 0 of A1 by A"),
        (1, {"index": 7}, "record has roll 7 .*roll 0 "),
        (1, {"result": RollResult(landings=())}, "roll 0: "),
    ],
)
def test_a_replay_names_what_does_not_fit_the_rules(number, parts, fault):
    with pytest.raises(RecordError, match=fault):
        replay(with_entry(number, **parts))


def test_a_replay_must_come_to_the_recorded_end():
    record = match().record
    wrong = replace(record, footer=replace(record.footer, scores={Seat.A: 99, Seat.B: 0}))
    for broken in (wrong, replace(record, entries=record.entries[:-1])):
        with pytest.raises(RecordError, match="the end is"):
            replay(broken)
    with pytest.raises(SpecError, match="unknown game"):
        replay(replace(record, header=replace(record.header, game="chess")))


class Nudged(TabularChance):
    """The same table, but roll 1 differs in the last bit of one number."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        result = super().answer(request, index=index)
        if index != 1:
            return result
        (name, landing), *rest = result.landings
        place = RestPlace(position=(-0.0, 0.0, 0.0), rotation=(0.0, 0.0, 0.0, 1.0))
        return replace(result, landings=((name, replace(landing, place=place)), *rest))


def test_resimulation_agrees_or_names_the_first_roll_that_differs():
    record = match().record
    again = TabularChance(seed=1, odds=KNOCKS)
    assert replay(record, resimulate=again).record is record
    with pytest.raises(RecordError, match=r"roll 1 differs: B\d "):
        replay(record, resimulate=Nudged(seed=1, odds=KNOCKS))


def test_the_recorded_action_on_the_recorded_luck_gives_the_recorded_match():
    record = match().record
    for index in range(len(record.decisions)):
        point = branch_at(record, index)
        chance = TabularChance(seed=1, odds=KNOCKS)
        again = point.play_on(point.decision.action, agents=AGENTS, chance=chance, seed=1).record
        assert again.footer == record.footer
        played = [entry for entry in again.entries if not isinstance(entry, Comment)]
        assert tuple(played) == record.entries


def test_a_branch_is_a_record_that_names_where_it_left():
    record = match().record
    point = branch_at(record, 2)
    assert point.decision == record.decisions[2]
    other = next(action for action in point.actions if action != point.decision.action)
    branch = point.play_on(other, agents=AGENTS, chance=simple_chance(seed=9), seed=9).record
    assert replay(parse_record(format_record(branch, text=True))).record == branch
    assert branch.header.chance["before"] == record.header.chance
    assert branch.header.chance["rolls_before"] == point.before.outcomes == 2
    assert branch.header.seed == 9
    notes = [entry.text for entry in branch.entries if isinstance(entry, Comment)]
    assert notes == [f"branch at decision 2: {other} for {point.decision.action}"]
    assert branch.decisions[2].action == other
    assert branch.decisions[:2] == record.decisions[:2]


SCENE = load_scene("piggles_classic")
MODELS = team_models(SCENE)


def physics(seed=4):
    return physical_chance(SCENE, MODELS, engine="bullet", seed=seed)


@pytest.fixture(scope="module")
def filmed(tmp_path_factory):
    """The record of a match, its films as they were made, and the folder where they were kept."""
    folder, made = film_folder(tmp_path_factory.mktemp("films") / "m.jsonl"), []

    def show(index, film):
        folder.write(index, film)
        made.append(film)

    game = PigglesClassic(rules=PigglesRules(rounds=2))
    chance = FilmedChance(source=physics(), show=show)
    return play(game, agents=AGENTS, chance=chance, seed=4, teams=MODELS).record, made, folder


def test_saved_films_are_read_and_the_others_rolled_again_to_the_bit(filmed, tmp_path):
    record, made, folder = filmed
    kept = list(films_of(record, saved=folder))
    again = list(films_of(record, resimulation=lambda: FilmedChance(source=physics())))
    assert [encode(film) for film in again] == [encode(film) for film in made]
    for film, stored in zip(again, kept, strict=True):
        assert_near(film, stored)
    half = film_folder(tmp_path / "half.jsonl")
    half.write(1, made[1])
    source = Mock(side_effect=lambda: FilmedChance(source=physics()))
    mixed = list(films_of(record, saved=half, resimulation=source))
    assert [film.origin["roll"] for film in mixed] == list(range(len(made)))
    source.assert_called_once()


def test_what_is_no_film_of_this_match_is_refused(filmed, tmp_path):
    record, made, _ = filmed
    folder = film_folder(tmp_path / "m.jsonl")
    folder.write(0, made[1])
    with pytest.raises(RecordError, match=r"film of another roll; remove '.*films'"):
        next(films_of(record, saved=folder))
    folder.write(0, replace(made[0], origin={**made[0].origin, "seed": 99}))
    with pytest.raises(RecordError, match="film of another roll"):
        next(films_of(record, saved=folder))
    folder.file(0).write_bytes(b"PIGFILM" + bytes(90))
    with pytest.raises(RecordError, match="roll-0000"):
        next(films_of(record, saved=folder))


def test_what_cannot_be_rolled_again_is_refused(filmed):
    record, _, _ = filmed
    with pytest.raises(RecordError, match="roll 0 has no film"):
        next(films_of(record))
    for other, seed in ((record, 5), (without_positions(record), 4)):
        source = FilmedChance(source=physics(seed))
        with pytest.raises(RecordError, match="roll 0 differs"):
            next(films_of(other, resimulation=lambda: source))  # noqa: B023
