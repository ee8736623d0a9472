"""A saved notebook as one page that is mailed: its players and explorers live, no network."""

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

#: Makes of what an output has kept the page of its widget.
PageOf = Callable[[Mapping[str, Any]], Markup | None]
_NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
#: How large a page may be, in bytes.
MOST_BYTES = 2_000_000
#: What stands for a widget until its frame is put there: of letters that no escaping changes.
_PLACE = "wb-living-place-{}-"
#: A link to what lies beside the notebook, and not beside the page that is mailed.
_BESIDE = re.compile(r"(?<!!)\[([^]]*)\]\((?![a-z]+:|#)[^)]*\)")


def lesson(notebook: str | PathLike[str], path: str | PathLike[str] | None = None) -> Path:
    """Write a notebook as one page to hand out, which needs no kernel and no network.

    It is made of what the notebook has saved, and runs nothing. Players and explorers that were
    saved by ``make notebooks``, or where ``WORKBENCH_KEEP_PAGES`` is set, can be stepped through;
    of others the page has a picture, and says so.

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
        The file that was written, of less than 2 MB: of what does not fit, the page has a picture.

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
    source = _found(notebook)
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
        How large the page may be.
    page_of : function
        Makes the page of a widget; another one may know it already.

    Returns
    -------
    Markup
        A document of HTML that asks for nothing else.
    """
    notebook = read_notebook(source)
    shown = {_PLACE.format(k): one for k, one in enumerate(_live(notebook))}
    body = _body(notebook, shown)
    made = {place: (one, page_of(one)) for place, one in shown.items()}
    frames = {
        place: frame_of(data.get("text/plain", ""), data_page=in_frame(page))
        for place, (data, page) in made.items()
        if page is not None
    }
    page = _page(source.stem, body, _in_place(shown, frames))
    # As few pictures as can be: the largest frame becomes one first.
    for place in sorted(frames, key=lambda place: len(frames[place]), reverse=True):
        if len(page.encode()) <= most_bytes:
            break
        del frames[place]
        page = _page(source.stem, body, _in_place(shown, frames))
    return page


def _found(notebook: str | PathLike[str]) -> Path:
    for one in (as_path(notebook, "notebook"), _NOTEBOOKS / f"{notebook}.ipynb"):
        if one.is_file():
            return one
    known = ", ".join(sorted(one.stem for one in _NOTEBOOKS.glob("*.ipynb")))
    raise WorkbenchError(
        f"notebook: there is no {str(notebook)!r}; give a notebook's file"
        + (f", or one of {known}." if known else ".")
    )


def read_notebook(source: Path) -> Any:
    """Return a notebook's file, or say that it is none."""
    # A second of imports that nobody needs who hands no lesson out.
    import nbformat

    read: Any = nbformat.read
    try:
        return read(source, as_version=4)
    except Exception as error:
        raise WorkbenchError(
            f"notebook: {str(source)!r} is no notebook; give an .ipynb file."
        ) from error


def _live(notebook: Any) -> list[dict[str, Any]]:
    """What the notebook's cells show that is a widget, each as a bundle of MIME types."""
    outputs = [one for cell in notebook.cells for one in cell.get("outputs", [])]
    return [one.data for one in outputs if WIDGET in one.get("data", {})]


def _in_place(shown: dict[str, Any], frames: dict[str, Markup]) -> dict[str, Markup]:
    """What stands in the place of each widget: its frame, or its picture and why it is one."""
    note = element("p", NEEDS_A_KERNEL, class_="wb-still-note")
    return {
        place: frames.get(place) or converted(data.get(PICTURE, "")) + note
        for place, data in shown.items()
    }


def _body(notebook: Any, shown: dict[str, dict[str, Any]]) -> Markup:
    """The notebook without what frames it, and with a place for each widget."""
    whole = deepcopy(notebook)
    for place, data in zip(shown, _live(whole), strict=True):
        data.clear()
        data["text/html"] = place
    for cell in whole.cells:
        if cell.cell_type == "markdown":
            cell.source = _BESIDE.sub(r"\1", cell.source)
    return converted(_exporter().from_notebook_node(whole)[0])


@cache
def _exporter() -> Any:
    """What makes HTML of a notebook; its templates are compiled once."""
    # A second of imports that nobody needs who hands no lesson out.
    from nbconvert import HTMLExporter

    make: Any = HTMLExporter
    return make(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True)


def _page(name: str, body: Markup, places: dict[str, Markup]) -> Markup:
    found = converted(re.sub(_PLACE.format(r"\d+"), lambda one: places[one[0]], body))
    heading = re.search(r"<h1[^>]*>(.*?)<", body)
    sheets = stylesheet_of(), (STATIC / "lesson.css").read_text("utf-8")
    parts: dict[str, object] = {
        "title": converted(heading[1]) if heading else name,
        "style": stylesheet("".join(sheets)),
        "body": found,
        "living": own_file(STATIC / "living.js"),
    }
    return filled(own_file(STATIC / "lesson.html"), parts)
