"""How long a person waits for a picture, printed with the tests."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def latency_of(what: str, shown: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Print how long it takes from an action to what a person sees of it."""
    start = time.perf_counter()
    yield
    seconds = time.perf_counter() - start
    with shown.disabled():
        print(f"\nlatency of {what}: {1000 * seconds:,.0f} ms")
