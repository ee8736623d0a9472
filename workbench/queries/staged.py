"""Columns that a part of a query hands to the next one, each by a name of its own."""

from dataclasses import dataclass, field

from sqlglot import exp

from workbench.spark.table import unused


@dataclass
class Staged:
    """The columns of a table between two parts of a query.

    Attributes
    ----------
    taken : set of str
        Names that mean something else in the query.
    hidden : set of str
        Of these, those that are not even a column's own: an answer that is another value has it.
    columns : dict of str to sqlglot.exp.Expr
        What each is, by its name.

    Examples
    --------
    >>> from workbench.queries.reading.parsing import parse_query
    >>> staged = Staged()
    >>> select = parse_query("SELECT t.a, b + 1, a, b + 1", "duckdb")
    >>> [staged.name(one) for one in select.expressions]
    ['a', 'b_1', 'a_', 'b_1']
    """

    taken: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    columns: dict[str, exp.Expr] = field(default_factory=dict)
    _names: dict[exp.Expr, str] = field(default_factory=dict)

    def name(self, node: exp.Expr) -> str:
        """Return the name of the column that an expression is, which it becomes."""
        if node not in self._names:
            kept = node.copy()
            own = isinstance(node, exp.Column) and node.name.lower() not in self.hidden
            self._names[kept] = self.new(_hint(node), own)
            self.columns[self._names[kept]] = kept
        return self._names[node]

    def new(self, hint: str, own: bool = False) -> str:
        """Return a name that no column has, nor an answer of the query, unless it is its own."""
        used = {one.lower() for one in self._all} | (set() if own else self.taken)
        name = unused(used, hint)
        self._all.append(name)
        return name

    _all: list[str] = field(default_factory=list)

    def keep(self, name: str) -> None:
        """Take a name for something else than an expression."""
        self._all.append(name)


def _hint(node: exp.Expr) -> str:
    """A name that reminds of an expression."""
    if isinstance(node, exp.Column):
        return node.name
    words = [one.name for one in node.find_all(exp.Column)][:1]
    words += [one.this for one in node.find_all(exp.Literal) if str(one.this).isalnum()][:1]
    if isinstance(node, exp.Func) and not isinstance(node, exp.Anonymous | exp.Case | exp.And):
        words.insert(0, node.sql_name().lower())
    return "_".join(words) or "value"


def staged_column(name: str) -> exp.Column:
    """Return a reference to a column that a part before has made."""
    return exp.column(exp.to_identifier(name, quoted=True))
