"""The value of a control as texts of a state, and back."""

from collections.abc import Sequence
from typing import Any

from workbench.errors import WorkbenchError
from workbench.widgets.sharing.state import option_for, single_text


def texts_of(value: Any) -> list[str]:
    """Return the value of a control as texts of a state.

    Parameters
    ----------
    value : str, int, bool, or (int, int)

    Returns
    -------
    list of str
        One text, or the two ends of a range.

    Examples
    --------
    >>> texts_of((4, 14)), texts_of(3), texts_of(False)
    (['4', '14'], ['3'], ['no'])
    """
    if isinstance(value, bool):
        return ["yes" if value else "no"]
    return [str(one) for one in (value if isinstance(value, tuple) else (value,))]


def value_from_texts(name: str, control: Any, texts: Sequence[str]) -> Any:
    """Return the value of a control for the texts of a state.

    Parameters
    ----------
    name : str
        The control's name in the state.
    control : ipywidgets.Widget
        A selection, a check box, or a slider of an integer or of a range of integers.
    texts : sequence of str

    Returns
    -------
    value

    Raises
    ------
    WorkbenchError
        When the control cannot have it.

    Examples
    --------
    >>> import ipywidgets as widgets
    >>> value_from_texts("row", widgets.IntSlider(max=7), ["3"])
    3
    >>> value_from_texts("row", widgets.IntSlider(max=7), ["9"])
    Traceback (most recent call last):
    workbench.errors.WorkbenchError: state: row='9' cannot be chosen here; give 0 to 7.
    """
    if isinstance(control.value, tuple):
        return _range(name, control, texts)
    text = single_text({name: texts}, name, "")
    if hasattr(control, "options"):
        return option_for(name, text, {str(value): value for _, value in options_of(control)})
    if isinstance(control.value, bool):
        return option_for(name, text, {"yes": True, "no": False})
    return _number(name, control, text)


def options_of(control: Any) -> list[tuple[str, Any]]:
    """Return the options of a control with their labels, in order.

    Examples
    --------
    >>> import ipywidgets as widgets
    >>> options_of(widgets.Dropdown(options=["sum"])), options_of(widgets.IntSlider(min=1, max=2))
    ([('sum', 'sum')], [('1', 1), ('2', 2)])
    """
    if hasattr(control, "options"):
        return [one if isinstance(one, tuple) else (str(one), one) for one in control.options]
    if isinstance(control.value, bool):
        return [("no", False), ("yes", True)]
    return [(str(number), number) for number in range(control.min, control.max + 1)]


def _range(name: str, control: Any, texts: Sequence[str]) -> tuple[int, int]:
    if len(texts) == 2:
        low, high = (_number(name, control, text) for text in texts)
        if low <= high:
            return low, high
    raise WorkbenchError(
        f"state: {name} is a range, and {' to '.join(texts)!r} is not one; "
        f"give its two ends, {control.min} to {control.max}."
    )


def _number(name: str, control: Any, text: str) -> int:
    known = range(control.min, control.max + 1)
    if not text.removeprefix("-").isdecimal() or int(text) not in known:
        raise WorkbenchError(
            f"state: {name}={text!r} cannot be chosen here; give {control.min} to {control.max}."
        )
    return int(text)
