"""A question in a process of its own: the same answer, and bounds that the system keeps."""

import resource
import signal
import threading
import time
from multiprocessing import active_children

import pytest

from pigglesim.errors import RecordError, SpecError
from pigglesim.studies.apart import answered
from pigglesim.studies.identity import Plan
from pigglesim.studies.query import ask, open_throws
from pigglesim.studies.run import run
from pigglesim.studies.store import Store
from tests.small_studies import Canned, small_study


@pytest.fixture(scope="module")
def folder(floor, tmp_path_factory):
    folder = tmp_path_factory.mktemp("asked")
    plan = Plan.of(small_study(floor))
    with Store(folder, plan) as store:
        run(store, Canned(plan.study))
    return folder


def test_answers_are_those_of_the_connection(folder):
    question = "SELECT throw, orientation, friction, down_x FROM throws ORDER BY throw"
    with open_throws(folder) as connection, answered(folder, question) as apart:
        here = ask(connection, question)
        assert apart.columns == here.columns
        assert list(apart.rows) == list(here.rows)
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


def test_rows_without_end_can_be_left_after_a_few(folder):
    with answered(folder, "SELECT range FROM range(1000000000000)") as answer:
        assert [next(answer.rows)[0] for _ in range(1000)] == list(range(1000))


@pytest.mark.parametrize(
    "question",
    [
        "SELECT repeat('x', 1000000) FROM range(100000)",
        "SELECT printf('%2000000000d', 1)",
        "SELECT list(range) FROM range(1000000000000)",
    ],
)
def test_no_answer_takes_a_gigabyte(folder, question):
    with (
        pytest.raises(SpecError, match=r"fewer rows|ask for less"),
        answered(folder, question) as a,
    ):
        assert not list(a.rows)
    # In KiB, of the largest of all processes that have been waited for.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1 << 20


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
