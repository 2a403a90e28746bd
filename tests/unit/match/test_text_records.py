"""Records as text: what people write is read, and what is written reads back to the last bit."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.agents.registry import make_agent
from pigglesim.chance.tabular import TabularChance
from pigglesim.chance_types import ChanceOutcome, ChanceRequest
from pigglesim.games.registry import game_names, make_game
from pigglesim.landing import RestPlace, RollRequest, Seat, Zone
from pigglesim.match.entries import Comment, CutError, LocatedError, MatchRecord, Status
from pigglesim.match.record import format_record, parse_record
from pigglesim.match.replay import replay, without_positions
from pigglesim.match.runner import play
from pigglesim.match.text import format_value, parse_value
from tests.support.simple_odds import simple_odds

SHORT: dict[str, dict[str, object]] = {"pig_pile": {"rounds": 1, "turn_cap": 60}}
"""House rules of games that would otherwise be long."""
GOLDEN = (Path(__file__).parent / "golden_record.txt").read_text()


class Placed(TabularChance):
    """Rolls by odds, with made-up places that have every bit of a float."""

    def answer(self, request: ChanceRequest, *, index: int) -> ChanceOutcome:
        result = super().answer(request, index=index)
        if not isinstance(request, RollRequest):
            return result
        bits, before = 1.0 / (7 * index + 3), dict(request.standing)
        place = RestPlace(position=(bits, -0.0, bits**3), rotation=(0.0, bits, -bits, 1.0))
        landings = {
            name: replace(at, place=place)
            if at != before.get(name) and at.zone is not Zone.OFF
            else at
            for name, at in result.landings
        }
        return replace(result, landings=tuple(landings.items()))


def match(seed: int, *, game: str = "piggles_classic", placed: bool = False) -> MatchRecord:
    source = Placed if placed else TabularChance
    rules = make_game(game, SHORT.get(game, {}))
    return play(
        rules,
        agents={seat: make_agent("uniform") for seat in rules.seats},
        chance=source(seed=seed, odds=simple_odds(knock=0.3, leaning=0.2)),
        seed=seed,
        teams={"A1": "piggle", "B6": "premium+blue"},
    ).record


comments = (
    st.text(st.sampled_from("ab {};\n:=>A1roundresult"), min_size=1, max_size=40)
    .map(lambda text: "\n".join(line.strip() for line in text.split("\n")).strip())
    .filter(lambda text: text and not ("}" in text and "\n" in text))
)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    game=st.sampled_from(game_names()),
    seed=st.integers(0, 10**6),
    placed=st.booleans(),
    notes=st.lists(st.tuples(st.integers(0, 30), comments), max_size=4),
)
def test_both_forms_give_each_other_to_the_byte(game, seed, placed, notes):
    record = match(seed, game=game, placed=placed)
    entries = list(record.entries)
    for at, text in notes:
        entries.insert(min(at, len(entries)), Comment(text=text))
    record = replace(record, entries=tuple(entries))
    lines, text = format_record(record), format_record(record, text=True)
    assert format_record(parse_record(text)) == lines
    assert format_record(parse_record(lines), text=True) == text
    assert repr(parse_record(text).entries) == repr(record.entries)


def test_the_golden_text_reads_and_is_written_as_it_was():
    record = parse_record(GOLDEN)
    assert format_record(record, text=True) == GOLDEN
    assert parse_record(format_record(record)) == record
    header = record.header
    assert header.agents == {Seat.A: "Ada", Seat.B: "7"}
    assert header.teams["A4"] == "my pigs/fat one.toml"
    assert list(header.teams) == ["A1", "A2", "A3", "A4", "A5", "A6", "B1"]
    assert header.chance == {"source": "kitchen table", "hands": {"A": "left", "B": None}}
    assert (header.date, header.house_rules["mud_delay"]) == ("2026-11-21", "none")
    first, second = (dict(outcome.landings) for outcome in record.outcomes)
    assert repr(first["A1"].place.position) == "(0.01, -0.0, 0.0125)"
    # A1 was struck but lies as it lay: its place comes from the roll before.
    assert second["A1"] == first["A1"]
    assert [knock.struck for knock in record.outcomes[1].roll.knocks] == ["A1", "A2"]
    # B: a field and a Piggle knocked off the board (R3, R11); A: a field.
    assert record.footer.scores == {Seat.A: 3, Seat.B: 4}


def test_what_a_mail_does_to_a_text_harms_nothing():
    record = parse_record(GOLDEN)
    header, moves = GOLDEN.split("\n\n", 1)
    wrapped = moves.replace(" up@", "\nup@").replace(" B1:", "\nB1:").replace("  =>", "=>")
    flat = "\n".join(line.strip() for line in wrapped.split("\n"))
    for body in (wrapped, flat):
        assert parse_record(f"{header}\n\n{body}") == record
    assert parse_record("\ufeff" + GOLDEN.replace("\n", "\r\n")) == record


def test_comments_may_stand_anywhere_below_the_header():
    noted = GOLDEN.replace("A load A1 A2\n", "A load {why\nnot} A1 A2 ; all of them?\n")
    notes = [e.text for e in parse_record(noted).entries if isinstance(e, Comment)]
    assert notes[1:3] == ["why\nnot", "all of them?"]
    ended = GOLDEN.replace("result:", "{that was it} result:")
    assert parse_record(ended).entries[-1] == Comment(text="that was it")
    after = parse_record(GOLDEN + "; said afterwards\n")
    assert after.entries[-1] == Comment(text="said afterwards")


def test_a_record_by_hand_needs_only_what_nobody_can_work_out():
    text = (
        "pigglesim match record 4\ngame: piggles_classic\nseed: 0\nrule rounds: 1\n\n"
        "A skip\nB load B2 B1\n=> B1:up@woods B2:down@woods\nresult: B wins (score)\n"
    )
    record = parse_record(text)
    assert record.footer.status is Status.FINISHED
    assert record.footer.scores == {Seat.A: 0, Seat.B: 1}
    assert record.decisions[1].action == "load B1 B2", "in the notation of the game"
    assert record.header.version == "unknown"
    assert replay(record).record == record


def test_the_sample_on_the_page_is_a_record():
    page = (Path(__file__).parents[3] / "docs" / "formats" / "records.md").read_text()
    (text,) = re.findall(r"```text\n(pigglesim match record.*?)```", page, re.DOTALL)
    assert parse_record(format_record(parse_record(text), text=True)) == parse_record(text)


def fault_of_edit(old: str, new: str) -> LocatedError:
    assert old in GOLDEN
    with pytest.raises(LocatedError) as caught:
        parse_record(GOLDEN.replace(old, new, 1), first=101)
    return caught.value


FAULTS = [
    ("record 4\n", "record 5\n", 101, "schema version 5.*wrote it"),
    ("game: piggles_classic", "game: pigles_clasic", 101, "use piggles_classic"),
    ("seed: 0\n", "", 101, "missing seed"),
    ("seed: 0", "seed: many", 101, "invalid seed 'many'"),
    ("seed: 0", "sead: 0", 105, "unknown line of a header.*use seed"),
    ("rule mud_delay: none", "rule rounds: 2", 104, "rounds occurs twice"),
    ("agent B:", "agent C:", 101, "piggles_classic has no seat C"),
    ("load A1 A2", "load B3", 119, "decision 0: .*R8"),
    ("load A1 A2", "lead A1 A2", 119, "lead A1 A2"),
    ("B load B1", "=> B1:up@woods", 123, "turn|due|roll"),
    ("A2:down@woods", "A2:down@wood", 120, "wood"),
    ("A2:down@woods", "and A2", 120, "and"),
    ("[0.004,0.2]", "[0.004,9e999]", 124, "finite"),
    ("settled[1.25]", "settled[1] settled[2]", 120, "settle"),
    ("B wins", "A wins", 126, "result: A wins .* contradicts"),
    ("A 3, B 4", "A 3, B 5", 127, "scores: A 3, B 5 contradicts"),
    ("final_state: 97", "final_state: 98", 128, "final_state: 98.* contradicts"),
    ("{Played", "A: {Played", 116, "a line that begins with =>, A, B"),
    ("; Ada's first }", "{Ada's first", 122, "a comment has no end"),
]


@pytest.mark.parametrize(("old", "new", "line", "fault"), FAULTS)
def test_each_fault_of_a_text_is_reported_with_its_line(old, new, line, fault):
    error = fault_of_edit(old, new)
    assert error.line == line
    with pytest.raises(LocatedError, match=fault):
        raise error
    assert str(error).startswith(f"line {line}: ")


def test_an_illegal_action_comes_with_the_position_before_it_and_the_rule():
    error = fault_of_edit("B load B1", "B load B1 A3")
    game = make_game("piggles_classic", {"rounds": 1, "mud_delay": "none"})
    assert error.position is not None
    before = game.parse_state(error.position)
    assert (error.rule, before.active, len(before.board)) == ("R8", Seat.B, 2)


@pytest.mark.parametrize(
    ("end", "count"), [("B load", 4), ("oad B1", 4), ("A2:off", 5), ("result", 6)]
)
def test_a_text_that_is_cut_holds_what_is_whole(end, count):
    with pytest.raises(CutError, match="the rest of this record was cut off") as caught:
        parse_record(GOLDEN[: GOLDEN.index(end)])
    assert caught.value.entries == parse_record(GOLDEN).entries[:count]


def test_an_illegal_action_at_the_end_of_an_unfinished_text_is_no_cut():
    unfinished = GOLDEN[: GOLDEN.index("B load")]
    with pytest.raises(LocatedError, match="illegal load A3 of B, by R8") as caught:
        parse_record(f"{unfinished}B load A3\n")
    assert caught.value.rule == "R8"


def test_a_record_without_places_replays_by_the_rules_alone():
    record = match(5, placed=True)
    bare = without_positions(record)
    assert replay(bare).state != replay(record).state
    assert bare.footer.scores == record.footer.scores
    assert bare.footer.result == record.footer.result
    assert all(at.place is None for o in bare.outcomes for _, at in o.result.landings)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@given(values)
def test_values_of_a_header_read_back_as_they_were(value):
    assert repr(parse_value(format_value(value))) == repr(value)
    for text in ("NaN", "[NaN]", '"\\ud800"', "[" * 5000, "1" * 5000):
        assert parse_value(text) == text, "what could not be written again stays text"


def test_names_of_people_read_back_in_both_forms_and_change_no_comparison():
    record = match(5)
    named = replace(record.header, names={Seat.A: "Anna", Seat.B: "7"})
    for text in (False, True):
        found = parse_record(format_record(replace(record, header=named), text=text)).header
        assert found.names == named.names and found == record.header
    sealed = format_record(replace(record, header=named), text=True)
    with pytest.raises(LocatedError, match="name at seat A"):
        parse_record(sealed.replace("name A: Anna", 'name A: "<b>Anna"'))
