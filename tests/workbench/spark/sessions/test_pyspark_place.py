"""Whether a Python that Spark starts can import PySpark by itself."""

import sys
from pathlib import Path

import pytest

from workbench.spark.sessions.pyspark_place import PACKAGES, pyspark_is_found


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a PySpark that only this process's sys.path has, as findspark adds it."""
    for name in PACKAGES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def test_an_installed_pyspark_is_found() -> None:
    assert pyspark_is_found()


def test_a_pyspark_that_a_program_added_to_its_path_is_not_found(elsewhere: Path) -> None:
    assert not pyspark_is_found()


def test_a_pyspark_on_pythonpath_is_found(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"/mine:{elsewhere}")
    assert pyspark_is_found()
