"""Workers load compiled kernels of the driver's archive if it is intact and fits the machine."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from kernels.core.shipment import archive_name, digest_of

CALL = """
import shutil, sys
sys.path[:0] = sys.argv[2:]
import numpy as np
from kernels.core.cache import cache_folder
from kernels.structures.order import in_order
in_order.over(np.array([0, 2]), np.array([1, 2]), np.ones(2, np.uint8))
stats = in_order.lifted.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), cache_folder())
"""
SHIP = """
from workbench.spark.shipping import archive
shutil.copy(archive(), sys.argv[1])
"""
LOADED, COMPILED = ["1", "0"], ["0", "1"]
Contents = dict[str, bytes]


def run(cache: Path, code: str, *arguments: object) -> list[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    # An executor's stderr is its log, where nobody reads that a kernel is being compiled.
    assert ("Compiling" in process.stderr) == (SHIP in code)
    return process.stdout.split()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of a driver that has compiled one kernel."""
    folder = tmp_path_factory.mktemp("driver")
    run(folder / "cache", CALL + SHIP, folder)
    return next(folder.glob("*.zip"))


def executor(archive: Path, folder: Path) -> list[str]:
    """Return whether a worker with the archive loads the kernel or compiles it, as counts."""
    hits, misses, cache = run(folder / "executor", CALL, folder, archive)
    assert Path(cache) == folder / "executor"
    return [hits, misses]


def changed(archive: Path, folder: Path, change: Callable[[Contents], Contents]) -> Path:
    """Return an archive with changed content under the same name."""
    with ZipFile(archive) as source:
        contents = change({name: source.read(name) for name in source.namelist()})
    path = folder / archive.name
    with ZipFile(path, "w") as target:
        for name, content in contents.items():
            target.writestr(name, content)
    return path


def test_a_worker_loads_the_kernels_of_its_driver_and_caches_them_for_its_user_only(
    archive: Path, tmp_path: Path
) -> None:
    assert executor(archive, tmp_path) == LOADED
    cache = tmp_path / "executor"
    assert [one.stat().st_mode & 0o077 for one in (cache, *cache.glob("*/"))] == [0, 0]
    assert len(list(cache.rglob("*.nb[ic]"))) == 2
    # The next worker of the machine finds it without an archive.
    assert executor(Path(), tmp_path) == LOADED


def test_nothing_of_a_tampered_archive_is_unpickled(archive: Path, tmp_path: Path) -> None:
    class Hostile:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "run",)

    def tamper(contents: Contents) -> Contents:
        compiled = {name for name in contents if name.startswith("compiled/")}
        assert compiled
        return contents | dict.fromkeys(compiled, pickle.dumps(Hostile()))

    assert executor(changed(archive, tmp_path, tamper), tmp_path) == COMPILED
    assert not (tmp_path / "run").exists()


def test_kernels_of_another_processor_or_of_other_versions_are_not_loaded(
    archive: Path, tmp_path: Path
) -> None:
    def move(contents: Contents) -> Contents:
        return {name.replace("compiled/", "compiled/another-"): contents[name] for name in contents}

    foreign = changed(archive, tmp_path, move)
    renamed = foreign.rename(tmp_path / archive_name(digest_of(foreign)))
    assert executor(renamed, tmp_path) == COMPILED
