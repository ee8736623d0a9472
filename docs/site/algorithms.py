"""The index of the algorithms, made of the registry of kernels: a line each."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from inspect import getdoc
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import nbformat

from kernels import registry
from kernels.core.kernel import Kernel
from workbench.widgets.sharing.kept import LESSON, saved_value

ROOT = Path(__file__).resolve().parents[2]
#: The folders of ``kernels`` as their readers call them.
SUBJECTS = {
    "entities": "Rows that change and go",
    "frames": "Frames",
    "funnel": "Funnels, paths and retention",
    "states": "States of aggregates",
    "stream": "Windows over streams",
    "structures": "Structures that the others stand on",
    "tiling": "Windows that end at a query",
    "windows": "Window functions",
}
HEAD = """# Algorithms

Every kernel in the registry: what it does, what it costs, what of the workbench runs it, and the
notebook that steps through it. `wb.play(kernel, *arguments)` steps through any of them.
"""
ROWS = """
| kernel | what it does | complexity | used by | in notebook |
|---|---|---|---|---|
"""


def algorithms() -> str:
    """Return the page: a table for each subject."""
    used, shown = users(), lessons()
    kernels = sorted(registry.items(), key=lambda one: (one[1].__module__, one[0]))
    parts = [HEAD]
    for subject, found_ in groupby(kernels, lambda one: one[1].__module__.split(".")[1]):
        lines = [line(name, one, used[name], shown[name]) for name, one in found_]
        parts += [f"\n## {SUBJECTS[subject]}\n", ROWS, *lines]
    return "".join(parts)


def line(name: str, kernel: Kernel, used: set[str], shown: set[str]) -> str:
    """A row of the table."""
    text = getdoc(kernel) or ""
    where = f"{{py:func}}`{name} <{kernel.__module__}.{name}>`"
    pages = ", ".join(f"[{one[:2]}](notebooks/{one}.ipynb)" for one in sorted(shown))
    cells = where, text.partition("\n")[0], complexity(text), ", ".join(sorted(used)), pages
    return "| " + " | ".join(one.replace("|", r"\|") for one in cells) + " |\n"


def complexity(text: str) -> str:
    """What a docstring says of the cost: from its first ``O(`` to the end of the sentence.

    Examples
    --------
    >>> complexity("Sort.\\n\\nNotes\\n-----\\nIn place. O(n log n) time,\\nno memory: fast.")
    'O(n log n) time, no memory'
    """
    said = re.search(r"O\(.*?(?=[.:;]\s|[.:;]?$)", " ".join(text.split()))
    return said[0] if said else ""


def users() -> dict[str, set[str]]:
    """The packages of the workbench that run each kernel, directly or through other functions."""
    below: dict[Place, set[Place]] = {}
    for path in ROOT.glob("kernels/**/*.py"):
        below |= definitions(path)
    found_: dict[str, set[str]] = defaultdict(set)
    for path in ROOT.glob("workbench/*/**/*.py"):
        places, reached = {*imported(path).values()}, set[Place]()
        while places:
            place = places.pop()
            reached.add(place)
            found_[place.name].add(f"`{path.relative_to(ROOT).parts[1]}`")
            places |= below.get(place, set()) - reached
    return found_


class Place(NamedTuple):
    """Where something is defined: private names are the same in many files.

    Attributes
    ----------
    module : str
    name : str
    """

    module: str
    name: str


def definitions(path: Path) -> dict[Place, set[Place]]:
    """What a file of kernels defines, each with what is named in it."""
    module, known, named = module_of(path), imported(path), dict[str, set[str]]()
    for node in ast.parse(path.read_text("utf-8")).body:
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            named[node.name] = names
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named |= {one.id: names for one in targets if isinstance(one, ast.Name)}
    known |= {name: Place(module, name) for name in named}
    return {known[name]: {known[n] for n in names if n in known} for name, names in named.items()}


def imported(path: Path) -> dict[str, Place]:
    """What a file imports from the kernels, by the names that it has there."""
    return {
        one.asname or one.name: defined(node.module, one.name)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("kernels")
        for one in node.names
    }


def defined(module: str, name: str) -> Place:
    """Where something is defined that a module may only export."""
    found_ = getattr(import_module(module), name, None)
    # What is no function and no class has the module of its class.
    own = getattr(found_, "__name__", None) == name
    return Place(found_.__module__ if own else module, name)


def module_of(path: Path) -> str:
    """The module that a file is."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def lessons() -> dict[str, set[str]]:
    """The notebooks that have kept a lesson of each kernel."""
    found_: dict[str, set[str]] = defaultdict(set)
    for path in ROOT.glob("notebooks/*.ipynb"):
        for data in kept_in(nbformat.read(path, as_version=4)):
            one = saved_value(LESSON, data)
            for function in one["lesson"]["functions"] if one else ():
                found_[function["name"]].add(path.stem)
    return found_


def kept_in(notebook: Any) -> Iterator[dict[str, Any]]:
    """What the cells of a notebook show."""
    for cell in notebook.cells:
        yield from (one.data for one in cell.get("outputs", []) if "data" in one)
