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
#: A folder with more files is hard to know; files that share a first word belong in a subfolder.
MOST_FILES, MOST_OF_A_FAMILY = 21, 4
#: Matches a file or a folder that a page names.
PATH_IN_PAGE = re.compile(r"`((?:kernels|workbench|benchmarks|tests|tools|docs)/[\w./-]*\w)/?`")
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
def test_a_folder_has_a_docstring_and_few_files_that_share_a_first_word(folder: Path) -> None:
    names = modules(folder)
    families = Counter(name.partition("_")[0] for name in names)
    assert import_module(".".join(folder.parts)).__doc__
    assert len(names) <= MOST_FILES
    assert max(families.values(), default=0) < MOST_OF_A_FAMILY


def test_the_name_of_a_class_is_unique_in_the_project() -> None:
    files_by_class = defaultdict(list)
    for name, file in classes():
        files_by_class[name].append(file)
    assert {name: files for name, files in files_by_class.items() if len(files) > 1} == {}


@pytest.mark.parametrize(
    "package", ["backfill", "frames", "funnel", "groups", "online", "queries", "windows"]
)
def test_a_package_exports_the_public_names_that_it_defines(package: str) -> None:
    home = import_module(f"workbench.{package}")
    public = {name: getattr(wb, name) for name in wb.__all__}
    # A name that a module also has is exported by `workbench` alone.
    modules = {module.name for module in iter_modules(home.__path__)}
    defined = {
        name: value
        for name, value in public.items()
        if getattr(value, "__module__", "").startswith(f"{home.__name__}.") and name not in modules
    }
    assert {name: getattr(home, name) for name in dir(home)} == defined != {}


def test_no_module_has_a_public_name_of_something_else() -> None:
    module_names = {module.name for module in iter_modules(wb.__path__)}
    assert module_names & set(wb.__all__) == {"datasets", "stores"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_files_that_a_page_names_exist(page: Path) -> None:
    paths = set(PATH_IN_PAGE.findall(page.read_text("utf-8")))
    assert {path for path in paths if not ROOT.joinpath(path).exists()} == set()
