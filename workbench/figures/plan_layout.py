"""The positions of a plan's operators, and the texts next to them."""

from dataclasses import dataclass

from workbench.backfill.inspect.origin import counted
from workbench.figures.svg import cut
from workbench.figures.theme import BLUE, GREEN, GREY, ORANGE, VERMILLION
from workbench.spark.plans.text import Flow, Kind, Operator, QueryPlan
from workbench.spark.plans.words import operator_caption, operator_name

# By kind: name in the legend, colour (Okabe and Ito's, distinct to every eye).
KINDS: dict[Kind, tuple[str, str]] = {
    "scan": ("Scan", ORANGE),
    "exchange": ("Exchange: rows move between workers", VERMILLION),
    "sort": ("Sort", BLUE),
    "python": ("Python: rows leave the JVM", GREEN),
    "other": ("Other", GREY),
}
FLOWS: dict[Flow, str] = {"data": "solid", "reuse": "dot", "subquery": "dash"}
#: In pixels. Several columns are narrower, and their lines shorter.
COLUMN, BESIDE, ROW = 350, 250, 70
#: The extent of an operator to the right of its mark, in columns.
RIGHT = 0.9
#: The least share of the time that is shown.
SEEN = 0.005
BEND = 0.31  # of a row: where a line turns, clear of all text
_WIDEST, _WIDEST_BESIDE = 46, 31


@dataclass(frozen=True)
class PlanLayout:
    """Column and row of each operator: rows flow downwards, with the result at the bottom."""

    places: dict[int, tuple[int, int]]

    @property
    def columns(self) -> int:
        return 1 + max(column for column, _ in self.places.values())

    @property
    def rows(self) -> int:
        return 1 + max(row for _, row in self.places.values())


def layout(plan: QueryPlan) -> PlanLayout:
    """Place the operators: the left input directly above, each further one in a new column.

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
    """Assign columns to an operator and all its inputs; return the first free column."""
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
    """Return the longest path from each operator to the result, so that no rows flow upwards."""
    depths = {plan.result.id: 0}
    reached = [plan.result.id]
    while reached:
        target = reached.pop()
        for source in plan.sources(target, "data", "subquery"):
            if depths.get(source, -1) <= depths[target]:
                depths[source] = depths[target] + 1
                reached.append(source)
    return depths


def caption(operator: Operator, columns: int = 1) -> tuple[str, str]:
    """Return two lines: what an operator does, and its cost and its subject."""
    most = _WIDEST if columns == 1 else _WIDEST_BESIDE
    below = ""
    # The panel has the subject, too: it is left out rather than cut after a number.
    for part in filter(None, (operator.size, operator.time, operator_caption(operator))):
        longer = f"{below} · {part}" if below else cut(part, most)
        below = longer if len(longer) <= most else below
    return cut(operator_name(operator), most), below


def width_of(places: PlanLayout) -> int:
    """Return the width in pixels that a plan needs, so that no texts overlap."""
    return 60 + (COLUMN if places.columns == 1 else BESIDE * places.columns)


def heat(plan: QueryPlan, operator: Operator) -> str:
    """Return an operator's share of the time as text; empty if it is negligible."""
    share = plan.share(operator)
    return f"{share:.0%}" if share >= SEEN else ""


def lateness(plan: QueryPlan, operator: Operator) -> str:
    """Return the times of the longest and the median task, if the run waits for the longest."""
    if operator.tasks is None or not plan.skewed(operator):
        return ""
    median, longest = operator.tasks
    return f"▲ longest task {longest:.1f} s, median {median:.1f} s"


def shape(plan: QueryPlan) -> str:
    """Return the number of operators, and of each expensive kind, in words."""
    kinds = [operator.kind for operator in plan.operators.values()]
    costly: dict[Kind, str] = {"exchange": "exchange", "sort": "sort", "python": "Python step"}
    counts = [(len(kinds), "operator"), *((kinds.count(kind), costly[kind]) for kind in costly)]
    return ", ".join(counted(n, name) for n, name in counts if n)


def title(plan: QueryPlan) -> str:
    """Return the title of a plan."""
    return f"Query plan: {shape(plan)}"


def subtitle(plan: QueryPlan) -> str:
    """Return what the numbers mean, and how to read the picture."""
    shade = " The shade is a share of the time that Spark measures by operator."
    return f"{plan.note} Rows flow downwards.{shade if plan.seconds else ''}".strip()
