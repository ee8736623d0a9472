"""A private folder for files that this process and its Spark write."""

import shutil
import tempfile
from atexit import register
from functools import cache


@cache
def own_folder() -> str:
    """Return a folder that only this user can read, and that is removed when Python ends.

    Returns
    -------
    str
    """
    folder = tempfile.mkdtemp(prefix="window-workbench-")
    register(shutil.rmtree, folder, ignore_errors=True)
    return folder
