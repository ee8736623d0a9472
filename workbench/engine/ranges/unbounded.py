"""The rows outside of a piece that a call looks at, and what replaces them: states, or few rows.

A frame without a bound holds all rows before a piece, or after it. Where the states of a call's
aggregate can be merged, one state replaces these rows. A call that picks a row needs only the few
rows that it may pick.
"""

from collections.abc import Iterable
from dataclasses import replace

import pyarrow as pa

from workbench.engine.block import Call
from workbench.engine.partials import partial_states
from workbench.frames.frame import WHOLE, Frame
from workbench.functions.catalogue import (
    BACK,
    NO_OPTIONS,
    NTH,
    PARTITION,
    RANKING,
    SHIFT,
    FunctionInfo,
    Options,
)

#: The most rows that a piece gets for a call from each bundling worker.
MOST_KEPT = 1_000


def unbounded_sides(info: FunctionInfo, options: Options, frame: Frame) -> tuple[bool, bool]:
    """Return whether a function looks at all rows before the current one, and at all after it.

    Parameters
    ----------
    info : FunctionInfo
    options : Options
    frame : Frame

    Returns
    -------
    (bool, bool)

    Examples
    --------
    >>> from workbench.functions.catalogue import info_of
    >>> unbounded_sides(info_of("sum"), NO_OPTIONS, Frame.rows(None, -2))
    (True, False)
    >>> unbounded_sides(info_of("percent_rank"), NO_OPTIONS, WHOLE)
    (True, True)
    """
    if info.has_frame:
        return frame.low is None, frame.high is None
    if info.family == SHIFT:
        back = (info.extent == BACK) == (options.n > 0)
        return options.ignore_nulls and back, options.ignore_nulls and not back
    return True, info.extent == PARTITION


def why_all_rows(name: str, info: FunctionInfo, options: Options, own_order: bool) -> str | None:
    """Return why a function needs all rows outside of a piece, None if states or few rows do.

    Parameters
    ----------
    name : str
    info : FunctionInfo
    options : Options
    own_order : bool
        Whether it has its own order for the rows of its frame.

    Returns
    -------
    str or None

    Examples
    --------
    >>> from workbench.functions.catalogue import info_of
    >>> why_all_rows("avg", info_of("avg"), NO_OPTIONS, own_order=False)
    >>> why_all_rows("median", info_of("median"), NO_OPTIONS, own_order=False)
    'median needs all rows there'
    """
    if own_order:
        return f"{name} looks at its rows in an order of its own"
    if options.distinct:
        return f"{name} needs each distinct value there"
    if info.states or (info.family == RANKING and name != "dense_rank"):
        return None
    if not (info.keeps or info.family == SHIFT):
        return f"{name} needs all rows there"
    if not isinstance(options.n, int):
        return f"{name} has an n that differs from row to row"
    return (
        f"{name} needs more than {MOST_KEPT:,} rows there" if abs(options.n) > MOST_KEPT else None
    )


def unbounded_sides_of(call: Call) -> tuple[bool, bool]:
    """Return whether a call looks at all rows before the current one, and at all after it."""
    return unbounded_sides(call.info, call.options, call.frame)


def states_of(call: Call, schema: pa.Schema) -> tuple[Call, ...]:
    """Return the states that a call needs of the rows outside of a piece, none if it needs rows.

    Parameters
    ----------
    call : Call
        A call whose frame has no bound on one side.
    schema : pyarrow.Schema
        The types of the rows.
    """
    if call.info.family == RANKING:
        return (Call("", "count", (), NO_OPTIONS, WHOLE),)
    return partial_states(replace(call, frame=WHOLE), schema)


def all_states(calls: Iterable[Call], schema: pa.Schema) -> tuple[Call, ...]:
    """Return the distinct states that some calls need."""
    slots: dict[Call, None] = {}
    for call in calls:
        if any(unbounded_sides_of(call)):
            slots.update(dict.fromkeys(states_of(call, schema)))
    return tuple(slots)


def call_to_keep(call: Call) -> Call:
    """Return the call whose kept rows are the rows outside of a piece that a call needs.

    Parameters
    ----------
    call : Call
        A call without states.

    Examples
    --------
    >>> nth = Call("x", "nth", ("v",), Options(n=-2), WHOLE)
    >>> call_to_keep(nth).function, call_to_keep(nth).options.n
    ('last_k', 2)
    """
    if call.info.family == SHIFT:
        last = unbounded_sides_of(call)[0]
    elif call.info.family == NTH and call.info.keeps_n:
        last = call.options.n < 0
    else:
        return call
    n = abs(call.options.n)
    return replace(call, function="last_k" if last else "first_k", options=Options(n=n))
