"""The progress of an explorer's question, with a button that stops it; the kernel stays free."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import ipywidgets as widgets

from workbench.markup import Markup, element, stylesheet
from workbench.spark.cell_line import request, without_cell_line
from workbench.spark.running import JobProgress, Jobs, jobs_of, reporting
from workbench.widgets.html import HTML, Status

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Seconds until the progress of a question is shown, and between two updates of it.
GLANCE, EVERY = 0.3, 0.3
#: The CSS class of a widget while it shows the answer to the question before.
ASKING = "wb-asking"
STOPPED = "Stopped: the previous answer is still shown."
STYLE = stylesheet(
    ".wb-progress{display:flex;align-items:center;gap:10px;font-variant-numeric:tabular-nums}"
    ".wb-bar{flex:0 0 140px;height:6px;border-radius:3px;overflow:hidden;"
    "background:var(--wb-rule,#dfe2e7)}"
    # A card dims its content by itself.
    ".wb-asking:not(.wb-card){opacity:.4}"
    ".wb-bar i{display:block;height:100%;background:var(--wb-blue,#0072b2);transition:width .3s}"
)


_local = threading.local()


class PendingQuestion:
    """A question that is computed on its own thread, until it is answered or given up."""

    def __init__(self, compute: Callable[[], Any], show: Callable[[Any], object]) -> None:
        self.compute, self.show = compute, show
        self.given_up = threading.Event()
        self.jobs: Jobs | None = None

    def give_up(self) -> None:
        """Stop its Spark jobs; its answer is not shown."""
        self.given_up.set()
        self.cancel()

    def cancel(self) -> None:
        """Stop the jobs that run now; a job that starts later must be stopped again."""
        if self.jobs is not None:
            # A session that has ended has nothing to stop.
            with suppress(Exception):
                self.jobs.cancel()


class Progress(widgets.HBox):  # type: ignore[misc]
    """Computes the answers to an explorer's questions: one at a time, the newest one.

    A question that comes from a control in a browser is computed on a thread, so that the kernel is
    free for other cells. One that comes from a line of Python is answered before that line ends.

    Parameters
    ----------
    session : function
        Returns the session whose jobs are watched and stopped.
    status : Status
        Shows why a question failed.
    *pictures : widgets
        The widgets that are dimmed while a question is computed.
    jobs : function, optional
        Returns the jobs of the next question; without it, those that its thread starts.

    Examples
    --------
    >>> import workbench as wb
    >>> progress = Progress(wb.session, Status())
    >>> progress.ask(lambda: 6 * 7, print)
    42
    True
    >>> progress.asking
    False
    """

    def __init__(
        self, session: "Callable[[], SparkSession]", status: Status, *pictures: Any,
        jobs: Callable[[], Jobs] | None = None,
    ) -> None:  # fmt: skip
        self._session, self._status, self.pictures = session, status, pictures
        self._jobs = jobs or (lambda: jobs_of(session()))
        self.text = HTML()
        # The words beside it may wrap; its own would be cut.
        whole = {"width": "auto", "flex": "0 0 auto"}
        self.button = widgets.Button(description="Stop", icon="stop", layout=whole)
        self.button.on_click(lambda _button: self._clicked())
        self._newest: PendingQuestion | None = None
        self._thread: threading.Thread | None = None
        self._answer_lock, self._display_lock = threading.RLock(), threading.Lock()
        layout = {"display": "none", "padding": "2px 16px", "align_items": "center"}
        super().__init__([self.text, self.button], layout=layout)

    @property
    def asking(self) -> bool:
        """Whether there is a question that is neither answered nor given up."""
        thread, newest = self._thread, self._newest
        alive = thread is not None and thread.is_alive()
        return alive and newest is not None and not newest.given_up.is_set()

    def ask(self, compute: Callable[[], Any], show: Callable[[Any], object]) -> bool:
        """Ask a question, and give up the one before if it is not answered yet.

        Parameters
        ----------
        compute : function
            Returns the answer; it must not change any widget.
        show : function
            Shows the answer.

        Returns
        -------
        bool
            False if it failed at once; the status says why.
        """
        question = PendingQuestion(compute, show)
        if threading.current_thread() is self._thread:
            # Showing an answer asks a question itself, such as for the list next to a chart.
            return self._answer(question)
        before, self._newest = self._newest, question
        if before is not None:
            before.give_up()
        if not _is_browser_event():
            with self._answer_lock:
                done = self._answer(question)
            self._show_idle()
            return done
        return self._status.guard(lambda: self._start(question))

    def ask_here(self, compute: Callable[[], Any], show: Callable[[Any], object]) -> bool:
        """Ask a question in this thread, which is the caller's own and asks one after the other.

        Parameters
        ----------
        compute, show : function
            As in :meth:`ask`.

        Returns
        -------
        bool
            False if it was given up.
        """
        question = self._newest = PendingQuestion(compute, show)
        self._thread = threading.current_thread()
        self._work(question)
        return not question.given_up.is_set()

    def stop(self) -> None:
        """Give up the question; the drawing stays, and a text next to the button says so."""
        if self.asking and self._newest is not None:
            self._newest.give_up()
            self._show_idle(again=True)
            self._status.value = Markup()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until the question is answered or given up."""
        if self._thread is not None:
            self._thread.join(seconds)

    def _clicked(self) -> None:
        newest = self._newest
        if self.asking:
            self.stop()
        elif newest is not None:
            self.ask(newest.compute, newest.show)

    def _start(self, question: PendingQuestion) -> None:
        from pyspark import InheritableThread

        self._thread = InheritableThread(
            target=self._work, args=(question,), session=self._session(), daemon=True
        )
        self._thread.start()

    def _work(self, question: PendingQuestion) -> None:
        """Compute the answer in this thread, once the question before has ended."""
        _local.answers = True
        with self._answer_lock, without_cell_line():
            if question.given_up.is_set():
                return
            # A session that has ended has no jobs to watch: the status shows that error, too.
            self._status.guard(lambda: self._watch(question))
            if not question.given_up.is_set():
                self._show_idle()

    def _watch(self, question: PendingQuestion) -> None:
        jobs = question.jobs = self._jobs()
        with jobs, reporting(jobs, lambda *how: self._show_progress(question, *how), GLANCE, EVERY):
            self._answer(question)

    def _answer(self, question: PendingQuestion) -> bool:
        """Compute the answer and show it, unless it is given up meanwhile."""

        def answer() -> None:
            try:
                result = question.compute()
            except Exception:
                # Spark reports stopped jobs as failed.
                if question.given_up.is_set():
                    return
                raise
            if not question.given_up.is_set():
                question.show(result)

        return self._status.guard(answer)

    def _show_progress(
        self, question: PendingQuestion, report: JobProgress | None, seconds: float
    ) -> None:
        with self._display_lock:
            if question.given_up.is_set():
                question.cancel()
                return
            for picture in self.pictures:
                picture.add_class(ASKING)
            self.button.description, self.button.icon = "Stop", "stop"
            self.text.value = _progress_markup(report, seconds)
            # In place of the status, so that the picture does not move.
            self._status.layout.display, self.layout.display = "none", None

    def _show_idle(self, again: bool = False) -> None:
        """End the display of progress; with ``again``, offer to ask the stopped question again."""
        stopped = element("div", STOPPED, role="status")
        with self._display_lock:
            for picture in self.pictures:
                picture.remove_class(ASKING)
            self.text.value, self._status.layout.display = stopped if again else Markup(), None
            self.button.description, self.button.icon = "Ask again", "refresh"
            self.layout.display = None if again else "none"


def _is_browser_event() -> bool:
    """Whether a control in a browser asks, not a line of Python or the drawing of an answer."""
    if getattr(_local, "answers", False):
        return False
    return bool(request().get("header", {}).get("msg_type") == "comm_msg")


def _progress_markup(report: JobProgress | None, seconds: float) -> Markup:
    words = "waiting for Spark" if report is None else report.words
    share = 0 if report is None else round(100 * report.share)
    bar = element("span", element("i", style=f"width:{share}%"), class_="wb-bar")
    text_span = element("span", f"{words} · {seconds:.0f} s")
    return STYLE + element("div", bar, text_span, class_="wb-progress", role="status")
