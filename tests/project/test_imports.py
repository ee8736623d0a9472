"""A Spark worker loads what it computes with and nothing else."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACT = "What executors load knows no Spark, no pandas and no pictures"
#: These ask Spark's driver in some of their functions, and load nothing of it before.
ASKING = {
    *("workbench.functions.catalogue", "workbench.spark.jobs"),
    "workbench.backfill.inspect.instrumented",
}
ONLY_FOR_PEOPLE = {"pandas", "plotly", "ipywidgets", "anywidget", "IPython", "psutil"}


def for_workers() -> set[str]:
    """The modules that executors load, as the contract names them."""
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))
    contracts = {one["name"]: one for one in project["tool"]["importlinter"]["contracts"]}
    found = set()
    for pattern in contracts[CONTRACT]["source_modules"]:
        path = pattern.replace(".", "/")
        for file in [*ROOT.glob(f"{path}.py"), *ROOT.glob(f"{path}/**/*.py")]:
            inner = file.parent if file.stem == "__init__" else file.with_suffix("")
            found.add(".".join(inner.relative_to(ROOT).parts))
    return found


def loaded_by(*modules: str) -> set[str]:
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_what_executors_load_loads_nothing_of_the_driver_s() -> None:
    modules = for_workers() | ASKING
    assert len(modules) > 75
    assert (ONLY_FOR_PEOPLE | {"pyspark"}) & loaded_by(*modules) == set()


# Spark's operator for arbitrary state is given a class of Spark's own.
@pytest.mark.parametrize(
    "module",
    [
        *("kernels", "workbench", "workbench.spark.shipping"),
        "workbench.windows.stream.processor",
    ],
)
def test_what_else_executors_load_is_not_for_people(module: str) -> None:
    assert ONLY_FOR_PEOPLE & loaded_by(module) == set()


def test_the_front_door_alone_does_not_load_spark() -> None:
    assert {"pyspark", "numba", "pyarrow"} & loaded_by("workbench") == set()
