"""`make lab` installs what is used alone; whatever checks the project needs the rest as well."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

SETUP = Path(__file__).parents[2] / "tools" / "setup.py"
USED = ["requirements-build.lock", "requirements.lock"]
CHECKS = "requirements-dev.lock"


@pytest.fixture
def installed() -> list[str]:
    """The lock files that were installed, in order."""
    return []


@pytest.fixture
def setup(installed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, on a machine whose pip and Python say yes to everything."""
    spec = importlib.util.spec_from_file_location("setup_of_the_project", SETUP)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "STAMP", tmp_path / "installed-from")
    monkeypatch.setattr(script, "run", lambda *command, **options: True)
    monkeypatch.setattr(script, "pip_install", lambda *given: installed.append(given[1]))
    return script


def start(setup: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["setup.py", *arguments])
    setup.main()


def test_the_lab_starts_without_what_checks_the_project_which_comes_when_it_is_asked_for(
    setup: ModuleType, installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    start(setup, monkeypatch, "lab")
    assert installed == USED
    start(setup, monkeypatch, "lab")
    assert installed == USED
    start(setup, monkeypatch)
    assert installed == [*USED, *USED, CHECKS]


def test_a_lab_takes_the_whole_environment_as_it_is(
    setup: ModuleType, installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    start(setup, monkeypatch)
    start(setup, monkeypatch, "lab")
    start(setup, monkeypatch)
    assert installed == [*USED, CHECKS]
