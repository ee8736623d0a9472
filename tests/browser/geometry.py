"""Measure pages: widths, texts in their boxes, toolbars, and contrast."""

from pathlib import Path
from typing import Any

from playwright.sync_api import Page

WIDTHS = (1280, 1600)
THEMES = ("JupyterLab Light", "JupyterLab Dark")
#: The most pixels from a figure to the edges of its place, and from a text to those of its box.
NEAR, HAIR = 10, 2
#: The least contrast of texts, by the guidelines for accessible pages.
CONTRAST = 4.5
#: The same where one grey is for light and dark grounds: on white and #111, 4.35 is the most.
CONTRAST_OF_GREY = 4.2
#: How often a page is measured while something is wrong, half a second apart.
LOOKS = 20
CHANGE_THEME = """async (theme) => {
  await window.jupyterapp.commands.execute('apputils:change-theme', { theme });
}"""
#: Waits until the theme is the requested one, and charts have kept their width while the page was
#: drawn four times: on a busy machine that is less often than a timer fires.
SETTLE = """async (dark) => {
  const widths = () => [...document.querySelectorAll('.js-plotly-plot .main-svg')]
    .map((it) => it.getBoundingClientRect().width).join();
  let before, same = 0;
  for (let tries = 0; tries < 200 && same < 4; tries++) {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)));
    const themed = document.body.dataset.jpThemeLight === String(!dark);
    same = themed && widths() === before ? same + 1 : 0;
    before = widths();
  }
}"""
MEASURE = (Path(__file__).parent / "geometry.js").read_text("utf-8")


def looks_wrong(page: Page) -> list[str]:
    """Measure all widgets of a page in both themes and at both widths, and return what is wrong.

    The page is left as it was: light, and as wide.
    """
    before = page.viewport_size
    problems: list[str] = []
    for theme in THEMES:
        page.evaluate(CHANGE_THEME, theme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 1000})
            page.evaluate(SETTLE, theme.endswith("Dark"))
            problems += [f"{theme}, {width}: {one}" for one in _measured(page)]
    page.evaluate(CHANGE_THEME, THEMES[0])
    if before is not None:
        page.set_viewport_size(before)
    page.evaluate(SETTLE, False)
    return problems


def _measured(page: Page) -> list[Any]:
    """Return what is wrong in a page after it had time to settle: what is late is not wrong."""
    problems: list[Any] = []
    for _ in range(LOOKS):
        problems = page.evaluate(MEASURE, [NEAR, HAIR, CONTRAST, CONTRAST_OF_GREY])
        if not problems:
            break
        page.wait_for_timeout(500)
    return problems
