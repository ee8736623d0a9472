"""Packages stay in order: folders of one subject, unique names, public names that load."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

import workbench as wb

ROOT = Path(__file__).parents[2]
PACKAGES = ("kernels", "workbench", "benchmarks")
FOLDERS = sorted(
    folder.parent.relative_to(ROOT)
    for package in PACKAGES
    for folder in ROOT.joinpath(package).rglob("__init__.py")
)
#: A folder of more files is hard to know, and some of one first word want a folder of their own.
MOST_FILES, MOST_OF_A_FAMILY = 21, 4
#: A file or a folder as a page names it.
NAMED = re.compile(r"`((?:kernels|workbench|benchmarks|tests|tools|docs)/[\w./-]*\w)/?`")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]


def modules(folder: Path) -> list[str]:
    return [file.stem for file in ROOT.joinpath(folder).glob("*.py") if file.stem != "__init__"]


def classes() -> Iterator[tuple[str, str]]:
    for package in PACKAGES:
        for file in ROOT.joinpath(package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    yield node.name, str(file.relative_to(ROOT))


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_folder_says_what_lives_there_and_holds_few_files_of_no_family(folder: Path) -> None:
    names = modules(folder)
    families = Counter(name.partition("_")[0] for name in names)
    assert import_module(".".join(folder.parts)).__doc__
    assert len(names) <= MOST_FILES
    assert max(families.values(), default=0) < MOST_OF_A_FAMILY


def test_the_name_of_a_class_means_one_thing_in_the_project() -> None:
    found = defaultdict(list)
    for name, file in classes():
        found[name].append(file)
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


@pytest.mark.parametrize(
    "package", ["backfill", "frames", "funnel", "groups", "online", "queries", "windows"]
)
def test_a_package_exports_the_public_names_that_live_there(package: str) -> None:
    home = import_module(f"workbench.{package}")
    public = {name: getattr(wb, name) for name in wb.__all__}
    # A name that a module has, too, is found at the front door alone.
    modules = {module.name for module in iter_modules(home.__path__)}
    lives = {
        name: value
        for name, value in public.items()
        if getattr(value, "__module__", "").startswith(f"{home.__name__}.") and name not in modules
    }
    assert {name: getattr(home, name) for name in dir(home)} == lives != {}


def test_no_module_stands_where_a_public_name_would_be_looked_up() -> None:
    there = {module.name for module in iter_modules(wb.__path__)}
    assert there & set(wb.__all__) == {"datasets", "stores"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_names_is_there(page: Path) -> None:
    named = set(NAMED.findall(page.read_text("utf-8")))
    assert {path for path in named if not ROOT.joinpath(path).exists()} == set()
