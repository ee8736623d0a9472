"""The explorers, a file each."""
