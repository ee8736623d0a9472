"""A Spark worker loads what it computes with and nothing else."""

import subprocess
import sys

import pytest

ONLY_FOR_PEOPLE = {"pandas", "plotly", "ipywidgets", "anywidget", "IPython", "psutil"}
FOR_WORKERS = ["kernels", "workbench", "workbench.spark.shipping", "workbench.columnar.blocks"]


@pytest.mark.parametrize("module", FOR_WORKERS)
def test_a_worker_s_module_loads_nothing_that_is_for_people(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ONLY_FOR_PEOPLE & set(run.stdout.split()) == set()


def test_the_front_door_alone_does_not_load_spark() -> None:
    code = "import sys, workbench; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"pyspark", "numba", "pyarrow"} & set(run.stdout.split()) == set()
