"""Texts of shares and differences with their intervals."""

from typing import Any

import pandas as pd

from workbench.markup import MINUS

#: The most letters of a name next to a line or a row.
NAME = 24


def share_text(share: Any, low: Any, high: Any) -> str:
    """Return a share with its interval.

    Examples
    --------
    >>> share_text(0.25, 0.046, 0.699), share_text(None, None, None)
    ('25.0% (4.6% to 69.9%)', 'no share')
    """
    return "no share" if pd.isna(share) else f"{share:.1%} ({low:.1%} to {high:.1%})"


def points_text(difference: Any, low: Any, high: Any) -> str:
    """Return a difference of two shares in points, with its interval.

    Examples
    --------
    >>> points_text(-0.031, -0.112, 0.05)
    '\N{MINUS SIGN}3.1 points (\N{MINUS SIGN}11.2 to +5.0)'
    """
    return f"{points(difference)} points ({points(low)} to {points(high)})"


def points(difference: Any) -> str:
    """Return a difference of two shares as points of percent.

    Examples
    --------
    >>> points(-0.031), points(None)
    ('\N{MINUS SIGN}3.1', '')
    """
    # With a minus sign, like the figures' axes.
    return "" if pd.isna(difference) else f"{100 * difference:+.1f}".replace("-", MINUS)


def confidence_of(table: pd.DataFrame) -> str:
    """Return the level of a table's intervals in percent.

    Examples
    --------
    >>> confidence_of(pd.DataFrame())
    '95%'
    """
    return f"{100 * table.attrs.get('confidence', 0.95):g}%"
