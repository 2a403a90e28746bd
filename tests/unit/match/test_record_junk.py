"""Records that are sealed as they should be but hold nonsense: told, never a crash."""

import hashlib
import json
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from pigglesim.agents.registry import make_agent
from pigglesim.errors import PigglesimError
from pigglesim.games.registry import make_game
from pigglesim.landing import BOARD_SEATS
from pigglesim.match.record import format_record, parse_record
from pigglesim.match.replay import replay
from pigglesim.match.runner import play
from tests.junk import with_junk
from tests.simple_odds import simple_chance

RECORD = play(
    make_game("piggles_classic", {"rounds": 2}),
    agents={seat: make_agent("greedy") for seat in BOARD_SEATS},
    chance=simple_chance(seed=3, knock=0.5),
    seed=3,
).record
TABLES = [json.loads(line) for line in format_record(RECORD).splitlines()]


def sealed(tables: list[dict]) -> str:
    """Write tables as the format says: each seal is of the seal before it and the content."""
    text, seal = "", ""
    for table in tables:
        content = json.dumps(
            {key: value for key, value in table.items() if key != "sha256"},
            separators=(",", ":"),
            ensure_ascii=False,
        )
        seal = hashlib.sha256(f"{seal}\n{content}".encode()).hexdigest()
        text += f'{content[:-1]},"sha256":"{seal}"}}\n'
    return text


JUNK = st.sampled_from(
    [None, True, 7, -1, 2.5, "", "A1", "B", "load A1", [], [[]], [1], ["A1"], {}, {"A": 1}]
)


def test_the_format_is_sealed_as_it_says():
    assert sealed(TABLES) == format_record(RECORD)


@settings(max_examples=300, deadline=None)
@given(with_junk([TABLES], JUNK))
def test_junk_anywhere_is_told_and_never_crashes(tables):
    if not all(isinstance(table, dict) for table in tables):
        return
    with suppress(PigglesimError):
        again = replay(parse_record(sealed(tables)))
        assert again.record.footer == RECORD.footer
