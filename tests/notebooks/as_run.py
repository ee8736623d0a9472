"""For the run of the notebooks: each is kept as it was run, with the state of its widgets.

A plugin of pytest, ``-p tests.notebooks.as_run``, that works where the environment names a folder:
so a browser can show what a notebook has shown, and nobody has to run it once more.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbval.plugin import IPyNbFile

#: The variable that names the folder, and the file in it that says that no more notebooks come.
AS_RUN, COMPLETE = "NOTEBOOKS_AS_RUN", "complete"
WIDGETS = "application/vnd.jupyter.widget-state+json"
#: What a kernel is asked at its end. A figure has what it shows by now in its state once it says
#: how it is to be displayed.
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
#: Seconds that it has for that.
PATIENCE = 240


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
    """Keep a notebook that has come to its end, while its kernel is there."""
    ended = item.getparent(IPyNbFile)
    last = ended and (nextitem is None or nextitem.getparent(IPyNbFile) is not ended)
    try:
        if last and AS_RUN in os.environ:
            keep(ended, item.session.items, Path(os.environ[AS_RUN]))
    finally:
        yield


def pytest_sessionfinish() -> None:
    """Say that all are there that come."""
    if AS_RUN in os.environ:
        Path(os.environ[AS_RUN], COMPLETE).touch()


def keep(file: IPyNbFile, cells: list[Any], folder: Path) -> None:
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
