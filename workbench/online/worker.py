"""The task of an upload: rolls whole keys up to records, and writes these."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from workbench.columnar.blocks import TIME
from workbench.columnar.instants import instants
from workbench.columnar.key_codes import as_array
from workbench.columnar.process import freeze_gc
from workbench.columnar.subpartitions import subpartitions
from workbench.online.checksums import with_checksums
from workbench.online.layout import StoreLayout
from workbench.online.meta import upload_prefix
from workbench.online.records import record_of, sections_of_events
from workbench.online.states.numeric import roll_up_events
from workbench.stores import Change, Store

#: The number of records in a transaction; others may write between two of them.
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
    """The counts and records that a task has written.

    Attributes
    ----------
    keys, events, after : int
        The numbers of keys and events before the end of the upload, and of events after it.
    written : list of bytes
        The key of one record of each transaction, to check that the transaction is not lost.
    """

    keys: int
    events: int
    after: int
    written: list[bytes]


@dataclass(frozen=True)
class UploadTask:
    """Writes the records of whole keys.

    Attributes
    ----------
    store : Store
    layout : StoreLayout
    generation, until, lasting : int
    records_at_once : int
        The number of records in a transaction.
    """

    store: Store
    layout: StoreLayout
    generation: int
    until: int
    lasting: int
    records_at_once: int = RECORDS_AT_ONCE

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Write the records of a Spark partition, which has all events of its keys."""
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
        """Return the change of the store for each key, in order."""
        prefix = upload_prefix(self.generation)
        windows = [part.upload_windows(self.until, self.lasting) for part in self.layout.parts]
        if self.layout.plain:
            cells = roll_up_events(
                self.layout, self.layout.parts[0], events, windows[0], self.until
            )
            return with_checksums(*cells.records(prefix))
        found = sections_of_events(self.layout, events, windows, self.until, self.lasting)
        keys = sorted(found)
        records = (record_of(self.layout, found[key]) for key in keys)
        return with_checksums([prefix + key for key in keys], records)
