"""The texts of a plotly figure in a still: of their tags, only lines and bold parts."""

from html.parser import HTMLParser
from typing import Any

from workbench.figures.theme import INK
from workbench.markup import Markup, element, joined

#: The width of a letter relative to the font size.
LETTER = 0.56


class _Lines(HTMLParser):
    """A chart's text as lines of pieces, each bold or not."""

    def __init__(self, words: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[list[tuple[str, bool]]] = [[]]
        self._bold = 0
        self.feed(words)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "br":
            self.lines.append([])
        self._bold += tag == "b"

    def handle_endtag(self, tag: str) -> None:
        self._bold -= tag == "b"

    def handle_data(self, data: str) -> None:
        self.lines[-1].append((data, self._bold > 0))


def lines_of(words: str) -> list[str]:
    """Return the lines of a chart's text.

    Examples
    --------
    >>> lines_of("<b>a &lt; b</b> c<br>d")
    ['a < b c', 'd']
    """
    return ["".join(piece for piece, _ in line) for line in _Lines(words).lines]


def width_of(words: str, size: float = 12) -> float:
    """Return the approximate width of a chart's text."""
    return max(map(len, lines_of(words))) * size * LETTER


def label(
    x: float,
    y: float,
    words: str,
    *,
    anchor: str = "start",
    size: float = 12,
    fill: str = INK,
    **more: Any,
) -> Markup:
    """Draw a chart's text, with its lines centred vertically at `y`.

    Examples
    --------
    >>> print(label(5, 10, "<b>a &lt; b</b>"))
    <text x="5" y="14"><tspan font-weight="700">a &lt; b</tspan></text>
    """
    lines = _Lines(words).lines
    first = y + size / 3 - (len(lines) - 1) * size * 0.6
    style = {
        "text_anchor": None if anchor == "start" else anchor,
        "font_size": None if size == 12 else size,
        "fill": None if fill == INK else fill,
    } | more
    return joined(
        element("text", _pieces(line), x=x, y=first + k * size * 1.2, **style)
        for k, line in enumerate(lines)
        if line
    )


def _pieces(line: list[tuple[str, bool]]) -> Markup | str:
    if len(line) == 1 and not line[0][1]:
        return line[0][0]
    return joined(
        element("tspan", words, font_weight=700 if bold else None) for words, bold in line
    )
