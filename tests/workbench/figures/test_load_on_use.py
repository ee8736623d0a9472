"""What plotly imports for figures without a widget is loaded when one is shown so."""

import subprocess
import sys

import pytest

SLOW = "'rfc3987_syntax' in sys.modules"


def run(code: str) -> list[str]:
    """The words that a fresh process prints."""
    given = [sys.executable, "-W", "error", "-c", f"import sys; {code}"]
    return subprocess.run(given, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("module", ["workbench.widgets.chart", "workbench.figures.theme"])
def test_a_chart_does_not_load_what_reads_notebooks(module: str) -> None:
    widget = f"import {module}, plotly.graph_objects as go; go.FigureWidget()"
    assert run(f"{widget}; print({SLOW})") == ["False"]


def test_a_figure_can_be_shown_without_a_widget() -> None:
    show = "import workbench.widgets.chart, plotly.graph_objects as go; go.Figure().show('json')"
    assert run(f"{show}; print({SLOW})")[-1] == "True"


@pytest.mark.parametrize(
    "use",
    [
        "import nbformat.v4; made = nbformat.v4.new_notebook()",
        "from nbformat.v4 import new_notebook; made = new_notebook()",
        "from nbformat import v4; made = v4.new_notebook()",
        "from importlib import import_module as load; made = load('nbformat').v4.new_notebook()",
    ],
)
def test_however_it_is_used_it_is_as_if_imported(use: str) -> None:
    assert run(f"import workbench.figures; {use}; print(made.nbformat)") == ["4"]


def test_what_is_not_installed_is_still_not_there() -> None:
    code = "from workbench.figures.load_on_use import load_on_use; load_on_use('no_module')"
    assert run(f"{code}; print('no_module' in sys.modules)") == ["False"]
