"""Checksums of what a store holds, so that damage is an error and never another number."""

from collections.abc import Iterable, Sequence
from struct import Struct
from zlib import crc32

from workbench.stores import Change, StoreError

#: A checksum as bytes, and how many it has.
pack_checksum, SIZE = Struct("<I").pack, 4
#: The CRC-32 of anything that ends with its own CRC-32.
RESIDUE = 0x2144DF1C


def with_checksum(key: bytes, value: bytes) -> bytes:
    """Return a value as a store keeps it: with the CRC-32 of its key in the store and itself.

    Examples
    --------
    >>> held = with_checksum(b"a", b"value")
    >>> is_sound(b"a", held), is_sound(b"b", held), is_sound(b"a", held[1:])
    (True, False, False)
    """
    return value + pack_checksum(crc32(value, crc32(key)))


def is_sound(key: bytes, value: bytes) -> bool:
    """Whether what a store holds under a key was written there, and is as it was written."""
    return crc32(value, crc32(key)) == RESIDUE


def with_checksums(keys: Iterable[bytes], values: Iterable[bytes | None]) -> list[Change]:
    """Return what a store is given for keys, where None is for those that go."""
    # As with_checksum has it, without a call for each.
    return [
        (key, None if value is None else value + pack_checksum(crc32(value, crc32(key))))
        for key, value in zip(keys, values, strict=True)
    ]


def verified_values(
    keys: Sequence[bytes], values: Sequence[bytes | None], place: str
) -> list[bytes | None]:
    """Return the values of what a store holds under keys.

    Parameters
    ----------
    keys : sequence of bytes
    values : sequence of (bytes or None)
    place : str
        The store, as a person calls it.

    Raises
    ------
    StoreError
        When one of them is not as it was written.
    """
    for key, one in zip(keys, values, strict=True):
        # As is_sound has it, without a call for each.
        if one is not None and crc32(one, crc32(key)) != RESIDUE:
            raise damaged_record(key, place, key[9:])
    return [None if one is None else one[:-SIZE] for one in values]


def damaged_record(record: bytes, place: str, key: object) -> StoreError:
    """Return the error of a record that is not as it was written.

    Parameters
    ----------
    record : bytes
        Its key in the store.
    place : str
        The store, as a person calls it.
    key : object
        Whose record it is, as a person calls it.
    """
    error = StoreError(
        f"store: the record of the key {key!r} in {place} is damaged; upload to an empty store, "
        "and start the stream from a new checkpoint."
    )
    error.record = record
    return error
