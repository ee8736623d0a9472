"""A part of a query as Spark's own SQL: written, run over tables by name, or refused."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.dialects import Dialect
from sqlglot.errors import ErrorLevel, UnsupportedError

from workbench.dialects.functions import NAMED
from workbench.errors import WorkbenchError
from workbench.queries.meaning import as_spark_means
from workbench.queries.names import QueryTables
from workbench.queries.reading.parsing import CASE_SENSITIVE, sources_of
from workbench.spark.shipping import is_connect
from workbench.spark.table import nearest, reason

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame


def answered(tree: exp.Query, tables: QueryTables) -> "tuple[DataFrame, str, dict[str, DataFrame]]":
    """Return Spark's answer to a query, and the text of it that Spark has read.

    Parameters
    ----------
    tree : sqlglot.exp.Query
        Without windows of the kernels; it is changed.
    tables : QueryTables

    Returns
    -------
    df : pyspark.sql.DataFrame
    text : str
    of : dict of str to DataFrame
        The tables by the names that the text has for them.

    Raises
    ------
    WorkbenchError
        When Spark has no such table, column or function, or cannot mean the query.
    """
    from pyspark.errors import PySparkException

    frames = bind(tree, tables)
    if tables.dialect in CASE_SENSITIVE:
        _check_case(tree, frames)
    # To ClickHouse the distance of two times is a number, too.
    counted = (
        ("date", "timestamp", "timestamp_ntz") if tables.dialect in CASE_SENSITIVE else ("date",)
    )
    days = any(
        field.dataType.typeName() in counted for one in frames.values() for field in one.schema
    )
    meant = as_spark_means(tree, tables.dialect, lambda one: _kind(one, tables, frames), days)
    text = written(meant)
    try:
        df = _run(text, tables, frames)
        _ = df.schema
    except PySparkException as error:
        # A constant that is too large is found while Spark reads.
        raise WorkbenchError(f"query: {_sentence(error, frames, tables.dialect)}") from None
    return df, text, frames


def _run(text: str, tables: QueryTables, frames: "dict[str, DataFrame]") -> "DataFrame":
    if "\\" in text and _keeps_backslashes(tables):
        raise WorkbenchError(
            f"query: it has text with quotes, backslashes or ends of lines, which Spark reads "
            f"otherwise where {_ESCAPED} is true; set that to false."
        )
    if not frames or not is_connect(tables.spark):
        return tables.spark.sql(text)
    given: dict[str, Any] = dict(frames)
    return tables.spark.sql(with_fields(text, {name: name for name in frames}), **given)


#: With it, a backslash in a literal is one.
_ESCAPED = "spark.sql.parser.escapedStringLiterals"


def _keeps_backslashes(tables: QueryTables) -> bool:
    return str(tables.spark.conf.get(_ESCAPED, "false")).lower() == "true"


def with_fields(text: str, names: Mapping[str, str]) -> str:
    """Return text as :meth:`SparkSession.sql` takes it beside tables, which it has as fields.

    Examples
    --------
    >>> with_fields("SELECT '{x}' FROM `wb1_` AS `t`", {"wb1_": "t"})
    "SELECT '{{x}}' FROM {t} AS `t`"
    """
    text = text.replace("{", "{{").replace("}", "}}")
    for token, name in names.items():
        text = text.replace(f"`{token}`", "{" + name + "}")
    return text


def _kind(select: exp.Select, tables: QueryTables, frames: "dict[str, DataFrame]") -> Any:
    """The types of a query's columns, none where Spark cannot say them."""
    from pyspark.errors import PySparkException

    if (held := _kinds_held(select, frames)) is not None:
        return held
    try:
        return [field.dataType for field in _run(written(select), tables, frames).schema.fields]
    except PySparkException:
        return None


def _kinds_held(select: exp.Select, frames: "dict[str, DataFrame]") -> list[Any] | None:
    """The types of what are columns of tables, which need no answer of Spark; None elsewhere."""
    if select.args.get("laterals") or select.args.get("from_") is None:
        return None
    sources = sources_of(select)
    held = [one for one in sources if isinstance(one, exp.Table) and one.name in frames]
    if len(held) < len(sources) or any(one.args["alias"].columns for one in held):
        return None
    found: list[Any] = []
    for node in select.expressions:
        if not isinstance(node, exp.Column):
            return None
        kinds = [
            field.dataType
            for one in held if not node.table or one.alias.lower() == node.table.lower()
            for field in frames[one.name].schema if field.name.lower() == node.name.lower()
        ]  # fmt: skip
        if len(kinds) != 1:
            return None
        found += kinds
    return found


def _check_case(tree: exp.Expr, frames: "dict[str, DataFrame]") -> None:
    """Refuse names that differ in case from those that are there, where that counts."""
    known = {name for df in frames.values() for name in df.columns}
    known |= {
        one.alias
        for one in tree.find_all(exp.Alias)
        if not isinstance(one.this, exp.Column) or one.this.name != one.alias
    }
    known |= {one.name for alias in tree.find_all(exp.TableAlias) for one in alias.columns}
    for column in tree.find_all(exp.Column):
        near = [one for one in sorted(known) if one.lower() == column.name.lower()]
        if near and column.name not in known:
            raise WorkbenchError(
                f"query: there is no column {column.name!r}; did you mean {near[0]!r}?"
            )


def bind(tree: exp.Query, tables: QueryTables) -> "dict[str, DataFrame]":
    """Put names that no query can have in the place of a query's tables, which are returned."""
    frames: dict[str, DataFrame] = {}
    theirs = [one for one in tree.find_all(exp.Table) if not _is_named_within(one)]
    for k, node in enumerate(theirs, 1):
        df = tables.find(node)
        name = tables.view(df)
        frames[name] = df
        if not node.alias:
            called = node.this.name if isinstance(node.this, exp.Identifier) else ""
            called = called if called and not called.startswith(tables.token) else f"t{k}"
            node.set("alias", exp.TableAlias(this=exp.to_identifier(called, quoted=True)))
        for part in ("db", "catalog", "this"):
            node.set(part, exp.to_identifier(name) if part == "this" else None)
    return frames


def _is_named_within(node: exp.Table) -> bool:
    """Whether a table is one that the query itself names, by WITH."""
    name, above = node.name.lower(), node.parent
    below: exp.Expr = node
    while above is not None:
        within = above.args.get("with_")
        if isinstance(above, exp.With):
            ctes = above.expressions
            behind = next((k for k, one in enumerate(ctes) if one is below), 0)
            ctes = ctes[: behind + bool(above.args.get("recursive"))]
        else:
            ctes = within.expressions if within is not None and within is not below else []
        if not node.db and name in [one.alias.lower() for one in ctes]:
            return True
        below, above = above, above.parent
    return False


def written(tree: exp.Expr) -> str:
    """Return SQL as Spark reads it, with names and literals that can be nothing else.

    The tree is changed.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> print(written(parse_query('''SELECT "a`b", '${x}' AS c''', "duckdb")))
    SELECT `a``b`, CONCAT('$', '{x}') AS `c`
    """
    for node in list(tree.find_all(exp.Identifier, exp.Literal)):
        if "${" in node.this:
            _keep_variables_out(node)
    try:
        text = _SPARK.generate(
            tree, copy=False, identify=True, normalize_functions=False,
            unsupported_level=ErrorLevel.RAISE,
        )  # fmt: skip
    except UnsupportedError as error:
        what = str(error).strip().splitlines()[0].rstrip(".")
        raise WorkbenchError(f"query: Spark cannot: {what[:1].lower() + what[1:]}.") from None
    except ValueError as error:
        # A part of a query that no other system has, by the name of its class.
        what = str(error).strip().rpartition(" ")[2].rstrip(".").upper()
        raise WorkbenchError(f"query: Spark has nothing like {what}; leave it out.") from None
    return str(text)


#: Not a writer of our own: those of sqlglot may be compiled, and then nothing inherits from them.
_SPARK = Dialect.get_or_raise("spark")


def _keep_variables_out(node: exp.Expr) -> None:
    """Write text that holds ``${`` as several, as Spark puts its variables there even in quotes."""
    if isinstance(node, exp.Identifier):
        raise WorkbenchError(
            f"query: the name {node.this!r} has '${{', which is a variable to Spark; rename it."
        )
    first, *others = node.this.split("${")
    pieces = [first, *(piece for one in others for piece in ("$", "{" + one))]
    texts = [exp.Literal.string(piece) for piece in pieces if piece]
    node.replace(exp.Anonymous(this="CONCAT", expressions=texts))


def of_windows_alone(called: str) -> str:
    """Return what is said of a function that groups do not have.

    Examples
    --------
    >>> print(of_windows_alone("product"))
    product is a window function here, and no aggregate of groups; take SELECT DISTINCT k, \
product(...) OVER (PARTITION BY k) in place of GROUP BY k.
    """
    return (
        f"{called} is a window function here, and no aggregate of groups; take SELECT DISTINCT k, "
        f"{called}(...) OVER (PARTITION BY k) in place of GROUP BY k."
    )


def _sentence(error: "PySparkException", frames: "dict[str, DataFrame]", dialect: str) -> str:
    condition, said = str(error.getCondition()), error.getMessageParameters() or {}
    name = (said.get("objectName") or said.get("routineName") or "").replace("`", "")
    if condition.startswith("UNRESOLVED_COLUMN"):
        known = [one.strip(" `") for one in (said.get("proposal") or "").split(",") if one.strip()]
        known = list(dict.fromkeys(one.replace("`", "").rpartition(".")[2] for one in known))
        if not get_close_matches(name, known):
            known += [one for df in frames.values() for one in df.columns if one not in known]
        return f"there is no column {name!r}; {nearest(name, known)}"
    if condition.startswith("UNRESOLVED_ROUTINE"):
        called = name.rpartition(".")[2].lower()
        if called in NAMED[dialect]:
            return of_windows_alone(called)
        return f"there is no function {name.rpartition('.')[2]!r}, neither here nor in Spark."
    if condition.startswith("PARSE_SYNTAX_ERROR"):
        return (
            f"Spark has no words for a part of it, near {said.get('error', 'its end')}; write that "
            "part in other words."
        )
    text = reason(error)
    if "data type TIME is not supported" in text:
        return (
            "times of day are not available in this session; set spark.sql.timeType.enabled, or "
            "keep the time with its day."
        )
    return text if text.endswith(".") else f"{text}."
