"""Clicks on the marks of a chart, as a browser reports them."""

from types import SimpleNamespace

from workbench.widgets.chart import Chart


def click_mark(chart: Chart, name: str, k: int, nth: int = 0) -> None:
    """Click the k-th mark of the nth trace with this name."""
    trace = [one for one in chart.data if one.name == name][nth]
    trace._dispatch_on_click(SimpleNamespace(point_inds=[k]), None)
