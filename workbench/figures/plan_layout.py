"""Where the operators of a plan stand, and what is written beside them."""

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
#: In pixels. Beside each other columns are narrower, and their lines shorter.
COLUMN, BESIDE, ROW = 350, 250, 70
#: How far right of its mark, in columns, an operator reaches.
RIGHT = 0.9
#: The least share of the time that is written.
SEEN = 0.005
BEND = 0.31  # of a row: where a line turns, clear of all writing
_WIDEST, _WIDEST_BESIDE = 46, 31


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


def caption(operator: Operator, columns: int = 1) -> tuple[str, str]:
    """Two lines for a person: what it does, and what it cost and works on."""
    most = _WIDEST if columns == 1 else _WIDEST_BESIDE
    below = ""
    # What it works on stands in the panel, too: it is left out rather than cut behind a number.
    for part in filter(None, (operator.size, operator.time, operator_caption(operator))):
        longer = f"{below} · {part}" if below else cut(part, most)
        below = longer if len(longer) <= most else below
    return cut(operator_name(operator), most), below


def width_of(places: PlanLayout) -> int:
    """How many pixels a plan needs, so that nothing is written over anything else."""
    return 60 + (COLUMN if places.columns == 1 else BESIDE * places.columns)


def heat(plan: QueryPlan, operator: Operator) -> str:
    """An operator's share of the time, where it is one."""
    share = plan.share(operator)
    return f"{100 * share:.0f} %" if share >= SEEN else ""


def lateness(plan: QueryPlan, operator: Operator) -> str:
    """By how much the longest task outlasts the median one, where the run waits for it."""
    if operator.tasks is None or not plan.skewed(operator):
        return ""
    median, longest = operator.tasks
    return f"▲ longest task {longest:.1f} s, median {median:.1f} s"


def shape(plan: QueryPlan) -> str:
    """How many operators there are, and how many of the dear kinds."""
    kinds = [operator.kind for operator in plan.operators.values()]
    dear: dict[Kind, str] = {"exchange": "exchange", "sort": "sort", "python": "Python step"}
    counts = [(len(kinds), "operator"), *((kinds.count(kind), dear[kind]) for kind in dear)]
    return ", ".join(counted(n, name) for n, name in counts if n)


def title(plan: QueryPlan) -> str:
    """What stands above a plan."""
    return f"Query plan: {shape(plan)}"


def subtitle(plan: QueryPlan) -> str:
    """What the numbers are, and how to read the picture."""
    shade = " The shade is a share of the time that Spark measures by operator."
    return f"{plan.note} Rows flow downwards.{shade if plan.seconds else ''}".strip()
