"""A saved notebook as one page to mail, with live players and explorers, without a network."""

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any

from workbench.arguments import as_path
from workbench.errors import WorkbenchError
from workbench.figures.theme import stylesheet_of
from workbench.markup import Markup, converted, element, filled, own_file, stylesheet
from workbench.widgets.living import (
    NEEDS_A_KERNEL,
    PICTURE,
    WIDGET,
    frame_of,
    in_frame,
    living_page,
)
from workbench.widgets.script import STATIC
from workbench.widgets.sharing.files import write_file

#: Makes the page of a widget from what its output stores.
PageOf = Callable[[Mapping[str, Any]], Markup | None]
_NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
#: The largest size of a page, in bytes.
MOST_BYTES = 2_000_000
#: The text in place of a widget until its frame is inserted; escaping does not change it.
_PLACEHOLDER = "wb-living-place-{}-"
#: A link to a file next to the notebook, which the mailed page does not have.
_RELATIVE_LINK = re.compile(r"(?<!!)\[([^]]*)\]\((?![a-z]+:|#)[^)]*\)")


def lesson(notebook: str | PathLike[str], path: str | PathLike[str] | None = None) -> Path:
    """Write a notebook as one page to hand out, which needs no kernel and no network.

    It is made from the saved outputs of the notebook, and runs nothing. Players and explorers that
    were saved by ``make notebooks``, or with ``WORKBENCH_KEEP_PAGES`` set, are interactive; for
    others the page has a picture, and says so.

    Parameters
    ----------
    notebook : str or path
        The file, or the name of one of the workbench's own, such as ``"03-segment-tree"``.
    path : str or path, optional
        The file to write; one that exists is replaced. Without it, the notebook's name with
        ``.html``, in the current folder.

    Returns
    -------
    pathlib.Path
        The file that was written, of less than 2 MB: a widget that does not fit is a picture.

    Raises
    ------
    WorkbenchError
        When there is no such notebook, or nothing can be written there.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> lesson("03-segment-tree", f"{mkdtemp()}/tree.html").name
    'tree.html'
    """
    source = _notebook_file(notebook)
    return write_file(f"{source.stem}.html" if path is None else path, lesson_page(source))


def lesson_page(
    source: Path, most_bytes: int = MOST_BYTES, page_of: PageOf = living_page
) -> Markup:
    """Return a notebook as one page.

    Parameters
    ----------
    source : Path
        The notebook's file.
    most_bytes : int
        The largest size of the page.
    page_of : function
        Makes the page of a widget.

    Returns
    -------
    Markup
        An HTML document that loads nothing else.
    """
    notebook = read_notebook(source)
    outputs = {_PLACEHOLDER.format(k): one for k, one in enumerate(_widget_outputs(notebook))}
    body = _body(notebook, outputs)
    pages = {placeholder: (one, page_of(one)) for placeholder, one in outputs.items()}
    frames = {
        placeholder: frame_of(data.get("text/plain", ""), data_page=in_frame(page))
        for placeholder, (data, page) in pages.items()
        if page is not None
    }
    page = _page(source.stem, body, _replacements(outputs, frames))
    # The largest frame is replaced by a picture first, so that there are few pictures.
    for placeholder in sorted(
        frames, key=lambda placeholder: len(frames[placeholder]), reverse=True
    ):
        if len(page.encode()) <= most_bytes:
            break
        del frames[placeholder]
        page = _page(source.stem, body, _replacements(outputs, frames))
    return page


def _notebook_file(notebook: str | PathLike[str]) -> Path:
    for one in (as_path(notebook, "notebook"), _NOTEBOOKS / f"{notebook}.ipynb"):
        if one.is_file():
            return one
    known = ", ".join(sorted(one.stem for one in _NOTEBOOKS.glob("*.ipynb")))
    raise WorkbenchError(
        f"notebook: there is no {str(notebook)!r}; give a notebook's file"
        + (f", or one of {known}." if known else ".")
    )


def read_notebook(source: Path) -> Any:
    """Return the content of a notebook's file, or raise an error if it is not one."""
    # A second of imports, which only lessons need.
    import nbformat

    read: Any = nbformat.read
    try:
        return read(source, as_version=4)
    except Exception as error:
        raise WorkbenchError(
            f"notebook: {str(source)!r} is not a notebook; give an .ipynb file."
        ) from error


def _widget_outputs(notebook: Any) -> list[dict[str, Any]]:
    """Return the outputs of the notebook that are widgets, each as a bundle of MIME types."""
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", [])]
    return [one.data for one in outputs if WIDGET in one.get("data", {})]


def _replacements(outputs: dict[str, Any], frames: dict[str, Markup]) -> dict[str, Markup]:
    """Return the markup of each widget: its frame, or its picture and a note."""
    note = element("p", NEEDS_A_KERNEL, class_="wb-still-note")
    return {
        placeholder: frames.get(placeholder) or converted(data.get(PICTURE, "")) + note
        for placeholder, data in outputs.items()
    }


def _body(notebook: Any, outputs: dict[str, dict[str, Any]]) -> Markup:
    """Return the notebook as HTML without a document around it, with a placeholder per widget."""
    whole = deepcopy(notebook)
    for placeholder, data in zip(outputs, _widget_outputs(whole), strict=True):
        data.clear()
        data["text/html"] = placeholder
    for cell in whole.cells:
        if cell.cell_type == "markdown":
            cell.source = _RELATIVE_LINK.sub(r"\1", cell.source)
    return converted(_exporter().from_notebook_node(whole)[0])


@cache
def _exporter() -> Any:
    """Return the exporter of notebooks to HTML, whose templates are compiled once."""
    # A second of imports, which only lessons need.
    from nbconvert import HTMLExporter

    make: Any = HTMLExporter
    return make(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)


def _page(name: str, body: Markup, replacements: dict[str, Markup]) -> Markup:
    content = converted(re.sub(_PLACEHOLDER.format(r"\d+"), lambda one: replacements[one[0]], body))
    heading = re.search(r"<h1[^>]*>(.*?)<", body)
    sheets = stylesheet_of(), (STATIC / "lesson.css").read_text("utf-8")
    parts: dict[str, object] = {
        "title": converted(heading[1]) if heading else name,
        "style": stylesheet("".join(sheets)),
        "body": content,
        "living": own_file(STATIC / "living.js"),
    }
    return filled(own_file(STATIC / "lesson.html"), parts)
