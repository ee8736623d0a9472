"""Names of columns: quoted for Spark, not yet taken, and the nearest to an unknown one."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import Column

#: Longer names are not compared for typing errors, as comparing two of them takes seconds.
LONGEST_COMPARED = 100


def column_text(name: str, side: str = "") -> str:
    """Return a column's name for error messages, with the role of its table if it has one.

    Examples
    --------
    >>> column_text("user"), column_text("user", "queries")
    ("column 'user'", "the queries' column 'user'")
    """
    return f"the {side}' column {name!r}" if side else f"column {name!r}"


def quoted(name: str) -> str:
    """Quote a column's name for Spark, dots and backticks included.

    Examples
    --------
    >>> quoted("user.id")
    '`user.id`'
    """
    return "`" + name.replace("`", "``") + "`"


def name_of(name: str) -> "Column":
    """Return an unchecked column by its exact name."""
    from pyspark.sql import functions as F

    return F.col(quoted(name))


def unused(taken: "Iterable[str]", name: str) -> str:
    """Return a name that is not taken, ignoring case; underscores are added if it is.

    Examples
    --------
    >>> unused(["row", "Row_"], "row"), unused(["id"], "row")
    ('row__', 'row')
    """
    lower = {one.lower() for one in taken}
    while name.lower() in lower:
        name += "_"
    return name


def nearest(name: str, known: Sequence[str], also_compared: Sequence[str] = ()) -> str:
    """Return the end of an error message about an unknown name: similar names, or all.

    Parameters
    ----------
    name : str
    known : sequence of str
    also_compared : sequence of str
        Names that are mentioned only where they are similar, unless there are no others.

    Returns
    -------
    str

    Examples
    --------
    >>> nearest("sign_up", ["signup", "checkout"])
    "did you mean 'signup'?"
    >>> nearest("x", ["signup", "checkout"])
    "there are 'signup', 'checkout'."
    """
    short = [one for one in (*known, *also_compared) if len(one) <= LONGEST_COMPARED]
    if close := get_close_matches(str(name)[:LONGEST_COMPARED], short, n=3, cutoff=0.6):
        return f"did you mean {' or '.join(map(repr, close))}?"
    listed = known or also_compared
    names = ", ".join(map(repr, listed[:10])) + (" and more" if len(listed) > 10 else "")
    return f"there are {names}." if listed else "there are none."
