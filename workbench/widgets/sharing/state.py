"""The state of an explorer's view: the values of its controls as the query string of a URL."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlencode

from workbench.errors import WorkbenchError

Option = TypeVar("Option")
#: The choices of a view by name, each with one text or several.
Parts = Mapping[str, Sequence[str]]


def state_of(parts: Mapping[str, Any]) -> str:
    """Return choices as text that is valid in any URL.

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


def parse_state(state: object, known: Sequence[str]) -> Parts:
    """Return the choices in a state, all of which must be known.

    Parameters
    ----------
    state : str
        As :func:`state_of` returns it, or a URL that ends with ``#`` and a state.
    known : sequence of str
        The names of the explorer's choices.

    Returns
    -------
    dict of str to list of str

    Raises
    ------
    WorkbenchError
        When it is not a state, or names a choice that the explorer does not have.

    Examples
    --------
    >>> parse_state("page.html#step=signup&step=check+out", ["step", "within"])
    {'step': ['signup', 'check out']}
    """
    parts = parse_any_state(state)
    if unknown := [name for name in parts if name not in known]:
        raise WorkbenchError(
            f"state: this explorer has no choice {unknown[0]!r}; it has {', '.join(known)}."
        )
    return parts


def parse_any_state(state: object) -> Parts:
    """Return the choices in a state, whatever their names.

    Raises
    ------
    WorkbenchError
        When it is not a state.

    Examples
    --------
    >>> parse_any_state("tab=Frames&function=mean")
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


def single_text(parts: Parts, name: str, usual: str) -> str:
    """Return the only text of a choice, or ``usual`` if the state does not have the choice."""
    texts = parts.get(name, [usual])
    if len(texts) > 1:
        raise WorkbenchError(f"state: {name} is given {len(texts)} times; give it once.")
    return texts[0]


def option_for(name: str, text: str, options: Mapping[str, Option]) -> Option:
    """Return the option that a text of a state stands for.

    Raises
    ------
    WorkbenchError
        When there is no such option.

    Examples
    --------
    >>> option_for("by", "tv", {"country": 1})
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: state: by='tv' cannot be chosen here; use one of 'country'.
    """
    if text not in options:
        names = [name for name in options if name]
        some = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
        raise WorkbenchError(f"state: {name}={text!r} cannot be chosen here; use one of {some}.")
    return options[text]


def key_text(key: tuple[Any, ...]) -> str:
    """Return the values of a key as the one text that identifies it in a state.

    Examples
    --------
    >>> key_text(("Boston",)), key_text(("Boston", 3)), key_text((None,))
    ('Boston', '["Boston", "3"]', '[null]')
    """
    if len(key) == 1 and key[0] is not None:
        return str(key[0])
    return json.dumps([None if value is None else str(value) for value in key], ensure_ascii=False)
