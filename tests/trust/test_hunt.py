"""The hunt: its cases repeat and grow simpler, its journal goes on, and it finds planted faults."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import count

import pytest

from pigglesim.agents import outside
from pigglesim.agents.six_greedy import SixGreedy
from pigglesim.api import study_parts
from pigglesim.chance.physical import PhysicalChance
from pigglesim.errors import SpecError
from pigglesim.games.piggy_six import PiggySix
from pigglesim.match import record
from pigglesim.match.entries import Header
from pigglesim.physics import bullet
from pigglesim.physics.impulse import engine as impulse
from pigglesim.serve.matches import ServedMatch
from pigglesim.site.review import PageReview
from pigglesim.site.table import PageTable
from pigglesim.table.puzzles import PuzzleSession
from scripts.trust.faults.bench import Disturbance
from scripts.trust.hunt import runs
from scripts.trust.hunt.__main__ import Hunt, command_of, main, read_journal, spent, summed, tables
from scripts.trust.hunt.case import SEED, Kind, One, Refused, Some, draw, expect, judged, shrunk
from scripts.trust.hunt.kinds import KINDS


def check_small(case):
    expect(case["size"] < 7 or "b" not in case["words"], "small or without b", case["size"])
    return case["size"]


SMALL = Kind(
    name="small",
    run=check_small,
    seconds=1.0,
    options={"size": One(range(100)), "words": Some(("a", "b", "c"), 1, 9), "seed": SEED},
)


def test_a_number_under_a_seed_is_one_case():
    assert draw(KINDS.values(), 5, 8) == draw(KINDS.values(), 5, 8)
    cases = [draw(KINDS.values(), 5, number) for number in range(4000)]
    assert {case["kind"] for case in cases} == set(KINDS)
    assert json.loads(json.dumps(cases)) == cases


def test_kinds_are_drawn_to_have_the_same_time():
    kinds = [
        replace(SMALL, name=name, seconds=cost) for name, cost in (("slow", 9.0), ("fast", 1.0))
    ]
    slow = sum(draw(kinds, 5, number)["kind"] == "slow" for number in range(2000))
    assert abs(slow - 200) < 4 * 13.5


def test_a_case_that_fails_becomes_as_simple_as_can_be():
    case = {"size": 81, "words": ["c", "b", "a", "b", "c"], "seed": 77}
    assert shrunk(SMALL, case, "small or without b", seconds=10) == {
        "size": 7,
        "words": ["b"],
        "seed": 0,
    }


def test_another_fault_is_not_the_same_made_simpler():
    def check(case):
        assert case["size"] < 90
        expect(case["size"] < 50, "below 50")

    kind = Kind(name="two", run=check, seconds=1.0, options={"size": One(range(100))})
    assert shrunk(kind, {"size": 80}, "below 50", seconds=10) == {"size": 50}
    assert judged(kind, {"size": 95})[1].fault == "AssertionError in test_hunt.py: check"


def test_bits_that_differ_in_another_process_are_a_finding():
    case = {"size": 1, "words": ["a"], "seed": 0}
    assert judged(SMALL, case)[1] is None
    finding = judged(SMALL, case, elsewhere=lambda case: "another digest")[1]
    assert finding.fault == "equal bits in another process"


def test_a_journal_goes_on_where_it_was_and_is_summed(tmp_path):
    path = tmp_path / "hunt.jsonl"
    for _ in range(3):
        hunt = Hunt({"small": SMALL}, 4, path)
        for _ in range(10):
            hunt.one(twin=None)
        # A process that is killed while it writes leaves half a line.
        text = path.read_text()
        path.write_text(text + '{"cut')
        assert len(read_journal(path)) == text.count("\n")
    lines = read_journal(path)
    assert [line["number"] for line in lines] == list(range(30))
    broken = [line for line in lines if line["end"] == "broken"]
    assert [line["fault"] for line in broken] == ["small or without b"] * len(broken)
    assert "simple" in broken[0] and not any("simple" in line for line in broken[1:])
    (day,) = summed(lines).values()
    assert day["cases"]["small"] == {"held": 30 - len(broken), "refused": 0, "broken": len(broken)}
    assert f"| small | {30 - len(broken)} | 0 | {len(broken)} |" in tables(summed(lines))


def test_time_of_processes_that_still_run_is_counted_and_kept_at_their_end():
    source = "import time; t = time.process_time\nwhile t() < 0.5: pass\nprint(flush=True); input()"
    words, before = [sys.executable, "-c", source], spent()
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        running = spent() - before
        child.communicate(b"\n")
    assert running + 0.02 >= 0.5 and running <= spent() - before + 0.02


def test_a_case_that_hangs_is_a_finding_of_the_next_start(tmp_path):
    path, script = tmp_path / "hunt.jsonl", (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from scripts.trust.hunt import __main__ as hunt\n"
        "from scripts.trust.hunt.case import SEED, Kind\n"
        "hunt._LONGEST = 1\n"
        "def sleeping(case):\n"
        "    time.sleep(600)\n"
        "kind = Kind(name='small', run=sleeping, seconds=1.0, options={'seed': SEED})\n"
        "hunt.Hunt({'small': kind}, 4, Path(sys.argv[1])).run(1)\n"
    )  # fmt: skip
    assert subprocess.run([sys.executable, "-c", script, path], capture_output=True).returncode == 1
    assert read_journal(path) == []
    for _ in range(2):
        assert Hunt({"small": SMALL}, 4, path).number == 1
    (line,) = read_journal(path)
    assert (line["number"], line["end"], line["fault"]) == (0, "broken", "a case ends")
    assert "sleeping" in line["detail"]


def test_a_case_is_run_by_the_command_that_a_finding_prints(capsys):
    case = {"kind": "rules:piggy_six", "rules": ["players=3"], "seed": 1}
    words = command_of(case).split(" --case ")
    assert main(["--case", words[1].strip("'")]) == 0
    assert capsys.readouterr().out == "held\n"


def found(kind, most=30, **fixed):
    """Return the first fault among cases of a kind that is not refused."""
    for number in range(most):
        case = draw([KINDS[kind]], 1, number) | fixed
        try:
            finding = judged(KINDS[kind], case)[1]
        except Refused:
            continue
        if finding is not None:
            return finding.fault
    return None


@pytest.mark.slow
def test_energy_from_nothing_is_found(monkeypatch):
    class Leaking(impulse.ImpulseWorld):
        def step(self):
            super().step()
            if self.state.supported.any():
                self.state.velocity[:] *= 1.01

    fall = {"engine": "impulse", "levels": [], "bodies": ["d6"]}
    assert found("fall", 2, **fall) is None
    monkeypatch.setattr(impulse, "ImpulseWorld", Leaking)
    assert found("fall", 2, **fall) == "energy never grows"


SHAKEN = {
    "kind": "pour", "bodies": ["import:0"], "standing": [], "engine": "bullet",
    "scene": "piggles_classic", "levels": [], "hold": "scene", "seat": "B",
    "line_rule": "footprint", "wasm": False, "seed": 100033393,
}  # fmt: skip


@pytest.mark.slow
def test_a_small_body_that_passes_the_cup_is_found_and_finer_steps_hold_it(monkeypatch):
    pour = KINDS["pour"]
    shaken = [SHAKEN, *(SHAKEN | {"levels": ["shake_hz=9"], "seed": seed} for seed in range(4))]
    assert [judged(pour, case)[1] for case in shaken] == [None] * 5
    monkeypatch.setattr(bullet, "SMALL", 0.0)
    assert judged(pour, SHAKEN)[1].fault == "nothing through the cup"


def test_a_lost_motion_is_refused_and_not_read():
    spinning = SHAKEN | {
        "bodies": ["import:11", "import:0", "import:5"], "engine": "mujoco", "seed": 2006470345,
        "levels": ["restitution=0.8", "friction=0.2", "spinning_lever_mm=0"],
        "line_rule": "contact_centroid",
    }  # fmt: skip
    with pytest.raises(Refused, match="engine mujoco lost body 1 of 3"):
        judged(KINDS["pour"], spinning)


def test_the_energy_of_mujoco_is_that_of_its_own_velocities():
    for seed in range(4):
        case = {
            "kind": "fall", "bodies": ["d6"], "engine": "mujoco", "scene": "piggles_classic",
            "levels": ["restitution=0.5", "friction=0.5"], "height_mm": 60, "speed_mm_s": 150,
            "spin_rad_s": 20, "spot": "middle", "seed": seed,
        }  # fmt: skip
        assert judged(KINDS["fall"], case)[1] is None


def test_a_wrong_legal_action_is_found(monkeypatch):
    assert found("rules:piggy_six", 3) is None
    really = PiggySix.legal_actions
    monkeypatch.setattr(PiggySix, "legal_actions", lambda game, state: really(game, state)[:1])
    assert "check_legal_actions" in found("rules:piggy_six", 5)


@pytest.mark.parametrize(
    ("kind", "owner", "method", "fault"),
    [
        ("match:piggy_six", SixGreedy, "choose", "our own agents never forfeit"),
        ("match:piggy_six", PiggySix, "apply_outcome", "SpecError in test_hunt.py: failing"),
        ("pour", PhysicalChance, "roll", "SpecError in test_hunt.py: failing"),
    ],
)
def test_an_error_in_the_middle_of_a_case_is_no_refusal(monkeypatch, kind, owner, method, fault):
    def failing(*_, **__):
        raise SpecError("a fault", fix="correct it")

    monkeypatch.setattr(owner, method, failing)
    options = {"analysed": 0, "chance": "fair", "agents": ["greedy"], "wasm": False}
    assert found(kind, 2, **options) == fault


def test_a_record_that_is_read_as_another_is_found(monkeypatch):
    assert found("match:piggy_six", 2, analysed=0, chance="fair") is None
    really = record._parse

    def forgetful(content):
        entry = really(content)
        return replace(entry, seed=entry.seed + 1) if isinstance(entry, Header) else entry

    monkeypatch.setattr(record, "_parse", forgetful)
    fault = found("match:piggy_six", 2, analysed=0, chance="fair")
    assert fault == "a record is read as it was written"


@pytest.mark.slow
def test_a_page_that_is_forgotten_is_found(monkeypatch):
    steps = ["join", "play", "play", "play"]
    evening = {"steps": steps, "players": "people", "game": "piggyback"}
    assert found("served", 1, **evening) is None
    monkeypatch.setattr("scripts.trust.hunt.served._PATIENCE", 1.0)
    really = ServedMatch._broadcast

    def forgetful(match, message=None):
        visitors = dict(match.visitors)
        for visitor in list(visitors)[1:]:
            del match.visitors[visitor]
        really(match, message)
        match.visitors |= visitors

    monkeypatch.setattr(ServedMatch, "_broadcast", forgetful)
    assert found("served", 3, **evening) == "all pages come to see the same"


@pytest.mark.slow
def test_a_lost_shard_is_found(monkeypatch):
    study = {"fault": "kill", "throws": 700, "levels": ["0.2", "0.5"], "model": "d6"}
    assert found("disturbed:study", 1, **study) is None
    really = Disturbance.resume

    def losing(run, before, **more):
        for name in list(before)[:1]:
            (run.folder / "out" / "shards" / name).unlink()
        return really(run, before, **more)

    monkeypatch.setattr(Disturbance, "resume", losing)
    assert "twice" in found("disturbed:study", 5, **study)


@pytest.mark.slow
def test_a_part_that_is_not_merged_is_found(monkeypatch):
    parts = {"model": "d6", "throws": 700, "of": 3, "harms": []}
    assert found("parts", 1, **parts) is None
    really = study_parts.merge
    monkeypatch.setattr(
        study_parts, "merge", lambda parts, *more, **d: really(parts[1:], *more, **d)
    )
    assert found("parts", 1, **parts) == "right parts make a study whole"


@pytest.mark.slow
def test_a_program_that_fails_unnoticed_is_found(monkeypatch):
    case = {"game": "piggy_six", "how": "end", "decision": 1}
    assert found("players", 1, **case) is None
    monkeypatch.setattr(
        outside._SeatedProcess, "choose", lambda self, seen, legal, *, rng: legal[0]
    )
    assert found("players", 1, **case) == "a failure forfeits"


PAGE = {"game": "piggles_classic", "by_link": False, "steps": ["play"] * 4}


@pytest.mark.slow
@pytest.mark.parametrize("by_link", [False, True])
def test_a_decision_that_a_page_does_not_keep_is_found(by_link, monkeypatch):
    case = PAGE | {"by_link": by_link, "steps": ["play", "friend", "play", "play"]}
    assert found("page", 3, **case) is None
    really = PageTable._keeping

    def forgetful(table, match):
        for kept in really(table, match):
            lost = (
                {"wish": {**kept["wish"], "text": "x"}}
                if by_link
                else {"actions": kept["actions"][:-1]}
            )
            yield {**kept, **lost}

    monkeypatch.setattr(PageTable, "_keeping", forgetful)
    fault = "a match is there after a reload" if by_link else "a match is the same after a reload"
    assert found("page", 3, **case) == fault


@pytest.mark.slow
def test_a_review_that_differs_and_a_puzzle_that_fails_are_found(monkeypatch):
    over = PAGE | {"steps": ["concede", "review"]}
    assert found("page", 3, **over) is None and found("puzzle", 3) is None
    numbers = count()
    monkeypatch.setattr(PageReview, "result", lambda _: {"is": "review", "number": next(numbers)})
    assert found("page", 9, **over) == "a review is the same again"
    monkeypatch.setattr(PuzzleSession, "document", lambda _: {}["missing"])
    assert found("puzzle", 3, steps=["puzzle"]) == "the page never fails"


@pytest.mark.slow
def test_a_twin_that_is_still_starting_survives_ctrl_c():
    case = {"kind": "rules:piggy_six", "rules": [], "seed": 1}
    script = (
        "import os, signal, subprocess, sys\n"
        "from scripts.trust.hunt.__main__ import Twin\n"
        "signal.signal(signal.SIGINT, lambda *_: None)\n"
        "really = subprocess.Popen\n"
        "def started(*words, **more):\n"
        "    process = really(*words, **more)\n"
        "    os.killpg(0, signal.SIGINT)\n"
        "    return process\n"
        "subprocess.Popen = started\n"
        "with Twin() as twin:\n"
        f"    print(twin({case!r}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, start_new_session=True
    )
    assert re.fullmatch("[0-9a-f]{16,}\n", done.stdout), done


@pytest.mark.slow
def test_ctrl_c_reaches_no_disturbed_run_of_the_hunt():
    # A terminal sends it to a whole session; the hunt finishes its case, and then stops.
    assert os.getsid(runs._door()._server.pid) != os.getsid(0)
