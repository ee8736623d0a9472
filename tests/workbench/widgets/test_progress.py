"""Questions of an explorer: the newest counts, each can be stopped, none holds the kernel."""

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

LONG = 20.0  # seconds: what is late is not wrong


class FakeJobs:
    """Jobs of no Spark: they say what they are told to, and remember that they were stopped."""

    def __init__(self, spark: "FakeSpark") -> None:
        self._spark = spark

    def __enter__(self) -> "FakeJobs":
        return self

    def __exit__(self, *error: object) -> None: ...

    def report(self) -> JobProgress | None:
        self._spark.looked_at.set()
        return self._spark.report

    def cancel(self) -> None:
        self._spark.cancelled.set()


class FakeSpark:
    """A session whose query goes on until it is let go, or stopped."""

    def __init__(self) -> None:
        self.report: JobProgress | None = JobProgress(stages=2, tasks=8, done=2, rows=4_000)
        self.looked_at, self.cancelled = threading.Event(), threading.Event()
        self.let_go, self.begun = threading.Event(), threading.Event()

    def getTags(self) -> set[str]:  # noqa: N802 (as Spark calls it)
        return set()

    def query(self) -> str:
        self.begun.set()
        while not self.let_go.wait(0.01):
            if self.cancelled.is_set():
                raise RuntimeError("Job 3 cancelled part of cancelled job tags")
        return "late"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSpark]:
    """A session whose jobs are looked at, in a notebook where somebody moves controls."""
    fake = FakeSpark()
    monkeypatch.setattr(module, "jobs_of", FakeJobs)
    monkeypatch.setattr(module, "GLANCE", 0.01)
    monkeypatch.setattr(module, "EVERY", 0.01)
    monkeypatch.setattr(module, "request", lambda: {"header": {"msg_type": "comm_msg"}})
    yield fake
    fake.let_go.set()


class Asked:
    """A picture, a status and the progress of what is asked."""

    def __init__(self, spark: Any) -> None:
        self.picture, self.status, self.shown = widgets.VBox(), Status(), [""][:0]
        self.progress = Progress(lambda: spark, self.status, self.picture)

    def ask(self, compute: Any) -> None:
        self.progress.ask(compute, self.shown.append)

    @property
    def dimmed(self) -> bool:
        return ASKING in self.picture._dom_classes


def test_a_question_leaves_the_kernel_free_and_is_seen_to_be_asked(fake: FakeSpark) -> None:
    asked = Asked(fake)
    asked.ask(fake.query)
    assert fake.begun.wait(LONG)
    assert asked.progress.asking
    fake.looked_at.clear()
    assert fake.looked_at.wait(LONG)
    fake.looked_at.clear()
    assert fake.looked_at.wait(LONG)  # the first look has been told by now
    assert asked.dimmed
    assert "stage 2 · 2 of 8 tasks · 4,000 rows · 0 s" in asked.progress.text.value
    assert "width:25%" in asked.progress.text.value
    assert (asked.progress.layout.display, asked.status.layout.display) == (None, "none")
    fake.let_go.set()
    asked.progress.wait(LONG)
    assert (asked.shown, asked.dimmed, asked.progress.asking) == (["late"], False, False)
    assert (asked.progress.layout.display, asked.status.layout.display) == ("none", None)


def test_a_newer_question_takes_the_place_of_the_older(fake: FakeSpark) -> None:
    asked = Asked(fake)
    asked.ask(fake.query)
    assert fake.begun.wait(LONG)
    asked.ask(lambda: "newer")
    asked.progress.wait(LONG)
    assert fake.cancelled.is_set()
    assert asked.shown == ["newer"]
    assert asked.status.value == ""


def test_a_question_that_is_stopped_leaves_the_last_picture_and_says_so(fake: FakeSpark) -> None:
    asked = Asked(fake)
    asked.ask(fake.query)
    assert fake.begun.wait(LONG)
    asked.progress.button.click()
    asked.progress.wait(LONG)
    assert fake.cancelled.is_set()
    assert (asked.shown, asked.dimmed) == ([], False)
    assert (STOPPED in asked.progress.text.value, asked.status.value) == (True, "")
    assert asked.progress.button.description == "Ask again"
    fake.cancelled.clear()
    fake.let_go.set()
    asked.progress.button.click()
    asked.progress.wait(LONG)
    assert asked.shown == ["late"]
    assert asked.progress.layout.display == "none"


def test_a_job_that_begins_after_the_stop_is_stopped_too(fake: FakeSpark) -> None:
    asked, second = Asked(fake), threading.Event()

    def two_jobs() -> str:
        fake.begun.set()
        fake.cancelled.wait(LONG)
        fake.cancelled.clear()
        second.set()
        return fake.query()

    asked.ask(two_jobs)
    assert fake.begun.wait(LONG)
    asked.progress.stop()
    assert second.wait(LONG)
    asked.progress.wait(LONG)
    assert asked.shown == []


def test_a_failure_is_its_one_sentence(fake: FakeSpark) -> None:
    asked = Asked(fake)

    def fails() -> str:
        raise WorkbenchError("window: '1' has no unit; give one.")

    asked.ask(fails)
    asked.progress.wait(LONG)
    assert "window: '1' has no unit; give one." in unescape(asked.status.value)
    asked.ask(lambda: "next")
    asked.progress.wait(LONG)
    assert asked.shown == ["next"]


def test_a_session_that_is_gone_is_a_sentence(
    fake: FakeSpark, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(fake)

    def gone(_spark: object) -> FakeJobs:
        raise RuntimeError("SparkContext was shut down")

    monkeypatch.setattr(module, "jobs_of", gone)
    asked.ask(fake.query)
    asked.progress.wait(LONG)
    assert "the session was stopped; start one with wb.session()." in asked.status.value
    assert asked.progress.layout.display == "none"


def test_a_line_of_python_has_its_answer_when_it_is_done(
    fake: FakeSpark, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked(fake)
    asked.ask(fake.query)
    assert fake.begun.wait(LONG)
    monkeypatch.setattr(module, "request", dict)
    asked.ask(lambda: "here and now")
    assert asked.shown == ["here and now"]


@pytest.mark.parametrize("own", [True, False], ids=["the same", "another"])
def test_what_is_shown_may_ask_for_more_and_waits_for_it(fake: FakeSpark, own: bool) -> None:
    first = Asked(fake)
    second = first if own else Asked(fake)
    first.progress.ask(lambda: "first", lambda _: second.ask(lambda: "of the first"))
    first.progress.wait(LONG)
    assert second.shown == ["of the first"]
    assert not first.dimmed
