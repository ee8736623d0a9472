"""Draw the results of a subject as bars, each a share of its target."""

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.figures.svg import cut, document, line, moved, rect, text
from workbench.figures.theme import BLUE, QUIET, VERMILLION
from workbench.markup import Markup, joined

WIDTH, LEFT, HIGH = 900, 420, 22
#: A longer name does not fit next to its bar.
LONGEST = 64


def chart(subject: str, results: Sequence[Mapping[str, Any]]) -> Markup | None:
    """Return a chart with a bar for each value that has a target, or None if none has.

    Parameters
    ----------
    subject : str
    results : sequence of dict
        As ``python -m benchmarks SUBJECT --json`` writes them.

    Returns
    -------
    Markup or None
        The length of a bar is its share of the target, up to twice; the line is the target. Values
        below zero have no bar.

    Examples
    --------
    >>> chart("funnel", [{"target": None}])
    """
    judged = [one for one in results if one["target"]]
    if not judged:
        return None
    wide = (WIDTH - LEFT - 60) / 2
    bars = joined(moved(0, 20 + HIGH * k, _bar(one, wide)) for k, one in enumerate(judged))
    high = 40 + HIGH * len(judged)
    target = line(LEFT + wide, 12, LEFT + wide, high - 16, QUIET)
    title = f"{subject}: what was measured as a share of its goal"
    return document(bars + target, title, WIDTH, high)


def _bar(result: Mapping[str, Any], wide: float) -> Markup:
    """Return the bar of a result; a mark repeats what the colour means."""
    share = result["value"] / result["target"]
    color, mark = (BLUE, "✓") if result["met"] else (VERMILLION, "✕")
    words = f"{result['what']} · {result['against']}"
    long = max(0, min(share, 2)) * wide
    return (
        text(LEFT - 8, 13, cut(words, LONGEST), text_anchor="end")
        + rect(LEFT, 3, long, HIGH - 8, fill=color)
        + text(LEFT + long + 5, 13, f"{mark} {result['value']:.3g} {result['unit']}")
    )
