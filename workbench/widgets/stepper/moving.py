"""A picture that is drawn once, and what of it changes from step to step."""

from collections.abc import Callable
from typing import Any, NamedTuple

from workbench.markup import Markup, element

State = dict[str, Any]
#: What an element looks like in a state: its attributes, "text" for what is written in it.
Look = Callable[[State], dict[str, Any]]


class Drawing(NamedTuple):
    """The elements of a picture, how large it is, and how wide one unit of a time line is."""

    markup: Markup
    width: float
    height: float
    unit: str | None = None


class Moving:
    """The states of a picture, one of which is drawn; a browser puts in what another one changes.

    Parameters
    ----------
    states : list of dict or None
        One for each step.
    at : int
        The step that is drawn.
    live : bool
        Whether to note what changes. A still has no need to.

    Attributes
    ----------
    parts : list of list of (int, int)
        For each element that changes, from which step on it has which of the looks.
    looks : list of dict
        Attributes by their names; None takes one away.

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
        """Draw an element in the state, and note what it looks like in the others."""
        own = look(self.state)
        part = self._note(look) if self.live else None
        text = own.pop("text", None)
        words = () if text is None else (str(text),)
        return element(tag, *words, *content, data_part=part, **fixed, **own)

    def _note(self, look: Look) -> int | None:
        """From which step on the element looks how; None where it stays as it is."""
        found: list[tuple[int, dict[str, Any]]] = []
        for step, state in self._changes:
            now = look(state)
            if not found or found[-1][1] != now:
                found.append((step, now))
        if len(found) < 2:
            return None
        self.parts.append([[step, self._number(one)] for step, one in found])
        return len(self.parts) - 1

    def _number(self, attributes: dict[str, Any]) -> int:
        """The number of a look among all that are known."""
        written = {
            name.rstrip("_").replace("_", "-"): _written(value)
            for name, value in attributes.items()
        }
        number = self._numbers.setdefault(repr(written), len(self.looks))
        if number == len(self.looks):
            self.looks.append(written)
        return number


def _written(value: Any) -> str | None:
    if value is None:
        return None
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def written(value: Any) -> str:
    """Return a value as a picture shows it.

    Examples
    --------
    >>> written(1 / 3), written([1, None]), written({"sum": 2})
    ('0.333333', '[1, None]', 'sum 2')
    """
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        return ", ".join(f"{name} {written(one)}" for name, one in value.items())
    return str(value)
