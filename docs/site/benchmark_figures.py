"""The latest figures of the benchmarks as a page: charts and tables of what ``--json`` wrote."""

import json
from pathlib import Path
from typing import Any

from workbench.figures.svg import document, line, moved, rect, text
from workbench.figures.theme import BLUE, QUIET, VERMILLION
from workbench.markup import Markup, joined

ROOT = Path(__file__).resolve().parents[2]
LATEST = ROOT / "docs" / "benchmarks"
WIDTH, LEFT, HIGH = 900, 420, 22
HEAD = """# Benchmarks

The latest figures of each benchmark, both sides in one run on one machine, as
`python -m benchmarks <subject> --json docs/benchmarks/<subject>.json` wrote them. A bar is what was
measured as a share of its target, which is the line: what is to be small ends before it, what is to
be large behind it.
"""
NONE = """
No run is kept in `docs/benchmarks/` of this version. `make bench` measures on your machine.
"""
Report = dict[str, Any]


def benchmarks(folder: Path = LATEST) -> tuple[str, dict[str, Markup]]:
    """Return the page, and its pictures by their names.

    Parameters
    ----------
    folder : Path
        Holds a file of JSON for each subject.
    """
    reports = {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}
    charts = {f"{name}.svg": chart(name, one["results"]) for name, one in sorted(reports.items())}
    parts = [section(name, one) for name, one in sorted(reports.items())]
    return HEAD + ("".join(parts) or NONE), charts


def section(name: str, report: Report) -> str:
    """A subject: the machine, the chart, and the table."""
    rows = "".join(row(one) for one in report["results"])
    return (
        f"\n## {name.capitalize()}\n\nMeasured on: {report['machine']}\n\n"
        f"![{name}: what was measured as a share of its target](benchmarks/{name}.svg)\n\n"
        "| what | against | rows | ours | theirs | measured | target |\n"
        f"|---|---|---|---|---|---|---|\n{rows}"
    )


def row(result: Report) -> str:
    """A line of the table."""
    bound = "" if result["target"] is None else target(result)
    measured = f"{result['value']:.3g} {result['unit']}"
    cells = (
        *(result["what"], result["against"], f"{result['rows']:,}", result["ours"]),
        *(result["theirs"], measured, bound),
    )
    return "| " + " | ".join(str(one).replace("|", r"\|") for one in cells) + " |\n"


def target(result: Report) -> str:
    """What it is judged by, and whether it is met."""
    sign = "≤" if result["at_most"] else "≥"
    met = "met" if result["met"] else "missed"
    return f"{sign} {result['target']:g} {result['unit']}, {met}"


def chart(name: str, results: list[Report]) -> Markup:
    """A bar for each value that has a target: its share of it, up to twice."""
    judged = [one for one in results if one["target"]]
    wide = (WIDTH - LEFT - 60) / 2
    bars = joined(moved(0, 20 + HIGH * k, bar(one, wide)) for k, one in enumerate(judged))
    high = 40 + HIGH * len(judged)
    rule = line(LEFT + wide, 12, LEFT + wide, high - 16, QUIET)
    title = f"{name}: what was measured as a share of its target"
    return document(bars + rule, title, WIDTH, high)


def bar(result: Report, wide: float) -> Markup:
    """What was measured, as long as its share of the target; a shape says what a colour says."""
    share = result["value"] / result["target"]
    color, mark = (BLUE, "✓") if result["met"] else (VERMILLION, "✕")
    words = f"{result['what']} · {result['against']}"
    long = min(share, 2) * wide
    said = f"{mark} {result['value']:.3g} {result['unit']}"
    return (
        text(LEFT - 8, 13, words[:70], text_anchor="end")
        + rect(LEFT, 3, long, HIGH - 8, fill=color)
        + text(LEFT + long + 5, 13, said)
    )
