"""The data structures of a window kernel, as cells, in each step: pictures for each kernel."""

from collections.abc import Callable
from typing import Any

from kernels import Step, Trace
from workbench.engine.block import Call, Window
from workbench.widgets.stepper.lesson import Lesson
from workbench.windows.inspect.one_partition import Partition, value_text

Cells = tuple[list[Any], int | None]


class _Values:
    """The texts of the values that count, by their position and by their number or rank."""

    def __init__(self, partition: Partition, window: Window, call: Call) -> None:
        frames = window.frames(call, call.without_null)
        values = partition.values(call) or [str(row) for row in range(partition.rows)]
        rows = range(partition.rows) if frames.row is None else frames.row.tolist()
        self.at = [values[row] for row in rows]

    def by(self, number: list[int]) -> list[str]:
        """Return the values by their number."""
        by_number = dict(zip(number, self.at, strict=False))
        return [by_number.get(one, "") for one in range(len(set(number)))]


Draw = Callable[[Step, _Values], Cells]


def structures(run: Trace, partition: Partition, window: Window, call: Call) -> list[Lesson]:
    """Return the pictures of the kernel's data structures; empty if it has none.

    Parameters
    ----------
    run : kernels.Trace
    partition : Partition
    window : Window
    call : Call

    Returns
    -------
    list of dict
        Pictures of kind ``cells``.
    """
    name = run.steps[-1].kernel if run.steps else ""
    values = _Values(partition, window, call)
    pictures = STRUCTURES.get(name, ())
    return [_cells(run, name, values, *one) for one in pictures]


def _cells(
    run: Trace, name: str, values: _Values, title: str, labels: "Labels", draw: Draw
) -> Lesson:
    states: list[dict[str, Any] | None] = []
    before: list[Any] = []
    for step in run.steps:
        cells, current = draw(step, values) if step.kernel == name else (before, None)
        pairs = enumerate(zip(before, cells, strict=False)) if len(before) == len(cells) else ()
        changed = [k for k, (was, now) in pairs if was != now]
        states.append({"cells": cells, "changed": changed, "current": current})
        before = cells
    return {"kind": "cells", "title": title, "labels": labels(run, values), "states": states}


def _sorted_values(step: Step, values: _Values) -> Cells:
    """Return the sorted values that are in the frame, and the finger that moved last."""
    variables, order = step.variables, step.variables["order"]
    taken = [bool(variables["words"][rank >> 5] >> (rank & 31) & 1) for rank in range(len(order))]
    cells = [
        values.at[row] if is_taken else None for row, is_taken in zip(order, taken, strict=True)
    ]
    moved = "finger for" in step.caption
    return cells, variables["finger"][variables["k"]] if moved and variables.get("size") else None


def _ranked(step: Step, values: _Values) -> Cells:
    variables, rank = step.variables, step.variables["rank"]
    row_of = {at: row for row, at in enumerate(rank)}
    cells: list[Any] = [None] * len(rank)
    for at in range(len(rank)):
        if variables["words"][at >> 5] >> (at & 31) & 1:
            cells[at] = values.at[row_of[at]]
    return cells, variables["finger"][0] if "median" in variables else None


def _counts(step: Step, values: _Values) -> Cells:
    variables = step.variables
    distinct = len(set(variables["number"][: len(values.at)]))
    best = variables.get("best") if "wins" in step.caption else None
    return [count or None for count in variables["count"][:distinct]], best


def _ranks_of_rows(step: Step, values: _Values) -> Cells:
    """Return the rank of each row, and the row that entered or left last."""
    row = step.variables.get("row")
    moves = "enters" in step.caption or "leaves" in step.caption
    return list(step.variables["rank"][: len(values.at)]), row if moves else None


def _fingers(step: Step, _values: _Values) -> Cells:
    """Return for each quantile the rank of its finger, and the number of values below it."""
    variables = step.variables
    if not variables.get("size"):
        return [None] * len(variables["q"]), None
    pairs = zip(variables["finger"], variables["below"], strict=True)
    now = variables["k"] if "finger for" in step.caption else None
    return [f"rank {rank}, {below} below" for rank, below in pairs], now


def _is_flip(step: Step) -> bool:
    return "turned over" in step.caption


def _older(step: Step, values: _Values) -> Cells:
    """Return the state of each older row merged with those after it, up to the pivot."""
    variables = step.variables
    low, pivot = variables["first"], variables["pivot"]
    if _is_flip(step):
        low, pivot = variables["row"], variables["high"]
    begin = variables["low"] if _is_flip(step) else variables["first"]
    names = list(variables["empty"])
    cells: list[Any] = [None] * len(values.at)
    for row in range(max(low, variables.get("low", low)), pivot):
        state = dict(zip(names, variables["older"][row - begin], strict=True))
        cells[row] = _state_text(state)
    return cells, low if _is_flip(step) else None


def _newer(step: Step, values: _Values) -> Cells:
    """Return the newer rows, from the pivot on; while they are turned over, those left."""
    variables = step.variables
    rows = range(variables["pivot"], variables["seen"])
    if _is_flip(step):
        rows = range(variables["low"], variables["row"])
    joins = "joins the newer" in step.caption
    cells = [values.at[row] if row in rows else None for row in range(len(values.at))]
    return cells, variables["row"] if joins else None


def _state_text(state: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value_text(one)}" for name, one in state.items())


def _queue(step: Step, values: _Values) -> Cells:
    variables = step.variables
    waiting = variables["queue"][variables["head"] : variables["tail"]]
    return [f"row {row}: {values.at[row]}" for row in waiting], 0 if waiting else None


def _state(name: str) -> Draw:
    def draw(step: Step, _values: _Values) -> Cells:
        return [value_text(one) for one in (step.variables.get(name) or {}).values()], None

    return draw


def _written_so_far(name: str) -> Draw:
    def draw(step: Step, _values: _Values) -> Cells:
        i = step.variables.get("i")
        cells = step.variables[name]
        done = -1 if i is None else i
        return [value_text(one) if row <= done else None for row, one in enumerate(cells)], i

    return draw


def _ranks(_run: Trace, values: _Values) -> list[str]:
    return [f"rank {rank}" for rank in range(len(values.at))]


def _distinct_labels(run: Trace, values: _Values) -> list[str]:
    return values.by(run.steps[0].variables["number"][: len(values.at)])


def _queue_labels(_run: Trace, _values: _Values) -> list[str]:
    return ["first", *("then" for _ in _values.at)]


def _fields(run: Trace, _values: _Values) -> list[str]:
    return list(run.steps[0].variables["empty"])


def _quantiles(run: Trace, _values: _Values) -> list[str]:
    return [value_text(q) for q in run.steps[0].variables["q"]]


def _rows(_run: Trace, values: _Values) -> list[str]:
    return [f"row {row}" for row in range(len(values.at))]


Labels = Callable[[Trace, _Values], list[str]]
SORTED = "The sorted values: those in the frame, and where the finger is"
WAITING = "The rows that can still be the answer, in their order"
OLDER = "The older rows, from each to the pivot"
NEWER = "The newer rows, after the pivot"
Structure = tuple[str, Labels, Draw]
ANSWERS: dict[str, Structure] = {
    **dict.fromkeys(
        ("lead", "lead_qualifying", "nth_value"), ("The row meant", _rows, _written_so_far("to"))
    ),
    **dict.fromkeys(
        ("row_number", "rank", "dense_rank"), ("Answers", _rows, _written_so_far("number"))
    ),
    **dict.fromkeys(("percent_rank", "cume_dist"), ("Answers", _rows, _written_so_far("share"))),
    "ntile": ("Answers", _rows, _written_so_far("tile")),
    **dict.fromkeys(
        ("row_bound", "group_bound", "range_bound_each"),
        ("Where each frame ends", _rows, _written_so_far("to")),
    ),
}
#: By the name of the kernel, for each picture: its title, the labels of its cells, and the cells.
STRUCTURES: dict[str, tuple[Structure, ...]] = {
    "walk_quantiles": (
        (SORTED, _ranks, _sorted_values),
        ("The rank of each row's value", _rows, _ranks_of_rows),
        ("The fingers", _quantiles, _fingers),
    ),
    "walk_mad": ((SORTED, _ranks, _ranked),),
    "walk_mode": (("How often each value is in the frame", _distinct_labels, _counts),),
    "walk_distinct": (("How often each value is in the frame", _distinct_labels, _counts),),
    "least_rows": ((WAITING, _queue_labels, _queue),),
    "running_states": (("The state of the frame", _fields, _state("state")),),
    "sliding_states": (
        (OLDER, _rows, _older),
        (NEWER, _rows, _newer),
        ("What the newer rows come to", _fields, _state("newer")),
    ),
    "query_tree": (("The answer so far", _fields, _state("answer")),),
    **{name: (one,) for name, one in ANSWERS.items()},
}
