"""Columns that a part of a query passes to the next one, each with a unique name."""

from dataclasses import dataclass, field

from sqlglot import exp

from workbench.spark.names import unused


@dataclass
class Staged:
    """The columns of a table between two parts of a query.

    Attributes
    ----------
    taken : set of str
        Names that have another meaning in the query.
    hidden : set of str
        Those of them that are aliases of other values, which even a column may not keep.
    columns : dict of str to sqlglot.exp.Expr
        The expression of each column, by its name.

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
        """Return the name of an expression's column, which is added if there is none yet."""
        if node not in self._names:
            expression = node.copy()
            is_column = isinstance(node, exp.Column) and node.name.lower() not in self.hidden
            self._names[expression] = self.new(_hint(node), is_column)
            self.columns[self._names[expression]] = expression
        return self._names[node]

    def new(self, hint: str, is_column_name: bool = False) -> str:
        """Return an unused name; a reserved one only if it is the column's own name."""
        reserved = {one.lower() for one in self._used} | (set() if is_column_name else self.taken)
        name = unused(reserved, hint)
        self._used.append(name)
        return name

    _used: list[str] = field(default_factory=list)

    def reserve(self, name: str) -> None:
        """Reserve a name for something other than an expression."""
        self._used.append(name)


def _hint(node: exp.Expr) -> str:
    """Return a readable name for an expression."""
    if isinstance(node, exp.Column):
        return node.name
    words = [one.name for one in node.find_all(exp.Column)][:1]
    words += [one.this for one in node.find_all(exp.Literal) if str(one.this).isalnum()][:1]
    if isinstance(node, exp.Func) and not isinstance(node, exp.Anonymous | exp.Case | exp.And):
        words.insert(0, node.sql_name().lower())
    return "_".join(words) or "value"


def staged_column(name: str) -> exp.Column:
    """Return a reference to a column of an earlier part."""
    return exp.column(exp.to_identifier(name, quoted=True))
