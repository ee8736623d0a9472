"""What the arrays of a signature hold, in one word each."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
#: Of whether something is so: as bytes of 0 and 1, which kernels take, and as NumPy's truths.
Flags = NDArray[np.uint8]
Mask = NDArray[np.bool_]
#: Of 32 bits each.
Words = NDArray[np.uint32]
