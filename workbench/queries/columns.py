"""The columns of a SELECT made plain: stars, names of answers, positions, and what has no name."""

import re
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import ErrorLevel

from workbench.dialects.functions import POSTGRES
from workbench.errors import WorkbenchError
from workbench.queries.names import QueryTables
from workbench.queries.reading.parsing import computed_aliases, sources_of, walk_own
from workbench.queries.spark_text import answered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def plain(select: exp.Select, tables: QueryTables) -> exp.Select:
    """Return a SELECT whose answers have names, and where such a name stands for what it is.

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
        When a star is of a table that is not there.
    """
    source = _Source(select, tables)
    expressions: list[exp.Expr] = []
    for one in select.expressions:
        if one.find(exp.Columns):
            expressions += source.matching(one)
        else:
            expressions += source.expanded(one) if one.is_star else [one]
    select.set("expressions", expressions)
    name_answers(select, tables.dialect)
    _put_answers(select, source, tables.dialect)
    _put_positions(select)
    return select


class _Source:
    """What a SELECT is of, asked for its columns where it matters."""

    def __init__(self, select: exp.Select, tables: QueryTables) -> None:
        self._select, self._tables = select.copy(), tables
        self._columns: list[str] | None = None

    def _asked(self, star: exp.Expr) -> "DataFrame":
        asked = exp.Select(expressions=[star])
        for part in ("from_", "joins", "laterals"):
            value = self._select.args.get(part)
            if isinstance(value, list):
                asked.set(part, [one.copy() for one in value])
            elif value is not None:
                asked.set(part, value.copy())
        return answered(asked, self._tables)[0]

    @property
    def columns(self) -> list[str]:
        """The names of all columns."""
        if self._columns is None:
            if self._select.args.get("from_") is None:
                self._columns = []
            else:
                self._columns = list(self._asked(exp.Star()).columns)
        return self._columns

    def expanded(self, node: exp.Expr) -> list[exp.Expr]:
        """The columns that a star stands for."""
        star = node if isinstance(node, exp.Star) else node.this
        found: list[exp.Expr]
        if isinstance(node, exp.Column):
            found = self._of(node.args["table"])
        else:
            found = [_column(name) for name in self.columns]
            twice = len({name.lower() for name in self.columns}) < len(self.columns)
            if twice or (self._using() and all(one.name for one in self._aliases())):
                found = self._side_by_side()
        return _but(found, star)

    def matching(self, node: exp.Expr) -> list[exp.Expr]:
        """An expression for each column that its ``COLUMNS(...)`` says."""
        asked = next(node.find_all(exp.Columns))
        found: list[exp.Expr] = []
        for name in self._said_by(asked.this):
            copied = exp.Tuple(expressions=[node.copy()])
            for one in list(copied.find_all(exp.Columns)):
                one.replace(_column(name))
            value = copied.expressions[0]
            named = isinstance(value, exp.Alias)
            found.append(value if named else exp.alias_(value, name, quoted=True))
        if not found:
            raise WorkbenchError(f"query: {asked.sql('duckdb')} is no column; there are "
                                 f"{', '.join(map(repr, self.columns))}.")  # fmt: skip
        return found

    def _said_by(self, asked: exp.Expr) -> list[str]:
        if isinstance(asked, exp.Star):
            return [one.alias_or_name for one in self.expanded(asked)]
        if isinstance(asked, exp.Literal) and asked.is_string:
            pattern = re.compile(asked.this)
            return [name for name in self.columns if pattern.search(name)]
        if isinstance(asked, exp.Array | exp.Tuple):
            return [one.name for one in asked.expressions]
        raise WorkbenchError(
            "query: COLUMNS takes a regular expression, a list of names or * here; write one."
        )

    def _side_by_side(self) -> list[exp.Expr]:
        """The columns of all tables from left to right; those of USING once, where they are first.

        Without a table's name such a column is what the join makes of both.
        """
        merged, found = dict.fromkeys(self._using(), False), list[exp.Expr]()
        kept = [one for one in sources_of(self._select) if not _is_only_compared(one)]
        for source in kept:
            for column in self._of(_alias(source), source):
                name = column.name.lower()
                if not merged.get(name):
                    found.append(_column(column.name) if name in merged else column)
                if name in merged:
                    merged[name] = True
        return found

    def _using(self) -> list[str]:
        joins = self._select.args.get("joins") or ()
        return [one.name.lower() for join in joins for one in join.args.get("using") or ()]

    def _of(self, alias: exp.Identifier, source: exp.Expr | None = None) -> list[exp.Expr]:
        """The columns of a table, which has them in its own order where it stands alone."""
        if isinstance(source, exp.Table | exp.Subquery):
            alone = exp.select("*")
            alone.set("from_", exp.From(this=source.copy()))
            return [_column(name, alias) for name in answered(alone, self._tables)[0].columns]
        of = exp.Column(this=exp.Star(), table=alias.copy())
        return [_column(name, alias) for name in self._asked(of).columns]

    def _aliases(self) -> list[exp.Identifier]:
        return [_alias(one) for one in sources_of(self._select)]


def _alias(source: exp.Expr) -> exp.Identifier:
    found: exp.Identifier = exp.to_identifier(source.alias_or_name, quoted=True)
    return found


def _is_only_compared(source: exp.Expr) -> bool:
    """Whether a table only says which rows of the others stay, by SEMI or ANTI JOIN."""
    join = source.parent
    return isinstance(join, exp.Join) and join.kind in ("SEMI", "ANTI")


def _column(name: str, table: exp.Identifier | None = None) -> exp.Column:
    quoted = exp.to_identifier(name, quoted=True)
    return exp.Column(this=quoted, table=None if table is None else table.copy())


def _but(found: list[exp.Expr], star: exp.Expr) -> list[exp.Expr]:
    """A star's columns without those that it excludes, with others and by other names."""
    without = {one.name.lower() for one in star.args.get("except_") or ()}
    instead = {one.alias.lower(): one for one in star.args.get("replace") or ()}
    renamed = {one.this.name.lower(): one for one in star.args.get("rename") or ()}
    instead = renamed | instead
    names = {one.name.lower() for one in found}
    if missing := sorted((without | instead.keys()) - names):
        raise WorkbenchError(
            f"query: there is no column {missing[0]!r} to leave out, replace or rename."
        )
    return [instead.get(one.name.lower(), one) for one in found if one.name.lower() not in without]


def name_answers(select: exp.Select, dialect: str) -> None:
    """Give each column of a SELECT that has no name the one that its dialect has for it."""
    named = []
    for one in select.expressions:
        if isinstance(one, exp.Alias | exp.Star) or one.is_star or isinstance(one, exp.Aliases):
            named.append(one)
        elif isinstance(one, exp.Column):
            named.append(exp.alias_(one, one.name, quoted=True))
        else:
            named.append(exp.alias_(one, _called(one, dialect), quoted=True))
    select.set("expressions", named)


def _called(node: exp.Expr, dialect: str) -> str:
    if dialect in POSTGRES:
        node = node.this if isinstance(node, exp.Window) else node
        return node.sql_name().lower() if isinstance(node, exp.Func) else "?column?"
    return node.sql(
        dialect=dialect, normalize_functions="lower", unsupported_level=ErrorLevel.IGNORE
    )


def _put_answers(select: exp.Select, source: _Source, dialect: str) -> None:
    """Put what an answer is in the place of its name, where no column has that name."""
    answers = computed_aliases(select)
    places = [*select.expressions]
    places += [select.args[part] for part in ("where", "group", "having", "qualify")
               if select.args.get(part) is not None]  # fmt: skip
    # A term that is a name is that of an answer first; within a term columns come first.
    order = select.args.get("order") or exp.Order()
    places += [one for one in order.expressions if not isinstance(one.this, exp.Column)]
    there = {name: [answer] for name, answer in answers.items()}
    for _ in range(len(answers)):
        found = [
            node for place in places for node in walk_own(place)
            if isinstance(node, exp.Column) and not node.table and node.name.lower() in answers
        ]  # fmt: skip
        hidden = (
            {name.lower() for name in source.columns}
            if found and dialect != "clickhouse"
            else set()
        )
        put = False
        for node in found:
            name = node.name.lower()
            inside = any(node is one for answer in there[name] for one in answer.walk())
            if name in hidden or inside:
                continue
            answer = answers[name].copy()
            there[name].append(answer)
            node.replace(
                exp.paren(answer, copy=False) if isinstance(answer, exp.Binary) else answer
            )
            put = True
        if not put:
            return


def _put_positions(select: exp.Select) -> None:
    """Put what an answer is in the place of its number in GROUP BY, and of ALL."""
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
            place = int(one.this)
            if not 0 < place <= len(values):
                raise WorkbenchError(f"query: GROUP BY {place}: there are {len(values)} columns.")
            one.replace(values[place - 1].copy())
