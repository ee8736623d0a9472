"""Order codes compare as their keys do."""

import numpy as np

from kernels.frames.ordering import order_code


def test_every_nan_is_one_key_behind_all_numbers() -> None:
    quiet, negative, signaling = 0x7FF8 << 48, 0xFFF8 << 48, (0x7FF0 << 48) + 1
    bits = np.array([quiet, negative, signaling], np.uint64)
    codes = order_code(np.concatenate([bits.view(np.float64), [np.inf, -0.0, 0.0, -np.inf]]))
    assert codes[0] == codes[1] == codes[2] > codes[3] > codes[4] == codes[5] > codes[6]
