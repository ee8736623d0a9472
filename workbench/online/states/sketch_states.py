"""States that are kept as bytes: made from values, merged, and finished as Python values."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from workbench.backfill.worker.feature import Feature
from workbench.columnar.columns import codes_in_order, present
from workbench.columnar.value_texts import items_of, order_of_item, value_of_item
from workbench.engine.block import Call
from workbench.functions.catalogue import (
    DISTINCT_SKETCH,
    FREQUENT_SKETCH,
    HISTOGRAM,
    QUANTILES_SKETCH,
)


class SketchState(Protocol):
    """The interface of a state."""

    def merge(self, other: Any) -> None:
        """Merge another state into this one."""

    def to_bytes(self) -> bytes:
        """Return the state as a store keeps it."""


class Counts:
    """The exact number of occurrences of each value.

    Examples
    --------
    >>> some, more = Counts(), Counts()
    >>> some.add(["a", "b"], [1, 5])
    >>> more.add(["a"], [3])
    >>> some.merge(Counts.of_bytes(more.to_bytes()))
    >>> some.estimates()
    [('a', 4), ('b', 5)]
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def add(self, items: Iterable[str], counts: Iterable[int]) -> None:
        """Add values with their numbers of occurrences."""
        for item, count in zip(items, counts, strict=True):
            self._counts[item] = self._counts.get(item, 0) + count

    def merge(self, other: "Counts") -> None:
        """Add all values of another one, which stays unchanged."""
        self.add(other._counts.keys(), other._counts.values())

    def estimates(self) -> list[tuple[str, int]]:
        """Return all values with their counts, in any order."""
        return list(self._counts.items())

    def to_bytes(self) -> bytes:
        """Return the counts as JSON."""
        return json.dumps(self._counts, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def of_bytes(cls, packed: bytes) -> "Counts":
        """Return the counts from bytes; the inverse of :meth:`to_bytes`."""
        state = cls()
        state._counts = json.loads(packed)
        return state


def _empty_state(family: str, n: int) -> Any:
    """Return an empty state."""
    if family == HISTOGRAM:
        return Counts()
    # The others need datasketches, so it is imported only here.
    from workbench.columnar.sketches import Distinct, Frequent, Quantiles

    kinds = {DISTINCT_SKETCH: Distinct, QUANTILES_SKETCH: Quantiles, FREQUENT_SKETCH: Frequent}
    return kinds[family](n)


@dataclass(frozen=True)
class State:
    """A state that cells hold as bytes. Features with other windows or quantiles share it.

    Attributes
    ----------
    family : str
        The family of functions: "histogram", or that of a sketch.
    argument : str
    where : str or None
        The column of the condition that events must fulfil.
    n : int
        The size of a sketch.
    """

    family: str
    argument: str
    where: str | None
    n: int

    @classmethod
    def of(cls, call: Call) -> "State":
        """Return the state that a call needs."""
        return cls(call.info.family, call.arguments[0], call.where, call.options.n)

    def state_maker(self, values: pa.Array) -> Callable[[Ints], SketchState]:
        """Return a function that makes the state of rows of a column, none of which is null."""
        if self.family == QUANTILES_SKETCH:
            from workbench.engine.sketch_functions import sketch_numbers

            column = sketch_numbers(values)
            return lambda rows: self._state_with(column[rows])
        code = codes_in_order(values)
        items = np.empty(len(values), object)
        items[present(values)] = items_of(values.drop_null())

        def make_state(rows: Ints) -> SketchState:
            _, first, counts = np.unique(code[rows], return_index=True, return_counts=True)
            present_items = items[rows[first]].tolist()
            if self.family == DISTINCT_SKETCH:
                return self._state_with(present_items)
            return self._state_with(present_items, counts.tolist())

        return make_state

    def _state_with(self, *arguments: Any) -> SketchState:
        state = _empty_state(self.family, self.n)
        state.add(*arguments)
        return state  # type: ignore[no-any-return]

    def merge(self, packed: Iterable[bytes]) -> SketchState | None:
        """Return the merged state of packed ones, None if all are empty."""
        states = [_empty_state(self.family, self.n).of_bytes(one) for one in packed if one]
        for one in states[1:]:
            states[0].merge(one)
        return states[0] if states else None

    def answer(self, state: Any, call: Call, kind: pa.DataType) -> Any:
        """Return the answer to a call.

        Parameters
        ----------
        state : SketchState or None
        call : Call
        kind : pyarrow.DataType
            The type of the values.
        """
        if self.family == DISTINCT_SKETCH:
            return state.estimate() if state else 0
        if state is None:
            return None
        if self.family == QUANTILES_SKETCH:
            from workbench.engine.sketch_functions import quantiles_of

            return quantiles_of([state.estimate(call.options.q)], call.options, kind)[0].as_py()
        value, order = value_of_item(kind), order_of_item(kind)
        if self.family == HISTOGRAM:
            pairs = sorted(state.estimates(), key=lambda pair: order(pair[0]))
        else:
            most = nsmallest(self.n, ((-n, order(item), item) for item, n in state.estimates()))
            pairs = [(item, -count) for count, _, item in most]
        return {value(item): count for item, count in pairs}


def states_of(features: Sequence[Feature]) -> tuple[State, ...]:
    """Return the distinct states of features."""
    return tuple(dict.fromkeys(State.of(feature.call) for feature in features))
