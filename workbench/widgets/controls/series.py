"""The controls of a moving band: which series, how long a window, and which quantiles."""

from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets
import traitlets

from workbench.described import name_shown, noun
from workbench.errors import WorkbenchError
from workbench.figures.svg import cut
from workbench.frames.frame import Frame
from workbench.widgets.controls.frame_choices import frame_choices, label_of
from workbench.widgets.sharing.state import Parts, key_text, option_for, single_text
from workbench.windows.bands.call import band_of, changed, frame_of
from workbench.windows.bands.prepared_series import Key
from workbench.windows.inspect.one_partition import value_text
from workbench.windows.over import Over

MOST_SERIES = 1_000
#: How many series are drawn together.
MOST_TOGETHER = 6
ADD = "+ add a series"
#: The most letters of the columns' names, which leave room for the list next to them.
LETTERS = 40


class SeriesControls(widgets.HBox):  # type: ignore[misc]
    """The controls of a moving band over prepared series.

    One series is drawn, and further ones below it, at most :data:`MOST_TOGETHER` in all.

    Parameters
    ----------
    over : Over
        The initial call.
    sizes : mapping of tuple to int
        The rows of each series; of more than a thousand series, the longest are offered.
    """

    over = traitlets.Any()
    key = traitlets.Any()
    more = traitlets.Tuple()
    _opening = False

    def __init__(self, over: Over, sizes: Mapping[Key, int]) -> None:
        self._first, self._inner = over, _quantiles(over)[1:-1]
        self.left_out = max(len(sizes) - MOST_SERIES, 0)
        self.series = _series_list(over, sizes)
        self.window = _window_slider(frame_of(over))
        self.quantiles = _quantile_slider(over)
        self.outliers = widgets.Checkbox(value=True, description="mark outliers", indent=False)
        self.outliers.layout.width = "130px"
        labels = list(self.series.options)
        self._keys = dict(labels)
        self.add = widgets.Dropdown(
            options=[(ADD, ()), *labels], layout={"width": "auto"},
            tooltip="Draw another series below",
        )  # fmt: skip
        self.added = widgets.TagsInput(
            allowed_tags=[label for label, _ in labels], allow_duplicates=False,
            layout={"display": "none", "max_width": "520px"},
        )  # fmt: skip
        self.scale = widgets.ToggleButtons(
            options=[("same scale", True), ("own scales", False)],
            style={"button_width": "auto"}, layout={"display": "none"},
        )  # fmt: skip
        several = [self.series] if over.partition_by else []
        others = [self.add, self.added, self.scale] if len(labels) > 1 else []
        super().__init__(
            [*several, *others, self.window, self.quantiles, self.outliers],
            layout={"flex_flow": "row wrap", "align_items": "center"},
        )
        self.add_class("wb-controls-group")
        self._update_over()
        self.add.observe(self._add_series, names="value")
        self.added.observe(self._update_more, names="value")
        for control in (self.series, self.window, self.quantiles):
            control.observe(self._update_over, names="value")

    def parts(self) -> dict[str, Any]:
        """Return the values of the controls as parts of a state, without the defaults."""
        low, high = self.quantiles.value
        return {
            "series": key_text(self.key or ()),
            "below": [key_text(key) for key in self.more],
            "window": label_of(self.window.value),
            "band": f"{low:g}..{high:g}",
            "outliers": [] if self.outliers.value else "no",
            "scale": [] if self.scale.value else "own",
        }

    def within(self, frame: Frame) -> Over:
        """Return the call of the controls, over another frame."""
        return changed(self._first, frame, _quantiles(self.over))

    def reopen(self, parts: Parts) -> None:
        """Set the controls to a state.

        Raises
        ------
        WorkbenchError
            When it has a value that cannot be chosen here; the controls do not change.
        """
        labels = {key_text(key): label for label, key in self._keys.items()}
        first = next(iter(labels), "")
        chosen = (
            option_for("series", single_text(parts, "series", first), labels) if labels else None
        )
        below = [option_for("below", one, labels) for one in parts.get("below", [])]
        frames = dict(self.window.options)
        usual = label_of(frame_of(self._first))
        frame = option_for("window", single_text(parts, "window", usual), frames)
        shares = _shares(single_text(parts, "band", ""), self._first)
        marked = option_for(
            "outliers", single_text(parts, "outliers", "yes"), {"yes": True, "no": False}
        )
        scale = option_for(
            "scale", single_text(parts, "scale", "same"), {"same": True, "own": False}
        )
        self._opening = True
        try:
            if chosen is not None:
                self.series.value = self._keys[chosen]
            self.window.value, self.quantiles.value = frame, shares
            self.outliers.value, self.scale.value = marked, scale
            self.added.value = below[: MOST_TOGETHER - 1]
        finally:
            self._opening = False
        self._update_over()

    def _add_series(self, change: dict[str, Any]) -> None:
        """Add the chosen series to those below the first."""
        if not change["new"]:
            return
        label = next(label for label, key in self._keys.items() if key == change["new"])
        self.add.value = ()
        self.added.value = [*self.added.value, label][-(MOST_TOGETHER - 1) :]

    def _update_more(self, _change: Any = None) -> None:
        self.more = tuple(self._keys[label] for label in self.added.value)
        display = None if self.more else "none"
        self.added.layout.display = self.scale.layout.display = display
        self._offer_others()

    def _offer_others(self) -> None:
        """Offer the series that are not drawn."""
        drawn = {self.series.value, *self.more}
        others = [(label, key) for label, key in self._keys.items() if key not in drawn]
        if others != list(self.add.options[1:]):
            self.add.options = [(ADD, ()), *others]

    def _update_over(self, _change: Any = None) -> None:
        if self._opening:
            return
        low, high = (round(share, 6) for share in self.quantiles.value)
        if low == high:
            # A band needs a width: the slider shows the one that is drawn, which calls this again.
            low, *_, high = _quantiles(self.over)
            self.quantiles.value = low, high
            return
        inner = [share for share in self._inner if low < share < high]
        over = changed(self._first, self.window.value, (low, *inner, high))
        # The key first, so that observers of `over` see the new key.
        self.key = self.series.value
        self._offer_others()
        if repr(over) != repr(self.over):
            self.over = over


def _shares(text: str, first: Over) -> tuple[float, float]:
    """Return the ends of a band for a text of a state."""
    if not text:
        low, *_, high = _quantiles(first)
        return low, high
    try:
        low, high = map(float, text.split(".."))
    except ValueError:
        low, high = 1.0, 0.0
    if not 0 <= low < high <= 1:
        raise WorkbenchError(
            f"state: band={text!r} is not a band; use two shares, such as 0.25..0.75."
        )
    return low, high


def _quantiles(over: Over) -> tuple[float, ...]:
    return tuple(sorted(set(over.columns[band_of(over)].options.q)))


def series_name(key: Key) -> str:
    """Return the values of a key as the name of its series.

    Examples
    --------
    >>> series_name(("Boston", 3)), series_name((None,)), series_name(("",))
    ('Boston · 3', 'null', '(empty)')
    """
    return " · ".join(name_shown(value_text(value)) for value in key)


def _series_list(over: Over, sizes: Mapping[Key, int]) -> widgets.Dropdown:
    longest = sorted(sizes, key=lambda key: -sizes[key])[:MOST_SERIES]
    candidates = [key for key in sizes if key in set(longest)]
    labels = [
        (f"{series_name(key)} ({sizes[key]:,} {noun(sizes[key], 'rows')})", key)
        for key in candidates
    ]
    return widgets.Dropdown(
        options=labels, description=cut(" · ".join(over.partition_by), LETTERS),
        layout={"width": "260px"}, style={"description_width": "initial"},
    )  # fmt: skip


def _window_slider(frame: Frame) -> widgets.SelectionSlider:
    choices = frame_choices(frame)
    value = next(one for _, one in choices if (one.low, one.high) == (frame.low, frame.high))
    return widgets.SelectionSlider(
        options=choices, value=value, description="Window", continuous_update=False,
        disabled=len(choices) == 1, layout={"width": "360px"},
        style={"description_width": "60px"},
    )  # fmt: skip


def _quantile_slider(over: Over) -> widgets.FloatRangeSlider:
    low, *_, high = _quantiles(over)
    return widgets.FloatRangeSlider(
        value=(low, high), min=0.0, max=1.0, step=0.01, description="Quantiles",
        continuous_update=False, readout_format=".0%", layout={"width": "330px"},
        style={"description_width": "70px"},
    )  # fmt: skip
