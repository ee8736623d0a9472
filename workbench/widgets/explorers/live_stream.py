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

from workbench.durations import MINUTE, duration_text
from workbench.errors import WorkbenchError
from workbench.figures.live import REVISED, Strip, live_figure, live_svg
from workbench.lessons.follow import Follower, MicroBatches
from workbench.lessons.replay import Replay
from workbench.markup import Markup, element
from workbench.spark.table import quoted
from workbench.widgets.chart import Chart
from workbench.widgets.explorers.explorer import Card
from workbench.widgets.explorers.live_points import PointTable, SaidRow, instants, rows_of
from workbench.widgets.explorers.live_replay import Again, Moment
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
KEPT = 500
#: Where Spark's watermark is before there is one.
_NO_MARK = np.datetime64(0, "us")


def is_stream(table: Any) -> bool:
    """Say whether a table is a stream, or is told again as one."""
    return isinstance(table, Replay) or bool(getattr(table, "isStreaming", False))


class LiveStream(Card):
    """A stream, and a moving band over it that is kept up to date.

    Parameters
    ----------
    over : Over
        A band by key: ``quantile`` of three shares, partitioned by one column, ordered by the
        stream's time.
    stream : pyspark.sql.DataFrame or Replay
        A streaming table, with a watermark where it should drop what is late; or a table that is
        told again as one, whose time is let go on by hand.
    spark : pyspark.sql.SparkSession, optional
        For a replay; without it, the session that runs.
    lateness : str, optional
        How far behind a replay's newest row the watermark follows; without it, as the replay says.
    limit : int
        The most keys that are drawn.

    Attributes
    ----------
    follower : Follower
        The query; its ``table`` is what has been said so far.
    moments : list of Moment
        What has been drawn, for the replay at the end.

    Raises
    ------
    WorkbenchError
        When the call does not go along the stream's time, or the table is no stream.
    """

    def __init__(
        self, over: "Over", stream: "Replay | DataFrame", spark: "SparkSession | None" = None,
        lateness: str | None = None, limit: int = 4,
    ) -> None:  # fmt: skip
        self.replay = stream if isinstance(stream, Replay) else None
        self.time = _time_of(over, stream)
        self.over, self.limit = over, limit
        self._key, self._band = over.partition_by[0], band_of(over)
        # Of the thread that plays: each has its own, so that one that is told to end does end.
        self._lock, self._playing = threading.RLock(), threading.Event()
        rows = _stream(stream, spark, lateness) if isinstance(stream, Replay) else stream
        checkpoint = tempfile.mkdtemp(prefix="window-workbench-live-")
        weakref.finalize(self, shutil.rmtree, checkpoint, ignore_errors=True)
        changes = over.run(rows, emit="on update")
        self.follower = Follower(changes, Path(checkpoint)).start()
        self.moments: list[Moment] = []
        self._shown: Moment | None = None
        self.play_button = widgets.ToggleButton(description="Play", icon="play")
        self.step_button = widgets.Button(description="Step")
        self.end_button = widgets.Button(description="End", icon="stop")
        self.late_button = widgets.Button(description="Late event")
        self.kill_button = widgets.Button(description="Kill and restart", button_style="warning")
        self.speed = widgets.SelectionSlider(
            options=[(f"{minutes} min", minutes) for minutes in SPEEDS], value=60,
            description="A step is",
        )  # fmt: skip
        self.again = Again(self._look_back)
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
        self._draw("✓ The query runs; step or play to let time go on.")

    def _controls(self) -> list[Any]:
        self.play_button.observe(self._toggled, names="value")
        for button, work in (
            (self.step_button, self._advance),
            (self.late_button, self._late),
            (self.kill_button, self._restart),
        ):
            button.on_click(partial(self._clicked, work))
        # What is asked is given up for it.
        self.end_button.on_click(lambda _: self.progress.ask(self._end, self._draw))
        # Into a stream of one's own nothing is written from here.
        more = [] if self.replay is None else [self.late_button, self.kill_button, self.speed]
        return [self.play_button, self.step_button, self.end_button, *more, self.again]

    @property
    def ended(self) -> bool:
        """Whether nothing is to come: a replay is told to its end, or a query has ended."""
        query = self.follower.query
        stopped = query is not None and not query.isActive
        return stopped or (self.replay is not None and not self.replay.left)

    def step(self, steps: int = 1) -> None:
        """Let time go on, and wait until what has arrived is answered.

        Parameters
        ----------
        steps : int
        """
        self._draw(self._advance(steps))

    def inject(self, minutes: int = 60) -> None:
        """Let a row arrive that happened some time ago, with a value like no other.

        Parameters
        ----------
        minutes : int
            How long before the newest row of the first key.

        Raises
        ------
        WorkbenchError
            When nothing has been said yet, or the stream is no replay.
        """
        self._draw(self._late(minutes))

    def kill_and_restart(self) -> None:
        """Stop the query inside a micro-batch, and start it from its checkpoint."""
        self._draw(self._restart())

    def stop(self) -> None:
        """Stop the query, and end playing; the next step goes on from the checkpoint."""
        self._draw(self._end())

    def frame_of(self, key: str, time: Any, number: int = 0) -> pa.Table:
        """Return the rows in the frame of a row, as far as they have been said.

        Parameters
        ----------
        key : str
            As a person reads it.
        time : datetime, numpy.datetime64 or str
            In UTC, as the axis has it.
        number : int
            Which of the key's rows of that time it is, from 0.

        Returns
        -------
        pyarrow.Table
            With what was said of each; of the moment that is shown, where one is shown again.

        Raises
        ------
        WorkbenchError
            When no such row has been said.
        """
        point = SaidRow(key, np.datetime64(time, "us"), number)
        found = self.clicked.frame_of(point, self._said)
        if found is None:
            raise WorkbenchError(f"key, time: no row of {key!r} at {time} has been said.")
        return found.rows

    def list_frame(self, key: str, time: Any, number: int = 0) -> None:
        """List the rows in the frame of a row, as a click on its point does.

        They are listed anew as time goes on, and where another moment is shown.

        Parameters
        ----------
        key, time, number
            As :meth:`frame_of` takes them.
        """
        point = SaidRow(key, np.datetime64(time, "us"), number)
        self.clicked.look(point, self._said, self._by_when)

    def _advance(self, steps: int = 1) -> str:
        with self._lock:
            self._resume()
            for _ in range(steps):
                self._go_on()
                self._catch_up()
                self._keep()
            return self._left()

    def _late(self, minutes: int = 60) -> str:
        if self.replay is None:
            raise WorkbenchError("late event: only a replay takes one; write to your own stream.")
        with self._lock:
            self._resume()
            row = self._late_row(self.replay, minutes)
            self.replay.write([row])
            self.follower.catch_up()
            self._keep()
            changes = self.follower.kinds
            said = ", ".join(f"{count} {op}" for op, count in sorted(changes.items())) or "nothing"
            return f"✓ A row of {row[self.time]:%H:%M} came late; it says {said}."

    def _restart(self) -> str:
        with self._lock:
            self._resume()
            self._go_on()
            inside = self.follower.kill()
            self.follower.start().catch_up()
            self._keep()
            what = "a micro-batch in its middle was begun again" if inside else "nothing was lost"
            return f"✓ Killed, and restarted from the checkpoint: {what}."

    def _end(self) -> str:
        self._playing.clear()
        with self._lock:
            self.follower.stop()
        return f"✓ Ended after {len(self.moments):,} steps; the next one goes on from here."

    def _resume(self) -> None:
        query = self.follower.query
        if query is None or not query.isActive:
            self.follower.start()

    def _go_on(self) -> None:
        if self.replay is not None:
            self.replay.advance(f"{self.speed.value} minutes")

    def _catch_up(self) -> None:
        # To a stream of one's own rows may come for ever: one looks at what has been said by now.
        if self.replay is None:
            self.follower.look()
        else:
            self.follower.catch_up()

    def _left(self) -> str:
        if self.replay is None:
            return f"✓ {len(self.follower.beats):,} micro-batches."
        told = f"✓ {self.replay.left:,} rows are still to come."
        return told if self.replay.left else f"{told} Play it again, from its first step."

    def _keep(self) -> None:
        """Remember what is said now, and offer it again when nothing more is to come."""
        now = f"{self.replay.now.astype('M8[m]')}".replace("T", " ") if self.replay else ""
        at = now or f"micro-batch {max(self.follower.beats, default=0)}"
        self.moments = [*self.moments, Moment(at, self.follower.table, self.follower.last)][-KEPT:]
        self._shown = None

    def _offer(self) -> None:
        """Offer all moments again where nothing more is to come, and none while it goes on."""
        if self.ended and self.moments:
            self.again.offer([moment.at for moment in self.moments])
        elif not self.ended:
            self.again.withdraw()

    def _look_back(self, number: int) -> None:
        """Draw a moment of those that were."""
        with self._lock:
            self._shown = self.moments[number]
            self._picture(f"↺ As it was at {self._shown.at}: {number + 1} of {len(self.moments)}.")

    @property
    def _said(self) -> pa.Table | None:
        return self.follower.table if self._shown is None else self._shown.table

    @property
    def _by_when(self) -> str:
        """By when what is shown was said, in words."""
        return "so far" if self._shown is None else f"by {self._shown.at}"

    @property
    def numbers(self) -> list[tuple[str, str]]:
        """What is counted, and the counts."""
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
        return f"Live view of {self.over!r}: {0 if table is None else len(table):,} rows said"

    def _still(self) -> Markup:
        title = f"Moving quartiles of {self._value()} by {self._key}, as the stream says them"
        return live_svg(self._figure(self._strips()), self.numbers, title)

    def _value(self) -> str:
        return str(self.over.columns[self._band].arguments[0])

    def _clock(self) -> list[tuple[str, str]]:
        """The time that has come, and the watermark: beside it where a replay has a clock."""
        beats = [beat for beat in self.follower.beats.values() if beat.watermark]
        mark = beats[-1].watermark.rstrip("Z") if beats else ""
        known = bool(mark) and np.datetime64(mark, "us") != _NO_MARK
        if self.replay is None:
            return [("watermark", mark.replace("T", " ")[:16] if known else "none yet")]
        lag = _lag(self.replay.now - np.datetime64(mark, "us")) if known else "none yet"
        now = f"{self.replay.now.astype('M8[m]')}".replace("T", " ")
        return [("arrival clock", now), ("watermark behind the clock", lag)]

    def _keys(self) -> list[str]:
        table = self._said
        if table is None:
            return []
        return sorted({str(key) for key in pc.unique(table.column(self._key)).to_pylist()})

    def _strips(self) -> dict[str, Strip]:
        table = self._said
        return {} if table is None else {key: self._strip(table, key) for key in self._drawn()}

    def _drawn(self) -> list[str]:
        return self._keys()[: self.limit]

    def _strip(self, table: pa.Table, key: str) -> Strip:
        rows = rows_of(table, self._key, key).sort_by(self.time)
        times = instants(rows, self.time)
        bands = [one or [np.nan] * 3 for one in rows.column(self._band).to_pylist()]
        revised = np.isin(times, self._revised(key))
        return Strip(times, np.array(bands, np.float64).reshape(-1, 3), revised)

    def _revised(self, key: str) -> Any:
        last = self.follower.last if self._shown is None else self._shown.last
        if last is None or not len(last):
            return np.zeros(0, "M8[us]")
        rows = rows_of(last, self._key, key)
        return instants(rows.filter(pc.equal(rows.column(OP), "+U")), self.time)

    def _figure(self, strips: dict[str, Strip]) -> go.Figure:
        return live_figure(strips, self.time, self._value())

    def _draw(self, said: str) -> None:
        self._offer()
        self._picture(said)

    def _picture(self, said: str) -> None:
        self._strips_drawn = self._strips()
        redraw(self.chart, self._figure(self._strips_drawn))
        self.chart.on_mark(self._mark)
        self.clicked.renew(self._said, self._by_when)
        self.numbers_view.value = _table(self.numbers)
        self._headline()
        self.status.tell(said)

    def _mark(self, trace: Any, k: int) -> None:
        """List the frame of the row of a mark."""
        key, strip = list(self._strips_drawn.items())[trace.meta]
        rows = strip.rows_drawn(trace.name == REVISED)
        # While it plays, marks may have gone before their click is heard of.
        if k < len(rows):
            time = strip.time[rows[k]]
            number = rows[k] - int(np.searchsorted(strip.time, time))
            self.status.guard(lambda: self.list_frame(key, time, number))

    def _headline(self) -> None:
        rows, keys = 0 if self._said is None else len(self._said), self._keys()
        shown = f" {self._key} shown"
        facts = [f"{len(self._drawn()):,} of {len(keys):,}" + shown] if keys else []
        self.entitle(f"Live: moving quartiles of {self._value()}", fact(rows, "row"), *facts)

    def _late_row(self, replay: Replay, minutes: int) -> dict[str, Any]:
        table = self.follower.table
        if table is None or not len(table):
            raise WorkbenchError("late event: nothing has been said yet; make a step first.")
        strip = next(iter(self._strips()))
        rows = rows_of(table, self._key, strip)
        newest = rows.sort_by([(self.time, "descending")]).slice(0, 1).to_pylist()[0]
        row = {name: newest[name] for name in replay.rows.column_names}
        row[self.time] -= np.timedelta64(minutes, "m").item()
        row[self._value()] = type(row[self._value()] or 0)(600)
        return row

    def _clicked(self, work: Callable[[], str], _button: Any) -> None:
        # One micro-batch after the other: a second click would give up the first one.
        if not self.progress.asking:
            self.progress.ask(work, self._draw)

    def _toggled(self, change: dict[str, Any]) -> None:
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
        # While it plays the picture stays as it is, and changes with each micro-batch.
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


def _table(numbers: list[tuple[str, str]]) -> Markup:
    wraps = "white-space:normal"
    rows = (
        element("td", what, style=wraps) + element("td", element("b", count), style=wraps)
        for what, count in numbers
    )
    return element("table", *(element("tr", row) for row in rows), class_="wb-table")


def _lag(behind: np.timedelta64) -> str:
    """How far a watermark is behind, to the minute."""
    minutes = int(behind.astype("m8[m]").astype(int))
    return duration_text(minutes * MINUTE) if minutes else "0 min"


def _time_of(over: "Over", stream: Any) -> str:
    """The time that the call and the stream have in common."""
    given = [stream.time] if isinstance(stream, Replay) else [term.name for term in over.order_by]
    if len(over.partition_by) != 1 or [t.name for t in over.order_by] != given or len(given) != 1:
        along = f"{stream.time!r}" if isinstance(stream, Replay) else "the stream's time"
        raise WorkbenchError(f"over: partition by one column, and order by {along} alone.")
    return given[0]


def _stream(replay: Replay, spark: "SparkSession | None", lateness: str | None) -> "DataFrame":
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema

    spark = spark or SparkSession.active()
    schema = from_arrow_schema(replay.rows.schema)
    rows = spark.readStream.schema(schema).parquet(str(replay.folder.resolve()))
    return rows.withWatermark(quoted(replay.time), lateness or replay.lateness)
