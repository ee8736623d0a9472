"""Maps as DuckDB writes them, and their values by keys."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.writing import anonymous


def map_of_pairs(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """A map whose keys and values stand beside each other: ``MAP {'a': 1}``."""
    pairs = node.this.expressions if isinstance(node.this, exp.Struct) else None
    if pairs is None or not all(isinstance(one, exp.PropertyEQ) for one in pairs):
        return None
    return anonymous("MAP", *(part for one in pairs for part in (one.this, one.expression)))
