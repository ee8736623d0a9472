"""Where the operators of a plan stand, and what is written beside them."""

from dataclasses import dataclass

from workbench.backfill.inspect.origin import counted
from workbench.figures.svg import cut
from workbench.spark.plan_text import Flow, Kind, Operator, QueryPlan

# By kind: name in the legend, colour (Okabe and Ito's, distinct to every eye).
KINDS: dict[Kind, tuple[str, str]] = {
    "scan": ("Scan", "#E69F00"),
    "exchange": ("Exchange: rows move between workers", "#D55E00"),
    "sort": ("Sort", "#0072B2"),
    "python": ("Python: rows leave the JVM", "#009E73"),
    "other": ("Other", "#6B7280"),
}
FLOWS: dict[Flow, str] = {"data": "solid", "reuse": "dot", "subquery": "dash"}
COLUMN, ROW = 330, 68
BEND = 0.31  # of a row: where a line turns, clear of all writing
_WIDEST = 40


@dataclass(frozen=True)
class PlanLayout:
    """Column and row of each operator: rows flow downwards, the result stands lowest."""

    places: dict[int, tuple[int, int]]

    @property
    def columns(self) -> int:
        return 1 + max(column for column, _ in self.places.values())

    @property
    def rows(self) -> int:
        return 1 + max(row for _, row in self.places.values())


def layout(plan: QueryPlan) -> PlanLayout:
    """Place the operators: the left input straight above, every further one in a new column.

    Parameters
    ----------
    plan
        The plan, with at least one operator.

    Returns
    -------
    PlanLayout
        Whole columns from the left and rows from the top, both from 0.
    """
    columns: dict[int, int] = {}
    _assign_columns(plan, plan.result.id, 0, columns)
    depths = _depths(plan)
    deepest = max(depths.values())
    return PlanLayout({id: (column, deepest - depths[id]) for id, column in columns.items()})


def _assign_columns(plan: QueryPlan, id: int, column: int, columns: dict[int, int]) -> int:
    """Give an operator and all that it reads their columns; the first that is still free."""
    columns[id] = column
    free = column + 1
    inputs = plan.sources(id, "data")
    for source in [*inputs, *plan.sources(id, "subquery")]:
        if source not in columns:
            straight = source in inputs[:1]
            below = _assign_columns(plan, source, column if straight else free, columns)
            free = max(free, below)
    return free


def _depths(plan: QueryPlan) -> dict[int, int]:
    """The longest way from each operator to the result, so that no rows flow upwards."""
    depths = {plan.result.id: 0}
    reached = [plan.result.id]
    while reached:
        target = reached.pop()
        for source in plan.sources(target, "data", "subquery"):
            if depths.get(source, -1) <= depths[target]:
                depths[source] = depths[target] + 1
                reached.append(source)
    return depths


def caption(operator: Operator) -> tuple[str, str, str]:
    """Three lines for a person: the name, what it works on, what it cost."""
    cost = " · ".join(part for part in (operator.size, operator.time) if part)
    return cut(operator.title, _WIDEST), cut(operator.summary, _WIDEST), cost


def title(plan: QueryPlan) -> str:
    """How many operators there are, and how many of the dear kinds."""
    kinds = [operator.kind for operator in plan.operators.values()]
    dear: dict[Kind, str] = {"exchange": "exchange", "sort": "sort", "python": "Python step"}
    counts = [(len(kinds), "operator"), *((kinds.count(kind), dear[kind]) for kind in dear)]
    return f"Query plan: {', '.join(counted(n, name) for n, name in counts if n)}"


def subtitle(plan: QueryPlan) -> str:
    """What the numbers are, and how to read the picture."""
    return f"{plan.note} Rows flow downwards.".strip()
