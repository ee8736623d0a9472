"""The functions of :func:`workbench.over`, as ``wb.fn``.

An argument is the exact name of a column, or a Column. Each function can be changed further:
``.where(condition)``, ``.distinct()``, ``.ignore_nulls()``, and ``.over(frame)`` for a frame of
its own.

In the examples below, ``pd`` is pandas and ``wb`` this package. Where rows have an order, each has
the answer of the rows up to it and its peers; without one, all have that of the whole table.

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
from numbers import Real
from typing import TYPE_CHECKING, Any, Union

from workbench.arguments import check_text, is_iterable, listed, whole_number
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
MOST = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Function:
    """A window function with its arguments; the functions of this module make them.

    Attributes
    ----------
    name : str
        As SQL calls it.
    arguments : tuple of (str or Column)
    options : Options
        What is no column: the n of ``lag``, the quantiles.
    condition : str or Column, optional
        Only rows that fulfil it count.
    frame : Frame, optional
        A frame of its own, instead of that of the call.
    order : tuple of OrderColumn
        The columns by which it looks at the rows of its frame, where that is not the call's order.

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
        """Its row of the catalogue.

        Examples
        --------
        >>> avg("mwh").info.gives
        'double'
        """
        return info_of(self.name, bool(self.order))

    def where(self, condition: Argument) -> "Function":
        """Return the function of only those rows of the frame that fulfil a condition.

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
            When the function takes no condition, or has one.

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
        """Return the function of values that count once each, however often the frame has them.

        Of an aggregate of two columns, each pair of values counts once.

        Returns
        -------
        Function

        Raises
        ------
        WorkbenchError
            When the function is no aggregate of a column.

        Examples
        --------
        >>> sum("mwh").distinct()
        wb.fn.sum('mwh').distinct()
        """
        if not self.info.distinct or not self.arguments:
            raise WorkbenchError(
                f"distinct: {self.name} of distinct values is not available; "
                "it is of aggregates of a column, such as wb.fn.sum('x')."
            )
        if self.info.distinct_is:
            return replace(self, name=self.info.distinct_is)
        return replace(self, options=replace(self.options, distinct=True))

    def ignore_nulls(self) -> "Function":
        """Return the function of only those rows whose value is not null.

        Returns
        -------
        Function

        Raises
        ------
        WorkbenchError
            When the function never counts nulls, or looks at no value.

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
        """Return the function of the frame's rows in an order of their own.

        The frame is still found by the order of the call. Of rows that are equal, those come first
        that do so in the call's order. Ranks, ``lag`` and ``lead`` look at the frame then, and not
        at the whole partition; ``fill`` looks at the partition.

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
            When the order changes nothing, or the function cannot have one of its own.

        Examples
        --------
        >>> first("carrier").order_by("-delay")
        wb.fn.first('carrier').order_by('-delay')
        """
        if self.info.any_order:
            raise WorkbenchError(
                f"order_by: {self.name} is the same in whatever order its rows are; leave it out."
            )
        if not self.info.own_order:
            raise WorkbenchError(
                f"order_by: {self.name} has no order of its own; order the call instead."
            )
        if not terms:
            raise WorkbenchError("order_by: there is no column; name one or more.")
        return replace(self, order=order_terms(list(terms)))

    def over(self, frame: Frame) -> "Function":
        """Return the function over a frame of its own.

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
                f"over: {frame!r} is no frame; give one such as wb.Frame.rows(-3, 3)."
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
    return Function("count", () if isinstance(column, str) and column == "*" else _one(column))


def count_distinct(column: Argument) -> Function:
    """Count the distinct values; null is none.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "carrier": ["UA", "AA", "UA", None]})
    >>> wb.over(days, [], "day", n=wb.fn.count_distinct("carrier")).toArrow()["n"].to_pylist()
    [1, 2, 2, 2]
    """
    return Function("count_distinct", _one(column))


def sum(column: Argument) -> Function:
    """Add up numbers: integers to a long, decimals to a decimal, others to a double.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [None, 5, 7]})
    >>> wb.over(days, [], "day", n=wb.fn.sum("mwh")).toArrow()["n"].to_pylist()
    [None, 5.0, 12.0]
    """
    return Function("sum", _one(column))


def avg(column: Argument) -> Function:
    """Return the mean of numbers, as a double.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [2, None, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.avg("mwh")).toArrow()["n"].to_pylist()
    [2.0, 2.0, 4.0]
    """
    return Function("avg", _one(column))


def min(column: Argument) -> Function:
    """Return the least value.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [3, None, 1]})
    >>> wb.over(days, [], "day", n=wb.fn.min("mwh")).toArrow()["n"].to_pylist()
    [3.0, 3.0, 1.0]
    """
    return Function("min", _one(column))


def max(column: Argument) -> Function:
    """Return the greatest value; NaN is greater than all others.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "mwh": [None, 2, 5, 3]})
    >>> wb.over(days, [], "day", n=wb.fn.max("mwh")).toArrow()["n"].to_pylist()
    [None, 2.0, 5.0, 5.0]
    """
    return Function("max", _one(column))


def product(column: Argument) -> Function:
    """Multiply numbers, as a double.

    Factors are multiplied in parts. Where some of them pass the range of doubles, and others are
    zero or lead back, it depends on the parts whether the answer is infinite, NaN or a number.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "factor": [2, None, 3]})
    >>> wb.over(days, [], "day", n=wb.fn.product("factor")).toArrow()["n"].to_pylist()
    [2.0, 2.0, 6.0]
    """
    return Function("product", _one(column))


def stddev(column: Argument) -> Function:
    """Return the standard deviation of a sample: null for fewer than two values.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.stddev("mwh")).toArrow()["n"].to_pylist()
    [None, 1.4142135623730951, 2.0]
    """
    return Function("stddev", _one(column))


def stddev_samp(column: Argument) -> Function:
    """Return the standard deviation of a sample, as :func:`stddev` does.

    Examples
    --------
    >>> stddev_samp("mwh")
    wb.fn.stddev('mwh')
    """
    return stddev(column)


def stddev_pop(column: Argument) -> Function:
    """Return the standard deviation of a population.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [2, 4, None]})
    >>> wb.over(days, [], "day", n=wb.fn.stddev_pop("mwh")).toArrow()["n"].to_pylist()
    [0.0, 1.0, 1.0]
    """
    return Function("stddev_pop", _one(column))


def variance(column: Argument) -> Function:
    """Return the variance of a sample: null for fewer than two values.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.variance("mwh")).toArrow()["n"].to_pylist()
    [None, 2.0, 4.0]
    """
    return Function("variance", _one(column))


def var_samp(column: Argument) -> Function:
    """Return the variance of a sample, as :func:`variance` does.

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
    return Function("variance_pop", _one(column))


def var_pop(column: Argument) -> Function:
    """Return the variance of a population, as :func:`variance_pop` does.

    Examples
    --------
    >>> var_pop("mwh")
    wb.fn.variance_pop('mwh')
    """
    return variance_pop(column)


def skewness(column: Argument) -> Function:
    """Return the skewness of a sample: null for fewer than three values, or equal ones.

    Examples
    --------
    >>> rows = pd.DataFrame({"even": [1, 2, 3], "tail": [1, 1, 4]})
    >>> answer = wb.over(rows, a=wb.fn.skewness("even"), b=wb.fn.skewness("tail"))
    >>> [round(value, 2) for value in answer.select("a", "b").first()]
    [0.0, 1.73]
    """
    return Function("skewness", _one(column))


def kurtosis(column: Argument) -> Function:
    """Return the excess kurtosis of a sample: null for fewer than four values, or equal ones.

    Examples
    --------
    >>> rows = pd.DataFrame({"even": [1, 2, 3, 4], "far": [0, 0, 0, 4]})
    >>> answer = wb.over(rows, a=wb.fn.kurtosis("even"), b=wb.fn.kurtosis("far"))
    >>> [round(value, 2) for value in answer.select("a", "b").first()]
    [-1.2, 4.0]
    """
    return Function("kurtosis", _one(column))


def kurtosis_pop(column: Argument) -> Function:
    """Return the excess kurtosis of a population: null for one value, or equal ones.

    Examples
    --------
    >>> rows = pd.DataFrame({"x": [1, 1, 3, 3]})
    >>> round(wb.over(rows, n=wb.fn.kurtosis_pop("x")).first().n, 2)
    -2.0
    """
    return Function("kurtosis_pop", _one(column))


def covar_samp(column: Argument, other: Argument) -> Function:
    """Return the covariance of a sample, of the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "x": [1, 2, 3, None], "y": [2, 4, 6, 9]})
    >>> wb.over(days, [], "day", n=wb.fn.covar_samp("x", "y")).toArrow()["n"].to_pylist()
    [None, 1.0, 2.0, 2.0]
    """
    return Function("covar_samp", (*_one(column), *_one(other, "other")))


def covar_pop(column: Argument, other: Argument) -> Function:
    """Return the covariance of a population, of the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 3, None], "y": [2, 6, 9]})
    >>> wb.over(days, [], "day", n=wb.fn.covar_pop("x", "y")).toArrow()["n"].to_pylist()
    [0.0, 2.0, 2.0]
    """
    return Function("covar_pop", (*_one(column), *_one(other, "other")))


def corr(column: Argument, other: Argument) -> Function:
    """Return the correlation of the rows in which neither value is null; NaN for equal values.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [6, 4, 2]})
    >>> wb.over(days, [], "day", n=wb.fn.corr("x", "y")).toArrow()["n"].to_pylist()
    [nan, -1.0, -1.0]
    """
    return Function("corr", (*_one(column), *_one(other, "other")))


def sem(column: Argument) -> Function:
    """Return the standard error of the mean, by the deviation of a population.

    Examples
    --------
    >>> rows = pd.DataFrame({"x": [2, 2, 6, 6]})
    >>> round(wb.over(rows, n=wb.fn.sem("x")).first().n, 2)
    1.0
    """
    return Function("sem", _one(column))


def bit_and(column: Argument) -> Function:
    """Return the bits that all integers have, as a long.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2], "bits": [0b110, 0b011]})
    >>> wb.over(days, [], "day", n=wb.fn.bit_and("bits")).toArrow()["n"].to_pylist()
    [6, 2]
    """
    return Function("bit_and", _one(column))


def bit_or(column: Argument) -> Function:
    """Return the bits that any of the integers has, as a long.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2], "bits": [0b110, 0b011]})
    >>> wb.over(days, [], "day", n=wb.fn.bit_or("bits")).toArrow()["n"].to_pylist()
    [6, 7]
    """
    return Function("bit_or", _one(column))


def bit_xor(column: Argument) -> Function:
    """Return the bits that an odd number of the integers have, as a long.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "bits": [0b110, 0b011, 0b011]})
    >>> wb.over(days, [], "day", n=wb.fn.bit_xor("bits")).toArrow()["n"].to_pylist()
    [6, 5, 6]
    """
    return Function("bit_xor", _one(column))


def entropy(column: Argument) -> Function:
    """Return the entropy of the values in bits, by how often each is there; 0 for no value.

    Examples
    --------
    >>> rows = pd.DataFrame({"coin": ["h", "t", "h", "t"], "suit": ["c", "d", "h", "s"]})
    >>> calls = {"coin_bits": wb.fn.entropy("coin"), "suit_bits": wb.fn.entropy("suit")}
    >>> wb.over(rows, **calls).select(*calls).first()
    Row(coin_bits=1.0, suit_bits=2.0)
    """
    return Function("entropy", _one(column))


def regr_count(y: Argument, x: Argument) -> Function:
    """Count the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [10, None, 30], "y": [1, 2, 3]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_count("y", "x")).toArrow()["n"].to_pylist()
    [1, 1, 2]
    """
    return Function("regr_count", (*_one(y, "y"), *_one(x, "x")))


def regr_avgx(y: Argument, x: Argument) -> Function:
    """Return the mean of ``x``, of the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 4], "y": [None, 5, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_avgx("y", "x")).toArrow()["n"].to_pylist()
    [None, 2.0, 3.0]
    """
    return Function("regr_avgx", (*_one(y, "y"), *_one(x, "x")))


def regr_avgy(y: Argument, x: Argument) -> Function:
    """Return the mean of ``y``, of the rows in which neither value is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [None, 5, 6], "y": [1, 2, 4]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_avgy("y", "x")).toArrow()["n"].to_pylist()
    [None, 2.0, 3.0]
    """
    return Function("regr_avgy", (*_one(y, "y"), *_one(x, "x")))


def regr_sxx(y: Argument, x: Argument) -> Function:
    """Return the sum of the squares of ``x`` around its mean.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_sxx("y", "x")).toArrow()["n"].to_pylist()
    [0.0, 0.5, 2.0]
    """
    return Function("regr_sxx", (*_one(y, "y"), *_one(x, "x")))


def regr_syy(y: Argument, x: Argument) -> Function:
    """Return the sum of the squares of ``y`` around its mean.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_syy("y", "x")).toArrow()["n"].to_pylist()
    [0.0, 2.0, 8.0]
    """
    return Function("regr_syy", (*_one(y, "y"), *_one(x, "x")))


def regr_sxy(y: Argument, x: Argument) -> Function:
    """Return the sum of the products of ``y`` and ``x`` around their means.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [2, 4, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_sxy("y", "x")).toArrow()["n"].to_pylist()
    [0.0, 1.0, 4.0]
    """
    return Function("regr_sxy", (*_one(y, "y"), *_one(x, "x")))


def regr_slope(y: Argument, x: Argument) -> Function:
    """Return the slope of the line nearest to the points; NaN where all ``x`` are equal.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [3, 5, 7]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_slope("y", "x")).toArrow()["n"].to_pylist()
    [nan, 2.0, 2.0]
    """
    return Function("regr_slope", (*_one(y, "y"), *_one(x, "x")))


def regr_intercept(y: Argument, x: Argument) -> Function:
    """Return where that line crosses ``x = 0``; null where all ``x`` are equal.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [3, 5, 7]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_intercept("y", "x")).toArrow()["n"].to_pylist()
    [None, 1.0, 1.0]
    """
    return Function("regr_intercept", (*_one(y, "y"), *_one(x, "x")))


def regr_r2(y: Argument, x: Argument) -> Function:
    """Return the share of ``y``'s variance that the line tells; null where all ``x`` are equal.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "x": [1, 2, 3], "y": [1, 3, 2]})
    >>> wb.over(days, [], "day", n=wb.fn.regr_r2("y", "x")).toArrow()["n"].to_pylist()
    [None, 1.0, 0.25]
    """
    return Function("regr_r2", (*_one(y, "y"), *_one(x, "x")))


def bool_and(column: Argument) -> Function:
    """Say whether all values are true.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "on_time": [True, None, False]})
    >>> wb.over(days, [], "day", n=wb.fn.bool_and("on_time")).toArrow()["n"].to_pylist()
    [True, True, False]
    """
    return Function("bool_and", _one(column))


def bool_or(column: Argument) -> Function:
    """Say whether any value is true.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "on_time": [None, False, True]})
    >>> wb.over(days, [], "day", n=wb.fn.bool_or("on_time")).toArrow()["n"].to_pylist()
    [None, False, True]
    """
    return Function("bool_or", _one(column))


def arg_min(column: Argument, by: Argument) -> Function:
    """Return the value where another column is least, of rows in which neither is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "carrier": ["UA", "AA", "DL"], "late": [5, 2, 2]})
    >>> wb.over(days, [], "day", n=wb.fn.arg_min("carrier", "late")).toArrow()["n"].to_pylist()
    ['UA', 'AA', 'AA']
    """
    return Function("arg_min", (*_one(column), *_one(by, "by")))


def arg_max(column: Argument, by: Argument) -> Function:
    """Return the value where another column is greatest, of rows in which neither is null.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "carrier": ["UA", "AA", "DL"], "late": [5, None, 9]})
    >>> wb.over(days, [], "day", n=wb.fn.arg_max("carrier", "late")).toArrow()["n"].to_pylist()
    ['UA', 'UA', 'DL']
    """
    return Function("arg_max", (*_one(column), *_one(by, "by")))


def mode(column: Argument) -> Function:
    """Return the most frequent value; of several, the one that appears first in the frame.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "carrier": ["AA", "UA", "UA"]})
    >>> wb.over(days, [], "day", n=wb.fn.mode("carrier")).toArrow()["n"].to_pylist()
    ['AA', 'AA', 'UA']
    """
    return Function("mode", _one(column))


def median(column: Argument) -> Function:
    """Return the median, interpolated: a double, or a timestamp of times.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "mwh": [1, 3, None, 10]})
    >>> wb.over(days, [], "day", n=wb.fn.median("mwh")).toArrow()["n"].to_pylist()
    [1.0, 2.0, 2.0, 3.0]
    """
    return Function("median", _one(column), Options(q=(0.5,), single=True))


def mad(column: Argument) -> Function:
    """Return the median absolute deviation from the median, as a double.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [1, 2, 9]})
    >>> wb.over(days, [], "day", n=wb.fn.mad("mwh")).toArrow()["n"].to_pylist()
    [0.0, 0.5, 1.0]
    """
    return Function("mad", _one(column))


def quantile(column: Argument, q: float | Sequence[float]) -> Function:
    """Return quantiles, interpolated between two values.

    Parameters
    ----------
    column : str or Column
        Numbers, dates or timestamps.
    q : float or sequence of float
        From 0 to 1; several give an array, and cost little more than one.

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
    return Function("quantile", _one(column), _quantiles(q))


def quantile_disc(column: Argument, q: float | Sequence[float]) -> Function:
    """Return quantiles that are values of the column: the least that reaches the share.

    Parameters
    ----------
    column : str or Column
        Of any type that has an order.
    q : float or sequence of float
        From 0 to 1; several give an array.

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
    return Function("quantile_disc", _one(column), _quantiles(q))


def quantile_cont(column: Argument, q: float | Sequence[float]) -> Function:
    """Return quantiles, interpolated between two values, as :func:`quantile` does.

    Examples
    --------
    >>> quantile_cont("mwh", 0.9)
    wb.fn.quantile('mwh', 0.9)
    """
    return quantile(column, q)


percentile = quantile  # as Spark calls it


def string_agg(column: Argument, separator: str = ",") -> Function:
    """Join the texts that are not null, in the order of the rows.

    Parameters
    ----------
    column : str or Column
        Text.
    separator : str
        What stands between two texts.

    Returns
    -------
    Function
        With ``.distinct()``, each text stands where the frame first has it.

    Examples
    --------
    >>> string_agg("carrier", " > ").distinct()
    wb.fn.string_agg('carrier', ' > ').distinct()
    """
    if not isinstance(separator, str):
        raise WorkbenchError(f"separator: {separator!r} is not text; give text, such as ', '.")
    check_text(separator, "separator")
    return Function("string_agg", _one(column), Options(separator=separator))


def first_k(column: Argument, k: int) -> Function:
    """Return the first k values of the frame that are not null, as an array in the rows' order.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4], "dest": ["BOS", None, "LAX", "SFO"]})
    >>> wb.over(days, [], "day", n=wb.fn.first_k("dest", 2)).toArrow()["n"].to_pylist()
    [['BOS'], ['BOS'], ['BOS', 'LAX'], ['BOS', 'LAX']]
    """
    return Function("first_k", _one(column), Options(n=_whole(k, "k", least=1)))


def last_k(column: Argument, k: int) -> Function:
    """Return the last k values of the frame that are not null, as an array in the rows' order.

    The newest value stands last, as in a slice of DuckDB's ``list`` or of Spark's ``collect_list``;
    Chronon's ``last_k`` has it first.

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
    return Function("last_k", _one(column), Options(n=_whole(k, "k", least=1)))


def top_k(column: Argument, k: int) -> Function:
    """Return the k greatest values with repeats, as an array from the greatest on.

    NaN is greater than all others; with ``.distinct()``, each value is there once.

    Examples
    --------
    >>> rows = pd.DataFrame({"mwh": [3, 1, 3, 2]})
    >>> calls = {"all": wb.fn.top_k("mwh", 2), "distinct": wb.fn.top_k("mwh", 2).distinct()}
    >>> wb.over(rows, **calls).select(*calls).first()
    Row(all=[3, 3], distinct=[3, 2])
    """
    return Function("top_k", _one(column), Options(n=_whole(k, "k", least=1)))


def bottom_k(column: Argument, k: int) -> Function:
    """Return the k least values with repeats, as an array from the least on.

    With ``.distinct()``, each value is there once.

    Examples
    --------
    >>> rows = pd.DataFrame({"mwh": [3, 1, 1, 2]})
    >>> calls = {"all": wb.fn.bottom_k("mwh", 2), "distinct": wb.fn.bottom_k("mwh", 2).distinct()}
    >>> wb.over(rows, **calls).select(*calls).first()
    Row(all=[1, 1], distinct=[1, 2])
    """
    return Function("bottom_k", _one(column), Options(n=_whole(k, "k", least=1)))


def histogram(column: Argument) -> Function:
    """Return how often each value is there: a map from values to longs, from the least value on.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "dest": ["SFO", "BOS", "SFO"]})
    >>> wb.over(days, [], "day", n=wb.fn.histogram("dest")).toArrow()["n"].to_pylist()
    [[('SFO', 1)], [('BOS', 1), ('SFO', 1)], [('BOS', 1), ('SFO', 2)]]
    """
    return Function("histogram", _one(column))


def array_agg(column: Argument) -> Function:
    """Return the values of the frame as an array, nulls included, in the order of the rows.

    With ``.distinct()``, each value stands where the frame first has it; ``.ignore_nulls()`` leaves
    out nulls, as Spark's function of this name does; null for an empty frame.

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
    return Function("array_agg", _one(column))


def bounded_count_distinct(column: Argument, k: int) -> Function:
    """Count the distinct values exactly, up to k: more of them count as k.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3, 4, 5], "dest": ["BOS", "LAX", "BOS", "SFO", "JFK"]})
    >>> answer = wb.over(days, [], "day", n=wb.fn.bounded_count_distinct("dest", 3))
    >>> answer.toArrow()["n"].to_pylist()
    [1, 2, 2, 3, 3]
    """
    return Function("bounded_count_distinct", _one(column), Options(n=_whole(k, "k", least=1)))


def approx_count_distinct(column: Argument, lg_k: int = LG_K) -> Function:
    """Estimate how many distinct values there are, by HyperLogLog.

    Parameters
    ----------
    column : str or Column
        Of any type that has an order.
    lg_k : int
        4 to 21: the standard error is 1.04 / √(2 ** lg_k), 1.6 % for 12.

    Returns
    -------
    Function
        A frame with the same values has the same answer. It needs datasketches on the executors,
        and over frames takes longer than :func:`count_distinct`.

    Examples
    --------
    >>> approx_count_distinct("tailnum"), approx_count_distinct("tailnum", 10)
    (wb.fn.approx_count_distinct('tailnum'), wb.fn.approx_count_distinct('tailnum', 10))
    """
    options = Options(n=_whole(lg_k, "lg_k", least=4, most=21))
    return Function("approx_count_distinct", _one(column), options)


def approx_quantile(column: Argument, q: float | Sequence[float], k: int = QUANTILES_K) -> Function:
    """Estimate quantiles, by a t-digest.

    Parameters
    ----------
    column : str or Column
        Numbers, dates or timestamps; NaN and infinities do not count.
    q : float or sequence of float
        From 0 to 1; several give an array.
    k : int
        10 to 1,000: the greater, the more exact and the slower. The rank of an answer is off by
        less than (ln(n / k) + 6) / k of n values, and as measured for k = 200 by less than half of
        that where most values differ.

    Returns
    -------
    Function
        Of doubles, or of timestamps. It needs datasketches on the executors, and over frames takes
        longer than :func:`quantile`.

    Examples
    --------
    >>> approx_quantile("mwh", [0.5, 0.9])
    wb.fn.approx_quantile('mwh', [0.5, 0.9])
    """
    size = _whole(k, "k", least=10, most=1000)
    options = replace(_quantiles(q), n=size)
    return Function("approx_quantile", _one(column), options)


def approx_top_k(column: Argument, k: int) -> Function:
    """Estimate which k values are the most frequent, and how often each is there.

    Parameters
    ----------
    column : str or Column
        Of any type that has an order.
    k : int
        1 to 65,536.

    Returns
    -------
    Function
        A map from values to longs, from the most frequent on; of values that are as frequent, the
        least comes first. Exact in frames of up to 768 different values; beyond, a count is off by
        at most 0.35 % of the frame's rows. It needs datasketches on the executors.

    Examples
    --------
    >>> approx_top_k("dest", 3)
    wb.fn.approx_top_k('dest', 3)
    """
    return Function("approx_top_k", _one(column), Options(n=_whole(k, "k", least=1, most=65_536)))


def first(column: Argument) -> Function:
    """Return the value of the frame's first row, null included.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "dest": [None, "BOS", "LAX"]})
    >>> calls = {"first": wb.fn.first("dest"), "known": wb.fn.first("dest").ignore_nulls()}
    >>> wb.over(days, [], "day", **calls).select(*calls).toArrow().to_pydict()
    {'first': [None, None, None], 'known': [None, 'BOS', 'BOS']}
    """
    return Function("first", _one(column))


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
    return Function("last", _one(column))


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
        Counted from 1; -1 is the last row, -2 the one before it. A Column gives each row its own,
        and null where it is null.

    Returns
    -------
    Function

    Examples
    --------
    >>> nth("carrier", -2)
    wb.fn.nth('carrier', -2)
    """
    return Function("nth", _one(column), Options(n=_place(n)))


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

    A Column gives each row a distance of its own; where it is null, so is the answer.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [5, 7, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.lag("mwh")).toArrow()["n"].to_pylist()
    [None, 5, 7]
    """
    return Function("lag", _one(column), Options(n=_each(n, "n"), default=default))


def lead(column: Argument, n: "int | Column" = 1, default: Any = None) -> Function:
    """Return the value n rows later, or the default where the partition has no such row.

    A Column gives each row a distance of its own; where it is null, so is the answer.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 3], "mwh": [5, 7, 6]})
    >>> wb.over(days, [], "day", n=wb.fn.lead("mwh", 2, 0)).toArrow()["n"].to_pylist()
    [6, 0, 0]
    """
    return Function("lead", _one(column), Options(n=_each(n, "n"), default=default))


def fill(column: Argument) -> Function:
    """Return the value, or where it is null a point on the line between its neighbours'.

    Examples
    --------
    >>> days = pd.DataFrame({"day": [1, 2, 5], "mwh": [0, None, 8]})
    >>> wb.over(days, [], "day", n=wb.fn.fill("mwh")).toArrow()["n"].to_pylist()
    [0.0, 2.0, 8.0]
    """
    return Function("fill", _one(column))


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
    """Number the rows from 1, equal ones alike, with gaps behind them.

    Examples
    --------
    >>> runners = pd.DataFrame({"seconds": [9, 10, 10, 11]})
    >>> wb.over(runners, [], "seconds", n=wb.fn.rank()).toArrow()["n"].to_pylist()
    [1, 2, 2, 4]
    """
    return Function("rank")


def dense_rank() -> Function:
    """Number the groups of equal rows from 1.

    Examples
    --------
    >>> runners = pd.DataFrame({"seconds": [9, 10, 10, 11]})
    >>> wb.over(runners, [], "seconds", n=wb.fn.dense_rank()).toArrow()["n"].to_pylist()
    [1, 2, 2, 3]
    """
    return Function("dense_rank")


def percent_rank() -> Function:
    """Return the share of the other rows that come before the row and its peers.

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
    """Deal the rows to n buckets of nearly equal size, in order, numbered from 1.

    A Column gives each row a number of buckets of its own; where it is null, so is the answer.

    Examples
    --------
    >>> runners = pd.DataFrame({"seconds": [9, 10, 10, 12, 13]})
    >>> wb.over(runners, [], "seconds", n=wb.fn.ntile(2)).toArrow()["n"].to_pylist()
    [1, 1, 1, 2, 2]
    """
    return Function("ntile", (), Options(n=_each(n, "n", least=1)))


def _one(column: Argument, argument: str = "column") -> tuple[Argument]:
    _check_column(column, argument)
    return (column,)


def _check_column(column: Any, argument: str) -> None:
    from pyspark.sql import Column

    if not isinstance(column, str | Column):
        what = "SQL text or a Column" if argument == "where" else "a column's name or a Column"
        raise WorkbenchError(f"{argument}: {column!r} is no column; give {what}.")
    check_text(column, argument)


def _whole(n: Any, argument: str, least: int | None = None, most: int = MOST) -> int:
    number = whole_number(n)
    if number is None or not (-most if least is None else least) <= number <= most:
        wanted = "an integer" if least is None else f"an integer of {least} or more"
        raise WorkbenchError(f"{argument}: {n!r} is not possible; give {wanted}, up to {most:,}.")
    return number


def _each(n: Any, argument: str, least: int | None = None) -> Any:
    """A whole number, or a Column of such."""
    return n if is_column(n) else _whole(n, argument, least)


def _place(n: Any) -> Any:
    """A place that is counted from the first row or from the last."""
    found = _each(n, "n")
    if not is_column(found) and found == 0:
        raise WorkbenchError(
            "n: 0 is no place; give 1 for the first row and so on, or -1 for the last."
        )
    return found


def _quantiles(q: Any) -> Options:
    shares = listed(q, "q")
    single = isinstance(q, str | bytes) or not is_iterable(q)
    if not shares:
        raise WorkbenchError("q: the list is empty; give quantiles from 0 to 1, such as 0.5.")
    for one in shares:
        number = isinstance(one, Real) and not isinstance(one, bool)
        if not number or not 0 <= one <= 1:
            raise WorkbenchError(f"q: {one!r} is no quantile; give numbers from 0 to 1.")
    return Options(q=tuple(map(float, shares)), single=single)
