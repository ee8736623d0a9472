"""How many values each way touches as a still picture, for pages that run no widget."""

import pandas as pd

from workbench.figures.markup import Markup
from workbench.figures.stills.growth import growth_svg
from workbench.figures.tree import ACROSS, UP, WAYS


def touched_svg(table: pd.DataFrame, title: str) -> Markup:
    """Draw how many values each way touches as SVG, both axes logarithmic.

    Parameters
    ----------
    table : pandas.DataFrame
        As :func:`workbench.figures.tree.touched_figure` takes it.
    title : str

    Returns
    -------
    str

    Examples
    --------
    >>> table = pd.DataFrame({"naive": [1.0, 9.0]}, index=[1, 9])
    >>> "naive: 9.0" in touched_svg(table, "Touched")
    True
    """
    names = {str(way): f"{way}: {last:.1f}" for way, last in table.iloc[-1].items()}
    return growth_svg(table, title, ACROSS, UP, WAYS, names)
