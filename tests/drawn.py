"""How many cases a generated test draws: a count by itself, scaled by Hypothesis' profile."""

from typing import Any

from hypothesis import settings

#: What a profile's `max_examples` is a share of.
ALL = 100


def draws(cases: int, parent: settings | None = None, **others: Any) -> settings:
    """Settings by which a test draws so many cases, or the share of them that the profile asks.

    A test without it draws 100, by Hypothesis' own default.
    """
    share = cases * settings.default.max_examples // ALL
    return settings(parent, max_examples=max(share, min(cases, 5)), **others)
