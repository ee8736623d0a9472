"""An IPython for one test, as in a notebook."""

import atexit
from collections.abc import Iterator
from contextlib import contextmanager

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config


@contextmanager
def quiet_shell() -> Iterator[InteractiveShell]:
    """Open a shell without colours and history, and leave nothing of it."""
    config = Config({"HistoryManager": {"enabled": False}})
    shell = InteractiveShell.instance(colors="nocolor", config=config)
    yield shell
    # Otherwise it collects all garbage once more at the end of Python: a second for each shell.
    atexit.unregister(shell.atexit_operations)
    InteractiveShell.clear_instance()
