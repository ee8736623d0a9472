"""What needs no Spark, measured in a real JupyterLab: light and dark, and at two widths."""

from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong
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
from tests.workbench.figures.behaviour.test_retention import FOUND
from workbench.figures.behaviour.retention import retention_figure
from workbench.figures.pictured import Pictured
Pictured(retention_figure(FOUND), "who comes back")
""",
    f'Player(json.loads(Path({str(DATA)!r}).read_text("utf-8")), step=9)',
]

#: Gives a chart less room, while the window, from which plotly hears, stays as wide as it is.
NARROW = "(chart) => { chart.style.maxWidth = '600px'; }"


def test_every_widget_fills_its_cell_and_follows_the_theme(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    expect(page.locator(".wbp-caption")).to_be_visible()
    charts = page.locator(".js-plotly-plot")
    expect(charts).to_have_count(9)
    assert "\n".join(looks_wrong(page)) == ""
    charts.first.evaluate(NARROW)
    expect(charts.first.locator(".main-svg").first).to_have_attribute("width", "600")


def stills_in(path: Path) -> list[dict[str, str]]:
    """The pictures that a notebook keeps for who has no kernel, as parts of a page."""
    outputs = (out for cell in nbformat.read(path, 4).cells for out in cell.get("outputs", ()))
    found = (output.get("data", {}).get(PICTURE) for output in outputs)
    return [{"text/html": still} for still in found if still]


SHOW = """
from pathlib import Path
from IPython.display import display
from tests.browser.test_look_in_jupyterlab import stills_in
for bundle in stills_in(Path({path!r})):
    display(bundle, raw=True)
"""


def test_every_still_that_the_notebooks_keep_has_its_texts_in_its_picture(
    open_notebook: OpenNotebook,
) -> None:
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    stills = sum(len(stills_in(path)) for path in paths)
    assert stills > 80
    page = open_notebook(SHOW.format(path=str(path)) for path in paths)
    expect(page.locator("svg.wb-still")).to_have_count(stills)
    assert "\n".join(looks_wrong(page)) == ""
