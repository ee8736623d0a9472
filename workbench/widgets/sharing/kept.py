"""What a saved notebook keeps of a widget beside its still: a lesson, or a page that is read."""

import base64
import gzip
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

#: Cells keep what they show where this is set to anything, as `make notebooks` does.
ASKED = "WORKBENCH_KEEP_PAGES"
LESSON = "application/vnd.window-workbench.lesson+json"
PAGE = "application/vnd.window-workbench.page+json"
#: Of one explorer's page, before it is compressed to a tenth, and how long it may take to draw.
MOST_BYTES, MOST_SECONDS = 600_000, 30.0


def kept(kind: str, make: Callable[[], Any]) -> dict[str, Any]:
    """Return what a cell's output has beside a still, where it is asked for, else nothing.

    Parameters
    ----------
    kind : str
        `LESSON` or `PAGE`.
    make : function
        Returns the lesson, or the page.

    Returns
    -------
    dict
        To be added to a bundle of MIME types.
    """
    return {kind: {"packed": packed(make())}} if os.environ.get(ASKED) else {}


def packed(value: Any) -> str:
    """Return plain data as compressed JSON in letters.

    Examples
    --------
    >>> unpacked(packed({"title": "double"}))
    {'title': 'double'}
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def unpacked(letters: str) -> Any:
    """Return what was packed."""
    return json.loads(gzip.decompress(base64.b64decode(letters)))


def found(kind: str, data: Mapping[str, Any]) -> Any:
    """Return what an output keeps of a kind, None where it keeps nothing."""
    one = data.get(kind)
    return None if one is None else unpacked(one["packed"])
