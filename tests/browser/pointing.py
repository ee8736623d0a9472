"""Point at marks of figures and drag over them, as a person does."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, TimeoutError, expect

#: How often to point at a mark, for a second each.
TRIES = 60
#: The place of a point in the page, by its trace's name and its number. A browser truncates places
#: to whole pixels, and the days of a year are a pixel each.
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
#: Holds when nothing has been drawn for a second: what is being drawn takes no clicks and drags.
IS_DRAWN = """(figure) => new Promise((resolve) => {
  let end = setTimeout(resolve, 1000);
  figure.on('plotly_afterplot', () => { clearTimeout(end); end = setTimeout(resolve, 1000); });
})"""


def click_mark(page: Page, mark: Locator) -> None:
    """Click a mark of a figure once its hover text is there: plotly takes no click before."""

    def point_at() -> None:
        mark.hover(force=True)

    _click_when_hovered(page, point_at)


def click_point(page: Page, plot: Locator, name: str, k: int) -> None:
    """Click the k-th point of a trace by the trace's name, whether or not it has a mark."""
    plot.scroll_into_view_if_needed()

    def point_at() -> None:
        page.mouse.move(*plot.evaluate(PLACE, [name, k]))

    _click_when_hovered(page, point_at)


def zoom(page: Page) -> None:
    """Drag over a tenth of the chart, as one does to zoom in."""
    box = page.locator(".js-plotly-plot .nsewdrag").first.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.45 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.50 * box["width"], y, steps=4)
    page.mouse.move(box["x"] + 0.55 * box["width"], y, steps=4)
    page.mouse.up()


def _click_when_hovered(page: Page, point_at: Callable[[], None]) -> None:
    hover_text = page.locator(".hoverlayer .hovertext").first
    for _ in range(TRIES):
        page.mouse.move(0, 0)
        point_at()
        try:
            hover_text.wait_for(state="visible", timeout=1000)
        except TimeoutError:
            continue
        page.mouse.down()
        page.mouse.up()
        return
    expect(hover_text).to_be_visible()
