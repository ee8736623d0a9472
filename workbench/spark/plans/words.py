"""What an operator of a plan does, in words: ours by the names of our steps, Spark's by its own."""

import re

from workbench.spark.plans.text import Operator, QueryPlan
from workbench.spark.steps import STEPS

#: What Spark's exchanges do, by how they begin.
_EXCHANGES = {
    "shufflepartitionidpassthrough": "shuffle by key",
    "hashpartitioning": "shuffle by key",
    "rangepartitioning": "shuffle by range",
    "RoundRobinPartitioning": "spread evenly",
    "SinglePartition": "gather in one task",
}
PARTITIONED = "find the partition of each key"
#: What our projections prepare, by the column that they make.
_MADE = {
    r"AS __partition__": PARTITIONED,
    r"monotonically_increasing_id\(\) AS __made__": "number the bundles",
    r"Output \[1\]: \[__bundle__#\d+\] ": "keep the bundles",
}
#: What Spark's operators do, by their names.
_SPARK = {
    r"^LocalTableScan|^Scan ExistingRDD arrow": "Rows that the driver holds: a table that was "
    "made here, or what its process has answered of one.",
    r"Scan|^Range$": "Reads the table, where it can only the columns and rows that are needed.",
    r"^BroadcastExchange": "Sends all rows to every task, through the driver.",
    r"^ReusedExchange": "Takes the rows of another exchange again, at no cost.",
    r"Exchange$": "Rows move between tasks: each writes its rows by their partition to disk, and "
    "the tasks behind fetch theirs, over the network where there are several machines.",
    r"^Sort$": "Puts the rows of each task in order.",
    r"^TakeOrdered": "Keeps the first rows in order of each task, then of all.",
    r"^Filter": "Keeps the rows that fulfil a condition.",
    r"^Project": "Computes columns, and drops those that nobody needs.",
    r"^ColumnarToRow": "Turns batches of columns into rows.",
    r"Aggregate$": "Groups rows, and adds them up.",
    r"Join": "Brings rows of two tables together.",
    r"^Window": "Answers window functions, a partition after the other, in the JVM.",
    r"^Union": "Puts the rows of several tables one behind the other.",
    r"^AQEShuffleRead": "Reads what was shuffled; small partitions go to one task together.",
    r"^Sample": "Draws a part of the rows.",
    r"InArrow|InPandas|Python|PySpark": "Rows leave the JVM, go through a Python function, and "
    "come back.",
}


def named(operator: Operator) -> str:
    """Return what an operator is called: a step of ours by what it does.

    Parameters
    ----------
    operator : Operator

    Returns
    -------
    str

    Examples
    --------
    >>> named(Operator(1, "MapInArrow", "MapInArrow", "Arguments: funnel kernel(x#1)#2, [y#3]"))
    'Funnel kernel'
    >>> named(Operator(1, "Exchange", "Exchange", "Arguments: SinglePartition, ENSURE"))
    'Gather in one task'
    """
    found = own_step(operator) or _prepared(operator) or operator.title
    return found[:1].upper() + found[1:]


def _prepared(operator: Operator) -> str | None:
    """What an exchange or a projection is for, where that can be told."""
    text = _flat(operator)
    if operator.name == "Exchange":
        return next(
            (words for how, words in _EXCHANGES.items() if f"Arguments: {how}" in text), None
        )
    if operator.name != "Project":
        return None
    return next((words for sign, words in _MADE.items() if re.search(sign, text)), None)


def own_step(operator: Operator) -> str | None:
    """Return the name of the step of ours that an operator runs; None for one of Spark's."""
    found = re.match(r".*?Arguments: ([^(]+)\(", _flat(operator))
    return found[1] if found and operator.kind == "python" and found[1] in STEPS else None


def explained(operator: Operator) -> str:
    """Return one sentence or two about what an operator does; none where nothing is known.

    Examples
    --------
    >>> explained(Operator(1, "Sort", "Sort"))
    'Puts the rows of each task in order.'
    """
    if own := own_step(operator):
        return STEPS[own]
    return next((words for sign, words in _SPARK.items() if re.search(sign, operator.name)), "")


def about(operator: Operator) -> str:
    """Return what tells an operator from others of its name, in the few words of a caption.

    Examples
    --------
    >>> exchange = "Arguments: shufflepartitionidpassthrough(f(__partition__#1), 4), REPARTITION"
    >>> about(Operator(1, "Exchange", "Exchange", exchange))
    'to 4 partitions'
    >>> about(Operator(1, "Sample", "Sample", "Arguments: 0.0, 0.03125, false, 0"))
    'about 3.1 % of the rows'
    """
    if own_step(operator):
        return operator.title
    text = _flat(operator)
    if operator.name == "Exchange" and (count := re.search(r"\), (\d+)\), [A-Z_]+", text)):
        return f"to {count[1]} partitions"
    if operator.name == "Sample" and (ends := re.search(r"([\d.]+), ([\d.]+), \w+, \d+", text)):
        return f"about {100 * (float(ends[2]) - float(ends[1])):.2g} % of the rows"
    if operator.name == "Project" and _prepared(operator) == PARTITIONED:
        return ", ".join(dict.fromkeys(re.findall(r"(\w+)#\d+L? AS \w+#", text)))
    return "" if operator.summary == "__bundle__" else operator.summary


def dearest(plan: QueryPlan) -> Operator:
    """Return the operator to look at first: of the largest share of the time, or a step of ours.

    Parameters
    ----------
    plan : QueryPlan

    Returns
    -------
    Operator
    """
    rank = {"python": 3, "exchange": 2, "sort": 1}
    return max(plan.operators.values(), key=lambda one: (plan.share(one), rank.get(one.kind, 0)))


def _flat(operator: Operator) -> str:
    return operator.detail.replace("\n", " ")
