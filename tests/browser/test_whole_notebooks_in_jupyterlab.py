"""Each notebook as it was run: all that it shows, measured light and dark, and at two widths."""

import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ROOT, OpenNotebook
from tests.browser.geometry import looks_wrong
from tests.notebooks.as_run import AS_RUN, COMPLETE
from workbench.widgets.living import WIDGET

pytestmark = pytest.mark.browser

NAMES = [path.name for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
#: The command that runs them all, if no run is under way.
RUN = (
    *(sys.executable, "-m", "pytest", "-q", "-p", "nbval.plugin", "--nbval-lax", "-W", "default"),
    *("-p", "tests.notebooks.one_jvm", "-p", "tests.notebooks.as_run", "notebooks"),
)
#: The most seconds to wait for a run that is under way.
PATIENCE = 2400
#: How often to redraw the widgets that were left out, at most, a second apart.
TRIES = 100
#: Hides the mark of a widget without a kernel, which no reader with a kernel sees.
AS_IF_LIVE = ".jupyter-widgets-disconnected::before { display: none !important; }"
#: JupyterLab's text for a widget that it drew before it had read the state of all.
LEFT_OUT = "Error displaying widget: model not found"
#: Redraws the outputs with this text.
REDRAW = """(words) => {
  for (const { outputArea } of window.jupyterapp.shell.currentWidget.content.widgets) {
    if (outputArea?.node.textContent.includes(words)) {
      outputArea.model.fromJSON(outputArea.model.toJSON());
    }
  }
}"""


@pytest.fixture(scope="module")
def as_run(jvm: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the notebooks as they were run, by a run at the same time or by this one."""
    other_run = os.environ.get(AS_RUN)
    folder = Path(other_run) if other_run else tmp_path_factory.mktemp("as-run")
    if not other_run:
        subprocess.run(RUN, cwd=ROOT, env=os.environ | {AS_RUN: str(folder)}, check=True)
    end = time.monotonic() + PATIENCE
    while not (folder / COMPLETE).exists():
        assert time.monotonic() < end, "the run of the notebooks has not come to its end"
        time.sleep(1)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_every_widget_of_a_notebook_fills_its_cell_and_follows_the_theme(
    open_notebook: OpenNotebook, as_run: Path, name: str
) -> None:
    cells = nbformat.read(as_run / name, 4).cells
    outputs = [one.get("data", {}) for cell in cells for one in cell.get("outputs", ())]
    widgets = sum(WIDGET in data for data in outputs)
    assert widgets >= 2
    page = open_notebook(as_run / name)
    page.add_style_tag(content=AS_IF_LIVE)
    left_out = page.get_by_text(LEFT_OUT)
    drawn = page.locator(".jp-OutputArea-output", has=page.locator(".wb-card, .wbp-caption"))
    for _ in range(TRIES):
        expect(drawn.or_(left_out)).to_have_count(widgets)
        if not left_out.count():
            break
        page.wait_for_timeout(1_000)
        page.evaluate(REDRAW, LEFT_OUT)
    expect(drawn).to_have_count(widgets)
    expect(page.locator(".wb-chart:not(:has(.main-svg))").filter(visible=True)).to_have_count(0)
    assert "\n".join(looks_wrong(page)) == ""
