"""The pages of the reference: autodoc makes them of what the packages export."""

from collections.abc import Iterator
from importlib import import_module
from inspect import getdoc, isclass, ismodule
from itertools import groupby
from pkgutil import walk_packages
from types import GenericAlias, ModuleType
from typing import Any, NamedTuple

import kernels
import workbench as wb
from kernels.core.kernel import Kernel
from workbench import lessons, widgets
from workbench.widgets.stepper.lesson import checked
from workbench.widgets.stepper.player import Player
from workbench.widgets.stepper.side_by_side import in_step

#: Classes of other projects: what they give to ours is in no page.
OTHERS = "VBox, HBox, AnyWidget, Exception, object"
#: What other modules ask of a class, in types and units of their own: no page has it.
INSIDE = {
    "workbench.Backfill": ("bound", "span"),
    "workbench.Entities": ("bound_snapshots", "by_midnight", "changes", "days", "shared"),
    "workbench.Funnel": (
        *("all_conditions", "all_names", "counted", "integer_time", "own_key", "required"),
        *("rule_arguments", "shared_arguments", "span"),
    ),
    "workbench.OnlineView": ("length",),
    "workbench.Over": ("bound", "order_terms"),
    "workbench.Prepared": ("fetched", "packed"),
    # What a store does is said of `Store`.
    "workbench.stores.Embedded": ("place", "read", "scan", "shared", "write"),
    "workbench.stores.Redis": ("place", "read", "scan", "shared", "write"),
}


class Page(NamedTuple):
    """A page of the reference: names of one module, or one name.

    Attributes
    ----------
    path : str
    title : str
    names : list of str
        In full, as they are imported.
    """

    path: str
    title: str
    names: list[str]


def reference() -> dict[str, str]:
    """Return the text of each page of the reference by its file."""
    groups = {
        "workbench": list(public_names()),
        "Modules of workbench": list(modules()),
        "Widgets": [widget_page()],
        "Kernels": list(kernel_pages()),
    }
    pages = {page.path: text_of(page) for group in groups.values() for page in group}
    return {"reference/index.rst": contents(groups), **pages}


def public_names() -> Iterator[Page]:
    """A page for each class and function that ``import workbench as wb`` gives."""
    for name in wb.__all__:
        if not ismodule(getattr(wb, name)):
            yield Page(f"reference/{name}.rst", f"wb.{name}", [f"workbench.{name}"])


def modules() -> Iterator[Page]:
    """A page for each module that ``wb`` gives."""
    for name in wb.__all__:
        module = getattr(wb, name)
        if ismodule(module):
            names = [module.__name__, *loaded_late(module)]
            yield Page(f"reference/{name}.rst", f"wb.{name}", names)


def loaded_late(module: ModuleType) -> list[str]:
    """What a module gives that it loads when it is asked for: autodoc does not see it there."""
    exported = getattr(module, "__all__", ())
    return [f"{module.__name__}.{name}" for name in exported if name not in vars(module)]


def widget_page() -> Page:
    """The widgets of lessons, the player, and the data that they show."""
    shown = [getattr(package, name) for package in (widgets, lessons) for name in dir(package)]
    named = [one for one in (Player, checked, in_step, *shown) if callable(one)]
    names = [f"{one.__module__}.{one.__name__}" for one in named]
    return Page("reference/widgets.rst", "Widgets", names)


def kernel_pages() -> Iterator[Page]:
    """What ``kernels`` exports of its machinery, and the modules of each subject."""
    exported = [(name, getattr(kernels, name)) for name in kernels.__all__]
    tools = [f"{one.__module__}.{name}" for name, one in exported if is_machinery(one)]
    yield Page("reference/kernels.core.rst", "kernels.core", tools)
    for subject, found in groupby(sorted(set(kernel_modules())), lambda one: one.split(".")[1]):
        yield Page(f"reference/kernels.{subject}.rst", f"kernels.{subject}", list(found))


def kernel_modules() -> Iterator[str]:
    """The modules in which the algorithms are."""
    for one in walk_packages(kernels.__path__, "kernels."):
        if one.name.count(".") > 1 and not one.ispkg and not one.name.startswith("kernels.core."):
            yield one.name


def is_machinery(one: Any) -> bool:
    """Whether it serves all kernels."""
    return (
        str(getattr(one, "__module__", "")).startswith("kernels.core.")
        and callable(one)
        and not isinstance(one, Kernel)
    )


def thing(name: str) -> Any:
    """What a full name names: a module, or something in one."""
    module, _, last = name.rpartition(".")
    if module and hasattr(found := import_module(module), last):
        return getattr(found, last)
    return import_module(name)


def summary(name: str) -> str:
    """The first sentence of what it says of itself."""
    return " ".join((getdoc(thing(name)) or "").partition("\n\n")[0].split())


def text_of(page: Page) -> str:
    """The page as reStructuredText, which autodoc fills."""
    title = f"{page.title}\n{'=' * len(page.title)}\n\n"
    return title + "\n".join(map(directive, page.names))


def directive(name: str) -> str:
    """What has autodoc write about a name."""
    found = thing(name)
    if ismodule(found):
        return of_module(found)
    if isclass(found):
        options = f"   :members:\n   :inherited-members: {OTHERS}\n"
        inside = f"   :exclude-members: {', '.join(INSIDE[name])}\n" if name in INSIDE else ""
        return f".. autoclass:: {name}\n{options}{inside}"
    return f".. autofunction:: {name}\n"


def of_module(module: ModuleType) -> str:
    """A module with all that it defines; to autodoc a kernel is no function."""
    defined = [name for name, one in vars(module).items() if is_of(one, module)]
    found = [name for name in defined if isinstance(getattr(module, name), Kernel)]
    aliases = [name for name, one in vars(module).items() if isinstance(one, GenericAlias)]
    head = f"{module.__name__}\n{'-' * len(module.__name__)}\n\n"
    options = f"   :members:\n   :exclude-members: {', '.join(found + aliases)}\n\n"
    body = f".. automodule:: {module.__name__}\n{options}"
    return (
        head + body + "".join(f".. autofunction:: {module.__name__}.{name}\n\n" for name in found)
    )


def is_of(one: Any, module: ModuleType) -> bool:
    """Whether a module defines something."""
    return getattr(one, "__module__", "") == module.__name__


def contents(groups: dict[str, list[Page]]) -> str:
    """The page that lists all others, with a line for each."""
    lines = ["Reference", "=========", "", ".. toctree::", "   :hidden:", ""]
    pages = [page for group in groups.values() for page in group]
    lines += [f"   {page.title} <{page.path.split('/')[1].removesuffix('.rst')}>" for page in pages]
    for title, group in groups.items():
        lines += ["", title, "-" * len(title), "", ".. list-table::", "   :widths: 30 70", ""]
        lines += [row for page in group for row in rows_of(page)]
    return "\n".join(lines) + "\n"


def rows_of(page: Page) -> list[str]:
    """A row of the list: where it leads, and what stands there."""
    where = page.path.split("/")[1].removesuffix(".rst")
    alone = len(page.names) == 1 or not page.title.startswith("kernels")
    said = summary(page.names[0] if alone else page.title)
    return [f"   * - :doc:`{page.title} <{where}>`", f"     - {said}"]
