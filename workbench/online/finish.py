"""Computes the Python values of features from states.

A fetch has few keys and must be fast, so the usual functions are finished without Arrow.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Floats, Ints
from kernels.states.aggregates import AGGREGATES
from kernels.structures.instants import LEAST, MOST
from kernels.tiling import cells as c
from workbench.backfill.worker.feature import Feature
from workbench.columnar.exact_sums import TOO_LARGE, exact_sum
from workbench.columnar.value_texts import value_of_key
from workbench.engine.partials import from_states
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import COUNT, EXACT_SUM, LIKE_SUM
from workbench.online.layout import LayoutPart, StoreLayout, aggregates_for, slots_for

#: Computes the value of a feature from the integers and the floats of its key's windows.
Finish = Callable[[list[int], list[float]], Any]


def finishers(layout: StoreLayout, part: LayoutPart) -> list[tuple[str, Finish, Finish]]:
    """Return for each feature its name, a function for its value and one for its number of events.

    Both are functions of the integers and the floats of a key's windows.
    """
    return [_finisher(layout, part, one) for one in part.features]


def _finisher(
    layout: StoreLayout, part: LayoutPart, feature: Feature
) -> tuple[str, Finish, Finish]:
    call, window = feature.call, part.window_of(feature)
    names = aggregates_for(call, layout.schema)
    slots = [part.slots.index(one) for one in slots_for(call, layout.schema)]
    whole, real = part.sizes
    places = []
    for name, slot in zip(names, slots, strict=True):
        kind, at, to = part.table[slot].tolist()
        places.append((name, kind, window * whole + at, window * real + to))
    argument = layout.schema.field(call.arguments[0]).type if call.arguments else None
    _, kind, at, to = places[0]
    rows = _event_count(kind, at, to)
    if call.info.family == COUNT:
        return call.column, rows, rows
    if call.info.picks_row:
        return call.column, partial(_picked_value, kind, at, value_of_key(argument)), rows
    is_sum, total = call.info.family == EXACT_SUM, call.info.gives == LIKE_SUM
    if is_sum and kind == c.TOTAL:
        return call.column, partial(_total if total else _mean, to), rows
    if is_sum and pa.types.is_integer(argument):
        of = partial(_integer_total, call.column) if total else _integer_mean
        return call.column, partial(of, [place[2] for place in places]), rows
    return call.column, partial(_by_arrow, call, places, argument, rows), rows


def _event_count(kind: int, at: int, to: int) -> Finish:
    """Return a function for the number of events of a state."""
    if kind == c.FLAGS:
        return lambda whole, real: whole[at] + whole[at + 1]
    if kind == c.PRODUCT:
        return lambda whole, real: int(real[to + 1])
    if kind not in c.STATES:
        return lambda whole, real: whole[at]
    field = c.STATES[kind]._fields.index("rows")
    if c.SIZES[kind][0]:
        return lambda whole, real: whole[at + field]
    return lambda whole, real: int(real[to + field])


# The following take 0.1 µs; an Arrow column of one row, for all other functions, takes 13 µs.


def _total(to: int, whole: list[int], real: list[float]) -> float | None:
    return real[to] if real[to + 1] else None


def _mean(to: int, whole: list[int], real: list[float]) -> float | None:
    return real[to] / real[to + 1] if real[to + 1] else None


def _integer_total(column: str, sums: list[int], whole: list[int], real: list[float]) -> int | None:
    total = exact_sum([whole[at] for at in sums])
    if not LEAST <= total <= MOST:
        raise WorkbenchError(f"{column}: {TOO_LARGE}")
    return total if whole[sums[0] + 1] else None


def _integer_mean(sums: list[int], whole: list[int], real: list[float]) -> float | None:
    rows = whole[sums[0] + 1]
    return exact_sum([whole[at] for at in sums]) / rows if rows else None


def _picked_value(
    kind: int, at: int, value: Callable[[int], Any], whole: list[int], real: list[float]
) -> Any:
    if not whole[at]:
        return None
    if kind in (c.LEAST_KEY, c.GREATEST_KEY):
        return value(whole[at + 1])
    return value(whole[at + 3]) if whole[at + 2] else None


def _by_arrow(
    call: Any,
    places: list[tuple[str, int, int, int]],
    argument: pa.DataType | None,
    rows: Finish,
    whole: list[int],
    real: list[float],
) -> Any:
    found = []
    for name, kind, at, to in places:
        fields = len(AGGREGATES[name].empty)
        state = whole[at : at + fields] if c.SIZES[kind][0] else real[to : to + fields]
        found.append((name, np.array([state])))
    sizes = np.array([rows(whole, real)])
    try:
        return from_states(call, found, sizes, argument)[0].as_py()
    except OverflowError as error:
        raise WorkbenchError(str(error)) from None


@dataclass(frozen=True)
class PartAnswers:
    """Computes the features of keys from the states of one part.

    Attributes
    ----------
    part : LayoutPart
    finish : list of (str, function, function)
    """

    part: LayoutPart
    finish: list[tuple[str, Finish, Finish]]

    def values(self, states: Ints, numbers: Floats) -> dict[str, Any]:
        """Return the features of a key.

        Raises
        ------
        WorkbenchError
            When a sum does not fit.
        """
        whole, real = states.tolist(), numbers.tolist()
        return {name: finish(whole, real) for name, finish, _ in self.finish}

    def counted(self, states: Ints, numbers: Floats) -> dict[str, tuple[bool, Any]]:
        """Return for each feature of a key or a bucket whether any event counts, and its value.

        Raises
        ------
        WorkbenchError
            When a sum does not fit.
        """
        whole, real = states.tolist(), numbers.tolist()
        found = {}
        for name, finish, rows in self.finish:
            found[name] = bool(rows(whole, real)), finish(whole, real)
        return found
