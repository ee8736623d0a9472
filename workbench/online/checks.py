"""Checks of a view and its store: errors of one sentence."""

from os import PathLike
from typing import Any

import pyarrow as pa

from workbench.arguments import check_text, is_iterable
from workbench.columnar.blocks import TIME
from workbench.columnar.value_texts import time_of
from workbench.durations import exact_text
from workbench.errors import WorkbenchError, kind_in_words
from workbench.online.encoding import first_instant
from workbench.online.layout import StoreLayout
from workbench.online.meta import Meta
from workbench.stores import Store

#: What to do when it is unknown which events the store has already.
BEGIN_ANEW = (
    "start it from a new checkpoint, with all events since the upload's end, after "
    "view.forget_stream()."
)


def check_backfill(value: Any) -> None:
    """Refuse a value that is no backfill.

    Raises
    ------
    WorkbenchError
    """
    from workbench.backfill.backfill import Backfill

    if not isinstance(value, Backfill):
        raise WorkbenchError(f"backfill: {value!r} is not a backfill; give wb.Backfill(...).")


def check_keys(keys: Any) -> None:
    """Refuse several keys in another collection than a list; a tuple is one key of several columns.

    Raises
    ------
    WorkbenchError
    """
    if is_iterable(keys) and not isinstance(keys, list | tuple | str | bytes):
        raise WorkbenchError(
            f"keys: this is {kind_in_words(keys)}; give one key, or several in a list, as "
            "tuples where the key has several columns."
        )


def check_checkpoint(value: Any) -> None:
    """Refuse a value that is no path for a checkpoint.

    Raises
    ------
    WorkbenchError
    """
    if not isinstance(value, str | PathLike) or not str(value):
        raise WorkbenchError(
            f"checkpoint: {value!r} is not a path; give the folder where Spark keeps the progress "
            "of the stream."
        )
    check_text(str(value), "checkpoint")


def check_until(layout: StoreLayout, until: int) -> None:
    """Refuse an end that is within a hop.

    Raises
    ------
    WorkbenchError
    """
    if until % layout.step:
        kind = layout.schema.field(TIME).type
        near = until // layout.step * layout.step
        if near < first_instant(kind):
            near += layout.step
        raise WorkbenchError(
            f"until: {time_of(until, kind)} is within a hop; uploads end at the end of one, "
            f"such as {time_of(near, kind)}."
        )


def check_order(meta: Meta, layout: StoreLayout, until: int) -> None:
    """Refuse an upload that ends before the one in the store.

    Raises
    ------
    WorkbenchError
    """
    if meta.generation and until < meta.until:
        kind = layout.schema.field(TIME).type
        raise WorkbenchError(
            f"until: the store has an upload until {time_of(meta.until, kind)}, and the stream's "
            f"hops before it are gone; give {time_of(meta.until, kind)} or later."
        )


def check_owner(meta: Meta, layout: StoreLayout, lasting: int, store: Store) -> None:
    """Refuse a store of another backfill, of columns of other types, or with another ``lasting``.

    Raises
    ------
    WorkbenchError
    """
    if meta.fingerprint != layout.fingerprint:
        _check_types(meta, layout, store)
        raise WorkbenchError(
            f"store: {store.place} holds the states of another backfill ({meta.fingerprint}, and "
            f"this one is {layout.fingerprint}); upload to an empty store, and read that one."
        )
    if meta.lasting != lasting:
        kind = layout.schema.field(TIME).type
        ours, theirs = (_length(one, kind) for one in (lasting, meta.lasting))
        raise WorkbenchError(
            f"lasting: uploads to {store.place} serve for {theirs}, and those of this view for "
            f"{ours}; give the view lasting={theirs!r}, or an empty store."
        )


def _check_types(meta: Meta, layout: StoreLayout, store: Store) -> None:
    """Refuse a store of the same backfill if columns of the events have other types."""
    known = StoreLayout.of_json(meta.layout)
    if known.backfill != layout.backfill or known.schema.names != layout.schema.names:
        return
    pairs = zip(known.schema.types, layout.schema.types, strict=True)
    differing = [f"{now} in place of {before}" for before, now in pairs if now != before]
    if differing:
        raise WorkbenchError(
            f"events: columns have other types than the states in {store.place}, "
            f"{', '.join(differing)}; cast them to those types, or upload to an empty store."
        )


def _length(length: int, kind: pa.DataType) -> int | str:
    """Return how long an upload serves, as users give it."""
    return length if pa.types.is_integer(kind) else exact_text(length)


def check_stream(meta: Meta, stream: str) -> None:
    """Refuse a second stream, as it is unknown which of its events the store has already.

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
    """Refuse a batch that does not follow the store's newest one, as events would be missing.

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
    """Refuse a batch that differs from the one that was applied under its number.

    An intact checkpoint repeats the newest batch with the same events. One that was restored, or
    lost its newest files in a crash, may repeat it with events that the store does not have.

    Raises
    ------
    WorkbenchError
    """
    same = meta.batch_rows < 0 or (rows, times) == (meta.batch_rows, meta.batch_times)
    if batch != meta.batch or not same:
        raise WorkbenchError(
            f"stream: its checkpoint repeats batch {batch}, but the store has the batches up "
            f"to {meta.batch} with other events, so the checkpoint is an older one; {BEGIN_ANEW}"
        )
