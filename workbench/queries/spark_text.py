"""Spark's own SQL for a part of a query: its text, its run over tables, and its errors."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from sqlglot import exp
from sqlglot.dialects import Dialect
from sqlglot.errors import ErrorLevel, UnsupportedError

from workbench.dialects.functions import is_named_aggregate
from workbench.errors import WorkbenchError
from workbench.queries.meaning import rewrite_for_spark
from workbench.queries.names import QueryTables
from workbench.queries.reading.parsing import CASE_SENSITIVE, sources_of
from workbench.spark.names import nearest
from workbench.spark.shipping import is_connect
from workbench.spark.values import reason

if TYPE_CHECKING:
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame


def run_on_spark(
    tree: exp.Query, tables: QueryTables
) -> "tuple[DataFrame, str, dict[str, DataFrame]]":
    """Run a query on Spark, and return the result with the SQL that Spark has parsed.

    Parameters
    ----------
    tree : sqlglot.exp.Query
        Has no windows for the kernels; it is changed.
    tables : QueryTables

    Returns
    -------
    df : pyspark.sql.DataFrame
    text : str
    frames : dict of str to DataFrame
        The tables by their names in the text.

    Raises
    ------
    WorkbenchError
        When Spark has no such table, column or function, or cannot express the query.
    """
    from pyspark.errors import PySparkException

    frames = bind_tables(tree, tables)
    if tables.dialect in CASE_SENSITIVE:
        _check_case(tree, frames)
    # In ClickHouse the difference of two times is a number, too.
    time_types = (
        ("date", "timestamp", "timestamp_ntz") if tables.dialect in CASE_SENSITIVE else ("date",)
    )
    days = any(
        field.dataType.typeName() in time_types for one in frames.values() for field in one.schema
    )
    rewritten = rewrite_for_spark(
        tree, tables.dialect, lambda one: _column_types(one, tables, frames), days
    )
    text = to_spark_text(rewritten)
    try:
        df = _run(text, tables, frames)
        _ = df.schema
    except PySparkException as error:
        # Spark finds a constant that is too large while it analyzes.
        raise WorkbenchError(f"query: {_error_message(error, frames, tables.dialect)}") from None
    return df, text, frames


def _run(text: str, tables: QueryTables, frames: "dict[str, DataFrame]") -> "DataFrame":
    if "\\" in text and _has_raw_literals(tables):
        raise WorkbenchError(
            "query: it has text with quotes, backslashes or line breaks, which Spark reads "
            f"differently where {_RAW_LITERALS} is true; set that to false."
        )
    if not frames or not is_connect(tables.spark):
        return tables.spark.sql(text)
    tables_by_name: dict[str, Any] = dict(frames)
    return tables.spark.sql(
        with_table_fields(text, {name: name for name in frames}), **tables_by_name
    )


#: With this setting, a backslash in a literal is a plain character.
_RAW_LITERALS = "spark.sql.parser.escapedStringLiterals"


def _has_raw_literals(tables: QueryTables) -> bool:
    return str(tables.spark.conf.get(_RAW_LITERALS, "false")).lower() == "true"


def with_table_fields(text: str, names: Mapping[str, str]) -> str:
    """Return text for :meth:`SparkSession.sql`, in which tables are fields in braces.

    Examples
    --------
    >>> with_table_fields("SELECT '{x}' FROM `wb1_` AS `t`", {"wb1_": "t"})
    "SELECT '{{x}}' FROM {t} AS `t`"
    """
    text = text.replace("{", "{{").replace("}", "}}")
    for token, name in names.items():
        text = text.replace(f"`{token}`", "{" + name + "}")
    return text


def _column_types(select: exp.Select, tables: QueryTables, frames: "dict[str, DataFrame]") -> Any:
    """Return the types of a query's columns; None if Spark cannot tell."""
    from pyspark.errors import PySparkException

    if (known_types := _known_column_types(select, frames)) is not None:
        return known_types
    try:
        return [
            field.dataType for field in _run(to_spark_text(select), tables, frames).schema.fields
        ]
    except PySparkException:
        return None


def _known_column_types(select: exp.Select, frames: "dict[str, DataFrame]") -> list[Any] | None:
    """Return the types of plain columns of tables without asking Spark; None for other queries."""
    if select.args.get("laterals") or select.args.get("from_") is None:
        return None
    sources = sources_of(select)
    tables = [one for one in sources if isinstance(one, exp.Table) and one.name in frames]
    if len(tables) < len(sources) or any(one.args["alias"].columns for one in tables):
        return None
    types: list[Any] = []
    for node in select.expressions:
        if not isinstance(node, exp.Column):
            return None
        matching_types = [
            field.dataType
            for one in tables if not node.table or one.alias.lower() == node.table.lower()
            for field in frames[one.name].schema if field.name.lower() == node.name.lower()
        ]  # fmt: skip
        if len(matching_types) != 1:
            return None
        types += matching_types
    return types


def _check_case(tree: exp.Expr, frames: "dict[str, DataFrame]") -> None:
    """Refuse names that differ from existing ones in case, where case matters."""
    known_names = {name for df in frames.values() for name in df.columns}
    known_names |= {
        one.alias
        for one in tree.find_all(exp.Alias)
        if not isinstance(one.this, exp.Column) or one.this.name != one.alias
    }
    known_names |= {one.name for alias in tree.find_all(exp.TableAlias) for one in alias.columns}
    for column in tree.find_all(exp.Column):
        similar_names = [one for one in sorted(known_names) if one.lower() == column.name.lower()]
        if similar_names and column.name not in known_names:
            raise WorkbenchError(
                f"query: there is no column {column.name!r}; did you mean {similar_names[0]!r}?"
            )


def bind_tables(tree: exp.Query, tables: QueryTables) -> "dict[str, DataFrame]":
    """Replace the tables of a query by names that no query can have, and return these tables."""
    frames: dict[str, DataFrame] = {}
    external = [
        one
        for one in tree.find_all(exp.Table)
        if not _is_cte(one) and not one.find_ancestor(exp.Hint)
    ]
    for k, node in enumerate(external, 1):
        df = tables.find(node)
        name = tables.view(df)
        frames[name] = df
        if not node.alias:
            alias = node.this.name if isinstance(node.this, exp.Identifier) else ""
            alias = alias if alias and not alias.startswith(tables.token) else f"t{k}"
            node.set("alias", exp.TableAlias(this=exp.to_identifier(alias, quoted=True)))
        for part in ("db", "catalog", "this"):
            node.set(part, exp.to_identifier(name) if part == "this" else None)
    return frames


def _is_cte(node: exp.Table) -> bool:
    """Return whether a table is one that the query defines in WITH."""
    name, parent = node.name.lower(), node.parent
    child: exp.Expr = node
    while parent is not None:
        with_clause = parent.args.get("with_")
        if isinstance(parent, exp.With):
            ctes = parent.expressions
            position = next((k for k, one in enumerate(ctes) if one is child), 0)
            ctes = ctes[: position + bool(parent.args.get("recursive"))]
        else:
            ctes = (
                with_clause.expressions
                if with_clause is not None and with_clause is not child
                else []
            )
        if not node.db and name in [one.alias.lower() for one in ctes]:
            return True
        child, parent = parent, parent.parent
    return False


def to_spark_text(tree: exp.Expr) -> str:
    """Return SQL for Spark, with names quoted and literals escaped.

    The tree is changed.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> print(to_spark_text(parse_query('''SELECT "a`b", '${x}' AS c''', "duckdb")))
    SELECT `a``b`, CONCAT('$', '{x}') AS `c`
    """
    for node in list(tree.find_all(exp.Identifier, exp.Literal)):
        if "${" in node.this:
            _split_variables(node)
    try:
        text = _SPARK.generate(
            tree, copy=False, identify=True, normalize_functions=False,
            unsupported_level=ErrorLevel.RAISE,
        )  # fmt: skip
    except UnsupportedError as error:
        message = str(error).strip().splitlines()[0].rstrip(".")
        raise WorkbenchError(f"query: Spark cannot: {message[:1].lower() + message[1:]}.") from None
    except ValueError as error:
        # sqlglot names the class of a part that Spark has no syntax for.
        message = str(error).strip().rpartition(" ")[2].rstrip(".").upper()
        raise WorkbenchError(
            f"query: Spark has no counterpart of {message}; leave it out."
        ) from None
    return str(text)


#: Not a subclass: the classes of sqlglot may be compiled, and then cannot be derived from.
_SPARK = Dialect.get_or_raise("spark")


def _split_variables(node: exp.Expr) -> None:
    """Split a literal at ``${``, where Spark substitutes variables even within quotes."""
    if isinstance(node, exp.Identifier):
        raise WorkbenchError(
            f"query: the name {node.this!r} has '${{', which begins a variable in Spark; rename it."
        )
    first_piece, *others = node.this.split("${")
    pieces = [first_piece, *(piece for one in others for piece in ("$", "{" + one))]
    texts = [exp.Literal.string(piece) for piece in pieces if piece]
    node.replace(exp.Anonymous(this="CONCAT", expressions=texts))


def _error_message(error: "PySparkException", frames: "dict[str, DataFrame]", dialect: str) -> str:
    condition, parameters = str(error.getCondition()), error.getMessageParameters() or {}
    name = (parameters.get("objectName") or parameters.get("routineName") or "").replace("`", "")
    if condition.startswith("UNRESOLVED_COLUMN"):
        known_names = [
            one.strip(" `") for one in (parameters.get("proposal") or "").split(",") if one.strip()
        ]
        known_names = list(
            dict.fromkeys(one.replace("`", "").rpartition(".")[2] for one in known_names)
        )
        if not get_close_matches(name, known_names):
            known_names += [
                one for df in frames.values() for one in df.columns if one not in known_names
            ]
        return f"there is no column {name!r}; {nearest(name, known_names)}"
    if condition.startswith("UNRESOLVED_ROUTINE"):
        function = name.rpartition(".")[2].lower()
        if is_named_aggregate(function, dialect):
            return (
                f"{function} is not available with ROLLUP, CUBE or GROUPING SETS; group by one set "
                "of keys at a time, and combine the queries by UNION ALL."
            )
        return f"there is no function {name.rpartition('.')[2]!r}, neither here nor in Spark."
    if condition.startswith("PARSE_SYNTAX_ERROR"):
        return (
            f"Spark has no syntax for a part of it, near {parameters.get('error', 'its end')}; "
            "write that part differently."
        )
    if condition.startswith(("GROUPING_COLUMN_MISMATCH", "GROUPING_ID_COLUMN_MISMATCH")):
        return (
            "grouping in HAVING and ORDER BY takes keys that keep their names here; leave out "
            "their aliases, or order and filter in a query around this one."
        )
    text = reason(error)
    if "data type TIME is not supported" in text:
        return (
            "times of day are not available in this session; set spark.sql.timeType.enabled, or "
            "keep the time with its day."
        )
    return text if text.endswith(".") else f"{text}."
