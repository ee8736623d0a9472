"""What needs no Spark, measured in a real JupyterLab: light and dark, and at two widths."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenNotebook
from tests.browser.geometry import looks_wrong
from workbench.widgets.sharing.kept import LESSON, found
from workbench.widgets.stepper.player import Player

pytestmark = pytest.mark.browser

#: What a notebook keeps of a figure, live and still.
FIGURE, STILL = "application/vnd.plotly.v1+json", "image/svg+xml"
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


def test_every_widget_fills_its_cell_and_follows_the_theme(open_notebook: OpenNotebook) -> None:
    page = open_notebook(CELLS)
    expect(page.locator(".wbp-caption")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(9)
    assert "\n".join(looks_wrong(page)) == ""


def kept_in(path: Path) -> list[Player]:
    """The players that a notebook keeps, each at the step that it opens at."""
    outputs = (out for cell in nbformat.read(path, 4).cells for out in cell.get("outputs", ()))
    kept = (found(LESSON, output.get("data", {})) for output in outputs)
    return [Player(one["lesson"], one["step"]) for one in kept if one is not None]


def figures_in(path: Path) -> list[dict[str, Any]]:
    """What else a notebook keeps to be looked at: figures, stills as a part of a page, tables."""
    found_here: list[dict[str, Any]] = []
    for cell in nbformat.read(path, 4).cells:
        for data in (output.get("data", {}) for output in cell.get("outputs", ())):
            if FIGURE in data:
                found_here.append({FIGURE: data[FIGURE]})
            elif STILL in data and LESSON not in data:
                found_here.append({"text/html": data[STILL]})
            elif "text/html" in data:
                found_here.append({"text/html": data["text/html"]})
    return found_here


SHOW = """
from pathlib import Path
from IPython.display import display
from tests.browser.test_look_in_jupyterlab import figures_in, kept_in
display(*kept_in(Path({path!r})))
"""
# Behind all players: a page that draws is slow to begin with widgets.
SHOW_FIGURES = """
for bundle in figures_in(Path({path!r})):
    display(bundle, raw=True)
"""


def test_every_player_figure_and_table_that_the_notebooks_keep_does_so(
    open_notebook: OpenNotebook,
) -> None:
    paths = sorted(NOTEBOOKS.glob("*.ipynb"))
    players = sum(len(kept_in(path)) for path in paths)
    kept = [bundle for path in paths for bundle in figures_in(path)]
    figures = sum(FIGURE in bundle for bundle in kept)
    stills = sum("wb-still" in bundle.get("text/html", "") for bundle in kept)
    assert players > 40
    assert (figures >= 10, stills > 40) == (True, True)
    page = open_notebook(
        cell.format(path=str(path)) for cell in (SHOW, SHOW_FIGURES) for path in paths
    )
    # One of two kernels side by side has two captions.
    drawn = page.locator(".jp-OutputArea-output", has=page.locator(".wbp-caption"))
    expect(drawn).to_have_count(players)
    expect(page.locator(".js-plotly-plot .main-svg:first-child")).to_have_count(figures)
    expect(page.locator("svg.wb-still")).to_have_count(stills)
    assert "\n".join(looks_wrong(page)) == ""
