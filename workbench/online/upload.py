"""Uploads: written beside what is read, and read from one instant on."""

from collections.abc import Callable, Iterable, Sequence
from secrets import randbits
from typing import Any

from workbench.errors import WorkbenchError
from workbench.online.checks import check_order, check_owner, check_until
from workbench.online.checksums import verified_values, with_checksums
from workbench.online.layout import StoreLayout
from workbench.online.meta import (
    META,
    STREAMED,
    UPLOADED,
    Meta,
    meta_of,
    stream_prefix,
    upload_prefix,
)
from workbench.online.records import merge_records
from workbench.online.worker import UploadTask, Written
from workbench.stores import Change, Store, StoreError


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


def read_meta(store: Store) -> tuple[bytes | None, Meta | None]:
    """Return what a store says of itself, as it is kept and as it is read; None where it is empty.

    Raises
    ------
    WorkbenchError
        When it is no store of the online view, or of another version.
    """
    packed_meta = store.read([META])[0]
    return packed_meta, None if packed_meta is None else meta_of(packed_meta, store.place)


def reserve(store: Store, layout: StoreLayout, until: int, lasting: int) -> int:
    """Take a number for an upload, which no other one has.

    Raises
    ------
    WorkbenchError
        When the store is another backfill's, or its upload ends later.
    """
    check_until(layout, until)
    while True:
        packed_meta, meta = read_meta(store)
        if meta is None:
            first = randbits(48)
            meta = Meta(layout.to_json(), layout.fingerprint, lasting, first, reserved=first)
        check_owner(meta, layout, lasting, store)
        check_order(meta, layout, until)
        taken = meta.but(reserved=meta.reserved + 1)
        if store.write([(META, taken.to_bytes())], expect=(META, packed_meta)):
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
        packed_meta, meta = read_meta(store)
        if meta is None or not meta.first < generation <= meta.reserved:
            raise lost_records_error(store)
        check_order(meta, layout, until)
        if meta.generation > generation:
            raise WorkbenchError(
                f"upload: another one began later and is there already; {store.place} serves that."
            )
        marked = meta.but(reserved=meta.reserved + 1)
        if not store.write([(META, marked.to_bytes())], expect=(META, packed_meta)):
            continue
        if None in store.read(found.written):
            raise lost_records_error(store)
        now = marked.but(generation=generation, until=until, keys=found.keys, events=found.events)
        if store.write([(META, now.to_bytes())], expect=(META, marked.to_bytes())):
            break
    sweep(store, layout)
    return now


def lost_records_error(store: Store) -> StoreError:
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
        packed_meta, meta = read_meta(store)
        if meta is None:
            return 0
        read = {UPLOADED: upload_prefix(meta.generation), STREAMED: stream_prefix(meta.epoch)}
        old: list[Change] = [(key, None) for key in names if key[:9] < read[key[:1]]]
        if not old or store.write(old, expect=(META, packed_meta)):
            return len(old)


def _trim(store: Store, layout: StoreLayout, names: list[bytes]) -> None:
    """Remove expired hops of some records, unless a batch of the stream comes between."""
    while True:
        packed_meta, *records = store.read([META, *names])
        meta = None if packed_meta is None else meta_of(packed_meta, store.place)
        if meta is None or not meta.generation:
            return
        known = verified_values(names, records, store.place)
        left = merge_records(layout, known, [None] * len(names), meta.until)
        trimmed = [row for row, now in enumerate(left) if now != known[row]]
        changes = with_checksums([names[i] for i in trimmed], [left[i] for i in trimmed])
        if not changes or store.write(changes, expect=(META, packed_meta)):
            return
