"""Data structures that kernels share, from sorted orders to rank sets, without any window logic."""
