"""Build HTML, SVG and the tags of chart texts; whatever is not markup is escaped.

Names, values and error texts come from tables of other people. Every picture and widget shows them
literally, and never interprets them as tags.
"""

import base64
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Self

import markupsafe

# Characters that XML forbids or UTF-8 cannot encode, and those that reverse the digits near them.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
#: The sign of negative numbers in texts for people.
MINUS = "\N{MINUS SIGN}"
# The hyphen of a negative number, and none within a word, a date or an exponent.
_NEGATIVE = re.compile(r"(?<![\w.:-])-(?=[.]?\d|inf\b)")
# Empty elements of HTML and SVG, and how their tags end.
_EMPTY = {"br": ">"} | dict.fromkeys(
    ("circle", "line", "path", "polygon", "polyline", "rect"), "/>"
)


class Markup(markupsafe.Markup):
    """Text whose tags are markup. Text that is added, joined or inserted is escaped.

    Make one with :func:`element`: only this module calls the constructor.

    Examples
    --------
    >>> print(Markup() + "a < b" + element("b", "c & d"))
    a &lt; b<b>c &amp; d</b>
    """

    __slots__ = ()

    @classmethod
    def escape(cls, value: object, /) -> Self:
        """Return markup unchanged, and anything else as escaped text."""
        return value if isinstance(value, cls) else cls(_escaped(str(value)))


def with_minus_signs(text: str) -> str:
    """Write the negative numbers in a text with a minus sign, like the axes of charts.

    Examples
    --------
    >>> with_minus_signs("total -2, rows 1, since 2013-01-01").replace(MINUS, "minus ")
    'total minus 2, rows 1, since 2013-01-01'
    """
    return _NEGATIVE.sub(MINUS, text)


def readable(text: str) -> str:
    r"""Replace each character that a page cannot show.

    Control characters other than tab and line ends become their symbols, such as ``␀``, so that
    different names stay different. Halves of surrogate pairs and noncharacters become ``�``, and so
    do marks that change the direction of writing, as they would reverse numbers next to a name.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(readable("a\x00b\x1bc\ud800"))
    a␀b␛c�
    """
    return _HIDDEN.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def element(tag: str, /, *content: object, **attributes: object) -> Markup:
    """Return an element of HTML, of SVG or of a chart's text.

    Parameters
    ----------
    tag : str
    *content : Markup or any
        Content that is not markup is escaped.
    **attributes : any
        Underscores stand for hyphens, except at the end; an attribute that is None is left out.

    Returns
    -------
    Markup

    Examples
    --------
    >>> print(element("circle", r=5, stroke_width=2))
    <circle r="5" stroke-width="2"/>
    >>> print(element("p", "a < b", class_="note"))
    <p class="note">a &lt; b</p>
    """
    start = f"<{tag}" + "".join(
        f' {_attribute_name(name)}="{_attribute_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if not content and tag in _EMPTY:
        return Markup(start + _EMPTY[tag])
    return Markup(f"{start}>{joined(content)}</{tag}>")


@cache
def _attribute_name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _attribute_value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return str(value) if isinstance(value, int) else _escaped(str(value))


def _escaped(text: str) -> str:
    return markupsafe.escape(_HIDDEN.sub(_replacement, text))


def joined(parts: Iterable[object]) -> Markup:
    """Concatenate parts; those that are not markup are escaped.

    Examples
    --------
    >>> print(joined(["a < b", BREAK, 5]))
    a &lt; b<br>5
    """
    return Markup("".join(map(Markup.escape, parts)))


BREAK = element("br")
#: At the end of a hover text, this keeps plotly from adding the trace's name.
NO_NAME = element("extra", "")


def in_lines(parts: Iterable[object]) -> Markup:
    """Return parts with line breaks between them.

    Examples
    --------
    >>> print(in_lines(["a < b", "c"]))
    a &lt; b<br>c
    """
    return BREAK.join(map(Markup.escape, parts))


def chart_text(*parts: object) -> str:
    """Return parts as text for plotly, which interprets tags, entities and formulas in any text.

    Use it for every title, label, name, category and hover text of a figure that may contain a
    name or a value of a table.

    Parameters
    ----------
    *parts : Markup or any
        Parts that are not markup are shown literally.

    Returns
    -------
    str

    Examples
    --------
    >>> chart_text(element("b", "a < b"), " $5$")
    '<b>a &lt; b</b> &#36;5&#36;'
    """
    return "".join(map(Markup.escape, parts)).replace("$", "&#36;")


def stylesheet(css: str) -> Markup:
    """Return our own CSS rules as a style element; nothing in them is escaped.

    Examples
    --------
    >>> print(stylesheet("td > b {color: red}"))
    <style>td > b {color: red}</style>
    """
    return Markup(f"<style>{css}</style>")


def own_file(path: Path) -> Markup:
    """Return a file of this package as markup."""
    return Markup(path.read_text(encoding="utf-8"))


def converted(page: str) -> Markup:
    """Return a page that another program made of a notebook as markup; the caller trusts it.

    Examples
    --------
    >>> print(converted("<p>a &lt; b</p>"))
    <p>a &lt; b</p>
    """
    return Markup(page)


def as_json(value: object) -> Markup:
    """Return a value as JSON that cannot close the script element around it.

    Examples
    --------
    >>> print(as_json({"title": "</script>"}))
    {"title":"\\u003c/script\\u003e"}
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e"))


def in_base64(data: bytes) -> Markup:
    """Return bytes in base64, which a browser decodes with ``atob``.

    Examples
    --------
    >>> print(in_base64(b"</script>"))
    PC9zY3JpcHQ+
    """
    return Markup(base64.b64encode(data).decode("ascii"))


def filled(template: Markup, parts: dict[str, object]) -> Markup:
    """Return a template with each ``{{name}}`` replaced by its part.

    Examples
    --------
    >>> print(filled(element("h1", "{{title}}"), {"title": "a < b"}))
    <h1>a &lt; b</h1>
    """
    return Markup(re.sub(r"\{\{(\w+)\}\}", lambda name: Markup.escape(parts[name[1]]), template))
