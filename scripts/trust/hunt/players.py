"""Matches of programs in the hunt: one fails at some decision, and forfeits as documented."""

import shlex
import sys
import tempfile
import time
from pathlib import Path

import pigglesim
from pigglesim.games.registry import game_names, make_game
from pigglesim.match.entries import Cause
from pigglesim.match.record import format_record, parse_record
from scripts.trust.hunt.case import SEED, Kind, One, expect
from scripts.trust.hunt.player import LINES, WELL

_PROGRAM = Path(__file__).with_name("player.py")
_CAUSES = {
    **dict.fromkeys(("crash", "end", "half", "close"), Cause.RAISED),
    **dict.fromkeys((*LINES, "flood"), Cause.NONSENSE),
    "hang": Cause.TIME,
}
_LIMIT = 2.0
"""Time limit of a player that hangs [s]."""
_PATIENCE = 20.0
"""Time in which killed processes are gone [s]."""


def _left(log):
    """Return the processes of players that still run; one that nobody waits for is gone."""
    alive = []
    for word in log.read_text().split():
        stat = Path(f"/proc/{word}/stat")
        try:
            alive += [word] if stat.read_text().rpartition(")")[2].split()[0] != "Z" else []
        except OSError:
            continue
    return alive


def play(case):
    """Play a match with a program at one seat, and judge its end and its record."""
    how, seed, game = case["how"], case["seed"], case["game"]
    count = len(make_game(game).seats)
    with tempfile.TemporaryDirectory(prefix="pigglesim-hunt-") as scratch:
        log = Path(scratch) / "pids"
        command = [sys.executable, _PROGRAM, how, case["decision"], log]
        agents = ["uniform"] * count
        agents[seed % count] = f"cmd:{shlex.join(map(str, command))}"
        match = pigglesim.play_match(
            game, agents=agents, seed=seed, chance="tabular" if "piggles" in game else "fair",
            time_limit=_LIMIT if how == "hang" else None,
        )  # fmt: skip
        until = time.monotonic() + _PATIENCE
        while _left(log) and time.monotonic() < until:
            time.sleep(0.01)
        expect(not _left(log), "no process of a player is left")
    record, forfeit = match.record, match.record.forfeit
    seat = list(record.header.agents)[seed % count]
    own = sum(entry.seat is seat for entry in record.decisions)
    expect(forfeit is not None or how in WELL or own < case["decision"], "a failure forfeits", own)
    if forfeit is not None:
        found = (forfeit.seat, forfeit.cause)
        expect(found == (seat, _CAUSES.get(how)), "a forfeit as documented", forfeit)
        # On a loaded machine an earlier decision may have taken too long.
        expect(own == case["decision"] - 1 or how == "hang", "a forfeit at its decision", own)
        expect(forfeit.detail.isprintable(), "a reason is one line", forfeit)
    expect(parse_record(format_record(record)) == record, "a record is read as it was written")
    expect(pigglesim.replay(record).scores == match.scores, "a replay has the scores of the match")
    return record.entries if how in WELL else None


KINDS = (
    Kind(
        name="players", run=play, seconds=1.0,
        options={
            "game": One(game_names()),
            "how": One((*WELL, *_CAUSES)),
            "decision": One(range(1, 30)),
            "seed": SEED,
        },
    ),
)  # fmt: skip
