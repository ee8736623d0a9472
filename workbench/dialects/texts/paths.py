"""Parts of paths of files, as DuckDB's ``parse_filename`` and ``parse_path``."""

from sqlglot import exp

from workbench.dialects.templates import fill_template
from workbench.errors import WorkbenchError

#: What separates the parts, as a class of letters of a regular expression, by the name of a system.
_SEPARATORS = {
    "default": r"/\\", "both_slash": r"/\\", "system": "/", "forward_slash": "/",
    "backslash": r"\\",
}  # fmt: skip
#: Templates by the name of a function, with the patterns that they take.
_TEMPLATES = {
    "parse_filename": ("REGEXP_REPLACE(:a, :pattern, '')", "(?s)^.*[{by}]"),
    "parse_dirname": ("REGEXP_EXTRACT(:a, :pattern, 1)", "^([{by}]|[^{by}]+(?=[{by}]))"),
    "parse_dirpath": (
        "REGEXP_EXTRACT(:a, :pattern, 1)", r"(?s)^([{by}](?=\z)|[{by}](?=[{by}]\z)|.*(?=[{by}]))",
    ),
    "parse_path": ("REGEXP_EXTRACT_ALL(:a, :pattern, 0)", "^[{by}]|[^{by}]+"),
}  # fmt: skip
_EXTENSION = r"[.][^.]*\z"


def part_of_path(name: str, arguments: list[exp.Expr]) -> exp.Expr | None:
    """Return the file's name, the first folder, all folders or all parts of a path.

    Return None for another function.

    Raises
    ------
    WorkbenchError
        When an argument after the path is no constant.

    Examples
    --------
    >>> call = part_of_path("parse_path", [exp.column("s"), exp.Literal.string("system")])
    >>> print(call.sql("spark"))
    REGEXP_EXTRACT_ALL(s, '^[/]|[^/]+', 0)
    """
    if name not in _TEMPLATES or not 1 <= len(arguments) <= 2 + (name == "parse_filename"):
        return None
    path, *options = arguments
    without_extension, separator = _constants(name, options)
    template, pattern = _TEMPLATES[name]
    by = _SEPARATORS.get(separator, _SEPARATORS["default"])
    part = fill_template(template, a=path, pattern=exp.Literal.string(pattern.format(by=by)))
    if without_extension:
        extension = exp.Literal.string(_EXTENSION)
        part = fill_template("REGEXP_REPLACE(:a, :pattern, '')", a=part, pattern=extension)
    return part


def _constants(name: str, options: list[exp.Expr]) -> tuple[bool, str]:
    """Return whether a file's name loses its last extension, and the separator's name."""
    separator = options.pop().name if options and options[-1].is_string else ""
    flag = options.pop() if options and name == "parse_filename" else exp.false()
    if options or not isinstance(flag, exp.Boolean):
        raise WorkbenchError(
            f"query: {name} takes constants after the path here, as in parse_filename(s, true, "
            "'forward_slash')."
        )
    return bool(flag.this), separator
