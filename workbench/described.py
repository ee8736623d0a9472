"""How our own objects look as the last line of a cell: what they are, and no job of Spark."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from workbench.markup import Markup, element, joined, stylesheet

if TYPE_CHECKING:
    import pandas as pd

#: Of a card, in the colours of JupyterLab, and readable where there is none.
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
#: Kinds of columns whose digits stand below each other: numbers, shares, lengths of time.
_MEASURES = "iufm"
#: Letters of one value, and rows of a table that is shown as the last line of a cell.
_MOST, _ROWS = 400, 20

#: What stands where a number has nothing to say, as the time to the first step.
ABSENT = "—"
#: What is read of a name that has no letter, as an event's may.
EMPTY = "(empty)"

#: Nouns whose singular no ending tells.
_SINGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "buses": "bus",
}  # fmt: skip


def name_shown(name: object) -> str:
    """Return a name as a person reads it.

    Examples
    --------
    >>> name_shown("visit"), name_shown("")
    ('visit', '(empty)')
    """
    return str(name) or EMPTY


class Described:
    """What a notebook shows as a small table of facts; its ``repr`` stays a line of Python."""

    def _facts(self) -> Mapping[str, object]:
        """Return what is to be known of it, by a word for each; None leaves a fact out."""
        raise NotImplementedError

    def _described(self) -> Markup:
        return facts_table(type(self).__name__, self._facts())

    def _repr_html_(self) -> str:
        return self._described()


def facts_table(title: str, facts: Mapping[str, object]) -> Markup:
    """Return facts one below the other.

    Parameters
    ----------
    title : str
    facts : dict of str to value
        A None leaves its fact out.

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
    """Return rows of values below their heads: text left, numbers right; a None is a null.

    Parameters
    ----------
    title : str
    heads : list of str
    rows : iterable of sequences
    measures : list of bool, optional
        Of each column, whether it is of numbers though it is shown as text.

    Examples
    --------
    >>> rows_table("People", ["user", "level"], [("ann", 2)]).partition("</style>")[2].striptags()
    'Peopleuserlevelann2'
    """
    values = [list(row) for row in rows]
    known = measures or [False] * len(heads)
    right = [one or _numbers([row[k] for row in values]) for k, one in enumerate(known)]
    sides = ["wb-number" if one else None for one in right]
    lines = [_row("th", heads, sides), *(_row("td", map(_short, row), sides) for row in values)]
    return _STYLE + element("table", element("caption", title), *lines, class_="wb-described")


def _numbers(values: Sequence[object]) -> bool:
    """Whether they are numbers, some of which may be missing."""
    there = [value for value in values if value is not None]
    return bool(there) and all(isinstance(value, Real) for value in there)


def _row(tag: str, cells: Iterable[object], sides: Iterable[str | None]) -> Markup:
    pairs = zip(cells, sides, strict=True)
    return element("tr", *(element(tag, cell, class_=side) for cell, side in pairs))


def frame_table(
    title: str,
    frame: "pd.DataFrame",
    *,
    heads: Mapping[str, str] | None = None,
    shown: Mapping[str, Callable[[Any], object]] | None = None,
) -> Markup:
    """Return the first rows of a pandas table as :func:`rows_table` shows them.

    Parameters
    ----------
    title : str
    frame : pandas.DataFrame
        Its index is not shown.
    heads : dict of str to str, optional
        What stands above a column where it is not the column's name.
    shown : dict of str to function, optional
        What is shown of a value of a column; where there is none, a dash. In other columns a
        missing value is a null, as the table has it.

    Examples
    --------
    >>> import pandas as pd
    >>> hits = pd.DataFrame({"share": [0.5, None]})
    >>> found = frame_table("Hits", hits, shown={"share": "{:.0%}".format})
    >>> found.partition("</style>")[2].striptags()
    'Hitsshare50%—'
    """
    names, first = list(map(str, frame.columns)), frame.head(_ROWS)
    read = [(shown or {}).get(name, _itself) for name in names]
    rows = zip(first.itertuples(index=False, name=None), first.isna().to_numpy(), strict=True)
    absent = [ABSENT if name in (shown or {}) else None for name in names]
    told = [
        [none if missing else said(value)
         for said, none, value, missing in zip(read, absent, *row, strict=True)]
        for row in rows
    ]  # fmt: skip
    more = f"; the first {_ROWS} of {len(frame):,} rows" if len(frame) > _ROWS else ""
    measures = [kind.kind in _MEASURES for kind in frame.dtypes]
    named = [(heads or {}).get(name, name) for name in names]
    return rows_table(title + more, named, told, measures)


def _itself(value: Any) -> object:
    return value


def unrun_table(title: str, columns: Sequence[str]) -> Markup:
    """Return what is known of a table of Spark before it is run.

    Examples
    --------
    >>> unrun_table("People", ["user", "level"]).partition("</style>")[2].striptags()
    'Peoplecolumnsuser, levelrowsnothing has run yet: .show() asks Spark'
    """
    how = "nothing has run yet: .show() asks Spark"
    return facts_table(title, {"columns": ", ".join(columns), "rows": how})


def shown_as(table: Any, make: Callable[[], str]) -> None:
    """Have a notebook show one DataFrame in another way; what is made of it is shown as usual.

    Parameters
    ----------
    table : pyspark.sql.DataFrame or pandas.DataFrame
    make : function
        Returns the markup, when it is asked for and not before.
    """
    # Past the columns of pandas, which warns of attributes that look like one.
    object.__setattr__(table, "_repr_html_", make)


def _short(value: object) -> object:
    if isinstance(value, Markup):
        return value
    if value is None:
        return "null"
    text = _text(value)
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"


def _text(value: Any) -> str:
    if isinstance(value, Integral) and not isinstance(value, bool):
        return f"{value:,}"
    # A list may come as an array of NumPy, whose own text has no commas.
    if isinstance(value, list) or getattr(value, "ndim", 0) == 1:
        return f"[{', '.join('null' if one is None else str(one) for one in value)}]"
    return str(value)


def noun(count: Any, unit: str) -> str:
    """Return what stands behind a number: of one, an English plural loses its ending.

    Parameters
    ----------
    count : int
    unit : str
        A plural, as a funnel's unit is; what is no plural stays as it is.

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
