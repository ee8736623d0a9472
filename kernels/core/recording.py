"""Record every run of a kernel over partitions, with its arguments.

So a player steps through exactly the columns that were prepared for the compiled kernel.
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
    """One run of a kernel over partitions, with its arguments at the start.

    Attributes
    ----------
    kernel : Kernel
    offsets, right : int64 arrays of shape (partitions + 1,)
        The partitions of the kernel's table and of its second one; equal if it has only one.
    arguments : list
        The arguments that :meth:`kernels.Kernel.over` passed to the compiled kernel, as copies.
    """

    kernel: Kernel
    offsets: NDArray[np.int64]
    right: NDArray[np.int64]
    arguments: list[Any]

    @property
    def has_captions(self) -> bool:
        """Whether the kernel, or one that it calls, has captions, at which a player stops."""
        return any(member.captions for member in family(self.kernel))

    def part(self, partition: int = 0) -> list[Any]:
        """Return the arguments of one partition."""
        return self.kernel.part(self.offsets, self.arguments, partition, self.right)


@contextmanager
def recorded() -> Iterator[list[Run]]:
    """Record the runs of kernels inside this context.

    Yields
    ------
    list of Run
        In the order in which they start.

    Examples
    --------
    >>> from kernels.structures.order import in_order
    >>> with recorded() as runs:
    ...     flags = in_order.over(np.array([0, 1, 3]), np.array([4, 1, 2]), np.ones(3, np.uint32))
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
        copies = [deepcopy(argument) for argument in arguments]
        runs.append(Run(kernel, offsets.copy(), right.copy(), copies))

    watchers.append(watch)
    try:
        yield runs
    finally:
        watchers.remove(watch)
