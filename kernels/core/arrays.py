"""Short names for the array types in signatures."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: True or false for each row: as bytes of 0 and 1, which kernels take, and as NumPy's bool.
Flags = NDArray[np.uint8]
Mask = NDArray[np.bool_]
#: Unsigned integers of 32 bits.
Words = NDArray[np.uint32]
