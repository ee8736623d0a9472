"""What people did around a step, as flows from column to column."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import plotly.graph_objects as go

from workbench.described import name_shown, noun
from workbench.figures.funnel import title_with_subtitle
from workbench.figures.svg import cut, pale
from workbench.figures.theme import BLUE, GREY, ORANGE, SKY, SMALL, empty, themed
from workbench.markup import NO_NAME, chart_text

if TYPE_CHECKING:
    from workbench.funnel.behaviour.paths import Paths

#: The most events of a column that have their own node, the most frequent ones.
_NODES = 6
#: In pixels: the least width of a figure, the approximate width of a letter, and the space that a
#: node takes; and the letters of a name that are always shown.
_WIDTH, _LETTER, _NODE, _LEAST = 680, 6.4, 24, 14
_OTHERS, _END = "others", "nothing more"
#: In pixels: the height of the figure, the space above and below the nodes, and between two.
_HEIGHT, _TOP, _BOTTOM, _PAD = 420, 64, 16, 12
#: The space between two nodes, as a share of the height of all nodes.
_GAP = _PAD / (_HEIGHT - _TOP - _BOTTOM)


class Node(NamedTuple):
    """A node of the flows.

    Attributes
    ----------
    column : int
        The column from the left, or backwards from the right, with 0 for the step itself.
    name : str
    kind : str
        ``"step"``, ``"event"``, ``"others"`` or ``"end"``.
    """

    column: int
    name: str
    kind: str


Flows = Counter[tuple[Node, Node]]


class Sankey(NamedTuple):
    """Paths as nodes and bands.

    Attributes
    ----------
    nodes : list of Node
        By column, the largest first in each.
    flows : dict of (Node, Node) to int
        The number of people who went from node to node.
    sizes : dict of Node to int
        The number of people who went through a node.
    kept : set of (int, str)
        The columns and names of events with their own node, not among the others.
    """

    nodes: list[Node]
    flows: Flows
    sizes: Counter[Node]
    kept: set[tuple[int, str]]

    def mark(self, place: int) -> tuple[tuple[Node, ...], int]:
        """Return the node of a mark, or both nodes of a band, and the number of people.

        Parameters
        ----------
        place : int
            Plotly's number of a mark of :func:`paths_figure`: nodes first, then bands.
        """
        if place < len(self.nodes):
            node = self.nodes[place]
            return (node,), self.sizes[node]
        ends, many = list(self.flows.items())[place - len(self.nodes)]
        return ends, many


def paths_figure(paths: "Paths") -> go.Figure:
    """Draw paths as flows from event to event.

    Parameters
    ----------
    paths : Paths
        As :meth:`workbench.Funnel.paths` returns it.

    Returns
    -------
    plotly.graph_objects.Figure
        A Sankey diagram: a column for each position on the path, with the six most frequent events,
        the others together, and the ends of paths. It shows the 1,000 most frequent paths.

    Examples
    --------
    >>> import workbench as wb
    >>> spark = wb.session()
    >>> rows = [(1, 0, "a"), (1, 1, "help"), (1, 2, "b"), (2, 0, "a"), (2, 3, "b")]
    >>> events = spark.createDataFrame(rows, "user_id int, timestamp int, event string")
    >>> figure = paths_figure(wb.Funnel(["a", "b"], 9).paths(events, after="a", before="b"))
    >>> figure.data[0].node.label, figure.data[0].link.value[4:]
    (('a 2', 'help 1', 'b 1', ''), (1, 1, 1))
    """
    drawn = int(paths.kept["users"].sum())
    step = paths.after or paths.before or ""
    if not drawn:
        return empty(
            themed(go.Figure(), height=140), f"No {paths.unit} took {cut(name_shown(step), 32)}."
        )
    nodes, flows, sizes, _ = sankey_of(paths)
    place = {node: k for k, node in enumerate(nodes)}
    x, y = _positions(nodes, sizes, backwards=paths.after is None)
    names = [chart_text(_name(node, sizes, nodes)) for node in nodes]
    if sum(node.kind == "end" for node in nodes) > 1 and paths.after is not None:
        # plotly would write it left of the last column, over its names; another end has the name.
        names[-1] = ""
    # Backwards, a column is left of the one before it.
    ends = [(b, a) if paths.after is None else (a, b) for a, b in flows]
    # A click has plotly's number of a node or of a band, but not which of the two. So as many bands
    # of zero size precede, and the numbers of bands continue after those of nodes.
    ends = [(node, node) for node in nodes] + ends
    many = [0] * len(nodes) + list(flows.values())
    figure = go.Figure(
        go.Sankey(
            arrangement="snap", valueformat=",d",
            # Its own shadow is white on dark pages, too.
            textfont={"size": SMALL, "shadow": "none"},
            node={"label": names, "x": x, "y": y, "pad": _PAD, "thickness": 14,
                  "color": [_COLORS[node.kind] for node in nodes], "line": {"width": 0},
                  # Else plotly puts all ends into one column, and assumes too much space.
                  "align": "right" if paths.after is None else "left",
                  "customdata": [chart_text(name_shown(node.name)) for node in nodes],
                  "hovertemplate": chart_text("%{value:,} ", paths.unit, ": %{customdata}",
                                              NO_NAME)},
            link={"source": [place[a] for a, _ in ends], "target": [place[b] for _, b in ends],
                  "value": many, "color": pale(SKY),
                  "customdata": [""] * len(nodes) + [_from_to(paths, *pair) for pair in flows],
                  "hovertemplate": chart_text("%{value:,} ", paths.unit, ": %{customdata}",
                                              NO_NAME)},
        )
    )  # fmt: skip
    return themed(
        figure, title=title_with_subtitle("What they did", _subtitle(paths, drawn)), height=_HEIGHT,
        margin={"t": _TOP, "b": _BOTTOM},
    )  # fmt: skip


_COLORS = {"step": BLUE, "event": SKY, "others": GREY, "end": ORANGE}


def _name(node: Node, sizes: Counter[Node], nodes: list[Node]) -> str:
    """Return a node's name and count, cut to the space before the next column."""
    many = f" {sizes[node]:,}"
    gaps = max(one.column for one in nodes) or 1
    room = int((_WIDTH / gaps - _NODE) / _LETTER) - len(many)
    return cut(name_shown(node.name), max(room, _LEAST)) + many


def _from_to(paths: "Paths", a: Node, b: Node) -> str:
    """Return the hover text of a band: the uncut names of both ends."""
    first, then = (b, a) if paths.after is None else (a, b)
    return chart_text(f"{name_shown(first.name)} → {name_shown(then.name)}")


def sankey_of(paths: "Paths") -> Sankey:
    """Return the nodes of paths, including ends, and the number of people between nodes."""
    backwards = paths.after is None
    rows = list(zip(paths.kept["path"], paths.kept["more"], paths.kept["users"], strict=True))
    counts: Counter[tuple[int, str]] = Counter()
    for path, _, users in rows:
        for column, name in enumerate(path[::-1] if backwards else path, 1):
            counts[column, name] += users
    kept = set[tuple[int, str]]()
    for column in {column for column, _ in counts}:
        own = sorted((-many, name) for (at, name), many in counts.items() if at == column)
        # A single remaining event has its own node instead of one for the others.
        most = _NODES + 1 if len(own) == _NODES + 1 else _NODES
        kept |= {(column, name) for _, name in own[:most]}
    flows: Flows = Counter()
    for path, more, users in rows:
        passed = _nodes(paths, path[::-1] if backwards else path, more, kept)
        for a, b in pairwise(passed):
            flows[a, b] += int(users)
    sizes = Counter[Node]()
    for node in {node for pair in flows for node in pair}:
        sizes[node] = max(
            sum(many for (a, _), many in flows.items() if a == node),
            sum(many for (_, b), many in flows.items() if b == node),
        )
    nodes = sorted(
        sizes, key=lambda n: (n.column, n.kind == "end", n.kind == "others", -sizes[n], n.name)
    )
    return Sankey(nodes, flows, sizes, kept)


def _nodes(
    paths: "Paths", path: tuple[str, ...], more: bool, kept: set[tuple[int, str]]
) -> Iterator[Node]:
    yield Node(0, str(paths.after if paths.after is not None else paths.before), "step")
    for column, name in enumerate(path, 1):
        known = (column, name) in kept
        yield Node(column, name, "event") if known else Node(column, _OTHERS, "others")
    if not more:
        both = paths.after is not None and paths.before is not None
        end = str(paths.before) if both else _END if paths.after is not None else "nothing before"
        yield Node(len(path) + 1, end, "end")


def _positions(
    nodes: list[Node], size: Counter[Node], backwards: bool
) -> tuple[list[float], list[float]]:
    """Return the middle of each node, as shares of the width and of the height."""
    columns = max(node.column for node in nodes) or 1
    whole = Counter[int]()
    for node in nodes:
        whole[node.column] += size[node]
    many = Counter(node.column for node in nodes)
    # Like plotly's own scale, which would move overlapping nodes down, out of the figure.
    scale = min((1 - _GAP * (many[column] - 1)) / whole[column] for column in whole)
    top: dict[int, float] = dict.fromkeys(whole, 0.0)
    x, y = [], []
    for node in nodes:
        high = size[node] * scale
        # plotly ignores a position at the very edge.
        share = min(max(node.column / columns, 0.001), 0.999)
        x.append(1 - share if backwards else share)
        y.append(min(max(top[node.column] + high / 2, 0.001), 0.999))
        top[node.column] += high + _GAP
    return x, y


def _subtitle(paths: "Paths", drawn: int) -> str:
    longest = max(map(len, paths.kept["path"]))
    parts = [f"after {cut(name_shown(paths.after), 24)}"] if paths.after is not None else []
    parts += [f"before {cut(name_shown(paths.before), 24)}"] if paths.before is not None else []
    which = "last" if paths.after is None else "first"
    rest = paths.users - drawn
    more = f"; {rest:,} on rarer paths are not drawn" if rest else ""
    return (
        f"{' and '.join(parts)}: the {which} {longest} different events of {paths.users:,} "
        f"{noun(paths.users, paths.unit)}{more}"
    )
