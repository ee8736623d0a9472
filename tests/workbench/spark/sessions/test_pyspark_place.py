"""Whether a Python that Spark starts finds PySpark by itself."""

import sys
from pathlib import Path

import pytest

from workbench.spark.sessions.pyspark_place import PACKAGES, pyspark_is_found


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on this process's own path that has a PySpark, as findspark leaves it."""
    for name in PACKAGES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    return tmp_path


def test_what_is_installed_is_found() -> None:
    assert pyspark_is_found()


def test_what_a_program_has_put_on_its_own_path_is_not(elsewhere: Path) -> None:
    assert not pyspark_is_found()


def test_what_pythonpath_names_is(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", f"/mine:{elsewhere}")
    assert pyspark_is_found()
