"""The frame that explorers share, and charts that fill it."""

import ipywidgets as widgets
import pandas as pd
import plotly.graph_objects as go
import plotly.io as pio
import pytest

from workbench.figures.consistency import consistency_figure
from workbench.figures.theme import ON_ANY_GROUND, TEMPLATE, themed
from workbench.widgets.chart import Chart
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.explorers.tile import TileExplorer
from workbench.widgets.html import Status, code_line, fact
from workbench.widgets.redraw import redraw
from workbench.widgets.sheet import Sheet


class Counts(Card):
    def __init__(self) -> None:
        self.status = Status()
        super().__init__(
            Chart(), controls=[widgets.Checkbox()], rows=[widgets.HTML()], foot=[self.status]
        )


def test_a_card_has_its_style_and_parts_in_a_fixed_order() -> None:
    card = Counts()
    sheet, head, controls, main, status = card.children
    assert isinstance(sheet, Sheet)
    assert (head, status) == (card.head, card.status)
    assert "wb-controls" in controls._dom_classes
    assert "wb-two" in main._dom_classes
    assert [len(column.children) for column in main.children] == [1, 1]


def test_a_card_has_its_title_and_its_facts() -> None:
    card = Counts()
    card.entitle("a < b", "Boston", fact(1234, "row"), fact(1, "key"))
    assert "a &lt; b</div>" in card.head.value
    assert "<span>Boston</span><span><b>1,234</b> rows</span>" in card.head.value
    assert "<b>1</b> key</span>" in card.head.value


def test_the_style_sheet_gives_every_picture_of_a_card_its_colours() -> None:
    assert '.js-plotly-plot [style*="fill: rgb(0, 114, 178)"]' in Sheet._css
    assert '.wb-card svg [stroke="#c65200"]' in Sheet._css
    assert Sheet._css.count("{") == Sheet._css.count("}")


def test_a_chart_stays_as_wide_as_its_place_when_it_is_redrawn() -> None:
    chart = Chart()
    redraw(chart, themed(go.Figure(go.Bar(y=[3, 1])), height=300))
    assert (chart.layout.width, chart.layout.autosize, chart.layout.height) == (None, True, 300)
    assert chart.layout.template == TEMPLATE
    assert chart._config["responsive"]


def test_a_chart_that_cannot_be_zoomed_has_no_toolbar() -> None:
    explorer = TileExplorer(8, 2, 5)
    assert explorer.counts.layout.xaxis.fixedrange
    assert explorer.counts._config["displayModeBar"] is False
    assert Chart()._config["displayModeBar"] == "hover"


def test_a_figure_that_is_not_a_widget_is_readable_on_any_ground(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pio.renderers, "default", "plotly_mimetype")
    table = pd.DataFrame({"time": [0], "column": ["n"], "rows": [4], "equal": [4]})
    zeros = dict.fromkeys(("different", "both_null", "left_null", "right_null"), 0)
    shown = consistency_figure(table.assign(**zeros))
    plotly = shown._repr_mimebundle_()["application/vnd.plotly.v1+json"]
    assert plotly["layout"]["template"] == ON_ANY_GROUND.to_plotly_json()
    assert shown.figure.layout.template == TEMPLATE


def test_a_line_of_code_is_shown_as_it_is_and_can_be_copied() -> None:
    assert code_line("a < b").startswith('<div class="wb-code"><code>a &lt; b</code><button')
