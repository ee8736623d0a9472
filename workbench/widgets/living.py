"""Players and explorers that a saved notebook stores, as pages that need no kernel."""

import base64
import gzip
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.markup import Markup, converted, element, own_file
from workbench.widgets.sharing.kept import LESSON, PAGE, saved_value
from workbench.widgets.stepper.lesson import checked
from workbench.widgets.stepper.player import player_page, still_step

WIDGET = "application/vnd.jupyter.widget-view+json"
PICTURE = "image/svg+xml"
NEEDS_A_KERNEL = "A saved picture: to choose something else, run this cell in the notebook."
_FRAMED = Path(__file__).parent / "static" / "framed.html"
#: The height of a frame until its page reports one, in pixels.
_HEIGHT = 640


def living_page(data: Mapping[str, Any]) -> Markup | None:
    """Return the page of a widget that an output stores.

    Parameters
    ----------
    data : dict
        The output's bundle of MIME types.

    Returns
    -------
    Markup or None
        An HTML document; None if nothing was stored.
    """
    lesson, page = saved_value(LESSON, data), saved_value(PAGE, data)
    if lesson is not None:
        lesson_data, step = checked(lesson["lesson"]), lesson["step"]
        page = player_page(lesson_data, step, lesson["mode"], step or still_step(lesson_data))
    # A browser adds what follows the end of a document to it.
    return None if page is None else converted(page) + own_file(_FRAMED)


def frame_of(title: str, **source: object) -> Markup:
    """Return the frame in which a page shows a living page.

    Parameters
    ----------
    title : str
        The title, for screen readers.
    **source
        ``src``, a file's address, or ``data_page``, what :func:`in_frame` returns.

    Examples
    --------
    >>> print(frame_of("Rows", src="a.html"))
    <iframe class="wb-living" title="Rows" loading="lazy" allowfullscreen="" height="640" \
src="a.html"></iframe>
    """
    known = {"loading": "lazy", "allowfullscreen": "", "height": _HEIGHT}
    return element("iframe", class_="wb-living", title=title, **known, **source)


def in_frame(page: str) -> str:
    """Return a page as the ``data_page`` of :func:`frame_of`: compressed, in base64."""
    return base64.b64encode(gzip.compress(page.encode(), mtime=0)).decode("ascii")
