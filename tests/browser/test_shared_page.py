"""The page that an explorer writes: a choice changes the picture and the address; no network."""

import re
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from workbench.figures.funnel import funnel_figure
from workbench.figures.stills.still import NamedFigure, arrange
from workbench.figures.svg import bare
from workbench.widgets.sharing.grid import PageChoice
from workbench.widgets.sharing.page import PageView, Shareable, offline_page
from workbench.widgets.sharing.state import state_of
from workbench.widgets.table import DisplayTable

pytestmark = pytest.mark.browser

WINDOWS = [("1 h", "1 hour", 20), ("± 1 day", "± 1 day", 50), ("3 days", "3 days", 70)]


def shareable() -> Shareable:
    """A funnel within three windows, by one column or none."""
    choices = [
        PageChoice("within", [(label, value) for label, value, _ in WINDOWS], 1, ordered=True),
        PageChoice("by", [("all together", ""), ("device", "device")]),
    ]

    def draw(at: tuple[int, ...]) -> PageView:
        _, window, users = WINDOWS[at[0]]
        steps = pd.DataFrame({"step": ["signup", "checkout"], "users": [100, users]})
        steps = steps.assign(from_first=[1, users / 100], from_previous=[1, users / 100])
        steps["lost"] = [0, 100 - users]
        drawn, height, width = arrange([NamedFigure(funnel_figure(steps), "Who goes on")], 0)
        words = f"{users} of 100 users within {window}."
        rows = DisplayTable(steps, "")
        state = state_of({"within": window, "by": ["device"] if at[1] else []})
        picture = bare(drawn, words, width, height)
        return PageView(state, picture, words, rows.markup, "wb.Funnel(...)", "step\r\n")

    return Shareable("signup → checkout", ["600 events"], "funnel", choices, draw)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_choice_is_drawn_and_its_address_opens_it_again(
    page: Page, tmp_path: Path, theme: str
) -> None:
    urls: list[str] = []
    messages: list[str] = []
    page.on("request", lambda request: urls.append(request.url))
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
    path = tmp_path / "funnel.html"
    path.write_text(offline_page(shareable()), "utf-8")
    page.goto(path.as_uri())
    summary, within = page.locator(".wb-told"), page.get_by_label("within")
    expect(summary).to_have_text("50 of 100 users within ± 1 day.")
    expect(page.get_by_role("img")).to_have_count(1)
    # What is below a long table is not far from the picture, except on paper.
    expect(page.locator(".wb-table-place")).to_have_css("overflow-y", "auto")
    expect(page.locator("svg rect").first).to_have_css(
        "fill", "rgb(0, 114, 178)" if theme == "light" else "rgb(86, 180, 233)"
    )
    within.press("ArrowRight")
    expect(summary).to_have_text("70 of 100 users within 3 days.")
    expect(within).to_have_attribute("aria-valuetext", "3 days")
    expect(page.get_by_role("status")).to_have_text("70 of 100 users within 3 days.")
    page.get_by_label("by").select_option("device")
    expect(page).to_have_url(re.compile(r"#within=3\+days&by=device$"))
    page.go_back()
    expect(page.get_by_label("by")).to_have_value("0")
    page.go_back()
    expect(summary).to_have_text("50 of 100 users within ± 1 day.")
    # As a new page, by an address with another encoding.
    page.goto("about:blank")
    page.goto(f"{path.as_uri()}#within=%C2%B1%201%20day&by=device")
    expect(page.get_by_label("by")).to_have_value("1")
    expect(page.get_by_role("alert")).to_have_count(0)
    page.evaluate("location.hash = '#within=9+days'")
    expect(page.get_by_role("alert")).to_contain_text("is not in this page")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the picture as SVG").click()
    drawn = Path(saved.value.path()).read_text("utf-8")
    assert ("rgb(0, 114, 178)" if theme == "light" else "rgb(86, 180, 233)") in drawn
    # A browser gives no clipboard to pages that come by plain http.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    pasted = "document.addEventListener('copy', () => { window.said = `${getSelection()}`; })"
    page.evaluate(pasted)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("window.said") == "wb.Funnel(...)"
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    page.set_viewport_size({"width": 420, "height": 800})
    assert page.evaluate(overflow) == 0
    assert [url for url in urls if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    assert messages == []
