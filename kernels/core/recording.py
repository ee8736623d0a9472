"""What a computation asks of the kernels: every run over partitions, with its arguments.

So what is stepped through gets the very columns that were prepared for the compiled kernel.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kernels.core.kernel import Kernel, watchers
from kernels.core.trace import family


class Run(NamedTuple):
    """A kernel's run over partitions, as it began.

    Attributes
    ----------
    kernel : Kernel
    offsets, right : int64 arrays of shape (partitions + 1,)
        The partitions of the kernel's table, and of its second one; alike where it has but one.
    arguments : list
        As :meth:`kernels.Kernel.over` gave them to the compiled kernel; arrays are copies.
    """

    kernel: Kernel
    offsets: NDArray[np.int64]
    right: NDArray[np.int64]
    arguments: list[Any]

    @property
    def has_captions(self) -> bool:
        """Whether the kernel, or one that it calls, has a step to stop at."""
        return any(one.captions for one in family(self.kernel))

    def part(self, partition: int = 0) -> list[Any]:
        """Return the arguments as one partition gets them."""
        return self.kernel.part(self.offsets, self.arguments, partition, self.right)


@contextmanager
def recorded() -> Iterator[list[Run]]:
    """Record the runs of kernels inside this context.

    Yields
    ------
    list of Run
        In the order in which they began.

    Examples
    --------
    >>> from kernels.structures.order import in_order
    >>> with recorded() as runs:
    ...     found = in_order.over(np.array([0, 1, 3]), np.array([4, 1, 2]), np.ones(3, np.uint32))
    >>> runs[0].kernel, runs[0].part(1)[0].tolist()
    (<kernel in_order>, [1, 2])
    """
    runs: list[Run] = []

    def watch(
        kernel: Kernel,
        offsets: NDArray[np.int64],
        right: NDArray[np.int64],
        arguments: Sequence[Any],
    ) -> None:
        copies = [deepcopy(one) for one in arguments]
        runs.append(Run(kernel, offsets.copy(), right.copy(), copies))

    watchers.append(watch)
    try:
        yield runs
    finally:
        watchers.remove(watch)
