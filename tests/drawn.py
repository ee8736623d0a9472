"""The number of cases of a generated test: its own count, scaled by Hypothesis' profile."""

from typing import Any

from hypothesis import settings

#: The value of `max_examples` with which a profile draws all cases.
ALL = 100


def draws(cases: int, parent: settings | None = None, **others: Any) -> settings:
    """Return settings for a number of cases, or for the profile's share of it.

    A test without these settings draws 100 cases, which is Hypothesis' default.
    """
    return settings(parent, max_examples=share_of(cases), **others)


def share_of(cases: int) -> int:
    """Return the profile's share of a number of cases: five at least."""
    profile = settings.default
    assert profile is not None
    return max(cases * profile.max_examples // ALL, min(cases, 5))
