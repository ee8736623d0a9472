"""The columns of a funnel's events and of its results."""

from workbench.errors import WorkbenchError
from workbench.functions.catalogue import COLLATED
from workbench.spark.table import BoundTable, check_column, type_of
from workbench.spark.types import NESTED, values_in_words

#: The columns of a funnel's results in addition to the key.
RESULTS = ("level", "reached", "since_first", "next_event", "next_time")


def check_event(events: BoundTable, name: str) -> None:
    """Refuse a column of event names that is missing, holds no names, or has a collation.

    Raises
    ------
    WorkbenchError
    """
    check_column(events, name, "event")
    kind, text = type_of(events, name).typeName(), type_of(events, name).simpleString()
    if kind in (*NESTED, "binary"):
        raise WorkbenchError(
            f"event: column {name!r} holds {values_in_words(kind)}, which are no names of events; "
            "name a plain column, or give conditions by label."
        )
    if COLLATED in text:
        raise WorkbenchError(
            f"event: column {name!r} holds {text}, but names of events are told apart by their "
            "bytes; cast it to string, or give the steps as conditions."
        )
