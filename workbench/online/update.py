"""The stream's part of the online view: batches of events, each applied once.

Pure of Spark: a batch is a table of Arrow.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from workbench.columnar.blocks import TIME, instants
from workbench.columnar.key_codes import as_array
from workbench.errors import WorkbenchError
from workbench.online.checksums import checked, with_checksums
from workbench.online.layout import StoreLayout
from workbench.online.meta import META, Meta, streamed
from workbench.online.records import merge_records, merged, sections
from workbench.online.states.numeric import rolled
from workbench.online.upload import check_owner, known_meta, sweep
from workbench.stores import Change, Store

#: What to do when nobody can say which events are there already.
BEGIN_ANEW = (
    "start it from a new checkpoint, with all events since the upload's end, after "
    "view.forget_stream()."
)


class Applied(NamedTuple):
    """What became of a batch of events.

    Attributes
    ----------
    streamed, late, skipped : int
        How many count, are before the newest upload's end, and lack key or time.
    again : bool
        Whether the batch was applied before, so that nothing was done.
    """

    streamed: int = 0
    late: int = 0
    skipped: int = 0
    again: bool = False


def apply_batch(
    store: Store, layout: StoreLayout, lasting: int, events: pa.Table, stream: str, batch: int
) -> Applied:
    """Apply a batch of a stream, unless it was applied before: all of it, or nothing.

    Parameters
    ----------
    store : Store
    layout : StoreLayout
    lasting : int
    events : pyarrow.Table
    stream : str
        Which stream it is of: one whose batches count from 0 again is another.
    batch : int

    Returns
    -------
    Applied

    Raises
    ------
    WorkbenchError
        When nothing is uploaded yet, another stream keeps the hops current, or the batch is none
        that can come now.

    Notes
    -----
    The hops and the number of the batch are one transaction, which fails when an upload or another
    batch came between; then the batch is applied to what is there now.
    """
    complete = np.ones(len(events), bool)
    for name in (*(f"k{i}" for i in range(len(layout.keys))), TIME):
        complete &= as_array(events.column(name)).is_valid().to_numpy(zero_copy_only=False)
    known = events.filter(pa.array(complete))
    time = instants(as_array(known.column(TIME)))
    total = int(time.sum())
    while True:
        held, meta = current(store, layout, lasting)
        check_stream(meta, stream)
        if meta.stream == stream and batch <= meta.batch:
            check_again(meta, batch, len(events), total)
            return Applied(again=True)
        check_next(meta, stream, batch)
        on_time = time >= meta.until
        counts = Applied(
            int(on_time.sum()), int(len(known) - on_time.sum()), int(len(events) - len(known))
        )
        changes = changed(store, layout, known.filter(pa.array(on_time)), meta)
        now = meta.but(
            stream=stream,
            batch=batch,
            streamed=meta.streamed + counts.streamed,
            late=meta.late + counts.late,
            skipped=meta.skipped + counts.skipped,
            batch_rows=len(events),
            batch_times=total,
        )
        if store.write([*changes, (META, now.to_bytes())], expect=(META, held)):
            return counts


def changed(store: Store, layout: StoreLayout, events: pa.Table, meta: Meta) -> list[Change]:
    """Return what the store is given for the events' keys: their records with the events in their
    hops."""
    windows, prefix = [part.streamed for part in layout.parts], streamed(meta.epoch)
    if layout.plain:
        cells = rolled(layout, layout.parts[0], events, windows[0])
        names, added = cells.records(prefix)
        there = [one or b"" for one in checked(names, store.read(names), store.place)]
        left = merged(layout.parts[0], there, added, meta.until)
        return with_checksums(names, left)
    found = sections(layout, events, windows, meta.until, None)
    new = {prefix + key: own for key, own in found.items()}
    names = sorted(new)
    known = checked(names, store.read(names), store.place)
    records = merge_records(layout, known, [new[name] for name in names], meta.until)
    return with_checksums(names, records)


def current(store: Store, layout: StoreLayout, lasting: int) -> tuple[bytes, Meta]:
    """Return what the store says of itself.

    Raises
    ------
    WorkbenchError
        When nothing is uploaded yet, or the store is another backfill's.
    """
    held, meta = known_meta(store)
    if held is None or meta is None or not meta.generation:
        raise WorkbenchError(
            f"store: nothing is uploaded to {store.place} yet; "
            "call view.upload(events, until=...) first."
        )
    check_owner(meta, layout, lasting, store)
    return held, meta


def check_stream(meta: Meta, stream: str) -> None:
    """Refuse a second stream, as nobody could say which of its events are there already.

    Raises
    ------
    WorkbenchError
    """
    if meta.stream and meta.stream != stream:
        raise WorkbenchError(
            f"stream: another one ({meta.stream}) keeps the store current up to its batch "
            f"{meta.batch}; start that one from its checkpoint again, or call "
            "view.forget_stream() and start one that has all events since the upload's end."
        )


def check_next(meta: Meta, stream: str, batch: int) -> None:
    """Refuse a batch that does not follow the store's newest one: events would be missing.

    Raises
    ------
    WorkbenchError
    """
    last = meta.batch if meta.stream == stream else -1
    if batch != last + 1:
        raise WorkbenchError(
            f"stream: its next batch is {batch}, but the store's newest one is "
            f"{last if last >= 0 else 'none'}; {BEGIN_ANEW}"
        )


def check_again(meta: Meta, batch: int, rows: int, times: int) -> None:
    """Refuse a batch that is another one than that which was applied under its number.

    A checkpoint that is whole brings the newest batch again, and as it was. One that was restored,
    or lost its newest files as a machine went down, may put events into it that are not there yet.

    Raises
    ------
    WorkbenchError
    """
    same = meta.batch_rows < 0 or (rows, times) == (meta.batch_rows, meta.batch_times)
    if batch != meta.batch or not same:
        raise WorkbenchError(
            f"stream: its checkpoint brings batch {batch} anew, but the store has the batches up "
            f"to {meta.batch} with other events, so the checkpoint is an older one; {BEGIN_ANEW}"
        )


def forget_stream(store: Store, layout: StoreLayout, lasting: int) -> None:
    """Remove the hops of the stream, so that another one can begin.

    Raises
    ------
    WorkbenchError
        When nothing is uploaded yet, or the store is another backfill's.
    """
    while True:
        held, meta = current(store, layout, lasting)
        left = meta.but(epoch=meta.epoch + 1, stream="", batch=-1, streamed=0, late=0, skipped=0)
        if store.write([(META, left.to_bytes())], expect=(META, held)):
            return sweep(store, layout)
