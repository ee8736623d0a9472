"""Functions of texts that count, cut or compare otherwise than those of Spark."""

import re
from string import Formatter

from sqlglot import exp

from workbench.dialects.functions import POSTGRES
from workbench.dialects.kinds import Kinds, kind_of
from workbench.dialects.texts.patterns import first_group, replaced, with_flags
from workbench.dialects.writing import anonymous, fill_template
from workbench.errors import WorkbenchError

#: What is text to Spark, or may become it.
_TEXT = ("string", "char", "varchar", "void")


def replaced_pattern(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    modifiers = node.args.get("modifiers")
    every = dialect == "clickhouse" or (modifiers is not None and "g" in modifiers.name)
    return replaced(node, every, "regexp_replace")


def flagged(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A pattern whose flags stand beside it."""
    if isinstance(node.args.get("group"), exp.Array):
        raise WorkbenchError(
            "query: regexp_extract with a list of names is not available; take each group by its "
            "number, as regexp_extract(x, pattern, 1)."
        )
    name = "parameters" if isinstance(node, exp.RegexpExtract | exp.RegexpExtractAll) else "flag"
    if (flags := node.args.get(name)) is not None:
        node.set("expression", with_flags(node.expression, flags))
        node.set(name, None)
    return None


def left(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """The first or last letters, or all but the ones at the other end."""
    n, name = node.expression, type(node).__name__.upper()
    if isinstance(n, exp.Literal):
        return None
    rest = exp.Add(this=anonymous("LENGTH", node.this), expression=exp.paren(n.copy()))
    but = anonymous(name, node.this, anonymous("GREATEST", rest, exp.Literal.number(0)))
    if isinstance(n, exp.Neg):
        return but
    negative = exp.LT(this=exp.paren(n.copy()), expression=exp.Literal.number(0))
    return exp.Case(ifs=[exp.If(this=negative, true=but)], default=anonymous(name, node.this, n))


def substring(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A part of a text, of which places before the first letter count as letters."""
    start, length = node.args.get("start"), node.args.get("length")
    if isinstance(start, exp.Literal) and start.is_string and length is None:
        return _of_pattern(node.this, start)
    if start is None or length is None:
        return _from_place(node, start, dialect)
    if all(isinstance(one, exp.Literal) and one.this.strip("0") for one in (start, length)):
        return None
    # DuckDB counts what is negative from the end, and takes letters before it by such a length.
    first = "= 0" if dialect == "duckdb" else "<= 0"
    lost = "1" if dialect == "duckdb" else "1 - (:start)"
    back = (
        "WHEN (:length) < 0 THEN SUBSTRING(LEFT(:text, GREATEST(PLACE - 1, 0)), "
        "GREATEST(PLACE + (:length), 1))"
        if dialect == "duckdb"
        else ""
    ).replace("PLACE", "IF((:start) < 0, LENGTH(:text) + (:start) + 1, :start)")
    return fill_template(
        f"CASE {back} WHEN (:start) {first} THEN SUBSTRING(:text, 1, (:length) - ({lost})) "
        "ELSE SUBSTRING(:text, :start, :length) END",
        text=node.this, start=start, length=length,
    )  # fmt: skip


def _of_pattern(text: exp.Expr, pattern: exp.Literal) -> exp.Expr:
    """What the first group of a pattern is, or all of it; null where the text has none."""
    found = fill_template(
        f"REGEXP_EXTRACT(:text, :pattern, {first_group(pattern)})", text=text, pattern=pattern
    )
    has_one = fill_template("(:text) RLIKE :pattern", text=text, pattern=pattern)
    return exp.Case(ifs=[exp.If(this=has_one, true=found)])


def letter(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """The letter of a number, of which Spark's own function has 256."""
    if len(node.expressions) != 1:
        return None
    code = "DECODE(UNHEX(LPAD(HEX(:of), 8, '0')), 'UTF-32')"
    return fill_template(code, of=node.expressions[0])


#: Letters of words, by the names of functions that make each word's first one a capital.
_WORDS = {"ascii": "0-9A-Za-z", "any": "\\p{L}\\p{N}"}


def capitals(text: exp.Expr, letters: str) -> exp.Expr:
    """Return a text whose words begin with a capital, and have no others: Spark's end at blanks.

    Parameters
    ----------
    text : sqlglot.exp.Expr
    letters : str
        Of which words are: "ascii" or "any".
    """
    of_words = _WORDS[letters]
    return fill_template(
        "ARRAY_JOIN(TRANSFORM(REGEXP_EXTRACT_ALL(:text, :pieces, 0), piece -> "
        "IF(piece RLIKE :word, CONCAT(UPPER(LEFT(piece, 1)), LOWER(SUBSTRING(piece, 2))), piece)"
        "), '')",
        text=text,
        pieces=exp.Literal.string(f"[{of_words}]+|[^{of_words}]+"),
        word=exp.Literal.string(f"^[{of_words}]"),
    )


def initcap(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    return capitals(node.this, "ascii" if dialect == "clickhouse" else "any")


def _from_place(node: exp.Expr, start: exp.Expr | None, dialect: str) -> exp.Expr | None:
    """The rest of a text, all of it from before its first letter on."""
    if start is None or dialect == "duckdb" or isinstance(start, exp.Literal):
        return None
    return fill_template(
        "SUBSTRING(:text, CASE WHEN (:start) < 1 THEN 1 ELSE :start END)",
        text=node.this, start=start,
    )  # fmt: skip


def concatenated(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Values as texts one behind the other, those that are null left out."""
    others = [
        one for one in node.expressions if not (isinstance(one, exp.Literal) and one.is_string)
    ]
    names = [one.typeName() for one in kinds(node, others) or ()] if others else []
    if {"array", "map", "struct"}.isdisjoint(names):
        for one, name in zip(others, names, strict=False):
            if name not in _TEXT:
                one.replace(exp.cast(one.copy(), "TEXT"))
    return None


def hexadecimal(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A number by sixteens, whose letters are small to Postgres."""
    return anonymous("LOWER", node.copy()) if dialect in POSTGRES else None


def _by_places(given: list[exp.Expr]) -> exp.Expr:
    """Texts between which values stand for each ``%s``, and nothing where a value is null."""
    first = given[0]
    pieces = re.split("(%.?)", first.this) if isinstance(first, exp.Literal) else ["%"]
    places = [one for one in pieces[1::2] if one != "%%"]
    if places != ["%s"] * (len(given) - 1):
        raise WorkbenchError(
            "query: format takes a text with %s for each value here; put the text together by ||, "
            "which is null where a value is."
        )
    values = iter(given[1:])
    texts: list[exp.Expr] = []
    for one in pieces:
        if one == "%s":
            texts.append(fill_template("COALESCE(STRING(:value), '')", value=next(values)))
        else:
            texts.append(exp.Literal.string("%" if one == "%%" else one))
    return anonymous("CONCAT", *texts)


def formatted(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a text in which values stand in the places that it names."""
    if dialect not in ("duckdb", "clickhouse"):
        return _by_places([node.this, *node.expressions])
    if (found := _formatted(node.this, list(node.expressions))) is not None:
        return found
    raise WorkbenchError(
        "query: format takes a text with {}, or {0} and {1}, for its values here; put the text "
        "together by ||, or take printf."
    )


def _formatted(template: exp.Expr, values: list[exp.Expr]) -> exp.Expr | None:
    """Texts between which values stand, of formats that say no more of them."""
    if not isinstance(template, exp.Literal):
        return None
    try:
        parts = list(Formatter().parse(template.this))
    except ValueError:
        return None
    names = [name for _, name, _, _ in parts if name is not None]
    places = [int(name) if name.isdigit() else -1 for name in names]
    if not any(names):
        places = list(range(len(names)))
    said_more = any(spec or conversion for _, _, spec, conversion in parts)
    if said_more or any(not 0 <= place < len(values) for place in places):
        return None
    at = iter(places)
    # What is put together so is null where a value is.
    found: exp.Expr = exp.Literal.string("")
    for text, name, _, _ in parts:
        found = exp.DPipe(this=found, expression=exp.Literal.string(text)) if text else found
        if name is not None:
            value = exp.cast(values[next(at)].copy(), "TEXT")
            found = exp.DPipe(this=found, expression=value)
    return exp.paren(found, copy=False)


def length(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """How many elements a list or a map has; of text, ClickHouse counts bytes."""
    if kind_of(node, node.this, kinds) in ("array", "map"):
        return anonymous("SIZE", node.this)
    return anonymous("OCTET_LENGTH", node.this) if dialect == "clickhouse" else None


def similar(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Whether all of a text is what a pattern says, which is a regular expression to DuckDB."""
    if dialect != "duckdb":
        raise WorkbenchError(
            "query: SIMILAR TO is not available; compare by ~ and a regular expression."
        )
    return fill_template("(:a) RLIKE CONCAT('^(?:', :b, ')$')", a=node.this, b=node.expression)


def collated(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    raise WorkbenchError(
        f"query: COLLATE {node.expression.sql(dialect=dialect)} is not available; "
        "compare what lower(...) or translate(...) makes of the text."
    )
