"""The machinery of kernels, from the decorator to the trace. It contains no algorithm."""
