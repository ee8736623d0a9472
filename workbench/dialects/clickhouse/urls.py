"""Parts of URLs as ClickHouse takes them, which are empty where there are none."""

import re

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.writing import fill_template

#: What stands before the host; a host has a point, and letters that a host may have.
_BEFORE = r"^(?:(?:[A-Za-z0-9+.-]+:)?//)?(?:[A-Za-z0-9._-]*@)?"
_HOST = r"((?:[A-Za-z0-9_-]+\.)+[A-Za-z0-9_-]+)(?=[:/?#]|$)"
_PATTERNS = {
    "domain": f"{_BEFORE}{_HOST}",
    "protocol": r"^([A-Za-z][A-Za-z0-9+.-]*):.{3}",
    "path": r"^(?:(?:[A-Za-z0-9+.-]+:)?//)?+[^/]*(/[^?#]*)",
}


def part_of_url(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """A part of a URL by the name of what takes it."""
    if len(given) != 1:
        return None
    name = node.name.lower()
    pattern = exp.Literal.string(_PATTERNS[name.removesuffix("withoutwww")])
    found = fill_template("REGEXP_EXTRACT(:of, :pattern, 1)", of=given[0], pattern=pattern)
    if name.endswith("www"):
        return fill_template("REGEXP_REPLACE(:of, '^www[.]', '')", of=found)
    return found


def parameter(node: exp.Expr, given: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """The value of a parameter by its name, as the URL writes it."""
    if len(given) != 2 or not isinstance(given[1], exp.Literal):
        return None
    pattern = exp.Literal.string(rf"[?&#]{re.escape(given[1].this)}=([^&#]*)")
    return fill_template("REGEXP_EXTRACT(:of, :pattern, 1)", of=given[0], pattern=pattern)
