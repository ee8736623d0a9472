"""How our objects are displayed at the end of a cell: facts about them, without a Spark job."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.markup import Markup, element, joined, stylesheet

if TYPE_CHECKING:
    import pandas as pd

#: The style of a table of facts, in JupyterLab's colours, with defaults for other pages.
_STYLE = stylesheet(
    "table.wb-described.wb-described{border-collapse:collapse;font-size:13px;line-height:1.5;"
    "font-variant-numeric:tabular-nums;margin:2px 0;table-layout:auto}"
    "table.wb-described.wb-described.wb-described :is(th,td){text-align:left;vertical-align:top;"
    "padding:2px 20px 2px 0;background:none;border:0;overflow-wrap:break-word;max-width:48em}"
    "table.wb-described.wb-described tr{background:none}"
    "table.wb-described.wb-described tr+tr :is(th,td){border-top:1px solid "
    "var(--jp-border-color2,#d3d6dc)}"
    "table.wb-described.wb-described.wb-described th{font-weight:400;white-space:nowrap;"
    "color:var(--jp-ui-font-color2,#5c6370)}"
    "table.wb-described.wb-described caption{text-align:left;font-weight:650;padding:0 0 2px;"
    "color:var(--jp-ui-font-color0,inherit)}"
    "table.wb-described.wb-described.wb-described .wb-number{text-align:right}"
)
#: NumPy's kinds of columns that are aligned right: numbers and durations.
_MEASURES = "iufm"
#: The most characters of one value, and the most rows of a displayed table.
_MOST, _ROWS = 400, 20

#: Shown in place of a number that does not exist, such as the time to the first step.
ABSENT = "—"
#: Shown in place of an empty name, such as that of an event.
EMPTY = "(empty)"

#: Nouns whose singular does not follow from the ending.
_SINGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "buses": "bus",
}  # fmt: skip


def name_shown(name: object) -> str:
    """Return a name as it is displayed.

    Examples
    --------
    >>> name_shown("visit"), name_shown("")
    ('visit', '(empty)')
    """
    return str(name) or EMPTY


class Described:
    """An object that a notebook displays as a small table of facts; its ``repr`` is unchanged."""

    def _facts(self) -> Mapping[str, object]:
        """Return the facts by their labels; a fact that is None is left out."""
        raise NotImplementedError

    def _described(self) -> Markup:
        return facts_table(type(self).__name__, self._facts())

    def _repr_html_(self) -> str:
        return self._described()


def facts_table(title: str, facts: Mapping[str, object]) -> Markup:
    """Return a table of facts, one per row.

    Parameters
    ----------
    title : str
    facts : dict of str to value
        A fact that is None is left out.

    Returns
    -------
    Markup

    Examples
    --------
    >>> facts_table("Funnel", {"steps": "a → b", "unit": None}).partition("</style>")[2].striptags()
    'Funnelstepsa → b'
    """
    rows = joined(
        element("tr", element("th", word, scope="row"), element("td", _short(value)))
        for word, value in facts.items()
        if value is not None
    )
    return _STYLE + element("table", element("caption", title), rows, class_="wb-described")


def rows_table(
    title: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[object]],
    measures: Sequence[bool] | None = None,
) -> Markup:
    """Return a table of rows with heads: text is aligned left, numbers right; None is null.

    Parameters
    ----------
    title : str
    heads : list of str
    rows : iterable of sequences
    measures : list of bool, optional
        For each column, whether it holds numbers although its values are text.

    Examples
    --------
    >>> rows_table("People", ["user", "level"], [("ann", 2)]).partition("</style>")[2].striptags()
    'Peopleuserlevelann2'
    """
    values = [list(row) for row in rows]
    given = measures or [False] * len(heads)
    numeric = [one or _are_numbers([row[k] for row in values]) for k, one in enumerate(given)]
    classes = ["wb-number" if one else None for one in numeric]
    lines = [_row("th", heads, classes), *(_row("td", map(_short, row), classes) for row in values)]
    return _STYLE + element("table", element("caption", title), *lines, class_="wb-described")


def _are_numbers(values: Sequence[object]) -> bool:
    """Return whether all values that are not None are numbers, and there is one."""
    present = [value for value in values if value is not None]
    return bool(present) and all(isinstance(value, Real) for value in present)


def _row(tag: str, cells: Iterable[object], classes: Iterable[str | None]) -> Markup:
    pairs = zip(cells, classes, strict=True)
    return element("tr", *(element(tag, cell, class_=name) for cell, name in pairs))


def frame_table(
    title: str,
    frame: "pd.DataFrame",
    *,
    heads: Mapping[str, str] | None = None,
    shown: Mapping[str, Callable[[Any], object]] | None = None,
) -> Markup:
    """Return the first rows of a pandas table as a :func:`rows_table`.

    Parameters
    ----------
    title : str
    frame : pandas.DataFrame
        Its index is not shown.
    heads : dict of str to str, optional
        Heads of columns that differ from the column's name.
    shown : dict of str to function, optional
        Formats the values of a column; its missing values are shown as a dash. In other columns,
        missing values are null.

    Examples
    --------
    >>> import pandas as pd
    >>> hits = pd.DataFrame({"share": [0.5, None]})
    >>> table = frame_table("Hits", hits, shown={"share": "{:.0%}".format})
    >>> table.partition("</style>")[2].striptags()
    'Hitsshare50%—'
    """
    names, first = list(map(str, frame.columns)), frame.head(_ROWS)
    formatters = [(shown or {}).get(name, _itself) for name in names]
    rows = zip(first.itertuples(index=False, name=None), first.isna().to_numpy(), strict=True)
    placeholders = [ABSENT if name in (shown or {}) else None for name in names]
    cells = [
        [placeholder if missing else write(value)
         for write, placeholder, value, missing in zip(formatters, placeholders, *row, strict=True)]
        for row in rows
    ]  # fmt: skip
    more = f"; the first {_ROWS} of {len(frame):,} rows" if len(frame) > _ROWS else ""
    measures = [kind.kind in _MEASURES for kind in frame.dtypes]
    labels = [(heads or {}).get(name, name) for name in names]
    return rows_table(title + more, labels, cells, measures)


def _itself(value: Any) -> object:
    return value


def unrun_table(title: str, columns: Sequence[str]) -> Markup:
    """Return a table of facts about a DataFrame that has not run.

    Examples
    --------
    >>> unrun_table("People", ["user", "level"]).partition("</style>")[2].striptags()
    'Peoplecolumnsuser, levelrowsnothing has run yet: .show() asks Spark'
    """
    how = "nothing has run yet: .show() asks Spark"
    return facts_table(title, {"columns": ", ".join(columns), "rows": how})


def set_html(table: Any, make: Callable[[], str]) -> None:
    """Set the HTML that a notebook displays for one DataFrame; tables derived from it keep theirs.

    Parameters
    ----------
    table : pyspark.sql.DataFrame or pandas.DataFrame
    make : function
        Returns the markup; called when the table is displayed.
    """
    # pandas would warn of a new attribute that looks like a column.
    object.__setattr__(table, "_repr_html_", make)


def _short(value: object) -> object:
    if isinstance(value, Markup):
        return value
    if value is None:
        return "null"
    text = _text(value)
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def _text(value: Any) -> str:
    # NumPy's durations call themselves integers.
    if isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64):
        return f"{value:,}"
    # A list may come as an array of NumPy, whose own text has no commas.
    if isinstance(value, list) or getattr(value, "ndim", 0) == 1:
        return f"[{', '.join('null' if one is None else str(one) for one in value)}]"
    return str(value)


def noun(count: Any, unit: str) -> str:
    """Return the noun after a number: for 1, the singular of an English plural.

    Parameters
    ----------
    count : int
    unit : str
        A plural, such as a funnel's unit; other words stay unchanged.

    Examples
    --------
    >>> noun(2, "users"), noun(1, "users"), noun(1, "aircraft"), noun(1, "web visits")
    ('users', 'user', 'aircraft', 'web visit')
    >>> [noun(1, unit) for unit in ("people", "companies", "boxes", "buses", "glass")]
    ['person', 'company', 'box', 'bus', 'glass']
    """
    if count != 1:
        return unit
    before, space, last = unit.rpartition(" ")
    if last in _SINGULAR:
        return before + space + _SINGULAR[last]
    if last.endswith("ies") and len(last) > 4:
        return unit[:-3] + "y"
    if last.endswith(("sses", "shes", "ches", "xes", "zes")):
        return unit[:-2]
    return unit[:-1] if last.endswith("s") and not last.endswith(("ss", "us", "is")) else unit
