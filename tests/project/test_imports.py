"""A Spark worker loads what it computes with and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

import workbench

SAYS = "Executors load this module"
PACKAGE = Path(workbench.__file__).parent
ONLY_FOR_PEOPLE = {"pandas", "plotly", "ipywidgets", "anywidget", "IPython", "psutil"}
#: Spark's operator for arbitrary state is given a class of Spark's own.
WITH_SPARK = {"workbench.windows.stream.processor"}


def for_workers() -> list[str]:
    """The modules that say of themselves that executors load them."""
    files = [file for file in PACKAGE.rglob("*.py") if SAYS in file.read_text("utf-8")]
    return [".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts) for file in files]


def loaded_by(*modules: str) -> set[str]:
    code = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_what_executors_load_loads_nothing_of_the_driver_s() -> None:
    modules = set(for_workers()) - WITH_SPARK
    assert len(modules) > 60
    assert (ONLY_FOR_PEOPLE | {"pyspark"}) & loaded_by(*modules) == set()


@pytest.mark.parametrize(
    "module", ["kernels", "workbench", "workbench.spark.shipping", *WITH_SPARK]
)
def test_what_else_executors_load_is_not_for_people(module: str) -> None:
    assert ONLY_FOR_PEOPLE & loaded_by(module) == set()


def test_the_front_door_alone_does_not_load_spark() -> None:
    assert {"pyspark", "numba", "pyarrow"} & loaded_by("workbench") == set()
