"""How events of earlier spans are sent for a feature: as states of hops, or as rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

import pyarrow as pa

from workbench.backfill.worker.cogroup import Span
from workbench.backfill.worker.feature import Feature
from workbench.engine.block import Call
from workbench.engine.partials import partial_states

#: The column of sent states with the number of their slot.
SLOT = "__slot__"


@dataclass(frozen=True)
class FeatureGroup:
    """Features with the same span and the same column of buckets, if any.

    Attributes
    ----------
    span : Span
    by : str or None
    slots : tuple of Call
        The states that the events are aggregated to, each by an aggregate of
        :data:`kernels.states.aggregates.AGGREGATES`.
    calls : tuple of Call
        The calls for which events are sent as rows.
    """

    span: Span
    by: str | None
    slots: tuple[Call, ...]
    calls: tuple[Call, ...]

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns of the events that its features read, besides those of key and time."""
        read = [name for call in (*self.slots, *self.calls) for name in call.needs]
        return tuple(dict.fromkeys(read if self.by is None else [*read, self.by]))

    def among(self, features: Iterable[Feature]) -> Iterator[Feature]:
        """Yield the features that are in the group."""
        for one in features:
            if (cast(Span, one.call.frame), one.by) == (self.span, self.by):
                yield one


def feature_groups(features: Iterable[Feature], schema: pa.Schema) -> tuple[FeatureGroup, ...]:
    """Return features in groups of the same windows and buckets.

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
        group = cast(Span, one.call.frame), one.by
        slots.setdefault(group, {}).update(dict.fromkeys(partial_states(one.call, schema)))
        calls.setdefault(group, []).extend([] if partial_states(one.call, schema) else [one.call])
    return tuple(
        FeatureGroup(span, by, tuple(slots[span, by]), tuple(calls[span, by])) for span, by in slots
    )


def needs_every_event(call: Call, schema: pa.Schema) -> bool:
    """Return whether a call needs every event of its window, and not just few of each hop."""
    has_few = call.options.distinct or call.info.keeps or call.info.once
    return not (has_few or partial_states(call, schema))
