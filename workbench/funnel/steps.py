"""The steps of a funnel, names of events or conditions, as the columns that the workers take."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Union

from kernels.funnel.levels import MAX_STEPS
from workbench.arguments import check_text
from workbench.columnar.blocks import CONDITIONS, NAME
from workbench.errors import WorkbenchError
from workbench.spark.table import BoundTable, column
from workbench.spark.types import values_in_words
from workbench.spark.values import check_repeatable, value_types

if TYPE_CHECKING:
    from pyspark.sql import Column

Condition = Union[str, "Column"]


def check_steps(steps: Sequence[str] | Mapping[str, Condition], argument: str) -> None:
    """Refuse too few or too many steps, and steps that are neither text nor conditions.

    Parameters
    ----------
    steps : sequence of str, or dict of str to (str or Column)
    argument : str
        The name of the caller's argument, for error messages.

    Raises
    ------
    WorkbenchError
    """
    from pyspark.sql import Column

    if not 1 <= len(steps) <= MAX_STEPS:
        raise WorkbenchError(f"{argument}: there are {len(steps)}; give 1 to {MAX_STEPS} steps.")
    if wrong := [step for step in steps if not isinstance(step, str)]:
        raise WorkbenchError(
            f"{argument}: {wrong[0]!r} is not text; "
            "name events by text, and label conditions by text."
        )
    for step in steps:
        check_text(step, argument)
    for label, condition in steps.items() if isinstance(steps, Mapping) else ():
        if not isinstance(condition, str | Column):
            raise WorkbenchError(
                f"{argument}: the condition of {label!r} is {condition!r}; "
                "give SQL text or a Column."
            )
        check_text(condition, argument)


def event_name(events: BoundTable, event: str) -> "dict[str, Column]":
    """Return the event column as text, by the name that the workers use."""
    return {NAME: column(events, event, "event").cast("string")}


def bits_of(
    events: BoundTable,
    conditions: "Mapping[str, Condition]",
    argument: str = "steps",
    argument_of: Mapping[str, str] | None = None,
) -> "dict[str, Column]":
    """Return a column of bits: bit k is set when condition k is true.

    Parameters
    ----------
    events : BoundTable
    conditions : dict of str to (str or Column)
        SQL text or a Column by label; null counts as false.
    argument : str
        The name of the caller's argument, for error messages.
    argument_of : mapping of str to str, optional
        Another name for the conditions with these labels.

    Returns
    -------
    dict of str to Column

    Raises
    ------
    WorkbenchError
        When a condition does not fit the table, or is not true or false.
    """
    from pyspark.sql import functions as F

    arguments = dict.fromkeys(conditions, argument) | dict(argument_of or {})
    columns = [
        (
            f"{arguments[label]}: the condition of {label!r}",
            F.expr(condition) if isinstance(condition, str) else condition,
        )
        for label, condition in conditions.items()
    ]
    kinds = value_types(events.without_rows, columns)
    for (what, _), kind in zip(columns, kinds, strict=True):
        if kind.typeName() != "boolean":
            raise WorkbenchError(
                f"{what} gives {values_in_words(kind)}; write one that is true or false."
            )
    check_repeatable(events.without_rows, columns)
    bits = [
        F.when(is_true, F.lit(_signed(1 << k))).otherwise(F.lit(0))
        for k, (_, is_true) in enumerate(columns)
    ]
    return {CONDITIONS: reduce(lambda a, b: a.bitwiseOR(b), bits)}


def bits_of_names(
    events: BoundTable, event: str, steps: Sequence[Sequence[str]]
) -> "dict[str, Column]":
    """Return a column of bits: bit k is set when the event has a name of step k.

    Parameters
    ----------
    events : BoundTable
    event : str
        The column of event names.
    steps : sequence of sequence of str
        The names that each step looks for.

    Returns
    -------
    dict of str to Column
    """
    from pyspark.sql import functions as F

    name, bits = column(events, event, "event").cast("string"), F.lit(0)
    # A row has one event name, so at most one of these conditions is true.
    for step_name in reversed(dict.fromkeys(one for names in steps for one in names)):
        mask = sum(1 << k for k, names in enumerate(steps) if step_name in names)
        bits = F.when(name == step_name, F.lit(_signed(mask))).otherwise(bits)
    return {CONDITIONS: bits}


def _signed(bits: int) -> int:
    """Return 32 unsigned bits as a signed integer of Spark, whose highest bit is the sign."""
    return bits - (1 << 32) if bits >> 31 else bits
