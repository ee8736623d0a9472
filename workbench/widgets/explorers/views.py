"""Tables as figures with a still picture and without controls."""

import pandas as pd
import plotly.graph_objects as go

from workbench.backfill.inspect.skew import Skew
from workbench.figures.ladder_costs import rungs_figure, rungs_words
from workbench.figures.skew import skew_figure
from workbench.figures.stills.still import still
from workbench.figures.tree import touched_figure
from workbench.markup import Markup
from workbench.widgets.chart import Chart
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.html import HTML, live_sentence


class FigureView(Card):
    """A figure as a widget, with a title and a sentence about the result."""

    def __init__(self, figure: go.Figure, title: str, words: str, *, toolbar: bool = True) -> None:
        self.figure, self.title, self.words = Chart(figure, toolbar=toolbar), title, words
        super().__init__(self.figure, foot=[HTML(live_sentence(words))])
        self.entitle(title)

    def __repr__(self) -> str:
        return self.words

    def _still(self) -> Markup:
        return still(self.figure.whole, self.title, self.words)


class LadderCostsView(FigureView):
    """A table of :func:`workbench.lessons.ladder_costs.ladder_costs_table`, drawn.

    Parameters
    ----------
    table : pandas.DataFrame

    Examples
    --------
    >>> LadderCostsView(pd.DataFrame({"naive": [10_000, 40_000]}, index=[100, 200]))
    Twice the queries and events: naive takes 4 times the operations, like their product.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        title = "Operations of each rung, and how they grow when the size doubles"
        super().__init__(rungs_figure(table), title, rungs_words(table), toolbar=False)


class ReadsPerFrameView(FigureView):
    """A table of :func:`workbench.lessons.reads_per_frame.reads_per_frame_table`, drawn.

    Parameters
    ----------
    table : pandas.DataFrame

    Examples
    --------
    >>> ReadsPerFrameView(pd.DataFrame({"naive": [1.0, 9.0]}, index=[1, 9]))
    Values touched per row, by the length of the frame. naive: 1.0 to 9.0
    """

    def __init__(self, table: pd.DataFrame) -> None:
        ways = (f"{way}: {each.iloc[0]:.1f} to {each.iloc[-1]:.1f}" for way, each in table.items())
        title = "Values touched per row, by the length of the frame"
        words = f"{title}. {'; '.join(ways)}"
        super().__init__(touched_figure(table), title, words, toolbar=False)


class SkewView(FigureView):
    """What :meth:`workbench.Backfill.skew` returns, drawn.

    Parameters
    ----------
    skew : Skew

    Examples
    --------
    >>> hops = pd.DataFrame({"key": ["a", "a", "b"], "hop": [0, 5, 5], "rows": [9, 1, 2]})
    >>> tasks = pd.DataFrame({"method": ["scan"], "task": [0], "rows": [12]})
    >>> tasks = tasks.assign(queries=[2], events=[10], earlier=[0], states=[0])
    >>> SkewView(Skew(hops, pd.DataFrame({"key": [], "begin": []}), tasks))
    scan: the largest task has 12 rows, 1.0 times the mean
    """

    def __init__(self, skew: Skew) -> None:
        super().__init__(skew_figure(skew), "Where the rows of a backfill lie", repr(skew))
