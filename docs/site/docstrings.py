"""How numpydoc reads docstrings here: by one template, which it would compile for each of them."""

from functools import cache
from pathlib import Path
from typing import Any

import numpydoc
from jinja2 import FileSystemLoader, Template
from jinja2.sandbox import SandboxedEnvironment
from numpydoc.docscrape import get_doc_object
from numpydoc.docscrape_sphinx import SphinxClassDoc, SphinxFunctionDoc, SphinxObjDoc
from sphinx.application import Sphinx


def setup(app: Sphinx) -> Any:
    """Let numpydoc read docstrings by ``read``."""
    return numpydoc.setup(app, get_doc_object_=read)


def read(
    obj: Any, what: Any = None, doc: Any = None, config: Any = None, builder: Any = None
) -> Any:
    """Return what numpydoc makes of a docstring: its own function, but for the template."""
    kinds = {"class_doc": SphinxClassDoc, "func_doc": SphinxFunctionDoc, "obj_doc": SphinxObjDoc}
    return get_doc_object(obj, what, doc, {**(config or {}), "template": template()}, **kinds)


@cache
def template() -> Template:
    """Return what numpydoc writes a docstring's sections by."""
    folder = Path(numpydoc.__file__).parent / "templates"
    made = SandboxedEnvironment(loader=FileSystemLoader(folder))
    return made.get_template("numpydoc_docstring.rst")
