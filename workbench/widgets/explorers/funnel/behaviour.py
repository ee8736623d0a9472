"""The tabs of the funnel explorer on what people do: what tells who goes on, and paths."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from workbench.described import name_shown, noun
from workbench.errors import WorkbenchError
from workbench.figures.behaviour.drivers import driver_shown, drivers_figure
from workbench.figures.behaviour.paths import Node, Sankey, paths_figure, sankey_of
from workbench.figures.svg import cut
from workbench.figures.theme import share
from workbench.funnel.behaviour.drivers import Drivers
from workbench.funnel.behaviour.paths import Paths, path_shown
from workbench.funnel.funnel import Funnel
from workbench.funnel.prepared import Prepared
from workbench.widgets.explorers.funnel.people import Behind, literal
from workbench.widgets.explorers.funnel.view import View
from workbench.widgets.table import DisplayTable

_NAME = 32
#: What stands above columns of drivers.
_DRIVERS = {
    "went_on": "went on", "share_went_on": "share, went on", "share_dropped": "share, dropped",
    "odds_ratio": "odds ratio", "low": "from",
    "high": "to", "adjusted_p": "adjusted p",
}  # fmt: skip
#: Events of a path: as many columns as half of a card has room for with their names.
_LONGEST = 3


def drivers_view(funnel: Funnel, prepared: Prepared, by: Sequence[str], step: int | None) -> View:
    """Return what tells those who went on to a step, counted from 1, from those who did not."""
    if step is None:
        raise WorkbenchError("step: there is no required step behind the first; add one.")
    found = funnel.drivers(prepared, step=step, by=tuple(by))
    given = f"step={found.step!r}{f', by={list(by)}' if by else ''}"
    code = f".drivers(events, {given})"
    ratios = dict.fromkeys(("odds_ratio", "low", "high", "p", "adjusted_p"), "{:.3g}".format)
    shown: dict[str, Callable[[Any], str]] = {"value": name_shown, **ratios}
    shown |= dict.fromkeys(("share_went_on", "share_dropped"), share)
    listed = DisplayTable(found.table, f"{funnel!r}{code}.table", _DRIVERS, shown)

    def behind(trace: Any, place: int) -> Behind | None:
        if trace.name != "odds ratio":
            return None
        return _of_driver(found, code, place)

    return View(drivers_figure(found), found.table, listed, _drivers_words(found), behind)


def _of_driver(found: Drivers, code: str, place: int) -> Behind:
    """Those of whom an event or a value is true."""
    row = found.table.iloc[place]
    given = [] if row["column"] == found.event else [row["column"]]
    arguments = ", ".join(map(repr, [row["value"], *given]))
    return Behind(
        f"compared for {cut(name_shown(found.step), _NAME)}",
        int(row["went_on"] + row["dropped"]), (),
        f"{code}.people({arguments})", of=driver_shown(found, row["column"], row["value"]),
        rows=partial(found.people, row["value"], *given),
    )  # fmt: skip


def _drivers_words(found: Drivers) -> str:
    """The one that tells the most, and that it is association."""
    whom = f"{found.went_on:,} {noun(found.went_on, found.unit)} went on to "
    whom += f"{cut(name_shown(found.step), _NAME)} later than {found.landmark} behind "
    whom += f"{cut(name_shown(found.before), _NAME)}, and {found.dropped:,} did not; "
    whom += f"{found.early + found.late:,} are left out, as they had gone on by then or their "
    whom += "window was over"
    if found.table.empty:
        return f"{whom}. {_not_compared(found)}"
    row = found.table.iloc[0]
    first = cut(driver_shown(found, row["column"], row["value"]), _NAME)
    odds = (
        f"{first} tells the most: {share(row['share_went_on'])} of the ones and "
        f"{share(row['share_dropped'])} of the others, odds ratio {row['odds_ratio']:.2g}"
    )
    return f"{whom}. {odds}. This is association, not cause."


def _not_compared(found: Drivers) -> str:
    """Why nothing could be compared."""
    if not found.went_on or not found.dropped:
        return "Nothing could be compared: nobody is on one of both sides."
    if found.rare:
        what = "events and values are" if found.rare > 1 else "event or value is"
        return f"Nothing could be compared: {found.rare:,} {what} too rare or too common."
    return "Nothing could be compared: none of them did anything else meanwhile."


def paths_view(
    funnel: Funnel, prepared: Prepared, after: int | None, before: int | None, dropped: bool
) -> View:
    """Return what people did behind a step, in front of one, or between two, counted from 1."""
    found = funnel.paths(prepared, after=after, before=before, dropped=dropped, longest=_LONGEST)
    given = [f"{name}={step!r}" for name, step in (("after", found.after), ("before", found.before))
             if step is not None] + (["dropped=True"] if dropped else [])  # fmt: skip
    code = f".paths(events, {', '.join(given)}, longest={_LONGEST})"
    shown: dict[str, Callable[[Any], str]] = {
        "path": path_shown, "share": share, "more": lambda more: "yes" if more else "no"
    }  # fmt: skip
    heads = {"users": found.unit, "more": "goes on"}
    listed = DisplayTable(found.table, f"{funnel!r}{code}.table", heads, shown)
    drawn = sankey_of(found)

    def behind(trace: Any, place: int) -> Behind | None:
        return _of_mark(found, drawn, code, place) if trace.type == "sankey" else None

    return View(paths_figure(found), found.table, listed, _paths_words(found), behind)


def _of_mark(found: Paths, drawn: Sankey, code: str, place: int) -> Behind:
    """Those of a node, or of a band between two."""
    nodes, many = drawn.mark(place)
    told = [_did(found, node) for node in nodes if node.kind != "step"]
    words = ", then ".join(told if found.after is not None else told[::-1])
    step = cut(name_shown(found.after if found.after is not None else found.before), _NAME)
    place_of = "after" if found.after is not None else "before"
    where = " AND ".join(one for node in nodes for one in _condition(found, drawn, node))
    chosen = f".where({where!r})" if where else ""

    def rows() -> Any:
        people = found.people()
        return people.where(where) if where else people

    return Behind(
        f"{words}, {place_of} {step}" if words else f"took {step}",
        many, (), f"{code}.people(){chosen}", rows=rows,
    )  # fmt: skip


def _did(found: Paths, node: Node) -> str:
    if node.kind == "end" and node.name in (found.after, found.before):
        return f"took {cut(name_shown(node.name), _NAME)}"
    return f"did {cut(name_shown(node.name), _NAME)}" if node.kind == "event" else node.name


def _condition(found: Paths, drawn: Sankey, node: Node) -> Iterator[str]:
    """SQL that is true of a path through a node."""
    if node.kind == "end":
        yield f"size(path) = {node.column - 1} AND NOT more"
    elif node.kind != "step":
        place = str(node.column - 1) if found.after is not None else f"size(path) - {node.column}"
        if node.kind == "event":
            yield f"get(path, {place}) = {literal(node.name)}"
        else:
            own = [one.name for one in drawn.nodes if one.column == node.column]
            own = [name for name in own if (node.column, name) in drawn.kept]
            yield f"get(path, {place}) NOT IN ({', '.join(map(literal, own))})"


def _paths_words(found: Paths) -> str:
    """The most frequent path, and how many there are."""
    if not found.users:
        return f"No {found.unit} took that step."
    row = found.table.iloc[0]
    path = path_shown([cut(name, _NAME) for name in row["path"]])
    rest = " and more" if row["more"] else ""
    return (
        f"{found.different:,} different {noun(found.different, 'paths')} of {found.users:,} "
        f"{noun(found.users, found.unit)}; the most frequent: "
        f"{path}{rest}, {row['users']:,} of them ({share(row['share'])})."
    )
