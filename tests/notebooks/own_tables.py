"""Run a notebook on tables of one's own, as a reader does who changes its first cell."""

from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
from nbclient import NotebookClient


def read(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def said_with(notebook: Path, parameters: str, folder: Path, **tables: pd.DataFrame) -> list[str]:
    """Return all that a notebook's cells say with a reader's parameters.

    Each table is written to a file, whose path stands in the parameters under the table's name.
    """
    paths = {name: str(folder / f"{name}.parquet") for name in tables}
    for name, table in tables.items():
        table.to_parquet(paths[name], coerce_timestamps="us")
    found = read(notebook)
    (cell,) = [c for c in found.cells if "parameters" in c.metadata.get("tags", [])]
    cell.source = parameters.format(**paths)
    NotebookClient(found, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [out for c in found.cells for out in c.get("outputs", [])]
    return [out["text"] if "text" in out else out.data["text/plain"] for out in outputs]
