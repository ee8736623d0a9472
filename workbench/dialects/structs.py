"""Structs: fields added to them."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.templates import anonymous
from workbench.errors import WorkbenchError


def struct_insert(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr:
    """Return a struct with further fields: ``struct_insert(s, b := 1)``.

    Raises
    ------
    WorkbenchError
        When the fields of the struct are not known, or the others have no names.
    """
    struct, *others = node.expressions or [exp.null()]
    types = kinds(node, [struct])
    names = [one.name for one in getattr(types[0], "fields", ())] if types else []
    if not names or not others or not all(isinstance(one, exp.PropertyEQ) for one in others):
        raise WorkbenchError(
            "query: struct_insert takes a struct and fields with their names, as in "
            "struct_insert(s, b := 1)."
        )
    fields = [
        (name, exp.Dot(this=exp.paren(struct.copy()), expression=exp.to_identifier(name, True)))
        for name in names
    ]
    fields += [(one.name, one.expression) for one in others]
    if len({name.lower() for name, _ in fields}) < len(fields):
        raise WorkbenchError("query: struct_insert has a field twice; give it another name.")
    parts = [part for name, value in fields for part in (exp.Literal.string(name), value)]
    return anonymous("NAMED_STRUCT", *parts)
