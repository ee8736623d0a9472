"""A segment tree as a person sees it: the lesson, the explorer, the figures and what they count."""

import itertools
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import workbench as wb
from kernels import registry
from kernels.states.states import Sum
from workbench.figures.stills.still import still
from workbench.figures.tree import touched_figure
from workbench.lessons.reads_per_frame import reads_per_frame_table
from workbench.lessons.tree_run import TREE_AGGREGATES, run_tree
from workbench.lessons.tree_steps import Place, tree_steps
from workbench.widgets.explorers.tree import TreeExplorer
from workbench.widgets.explorers.views import ReadsPerFrameView
from workbench.widgets.lessons.tree import play_tree

SVG = "{http://www.w3.org/2000/svg}"
EIGHT = [5, 7, 3, 10, 6, 2, 8, 4]
FRAMES = [
    wb.Frame.rows(-5, 1),
    wb.Frame.rows(None, None),
    wb.Frame.rows(2, 3),
    wb.Frame.rows(-3, 3, exclude="current row"),
]


def states(lesson: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = lesson["pictures"][0]["states"]
    return found


def test_building_marks_each_node_and_its_children_in_turn() -> None:
    built = states(play_tree("sum", EIGHT, FRAMES[0]).lesson)[:7]
    assert [state["current"] for state in built] == [
        "1/0",
        "1/1",
        "1/2",
        "1/3",
        "2/0",
        "2/1",
        "3/0",
    ]
    assert built[4]["lit"] == ["1/0", "1/1"]
    assert [len(state["values"]) - 8 for state in built] == [1, 2, 3, 4, 5, 6, 7]
    assert built[-1]["values"]["3/0"] == "45"


def test_a_frame_of_seven_values_is_combined_from_three_nodes() -> None:
    lesson = play_tree("sum", EIGHT, FRAMES[0]).lesson
    (last,) = [s for s in states(lesson) if s["label"] == "frame of row 6: rows 1 to 7 = 40"]
    assert last["lit"] == ["0/1", "1/1", "2/1"]
    assert (last["here"], last["frames"]) == (6, [{"from": 1, "to": 8}])
    captions = [step["caption"] for step in lesson["steps"]]
    assert "Node 1 of level 2 (rows 4 to 7) joins from the left." in captions
    assert lesson["result"] == "12, 15, 25, 31, 33, 41, 40, 33"


@pytest.mark.parametrize("frame", FRAMES, ids=repr)
@pytest.mark.parametrize(("name", "fanout"), [("sum", 2), ("max", 3), ("first", 4)])
def test_the_used_nodes_cover_the_frame_exactly_once(
    name: str, fanout: int, frame: wb.Frame
) -> None:
    run, _ = run_tree(name, EIGHT, frame, fanout)
    complete = [step for step in tree_steps(run) if step.answer is not None]
    assert [step.row for step in complete] == list(range(8))
    for step in complete:
        rows = sorted(r for place in step.used for r in range(*place.rows(fanout, 8)))
        assert rows == [r for low, high in step.frame for r in range(low, high)]


@pytest.mark.parametrize("name", TREE_AGGREGATES)
def test_every_aggregate_has_the_answer_of_pandas(name: str) -> None:
    run, text_of = run_tree(name, [2.5, 7, 3, 10.25, 6], wb.Frame.rows(None, None), 2, row=0)
    known: dict[str, Any] = {"avg": "mean", "stddev_samp": "std", "first": 0, "last": -1}
    method = known.get(name, name)
    column = pd.Series([2.5, 7, 3, 10.25, 6])
    expected = column.iloc[method] if isinstance(method, int) else getattr(column, method)()
    assert float(text_of(tree_steps(run)[-1].answer)) == pytest.approx(expected, abs=0.005)


def test_a_frame_without_rows_is_shown_as_empty() -> None:
    lesson = play_tree("max", EIGHT, wb.Frame.rows(9, 9)).lesson
    assert lesson["steps"][-1]["caption"] == "Row 7: the frame holds nothing."
    assert states(lesson)[-1]["lit"] == []


def test_the_kernel_itself_is_played_with_its_tree() -> None:
    value, frame = np.array([3, 1, 4]), (np.array([[0]]), np.array([[3]]))
    player = wb.play(registry["tree_states"], Sum(0, 0), 2, value, value, *frame, np.zeros((1, 2)))
    (tree,) = player.lesson["pictures"]
    assert tree["kind"] == "tree"
    assert tree["states"][-1]["values"] == {
        "0/0": "3", "0/1": "1", "0/2": "4", "1/0": "4", "1/1": "4", "2/0": "8",
    }  # fmt: skip


def test_the_still_names_the_frame_the_levels_and_the_parts() -> None:
    player = play_tree("sum", EIGHT, FRAMES[0])
    player.step = 34
    still = player._repr_mimebundle_()[0]["image/svg+xml"]
    words = ["frame of row 6: rows 1 to 7 = 40", "level 3", "● 20", "● put together for it"]
    assert [word for word in words if word not in still] == []


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "median"}, "name: 'median' is not shown as a tree; use sum, avg,"),
        ({"values": range(65)}, "values: there are 65; give 1 to 64, so that each can be seen."),
        ({"values": ["a"]}, "values: a tree is shown over a list of numbers; give one."),
        ({"frame": wb.Frame.groups(-1, 0)}, "frame: it counts groups; give one such as"),
        ({"fanout": 1}, "fanout: 1 is too small; give 2 or more."),
    ],
)
def test_what_cannot_be_shown_is_a_sentence(change: dict[str, Any], sentence: str) -> None:
    arguments: dict[str, Any] = {"name": "sum", "values": EIGHT, "frame": FRAMES[0], "fanout": 2}
    with pytest.raises(wb.WorkbenchError) as error:
        run_tree(**arguments | change)
    assert sentence in str(error.value)


def test_the_explorer_runs_the_kernel_again_when_a_control_moves() -> None:
    explorer = TreeExplorer(EIGHT, "sum", before=5, after=1, fanout=2)
    explorer.row.value = 6
    assert explorer.words.startswith("sum of rows 1 to 7 (7 values) = 40. ")
    assert explorer.step.used == (Place(0, 1), Place(1, 1), Place(2, 1))
    explorer.fanout.value, explorer.name.value = 4, "max"
    assert "row 1 (7), row 2 (3), row 3 (10), rows 4 to 7 (8)." in explorer.words
    explorer.without.value = True
    assert "max of rows 1 to 5 and row 7 (6 values) = 10" in explorer.words
    assert explorer.chart.value.count('data-lit="true"') == len(explorer.step.used)
    assert explorer.chart.value.count('class="wbp-node"') == 8 + 2 + 1
    assert "row 7 (4)" in explorer._repr_mimebundle_()["image/svg+xml"]


def test_a_click_on_a_node_lists_its_rows_until_the_frame_moves() -> None:
    explorer = TreeExplorer(EIGHT, "sum", before=5, after=1, fanout=2)
    for node in explorer.picture["nodes"]:
        assert f'data-node="{node["id"]}"' in explorer.chart.value
    explorer.list_node("2/0")
    assert explorer.clicked.frame.to_dict("list") == {
        "row": [0, 1, 2, 3], "value": ["5", "7", "3", "10"], "in the frame": ["yes"] * 4,
    }  # fmt: skip
    assert "<b>Rows 0 to 3</b>: 25, used by the frame." in explorer.clicked.note.value
    explorer.list_node("0/6")
    assert explorer.clicked.frame["in the frame"].tolist() == ["no"]
    assert "<b>Row 6</b>: 8." in explorer.clicked.note.value
    explorer.row.value = 6
    assert explorer.clicked.layout.display == "none"


def test_negative_numbers_have_a_minus_sign_but_a_hyphen_in_tables_and_files() -> None:
    explorer = TreeExplorer([-5, 2, -1.5], "sum", before=2, after=0, row=2)
    assert explorer.words.startswith("sum of rows 0 to 2 (3 values) = \N{MINUS SIGN}4.5. It is")
    assert "(\N{MINUS SIGN}1.5)" in explorer.words
    assert "\N{MINUS SIGN}5" in explorer.chart.value
    explorer.list_node("0/0")
    assert explorer.clicked.frame["value"].tolist() == ["-5"]
    assert "<b>Row 0</b>: \N{MINUS SIGN}5" in explorer.clicked.note.value
    assert "-1.5" in explorer._table()["sum"].tolist()


def test_the_chart_marks_used_nodes_by_shape_and_sign_and_draws_each_piece() -> None:
    explorer = TreeExplorer(EIGHT, "sum", before=2, after=2, fanout=2)
    explorer.without.value = True
    drawn = ElementTree.fromstring(explorer.chart.value)
    used = [node for node in drawn.iter(f"{SVG}g") if node.get("data-lit")]
    assert len(used) == len(explorer.step.used)
    for node in used:
        assert "●" in "".join(node.itertext())
        assert float(node.find(f"{SVG}rect").get("rx")) > 3  # type: ignore[union-attr, arg-type]
    bands = [band for band in drawn.iter(f"{SVG}rect") if band.get("class") == "wbp-band"]
    assert len(bands) == 2
    assert "frame of row 3: rows 1 to 2 and rows 4 to 5 = 18" in "".join(drawn.itertext())


def test_the_reads_per_frame_grow_as_each_method_promises() -> None:
    table = reads_per_frame_table(np.sin(np.arange(400)), [1, 10, 100])
    assert table["naive"].tolist() == [1, 10, 100]
    assert table["running (inverse)"].max() < 3
    assert table["two stacks"].max() <= 4
    steps = [b - a for a, b in itertools.pairwise(table["tree, fanout 2"])]
    assert max(steps) < 8


def test_the_figure_of_reads_draws_and_names_a_line_for_each_method() -> None:
    table = pd.DataFrame({"naive": [1.0, 300.0], "two stacks": [2.0, 3.0]}, index=[1, 300])
    figure = touched_figure(table)
    assert [line.name for line in figure.data] == ["naive: 300.0", "two stacks: 3.0"]
    assert (figure.layout.xaxis.type, figure.layout.yaxis.type) == ("log", "log")
    assert "two stacks: 3.0" in still(touched_figure(table), "Touched")
    view = ReadsPerFrameView(table.rename(columns={"two stacks": "tree, fanout 2"}))
    assert repr(view).endswith(". naive: 1.0 to 300.0; tree, fanout 2: 2.0 to 3.0")
    assert "image/svg+xml" in view._repr_mimebundle_()


@pytest.mark.parametrize("length", [0, 5])
def test_a_frame_must_fit_into_the_values(length: int) -> None:
    with pytest.raises(wb.WorkbenchError, match=f"lengths: {length} is not possible; give 1 to 4"):
        reads_per_frame_table([3, 1, 4, 1, 5], [length])
