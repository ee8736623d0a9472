"""Parts of URLs as ClickHouse extracts them; a missing part is empty."""

import re

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.templates import fill_template

#: The part before the host; a host has a point, and certain letters.
_PREFIX = r"^(?:(?:[A-Za-z0-9+.-]+:)?//)?(?:[A-Za-z0-9._-]*@)?"
_IN_HOST = r"[A-Za-z0-9_\x{80}-\x{10ffff}-]"
_HOST = rf"((?:{_IN_HOST}+\.)+{_IN_HOST}+)(?=[:/?#]|$)"
_PATTERNS = {
    "domain": f"{_PREFIX}{_HOST}",
    "protocol": r"^([A-Za-z][A-Za-z0-9+.-]*):.{3}",
    "path": r"^(?:(?:[A-Za-z0-9+.-]+:)?//)?+[^/]*(/[^?#]*)",
    "pathfull": r"^(?:(?:[A-Za-z0-9+.-]+:)?//)?+[^/]*(/.*)",
    "topleveldomain": rf"{_PREFIX}(?:{_IN_HOST}+[.])+((?![0-9]){_IN_HOST}+)(?=[:/?#]|$)",
    "querystring": r"[?]([^#]*)",
    "querystringandfragment": r"(?:[?]|(?=#[^?]*$))(.*)",
    "fragment": r"#(.*)",
}
#: Functions that return a part of a URL.
PARTS_OF_URLS = (*_PATTERNS, "domainwithoutwww")
#: Templates by name and number of arguments.
URL_TEMPLATES: dict[tuple[str, int], str] = {
    ("cutquerystring", 1): "REGEXP_REPLACE(:a, '[?][^#]*', '')",
    ("cutfragment", 1): "REGEXP_REPLACE(:a, '#.*', '')",
    ("cutquerystringandfragment", 1): "REGEXP_REPLACE(:a, '[?].*|#[^?]*$', '')",
    # A code that is none stays, as a plus does.
    ("decodeurlcomponent", 1): "URL_DECODE(REGEXP_REPLACE(REPLACE(:a, '+', '%2B'), "
    "'%(?![0-9A-Fa-f]{2})', '%25'))",
    ("encodeurlcomponent", 1): "REPLACE(REPLACE(REPLACE(URL_ENCODE(:a), '+', '%20'), '*', '%2A'), "
    "'%7E', '~')",
}


def part_of_url(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return the part of a URL that the function is named after."""
    if len(arguments) != 1:
        return None
    name = node.name.lower()
    pattern = exp.Literal.string(_PATTERNS[name.removesuffix("withoutwww")])
    part = fill_template("REGEXP_EXTRACT(:of, :pattern, 1)", of=arguments[0], pattern=pattern)
    if name.endswith("www"):
        return fill_template("REGEXP_REPLACE(:of, '^www[.]', '')", of=part)
    return part


def url_parameter(node: exp.Expr, arguments: list[exp.Expr], kinds: Kinds) -> exp.Expr | None:
    """Return the value of a parameter as it is in the URL, without decoding."""
    if len(arguments) != 2 or not isinstance(arguments[1], exp.Literal):
        return None
    pattern = exp.Literal.string(rf"[?&#]{re.escape(arguments[1].this)}=([^&#]*)")
    return fill_template("REGEXP_EXTRACT(:of, :pattern, 1)", of=arguments[0], pattern=pattern)
