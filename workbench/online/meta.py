"""The metadata of a store: its version, its backfill, and how far its states go."""

import json
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from workbench.online.checksums import SIZE, is_sound, with_checksum
from workbench.stores import StoreError

#: The version of records, cells and metadata. Other versions are refused, as they would be misread.
FORMAT = 2
#: The prefixes of keys in a store: the metadata, uploads by generation, and the stream.
META, UPLOADED, STREAMED = b"m", b"b", b"s"


@dataclass(frozen=True)
class Meta:
    """The metadata of a store.

    Attributes
    ----------
    layout : dict
        The result of :meth:`workbench.online.layout.StoreLayout.to_json`.
    fingerprint : str
        The fingerprint of the layout.
    lasting : int
        How long an upload serves.
    first : int
        The number before the first generation of uploads, which differs from store to store.
    generation : int
        The upload that is read; 0 before the first.
    reserved : int
        The newest generation that was assigned to an upload.
    until : int
        The end of that upload: its events are before, the stream's are not.
    events, keys : int
        The numbers of uploaded events and keys.
    epoch : int
        The number of the stream whose hops are read; forgotten streams have other numbers.
    stream : str
        The stream that keeps the hops current.
    batch : int
        Its newest batch; -1 before the first.
    streamed, late, skipped : int
        Its numbers of events: those that count, those that were before ``until`` when they arrived
        (the next upload has them), and those without key or time.
    batch_rows, batch_times : int
        The number of events of the newest batch and the sum of their times, to recognize the batch
        if it is repeated; -1 rows if unknown.
    """

    #: Not shown: some kilobytes of types.
    layout: dict[str, Any] = field(repr=False)
    fingerprint: str
    lasting: int
    first: int = 0
    generation: int = 0
    reserved: int = 0
    until: int = 0
    events: int = 0
    keys: int = 0
    epoch: int = 0
    stream: str = ""
    batch: int = -1
    streamed: int = 0
    late: int = 0
    skipped: int = 0
    batch_rows: int = -1
    batch_times: int = 0
    format: int = field(default=FORMAT)

    def to_bytes(self) -> bytes:
        """Return the metadata as a store keeps it."""
        return with_checksum(META, json.dumps(vars(self), separators=(",", ":")).encode())

    def but(self, **changes: Any) -> "Meta":
        """Return the metadata with some changes."""
        return replace(self, **changes)


def meta_of(packed: bytes, place: str) -> Meta:
    """Return the metadata of a store from its bytes.

    Raises
    ------
    StoreError
        When it is not that of an online view, is of another version, or is damaged.

    Examples
    --------
    >>> meta_of(b'{"format": 9}', "the store in /tmp/features")
    Traceback (most recent call last):
    workbench.stores.StoreError: store: the store in /tmp/features has states of version 9, \
and this is version 2; upload to an empty store.
    """
    # The first version had no checksums.
    sound = is_sound(META, packed)
    try:
        found = json.loads(packed[:-SIZE] if sound else packed)
        version = found["format"]
    except (ValueError, TypeError, KeyError):
        raise _unreadable(place) from None
    if version != FORMAT:
        raise StoreError(
            f"store: {place} has states of version {version}, and this is version {FORMAT}; "
            "upload to an empty store."
        )
    if not sound or fingerprint_of(found["layout"]) != found["fingerprint"]:
        raise _unreadable(place)
    return Meta(**found)


def _unreadable(place: str) -> StoreError:
    return StoreError(
        f"store: {place} holds something else, or its metadata is damaged; "
        "upload to an empty store."
    )


def fingerprint_of(layout: dict[str, Any]) -> str:
    """Return sixteen hexadecimal digits that differ for different layouts."""
    return sha256(json.dumps(layout, sort_keys=True).encode()).hexdigest()[:16]


def stream_prefix(epoch: int) -> bytes:
    """Return the prefix of the keys of a stream's hops."""
    return STREAMED + epoch.to_bytes(8, "big")


def upload_prefix(generation: int) -> bytes:
    """Return the prefix of the keys of an upload."""
    return UPLOADED + generation.to_bytes(8, "big")
