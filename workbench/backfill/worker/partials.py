"""How a feature's answer travels to later spans of time: as states of hops, or as rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import pyarrow as pa

from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.engine.block import Call
from workbench.engine.partials import partial_states

#: The column of states on their way that says which slot a state is of.
SLOT = "__slot__"


@dataclass(frozen=True)
class FeatureGroup:
    """Features over windows of one kind, of all events or by one column of buckets.

    Attributes
    ----------
    span : Span
    by : str or None
    slots : tuple of Call
        The states that are made of the events: each names an aggregate of
        :data:`kernels.states.aggregates.AGGREGATES`.
    calls : tuple of Call
        Those whose events travel.
    """

    span: Span
    by: str | None
    slots: tuple[Call, ...]
    calls: tuple[Call, ...]

    def among(self, features: Iterable[Feature]) -> Iterator[Feature]:
        """Yield those of some features that are in the group."""
        for one in features:
            if (cast(Span, one.call.frame), one.by) == (self.span, self.by):
                yield one


def feature_groups(features: Iterable[Feature], schema: pa.Schema) -> tuple[FeatureGroup, ...]:
    """Return features that share their windows and their buckets together.

    Parameters
    ----------
    features : iterable of Feature
    schema : pyarrow.Schema
        The events' columns.

    Returns
    -------
    tuple of FeatureGroup
    """
    slots: dict[tuple[Span, str | None], dict[Call, None]] = {}
    calls: dict[tuple[Span, str | None], list[Call]] = {}
    for one in features:
        kind = cast(Span, one.call.frame), one.by
        slots.setdefault(kind, {}).update(dict.fromkeys(partial_states(one.call, schema)))
        calls.setdefault(kind, []).extend([] if partial_states(one.call, schema) else [one.call])
    return tuple(
        FeatureGroup(span, by, tuple(slots[span, by]), tuple(calls[span, by])) for span, by in slots
    )


def needs_all(call: Call, schema: pa.Schema) -> bool:
    """Say whether every event of a window has to be there for a call, and not few of each hop."""
    few = call.options.distinct or call.info.keeps or call.info.once
    return not (few or partial_states(call, schema))
