"""The layout of a store: the states of a backfill, their hops, and their places in a cell."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import lcm
from typing import Any, cast

import numpy as np
import pyarrow as pa

from kernels.core.arrays import Ints
from kernels.states.aggregates import AGGREGATES
from kernels.structures.instants import LEAST, MOST
from kernels.tiling import cells as c
from kernels.tiling.cells import kind_for
from kernels.tiling.hops import window_start
from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.columnar.columns import is_ranked
from workbench.engine.block import Call
from workbench.engine.partials import partial_states
from workbench.errors import WorkbenchError
from workbench.functions.catalogue import HISTOGRAM, SKETCHES, Options
from workbench.online.kept_events import KeptEvents
from workbench.online.meta import fingerprint_of


@dataclass(frozen=True)
class Slot:
    """A state in the cells of a store.

    Attributes
    ----------
    kind : int
        One of :data:`kernels.tiling.cells.SIZES`.
    arguments : tuple of str
        Columns of the events.
    where : str or None
        The column of the condition that events must fulfil.
    nulls : bool
        Whether events with a null value count too.
    part : int
        For exact sums: the part of the numbers that is summed.
    """

    kind: int
    arguments: tuple[str, ...]
    where: str | None
    nulls: bool = False
    part: int = 1


@dataclass(frozen=True)
class LayoutPart:
    """Features without buckets, or by one column of buckets; a key has a list of cells for each.

    Attributes
    ----------
    by : str or None
    features : tuple of Feature
    slots : tuple of Slot
    windows : tuple of (int or None, int)
        The lengths and hops of the windows.
    """

    by: str | None
    features: tuple[Feature, ...]
    slots: tuple[Slot, ...]
    windows: tuple[tuple[int | None, int], ...]

    @cached_property
    def hops(self) -> tuple[int, ...]:
        """The hop of each series."""
        return tuple(sorted({hop for _, hop in self.windows}))

    @cached_property
    def table(self) -> Ints:
        """The slots as an array for the kernels."""
        rows, whole, real = [], c.HEAD, 0
        for slot in self.slots:
            rows.append((slot.kind, whole, real))
            integers, numbers = c.SIZES[slot.kind]
            whole, real = whole + integers, real + numbers
        return np.array(rows, np.int64).reshape(-1, 3)

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """The number of integers and the number of floats of a cell."""
        sizes = [c.SIZES[slot.kind] for slot in self.slots]
        return c.HEAD + sum(one for one, _ in sizes), sum(one for _, one in sizes)

    @property
    def words(self) -> int:
        """The number of words of a cell."""
        return sum(self.sizes)

    def upload_windows(self, until: int, lasting: int) -> Ints:
        """Return the windows of an upload as an array for the kernels.

        Parameters
        ----------
        until, lasting : int
            The upload serves queries from ``until`` to ``until + lasting``.

        Returns
        -------
        int64 array of shape (windows, 4)
        """
        rows = []
        for length, hop in self.windows:
            core = LEAST
            if length is not None:
                core = min(window_start(min(until, MOST - lasting) + lasting, length, hop), until)
            rows.append((self.hops.index(hop), -1 if length is None else length, hop, core))
        return np.array(rows, np.int64)

    @cached_property
    def stream_windows(self) -> Ints:
        """The windows of a stream, of which every hop is kept and none is collapsed."""
        return np.array([(h, -1, hop, MOST) for h, hop in enumerate(self.hops)], np.int64)

    def window_of(self, feature: Feature) -> int:
        """Return the number of a feature's window."""
        return self.windows.index(_window(feature))


@dataclass(frozen=True)
class StoreLayout:
    """The layout of a store for a backfill.

    Attributes
    ----------
    backfill : str
        The text of the backfill.
    keys : tuple of str
        The columns of the key, by the users' names.
    features : tuple of Feature
    schema : pyarrow.Schema
        The events' columns: those of the key, the time, and the aggregated ones.
    """

    backfill: str
    keys: tuple[str, ...]
    features: tuple[Feature, ...]
    schema: pa.Schema

    @cached_property
    def parts(self) -> tuple[LayoutPart, ...]:
        """The features whose states are words, by their column of buckets."""
        return self._parts([one for one in self.features if aggregates_for(one.call, self.schema)])

    @cached_property
    def sketch_parts(self) -> tuple[LayoutPart, ...]:
        """The features whose states are bytes, by their column of buckets. They have no slots.

        See :mod:`workbench.online.states.sketch_cells`.
        """
        return self._parts([one for one in self.features if has_bytes_state(one.call)])

    def _parts(self, given: Sequence[Feature]) -> tuple[LayoutPart, ...]:
        found = []
        for by in dict.fromkeys(feature.by for feature in given):
            features = tuple(feature for feature in given if feature.by == by)
            slots = dict.fromkeys(s for one in features for s in slots_for(one.call, self.schema))
            windows = dict.fromkeys(map(_window, features))
            found.append(LayoutPart(by, features, tuple(slots), tuple(windows)))
        return tuple(found)

    @cached_property
    def kept_events(self) -> KeptEvents | None:
        """The features that are computed from kept events, if any."""
        parts = (*self.parts, *self.sketch_parts)
        others = {feature.call.column for part in parts for feature in part.features}
        found = [one for one in self.features if one.call.column not in others]
        return KeptEvents.of(found, self.schema) if found else None

    @cached_property
    def plain(self) -> bool:
        """Whether a key has a single list of cells."""
        alone = self.kept_events is None and not self.sketch_parts and len(self.parts) == 1
        return alone and self.parts[0].by is None

    @cached_property
    def key_kinds(self) -> tuple[pa.DataType, ...]:
        """The types of the columns of the key."""
        return tuple(self.schema.field(f"k{i}").type for i in range(len(self.keys)))

    @cached_property
    def step(self) -> int:
        """The time of which upload ends are multiples, so that no hop is in two uploads."""
        return lcm(*(_window(feature)[1] for feature in self.features))

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that differ for layouts with different states."""
        return fingerprint_of(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Return the layout as a JSON object."""
        kinds = pa.schema([(one.call.column, one.kind) for one in self.features])
        return {
            "backfill": self.backfill,
            "keys": list(self.keys),
            "schema": _schema_to_hex(self.schema),
            "kinds": _schema_to_hex(kinds),
            "features": [_feature_to_json(one) for one in self.features],
        }

    @classmethod
    def of_json(cls, given: dict[str, Any]) -> "StoreLayout":
        """Return the layout of a JSON object; the inverse of :meth:`to_json`."""
        schema, kinds = (_schema_from_hex(given[name]) for name in ("schema", "kinds"))
        features = []
        for one in given["features"]:
            options = {**one["options"], "q": tuple(one["options"]["q"])}
            call = Call(
                one["column"],
                one["function"],
                tuple(one["arguments"]),
                Options(**options),
                cast(Any, Span(**one["frame"])),
                one["where"],
            )
            features.append(Feature(call, kinds.field(call.column).type, one["by"]))
        return cls(given["backfill"], tuple(given["keys"]), tuple(features), schema)


def slots_for(call: Call, schema: pa.Schema) -> tuple[Slot, ...]:
    """Return the states that a call needs.

    Raises
    ------
    WorkbenchError
        When the cells of a store cannot hold the states.
    """
    names = aggregates_for(call, schema)
    parts = [one.options.n for one in partial_states(call, schema)] or [1] * len(names)
    nulls = call.info.picks and not call.options.ignore_nulls
    return tuple(
        Slot(cast(int, kind_for(AGGREGATES[name].empty)), call.arguments, call.where, nulls, part)
        for name, part in zip(names, parts, strict=True)
    )


def aggregates_for(call: Call, schema: pa.Schema) -> tuple[str, ...]:
    """Return the aggregates whose states a call needs.

    Empty if the state is bytes, or events are kept instead.

    Raises
    ------
    WorkbenchError
        When a store's states cannot hold what it needs.
    """
    info = call.info
    if names := tuple(slot.function for slot in partial_states(call, schema)):
        if foreign := [name for name in names if kind_for(AGGREGATES[name].empty) is None]:
            raise WorkbenchError(
                f"{call.column}: a store's cells have no place for the state of {foreign[0]}, so "
                "the online view cannot hold it; use wb.Backfill.run."
            )
        return names
    of_itself = info.picks_row and len(call.arguments) == 1
    if of_itself and _is_number(schema.field(call.arguments[0]).type):
        return (info.aggregate,)
    # If values count once, one event of each value is enough for any function.
    if has_bytes_state(call) or info.keeps or info.once or call.options.distinct:
        return ()
    instead = f"wb.fn.{info.instead}, or " if info.instead else ""
    raise WorkbenchError(
        f"{call.column}: {call.function} has no small state that merges, so the online view cannot "
        f"hold it; use {instead}wb.Backfill.run."
    )


def has_bytes_state(call: Call) -> bool:
    """Return whether the state of a call is bytes, as those of :mod:`workbench.online.states`."""
    return call.info.family in (HISTOGRAM, *SKETCHES)


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    plain = types.is_integer, types.is_floating, types.is_boolean, types.is_date32
    small = types.is_decimal(kind) and not is_ranked(kind)
    return small or types.is_timestamp(kind) or any(one(kind) for one in plain)


def _window(feature: Feature) -> tuple[int | None, int]:
    span = cast(Span, feature.call.frame)
    return span.window, span.hop


def _feature_to_json(feature: Feature) -> dict[str, Any]:
    call = asdict(feature.call)
    # The format calls it "each"; fingerprints of stored layouts depend on names and their order.
    call["each"] = call.pop("per_row_n")
    return {**call, "by": feature.by, "frame": asdict(cast(Any, feature.call.frame))}


def _schema_to_hex(schema: pa.Schema) -> str:
    return bytes(schema.remove_metadata().serialize()).hex()


def _schema_from_hex(given: str) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(bytes.fromhex(given)))
