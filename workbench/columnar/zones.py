"""Time zones by Spark's names, converted to those of Arrow and Python."""

import re
from collections.abc import Callable
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from workbench.durations import SECOND

#: Java's short names of zones that are not in the time zone database
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
        The name in Arrow and Python: ``"Europe/Berlin"``, or ``"+05:30"``.
    offset : int or None
        The offset from UTC in microseconds, where it is constant.
    """

    name: str
    offset: int | None


def zone_of(name: str) -> Zone:
    """Return a time zone by its name in Spark.

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
    if not (match := _OFFSET.fullmatch(name)):
        return Zone(_SHORT.get(name, name), None)
    sign, *parts = match.groups()
    hours, minutes, seconds = (int(part or 0) for part in parts)
    offset = (hours * 3600 + minutes * 60 + seconds) * (-1 if sign == "-" else 1)
    return Zone(f"{sign}{hours:02d}:{minutes:02d}", offset * SECOND)


def instants_of(clocks: pa.Array, zone: str) -> pa.Array:
    """Return the instants of local times in a zone.

    When clocks are set back, a local time occurs twice, and the first instant is returned. When
    clocks are set forward, a skipped local time is moved forward by the length of the gap. Spark
    reads times in this way, by Java's rules.

    Parameters
    ----------
    clocks : pyarrow.Array or pyarrow.ChunkedArray of timestamp[us]
        Times without a zone.
    zone : str
        A name for :func:`zone_of`.

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
    name, offset = zone_of(zone)
    if offset is None:
        before = pc.assume_timezone(clocks, name, ambiguous="earliest", nonexistent="earliest")
        offset = pc.subtract(pc.local_timestamp(before).cast(pa.int64()), before.cast(pa.int64()))
    instants = pc.subtract(clocks.cast(pa.int64()), offset)
    return instants.cast(pa.timestamp("us", "UTC"))


def has_clocks(kind: pa.DataType) -> bool:
    """Return whether a type holds times without a zone, at any depth.

    Examples
    --------
    >>> has_clocks(pa.list_(pa.timestamp("us"))), has_clocks(pa.timestamp("us", "UTC"))
    (True, False)
    """
    if pa.types.is_timestamp(kind):
        return kind.tz is None
    return any(has_clocks(kind.field(k).type) for k in range(kind.num_fields))


def as_instants(values: pa.Array, zone: str) -> pa.Array:
    """Return values with times without a zone, at any depth, converted to instants.

    Parameters
    ----------
    values : pyarrow.Array
        Times must be in microseconds.
    zone : str
        A name for :func:`zone_of`.

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
        columns = [as_instants(values.field(k), zone) for k in range(kind.num_fields)]
        fields = [kind.field(k).with_type(one.type) for k, one in enumerate(columns)]
        return pa.StructArray.from_arrays(columns, fields=fields, mask=values.is_null())
    if pa.types.is_map(kind):
        keys, items = as_instants(values.keys, zone), as_instants(values.items, zone)
        to = pa.map_(keys.type, items.type)
        elements = pa.StructArray.from_arrays([keys, items], fields=[to.key_field, to.item_field])
    else:
        elements = as_instants(values.values, zone)
        list_type = pa.large_list if pa.types.is_large_list(kind) else pa.list_
        to = list_type(kind.value_field.with_type(elements.type))
    # Offsets and nulls are unchanged.
    buffers = values.buffers()[:2]
    return pa.Array.from_buffers(
        to, len(values), buffers, values.null_count, values.offset, children=[elements]
    )


def with_zones(kind: pa.DataType, zone: Callable[[str], str]) -> pa.DataType:
    """Return a type with the zones of its instants replaced.

    Parameters
    ----------
    kind : pyarrow.DataType
    zone : function
        Returns the new name of a zone.

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
    """Return the same instants in time zones that Python can show.

    Examples
    --------
    >>> later = pa.table({"at": pa.array([0], pa.timestamp("us", "GMT+3"))})
    >>> str(readable(later).column("at").to_pylist()[0])
    '1970-01-01 03:00:00+03:00'
    """
    fields = [field.with_type(readable_type(field.type)) for field in table.schema]
    return table if fields == list(table.schema) else table.cast(pa.schema(fields))
