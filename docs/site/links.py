"""The links of the finished pages: each leads to a file and a place that are there."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Attributes that have a browser fetch something, or go there.
ADDRESSES = ("href", "src", "data", "poster")
COLOURS = re.compile(r'<span class="\w+">')


class Reader(HTMLParser):
    """What a page links to, what it loads, and the places that it has.

    Attributes
    ----------
    links : list of str
        Where its anchors lead.
    loads : list of str
        What a browser fetches to show it.
    places : set of str
    """

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element says."""
        named = dict(attrs)
        self.places |= {one for one in (named.get("id"), named.get("name")) if one}
        found = [named[name] or "" for name in ADDRESSES if name in named]
        (self.links if tag == "a" else self.loads).extend(found)


def read(page: Path) -> Reader:
    """Return what is in a page."""
    reader = Reader()
    # The colours of code, which are most of a page of source, hold no place and no link.
    reader.feed(COLOURS.sub("", page.read_text("utf-8")))
    return reader


def broken_links(site: Path) -> list[str]:
    """Return a line for each link that leads nowhere, and for what a page loads from elsewhere.

    Parameters
    ----------
    site : Path
    """
    pages = {page: read(page) for page in site.rglob("*.html")}
    return [
        f"{page.relative_to(site)}: {address}"
        for page, found in pages.items()
        for address, fetched in [(a, False) for a in found.links] + [(a, True) for a in found.loads]
        if not is_there(page, address, fetched, pages)
    ]


def is_there(page: Path, address: str, fetched: bool, pages: dict[Path, Reader]) -> bool:
    """Whether what an address names is there; what others have is not asked, but never loaded."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return not fetched or parts.scheme == "data"
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return False
    # Sphinx leaves an empty place for "the top", and a script reads the places of a player.
    known = pages.get(target)
    return not parts.fragment or known is None or unquote(parts.fragment) in known.places
