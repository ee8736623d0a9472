"""``wb.play``: step through what a specification does to one key's rows."""

from copy import deepcopy
from functools import singledispatch
from typing import Any

from kernels import Kernel, Trace, trace
from workbench.backfill.backfill import Backfill
from workbench.backfill.inspect.one_query import keys_with_queries
from workbench.errors import WorkbenchError, kind_in_words
from workbench.funnel import Retention
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.one_key import a_key, rows_of_key
from workbench.funnel.prepared import Prepared
from workbench.queries.query import Query
from workbench.spark.sources.given import table
from workbench.widgets.lessons.backfill import backfill_maker
from workbench.widgets.lessons.cells_timeline import joined_cells
from workbench.widgets.lessons.edited import LessonMaker, make_both, open_player
from workbench.widgets.lessons.funnel import funnel_maker
from workbench.widgets.lessons.retention import retention_lesson
from workbench.widgets.lessons.tiling import TILING, tiling_lesson
from workbench.widgets.lessons.tree import TREES, tree_picture
from workbench.widgets.lessons.window import window_maker
from workbench.widgets.stepper.lesson import Lesson
from workbench.widgets.stepper.player import Player
from workbench.widgets.stepper.trace_lesson import array_pictures, lesson_of
from workbench.windows.inspect.one_partition import MOST_STEPPED, check_result, partition_of
from workbench.windows.over import Over


def play(
    what: Any, *tables: Any, key: Any = None, column: str | None = None, beside: Any = None
) -> Player:
    """Open the step player on the rows of one key.

    Parameters
    ----------
    what : Funnel, Over, Backfill, Retention, Query or Kernel
        A specification, what :func:`workbench.retention` returned, a :func:`workbench.query` that
        has one window call or funnel, or any kernel.
    *tables
        The specification's tables, or the kernel's arguments; a query has its own.
    key : value, optional
        The key to step through; a tuple when the key has several columns. Without it, one that
        got as far as any in a funnel, the first partition of a window call, and the key with the
        most queries of a backfill.
    column : str, optional
        The result column of a window call or a backfill to step through, also of ``beside``; by
        default the first.
    beside : Funnel, Over, Backfill, Retention or Kernel, optional
        Another one of the same type, on the same input: the two are shown side by side, aligned by
        what they look at. This compares a funnel with another mode, or a kernel with another.

    Returns
    -------
    Player
        Steps in the browser; ``to_html(path)`` writes it as one page. With ``mode = "predict"`` it
        asks before each step what will happen; with ``mode = "edit"`` the input can be changed,
        and the kernel's new run is shown. The arguments of a kernel are changed in Python: only
        the caller knows which of its arrays are input, and how their lengths relate.

    Raises
    ------
    WorkbenchError
        When there is nothing to step through, or no row with this key.

    Examples
    --------
    >>> import numpy as np
    >>> from kernels import registry
    >>> play(registry["insertion_sort"], np.array([2, 1]), np.array([1, 1], np.uint32))
    Player('insertion_sort', step 1 of 2: The entry at 1 looks for its place.)
    """
    if isinstance(what, Query):
        if tables:
            raise WorkbenchError("what: a query has its tables already; give it alone.")
        what, df = what.one()
        tables = (df,)
    if column is not None and not isinstance(what, Over | Backfill):
        raise WorkbenchError("column: it is for window calls and backfills; leave it out.")
    if beside is not None and not isinstance(beside, type(what)):
        raise WorkbenchError(
            f"beside: it is {kind_in_words(beside)}; give {kind_in_words(what)}, like the first "
            "argument."
        )
    # Kernels write into their arguments: the one beside starts from a copy.
    copies = deepcopy(tables) if isinstance(beside, Kernel) else tables
    make, chosen_key = _play(what, *tables, key=key, column=column)
    if beside is None:
        return open_player(make)
    other, _ = _play(beside, *copies, key=chosen_key, column=column)
    return open_player(make_both(make, other))


def _given(lesson: Lesson) -> LessonMaker:
    """Return a maker of a lesson whose input cannot be edited."""
    return lambda _rows: lesson


@singledispatch
def _play(what: Any, *_tables: Any, **_options: Any) -> tuple[LessonMaker, Any]:
    """Return the maker of the lesson, and the key that it is about."""
    raise WorkbenchError(
        f"what: {kind_in_words(what)} cannot be stepped through; "
        "give a Funnel, an Over, a Backfill, a Retention, a wb.query or a kernel."
    )


@_play.register
def _play_over(what: Over, *tables: Any, key: Any, column: str | None) -> tuple[LessonMaker, Any]:
    if len(tables) != 1:
        raise WorkbenchError(
            f"df: a window call is played on one table, and {len(tables)} are given."
        )
    check_result(what, column)
    partition = partition_of(what, table(tables[0], "df"), key, MOST_STEPPED)
    return window_maker(partition, column), partition.key


@_play.register
def _play_backfill(
    what: Backfill, *tables: Any, key: Any, column: str | None
) -> tuple[LessonMaker, Any]:
    if len(tables) != 2:
        raise WorkbenchError(
            f"queries, events: a backfill is played on two tables, and {len(tables)} are given."
        )
    plan = what.bound(*tables)
    chosen = keys_with_queries(plan)[0][0] if key is None else key
    return backfill_maker(plan, chosen, column), chosen


@_play.register
def _play_funnel(what: Funnel, *tables: Any, key: Any, **_options: Any) -> tuple[LessonMaker, Any]:
    if len(tables) != 1:
        raise WorkbenchError(
            f"events: a funnel is played on one table, and {len(tables)} are given."
        )
    if what.counting.number is not None:
        raise WorkbenchError(
            f"what: a key has several {what.counting.count}, and one scan is stepped through; "
            'give the funnel with count="users".'
        )
    events = tables[0] if isinstance(tables[0], Prepared) else table(tables[0])
    what.integer_time(events)
    chosen = a_key(what, events) if key is None else key
    rows = rows_of_key(what, events, chosen)
    who = ", ".join(map(str, chosen)) if isinstance(chosen, tuple) else str(chosen)
    return funnel_maker(what, rows, who), chosen


@_play.register
def _play_retention(
    what: Retention, *tables: Any, key: Any, **_options: Any
) -> tuple[LessonMaker, Any]:
    if tables:
        raise WorkbenchError("what: a retention has its events already; give it alone.")
    lesson, chosen = retention_lesson(what, key)
    return _given(lesson), chosen


@_play.register
def _play_kernel(what: Kernel, *tables: Any, **_options: Any) -> tuple[LessonMaker, Any]:
    run = trace(what, *tables)
    if what.__name__ in TILING:
        return _given(tiling_lesson(run, what.__name__)), None
    lesson = lesson_of(run, what.__name__)
    return _given({**lesson, "pictures": _pictures(run, what.__name__)}), None


def _pictures(run: Trace, name: str) -> list[Lesson]:
    """Return the pictures of a known kernel, or else those of its arrays."""
    if name in TREES and run.steps:
        return [tree_picture(run)]
    return joined_cells(run) if name == "join_windows" else array_pictures(run)
