"""Data structures that kernels share, from sorted orders to rank sets. They know no window."""
