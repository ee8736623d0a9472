"""Parts of a query that Spark has no syntax for, each with what to write instead."""

import re

from sqlglot import exp

from workbench.dialects.functions import LIKE_POSTGRES
from workbench.errors import WorkbenchError

_NEAREST = (
    "join the last row before each by LEFT JOIN LATERAL (SELECT ... ORDER BY ... DESC LIMIT 1) ON "
    "true, or use wb.Backfill"
)
#: What to write instead of a join, by the word before JOIN.
_JOINS = {
    "ASOF": _NEAREST,
    "ANY": "keep one row of each key first, as in QUALIFY row_number() OVER (...) = 1",
    "POSITIONAL": "number the rows of both tables, and join by the numbers",
    "PASTE": "number the rows of both tables, and join by the numbers",
}
_FREQUENT = (
    "its choice among equally frequent values is arbitrary; count them, as in SELECT x, count(*) "
    "FROM t GROUP BY x ORDER BY 2 DESC, x LIMIT 3"
)
_AGE = (
    "Spark has no interval of months and days; subtract the times, or compare their years, months "
    "and days"
)
_JSON_TYPE = "Spark does not keep how JSON writes a number; look at how the text from -> begins"
_SEQUENCE = (
    "Spark has no patterns of events; use windowFunnel(seconds)(time, condition, ...), whose level "
    "is how many conditions were met one after the other, or wb.Funnel(steps, window=...)"
)
_BEST_EFFORT = (
    "Spark does not guess formats; use toDateTime(text) for times such as 2024-01-02 03:04:05 or "
    "2024-01-02T03:04:05Z, and to_timestamp(text, 'dd/MM/yyyy HH:mm') for others"
)
_SKETCH = (
    "its answer is an approximation; use quantile, which is exact here however many values there "
    "are"
)
_DICTIONARY = "there are no dictionaries; join the table that the dictionary is made from"
_STATE = (
    "Spark has no values for states of aggregates; aggregate the rows themselves, or their sums "
    "and counts"
)
_HASH = "Spark has other hashes; use md5, which is the same in all systems"
_BLOCK = (
    "rows have no order of their own; use x - lag(x) OVER (ORDER BY ...), or lag and lead for rows "
    "before and after"
)
_STATES = re.compile(
    r"(count|sum|avg|min|max|any|uniq\w*|quantile\w*|arg\w+|grouparray|groupbitmap)(if)?(state|merge)$"
)
_JSON = (
    "Spark writes JSON with other blanks; return the values as columns, or make lists of them by "
    "array_agg(x ORDER BY y)"
)
_JSON_CALLS = {
    f"{kind}_{end}": _JSON
    for kind in ("json", "jsonb")
    for end in ("build_object", "build_array", "object_agg", "agg", "object", "set")
} | {"to_jsonb": _JSON}
#: Why a function is not available, by dialect and lower-case name.
_CALLS = {
    "clickhouse": {
        **dict.fromkeys(("topk", "topkif", "topkweighted"), _FREQUENT),
        **dict.fromkeys(("sequencematch", "sequencecount", "sequencenextnode"), _SEQUENCE),
        **{
            f"{word}{kind}{end}": _SKETCH
            for word in ("quantile", "quantiles")
            for kind in ("tdigest", "timing", "bfloat16", "deterministic", "gk", "dd")
            for end in ("", "if")
        },
        **dict.fromkeys(
            (
                "dictget",
                "dictgetornull",
                "dictgetordefault",
                "dicthas",
                "dictgetstring",
                "dictgetuint64",
                "dictgethierarchy",
            ),
            _DICTIONARY,
        ),
        **dict.fromkeys(("runningdifference", "neighbor", "runningaccumulate"), _BLOCK),
        **dict.fromkeys(("xxhash64", "hmac"), _HASH),
        **{f"parsedatetimebesteffort{end}": _BEST_EFFORT for end in ("", "ornull", "orzero")},
    },
    "duckdb": {"age": _AGE, "json_type": _JSON_TYPE, "approx_top_k": _FREQUENT, "hash": _HASH},
    "postgres": {**_JSON_CALLS, "age": _AGE, "json_typeof": _JSON_TYPE, "jsonb_typeof": _JSON_TYPE},
    "risingwave": {**_JSON_CALLS, "age": _AGE, "jsonb_typeof": _JSON_TYPE},
}


def check_available(tree: exp.Expr, dialect: str) -> None:
    """Refuse what Spark has no syntax for.

    Parameters
    ----------
    tree : sqlglot.exp.Expr
    dialect : str

    Raises
    ------
    WorkbenchError

    Examples
    --------
    >>> import sqlglot
    >>> check_available(sqlglot.parse_one("SELECT 1 FROM a PASTE JOIN b", read="clickhouse"), \
"clickhouse")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: query: PASTE JOIN is not available; number the rows of both \
tables, and join by the numbers.
    """
    _check_no_change(tree)
    _check_no_parameter(tree, dialect)
    _check_tables(tree, dialect)
    if dialect in LIKE_POSTGRES:
        _check_expressions(tree)
    for join in tree.find_all(exp.Join):
        words = {str(join.args.get(one) or "").upper() for one in ("method", "kind", "side")}
        for word in sorted(words & _JOINS.keys()):
            raise WorkbenchError(f"query: {word} JOIN is not available; {_JOINS[word]}.")
    for term in tree.find_all(exp.Ordered):
        if term.args.get("with_fill"):
            raise WorkbenchError(
                "query: WITH FILL is not available; join the answer to a table of all values, such "
                "as numbers(...)."
            )
    for group in tree.find_all(exp.Group):
        if group.args.get("totals"):
            raise WorkbenchError(
                "query: WITH TOTALS is not available; use GROUP BY ROLLUP, whose row without keys "
                "is the total."
            )
    _check_calls(tree, dialect)


def _check_no_change(tree: exp.Expr) -> None:
    if change := tree.find(exp.Into, exp.DML):
        raise WorkbenchError(
            f"query: {change.key.upper()} writes to a table, which a query does not do here; write "
            "the DataFrame of a query that only selects."
        )


def _check_no_parameter(tree: exp.Expr, dialect: str) -> None:
    if parameter := tree.find(exp.Placeholder, exp.Parameter):
        raise WorkbenchError(
            f"query: {parameter.sql(dialect)} stands for a value that is not given; write the "
            "value."
        )


def _check_calls(tree: exp.Expr, dialect: str) -> None:
    calls = _CALLS.get(dialect, {})
    for call in tree.find_all(exp.Func):
        named = isinstance(call, exp.Anonymous | exp.AnonymousAggFunc | exp.ParameterizedAgg)
        name = call.name if named else call.sql_name().lower()
        instead = calls.get(name.lower())
        if instead is None and dialect == "clickhouse" and _STATES.match(name.lower()):
            instead = _STATE
        if instead is not None:
            raise WorkbenchError(f"query: {name} is not available, as {instead}.")


def check_no_pivot(word: str) -> None:
    """Refuse PIVOT and UNPIVOT as statements of DuckDB.

    Examples
    --------
    >>> check_no_pivot("SELECT")
    >>> check_no_pivot("UNPIVOT")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: query: UNPIVOT as a statement is not available; write \
SELECT * FROM t UNPIVOT (v FOR n IN (a, b)).
    """
    instead = {
        "PIVOT": "SELECT * FROM t PIVOT (sum(x) FOR k IN ('a', 'b'))",
        "UNPIVOT": "SELECT * FROM t UNPIVOT (v FOR n IN (a, b))",
    }
    if word in instead:
        raise WorkbenchError(
            f"query: {word} as a statement is not available; write {instead[word]}."
        )


def _check_tables(tree: exp.Expr, dialect: str) -> None:
    for sample in tree.find_all(exp.TableSample):
        if dialect == "clickhouse":
            raise WorkbenchError(
                "query: SAMPLE is not available, as tables have no key to sample by here; write "
                "WHERE randCanonical() < 0.1, or sample the table before you pass it."
            )
        if sample.arg_key == "sample" and isinstance(sample.parent, exp.Select):
            raise WorkbenchError(
                "query: USING SAMPLE is not available, as Spark samples only tables; write FROM t "
                "TABLESAMPLE (10 PERCENT), or ORDER BY random() LIMIT 5."
            )
    for pivot in tree.find_all(exp.Pivot):
        if isinstance(pivot.parent, exp.Subquery) and pivot.arg_key == "this":
            check_no_pivot("UNPIVOT" if pivot.args.get("unpivot") else "PIVOT")


#: Parts of a JSON path that match several parts of a text.
_MULTIPLE = (exp.JSONPathWildcard, exp.JSONPathRecursive, exp.JSONPathSlice, exp.JSONPathUnion)
_KEYS = (exp.JSONBContainsTopKey, exp.JSONBContainsAnyTopKeys, exp.JSONBContainsAllTopKeys)


def _check_expressions(tree: exp.Expr) -> None:
    """Refuse expressions that Spark does not have, or gives other values for."""
    for path in tree.find_all(exp.JSONPath):
        if path.find(*_MULTIPLE):
            raise WorkbenchError(
                "query: a path into JSON that finds several parts, by * or .., is not available; "
                "write names and positions from 0, such as '$.a.b[0]'."
            )
    if tree.find(*_KEYS):
        raise WorkbenchError(
            "query: ?, ?| and ?& of JSON are not available; ask whether x->>'key' IS NOT NULL."
        )
    if tree.find(exp.JSONBExtract, exp.JSONBExtractScalar):
        raise WorkbenchError(
            "query: #> and #>> of JSON are not available; write -> for each name, and ->> for the "
            "last one."
        )
    for array in tree.find_all(exp.Array):
        if len(array.expressions) == 1 and isinstance(array.expressions[0], exp.Query):
            raise WorkbenchError(
                "query: ARRAY(SELECT ...) is not available; use (SELECT array_agg(x ORDER BY y) "
                "FROM t), which is null where there is no row."
            )
