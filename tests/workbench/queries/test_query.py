"""A query as a value: its window calls and funnels, and the verbs that inspect its only one."""

import re

import pytest
from pyspark.sql import SparkSession

import workbench as wb
from tests.workbench.queries.cases import EVENTS, TABLE
from workbench.windows.over import Over

WINDOW = "SELECT id, median(x) OVER (PARTITION BY p ORDER BY id ROWS 2 PRECEDING) AS m FROM t"
FUNNEL = (
    "SELECT who, windowFunnel(60)(at, what = 'a', what = 'b') AS level FROM events "
    "WHERE at IS NOT NULL GROUP BY who"
)


def test_a_query_has_its_answer_and_each_window_call_with_its_table(spark: SparkSession) -> None:
    query = wb.query(WINDOW, t=TABLE)
    (over, df), *others = query.asked
    assert (others, df.columns) == ([], ["id", "x", "p"])
    assert isinstance(over, Over)
    expected = over.run(df).select("id", "m").collect()
    assert sorted(expected) == sorted(query.answer.collect())
    assert query.explain() == wb.explain_sql(WINDOW, t=TABLE)
    assert repr(query) == f"wb.query({WINDOW!r}, dialect='duckdb')"
    assert "median" in query._repr_html_()


def test_the_verbs_take_the_one_window_call_of_a_query(spark: SparkSession) -> None:
    query = wb.query(WINDOW, t=TABLE)
    assert repr(wb.explore(query)).startswith("Explorer of wb.Over(partition_by=['p']")
    assert "median" in repr(wb.play(query, key="a"))
    assert "exchange" in repr(wb.plan(query))


def test_the_verbs_take_the_one_funnel_of_a_query(spark: SparkSession) -> None:
    query = wb.query(FUNNEL, dialect="clickhouse", events=EVENTS)
    explored = wb.explore(query)
    assert explored.funnel.labels == ("a", "b")
    assert explored.funnel.to_sql()
    assert repr(wb.play(query, key="ann")).startswith("Player(")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("SELECT id FROM t", "query: it has neither a window call nor a funnel."),
        (
            "SELECT sum(x) OVER (ORDER BY id) AS a, median(x) OVER (ORDER BY y, id) AS b FROM t",
            "query: it has 2 window calls or funnels, and only one can be inspected at a time: "
            "asked[0] is wb.Over(order_by=[('id', 'asc', 'nulls last')], a=wb.fn.sum('x')); "
            "asked[1] is wb.Over(order_by=[('y', 'asc', 'nulls last'), ('id', 'asc', 'nulls "
            "last')], b=wb.fn.median('x')). Give one with its table, such as *query.asked[0].",
        ),
    ],
)
def test_a_query_without_exactly_one_window_call_or_funnel_says_which_it_has(
    spark: SparkSession, text: str, sentence: str
) -> None:
    query = wb.query(text, t=TABLE)
    for verb in (wb.explore, wb.play):
        with pytest.raises(wb.WorkbenchError, match=f"^{re.escape(sentence)}$"):
            verb(query)


@pytest.mark.parametrize("verb", [wb.explore, wb.play])
def test_a_query_comes_with_its_tables(spark: SparkSession, verb: object) -> None:
    with pytest.raises(wb.WorkbenchError, match=r"^what: a query has its tables already; give it"):
        verb(wb.query(WINDOW, t=TABLE), TABLE)  # type: ignore[operator]
