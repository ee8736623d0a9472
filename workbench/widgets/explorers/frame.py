"""The frame explorer: change a frame, and see which rows are in it for each row."""

from functools import partial
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import numpy as np
import pandas as pd

from workbench.described import name_shown, noun
from workbench.durations import microseconds
from workbench.errors import WorkbenchError
from workbench.figures.frames import frames_figure, frames_still, frames_width, named_frames_figure
from workbench.figures.stills.still import arrange
from workbench.figures.svg import bare
from workbench.frames.frame import EXCLUSIONS
from workbench.functions.fn import count
from workbench.markup import Markup, element, in_lines
from workbench.widgets.causes import cause
from workbench.widgets.chart import Chart
from workbench.widgets.controls.frame import MAKE, FrameControls, frame_parts
from workbench.widgets.controls.frame_choices import frame_choices
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.html import HTML, Status, code_line, fact
from workbench.widgets.lessons.window import window_lesson
from workbench.widgets.progress import Progress
from workbench.widgets.redraw import redraw
from workbench.widgets.sharing.files import csv_of
from workbench.widgets.sharing.grid import PageChoice
from workbench.widgets.sharing.page import PageView, Shareable
from workbench.widgets.sharing.shared import Shared
from workbench.widgets.sharing.state import Parts, key_text, option_for, single_text
from workbench.widgets.stepper.player import Player
from workbench.widgets.table import DisplayTable, Table
from workbench.windows.inspect.frame_table import FrameTable, frame_table
from workbench.windows.inspect.one_partition import (
    MOST_KEYS,
    Partition,
    keys_of,
    partition_of,
    value_text,
)
from workbench.windows.over import Over

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

STEPS = ("1 second", "1 minute", "1 hour", "1 day", "7 days", "30 days", "365 days")
ADDED_COLUMN = "rows_in_frame"


class FrameExplorer(Shared, Card):
    """The frames of a window call on one small partition, with controls of the frame.

    Attributes
    ----------
    over : Over
        The call with the frame of the controls.
    partition : Partition
        The rows of the chosen partition.
    table : FrameTable
        The frames that are drawn: ``over.frames(df, key, column)``.
    """

    FILE = "frames"
    STATE_NAMES = ("partition", "function", "unit", "from", "to", "exclude")

    def __init__(self, over: Over, df: "DataFrame") -> None:
        self.over, self._df = _with_framed_function(over), df
        self._keys = keys_of(self.over, df)
        self.partition = self._fetched(self._keys[0][0] if self._keys else None)
        framed = [name for name, one in self.over.columns.items() if _uses_frame(one)]
        self.table = frame_table(self.partition, framed[0])
        self._make_controls(framed)
        self.chart = Chart(frames_figure(self.table), toolbar=False)
        self.place, self.clicked = widgets.VBox([self.chart]), Table()
        self.status, self.code, self.player = Status(), HTML(), widgets.VBox()
        self.progress = Progress(lambda: df.sparkSession, self.status, self.place)
        self.button = widgets.Button(
            description="Step through", icon="play",
            tooltip="Step through the kernel that answers, on these rows",
        )  # fmt: skip
        self._watch()
        wide = widgets.VBox([self.place], layout={"overflow": "auto"})
        wide.add_class("wb-wide")
        super().__init__(
            self.progress,
            wide,
            self.clicked,
            controls=[self.who, self.column, self.controls, self.button],
            foot=[self.status, self._share_bar(), self.code, self.player],
        )
        self._watch_chart()
        self._update_heading()
        self._update_status()
        self._note_view()

    def __repr__(self) -> str:
        return f"Frames of {self.over!r}"

    def _still(self) -> Markup:
        return frames_still(self.table, _title(self.table))

    def _fetched(self, key: Any) -> Partition:
        return partition_of(self.over, self._df, key or None)

    def _make_controls(self, framed: list[str]) -> None:
        style, layout = {"description_width": "initial"}, {"width": "auto"}
        self.who = widgets.Dropdown(
            options=[(_key_label(key, rows), key) for key, rows in self._keys],
            description="Partition", style=style, layout=layout,
        )  # fmt: skip
        self.column = widgets.Dropdown(
            options=framed, description="Function", style=style, layout=layout
        )
        self.controls = FrameControls(self.table.frame, _step(self.partition))

    def _watch(self) -> None:
        self.who.observe(self._change_partition, names="value")
        self.column.observe(self._change_column, names="value")
        self.controls.observe(self._change_frame, names="frame")
        self.controls.observe(self._update_status, names="problem")
        self.button.on_click(self._play)

    def _change_partition(self, change: dict[str, Any]) -> None:
        if self._opening:
            return
        self.progress.ask(partial(self._fetched, change["new"]), self._show_fetched)

    def _show_fetched(self, partition: Partition) -> None:
        # The frame may have changed while the rows were fetched.
        call = self.over
        self._show_partition(partition if partition.over is call else partition.with_call(call))

    def _change_column(self, _change: Any) -> None:
        if not self._opening:
            self.status.guard(lambda: self._show_partition(self.partition))

    def _change_frame(self, change: dict[str, Any]) -> None:
        if self._opening or change["new"] == self.table.frame:
            return
        try:
            over = self.over.with_frame(change["new"])
            self._show_partition(self.partition.with_call(over), over)
        except Exception as error:
            # The frame that is drawn, as the state and a page show it, and why not the other one.
            self.controls.frame, self.controls.problem = self.table.frame, cause(error)

    def _show_partition(self, partition: Partition, over: Over | None = None) -> None:
        """Draw a partition, for another call if one is given."""
        table = frame_table(partition, self.column.value)
        self.table, self.partition, self.over = table, partition, over or self.over
        redraw(self.chart, frames_figure(self.table))
        self._watch_chart()
        self.player.children = ()
        self._update_heading()
        self._update_status()
        self._note_view()

    def _state_parts(self) -> dict[str, Any]:
        return {
            **_key_parts(self.partition.key), "function": self.table.column,
            **frame_parts(self.controls.frame),
        }  # fmt: skip

    def _reopen(self, parts: Parts) -> None:
        key, column = self.who.value, self.column.value
        if self._keys:
            keys = {key_text(one): one for one, _ in self._keys}
            key = option_for("partition", single_text(parts, "partition", next(iter(keys))), keys)
        functions = {name: name for name in self.column.options}
        column = option_for(
            "function", single_text(parts, "function", next(iter(functions))), functions
        )
        over = self.over.with_frame(self.controls.frame_from(parts))
        partition = self.partition if key == self.who.value else self._fetched(key)
        partition = _partition_for(partition, over)
        self.controls.reopen(parts)
        self.who.value, self.column.value = key, column
        self._show_partition(partition, over)

    def _table(self) -> pd.DataFrame:
        return self.table.listed()

    def _shareable(self) -> Shareable:
        now, functions = self.controls.frame, list(self.column.options)
        frames = frame_choices(now)
        options = [(_key_label(key, rows), key) for key, rows in self._keys]
        choices = [
            PageChoice("function", [(name, name) for name in functions], self.column.index),
            PageChoice("frame", frames, [one for _, one in frames].index(now), ordered=True),
            PageChoice("exclude", [(name, name) for name in EXCLUSIONS],
                       EXCLUSIONS.index(now.exclude)),
            PageChoice("partition", options, self.who.index or 0),
        ]  # fmt: skip
        fetched = {self.partition.key: self.partition}

        def draw(at: tuple[int, ...]) -> PageView:
            column, frame, exclude, key = (
                one.options[k][1] for one, k in zip(choices, at, strict=True)
            )
            if key not in fetched:
                fetched[key] = self._fetched(key)
            over = self.over.with_frame(MAKE[frame.unit](*frame.given, exclude=exclude))
            return self._view(fetched[key].with_call(over), over, column)

        many = f"{len(self._keys):,} partition{'' if len(self._keys) == 1 else 's'}"
        title = f"Frames of {' and '.join(functions)}"
        return Shareable(title, [many], self.FILE, choices, draw)

    def _view(self, partition: Partition, over: Over, column: str) -> PageView:
        """Return the view of a partition and a call for a page."""
        table = frame_table(partition, column)
        drawn, height, width = arrange([named_frames_figure(table, _title(table))], 0)
        rows, words = table.listed(), _words(table)
        parts = {**_key_parts(partition.key), "function": column, **frame_parts(table.frame)}
        return PageView(
            self._state_text(parts), bare(drawn, words, width, height), words,
            DisplayTable(rows, repr(over)).markup, repr(over), csv_of(rows),
        )  # fmt: skip

    def _update_heading(self) -> None:
        self.entitle(
            f"Frames of {self.table.column}",
            *filter(None, [self.table.who]),
            fact(len(self.table.labels), "row"),
        )
        # The cells keep their size: if they do not fit, the chart scrolls.
        self.place.layout.min_width = f"{frames_width(self.table)}px"

    def _update_status(self, _change: Any = None) -> None:
        if self.controls.problem:
            self.status.fail(self.controls.problem)
            return
        notes = [f"✓ {_words(self.table)}"]
        if len(self._keys) == MOST_KEYS:
            notes.append(f"The first {MOST_KEYS} partitions are offered.")
        self.status.tell(in_lines(notes))
        self.code.value = code_line(repr(self.over))

    def _watch_chart(self) -> None:
        """Hide the listed frame, and let a click on a mark list the frame of its row."""
        self.clicked.layout.display = "none"
        self.chart.on_mark(lambda trace, k: self.list_frame(int(trace.y[k])))

    def list_frame(self, row: int) -> None:
        """List the rows in the frame of a row, as a click on one of its marks does.

        Parameters
        ----------
        row : int
            The row's number in the chart.
        """
        table, inside = self.table, self.table.inside[row]
        code = f"over.frames(df, {self.partition.key!r}, {table.column!r})"
        self.clicked.show(
            table.listed()[inside].drop(columns="rows in its frame").reset_index(drop=True),
            f"(table := {code}).listed()[table.inside[{row}]]",
            name="frame",
        )  # fmt: skip
        who = element("b", f"Row {row} ({table.labels[row]})")
        answer = f"{table.column} = {table.texts(table.column)[row]}"
        size = int(inside.sum())
        rows = f"{size:,} row{'' if size == 1 else 's'} in its frame"
        self.clicked.note.value = element("p", who, f": {answer}, of the {rows}.")
        self.clicked.layout.display = None

    def _play(self, _button: Any) -> None:
        self.status.guard(self._show_player)

    def _show_player(self) -> None:
        self.player.children = (Player(window_lesson(self.partition, self.column.value)),)


def _title(table: FrameTable) -> str:
    return f"{table.column} over {table.frame!r}, {table.who}"


def _words(table: FrameTable) -> str:
    """Return the numbers of rows in the frames, in words."""
    sizes = table.inside.sum(axis=1)
    rows = f"{sizes.min()}" if sizes.min() == sizes.max() else f"{sizes.min()} to {sizes.max()}"
    cut = f"Only the first {len(sizes)} rows are shown, and frames end with the last of them."
    return f"{rows} {noun(sizes.max(), 'rows')} in a frame." + (f" {cut}" if table.cut else "")


def _key_parts(key: tuple[Any, ...]) -> dict[str, str]:
    """Return the partition as a part of a state; nothing if it has all rows."""
    return {"partition": key_text(key)} if key else {}


def _partition_for(partition: Partition, over: Over) -> Partition:
    """Return a partition for the call of a state."""
    try:
        return partition.with_call(over)
    except WorkbenchError as error:
        raise WorkbenchError(f"state: {error}") from None


def _with_framed_function(over: Over) -> Over:
    """Return the call, with an added function that uses its frame if there is none."""
    if any(map(_uses_frame, over.columns.values())):
        return over
    columns = over.columns | {ADDED_COLUMN: count()}
    return Over(over.partition_by, over.order_terms, None, over.engine, over.cut, **columns)


def _uses_frame(function: Any) -> bool:
    return function.frame is None and function.info.has_frame


def _key_label(key: tuple[Any, ...], rows: int) -> str:
    name = ", ".join(name_shown(value_text(value)) for value in key)
    return f"{name or 'all rows'} · {rows:,} {noun(rows, 'rows')}"


def _step(partition: Partition) -> str:
    """Return a distance that typically reaches the next row in the order: RANGE's first one."""
    order = partition.window().order
    if order.key is None:
        return "1"
    first, last = order.valid[0]
    gaps = np.abs(np.diff(np.asarray(order.key, np.float64)[first:last]))
    gap = float(np.median(gaps[gaps > 0])) if (gaps > 0).any() else 1.0
    kind = partition.df.schema[partition.over.order_by[0].name].dataType.typeName()
    if kind not in ("date", "timestamp", "timestamp_ntz"):
        return f"{gap:g}"
    return next((step for step in STEPS if microseconds(step) >= gap), STEPS[-1])
