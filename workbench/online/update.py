"""The stream's part of the online view: batches of events, each applied once.

It has no Spark: a batch is an Arrow table.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from workbench.columnar.blocks import TIME
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.errors import WorkbenchError
from workbench.online.checks import check_again, check_next, check_owner, check_stream
from workbench.online.checksums import verified_values, with_checksums
from workbench.online.layout import StoreLayout
from workbench.online.meta import META, Meta, stream_prefix
from workbench.online.records import merge_part, merge_records, sections_of_events
from workbench.online.states.numeric import roll_up_events
from workbench.online.upload import read_meta, sweep
from workbench.stores import Change, Store


class BatchCounts(NamedTuple):
    """The counts of a batch of events.

    Attributes
    ----------
    streamed, late, skipped : int
        How many events count, are before the newest upload's end, and lack key or time.
    again : bool
        Whether the batch had been applied before, so that nothing was done.
    """

    streamed: int = 0
    late: int = 0
    skipped: int = 0
    again: bool = False


def apply_batch(
    store: Store, layout: StoreLayout, lasting: int, events: pa.Table, stream: str, batch: int
) -> BatchCounts:
    """Apply a batch of a stream as a whole, unless it was applied before.

    Parameters
    ----------
    store : Store
    layout : StoreLayout
    lasting : int
    events : pyarrow.Table
    stream : str
        The id of the stream; a stream whose batches start from 0 again has another id.
    batch : int

    Returns
    -------
    BatchCounts

    Raises
    ------
    WorkbenchError
        When nothing is uploaded yet, another stream updates the hops, or the batch is not the next
        one.

    Notes
    -----
    The hops and the number of the batch are one transaction. It fails if an upload or another
    batch came first; then the batch is applied to the new records.
    """
    complete = np.ones(len(events), bool)
    for name in (*(f"k{i}" for i in range(len(layout.keys))), TIME):
        complete &= as_array(events.column(name)).is_valid().to_numpy(zero_copy_only=False)
    known = events.filter(pa.array(complete))
    time = instants(as_array(known.column(TIME)))
    total = int(time.sum())
    while True:
        packed_meta, meta = current_meta(store, layout, lasting)
        check_stream(meta, stream)
        if meta.stream == stream and batch <= meta.batch:
            check_again(meta, batch, len(events), total)
            return BatchCounts(again=True)
        check_next(meta, stream, batch)
        on_time = time >= meta.until
        counts = BatchCounts(
            int(on_time.sum()), int(len(known) - on_time.sum()), int(len(events) - len(known))
        )
        changes = changes_of(store, layout, known.filter(pa.array(on_time)), meta)
        now = meta.but(
            stream=stream,
            batch=batch,
            streamed=meta.streamed + counts.streamed,
            late=meta.late + counts.late,
            skipped=meta.skipped + counts.skipped,
            batch_rows=len(events),
            batch_times=total,
        )
        if store.write([*changes, (META, now.to_bytes())], expect=(META, packed_meta)):
            return counts


def changes_of(store: Store, layout: StoreLayout, events: pa.Table, meta: Meta) -> list[Change]:
    """Return the changes of the store for the events' keys: records that include the events."""
    windows, prefix = [part.stream_windows for part in layout.parts], stream_prefix(meta.epoch)
    if layout.plain:
        cells = roll_up_events(layout, layout.parts[0], events, windows[0])
        names, added = cells.records(prefix)
        there = [one or b"" for one in verified_values(names, store.read(names), store.place)]
        left = merge_part(layout.parts[0], there, added, meta.until)
        return with_checksums(names, left)
    found = sections_of_events(layout, events, windows, meta.until, None)
    new = {prefix + key: own for key, own in found.items()}
    names = sorted(new)
    known = verified_values(names, store.read(names), store.place)
    records = merge_records(layout, known, [new[name] for name in names], meta.until)
    return with_checksums(names, records)


def current_meta(store: Store, layout: StoreLayout, lasting: int) -> tuple[bytes, Meta]:
    """Return the store's metadata, packed and read.

    Raises
    ------
    WorkbenchError
        When nothing is uploaded yet, or the store is another backfill's.
    """
    packed_meta, meta = read_meta(store)
    if packed_meta is None or meta is None or not meta.generation:
        raise WorkbenchError(
            f"store: nothing has been uploaded to {store.place} yet; "
            "call view.upload(events, until=...) first."
        )
    check_owner(meta, layout, lasting, store)
    return packed_meta, meta


def forget_stream(store: Store, layout: StoreLayout, lasting: int) -> None:
    """Remove the hops of the stream, so that another stream can begin.

    Raises
    ------
    WorkbenchError
        When nothing is uploaded yet, or the store is another backfill's.
    """
    while True:
        packed_meta, meta = current_meta(store, layout, lasting)
        left = meta.but(epoch=meta.epoch + 1, stream="", batch=-1, streamed=0, late=0, skipped=0)
        if store.write([(META, left.to_bytes())], expect=(META, packed_meta)):
            return sweep(store, layout)
