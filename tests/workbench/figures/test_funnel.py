"""A funnel's tables as figures: what is drawn, and with which words."""

import pandas as pd
import pytest

from workbench.figures.funnel import (
    EXCLUDED,
    LOST,
    Segments,
    funnel_figure,
    pivot_steps,
    times_figure,
)
from workbench.figures.stills.still import still

STEPS = pd.DataFrame(
    {
        "step": ["signup", "add_to_cart", "checkout"],
        "users": [100, 40, 10],
        "from_first": [1.0, 0.4, 0.1],
        "from_previous": [1.0, 0.4, 0.25],
        "lost": [0, 60, 30],
    }
)
HOURS = pd.to_timedelta([0, 1, 2], "h")
TIMES = pd.DataFrame({"from": HOURS[:2], "to": HOURS[1:], "users": [3, 7]})


def in_segments(*segments: str | None) -> pd.DataFrame:
    parts = [STEPS.assign(device=segment) for segment in segments]
    return pd.concat(parts, ignore_index=True)[["device", *STEPS.columns]]


def with_attrs(table: pd.DataFrame, **attributes: object) -> pd.DataFrame:
    table.attrs |= attributes
    return table


def test_a_bar_shows_who_reached_a_step_and_a_hatched_one_who_was_lost() -> None:
    reached, lost, _ = funnel_figure(STEPS).data
    assert list(reached.x) == [100, 40, 10]
    assert list(lost.x) == [0, 60, 30]
    assert lost.marker.pattern.shape == "/"


def test_both_denominators_are_written_next_to_each_step() -> None:
    *_, words = funnel_figure(STEPS).data
    assert words.text[2] == " <b>10</b> · 25.0% of step 2<br> 10.0% of step 1"
    assert words.text[1] == " <b>40</b><br> 40.0% of step 1"


def test_the_first_step_stands_on_top() -> None:
    axis = funnel_figure(STEPS).layout.yaxis
    assert axis.ticktext[0] == "1 signup"
    assert axis.range[0] > axis.range[1]


def test_a_step_that_comes_twice_has_two_rows() -> None:
    twice = STEPS.assign(step=["signup", "help", "signup"])
    assert list(funnel_figure(twice).data[0].y) == [0, 1, 2]


def test_labels_have_the_unit_of_the_keys() -> None:
    figure = funnel_figure(with_attrs(STEPS.copy(), unit="aircraft"))
    assert "100 aircraft that took step 1" in figure.layout.title.subtitle.text
    assert figure.data[0].hovertemplate == "%{x:,} aircraft reached %{customdata}<extra></extra>"
    drawn = times_figure(with_attrs(TIMES.copy(), unit="aircraft"))
    assert drawn.layout.title.subtitle.text == "of 10 aircraft that took all"


def test_one_user_is_written_in_the_singular() -> None:
    alone = with_attrs(STEPS.assign(users=[2, 1, 1], lost=[0, 1, 0]), unit="users")
    reached, lost = (trace.hovertemplate for trace in funnel_figure(alone).data[:2])
    assert [template.split()[1] for template in reached] == ["users", "user", "user"]
    assert [template.split()[1] for template in lost] == ["users", "user", "users"]
    one = with_attrs(TIMES.assign(users=[0, 1]), unit="users")
    assert times_figure(one).layout.title.subtitle.text == "of 1 user that took all"


def test_each_later_step_is_a_panel_of_shares_of_each_segment_s_own_first_step() -> None:
    figure = funnel_figure(in_segments("mobile", "desktop"))
    dots = [trace for trace in figure.data if trace.name == "share of step 1"]
    assert [list(trace.x) for trace in dots] == [[0.4, 0.4], [0.1, 0.1]]
    assert [trace.meta for trace in dots] == [1, 2]
    assert [note.text for note in figure.layout.annotations] == ["2 add_to_cart", "3 checkout"]
    assert list(figure.layout.yaxis.ticktext) == ["mobile  100", "desktop  100"]
    assert list(figure.data[3].text) == ["40.0%", "40.0%"]


def test_a_long_name_above_a_panel_stands_on_two_lines() -> None:
    table = in_segments("tv")
    names = dict(zip(table["step"].unique(), ["a", "put into the cart", "paid"], strict=True))
    figure = funnel_figure(with_attrs(table.assign(step=table["step"].map(names)), unit="users"))
    heads = [note.text for note in figure.layout.annotations]
    assert heads == ["2 put into the<br>cart", "3 paid"]
    assert figure.layout.margin.t > funnel_figure(in_segments("tv")).layout.margin.t


def test_the_largest_segments_are_drawn_and_the_others_as_one() -> None:
    table = with_attrs(in_segments(*"abcdefgh"), all=[900, 400, 100])
    figure = funnel_figure(table)
    assert list(figure.layout.yaxis.ticktext)[-2:] == ["f  100", "2 others  300"]
    assert funnel_figure(table, most=8).layout.yaxis.ticktext[-1] == "h  100"
    assert Segments.of(table).first(6)[-1].tolist() == [300, 160, 40]


def test_segments_of_several_columns_and_without_a_value_have_names() -> None:
    table = in_segments("tv", None)
    table.insert(0, "land", "fr")
    assert Segments.of(table).names(6) == ["fr · tv", "fr · null"]


def test_those_who_were_excluded_are_drawn_apart_from_those_who_were_lost() -> None:
    table = STEPS.assign(lost=[0, 50, 30], excluded=[0, 10, 0])
    figure = funnel_figure(table)
    reached, lost, excluded, labels = figure.data
    assert [bar.name for bar in (reached, lost, excluded)] == ["reached the step", LOST, EXCLUDED]
    assert lost.marker.pattern.shape != excluded.marker.pattern.shape
    assert excluded.x.tolist() == [0, 10, 0]
    assert labels.x.tolist() == [100, 100, 40]
    assert "crossed: excluded" in figure.layout.title.subtitle.text
    assert "excluded" not in funnel_figure(table.assign(excluded=0)).layout.title.subtitle.text


def test_a_share_is_of_the_required_step_before() -> None:
    texts = funnel_figure(with_attrs(STEPS.copy(), before=[0, 0, 0])).data[-1].text
    assert "of step 2" not in texts[2]
    assert "25.0% of step 2" in funnel_figure(STEPS).data[-1].text[2]


def test_a_table_of_segments_has_one_row_for_each() -> None:
    table = pivot_steps(in_segments("mobile", "desktop"))
    assert table.columns[0] == "device"
    assert table["device"].tolist() == ["mobile", "desktop"]
    assert table["3 checkout"].tolist() == [10, 10]
    assert table["3 checkout, share"].tolist() == [0.1, 0.1]


def test_times_are_drawn_as_readable_intervals() -> None:
    figure = times_figure(TIMES)
    assert list(figure.data[0].customdata) == ["0 s to 1 h", "1 h to 2 h"]
    assert list(figure.data[0].text) == ["3", "7"]
    assert list(figure.layout.xaxis.ticktext) == ["0 s", "1 h", "2 h"]
    assert "of 10 users that took all" in figure.layout.title.subtitle.text


def test_integer_times_stay_integers_and_have_the_unit_of_their_column() -> None:
    table = pd.DataFrame({"from": [0, 5], "to": [5, 10], "users": [1, 2]})
    assert list(times_figure(table).data[0].customdata) == ["0 to 5", "5 to 10"]
    figure = times_figure(with_attrs(table, time_unit="rounds"))
    assert list(figure.data[0].customdata) == ["0 to 5 rounds", "5 to 10 rounds"]
    assert figure.layout.xaxis.title.text == "rounds"


def test_a_figure_without_users_is_a_sentence_and_no_error() -> None:
    nobody = STEPS.assign(users=0, lost=0, from_first=float("nan"), from_previous=float("nan"))
    for figure, sentence in (
        (funnel_figure(nobody), "No users took step 1, signup."),
        (times_figure(TIMES.iloc[:0]), "No users reached all steps."),
        (
            times_figure(with_attrs(TIMES.assign(users=0), unit="ships")),
            "No ships reached all steps.",
        ),
    ):
        assert len(figure.data) == 0
        assert figure.layout.annotations[0].text == sentence
        assert sentence in still(figure, "Funnel")


@pytest.mark.parametrize(
    ("table", "shares"),
    [(STEPS, "25.0% of step 2"), (in_segments("mobile", "desktop"), "10.0%")],
)
def test_the_still_picture_names_every_step_and_its_share(table: pd.DataFrame, shares: str) -> None:
    picture = still(funnel_figure(table), "Funnel <of> three")
    assert picture.startswith("<svg")
    assert "Funnel &lt;of&gt; three" in picture
    assert shares in picture
    assert "3 checkout" in picture
