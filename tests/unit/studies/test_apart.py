"""A question in a process of its own: the same answer, and bounds that the system keeps."""

import resource
import signal
import subprocess
import sys
import threading
import time
from importlib.util import module_from_spec, spec_from_file_location
from multiprocessing import Pipe, active_children

import pytest

from pigglesim.errors import RecordError, SpecError
from pigglesim.studies import query as apart
from pigglesim.studies.identity import StudyPlan
from pigglesim.studies.query import answered, ask, open_throws
from pigglesim.studies.run import run
from pigglesim.studies.store import Store
from tests.small_studies import Canned, small_study


@pytest.fixture(scope="module")
def folder(floor, tmp_path_factory):
    folder = tmp_path_factory.mktemp("asked")
    plan = StudyPlan.of(small_study(floor))
    with Store(folder, plan) as store:
        run(store, Canned(plan.study))
    return folder


def test_answers_are_those_of_the_connection(folder):
    question = "SELECT throw, orientation, friction, down_x FROM throws ORDER BY throw"
    with open_throws(folder) as connection, answered(folder, question) as there:
        here = ask(connection, question)
        assert there.columns == here.columns
        assert list(there.rows) == list(here.rows)
    assert not active_children()


def test_faults_come_over_as_they_are(folder, tmp_path):
    with pytest.raises(SpecError, match="one SELECT"), answered(folder, "DROP VIEW throws"):
        pass
    with pytest.raises(RecordError, match=r"study\.json"), answered(tmp_path, "SELECT 1"):
        pass


def test_an_endless_question_ends_in_time_and_leaves_nobody(folder):
    began = time.monotonic()
    with (
        pytest.raises(SpecError, match=r"--time-limit"),
        answered(folder, "SELECT count(*) FROM range(1000000000000)", seconds=0.5),
    ):
        pass
    assert time.monotonic() - began < 60.0
    assert not active_children()


def test_rows_without_end_end_in_time(folder):
    began = time.monotonic()
    question = "SELECT range FROM range(1000000000000)"
    with (
        pytest.raises(SpecError, match=r"--time-limit"),
        answered(folder, question, seconds=3.0) as answer,
    ):
        for _ in answer.rows:
            time.sleep(0.01)
    assert time.monotonic() - began < 60.0
    assert not active_children()


def test_rows_without_end_can_be_left_after_a_few(folder):
    with answered(folder, "SELECT range FROM range(1000000000000)") as answer:
        assert [next(answer.rows)[0] for _ in range(1000)] == list(range(1000))


MEMORY_OF_ANSWERS = """
import resource, sys
from pigglesim.errors import SpecError
from pigglesim.studies.query import answered

if __name__ == "__main__":
    for question in sys.argv[2:]:
        try:
            with answered(sys.argv[1], question) as answer:
                list(answer.rows)
        except SpecError as told:
            print(told)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def test_no_answer_takes_a_gigabyte(folder, tmp_path):
    questions = (
        "SELECT repeat('x', 1000000) FROM range(100000)",
        "SELECT printf('%2000000000d', 1)",
        "SELECT list(range) FROM range(1000000000000)",
    )
    # A process of its own: only then are its children those that answered.
    script = tmp_path / "memory.py"
    script.write_text(MEMORY_OF_ANSWERS)
    words = [sys.executable, script, folder, *questions]
    *told, most = subprocess.check_output(words, text=True).splitlines()
    assert len(told) == len(questions)
    assert all("fewer rows" in line or "ask for less" in line for line in told)
    kibibytes = 1024
    assert int(most) * kibibytes < 1 << 30


def test_ctrl_c_ends_a_question(folder):
    main = threading.main_thread().ident
    timer = threading.Timer(1.0, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    try:
        with (
            pytest.raises(KeyboardInterrupt),
            answered(folder, "SELECT count(*) FROM range(1000000000000)"),
        ):
            pass
    finally:
        timer.cancel()
    assert not active_children()


def test_a_process_that_dies_over_its_question_is_told(folder):
    def kill():
        (child,) = active_children()
        child.kill()

    timer = threading.Timer(1.0, kill)
    timer.start()
    with (
        pytest.raises(SpecError, match=r"ended it, with signal 9; try: ask for less"),
        answered(folder, "SELECT count(*) FROM range(1000000000000)"),
    ):
        pass
    timer.join()
    assert not active_children()


def told(folder, question):
    """What the process that answers would send, asked in this one."""
    here, there = Pipe(duplex=False)
    apart._serve(there, folder, question)
    messages = []
    with pytest.raises(EOFError):
        while True:
            messages.append(here.recv())
    return messages


def test_what_is_sent_is_the_columns_the_rows_by_the_hundreds_and_an_end(folder, monkeypatch):
    bound = []
    monkeypatch.setattr(apart, "_bind_memory", lambda: bound.append(True))
    columns, *parts, end = told(folder, "SELECT throw FROM throws WHERE throw < 450 ORDER BY 1")
    assert (columns, end, bound) == (("columns", ("throw",)), ("end", None), [True])
    assert [(what, len(rows)) for what, rows in parts] == [
        ("rows", 200), ("rows", 200), ("rows", 50),
    ]  # fmt: skip
    assert [row[0] for _, rows in parts for row in rows] == list(range(450))


def test_faults_of_any_kind_are_sent_as_one_line(folder, monkeypatch):
    monkeypatch.setattr(apart, "_bind_memory", lambda: None)
    ((what, fault),) = told(folder, "DROP VIEW throws")
    assert (what, type(fault)) == ("fault", SpecError)

    def too_much(pipe, answer):
        raise MemoryError

    monkeypatch.setattr(apart, "_hand_over", too_much)
    ((what, fault),) = told(folder, "SELECT 1")
    assert what == "fault"
    assert str(fault) == (
        "expected an answer of up to 900 MB at a time, got a larger one; "
        "try: ask for counts or for fewer rows"
    )


@pytest.mark.parametrize(("hard", "most"), [(resource.RLIM_INFINITY, None), (1 << 20, 1 << 20)])
def test_memory_is_bound_within_what_the_system_allows(hard, most, monkeypatch):
    asked = []
    monkeypatch.setattr(apart.resource, "getrlimit", lambda which: (hard, hard))
    monkeypatch.setattr(apart.resource, "setrlimit", lambda *words: asked.append(words))
    apart._bind_memory()
    ((which, (soft, kept)),) = asked
    assert (which, kept) == (resource.RLIMIT_DATA, hard)
    if most is None:
        assert soft > 900 << 20
    else:
        assert soft == most


def test_where_the_system_tells_no_memory_none_is_bound(monkeypatch):
    asked = []
    monkeypatch.setattr(apart.resource, "setrlimit", lambda *words: asked.append(words))
    monkeypatch.setattr(apart.Path, "exists", lambda path: False)
    apart._bind_memory()
    assert asked == []


def test_where_there_is_no_library_that_binds_processes_it_imports_all_the_same(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setitem(sys.modules, "resource", None)
    spec = spec_from_file_location("apart_elsewhere", apart.__file__)
    elsewhere = module_from_spec(spec)
    spec.loader.exec_module(elsewhere)
    assert not hasattr(elsewhere, "resource")
    elsewhere._bind_memory()
