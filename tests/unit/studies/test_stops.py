"""Ctrl-C within a query is Ctrl-C."""

import os
import signal
import threading

import duckdb
import pytest

from pigglesim.signals import interrupts_in_queries


def test_a_stop_within_a_query_is_no_fault_of_the_program():
    late = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        late.start()
        with pytest.raises(KeyboardInterrupt), interrupts_in_queries():
            connection.execute(
                "SELECT sum(a.range * b.range) FROM range(10000000) a, range(100000) b"
            )
    late.join()
