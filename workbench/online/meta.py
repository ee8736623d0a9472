"""What a store says of itself: its version, whose states it holds, and how far these go."""

import json
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from workbench.online.checksums import SIZE, is_sound, with_checksum
from workbench.stores import StoreError

#: The version of records, cells and of this; another one's are refused, as they would be misread.
FORMAT = 2
#: The keys of a store: this, then those of uploads by generation, and those of the stream.
META, UPLOADED, STREAMED = b"m", b"b", b"s"


@dataclass(frozen=True)
class Meta:
    """How far a store goes.

    Attributes
    ----------
    layout : dict
        What :meth:`workbench.online.layout.StoreLayout.to_json` gave.
    fingerprint : str
        That of the layout.
    lasting : int
        How long an upload serves.
    first : int
        What the generations of uploads count from, which differs from store to store.
    generation : int
        The upload that is read; 0 before the first.
    reserved : int
        The newest generation that an upload was given.
    until : int
        The end of that upload: its events are before, the stream's are not.
    events, keys : int
        What was uploaded.
    epoch : int
        Which hops of the stream are read: those of forgotten streams have other numbers.
    stream : str
        The stream that keeps the hops current.
    batch : int
        Its newest batch; -1 before the first.
    streamed, late, skipped : int
        Its events: those that count, those before ``until`` when they came, which the next upload
        brings, and those without key or time.
    batch_rows, batch_times : int
        How many events the newest batch brought, and the sum of their times, by which it is known
        when it comes again; -1 rows where nobody knows.
    """

    #: Not of a person's interest: some kilobytes of types.
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
        """Return it as a store keeps it."""
        return with_checksum(META, json.dumps(vars(self), separators=(",", ":")).encode())

    def but(self, **changes: Any) -> "Meta":
        """Return it with some changes."""
        return replace(self, **changes)


def meta_of(packed: bytes, place: str) -> Meta:
    """Return what a store says of itself.

    Raises
    ------
    StoreError
        When it is no store of the online view, one of another version, or damaged.

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
        raise _useless(place) from None
    if version != FORMAT:
        raise StoreError(
            f"store: {place} has states of version {version}, and this is version {FORMAT}; "
            "upload to an empty store."
        )
    if not sound or fingerprint_of(found["layout"]) != found["fingerprint"]:
        raise _useless(place)
    return Meta(**found)


def _useless(place: str) -> StoreError:
    return StoreError(
        f"store: {place} holds something else, or what it says of itself is damaged; "
        "upload to an empty store."
    )


def fingerprint_of(layout: dict[str, Any]) -> str:
    """Return sixteen hexadecimal digits that differ where layouts do."""
    return sha256(json.dumps(layout, sort_keys=True).encode()).hexdigest()[:16]


def stream_prefix(epoch: int) -> bytes:
    """Return what the keys of a stream's hops begin with."""
    return STREAMED + epoch.to_bytes(8, "big")


def upload_prefix(generation: int) -> bytes:
    """Return what the keys of an upload begin with."""
    return UPLOADED + generation.to_bytes(8, "big")
