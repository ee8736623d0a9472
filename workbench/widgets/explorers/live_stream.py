"""A stream of windows while it runs: a moving band that is revised as late rows come."""

import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets
import numpy as np
import plotly.graph_objects as go
import pyarrow as pa
import pyarrow.compute as pc

from workbench.columnar.key_codes import as_array
from workbench.errors import WorkbenchError
from workbench.figures.live import Strip, live_figure, live_svg
from workbench.figures.markup import Markup, element
from workbench.lessons.follow import Follower
from workbench.widgets.explorers.explorer import Stilled
from workbench.widgets.html import HTML, Status
from workbench.widgets.redraw import redraw
from workbench.windows.bands.call import band_of
from workbench.windows.stream.worker.update import OP

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.lessons.replay import Replay
    from workbench.windows.over import Over

#: How many minutes of the stream pass in a step, by the speed slider.
SPEEDS = (15, 30, 60, 120, 240)


class LiveStream(Stilled, widgets.VBox):  # type: ignore[misc]
    """A replayed table as a stream, and a moving band over it that is kept up to date.

    Parameters
    ----------
    over : Over
        A band by key: ``quantile`` of three shares, partitioned by one column, ordered by the
        replay's time.
    replay : Replay
    spark : pyspark.sql.SparkSession
    lateness : str
        How far behind the newest row the watermark follows.
    limit : int
        The most keys that are drawn.

    Attributes
    ----------
    follower : Follower
        The query; its ``table`` is what has been said so far.

    Raises
    ------
    WorkbenchError
        When the call does not go along the replay's time.
    """

    def __init__(
        self, over: "Over", replay: "Replay", spark: "SparkSession", lateness: str = "3 hours",
        limit: int = 4,
    ) -> None:  # fmt: skip
        if len(over.partition_by) != 1 or [t.name for t in over.order_by] != [replay.time]:
            raise WorkbenchError(
                f"over: partition by one column, and order by {replay.time!r} alone."
            )
        self.over, self.replay, self.limit = over, replay, limit
        self._key, self._band = over.partition_by[0], band_of(over)
        self._lock, self._playing = threading.RLock(), threading.Event()
        stream = _stream(spark, replay).withWatermark(replay.time, lateness)
        self._checkpoint = tempfile.TemporaryDirectory(prefix="window-workbench-live-")
        changes = over.run(stream, emit="on update")
        self.follower = Follower(changes, Path(self._checkpoint.name)).start()
        self.play_button = widgets.ToggleButton(description="Play", icon="play")
        self.step_button = widgets.Button(description="Step")
        self.late_button = widgets.Button(description="Late event")
        self.kill_button = widgets.Button(description="Kill and restart", button_style="warning")
        self.speed = widgets.SelectionSlider(
            options=[(f"{minutes} min", minutes) for minutes in SPEEDS], value=60,
            description="A step is",
        )  # fmt: skip
        self.status, self.numbers_view = Status(), HTML()
        self.chart = go.FigureWidget(self._figure())
        self.play_button.observe(self._toggled, names="value")
        self.step_button.on_click(lambda _: self._clicked(self.step))
        self.late_button.on_click(lambda _: self._clicked(self.inject))
        self.kill_button.on_click(lambda _: self._clicked(self.kill_and_restart))
        buttons = [self.play_button, self.step_button, self.late_button, self.kill_button]
        body = widgets.HBox([self.chart, self.numbers_view])
        super().__init__([widgets.HBox([*buttons, self.speed]), self.status, body])

    def step(self, steps: int = 1) -> None:
        """Let time go on, and wait until what has arrived is answered.

        Parameters
        ----------
        steps : int
        """
        with self._lock:
            self._resume()
            for _ in range(steps):
                self.replay.advance(f"{self.speed.value} minutes")
                self.follower.catch_up()
            self._draw(f"✓ {self.replay.left:,} rows are still to come.")

    def inject(self, minutes: int = 60) -> None:
        """Let a row arrive that happened some time ago, with a value like no other.

        Parameters
        ----------
        minutes : int
            How long before the newest row of the first key.
        """
        with self._lock:
            self._resume()
            row = self._late_row(minutes)
            self.replay.write([row])
            self.follower.catch_up()
            changes = self.follower.kinds
            said = ", ".join(f"{count} {op}" for op, count in sorted(changes.items())) or "nothing"
            self._draw(f"✓ A row of {row[self.replay.time]:%H:%M} came late; it says {said}.")

    def kill_and_restart(self) -> None:
        """Stop the query inside a micro-batch, and start it from its checkpoint."""
        with self._lock:
            self.replay.advance(f"{self.speed.value} minutes")
            inside = self.follower.kill()
            self.follower.start().catch_up()
            what = "a micro-batch in its middle was begun again" if inside else "nothing was lost"
            self._draw(f"✓ Killed, and restarted from the checkpoint: {what}.")

    def stop(self) -> None:
        """Stop the query, and end playing; the next step goes on from the checkpoint."""
        self._playing.clear()
        with self._lock:
            self.follower.stop()

    def _resume(self) -> None:
        query = self.follower.query
        if query is None or not query.isActive:
            self.follower.start()

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
            ("arrival clock", f"{self.replay.now.astype('M8[m]')}".replace("T", " ")),
            ("input rate", f"{rate:,.0f} rows/s"),
            ("rows held as state", f"{follower.count('rows_held'):,}"),
            ("watermark behind the clock", self._lag(last.watermark if last else "")),
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
        return live_svg(self._figure(), self.numbers, title)

    def _value(self) -> str:
        return str(self.over.columns[self._band].arguments[0])

    def _lag(self, watermark: str) -> str:
        if not watermark or watermark.startswith("1970"):
            return "none yet"
        minutes = (self.replay.now - np.datetime64(watermark.rstrip("Z"), "us")).astype("m8[m]")
        return f"{minutes.astype(int)} min"

    def _strips(self) -> dict[str, Strip]:
        table = self.follower.table
        if table is None or not len(table):
            return {}
        keys = sorted({str(key) for key in pc.unique(table.column(self._key)).to_pylist()})
        return {key: self._strip(table, key) for key in keys[: self.limit]}

    def _strip(self, table: pa.Table, key: str) -> Strip:
        rows = table.filter(pc.equal(table.column(self._key).cast(pa.string()), key))
        rows = rows.sort_by(self.replay.time)
        instants = _instants(rows, self.replay.time)
        bands = [one or [np.nan] * 3 for one in rows.column(self._band).to_pylist()]
        revised = np.isin(instants, self._revised(key))
        return Strip(instants, np.array(bands, np.float64).reshape(-1, 3), revised)

    def _revised(self, key: str) -> Any:
        last = self.follower.last
        if last is None or not len(last):
            return np.zeros(0, "M8[us]")
        is_key = pc.equal(last.column(self._key).cast(pa.string()), key)
        return _instants(last.filter(pc.and_(is_key, pc.equal(last.column(OP), "+U"))),
                         self.replay.time)  # fmt: skip

    def _figure(self) -> go.Figure:
        figure = live_figure(self._strips(), self.replay.time, self._value())
        return figure.update_layout(width=640)

    def _draw(self, said: str) -> None:
        figure = self._figure()
        if len(figure.data) == len(self.chart.data):
            redraw(self.chart, figure)
        else:
            with self.chart.batch_update():
                self.chart.data = []
                self.chart.add_traces(figure.data)
                self.chart.update_layout(figure.layout)
        self.numbers_view.value = _table(self.numbers)
        self.status.tell(said)

    def _late_row(self, minutes: int) -> dict[str, Any]:
        table = self.follower.table
        if table is None or not len(table):
            raise WorkbenchError("late event: nothing has been said yet; make a step first.")
        strip = next(iter(self._strips()))
        rows = table.filter(pc.equal(table.column(self._key).cast(pa.string()), strip))
        newest = rows.sort_by([(self.replay.time, "descending")]).slice(0, 1).to_pylist()[0]
        row = {name: newest[name] for name in self.replay.rows.column_names}
        row[self.replay.time] -= np.timedelta64(minutes, "m").item()
        row[self._value()] = type(row[self._value()] or 0)(600)
        return row

    def _clicked(self, work: Any) -> None:
        # A micro-batch takes a second or more: a click is to be seen at once.
        self.status.tell("… a micro-batch runs")
        self.status.guard(work)

    def _toggled(self, change: Any) -> None:
        self.play_button.description = "Pause" if change["new"] else "Play"
        self.play_button.icon = "pause" if change["new"] else "play"
        if change["new"]:
            self._playing.set()
            threading.Thread(target=self._play, daemon=True).start()
        else:
            self._playing.clear()

    def _play(self) -> None:
        while self._playing.is_set() and self.replay.left:
            self.status.guard(self.step)
            time.sleep(0.1)
        self.play_button.value = False


def _table(numbers: list[tuple[str, str]]) -> Markup:
    rows = (
        element("td", what) + element("td", element("b", count), style="text-align:right")
        for what, count in numbers
    )
    return element("table", *(element("tr", row) for row in rows), style="line-height:1.5")


def _instants(rows: pa.Table, name: str) -> Any:
    times = as_array(rows.column(name))
    return np.asarray(times.cast(pa.timestamp("us", times.type.tz)).cast(pa.int64())).view("M8[us]")


def _stream(spark: "SparkSession", replay: "Replay") -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    schema = from_arrow_schema(replay.rows.schema)
    return spark.readStream.schema(schema).parquet(str(replay.folder.resolve()))
