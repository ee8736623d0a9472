"""The view of an explorer as files: a page, a picture, a table."""

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from workbench.markup import Markup
from workbench.widgets.sharing import kept
from workbench.widgets.sharing.files import csv_of, png_of, write_file
from workbench.widgets.sharing.page import MOST_BYTES, MOST_SECONDS


class HandedOn:
    """A widget whose view is written as a page, a picture or a table."""

    #: What is drawn, as a document of SVG.
    _still: Callable[[], Markup]

    def _page(self, most_bytes: int, seconds: float) -> Markup:
        """Return the page, at most this large and drawn in at most this many seconds."""
        raise NotImplementedError

    def _table(self) -> pd.DataFrame:
        """Return what is drawn."""
        raise NotImplementedError

    def _saved_output(self) -> dict[str, Any]:
        """Return the page that a saved cell stores in addition to the still, if requested."""
        return kept.saved_output(kept.PAGE, lambda: self._page(kept.MOST_BYTES, kept.MOST_SECONDS))

    def to_html(
        self,
        path: str | PathLike[str],
        *,
        most_bytes: int = MOST_BYTES,
        seconds: float = MOST_SECONDS,
    ) -> Path:
        """Write one page that needs no kernel and no network.

        The page holds the picture for each choice that fits, the line of Python, the date and the
        facts about the data, and names the choices that were left out. It opens at the current
        view; its address ends in the state of the chosen view, which opens that view again.

        Parameters
        ----------
        path : str or path
            The file to write; one that exists is replaced.
        most_bytes : int
            The largest size of the page.
        seconds : float
            The most time to compute the views of all choices; those not ready by then are left
            out.

        Returns
        -------
        pathlib.Path
            The file that was written.

        Raises
        ------
        WorkbenchError
            When there is no such folder, or nothing can be written there.
        """
        return write_file(path, self._page(most_bytes, seconds))

    def to_svg(self, path: str | PathLike[str]) -> Path:
        """Write the picture as SVG, which follows the theme of the page that shows it.

        Parameters
        ----------
        path : str or path
            The file to write; one that exists is replaced.

        Returns
        -------
        pathlib.Path
            The file that was written.

        Raises
        ------
        WorkbenchError
            When nothing can be written there.
        """
        return write_file(path, self._still())

    def to_png(self, path: str | PathLike[str]) -> Path:
        """Write the picture as PNG, in the colours of a light page; no browser is needed.

        Parameters
        ----------
        path : str or path
            The file to write; one that exists is replaced.

        Returns
        -------
        pathlib.Path
            The file that was written.

        Raises
        ------
        WorkbenchError
            When nothing can be written there, or this machine has no font.
        """
        return write_file(path, png_of(self._still()))

    def to_csv(self, path: str | PathLike[str]) -> Path:
        """Write the table behind the picture as CSV; durations are in seconds.

        Parameters
        ----------
        path : str or path
            The file to write; one that exists is replaced.

        Returns
        -------
        pathlib.Path
            The file that was written.

        Raises
        ------
        WorkbenchError
            When nothing can be written there.
        """
        return write_file(path, csv_of(self._table()))
