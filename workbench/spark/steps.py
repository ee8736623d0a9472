"""The Python steps of our plans: their names in a plan, and a description of each."""

from collections.abc import Callable
from typing import Any

#: The description of each step, by its name in a plan.
STEPS = {
    "bundle by key": "Packs the rows that go to one partition of the shuffle as one binary value, "
    "so that Spark moves a few large values instead of every row.",
    "bundle by piece": "Packs rows like a bundle by key. A large partition is cut by its order "
    "into pieces for several tasks; rows that a frame or a funnel's window reaches across a cut "
    "go to both sides.",
    "bundle by span": "Packs rows like a bundle by key. The time of a large key is cut into "
    "spans; what a later span needs of earlier ones travels as partial aggregates.",
    "bundle by bucket": "Packs the rows of a micro-batch that go to one bucket of the state.",
    "pack by key": "Unpacks bundles, sorts each key's rows by time, and packs whole keys for "
    "further questions.",
    "sample": "Reads only the keys and the order of some rows, to find partitions that are too "
    "large for one task. This is a second scan, of few columns.",
    "choose cuts": "Decides from all samples where large partitions are cut: one value, which "
    "every task of the first step gets.",
    "query times": "Packs the distinct keys and times of the queries.",
    "join query times": "Packs all keys and times of the queries as one value, for the tasks that "
    "read events.",
    "tree nodes": "Computes the nodes of trees over the queries' times from the events, so that "
    "partial aggregates travel instead of events.",
    "funnel kernel": "Unpacks bundles, sorts each key's rows by time, and scans them for the "
    "steps of the funnel.",
    "join pieces": "Finds the furthest chain of each key that was cut, among those of its pieces; "
    "the answers of other keys stay where they are.",
    "funnel figures": "Adds up what all keys reached.",
    "drivers kernel": "Unpacks bundles, sorts each key's rows by time, scans them for the steps "
    "of the funnel, and counts what is true of those who went on and of those who did not.",
    "drivers figures": "Adds up what is true of all keys.",
    "paths kernel": "Unpacks bundles, sorts each key's rows by time, scans them for the steps of "
    "the funnel, and lists what happened between two of them.",
    "paths figures": "Counts the paths of all keys.",
    "retention kernel": "Unpacks bundles, sorts each key's rows by time, and finds the first "
    "event and the periods after it in which another event followed.",
    "retention figures": "Adds up the cohorts of all keys.",
    "window kernel": "Unpacks bundles, sorts each partition, finds the frame of each row, and "
    "computes every window function.",
    "backfill kernel": "Unpacks bundles, puts the queries of each key next to its events, and "
    "computes every feature as of each query.",
    "quantile kernel": "Unpacks bundles, and selects the quantiles of each group.",
    "stream rows": "Unpacks the rows that the state emits.",
}

#: A task of Spark's workers: takes and returns record batches.
Run = Callable[[Any], Any]


def named_task(name: str, run: Run) -> Run:
    """Return a worker's task with the name that Spark prints in the plan.

    Parameters
    ----------
    name : str
        One of :data:`STEPS`.
    run : function
        Takes and returns record batches.

    Returns
    -------
    function

    Raises
    ------
    KeyError
        When the name is unknown.

    Examples
    --------
    >>> named_task("window kernel", list).__name__
    'window kernel'
    """
    if name not in STEPS:
        raise KeyError(name)

    def task(batches: Any) -> Any:
        return run(batches)

    task.__name__ = name
    return task
