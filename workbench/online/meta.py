"""What a store says of itself: its version, whose states it holds, and how far these go.

Executors load this module, so it needs the standard library and pyarrow and nothing else.
"""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from workbench.errors import WorkbenchError

#: The version of records, cells and of this; another one's are refused, as they would be misread.
FORMAT = 1
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
    """

    layout: dict[str, Any]
    fingerprint: str
    lasting: int
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
    format: int = field(default=FORMAT)

    def to_bytes(self) -> bytes:
        """Return it as a store keeps it."""
        return json.dumps(asdict(self), separators=(",", ":")).encode()

    def but(self, **changes: Any) -> "Meta":
        """Return it with some changes."""
        return replace(self, **changes)


def meta_of(held: bytes, place: str) -> Meta:
    """Return what a store says of itself.

    Raises
    ------
    WorkbenchError
        When it is no store of the online view, or of another version.

    Examples
    --------
    >>> meta_of(b'{"format": 9}', "the store in /tmp/features")
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: store: the store in /tmp/features has states of version 9, \
and this is version 1; upload to an empty store.
    """
    try:
        found = json.loads(held)
        version = found["format"]
    except (ValueError, TypeError, KeyError):
        raise WorkbenchError(
            f"store: {place} holds something else; give one that is empty."
        ) from None
    if version != FORMAT:
        raise WorkbenchError(
            f"store: {place} has states of version {version}, and this is version {FORMAT}; "
            "upload to an empty store."
        )
    return Meta(**found)


def streamed(epoch: int) -> bytes:
    """Return what the keys of a stream's hops begin with."""
    return STREAMED + epoch.to_bytes(8, "big")


def uploaded(generation: int) -> bytes:
    """Return what the keys of an upload begin with."""
    return UPLOADED + generation.to_bytes(8, "big")
