"""What a saved notebook keeps of its players and explorers, as pages that need no kernel."""

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
NEEDS_A_KERNEL = (
    "A picture of what was seen: to choose something else, run this cell in the notebook."
)
_FRAMED = Path(__file__).parent / "static" / "framed.html"
#: How high a frame is until its page has said it, in pixels.
_HEIGHT = 640


def living_page(data: Mapping[str, Any]) -> Markup | None:
    """Return the page of a widget that an output has kept.

    Parameters
    ----------
    data : dict
        The output's bundle of MIME types.

    Returns
    -------
    Markup or None
        A document of HTML; None where nothing was kept.
    """
    lesson, page = saved_value(LESSON, data), saved_value(PAGE, data)
    if lesson is not None:
        shown, step = checked(lesson["lesson"]), lesson["step"]
        page = player_page(shown, step, lesson["mode"], step or still_step(shown))
    # What stands behind the end of a document is the last part of it.
    return None if page is None else converted(page) + own_file(_FRAMED)


def frame_of(title: str, **source: object) -> Markup:
    """Return the frame that a page shows a living page in.

    Parameters
    ----------
    title : str
        What it is called, for who does not see it.
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
    """Return a page as ``data_page`` of :func:`frame_of` takes it: compressed, in letters."""
    return base64.b64encode(gzip.compress(page.encode(), mtime=0)).decode("ascii")
