"""Write the results of a run as a page: the machine, and a table and a chart of each subject."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.measuring.chart import chart
from benchmarks.measuring.report import machine

#: Packages whose versions influence the results.
PACKAGES = ("pyspark", "pyarrow", "numpy", "numba", "duckdb", "chdb")

#: The text before the tables: how results are measured, and what the columns are.
MEASURED = (
    "How fast the workbench is, and against what. This page was written by the last run of "
    "`python -m benchmarks all --json FILE --page docs/benchmarks.md`. Both sides of a comparison "
    "are measured in turn in the same run; times are medians."
)
COLUMNS = """In the tables:

- `ours` and `theirs` are the measured values of `what` and of what it is compared `against`.
- `compared` is what a goal judges. `x` is a ratio: `ours` / `theirs` where the goal is "at most", \
`theirs` / `ours` where it is "at least".
- `goal` is empty for what is only reported. A goal that was not reached is marked as missed."""
#: What each subject measures.
SUBJECTS = {
    "funnel": "Funnels, against ClickHouse and other ways on Spark.",
    "windows": "Window calls: the kernels against DuckDB, Polars, pandas and NumPy, then `wb.over` "
    "against DuckDB and Spark's own operators.",
    "backfill": "Features as of each query: the kernels of one average, then `wb.Backfill` by each "
    "method, against DuckDB and a naive join.",
    "entities": "Features of a table whose rows change, against those of events.",
    "streams": "Window calls over streams: rows a second, and the state that is kept.",
    "online": "Features now: uploads, fetches, and updates from a stream.",
    "small": "Warm questions to small tables: the time beyond an empty Spark job. Tables are "
    "`given` in memory and answered there, answered by Spark's `workers`, or read from `parquet`.",
    "sql": "Queries as text: their translation, and their answers against the same call in Python "
    "and against the original systems.",
    "floor": "Each path against the same Spark job with idle Python steps: see `docs/floor.md`.",
    "large": "Hundreds of millions of rows on one machine, against a tenth of them.",
}

Line = Mapping[str, Any]


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages."""
    return {"Python": platform.python_version()} | {name: version(name) for name in PACKAGES}


def write_page(run: Mapping[str, Any], to: Path) -> None:
    """Write the page of a run, and its charts into a folder of the same name next to it.

    Parameters
    ----------
    run : dict
        As for :func:`page`.
    to : Path
    """
    to.write_text(page(run, to.stem))
    for subject, lines in run["subjects"].items():
        if picture := chart(subject, lines):
            to.with_suffix("").mkdir(exist_ok=True)
            (to.with_suffix("") / f"{subject}.svg").write_text(picture)


def page(run: Mapping[str, Any], charts: str = "benchmarks") -> str:
    """Return a page of a run.

    Parameters
    ----------
    run : dict
        ``machine``, ``versions``, ``asked`` (the command line options by subject), ``subjects``
        (the results by subject, as ``python -m benchmarks SUBJECT --json`` writes them), and
        ``broken_off``: the names of subjects that ended with an error.
    charts : str
        The folder of the charts, relative to the page.

    Examples
    --------
    >>> one = {"what": "a scan", "against": "a copy", "rows": 1000, "ours": "2 s", "theirs": "1 s",
    ...        "value": 2.0, "unit": "x", "target": None, "met": True}
    >>> run = {"machine": "2 cores", "versions": {"Python": "3.11"}, "asked": {"funnel": ""},
    ...        "subjects": {"funnel": [one]}, "broken_off": []}
    >>> [line for line in page(run).splitlines() if line.startswith("| a scan")]
    ['| a scan | a copy | 1,000 | 2 s | 1 s | 2.00 x |  |']
    """
    packages = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
    parts = [
        "# Benchmarks",
        MEASURED,
        COLUMNS,
        f"**Machine.** {run['machine']}",
        f"**Versions.** {packages}.",
    ]
    if run["broken_off"]:
        parts += [
            f"**Not measured**, because it ended with an error: {', '.join(run['broken_off'])}."
        ]
    for subject, lines in run["subjects"].items():
        command = f"python -m benchmarks {subject} {run['asked'][subject]}".strip()
        parts += [f"## {subject}", *([SUBJECTS[subject]] if subject in SUBJECTS else [])]
        parts += [f"`{command}`"]
        if any(one["target"] for one in lines):
            says = f"{subject}: what was measured as a share of its goal"
            parts += ["Each bar is a measured value as a share of its goal; the line is the goal."]
            parts += [f"![{says}]({charts}/{subject}.svg)"]
        parts += [table(lines)]
    return "\n\n".join(parts) + "\n"


def table(lines: Sequence[Line]) -> str:
    """Return results as a table of Markdown."""
    head = (
        "| what | against | rows | ours | theirs | compared | goal |\n|---|---|--:|--:|--:|--:|---|"
    )
    return "\n".join([head, *map(_row, lines)])


def _row(one: Line) -> str:
    goal = ""
    if one["target"] is not None:
        bound = "at most" if one.get("at_most", True) else "at least"
        goal = f"{bound} {one['target']:g}{'' if one['met'] else ', missed'}"
    value = f"{one['value']:,.2f} {one['unit']}"
    cells = one["what"], one["against"], f"{one['rows']:,}", one["ours"], one["theirs"], value, goal
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"


def described_machine() -> str:
    """Return the machine, its memory and its load as text."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{platform.system()} ({platform.machine()}), {memory:.0f} GiB, {machine()}"
