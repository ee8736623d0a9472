"""The progress line of a cell is displayed only for a person who waits."""

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
    """Jobs that are always running."""

    def __enter__(self) -> "FakeJobs":
        return self

    def __exit__(self, *error: object) -> None: ...

    def report(self) -> JobProgress | None:
        return JobProgress(stages=1, tasks=4, done=1, rows=700)

    def cancel(self) -> None: ...


@pytest.fixture
def cell(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A cell run by a person, with the lines that are published in it."""
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


def wait_for_lines(cell: Any, lines: int = 1) -> None:
    """Wait until `lines` more lines are published, at most 20 s."""
    end, wanted = time.monotonic() + 20, len(cell.published) + lines
    while len(cell.published) < wanted and time.monotonic() < end:
        time.sleep(0.01)


def test_a_long_call_has_a_line_that_is_removed_at_its_end(cell: Any) -> None:
    with in_one_sentence(), in_one_sentence():
        wait_for_lines(cell, 2)
    first, *_, last = cell.published
    assert first == ("Spark: stage 1 · 1 of 4 tasks · 700 rows · 0 s", False)
    assert last == ("", True)


def test_work_before_any_job_has_its_message(cell: Any) -> None:
    with cell_message("starting Spark"):
        wait_for_lines(cell)
    assert cell.published[0] == ("starting Spark · 0 s", False)
    assert cell.published[-1] == ("", True)


def test_a_short_call_has_no_line(cell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # A busy machine may take a while for any call.
    monkeypatch.setattr(module, "PATIENCE", 60)
    with in_one_sentence():
        pass
    assert cell.published == []


def test_calls_of_one_cell_share_a_line(cell: Any) -> None:
    for _ in range(3):
        with in_one_sentence():
            wait_for_lines(cell)
    assert [update for _, update in cell.published].count(False) == 1
    assert [words for words, _ in cell.published].count("") == 3


def test_the_line_of_a_call_that_fails_is_removed(cell: Any) -> None:
    @in_one_sentence()
    def fails() -> None:
        wait_for_lines(cell)
        raise RuntimeError("SparkContext was shut down")

    with pytest.raises(JobError):
        fails()
    assert cell.published[-1] == ("", True)


NOT_A_PERSON = [
    {"content": {"allow_stdin": False}},  # a notebook that a program runs
    {"content": {}, "header": {"msg_type": "comm_msg", "msg_id": "2"}},  # a control
]


@pytest.mark.parametrize("change", NOT_A_PERSON, ids=["a program", "a control"])
def test_cells_that_no_person_runs_have_no_line(cell: Any, change: dict[str, Any]) -> None:
    cell.message.update(change)
    with in_one_sentence():
        time.sleep(0.1)
    assert cell.published == []


def test_a_terminal_has_no_line(
    cell: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "shell", lambda: SimpleNamespace())  # IPython without a kernel
    with in_one_sentence():
        time.sleep(0.1)
    assert cell.published == []
    assert capsys.readouterr() == ("", "")
