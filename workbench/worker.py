"""What a Spark Python worker does once for all of its tasks.

Executors load this module, so it needs the standard library and nothing else.
"""

import gc
from functools import cache


@cache
def settle() -> None:
    """Exempt what is loaded by now from garbage collection.

    Spark's workers collect garbage behind each task. Over numpy, pyarrow and numba that takes 20 ms
    in which nothing is ever found: longer than many a task.
    """
    gc.collect()
    gc.freeze()
