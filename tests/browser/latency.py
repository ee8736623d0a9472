"""Measure how long a person waits for a picture, and print it with the tests."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import Page

# From the event of a key or a choice to the painted frame with its answer, by the page's own clock.
# An observer checks the page at each change; polling it from outside would be too slow.
_WATCH = """(arg) => {
  const isShown = %s;
  window.wbShown = new Promise((done) => {
    let start;
    for (const kind of ['keydown', 'change']) {
      document.addEventListener(
        kind, (event) => { start ??= event.timeStamp; }, { capture: true, once: true });
    }
    const changes = new MutationObserver(() => {
      if (start === undefined || !isShown(arg)) return;
      changes.disconnect();
      requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
    });
    changes.observe(document.body, { subtree: true, childList: true, characterData: true });
  });
}"""


def milliseconds_until(
    page: Page, act: Callable[[], object], is_shown: str, arg: Any = None
) -> float:
    """Return the milliseconds from an action to the picture of its answer.

    Parameters
    ----------
    page : Page
    act : function
        Presses a key or makes a choice.
    is_shown : str
        A function in JavaScript that returns whether ``arg`` is seen.
    arg : any, optional
    """
    page.evaluate(_WATCH % is_shown, arg)
    act()
    return float(page.wait_for_function("() => window.wbShown").json_value())


def print_latency(what: str, times: Sequence[float], capsys: pytest.CaptureFixture[str]) -> None:
    """Print the median of some times, and the worst."""
    with capsys.disabled():
        print(
            f"\nlatency of {what}: median {median(times):,.0f} ms of {len(times)}, "
            f"worst {max(times):,.0f}"
        )
