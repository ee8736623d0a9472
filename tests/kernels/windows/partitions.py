"""Partitions with ties, NULLs and NaN, drawn by Hypothesis, and DuckDB's results for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from numpy.typing import NDArray

from kernels import Order, order_by_key
from tests.oracle import duck

Key = int | float | None

#: Just before 1970 and after it, and close together.
integers = st.integers(-6, 6)
floats = st.one_of(st.integers(-6, 6).map(lambda k: k / 2), st.sampled_from([-0.0, float("nan")]))
infinite = st.sampled_from([float("inf"), float("-inf")])


@dataclass(frozen=True)
class Partitions:
    """The sorted keys of several partitions, one after another."""

    keys: list[list[Key]]
    descending: bool = False
    nulls_first: bool = False
    kind: str = "BIGINT"

    @property
    def rows(self) -> int:
        return sum(map(len, self.keys))

    @property
    def offsets(self) -> NDArray[np.int64]:
        return np.cumsum([0, *map(len, self.keys)], dtype=np.int64)

    @property
    def flat(self) -> list[Key]:
        return [key for keys in self.keys for key in keys]

    @property
    def order(self) -> Order:
        """The order as the kernels take it; rows without a key have an arbitrary one."""
        missing = [sum(key is None for key in keys) for keys in self.keys]
        nulls = np.array([(n, 0) if self.nulls_first else (0, n) for n in missing], np.int64)
        dtype: Any = np.int64 if self.kind == "BIGINT" else np.float64
        keys = np.array([5 if key is None else key for key in self.flat], dtype)
        return order_by_key(self.offsets, keys, nulls.reshape(-1, 2), self.descending)

    @property
    def order_by(self) -> str:
        direction = "DESC" if self.descending else "ASC"
        return f"ORDER BY key {direction} NULLS {'FIRST' if self.nulls_first else 'LAST'}"

    def ask(self, expressions: str, **columns: pa.Array) -> list[tuple[Any, ...]]:
        """Return DuckDB's results for every row; ``w`` is the window without a frame.

        It is checked that DuckDB keeps the order of tied rows.
        """
        partition = [p for p, keys in enumerate(self.keys) for _ in keys]
        key = pa.array(self.flat, pa.int64() if self.kind == "BIGINT" else pa.float64())
        rows = pa.table(  # noqa: F841 (the query reads it by its name)
            {
                "partition": pa.array(partition, pa.int64()),
                "row": pa.array(range(self.rows), pa.int64()),
                "key": key,
                **columns,
            }
        )
        with duck() as connection:
            answer = connection.execute(
                f"SELECT row - first_value(row) OVER w + 1 = row_number() OVER w, {expressions} "
                f"FROM rows WINDOW w AS (PARTITION BY partition {self.order_by}) ORDER BY row"
            ).fetchall()
        assert all(row[0] for row in answer), "DuckDB has ordered tied rows in another way."
        return [row[1:] for row in answer]


def in_sql(frame: tuple[str, int | None, int | None, str]) -> str:
    """Write a frame with constant bounds."""
    unit, low, high, exclude = frame
    start = "UNBOUNDED PRECEDING" if low is None else f"{abs(low)} {_side(low > 0)}"
    end = "UNBOUNDED FOLLOWING" if high is None else f"{abs(high)} {_side(high >= 0)}"
    return f"{unit} BETWEEN {start} AND {end} EXCLUDE {exclude}"


def _side(following: bool) -> str:
    return "FOLLOWING" if following else "PRECEDING"


def _sort_key(key: Key) -> tuple[bool, float]:
    assert key is not None
    return key != key, 0 if key != key else key


@st.composite
def partitions(
    draw: st.DrawFn, most_rows: int = 8, finite: bool = False, floating: bool | None = None
) -> Partitions:
    """Draw a few partitions, empty ones and single rows among them."""
    as_floats = draw(st.booleans()) if floating is None else floating
    numbers = (floats if finite else st.one_of(floats, infinite)) if as_floats else integers
    descending, nulls_first = draw(st.booleans()), draw(st.booleans())
    key = st.one_of(numbers, numbers, numbers, st.none())

    def in_order(keys: Sequence[Key]) -> list[Key]:
        present: list[Any] = [key for key in keys if key is not None]
        present.sort(key=_sort_key, reverse=descending)
        nulls: list[Key] = [None] * (len(keys) - len(present))
        return nulls + present if nulls_first else present + nulls

    keys = draw(st.lists(st.lists(key, max_size=most_rows).map(in_order), min_size=1, max_size=3))
    return Partitions(keys, descending, nulls_first, "DOUBLE" if as_floats else "BIGINT")
