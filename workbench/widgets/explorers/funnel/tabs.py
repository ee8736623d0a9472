"""The tabs of the funnel explorer: which there are, a funnel by time, and its segments compared."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go
import traitlets

from workbench.described import name_shown, noun
from workbench.durations import DAY, Duration, duration_text, microseconds
from workbench.figures.funnel import name_of
from workbench.figures.intervals.comparison import comparison_figure
from workbench.figures.intervals.trend import OPEN, entrants_of, segments_of, trend_figure
from workbench.figures.intervals.words import points, told_points, told_share
from workbench.figures.svg import cut
from workbench.figures.theme import empty, moment, share, themed
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.people import Point
from workbench.funnel.prepared import Prepared
from workbench.widgets.explorers.funnel.people import Behind
from workbench.widgets.explorers.funnel.view import View
from workbench.widgets.sharing.state import Parts, alone, offered
from workbench.widgets.table import Listed

STEPS, TREND, COMPARE, DRIVERS, PATHS = TABS = "Steps", "Trend", "Compare", "Drivers", "Paths"
#: How long the periods of a trend may be, of which those are offered that make some points.
_EVERY = (
    "1 minute", "15 minutes", "1 hour", "6 hours", "1 day", "1 week", "1 month", "1 quarter",
    "1 year",
)  # fmt: skip
_POINTS = range(2, 1_001)
#: Up to so many points of a line are told apart, each with its interval.
_TOLD_APART = 60
#: How many days a unit of the calendar has, to count points.
_DAYS = {"1 month": 30, "1 quarter": 91, "1 year": 365}
_SEGMENTS = 6
#: What stands above columns of a comparison.
_COMPARED = {
    "difference": "difference, points", "difference_low": "from",
    "difference_high": "to", "p_value": "p", "median_time": "median time",
    "median_low": "from", "median_high": "to",
}  # fmt: skip

#: Behind and in front of which step paths lie.
ENDS = "after", "before"


class TabSettings(NamedTuple):
    """What is asked of a funnel, beside its steps, its window and its segments.

    Attributes
    ----------
    tab : str
        One of :data:`TABS`.
    every : str or int
        How long the periods of a trend are.
    step : int or None
        Whose drivers are asked for, counted from 1; None where there is no such step.
    after, before : int or None
        Behind and in front of which step paths lie.
    dropped : bool
        Of those alone who took no step behind ``after``.
    """

    tab: str
    every: Duration
    step: int | None = None
    after: int | None = 1
    before: int | None = None
    dropped: bool = False


class FunnelTabs(widgets.HBox):  # type: ignore[misc]
    """A choice of what is asked of a funnel: its steps, or something else about them."""

    #: What a state says of them.
    STATED = ("tab", "every", "to", *ENDS, "dropped")
    #: Changes with each choice.
    asked = traitlets.Any()
    _opening = False

    def __init__(self, funnel: Funnel, prepared: Prepared) -> None:
        self.tab = widgets.ToggleButtons(
            options=TABS, value=STEPS, style={"button_width": "auto"},
            tooltips=["What each step keeps and loses", "By the time of the first step",
                      "Segments beside each other, with intervals",
                      "What tells those who went on from those who dropped off",
                      "What they did behind a step, in front of one, or between two"],
        )  # fmt: skip
        options = offered_lengths(prepared)
        self.every = _choice("every", options, usual_length(prepared))
        self.step = _choice("who went on to", [("", None)], None)
        self.after, self.before = (_choice(word, [("", None)], None) for word in ENDS)
        self.dropped = widgets.Checkbox(
            value=False, description="only who took no later step", indent=False,
            layout={"width": "auto"}, tooltip="Only those who dropped off there",
        )  # fmt: skip
        #: Of each tab what it asks more.
        self._of_tab = {
            TREND: [self.every],
            DRIVERS: [self.step],
            PATHS: [self.after, self.before, self.dropped],
        }
        own = [control for controls in self._of_tab.values() for control in controls]
        super().__init__([self.tab, *own], layout={"flex_flow": "row wrap"})
        self.add_class("wb-controls")
        self._usual = self.every.value
        self.offer(funnel)
        self._read()
        for control in (self.tab, *own):
            control.observe(self._read, names="value")

    def offer(self, funnel: Funnel) -> None:
        """Offer the steps of a funnel; what is chosen stays chosen where there is such a step."""
        named: list[tuple[str, int | None]] = [
            (f"{k} {cut(name_shown(label), 40)}", k) for k, label in enumerate(funnel.labels, 1)
        ]
        optional = {k + 1 for k in funnel.rules.optional}
        required = [one for one in named[1:] if one[1] not in optional] or [("no step", None)]
        first = [("any time", 0), *named]
        self._opening = True
        try:
            _offer(self.step, required, required[-1][1])
            _offer(self.after, first, 1)
            _offer(self.before, first, 0)
        finally:
            self._opening = False
        self.set_trait("asked", self._chosen())

    def _chosen(self) -> TabSettings:
        # No choice at all is drawn as an empty one.
        step, after, before = (one.value or None for one in (self.step, self.after, self.before))
        return TabSettings(
            self.tab.value, self.every.value, step, after, before, self.dropped.value
        )

    def _read(self, _change: Any = None) -> None:
        for tab, controls in self._of_tab.items():
            for control in controls:
                control.layout.display = None if self.tab.value == tab else "none"
        if not self._opening:
            self.asked = self._chosen()

    def parts(self) -> dict[str, Any]:
        """Return what is chosen, as a state has it; without what is usual."""
        asked, told = self._chosen(), dict[str, list[str]]()
        told["tab"] = [asked.tab] if asked.tab != STEPS else []
        trend = asked.tab == TREND and asked.every != self._usual
        told["every"] = [str(asked.every)] if trend else []
        told["to"] = [str(asked.step)] if asked.tab == DRIVERS and asked.step else []
        ends = {"after": asked.after, "before": asked.before} if asked.tab == PATHS else {}
        told |= {name: [str(step)] for name, step in ends.items() if step is not None}
        told["dropped"] = ["yes"] if asked.tab == PATHS and asked.dropped else []
        return told

    def meant(self, parts: Parts, steps: int) -> TabSettings:
        """Return what a state says of them, of a funnel of so many steps.

        Raises
        ------
        WorkbenchError
            When it says what cannot be chosen here.
        """
        tab = offered("tab", alone(parts, "tab", STEPS), {one: one for one in TABS})
        lengths = {str(value): value for _, value in self.every.options}
        every = offered("every", alone(parts, "every", str(self._usual)), lengths)
        numbers: dict[str, int | None] = {"": None} | {str(k): k for k in range(1, steps + 1)}
        to, after, before = (
            offered(name, alone(parts, name, ""), numbers) for name in ("to", *ENDS)
        )
        dropped = offered("dropped", alone(parts, "dropped", ""), {"": False, "yes": True})
        # Paths of another tab's state are the usual ones.
        usual = 1 if tab != PATHS else None
        return TabSettings(tab, every, to, after or usual, before, dropped)

    def reopen(self, asked: TabSettings, funnel: Funnel) -> None:
        """Choose what is asked, without being asked for what was before."""
        self._opening = True
        try:
            self.tab.value, self.every.value = asked.tab, asked.every
            self.dropped.value = asked.dropped
        finally:
            self._opening = False
        self.offer(funnel)
        self._opening = True
        try:
            for control, step in ((self.step, asked.step), (self.after, asked.after),
                                  (self.before, asked.before)):  # fmt: skip
                if (step or 0) in [value for _, value in control.options]:
                    control.value = step or 0
        finally:
            self._opening = False
        self._read()


def _choice(what: str, options: list[tuple[str, Any]], value: Any) -> widgets.Dropdown:
    return widgets.Dropdown(
        options=options, value=value, description=what, layout={"width": "auto"},
        style={"description_width": "initial"},
    )  # fmt: skip


def _offer(control: widgets.Dropdown, options: Sequence[tuple[str, Any]], usual: Any) -> None:
    """Offer other options; what was chosen stays where it is one of them, and is the usual else."""
    if tuple(control.options) == tuple(options):
        return
    known, chosen = [value for _, value in options], control.value
    fresh = control.options == (("", None),)
    control.options = options
    control.value = usual if fresh or chosen not in known else chosen


def offered_lengths(prepared: Prepared) -> list[tuple[str, Duration]]:
    """Return how long periods may be, so that some events make neither one point nor too many.

    Parameters
    ----------
    prepared : Prepared

    Returns
    -------
    list of (str, duration)
        What each is called, from short to long.
    """
    first, last = prepared.span or (0, 0)
    long = max(last - first, 1)
    if prepared.integer_time:
        sizes = sorted({max(long // n, 1) for n in (5, 10, 20, 50, 100)})
        return [(f"{size:,}", size) for size in sizes]
    found = [every for every in _EVERY if -(-long // _length(every)) in _POINTS]
    return [(every.removeprefix("1 "), every) for every in found or ["1 day"]]


def usual_length(prepared: Prepared) -> Duration:
    """Return the shortest length of those offered that makes a line whose points are told apart."""
    first, last = prepared.span or (0, 0)
    lengths = [every for _, every in offered_lengths(prepared)]
    few = [every for every in lengths if (last - first) // _length(every) <= _TOLD_APART]
    return few[0] if few else lengths[-1]


def _length(every: Duration) -> int:
    """How long a period is, about, in the unit of the times."""
    if isinstance(every, int):
        return every
    return _DAYS[str(every)] * DAY if every in _DAYS else microseconds(every)


def trend_view(funnel: Funnel, prepared: Prepared, by: Sequence[str], every: Duration) -> View:
    """Return a funnel by the time of the first step."""
    largest = _SEGMENTS if by else None
    trend = funnel.trend(prepared, every=every, by=by, largest=largest)
    given = [f"every={every!r}", *([f"by={list(by)}", f"largest={largest}"] if by else [])]
    shares = dict.fromkeys(("share", "low", "high"), share)
    shown = shares | dict.fromkeys(by, lambda value: name_of([value])) | {"step": name_shown}
    unit = trend.attrs["unit"]
    listed = Listed(trend, f"{funnel!r}.trend(events, {', '.join(given)})", {"users": unit}, shown)
    rows = trend[trend["step"] == trend["step"].iloc[-1]] if len(trend) else trend
    parts = segments_of(rows, by)
    bars = entrants_of(rows)

    def behind(trace: Any, place: int) -> Behind | None:
        if trace.name in bars:
            period = bars[trace.name]
            (nth, at), many = period.index[place], int(period.iloc[place])
            return _at_bar(funnel, _entered(rows, nth, at), many, every, trace.name == OPEN)
        if trace.meta is None:
            return None
        point = parts[trace.meta][1].iloc[place].copy()
        point["from"] = _entered(rows, place, point["from"])
        return _at_point(funnel, point, by, every, rows)

    return View(trend_figure(trend), trend, listed, _trend_words(rows, unit, every), behind)


def _at_point(
    funnel: Funnel, row: pd.Series, by: Sequence[str], every: Duration, rows: pd.DataFrame
) -> Behind:
    """Those who entered in a period and reached the last step."""
    last = len(funnel.labels)
    begin, said = _begins(row["from"])
    values = tuple(row[list(by)])
    found = Behind.reached(funnel, last - 1, int(row["users"]))
    others = bool(by) and rows.attrs.get("others", 0) > 0 and set(values) == {"others"}
    which: dict[str, Any] = found.which | {"point": Point(begin, every)}
    if by:
        mine = {tuple(one) for one in rows[list(by)].itertuples(index=False)}
        named = tuple(one for one in mine if set(one) != {"others"})
        which |= {"segments": named if others else (values,), "others": others}
    segment = "" if not by or others else f", by={list(by)}, segment={_literal(values)}"
    code = f".people(events, reached={last}, entered={said!r}, every={every!r}{segment})"
    words = f"{found.words}, entered from {moment(row['from'])} on"
    of = name_of(values) if by else ""
    return replace(found, words=words, code=code, of=of, by=tuple(by), which=which)


def _at_bar(funnel: Funnel, at: Any, many: int, every: Duration, still_open: bool) -> Behind:
    """Those of all segments who entered in a period, their window over or not."""
    begin, said = _begins(at)
    found = Behind.reached(funnel, 0, many)
    more = ", open=True" if still_open else ""
    code = f".people(events, reached=1, entered={said!r}, every={every!r}{more})"
    words = f"{found.words}, entered from {moment(at)} on"
    words += " and may still go on" if still_open else ""
    which = found.which | {"point": Point(begin, every, still_open)}
    return replace(found, words=words, code=code, which=which)


def _entered(rows: pd.DataFrame, place: int, begin: Any) -> Any:
    """When a period begins: with its zone where clocks have shown the same before."""
    first = rows.attrs["begin"]
    if first is None:
        return begin
    # Of two times that clocks show alike, the one without a zone is the first.
    instant = first + place * pd.Timedelta(microseconds(rows.attrs["every"]), "us")
    is_first = begin.tz_localize(first.tz, ambiguous=True, nonexistent="shift_forward") == instant
    return begin if is_first else instant


def _begins(period: Any) -> tuple[Any, Any]:
    """When a period begins, as it is asked for and as a line of Python has it."""
    begin = period.to_pydatetime() if hasattr(period, "to_pydatetime") else int(period)
    return begin, str(period) if hasattr(period, "strftime") else begin


def _trend_words(rows: pd.DataFrame, unit: str, every: Duration) -> str:
    """The share of all periods together, and how many are apart."""
    over = int((rows["entrants"] - rows["open"]).sum())
    users, still_open = int(rows["users"].sum()), int(rows["open"].sum())
    length = (
        duration_text(microseconds(every))
        if isinstance(every, str) and every not in _DAYS
        else every
    )
    words = f"Periods of {length}: {users:,} of {over:,} {noun(over, 'entries')} of {unit} "
    words += "reached the last step"
    told = f"{words} ({share(users / over if over else float('nan'))})"
    return f"{told}; {still_open:,} are apart, as their window is not over."


def compare_view(funnel: Funnel, prepared: Prepared, by: Sequence[str], most: int) -> View:
    """Return the largest segments beside each other; without segments, what is to be chosen."""
    if not by:
        words = "Choose by which column segments are told apart."
        if not prepared.keep:
            words = "There are no columns to compare by: prepare the events with keep=[...]."
        figure = empty(themed(go.Figure(), height=140), words)
        nothing = pd.DataFrame(columns=["step", "users"])
        return View(figure, nothing, Listed(nothing, f"{funnel!r}"), "", lambda *_: None)
    found = funnel.compare(prepared, by=by, largest=most)
    code = f"{funnel!r}.compare(events, by={list(by)}, largest={most})"
    shown: dict[str, Callable[[Any], str]] = dict.fromkeys(("share", "low", "high"), share)
    shown |= dict.fromkeys(("difference", "difference_low", "difference_high"), points)
    shown |= dict.fromkeys(by, lambda value: name_of([value]))
    shown["step"] = name_shown
    shown["p_value"] = lambda p: "" if pd.isna(p) else f"{p:.2g}"
    listed = Listed(found, code, {"users": found.attrs["unit"], **_COMPARED}, shown)
    steps = len(funnel.labels)
    keys = [tuple(one) for one in found[list(by)].iloc[::steps].itertuples(index=False)]

    def behind(trace: Any, place: int) -> Behind | None:
        if trace.meta is None:
            return None
        k, segment = int(trace.meta), int(trace.customdata[place])
        users = int(found["users"].iloc[segment * steps + k])
        named = keys[:-1] if found.attrs["others"] else keys
        return _in_segment(funnel, k, users, by, keys[segment], named)

    return View(comparison_figure(found, most + 1), found, listed, _compare_words(found), behind)


def _in_segment(
    funnel: Funnel, k: int, users: int, by: Sequence[str], values: tuple[Any, ...], named: Any
) -> Behind:
    """Those of a segment who reached a step, or of all segments that have no row."""
    others = values not in named and name_of(values) not in map(name_of, named)
    found = Behind.reached(funnel, k, users)
    segment = "" if others else f", segment={_literal(values)}"
    which = {"segments": tuple(named) if others else (values,), "others": others}
    code = f".people(events, reached={k + 1}, by={list(by)}{segment})"
    which |= found.which
    return replace(found, of=name_of(values), by=tuple(by), which=which, code=code)


def _compare_words(found: pd.DataFrame) -> str:
    """The segment that differs most from the baseline at the last step."""
    last = found[found["step"] == found["step"].iloc[-1]].dropna(subset="difference")
    if not len(last):
        return "No segment can be compared at the last step."
    row = last.loc[last["difference"].abs().idxmax()]
    by = list(found.columns[: found.columns.get_loc("step")])
    apart = row["difference_low"] > 0 or row["difference_high"] < 0
    points = told_points(row["difference"], row["difference_low"], row["difference_high"])
    words = f"{name_of(tuple(row[by]))}: {told_share(row['share'], row['low'], row['high'])}, "
    words += f"{points} to {name_of(found.attrs['baseline'])}"
    return f"{words}; {'that is more than chance' if apart else 'it may be chance'}."


def _literal(values: tuple[Any, ...]) -> str:
    """The values of a segment as a line of Python has them."""
    plain = tuple(
        None if pd.isna(value) else getattr(value, "item", lambda value=value: value)()
        for value in values
    )
    return repr(plain)
