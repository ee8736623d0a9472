"""Map literals of DuckDB."""

from sqlglot import exp

from workbench.dialects.kinds import Kinds
from workbench.dialects.templates import anonymous


def map_of_pairs(node: exp.Expr, dialect: str, kinds: Kinds) -> exp.Expr | None:
    """Return a map literal with pairs of keys and values: ``MAP {'a': 1}``."""
    pairs = node.this.expressions if isinstance(node.this, exp.Struct) else None
    if pairs is None or not all(isinstance(one, exp.PropertyEQ) for one in pairs):
        return None
    return anonymous("MAP", *(part for one in pairs for part in (one.this, one.expression)))
