"""Fetches: the features of many keys from a store, without Spark."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any

from workbench.columnar.blocks import TIME
from workbench.columnar.value_texts import time_of
from workbench.errors import WorkbenchError
from workbench.online.checksums import damaged_record, verified_values
from workbench.online.encoding import key_of
from workbench.online.layout import StoreLayout
from workbench.online.meta import META, Meta, meta_of
from workbench.online.serving import BEYOND, UNKNOWN, Row, Serving
from workbench.stores import Store, StoreError

if TYPE_CHECKING:
    import pandas as pd

Key = Any


@dataclass(frozen=True)
class Fetched:
    """The result of a fetch.

    Attributes
    ----------
    keys : tuple
        The requested keys.
    rows : tuple of (dict or None)
        The features of each key, by name; None for a key with an error.
    errors : dict of key to str
        One sentence for each key without an answer. Keys that are equal in Python, such as 0 and
        0.0, share one entry; ``fetched[key]`` tells them apart.
    """

    keys: tuple[Key, ...]
    rows: tuple[Row | None, ...]
    errors: Mapping[Key, str]
    _sentences: tuple[str | None, ...] = field(default=(), repr=False)
    _names: tuple[str, ...] = field(default=(), repr=False)

    def __getitem__(self, key: Key) -> Row:
        """Return the features of a key.

        Raises
        ------
        WorkbenchError
            When the key has no answer.
        """
        requested = _hashable(key)
        places = [i for i, one in enumerate(self.keys) if one is requested or one == requested]
        if not places:
            raise WorkbenchError(f"key: {key!r} was not asked for.")
        # 0, 0.0 and False are equal, and at most one of them is a key of the store.
        place = min(places, key=lambda i: repr(self.keys[i]) != repr(requested))
        row = self.rows[place]
        if row is None:
            raise WorkbenchError(self._sentences[place])
        return row

    def __iter__(self) -> Iterator[Row | None]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def to_pandas(self) -> "pd.DataFrame":
        """Return a row for each key, with its features and its error."""
        import pandas as pd

        found = pd.DataFrame([row or {} for row in self.rows], columns=list(self._names))
        found.insert(0, "key", list(self.keys))
        found["error"] = list(self._sentences)
        return found


class StoreReader:
    """Reads the features of one backfill from a store.

    Parameters
    ----------
    store : Store
    backfill : str
        The text of the backfill, by which the store identifies it.
    """

    def __init__(self, store: Store, backfill: str) -> None:
        self.store, self.backfill = store, backfill
        self._serving: Serving | None = None

    def serving(self) -> Serving:
        """Return the state that fetches need of the newest upload."""
        return self._serving or self._serving_of(self.store.read([META])[0])

    def read(self, keys: Sequence[bytes]) -> tuple[Serving, list[bytes | None]]:
        """Return the records of keys, and the state to read them by, both of one instant."""
        serving = self.serving()
        while True:
            before, after = serving.prefixes
            names = [META, *[before + key for key in keys], *[after + key for key in keys]]
            packed_meta, *records = self.store.read(names)
            if packed_meta != serving.packed_meta:
                prefixes, serving = serving.prefixes, self._serving_of(packed_meta)
                if prefixes != serving.prefixes:
                    continue
            return serving, verified_values(names[1:], records, self.store.place)

    def _serving_of(self, packed_meta: bytes | None) -> Serving:
        meta = None if packed_meta is None else meta_of(packed_meta, self.store.place)
        if packed_meta is None or meta is None or not meta.generation:
            raise WorkbenchError(
                f"store: nothing has been uploaded to {self.store.place} yet; "
                "call view.upload(events, until=...) first."
            )
        last = self._serving
        if last and _serves_alike(last.meta, meta):
            last.packed_meta, last.meta = packed_meta, meta
            return last
        layout = StoreLayout.of_json(meta.layout)
        if layout.backfill != self.backfill:
            raise WorkbenchError(
                f"store: {self.store.place} holds the states of another backfill, "
                f"{layout.backfill}; read it with that one, or upload this one to an empty store."
            )
        self._serving = Serving(packed_meta, meta, layout)
        return self._serving


def fetch_features(reading: StoreReader, keys: Sequence[Key], at: int) -> Fetched:
    """Return the features of keys at a time.

    Raises
    ------
    WorkbenchError
        When nothing is uploaded, when the upload does not serve this time, or the store is down or
        damaged.
    """
    while True:
        layout = reading.serving().layout
        names, valid, sentences = _encode_keys(layout, keys)
        try:
            serving, records = reading.read(names)
        except StoreError as error:
            if error.record is None:
                raise
            key = keys[valid[names.index(error.record[9:])]]
            raise damaged_record(error.record, reading.store.place, key) from None
        if serving.layout is layout:
            break
    _check_time(serving, at, reading.store.place)
    rows: list[Row | None] = [None] * len(keys)
    for place, row in zip(valid, serving.rows(records, at), strict=True):
        if isinstance(row, str):
            sentences[place] = _error_text(row, keys[place], serving, at)
        else:
            rows[place] = row
    hashable_keys = tuple(map(_hashable, keys))
    errors = dict(compress(zip(hashable_keys, sentences, strict=True), sentences))
    return Fetched(hashable_keys, tuple(rows), errors, tuple(sentences), serving.names)


def _encode_keys(
    layout: StoreLayout, keys: Sequence[Key]
) -> tuple[list[bytes], list[int], list[str | None]]:
    """Return the bytes of valid keys, their positions, and an error for each invalid key."""
    several, names, valid = len(layout.keys) > 1, [], []
    sentences: list[str | None] = [None] * len(keys)
    for place, key in enumerate(keys):
        try:
            names.append(_bytes_of(layout, key, several))
            valid.append(place)
        except WorkbenchError as error:
            sentences[place] = str(error)
    return names, valid, sentences


def _serves_alike(one: Meta, other: Meta) -> bool:
    """Return whether records are read in the same way under two versions of a store's metadata."""
    names = "first", "generation", "epoch", "until", "lasting", "fingerprint"
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _bytes_of(layout: StoreLayout, key: Key, several: bool) -> bytes:
    if not several:
        return key_of((key,), layout.key_kinds, layout.keys)
    if not isinstance(key, tuple) or len(key) != len(layout.keys):
        raise WorkbenchError(
            f"key: {key!r} is not a key; give a tuple of {', '.join(map(repr, layout.keys))}."
        )
    return key_of(key, layout.key_kinds, layout.keys)


def _hashable(key: Key) -> Key:
    try:
        hash(key)
    except TypeError:
        return repr(key)
    return key


def _error_text(what: str, key: Key, serving: Serving, at: int) -> str:
    kind = serving.layout.schema.field(TIME).type
    if what == UNKNOWN:
        return f"key: {key!r} is not in the store: it has no event that was uploaded or streamed."
    if what == BEYOND:
        return (
            f"at: {key!r} has an event at {time_of(at, kind)} or later in a hop that has begun, "
            "and a hop cannot be cut; ask later, or use wb.Backfill.run."
        )
    return what


def _check_time(serving: Serving, at: int, place: str) -> None:
    meta = serving.meta
    if meta.until <= at <= meta.until + meta.lasting:
        return
    kind = serving.layout.schema.field(TIME).type
    until = time_of(meta.until, kind)
    if at < meta.until:
        raise WorkbenchError(
            f"at: {time_of(at, kind)} is before {until}, where the upload to {place} ends; "
            "use wb.Backfill.run for the past."
        )
    # Computed only for the error, as it may be after Python's last date.
    last = time_of(meta.until + meta.lasting, kind)
    raise WorkbenchError(
        f"at: {time_of(at, kind)} is after {last}, up to which the upload until {until} serves; "
        "upload again, or give the view a longer lasting=."
    )
