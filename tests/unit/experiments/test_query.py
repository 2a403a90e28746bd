"""Questions in SQL: the throws of this study, and nothing else of this machine."""

import datetime
import json
import subprocess
import sys
import threading
from multiprocessing import active_children

import pytest

from pigglesim.errors import RecordError, SpecError
from pigglesim.experiments.run import run
from pigglesim.experiments.shard import COLUMNS, StudyPlan, columns_of
from pigglesim.experiments.sql_sandbox import open_throws, query_study, run_query
from pigglesim.experiments.store import Store
from tests.support.small_studies import Canned, small_study


@pytest.fixture(scope="module")
def folder(floor, tmp_path_factory):
    folder = tmp_path_factory.mktemp("it's a study")
    plan = StudyPlan.of(small_study(floor))
    with Store(folder, plan) as store:
        run(store, Canned(plan.study))
    (folder / "secret.csv").write_text("a\n1\n")
    return folder


@pytest.fixture
def connection(folder):
    with open_throws(folder) as connection:
        yield connection


def test_answers_come_from_every_throw(connection):
    answer = run_query(
        connection, "SELECT cell, friction, count(*) FROM throws GROUP BY ALL ORDER BY 1"
    )
    assert answer.columns == ("cell", "friction", "count_star()")
    assert list(answer.rows) == [(0, 0.2, 600), (1, 0.5, 600)]
    for question in ("DESCRIBE throws", "SUMMARIZE throws", "FROM throws", "VALUES (1)"):
        assert list(run_query(connection, question).rows)


HOSTILE = [
    "COPY throws TO '{folder}/shards/000000.parquet'",
    "EXPLAIN ANALYZE COPY throws TO '{folder}/shards/9.parquet'",
    "ATTACH ':memory:' AS other",
    "INSTALL httpfs",
    "SET enable_external_access = true",
    "PRAGMA enable_profiling",
    "CREATE TABLE mine AS SELECT 1",
    "CREATE OR REPLACE VIEW throws AS SELECT 1",
    "SELECT * FROM read_csv('{folder}/secret.csv')",
    "SELECT * FROM read_csv('{folder}/shards/../secret.csv')",
    "SELECT * FROM read_blob('{folder}/study.json')",
    "SELECT * FROM read_parquet('http://127.0.0.1:9/x.parquet')",
    "SELECT * FROM query('COPY throws TO ''x.csv''')",
    "SELECT getenv('HOME')",
    "WITH x AS (COPY throws TO '{folder}/shards/000000.parquet') SELECT 1",
    "SELECT (WITH x AS (COPY (SELECT 1) TO '{folder}/shards/x.csv') SELECT 1)",
    "DESCRIBE (WITH x AS (COPY (SELECT 1) TO '{folder}/shards/x.csv') SELECT 1)",
    "WITH x AS (INSERT INTO throws VALUES (1) RETURNING 1) SELECT * FROM x",
    "SELECT * FROM read_blob('{folder}/shards/000000.parquet')",
    "SELECT * FROM '{folder}/shards/000000.parquet'",
    "SELECT * FROM glob('{folder}/shards/*')",
    "SELECT * FROM query_table(['throws'])",
    "SELECT * FROM json_execute_serialized_sql('x')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM read_text('file://{folder}/study.json')",
    "SELECT * FROM statements",
    "PIVOT throws ON pose USING count(*)",
    "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "SELECT 1; DROP VIEW throws",
    "SELEC 1",
    "SELECT nothing FROM throws",
    "SELECT * FROM elsewhere",
    "SELECT CAST('x' AS INTEGER)",
    "SELECT list(a.throw || b.pose || c.pose) FROM throws a, throws b, throws c",
    "",
    "\x00",
    "-- nothing",
    "SELECT '\udcff'",
    "SELECT " + "abs(" * 2000 + "1" + ")" * 2000,
]


@pytest.mark.parametrize("question", HOSTILE)
def test_anything_else_is_refused_in_one_line(folder, connection, question):
    words = question.format(folder=str(folder).replace("'", "''"))
    before = sorted(folder.rglob("*"))
    with pytest.raises(SpecError) as fault:
        list(run_query(connection, words).rows)
    assert len(str(fault.value)) < 600
    assert sorted(folder.rglob("*")) == before
    assert list(run_query(connection, "SELECT count(*) FROM throws").rows) == [(1200,)]


def test_what_reads_throws_alone_may_be_as_rich_as_sql_is(connection):
    for question in (
        "WITH x AS (SELECT cell, count(*) AS n FROM throws GROUP BY 1) SELECT sum(n) FROM x",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 1200) "
        "SELECT max(n) FROM t",
        'SELECT count(*) FROM throws AS "my throws" WHERE cell IN (SELECT unnest([0, 1]))',
        "SELECT count(*) FROM throws a SEMI JOIN range(2) r ON a.cell = r.range",
        "SELECT count(*) FROM (SELECT * FROM throws EXCEPT SELECT * FROM throws WHERE false)",
    ):
        assert list(run_query(connection, question).rows) == [(1200,)]


def test_rows_are_json_in_the_order_of_the_query(connection):
    moment = "TIMESTAMPTZ '2020-01-01 12:00:00+00'"
    question = (
        f"SELECT range AS n, -range AS n, {moment} AS t, [{moment}] AS many, 1.50 AS dec, "
        "'nan'::DOUBLE AS nan, [1, 'inf'::FLOAT] AS inf, DATE '2020-01-02' AS day, "
        "'\\x01\\xFF'::BLOB AS bytes, MAP {1: 2} AS map, sum(1) OVER () AS total "
        "FROM range(1500) ORDER BY 1 DESC; -- the end"
    )
    answer = run_query(connection, question)
    assert answer.columns[:3] == ("n", "n_1", "t")
    rows = list(answer.rows)
    assert [row[:2] for row in rows] == [(n, -n) for n in range(1499, -1, -1)]
    moment, many, *values = rows[0][2:]
    assert datetime.datetime.fromisoformat(f"{moment}:00").timestamp() == 1577880000
    assert many == [moment]
    assert values == [1.5, None, [1.0, None], "2020-01-02", "\\x01\\xFF", {"1": 2}, 1500]


def test_a_folder_that_duckdb_would_take_for_many_is_refused(floor, tmp_path):
    for name in ("a*", "b[1]"):
        Store(tmp_path / name, StudyPlan.of(small_study(floor))).close()
        with pytest.raises(SpecError, match="rename it"):
            open_throws(tmp_path / name)
    with pytest.raises(RecordError):
        open_throws(tmp_path / "nowhere")


def test_studies_behind_one_another_are_numbered_on(folder, floor, tmp_path):
    other = StudyPlan.of(
        small_study(floor, throws=250, factors={"restitution": (0.1, 0.3)}, seed=8)
    )
    with Store(tmp_path, other) as store:
        run(store, Canned(other.study))
    with (
        open_throws(folder, tmp_path) as both,
        open_throws(folder) as one,
        open_throws(tmp_path) as two,
    ):
        found = run_query(both, "FROM throws")
        assert set(found.columns) == set(COLUMNS)
        by_cell = "SELECT cell, count(*) FROM throws GROUP BY 1 ORDER BY 1"
        counts = [(0, 600), (1, 600), (2, 250), (3, 250)]
        assert list(run_query(both, by_cell).rows) == counts
        rows = "SELECT throw, cell, trial, orientation, time_s FROM throws ORDER BY throw"
        whole, first, second = (list(run_query(each, rows).rows) for each in (both, one, two))
        assert whole[:1200] == first
        assert whole[1200:] == [(throw + 1200, cell + 2, *rest) for throw, cell, *rest in second]


def test_what_study_json_says_of_columns_is_never_run(floor, tmp_path):
    plan = StudyPlan.of(small_study(floor))
    Store(tmp_path, plan).close()
    whole = json.loads((tmp_path / "study.json").read_text())
    whole["columns"]["friction"] = f"DOUBLE); COPY (SELECT 1) TO '{tmp_path}/shards/x.csv'; (1"
    (tmp_path / "study.json").write_text(json.dumps(whole))
    with open_throws(tmp_path) as connection:
        assert run_query(connection, "FROM throws").columns == tuple(columns_of(plan.study))
    assert not list((tmp_path / "shards").iterdir())


def test_an_endless_question_ends_in_time_and_leaves_nobody(folder):
    with (
        pytest.raises(SpecError, match=r"--time-limit"),
        query_study(folder, "SELECT count(*) FROM range(1000000000000)", seconds=0.5),
    ):
        pass
    assert not active_children()


MEMORY_OF_ANSWERS = """
import resource, sys
from pigglesim.errors import SpecError
from pigglesim.experiments.sql_sandbox import query_study

if __name__ == "__main__":
    for question in sys.argv[2:]:
        try:
            with query_study(sys.argv[1], question) as answer:
                list(answer.rows)
        except SpecError as error:
            print(error)
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
    *lines, most = subprocess.check_output(words, text=True).splitlines()
    assert len(lines) == len(questions)
    assert all("fewer rows" in line or "ask for less" in line for line in lines)
    kibibytes = 1024
    assert int(most) * kibibytes < 1 << 30


def test_a_process_that_dies_in_a_query_is_reported(folder):
    def kill():
        (child,) = active_children()
        child.kill()

    timer = threading.Timer(1.0, kill)
    timer.start()
    with (
        pytest.raises(SpecError, match=r"signal 9.*ask for less"),
        query_study(folder, "SELECT count(*) FROM range(1000000000000)"),
    ):
        pass
    timer.join()
    assert not active_children()
