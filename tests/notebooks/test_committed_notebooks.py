"""Every committed notebook is complete and small, and a reader's table runs in it."""

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import SparkSession

from tests.notebooks.own_tables import read, texts_with
from tests.notebooks.plans_as_run import compare_plans, shapes

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
#: Matches an import from the workbench: the module and the names.
IMPORT = re.compile(r"^from (workbench[\w.]*) import (.+)$", re.MULTILINE)
MOST_LINES, MOST_BYTES = 15, 1_000_000
#: Outputs that need a kernel or a script to be seen.
LIVE = {"application/vnd.jupyter.widget-view+json", "application/vnd.plotly.v1+json"}
OWN_TABLE = """
source = {shoppers!r}
key, time, event = "shopper", "at", "what"
steps = ["visit", "basket", "paid"]
window = "2 days"
"""

OWN_SERIES = """
source = {baskets!r}
partition, order, value = "the shop", ["at"], "euro"
around = 40
"""


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.name)
def notebook(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_there_are_notebooks() -> None:
    assert [path.name for path in NOTEBOOKS][:2] == ["00-start-here.ipynb", "01-funnel.ipynb"]


def test_the_first_notebook_leads_to_all_others() -> None:
    first, *others = NOTEBOOKS
    assert [path.name for path in others if f"]({path.name})" not in first.read_text("utf-8")] == []


def test_it_is_small_and_carries_no_state_of_widgets(notebook: Path) -> None:
    assert notebook.stat().st_size < MOST_BYTES
    assert "widgets" not in json.loads(notebook.read_text())["metadata"]


def test_it_imports_only_names_that_packages_export(notebook: Path) -> None:
    cells = code_cells(read(notebook))
    imports = IMPORT.findall("\n".join(cell.source for cell in cells))
    imported = {(module, name.strip()) for module, names in imports for name in names.split(",")}
    for module, name in imported - {("workbench.exercises", "Exercise")}:
        package = import_module(module)
        assert hasattr(package, "__path__"), f"{module} is no package"
        assert name in dir(package), f"{module} exports no {name}"


def test_its_cells_fit_on_a_screen(notebook: Path) -> None:
    long = [c.source for c in code_cells(read(notebook)) if c.source.count("\n") >= MOST_LINES]
    assert long == []


def test_it_was_run_in_order_and_without_an_error(notebook: Path) -> None:
    cells = code_cells(read(notebook))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not [out for cell in cells for out in cell.outputs if out.output_type == "error"]


def test_live_outputs_have_a_picture_for_readers_without_a_kernel(notebook: Path) -> None:
    outputs = [out for cell in code_cells(read(notebook)) for out in cell.outputs]
    live = [out for out in outputs if LIVE & set(out.get("data", {}))]
    assert live
    assert all("image/svg+xml" in out.data for out in live)


def test_the_picture_of_a_plan_has_the_number_of_its_operators(notebook: Path) -> None:
    outputs = [out for cell in code_cells(read(notebook)) for out in cell.outputs]
    stills = [out.data["image/svg+xml"] for out in outputs if shapes([out])]
    assert [text for text in shapes(outputs) if not any(text in drawn for drawn in stills)] == []


def test_a_plan_with_other_operators_than_its_picture_fails() -> None:
    committed, fresh = ({"data": {"text/plain": f"Query plan: {n} operators"}} for n in (8, 9))
    with pytest.raises(AssertionError, match="8 operators"):
        compare_plans([committed], [fresh])
    compare_plans([committed], [committed])


def test_its_outputs_have_no_warnings_or_tracebacks(notebook: Path) -> None:
    texts = [out.get("text", "") for cell in code_cells(read(notebook)) for out in cell.outputs]
    assert [text for text in texts if "Traceback" in text or "WARN" in text] == []


def test_it_names_no_folder_of_the_machine_it_was_made_on(notebook: Path) -> None:
    assert str(ROOT) not in notebook.read_text()


def test_the_tree_notebook_runs_on_a_reader_s_table(spark: SparkSession, tmp_path: Path) -> None:
    minutes = pd.date_range("1969-12-30", periods=900, freq="7min", tz="UTC")
    baskets = pd.DataFrame({"at": minutes, "euro": [(i * i) % 97 / 4 for i in range(900)]})
    baskets = baskets.assign(**{"the shop": [f"s{i % 2}" for i in range(900)]})
    notebook = ROOT / "notebooks" / "03-segment-tree.ipynb"
    texts = texts_with(spark, notebook, OWN_SERIES, tmp_path, baskets=baskets)
    assert any("the shop" in text and "euro" in text for text in texts)


def test_the_funnel_notebook_runs_on_a_reader_s_table(spark: SparkSession, tmp_path: Path) -> None:
    shoppers = pd.DataFrame(
        {
            "shopper": [f"s{i % 7}" for i in range(60)],
            "at": pd.date_range("1969-12-30", periods=60, freq="3h", tz="UTC"),
            "what": [["visit", "basket", "look", "paid"][i % 4] for i in range(60)],
        }
    )
    texts = texts_with(
        spark, ROOT / "notebooks" / "01-funnel.ipynb", OWN_TABLE, tmp_path, shoppers=shoppers
    )
    assert any("visit" in text and "paid" in text for text in texts)
