"""Questions of an explorer: the newest counts, each can be stopped, none blocks the kernel."""

import threading
from collections.abc import Iterator
from html import unescape
from typing import Any

import ipywidgets as widgets
import pytest

from workbench.errors import WorkbenchError
from workbench.spark.running import JobProgress
from workbench.widgets import progress as module
from workbench.widgets.html import Status
from workbench.widgets.progress import ASKING, STOPPED, Progress

LONG = 20.0  # seconds: an answer that is late is not wrong


class FakeJobs:
    """Jobs without Spark, which report what they are given, and record that they were cancelled."""

    def __init__(self, spark: "FakeSpark") -> None:
        self._spark = spark

    def __enter__(self) -> "FakeJobs":
        return self

    def __exit__(self, *error: object) -> None: ...

    def report(self) -> JobProgress | None:
        self._spark.polled.set()
        return self._spark.report

    def cancel(self) -> None:
        self._spark.cancelled.set()


class FakeSpark:
    """A session whose query runs until it is released or cancelled."""

    def __init__(self) -> None:
        self.report: JobProgress | None = JobProgress(stages=2, tasks=8, done=2, rows=4_000)
        self.polled, self.cancelled = threading.Event(), threading.Event()
        self.released, self.started = threading.Event(), threading.Event()

    def getTags(self) -> set[str]:  # noqa: N802 (as Spark calls it)
        return set()

    def query(self) -> str:
        self.started.set()
        while not self.released.wait(0.01):
            if self.cancelled.is_set():
                raise RuntimeError("Job 3 cancelled part of cancelled job tags")
        return "late"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSpark]:
    """A session whose jobs are polled, in a notebook where a user moves controls."""
    fake = FakeSpark()
    monkeypatch.setattr(module, "jobs_of", FakeJobs)
    monkeypatch.setattr(module, "GLANCE", 0.01)
    monkeypatch.setattr(module, "EVERY", 0.01)
    monkeypatch.setattr(module, "request", lambda: {"header": {"msg_type": "comm_msg"}})
    yield fake
    fake.released.set()


class FakeExplorer:
    """A picture, a status and the progress of its questions."""

    def __init__(self, spark: Any) -> None:
        self.picture, self.status, self.shown = widgets.VBox(), Status(), [""][:0]
        self.progress = Progress(lambda: spark, self.status, self.picture)

    def ask(self, compute: Any) -> None:
        self.progress.ask(compute, self.shown.append)

    @property
    def dimmed(self) -> bool:
        return ASKING in self.picture._dom_classes


def test_a_question_leaves_the_kernel_free_and_shows_its_progress(fake: FakeSpark) -> None:
    explorer = FakeExplorer(fake)
    explorer.ask(fake.query)
    assert fake.started.wait(LONG)
    assert explorer.progress.asking
    fake.polled.clear()
    assert fake.polled.wait(LONG)
    fake.polled.clear()
    assert fake.polled.wait(LONG)  # the first report is shown by now
    assert explorer.dimmed
    assert "stage 2 · 2 of 8 tasks · 4,000 rows · 0 s" in explorer.progress.text.value
    assert "width:25%" in explorer.progress.text.value
    assert (explorer.progress.layout.display, explorer.status.layout.display) == (None, "none")
    fake.released.set()
    explorer.progress.wait(LONG)
    assert (explorer.shown, explorer.dimmed, explorer.progress.asking) == (["late"], False, False)
    assert (explorer.progress.layout.display, explorer.status.layout.display) == ("none", None)


def test_a_newer_question_replaces_the_older_one(fake: FakeSpark) -> None:
    explorer = FakeExplorer(fake)
    explorer.ask(fake.query)
    assert fake.started.wait(LONG)
    explorer.ask(lambda: "newer")
    explorer.progress.wait(LONG)
    assert fake.cancelled.is_set()
    assert explorer.shown == ["newer"]
    assert explorer.status.value == ""


def test_a_question_that_is_stopped_leaves_the_last_picture_and_says_so(fake: FakeSpark) -> None:
    explorer = FakeExplorer(fake)
    explorer.ask(fake.query)
    assert fake.started.wait(LONG)
    explorer.progress.button.click()
    explorer.progress.wait(LONG)
    assert fake.cancelled.is_set()
    assert (explorer.shown, explorer.dimmed) == ([], False)
    assert (STOPPED in explorer.progress.text.value, explorer.status.value) == (True, "")
    assert explorer.progress.button.description == "Ask again"
    fake.cancelled.clear()
    fake.released.set()
    explorer.progress.button.click()
    explorer.progress.wait(LONG)
    assert explorer.shown == ["late"]
    assert explorer.progress.layout.display == "none"


def test_a_job_that_begins_after_the_stop_is_stopped_too(fake: FakeSpark) -> None:
    explorer, second = FakeExplorer(fake), threading.Event()

    def two_jobs() -> str:
        fake.started.set()
        fake.cancelled.wait(LONG)
        fake.cancelled.clear()
        second.set()
        return fake.query()

    explorer.ask(two_jobs)
    assert fake.started.wait(LONG)
    explorer.progress.stop()
    assert second.wait(LONG)
    explorer.progress.wait(LONG)
    assert explorer.shown == []


def test_a_failure_is_one_sentence(fake: FakeSpark) -> None:
    explorer = FakeExplorer(fake)

    def fails() -> str:
        raise WorkbenchError("window: '1' has no unit; give one.")

    explorer.ask(fails)
    explorer.progress.wait(LONG)
    assert "window: '1' has no unit; give one." in unescape(explorer.status.value)
    explorer.ask(lambda: "next")
    explorer.progress.wait(LONG)
    assert explorer.shown == ["next"]


def test_a_session_that_has_ended_is_a_sentence(
    fake: FakeSpark, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = FakeExplorer(fake)

    def gone(_spark: object) -> FakeJobs:
        raise RuntimeError("SparkContext was shut down")

    monkeypatch.setattr(module, "jobs_of", gone)
    explorer.ask(fake.query)
    explorer.progress.wait(LONG)
    assert "the session was stopped; start one with wb.session()." in explorer.status.value
    assert explorer.progress.layout.display == "none"


def test_a_line_of_python_returns_with_its_answer(
    fake: FakeSpark, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = FakeExplorer(fake)
    explorer.ask(fake.query)
    assert fake.started.wait(LONG)
    monkeypatch.setattr(module, "request", dict)
    explorer.ask(lambda: "here and now")
    assert explorer.shown == ["here and now"]


@pytest.mark.parametrize("same", [True, False], ids=["the same", "another"])
def test_showing_an_answer_may_ask_again_and_both_answers_are_awaited(
    fake: FakeSpark, same: bool
) -> None:
    first = FakeExplorer(fake)
    second = first if same else FakeExplorer(fake)
    first.progress.ask(lambda: "first", lambda _: second.ask(lambda: "of the first"))
    first.progress.wait(LONG)
    assert second.shown == ["of the first"]
    assert not first.dimmed
