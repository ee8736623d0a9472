"""The reference of the site: what is printed of a public name has an example."""

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
    """What writes the pages, which is no part of a package."""
    spec = spec_from_file_location("reference", PAGES)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def printed(name: str, found: Any, left_out: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """A name and its members, as autodoc prints them, with their docstrings."""
    yield name, getdoc(found) or ""
    for member, value in getmembers(found) if isclass(found) else ():
        if member.startswith("_") or member in left_out:
            continue
        if (isroutine(value) or isdatadescriptor(value)) and is_ours(found, member):
            yield f"{name}.{member}", getdoc(value) or ""


def is_ours(found: type, member: str) -> bool:
    home = next(one for one in found.__mro__ if member in vars(one))
    return home.__module__.partition(".")[0] in ("kernels", "workbench")


def test_each_public_name_and_each_of_its_methods_has_an_example(reference: Any) -> None:
    named = {
        name: reference.thing(name) for page in reference.public_names() for name in page.names
    }
    named |= {f"workbench.stores.{one}": getattr(stores, one) for one in stores.__all__}
    said = dict(
        one
        for name, found in named.items()
        for one in printed(name, found, reference.INSIDE.get(name, ()))
    )
    assert {"workbench.over", "workbench.Funnel.levels", "workbench.stores.Store.read"} <= set(said)
    assert [name for name, text in said.items() if "Examples\n--------\n" not in text] == []


def test_what_a_module_loads_when_it_is_asked_for_has_its_place(reference: Any) -> None:
    names = [name for page in reference.modules() for name in page.names]
    assert {"workbench.stores.Embedded", "workbench.stores.Redis"} <= set(names)


def test_what_a_page_leaves_out_is_there(reference: Any) -> None:
    left_out = [
        (reference.thing(name), one) for name, names in reference.INSIDE.items() for one in names
    ]
    assert [one for found, one in left_out if not hasattr(found, one)] == []
