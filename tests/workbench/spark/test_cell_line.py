"""The quiet line of a cell: for a person who waits, and for nobody else."""

import time
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.errors import JobError
from workbench.spark import cell_line as module
from workbench.spark.cell_line import cell_message
from workbench.spark.jobs import in_one_sentence
from workbench.spark.running import JobProgress

Published = list[tuple[str, bool]]


class FakeJobs:
    """Jobs that are on their way as long as they are asked."""

    def __enter__(self) -> "FakeJobs":
        return self

    def __exit__(self, *error: object) -> None: ...

    def report(self) -> JobProgress | None:
        return JobProgress(stages=1, tasks=4, done=1, rows=700)

    def cancel(self) -> None: ...


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A cell that a person runs, and what is published in it."""
    published: Published = []

    def publish(data: dict[str, str], transient: Any, update: bool) -> None:
        published.append((data["text/plain"], update))

    content = {"allow_stdin": True}
    message = {"header": {"msg_type": "execute_request", "msg_id": "1"}, "content": content}
    kernel = SimpleNamespace(get_parent=lambda: message)
    shell = SimpleNamespace(kernel=kernel, display_pub=SimpleNamespace(publish=publish))
    monkeypatch.setattr(module, "shell", lambda: shell)
    monkeypatch.setattr(module, "_active_session", object)
    monkeypatch.setattr(module, "jobs_of", lambda _: FakeJobs())
    monkeypatch.setattr(module, "PATIENCE", 0.05)
    monkeypatch.setattr(module, "GLANCE", 0.02)
    monkeypatch.setattr(module, "EVERY", 0.02)
    monkeypatch.setattr(module, "_current_line", module.CellLine("", print))
    return SimpleNamespace(published=published, message=message)


def lasting(cell: Any, lines: int = 1) -> None:
    """Take so long that there are so many more lines: other work on the machine may be first."""
    end, wanted = time.monotonic() + 20, len(cell.published) + lines
    while len(cell.published) < wanted and time.monotonic() < end:
        time.sleep(0.01)


def test_a_call_that_takes_long_has_a_line_that_is_gone_at_its_end(cell: Any) -> None:
    with in_one_sentence(), in_one_sentence():
        lasting(cell, 2)
    first, *_, last = cell.published
    assert first == ("Spark: stage 1 · 1 of 4 tasks · 700 rows · 0 s", False)
    assert last == ("", True)


def test_what_comes_before_any_job_says_what_it_is(cell: Any) -> None:
    with cell_message("starting Spark"):
        lasting(cell)
    assert cell.published[0] == ("starting Spark · 0 s", False)
    assert cell.published[-1] == ("", True)


def test_a_short_call_has_none(cell: Any) -> None:
    with in_one_sentence():
        pass
    assert cell.published == []


def test_calls_of_one_cell_count_together_and_share_their_line(cell: Any) -> None:
    for _ in range(3):
        with in_one_sentence():
            lasting(cell)
    assert [update for _, update in cell.published].count(False) == 1
    assert [words for words, _ in cell.published].count("") == 3


def test_a_call_that_fails_takes_its_line_away(cell: Any) -> None:
    @in_one_sentence()
    def fails() -> None:
        lasting(cell)
        raise RuntimeError("SparkContext was shut down")

    with pytest.raises(JobError):
        fails()
    assert cell.published[-1] == ("", True)


NOBODY = [
    {"content": {"allow_stdin": False}},  # a notebook that a program runs
    {"content": {}, "header": {"msg_type": "comm_msg", "msg_id": "2"}},  # a control
]


@pytest.mark.parametrize("change", NOBODY, ids=["a program", "a control"])
def test_nobody_else_is_told(cell: Any, change: dict[str, Any]) -> None:
    cell.message.update(change)
    with in_one_sentence():
        time.sleep(0.1)
    assert cell.published == []


def test_a_terminal_is_told_nothing(
    cell: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "shell", lambda: SimpleNamespace())  # IPython without a kernel
    with in_one_sentence():
        time.sleep(0.1)
    assert cell.published == []
    assert capsys.readouterr() == ("", "")
