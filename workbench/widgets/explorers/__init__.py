"""The explorers, a file each but for the funnel's folder; what they share is in ``explorer``."""
