"""The tabs of the funnel explorer on what people do: what tells who goes on, and paths."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from workbench.described import name_shown, noun
from workbench.durations import Duration, exact_text
from workbench.errors import WorkbenchError
from workbench.figures.behaviour.drivers import driver_shown, drivers_figure
from workbench.figures.behaviour.paths import Node, Sankey, paths_figure, sankey_of
from workbench.figures.svg import cut
from workbench.figures.theme import share
from workbench.funnel.behaviour.drivers import Drivers, why_empty
from workbench.funnel.behaviour.paths import Paths, path_shown
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.funnel.rules import span
from workbench.widgets.explorers.funnel.people import PeopleSelection, literal
from workbench.widgets.explorers.funnel.tabs import DEFAULT_WATCHED
from workbench.widgets.explorers.funnel.view import View
from workbench.widgets.table import DisplayTable

_NAME = 32
#: The headings of columns of drivers.
_HEADS = {
    "went_on": "went on", "share_went_on": "share, went on", "share_dropped": "share, dropped",
    "odds_ratio": "odds ratio", "low": "from",
    "high": "to", "adjusted_p": "adjusted p",
}  # fmt: skip
#: The most events of a path: as many columns, with names, as fit into half of a card.
_LONGEST = 3


def drivers_view(
    funnel: Funnel, prepared: Prepared, by: Sequence[str], step: int | None, watched: int
) -> View:
    """Return the view of what distinguishes those who went on to a step, counted from 1.

    Everybody is watched for one part of ``watched`` of the step's window.
    """
    if step is None:
        raise WorkbenchError("step: there is no required step after the first; add one.")
    landmark = _landmark(funnel, prepared, step, watched)
    drivers = funnel.drivers(prepared, step=step, by=tuple(by), landmark=landmark)
    arguments = f"step={drivers.step!r}{f', by={list(by)}' if by else ''}"
    arguments += f", landmark={landmark!r}" if landmark is not None else ""
    code = f".drivers(events, {arguments})"
    ratios = dict.fromkeys(("odds_ratio", "low", "high", "p", "adjusted_p"), "{:.3g}".format)
    shown: dict[str, Callable[[Any], str]] = {"value": name_shown, **ratios}
    shown |= dict.fromkeys(("share_went_on", "share_dropped"), share)
    listed = DisplayTable(drivers.table, f"{funnel!r}{code}.table", _HEADS, shown)

    def selection_at(trace: Any, place: int) -> PeopleSelection | None:
        if trace.name != "odds ratio":
            return None
        return _people_of_driver(drivers, code, place)

    return View(
        drivers_figure(drivers), drivers.table, listed, _drivers_words(drivers), selection_at
    )


def _landmark(funnel: Funnel, prepared: Prepared, step: int, watched: int) -> Duration | None:
    """Return a part of a step's window as an argument; None if it is the default one."""
    if watched == DEFAULT_WATCHED:
        return None
    window = funnel.rules.within.get(step - 1, funnel.window)
    length = max(span(window, prepared.integer_time) // watched, 1)
    return length if prepared.integer_time else exact_text(length)


def _people_of_driver(drivers: Drivers, code: str, place: int) -> PeopleSelection:
    """Return those who have an event or a value."""
    row = drivers.table.iloc[place]
    column = [] if row["column"] == drivers.event else [row["column"]]
    arguments = ", ".join(map(repr, [row["value"], *column]))
    return PeopleSelection(
        f"compared for {cut(name_shown(drivers.step), _NAME)}",
        int(row["went_on"] + row["dropped"]), (),
        f"{code}.people({arguments})",
        segment_name=driver_shown(drivers, row["column"], row["value"]),
        rows=partial(drivers.people, row["value"], *column),
    )  # fmt: skip


def _drivers_words(drivers: Drivers) -> str:
    """Return sentences about the strongest driver, and that it is association."""
    whom = f"{drivers.went_on:,} {noun(drivers.went_on, drivers.unit)} went on to "
    whom += f"{cut(name_shown(drivers.step), _NAME)} more than {drivers.landmark} after "
    whom += f"{cut(name_shown(drivers.before), _NAME)}, and {drivers.dropped:,} did not; "
    whom += f"{drivers.early + drivers.late:,} are left out, as they had gone on by then or their "
    whom += "window was over"
    if drivers.table.empty:
        return f"{whom}. {why_empty(drivers)}"
    row = drivers.table.iloc[0]
    first = cut(driver_shown(drivers, row["column"], row["value"]), _NAME)
    odds = (
        f"The strongest association is with {first}: {share(row['share_went_on'])} "
        f"of those who went on and {share(row['share_dropped'])} of the others, "
        f"odds ratio {row['odds_ratio']:.2g}"
    )
    return f"{whom}. {odds}. This is association, not cause."


def paths_view(
    funnel: Funnel, prepared: Prepared, after: int | None, before: int | None, dropped: bool
) -> View:
    """Return the view of what people did after a step, before one, or between two, from 1."""
    paths = funnel.paths(prepared, after=after, before=before, dropped=dropped, longest=_LONGEST)
    steps = (("after", paths.after), ("before", paths.before))
    arguments = [f"{name}={step!r}" for name, step in steps if step is not None]
    arguments += ["dropped=True"] if dropped else []
    code = f".paths(events, {', '.join(arguments)}, longest={_LONGEST})"
    shown: dict[str, Callable[[Any], str]] = {
        "path": path_shown, "share": share, "more": lambda more: "yes" if more else "no"
    }  # fmt: skip
    heads = {"users": paths.unit, "more": "goes on"}
    listed = DisplayTable(paths.table, f"{funnel!r}{code}.table", heads, shown)
    sankey = sankey_of(paths)

    def selection_at(trace: Any, place: int) -> PeopleSelection | None:
        return _people_of_mark(paths, sankey, code, place) if trace.type == "sankey" else None

    return View(paths_figure(paths), paths.table, listed, _paths_words(paths), selection_at)


def _people_of_mark(paths: Paths, sankey: Sankey, code: str, place: int) -> PeopleSelection:
    """Return those at a node, or in a band between two."""
    nodes, many = sankey.mark(place)
    texts = [_node_words(paths, node) for node in nodes if node.kind != "step"]
    words = ", then ".join(texts if paths.after is not None else texts[::-1])
    step = cut(name_shown(paths.after if paths.after is not None else paths.before), _NAME)
    place_of = "after" if paths.after is not None else "before"
    where = " AND ".join(one for node in nodes for one in _condition(paths, sankey, node))
    chosen = f".where({where!r})" if where else ""

    def rows() -> Any:
        people = paths.people()
        return people.where(where) if where else people

    return PeopleSelection(
        f"{words}, {place_of} {step}" if words else f"took {step}",
        many, (), f"{code}.people(){chosen}", rows=rows,
    )  # fmt: skip


def _node_words(paths: Paths, node: Node) -> str:
    if node.kind == "end" and node.name in (paths.after, paths.before):
        return f"took {cut(name_shown(node.name), _NAME)}"
    return f"did {cut(name_shown(node.name), _NAME)}" if node.kind == "event" else node.name


def _condition(paths: Paths, sankey: Sankey, node: Node) -> Iterator[str]:
    """Yield the SQL conditions of a path through a node."""
    if node.kind == "end":
        yield f"size(path) = {node.column - 1} AND NOT more"
    elif node.kind != "step":
        place = str(node.column - 1) if paths.after is not None else f"size(path) - {node.column}"
        if node.kind == "event":
            yield f"get(path, {place}) = {literal(node.name)}"
        else:
            own = [one.name for one in sankey.nodes if one.column == node.column]
            own = [name for name in own if (node.column, name) in sankey.kept]
            yield f"get(path, {place}) NOT IN ({', '.join(map(literal, own))})"


def _paths_words(paths: Paths) -> str:
    """Return a sentence about the most frequent path, and the number of paths."""
    if not paths.users:
        return f"No {paths.unit} took that step."
    row = paths.table.iloc[0]
    path = path_shown([cut(name, _NAME) for name in row["path"]])
    rest = " and more" if row["more"] else ""
    return (
        f"{paths.different:,} different {noun(paths.different, 'paths')} of {paths.users:,} "
        f"{noun(paths.users, paths.unit)}; the most frequent: "
        f"{path}{rest}, {row['users']:,} of them ({share(row['share'])})."
    )
