"""HTML, SVG and the tags of chart texts, all made here: whatever is not markup is escaped.

Names, values and error texts come from tables of other people. They are shown as they are, in every
picture and every widget, and are never read as tags.
"""

import base64
import json
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Self

import markupsafe

# What XML forbids and what no UTF-8 can hold, and what turns round the digits that stand beside it.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
# Elements that hold nothing, and how they end: HTML's and SVG's.
_EMPTY = {"br": ">"} | dict.fromkeys(
    ("circle", "line", "path", "polygon", "polyline", "rect"), "/>"
)


class Markup(markupsafe.Markup):
    """A text whose tags count. What is added to it, joined with it or put into it is escaped.

    Make one with :func:`element`: only this module gives the constructor a text.

    Examples
    --------
    >>> print(Markup() + "a < b" + element("b", "c & d"))
    a &lt; b<b>c &amp; d</b>
    """

    __slots__ = ()

    @classmethod
    def escape(cls, value: object, /) -> Self:
        """Return markup as it is, and anything else as a text that shows itself."""
        return value if isinstance(value, cls) else cls(_escaped(str(value)))


def readable(text: str) -> str:
    r"""Return a text with a sign in place of each character that no page can show.

    Control characters but tab and line ends become their pictures, such as ``␀``, which keep names
    apart. Halves of surrogate pairs and what is no character become ``�``, and so do the
    marks that change the direction of writing, as they would turn round numbers beside a name.

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
    return _HIDDEN.sub(_sign, text)


def _sign(found: re.Match[str]) -> str:
    code = ord(found[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


def element(tag: str, /, *content: object, **attributes: object) -> Markup:
    """Return an element of HTML, of SVG or of a chart's text.

    Parameters
    ----------
    tag : str
    *content : Markup or any
        What is no markup is escaped.
    **attributes : any
        Underscores stand for hyphens, one at the end for nothing; a None leaves the attribute out.

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
        f' {_written(name)}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if not content and tag in _EMPTY:
        return Markup(start + _EMPTY[tag])
    return Markup(f"{start}>{joined(content)}</{tag}>")


@cache
def _written(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    return str(value) if isinstance(value, int) else _escaped(str(value))


def _escaped(text: str) -> str:
    return markupsafe.escape(_HIDDEN.sub(_sign, text))


def joined(parts: Iterable[object]) -> Markup:
    """Return parts one behind the other; what is no markup is escaped.

    Examples
    --------
    >>> print(joined(["a < b", BREAK, 5]))
    a &lt; b<br>5
    """
    return Markup("".join(map(Markup.escape, parts)))


BREAK = element("br")
#: At the end of a hover text of plotly: the trace's name is not shown beside it.
NO_NAME = element("extra", "")


def in_lines(parts: Iterable[object]) -> Markup:
    """Return parts one below the other.

    Examples
    --------
    >>> print(in_lines(["a < b", "c"]))
    a &lt; b<br>c
    """
    return BREAK.join(map(Markup.escape, parts))


def chart_text(*parts: object) -> str:
    """Return what plotly shows as these parts: it reads tags, entities and formulas in every text.

    Every title, label, name, category and hover text of a figure that may hold a name or a value
    of a table goes through here.

    Parameters
    ----------
    *parts : Markup or any
        What is no markup is shown as it is.

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
    """Return rules as an element of a page. They are our own: nothing in them is escaped.

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
    """Return what another program has made of a notebook: who hands it on trusts what is in it.

    Examples
    --------
    >>> print(converted("<p>a &lt; b</p>"))
    <p>a &lt; b</p>
    """
    return Markup(page)


def as_json(value: object) -> Markup:
    """Return a value as JSON that cannot end the script element which holds it.

    Examples
    --------
    >>> print(as_json({"title": "</script>"}))
    {"title":"\\u003c/script\\u003e"}
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e"))


def in_letters(data: bytes) -> Markup:
    """Return bytes in base64, which a browser reads with ``atob``.

    Examples
    --------
    >>> print(in_letters(b"</script>"))
    PC9zY3JpcHQ+
    """
    return Markup(base64.b64encode(data).decode("ascii"))


def filled(template: Markup, parts: dict[str, object]) -> Markup:
    """Return a template with a part in place of each ``{{name}}``.

    Examples
    --------
    >>> print(filled(element("h1", "{{title}}"), {"title": "a < b"}))
    <h1>a &lt; b</h1>
    """
    return Markup(re.sub(r"\{\{(\w+)\}\}", lambda name: Markup.escape(parts[name[1]]), template))
