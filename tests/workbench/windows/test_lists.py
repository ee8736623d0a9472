"""Functions that give lists, maps and estimates, on Spark: one table, one job, every function."""

from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql import SparkSession

import workbench as wb
from workbench import fn
from workbench.functions.fn import Function

WORDS = ["b", None, "a", "b", "", "b", None, "c"]
FRAME = wb.Frame.rows(-3, -1)


def first(values: list[Any]) -> Any:
    return values[:2] or None


def last(values: list[Any]) -> Any:
    return values[-2:] or None


def counts(values: list[Any]) -> Any:
    return sorted((one, values.count(one)) for one in set(values)) or None


def frequent(values: list[Any]) -> Any:
    return sorted(counts(values) or [], key=lambda pair: (-pair[1], pair[0]))[:1] or None


def without_a(values: list[Any]) -> Any:
    return last([one for one in values if one != "a"])


#: Each function of texts, its answer over the texts of a frame, and its type.
OF_TEXTS: dict[str, tuple[Function, Callable[[list[Any]], Any], str]] = {
    "first": (fn.first_k("w", 2), first, "array<string>"),
    "last": (fn.last_k("w", 2), last, "array<string>"),
    "some": (fn.last_k("w", 2).where("w <> 'a'"), without_a, "array<string>"),
    "most": (fn.top_k("w", 2), lambda x: first(sorted(x, reverse=True)), "array<string>"),
    "least": (fn.bottom_k("w", 2), lambda x: first(sorted(x)), "array<string>"),
    "once": (fn.bottom_k("w", 2).distinct(), lambda x: first(sorted(set(x))), "array<string>"),
    "counts": (fn.histogram("w"), counts, "map<string,bigint>"),
    "kinds": (fn.bounded_count_distinct("w", 2), lambda x: min(len(set(x)), 2), "bigint"),
    "about": (fn.approx_count_distinct("w"), lambda x: len(set(x)), "bigint"),
    "often": (fn.approx_top_k("w", 1), frequent, "map<string,bigint>"),
}
#: Functions of numbers, times and arrays, by the type of the result.
TYPES = {
    "array<double>": fn.approx_quantile("id", [0.0, 1.0]),
    "double": fn.approx_quantile("id", 0.5),
    "timestamp": fn.approx_quantile("t", 1.0),
    "array<timestamp>": fn.last_k("t", 2),
    "array<array<int>>": fn.first_k("deep", 2),
    "map<decimal(9,1),bigint>": fn.histogram("price"),
}


@pytest.fixture(scope="module")
def results(spark: SparkSession) -> tuple[dict[str, str], dict[str, list[Any]]]:
    """Return the type of every result, and its values in order."""
    rows = spark.createDataFrame(list(enumerate(WORDS)), "id long, w string").selectExpr(
        "*", "timestamp_seconds(id) AS t", "array(cast(id AS int)) AS deep",
        "cast(id / 2 AS decimal(9, 1)) AS price",
    )  # fmt: skip
    functions: dict[str, Any] = {name: one for name, (one, *_) in OF_TEXTS.items()} | TYPES
    result = wb.over(rows, (), "id", FRAME, **functions)
    types = {name: result.schema[name].dataType.simpleString() for name in functions}
    return types, result.toArrow().sort_by("id").to_pydict()


@pytest.mark.parametrize("name", OF_TEXTS)
def test_a_function_of_texts_is_computed_over_the_texts_of_the_frame(
    results: tuple[dict[str, str], dict[str, list[Any]]], name: str
) -> None:
    types, values = results
    _, expected, kind = OF_TEXTS[name]
    assert types[name] == kind
    for row, got in enumerate(values[name]):
        near = [word for word in WORDS[max(row - 3, 0) : row] if word is not None]
        assert got == expected(near), row


def test_numbers_times_and_nested_values_keep_their_types(
    results: tuple[dict[str, str], dict[str, list[Any]]],
) -> None:
    types, values = results
    assert {kind: types[kind] for kind in TYPES} == {kind: kind for kind in TYPES}
    assert values["array<double>"][:3] == [None, [0.0, 0.0], [0.0, 1.0]]
    assert [str(one) for one in values["array<array<int>>"][-1]] == ["[4]", "[5]"]
    assert [[str(one) for one in pair] for pair in values["map<decimal(9,1),bigint>"][2]] == [
        ["0.0", "1"], ["0.5", "1"],
    ]  # fmt: skip
    assert values["timestamp"][4] == values["array<timestamp>"][4][-1]


def test_a_call_reads_as_it_was_written() -> None:
    for text in (
        "wb.fn.last_k('w', 2).where('a')",
        "wb.fn.top_k('w', 3).distinct()",
        "wb.fn.histogram('w')",
        "wb.fn.bounded_count_distinct('w', 9)",
        "wb.fn.approx_count_distinct('w')",
        "wb.fn.approx_count_distinct('w', 9)",
        "wb.fn.approx_quantile('w', [0.5], 100)",
        "wb.fn.approx_quantile('w', 0.5)",
        "wb.fn.approx_top_k('w', 5)",
    ):
        assert repr(eval(text, {"wb": wb})) == text


def test_auto_chooses_the_kernels() -> None:
    for function in (fn.top_k("w", 1), fn.histogram("w"), fn.approx_top_k("w", 1)):
        over = wb.Over("p", "id", answer=function)
        assert over.choice == ("kernel", f"Spark has no {function.name} (answer)")


def test_a_sketch_has_no_steps_to_play(spark: SparkSession) -> None:
    rows = spark.range(3)
    with pytest.raises(wb.WorkbenchError, match="answered by sketches of a library, which have no"):
        wb.play(wb.Over(order_by="id", about=fn.approx_count_distinct("id")), rows)
