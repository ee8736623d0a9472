"""`make lab` installs only what the workbench uses; checks of the project need the rest as well."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def pinned(lock: str | Path) -> set[str]:
    return set(re.findall(r"^[\w.-]+==\S+", ROOT.joinpath(lock).read_text(), re.MULTILINE))


USED = pinned("requirements-build.lock") | pinned("requirements.lock")
ALL = USED | pinned("requirements-dev.lock")


@pytest.fixture
def installed() -> set[str]:
    """The requirements that were installed so far."""
    return set()


@pytest.fixture
def setup(installed: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, on a machine where every command of pip and Python succeeds."""
    spec = importlib.util.spec_from_file_location("setup_of_the_project", ROOT / "tools/setup.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "STAMP", tmp_path / "installed-from")
    monkeypatch.setattr(script, "run", lambda *command, **options: True)
    monkeypatch.setattr(script, "pip_install", lambda lock, *_: installed.update(pinned(lock)))
    return script


def start(setup: ModuleType, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    monkeypatch.setattr("sys.argv", ["setup.py", *arguments])
    setup.main()


def test_the_lab_is_installed_without_the_requirements_of_checks(
    setup: ModuleType, installed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    start(setup, monkeypatch, "lab")
    assert installed == USED
    start(setup, monkeypatch)
    assert installed == ALL > USED


def test_installed_requirements_are_not_installed_again(
    setup: ModuleType, installed: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    start(setup, monkeypatch)
    installed.clear()
    start(setup, monkeypatch)
    start(setup, monkeypatch, "lab")
    assert installed == set()
