"""``@kernel``: one plain Python function, compiled to run and traced to be stepped through.

A kernel works on one partition: it takes NumPy columns and loops over them as a textbook would. The
annotations of its parameters define their roles, which is all that :meth:`Kernel.over` needs to run
the kernel over many partitions at once:

==============  ===========================================  ======================================
annotation      what it is                                   what one partition gets
==============  ===========================================  ======================================
``Column``      one value per row                            its own rows
``Matrix``      a matrix with one row per row                its own rows
``Right``       one value per row of a second table          its own rows of that table
``RightMatrix`` a matrix with one row per row of that table  its own rows of that table
``Row``         a matrix with one row per partition          its own row
``Scratch``     working memory that all partitions share     all of it: the kernel resets it
``State``       the empty state of an aggregate              the state
a plain type    a setting such as the window                 the value
==============  ===========================================  ======================================
"""

import builtins
import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from string import Formatter
from typing import Annotated, Any, get_args, get_origin

import numba
import numpy as np
from numba.core.types import Array
from numba.extending import typeof_impl
from numpy.typing import NDArray

from kernels.core.borrowed_views import borrowed
from kernels.core.cache import located
from kernels.core.kernel_cache import KernelCache

COLUMN, RIGHT, ROW, SCRATCH = "column", "right", "row", "scratch"
STATE, SETTING = "state", "setting"
ARRAYS = COLUMN, RIGHT, ROW, SCRATCH
INT64 = np.dtype(np.int64)

Int64Column = Annotated[NDArray[np.int64], COLUMN, np.int64]
Int32Column = Annotated[NDArray[np.int32], COLUMN, np.int32]
Uint8Column = Annotated[NDArray[np.uint8], COLUMN, np.uint8]
Uint32Column = Annotated[NDArray[np.uint32], COLUMN, np.uint32]
Int64Right = Annotated[NDArray[np.int64], RIGHT, np.int64]
Int64Row = Annotated[NDArray[np.int64], ROW, np.int64]
Int64Scratch = Annotated[NDArray[np.int64], SCRATCH, np.int64]
Uint8Scratch = Annotated[NDArray[np.uint8], SCRATCH, np.uint8]
Int64Table = Annotated[NDArray[np.int64], SCRATCH, np.int64, 2]
Float64Column = Annotated[NDArray[np.float64], COLUMN, np.float64]
Float64Scratch = Annotated[NDArray[np.float64], SCRATCH, np.float64]
Int64Matrix = Annotated[NDArray[np.int64], COLUMN, np.int64, 2]
Float64Matrix = Annotated[NDArray[np.float64], COLUMN, np.float64, 2]
#: A kernel of aggregates takes columns of the type of the state's fields.
Column = Annotated[NDArray[Any], COLUMN, None]
Matrix = Annotated[NDArray[Any], COLUMN, None, 2]
Right = Annotated[NDArray[Any], RIGHT, None]
RightMatrix = Annotated[NDArray[Any], RIGHT, None, 2]
State = Annotated[Any, STATE, None]
InvertibleState = Annotated[Any, STATE, "inverse"]

registry: "dict[str, Kernel]" = {}
#: The empty states that kernels of aggregates are compiled for.
empty_states: list[Any] = []
#: Functions that are called before every run over partitions, with the kernel, the offsets of both
#: tables and the arguments.
watchers: "list[Callable[[Kernel, NDArray[np.int64], NDArray[np.int64], list[Any]], None]]" = []

LIFT = """\
def {name}_over(_offsets, _right, _results, {parameters}):
    {borrow}
    for _p in range(len(_offsets) - 1):
        _first, _last, _low, _high = _offsets[_p], _offsets[_p + 1], _right[_p], _right[_p + 1]
        {assign}{name}({arguments})
"""


class Kernel:
    """A function on one partition, which is compiled on its first call.

    Attributes
    ----------
    python : function
        The uncompiled function. A trace runs this one.
    compiled : numba dispatcher
        The same function, compiled, as other kernels call it.
    source : str
        The function's text, from its ``def`` line on.
    captions : dict of int to str
        The caption of each line of ``source`` that has one; lines count from 1.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.python = function
        self.__name__, self.__doc__, self.__module__ = (
            function.__name__,
            function.__doc__,
            function.__module__,
        )
        self.__wrapped__ = function
        lines, start = inspect.getsourcelines(function)
        head = next(i for i, line in enumerate(lines) if line.lstrip().startswith("def "))
        self.first_line = start + head
        self.source = textwrap.dedent("".join(lines[head:]))
        self.captions = captions(self.source, function)
        signature = inspect.signature(function)
        self.parameters, self.returned = signature.parameters, signature.return_annotation
        # Computed once: a partition in parts is many short runs, and each needs them.
        self._roles = [_role(one) for one in self.parameters.values()]
        self._kinds = [_kind(one) for one in self.parameters.values()]
        self._converters = list(map(_converter, self._roles, self._kinds))
        self._result_dtype: np.dtype[Any] = np.dtype(
            np.float64 if self.returned is float else np.int64
        )
        self._state = self._roles.index(STATE) if STATE in self._roles else None
        # Inlined: within the loop over partitions, a call costs as much as the work of a short
        # partition. Python calls only that loop.
        self.compiled = compile_function(function, inline="always", no_cpython_wrapper=True)
        self._lifted: Any = None

    def __call__(self, *args: Any) -> Any:
        # A block of one partition, so that the version for blocks serves here, too.
        arguments = list(args)
        lengths = {COLUMN: 0, RIGHT: 0}
        for i, role in enumerate(self._roles):
            if role == ROW:
                arguments[i] = arguments[i][np.newaxis]
            elif role in lengths:
                lengths[role] = max(lengths[role], len(arguments[i]))
        offsets, right = (np.array([0, length]) for length in lengths.values())
        result = self.over(offsets, *arguments, right=right)
        return None if self._returns_nothing() else self.returned(result[0])

    def __repr__(self) -> str:
        return f"<kernel {self.__name__}>"

    def over(
        self, offsets: NDArray[np.int64], *args: Any, right: NDArray[np.int64] | None = None
    ) -> NDArray[Any]:
        """Run the kernel over every partition of a block.

        Parameters
        ----------
        offsets : int64 array of shape (partitions + 1,)
            Partition p owns the rows ``offsets[p]`` to ``offsets[p + 1]``.
        *args
            The kernel's arguments in their order: columns with one value per row of the block,
            ``Row`` arguments as matrices with one row per partition, and the others unchanged.
        right : int64 array of shape (partitions + 1,), optional
            The offsets of a second table, for kernels of two tables.

        Returns
        -------
        array of shape (partitions,)
            The kernel's result for each partition; zeros when it returns nothing.

        Notes
        -----
        Columns are converted to the annotated dtypes first, so one compiled version serves all.

        Examples
        --------
        >>> import numpy as np
        >>> from kernels.structures.order import in_order
        >>> offsets, time = np.array([0, 2, 4]), np.array([1, 2, 9, 3])
        >>> in_order.over(offsets, time, np.ones(4, np.uint8))
        array([1, 0])
        """
        converted = [convert(arg) for convert, arg in zip(self._converters, args, strict=True)]
        tables = offsets, offsets if right is None else right
        for watcher in watchers:
            watcher(self, *tables, converted)
        results = np.zeros(len(offsets) - 1, self._result_dtype)
        lifted = self.lifted if self._may_cache(converted) else self._lifted_in_memory
        table_offsets = [_array(INT64, np.ascontiguousarray(table)) for table in tables]
        lifted(*table_offsets, results, *converted)
        return results

    def part(
        self,
        offsets: NDArray[np.int64],
        args: Sequence[Any],
        partition: int,
        right: NDArray[np.int64] | None = None,
    ) -> list[Any]:
        """Return one partition's share of the arguments of a run over many partitions.

        Parameters
        ----------
        offsets : int64 array of shape (partitions + 1,)
        args : sequence
            As :meth:`over` takes them.
        partition : int
        right : int64 array of shape (partitions + 1,), optional
            As :meth:`over` takes it.

        Returns
        -------
        list
            The arguments of the kernel's Python function.
        """
        tables = offsets, offsets if right is None else right
        rows, right_rows = (slice(table[partition], table[partition + 1]) for table in tables)
        index = {COLUMN: rows, RIGHT: right_rows, ROW: partition}
        return [
            arg[index[role]] if role in index else arg
            for role, arg in zip(self._roles, args, strict=True)
        ]

    @property
    def lifted(self) -> Any:
        """The compiled loop over partitions."""
        if self._lifted is None:
            self._lifted = compile_function(self._write_lift())
        return self._lifted

    def _may_cache(self, args: Sequence[Any]) -> bool:
        """Return whether the state, if there is one, is of a class of this package.

        The cache on disk is invalidated when a source of this package changes. A class from
        elsewhere may change without that, so a version for its states stays in memory.
        """
        if self._state is None:
            return True
        return type(args[self._state]).__module__.partition(".")[0] == "kernels"

    @cached_property
    def _lifted_in_memory(self) -> Any:
        return compile_function(self._write_lift(), on_disk=False)

    def compile(self) -> None:
        """Compile the kernel for the annotated types, or load it from the cache."""
        for state in self.states():
            self.compile_for(state)

    def states(self) -> list[Any]:
        """Return the empty states that the kernel can take; ``[None]`` when it takes no state."""
        if self._state is None:
            return [None]
        needed = self._kinds[self._state]
        return [state for state in empty_states if not needed or hasattr(state, needed)]

    def compile_for(self, state: Any) -> None:
        """Compile the kernel for the annotated types and one of its empty states."""
        types = [numba_type(p.annotation, state) for p in self.parameters.values()]
        columns = map(_lifted_type, types, self._roles)
        offsets, results = Array(numba.int64, 1, "C"), numba.from_dtype(self._result_dtype)
        self.lifted.compile((offsets, offsets, Array(results, 1, "C"), *columns))

    def _write_lift(self) -> Callable[..., Any]:
        names = list(self.parameters)
        arrays = [n for n, role in zip(names, self._roles, strict=True) if role in ARRAYS]
        text = LIFT.format(
            name=self.__name__,
            parameters=", ".join(names),
            borrow="; ".join(f"{name} = borrowed({name})" for name in arrays) or "pass",
            assign="" if self._returns_nothing() else "_results[_p] = ",
            arguments=", ".join(map(_argument_text, names, self._roles)),
        )
        scope: dict[str, Any] = {
            self.__name__: self.compiled,
            "borrowed": borrowed,
            "__name__": self.__module__,
        }
        exec(compile(text, f"<{self.__name__} over partitions>", "exec"), scope)
        lift: Callable[..., Any] = scope[f"{self.__name__}_over"]
        return lift

    def _returns_nothing(self) -> bool:
        return self.returned is None


def _converter(role: str, kind: Any) -> Callable[[Any], Any]:
    """Return the function that converts an argument for the compiled kernel."""
    if role == STATE:
        return _unchanged
    return kind if role == SETTING else partial(_array, kind)


def _unchanged(arg: Any) -> Any:
    return arg


def _array(dtype: np.dtype[Any] | None, arg: NDArray[Any]) -> NDArray[Any]:
    if dtype is not None and arg.dtype != dtype:
        return np.ascontiguousarray(arg, dtype)
    # Numba has a separate type for read-only arrays, and each type would be another version to
    # compile.
    return arg if arg.flags.writeable else arg.copy()


def kernel(function: Callable[..., Any]) -> Kernel:
    """Make a function a kernel, and add it to the registry when it belongs to this package.

    Parameters
    ----------
    function : function
        Works on one partition. Its parameters are annotated as this module's table says; trailing
        comments of the form ``#: text with {local}`` are captions, and the step player stops there.

    Returns
    -------
    Kernel

    Raises
    ------
    ValueError
        When a caption uses a name that is no local of the function.

    Examples
    --------
    >>> from kernels.core.kernel import Int64Column, kernel, registry
    >>> from kernels.structures.order import in_order
    >>> registry["in_order"] is in_order
    True
    """
    new = Kernel(function)
    if new.__module__.partition(".")[0] == "kernels":
        registry[new.__name__] = new
    return new


def captions(source: str, function: Callable[..., Any]) -> dict[int, str]:
    """Return the captions in a kernel's source, by line number from 1."""
    by_line = {}
    for number, line in enumerate(source.splitlines(), start=1):
        if match := re.search(r"#: (.+)$", line):
            by_line[number] = match.group(1)
            _check_caption(match.group(1), number, function)
    return by_line


def _check_caption(caption: str, line: int, function: Callable[..., Any]) -> None:
    allowed = {*function.__code__.co_varnames, *dir(builtins)}
    for _, expression, _, _ in Formatter().parse(caption):
        for name in compile(expression or "0", "<caption>", "eval").co_names:
            if name not in allowed:
                raise ValueError(
                    f"{function.__name__}, line {line}: the caption names {name!r}, "
                    "which is no local of the kernel; use the name of a parameter or a variable."
                )


def compile_function(function: Callable[..., Any], *, on_disk: bool = True, **options: Any) -> Any:
    """Return the function compiled on first call, cached on disk if it belongs to this package."""
    # No C code calls the function.
    options |= {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    compiled = numba.njit(**options)(function)
    if on_disk and (function.__module__ or "").partition(".")[0] == "kernels":
        with located():
            compiled._cache = KernelCache(function)
    return compiled


def numba_type(annotation: Any, state: Any = None) -> Any:
    """Return Numba's type of an annotated parameter, for a given empty state."""
    if get_origin(annotation) is not Annotated:
        return {int: numba.int64, float: numba.float64, bool: numba.boolean}[annotation]
    _, role, dtype, *dimensions = get_args(annotation)
    if role == STATE:
        return numba.typeof(state)  # type: ignore[no-untyped-call]
    dtype = np.asarray(state).dtype if dtype is None else dtype
    return Array(numba.from_dtype(np.dtype(dtype)), dimensions[0] if dimensions else 1, "C")


def _kind(parameter: inspect.Parameter) -> Any:
    """Return the dtype of an array, a state's required method, or the type of a setting."""
    if _role(parameter) == SETTING:
        return parameter.annotation
    kind = get_args(parameter.annotation)[2]
    return np.dtype(kind) if isinstance(kind, type) else kind


def _role(parameter: inspect.Parameter) -> str:
    annotated = get_origin(parameter.annotation) is Annotated
    return str(get_args(parameter.annotation)[1]) if annotated else SETTING


def _argument_text(name: str, role: str) -> str:
    index = {COLUMN: "[_first:_last]", RIGHT: "[_low:_high]", ROW: "[_p]"}
    return name + index.get(role, "")


def _lifted_type(argument_type: Any, role: str) -> Any:
    return Array(argument_type.dtype, 2, "C") if role == ROW else argument_type


@typeof_impl.register(Kernel)
def _typeof_kernel(value: Kernel, _context: Any) -> Any:
    # A kernel that calls another kernel calls that one's compiled function.
    return numba.typeof(value.compiled)  # type: ignore[no-untyped-call]
