"""The three lists of dependencies agree: pyproject.toml, environment.yml, the lock files."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads(ROOT.joinpath("pyproject.toml").read_text())
NAMES_IN_CONDA = {"python-duckdb": "duckdb"}
ONLY_IN_CONDA = {"openjdk", "pip", "python"}
LOCKS = {
    "requirements.lock": PROJECT["project"]["dependencies"],
    "requirements-dev.lock": PROJECT["dependency-groups"]["dev"],
    "requirements-build.lock": PROJECT["dependency-groups"]["build"],
    "requirements-java.lock": PROJECT["dependency-groups"]["java"],
}


def normal(text: str) -> str:
    """Return a requirement in one spelling, under its name on PyPI."""
    requirement = Requirement(text)
    name = canonicalize_name(NAMES_IN_CONDA.get(requirement.name, requirement.name))
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    return f"{name}{extras}{requirement.specifier}"


def conda_requirements() -> list[str]:
    listed: list[Any] = yaml.safe_load(ROOT.joinpath("environment.yml").read_text())["dependencies"]
    from_conda = [entry for entry in listed if isinstance(entry, str)]
    from_pip = [name for entry in listed if isinstance(entry, dict) for name in entry["pip"]]
    return from_conda + [name for name in from_pip if name != "-e ."]


def pins(lock: str) -> dict[str, list[Version]]:
    """Return the versions that a lock file pins, several if they depend on that of Python."""
    pinned: dict[str, list[Version]] = {}
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", ROOT.joinpath(lock).read_text(), re.M):
        pinned.setdefault(canonicalize_name(name), []).append(Version(version))
    return pinned


def test_conda_s_environment_has_the_project_s_dependencies() -> None:
    groups = PROJECT["dependency-groups"]
    wanted = PROJECT["project"]["dependencies"] + groups["dev"] + groups["build"]
    listed = [text for text in conda_requirements() if Requirement(text).name not in ONLY_IN_CONDA]
    without_pip = {normal(text) for text in wanted if Requirement(text).name != "pip"}
    assert {normal(text) for text in listed} == without_pip


def test_conda_s_environment_has_a_supported_python_and_java() -> None:
    listed = {Requirement(text).name: text for text in conda_requirements()}
    assert listed["python"].startswith(f"python{PROJECT['project']['requires-python']}")
    assert listed["openjdk"] == "openjdk>=17"


@pytest.mark.parametrize(("lock", "wanted"), LOCKS.items(), ids=LOCKS)
def test_a_lock_file_pins_what_the_project_requires(lock: str, wanted: list[str]) -> None:
    pinned = pins(lock)
    for text in wanted:
        requirement = Requirement(text)
        versions = pinned.get(canonicalize_name(requirement.name))
        assert versions, f"{lock} lacks {text}: run `make lock`"
        assert all(version in requirement.specifier for version in versions), text


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_file_pins_every_file_by_its_hash_and_names_no_host(lock: str) -> None:
    text = ROOT.joinpath(lock).read_text()
    entries = re.split(r"\n(?=\S)", text.strip())
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}", entry) for entry in entries)
    assert "//" not in text
    assert "index" not in text


def test_lock_files_pin_a_package_to_the_same_version() -> None:
    known = pins("requirements.lock")
    for lock in LOCKS:
        for name, versions in pins(lock).items():
            assert known.setdefault(name, versions) == versions, (lock, name)
