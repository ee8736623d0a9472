"""How many cases a generated test draws: a count by itself, scaled by Hypothesis' profile."""

from typing import Any

from hypothesis import settings

#: What a profile's `max_examples` is a share of.
ALL = 100


def draws(cases: int, parent: settings | None = None, **others: Any) -> settings:
    """Settings by which a test draws so many cases, or the share of them that the profile asks.

    A test without it draws 100, by Hypothesis' own default.
    """
    return settings(parent, max_examples=share_of(cases), **others)


def share_of(cases: int) -> int:
    """How many of so many cases the profile asks for: five at least."""
    profile = settings.default
    assert profile is not None
    return max(cases * profile.max_examples // ALL, min(cases, 5))
