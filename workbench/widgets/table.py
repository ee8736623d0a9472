"""Tables of all explorers: to sort, to search, to choose a row of, and to take along as CSV."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import ipywidgets as widgets
import itables
import pandas as pd
import traitlets
from itables.widget import ITable

from workbench.described import ABSENT
from workbench.figures.funnel import length_text
from workbench.figures.svg import cut
from workbench.figures.theme import moment, number
from workbench.markup import Markup, element, readable
from workbench.widgets.html import HTML, code_line
from workbench.widgets.script import SharedScript, loader, shared_script

SCRIPT = Path(itables.__file__).parent / "widget" / "static" / "widget.js"
#: Rows of a page; a table that has no more needs no pages and no search.
PAGE = 10
#: Letters of a head: a few lines of them.
_HEAD = 40
NO_ROWS = "There are no rows."
_KINDS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys("iuf", number), "M": moment, "m": length_text, "b": str,
}  # fmt: skip
#: What is written on the right, so that digits stand below each other.
_RIGHT = "iufmM"
#: No row is left out: who shows a table says how many rows it has. A click on a head sorts.
_ALWAYS: dict[str, Any] = {
    "maxBytes": 0, "maxRows": 0, "maxColumns": 0, "text_in_header_can_be_selected": False,
    "classes": "display compact nowrap", "style": "width:100%;margin:0",
}  # fmt: skip


class Listed(NamedTuple):
    """A table as it is shown.

    Attributes
    ----------
    frame : pandas.DataFrame
        Its index is not shown.
    code : str
        The line of Python that returns it as a DataFrame.
    heads : dict of str to str
        What stands above a column, by the column's name, where it is not that name.
    shown : dict of str to callable
        What is shown of a value of a column, where the type does not say it; also of a null.
    """

    frame: pd.DataFrame
    code: str
    heads: Mapping[str, str] = MappingProxyType({})
    shown: Mapping[str, Callable[[Any], str]] = MappingProxyType({})

    @property
    def markup(self) -> Markup:
        """The table for a page that runs no widget."""
        columns = self.frame.items()
        cells = [_shown(values, self.shown.get(str(name))) for name, values in columns]
        texts = [dtype.kind not in _RIGHT for dtype in self.frame.dtypes]
        heads = [readable(_head(name, self.heads)) for name in self.frame]
        rows = [_line("td", row, texts) for row in zip(*cells, strict=True)]
        head = element("thead", _line("th", heads, texts))
        return element("table", head, element("tbody", *rows), class_="wb-table")


def _line(tag: str, cells: Sequence[str], texts: Sequence[bool]) -> Markup:
    parts = zip(cells, texts, strict=True)
    return element("tr", *(element(tag, one, class_="wb-text" if is_text else None)
                           for one, is_text in parts))  # fmt: skip


class Grid(ITable):
    """A table of itables, 620 kB of script that the tables of a page share.

    Examples
    --------
    >>> Grid(pd.DataFrame())._script is Grid(pd.DataFrame())._script
    True
    """

    _esm = loader("grid.js")  # type: ignore[assignment]
    _script = shared_script()

    @traitlets.default("_script")
    def _itables(self) -> SharedScript:
        return SharedScript.of(SCRIPT, itables.__version__)


class Table(widgets.VBox):  # type: ignore[misc]
    """A pandas table that can be sorted, searched and taken along, a row of which can be chosen.

    What is shown is read by people, ``24 Mar 12:59`` or ``9 h 20 min``; rows are sorted by the
    values themselves, and CSV has them, under the names of the columns.

    Parameters
    ----------
    choose : bool
        Whether a click on a row chooses it.

    Attributes
    ----------
    frame : pandas.DataFrame
        What is shown.
    chosen : int, or None
        The place of the row that was clicked.

    Examples
    --------
    >>> table = Table()
    >>> table.show(pd.DataFrame({"users": [1200, 7]}), "funnel.steps(events)")
    >>> table.grid._dt_args["data_json"]
    '[["1,200", "1200"], ["7", "7"]]'
    """

    chosen = traitlets.Int(None, allow_none=True)

    def __init__(self, *, choose: bool = False) -> None:
        self.grid = Grid(pd.DataFrame(), **_ALWAYS)
        chosen: dict[str, Any] = {"style": "single", "info": False, "items": "row"}
        self._select = chosen if choose else False
        self.frame, self.note, self.code = pd.DataFrame(), HTML(), HTML()
        self.grid.observe(self._read, names="selected_rows")
        # Nothing is shown so far: the grid itself would say in words of its own that it is empty.
        self.grid.layout.display = "none"
        super().__init__([self.note, self.grid, self.code])
        self.add_class("wb-grid")
        if choose:
            self.add_class("wb-choose")

    def show(
        self,
        frame: pd.DataFrame,
        code: str,
        *,
        heads: Mapping[str, str] | None = None,
        shown: Mapping[str, Callable[[Any], str]] | None = None,
        name: str = "table",
        nothing: str = NO_ROWS,
    ) -> None:
        """Show a table in place of the one before.

        Parameters
        ----------
        frame : pandas.DataFrame
            Its index is not shown.
        code : str
            The line of Python that returns it as a DataFrame; empty where there is none.
        heads : dict of str to str, optional
            What stands above a column, by the column's name, where it is not that name.
        shown : dict of str to callable, optional
            What is shown of a value of a column, where the type does not say it; also of a null.
        name : str
            What the file of CSV is called.
        nothing : str
            The sentence in place of a table without rows; empty where it is said elsewhere.
        """
        self.frame = frame
        said = nothing if frame.empty else ""
        self.note.value = element("p", said, class_="wb-empty") if said else Markup()
        self.grid.layout.display = "none" if frame.empty else None
        self.code.value = _as_a_frame(code)
        if frame.empty:
            self.chosen = None
            return
        laid_out = _laid_out(frame, heads or {}, shown or {})
        self.grid.update(
            laid_out,
            selected_rows=[],
            select=self._select,
            **_parts(len(frame), name, len(frame.columns)),
            **_columns(frame),
            **_ALWAYS,
        )
        self.chosen = None

    def show_listed(self, listed: Listed, name: str, nothing: str = NO_ROWS) -> None:
        """Show a table that says itself how it is read.

        Parameters
        ----------
        listed : Listed
        name, nothing
            As :meth:`show` takes them.
        """
        self.show(
            listed.frame, listed.code, heads=listed.heads, shown=listed.shown,
            name=name, nothing=nothing,
        )  # fmt: skip

    def _read(self, change: Any) -> None:
        self.chosen = change["new"][0] if change["new"] else None


def _laid_out(
    frame: pd.DataFrame,
    heads: Mapping[str, str],
    shown: Mapping[str, Callable[[Any], str]],
) -> pd.DataFrame:
    """Each column as it is read, and behind them all each once more as CSV has it."""
    count = len(frame.columns)
    parts = [
        *(_shown(frame.iloc[:, k], shown.get(str(name))) for k, name in enumerate(frame.columns)),
        *(_plain(frame.iloc[:, k]) for k in range(count)),
    ]
    names = [*(_head(name, heads) for name in frame.columns), *frame.columns]
    made = pd.concat(parts, axis=1) if parts else pd.DataFrame()
    return made.set_axis([readable(str(name)) for name in names], axis=1).reset_index(drop=True)


def _head(name: Any, heads: Mapping[str, str]) -> str:
    """What stands above a column, no longer than a few lines."""
    return cut(heads.get(str(name), str(name)), _HEAD)


def _shown(values: "pd.Series[Any]", said_as: Callable[[Any], str] | None) -> "pd.Series[Any]":
    usual = _dated if _of_years(values) else _KINDS.get(values.dtype.kind, str)

    def read(one: Any) -> str:
        if _missing(one):
            return (said_as(one) if said_as else "") or ABSENT
        return (said_as or usual)(one)

    return pd.Series([readable(read(one)) for one in values], values.index, object)


def _of_years(values: "pd.Series[Any]") -> bool:
    """Whether they are times of several years: without its year, a day would be one of each."""
    return values.dtype.kind == "M" and len(set(values.dt.year.dropna())) > 1


def _dated(time: Any) -> str:
    return f"{time:%d %b %Y %H:%M}"


def _plain(values: "pd.Series[Any]") -> "pd.Series[Any]":
    """Values as text that sorts as they do: a length of time in seconds."""
    if values.dtype.kind == "m":
        values = values.dt.total_seconds()
    return pd.Series(["" if _missing(one) else str(one) for one in values], values.index, object)


def _missing(value: Any) -> bool:
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def _parts(rows: int, name: str, columns: int) -> dict[str, Any]:
    """What stands around the table."""
    file = {
        "extend": "csvHtml5", "text": "CSV", "filename": name, "footer": False,
        "titleAttr": "Save the rows that are found as CSV",
        "exportOptions": {
            "columns": list(range(columns, 2 * columns)), "trim": False, "stripNewlines": False,
        },
    }  # fmt: skip
    long = rows > PAGE
    layout = {
        "topStart": "search" if long else None,
        "topEnd": {"buttons": [file]},
        "bottomStart": "info" if long else None,
        "bottomEnd": "paging" if long else None,
    }
    words = {
        "search": "", "searchPlaceholder": f"Search {rows:,} rows",
        "info": "_START_ to _END_ of _TOTAL_", "infoFiltered": "found in _MAX_", "infoEmpty": "",
        "zeroRecords": "No row has these words.",
    }  # fmt: skip
    return {"layout": layout, "pageLength": PAGE, "paging": long, "language": words}


def _columns(frame: pd.DataFrame) -> dict[str, Any]:
    """Text left, numbers right; sorted by the values behind what is shown, which are hidden."""
    count = len(frame.columns)
    definitions: list[dict[str, Any]] = [
        {"targets": list(range(count, 2 * count)), "visible": False, "searchable": False}
    ]
    for k, kind in enumerate(dtype.kind for dtype in frame.dtypes):
        side = "dt-right" if kind in _RIGHT else "dt-left"
        definitions.append({"targets": [k], "orderData": [k + count], "className": side})
    return {"columnDefs": definitions, "order": []}


def _as_a_frame(code: str) -> Markup:
    if not code:
        return Markup()
    summary = element("summary", "as a DataFrame")
    return element("details", summary, code_line(code), class_="wb-frame")
