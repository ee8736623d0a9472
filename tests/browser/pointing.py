"""Pointing at what is drawn, as a person does."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, TimeoutError, expect

#: How often a mark is pointed at, a second each.
TRIES = 60
#: Where a point of a trace is in the page, by the trace's name and the point's number. A browser
#: counts in whole pixels and leaves out the rest, and the days of a year are a pixel each.
PLACE = """(plot, [name, k]) => {
  const trace = plot._fullData.find((one) => one.name === name);
  const { x, y } = plot.getBoundingClientRect();
  const [across, up] = ['x', 'y'].map(
    (letter) => plot._fullLayout[trace[`${letter}axis`].replace(letter, `${letter}axis`)]);
  const half = trace.type === 'bar' ? 0.5 : 1;
  const place = [x + across._offset + across.d2p(trace.x[k]),
    y + up._offset + up.d2p(half * trace.y[k])];
  return place.map(Math.round);
}"""


def click_mark(page: Page, mark: Locator) -> None:
    """Click a mark of a figure once the figure tells what it is: before, plotly takes no click."""

    def point_at() -> None:
        mark.hover(force=True)

    _click_told(page, point_at)


def click_point(page: Page, plot: Locator, name: str, k: int) -> None:
    """Click the k-th point of a trace by the trace's name, whether or not it has a mark."""
    plot.scroll_into_view_if_needed()

    def point_at() -> None:
        page.mouse.move(*plot.evaluate(PLACE, [name, k]))

    _click_told(page, point_at)


def _click_told(page: Page, point_at: Callable[[], None]) -> None:
    told = page.locator(".hoverlayer .hovertext").first
    for _ in range(TRIES):
        page.mouse.move(0, 0)
        point_at()
        try:
            told.wait_for(state="visible", timeout=1000)
        except TimeoutError:
            continue
        page.mouse.down()
        page.mouse.up()
        return
    expect(told).to_be_visible()
