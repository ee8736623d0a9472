"""Describe the operators of a plan: our steps by their names, Spark's operators by theirs."""

import re

from workbench.spark.plans.text import Operator, QueryPlan
from workbench.spark.steps import STEPS

#: Names of exchanges, by the beginning of their arguments.
_EXCHANGES = {
    "shufflepartitionidpassthrough": "shuffle by key",
    "hashpartitioning": "shuffle by key",
    "rangepartitioning": "shuffle by range",
    "RoundRobinPartitioning": "spread evenly",
    "SinglePartition": "gather in one task",
}
PARTITIONED = "find the partition of each key"
#: Names of our projections, by a pattern of the column that they make.
_PROJECTIONS = {
    r"AS __partition__": PARTITIONED,
    r"monotonically_increasing_id\(\) AS __made__": "number the bundles",
    r"Output \[1\]: \[__bundle__#\d+\] ": "keep the bundles",
}
#: Descriptions of Spark's operators, by a pattern of their names.
_DESCRIPTIONS = {
    r"^LocalTableScan|^Scan ExistingRDD arrow": "Rows that the driver holds: a table that was "
    "created here, or an answer of the driver's process.",
    r"Scan|^Range$": "Reads the table: where possible, only the columns and rows that are needed.",
    r"^BroadcastExchange": "Sends all rows to every task, through the driver.",
    r"^ReusedExchange": "Uses the rows of another exchange again, at no cost.",
    r"Exchange$": "Rows move between tasks: each task writes its rows to disk by partition, and "
    "the tasks of the next stage fetch theirs, over the network if there are several machines.",
    r"^Sort$": "Sorts the rows of each task.",
    r"^TakeOrdered": "Keeps the first rows of each task in order, then the first of all.",
    r"^Filter": "Keeps the rows that fulfil a condition.",
    r"^Project": "Computes columns, and drops those that are not needed.",
    r"^ColumnarToRow": "Turns batches of columns into rows.",
    r"Aggregate$": "Groups rows and aggregates them.",
    r"Join": "Joins the rows of two tables.",
    r"^Window": "Computes window functions in the JVM, one partition after the other.",
    r"^Union": "Appends the rows of several tables.",
    r"^AQEShuffleRead": "Reads what was shuffled; one task reads several small partitions.",
    r"^Sample": "Draws a sample of the rows.",
    r"InArrow|InPandas|Python|PySpark": "Rows leave the JVM, go through a Python function, and "
    "come back.",
}


def operator_name(operator: Operator) -> str:
    """Return the displayed name of an operator; a step of ours is named by what it does.

    Parameters
    ----------
    operator : Operator

    Returns
    -------
    str

    Examples
    --------
    >>> arguments = "Arguments: funnel kernel(x#1)#2, [y#3]"
    >>> operator_name(Operator(1, "MapInArrow", "MapInArrow", arguments))
    'Funnel kernel'
    >>> operator_name(Operator(1, "Exchange", "Exchange", "Arguments: SinglePartition, ENSURE"))
    'Gather in one task'
    """
    name = workbench_step(operator) or _purpose(operator) or operator.title
    return name[:1].upper() + name[1:]


def _purpose(operator: Operator) -> str | None:
    """Return the purpose of an exchange or a projection, or None if it is unknown."""
    text = _flat(operator)
    if operator.name == "Exchange":
        return next(
            (words for how, words in _EXCHANGES.items() if f"Arguments: {how}" in text), None
        )
    if operator.name != "Project":
        return None
    return next((words for sign, words in _PROJECTIONS.items() if re.search(sign, text)), None)


def workbench_step(operator: Operator) -> str | None:
    """Return the name of our step that an operator runs, or None for an operator of Spark's."""
    match = re.match(r".*?Arguments: ([^(]+)\(", _flat(operator))
    return match[1] if match and operator.kind == "python" and match[1] in STEPS else None


def operator_description(operator: Operator) -> str:
    """Return a description of an operator in one or two sentences; empty if there is none.

    Examples
    --------
    >>> operator_description(Operator(1, "Sort", "Sort"))
    'Sorts the rows of each task.'
    """
    if step := workbench_step(operator):
        return STEPS[step]
    return next(
        (words for pattern, words in _DESCRIPTIONS.items() if re.search(pattern, operator.name)), ""
    )


def operator_caption(operator: Operator) -> str:
    """Return a short caption that distinguishes an operator from others of the same name.

    Examples
    --------
    >>> exchange = "Arguments: shufflepartitionidpassthrough(f(__partition__#1), 4), REPARTITION"
    >>> operator_caption(Operator(1, "Exchange", "Exchange", exchange))
    'to 4 partitions'
    >>> operator_caption(Operator(1, "Sample", "Sample", "Arguments: 0.0, 0.03125, false, 0"))
    'about 3.1% of the rows'
    """
    if workbench_step(operator):
        return operator.title
    text = _flat(operator)
    if operator.name == "Exchange" and (count := re.search(r"\), (\d+)\), [A-Z_]+", text)):
        return f"to {count[1]} partitions"
    if operator.name == "Sample" and (ends := re.search(r"([\d.]+), ([\d.]+), \w+, \d+", text)):
        return f"about {100 * (float(ends[2]) - float(ends[1])):.2g}% of the rows"
    if operator.name == "Project" and _purpose(operator) == PARTITIONED:
        return ", ".join(dict.fromkeys(re.findall(r"(\w+)#\d+L? AS \w+#", text)))
    return "" if operator.summary == "__bundle__" else operator.summary


def costliest(plan: QueryPlan) -> Operator:
    """Return the operator with the largest share of the time; among equals, Python steps first.

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
