"""What a saved notebook stores of a widget in addition to its still: a lesson, or a page."""

import base64
import gzip
import json
import os
from collections.abc import Callable, Mapping
from typing import Any

#: Cells store a lesson or a page if this variable is set to anything, as `make notebooks` does.
KEEP_VARIABLE = "WORKBENCH_KEEP_PAGES"
LESSON = "application/vnd.window-workbench.lesson+json"
PAGE = "application/vnd.window-workbench.page+json"
#: The largest page of one explorer, before it is compressed to a tenth, and the most seconds to
#: draw it.
MOST_BYTES, MOST_SECONDS = 600_000, 30.0


def saved_output(kind: str, make: Callable[[], Any]) -> dict[str, Any]:
    """Return what a cell's output stores in addition to a still; empty unless it is requested.

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
    return {kind: {"packed": compress(make())}} if os.environ.get(KEEP_VARIABLE) else {}


def compress(value: Any) -> str:
    """Return plain data as compressed JSON, in base64.

    Examples
    --------
    >>> decompress(compress({"title": "double"}))
    {'title': 'double'}
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def decompress(letters: str) -> Any:
    """Return the data that :func:`compress` was given."""
    return json.loads(gzip.decompress(base64.b64decode(letters)))


def saved_value(kind: str, data: Mapping[str, Any]) -> Any:
    """Return what an output stores of a kind, or None."""
    one = data.get(kind)
    return None if one is None else decompress(one["packed"])
