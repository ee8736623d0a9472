"""The tabs of the funnel explorer: their settings, and the views of trends and comparisons."""

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
from workbench.figures.intervals.words import points, points_text, share_text
from workbench.figures.svg import cut
from workbench.figures.theme import empty, moment, share, themed
from workbench.funnel.funnel import Funnel
from workbench.funnel.inspect.people import Point
from workbench.funnel.prepared import Prepared
from workbench.widgets.explorers.funnel.people import PeopleSelection
from workbench.widgets.explorers.funnel.view import View
from workbench.widgets.sharing.state import Parts, option_for, single_text
from workbench.widgets.table import DisplayTable

STEPS, TREND, COMPARE, DRIVERS, PATHS = TABS = "Steps", "Trend", "Compare", "Drivers", "Paths"
#: The possible lengths of a trend's periods, of which those with a suitable number of points are
#: offered.
_PERIODS = (
    "1 minute", "15 minutes", "1 hour", "6 hours", "1 day", "1 week", "1 month", "1 quarter",
    "1 year",
)  # fmt: skip
_POINTS = range(2, 1_001)
#: The most points of a line that can be distinguished, each with its interval.
_MOST_POINTS = 60
#: The approximate days of a calendar unit, to count points.
_DAYS = {"1 month": 30, "1 quarter": 91, "1 year": 365}
_SEGMENTS = 6
#: For how long everybody is watched before drivers are compared, in parts of a step's window.
_WATCHED = {"twentieth": 20, "tenth": 10, "fifth": 5, "half": 2}
#: The part that :meth:`workbench.Funnel.drivers` takes by default.
DEFAULT_WATCHED = 10
#: The headings of columns of a comparison.
_HEADS = {
    "difference": "difference, points", "difference_low": "from",
    "difference_high": "to", "p_value": "p", "median_time": "median time",
    "median_low": "from", "median_high": "to",
}  # fmt: skip

#: The controls of the steps after and before which paths are.
ENDS = "after", "before"


class TabSettings(NamedTuple):
    """The settings of the tabs, other than the funnel's steps, window and segments.

    Attributes
    ----------
    tab : str
        One of :data:`TABS`.
    every : str or int
        The length of a trend's periods.
    step : int or None
        The step whose drivers are shown, counted from 1; None if there is no such step.
    after, before : int or None
        The steps after and before which paths are.
    dropped : bool
        Whether only paths of those who took no step after ``after`` count.
    watched : int
        How many times the landmark of drivers fits into the step's window.
    """

    tab: str
    every: Duration
    step: int | None = None
    after: int | None = 1
    before: int | None = None
    dropped: bool = False
    watched: int = DEFAULT_WATCHED


class FunnelTabs(widgets.HBox):  # type: ignore[misc]
    """The choice of a tab, with the further controls of that tab."""

    #: The names of their values in a state.
    STATE_NAMES = ("tab", "every", "to", "watched", *ENDS, "dropped")
    #: Changes with each choice.
    settings = traitlets.Any()
    _opening = False

    def __init__(self, funnel: Funnel, prepared: Prepared) -> None:
        self.tab = widgets.ToggleButtons(
            options=TABS, value=STEPS, style={"button_width": "auto"},
            tooltips=["What each step keeps and loses", "By the time of the first step",
                      "Segments side by side, with intervals",
                      "What distinguishes those who went on from those who dropped off",
                      "What they did after a step, before one, or between two"],
        )  # fmt: skip
        options = period_choices(prepared)
        self.every = _choice("every", options, default_period(prepared))
        self.step = _choice("who went on to", [("", None)], None)
        watched = [
            (f"{'' if part == 'half' else 'a '}{part} of the window", many)
            for part, many in _WATCHED.items()
        ]
        self.watched = _choice("watched for", watched, DEFAULT_WATCHED)
        self.watched.tooltip = (
            "How long everybody is watched from the step before on; "
            "only those who might still go on by then are compared"
        )
        self.after, self.before = (_choice(word, [("", None)], None) for word in ENDS)
        self.dropped = widgets.Checkbox(
            value=False, description="only those who took no later step", indent=False,
            layout={"width": "auto"}, tooltip="Only those who dropped off there",
        )  # fmt: skip
        #: The further controls of each tab.
        self._extra_controls = {
            TREND: [self.every],
            DRIVERS: [self.step, self.watched],
            PATHS: [self.after, self.before, self.dropped],
        }
        own = [control for controls in self._extra_controls.values() for control in controls]
        super().__init__([self.tab, *own], layout={"flex_flow": "row wrap"})
        self.add_class("wb-controls")
        self._default_every = self.every.value
        self.offer(funnel)
        self._update()
        for control in (self.tab, *own):
            control.observe(self._update, names="value")

    def offer(self, funnel: Funnel) -> None:
        """Offer the steps of a funnel; a chosen step stays chosen if the funnel has it."""
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
        self.set_trait("settings", self._current())

    def _current(self) -> TabSettings:
        # An empty choice stands for None.
        step, after, before = (one.value or None for one in (self.step, self.after, self.before))
        return TabSettings(
            self.tab.value, self.every.value, step, after, before, self.dropped.value,
            self.watched.value,
        )  # fmt: skip

    def _update(self, _change: Any = None) -> None:
        for tab, controls in self._extra_controls.items():
            for control in controls:
                control.layout.display = None if self.tab.value == tab else "none"
        if not self._opening:
            self.settings = self._current()

    def parts(self) -> dict[str, Any]:
        """Return the settings as parts of a state, without the defaults."""
        settings, parts = self._current(), dict[str, list[str]]()
        parts["tab"] = [settings.tab] if settings.tab != STEPS else []
        trend = settings.tab == TREND and settings.every != self._default_every
        parts["every"] = [str(settings.every)] if trend else []
        parts["to"] = [str(settings.step)] if settings.tab == DRIVERS and settings.step else []
        watched = settings.tab == DRIVERS and settings.watched != DEFAULT_WATCHED
        names = {many: part for part, many in _WATCHED.items()}
        parts["watched"] = [names[settings.watched]] if watched else []
        ends = {"after": settings.after, "before": settings.before} if settings.tab == PATHS else {}
        parts |= {name: [str(step)] for name, step in ends.items() if step is not None}
        parts["dropped"] = ["yes"] if settings.tab == PATHS and settings.dropped else []
        return parts

    def settings_from(self, parts: Parts, steps: int) -> TabSettings:
        """Return the settings of a state, for a funnel with this number of steps.

        Raises
        ------
        WorkbenchError
            When the state has a value that cannot be chosen here.
        """
        tab = option_for("tab", single_text(parts, "tab", STEPS), {one: one for one in TABS})
        lengths = {str(value): value for _, value in self.every.options}
        every = option_for("every", single_text(parts, "every", str(self._default_every)), lengths)
        numbers: dict[str, int | None] = {"": None} | {str(k): k for k in range(1, steps + 1)}
        to, after, before = (
            option_for(name, single_text(parts, name, ""), numbers) for name in ("to", *ENDS)
        )
        dropped = option_for("dropped", single_text(parts, "dropped", ""), {"": False, "yes": True})
        watched = option_for("watched", single_text(parts, "watched", "tenth"), _WATCHED)
        # Paths need one of both ends: a state that names neither gets the defaults.
        default_after = None if before else 1
        return TabSettings(tab, every, to, after or default_after, before, dropped, watched)

    def reopen(self, settings: TabSettings, funnel: Funnel) -> None:
        """Set the controls to settings, without notifying of the steps in between."""
        self._opening = True
        try:
            self.tab.value, self.every.value = settings.tab, settings.every
            self.dropped.value, self.watched.value = settings.dropped, settings.watched
        finally:
            self._opening = False
        self.offer(funnel)
        self._opening = True
        try:
            for control, step in ((self.step, settings.step), (self.after, settings.after),
                                  (self.before, settings.before)):  # fmt: skip
                if (step or 0) in [value for _, value in control.options]:
                    control.value = step or 0
        finally:
            self._opening = False
        self._update()


def _choice(what: str, options: list[tuple[str, Any]], value: Any) -> widgets.Dropdown:
    return widgets.Dropdown(
        options=options, value=value, description=what, layout={"width": "auto"},
        style={"description_width": "initial"},
    )  # fmt: skip


def _offer(control: widgets.Dropdown, options: Sequence[tuple[str, Any]], default: Any) -> None:
    """Offer other options; the chosen one stays if it is among them, else choose the default."""
    if tuple(control.options) == tuple(options):
        return
    known, chosen = [value for _, value in options], control.value
    fresh = control.options == (("", None),)
    control.options = options
    control.value = default if fresh or chosen not in known else chosen


def period_choices(prepared: Prepared) -> list[tuple[str, Duration]]:
    """Return the lengths of periods for which a trend has neither one point nor too many.

    Parameters
    ----------
    prepared : Prepared

    Returns
    -------
    list of (str, duration)
        Each with its label, from short to long.
    """
    first, last = prepared.span or (0, 0)
    long = max(last - first, 1)
    if prepared.integer_time:
        sizes = sorted({max(long // n, 1) for n in (5, 10, 20, 50, 100)})
        return [(f"{size:,}", size) for size in sizes]
    periods = [every for every in _PERIODS if -(-long // _period_length(every)) in _POINTS]
    return [(every.removeprefix("1 "), every) for every in periods or ["1 day"]]


def default_period(prepared: Prepared) -> Duration:
    """Return the shortest of the offered lengths for which the points can be distinguished."""
    first, last = prepared.span or (0, 0)
    lengths = [every for _, every in period_choices(prepared)]
    few = [every for every in lengths if (last - first) // _period_length(every) <= _MOST_POINTS]
    return few[0] if few else lengths[-1]


def _period_length(every: Duration) -> int:
    """Return the approximate length of a period in the unit of the times."""
    if isinstance(every, int):
        return every
    return _DAYS[str(every)] * DAY if every in _DAYS else microseconds(every)


def trend_view(funnel: Funnel, prepared: Prepared, by: Sequence[str], every: Duration) -> View:
    """Return the view of a funnel by the time of the first step."""
    largest = _SEGMENTS if by else None
    trend = funnel.trend(prepared, every=every, by=by, largest=largest)
    arguments = [f"every={every!r}", *([f"by={list(by)}", f"largest={largest}"] if by else [])]
    shares = dict.fromkeys(("share", "low", "high"), share)
    shown = shares | dict.fromkeys(by, lambda value: name_of([value])) | {"step": name_shown}
    unit = trend.attrs["unit"]
    listed = DisplayTable(
        trend, f"{funnel!r}.trend(events, {', '.join(arguments)})", {"users": unit}, shown
    )
    rows = trend[trend["step"] == trend["step"].iloc[-1]] if len(trend) else trend
    parts = segments_of(rows, by)
    bars = entrants_of(rows)

    def selection_at(trace: Any, place: int) -> PeopleSelection | None:
        if trace.name in bars:
            period = bars[trace.name]
            (nth, at), many = period.index[place], int(period.iloc[place])
            return _people_at_bar(
                funnel, _period_begin(rows, nth, at), many, every, trace.name == OPEN
            )
        if trace.meta is None:
            return None
        point = parts[trace.meta][1].iloc[place].copy()
        point["from"] = _period_begin(rows, place, point["from"])
        return _people_at_point(funnel, point, by, every, rows)

    return View(trend_figure(trend), trend, listed, _trend_words(rows, unit, every), selection_at)


def _people_at_point(
    funnel: Funnel, row: pd.Series, by: Sequence[str], every: Duration, rows: pd.DataFrame
) -> PeopleSelection:
    """Return those who entered in a period and reached the last step."""
    last = len(funnel.labels)
    begin, begin_text = _begin_values(row["from"])
    values = tuple(row[list(by)])
    selection = PeopleSelection.reached(funnel, last - 1, int(row["users"]))
    others = bool(by) and rows.attrs.get("others", 0) > 0 and set(values) == {"others"}
    which: dict[str, Any] = selection.which | {"point": Point(begin, every)}
    if by:
        mine = {tuple(one) for one in rows[list(by)].itertuples(index=False)}
        named = tuple(one for one in mine if set(one) != {"others"})
        which |= {"segments": named if others else (values,), "others": others}
    segment = "" if not by or others else f", by={list(by)}, segment={_literal(values)}"
    code = f".people(events, reached={last}, entered={begin_text!r}, every={every!r}{segment})"
    words = f"{selection.words}, entered from {moment(row['from'])} on"
    segment_name = name_of(values) if by else ""
    return replace(
        selection, words=words, code=code, segment_name=segment_name, by=tuple(by), which=which
    )


def _people_at_bar(
    funnel: Funnel, at: Any, many: int, every: Duration, still_open: bool
) -> PeopleSelection:
    """Return those of all segments who entered in a period, with their window over or not."""
    begin, begin_text = _begin_values(at)
    selection = PeopleSelection.reached(funnel, 0, many)
    more = ", open=True" if still_open else ""
    code = f".people(events, reached=1, entered={begin_text!r}, every={every!r}{more})"
    words = f"{selection.words}, entered from {moment(at)} on"
    words += " and may still go on" if still_open else ""
    which = selection.which | {"point": Point(begin, every, still_open)}
    return replace(selection, words=words, code=code, which=which)


def _period_begin(rows: pd.DataFrame, place: int, begin: Any) -> Any:
    """Return the begin of a period, with its time zone if clocks showed the same time before."""
    first = rows.attrs["begin"]
    if first is None:
        return begin
    # Of two instants with the same clock time, the one without a zone is the first.
    instant = first + place * pd.Timedelta(microseconds(rows.attrs["every"]), "us")
    is_first = begin.tz_localize(first.tz, ambiguous=True, nonexistent="shift_forward") == instant
    return begin if is_first else instant


def _begin_values(period: Any) -> tuple[Any, Any]:
    """Return the begin of a period as an argument, and as a line of Python writes it."""
    begin = period.to_pydatetime() if hasattr(period, "to_pydatetime") else int(period)
    return begin, str(period) if hasattr(period, "strftime") else begin


def _trend_words(rows: pd.DataFrame, unit: str, every: Duration) -> str:
    """Return the share of all periods together, and the number of open windows, in words."""
    over = int((rows["entrants"] - rows["open"]).sum())
    users, still_open = int(rows["users"].sum()), int(rows["open"].sum())
    # Weeks and calendar units have their names, as the control says them.
    named = not isinstance(every, str) or every in (*_DAYS, "1 week")
    length = every if named else duration_text(microseconds(every))
    words = f"Periods of {length}: {users:,} of {over:,} {noun(over, 'entries')} of {unit} "
    words += "reached the last step"
    words += f" ({share(users / over)})" if over else ""
    apart = "is apart, as its" if still_open == 1 else "are apart, as their"
    return f"{words}; {still_open:,} {apart} window is not over." if still_open else f"{words}."


def compare_view(funnel: Funnel, prepared: Prepared, by: Sequence[str], most: int) -> View:
    """Return the view of the largest segments, compared; without segments, a request for some."""
    if not by:
        words = "Choose the column that defines the segments."
        if not prepared.keep:
            words = "There are no columns to compare by: prepare the events with keep=[...]."
        figure = empty(themed(go.Figure(), height=140), words)
        nothing = pd.DataFrame(columns=["step", "users"])
        return View(figure, nothing, DisplayTable(nothing, f"{funnel!r}"), "", lambda *_: None)
    comparison = funnel.compare(prepared, by=by, largest=most)
    code = f"{funnel!r}.compare(events, by={list(by)}, largest={most})"
    shown: dict[str, Callable[[Any], str]] = dict.fromkeys(("share", "low", "high"), share)
    shown |= dict.fromkeys(("difference", "difference_low", "difference_high"), points)
    shown |= dict.fromkeys(by, lambda value: name_of([value]))
    shown["step"] = name_shown
    shown["p_value"] = lambda p: "" if pd.isna(p) else f"{p:.2g}"
    listed = DisplayTable(comparison, code, {"users": comparison.attrs["unit"], **_HEADS}, shown)
    steps = len(funnel.labels)
    keys = [tuple(one) for one in comparison[list(by)].iloc[::steps].itertuples(index=False)]

    def selection_at(trace: Any, place: int) -> PeopleSelection | None:
        if trace.meta is None:
            return None
        k, segment = int(trace.meta), int(trace.customdata[place])
        users = int(comparison["users"].iloc[segment * steps + k])
        named = keys[:-1] if comparison.attrs["others"] else keys
        return _people_in_segment(funnel, k, users, by, keys[segment], named)

    return View(
        comparison_figure(comparison, most + 1),
        comparison,
        listed,
        _compare_words(comparison),
        selection_at,
    )


def _people_in_segment(
    funnel: Funnel, k: int, users: int, by: Sequence[str], values: tuple[Any, ...], named: Any
) -> PeopleSelection:
    """Return those of a segment, or of all segments without a row, who reached a step."""
    others = values not in named and name_of(values) not in map(name_of, named)
    selection = PeopleSelection.reached(funnel, k, users)
    segment = "" if others else f", segment={_literal(values)}"
    which = {"segments": tuple(named) if others else (values,), "others": others}
    code = f".people(events, reached={k + 1}, by={list(by)}{segment})"
    which |= selection.which
    return replace(selection, segment_name=name_of(values), by=tuple(by), which=which, code=code)


def _compare_words(comparison: pd.DataFrame) -> str:
    """Return a sentence about the segment that differs most from the baseline at the last step."""
    last = comparison[comparison["step"] == comparison["step"].iloc[-1]].dropna(subset="difference")
    if not len(last):
        return "No segment can be compared at the last step."
    row = last.loc[last["difference"].abs().idxmax()]
    by = list(comparison.columns[: comparison.columns.get_loc("step")])
    apart = row["difference_low"] > 0 or row["difference_high"] < 0
    points = points_text(row["difference"], row["difference_low"], row["difference_high"])
    words = f"{name_of(tuple(row[by]))}: {share_text(row['share'], row['low'], row['high'])}, "
    words += f"{points} compared to {name_of(comparison.attrs['baseline'])}"
    return f"{words}; {'that is more than chance' if apart else 'it may be chance'}."


def _literal(values: tuple[Any, ...]) -> str:
    """Return the values of a segment as a line of Python writes them."""
    plain = tuple(
        None if pd.isna(value) else getattr(value, "item", lambda value=value: value)()
        for value in values
    )
    return repr(plain)
