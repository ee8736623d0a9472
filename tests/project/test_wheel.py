"""The package works as a wheel, away from its source."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.clusters import python_without_the_packages

ROOT = Path(__file__).parents[2]
PACKAGES = ("kernels", "workbench")
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's wheel, built with the installed packages."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT)]
    subprocess.run([*PIP, *build], check=True)
    return next(folder.glob("window_workbench-*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python where the wheel is installed, and our source is not."""
    python = python_without_the_packages(tmp_path_factory.mktemp("installed"))
    install = ["--python", str(python), "install", "-q", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([*PIP, *install], check=True)
    return python


def run(python: Path, folder: Path, code: str) -> list[str]:
    """Return the words that a program prints, which runs in the given folder."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), "-c", code]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_the_wheel_holds_both_packages_with_all_their_files(wheel: Path) -> None:
    ours = {
        file.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for file in ROOT.joinpath(package).rglob("*")
        if file.is_file() and file.parent.name not in ("__pycache__", ".ipynb_checkpoints")
    }
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == ours
    assert "workbench/widgets/static/player.js" in packed


def test_the_installed_wheel_is_used_and_not_the_source(python: Path, tmp_path: Path) -> None:
    files = run(
        python, tmp_path, "import kernels, workbench as w; print(kernels.__file__, w.__file__)"
    )
    assert all(file.startswith(str(python.parents[1])) for file in files)


def test_every_public_name_of_the_installed_wheel_can_be_used(python: Path, tmp_path: Path) -> None:
    code = "import workbench as wb; print(*[name for name in dir(wb) if getattr(wb, name)])"
    assert {"Funnel", "session", "explore", "play", "plan"} <= set(run(python, tmp_path, code))


SPARK = """
import workbench as wb
spark = wb.session({"spark.master": "local[1]", "spark.driver.memory": "1g"})
print(wb.datasets.power_plants(spark).count() > 0)
"""


@pytest.mark.usefixtures("jvm")
def test_the_installed_wheel_starts_spark_and_reads_its_data(python: Path, tmp_path: Path) -> None:
    assert run(python, tmp_path, SPARK) == ["True"]
