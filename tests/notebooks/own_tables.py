"""Run a notebook on other tables, as a reader does who changes its first cell."""

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
    """Return the texts of all outputs of a notebook's cells with a reader's parameters.

    With the heading ``before``, only the cells before it run, as the others use other tables.

    Each table is written to a file, whose path replaces the table's name in the parameters. The
    cells run here, on the session of the tests: other tests run the notebook with its own
    parameters in a new kernel and a new session.
    """
    paths = {name: str(folder / f"{name}.parquet") for name in tables}
    for name, table in tables.items():
        table.to_parquet(paths[name], coerce_timestamps="us")
    opened = read(notebook)
    if before is not None:
        (end,) = (k for k, c in enumerate(opened.cells) if c.source.startswith(before))
        opened.cells = opened.cells[:end]
    (cell,) = [c for c in opened.cells if "parameters" in c.metadata.get("tags", [])]
    cell.source = parameters.format(**paths)
    # A notebook shows 20 columns, a terminal only those that fit.
    wide = pd.option_context("display.max_columns", 20)
    with pytest.MonkeyPatch.context() as monkeypatch, warnings.catch_warnings(), wide:
        monkeypatch.chdir(folder)
        # A shell replaces `__main__`, so that Spark's workers get copies of what a cell defines.
        monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
        warnings.simplefilter("default")
        shell = InteractiveShell.instance(config=NO_HISTORY)
        shell.display_trap.hook = show
        try:
            return [
                text
                for c in opened.cells
                if c.cell_type == "code"
                for text in texts_of(shell, c.source)
            ]
        finally:
            InteractiveShell.clear_instance()


def texts_of(shell: InteractiveShell, cell: str) -> list[str]:
    """Run a cell and return the text that it prints, and the text of each output."""
    with capture_output() as captured:
        result = shell.run_cell(cell)
    result.raise_error()
    shown = [output.data.get("text/plain", "") for output in captured.outputs]
    return [captured.stdout, *shown]


def show(value: object) -> None:
    """Show the value of the last expression of a cell, as a notebook does."""
    if value is not None:
        display(value)
