"""The view of an explorer as a short text: what its controls say, as the query of an address."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlencode

from workbench.errors import WorkbenchError

One = TypeVar("One")
#: What a view says: names of choices, each with one text or several.
Parts = Mapping[str, Sequence[str]]


def state_of(parts: Mapping[str, Any]) -> str:
    """Return choices as a text that stands in any address.

    Parameters
    ----------
    parts : dict of str to (str or sequence of str)
        A choice without a text is left out.

    Returns
    -------
    str

    Examples
    --------
    >>> state_of({"step": ["signup", "check out"], "within": "1 day", "by": []})
    'step=signup&step=check+out&within=1+day'
    """
    return urlencode(parts, doseq=True)


def parts_of(state: object, known: Sequence[str]) -> Parts:
    """Return the choices that a text says.

    Parameters
    ----------
    state : str
        As :func:`state_of` returns it; of an address that ends in it, what follows its ``#``.
    known : sequence of str
        The names of choices that there are.

    Returns
    -------
    dict of str to list of str

    Raises
    ------
    WorkbenchError
        When it is no such text, or says what the explorer does not have.

    Examples
    --------
    >>> parts_of("page.html#step=signup&step=check+out", ["step", "within"])
    {'step': ['signup', 'check out']}
    """
    parts = parts_in(state)
    if unknown := [name for name in parts if name not in known]:
        raise WorkbenchError(
            f"state: this explorer has no choice {unknown[0]!r}; it has {', '.join(known)}."
        )
    return parts


def parts_in(state: object) -> Parts:
    """Return the choices that a text says, whatever they are called.

    Raises
    ------
    WorkbenchError
        When it is no such text.

    Examples
    --------
    >>> parts_in("tab=Frames&function=mean")
    {'tab': ['Frames'], 'function': ['mean']}
    """
    if not isinstance(state, str):
        raise WorkbenchError(f"state: {state!r} is not text; give what explorer.state returned.")
    try:
        return parse_qs(state.rpartition("#")[2], keep_blank_values=True, strict_parsing=True)
    except ValueError:
        raise WorkbenchError(
            f"state: {state!r} is not the state of a view; give what explorer.state returned."
        ) from None


def alone(parts: Parts, name: str, usual: str) -> str:
    """Return the one text of a choice, or the usual one where the state does not say it."""
    found = parts.get(name, [usual])
    if len(found) > 1:
        raise WorkbenchError(f"state: {name} is given {len(found)} times; give it once.")
    return found[0]


def offered(name: str, text: str, options: Mapping[str, One]) -> One:
    """Return what a text stands for among what can be chosen.

    Raises
    ------
    WorkbenchError
        When it is not among them.

    Examples
    --------
    >>> offered("by", "tv", {"country": 1})
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: state: by='tv' cannot be chosen here; use one of 'country'.
    """
    if text not in options:
        names = [name for name in options if name]
        some = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
        raise WorkbenchError(f"state: {name}={text!r} cannot be chosen here; use one of {some}.")
    return options[text]


def key_text(key: tuple[Any, ...]) -> str:
    """Return the values of a key as one text, by which a state names it.

    Examples
    --------
    >>> key_text(("Boston",)), key_text(("Boston", 3)), key_text((None,))
    ('Boston', '["Boston", "3"]', '[null]')
    """
    if len(key) == 1 and key[0] is not None:
        return str(key[0])
    return json.dumps([None if value is None else str(value) for value in key], ensure_ascii=False)
