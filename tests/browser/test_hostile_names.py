"""Nothing in a name, a value or an error runs in a browser: it is shown as it is."""

from pathlib import Path

import plotly.offline
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenNotebook
from tests.hostile import NAMES, figures, lesson, stills
from workbench.markup import Markup, readable
from workbench.widgets.stepper.player import Player

pytestmark = pytest.mark.browser

# Elements that a name adds to a page if it is read as markup, without those of plotly.
ADDED = """[...document.querySelectorAll(
  '.names :is(img, iframe, sup, i:not(:empty), [onload], [onerror], a:not(.modebar-btn), script)'
)].map((it) => it.outerHTML.slice(0, 200))
  .filter((it) => !it.includes('window.PLOTLYENV') && !it.includes('window.PlotlyConfig'))"""
# Points at the first point of every trace, so that hover texts are drawn as well.
POINT_AT_ALL = """async () => {
  const plots = [...document.querySelectorAll('.js-plotly-plot')], words = [];
  const most = Math.max(...plots.map((plot) => plot._fullData.length));
  for (let curveNumber = 0; curveNumber < most; curveNumber++) {
    for (const plot of plots) {
      const trace = plot._fullData[curveNumber];
      if (!trace?.visible || trace.hoverinfo === 'skip') continue;
      const pointNumber = trace.type === 'heatmap' ? [0, 0] : 0;
      Plotly.Fx.hover(plot, [{ curveNumber, pointNumber }], trace.xaxis + trace.yaxis);
    }
    await new Promise((done) => setTimeout(done, 100));
    words.push(...[...document.querySelectorAll('.hovertext')].map((it) => it.textContent));
  }
  return words;
}"""
CELLS = [
    """
import ipywidgets
from tests.hostile import NAMES, widgets
from workbench.widgets.html import Status
names = [NAMES["image"], NAMES["end"], NAMES["link"]]
status = Status()
status.fail(f"key: {NAMES['image']} is gone.")
ipywidgets.VBox([status, *(widget for name in names for widget in widgets(name).values())])
""",
]


def is_untouched(page: Page) -> bool:
    assert page.evaluate(ADDED) == []
    return bool(page.evaluate("window.hacked === undefined"))


def shows(page: Page, selector: str, name: str) -> bool:
    words = page.eval_on_selector_all(selector, "parts => parts.map((part) => part.textContent)")
    return any(" ".join(readable(name)[:9].split()) in " ".join(text.split()) for text in words)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_lesson_s_page_shows_a_name_as_it_is(name: str, page: Page, tmp_path: Path) -> None:
    page.goto(Player(lesson(name)).to_html(tmp_path / "lesson.html").as_uri())
    expect(page.locator(".wbp-caption")).to_have_text(readable(name))
    assert page.title().split() == readable(name).split()
    page.evaluate("document.body.classList.add('names')")
    assert page.evaluate("window.hacked === undefined")
    assert page.locator("#player :is(img, script, sup, i, a)").count() == 0


def test_pictures_show_a_name_as_it_is(page: Page, tmp_path: Path) -> None:
    names = ("image", "end", "link", "signs")
    parts = []
    for name in names:
        parts += [Markup.escape(name), *stills(NAMES[name]).values()]
        for figure in figures(NAMES[name]).values():
            parts.append(figure.to_html(include_plotlyjs=False, full_html=False))
    (tmp_path / "plotly.js").write_text(plotly.offline.get_plotlyjs(), encoding="utf-8")
    start = '<!doctype html><meta charset="utf-8"><script src="plotly.js"></script>'
    path = tmp_path / "names.html"
    path.write_text(f'{start}<body class="names">{"".join(parts)}', encoding="utf-8")
    page.goto(path.as_uri())
    expect(page.locator(".js-plotly-plot .main-svg").last).to_be_attached()
    hover_texts = page.evaluate(POINT_AT_ALL)
    assert is_untouched(page)
    for name in names:
        assert shows(page, "body > svg", NAMES[name])
        for selector in (".legendtext", ".xtitle", ".annotation-text", ".ytick"):
            assert shows(page, selector, NAMES[name]), (selector, name)
        assert any(NAMES[name][:9] in words for words in hover_texts)


def test_widgets_show_a_name_as_it_is(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    expect(page.locator(".js-plotly-plot .main-svg").last).to_be_attached()
    outputs = "document.querySelectorAll('.jp-OutputArea-output')"
    page.evaluate(f"{outputs}.forEach((output) => output.classList.add('names'))")
    assert is_untouched(page)
    expect(page.get_by_text(f"✕ key: {NAMES['image']} is gone.")).to_be_visible()
    expect(page.locator(".wbp-caption")).to_have_count(3)
    for name in (NAMES["image"], NAMES["end"], NAMES["link"]):
        assert shows(page, ".wbp-caption", name)
        assert shows(page, "option", name)
