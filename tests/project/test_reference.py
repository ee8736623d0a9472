"""The reference of the site: each public name and each method has an example."""

from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from inspect import getdoc, getmembers, isclass, isdatadescriptor, isroutine
from pathlib import Path
from typing import Any

import pytest

from workbench import stores

PAGES = Path(__file__).parents[2] / "docs" / "site" / "reference.py"


@pytest.fixture(scope="module")
def reference() -> Any:
    """The module that writes the pages, which is in no package."""
    spec = spec_from_file_location("reference", PAGES)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(name: str, thing: Any, left_out: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield a name and its members, as autodoc prints them, with their docstrings."""
    yield name, getdoc(thing) or ""
    for member, value in getmembers(thing) if isclass(thing) else ():
        if member.startswith("_") or member in left_out:
            continue
        if (isroutine(value) or isdatadescriptor(value)) and is_ours(thing, member):
            yield f"{name}.{member}", getdoc(value) or ""


def is_ours(cls: type, member: str) -> bool:
    home = next(one for one in cls.__mro__ if member in vars(one))
    return home.__module__.partition(".")[0] in ("kernels", "workbench")


def test_each_public_name_and_each_of_its_methods_has_an_example(reference: Any) -> None:
    things = {
        name: reference.thing(name) for page in reference.public_names() for name in page.names
    }
    things |= {f"workbench.stores.{one}": getattr(stores, one) for one in stores.__all__}
    docstrings = dict(
        one
        for name, thing in things.items()
        for one in printed(name, thing, reference.INSIDE.get(name, ()))
    )
    assert {"workbench.over", "workbench.Funnel.levels", "workbench.stores.Store.read"} <= set(
        docstrings
    )
    assert [name for name, text in docstrings.items() if "Examples\n--------\n" not in text] == []


def test_names_that_a_module_loads_lazily_are_in_the_reference(reference: Any) -> None:
    names = [name for page in reference.modules() for name in page.names]
    assert {"workbench.stores.Embedded", "workbench.stores.Redis"} <= set(names)


def test_the_members_that_a_page_leaves_out_exist(reference: Any) -> None:
    left_out = [
        (reference.thing(name), member)
        for name, names in reference.INSIDE.items()
        for member in names
    ]
    assert [member for thing, member in left_out if not hasattr(thing, member)] == []
