"""``wb.play``: step through what a specification does to one key's rows."""

from functools import singledispatch
from typing import Any

from kernels import Kernel, trace
from workbench.backfill.backfill import Backfill
from workbench.backfill.inspect.one_query import keys_with_queries
from workbench.errors import WorkbenchError
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.one_key import a_key, rows_of_key
from workbench.widgets.lessons.backfill import backfill_lesson
from workbench.widgets.lessons.funnel import funnel_lesson
from workbench.widgets.lessons.tiling import TILING, tiling_lesson
from workbench.widgets.lessons.tree import TREES, tree_picture
from workbench.widgets.lessons.window import window_lesson
from workbench.widgets.stepper.player import Player
from workbench.widgets.stepper.trace_lesson import array_pictures, lesson_of
from workbench.windows.inspect.one_partition import MOST_STEPPED, partition_of
from workbench.windows.over import Over


def play(what: Any, *tables: Any, key: Any = None, column: str | None = None) -> Player:
    """Open the step player on the rows of one key.

    Parameters
    ----------
    what : Funnel, Over, Backfill or Kernel
        A specification, or any kernel.
    *tables
        The specification's tables, or the kernel's arguments.
    key : value, optional
        The key to step through; a tuple when the key has several columns. Without it, one that
        got as far as any in a funnel, the first partition of a window call, and the key with the
        most queries of a backfill.
    column : str, optional
        The result of a window call or a backfill to step through; without it, the first.

    Returns
    -------
    Player
        Steps in the browser; ``to_html(path)`` writes it as one page.

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
    if column is not None and not isinstance(what, Over | Backfill):
        raise WorkbenchError("column: it is for window calls and backfills; leave it out.")
    return _play(what, *tables, key=key, column=column)


@singledispatch
def _play(what: Any, *_tables: Any, **_options: Any) -> Player:
    raise WorkbenchError(
        f"what: a {type(what).__name__} cannot be stepped through; "
        "give a Funnel, an Over, a Backfill or a kernel."
    )


@_play.register
def _play_over(what: Over, *tables: Any, key: Any, column: str | None) -> Player:
    if len(tables) != 1:
        raise WorkbenchError(
            f"df: a window call is played on one table, and {len(tables)} are given."
        )
    return Player(window_lesson(partition_of(what, tables[0], key, MOST_STEPPED), column))


@_play.register
def _play_backfill(what: Backfill, *tables: Any, key: Any, column: str | None) -> Player:
    if len(tables) != 2:
        raise WorkbenchError(
            f"queries, events: a backfill is played on two tables, and {len(tables)} are given."
        )
    plan = what.bound(*tables)
    chosen = keys_with_queries(plan)[0][0] if key is None else key
    return Player(backfill_lesson(plan, chosen, column))


@_play.register
def _play_funnel(what: Funnel, *tables: Any, key: Any, **_options: Any) -> Player:
    if len(tables) != 1:
        raise WorkbenchError(
            f"events: a funnel is played on one table, and {len(tables)} are given."
        )
    what.integer_time(tables[0])
    chosen = a_key(what, tables[0]) if key is None else key
    rows = rows_of_key(what, tables[0], chosen)
    who = ", ".join(map(str, chosen)) if isinstance(chosen, tuple) else str(chosen)
    return Player(funnel_lesson(what, rows, who))


@_play.register
def _play_kernel(what: Kernel, *tables: Any, **_options: Any) -> Player:
    run = trace(what, *tables)
    if what.__name__ in TILING:
        return Player(tiling_lesson(run, what.__name__))
    lesson = lesson_of(run, what.__name__)
    pictures = [tree_picture(run)] if what.__name__ in TREES and run.steps else array_pictures(run)
    return Player({**lesson, "pictures": pictures})
