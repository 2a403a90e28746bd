"""A question in a process of its own: the same answer, and bounds that the system keeps."""

import signal
import subprocess
import sys
import threading
import time
from multiprocessing import active_children

import pytest

from pigglesim.errors import RecordError, SpecError
from pigglesim.studies.identity import StudyPlan
from pigglesim.studies.query import open_throws, query_study, run_query
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
    with open_throws(folder) as connection, query_study(folder, question) as there:
        here = run_query(connection, question)
        assert there.columns == here.columns
        assert list(there.rows) == list(here.rows)
    assert not active_children()


def test_faults_come_over_as_they_are(folder, tmp_path):
    with pytest.raises(SpecError, match="one SELECT"), query_study(folder, "DROP VIEW throws"):
        pass
    with pytest.raises(RecordError, match=r"study\.json"), query_study(tmp_path, "SELECT 1"):
        pass


def test_an_endless_question_ends_in_time_and_leaves_nobody(folder):
    began = time.monotonic()
    with (
        pytest.raises(SpecError, match=r"--time-limit"),
        query_study(folder, "SELECT count(*) FROM range(1000000000000)", seconds=0.5),
    ):
        pass
    assert time.monotonic() - began < 60.0
    assert not active_children()


def test_rows_without_end_can_be_left_after_a_few(folder):
    with query_study(folder, "SELECT range FROM range(1000000000000)") as answer:
        assert [next(answer.rows)[0] for _ in range(1000)] == list(range(1000))


MEMORY_OF_ANSWERS = """
import resource, sys
from pigglesim.errors import SpecError
from pigglesim.studies.query import query_study

if __name__ == "__main__":
    for question in sys.argv[2:]:
        try:
            with query_study(sys.argv[1], question) as answer:
                list(answer.rows)
        except SpecError as told:
            print(told)
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.slow
def test_no_answer_takes_a_gigabyte(folder, tmp_path):
    questions = (
        "SELECT repeat('x', 1000000) FROM range(100000)",
        "SELECT printf('%2000000000d', 1)",
        "SELECT list(range) FROM range(1000000000000)",
    )
    # A process of its own: only then are its children those that query_study.
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
            query_study(folder, "SELECT count(*) FROM range(1000000000000)"),
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
        query_study(folder, "SELECT count(*) FROM range(1000000000000)"),
    ):
        pass
    timer.join()
    assert not active_children()
