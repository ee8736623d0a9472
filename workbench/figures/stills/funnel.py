"""A funnel as a still picture, for pages that run no widget."""

import pandas as pd

from workbench.figures.markup import Markup, element, joined
from workbench.figures.svg import (
    BLUE,
    INK,
    QUIET,
    VERMILLION,
    cut,
    document,
    rect,
    text,
)

WIDTH, LEFT, ROW = 820.0, 210.0, 46.0


def funnel_svg(steps: pd.DataFrame, title: str) -> Markup:
    """Draw what each step keeps and loses, as SVG.

    Parameters
    ----------
    steps : pandas.DataFrame
        As :meth:`workbench.Funnel.steps` returns it. With segments, their sums are drawn.
    title : str

    Returns
    -------
    str

    Examples
    --------
    >>> table = pd.DataFrame({"step": ["a", "b"], "users": [4, 1]})
    >>> "25.0% of the first" in funnel_svg(table, "Funnel")
    True
    """
    users = steps.groupby("step", sort=False)["users"].sum()
    most = max(int(users.max()), 1) if len(users) else 1
    parts = [text(12, 26, title, font_size=15, font_weight="bold", fill=INK)]
    before = 0
    for k, (label, count) in enumerate(users.items()):
        parts.append(_bar(k, str(label), int(count), before, most, int(users.iloc[0])))
        before = int(count)
    height = 56 + ROW * len(users)
    return document(joined(parts), title, WIDTH, height)


def _bar(k: int, label: str, count: int, before: int, most: int, first: int) -> Markup:
    y, scale = 46 + ROW * k, (WIDTH - LEFT - 20) / most
    drawn = text(LEFT - 10, y + 17, f"{k + 1} {cut(label, 26)}", text_anchor="end", fill=INK)
    drawn += rect(LEFT, y, count * scale, 24, fill=BLUE)
    if before > count:
        lost = {"fill": "none", "stroke": VERMILLION, "stroke_dasharray": "4 3"}
        drawn += rect(LEFT + count * scale, y, (before - count) * scale, 24, **lost)
    shares = f"{count:,}"
    if k and first:
        shares += f" · {count / first:.1%} of the first · {before - count:,} lost here"
    return element("g", drawn + text(LEFT, y + 38, shares, fill=QUIET, font_size=12), font_size=13)
