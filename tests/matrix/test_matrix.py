"""The same questions have the same answers in every session.

These sessions are quick: `python -m tests.matrix` asks all questions under each setting alone.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.clusters import PARTITIONS, ConnectServer, OwnSession, generating_code
from tests.matrix.__main__ import main
from tests.matrix.questions import QUESTIONS, Answer, ask, differing
from tests.matrix.sessions import (
    ARROW,
    NO_CHOICE,
    PYTHON,
    SESSIONS,
    STATIC,
    TOGETHER,
)
from tests.matrix.tables import write_tables

#: Questions on streams compare with a batch themselves, so they need no expected answer.
STREAMS = ["on window close", "on update"]
SLOW = ["naive and consistency", *STREAMS]
AT_REST = [name for name in QUESTIONS if name not in SLOW]
#: One question for each kind of plan.
FEW = ["levels", "prepared", "rows", "auto", "entities"]


@pytest.fixture(scope="module")
def spark(spark: SparkSession) -> Iterator[SparkSession]:
    """The session of all tests, generating code as users' sessions do."""
    with generating_code(spark):
        yield spark


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("matrix")
    write_tables(folder)
    return folder


@pytest.fixture(scope="module")
def expected(spark: SparkSession, files: Path) -> dict[str, Answer]:
    answers = ask(spark, files, AT_REST)
    assert differing(answers, answers) == []
    return answers


def test_there_are_24_questions_and_each_has_an_answer(expected: dict[str, Answer]) -> None:
    assert len(QUESTIONS) == 24
    assert [name for name, answer in expected.items() if len(repr(answer)) < 100] == []


@pytest.mark.parametrize(
    ("session", "names"),
    [
        ("everything else", [*AT_REST, "on update"]),
        ("large types, of a stream", ["levels of dates", "range", "tree", "online", *FEW]),
        ("200 partitions", ["levels"]),
    ],
)
def test_settings_of_a_session_change_no_answer(
    spark: SparkSession, files: Path, expected: dict[str, Answer], session: str, names: list[str]
) -> None:
    settings = (SESSIONS | TOGETHER)[session]
    assert differing(ask(spark, files, names, settings.conf, settings.source), expected) == []


@pytest.mark.cluster
def test_connect_changes_no_answer(
    connect: ConnectServer, files: Path, expected: dict[str, Answer]
) -> None:
    answers = connect.run(ask, files, FEW, SESSIONS["Connect, New York"].conf)
    assert differing(answers, expected) == []


@pytest.mark.cluster
def test_settings_of_a_new_jvm_change_no_answer(
    files: Path, expected: dict[str, Answer], tmp_path: Path
) -> None:
    with OwnSession(Path(sys.executable), tmp_path, STATIC) as own:
        # Each task starts a new Python.
        assert differing(own.run(ask, files, FEW, {PARTITIONS: "2"}), expected) == []


def test_every_setting_of_arrow_and_python_has_another_value_here(spark: SparkSession) -> None:
    """A new Spark may add settings: give each a value other than its default."""
    known = ARROW | PYTHON | STATIC
    settings = {row["key"] for row in spark.sql("SET -v").collect()} | set(_all_settings(spark))
    names = {name for name in settings if "arrow" in name.lower() or "python" in name.lower()}
    assert names - set(known) - NO_CHOICE == set()
    assert {name for name in known if name not in names} <= set(STATIC)
    same = {name: value for name, value in known.items() if spark.conf.get(name, None) == value}
    assert same == {}


def _all_settings(spark: SparkSession) -> Any:
    """Yield the names of all settings, also of those that Spark does not list."""
    assert spark._jvm is not None
    conf = spark._jvm.java.lang.Class.forName("org.apache.spark.sql.internal.SQLConf$")
    entries = conf.getField("MODULE$").get(None).getConfigEntries().iterator()
    while entries.hasNext():
        yield entries.next().key()


def test_an_answer_that_differs_is_reported() -> None:
    expected: dict[str, Answer] = {"levels": [["ann", 3], ["bob", 1.0]], "rows": [1]}
    answers: dict[str, Answer] = {"levels": [["ann", 3], ["bob", 2.0]], "rows": [1]}
    assert differing(expected, expected) == []
    assert differing(answers, expected) == ["levels: ['bob', 2.0] is not ['bob', 1.0]"]
    assert differing({"rows": []}, expected) == ["rows: 0 rows are not 1"]
    failed: dict[str, Answer] = {"rows": ["it failed: ValueError: no"]}
    assert differing(failed, {}) == ["rows: it failed: ValueError: no"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Mars"], "sessions: 'Mars' is not known; give some of without ANSI, case sensitive,"),
        (["views", "--questions", "why"], "questions: 'why' is not known; give some of levels,"),
    ],
)
def test_an_unknown_name_is_refused_in_one_sentence(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
