"""The tables of all explorers, which can be sorted, searched, selected from and saved as CSV."""

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
#: The most letters of a column's heading: a few lines.
_HEAD = 40
NO_ROWS = "There are no rows."
_FORMATTERS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys("iuf", number), "M": moment, "m": length_text, "b": str,
}  # fmt: skip
#: The dtype kinds that are aligned right, so that digits are below each other.
_RIGHT = "iufmM"
#: No row is left out: the caller limits the rows. A click on a heading sorts.
_ALWAYS: dict[str, Any] = {
    "maxBytes": 0, "maxRows": 0, "maxColumns": 0, "text_in_header_can_be_selected": False,
    "classes": "display compact nowrap", "style": "width:100%;margin:0",
}  # fmt: skip


class DisplayTable(NamedTuple):
    """A table, with its headings and formatters.

    Attributes
    ----------
    frame : pandas.DataFrame
        Its index is not shown.
    code : str
        The line of Python that returns it as a DataFrame.
    heads : dict of str to str
        The headings that differ from their column's name, by that name.
    shown : dict of str to callable
        Formatters of columns whose dtype has no default one; they get nulls, too.
    """

    frame: pd.DataFrame
    code: str
    heads: Mapping[str, str] = MappingProxyType({})
    shown: Mapping[str, Callable[[Any], str]] = MappingProxyType({})

    @property
    def markup(self) -> Markup:
        """The table for a page that runs no widget."""
        columns = self.frame.items()
        cells = [_as_texts(values, self.shown.get(str(name))) for name, values in columns]
        texts = [dtype.kind not in _RIGHT for dtype in self.frame.dtypes]
        heads = [readable(_head(name, self.heads)) for name in self.frame]
        rows = [_table_row("td", row, texts) for row in zip(*cells, strict=True)]
        head = element("thead", _table_row("th", heads, texts))
        return element("table", head, element("tbody", *rows), class_="wb-table")


def _table_row(tag: str, cells: Sequence[str], texts: Sequence[bool]) -> Markup:
    parts = zip(cells, texts, strict=True)
    return element("tr", *(element(tag, one, class_="wb-text" if is_text else None)
                           for one, is_text in parts))  # fmt: skip


class Grid(ITable):
    """A table of itables, whose script of 620 kB the tables of a page share.

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
    """A pandas table that can be sorted, searched and saved, and of which a row can be chosen.

    Values are shown as ``24 Mar 12:59`` or ``9 h 20 min``; rows are sorted by the values
    themselves, which the CSV file has, too, under the names of the columns.

    Parameters
    ----------
    choose : bool
        Whether a click on a row chooses it.

    Attributes
    ----------
    frame : pandas.DataFrame
        The table that is shown.
    chosen : int, or None
        The position of the row that was clicked.

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
        self.grid.observe(self._take_selection, names="selected_rows")
        # Hidden while there is no table: the grid has its own message when it is empty.
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
            The line of Python that returns it as a DataFrame; empty if there is none.
        heads : dict of str to str, optional
            The headings that differ from their column's name, by that name.
        shown : dict of str to callable, optional
            Formatters of columns whose dtype has no default one; they get nulls, too.
        name : str
            The name of the CSV file.
        nothing : str
            The sentence in place of a table without rows; empty if it is shown elsewhere.
        """
        self.frame = frame
        message = nothing if frame.empty else ""
        self.note.value = element("p", message, class_="wb-empty") if message else Markup()
        self.grid.layout.display = "none" if frame.empty else None
        self.code.value = _code_details(code)
        if frame.empty:
            self.chosen = None
            return
        self.grid.update(
            _grid_data(frame, heads or {}, shown or {}),
            selected_rows=[],
            select=self._select,
            **_layout_options(len(frame), name, len(frame.columns)),
            **_column_options(frame),
            **_ALWAYS,
        )
        self.chosen = None

    def show_table(self, listed: DisplayTable, name: str, nothing: str = NO_ROWS) -> None:
        """Show a table with its headings and formatters.

        Parameters
        ----------
        listed : DisplayTable
        name, nothing
            As in :meth:`show`.
        """
        self.show(
            listed.frame, listed.code, heads=listed.heads, shown=listed.shown,
            name=name, nothing=nothing,
        )  # fmt: skip

    def _take_selection(self, change: Any) -> None:
        self.chosen = change["new"][0] if change["new"] else None


def _grid_data(
    frame: pd.DataFrame,
    heads: Mapping[str, str],
    shown: Mapping[str, Callable[[Any], str]],
) -> pd.DataFrame:
    """Return each column as text for people, followed by each column as text for CSV."""
    count = len(frame.columns)
    parts = [
        *(
            _as_texts(frame.iloc[:, k], shown.get(str(name)))
            for k, name in enumerate(frame.columns)
        ),
        *(_sortable_texts(frame.iloc[:, k]) for k in range(count)),
    ]
    names = [*(_head(name, heads) for name in frame.columns), *frame.columns]
    data = pd.concat(parts, axis=1) if parts else pd.DataFrame()
    return data.set_axis([readable(str(name)) for name in names], axis=1).reset_index(drop=True)


def _head(name: Any, heads: Mapping[str, str]) -> str:
    """Return the heading of a column, cut to a few lines."""
    return cut(heads.get(str(name), str(name)), _HEAD)


def _as_texts(values: "pd.Series[Any]", formatter: Callable[[Any], str] | None) -> "pd.Series[Any]":
    default = _year_text if _spans_years(values) else _FORMATTERS.get(values.dtype.kind, str)

    def read(one: Any) -> str:
        if _missing(one):
            return (formatter(one) if formatter else "") or ABSENT
        return (formatter or default)(one)

    return pd.Series([readable(read(one)) for one in values], values.index, object)


def _spans_years(values: "pd.Series[Any]") -> bool:
    """Return whether these are times of several years, each of which needs its year."""
    return values.dtype.kind == "M" and len(set(values.dt.year.dropna())) > 1


def _year_text(time: Any) -> str:
    return f"{time:%d %b %Y %H:%M}"


def _sortable_texts(values: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return values as text that sorts as they do: a duration in seconds."""
    if values.dtype.kind == "m":
        values = values.dt.total_seconds()
    return pd.Series(["" if _missing(one) else str(one) for one in values], values.index, object)


def _missing(value: Any) -> bool:
    return value is None or (pd.api.types.is_scalar(value) and bool(pd.isna(value)))


def _layout_options(rows: int, name: str, columns: int) -> dict[str, Any]:
    """Return the options of itables for the controls around the table."""
    file = {
        "extend": "csvHtml5", "text": "CSV", "filename": name, "footer": False,
        "titleAttr": "Save the matching rows as CSV",
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
        "zeroRecords": "No row contains these words.",
    }  # fmt: skip
    return {"layout": layout, "pageLength": PAGE, "paging": long, "language": words}


def _column_options(frame: pd.DataFrame) -> dict[str, Any]:
    """Return the options of columns: text left, numbers right, each sorted by its hidden values."""
    count = len(frame.columns)
    definitions: list[dict[str, Any]] = [
        {"targets": list(range(count, 2 * count)), "visible": False, "searchable": False}
    ]
    for k, kind in enumerate(dtype.kind for dtype in frame.dtypes):
        side = "dt-right" if kind in _RIGHT else "dt-left"
        definitions.append({"targets": [k], "orderData": [k + count], "className": side})
    return {"columnDefs": definitions, "order": []}


def _code_details(code: str) -> Markup:
    if not code:
        return Markup()
    summary = element("summary", "as a DataFrame")
    return element("details", summary, code_line(code), class_="wb-frame")
