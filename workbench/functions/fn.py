"""The functions of :func:`workbench.over`, as ``wb.fn``.

An argument is the exact name of a column, or a Column. Each function has methods that modify it:
``.where(condition)``, ``.distinct()``, ``.ignore_nulls()``, and ``.over(frame)``, which sets its
own frame.

In the examples below, ``pd`` is pandas and ``wb`` this package. With an order, each row's result
covers the rows up to it and its peers; without one, every row's result covers the whole table.

Examples
--------
>>> import workbench as wb
>>> three = wb.Frame.rows(-1, 1)
>>> calls = {"low": wb.fn.min("mwh"), "middle": wb.fn.median("mwh"), "n": wb.fn.row_number()}
>>> plants = wb.datasets.power_plants(wb.session()).where("plant = 'Boston'")
>>> rows = plants.select("date", "mwh").orderBy("date").limit(3)
>>> wb.over(rows, [], "date", three, **calls).orderBy("date").show()
+----------+------+------+--------+---+
|      date|   mwh|   low|  middle|  n|
+----------+------+------+--------+---+
|2019-01-02|564337|507405|535871.0|  1|
|2019-01-03|507405|507405|528523.0|  2|
|2019-01-04|528523|507405|517964.0|  3|
+----------+------+------+--------+---+
<BLANKLINE>
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Union

from workbench.arguments import check_text, is_iterable, is_number, listed, whole_number
from workbench.errors import WorkbenchError
from workbench.frames.bounds import is_column
from workbench.frames.frame import Frame
from workbench.functions.catalogue import (
    CATALOGUE,
    LG_K,
    NO_OPTIONS,
    QUANTILES_K,
    FunctionInfo,
    Options,
    info_of,
)
from workbench.functions.order import OrderColumn, order_terms, term_as_given

if TYPE_CHECKING:
    from pyspark.sql import Column

Argument = Union[str, "Column"]

#: The greatest integer that an option may be.
MAX_INTEGER = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Function:
    """A window function with its arguments, as the functions of this module return it.

    Attributes
    ----------
    name : str
        Its name in SQL.
    arguments : tuple of (str or Column)
    options : Options
        Arguments that are not columns: the n of ``lag``, the quantiles.
    condition : str or Column, optional
        Only rows that fulfil it count.
    frame : Frame, optional
        The function's own frame, which replaces that of the call.
    order : tuple of OrderColumn
        The order of the rows within the frame, where it differs from the call's order.

    Examples
    --------
    >>> avg("delay").where("carrier = 'UA'").over(Frame.rows(-6, 0))
    wb.fn.avg('delay').where("carrier = 'UA'").over(wb.Frame.rows(-6, 0))
    """

    name: str
    arguments: tuple[Argument, ...] = ()
    options: Options = NO_OPTIONS
    condition: Argument | None = None
    frame: Frame | None = None
    order: tuple[OrderColumn, ...] = ()

    def __repr__(self) -> str:
        given = [repr(argument) for argument in self.arguments]
        given += [repr(value) for value in self.options.shown(self.name)]
        text = f"wb.fn.{self.name}({', '.join(given)})"
        if self.options.distinct:
            text += ".distinct()"
        if self.condition is not None:
            text += f".where({self.condition!r})"
        if self.options.ignore_nulls:
            text += ".ignore_nulls()"
        if self.order:
            text += f".order_by({', '.join(repr(term_as_given(one)) for one in self.order)})"
        return text if self.frame is None else f"{text}.over({self.frame!r})"

    @property
    def info(self) -> FunctionInfo:
        """The function's row of the catalogue.

        Examples
        --------
        >>> avg("mwh").info.gives
        'double'
        """
        return info_of(self.name, bool(self.order))

    def where(self, condition: Argument) -> "Function":
        """Return the function restricted to the rows of the frame that fulfil a condition.

        Parameters
        ----------
        condition : str or Column
            SQL text or a Column; rows where it is null do not count.

        Returns
        -------
        Function

        Raises
        ------
        WorkbenchError
            When the function takes no condition, or already has one.

        Examples
        --------
        >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "mwh": [5, None, 7, 6]})
        >>> wb.over(days, [], "day", n=wb.fn.count().where("mwh > 5")).toArrow()["n"].to_pylist()
        [0, 0, 1, 2]
        """
        if not self.info.has_frame:
            raise WorkbenchError(f"where: {self.name} takes no condition; it looks at all rows.")
        if self.condition is not None:
            raise WorkbenchError("where: there is a condition already; join the two with 'and'.")
        _check_column(condition, "where")
        return replace(self, condition=condition)

    def distinct(self) -> "Function":
        """Return the function over distinct values: each counts once per frame.

        For an aggregate of two columns, each pair of values counts once.

        Returns
        -------
        Function

        Raises
        ------
        WorkbenchError
            When the function is not an aggregate of a column.

        Examples
        --------
        >>> sum("mwh").distinct()
        wb.fn.sum('mwh').distinct()
        """
        if not self.info.distinct or not self.arguments:
            raise WorkbenchError(
                f"distinct: {self.name} of distinct values is not available; "
                "it is for aggregates of a column, such as wb.fn.sum('x')."
            )
        if self.info.distinct_is:
            return replace(self, name=self.info.distinct_is)
        return replace(self, options=replace(self.options, distinct=True))

    def ignore_nulls(self) -> "Function":
        """Return the function restricted to rows whose value is not null.

        Returns
        -------
        Function

        Raises
        ------
        WorkbenchError
            When the function never counts nulls, or reads no value.

        Examples
        --------
        >>> days = pd.DataFrame({"day": [1, 2, 3], "dest": ["BOS", None, "LAX"]})
        >>> wb.over(days, [], "day", n=wb.fn.lag("dest").ignore_nulls()).toArrow()["n"].to_pylist()
        [None, 'BOS', 'BOS']
        """
        if not self.info.picks:
            picking = ", ".join(name for name, one in CATALOGUE.items() if one.picks)
            raise WorkbenchError(
                f"ignore_nulls: it is for {picking}; {self.name} has no nulls to ignore."
            )
        return replace(self, options=replace(self.options, ignore_nulls=True))

    def order_by(self, *terms: Any) -> "Function":
        """Return the function with its own order for the rows of the frame.

        The order of the call still decides which rows are in the frame, and breaks ties in this
        one. With an order of their own, ranks, ``lag`` and ``lead`` look at the frame instead of
        the whole partition; ``fill`` still looks at the partition.

        Parameters
        ----------
        *terms : str or tuple
            Columns, as ``order_by`` of :class:`workbench.Over` takes them.

        Returns
        -------
        Function

        Raises
        ------
        WorkbenchError
            When the order would change nothing, or the function takes none.

        Examples
        --------
        >>> first("carrier").order_by("-delay")
        wb.fn.first('carrier').order_by('-delay')
        """
        if self.info.any_order:
            raise WorkbenchError(
                f"order_by: {self.name} is the same in any order of the rows; leave it out."
            )
        if not self.info.own_order:
            raise WorkbenchError(
                f"order_by: {self.name} has no order of its own; order the call instead."
            )
        if not terms:
            raise WorkbenchError("order_by: there is no column; name one or more.")
        return replace(self, order=order_terms(list(terms)))

    def over(self, frame: Frame) -> "Function":
        """Return the function with its own frame.

        Parameters
        ----------
        frame : Frame

        Returns
        -------
        Function

        Raises
        ------
        WorkbenchError
            When the function takes no frame.

        Examples
        --------
        >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [5, 7, 6]})
        >>> calls = {"so_far": wb.fn.sum("mwh"), "two": wb.fn.sum("mwh").over(wb.Frame.rows(-1, 0))}
        >>> wb.over(days, [], "day", **calls).select(*calls).toArrow().to_pydict()
        {'so_far': [5, 12, 18], 'two': [5, 12, 13]}
        """
        if not isinstance(frame, Frame):
            raise WorkbenchError(
                f"over: {frame!r} is not a frame; give one such as wb.Frame.rows(-3, 3)."
            )
        if not self.info.has_frame:
            raise WorkbenchError(
                f"over: {self.name} has no frame; it looks at the whole partition."
            )
        return replace(self, frame=frame)


def count(column: Argument = "*") -> Function:
    """Count the rows whose value is not null, or all rows.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [5, None, 7]})
    >>> calls = {"values": wb.fn.count("mwh"), "rows": wb.fn.count()}
    >>> wb.over(days, [], "day", **calls).select(*calls).toArrow().to_pydict()
    {'values': [1, 1, 2], 'rows': [1, 2, 3]}
    """
    return Function(
        "count", () if isinstance(column, str) and column == "*" else _column_argument(column)
    )


def count_distinct(column: Argument) -> Function:
    """Count the distinct values, nulls excluded.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "carrier": ["UA", "AA", "UA", None]})
    >>> wb.over(days, [], "day", n=wb.fn.count_distinct("carrier")).toArrow()["n"].to_pylist()
    [1, 2, 2, 2]
    """
    return Function("count_distinct", _column_argument(column))


def sum(column: Argument) -> Function:
    """Return the sum of numbers: a long of integers, a decimal of decimals, else a double.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [None, 5, 7]})
    >>> wb.over(days, [], "day", n=wb.fn.sum("mwh")).toArrow()["n"].to_pylist()
    [None, 5.0, 12.0]
    """
    return Function("sum", _column_argument(column))


def avg(column: Argument) -> Function:
    """Return the mean of numbers, as a double.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [2, None, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.avg("mwh")).toArrow()["n"].to_pylist()
    [2.0, 2.0, 4.0]
    """
    return Function("avg", _column_argument(column))


def min(column: Argument) -> Function:
    """Return the least value.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [3, None, 1]})
    >>> wb.over(days, [], "day", n=wb.fn.min("mwh")).toArrow()["n"].to_pylist()
    [3.0, 3.0, 1.0]
    """
    return Function("min", _column_argument(column))


def max(column: Argument) -> Function:
    """Return the greatest value; NaN is greater than all others.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "mwh": [None, 2, 5, 3]})
    >>> wb.over(days, [], "day", n=wb.fn.max("mwh")).toArrow()["n"].to_pylist()
    [None, 2.0, 5.0, 5.0]
    """
    return Function("max", _column_argument(column))


def product(column: Argument) -> Function:
    """Return the product of numbers, as a double.

    Partial products are combined in an unspecified order. Where one of them overflows, and other
    factors are zero or small, that order decides whether the result is infinite, NaN or a number.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "factor": [2, None, 3]})
    >>> wb.over(days, [], "day", n=wb.fn.product("factor")).toArrow()["n"].to_pylist()
    [2.0, 2.0, 6.0]
    """
    return Function("product", _column_argument(column))


def stddev(column: Argument) -> Function:
    """Return the sample standard deviation; null for fewer than two values.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.stddev("mwh")).toArrow()["n"].to_pylist()
    [None, 1.4142135623730951, 2.0]
    """
    return Function("stddev", _column_argument(column))


def stddev_samp(column: Argument) -> Function:
    """Return the sample standard deviation, as :func:`stddev` does.

    Examples
    --------
    >>> stddev_samp("mwh")
    wb.fn.stddev('mwh')
    """
    return stddev(column)


def stddev_pop(column: Argument) -> Function:
    """Return the population standard deviation.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [2, 4, None]})
    >>> wb.over(days, [], "day", n=wb.fn.stddev_pop("mwh")).toArrow()["n"].to_pylist()
    [0.0, 1.0, 1.0]
    """
    return Function("stddev_pop", _column_argument(column))


def variance(column: Argument) -> Function:
    """Return the sample variance; null for fewer than two values.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.variance("mwh")).toArrow()["n"].to_pylist()
    [None, 2.0, 4.0]
    """
    return Function("variance", _column_argument(column))


def var_samp(column: Argument) -> Function:
    """Return the sample variance, as :func:`variance` does.

    Examples
    --------
    >>> var_samp("mwh")
    wb.fn.variance('mwh')
    """
    return variance(column)


def variance_pop(column: Argument) -> Function:
    """Return the variance of a population.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [1, 5, None]})
    >>> wb.over(days, [], "day", n=wb.fn.variance_pop("mwh")).toArrow()["n"].to_pylist()
    [0.0, 4.0, 4.0]
    """
    return Function("variance_pop", _column_argument(column))


def var_pop(column: Argument) -> Function:
    """Return the population variance, as :func:`variance_pop` does.

    Examples
    --------
    >>> var_pop("mwh")
    wb.fn.variance_pop('mwh')
    """
    return variance_pop(column)


def skewness(column: Argument) -> Function:
    """Return the sample skewness; null for fewer than three values, or where all are equal.

    Examples
    --------
    >>> rows = pd.DataFrame({"even": [1, 2, 3], "tail": [1, 1, 4]})
    >>> answer = wb.over(rows, a=wb.fn.skewness("even"), b=wb.fn.skewness("tail"))
    >>> [round(value, 2) for value in answer.select("a", "b").first()]
    [0.0, 1.73]
    """
    return Function("skewness", _column_argument(column))


def kurtosis(column: Argument) -> Function:
    """Return the sample excess kurtosis; null for fewer than four values, or if all are equal.

    Examples
    --------
    >>> rows = pd.DataFrame({"even": [1, 2, 3, 4], "far": [0, 0, 0, 4]})
    >>> answer = wb.over(rows, a=wb.fn.kurtosis("even"), b=wb.fn.kurtosis("far"))
    >>> [round(value, 2) for value in answer.select("a", "b").first()]
    [-1.2, 4.0]
    """
    return Function("kurtosis", _column_argument(column))


def kurtosis_pop(column: Argument) -> Function:
    """Return the population excess kurtosis; null for one value, or where all are equal.

    Examples
    --------
    >>> rows = pd.DataFrame({"x": [1, 1, 3, 3]})
    >>> round(wb.over(rows, n=wb.fn.kurtosis_pop("x")).first().n, 2)
    -2.0
    """
    return Function("kurtosis_pop", _column_argument(column))


def covar_samp(column: Argument, other: Argument) -> Function:
    """Return the sample covariance of the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "x": [1, 2, 3, None], "y": [2, 4, 6, 9]})
    >>> wb.over(days, [], "day", n=wb.fn.covar_samp("x", "y")).toArrow()["n"].to_pylist()
    [None, 1.0, 2.0, 2.0]
    """
    return Function("covar_samp", (*_column_argument(column), *_column_argument(other, "other")))


def covar_pop(column: Argument, other: Argument) -> Function:
    """Return the population covariance of the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 3, None], "y": [2, 6, 9]})
    >>> wb.over(days, [], "day", n=wb.fn.covar_pop("x", "y")).toArrow()["n"].to_pylist()
    [0.0, 2.0, 2.0]
    """
    return Function("covar_pop", (*_column_argument(column), *_column_argument(other, "other")))


def corr(column: Argument, other: Argument) -> Function:
    """Return the correlation of rows in which neither value is null; NaN where all are equal.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [6, 4, 2]})
    >>> wb.over(days, [], "day", n=wb.fn.corr("x", "y")).toArrow()["n"].to_pylist()
    [nan, -1.0, -1.0]
    """
    return Function("corr", (*_column_argument(column), *_column_argument(other, "other")))


def sem(column: Argument) -> Function:
    """Return the standard error of the mean, from the population standard deviation.

    Examples
    --------
    >>> rows = pd.DataFrame({"x": [2, 2, 6, 6]})
    >>> round(wb.over(rows, n=wb.fn.sem("x")).first().n, 2)
    1.0
    """
    return Function("sem", _column_argument(column))


def bit_and(column: Argument) -> Function:
    """Return the bitwise AND of integers, as a long.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2], "bits": [0b110, 0b011]})
    >>> wb.over(days, [], "day", n=wb.fn.bit_and("bits")).toArrow()["n"].to_pylist()
    [6, 2]
    """
    return Function("bit_and", _column_argument(column))


def bit_or(column: Argument) -> Function:
    """Return the bitwise OR of integers, as a long.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2], "bits": [0b110, 0b011]})
    >>> wb.over(days, [], "day", n=wb.fn.bit_or("bits")).toArrow()["n"].to_pylist()
    [6, 7]
    """
    return Function("bit_or", _column_argument(column))


def bit_xor(column: Argument) -> Function:
    """Return the bitwise XOR of integers, as a long.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "bits": [0b110, 0b011, 0b011]})
    >>> wb.over(days, [], "day", n=wb.fn.bit_xor("bits")).toArrow()["n"].to_pylist()
    [6, 5, 6]
    """
    return Function("bit_xor", _column_argument(column))


def entropy(column: Argument) -> Function:
    """Return the entropy of the values' frequencies, in bits; 0 without a value.

    Examples
    --------
    >>> rows = pd.DataFrame({"coin": ["h", "t", "h", "t"], "suit": ["c", "d", "h", "s"]})
    >>> calls = {"coin_bits": wb.fn.entropy("coin"), "suit_bits": wb.fn.entropy("suit")}
    >>> wb.over(rows, **calls).select(*calls).first()
    Row(coin_bits=1.0, suit_bits=2.0)
    """
    return Function("entropy", _column_argument(column))


def regr_count(y: Argument, x: Argument) -> Function:
    """Count the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [10, None, 30], "y": [1, 2, 3]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_count("y", "x")).toArrow()["n"].to_pylist()
    [1, 1, 2]
    """
    return Function("regr_count", (*_column_argument(y, "y"), *_column_argument(x, "x")))


def regr_avgx(y: Argument, x: Argument) -> Function:
    """Return the mean of ``x``, of the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 4], "y": [None, 5, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_avgx("y", "x")).toArrow()["n"].to_pylist()
    [None, 2.0, 3.0]
    """
    return Function("regr_avgx", (*_column_argument(y, "y"), *_column_argument(x, "x")))


def regr_avgy(y: Argument, x: Argument) -> Function:
    """Return the mean of ``y``, of the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [None, 5, 6], "y": [1, 2, 4]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_avgy("y", "x")).toArrow()["n"].to_pylist()
    [None, 2.0, 3.0]
    """
    return Function("regr_avgy", (*_column_argument(y, "y"), *_column_argument(x, "x")))


def regr_sxx(y: Argument, x: Argument) -> Function:
    """Return the sum of the squared deviations of ``x`` from its mean.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_sxx("y", "x")).toArrow()["n"].to_pylist()
    [0.0, 0.5, 2.0]
    """
    return Function("regr_sxx", (*_column_argument(y, "y"), *_column_argument(x, "x")))


def regr_syy(y: Argument, x: Argument) -> Function:
    """Return the sum of the squared deviations of ``y`` from its mean.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_syy("y", "x")).toArrow()["n"].to_pylist()
    [0.0, 2.0, 8.0]
    """
    return Function("regr_syy", (*_column_argument(y, "y"), *_column_argument(x, "x")))


def regr_sxy(y: Argument, x: Argument) -> Function:
    """Return the sum of the products of the deviations of ``y`` and ``x`` from their means.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_sxy("y", "x")).toArrow()["n"].to_pylist()
    [0.0, 1.0, 4.0]
    """
    return Function("regr_sxy", (*_column_argument(y, "y"), *_column_argument(x, "x")))


def regr_slope(y: Argument, x: Argument) -> Function:
    """Return the slope of the least-squares line; NaN where all ``x`` are equal.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [3, 5, 7]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_slope("y", "x")).toArrow()["n"].to_pylist()
    [nan, 2.0, 2.0]
    """
    return Function("regr_slope", (*_column_argument(y, "y"), *_column_argument(x, "x")))


def regr_intercept(y: Argument, x: Argument) -> Function:
    """Return the intercept of the least-squares line; null where all ``x`` are equal.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [3, 5, 7]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_intercept("y", "x")).toArrow()["n"].to_pylist()
    [None, 1.0, 1.0]
    """
    return Function("regr_intercept", (*_column_argument(y, "y"), *_column_argument(x, "x")))


def regr_r2(y: Argument, x: Argument) -> Function:
    """Return the share of ``y``'s variance that the line explains; null if all ``x`` are equal.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [1, 3, 2]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_r2("y", "x")).toArrow()["n"].to_pylist()
    [None, 1.0, 0.25]
    """
    return Function("regr_r2", (*_column_argument(y, "y"), *_column_argument(x, "x")))


def bool_and(column: Argument) -> Function:
    """Return whether all values are true.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "on_time": [True, None, False]})
    >>> wb.over(days, [], "day", n=wb.fn.bool_and("on_time")).toArrow()["n"].to_pylist()
    [True, True, False]
    """
    return Function("bool_and", _column_argument(column))


def bool_or(column: Argument) -> Function:
    """Return whether any value is true.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "on_time": [None, False, True]})
    >>> wb.over(days, [], "day", n=wb.fn.bool_or("on_time")).toArrow()["n"].to_pylist()
    [None, False, True]
    """
    return Function("bool_or", _column_argument(column))


def arg_min(column: Argument, by: Argument) -> Function:
    """Return the value at the minimum of another column, of rows in which neither is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "carrier": ["UA", "AA", "DL"], "late": [5, 2, 2]})
    >>> wb.over(days, [], "day", n=wb.fn.arg_min("carrier", "late")).toArrow()["n"].to_pylist()
    ['UA', 'AA', 'AA']
    """
    return Function("arg_min", (*_column_argument(column), *_column_argument(by, "by")))


def arg_max(column: Argument, by: Argument) -> Function:
    """Return the value at the maximum of another column, of rows in which neither is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "carrier": ["UA", "AA", "DL"], "late": [5, None, 9]})
    >>> wb.over(days, [], "day", n=wb.fn.arg_max("carrier", "late")).toArrow()["n"].to_pylist()
    ['UA', 'UA', 'DL']
    """
    return Function("arg_max", (*_column_argument(column), *_column_argument(by, "by")))


def mode(column: Argument) -> Function:
    """Return the most frequent value; of equally frequent ones, the first in the frame.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "carrier": ["AA", "UA", "UA"]})
    >>> wb.over(days, [], "day", n=wb.fn.mode("carrier")).toArrow()["n"].to_pylist()
    ['AA', 'AA', 'UA']
    """
    return Function("mode", _column_argument(column))


def median(column: Argument) -> Function:
    """Return the median, interpolated: a double, or a timestamp for times.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "mwh": [1, 3, None, 10]})
    >>> wb.over(days, [], "day", n=wb.fn.median("mwh")).toArrow()["n"].to_pylist()
    [1.0, 2.0, 2.0, 3.0]
    """
    return Function("median", _column_argument(column), Options(q=(0.5,), single=True))


def mad(column: Argument) -> Function:
    """Return the median absolute deviation from the median, as a double.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [1, 2, 9]})
    >>> wb.over(days, [], "day", n=wb.fn.mad("mwh")).toArrow()["n"].to_pylist()
    [0.0, 0.5, 1.0]
    """
    return Function("mad", _column_argument(column))


def quantile(column: Argument, q: float | Sequence[float]) -> Function:
    """Return quantiles, interpolated between two values.

    Parameters
    ----------
    column : str or Column
        Numbers, dates or timestamps.
    q : float or sequence of float
        From 0 to 1. A sequence gives an array, and costs little more than one quantile.

    Returns
    -------
    Function
        Of doubles, or of timestamps.

    Examples
    --------
    >>> quantile("mwh", [0.25, 0.5, 0.75])
    wb.fn.quantile('mwh', [0.25, 0.5, 0.75])
    >>> percentile("mwh", 0.9)
    wb.fn.quantile('mwh', 0.9)
    """
    return Function("quantile", _column_argument(column), _quantiles(q))


def quantile_disc(column: Argument, q: float | Sequence[float]) -> Function:
    """Return discrete quantiles: the least value whose cumulative share reaches ``q``.

    Parameters
    ----------
    column : str or Column
        Of any sortable type.
    q : float or sequence of float
        From 0 to 1. A sequence gives an array.

    Returns
    -------
    Function

    Examples
    --------
    >>> rows = pd.DataFrame({"mwh": [1, 2, 3, 4]})
    >>> calls = {"disc": wb.fn.quantile_disc("mwh", 0.5), "cont": wb.fn.quantile("mwh", 0.5)}
    >>> wb.over(rows, **calls).select(*calls).first()
    Row(disc=2, cont=2.5)
    """
    return Function("quantile_disc", _column_argument(column), _quantiles(q))


def quantile_cont(column: Argument, q: float | Sequence[float]) -> Function:
    """Return quantiles, interpolated between two values, as :func:`quantile` does.

    Examples
    --------
    >>> quantile_cont("mwh", 0.9)
    wb.fn.quantile('mwh', 0.9)
    """
    return quantile(column, q)


percentile = quantile  # its name in Spark


def string_agg(column: Argument, separator: str = ",") -> Function:
    """Join strings that are not null, in the order of the rows.

    Parameters
    ----------
    column : str or Column
        Strings.
    separator : str

    Returns
    -------
    Function
        With ``.distinct()``, each string stands at its first place in the frame.

    Examples
    --------
    >>> string_agg("carrier", " > ").distinct()
    wb.fn.string_agg('carrier', ' > ').distinct()
    """
    if not isinstance(separator, str):
        raise WorkbenchError(f"separator: {separator!r} is not text; give text, such as ', '.")
    check_text(separator, "separator")
    return Function("string_agg", _column_argument(column), Options(separator=separator))


def first_k(column: Argument, k: int) -> Function:
    """Return the first k non-null values of the frame, as an array in row order.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "dest": ["BOS", None, "LAX", "SFO"]})
    >>> wb.over(days, [], "day", n=wb.fn.first_k("dest", 2)).toArrow()["n"].to_pylist()
    [['BOS'], ['BOS'], ['BOS', 'LAX'], ['BOS', 'LAX']]
    """
    return Function("first_k", _column_argument(column), Options(n=_integer(k, "k", least=1)))


def last_k(column: Argument, k: int) -> Function:
    """Return the last k non-null values of the frame, as an array in row order.

    The newest value is last, as in a slice of DuckDB's ``list`` or of Spark's ``collect_list``;
    Chronon's ``last_k`` puts it first.

    Parameters
    ----------
    column : str or Column
        Of any type.
    k : int
        1 or more.

    Returns
    -------
    Function

    Examples
    --------
    >>> last_k("dest", 3).where("arr_delay > 0")
    wb.fn.last_k('dest', 3).where('arr_delay > 0')
    """
    return Function("last_k", _column_argument(column), Options(n=_integer(k, "k", least=1)))


def top_k(column: Argument, k: int) -> Function:
    """Return the k greatest values, repeats included, as an array in descending order.

    NaN is greater than all others; with ``.distinct()``, each value appears once.

    Examples
    --------
    >>> rows = pd.DataFrame({"mwh": [3, 1, 3, 2]})
    >>> calls = {"all": wb.fn.top_k("mwh", 2), "distinct": wb.fn.top_k("mwh", 2).distinct()}
    >>> wb.over(rows, **calls).select(*calls).first()
    Row(all=[3, 3], distinct=[3, 2])
    """
    return Function("top_k", _column_argument(column), Options(n=_integer(k, "k", least=1)))


def bottom_k(column: Argument, k: int) -> Function:
    """Return the k least values, repeats included, as an array in ascending order.

    With ``.distinct()``, each value appears once.

    Examples
    --------
    >>> rows = pd.DataFrame({"mwh": [3, 1, 1, 2]})
    >>> calls = {"all": wb.fn.bottom_k("mwh", 2), "distinct": wb.fn.bottom_k("mwh", 2).distinct()}
    >>> wb.over(rows, **calls).select(*calls).first()
    Row(all=[1, 1], distinct=[1, 2])
    """
    return Function("bottom_k", _column_argument(column), Options(n=_integer(k, "k", least=1)))


def histogram(column: Argument) -> Function:
    """Return how often each value occurs: a map from values, in ascending order, to longs.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "dest": ["SFO", "BOS", "SFO"]})
    >>> wb.over(days, [], "day", n=wb.fn.histogram("dest")).toArrow()["n"].to_pylist()
    [[('SFO', 1)], [('BOS', 1), ('SFO', 1)], [('BOS', 1), ('SFO', 2)]]
    """
    return Function("histogram", _column_argument(column))


def array_agg(column: Argument) -> Function:
    """Return the values of the frame as an array in row order, nulls included.

    With ``.distinct()``, each value stands at its first place in the frame. ``.ignore_nulls()``
    leaves out nulls, as Spark's function of this name does. An empty frame gives null.

    Parameters
    ----------
    column : str or Column
        Of any type.

    Returns
    -------
    Function

    Examples
    --------
    >>> array_agg("dest").distinct().order_by("dest")
    wb.fn.array_agg('dest').distinct().order_by('dest')
    """
    return Function("array_agg", _column_argument(column))


def bounded_count_distinct(column: Argument, k: int) -> Function:
    """Count the distinct values exactly, up to k; return k if there are more.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4, 5], "dest": ["BOS", "LAX", "BOS", "SFO", "JFK"]})
    >>> answer = wb.over(days, [], "day", n=wb.fn.bounded_count_distinct("dest", 3))
    >>> answer.toArrow()["n"].to_pylist()
    [1, 2, 2, 3, 3]
    """
    return Function(
        "bounded_count_distinct", _column_argument(column), Options(n=_integer(k, "k", least=1))
    )


def approx_count_distinct(column: Argument, lg_k: int = LG_K) -> Function:
    """Estimate the number of distinct values, by HyperLogLog.

    Parameters
    ----------
    column : str or Column
        Of any sortable type.
    lg_k : int
        4 to 21: the standard error is 1.04 / √(2 ** lg_k), 1.6 % for 12.

    Returns
    -------
    Function
        Frames with the same values give the same result. It needs datasketches on the executors,
        and over frames takes longer than :func:`count_distinct`.

    Examples
    --------
    >>> approx_count_distinct("tailnum"), approx_count_distinct("tailnum", 10)
    (wb.fn.approx_count_distinct('tailnum'), wb.fn.approx_count_distinct('tailnum', 10))
    """
    options = Options(n=_integer(lg_k, "lg_k", least=4, most=21))
    return Function("approx_count_distinct", _column_argument(column), options)


def approx_quantile(column: Argument, q: float | Sequence[float], k: int = QUANTILES_K) -> Function:
    """Estimate quantiles, by a t-digest.

    Parameters
    ----------
    column : str or Column
        Numbers, dates or timestamps; NaN and infinities do not count.
    q : float or sequence of float
        From 0 to 1. A sequence gives an array.
    k : int
        10 to 1,000: the greater, the more exact and the slower. The rank error of a result is less
        than (ln(n / k) + 6) / k for n values; measured for k = 200, it is less than half of that
        where most values differ.

    Returns
    -------
    Function
        Doubles, or timestamps. It needs datasketches on the executors, and over frames takes
        longer than :func:`quantile`.

    Examples
    --------
    >>> approx_quantile("mwh", [0.5, 0.9])
    wb.fn.approx_quantile('mwh', [0.5, 0.9])
    """
    size = _integer(k, "k", least=10, most=1000)
    options = replace(_quantiles(q), n=size)
    return Function("approx_quantile", _column_argument(column), options)


def approx_top_k(column: Argument, k: int) -> Function:
    """Estimate the k most frequent values, and how often each occurs.

    Parameters
    ----------
    column : str or Column
        Of any sortable type.
    k : int
        1 to 65,536.

    Returns
    -------
    Function
        A map from values to longs, most frequent first; of equally frequent values, the least
        comes first. Exact in frames of up to 768 distinct values; beyond, a count is off by at
        most 0.35 % of the frame's rows. It needs datasketches on the executors.

    Examples
    --------
    >>> approx_top_k("dest", 3)
    wb.fn.approx_top_k('dest', 3)
    """
    return Function(
        "approx_top_k", _column_argument(column), Options(n=_integer(k, "k", least=1, most=65_536))
    )


def first(column: Argument) -> Function:
    """Return the value of the frame's first row, null included.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "dest": [None, "BOS", "LAX"]})
    >>> calls = {"first": wb.fn.first("dest"), "known": wb.fn.first("dest").ignore_nulls()}
    >>> wb.over(days, [], "day", **calls).select(*calls).toArrow().to_pydict()
    {'first': [None, None, None], 'known': [None, 'BOS', 'BOS']}
    """
    return Function("first", _column_argument(column))


def first_value(column: Argument) -> Function:
    """Return the value of the frame's first row, as :func:`first` does.

    Examples
    --------
    >>> first_value("carrier")
    wb.fn.first('carrier')
    """
    return first(column)


def last(column: Argument) -> Function:
    """Return the value of the frame's last row, null included.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "dest": ["BOS", None, "LAX"]})
    >>> calls = {"last": wb.fn.last("dest"), "known": wb.fn.last("dest").ignore_nulls()}
    >>> wb.over(days, [], "day", **calls).select(*calls).toArrow().to_pydict()
    {'last': ['BOS', None, 'LAX'], 'known': ['BOS', 'BOS', 'LAX']}
    """
    return Function("last", _column_argument(column))


def last_value(column: Argument) -> Function:
    """Return the value of the frame's last row, as :func:`last` does.

    Examples
    --------
    >>> last_value("carrier")
    wb.fn.last('carrier')
    """
    return last(column)


def nth(column: Argument, n: "int | Column") -> Function:
    """Return the value of the frame's nth row.

    Parameters
    ----------
    column : str or Column
        Of any type.
    n : int or Column
        Counted from 1; -1 is the last row, -2 the one before it. A Column gives an n per row,
        and the result is null where it is null.

    Returns
    -------
    Function

    Examples
    --------
    >>> nth("carrier", -2)
    wb.fn.nth('carrier', -2)
    """
    return Function("nth", _column_argument(column), Options(n=_row_position(n)))


def nth_value(column: Argument, n: "int | Column") -> Function:
    """Return the value of the frame's nth row, as :func:`nth` does.

    Examples
    --------
    >>> nth_value("carrier", 2)
    wb.fn.nth('carrier', 2)
    """
    return nth(column, n)


def lag(column: Argument, n: "int | Column" = 1, default: Any = None) -> Function:
    """Return the value n rows earlier, or the default where the partition has no such row.

    A Column gives a distance per row; where it is null, so is the result.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [5, 7, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.lag("mwh")).toArrow()["n"].to_pylist()
    [None, 5, 7]
    """
    return Function(
        "lag", _column_argument(column), Options(n=_integer_or_column(n, "n"), default=default)
    )


def lead(column: Argument, n: "int | Column" = 1, default: Any = None) -> Function:
    """Return the value n rows later, or the default where the partition has no such row.

    A Column gives a distance per row; where it is null, so is the result.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [5, 7, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.lead("mwh", 2, 0)).toArrow()["n"].to_pylist()
    [6, 0, 0]
    """
    return Function(
        "lead", _column_argument(column), Options(n=_integer_or_column(n, "n"), default=default)
    )


def fill(column: Argument) -> Function:
    """Return the value; replace nulls by linear interpolation between the neighbouring values.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 5], "mwh": [0, None, 8]})
    >>> wb.over(days, [], "day", n=wb.fn.fill("mwh")).toArrow()["n"].to_pylist()
    [0.0, 2.0, 8.0]
    """
    return Function("fill", _column_argument(column))


def row_number() -> Function:
    """Number the rows from 1.

    Examples
    --------
    >>> runners = pd.DataFrame({"seconds": [9, 10, 10, 11]})
    >>> wb.over(runners, [], "seconds", n=wb.fn.row_number()).toArrow()["n"].to_pylist()
    [1, 2, 3, 4]
    """
    return Function("row_number")


def rank() -> Function:
    """Number the rows from 1; peers share a rank, with gaps after them.

    Examples
    --------
    >>> runners = pd.DataFrame({"seconds": [9, 10, 10, 11]})
    >>> wb.over(runners, [], "seconds", n=wb.fn.rank()).toArrow()["n"].to_pylist()
    [1, 2, 2, 4]
    """
    return Function("rank")


def dense_rank() -> Function:
    """Number the groups of peers from 1, without gaps.

    Examples
    --------
    >>> runners = pd.DataFrame({"seconds": [9, 10, 10, 11]})
    >>> wb.over(runners, [], "seconds", n=wb.fn.dense_rank()).toArrow()["n"].to_pylist()
    [1, 2, 2, 3]
    """
    return Function("dense_rank")


def percent_rank() -> Function:
    """Return the share of the other rows that come before the row's peers.

    Examples
    --------
    >>> runners = pd.DataFrame({"seconds": [9, 10, 10, 12, 13]})
    >>> wb.over(runners, [], "seconds", n=wb.fn.percent_rank()).toArrow()["n"].to_pylist()
    [0.0, 0.25, 0.25, 0.75, 1.0]
    """
    return Function("percent_rank")


def cume_dist() -> Function:
    """Return the share of the rows that come before the row or are its peers.

    Examples
    --------
    >>> runners = pd.DataFrame({"seconds": [9, 10, 10, 11]})
    >>> wb.over(runners, [], "seconds", n=wb.fn.cume_dist()).toArrow()["n"].to_pylist()
    [0.25, 0.75, 0.75, 1.0]
    """
    return Function("cume_dist")


def ntile(n: "int | Column") -> Function:
    """Divide the rows into n buckets of nearly equal size, in order, numbered from 1.

    A Column gives a number of buckets per row; where it is null, so is the result.

    Examples
    --------
    >>> runners = pd.DataFrame({"seconds": [9, 10, 10, 12, 13]})
    >>> wb.over(runners, [], "seconds", n=wb.fn.ntile(2)).toArrow()["n"].to_pylist()
    [1, 1, 1, 2, 2]
    """
    return Function("ntile", (), Options(n=_integer_or_column(n, "n", least=1)))


def _column_argument(column: Argument, argument: str = "column") -> tuple[Argument]:
    _check_column(column, argument)
    return (column,)


def _check_column(column: Any, argument: str) -> None:
    from pyspark.sql import Column

    if not isinstance(column, str | Column):
        what = "SQL text or a Column" if argument == "where" else "a column's name or a Column"
        raise WorkbenchError(f"{argument}: {column!r} is not a column; give {what}.")
    check_text(column, argument)


def _integer(n: Any, argument: str, least: int | None = None, most: int = MAX_INTEGER) -> int:
    number = whole_number(n)
    if number is None or not (-most if least is None else least) <= number <= most:
        wanted = "an integer" if least is None else f"an integer of {least} or more"
        raise WorkbenchError(f"{argument}: {n!r} is not possible; give {wanted}, up to {most:,}.")
    return number


def _integer_or_column(n: Any, argument: str, least: int | None = None) -> Any:
    """Return an integer, or a Column of integers."""
    return n if is_column(n) else _integer(n, argument, least)


def _row_position(n: Any) -> Any:
    """Return a row's position, counted from the first row or, if negative, from the last."""
    position = _integer_or_column(n, "n")
    if not is_column(position) and position == 0:
        raise WorkbenchError(
            "n: 0 is not a position; give 1 for the first row and so on, or -1 for the last."
        )
    return position


def _quantiles(q: Any) -> Options:
    shares = listed(q, "q")
    single = isinstance(q, str | bytes) or not is_iterable(q)
    if not shares:
        raise WorkbenchError("q: the list is empty; give quantiles from 0 to 1, such as 0.5.")
    for one in shares:
        if not is_number(one) or not 0 <= one <= 1:
            raise WorkbenchError(f"q: {one!r} is not a quantile; give numbers from 0 to 1.")
    return Options(q=tuple(map(float, shares)), single=single)
