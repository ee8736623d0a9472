"""Paths: what people did between two steps, after one, or before one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from workbench.arguments import check_truth, whole_number
from workbench.described import Described, frame_table, name_shown, noun
from workbench.errors import WorkbenchError
from workbench.funnel.behaviour.named_events import (
    bind_named,
    named_figures,
    named_people,
    named_task_of,
)
from workbench.funnel.behaviour.plan import BehaviourPlan
from workbench.funnel.bind import unit_of
from workbench.funnel.prepared import Prepared
from workbench.funnel.rules import step_number
from workbench.funnel.spec import FunnelSpec
from workbench.funnel.summary import warn_of_skipped
from workbench.funnel.worker.paths import MOST_PATHS, PathsTask, sum_paths
from workbench.markup import Markup
from workbench.spark.jobs import in_one_sentence
from workbench.spark.table import BoundTable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

    from workbench.spark.sources.given import TableLike

LONGEST = 10
_PATHS = BehaviourPlan(
    "paths",
    sum_paths,
    "path array<string>, cut boolean, users long, different long, everybody long",
)


class Paths(Described):
    """What people did around a step; :meth:`workbench.Funnel.paths` makes it.

    Attributes
    ----------
    table : pandas.DataFrame
        The most frequent paths: ``path`` (a tuple of names, empty if nothing happened), ``more``
        (whether it is cut, because it goes on or began earlier), ``users``, and ``share`` of all.
    users : int
        The total number of people.
    others, different : int
        How many of them took a path that is not in ``table``, and how many distinct paths exist.
    after, before : str or None
        The steps.
    skipped : int
        How many rows were left out because their key or time is null.
    unit : str
        The plural noun for what is counted.
    kept : pandas.DataFrame
        As ``table``, with up to 1,000 paths: the data of the figure.
    """

    def __init__(
        self, funnel: FunnelSpec, events: BoundTable | Prepared, task: PathsTask,
        rows: "Sequence[Row | dict[str, Any]]", skipped: int, most: int,
    ) -> None:  # fmt: skip
        self._funnel, self._events, self._task = funnel, events, task
        self.after, self.before = (
            None if k is None else funnel.labels[k] for k in (task.after, task.before)
        )
        self.users = int(rows[0]["everybody"]) if rows else 0
        self.different = int(rows[0]["different"]) if rows else 0
        self.kept = _table(rows, self.users, task.backwards)
        self.table = self.kept.head(most).reset_index(drop=True)
        self.others = self.users - int(self.table["users"].sum())
        self.skipped, self.unit = skipped, unit_of(funnel, events)

    def __repr__(self) -> str:
        whose = f"{self.users:,} {noun(self.users, self.unit)}"
        return f"<paths {self._where()}: {self.different:,} of {whose}>"

    def _where(self) -> str:
        parts = [("after", self.after), ("before", self.before)]
        return " and ".join(
            f"{word} {name_shown(step)}" for word, step in parts if step is not None
        )

    def _described(self) -> Markup:
        others = f"; {self.others:,} {noun(self.others, 'others')}" if self.others else ""
        title = f"Paths {self._where()}{others}"
        formats = {"path": path_shown, "share": "{:.1%}".format}
        return frame_table(title, self.table, heads={"users": self.unit}, shown=formats)

    def people(self, path: Sequence[str] | None = None, more: bool | None = None) -> "DataFrame":
        """Return the keys that took a path, or all keys with the path that they took.

        Parameters
        ----------
        path : sequence of str, optional
            The names of its events, as in :attr:`table`; empty for those who did nothing. Without
            it everybody is returned, to be filtered by their paths.
        more : bool, optional
            Whether the path is cut. It may be omitted if :attr:`kept` has the path only cut, or
            only whole.

        Returns
        -------
        pyspark.sql.DataFrame
            The key's columns, as :meth:`workbench.Funnel.levels` has them; without ``path``, also
            ``path`` (an array of names) and ``more``. Nothing runs until it is used.

        Raises
        ------
        WorkbenchError
            When this is no path, or when a cut path and a whole one have the same events.

        Examples
        --------
        >>> import workbench as wb
        >>> spark = wb.session()
        >>> rows = [(1, 0, "a"), (1, 1, "help"), (1, 2, "b"), (2, 0, "a"), (2, 3, "b")]
        >>> events = spark.createDataFrame(rows, "user_id int, timestamp int, event string")
        >>> found = wb.Funnel(["a", "b"], 9).paths(events, after="a", before="b")
        >>> found.people(["help"]).toPandas()["user_id"].tolist()
        [1]
        >>> found.people().where("size(path) = 0").toPandas()["user_id"].tolist()
        [2]
        """
        if path is None:
            return self._everybody()
        names = _checked_path(path, self._task.longest)
        if more is None:
            known = self.kept.loc[self.kept["path"] == names, "more"].tolist()
            if len(known) > 1:
                raise WorkbenchError(
                    f"more: some whose path is {' → '.join(names)} went on, and some did not; "
                    "give True or False."
                )
            more = bool(known and known[0])
        task = replace(self._task, wanted=(names, check_truth(more, "more")))
        return named_people(self._funnel, self._events, _PATHS, task)

    def _everybody(self) -> "DataFrame":
        from pyspark.sql import types as T

        path_fields = [T.StructField("path", T.ArrayType(T.StringType())),
                 T.StructField("more", T.BooleanType())]  # fmt: skip
        task = replace(self._task, with_paths=True)
        return named_people(self._funnel, self._events, _PATHS, task, more=path_fields)


def path_shown(path: Sequence[str]) -> str:
    """Return the events of a path as text.

    Examples
    --------
    >>> path_shown(["help", ""]), path_shown([])
    ('help → (empty)', 'nothing')
    """
    return " → ".join(map(name_shown, path)) or "nothing"


def paths_of(
    funnel: FunnelSpec, events: "TableLike | Prepared", after: Any, before: Any, dropped: Any,
    longest: Any, most: Any,
) -> Paths:  # fmt: skip
    """Return what people did around a step; see :meth:`workbench.Funnel.paths`."""
    dropped = check_truth(dropped, "dropped")
    first, last = _checked_steps(funnel, after, before, dropped)
    for name, value, limit in (("longest", longest, LONGEST), ("most", most, MOST_PATHS)):
        if whole_number(value) not in range(1, limit + 1):
            what = "events" if name == "longest" else "paths"
            raise WorkbenchError(f"{name}: {value!r} is not possible; give 1 to {limit:,} {what}.")
    bound = bind_named(funnel, events)
    task = PathsTask(named_task_of(funnel, bound), first, last, dropped, int(longest))
    with in_one_sentence():
        rows, skipped = named_figures(funnel, bound, _PATHS, task)
    warn_of_skipped(funnel, skipped)
    return Paths(funnel, bound, task, rows, skipped, int(most))


def _table(
    paths: "Iterable[Row | dict[str, Any]]", everybody: int, backwards: bool
) -> pd.DataFrame:
    direction = slice(None, None, -1 if backwards else 1)
    rows = [(tuple(row["path"])[direction], row["cut"], row["users"]) for row in paths]
    table = pd.DataFrame(rows, columns=["path", "more", "users"])
    table = table.astype({"more": bool, "users": np.int64})
    return table.assign(share=table["users"] / max(everybody, 1))


def _checked_steps(
    funnel: FunnelSpec, after: Any, before: Any, dropped: Any
) -> tuple[int | None, int | None]:
    if after is None and before is None:
        raise WorkbenchError(
            "after: no step is named; say after which step, or before= which, or both."
        )
    if funnel.rules.order == "any":
        raise WorkbenchError(
            "after: steps in any order do not follow each other; ask a funnel of another order."
        )
    first = None if after is None else step_number(after, funnel.labels, "after")
    last = None if before is None else step_number(before, funnel.labels, "before")
    if first is not None and last is not None and first >= last:
        raise WorkbenchError(
            f"before: {funnel.labels[last]!r} does not come after {funnel.labels[first]!r}; "
            "name a later step."
        )
    if dropped and (first is None or last is not None):
        raise WorkbenchError(
            "dropped: it is for those who took no step after one; give after= alone, or leave "
            "it out."
        )
    return first, last


def _checked_path(path: Any, longest: int) -> tuple[str, ...]:
    named = isinstance(path, Sequence) and not isinstance(path, str)
    if not named or not all(isinstance(name, str) for name in path) or len(path) > longest:
        raise WorkbenchError(
            f"path: {path!r} is not a path; give the names of its events in a list, "
            f"{longest} at most."
        )
    return tuple(path)
