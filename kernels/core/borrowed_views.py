"""Views that count no references, for loops in which a slice would cost more than its use.

A slice of an array takes part in counting the array's references, with an atomic instruction on
each way. Over partitions of a few rows that was two thirds of a kernel's time: 75 ns a partition
with counted slices, 22 ns with borrowed ones (two rows a partition, two cores of 2.5 GHz).
"""

from typing import Any

from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def borrowed(_typing: Any, array: Any) -> Any:
    """Return the array without a count of its references: whoever holds it must outlive the view.

    Parameters
    ----------
    array : array
        An argument of the compiled function, so that its caller holds it.

    Returns
    -------
    array
    """

    def codegen(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        view = cgutils.create_struct_proxy(array)(context, builder, value=arguments[0])  # type: ignore[no-untyped-call]
        view.meminfo = cgutils.get_null_value(view.meminfo.type)  # type: ignore[no-untyped-call]
        view.parent = cgutils.get_null_value(view.parent.type)  # type: ignore[no-untyped-call]
        return view._getvalue()

    return array(array), codegen
