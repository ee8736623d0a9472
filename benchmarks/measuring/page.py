"""The results of a run as a page: the machine, and a table and a chart a subject."""

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

#: Packages whose versions decide how long something takes.
PACKAGES = ("pyspark", "pyarrow", "numpy", "numba", "duckdb", "chdb")
#: A chart of more bars cannot be read.
MOST_BARS = 12

Line = Mapping[str, Any]


def versions() -> dict[str, str]:
    """Return what the figures were measured with."""
    return {"Python": platform.python_version()} | {name: version(name) for name in PACKAGES}


def page(run: Mapping[str, Any]) -> str:
    """Return a page of a run.

    Parameters
    ----------
    run : dict
        ``machine``, ``versions``, ``asked`` (the words of the command line of each subject), and
        ``subjects``: the results of each, as ``python -m benchmarks SUBJECT --json`` writes them.

    Examples
    --------
    >>> one = {"what": "a scan", "against": "a copy", "rows": 1000, "ours": "2 s", "theirs": "1 s",
    ...        "value": 2.0, "unit": "x", "target": None, "met": True}
    >>> run = {"machine": "2 cores", "versions": {"Python": "3.11"}, "asked": {"funnel": ""},
    ...        "subjects": {"funnel": [one]}}
    >>> [line for line in page(run).splitlines() if line.startswith("| a scan")]
    ['| a scan | a copy | 1,000 | 2 s | 1 s | 2.00 x |  |']
    """
    known = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
    parts = [
        "# Benchmarks",
        "The last run of `python -m benchmarks all --json FILE --page docs/benchmarks.md`, which "
        "wrote this page. Ours and theirs are measured in turns in one run, and medians.",
        f"**Machine.** {run['machine']}",
        f"**Versions.** {known}.",
    ]
    for subject, lines in run["subjects"].items():
        parts += [f"## {subject}", f"`python -m benchmarks {subject} {run['asked'][subject]}`"]
        parts += [table(lines), *chart(subject, lines)]
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
    return f"| {' | '.join(cells)} |"


def chart(subject: str, lines: Sequence[Line]) -> list[str]:
    """Return the ratios of a subject as a chart of Mermaid; none where nothing is a ratio."""
    shown = [one for one in lines if one["unit"] == "x"][:MOST_BARS]
    if not shown:
        return []
    names = ", ".join(f'"{number + 1}"' for number in range(len(shown)))
    values = ", ".join(f"{one['value']:.2f}" for one in shown)
    legend = "; ".join(f"{number + 1}: {one['what']}" for number, one in enumerate(shown))
    return [
        "```mermaid\nxychart-beta horizontal\n"
        f'  title "{subject}: compared, as a ratio"\n  x-axis [{names}]\n  bar [{values}]\n```',
        legend + ".",
    ]


def described_machine() -> str:
    """Return the cores, the memory, and how busy the machine is."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    load = os.getloadavg()[0]
    busy = " Others keep it busy: read ratios, not times." if load > 1 else ""
    return (
        f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GiB, {platform.system()}, "
        f"load {load:.1f} before the start.{busy}"
    )
