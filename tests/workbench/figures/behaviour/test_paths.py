"""Paths as flows: what is drawn, and with which words."""

from types import SimpleNamespace
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import pytest

from workbench.figures.behaviour.paths import paths_figure, sankey_of
from workbench.figures.stills.still import still
from workbench.markup import chart_text

Rows = list[tuple[tuple[str, ...], bool, int]]


def paths_of(rows: Rows, after: str | None = "signup", before: str | None = None) -> Any:
    table = pd.DataFrame(rows, columns=["path", "more", "users"])
    users = int(table["users"].sum()) + 5
    return SimpleNamespace(kept=table, users=users, unit="ships", after=after, before=before)


def flows(figure: go.Figure) -> dict[tuple[str, str], int]:
    [trace] = figure.data
    names = trace.node.customdata
    users: dict[tuple[str, str], int] = {}
    for a, b, count in zip(trace.link.source, trace.link.target, trace.link.value, strict=True):
        if count:
            users[names[a], names[b]] = users.get((names[a], names[b]), 0) + count
    return users


ROWS: Rows = [
    (("help",), False, 4),
    (("help", "cart"), True, 3),
    ((), False, 2),
    (("<b>cart</b> of many letters",), False, 1),
]


def test_every_path_is_a_flow_from_the_step_to_where_it_ends() -> None:
    figure = paths_figure(paths_of(ROWS))
    assert flows(figure) == {
        ("signup", "help"): 7,
        ("help", "nothing more"): 4,
        ("help", "cart"): 3,
        ("signup", "nothing more"): 2,
        ("signup", "&lt;b&gt;cart&lt;/b&gt; of many letters"): 1,
        ("&lt;b&gt;cart&lt;/b&gt; of many letters", "nothing more"): 1,
    }
    assert "&lt;b&gt;cart&lt;/b&gt; of many letters 1" in figure.data[0].node.label
    assert "signup → help" in figure.data[0].link.customdata
    # plotly's shadow is white and hides words on a dark page.
    assert figure.data[0].textfont.shadow == "none"
    assert "5 on rarer paths are not drawn" in figure.layout.title.subtitle.text


def test_between_two_steps_paths_end_at_the_second() -> None:
    users = flows(paths_figure(paths_of(ROWS, before="pay")))
    assert users["signup", "pay"] == 2
    assert users["help", "pay"] == 4


def test_paths_to_a_step_lead_to_it_on_the_right() -> None:
    figure = paths_figure(paths_of([(("a", "b"), False, 2)], after=None, before="pay"))
    assert flows(figure) == {("nothing before", "a"): 2, ("a", "b"): 2, ("b", "pay"): 2}
    node = figure.data[0].node
    across = dict(zip(node.customdata, node.x, strict=True))
    assert across["nothing before"] < across["a"] < across["b"] < across["pay"]


@pytest.mark.parametrize(("names", "events", "others"), [(7, 7, 0), (20, 6, 1)])
def test_a_column_has_no_more_nodes_than_can_be_read(names: int, events: int, others: int) -> None:
    rows: Rows = [((f"event{k:02}",), False, 30 - k) for k in range(names)]
    figure = paths_figure(paths_of(rows))
    nodes = list(figure.data[0].node.customdata)
    assert sum(one.startswith("event") for one in nodes) == events
    assert nodes.count("others") == others
    assert sum(flows(figure)[a, b] for a, b in flows(figure) if a == "signup") == sum(
        users for _, _, users in rows
    )
    places = zip(figure.data[0].node.x, figure.data[0].node.y, strict=True)
    assert len(set(places)) == len(nodes)


def test_a_mark_knows_its_node_or_its_band() -> None:
    paths = paths_of(ROWS)
    [trace] = paths_figure(paths).data
    drawn, nodes = sankey_of(paths), len(trace.node.label)
    for place in range(nodes):
        (node,), many = drawn.mark(place)
        ends = [k for k in range(nodes, len(trace.link.value))
                if place in (trace.link.source[k], trace.link.target[k])]  # fmt: skip
        assert trace.node.customdata[place] == chart_text(node.name)
        assert many in {sum(trace.link.value[k] for k in ends if end[k] == place)
                        for end in (trace.link.source, trace.link.target)}  # fmt: skip
    for place in range(nodes, len(trace.link.value)):
        (a, b), many = drawn.mark(place)
        assert many == trace.link.value[place] > 0
        assert (drawn.nodes.index(a), drawn.nodes.index(b)) == (
            trace.link.source[place], trace.link.target[place]
        )  # fmt: skip


@pytest.mark.parametrize("columns", [1, 2, 3, 5])
def test_a_name_is_cut_where_the_next_column_is_near_and_whole_where_it_is_pointed_at(
    columns: int,
) -> None:
    name = "a name of forty letters, as there is one"
    rows: Rows = [(tuple(f"{k}{name}" for k in range(columns)), True, 10)]
    node = paths_figure(paths_of(rows)).data[0].node
    assert f"0{name}" in node.customdata
    drawn = next(label for label in node.label if label.startswith("0a"))
    assert (drawn == f"0{name} 10") == (columns < 3)
    # A card in a window of 900 pixels.
    assert len(drawn) * 6.4 < 680 / columns


def test_an_event_with_an_empty_name_is_visible() -> None:
    node, link = (paths_figure(paths_of([(("",), True, 3)], before="")).data[0][one]
                  for one in ("node", "link"))  # fmt: skip
    assert node.label[1] == "(empty) 3"
    assert node.customdata[1] == "(empty)"
    assert link.customdata[-1] == "signup → (empty)"


def test_a_band_names_its_ends_in_the_order_of_time() -> None:
    link = paths_figure(paths_of([(("a",), True, 2)], after=None, before="pay")).data[0].link
    assert link.customdata[-1] == "a → pay"


def test_a_still_has_the_nodes_and_the_bands() -> None:
    figure = paths_figure(paths_of(ROWS))
    drawn = still(figure, "What they did")
    assert drawn.count("<path") == sum(many > 0 for many in figure.data[0].link.value)
    assert ">help 7</text>" in drawn


def test_a_step_that_nobody_took_is_a_sentence() -> None:
    figure = paths_figure(paths_of([]).__class__(
        kept=pd.DataFrame({"path": [], "more": [], "users": []}), users=0, unit="ships",
        after="signup", before=None,
    ))  # fmt: skip
    assert figure.layout.annotations[0].text == "No ships took signup."
