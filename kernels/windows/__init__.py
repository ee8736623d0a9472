"""Window functions over frames, one file per family. The frames themselves are in ``frames``."""
