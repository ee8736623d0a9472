"""Uploads: collapsed states and tail hops of every key, written beside those that are read.

Executors load this module, so it needs pyarrow, numpy and the kernels and nothing else.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from secrets import randbits
from typing import Any, NamedTuple

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
COUNTED = pa.schema(
    {
        "keys": pa.int64(),
        "events": pa.int64(),
        "after": pa.int64(),
        "written": pa.list_(pa.binary()),
    }
)


class Written(NamedTuple):
    """What a task has written.

    Attributes
    ----------
    keys, events, after : int
        How many there are before the end of the upload, and how many events later.
    written : list of bytes
        The name of a record of each transaction, which is there while the transaction is.
    """

    keys: int
    events: int
    after: int
    written: list[bytes]


@dataclass(frozen=True)
class UploadTask:
    """Write the records of whole keys.

    Attributes
    ----------
    store : Store
    layout : StoreLayout
    generation, until, lasting : int
    records_at_once : int
        How many are one transaction.
    """

    store: Store
    layout: StoreLayout
    generation: int
    until: int
    lasting: int
    records_at_once: int = RECORDS_AT_ONCE

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write for a Spark partition that holds all events of its keys, and count."""
        freeze_gc()
        for parts in subpartitions(batches):
            found = self.write(pa.Table.from_batches(parts))
            yield pa.RecordBatch.from_pylist([found._asdict()], COUNTED)

    def write(self, events: pa.Table) -> Written:
        """Write the records of events.

        Parameters
        ----------
        events : pyarrow.Table
            All events of their keys, none with a null in key or time.

        Returns
        -------
        Written
        """
        before = instants(as_array(events.column(TIME))) < self.until
        known = events.filter(pa.array(before))
        records = self.records(known)
        firsts = range(0, len(records), self.records_at_once)
        for first in firsts:
            self.store.write(records[first : first + self.records_at_once])
        written = [records[first][0] for first in firsts]
        return Written(len(records), len(known), int(len(before) - before.sum()), written)

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


def upload(
    store: Store,
    layout: StoreLayout,
    until: int,
    lasting: int,
    job: Callable[[UploadTask], Iterable[Sequence[Any]]],
) -> Written:
    """Write an upload beside the one that is read, and let readers see it when it is whole.

    Parameters
    ----------
    store : Store
    layout : StoreLayout
    until, lasting : int
    job : function
        Runs the task over the events of all keys, and returns the rows that it gives. Where it
        fails, or this process ends, readers go on with the upload before, and the next one cleans
        up.

    Returns
    -------
    Written

    Raises
    ------
    WorkbenchError
        When the store is another backfill's, another upload came between, or the store has lost
        some of what was written.
    """
    generation = reserve(store, layout, until, lasting)
    parts = [Written(*one) for one in job(UploadTask(store, layout, generation, until, lasting))]
    found = Written(
        sum(one.keys for one in parts),
        sum(one.events for one in parts),
        sum(one.after for one in parts),
        [name for one in parts for name in one.written],
    )
    switch(store, layout, generation, until, found)
    return found


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


def switch(store: Store, layout: StoreLayout, generation: int, until: int, found: Written) -> Meta:
    """Let readers see an upload from now on, all of it at one instant, and drop older ones.

    Raises
    ------
    WorkbenchError
        When an upload that ends later, or began later, came first, or the store has lost some of
        what was written.

    Notes
    -----
    A server that comes back with an older snapshot has lost what was written last. That the records
    are there is asked behind a change of the store's own record: so one that loses them between
    this and the switch has another record than the switch expects.
    """
    while True:
        held, meta = known_meta(store)
        if meta is None or not meta.first < generation <= meta.reserved:
            raise lost(store)
        check_order(meta, layout, until)
        if meta.generation > generation:
            raise WorkbenchError(
                f"upload: another one began later and is there already; {store.place} serves that."
            )
        marked = meta.but(reserved=meta.reserved + 1)
        if not store.write([(META, marked.to_bytes())], expect=(META, held)):
            continue
        if None in store.read(found.written):
            raise lost(store)
        now = marked.but(generation=generation, until=until, keys=found.keys, events=found.events)
        if store.write([(META, now.to_bytes())], expect=(META, marked.to_bytes())):
            break
    sweep(store, layout)
    return now


def lost(store: Store) -> StoreError:
    """Return what is said of a store that has not kept what it took."""
    return StoreError(
        f"store: {store.place} was emptied or replaced while the upload ran; upload again."
    )


def sweep(store: Store, layout: StoreLayout) -> None:
    """Remove the records of older uploads and forgotten streams, and hops that the upload has.

    Whatever is removed is so on the condition that the store's own record, read just before, says
    that nobody reads it: a store that has come back with an older snapshot reads others again.
    """
    for kind in (UPLOADED, STREAMED):
        for found in store.scan(kind):
            if not _removed(store, [key for key, _ in found]) and not store.shared:
                # The embedded store gives keys in order: there are no more.
                break
    for found in store.scan(STREAMED):
        _trim(store, layout, [key for key, _ in found])


def _removed(store: Store, names: list[bytes]) -> int:
    """Remove those of some records that nobody reads, and return how many there were."""
    while True:
        held, meta = known_meta(store)
        if meta is None:
            return 0
        read = {UPLOADED: uploaded(meta.generation), STREAMED: streamed(meta.epoch)}
        old: list[Change] = [(key, None) for key in names if key[:9] < read[key[:1]]]
        if not old or store.write(old, expect=(META, held)):
            return len(old)


def _trim(store: Store, layout: StoreLayout, names: list[bytes]) -> None:
    """Remove expired hops of some records, unless a batch of the stream comes between."""
    while True:
        held, *records = store.read([META, *names])
        meta = None if held is None else meta_of(held, store.place)
        if meta is None or not meta.generation:
            return
        known = checked(names, records, store.place)
        left = merge_records(layout, known, [None] * len(names), meta.until)
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
