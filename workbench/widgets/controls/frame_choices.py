"""The frames that a window slider offers: longer and shorter ones of the same shape."""

from collections.abc import Callable, Iterable
from math import ceil
from typing import Any

from workbench.durations import DAY, HOUR, MINUTE, duration_text, microseconds
from workbench.frames.bounds import MICROSECONDS, MONTHS, NUMBER
from workbench.frames.frame import Frame
from workbench.widgets.controls.funnel import WINDOWS

#: The numbers of rows or groups: 1, 2, 3, 5, 7, 10, 15, 20, 30, 50 and so on.
COUNTS = [1, 2, 3, 5, 7, *(step * 10**k for k in range(1, 6) for step in (1, 1.5, 2, 3, 5, 7))]
MONTHS_BACK = [1, 2, 3, 6, 12, 24, 60]
TIMES_AS_LONG = [k / 8 for k in (1, 2, 4, 6, 8, 12, 16, 24, 32, 64)]
UNITS = {"days": DAY, "hours": HOUR, "minutes": MINUTE}
UNITS |= {"seconds": 1_000_000, "microseconds": 1}


def frame_choices(frame: Frame) -> list[tuple[str, Frame]]:
    """Return the frames of the same shape as a frame, from short to long, with their labels.

    Parameters
    ----------
    frame : Frame

    Returns
    -------
    list of (str, Frame)
        The frame itself is among them. It is the only one if no bound can be moved, or if the
        bounds are columns.

    Examples
    --------
    >>> choices = dict(frame_choices(Frame.range("-3 days", "3 days")))
    >>> choices["± 7 days"]
    wb.Frame.range('-7 days', '7 days')
    >>> list(dict(frame_choices(Frame.rows(-4, 0))))[:4]
    ['1 row before', '2 rows before', '3 rows before', '4 rows before']
    """
    if frame.varies:
        return [("of each row's own", frame)]
    lengths = sorted({abs(bound.amount) for bound in (frame.low, frame.high) if bound} - {0})
    if not lengths:
        return [(label_of(frame), frame)]
    if len(lengths) == 1:
        frames = [_with_length(frame, length) for length in _lengths(frame, lengths[0])]
    else:
        frames = [_scaled(frame, factor) for factor in TIMES_AS_LONG if factor != 1]
    distinct = {(one.low, one.high): one for one in [*frames, frame]}.values()
    return [(label_of(one), one) for one in sorted(distinct, key=_reach)]


def label_of(frame: Frame) -> str:
    """Return the label of a frame on a slider.

    Examples
    --------
    >>> label_of(Frame.rows(-3, 3)), label_of(Frame.range(None, 0)), label_of(Frame.rows(-2, 1))
    ('± 3 rows', 'all before', '2 rows before to 1 row after')
    >>> label_of(Frame.session("30 minutes"))
    'sessions, a gap of 30 min'
    """
    low, high = frame.low, frame.high
    if low is None and high is None:
        return "all rows"
    if high is not None and frame.unit == "session":
        return f"sessions, a gap of {_length(frame, high)}"
    if low and high and low.amount == -high.amount and high.amount:
        return f"± {_length(frame, high)}"
    here = "all before" if low is None else "all after" if high is None else ""
    sides = [_side(frame, bound) for bound in (low, high) if bound is not None and bound.amount]
    if low is not None and high is not None:
        return " to ".join(sides) or "this row"
    return " and ".join(part for part in (here, *sides) if part)


def _side(frame: Frame, bound: Any) -> str:
    return f"{_length(frame, bound)} {'before' if bound.amount < 0 else 'after'}"


def _length(frame: Frame, bound: Any) -> str:
    amount = abs(bound.amount)
    if bound.unit == MICROSECONDS:
        return duration_text(amount)
    if bound.unit == NUMBER:
        return f"{amount:,}"
    unit = {"rows": "row", "groups": "group"}.get(frame.unit, "month")
    return f"{amount:,} {unit}{'' if amount == 1 else 's'}"


def _reach(frame: Frame) -> float:
    return float(sum(abs(bound.amount) for bound in (frame.low, frame.high) if bound))


def _unit(frame: Frame) -> str:
    return next(bound.unit for bound in (frame.low, frame.high) if bound and bound.amount)


def _lengths(frame: Frame, base: Any) -> Iterable[Any]:
    unit = _unit(frame)
    if unit == MICROSECONDS:
        return (micros for window in WINDOWS if (micros := microseconds(window)))
    if unit == NUMBER:
        scaled = (base * 2**k / 32 for k in range(11))
        return (max(ceil(size), 1) for size in scaled) if isinstance(base, int) else scaled
    return MONTHS_BACK if unit == MONTHS else map(int, COUNTS)


def _with_length(frame: Frame, length: Any) -> Frame:
    """Return the frame with each bound, unless at the current row, at this distance from it."""
    return _with_bounds(frame, lambda amount: length if amount > 0 else -length)


def _scaled(frame: Frame, factor: float) -> Frame:
    return _with_bounds(frame, lambda amount: type(amount)(round(float(amount) * factor, 9)))


def _with_bounds(frame: Frame, move: Callable[[Any], Any]) -> Frame:
    unit = _unit(frame)
    low, high = (
        bound if bound is None else _bound_text(move(bound.amount), unit) if bound.amount else 0
        for bound in (frame.low, frame.high)
    )
    if frame.unit == "session":
        assert high is not None
        return Frame.session(high, exclude=frame.exclude)
    make = {"rows": Frame.rows, "groups": Frame.groups, "range": Frame.range}[frame.unit]
    return make(low, high, exclude=frame.exclude)


def _bound_text(amount: Any, unit: str) -> Any:
    """Return a bound as an argument of a frame."""
    if unit == MICROSECONDS:
        name = next(name for name, micros in UNITS.items() if amount % micros == 0)
        length = amount // UNITS[name]
        return f"{length} {name.removesuffix('s') if abs(length) == 1 else name}"
    return f"{amount} month{'' if abs(amount) == 1 else 's'}" if unit == MONTHS else amount
