"""A figure in a cell, next to its still, is readable on a light and on a dark page."""

import plotly.graph_objects as go
import plotly.io as pio
import pytest

from workbench.figures.funnel import title_with_subtitle
from workbench.figures.pictured import Pictured
from workbench.figures.theme import BLUE, EITHER, INK, QUIET, themed

LIVE = "application/vnd.plotly.v1+json"


def test_words_of_a_live_figure_are_readable_on_any_ground(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pio.renderers, "default", "plotly_mimetype")
    notes = [{"text": "a", "font": {"color": color}} for color in (INK, QUIET, BLUE)]
    title = title_with_subtitle("Reached", "of 12")
    figure = themed(go.Figure(go.Bar(x=["a"], y=[1])), title=title, annotations=notes)
    layout = Pictured(figure, "one bar")._repr_mimebundle_()[LIVE]["layout"]
    assert [note["font"]["color"] for note in layout["annotations"]] == [EITHER, EITHER, BLUE]
    assert layout["title"]["subtitle"]["font"]["color"] == EITHER
    # The figure for a light page is unchanged.
    assert figure.layout.annotations[0].font.color == INK
