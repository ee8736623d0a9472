"""Uploads: collapsed states and tail hops of every key, written beside those that are read.

Executors load this module, so it needs pyarrow, numpy and the kernels and nothing else.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from secrets import randbits

import pyarrow as pa

from workbench.columnar.blocks import TIME, instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.process import freeze_gc
from workbench.columnar.subpartitions import subpartitions
from workbench.columnar.value_texts import time_of
from workbench.errors import WorkbenchError
from workbench.online.checksums import checked, with_checksums
from workbench.online.layout import StoreLayout
from workbench.online.meta import META, STREAMED, UPLOADED, Meta, meta_of, streamed, uploaded
from workbench.online.records import merge_records, record_of, sections
from workbench.online.states.numeric import rolled
from workbench.stores import Change, Store, StoreError

#: How many records are one transaction: others may write in between.
RECORDS_AT_ONCE = 20_000
COUNTED = pa.schema([("keys", pa.int64()), ("events", pa.int64()), ("after", pa.int64())])


@dataclass(frozen=True)
class UploadTask:
    """Write the records of whole keys.

    Attributes
    ----------
    store : Store
    layout : StoreLayout
    generation, until, lasting : int
    """

    store: Store
    layout: StoreLayout
    generation: int
    until: int
    lasting: int

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write for a Spark partition that holds all events of its keys, and count."""
        freeze_gc()
        for parts in subpartitions(batches):
            counts = self.write(pa.Table.from_batches(parts))
            yield pa.record_batch([pa.array([one]) for one in counts], schema=COUNTED)

    def write(self, events: pa.Table) -> tuple[int, int, int]:
        """Write the records of events.

        Parameters
        ----------
        events : pyarrow.Table
            All events of their keys, none with a null in key or time.

        Returns
        -------
        keys, events, after : int
            How many there are before ``until``, and how many events later.
        """
        before = instants(as_array(events.column(TIME))) < self.until
        known = events.filter(pa.array(before))
        records = self.records(known)
        for first in range(0, len(records), RECORDS_AT_ONCE):
            self.store.write(records[first : first + RECORDS_AT_ONCE])
        return len(records), len(known), int(len(before) - before.sum())

    def records(self, events: pa.Table) -> list[Change]:
        """Return what the store is given for each key, in order."""
        prefix = uploaded(self.generation)
        windows = [part.windows_of(self.until, self.lasting) for part in self.layout.parts]
        if self.layout.plain:
            cells = rolled(self.layout, self.layout.parts[0], events, windows[0], self.until)
            return with_checksums(*cells.records(prefix))
        found = sections(self.layout, events, windows, self.until, self.lasting)
        keys = sorted(found)
        records = (record_of(self.layout, found[key]) for key in keys)
        return with_checksums([prefix + key for key in keys], records)


def known_meta(store: Store) -> tuple[bytes | None, Meta | None]:
    """Return what a store says of itself, as it is kept and as it is read; None where it is empty.

    Raises
    ------
    WorkbenchError
        When it is no store of the online view, or of another version.
    """
    held = store.read([META])[0]
    return held, None if held is None else meta_of(held, store.place)


def reserve(store: Store, layout: StoreLayout, until: int, lasting: int) -> int:
    """Take a number for an upload, which no other one has.

    Raises
    ------
    WorkbenchError
        When the store is another backfill's, or its upload ends later.
    """
    check_until(layout, until)
    while True:
        held, meta = known_meta(store)
        if meta is None:
            first = randbits(48)
            meta = Meta(layout.to_json(), layout.fingerprint, lasting, first, reserved=first)
        check_owner(meta, layout, lasting, store)
        check_order(meta, layout, until)
        taken = meta.but(reserved=meta.reserved + 1)
        if store.write([(META, taken.to_bytes())], expect=(META, held)):
            return taken.reserved


def switch(
    store: Store, layout: StoreLayout, generation: int, until: int, keys: int, events: int
) -> Meta:
    """Let readers see an upload from now on, all of it at one instant, and drop older ones.

    Raises
    ------
    WorkbenchError
        When an upload that ends later, or began later, came first, or the store is another one.
    """
    while True:
        held, meta = known_meta(store)
        if meta is None or not meta.first < generation <= meta.reserved:
            raise StoreError(
                f"store: {store.place} was emptied or replaced while the upload ran; upload again."
            )
        check_order(meta, layout, until)
        if meta.generation > generation:
            raise WorkbenchError(
                f"upload: another one began later and is there already; {store.place} serves that."
            )
        now = meta.but(generation=generation, until=until, keys=keys, events=events)
        if store.write([(META, now.to_bytes())], expect=(META, held)):
            break
    sweep(store, layout, now)
    return now


def sweep(store: Store, layout: StoreLayout, meta: Meta) -> None:
    """Remove the records of older uploads and forgotten streams, and hops that the upload has."""
    for kind, current in ((UPLOADED, uploaded(meta.generation)), (STREAMED, streamed(meta.epoch))):
        for found in store.scan(kind):
            old: list[Change] = [(key, None) for key, _ in found if key[:9] < current]
            store.write(old)
            if not old and not store.shared:
                # The embedded store gives keys in order: there are no more.
                break
    for found in store.scan(streamed(meta.epoch)):
        _trim(store, layout, meta.until, found)


def _trim(store: Store, layout: StoreLayout, until: int, found: list[tuple[bytes, bytes]]) -> None:
    """Remove expired hops of some records, unless a batch of the stream comes between."""
    names = [key for key, _ in found]
    while True:
        held, *records = store.read([META, *names])
        known = checked(names, records, store.place)
        left = merge_records(layout, known, [None] * len(names), until)
        trimmed = [row for row, now in enumerate(left) if now != known[row]]
        changes = with_checksums([names[i] for i in trimmed], [left[i] for i in trimmed])
        if not changes or store.write(changes, expect=(META, held)):
            return


def check_until(layout: StoreLayout, until: int) -> None:
    """Refuse an end that is within a hop.

    Raises
    ------
    WorkbenchError
    """
    if until % layout.step:
        kind = layout.schema.field(TIME).type
        near = until // layout.step * layout.step
        raise WorkbenchError(
            f"until: {time_of(until, kind)} is within a hop; uploads end at the end of one, "
            f"such as {time_of(near, kind)}."
        )


def check_order(meta: Meta, layout: StoreLayout, until: int) -> None:
    """Refuse an upload that ends before the one that is there.

    Raises
    ------
    WorkbenchError
    """
    if meta.generation and until < meta.until:
        kind = layout.schema.field(TIME).type
        raise WorkbenchError(
            f"until: the store has an upload until {time_of(meta.until, kind)}, and the stream's "
            f"hops before are gone; give {time_of(meta.until, kind)} or later."
        )


def check_owner(meta: Meta, layout: StoreLayout, lasting: int, store: Store) -> None:
    """Refuse a store that holds the states of another backfill.

    Raises
    ------
    WorkbenchError
    """
    if (meta.fingerprint, meta.lasting) != (layout.fingerprint, lasting):
        raise WorkbenchError(
            f"store: {store.place} holds the states of another backfill ({meta.fingerprint}, and "
            f"this one is {layout.fingerprint}); upload to an empty store, and read that one."
        )
