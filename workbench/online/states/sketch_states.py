"""States that are bytes: made of values, merged, and answered as Python has the answer."""

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
    """What a state must be able to do."""

    def merge(self, other: Any) -> None:
        """Take in another one."""

    def to_bytes(self) -> bytes:
        """Return it as a store keeps it."""


class Counts:
    """How often each value is there, exactly.

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
        """Feed values, and how often each is there."""
        for item, count in zip(items, counts, strict=True):
            self._counts[item] = self._counts.get(item, 0) + count

    def merge(self, other: "Counts") -> None:
        """Take in all values of another one, which stays as it is."""
        self.add(other._counts.keys(), other._counts.values())

    def estimates(self) -> list[tuple[str, int]]:
        """Return all values with their counts, in no order."""
        return list(self._counts.items())

    def to_bytes(self) -> bytes:
        """Return it as JSON."""
        return json.dumps(self._counts, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def of_bytes(cls, packed: bytes) -> "Counts":
        """Return what was kept as bytes."""
        made = cls()
        made._counts = json.loads(packed)
        return made


def _made(family: str, n: int) -> Any:
    """An empty state."""
    if family == HISTOGRAM:
        return Counts()
    # The others need datasketches, which no other function does.
    from workbench.columnar.sketches import Distinct, Frequent, Quantiles

    kinds = {DISTINCT_SKETCH: Distinct, QUANTILES_SKETCH: Quantiles, FREQUENT_SKETCH: Frequent}
    return kinds[family](n)


@dataclass(frozen=True)
class State:
    """A state that cells hold as bytes; features over other windows or of other shares have it too.

    Attributes
    ----------
    family : str
        Of functions: "histogram", or that of a sketch.
    argument : str
    where : str or None
        The column that says which events count.
    n : int
        The size of a sketch.
    """

    family: str
    argument: str
    where: str | None
    n: int

    @classmethod
    def of(cls, call: Call) -> "State":
        """Return the state that a call is made of."""
        return cls(call.info.family, call.arguments[0], call.where, call.options.n)

    def fed_from(self, values: pa.Array) -> Callable[[Ints], SketchState]:
        """Return what makes the state of some rows of a column, none of which is null."""
        if self.family == QUANTILES_SKETCH:
            from workbench.engine.sketch_functions import sketch_numbers

            column = sketch_numbers(values)
            return lambda rows: self._fed(column[rows])
        code = codes_in_order(values)
        items = np.empty(len(values), object)
        items[present(values)] = items_of(values.drop_null())

        def feed(rows: Ints) -> SketchState:
            _, first, counts = np.unique(code[rows], return_index=True, return_counts=True)
            there = items[rows[first]].tolist()
            if self.family == DISTINCT_SKETCH:
                return self._fed(there)
            return self._fed(there, counts.tolist())

        return feed

    def _fed(self, *given: Any) -> SketchState:
        made = _made(self.family, self.n)
        made.add(*given)
        return made  # type: ignore[no-any-return]

    def merged(self, packed: Iterable[bytes]) -> SketchState | None:
        """Return the state of several ones' events, None where none of them has any."""
        read = [_made(self.family, self.n).of_bytes(one) for one in packed if one]
        for one in read[1:]:
            read[0].merge(one)
        return read[0] if read else None

    def answer(self, state: Any, call: Call, kind: pa.DataType) -> Any:
        """Return the answer of a call.

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
    """Return the states of features, each once."""
    return tuple(dict.fromkeys(State.of(feature.call) for feature in features))
