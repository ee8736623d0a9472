"""Uploads: written next to the current one, and switched to at one instant."""

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
    """Write an upload next to the current one, and switch readers to it when it is complete.

    Parameters
    ----------
    store : Store
    layout : StoreLayout
    until, lasting : int
    job : function
        Runs the task over the events of all keys, and returns its rows. If it fails, or this
        process ends, readers keep the current upload, and the next one cleans up.

    Returns
    -------
    Written

    Raises
    ------
    WorkbenchError
        When the store is another backfill's, another upload came first, or the store has lost some
        of the written records.
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
    """Return a store's metadata, packed and read, or None if the store is empty.

    Raises
    ------
    WorkbenchError
        When the store is not that of an online view, or is of another version.
    """
    packed_meta = store.read([META])[0]
    return packed_meta, None if packed_meta is None else meta_of(packed_meta, store.place)


def reserve(store: Store, layout: StoreLayout, until: int, lasting: int) -> int:
    """Reserve a number for an upload that no other upload has.

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
        reserved = meta.but(reserved=meta.reserved + 1)
        if store.write([(META, reserved.to_bytes())], expect=(META, packed_meta)):
            return reserved.reserved


def switch(store: Store, layout: StoreLayout, generation: int, until: int, found: Written) -> Meta:
    """Switch readers to an upload at one instant, and remove older ones.

    Raises
    ------
    WorkbenchError
        When an upload that ends later, or began later, came first, or the store has lost some of
        the written records.

    Notes
    -----
    A server that restarts with an older snapshot has lost the latest writes. So the metadata is
    changed first, then the records are checked: a server that loses them between the check and the
    switch also loses this change, and the switch fails as it expects it.
    """
    while True:
        packed_meta, meta = read_meta(store)
        if meta is None or not meta.first < generation <= meta.reserved:
            raise lost_records_error(store)
        check_order(meta, layout, until)
        if meta.generation > generation:
            raise WorkbenchError(
                f"upload: another one that began later is already there; {store.place} serves that."
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
    """Return the error of a store that has lost written records."""
    return StoreError(
        f"store: {store.place} was emptied or replaced while the upload ran; upload again."
    )


def sweep(store: Store, layout: StoreLayout) -> None:
    """Remove the records of older uploads and forgotten streams, and hops that the upload contains.

    Each removal is conditional on metadata, read just before, by which these records are not read:
    a store that restarts with an older snapshot may read others again.
    """
    for kind in (UPLOADED, STREAMED):
        for found in store.scan(kind):
            if not _remove_unread(store, [key for key, _ in found]) and not store.shared:
                # The embedded store yields keys in order, so there are no more.
                break
    _, meta = read_meta(store)
    if meta is not None:
        # By the whole prefix: in a Redis, the name of another store can begin with this one's name.
        for found in store.scan(stream_prefix(meta.epoch)):
            _trim(store, layout, [key for key, _ in found])


def _remove_unread(store: Store, names: list[bytes]) -> int:
    """Remove the records that are not read any more, and return their number."""
    while True:
        packed_meta, meta = read_meta(store)
        if meta is None:
            return 0
        read = {UPLOADED: upload_prefix(meta.generation), STREAMED: stream_prefix(meta.epoch)}
        old: list[Change] = [(key, None) for key in names if key[:9] < read[key[:1]]]
        if not old or store.write(old, expect=(META, packed_meta)):
            return len(old)


def _trim(store: Store, layout: StoreLayout, names: list[bytes]) -> None:
    """Remove expired hops of some records, and retry if a batch of the stream comes first."""
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
