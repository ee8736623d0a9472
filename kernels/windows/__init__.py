"""Window functions over frames, a file a family. Frames themselves live in ``frames``."""
