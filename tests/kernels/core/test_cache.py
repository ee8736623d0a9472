"""Compiled kernels are used only while no source of any kernel has changed."""

import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from numba import config

import kernels
from kernels.core.cache import LOCATORS, SETTING, located

PACKAGE = Path(kernels.__file__).parent
STAMP = "from kernels.core.cache import source_stamp; print(source_stamp())"


def stamp_in(folder: Path) -> str:
    command = [sys.executable, "-c", STAMP]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return run.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(PACKAGE, tmp_path / "kernels", ignore=ignored))


@pytest.mark.parametrize("file", ["core/kernel.py", "structures/order.py", "windows/mode.py"])
def test_an_edit_in_any_folder_makes_compiled_kernels_stale(copy: Path, file: str) -> None:
    before = stamp_in(copy.parent)
    with copy.joinpath(file).open("a") as source:
        source.write("# edited\n")
    assert stamp_in(copy.parent) != before


def test_equal_sources_in_another_folder_share_compiled_kernels(copy: Path) -> None:
    assert stamp_in(copy.parent) == stamp_in(PACKAGE.parent)


def test_threads_that_compile_simultaneously_restore_numbas_setting() -> None:
    before = getattr(config, SETTING)

    def compile_after(seconds: float) -> str:
        time.sleep(seconds)
        with located():
            time.sleep(0.1)
            return str(getattr(config, SETTING))

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(compile_after, [0, 0.05])) == [LOCATORS, LOCATORS]
    assert getattr(config, SETTING) == before
