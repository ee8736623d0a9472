"""How far an explorer's question is, with a button that stops it; the kernel stays free."""

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

#: Seconds until a question that is not answered is seen to be asked, and from one look to the next.
GLANCE, EVERY = 0.3, 0.3
#: What is put on a widget while it shows the answer to the question before.
ASKING = "wb-asking"
STOPPED = "Stopped: what is drawn is the answer before."
STYLE = stylesheet(
    ".wb-progress{display:flex;align-items:center;gap:10px;font-variant-numeric:tabular-nums}"
    ".wb-bar{flex:0 0 140px;height:6px;border-radius:3px;overflow:hidden;"
    "background:var(--wb-rule,#dfe2e7)}"
    # A card dims what it shows by itself.
    ".wb-asking:not(.wb-card){opacity:.4}"
    ".wb-bar i{display:block;height:100%;background:var(--wb-blue,#0072b2);transition:width .3s}"
)


_here = threading.local()


class Asking:
    """One question that is asked on a thread of its own, until it is answered or given up."""

    def __init__(self, compute: Callable[[], Any], show: Callable[[Any], object]) -> None:
        self.compute, self.show = compute, show
        self.given_up = threading.Event()
        self.jobs: Jobs | None = None

    def give_up(self) -> None:
        """Stop what it has Spark do; its answer is not shown."""
        self.given_up.set()
        self.cancel()

    def cancel(self) -> None:
        """Stop the jobs that run now: one that comes after needs another word."""
        if self.jobs is not None:
            # Of a session that is gone there is nothing to stop.
            with suppress(Exception):
                self.jobs.cancel()


class Progress(widgets.HBox):  # type: ignore[misc]
    """Asks what an explorer wants to know: one question at a time, the newest one.

    A question that a person asks by a control, in a browser, is asked on a thread, and the kernel
    is free for other cells. One that a line of Python asks is answered when that line is done.

    Parameters
    ----------
    session : function
        Returns the session whose jobs are watched and stopped.
    status : Status
        Where a question that failed says so.
    *pictures : widgets
        What is dimmed while a question is asked.
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
        self.said = HTML()
        self.button = widgets.Button(description="Stop", icon="stop", layout={"width": "auto"})
        self.button.on_click(lambda _button: self._clicked())
        self._newest: Asking | None = None
        self._thread: threading.Thread | None = None
        self._turn, self._seen = threading.RLock(), threading.Lock()
        layout = {"display": "none", "padding": "2px 16px", "align_items": "center"}
        super().__init__([self.said, self.button], layout=layout)

    @property
    def asking(self) -> bool:
        """Whether a question is asked that is neither answered nor given up."""
        thread, newest = self._thread, self._newest
        alive = thread is not None and thread.is_alive()
        return alive and newest is not None and not newest.given_up.is_set()

    def ask(self, compute: Callable[[], Any], show: Callable[[Any], object]) -> bool:
        """Ask a question, and give up the one before where it is still asked.

        Parameters
        ----------
        compute : function
            Returns an answer; it changes nothing that is seen.
        show : function
            Draws it.

        Returns
        -------
        bool
            False where it failed here and now; the status says why.
        """
        question = Asking(compute, show)
        if threading.current_thread() is self._thread:
            # What is shown asks for something itself, such as the list beside a chart.
            return self._answer(question)
        before, self._newest = self._newest, question
        if before is not None:
            before.give_up()
        if not _asked_in_a_browser():
            with self._turn:
                done = self._answer(question)
            self._rest()
            return done
        return self._status.guard(lambda: self._start(question))

    def ask_here(self, compute: Callable[[], Any], show: Callable[[Any], object]) -> bool:
        """Ask a question in this thread, which is one of its own and asks one after the other.

        Parameters
        ----------
        compute, show : function
            As :meth:`ask` takes them.

        Returns
        -------
        bool
            False where it was given up.
        """
        question = self._newest = Asking(compute, show)
        self._thread = threading.current_thread()
        self._work(question)
        return not question.given_up.is_set()

    def stop(self) -> None:
        """Give up the question; what was drawn stays, and words beside the button say so."""
        if self.asking and self._newest is not None:
            self._newest.give_up()
            self._rest(again=True)
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

    def _start(self, question: Asking) -> None:
        from pyspark import InheritableThread

        self._thread = InheritableThread(
            target=self._work, args=(question,), session=self._session(), daemon=True
        )
        self._thread.start()

    def _work(self, question: Asking) -> None:
        """Ask in this thread, once the question before has ended."""
        _here.answers = True
        with self._turn, without_cell_line():
            if question.given_up.is_set():
                return
            # A session that is gone has no jobs to be watched: that is a sentence, too.
            self._status.guard(lambda: self._watch(question))
            if not question.given_up.is_set():
                self._rest()

    def _watch(self, question: Asking) -> None:
        jobs = question.jobs = self._jobs()
        with jobs, reporting(jobs, lambda *how: self._tell(question, *how), GLANCE, EVERY):
            self._answer(question)

    def _answer(self, question: Asking) -> bool:
        """Compute and show, unless it is given up meanwhile."""

        def answer() -> None:
            try:
                found = question.compute()
            except Exception:
                # Of jobs that are stopped Spark says that they have failed.
                if question.given_up.is_set():
                    return
                raise
            if not question.given_up.is_set():
                question.show(found)

        return self._status.guard(answer)

    def _tell(self, question: Asking, report: JobProgress | None, seconds: float) -> None:
        with self._seen:
            if question.given_up.is_set():
                question.cancel()
                return
            for picture in self.pictures:
                picture.add_class(ASKING)
            self.button.description, self.button.icon = "Stop", "stop"
            self.said.value = _said(report, seconds)
            # In the place of the status, so that the picture does not move.
            self._status.layout.display, self.layout.display = "none", None

    def _rest(self, again: bool = False) -> None:
        """Show the picture as it is; and offer to ask again, where it is not what was asked for."""
        stopped = element("div", STOPPED, role="status")
        with self._seen:
            for picture in self.pictures:
                picture.remove_class(ASKING)
            self.said.value, self._status.layout.display = stopped if again else Markup(), None
            self.button.description, self.button.icon = "Ask again", "refresh"
            self.layout.display = None if again else "none"


def _asked_in_a_browser() -> bool:
    """Whether somebody has moved a control, and no line of Python or answer that is drawn asks."""
    if getattr(_here, "answers", False):
        return False
    return bool(request().get("header", {}).get("msg_type") == "comm_msg")


def _said(report: JobProgress | None, seconds: float) -> Markup:
    words = "waiting for Spark" if report is None else report.words
    share = 0 if report is None else round(100 * report.share)
    bar = element("span", element("i", style=f"width:{share}%"), class_="wb-bar")
    told = element("span", f"{words} · {seconds:.0f} s")
    return STYLE + element("div", bar, told, class_="wb-progress", role="status")
