"""A comparison as a figure: dots with intervals, differences next to them, the baseline named."""

import pandas as pd

from workbench.figures.intervals.comparison import comparison_figure
from workbench.figures.stills.still import still
from workbench.funnel.intervals import differences_of, shares_of


def compared(users: dict[str | None, list[int]], baseline: str | None) -> pd.DataFrame:
    rows = []
    base = users[baseline]
    for segment, reached in users.items():
        for k, label in enumerate("abc"):
            share = shares_of([reached[k]], [reached[0]])
            columns = {name: value[0] for name, value in share._asdict().items()}
            row = {
                "device": segment,
                "step": label,
                "users": reached[k],
                "of": reached[0],
                **columns,
            }
            if k and segment != baseline:
                difference = differences_of([reached[k]], [reached[0]], [base[k]], [base[0]])
                row |= {"difference": difference.difference[0], "difference_low": difference.low[0]}
                row |= {"difference_high": difference.high[0]}
            rows.append(row)
    table = pd.DataFrame(rows)
    table.attrs = {"baseline": (baseline,), "unit": "people", "compared": 4, "confidence": 0.95}
    return table


TABLE = compared({"web": [100, 50, 20], "tv": [80, 70, 18], None: [0, 0, 0]}, "web")


def test_each_step_after_the_first_has_shares_and_differences() -> None:
    figure = comparison_figure(TABLE)
    dots = [trace for trace in figure.data if trace.meta]
    assert [(dot.name, dot.meta) for dot in dots] == [
        ("share", 1), ("difference", 1), ("share", 2), ("difference", 2),
    ]  # fmt: skip
    assert list(dots[0].x) == [0.5, 0.875]
    assert list(dots[1].x) == [0.375]
    assert [note.text for note in figure.layout.annotations] == [
        "2 b", "2 b, less the baseline's", "3 c", "3 c, less the baseline's",
    ]  # fmt: skip


def test_a_difference_that_may_be_zero_is_hollow_and_says_so() -> None:
    sure, unsure = (t for t in comparison_figure(TABLE).data if t.name == "difference")
    assert (sure.marker.symbol, unsure.marker.symbol) == ("circle", "circle-open")
    assert sure.marker.color != unsure.marker.color
    assert sure.text[0].startswith("tv: +37.5 points (+")
    assert unsure.text[0].endswith("which may be none")


def test_a_difference_below_zero_has_a_minus_sign_wherever_it_is_read() -> None:
    figure = comparison_figure(compared({"web": [100, 50, 20], "tv": [80, 20, 9]}, "web"))
    label = next(t.text for t in figure.data if t.name == "points")
    hovered = next(t.text for t in figure.data if t.name == "difference")
    assert label == ("\N{MINUS SIGN}25.0",)
    assert hovered[0].startswith("tv: \N{MINUS SIGN}25.0 points (\N{MINUS SIGN}")


def test_a_dot_knows_its_segment_whatever_is_drawn() -> None:
    table = compared(
        {"web": [100, 50, 20], "tv": [80, 70, 18], "app": [60, 6, 1], "pda": [50, 4, 2]}, "pda"
    )
    figure = comparison_figure(table, most=2)
    shares = next(t for t in figure.data if t.name == "share")
    assert list(shares.customdata) == [0, 1, 3]
    assert figure.layout.yaxis.ticktext[-1] == "pda (baseline)  50"
    assert "3 of 4 segments" in figure.layout.title.subtitle.text


def test_a_segment_of_nobody_has_a_row_without_a_dot() -> None:
    figure = comparison_figure(TABLE)
    assert figure.layout.yaxis.ticktext[2] == "null  0"
    assert all(2 not in trace.y for trace in figure.data if trace.name == "share")


def test_a_funnel_of_one_step_has_nothing_to_compare() -> None:
    one = TABLE[TABLE["step"] == "a"]
    one.attrs = TABLE.attrs
    assert "no step to compare" in comparison_figure(one).layout.annotations[0].text


def test_a_comparison_is_drawn_as_a_still() -> None:
    drawn = still(comparison_figure(TABLE), "Comparison")
    assert "web (baseline)" in drawn
    assert "87.5%" in drawn


def test_names_are_text_and_no_markup() -> None:
    table = compared({"<b>": [10, 5, 2], "<i>": [9, 5, 1]}, "<b>")
    figure = comparison_figure(table)
    assert not any("<i>" in str(trace.text) for trace in figure.data)
    assert "<b> (" not in str(figure.layout.yaxis.ticktext)
