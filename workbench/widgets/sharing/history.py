"""The sequence of views that a person had, to go back and forward in."""


class History:
    """Views in order, and the position of the current one.

    Examples
    --------
    >>> history = History()
    >>> for state in ("a", "b", "b", "c"):
    ...     history.note(state)
    >>> history.back(), history.back(), history.back(), history.forward()
    ('b', 'a', None, 'b')
    >>> history.note("d")  # discards the views that were undone
    >>> history.forward() is None, history.back()
    (True, 'b')
    """

    def __init__(self) -> None:
        self._states: list[str] = []
        self._at = -1

    @property
    def can_go_back(self) -> bool:
        """Whether there is a view before the current one."""
        return self._at > 0

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a view that was undone."""
        return self._at < len(self._states) - 1

    def note(self, state: str) -> None:
        """Append a view after the current one, unless it is the current one."""
        if self._at < 0 or self._states[self._at] != state:
            self._states[self._at + 1 :] = [state]
            self._at += 1

    def back(self) -> str | None:
        """Go to the view before and return it, or None if there is none."""
        return self._step(-1) if self.can_go_back else None

    def forward(self) -> str | None:
        """Go to the view that was undone last and return it, or None if there is none."""
        return self._step(1) if self.can_go_forward else None

    def _step(self, by: int) -> str:
        self._at += by
        return self._states[self._at]
