"""A folder for what this process and its Spark write and nobody else is to read."""

import shutil
import tempfile
from atexit import register
from functools import cache


@cache
def own_folder() -> str:
    """Return a folder for what Spark writes, this user's alone, and removed when Python ends.

    Returns
    -------
    str
    """
    folder = tempfile.mkdtemp(prefix="window-workbench-")
    register(shutil.rmtree, folder, ignore_errors=True)
    return folder
