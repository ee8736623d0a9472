"""A Spark worker loads only the modules that it computes with."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRACT = "What executors load knows no Spark, no pandas and no pictures"
#: Modules with functions that use Spark's driver, and import it only when they are called.
LAZY = {
    *("workbench.functions.catalogue", "workbench.spark.jobs"),
    "workbench.backfill.inspect.instrumented",
}
ONLY_FOR_PEOPLE = {"pandas", "plotly", "ipywidgets", "anywidget", "IPython", "psutil"}


def for_workers() -> set[str]:
    """Return the modules that executors load, as the contract names them."""
    project = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text("utf-8"))
    contracts = {one["name"]: one for one in project["tool"]["importlinter"]["contracts"]}
    modules = set()
    for pattern in contracts[CONTRACT]["source_modules"]:
        path = pattern.replace(".", "/")
        for file in [*ROOT.glob(f"{path}.py"), *ROOT.glob(f"{path}/**/*.py")]:
            inner = file.parent if file.stem == "__init__" else file.with_suffix("")
            modules.add(".".join(inner.relative_to(ROOT).parts))
    return modules


def loaded_by(*modules: str) -> set[str]:
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_modules_of_executors_do_not_load_those_of_the_driver() -> None:
    modules = for_workers() | LAZY
    assert len(modules) > 75
    assert (ONLY_FOR_PEOPLE | {"pyspark"}) & loaded_by(*modules) == set()


# Spark's operator for arbitrary state takes a class of PySpark, so these may load it.
@pytest.mark.parametrize(
    "module",
    [
        *("kernels", "workbench", "workbench.spark.shipping"),
        "workbench.windows.stream.processor",
    ],
)
def test_other_modules_of_executors_load_no_packages_for_people(module: str) -> None:
    assert ONLY_FOR_PEOPLE & loaded_by(module) == set()


def test_the_front_door_alone_does_not_load_spark() -> None:
    assert {"pyspark", "numba", "pyarrow"} & loaded_by("workbench") == set()
