"""Widgets without Spark, measured in a real JupyterLab: light and dark, and at two widths."""

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import CHANGE_THEME, SETTLE, THEMES, looks_wrong
from workbench.widgets.living import PICTURE

pytestmark = pytest.mark.browser

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
DATA = Path(__file__).parents[1] / "data/funnel_lesson.json"
CELLS = [
    """
import json
from pathlib import Path
import pandas as pd
from tests.hostile import plan, served, skew
from workbench.figures.consistency import consistency_figure
from workbench.widgets import LadderCostsView, ReadsPerFrameView, SkewView, TreeExplorer
from workbench.widgets.plan import PlanView, PlanViews
from workbench.widgets.stepper.player import Player
""",
    "TreeExplorer([5, 7, 3, 10, 6, 2, 8, 4], before=5, after=1, fanout=2)",
    """
rungs = ("naive", "rollups", "search", "tiles", "cursors", "tree hops", "stack hops", "sawtooth")
LadderCostsView(pd.DataFrame({rung: [100, 190, 400] for rung in rungs}, index=[10, 20, 40]))
""",
    'ReadsPerFrameView(pd.DataFrame({"naive": [1, 100], "two stacks": [2, 3]}, index=[1, 100]))',
    'SkewView(skew("N725MQ"))',
    """
timed = plan("Sort of rows by their key")
took = "230 ms (tasks' least 0 ms, median 76 ms, most 80 ms (stage 12.0: task 27))"
timed.operators[1].metrics["time to execute Python code"] = took
PlanView(timed)
""",
    'PlanViews({"two stacks": plan("Sort of rows by their key"), "tree": plan("Exchange")})',
    """
states = {"equal": [3, 4], "different": [1, 0], "both_null": 0, "left_null": 0, "right_null": 0}
consistency_figure(pd.DataFrame({"time": [0, 5], "column": "n", "rows": 4, **states}))
""",
    'served("count")',
    """
from tests.workbench.figures.behaviour.test_retention import RETENTION
from workbench.figures.behaviour.retention import retention_figure
from workbench.figures.pictured import Pictured
Pictured(retention_figure(RETENTION), "who comes back")
""",
    """
import ipywidgets
import workbench as wb
from workbench.widgets.controls.series import SeriesControls
from workbench.widgets.explorers.explorer import Card
column, series = "a name as exports of a warehouse have it, " * 4, "a long name of a series"
week = wb.Frame.range("-3 days", "3 days")
band = wb.Over(column, "time", week, iqr=wb.fn.quantile("mwh", [0.25, 0.5, 0.75]))
controls = SeriesControls(band, {(series,): 9, (series * 3,): 7})
ipywidgets.VBox([Card(controls=[controls])])
""",
    f'Player(json.loads(Path({str(DATA)!r}).read_text("utf-8")), step=9)',
]

#: Gives a chart less room, but keeps the width of the window, whose changes plotly hears of.
NARROW = "(chart) => { chart.style.maxWidth = '600px'; }"


def test_every_widget_fills_its_cell_and_follows_the_theme(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    expect(page.locator(".wbp-caption")).to_be_visible()
    charts = page.locator(".js-plotly-plot")
    expect(charts).to_have_count(9)
    assert "\n".join(looks_wrong(page)) == ""
    charts.first.evaluate(NARROW)
    expect(charts.first.locator(".main-svg").first).to_have_attribute("width", "600")


#: The contrast between the arrow of a drop-down and its ground, at the most distinct pixel.
ARROW = """async (list) => {
  const style = getComputedStyle(list), image = new Image();
  image.src = style.backgroundImage.slice(5, -2);
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: 36, height: 36 });
  const pen = canvas.getContext('2d');
  const light = (bytes) => [0.2126, 0.7152, 0.0722].reduce((sum, part, k) => {
    const byte = bytes[k] / 255;
    return sum + part * (byte <= 0.04045 ? byte / 12.92 : ((byte + 0.055) / 1.055) ** 2.4);
  }, 0.05);
  pen.fillStyle = getComputedStyle(list.closest('.wb-card')).backgroundColor;
  pen.fillRect(0, 0, 36, 36);
  const ground = light(pen.getImageData(0, 0, 1, 1).data);
  pen.drawImage(image, 0, 0, 36, 36);
  const bytes = pen.getImageData(0, 0, 36, 36).data;
  const found = [...Array(36 * 36).keys()].map((k) => light(bytes.slice(4 * k)) / ground);
  return Math.max(...found.map((one) => Math.max(one, 1 / one)));
}"""


def test_the_arrow_of_a_drop_down_is_visible_in_both_themes(open_notebook: OpenNotebook) -> None:
    page = open_notebook([CELLS[0] + CELLS[1]])
    for theme in THEMES:
        page.evaluate(CHANGE_THEME, theme)
        page.evaluate(SETTLE, theme.endswith("Dark"))
        # The guidelines for accessible pages require this of parts that are no text.
        assert page.locator(".wb-card select").first.evaluate(ARROW) >= 3
    page.evaluate(CHANGE_THEME, THEMES[0])


def stills_in(path: Path) -> list[dict[str, str]]:
    """Return the pictures in a notebook for readers without a kernel, as parts of a page."""
    outputs = (out for cell in nbformat.read(path, 4).cells for out in cell.get("outputs", ()))
    pictures = (output.get("data", {}).get(PICTURE) for output in outputs)
    return [{"text/html": still} for still in pictures if still]


SHOW = """
from pathlib import Path
from IPython.display import display
from tests.browser.test_look_in_jupyterlab import stills_in
for bundle in stills_in(Path({path!r})):
    display(bundle, raw=True)
"""


def test_the_texts_of_every_still_in_the_notebooks_are_within_its_picture(
    open_notebook: OpenNotebook,
) -> None:
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    stills = sum(len(stills_in(path)) for path in paths)
    assert stills > 80
    page = open_notebook(SHOW.format(path=str(path)) for path in paths)
    expect(page.locator("svg.wb-still")).to_have_count(stills)
    assert "\n".join(looks_wrong(page)) == ""
