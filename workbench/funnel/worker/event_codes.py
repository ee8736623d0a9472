"""The names of a block's events as numbers in their alphabetical order."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from kernels.funnel.paths import NO_NAME
from workbench.columnar.blocks import Block


def event_codes(block: Block, name: str) -> tuple[NDArray[np.uint32], list[str]]:
    """Return the number of each row's event, and all names in alphabetical order.

    Parameters
    ----------
    block : Block
    name : str
        The column of the events' names.

    Returns
    -------
    code : uint32 array of shape (rows,)
        2³² - 1 where the name is null.
    names : list of str

    Examples
    --------
    >>> rows = pa.table({"what": ["pay", None, "cart", "pay"]})
    >>> code, names = event_codes(Block(pa.table({}), np.array([0, 4]), rows), "what")
    >>> [names[k] if k < len(names) else None for k in code.tolist()], names
    (['pay', None, 'cart', 'pay'], ['cart', 'pay'])
    """
    column = block.column(name)
    if not pa.types.is_dictionary(column.type):
        column = column.cast(pa.string()).dictionary_encode()
    texts = column.dictionary.to_pylist()
    names = sorted(text for text in texts if text is not None)
    number = {text: k for k, text in enumerate(names)}
    # A last entry for rows without a name.
    table = np.array([*(number.get(text, NO_NAME) for text in texts), NO_NAME], np.uint32)
    codes = pc.fill_null(column.indices.cast(pa.int64()), len(texts)).to_numpy()
    return np.take(table, codes), names
