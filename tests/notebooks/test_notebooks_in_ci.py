"""The repository of docs/notebooks-in-ci.md, built from that page, and its workflow's commands."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pandas as pd
import pytest
import yaml

from workbench.widgets.saved import STRIP, main, problems

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "notebooks-in-ci.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"`([\w./]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL))
WORKFLOW = yaml.safe_load(BLOCKS[".github/workflows/notebooks.yml"])["jobs"]["notebooks"]
PARAMETERS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0]
FUNNEL = [
    PARAMETERS,
    "import workbench as wb\nfunnel = wb.Funnel(['visit', 'pay'], window=window)",
    "print(funnel.steps(source)['users'].tolist())",
    "wb.play(funnel, source, key='u1')",
]
KERNEL = "from workbench.durations import microseconds\nprint(microseconds('1 hour', 'window'))"


def new_notebook(cells: list[str], tags: dict[int, str]) -> Any:
    new: Any = nbformat.v4
    code_cells = [
        new.new_code_cell(source, metadata={"tags": [tags[k]]} if k in tags else {})
        for k, source in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new.new_notebook(cells=code_cells, metadata={"kernelspec": kernel})


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody else's repository: two notebooks and a table."""
    folder = tmp_path_factory.mktemp("somebody")
    for name in "notebooks", "data":
        (folder / name).mkdir()
    at = pd.to_datetime(["2024-01-01 10:00", "2024-01-01 11:30"] * 2, utc=True)
    who = ["u1", "u1", "u2", "u2"]
    table = pd.DataFrame({"user_id": who, "timestamp": at, "event": ["visit", "pay", "visit", "x"]})
    table.to_parquet(folder / "data" / "clicks.parquet", coerce_timestamps="us")
    nbformat.write(new_notebook(FUNNEL, {0: "parameters"}), folder / "notebooks" / "funnel.ipynb")
    compared = new_notebook([KERNEL], {0: "nbval-check-output"})
    new: Any = nbformat.v4
    output = new.new_output("stream", name="stdout", text="3600000000\n")
    compared.cells[0].update(execution_count=1, outputs=[output])
    nbformat.write(compared, folder / "notebooks" / "kernel.ipynb")
    return folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a step of the workflow, with this environment's programs and compiled kernels."""
    variables = {name: text for name, text in WORKFLOW["env"].items() if name != "NUMBA_CACHE_DIR"}
    paths = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
    }
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env=os.environ | variables | paths,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_workflow_removes_what_the_check_would_find() -> None:
    assert sum(STRIP in step.get("run", "") for step in WORKFLOW["steps"]) == 1


def test_it_installs_the_versions_that_the_project_is_tested_with() -> None:
    wheel, *others = BLOCKS["requirements.txt"].split()
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert re.search(r'^version = "0.1.0"$', project, re.MULTILINE)
    assert wheel.endswith("/window_workbench-0.1.0-py3-none-any.whl")
    assert [one for one in others if f'"{one}"' not in project] == []


# Five processes, one of which starts Spark: on a busy machine, they take long.
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("jvm")
def test_each_command_of_the_workflow_runs_in_such_a_repository(repository: Path) -> None:
    steps = [one for one in WORKFLOW["steps"] if "run" in one]
    assert steps[0]["name"] == "Install"
    # The packages are installed here, so the first step is left out: it needs the network.
    for step in steps[1:]:
        done = run(step["run"], repository)
        assert done.returncode == 0, (step["name"], done.stdout, done.stderr)
    notebook = nbformat.read(repository / "out" / "funnel.ipynb", as_version=4)
    (parameters,) = [
        c for c in notebook.cells if "injected-parameters" in c.metadata.get("tags", [])
    ]
    assert 'window = "2 hours"' in parameters.source
    # Within an hour, the window in the notebook, nobody pays; within two, one user does.
    texts = [out.text for cell in notebook.cells for out in cell.outputs if "text" in out]
    assert texts[-1].strip() == "[2, 1]"
    assert "<iframe" in (repository / "out" / "funnel.html").read_text("utf-8")


def test_cells_that_cannot_be_read_without_a_kernel_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new: Any = nbformat.v4
    notebook = new_notebook(["1 / 0", "widget", "never run"], {})
    error = new.new_output("error", ename="ZeroDivisionError", evalue="division by zero")
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "a"}, "text/plain": "w"}
    notebook.cells[0].update(execution_count=1, outputs=[error])
    notebook.cells[1].update(execution_count=2, outputs=[new.new_output("display_data", view)])
    notebook.metadata["widgets"] = {}
    path = tmp_path / "a.ipynb"
    nbformat.write(notebook, path)
    assert problems(path) == [
        "code cell 1 ended with ZeroDivisionError: division by zero",
        "code cell 2 shows a widget without a picture; show one of wb's.",
        "code cell 3 was not run; run the notebook before it is saved.",
        f"it carries the state of widgets; remove it with {STRIP}.",
    ]
    with pytest.raises(SystemExit, match=r"^1$"):
        main([str(path)])
    assert f"{path}: code cell 1 ended" in capsys.readouterr().out


def test_the_committed_notebooks_can_be_read_without_a_kernel() -> None:
    paths = sorted(ROOT.glob("notebooks/*.ipynb"))
    assert {path.name: problems(path) for path in paths} == {path.name: [] for path in paths}
