"""How long a person waits for a picture, printed with the tests."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import Page

# From the event that a key or a choice makes to the frame that is painted with its answer, by the
# page's own clock. The page is looked at whenever it changes; asked from outside, it would be late.
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
    """Return how long it takes from an action to the picture of its answer.

    Parameters
    ----------
    page : Page
    act : function
        Presses a key or makes a choice.
    is_shown : str
        A function in JavaScript that says of ``arg`` whether it is seen.
    arg : any, optional
    """
    page.evaluate(_WATCH % is_shown, arg)
    act()
    return float(page.wait_for_function("() => window.wbShown").json_value())


def print_latency(what: str, times: Sequence[float], shown: pytest.CaptureFixture[str]) -> None:
    """Print the median of some times, and the worst."""
    with shown.disabled():
        print(
            f"\nlatency of {what}: median {median(times):,.0f} ms of {len(times)}, "
            f"worst {max(times):,.0f}"
        )
