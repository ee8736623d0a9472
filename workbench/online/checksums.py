"""Checksums of the values in a store, so that damage is an error and never a wrong number."""

from collections.abc import Iterable, Sequence
from struct import Struct
from zlib import crc32

from workbench.stores import Change, StoreError

#: Packs a checksum as bytes, and the number of these bytes.
pack_checksum, SIZE = Struct("<I").pack, 4
#: The CRC-32 of any bytes that end with their own CRC-32.
RESIDUE = 0x2144DF1C


def with_checksum(key: bytes, value: bytes) -> bytes:
    """Return a value as stored: with the CRC-32 of its key in the store and the value.

    Examples
    --------
    >>> held = with_checksum(b"a", b"value")
    >>> is_sound(b"a", held), is_sound(b"b", held), is_sound(b"a", held[1:])
    (True, False, False)
    """
    return value + pack_checksum(crc32(value, crc32(key)))


def is_sound(key: bytes, value: bytes) -> bool:
    """Return whether a stored value was written under this key and is not damaged."""
    return crc32(value, crc32(key)) == RESIDUE


def with_checksums(keys: Iterable[bytes], values: Iterable[bytes | None]) -> list[Change]:
    """Return the changes of a store for keys; None removes a key."""
    # The same as with_checksum, without a call for each value.
    return [
        (key, None if value is None else value + pack_checksum(crc32(value, crc32(key))))
        for key, value in zip(keys, values, strict=True)
    ]


def verified_values(
    keys: Sequence[bytes], values: Sequence[bytes | None], place: str
) -> list[bytes | None]:
    """Return the values without their checksums.

    Parameters
    ----------
    keys : sequence of bytes
    values : sequence of (bytes or None)
    place : str
        The store's name for users.

    Raises
    ------
    StoreError
        When one of them is damaged.
    """
    for key, one in zip(keys, values, strict=True):
        # The same as is_sound, without a call for each value.
        if one is not None and crc32(one, crc32(key)) != RESIDUE:
            raise damaged_record(key, place, key[9:])
    return [None if one is None else one[:-SIZE] for one in values]


def damaged_record(record: bytes, place: str, key: object) -> StoreError:
    """Return the error of a damaged record.

    Parameters
    ----------
    record : bytes
        Its key in the store.
    place : str
        The store's name for users.
    key : object
        Whose record it is, as a person calls it.
    """
    error = StoreError(
        f"store: the record of the key {key!r} in {place} is damaged; upload to an empty store, "
        "and start the stream from a new checkpoint."
    )
    error.record = record
    return error
