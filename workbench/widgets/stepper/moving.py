"""A picture that is drawn once, and the attributes of it that change from step to step."""

from collections.abc import Callable
from typing import Any, NamedTuple

from workbench.markup import Markup, element

State = dict[str, Any]
#: Returns the attributes of an element in a state; "text" is its content.
Look = Callable[[State], dict[str, Any]]


class Drawing(NamedTuple):
    """The elements of a picture, its size, and the width of one unit of a timeline."""

    markup: Markup
    width: float
    height: float
    unit: str | None = None


class Moving:
    """The states of a picture, one of which is drawn; a browser applies the changes of others.

    Parameters
    ----------
    states : list of dict or None
        One for each step.
    at : int
        The step that is drawn.
    live : bool
        Whether to record the changes, which a still does not need.

    Attributes
    ----------
    parts : list of list of (int, int)
        For each element that changes, pairs of a step and the number of its look from there on.
    looks : list of dict
        Attributes by name; None removes one.

    Examples
    --------
    >>> moving = Moving([{"at": 1}, {"at": 1}, None], 0, live=True)
    >>> print(moving.element("circle", r=5, look=lambda state: {"cx": state.get("at")}))
    <circle data-part="0" r="5" cx="1"/>
    >>> moving.parts, moving.looks
    ([[[0, 0], [2, 1]]], [{'cx': '1'}, {'cx': None}])
    """

    def __init__(self, states: list[State | None], at: int, live: bool) -> None:
        self.states: list[State] = [state or {} for state in states]
        self.at, self.live = at, live
        pairs = enumerate(zip([None, *self.states], self.states, strict=False))
        self._changes = [(step, now) for step, (before, now) in pairs if now != before]
        self.parts: list[list[list[int]]] = []
        self.looks: list[dict[str, Any]] = []
        self._numbers: dict[str, int] = {}

    @property
    def state(self) -> State:
        """The state that is drawn."""
        return self.states[self.at] if self.states else {}

    def element(self, tag: str, /, *content: Any, look: Look, **fixed: Any) -> Markup:
        """Draw an element in the current state, and record its look in the others."""
        own = look(self.state)
        part = self._note(look) if self.live else None
        text = own.pop("text", None)
        words = () if text is None else (str(text),)
        return element(tag, *words, *content, data_part=part, **fixed, **own)

    def _note(self, look: Look) -> int | None:
        """Record the steps at which the element's look changes; return its number, or None."""
        changes: list[tuple[int, dict[str, Any]]] = []
        for step, state in self._changes:
            now = look(state)
            if not changes or changes[-1][1] != now:
                changes.append((step, now))
        if len(changes) < 2:
            return None
        self.parts.append([[step, self._number(one)] for step, one in changes])
        return len(self.parts) - 1

    def _number(self, attributes: dict[str, Any]) -> int:
        """Return the number of a look in ``looks``, to which a new one is added."""
        texts = {
            name.rstrip("_").replace("_", "-"): _attribute_text(value)
            for name, value in attributes.items()
        }
        number = self._numbers.setdefault(repr(texts), len(self.looks))
        if number == len(self.looks):
            self.looks.append(texts)
        return number


def _attribute_text(value: Any) -> str | None:
    if value is None:
        return None
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def picture_text(value: Any) -> str:
    """Return a value as a picture shows it.

    Examples
    --------
    >>> picture_text(1 / 3), picture_text([1, None]), picture_text({"sum": 2})
    ('0.333333', '[1, None]', 'sum 2')
    """
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return f"[{', '.join(map(picture_text, value))}]"
    if isinstance(value, dict):
        return ", ".join(f"{name} {picture_text(one)}" for name, one in value.items())
    return str(value)
