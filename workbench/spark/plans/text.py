"""A query's plan as data: the output of `explain`, parsed into operators and edges."""

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Literal

from pyspark.sql import DataFrame

Kind = Literal["scan", "exchange", "sort", "python", "other"]
Flow = Literal["data", "reuse", "subquery"]

# Nodes of a plan that organise its execution and do not change rows.
_WRAPPERS = re.compile(
    r"AdaptiveSparkPlan|\w*QueryStage|InputAdapter|WholeStageCodegen.*|InMemoryRelation"
)
_LINE = re.compile(r"^((?:[ :]  )*(?:[+:]- )?)(?:\* )?(\S.*?) +\((\d+)\)(?:,? .*)?$")
_BLOCK = re.compile(r"^((?:[ :]  )*(?:[+:]- )?)== (Final|Initial) Plan ==$")
_DETAIL = re.compile(r"^\((\d+)\) (.+?) *(?:\[codegen id : \d+\])?$")
_REUSE = re.compile(r" *\[Reuses operator id: (\d+)\]")
_SUBQUERY = re.compile(r"^Subquery:\d+ Hosting operator id = (\d+) Hosting Expression = (.*)$")
_ID = re.compile(r"#\d+L?|, \[id=#\d+\]|(Reused)?Subquery (?=subquery)")
_NOISE = re.compile(r", (ENSURE|REPARTITION|REBALANCE)\w*|, \[plan_id.*")


#: The smallest delay in seconds of the longest task that counts as skew.
LATE = 0.1


@dataclass(frozen=True)
class Operator:
    """One operator of a plan; rows, size, time and metrics are known only after a run.

    Attributes
    ----------
    seconds : float
        The time of this operator alone as Spark measures it, summed over all tasks.
    tasks : (float, float) or None
        The same for the median task and for the longest one.
    """

    id: int
    title: str
    name: str = ""
    detail: str = ""
    rows: int | None = None
    size: str = ""
    time: str = ""
    metrics: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    tasks: tuple[float, float] | None = None

    @property
    def kind(self) -> Kind:
        """What the operator costs: a scan, an exchange, a sort, or a trip to Python."""
        if re.search(r"Python|Pandas|InArrow|PySpark", self.name):
            return "python"
        if self.name.endswith("Exchange"):
            return "exchange"
        if self.name in ("Sort", "TakeOrderedAndProject"):
            return "sort"
        return "scan" if re.search(r"Scan|^Range", self.name) else "other"

    @property
    def summary(self) -> str:
        """The argument that distinguishes this operator from others of its name, without ids."""
        return _summary(self)


@dataclass(frozen=True)
class Edge:
    """Rows go from the operator `source` to the operator `target`."""

    source: int
    target: int
    flow: Flow = "data"


@dataclass(frozen=True)
class QueryPlan:
    """The operators of a query, the first being its result, and the edges between them.

    Attributes
    ----------
    note : str
        What the numbers are, or why there are none.
    seconds : float
        The wall-clock time of the run, 0 without one.
    """

    operators: dict[int, Operator]
    edges: tuple[Edge, ...]
    note: str = ""
    seconds: float = 0.0

    @property
    def result(self) -> Operator:
        return next(iter(self.operators.values()))

    def sources(self, target: int, *flows: Flow) -> list[int]:
        """The operators that `target` reads, from left to right."""
        wanted = flows or ("data",)
        return [e.source for e in self.edges if e.target == target and e.flow in wanted]

    def share(self, operator: Operator) -> float:
        """An operator's share of the time that Spark measures for all operators."""
        total = sum(one.seconds for one in self.operators.values())
        return operator.seconds / total if total else 0.0

    def skewed(self, operator: Operator) -> bool:
        """Whether a run waits for one task of an operator that takes at least twice the median."""
        median, longest = operator.tasks or (0.0, 0.0)
        return longest >= 2 * median and longest - median >= max(0.1 * self.seconds, LATE)


def explain(df: DataFrame) -> str:
    """Return the text of ``df.explain(mode="formatted")``, on classic Spark and Spark Connect."""
    with redirect_stdout(io.StringIO()) as printed:
        df.explain(mode="formatted")
    return printed.getvalue()


def read_plan(text: str) -> QueryPlan:
    """Parse the text of a formatted plan; of an adaptive plan that ran, its final form.

    Parameters
    ----------
    text
        The output of ``df.explain(mode="formatted")``.

    Returns
    -------
    QueryPlan
        Without the wrappers that do not change rows: query stages, code generation.

    Examples
    --------
    >>> plan = read_plan('''== Physical Plan ==
    ... * Filter (2)
    ... +- Range (1)
    ...
    ... (1) Range
    ... Output [1]: [id#0L]
    ...
    ... (2) Filter
    ... Condition : (id#0L > 3)
    ... ''')
    >>> [(operator.title, operator.summary) for operator in plan.operators.values()]
    [('Filter', '(id > 3)'), ('Range', 'id')]
    >>> plan.edges
    (Edge(source=1, target=2, flow='data'),)
    """
    details = _details(text)
    operators: dict[int, Operator] = {}
    edges: dict[Edge, None] = {}
    for host, section in _sections(text):
        for operator, edge in _tree(section, host):
            if operator.id not in operators:
                name, body = details.get(operator.id, (operator.title, ""))
                operators[operator.id] = Operator(operator.id, operator.title, name, body)
            if edge is not None:
                edges[edge] = None
    for id, operator in operators.items():
        if reused := _REUSE.search(operator.name):
            operators[id] = Operator(id, operator.title, "ReusedExchange", operator.detail)
            edges[Edge(int(reused[1]), id, "reuse")] = None
    known = (e for e in edges if e.source in operators and e.target in operators)
    return QueryPlan(operators, tuple(known))


def _sections(text: str) -> Iterator[tuple[int | None, list[str]]]:
    """Yield the lines of the main tree, then of each subquery with the operator that hosts it."""
    main, _, subqueries = text.partition("===== Subqueries =====")
    yield None, _first_paragraph(main.partition("== Physical Plan ==\n")[2])
    roots: dict[str, list[str]] = {}
    for part in re.split(r"^(?=Subquery:)", subqueries, flags=re.MULTILINE)[1:]:
        head, _, rest = part.partition("\n")
        subquery = _SUBQUERY.match(head)
        if subquery is None:
            continue
        identity = re.search(r"\w+#\d+", subquery[2])
        key = identity[0] if identity else head
        tree = _first_paragraph(rest)
        yield int(subquery[1]), tree or roots.get(key, [])
        roots.setdefault(key, tree)


def _first_paragraph(text: str) -> list[str]:
    return text.split("\n\n", 1)[0].strip("\n").splitlines()


def _tree(lines: list[str], host: int | None) -> Iterator[tuple[Operator, Edge | None]]:
    """Yield operators, each with the edge to its parent, which the indentation tells."""
    above: list[tuple[int, int | None]] = [(-1, host)]
    root, skipped = True, -1
    for line in lines:
        block, node = _BLOCK.match(line), _LINE.match(line)
        column = len((block or node or [line, ""])[1])
        if 0 <= skipped <= column:
            continue
        skipped = column if block and block[2] == "Initial" else -1
        if node is None:
            continue
        while above[-1][0] >= column:
            above.pop()
        parent, id, title = above[-1][1], int(node[3]), node[2]
        if _WRAPPERS.fullmatch(title):
            above.append((column, parent))
            continue
        flow: Flow = "subquery" if root and host is not None else "data"
        yield Operator(id, title), None if parent is None else Edge(id, parent, flow)
        above.append((column, id))
        root = False


def _details(text: str) -> dict[int, tuple[str, str]]:
    """Return the name and full text of each operator by its number."""
    details = {}
    for paragraph in text.split("\n\n"):
        lines = paragraph.strip("\n").splitlines()
        head = _DETAIL.match(lines[0]) if lines else None
        if head is not None:
            details[int(head[1])] = (head[2].strip(), "\n".join(lines[1:]))
    return details


def _summary(operator: Operator) -> str:
    fields: list[tuple[str, str]] = re.findall(
        r"^([A-Z][\w ]*?)(?: \[\d+\])? *: (.*)$", operator.detail, re.M
    )
    parts = {name: _ID.sub("", value) for name, value in fields}
    listed = {name: value.strip("[]") for name, value in parts.items()}
    arguments = _NOISE.sub("", parts.get("Arguments", ""))
    if operator.name == "ReusedExchange":
        return "the same rows again"
    if operator.name == "Sort":
        keys = arguments.partition("]")[0].strip("[")
        return keys.replace(" ASC NULLS FIRST", "").replace(" DESC NULLS LAST", " desc")
    if operator.kind == "python":
        return "function " + arguments.partition("(")[0].strip("[")
    if "Location" in parts:
        return parts["Location"].rstrip("]").rpartition("/")[2]
    if operator.name.startswith("InMemory"):
        return f"cached: {listed.get('Output', '')}"
    if "Functions" in parts:
        by = f" by {listed['Keys']}" if listed.get("Keys") else ""
        return (listed["Functions"] + by).strip()
    if "Left keys" in parts:
        return f"{listed['Left keys']} = {listed['Right keys']}"
    # Some operators have only a list of columns, in brackets.
    arguments = re.sub(r"^\[([^\[\]]*)\]$", r"\1", arguments)
    return parts.get("Condition") or arguments or listed.get("Output", "")
