"""Windows that are kept up to date while rows arrive. Batch windows are in ``windows``."""
