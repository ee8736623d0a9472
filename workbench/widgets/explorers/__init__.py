"""The explorers, a file each; what they share is in ``explorer``."""
