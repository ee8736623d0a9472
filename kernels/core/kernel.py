"""``@kernel``: one plain Python function that is compiled to run and kept to be stepped through.

A kernel works on one partition: NumPy columns in, loops a textbook would print. The annotations of
its parameters say what each one is, and that is all :meth:`Kernel.over` needs to run the kernel
over many partitions at once:

==============  ===========================================  ======================================
annotation      what it is                                   what one partition gets of it
==============  ===========================================  ======================================
``Column``      one value per row                            its own rows
``Matrix``      a matrix with one row per row                its own rows
``Right``       one value per row of a second table          its own rows of that table
``RightMatrix`` a matrix with one row per row of that table  its own rows of that table
``Row``         a matrix with one row per partition          its own row
``Scratch``     working memory, given once                   all of it: the kernel resets it
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
#: A kernel of aggregates runs on columns of the type that the fields of the state have.
Column = Annotated[NDArray[Any], COLUMN, None]
Matrix = Annotated[NDArray[Any], COLUMN, None, 2]
Right = Annotated[NDArray[Any], RIGHT, None]
RightMatrix = Annotated[NDArray[Any], RIGHT, None, 2]
State = Annotated[Any, STATE, None]
InvertibleState = Annotated[Any, STATE, "inverse"]

registry: "dict[str, Kernel]" = {}
#: The empty states that kernels of aggregates are compiled for.
empty_states: list[Any] = []
#: What is told of every run over partitions, before it: the kernel, the offsets of both tables, the
#: arguments.
watchers: "list[Callable[[Kernel, NDArray[np.int64], NDArray[np.int64], list[Any]], None]]" = []

LIFT = """\
def {name}_over(_offsets, _right, _results, {parameters}):
    {borrow}
    for _p in range(len(_offsets) - 1):
        _first, _last, _low, _high = _offsets[_p], _offsets[_p + 1], _right[_p], _right[_p + 1]
        {assign}{name}({arguments})
"""


class Kernel:
    """A function on one partition, compiled on its first call and readable at any time.

    Attributes
    ----------
    python : function
        The function as it was written. The trace runs this.
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
        # Looked up at every run, and a partition in parts is many short runs.
        self._roles = [_role(one) for one in self.parameters.values()]
        self._kinds = [_kind(one) for one in self.parameters.values()]
        self._prepare = list(map(_preparing, self._roles, self._kinds))
        self._result_dtype: np.dtype[Any] = np.dtype(
            np.float64 if self.returned is float else np.int64
        )
        self._state = self._roles.index(STATE) if STATE in self._roles else None
        # Within the loop over partitions, a call costs as much as a short partition's own work.
        # Python calls that loop alone.
        self.compiled = compile_function(function, inline="always", no_cpython_wrapper=True)
        self._lifted: Any = None

    def __call__(self, *args: Any) -> Any:
        # As the only partition of a block: what is compiled to run over blocks serves here, too.
        given = list(args)
        ends = {COLUMN: 0, RIGHT: 0}
        for i, role in enumerate(self._roles):
            if role == ROW:
                given[i] = given[i][np.newaxis]
            elif role in ends:
                ends[role] = max(ends[role], len(given[i]))
        rows, others = (np.array([0, end]) for end in ends.values())
        result = self.over(rows, *given, right=others)
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
            The kernel's own arguments, in its own order: columns with one value per row of the
            block, rows as matrices with one row per partition, the rest as it is.
        right : int64 array of shape (partitions + 1,), optional
            The offsets of a second table, for kernels of two tables.

        Returns
        -------
        array of shape (partitions,)
            What the kernel returned for each partition; zeros when it returns nothing.

        Notes
        -----
        Columns are brought to the annotated dtype first, so one compiled version serves every call.

        Examples
        --------
        >>> import numpy as np
        >>> from kernels.structures.order import in_order
        >>> offsets, time = np.array([0, 2, 4]), np.array([1, 2, 9, 3])
        >>> in_order.over(offsets, time, np.ones(4, np.uint8))
        array([1, 0])
        """
        prepared = [one(arg) for one, arg in zip(self._prepare, args, strict=True)]
        both = offsets, offsets if right is None else right
        for watcher in watchers:
            watcher(self, *both, prepared)
        results = np.zeros(len(offsets) - 1, self._result_dtype)
        lifted = self.lifted if self._is_own(prepared) else self._lifted_in_memory
        ends = [_array(INT64, np.ascontiguousarray(one)) for one in both]
        lifted(*ends, results, *prepared)
        return results

    def part(
        self,
        offsets: NDArray[np.int64],
        args: Sequence[Any],
        partition: int,
        right: NDArray[np.int64] | None = None,
    ) -> list[Any]:
        """Return what one partition gets of the arguments of a run over many.

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
            What the kernel itself takes.
        """
        both = offsets, offsets if right is None else right
        left, other = (slice(one[partition], one[partition + 1]) for one in both)
        cut = {COLUMN: left, RIGHT: other, ROW: partition}
        return [
            arg[cut[role]] if role in cut else arg
            for role, arg in zip(self._roles, args, strict=True)
        ]

    @property
    def lifted(self) -> Any:
        """The compiled loop over partitions."""
        if self._lifted is None:
            self._lifted = compile_function(self._write_lift())
        return self._lifted

    def _is_own(self, args: Sequence[Any]) -> bool:
        """Say whether the state, if there is one, is of a class of this package.

        What is kept on disk is stale when a source of this package changes. Another class may
        change without that, so what is compiled for its states is kept in memory alone.
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
        """Return the empty states that the kernel can take; None when it takes none."""
        if self._state is None:
            return [None]
        needed = self._kinds[self._state]
        return [state for state in empty_states if not needed or hasattr(state, needed)]

    def compile_for(self, state: Any) -> None:
        """Compile what :meth:`compile` does, for one of the kernel's states."""
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
            arguments=", ".join(map(_part, names, self._roles)),
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


def _preparing(role: str, kind: Any) -> Callable[[Any], Any]:
    """Return what makes of an argument what is compiled takes."""
    if role == STATE:
        return _as_it_is
    return kind if role == SETTING else partial(_array, kind)


def _as_it_is(arg: Any) -> Any:
    return arg


def _array(dtype: np.dtype[Any] | None, arg: NDArray[Any]) -> NDArray[Any]:
    if dtype is not None and arg.dtype != dtype:
        return np.ascontiguousarray(arg, dtype)
    # Numba has a type of its own for what cannot be written to, and each type is a version that
    # somebody waits for.
    return arg if arg.flags.writeable else arg.copy()


def kernel(function: Callable[..., Any]) -> Kernel:
    """Make a kernel of a function and put it into the registry.

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
        When a caption names something that is no local of the function.

    Examples
    --------
    >>> from kernels.core.kernel import Int64Column, kernel, registry
    >>> from kernels.structures.order import in_order
    >>> registry["in_order"] is in_order
    True
    """
    made = Kernel(function)
    if made.__module__.partition(".")[0] == "kernels":
        registry[made.__name__] = made
    return made


def captions(source: str, function: Callable[..., Any]) -> dict[int, str]:
    """Return the caption of each line of a kernel's source that has one."""
    found = {}
    for number, line in enumerate(source.splitlines(), start=1):
        if match := re.search(r"#: (.+)$", line):
            found[number] = match.group(1)
            _check_caption(match.group(1), number, function)
    return found


def _check_caption(caption: str, line: int, function: Callable[..., Any]) -> None:
    known = {*function.__code__.co_varnames, *dir(builtins)}
    for _, expression, _, _ in Formatter().parse(caption):
        for name in compile(expression or "0", "<caption>", "eval").co_names:
            if name not in known:
                raise ValueError(
                    f"{function.__name__}, line {line}: the caption names {name!r}, "
                    "which is no local of the kernel; use the name of a parameter or a variable."
                )


def compile_function(function: Callable[..., Any], *, on_disk: bool = True, **options: Any) -> Any:
    """Return the function as a compiled one, kept on disk where it is one of this package."""
    # Nothing calls it from C.
    options |= {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    made = numba.njit(**options)(function)
    if on_disk and (function.__module__ or "").partition(".")[0] == "kernels":
        with located():
            made._cache = KernelCache(function)
    return made


def numba_type(annotation: Any, state: Any = None) -> Any:
    """Return the compiler's type for an annotated parameter, given the state of an aggregate."""
    if get_origin(annotation) is not Annotated:
        return {int: numba.int64, float: numba.float64, bool: numba.boolean}[annotation]
    _, role, dtype, *dimensions = get_args(annotation)
    if role == STATE:
        return numba.typeof(state)  # type: ignore[no-untyped-call]
    dtype = np.asarray(state).dtype if dtype is None else dtype
    return Array(numba.from_dtype(np.dtype(dtype)), dimensions[0] if dimensions else 1, "C")


def _kind(parameter: inspect.Parameter) -> Any:
    """Return the dtype of an array, what a state needs to have, or the type of a setting."""
    if _role(parameter) == SETTING:
        return parameter.annotation
    kind = get_args(parameter.annotation)[2]
    return np.dtype(kind) if isinstance(kind, type) else kind


def _role(parameter: inspect.Parameter) -> str:
    annotated = get_origin(parameter.annotation) is Annotated
    return str(get_args(parameter.annotation)[1]) if annotated else SETTING


def _part(name: str, role: str) -> str:
    parts = {COLUMN: "[_first:_last]", RIGHT: "[_low:_high]", ROW: "[_p]"}
    return name + parts.get(role, "")


def _lifted_type(one: Any, role: str) -> Any:
    return Array(one.dtype, 2, "C") if role == ROW else one


@typeof_impl.register(Kernel)
def _typeof_kernel(value: Kernel, _context: Any) -> Any:
    # A kernel that calls another kernel finds the compiled function in the other's place.
    return numba.typeof(value.compiled)  # type: ignore[no-untyped-call]
