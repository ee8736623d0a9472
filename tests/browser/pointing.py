"""Pointing at what is drawn, as a person does."""

from playwright.sync_api import Locator, Page, TimeoutError, expect

#: How often a mark is pointed at, a second each.
TRIES = 60


def click_mark(page: Page, mark: Locator) -> None:
    """Click a mark of a figure once the figure tells what it is: before, plotly takes no click."""
    told = page.locator(".hoverlayer .hovertext").first
    for _ in range(TRIES):
        page.mouse.move(0, 0)
        mark.hover(force=True)
        try:
            told.wait_for(state="visible", timeout=1000)
        except TimeoutError:
            continue
        mark.click(force=True)
        return
    expect(told).to_be_visible()
