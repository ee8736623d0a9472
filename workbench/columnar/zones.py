"""Time zones as Spark writes them, by what Arrow and Python know of them."""

import re
from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from workbench.durations import SECOND

#: Java's short names of zones that the time zone database has no names for
#: (java.time.ZoneId.SHORT_IDS; EST, HST and MST are in the database).
_SHORT = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "AGT": "America/Argentina/Buenos_Aires",
    "ART": "Africa/Cairo",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "IET": "America/Indiana/Indianapolis",
    "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
}
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d\d?)(?::?(\d\d?)(?::?(\d\d))?)?")


class Zone(NamedTuple):
    """A time zone.

    Attributes
    ----------
    name : str
        As Arrow and Python know it: ``"Europe/Berlin"``, or ``"+05:30"``.
    offset : int or None
        How far its clocks are ahead of UTC, in microseconds, where that is always the same.
    """

    name: str
    offset: int | None


def zone_of(name: str) -> Zone:
    """Return a time zone by the name that Spark has for it.

    Parameters
    ----------
    name : str
        A region, a short name such as ``"PST"``, or an offset such as ``"+5:30"``, ``"GMT+3"``,
        ``"UTC+01:00"`` or ``"Z"``.

    Returns
    -------
    Zone

    Examples
    --------
    >>> zone_of("GMT+3").name, zone_of("Z").offset, zone_of("PST")
    ('+03:00', 0, Zone(name='America/Los_Angeles', offset=None))
    """
    if name in ("Z", "UTC", "GMT", "UT"):
        return Zone("UTC", 0)
    if not (found := _OFFSET.fullmatch(name)):
        return Zone(_SHORT.get(name, name), None)
    sign, *parts = found.groups()
    hours, minutes, seconds = (int(part or 0) for part in parts)
    ahead = (hours * 3600 + minutes * 60 + seconds) * (-1 if sign == "-" else 1)
    return Zone(f"{sign}{hours:02d}:{minutes:02d}", ahead * SECOND)


def instants_of(clocks: pa.Array, zone: str) -> pa.Array:
    """Return when the clocks of a zone show some times.

    Where clocks are put back a time is there twice, and the first is taken; where they are put
    forward a time is not there, and stands as far behind the change as it is behind its begin. So
    Spark reads times, by Java's rules.

    Parameters
    ----------
    clocks : pyarrow.Array or pyarrow.ChunkedArray of timestamp[us]
        Times without a zone.
    zone : str
        As :func:`zone_of` takes it.

    Returns
    -------
    pyarrow.Array or pyarrow.ChunkedArray of timestamp[us, UTC]

    Examples
    --------
    >>> from datetime import datetime
    >>> clocks = pa.array([datetime(2024, 3, 10, 2, 30), datetime(2024, 11, 3, 1, 30)])
    >>> [str(one) for one in instants_of(clocks, "America/New_York")]
    ['2024-03-10 07:30:00+00:00', '2024-11-03 05:30:00+00:00']
    """
    name, ahead = zone_of(zone)
    if ahead is None:
        before = pc.assume_timezone(clocks, name, ambiguous="earliest", nonexistent="earliest")
        ahead = pc.subtract(pc.local_timestamp(before).cast(pa.int64()), before.cast(pa.int64()))
    found = pc.subtract(clocks.cast(pa.int64()), ahead)
    return found.cast(pa.timestamp("us", "UTC"))


def has_clocks(kind: pa.DataType) -> bool:
    """Say whether a type holds times without a zone, at any depth.

    Examples
    --------
    >>> has_clocks(pa.list_(pa.timestamp("us"))), has_clocks(pa.timestamp("us", "UTC"))
    (True, False)
    """
    if pa.types.is_timestamp(kind):
        return kind.tz is None
    return any(has_clocks(kind.field(k).type) for k in range(kind.num_fields))


def as_instants(values: pa.Array, zone: str) -> pa.Array:
    """Return values in which times without a zone, at any depth, are instants.

    Parameters
    ----------
    values : pyarrow.Array
        Times are microseconds.
    zone : str
        As :func:`instants_of` takes it.

    Returns
    -------
    pyarrow.Array

    Examples
    --------
    >>> from datetime import datetime
    >>> clocks = pa.array([[datetime(2024, 3, 10, 2, 30)], None, []])
    >>> as_instants(clocks, "America/New_York").type
    ListType(list<item: timestamp[us, tz=UTC]>)
    """
    kind = values.type
    if not has_clocks(kind):
        return values
    if pa.types.is_timestamp(kind):
        return instants_of(values, zone)
    if pa.types.is_struct(kind):
        held = [as_instants(values.field(k), zone) for k in range(kind.num_fields)]
        fields = [kind.field(k).with_type(one.type) for k, one in enumerate(held)]
        return pa.StructArray.from_arrays(held, fields=fields, mask=values.is_null())
    if pa.types.is_map(kind):
        keys, items = as_instants(values.keys, zone), as_instants(values.items, zone)
        made = pa.map_(keys.type, items.type)
        inside = pa.StructArray.from_arrays([keys, items], fields=[made.key_field, made.item_field])
    else:
        inside = as_instants(values.values, zone)
        make = pa.large_list if pa.types.is_large_list(kind) else pa.list_
        made = make(kind.value_field.with_type(inside.type))
    # Which values each row has, and which rows are null, is as it was.
    own = values.buffers()[:2]
    return pa.Array.from_buffers(
        made, len(values), own, values.null_count, values.offset, children=[inside]
    )


def with_zones(kind: pa.DataType, zone: Callable[[str], str]) -> pa.DataType:
    """Return a type whose instants are shown in other zones.

    Parameters
    ----------
    kind : pyarrow.DataType
    zone : function
        Gives the name of a zone in the place of another.

    Returns
    -------
    pyarrow.DataType

    Examples
    --------
    >>> with_zones(pa.map_(pa.string(), pa.timestamp("us", "Asia/Tokyo")), lambda _: "UTC")
    MapType(map<string, timestamp[us, tz=UTC]>)
    """
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return pa.timestamp(kind.unit, zone(kind.tz))
    if pa.types.is_map(kind):
        return pa.map_(with_zones(kind.key_type, zone), with_zones(kind.item_type, zone))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(with_zones(kind.value_type, zone)))
    return kind


def readable_type(kind: pa.DataType) -> pa.DataType:
    """Return a type whose instants Python can show."""
    return with_zones(kind, lambda name: zone_of(name).name)


def readable(table: pa.Table) -> pa.Table:
    """Return the same instants in time zones that Python can show them in.

    Examples
    --------
    >>> later = pa.table({"at": pa.array([0], pa.timestamp("us", "GMT+3"))})
    >>> str(readable(later).column("at").to_pylist()[0])
    '1970-01-01 03:00:00+03:00'
    """
    fields = [field.with_type(readable_type(field.type)) for field in table.schema]
    return table if fields == list(table.schema) else table.cast(pa.schema(fields))
