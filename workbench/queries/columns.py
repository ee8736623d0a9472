"""The columns of a SELECT resolved: stars, aliases, positions, and columns without a name."""

import re
from typing import TYPE_CHECKING

from sqlglot import exp

from workbench.errors import WorkbenchError
from workbench.queries.names import QueryTables
from workbench.queries.reading.column_names import name_columns
from workbench.queries.reading.parsing import (
    computed_aliases,
    select_of_same_rows,
    sources_of,
    walk_own,
)
from workbench.queries.spark_text import run_on_spark
from workbench.spark.names import nearest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def resolve_columns(select: exp.Select, tables: QueryTables) -> exp.Select:
    """Return a SELECT whose output columns have names, with uses of these replaced by expressions.

    Parameters
    ----------
    select : sqlglot.exp.Select
        It is changed.
    tables : QueryTables

    Returns
    -------
    sqlglot.exp.Select

    Raises
    ------
    WorkbenchError
        When a star is of a table that does not exist.
    """
    source = _Source(select, tables)
    expressions: list[exp.Expr] = []
    for one in select.expressions:
        if one.find(exp.Columns):
            expressions += source.expand_columns_call(one)
        else:
            expressions += source.expand_star(one) if one.is_star else [one]
    select.set("expressions", expressions)
    name_columns(select, tables.dialect)
    _inline_aliases(select, source, tables.dialect)
    _inline_positions(select)
    return select


class _Source:
    """The tables of a SELECT, which are queried for their columns when needed."""

    def __init__(self, select: exp.Select, tables: QueryTables) -> None:
        self._select, self._tables = select.copy(), tables
        self._columns: list[str] | None = None

    def _query(self, star: exp.Expr) -> "DataFrame":
        select = select_of_same_rows(self._select)
        select.set("expressions", [star])
        return run_on_spark(select, self._tables)[0]

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        if self._columns is None:
            if self._select.args.get("from_") is None:
                self._columns = []
            else:
                self._columns = list(self._query(exp.Star()).columns)
        return self._columns

    def expand_star(self, node: exp.Expr) -> list[exp.Expr]:
        """Return the columns that a star stands for."""
        star = node if isinstance(node, exp.Star) else node.this
        columns: list[exp.Expr]
        if isinstance(node, exp.Column):
            columns = self._columns_of(node.args["table"])
        else:
            columns = [_column(name) for name in self.columns]
            has_duplicates = len({name.lower() for name in self.columns}) < len(self.columns)
            if has_duplicates or (
                self._using_columns() and all(one.name for one in self._aliases())
            ):
                columns = self._joined_columns()
        return _apply_star_modifiers(columns, star)

    def expand_columns_call(self, node: exp.Expr) -> list[exp.Expr]:
        """Return the expression once for each column that its ``COLUMNS(...)`` matches."""
        columns_call = next(node.find_all(exp.Columns))
        if columns_call.args.get("unpack"):
            raise WorkbenchError(
                "query: *COLUMNS(...), which gives all columns to one call, is not available; name "
                "them."
            )
        expressions: list[exp.Expr] = []
        for name in self._matching_names(columns_call.this):
            holder = exp.Tuple(expressions=[node.copy()])
            for one in list(holder.find_all(exp.Columns)):
                one.replace(_column(name))
            value = holder.expressions[0]
            has_alias = isinstance(value, exp.Alias)
            expressions.append(value if has_alias else exp.alias_(value, name, quoted=True))
        if not expressions:
            raise WorkbenchError(f"query: {columns_call.sql('duckdb')} matches no column; there "
                                 f"are {', '.join(map(repr, self.columns))}.")  # fmt: skip
        return expressions

    def _matching_names(self, selector: exp.Expr) -> list[str]:
        if isinstance(selector, exp.Star):
            return [one.alias_or_name for one in self.expand_star(selector)]
        if isinstance(selector, exp.Literal) and selector.is_string:
            pattern = re.compile(selector.this)
            return [name for name in self.columns if pattern.search(name)]
        if isinstance(selector, exp.Array | exp.Tuple):
            chosen = {one.name.lower(): one.name for one in selector.expressions}
            if missing := sorted(chosen.keys() - {one.lower() for one in self.columns}):
                raise WorkbenchError(f"query: there is no column {chosen[missing[0]]!r}; "
                                     f"{nearest(chosen[missing[0]], self.columns)}")  # fmt: skip
            return [one for one in self.columns if one.lower() in chosen]
        raise WorkbenchError(
            "query: COLUMNS takes a regular expression, a list of names or * here; write one."
        )

    def _joined_columns(self) -> list[exp.Expr]:
        """Return the columns of all tables from left to right; those of USING at their first place.

        A column of USING has no table name: it is the join's column of both sides.
        """
        merged, columns = dict.fromkeys(self._using_columns(), False), list[exp.Expr]()
        sources = [one for one in sources_of(self._select) if not _is_only_compared(one)]
        for source in sources:
            for column in self._columns_of(_alias(source), source):
                name = column.name.lower()
                if not merged.get(name):
                    columns.append(_column(column.name) if name in merged else column)
                if name in merged:
                    merged[name] = True
        return columns

    def _using_columns(self) -> list[str]:
        joins = self._select.args.get("joins") or ()
        return [one.name.lower() for join in joins for one in join.args.get("using") or ()]

    def _columns_of(self, alias: exp.Identifier, source: exp.Expr | None = None) -> list[exp.Expr]:
        """Return the columns of one table; a source that can run alone gives their order."""
        if isinstance(source, exp.Table | exp.Subquery):
            select = exp.select("*")
            select.set("from_", exp.From(this=source.copy()))
            return [_column(name, alias) for name in run_on_spark(select, self._tables)[0].columns]
        star = exp.Column(this=exp.Star(), table=alias.copy())
        return [_column(name, alias) for name in self._query(star).columns]

    def _aliases(self) -> list[exp.Identifier]:
        return [_alias(one) for one in sources_of(self._select)]


def _alias(source: exp.Expr) -> exp.Identifier:
    identifier: exp.Identifier = exp.to_identifier(source.alias_or_name, quoted=True)
    return identifier


def _is_only_compared(source: exp.Expr) -> bool:
    """Return whether a table only filters the others, by SEMI or ANTI JOIN."""
    join = source.parent
    return isinstance(join, exp.Join) and join.kind in ("SEMI", "ANTI")


def _column(name: str, table: exp.Identifier | None = None) -> exp.Column:
    quoted = exp.to_identifier(name, quoted=True)
    return exp.Column(this=quoted, table=None if table is None else table.copy())


def _apply_star_modifiers(columns: list[exp.Expr], star: exp.Expr) -> list[exp.Expr]:
    """Apply EXCLUDE, REPLACE and RENAME of a star to its columns."""
    excluded = {one.name.lower() for one in star.args.get("except_") or ()}
    replaced = {one.alias.lower(): one for one in star.args.get("replace") or ()}
    renamed = {one.this.name.lower(): one for one in star.args.get("rename") or ()}
    replaced = renamed | replaced
    known_names = {one.name.lower() for one in columns}
    if missing := sorted((excluded | replaced.keys()) - known_names):
        raise WorkbenchError(
            f"query: there is no column {missing[0]!r} to leave out, replace or rename."
        )
    return [
        replaced.get(one.name.lower(), one) for one in columns if one.name.lower() not in excluded
    ]


def _inline_aliases(select: exp.Select, source: _Source, dialect: str) -> None:
    """Replace each alias by its expression, where no column has that name."""
    aliases = computed_aliases(select)
    roots = [*select.expressions]
    roots += [select.args[part] for part in ("where", "group", "having", "qualify")
               if select.args.get(part) is not None]  # fmt: skip
    # A term that is a name means an alias first; within a term columns come first.
    order = select.args.get("order") or exp.Order()
    roots += [one for one in order.expressions if not isinstance(one.this, exp.Column)]
    versions = {name: [value] for name, value in aliases.items()}
    for _ in range(len(aliases)):
        references = [
            node for root in roots for node in walk_own(root)
            if isinstance(node, exp.Column) and not node.table and node.name.lower() in aliases
        ]  # fmt: skip
        source_columns = (
            {name.lower() for name in source.columns}
            if references and dialect != "clickhouse"
            else set()
        )
        replaced = False
        for node in references:
            name = node.name.lower()
            inside = any(node is one for value in versions[name] for one in value.walk())
            if name in source_columns or inside:
                continue
            value = aliases[name].copy()
            versions[name].append(value)
            node.replace(exp.paren(value, copy=False) if isinstance(value, exp.Binary) else value)
            replaced = True
        if not replaced:
            return


def _inline_positions(select: exp.Select) -> None:
    """Replace positions and ALL in GROUP BY by the expressions that they stand for."""
    group = select.args.get("group")
    if group is None:
        return
    values = [one.unalias() for one in select.expressions]
    if group.args.get("all"):
        group.set("all", None)
        keys = [one for one in values if not one.find(exp.AggFunc) and not one.find(exp.Window)]
        group.set("expressions", [one.copy() for one in keys if one.find(exp.Column)])
    for one in list(group.expressions):
        if isinstance(one, exp.Literal) and not one.is_string and one.this.isdigit():
            position = int(one.this)
            if not 0 < position <= len(values):
                raise WorkbenchError(
                    f"query: GROUP BY {position}: there are {len(values)} columns."
                )
            one.replace(values[position - 1].copy())
