"""The views that a person had, one after the other: to go back to, and forth again."""


class History:
    """Views in their order, and which of them is seen.

    Examples
    --------
    >>> history = History()
    >>> for state in ("a", "b", "b", "c"):
    ...     history.note(state)
    >>> history.back(), history.back(), history.back(), history.forth()
    ('b', 'a', None, 'b')
    >>> history.note("d")  # what was undone is given up
    >>> history.forth() is None, history.back()
    (True, 'b')
    """

    def __init__(self) -> None:
        self._states: list[str] = []
        self._at = -1

    @property
    def behind(self) -> bool:
        """Whether there is a view before the one that is seen."""
        return self._at > 0

    @property
    def ahead(self) -> bool:
        """Whether there is a view that was undone."""
        return self._at < len(self._states) - 1

    def note(self, state: str) -> None:
        """Take down a view, unless it is the one that is seen."""
        if self._at < 0 or self._states[self._at] != state:
            self._states[self._at + 1 :] = [state]
            self._at += 1

    def back(self) -> str | None:
        """Return the view before; None where there is none."""
        return self._step(-1) if self.behind else None

    def forth(self) -> str | None:
        """Return the view that was undone last; None where there is none."""
        return self._step(1) if self.ahead else None

    def _step(self, by: int) -> str:
        self._at += by
        return self._states[self._at]
