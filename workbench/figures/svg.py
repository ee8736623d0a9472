"""The few SVG shapes of stills."""

from workbench.figures.theme import FONT, GROUND, INK, RULE, still_style
from workbench.markup import Markup, element, stylesheet

# A drawn part and its height.
Part = tuple[Markup, float]


def text(x: float, y: float, words: str, **attributes: object) -> Markup:
    """Return a line of text; `x` is its start, or as `text_anchor` says."""
    return element("text", words, x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1) -> Markup:
    """Return a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width)


def rect(x: float, y: float, width: float, height: float, **attributes: object) -> Markup:
    """Return a box, at least one pixel wide so that it is visible."""
    return element("rect", x=x, y=y, width=max(width, 1), height=height, **attributes)


def moved(x: float, y: float, content: Markup) -> Markup:
    """Return the content with its origin at (x, y)."""
    return element("g", content, transform=f"translate({x:.1f},{y:.1f})")


def document(drawn: Markup, title: str, width: float, height: float) -> Markup:
    """Return a self-contained picture on a card; the title is for screen readers.

    It is as wide as its container, and follows the theme of the page or of the reader's system.
    """
    card = rect(0.5, 0.5, width - 1, height - 1, rx=10, fill=GROUND, stroke=RULE)
    style = stylesheet(still_style(card + drawn))
    return bare(style + card + drawn, title, width, height)


def bare(drawn: Markup, title: str, width: float, height: float) -> Markup:
    """Return a picture without a card, for a page that has one and a theme."""
    return element(
        "svg",
        element("title", title),
        drawn,
        xmlns="http://www.w3.org/2000/svg",
        class_="wb-still",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width="100%",
        font_family=FONT,
        font_size=12,
        fill=INK,
        role="img",
    )


def cut(words: str, length: int) -> str:
    """Return the words, cut with an ellipsis if they are longer than `length`."""
    return words if len(words) <= length else words[: max(length - 1, 0)] + "…"


def pale(color: str) -> str:
    """Return the colour with transparency.

    >>> pale("#56b4e9")
    'rgba(86,180,233,0.4)'
    """
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.4)"
