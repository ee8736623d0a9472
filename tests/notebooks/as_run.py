"""For the run of the notebooks: save each as it was run, with the state of its widgets.

A plugin of pytest, ``-p tests.notebooks.as_run``, active only if the environment names a folder.
A browser can then show what a notebook has shown, without another run.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbval.plugin import IPyNbFile

#: The variable that names the folder, and the file in it that marks the run as complete.
AS_RUN, COMPLETE = "NOTEBOOKS_AS_RUN", "complete"
WIDGETS = "application/vnd.jupyter.widget-state+json"
#: Code that a kernel runs at its end. A figure puts what it shows by now into its state when it
#: makes the data to display it.
SAVE = """
import json as _json, pathlib as _pathlib
from jupyter_client.jsonutil import json_default as _default
from ipywidgets.widgets.widget import Widget as _Widget, _instances
from plotly.basewidget import BaseFigureWidget as _Figure
for _one in list(_instances.values()):
    isinstance(_one, _Figure) and _one._repr_mimebundle_()
_pathlib.Path({path!r}).write_text(
    _json.dumps(_Widget.get_manager_state(), default=_default), "utf-8")
"""
#: The most seconds for it.
PATIENCE = 240


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Save a notebook after its last cell, while its kernel is alive."""
    notebook = item.getparent(IPyNbFile)
    is_last = notebook and (nextitem is None or nextitem.getparent(IPyNbFile) is not notebook)
    try:
        if is_last and AS_RUN in os.environ:
            save(notebook, item.session.items, Path(os.environ[AS_RUN]))
    finally:
        yield


def pytest_sessionfinish() -> None:
    """Mark the run as complete."""
    if AS_RUN in os.environ:
        Path(os.environ[AS_RUN], COMPLETE).touch()


def save(file: IPyNbFile, cells: list[Any], folder: Path) -> None:
    """Write a notebook with the outputs of its run and the state of its widgets."""
    path = folder / file.path.name
    state = path.with_suffix(".json")
    reply = file.kernel.kc.execute(SAVE.format(path=str(state)), reply=True, timeout=PATIENCE)
    assert reply["content"]["status"] == "ok", reply["content"]
    for one in cells:
        if one.getparent(IPyNbFile) is file:
            one.cell.outputs = one.test_outputs or []
    file.nb.metadata["widgets"] = {WIDGETS: json.loads(state.read_text("utf-8"))}
    nbformat.write(file.nb, path)
    state.unlink()
