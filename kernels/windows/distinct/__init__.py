"""Window functions of the distinct values of each frame. Those of all values are in ``windows``."""
