"""A stream of windows while it runs: a moving band that is revised as late rows come."""

import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import numpy as np
import plotly.graph_objects as go
import pyarrow as pa
import pyarrow.compute as pc

from workbench.described import noun
from workbench.durations import MINUTE, duration_text
from workbench.errors import WorkbenchError
from workbench.figures.live import REVISED, Strip, live_figure, live_svg
from workbench.lessons.follow import Follower, MicroBatches
from workbench.lessons.replay import Replay
from workbench.markup import Markup, element
from workbench.spark.names import quoted
from workbench.widgets.chart import Chart
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.explorers.live_points import EmittedRow, PointTable, instants, rows_of
from workbench.widgets.explorers.live_replay import Moment, MomentSlider
from workbench.widgets.html import HTML, Status, code_line, fact
from workbench.widgets.progress import Progress
from workbench.widgets.redraw import redraw
from workbench.windows.bands.call import band_of
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from workbench.windows.over import Over

#: How many minutes of the stream pass in a step, by the speed slider.
SPEEDS = (15, 30, 60, 120, 240)
#: How many moments are kept to be shown again, the last ones.
MOST_MOMENTS = 500
#: The value of Spark's watermark before there is one.
_NO_WATERMARK = np.datetime64(0, "us")


def is_stream(table: Any) -> bool:
    """Return whether a table is a stream, or is replayed as one."""
    return isinstance(table, Replay) or bool(getattr(table, "isStreaming", False))


class LiveStream(Card):
    """A stream, and a moving band over it that is updated continuously.

    Parameters
    ----------
    over : Over
        A band by key: ``quantile`` of three shares, partitioned by one column, ordered by the
        stream's time.
    stream : pyspark.sql.DataFrame or Replay
        A streaming table, with a watermark if it should drop late rows; or a table that is replayed
        as one, whose time is advanced by hand.
    spark : pyspark.sql.SparkSession, optional
        For a replay; by default the active session.
    lateness : str, optional
        The distance of the watermark from a replay's newest row; by default that of the replay.
    limit : int
        The most keys that are drawn.

    Attributes
    ----------
    follower : Follower
        The query; its ``table`` has the rows emitted so far.
    moments : list of Moment
        The output drawn so far, for the replay at the end.

    Raises
    ------
    WorkbenchError
        When the call is not ordered by the stream's time, or the table is not a stream.
    """

    def __init__(
        self, over: "Over", stream: "Replay | DataFrame", spark: "SparkSession | None" = None,
        lateness: str | None = None, limit: int = 4,
    ) -> None:  # fmt: skip
        self.replay = stream if isinstance(stream, Replay) else None
        self.time = _time_of(over, stream)
        self.over, self.limit = over, limit
        self._key, self._band = over.partition_by[0], band_of(over)
        # Each playing thread has its own event, so that clearing it ends that thread.
        self._lock, self._playing = threading.RLock(), threading.Event()
        rows = _stream(stream, spark, lateness) if isinstance(stream, Replay) else stream
        checkpoint = tempfile.mkdtemp(prefix="window-workbench-live-")
        weakref.finalize(self, shutil.rmtree, checkpoint, ignore_errors=True)
        changes = over.run(rows, emit="on update")
        self.follower = Follower(changes, Path(checkpoint)).start()
        self.moments: list[Moment] = []
        self._past_moment: Moment | None = None
        self.play_button = widgets.ToggleButton(description="Play", icon="play")
        self.step_button = widgets.Button(description="Step")
        self.end_button = widgets.Button(description="End", icon="stop")
        self.late_button = widgets.Button(description="Late event")
        self.kill_button = widgets.Button(description="Kill and restart", button_style="warning")
        self.speed = widgets.SelectionSlider(
            options=[(f"{minutes} min", minutes) for minutes in SPEEDS], value=60,
            description="A step is",
        )  # fmt: skip
        self.again = MomentSlider(self._look_back)
        self.status, self.numbers_view = Status(), HTML()
        self.chart = Chart(self._figure({}), toolbar=False)
        self._strips_drawn: dict[str, Strip] = {}
        session = self.follower.stream.sparkSession
        self.clicked = PointTable(over, session)
        self.progress = Progress(
            lambda: session, self.status, self, jobs=lambda: MicroBatches(self.follower)
        )
        super().__init__(
            self.chart, self.clicked, controls=self._controls(), rows=[self.numbers_view],
            foot=[self.progress, self.status, HTML(code_line(repr(over)))],
        )  # fmt: skip
        self._draw("✓ The query runs; step or play to let time advance.")

    def _controls(self) -> list[Any]:
        self.play_button.observe(self._toggle_play, names="value")
        for button, work in (
            (self.step_button, self._advance),
            (self.late_button, self._inject_late_row),
            (self.kill_button, self._restart),
        ):
            button.on_click(partial(self._run, work))
        # It takes the place of a running question.
        self.end_button.on_click(lambda _: self.progress.ask(self._end, self._draw))
        # Only a replay can be written to.
        more = [] if self.replay is None else [self.late_button, self.kill_button, self.speed]
        return [self.play_button, self.step_button, self.end_button, *more, self.again]

    @property
    def ended(self) -> bool:
        """Whether nothing more will come: a replay is at its end, or the query has ended."""
        query = self.follower.query
        stopped = query is not None and not query.isActive
        return stopped or (self.replay is not None and not self.replay.left)

    def step(self, steps: int = 1) -> None:
        """Advance the time, and wait until the arrived rows are processed.

        Parameters
        ----------
        steps : int
        """
        self._draw(self._advance(steps))

    def inject(self, minutes: int = 60) -> None:
        """Let a late row arrive, with an unusual value.

        Parameters
        ----------
        minutes : int
            Its distance from the newest row of the first key.

        Raises
        ------
        WorkbenchError
            When nothing has been emitted yet, or the stream is not a replay.
        """
        self._draw(self._inject_late_row(minutes))

    def kill_and_restart(self) -> None:
        """Kill the query within a micro-batch, and restart it from its checkpoint."""
        self._draw(self._restart())

    def stop(self) -> None:
        """Stop the query and playing; the next step continues from the checkpoint."""
        self._draw(self._end())

    def frame_of(self, key: str, time: Any, number: int = 0) -> pa.Table:
        """Return the rows in the frame of a row, as far as they have been emitted.

        Parameters
        ----------
        key : str
            The key as text.
        time : datetime, numpy.datetime64 or str
            In UTC, like the axis.
        number : int
            The row's number among those of the key at that time, from 0.

        Returns
        -------
        pyarrow.Table
            With the emitted answer of each; if a past moment is shown, as of that moment.

        Raises
        ------
        WorkbenchError
            When no such row has been emitted.
        """
        point = EmittedRow(key, np.datetime64(time, "us"), number)
        frame = self.clicked.frame_of(point, self._emitted)
        if frame is None:
            raise WorkbenchError(f"key, time: no row of {key!r} at {time} has been emitted.")
        return frame.rows

    def list_frame(self, key: str, time: Any, number: int = 0) -> None:
        """List the rows in the frame of a row, as a click on its point does.

        The list is updated as time goes on, and when another moment is shown.

        Parameters
        ----------
        key, time, number
            As in :meth:`frame_of`.
        """
        point = EmittedRow(key, np.datetime64(time, "us"), number)
        self.clicked.list_point(point, self._emitted, self._as_of_text)

    def _advance(self, steps: int = 1) -> str:
        with self._lock:
            self._resume()
            for _ in range(steps):
                self._advance_clock()
                self._catch_up()
                self._record_moment()
            return self._remaining_text()

    def _inject_late_row(self, minutes: int = 60) -> str:
        if self.replay is None:
            raise WorkbenchError("late event: only a replay takes one; write to your own stream.")
        with self._lock:
            self._resume()
            row = self._late_row(self.replay, minutes)
            self.replay.write([row])
            self.follower.catch_up()
            self._record_moment()
            changes = self.follower.kinds
            counts = ", ".join(f"{count} {op}" for op, count in sorted(changes.items())) or "none"
            return f"✓ A row of {row[self.time]:%H:%M} arrived late; changes emitted: {counts}."

    def _restart(self) -> str:
        with self._lock:
            self._resume()
            self._advance_clock()
            inside = self.follower.kill()
            self.follower.start().catch_up()
            self._record_moment()
            what = "the interrupted micro-batch was run again" if inside else "nothing was lost"
            return f"✓ Killed, and restarted from the checkpoint: {what}."

    def _end(self) -> str:
        self._playing.clear()
        with self._lock:
            self.follower.stop()
        return f"✓ Ended after {len(self.moments):,} steps; the next one continues from here."

    def _resume(self) -> None:
        query = self.follower.query
        if query is None or not query.isActive:
            self.follower.start()

    def _advance_clock(self) -> None:
        if self.replay is not None:
            self.replay.advance(f"{self.speed.value} minutes")

    def _catch_up(self) -> None:
        # The rows of a stream may never end: only the output so far is taken.
        if self.replay is None:
            self.follower.look()
        else:
            self.follower.catch_up()

    def _remaining_text(self) -> str:
        if self.replay is None:
            return f"✓ {len(self.follower.beats):,} micro-batches."
        remaining = f"✓ {self.replay.left:,} rows are still to come."
        return remaining if self.replay.left else f"{remaining} Play it again, from its first step."

    def _record_moment(self) -> None:
        """Record the current output as a moment."""
        now = f"{self.replay.now.astype('M8[m]')}".replace("T", " ") if self.replay else ""
        at = now or f"micro-batch {max(self.follower.beats, default=0)}"
        self.moments = [*self.moments, Moment(at, self.follower.table, self.follower.last)][
            -MOST_MOMENTS:
        ]
        self._past_moment = None

    def _offer_moments(self) -> None:
        """Offer all moments if nothing more will come, and none while the stream goes on."""
        if self.ended and self.moments:
            self.again.offer([moment.at for moment in self.moments])
        elif not self.ended:
            self.again.withdraw()

    def _look_back(self, number: int) -> None:
        """Draw a past moment."""
        with self._lock:
            self._past_moment = self.moments[number]
            self._draw_chart(
                f"↺ As it was at {self._past_moment.at}: {number + 1} of {len(self.moments)}."
            )

    @property
    def _emitted(self) -> pa.Table | None:
        return self.follower.table if self._past_moment is None else self._past_moment.table

    @property
    def _as_of_text(self) -> str:
        """The time by which the shown rows were emitted, in words."""
        return "so far" if self._past_moment is None else f"by {self._past_moment.at}"

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """The names and the values of the counters."""
        follower, beats = self.follower, self.follower.beats
        busy = [number for number, beat in beats.items() if beat.rows]
        last = beats[max(busy)] if busy else None
        total: dict[str, int] = {}
        for beat in beats.values():
            for op, count in beat.changes.items():
                total[op] = total.get(op, 0) + count
        rate = last.rows / last.seconds if last and last.seconds else 0.0
        return [
            *self._clock(),
            ("input rate", f"{rate:,.0f} rows/s"),
            ("rows held as state", f"{follower.count('rows_held'):,}"),
            ("late rows, left out", f"{follower.count('late_rows'):,}"),
            ("answers computed", f"{follower.count('rows_recomputed'):,}"),
            *((f"changes {op}", f"{total.get(op, 0):,}") for op in ("+I", "-U", "+U", "-D")),
            ("micro-batches with rows", f"{len(busy):,}"),
        ]

    def __repr__(self) -> str:
        table = self.follower.table
        return f"Live view of {self.over!r}: {0 if table is None else len(table):,} rows emitted"

    def _still(self) -> Markup:
        title = (
            f"Moving quartiles of {self._value_column()} by {self._key}, as the stream says them"
        )
        return live_svg(self._figure(self._strips()), self.numbers, title)

    def _value_column(self) -> str:
        return str(self.over.columns[self._band].arguments[0])

    def _clock(self) -> list[tuple[str, str]]:
        """Return the watermark; for a replay, the clock and the watermark's distance from it."""
        beats = [beat for beat in self.follower.beats.values() if beat.watermark]
        mark = beats[-1].watermark.rstrip("Z") if beats else ""
        known = bool(mark) and np.datetime64(mark, "us") != _NO_WATERMARK
        if self.replay is None:
            return [("watermark", mark.replace("T", " ")[:16] if known else "none yet")]
        lag = _lag(self.replay.now - np.datetime64(mark, "us")) if known else "none yet"
        now = f"{self.replay.now.astype('M8[m]')}".replace("T", " ")
        return [("arrival clock", now), ("watermark behind the clock", lag)]

    def _keys(self) -> list[str]:
        table = self._emitted
        if table is None:
            return []
        return sorted({str(key) for key in pc.unique(table.column(self._key)).to_pylist()})

    def _strips(self) -> dict[str, Strip]:
        table = self._emitted
        return {} if table is None else {key: self._strip(table, key) for key in self._drawn_keys()}

    def _drawn_keys(self) -> list[str]:
        return self._keys()[: self.limit]

    def _strip(self, table: pa.Table, key: str) -> Strip:
        rows = rows_of(table, self._key, key).sort_by(self.time)
        times = instants(rows, self.time)
        bands = [one or [np.nan] * 3 for one in rows.column(self._band).to_pylist()]
        revised = np.isin(times, self._revised(key))
        return Strip(times, np.array(bands, np.float64).reshape(-1, 3), revised)

    def _revised(self, key: str) -> Any:
        last = self.follower.last if self._past_moment is None else self._past_moment.last
        if last is None or not len(last):
            return np.zeros(0, "M8[us]")
        rows = rows_of(last, self._key, key)
        return instants(rows.filter(pc.equal(rows.column(OP), "+U")), self.time)

    def _figure(self, strips: dict[str, Strip]) -> go.Figure:
        return live_figure(strips, self.time, self._value_column())

    def _draw(self, message: str) -> None:
        """Draw the current output, at which also the slider of moments is."""
        self._past_moment = None
        self._offer_moments()
        self._draw_chart(message)

    def _draw_chart(self, message: str) -> None:
        self._strips_drawn = self._strips()
        redraw(self.chart, self._figure(self._strips_drawn))
        self.chart.on_mark(self._click_mark)
        self.clicked.refresh(self._emitted, self._as_of_text)
        self.numbers_view.value = _numbers_table(self.numbers)
        self._update_heading()
        self.status.tell(message)

    def _click_mark(self, trace: Any, k: int) -> None:
        """List the frame of the row of a mark."""
        key, strip = list(self._strips_drawn.items())[trace.meta]
        rows = strip.rows_drawn(trace.name == REVISED)
        # While it plays, a clicked mark may be gone before the click arrives.
        if k < len(rows):
            time = strip.time[rows[k]]
            number = rows[k] - int(np.searchsorted(strip.time, time))
            self.status.guard(lambda: self.list_frame(key, time, number))

    def _update_heading(self) -> None:
        rows, keys = 0 if self._emitted is None else len(self._emitted), self._keys()
        shown = f" {noun(len(keys), 'keys')} shown"
        facts = [f"{len(self._drawn_keys()):,} of {len(keys):,}" + shown] if keys else []
        self.entitle(f"Live: moving quartiles of {self._value_column()}", fact(rows, "row"), *facts)

    def _late_row(self, replay: Replay, minutes: int) -> dict[str, Any]:
        table = self.follower.table
        if table is None or not len(table):
            raise WorkbenchError("late event: no row has been emitted yet; make a step first.")
        strip = next(iter(self._strips()))
        rows = rows_of(table, self._key, strip)
        newest = rows.sort_by([(self.time, "descending")]).slice(0, 1).to_pylist()[0]
        row = {name: newest[name] for name in replay.rows.column_names}
        row[self.time] -= np.timedelta64(minutes, "m").item()
        row[self._value_column()] = type(row[self._value_column()] or 0)(600)
        return row

    def _run(self, work: Callable[[], str], _button: Any) -> None:
        # One micro-batch after the other: a second click would cancel the first one.
        if not self.progress.asking:
            self.progress.ask(work, self._draw)

    def _toggle_play(self, change: dict[str, Any]) -> None:
        self.play_button.description = "Pause" if change["new"] else "Play"
        self.play_button.icon = "pause" if change["new"] else "play"
        for button in (self.step_button, self.late_button, self.kill_button):
            button.disabled = bool(change["new"])
        self._playing.clear()
        if change["new"]:
            self._playing = threading.Event()
            self._playing.set()
            threading.Thread(target=self._play, args=(self._playing,), daemon=True).start()

    def _play(self, playing: threading.Event) -> None:
        # While it plays, the picture is not dimmed, and changes with each micro-batch.
        self.progress.pictures = ()
        try:
            while playing.is_set() and (self.replay is None or self.replay.left):
                if not self.progress.ask_here(self._advance, self._draw):
                    break
                time.sleep(0.1 if self.replay else 1.0)
        finally:
            if self._playing is playing:
                self.progress.pictures = (self,)
                self.play_button.value = False


def _numbers_table(numbers: list[tuple[str, str]]) -> Markup:
    wraps = "white-space:normal"
    rows = (
        element("td", what, style=wraps) + element("td", element("b", count), style=wraps)
        for what, count in numbers
    )
    return element("table", *(element("tr", row) for row in rows), class_="wb-table")


def _lag(behind: np.timedelta64) -> str:
    """Return the distance of a watermark in words, to the minute."""
    minutes = int(behind.astype("m8[m]").astype(int))
    return duration_text(minutes * MINUTE) if minutes else "0 min"


def _time_of(over: "Over", stream: Any) -> str:
    """Return the time column that the call and the stream have in common."""
    time_columns = (
        [stream.time] if isinstance(stream, Replay) else [term.name for term in over.order_by]
    )
    if (
        len(over.partition_by) != 1
        or [t.name for t in over.order_by] != time_columns
        or len(time_columns) != 1
    ):
        along = f"{stream.time!r}" if isinstance(stream, Replay) else "the stream's time"
        raise WorkbenchError(f"over: partition by one column, and order by {along} alone.")
    return time_columns[0]


def _stream(replay: Replay, spark: "SparkSession | None", lateness: str | None) -> "DataFrame":
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    spark = spark or SparkSession.active()
    schema = from_arrow_schema(replay.rows.schema)
    rows = spark.readStream.schema(schema).parquet(str(replay.folder.resolve()))
    return rows.withWatermark(quoted(replay.time), lateness or replay.lateness)
