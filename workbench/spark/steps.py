"""The Python steps of our plans: their names in a plan, and a description of each."""

from collections.abc import Callable
from typing import Any

#: The description of each step, by its name in a plan.
STEPS = {
    "bundle by key": "Packs the rows that go to one partition of the shuffle as one binary value, "
    "so that Spark moves a few large values in place of every row.",
    "bundle by piece": "Packs rows like a bundle by key. A large partition is cut into pieces of "
    "its order, and goes to several tasks; the rows that frames, or windows of funnels, reach "
    "across a cut go to both.",
    "bundle by span": "Packs rows like a bundle by key. The time of a large key is cut into spans; "
    "what earlier spans mean to a later one goes along as partial aggregates.",
    "bundle by bucket": "Packs the rows of a micro-batch that go to one bucket of the state.",
    "pack by key": "Unpacks bundles, puts each key's rows in order of time, and packs whole keys "
    "for further questions.",
    "sample": "Looks at the keys and the order of some rows alone, to find partitions "
    "too large for one task. It is a second scan, of few columns.",
    "choose cuts": "Says from all samples where large partitions are cut. One value, that every "
    "task of the first step gets.",
    "query times": "Packs the keys and times of the queries, each once.",
    "join query times": "Makes one value of all keys and times of the queries, which goes to the "
    "tasks that read events.",
    "tree nodes": "Answers the nodes of trees over the queries' times from the events, so that "
    "partial aggregates travel in place of events.",
    "funnel kernel": "Unpacks bundles, puts each key's rows in order of time, and scans for the "
    "steps of the funnel.",
    "join pieces": "Finds the furthest chain of each key that was cut among those of its pieces; "
    "the answers of whole keys stay where they are.",
    "funnel figures": "Sums up what all keys reached.",
    "drivers kernel": "Unpacks bundles, puts each key's rows in order of time, scans for the steps "
    "of the funnel, and counts what is true of those who went on, and of those who did not.",
    "drivers figures": "Sums up what is true of all keys.",
    "paths kernel": "Unpacks bundles, puts each key's rows in order of time, scans for the "
    "steps of the funnel, and lists what happened between two of them.",
    "paths figures": "Counts the paths of all keys.",
    "retention kernel": "Unpacks bundles, puts each key's rows in order of time, and finds the "
    "first event and the periods after it in which another one followed.",
    "retention figures": "Sums up the cohorts of all keys.",
    "window kernel": "Unpacks bundles, puts each partition in its order, finds the frame of each "
    "row, and answers every window function.",
    "backfill kernel": "Unpacks bundles, puts the queries of each key beside its events, and "
    "answers every feature as of each query.",
    "quantile kernel": "Unpacks bundles, and selects the quantiles of each group.",
    "stream rows": "Unpacks what goes on from the state into rows.",
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
