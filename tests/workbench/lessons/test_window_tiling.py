"""Window tiling as a person sees it: the rungs stepped through, the explorers, the figures."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import workbench as wb
from kernels import registry
from kernels.states.states import Count, Sum
from kernels.tiling.ladder import RUNGS, tiled_aggregate
from tests.workbench.widgets.explorers.clicks import click_mark
from workbench.figures.ladder_costs import rungs_figure, rungs_words
from workbench.figures.stills.still import still
from workbench.figures.tiles import BOUND, EACH, NOW, TILES, tile_counts_figure
from workbench.figures.window_types import HOPS, INSIDE, OUTSIDE, SINGLE, window_types_figure
from workbench.lessons.ladder_costs import growth, ladder_costs_table
from workbench.lessons.tiles import Tile, every_tile, most_tiles, tiles_by_length, tiles_of
from workbench.lessons.window_types import window_types
from workbench.widgets.explorers.tile import TileExplorer
from workbench.widgets.explorers.views import LadderCostsView
from workbench.widgets.explorers.window_types import WindowTypesExplorer
from workbench.widgets.lessons.tiling import play_rung

QUERY = [4, 9, 9, 14, 21]
TIME = [1, 4, 8, 8, 12, 20]
VALUE = [3, 5, 7, 1, 2, 4]
EXAMPLE = QUERY, TIME, VALUE, 7, 5


def lesson(rung: str, name: str = "sum") -> dict[str, Any]:
    found: dict[str, Any] = play_rung(rung, name, *EXAMPLE).lesson
    return found


def picture(shown: dict[str, Any], beginning: str) -> dict[str, Any]:
    (one,) = [p for p in shown["pictures"] if p["title"].startswith(beginning)]
    found: dict[str, Any] = one
    return found


def captions(shown: dict[str, Any]) -> list[str]:
    return [step["caption"] for step in shown["steps"]]


@pytest.mark.parametrize("rung", RUNGS)
def test_every_rung_is_played_to_its_answer(rung: str) -> None:
    query, time, value = map(np.array, EXAMPLE[:3])
    answers = tiled_aggregate(rung, "sum", query, time, value, *EXAMPLE[3:])
    shown = lesson(rung)
    assert f"in {answers.operations} operations" in shown["title"]
    assert shown["result"] == ", ".join(
        f"{value:g}" if rows else "nothing"
        for value, rows in zip(answers.value, answers.rows, strict=True)
    )
    events = picture(shown, "Queries and events")["events"]
    assert [event["lane"] for event in events] == [0] * len(QUERY) + [1] * len(TIME)
    if rung != "tiles":
        last = picture(shown, "What each query has")["states"][-1]["cells"]
        assert last == shown["result"].replace("nothing", "-").split(", ")


def test_the_leaves_of_the_tile_tree_end_with_the_answers() -> None:
    shown = lesson("tiles")
    last = picture(shown, "The tree")["states"][-1]["values"]
    assert [last[str(8 + i)] for i in range(len(QUERY))] == shown["result"].split(", ")


def test_a_naive_step_marks_the_event_and_what_is_in_the_window_so_far() -> None:
    shown = lesson("naive")
    at = captions(shown).index("Event 3 is in: 13.")  # of the query at 9: [2, 9)
    state = picture(shown, "Queries and events")["states"][at]
    assert state["window"] == {"from": 1.0, "to": 8.0, "label": "window"}
    events = [index - len(QUERY) for index in state["chain"]]
    assert (events, state["current"]) == ([1, 2, 3], len(QUERY) + 3)


def test_an_event_marks_the_queries_it_affects_while_its_tiles_are_found() -> None:
    shown = lesson("tiles")
    at = captions(shown).index("Event 2 affects queries [1, 4).")
    line, tree = (picture(shown, name)["states"] for name in ("Queries and events", "The tree"))
    for step in range(at - 3, at + 1):
        assert (line[step]["chain"], line[step]["current"]) == ([1, 2, 3], len(QUERY) + 2)
    assert tree[at]["frames"] == [{"from": 1, "to": 4}]
    assert tree[at]["lit"] == ["5", "9"]
    assert [tree[at + k]["current"] for k in (1, 2)] == ["5", "9"]


def test_pushing_down_marks_a_node_and_its_child() -> None:
    shown = lesson("tiles")
    at = captions(shown).index("Node 2 hands its state to node 4: nothing.")
    assert picture(shown, "The tree")["states"][at]["lit"] == ["2"]
    assert picture(shown, "The tree")["states"][at]["current"] == "4"


def test_hops_are_filled_and_added_one_by_one() -> None:
    shown = lesson("stack hops", "count")
    hops = picture(shown, "Hops")
    assert hops["labels"] == ["0", "5", "10", "20"]
    assert hops["states"][-1]["cells"] == ["2", "2", "1", "1"]
    at = captions(shown).index("The hop from 5 joins the newer ones: 2.")
    assert hops["states"][at]["current"] == 1


def test_a_sawtooth_shows_the_tail_then_the_head_and_then_the_answer() -> None:
    shown = lesson("sawtooth")
    has = picture(shown, "What each query has: its tail, then tail + head, then its answer")
    seen = [state["cells"][2] for state in has["states"]]
    assert list(dict.fromkeys(seen)) == [None, "8", "8 + 8", "16"]
    assert shown["intro"] == "A query at q sees [floor(q - window), q): whole hops and a head."
    labels = {s["window"]["label"] for s in shown["pictures"][0]["states"] if s.get("window")}
    assert {"a hop", "tail of query 2", "head of query 2", "tail and head"} <= labels


def test_space_that_a_kernel_does_not_use_is_not_shown() -> None:
    for step in lesson("tiles")["steps"]:
        tiles: list[Any] = next((v["value"] for v in step["variables"] if v["name"] == "tiles"), [])
        assert len(tiles) <= 4
        assert "other" not in [variable["name"] for variable in step["variables"]]


def test_timestamps_are_written_as_times_and_lengths_with_units() -> None:
    query: Any = pd.to_datetime(["2021-10-15 09:18"])
    time: Any = pd.to_datetime(["2021-10-14 11:00"])
    shown = play_rung("naive", "max", query, time, [4.5], "7 days").lesson
    assert captions(shown)[0] == "Query 0 sees [08 Oct 09:18, 15 Oct 09:18)."
    variables = {v["name"]: v["value"] for v in shown["steps"][-1]["variables"]}
    assert (variables["window"], variables["time"]) == ("7 days", ["14 Oct 11:00"])
    assert (variables["states"], variables["value"], shown["result"]) == (["4.5"], [4.5], "4.5")
    assert shown["pictures"][0]["events"][1]["text"] == "event 0, at 14 Oct 11:00: 4.5"


def test_the_end_of_a_rolled_up_day_is_a_time_and_the_last_event_of_a_window_its_row() -> None:
    query: Any = pd.to_datetime(["2021-10-15 09:18"])
    time: Any = pd.to_datetime(["2021-10-14 11:00"])
    last: dict[str, Any] = {}
    for rung in ("rollups", "cursors"):
        shown = play_rung(rung, "sum", query, time, [4.5], "7 days", "1 day").lesson
        every = [v["value"] for step in shown["steps"] for v in step["variables"]
                 if v["name"] == "last"]  # fmt: skip
        last[rung] = every[-1]
    assert last == {"rollups": "14 Oct 23:59", "cursors": 1}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rung": "ladder"}, "rung: 'ladder' is not known; use one of naive, rollups,"),
        ({"rung": "cursors", "name": "max"}, "rung: 'cursors' subtracts, which max cannot"),
        ({"name": "median"}, "name: 'median' is not shown; use sum, avg,"),
        ({"query": ["today"]}, "query, time: give timestamps (datetime64) for both, or integers."),
        ({"query": [9, 4]}, "query: the times are not sorted; sort them"),
        ({"window": "7 days"}, "window:"),
        ({"query": range(300), "rung": "naive"}, "has more than 2000 steps; give it fewer rows"),
    ],
)
def test_what_cannot_be_played_is_a_sentence(change: dict[str, Any], sentence: str) -> None:
    usual: dict[str, Any] = {"rung": "tiles", "name": "sum", "query": QUERY, "window": 7} | change
    with pytest.raises(wb.WorkbenchError) as error:
        play_rung(usual["rung"], usual["name"], usual["query"], TIME, VALUE, usual["window"])
    assert sentence in str(error.value)


def test_the_kernels_themselves_are_played_with_their_pictures() -> None:
    tiles = np.zeros((128, 2), np.int64)
    player = wb.play(registry["generate_tiles"], 4, 14, tiles)
    (tree,) = player.lesson["pictures"]
    assert tree["states"][-1]["lit"] == ["5", "6", "14"]
    query, time, values = (np.array(one, np.int64) for one in (QUERY, TIME, VALUE))
    states = np.zeros((len(query), 2), np.int64)
    for name, lengths in (("search_windows", (7,)), ("sawtooth_windows", (7, 5))):
        columns = query, *lengths, time, values, values, states
        player = wb.play(registry[name], Sum(0, 0), *columns)
        assert player.lesson["pictures"][0]["lanes"] == ["queries", "events"]
        state = next(v for v in player.lesson["steps"][-1]["variables"] if v["name"] == "state")
        assert state["value"].count(",") == 1


def test_a_kernel_without_times_is_played_with_numbers() -> None:
    tree, states = np.array([[0], [1], [0], [2]]), np.zeros((2, 1), np.int64)
    player = wb.play(registry["push_down"], Count(), tree, states)
    (drawn,) = player.lesson["pictures"]
    assert drawn["states"][-1]["values"] == {"1": "1", "2": "1", "3": "3"}


@given(st.integers(0, 64), st.integers(0, 64))
def test_tiles_are_nodes_in_order_and_within_the_bound(one: int, other: int) -> None:
    left, right = sorted((one, other))
    tiles = tiles_of(left, right)
    assert [place for tile in tiles for place in range(*tile)] == list(range(left, right))
    assert set(tiles) <= set(every_tile(64))
    assert len(tiles) <= most_tiles(64) == 12
    assert [every_tile(64)[tile.node(64) - 1] for tile in tiles] == tiles


def test_the_explorer_cuts_the_range_that_is_dragged() -> None:
    explorer = TileExplorer(16, 4, 14)
    assert "3 tiles cover them: [4, 8), [8, 12), [12, 14)." in explorer.words
    assert "● a tile: one update<" in explorer.chart.value
    used = re.findall(r"● \[.*?\)", explorer.chart.value)
    assert used == ["● [4, 8)", "● [8, 12)", "● [12, 14)"]
    assert explorer.chart.value.count('class="wbp-node"') == 31
    explorer.range.value = (0, 16)
    assert [tile.words for tile in explorer.tiles] == ["[0, 16)"]
    assert explorer.words.endswith("no range has more than 8 tiles: 2 · log₂ 16.")
    assert explorer.counts.data[-1].y == (1,)
    assert "● [0, 16)" in explorer._repr_mimebundle_()["image/svg+xml"]
    explorer.range.value = (5, 5)
    assert explorer.words.startswith("The range is empty")
    assert 'wbp-band"' not in explorer.chart.value


def test_the_explorer_takes_another_number_of_queries_and_keeps_the_range_within() -> None:
    explorer = TileExplorer(16, 4, 14)
    explorer.queries.value = 10
    assert explorer.range.value == (4, 10)
    assert "Of 10 queries, no range has more than 8 tiles: 2 · log₂ 10, rounded up." in (
        explorer.words
    )
    assert len(explorer.counts.data[0].x) == 10
    assert max(node["from"] for node in explorer.picture["nodes"]) == 9


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((65, 0, 1), "queries: 65 cannot be drawn; give 2 to 64"),
        ((16, 9, 4), "left, right: [9, 4) is not a range of 16 queries; give 0 <= left <= right"),
        ((16, 4, 17), "left, right: [4, 17) is not a range"),
    ],
)
def test_an_explorer_of_an_invalid_range_is_refused(
    arguments: tuple[int, ...], sentence: str
) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        TileExplorer(*arguments)
    assert sentence in str(error.value)


def test_a_click_on_a_node_lists_its_queries_and_one_on_a_length_selects_such_a_range() -> None:
    explorer = TileExplorer(14, 4, 10)
    assert explorer.clicked.layout.display == "none"
    message = {"node": str(Tile(8, 12).node(16))}
    explorer.sheet._handle_custom_msg(message, [])
    assert explorer.clicked.layout.display is None
    assert explorer.clicked.frame["query"].tolist() == [8, 9, 10, 11]
    assert explorer.clicked.frame["in the range"].tolist() == ["yes", "yes", "no", "no"]
    assert "<b>Queries 8 to 11</b></p>" in explorer.clicked.note.value
    explorer.list_node(str(Tile(8, 10).node(16)))
    assert "<b>Queries 8 to 9</b>: a tile: one update." in explorer.clicked.note.value
    # Positions after the last query are not queries.
    explorer.list_node("1")
    assert explorer.clicked.frame["query"].tolist() == list(range(14))
    for name, k, length in ((TILES, 5, 6), (EACH, 13, 14), (NOW, 0, 14), (BOUND, 0, 1)):
        click_mark(explorer.counts, name, k)
        left, right = explorer.range.value
        assert right - left == length
        assert len(explorer.tiles) == tiles_by_length(14)[length - 1]
    assert explorer.clicked.layout.display == "none"


def test_the_chart_of_tiles_has_the_bound_and_one_update_a_query() -> None:
    figure = tile_counts_figure(tiles_by_length(16), most_tiles(16), (10, 3))
    lines = {trace.name: trace for trace in figure.data}
    assert list(lines) == [EACH, BOUND, TILES, NOW]
    assert set(lines[BOUND].y) == {8}
    assert max(lines[TILES].y) == 6
    assert (lines[NOW].x, lines[NOW].y) == ((10,), (3,))
    assert lines[NOW].cliponaxis is False  # whole at the corner, too, where an empty range is


@given(st.integers(-30, 30), st.integers(0, 20), st.integers(1, 9), st.lists(st.integers(-40, 40)))
def test_kinds_of_window_see_what_their_bounds_say(
    query: int, window: int, hop: int, times: list[int]
) -> None:
    time = sorted(times)
    sliding, hopping, sawtooth = window_types(query, window, hop, time)
    assert (sliding.low, sliding.high) == (query - window, query)
    assert (hopping.low, hopping.high) == ((query - window) // hop * hop, query // hop * hop)
    assert (sawtooth.low, sawtooth.tail, sawtooth.high) == (hopping.low, hopping.high, query)
    for kind in (sliding, hopping, sawtooth):
        assert kind.count == sum(kind.low <= at < kind.high for at in time)
        assert all(kind.low <= at < kind.high for at in time[kind.first : kind.last])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((9, -1, 5, [1]), "window: -1 is negative; give 0 or more."),
        ((9, 5, 0, [1]), "hop: 0 is too short; give 1 or more."),
        ((9, 5, 5, [2, 1]), "time: the times are not sorted; sort them."),
    ],
)
def test_impossible_windows_are_refused(arguments: Any, sentence: str) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        window_types(*arguments)
    assert str(error.value) == sentence


def test_moving_the_query_moves_sliding_windows_at_once_and_hopping_ones_by_hops() -> None:
    explorer = WindowTypesExplorer([6, 9, 14, 16, 18], window=10, hop=5, query=17)
    before = explorer.kinds
    explorer.query.value = 19
    sliding, hopping, sawtooth = explorer.kinds
    assert (sliding.low, sliding.high) == (9, 19)
    assert (hopping.low, hopping.high) == (before[1].low, before[1].high)
    assert (sawtooth.low, sawtooth.tail, sawtooth.high) == (5, 15, 19)
    assert repr(explorer) == (
        "Kinds of window at 19: sliding 4 events, hopping 3 events, sawtooth 5 events"
    )
    explorer.hop.value = 2
    assert explorer.kinds[1].high == 18
    still = explorer._repr_mimebundle_()["image/svg+xml"]
    assert [word for word in ("query at 19", "sawtooth", "4 events") if word not in still] == []


def test_an_explorer_without_events_is_refused() -> None:
    with pytest.raises(wb.WorkbenchError, match="time: there are no events; give at least one"):
        WindowTypesExplorer([], window=10, hop=5)


def test_a_click_on_a_window_lists_its_events_until_it_changes() -> None:
    explorer = WindowTypesExplorer([6, 9, 14, 16, 18], window=10, hop=5, query=17)
    assert explorer.clicked.layout.display == "none"
    expected = [
        (INSIDE, 0, [9, 14, 16], "Sliding window</b>: 3 events from 7 up to, but not at, 17."),
        (OUTSIDE, 2, [6, 9, 14], "Hopping window</b>: 3 events from 5 up to, but not at, 15."),
        (HOPS, 1, [6, 9, 14], "Sawtooth window, whole hops</b>: 3 events from 5 up to"),
        (SINGLE, 1, [16], "Sawtooth window, single events</b>: 1 event from 15 up to"),
    ]
    for name, k, events, words in expected:
        click_mark(explorer.chart, name, k)
        assert explorer.clicked.frame["event at"].tolist() == events
        assert words in explorer.clicked.note.value
    explorer.list_window("sawtooth")
    assert explorer.clicked.frame["as"].tolist() == [HOPS, HOPS, HOPS, SINGLE]
    explorer.query.value = 18
    assert explorer.clicked.layout.display == "none"


def test_the_figure_of_kinds_distinguishes_hops_and_single_events_and_fills_what_is_seen() -> None:
    time = [6, 9, 14, 16]
    figure = window_types_figure(window_types(17, 10, 5, time), 17, 5, time, (0, 20))
    bars = {trace.name: trace for trace in figure.data}
    assert bars[HOPS].y == ("hopping", "sawtooth")
    assert (bars[HOPS].base, bars[HOPS].x) == ((5, 5), (10, 10))
    assert (bars[SINGLE].base, bars[SINGLE].x) == ((7, 15), (10, 2))
    assert bars[SINGLE].marker.pattern.shape == "/"
    assert len(bars[INSIDE].x) + len(bars[OUTSIDE].x) == 3 * len(time)
    assert list(zip(bars[OUTSIDE].y, bars[OUTSIDE].x, strict=True)) == [
        ("sliding", 6), ("hopping", 16),
    ]  # fmt: skip
    assert [note.text for note in figure.layout.annotations][1:] == [
        "<b>3</b> events", "<b>3</b> events", "<b>4</b> events",
    ]  # fmt: skip


def test_operations_are_those_of_the_kernels_and_grow_as_each_rung_promises() -> None:
    table = ladder_costs_table([1_000, 4_000], window=7 * 86_400_000_000, days=28)
    assert list(table.columns) == list(RUNGS)
    assert table["naive"].tolist() == [1_000_000, 16_000_000]
    grown = growth(table)
    assert (grown[["naive", "rollups", "search"]] > 3).all()
    assert (grown.drop(["naive", "rollups", "search"]) < 2.3).all()


def test_the_figure_of_rungs_names_each_line_with_what_twice_the_size_costs() -> None:
    table = pd.DataFrame({"naive": [10_000, 160_000], "tiles": [900, 4_000]}, index=[100, 400])
    figure = rungs_figure(table)
    assert [line.name for line in figure.data] == [
        "naive: 4.0 times", "tiles: 2.1 times",
    ]  # fmt: skip
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert len({(line.line.color, line.line.dash) for line in figure.data}) == 2
    assert "tiles: 2.1 times" in still(rungs_figure(table), "Operations")
    assert "tiles about twice, like their sum" in rungs_words(table)
    assert "image/svg+xml" in LadderCostsView(table)._repr_mimebundle_()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([0, 10],), "sizes: 0 is not possible; give 1 or more."),
        (([10], ["ladder"]), "rungs: 'ladder' is not known; use naive, rollups,"),
    ],
)
def test_costs_that_cannot_be_counted_are_a_sentence(arguments: Any, sentence: str) -> None:
    with pytest.raises(wb.WorkbenchError) as error:
        ladder_costs_table(*arguments)
    assert sentence in str(error.value)
