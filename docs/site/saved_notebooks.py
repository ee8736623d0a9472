"""Notebooks as they were saved, with the players and explorers that they keep made live."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import nbformat

from workbench.markup import element
from workbench.widgets.lesson_page import PageOf
from workbench.widgets.living import NEEDS_A_KERNEL, WIDGET, frame_of, living_page
from workbench.widgets.sharing.kept import LESSON, PAGE

CHART = "application/vnd.plotly.v1+json"


def once() -> PageOf:
    """Return what makes a widget's page, but each only once: a notebook and its lesson have it."""
    known: dict[str, Any] = {}

    def page_of(data: Mapping[str, Any]) -> Any:
        kept = next((data[kind]["packed"] for kind in (LESSON, PAGE) if kind in data), None)
        if kept is not None and kept not in known:
            known[kept] = living_page(data)
        return None if kept is None else known[kept]

    return page_of


def with_living(path: Path, page_of: PageOf) -> tuple[str, dict[str, str]]:
    """Return a notebook for Sphinx, and the pages that it has in frames by their files.

    Parameters
    ----------
    path : Path
        The notebook's file.
    page_of : function
        Makes the page of a widget.
    """
    notebook: Any = nbformat.read(path, as_version=4)
    pages: dict[str, str] = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [one for output in cell.outputs for one in shown(output, pages, page_of)]
    notebook.cells.insert(1, to_take_along(path.stem))
    return nbformat.writes(notebook), pages


def to_take_along(name: str) -> Any:
    """The link to the page that is handed out."""
    link = element("a", "Take this lesson along", href=f"../lessons/{name}.html", download="")
    said = ": one page, which opens without a kernel and without a network."
    new: Any = nbformat.v4
    return new.new_markdown_cell(str(element("p", link, said, class_="wb-still-note")))


def shown(output: Any, pages: dict[str, str], page_of: PageOf) -> list[Any]:
    """What a page shows of an output: itself, a frame, or a picture and why it is one."""
    data = output.get("data", {})
    data.pop(CHART, None)
    if data.pop(WIDGET, None) is None:
        return [output]
    page = page_of(data)
    if page is None:
        return [output, of_html(element("p", NEEDS_A_KERNEL, class_="wb-still-note"))]
    name = f"living/{sha256(page.encode()).hexdigest()[:16]}.html"
    pages[name] = page
    alone = element("a", "Open it alone", href=f"../{name}")
    frame = frame_of(data["text/plain"], src=f"../{name}")
    return [of_html(frame + element("p", alone, class_="wb-still-note"))]


def of_html(markup: str) -> Any:
    """An output that is a piece of a page."""
    new: Any = nbformat.v4
    return new.new_output("display_data", data={"text/html": str(markup)})
