"""Run a notebook on tables of one's own, as a reader does who changes its first cell."""

import sys
import warnings
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display
from IPython.utils.capture import capture_output
from pyspark.sql import SparkSession
from traitlets.config import Config

NO_HISTORY = Config({"HistoryManager": {"enabled": False}})


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def texts_with(
    spark: SparkSession,
    notebook: Path,
    parameters: str,
    folder: Path,
    before: str | None = None,
    **tables: pd.DataFrame,
) -> list[str]:
    """Return all that a notebook's cells say with a reader's parameters.

    With the heading ``before``, only those before it: behind it nothing is of the reader's table.

    Each table is written to a file, whose path stands in the parameters under the table's name.
    The cells run here, on the session of the tests: that a notebook runs in a kernel and a session
    of its own is tested with the parameters that it comes with.
    """
    paths = {name: str(folder / f"{name}.parquet") for name in tables}
    for name, table in tables.items():
        table.to_parquet(paths[name], coerce_timestamps="us")
    found = read(notebook)
    if before is not None:
        (end,) = (k for k, c in enumerate(found.cells) if c.source.startswith(before))
        found.cells = found.cells[:end]
    (cell,) = [c for c in found.cells if "parameters" in c.metadata.get("tags", [])]
    cell.source = parameters.format(**paths)
    # A notebook shows 20 columns, a terminal those that fit.
    wide = pd.option_context("display.max_columns", 20)
    with pytest.MonkeyPatch.context() as changed, warnings.catch_warnings(), wide:
        changed.chdir(folder)
        # A shell takes that name, so that what a cell defines goes to Spark's workers as a copy.
        changed.setitem(sys.modules, "__main__", sys.modules["__main__"])
        warnings.simplefilter("default")
        shell = InteractiveShell.instance(config=NO_HISTORY)
        shell.display_trap.hook = show
        try:
            return [
                text
                for c in found.cells
                if c.cell_type == "code"
                for text in texts_of(shell, c.source)
            ]
        finally:
            InteractiveShell.clear_instance()


def texts_of(shell: InteractiveShell, cell: str) -> list[str]:
    """Run a cell and return what it prints, and as what it shows each thing."""
    with capture_output() as captured:
        result = shell.run_cell(cell)
    result.raise_error()
    shown = [output.data.get("text/plain", "") for output in captured.outputs]
    return [captured.stdout, *shown]


def show(value: object) -> None:
    """Show what stands last in a cell, as a notebook does."""
    if value is not None:
        display(value)
