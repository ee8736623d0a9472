"""The texts of a plotly figure in a still: of their tags, only lines, bold parts and colours."""

import re
from html.parser import HTMLParser
from typing import Any, NamedTuple

from workbench.figures.theme import INK
from workbench.markup import Markup, element, joined

#: The width of a letter relative to the font size.
LETTER = 0.56
#: The style of a coloured part, as our figures write it.
_COLOR = re.compile(r"color:(#[0-9a-f]{6})")


class _Piece(NamedTuple):
    """A part of a line: bold or not, and its colour unless it has that of the text."""

    words: str
    bold: bool
    color: str | None


class _Lines(HTMLParser):
    """A chart's text as lines of pieces."""

    def __init__(self, words: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[list[_Piece]] = [[]]
        self._bold = 0
        self._color: str | None = None
        self.feed(words)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag == "br":
            self.lines.append([])
        self._bold += tag == "b"
        if tag == "span":
            found = _COLOR.fullmatch(dict(attrs).get("style") or "")
            self._color = found and found[1]

    def handle_endtag(self, tag: str) -> None:
        self._bold -= tag == "b"
        self._color = None if tag == "span" else self._color

    def handle_data(self, data: str) -> None:
        self.lines[-1].append(_Piece(data, self._bold > 0, self._color))


def lines_of(words: str) -> list[str]:
    """Return the lines of a chart's text.

    Examples
    --------
    >>> lines_of("<b>a &lt; b</b> c<br>d")
    ['a < b c', 'd']
    """
    return ["".join(piece.words for piece in line) for line in _Lines(words).lines]


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
    >>> print(label(5, 10, '<span style="color:#0072b2">━</span> a'))
    <text x="5" y="14"><tspan fill="#0072b2">━</tspan><tspan> a</tspan></text>
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


def _pieces(line: list[_Piece]) -> Markup | str:
    if len(line) == 1 and not line[0].bold and not line[0].color:
        return line[0].words
    return joined(
        element("tspan", words, font_weight=700 if bold else None, fill=color)
        for words, bold, color in line
    )
