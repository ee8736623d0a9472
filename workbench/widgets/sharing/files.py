"""Files that explorers export: writing them, pictures as PNG, and tables as CSV."""

from functools import cache
from os import PathLike
from pathlib import Path

import pandas as pd

from workbench.arguments import as_path
from workbench.errors import WorkbenchError
from workbench.figures.theme import FONT
from workbench.markup import Markup, element

#: Pixels of a PNG for each pixel of the picture: sharp on a screen of double density.
_ZOOM = 2


def write_file(path: str | PathLike[str], content: str | bytes) -> Path:
    """Write a file; one that exists is replaced.

    Parameters
    ----------
    path : str or path
    content : str or bytes
        Text is written as UTF-8.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Raises
    ------
    WorkbenchError
        When there is no such folder, or nothing can be written there.
    """
    file = as_path(path, "path")
    try:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    except FileNotFoundError:
        raise WorkbenchError(
            f"path: there is no folder {str(file.parent)!r}; make it first, or name another."
        ) from None
    except IsADirectoryError:
        raise WorkbenchError(f"path: {str(file)!r} is a folder; name a file in it.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise WorkbenchError(
            f"path: {str(file)!r} cannot be written, {why}; name another file."
        ) from None
    return file


def png_of(svg: str) -> bytes:
    """Return a picture as PNG, on white and in the colours of a light page.

    Parameters
    ----------
    svg : str
        An SVG document of ours.

    Returns
    -------
    bytes

    Raises
    ------
    WorkbenchError
        When this machine has no font: a picture without its text is useless.
    """
    if not _has_fonts():
        raise WorkbenchError(
            "path: a PNG needs a font, and this machine has none; install one, such as "
            "DejaVu Sans, or write the picture with to_svg."
        )
    return _rendered(svg)


def _rendered(svg: str) -> bytes:
    # Some MB of compiled Rust, which only PNG needs.
    from resvg_py import svg_to_bytes

    return bytes(svg_to_bytes(svg_string=str(svg), zoom=_ZOOM, background="#ffffff"))


@cache
def _has_fonts() -> bool:
    """Whether a word changes the pixels of a picture."""
    word = element("text", "word", y=15)
    return _rendered(_square(word)) != _rendered(_square(Markup()))


def _square(content: Markup) -> Markup:
    space = "http://www.w3.org/2000/svg"
    return element("svg", content, xmlns=space, width=20, height=20, font_family=FONT)


def csv_of(frame: pd.DataFrame) -> str:
    r"""Return a table as CSV, without its index; durations are in seconds.

    Examples
    --------
    >>> csv_of(pd.DataFrame({"step": ["a"], "median_time": pd.to_timedelta([90], "s")}))
    'step,median_time\r\na,90.0\r\n'
    """
    lengths = frame.select_dtypes("timedelta")
    seconds = {str(name): lengths[name].dt.total_seconds() for name in lengths}
    return str(frame.assign(**seconds).to_csv(index=False, lineterminator="\r\n"))
